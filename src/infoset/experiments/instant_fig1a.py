"""Figure 1a of instant CFR: what instant updates do to each method on Leduc games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import (
    RANGE,
    Curve,
    UnitMeasurer,
    rounded,
    spaced,
    write_curves,
)
from infoset.experiments.instant_methods import (
    INSTANT,
    PAIRS,
    algorithms_with,
    beats_claim,
    compare_pairs,
    draw_methods,
    instant_claim,
)
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.explore import panels, save

__all__ = ["GAMES", "NEAREST"]

NEAREST = "nolimit_leduc(stack=5)"
"""The game nearest to the paper's, which is of no limit and of 1.1e4 infosets."""
GAMES = (
    NEAREST,
    "nolimit_leduc(stack=5,ante_in_stack=false)",
    "leduc",
    "leduc5(by_rank=true)",
)

HYBRIDS = {"hybrid CFR+": "hybrid-cfr+"}

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
    algorithms = algorithms_with(HYBRIDS)
    curves = {}
    for i, game in enumerate(games):
        share = i / len(games), (i + 1) / len(games)
        measurer = UnitMeasurer(game, repetitions, progress, share, len(algorithms))
        curves[game] = {name: measurer.curve(name, spaced(end)) for name in algorithms}
    progress(1.0, "drawing")
    write_curves(out / "instant-fig1a-curves.json", curves)
    begin = end // 10
    claims = _claims(curves[NEAREST], begin)
    words = {
        game: [comparison.word for comparison in compare_pairs(of_game, begin).values()]
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
    plus_or_discounted = curves["cfr+"].against(curves["dcfr"], begin).word
    return [
        instant_claim(curves, begin),
        Claim(
            "CFR+ converges faster than DCFR",
            plus_or_discounted == "better",
            f"it is {plus_or_discounted}, {curves['cfr+'].last:.1e} against "
            f"{curves['dcfr'].last:.1e} chips at the end",
        ),
        beats_claim(
            "ICFR+ and IDCFR+ beat CFR, CFR+, DCFR and hybrid CFR+",
            curves,
            ("icfr+", "idcfr+"),
            ("cfr", "cfr+", "dcfr", *HYBRIDS.values()),
            begin,
        ),
    ]


def _rows(game: str, curves: Curves, begin: int) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for method, comparison in compare_pairs(curves, begin).items():
        original, instant = PAIRS[method]
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
    for label, name in HYBRIDS.items():
        rows.append({"game": game, "method": label, "original": rounded(curves[name].last)})
    return rows


def _draw(curves: Mapping[str, Curves], out: Path) -> Sequence[Path]:
    with panels(2, 2, width=9.6, height=8.2) as (figure, grid):
        for axes, (game, of_game) in zip(grid.flat, curves.items(), strict=False):
            draw_methods(axes, of_game, HYBRIDS, RANGE)
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
