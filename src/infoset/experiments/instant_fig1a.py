"""Figure 1a of instant CFR: what instant updates do to each method on Leduc games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import Curve, Measurer, rounded, spaced, write_curves
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.figures import BLACK, BLUE, GREEN, PURPLE, RED, panels, save

__all__ = ["GAMES", "INSTANT", "NEAREST", "PAIRS"]

INSTANT = (
    "Li, Hu, Qi & Song 2019, Efficient CFR for Imperfect Information Games with Instant Updates"
)

NEAREST = "nolimit_leduc(stack=5)"
"""The game nearest to the paper's, which is of no limit and of 1.1e4 infosets."""
GAMES = (
    NEAREST,
    "nolimit_leduc(stack=5,ante_in_stack=false)",
    "leduc",
    "leduc5(by_rank=true)",
)

PAIRS = {
    "CFR": ("cfr", "icfr"),
    "CFR+": ("cfr+", "icfr+"),
    "DCFR": ("dcfr", "idcfr"),
    "DCFR+": ("dcfr+(gamma=2)", "idcfr+"),
}
"""Each method without and with instant updates, all else equal."""
HYBRID = "hybrid-cfr+"
FIRST_DRAWN = 10

Curves = Mapping[str, Curve]


@experiment(
    "instant-fig1a",
    paper=INSTANT,
    artifact="Figure 1a",
    claim="on Leduc all methods converge faster with instant updates; CFR+ beats DCFR; ICFR+ and "
    "IDCFR+ beat CFR, CFR+, DCFR and hybrid CFR+",
)
def instant_fig1a(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of nine methods on four Leduc games, ten times."""
    end, repetitions = (200, 3) if quick else (1000, 10)
    games = GAMES[:3] if quick else GAMES
    algorithms = [HYBRID, *(name for pair in PAIRS.values() for name in pair)]
    curves = {}
    for i, game in enumerate(games):
        share = i / len(games), (i + 1) / len(games)
        measurer = Measurer(game, repetitions, progress, share, len(algorithms))
        curves[game] = {name: measurer.curve(name, spaced(end)) for name in algorithms}
    progress(1.0, "drawing")
    write_curves(out / "instant-fig1a-curves.json", curves)
    begin = end // 10
    claims = _claims(curves[NEAREST], begin)
    words = {
        game: [
            of_game[instant].against(of_game[original], begin).word
            for original, instant in PAIRS.values()
        ]
        for game, of_game in curves.items()
    }
    found = words.pop(NEAREST)
    others = [word for of_game in words.values() for word in of_game]
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=[row for game, of_game in curves.items() for row in _rows(game, of_game, begin)],
        numbers={
            "pairs_better_on_nearest": float(found.count("better")),
            "pairs_better_elsewhere": float(others.count("better")),
            "pairs_worse_elsewhere": float(others.count("worse")),
        },
        figures=_draw(curves, out),
        note=note(
            claims,
            f"Claims are checked on {NEAREST}. On the other games, instant updates are better in "
            f"{others.count('better')} of {len(others)} pairs, worse in {others.count('worse')}, "
            f"and in {others.count('unclear')} it depends on rounding.",
            f"'Times lower' compares exploitability over iterations {begin} to {end}; the range "
            f"is over {repetitions} runs that differ in rounding only.",
        ),
    )


def _claims(curves: Curves, begin: int) -> list[Claim]:
    found = {
        method: curves[instant].against(curves[original], begin)
        for method, (original, instant) in PAIRS.items()
    }
    plus_or_discounted = curves["cfr+"].against(curves["dcfr"], begin).word
    best = {
        name: [
            other
            for other in ("cfr", "cfr+", "dcfr", HYBRID)
            if curves[name].against(curves[other], begin).word != "better"
        ]
        for name in ("icfr+", "idcfr+")
    }
    return [
        Claim(
            "all methods converge faster with instant updates",
            all(comparison.word == "better" for comparison in found.values()),
            ", ".join(f"{method} {c.times:.2g} times lower" for method, c in found.items()),
        ),
        Claim(
            "CFR+ converges faster than DCFR",
            plus_or_discounted == "better",
            f"it is {plus_or_discounted}, {curves['cfr+'].last:.1e} against "
            f"{curves['dcfr'].last:.1e} chips at the end",
        ),
        Claim(
            "ICFR+ and IDCFR+ beat CFR, CFR+, DCFR and hybrid CFR+",
            not any(best.values()),
            "; ".join(
                f"{name} beats all but {', '.join(unbeaten)}" if unbeaten else f"{name} beats all"
                for name, unbeaten in best.items()
            ),
        ),
    ]


def _rows(game: str, curves: Curves, begin: int) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for method, (original, instant) in PAIRS.items():
        comparison = curves[instant].against(curves[original], begin)
        rows.append(
            {
                "game": game,
                "method": method,
                "original": rounded(curves[original].last),
                "instant": rounded(curves[instant].last),
                "times lower": rounded(comparison.times),
                "least": rounded(comparison.least),
                "most": rounded(comparison.most),
                "instant is": comparison.word,
            }
        )
    return [
        *rows,
        {"game": game, "method": "hybrid CFR+", "original": rounded(curves[HYBRID].last)},
    ]


def _draw(curves: Mapping[str, Curves], out: Path) -> Sequence[Path]:
    colours = dict(zip(PAIRS, (BLACK, BLUE, RED, GREEN), strict=True))
    with panels(2, 2, width=9.6, height=8.2) as (figure, grid):
        for axes, (game, of_game) in zip(grid.flat, curves.items(), strict=False):
            lines: list[tuple[str, str, str, Any]] = []
            for method, (original, instant) in PAIRS.items():
                lines.append((original, method, colours[method], (0, (4, 2))))
                lines.append((instant, f"I{method}", colours[method], "-"))
            lines.append((HYBRID, "hybrid CFR+", PURPLE, (0, (1, 1.2))))
            for name, label, colour, dashes in lines:
                curve = of_game[name].since(FIRST_DRAWN)
                axes.plot(
                    curve.iterations, curve.typical, color=colour, linestyle=dashes, label=label
                )
                axes.fill_between(
                    curve.iterations,
                    curve.runs.min(axis=0),
                    curve.runs.max(axis=0),
                    color=colour,
                    alpha=0.12,
                    linewidth=0,
                )
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(curve.iterations[0], curve.iterations[-1])
            axes.set_title(game)
        for axes in grid.flat[len(curves) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel("iterations")
        for axes in grid[:, 0]:
            axes.set_ylabel("exploitability (chips, NashConv / 2)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5)
        figure.suptitle(
            "Dashed: the original method. Solid: with instant updates. Bands: rounding alone.",
            fontsize=11,
        )
        return save(figure, out, "instant-fig1a")
