"""Figure 2 of instant CFR: leaving early iterations out of the average, on Leduc games.

The paper shows a river of hold'em; these are the same questions on smaller games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import Curve, Measurer, rounded, spaced, write_curves
from infoset.experiments.instant_fig1a import INSTANT, NEAREST
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.figures import BLUE, GREY, panels, save

__all__ = ["GAMES", "METHODS", "best_skip", "crossing"]

GAMES = (NEAREST, "leduc", "leduc5(by_rank=true)")

METHODS = {
    "CFR": ("cfr", {}),
    "hybrid CFR+": ("hybrid-cfr+", {}),
    "alternating hybrid CFR+": ("hybrid-cfr+", {"alternating": "true"}),
    "CFR+": ("cfr+", {}),
    "DCFR": ("dcfr", {}),
    "ICFR": ("icfr", {}),
    "ICFR+": ("icfr+", {}),
    "IDCFR": ("idcfr", {}),
    "IDCFR+": ("idcfr+", {}),
}
RIVALS = ("hybrid CFR+", "alternating hybrid CFR+")
NUM_SKIPS = 10
LENGTHS = 30
"""Lengths of run that are tried to find the one that equals a rival."""

Curves = Mapping[str, Curve]


def _text(method: str, skip: float) -> str:
    """An algorithm as one types it."""
    name, parameters = METHODS[method]
    given = {**parameters, "skip": f"{skip:g}"} if skip else parameters
    return f"{name}({','.join(f'{k}={v}' for k, v in given.items())})" if given else name


@experiment(
    "instant-fig2",
    paper=INSTANT,
    artifact="Figure 2",
    claim="skipping half the iterations helps every method; IDCFR+ then is three times faster "
    "than hybrid CFR+; of 1,000 iterations, skipping 500 or 600 is best",
)
def instant_fig2(out: Path, *, quick: bool, progress: Step) -> Report:
    """Nine methods with and without the first half, and ten shares skipped by one of them."""
    end, repetitions = (200, 2) if quick else (1000, 10)
    games = GAMES[:2] if quick else GAMES
    halves: dict[str, dict[str, Curve]] = {}
    skips: dict[str, dict[str, Curve]] = {}
    speeds: dict[str, dict[str, float]] = {}
    num_runs = 2 * len(METHODS) + NUM_SKIPS + len(RIVALS) * LENGTHS // 2
    for i, game in enumerate(games):
        share = i / len(games), (i + 1) / len(games)
        measurer = Measurer(game, repetitions, progress, share, num_runs)
        halves[game] = {
            _text(method, skip): measurer.curve(_text(method, skip), [end])
            for method in METHODS
            for skip in (0, end // 2)
        }
        evenly = range(end // 100, end + 1, end // 100)
        skips[game] = {
            str(skip): measurer.curve(_text("IDCFR+", skip), evenly)
            for skip in range(0, end, end // NUM_SKIPS)
        }
        speeds[game] = {
            rival: _speed(measurer, halves[game][_text(rival, end // 2)].last, end)
            for rival in RIVALS
        }
    progress(1.0, "drawing")
    write_curves(out / "instant-fig2b-curves.json", skips)
    claims = _claims(halves, skips, speeds, end)
    return Report(
        verdict=verdict(claims, smaller=True),
        rows=[
            *(row for game, of_game in halves.items() for row in _half_rows(game, of_game, end)),
            *(row for game, of_game in skips.items() for row in _skip_rows(game, of_game)),
        ],
        numbers={
            **{f"best_skip on {game}": float(best_skip(skips[game])) for game in games},
            **{
                f"times_faster_than {rival} on {game}": rounded(speed)
                for game, of_game in speeds.items()
                for rival, speed in of_game.items()
            },
        },
        figures=[*_draw_halves(halves, end, out), *_draw_skips(skips, out)],
        note=note(
            claims,
            f"On Leduc games, {end:,} iterations, {repetitions} runs that differ in rounding only.",
        ),
    )


def _speed(measurer: Measurer, target: float, end: int) -> float:
    """How many times shorter a run of IDCFR+ can be that skips its first half and equals a rival.

    Zero if no run up to the rival's length does.
    """
    for length in (t for t in spaced(end, LENGTHS) if t >= 4):
        if measurer.curve(_text("IDCFR+", 0.5), [length]).last <= target:
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


def _claims(
    halves: Mapping[str, Curves],
    skips: Mapping[str, Curves],
    speeds: Mapping[str, Mapping[str, float]],
    end: int,
) -> list[Claim]:
    half = end // 2
    words = {
        game: {m: of_game[_text(m, half)].against(of_game[_text(m, 0)], end).word for m in METHODS}
        for game, of_game in halves.items()
    }
    best = {game: best_skip(of_game) for game, of_game in skips.items()}
    crossings = {
        game: crossing(of_game[str(half)].since(half + 1), of_game["0"].since(half + 1))
        for game, of_game in skips.items()
    }
    return [
        Claim(
            "every method is better with the first half skipped",
            all(word == "better" for of_game in words.values() for word in of_game.values()),
            " | ".join(f"on {game} {_grouped(of_game)}" for game, of_game in words.items()),
        ),
        Claim(
            "IDCFR+ with half skipped converges three times faster than hybrid CFR+ with half "
            "skipped",
            all(of_game["hybrid CFR+"] >= 3 for of_game in speeds.values()),
            "; ".join(
                f"on {game} {_times(of_game[RIVALS[0]])}, and {_times(of_game[RIVALS[1]])} "
                "if the hybrid alternates too"
                for game, of_game in speeds.items()
            ),
        ),
        Claim(
            "skipping 50 or 60 % is best for IDCFR+",
            all(skip in (half, end * 6 // 10) for skip in best.values()),
            ", ".join(f"{100 * skip // end} % on {game}" for game, skip in best.items()),
        ),
        Claim(
            "soon after the skipped half IDCFR+ with skipping is better than without, and stays so",
            all(at is not None and at <= 0.6 * end for at in crossings.values()),
            ", ".join(
                f"{game}: {f'from iteration {at}' if at else 'never'}"
                for game, at in crossings.items()
            ),
        ),
    ]


def _times(speed: float) -> str:
    return f"{speed:.2g} times faster" if speed else "slower"


def _grouped(words: Mapping[str, str]) -> str:
    """Methods by what became of them, as in ``better: CFR+, DCFR; worse: CFR``."""
    return "; ".join(
        f"{word}: {', '.join(m for m in words if words[m] == word)}"
        for word in sorted(set(words.values()))
    )


def _half_rows(game: str, curves: Curves, end: int) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for method in METHODS:
        whole, half = curves[_text(method, 0)], curves[_text(method, end // 2)]
        rows.append(
            {
                "game": game,
                "method": method,
                "skipped": end // 2,
                "exploitability": rounded(half.last),
                "least": rounded(half.last_range[0]),
                "most": rounded(half.last_range[1]),
                "without skipping": rounded(whole.last),
            }
        )
    return rows


def _skip_rows(game: str, curves: Curves) -> list[dict[str, Cell]]:
    return [
        {
            "game": game,
            "method": "IDCFR+",
            "skipped": int(skip),
            "exploitability": rounded(curve.last),
            "least": rounded(curve.last_range[0]),
            "most": rounded(curve.last_range[1]),
            "without skipping": rounded(curves["0"].last),
        }
        for skip, curve in curves.items()
    ]


def _draw_halves(halves: Mapping[str, Curves], end: int, out: Path) -> Sequence[Path]:
    """2a: for each method an arrow from the whole average to the one without the first half."""
    with panels(1, len(halves), width=9.6, height=3.9) as (figure, grid):
        places = np.arange(len(METHODS))[::-1]
        for axes, (game, curves) in zip(grid[0], halves.items(), strict=True):
            for place, method in zip(places, METHODS, strict=True):
                whole = curves[_text(method, 0)].last
                half = curves[_text(method, end // 2)].last
                axes.plot([whole, half], [place, place], color=GREY, linewidth=1.2, zorder=1)
                axes.plot(whole, place, "o", color="white", markeredgecolor=GREY, zorder=2)
                axes.plot(half, place, "o", color=BLUE, zorder=3)
            axes.set_xscale("log")
            axes.set_title(game)
            axes.set_yticks(places, METHODS if axes is grid[0, 0] else [""] * len(METHODS))
            axes.set_xlabel("exploitability (chips)")
            axes.tick_params(axis="y", length=0)
        axes.plot([], [], "o", color="white", markeredgecolor=GREY, label="all iterations averaged")
        axes.plot([], [], "o", color=BLUE, label="the first half skipped")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        figure.suptitle(f"Skipping half of {end:,} iterations", fontsize=11)
        return save(figure, out, "instant-fig2a")


def _draw_skips(skips: Mapping[str, Curves], out: Path) -> Sequence[Path]:
    """2b: IDCFR+ over time, a line for each number of skipped iterations."""
    with panels(1, len(skips), width=9.6, height=4.1) as (figure, grid):
        from matplotlib import colormaps

        for axes, (game, curves) in zip(grid[0], skips.items(), strict=True):
            best = best_skip(curves)
            for skip, curve in curves.items():
                end = int(curve.iterations[-1])
                drawn = curve.since(max(int(skip) + 1, end // 5))
                axes.plot(
                    drawn.iterations,
                    drawn.typical,
                    color=colormaps["viridis"](0.95 * int(skip) / end),
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
            ncols=NUM_SKIPS,
            title="iterations skipped by IDCFR+",
            handlelength=1.2,
            columnspacing=1.2,
        )
        for line in legend.get_lines():
            line.set_linewidth(2)
        return save(figure, out, "instant-fig2b")
