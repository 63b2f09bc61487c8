"""Leaving early iterations out of the average: what Figure 2 of instant CFR asks, on any games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infoset.calls import Call, format_call, parse_call
from infoset.experiments.claims import Claim
from infoset.experiments.convergence import Band, Curve, Measurer, rounded, spaced
from infoset.experiments.registry import Cell
from infoset.explore import BLUE, GREY, panels, save

__all__ = [
    "CLAIM",
    "METHODS",
    "Skipping",
    "best_skip",
    "crossing",
    "draw_halves",
    "draw_skips",
    "measure_skipping",
    "num_runs",
    "skipping_claims",
    "skipping_rows",
]

METHODS = {
    "CFR": "cfr",
    "CFR+": "cfr+",
    "DCFR": "dcfr",
    "ICFR": "icfr",
    "ICFR+": "icfr+",
    "IDCFR": "idcfr",
    "IDCFR+": "idcfr+",
}
"""To which come the hybrids of CFR+ that run on a game."""
CLAIM = (
    "skipping half the iterations helps every method; IDCFR+ then is three times faster than "
    "hybrid CFR+; of 1,000 iterations, skipping 500 or 600 is best"
)
NUM_SKIPS = 10
LENGTHS = 30
"""Lengths of run that are tried to find the one that equals a rival."""

Curves = Mapping[str, Curve]


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


Found = Mapping[str, Skipping]


def _skipping(algorithm: str, skip: float) -> str:
    """An algorithm as one types it, with so many iterations skipped."""
    name, parameters = parse_call(algorithm)
    return format_call(Call(name, {**parameters, "skip": skip} if skip else parameters))


def num_runs(hybrids: Mapping[str, str]) -> int:
    """About how many curves are measured on a game."""
    return 2 * len({**METHODS, **hybrids}) + NUM_SKIPS + len(hybrids) * LENGTHS // 2


def measure_skipping(measurer: Measurer, hybrids: Mapping[str, str], end: int) -> Skipping:
    """Each method with and without the first half, and ten shares skipped by one of them."""
    methods = {"CFR": METHODS["CFR"], **hybrids, **METHODS}
    whole, half = (
        {m: measurer.curve(_skipping(text, skip), [end]) for m, text in methods.items()}
        for skip in (0, end // 2)
    )
    evenly = range(end // 100, end + 1, end // 100)
    skips = {
        str(skip): measurer.curve(_skipping(METHODS["IDCFR+"], skip), evenly)
        for skip in range(0, end, end // NUM_SKIPS)
    }
    speeds = {hybrid: _speed(measurer, half[hybrid].last, end) for hybrid in hybrids}
    return Skipping(end, whole, half, skips, speeds)


def _speed(measurer: Measurer, target: float, end: int) -> float:
    """How many times shorter a run of IDCFR+ can be that skips its first half and equals a rival.

    Zero if no run up to the rival's length does.
    """
    for length in (t for t in spaced(end, LENGTHS) if t >= 4):
        if measurer.curve(_skipping(METHODS["IDCFR+"], 0.5), [length]).last <= target:
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


def skipping_claims(found: Found) -> list[Claim]:
    """The paper's sentences about Figure 2; they hold if they do on all games.

    The first hybrid is the one that speed is judged by.
    """
    best = {game: best_skip(of_game.skips) for game, of_game in found.items()}
    crossings = {game: _half_crossing(of_game) for game, of_game in found.items()}
    return [
        Claim(
            "every method is better with the first half skipped",
            all(word == "better" for of_game in found.values() for word in of_game.words.values()),
            " | ".join(f"on {game} {_grouped(of_game.words)}" for game, of_game in found.items()),
        ),
        Claim(
            "IDCFR+ with half skipped converges three times faster than hybrid CFR+ with half "
            "skipped",
            all(next(iter(of_game.speeds.values())) >= 3 for of_game in found.values()),
            "; ".join(
                f"on {game} "
                + ", ".join(f"{_times(speed)} than {m}" for m, speed in of_game.speeds.items())
                for game, of_game in found.items()
            ),
        ),
        Claim(
            "skipping 50 or 60 % is best for IDCFR+",
            all(best[game] in (g.end // 2, g.end * 6 // 10) for game, g in found.items()),
            ", ".join(
                f"{100 * skip // found[game].end} % on {game}" for game, skip in best.items()
            ),
        ),
        Claim(
            "soon after the skipped half IDCFR+ with skipping is better than without, and stays so",
            all(at is not None and at <= 0.6 * found[game].end for game, at in crossings.items()),
            ", ".join(
                f"{game}: {f'from iteration {at}' if at else 'never'}"
                for game, at in crossings.items()
            ),
        ),
    ]


def _half_crossing(found: Skipping) -> int | None:
    half = found.end // 2
    return crossing(found.skips[str(half)].since(half + 1), found.skips["0"].since(half + 1))


def _times(speed: float) -> str:
    return f"{speed:.2g} times faster" if speed else "slower"


def _grouped(words: Mapping[str, str]) -> str:
    """Methods by what became of them, as in ``better: CFR+, DCFR; worse: CFR``."""
    return "; ".join(
        f"{word}: {', '.join(m for m in words if words[m] == word)}"
        for word in sorted(set(words.values()))
    )


def skipping_rows(found: Found, band: Band) -> list[dict[str, Cell]]:
    """Every method without its first half, then IDCFR+ by how much it skips."""
    lines = [
        *((g, m, f.end // 2, f.half[m], f.whole[m]) for g, f in found.items() for m in f.whole),
        *(
            (g, "IDCFR+", int(s), f.skips[s], f.skips["0"])
            for g, f in found.items()
            for s in f.skips
        ),
    ]
    return [
        {
            "game": game,
            "method": method,
            "skipped": skip,
            "exploitability": rounded(curve.last),
            **band.last(curve),
            "without skipping": rounded(whole.last),
        }
        for game, method, skip, curve, whole in lines
    ]


def _width(found: Found) -> float:
    """Inches: one game needs less."""
    return 9.6 if len(found) > 1 else 6.4


def draw_halves(found: Found, out: Path, name: str) -> Sequence[Path]:
    """2a: for each method an arrow from the whole average to the one without the first half."""
    with panels(1, len(found), width=_width(found), height=3.9) as (figure, grid):
        for axes, (game, of_game) in zip(grid[0], found.items(), strict=True):
            methods = list(of_game.whole)
            places = np.arange(len(methods))[::-1]
            for place, method in zip(places, methods, strict=True):
                whole, half = of_game.whole[method].last, of_game.half[method].last
                axes.plot([whole, half], [place, place], color=GREY, linewidth=1.2, zorder=1)
                axes.plot(whole, place, "o", color="white", markeredgecolor=GREY, zorder=2)
                axes.plot(half, place, "o", color=BLUE, zorder=3)
            axes.set_xscale("log")
            axes.set_title(game)
            axes.set_yticks(places, methods if axes is grid[0, 0] else [""] * len(methods))
            axes.set_xlabel("exploitability (chips)")
            axes.tick_params(axis="y", length=0)
        axes.plot([], [], "o", color="white", markeredgecolor=GREY, label="all iterations averaged")
        axes.plot([], [], "o", color=BLUE, label="the first half skipped")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        figure.suptitle(f"Skipping half of {of_game.end:,} iterations", fontsize=11)
        return save(figure, out, name)


def draw_skips(found: Found, out: Path, name: str) -> Sequence[Path]:
    """2b: IDCFR+ over time, a line for each number of skipped iterations."""
    with panels(1, len(found), width=_width(found), height=4.1) as (figure, grid):
        from matplotlib import colormaps

        for axes, (game, of_game) in zip(grid[0], found.items(), strict=True):
            best = best_skip(of_game.skips)
            for skip, curve in of_game.skips.items():
                drawn = curve.since(max(int(skip) + 1, of_game.end // 5))
                axes.plot(
                    drawn.iterations,
                    drawn.typical,
                    color=colormaps["viridis"](0.95 * int(skip) / of_game.end),
                    linewidth=3.2 if int(skip) == best else 1.4,
                    label=skip,
                )
            axes.set_yscale("log")
            axes.set_title(f"{game}\nbest: {best} skipped", fontsize=10)
            axes.set_xlabel("iterations")
        grid[0, 0].set_ylabel("exploitability (chips, NashConv / 2)")
        legend = figure.legend(
            *grid[0, 0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=NUM_SKIPS if len(found) > 1 else NUM_SKIPS // 2,
            title="iterations skipped by IDCFR+",
            handlelength=1.2,
            columnspacing=1.2,
        )
        for line in legend.get_lines():
            line.set_linewidth(2)
        return save(figure, out, name)
