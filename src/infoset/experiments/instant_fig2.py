"""Figure 2 of instant CFR: leaving early iterations out of the average.

The paper shows a river of hold'em; Leduc games ask the same questions on smaller games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from infoset.calls import Call, format_call, parse_call
from infoset.experiments.curves import (
    Curve,
    Curves,
    drawing,
    in_mbb,
    rounded,
    spaced,
    write_curves,
)
from infoset.experiments.instant_fig1 import HYBRID_NOTE, HYBRIDS, INSTANT, NEAREST, river_scale
from infoset.experiments.measurer import Measurer, each, in_units, on_situations, parts
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLUE, GREY

METHODS = {
    "CFR": "cfr",
    **HYBRIDS,
    "CFR+": "cfr+",
    "DCFR": "dcfr",
    "ICFR": "icfr",
    "ICFR+": "icfr+",
    "IDCFR": "idcfr",
    "IDCFR+": "idcfr+",
}
CLAIM = (
    "skipping half the iterations helps every method; IDCFR+ then is three times faster than "
    "hybrid CFR+; of 1,000 iterations, skipping 500 or 600 is best"
)
GAMES = (NEAREST, "leduc", "leduc5(by_rank=true)")
RIVER = "River(5k)"
NUM_SKIPS = 10
LENGTHS = 30
"""Lengths of run that are tried to find the one that equals a rival."""


@experiment("instant-fig2", paper=INSTANT, artifact="Figure 2", claim=CLAIM)
def instant_fig2(out: Path, *, quick: bool, progress: Step) -> Report:
    """Nine methods with and without the first half, and ten shares skipped by one of them."""
    end, repetitions = (200, 2) if quick else (1000, 10)
    games = GAMES[:2] if quick else GAMES
    measured = {
        game: _measure(in_units(game, repetitions), end, step)
        for game, step in each(games, progress)
    }
    progress(1.0, "drawing")
    skips = {game: of_game.skips for game, of_game in measured.items()}
    write_curves(out / "instant-fig2b-curves.json", skips)
    return report(
        _claims(measured),
        f"On Leduc games, {end:,} iterations, {repetitions} runs that differ in rounding only.",
        rows=_rows(measured),
        numbers={
            f"{name} on {game}": number
            for game, of_game in measured.items()
            for name, number in of_game.numbers.items()
        },
        figures=_draw(measured, out),
        smaller=True,
    )


@experiment("instant-fig2-river", paper=INSTANT, artifact="Figure 2, River(5k)", claim=CLAIM)
def instant_fig2_river(out: Path, *, quick: bool, progress: Step) -> Report:
    """Each method with and without the first half, and ten shares skipped by one of them."""
    end, seeds = river_scale(quick=quick)
    measured = {RIVER: _measure(on_situations(RIVER, seeds), end, progress)}
    progress(1.0, "drawing")
    skips = {RIVER: measured[RIVER].skips}
    write_curves(out / "instant-fig2-river-curves.json", skips)
    return report(
        _claims(measured),
        f"{len(seeds)} random situations, {end:,} iterations; geometric means over the "
        "situations and their 95 % intervals, in chips and thousandths of a big blind of 100.",
        HYBRID_NOTE,
        rows=[{**row, "mbb": in_mbb(float(str(row["exploitability"])))} for row in _rows(measured)],
        numbers=measured[RIVER].numbers,
        figures=_draw(measured, out, "-river"),
        smaller=quick,
    )


@dataclass(frozen=True)
class Skipping:
    """What leaving early iterations out does on one game."""

    end: int
    """Iterations of a run."""
    whole: Curves
    """By method, all iterations averaged; one point, at the end."""
    half: Curves
    """By method, the first half left out."""
    skips: Curves
    """IDCFR+ by the number of iterations that it leaves out."""
    speeds: Mapping[str, float]
    """How many times shorter a run of IDCFR+ is that equals a hybrid, both skipping half."""

    @property
    def words(self) -> dict[str, str]:
        """Whether leaving half out makes a method better or worse."""
        return {m: self.half[m].against(self.whole[m], self.end).word for m in self.whole}

    @property
    def numbers(self) -> dict[str, float]:
        """The figures that claims are judged by."""
        speeds = {f"times_faster_than {m}": rounded(speed) for m, speed in self.speeds.items()}
        return {"best_skip": float(best_skip(self.skips)), **speeds}

    @property
    def half_crossing(self) -> int | None:
        """From which iteration on IDCFR+ that skips half stays below the one that does not."""
        half = self.end // 2
        return crossing(self.skips[str(half)].since(half + 1), self.skips["0"].since(half + 1))


def _skipping(algorithm: str, skip: float) -> str:
    """An algorithm as one types it, with so many iterations skipped."""
    name, parameters = parse_call(algorithm)
    return format_call(Call(name, {**parameters, "skip": skip} if skip else parameters))


def _measure(measurer: Measurer, end: int, progress: Step) -> Skipping:
    lengths = [len(METHODS), len(METHODS), NUM_SKIPS, *(LENGTHS // 2 for _ in HYBRIDS)]
    first, second, third, *others = parts(progress, lengths)
    whole = measurer.curves(METHODS, [end], first)
    halves = {method: _skipping(text, end // 2) for method, text in METHODS.items()}
    half = measurer.curves(halves, [end], second)
    skipping = {
        str(skip): _skipping(METHODS["IDCFR+"], skip) for skip in range(0, end, end // NUM_SKIPS)
    }
    skips = measurer.curves(skipping, range(end // 100, end + 1, end // 100), third)
    speeds = {
        hybrid: _speed(measurer, half[hybrid].last, end, step)
        for hybrid, step in zip(HYBRIDS, others, strict=True)
    }
    return Skipping(end, whole, half, skips, speeds)


def _speed(measurer: Measurer, target: float, end: int, progress: Step) -> float:
    """How many times shorter a run of IDCFR+ can be that skips its first half and equals a rival.

    Zero if no run up to the rival's length does.
    """
    algorithm = _skipping(METHODS["IDCFR+"], 0.5)
    for length, step in each([t for t in spaced(end, LENGTHS) if t >= 4], progress):
        if measurer.curve(algorithm, [length], step).last <= target:
            return end / length
    return 0.0


def best_skip(curves: Curves) -> int:
    """The number of skipped iterations that ends with the lowest exploitability."""
    return int(min(curves, key=lambda skip: curves[skip].last))


def crossing(skipped: Curve, whole: Curve) -> int | None:
    """From which iteration on the curve that skips stays below the whole one; `None` if never."""
    above = np.flatnonzero(skipped.typical >= whole.typical)
    after = 0 if len(above) == 0 else int(above[-1]) + 1
    return int(whole.iterations[after]) if after < len(whole.iterations) else None


def _claims(measured: Mapping[str, Skipping]) -> list[Claim]:
    """The paper's sentences about Figure 2; they hold if they do on all games."""
    best = {game: best_skip(of_game.skips) for game, of_game in measured.items()}
    crossings = {game: of_game.half_crossing for game, of_game in measured.items()}
    speeds = {
        game: [
            f"{f'{speed:.2g} times faster' if speed else 'slower'} than {hybrid}"
            for hybrid, speed in of_game.speeds.items()
        ]
        for game, of_game in measured.items()
    }
    return [
        Claim(
            "every method is better with the first half skipped",
            all(set(of_game.words.values()) == {"better"} for of_game in measured.values()),
            " | ".join(f"on {game} {_grouped(g.words)}" for game, g in measured.items()),
        ),
        Claim(
            "IDCFR+ with half skipped converges three times faster than hybrid CFR+ with half "
            "skipped",
            all(of_game.speeds["hybrid CFR+"] >= 3 for of_game in measured.values()),
            "; ".join(f"on {game} {', '.join(texts)}" for game, texts in speeds.items()),
        ),
        Claim(
            "skipping 50 or 60 % is best for IDCFR+",
            all(best[game] in (g.end // 2, g.end * 6 // 10) for game, g in measured.items()),
            ", ".join(f"{100 * best[game] // g.end} % on {game}" for game, g in measured.items()),
        ),
        Claim(
            "soon after the skipped half IDCFR+ with skipping is better than without, and stays so",
            all(at and at <= 0.6 * measured[game].end for game, at in crossings.items()),
            ", ".join(
                f"{game}: {f'from iteration {at}' if at else 'never'}"
                for game, at in crossings.items()
            ),
        ),
    ]


def _grouped(words: Mapping[str, str]) -> str:
    """Methods by what became of them, as in ``better: CFR+, DCFR; worse: CFR``."""
    return "; ".join(
        f"{word}: {', '.join(m for m in words if words[m] == word)}"
        for word in sorted(set(words.values()))
    )


def _rows(measured: Mapping[str, Skipping]) -> list[dict[str, Cell]]:
    """Every method without its first half, then IDCFR+ by how much it skips."""

    def row(game: str, method: str, skip: int, curve: Curve, whole: Curve) -> dict[str, Cell]:
        return {
            "game": game,
            "method": method,
            "skipped": skip,
            "exploitability": rounded(curve.last),
            **curve.last_band,
            "without skipping": rounded(whole.last),
        }

    rows = []
    for game, f in measured.items():
        rows += [row(game, m, f.end // 2, f.half[m], f.whole[m]) for m in f.whole]
    for game, f in measured.items():
        rows += [row(game, "IDCFR+", int(s), f.skips[s], f.skips["0"]) for s in f.skips]
    return rows


def _draw(measured: Mapping[str, Skipping], out: Path, place: str = "") -> list[Path]:
    """Both figures; one game needs less width."""
    width = 9.6 if len(measured) > 1 else 6.4
    return [
        *_draw_halves(measured, width, out, f"instant-fig2a{place}"),
        *_draw_skips(measured, width, out, f"instant-fig2b{place}"),
    ]


def _draw_halves(
    measured: Mapping[str, Skipping], width: float, out: Path, name: str
) -> Sequence[Path]:
    """2a: for each method an arrow from the whole average to the one without the first half."""
    end = max(of_game.end for of_game in measured.values())
    title, legend = f"Skipping half of {end:,} iterations", {"ncols": 2}
    with drawing(
        out, name, 1, len(measured), size=(width, 3.9), title=title, ylabel="", legend=legend
    ) as figure:
        for axes, (game, of_game) in zip(figure.panels, measured.items(), strict=True):
            places = np.arange(len(METHODS))[::-1]
            for place, method in zip(places, METHODS, strict=True):
                whole, half = of_game.whole[method].last, of_game.half[method].last
                axes.plot([whole, half], [place, place], color=GREY, linewidth=1.2, zorder=1)
                axes.plot(whole, place, "o", color="white", markeredgecolor=GREY, zorder=2)
                axes.plot(half, place, "o", color=BLUE, zorder=3)
            axes.set_xscale("log")
            axes.set_xlabel("exploitability (chips)")
            axes.set_title(game)
            axes.set_yticks(places, METHODS if axes is figure.panels[0] else [""] * len(METHODS))
            axes.tick_params(axis="y", length=0)
        first = figure.panels[0]
        first.plot(
            [], [], "o", color="white", markeredgecolor=GREY, label="all iterations averaged"
        )
        first.plot([], [], "o", color=BLUE, label="the first half skipped")
    return figure.files


def _draw_skips(
    measured: Mapping[str, Skipping], width: float, out: Path, name: str
) -> Sequence[Path]:
    """2b: IDCFR+ over time, a line for each number of skipped iterations."""
    legend: dict[str, Any] = {
        "ncols": NUM_SKIPS if len(measured) > 1 else NUM_SKIPS // 2,
        "title": "iterations skipped by IDCFR+",
        "handlelength": 1.2,
        "columnspacing": 1.2,
    }
    with drawing(out, name, 1, len(measured), size=(width, 4.1), legend=legend) as figure:
        from matplotlib import colormaps

        for axes, (game, of_game) in zip(figure.panels, measured.items(), strict=True):
            best = best_skip(of_game.skips)
            for skip, curve in of_game.skips.items():
                drawn = curve.since(max(int(skip) + 1, of_game.end // 5))
                colour = colormaps["viridis"](0.95 * int(skip) / of_game.end)
                thick = 3.2 if int(skip) == best else 1.4
                axes.plot(drawn.iterations, drawn.typical, color=colour, linewidth=thick)
                axes.plot([], [], color=colour, linewidth=2, label=skip)
            axes.set_yscale("log")
            axes.set_title(f"{game}\nbest: {best} skipped", fontsize=10)
    return figure.files
