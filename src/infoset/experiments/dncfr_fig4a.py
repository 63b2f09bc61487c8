"""Figure 4a of double neural CFR: outcome, external and robust sampling on Leduc(5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from infoset.experiments.claims import Claim, note, verdict
from infoset.experiments.convergence import INTERVAL, rounded, spaced, write_curves
from infoset.experiments.registry import Cell, Report, Step, experiment
from infoset.experiments.sampling_runs import (
    BESIDE,
    DOUBLE_NEURAL,
    LEDUC,
    SampledCurve,
    SeedMeasurer,
    cells,
    draw_sampled,
    said,
    sampled,
)
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, panels, save

__all__ = ["PRINTED", "VARIANTS", "claims_of"]

BLOCKS = 100
"""The paper's default; under this figure it gives no number."""
LOW = 0.1
"""Chips: what the paper calls a low exploitability."""
ALIKE = 1.5
"""Curves less than this many times apart are alike."""

PRINTED: Mapping[str, Cell] = {"averaging": "biased", "alternating": False}
"""Algorithm 4: the average is kept at the traverser's nodes, and both players walk against the
same strategies."""
VARIANTS: Mapping[str, Mapping[str, Cell]] = {
    "in turns": {**PRINTED, "alternating": True},
    "average at the opponent's nodes": {**PRINTED, "averaging": "opponent"},
    "average by stochastic weights": {**PRINTED, "averaging": "stochastic"},
    "regret matching+, linear average": {**PRINTED, "regrets": "floored", "gamma": 1},
    "regret matching+, linear average, opponent's nodes": {
        **PRINTED,
        "regrets": "floored",
        "gamma": 1,
        "averaging": "opponent",
    },
}
"""What else Figure 4a may have been drawn with."""
OUTCOMES: Mapping[str, Mapping[str, Cell]] = {
    "outcome sampling, epsilon = 0.1": {"epsilon": 0.1},
    "outcome sampling, epsilon = 0.01": {"epsilon": 0.01},
    "outcome sampling, epsilon = 0.001": {"epsilon": 0.001},
    "outcome sampling, one block": {"b": 1},
}
"""Neither epsilon nor, strictly, the number of blocks is given."""

OUTCOME, EXTERNAL, MAX = "outcome", "external", "k = max"
APART = "k = 3 over max"
COLOURS = (BLACK, BLUE, RED, GREEN, PURPLE, ORANGE)

Curves = Mapping[str, SampledCurve]


def _algorithms(most_actions: int, given: Mapping[str, Cell]) -> dict[str, str]:
    """By name: the six methods of the figure, with these parameters besides."""
    given = {"b": BLOCKS, **given}
    ks = {"k = 1": 1, "k = 3": 3, "k = 5": 5, MAX: most_actions}
    return {
        OUTCOME: sampled("os-mccfr", **given),
        **{name: sampled("rs-mccfr", k=k, **given) for name, k in ks.items()},
        EXTERNAL: sampled("es-mccfr", **given),
    }


@experiment(
    "dncfr-fig4a",
    paper=DOUBLE_NEURAL,
    artifact="Figure 4a",
    claim="on Leduc(5) outcome sampling stays above 0.1 in 1,000 iterations; robust sampling of "
    "one action beats it; more actions are better; 3 and 5 are like all of them",
)
def dncfr_fig4a(out: Path, *, quick: bool, progress: Step) -> Report:
    """A thousand iterations of six ways to sample on two games, with twenty seeds."""
    end, seeds = (100, 3) if quick else (1000, 20)
    begin = end // 10
    curves = {}
    for i, game in enumerate((LEDUC, BESIDE)):
        measurer = SeedMeasurer(game, seeds, progress, (0.3 * i, 0.3 * (i + 1)), 6)
        named = _algorithms(measurer.most_actions, PRINTED)
        curves[game] = {name: measurer.curve(text, spaced(end)) for name, text in named.items()}
    checks = _checks(SeedMeasurer(LEDUC, seeds, progress, (0.6, 1.0), _NUM_CHECKS), end)
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig4a-curves.json", curves, INTERVAL)
    claims = claims_of(curves[LEDUC], begin)
    nodes = curves[LEDUC]["k = 1"].last_nodes
    return Report(
        verdict=verdict(claims, smaller=quick),
        rows=[
            *(row for game, of_game in curves.items() for row in _rows(game, of_game, begin)),
            *_check_rows(checks, curves[LEDUC], end),
        ],
        numbers={
            "outcome_epsilon": 0.6,
            "nodes_of_k1": rounded(nodes),
            **{
                f"at_nodes_of_k1_{name.replace(' = ', '')}": rounded(curve.at_nodes(nodes).last)
                for name, curve in curves[LEDUC].items()
            },
        },
        figures=_draw(curves, seeds, out),
        note=note(
            claims,
            f"Claims are checked on {LEDUC}, with Algorithm 4: plain regret matching, the average "
            "at the traverser's nodes by his reach alone, both players against the same "
            "strategies. Actions that are not sampled get the regret of appendix D.2. "
            f"{BLOCKS} blocks for each player and iteration are the paper's default. The paper "
            "does not say what the figure was drawn with.",
            f"{LEDUC} has at most five actions, so k = 5, k = max and external sampling are one "
            f"method there; {BESIDE} has six.",
            f"Values are geometric means over {seeds} seeds after {end} iterations, and their 95 % "
            f"intervals; comparisons are over iterations {begin} to {end}. 'Alike' is less than "
            f"{ALIKE} times apart.",
            "On the second game: "
            + "; ".join(
                f"{claim.text}: {'yes' if claim.holds else 'no'}"
                for claim in claims_of(curves[BESIDE], begin)
            )
            + ".",
        ),
    )


def claims_of(curves: Curves, begin: int) -> list[Claim]:
    """The paper's four sentences, measured from an iteration on."""
    outcome, one, three, five = (curves[name] for name in (OUTCOME, "k = 1", "k = 3", "k = 5"))
    lowest = float(outcome.runs[:, -1].min())
    against_outcome = one.against(outcome, begin)
    steps = {
        "from 1 to 3 actions": three.against(one, begin),
        "from 3 to 5": five.against(three, begin),
    }
    apart = {name: curves[MAX].against(curve, begin) for name, curve in (("3", three), ("5", five))}
    return [
        Claim(
            f"outcome sampling stays above {LOW} after the last iteration",
            lowest > LOW,
            f"{outcome.last:.3f} in the mean, {lowest:.3f} at least",
        ),
        Claim(
            "robust sampling of one action beats outcome sampling",
            against_outcome.word == "better",
            f"{said(against_outcome)}; {one.last:.3f} against {outcome.last:.3f} at the end",
        ),
        Claim(
            "the more actions, the better",
            all(found.word == "better" for found in steps.values()),
            ", ".join(f"{step} {said(found)}" for step, found in steps.items()),
        ),
        Claim(
            "3 and 5 actions are like all of them",
            all(1 / ALIKE < found.times < ALIKE for found in apart.values()),
            ", ".join(f"from {k} actions to all {said(found)}" for k, found in apart.items()),
        ),
    ]


_CHECKED = (OUTCOME, "k = 1", "k = 3", MAX)
_NUM_CHECKS = len(VARIANTS) * len(_CHECKED) + len(OUTCOMES)


def _checks(measurer: SeedMeasurer, end: int) -> dict[str, Curves]:
    """By variant: what the methods do with it."""
    points = _fewer(end)
    checks: dict[str, Curves] = {}
    for variant, given in VARIANTS.items():
        named = _algorithms(measurer.most_actions, given)
        checks[variant] = {name: measurer.curve(named[name], points) for name in _CHECKED}
    for variant, given in OUTCOMES.items():
        text = sampled("os-mccfr", **{"b": BLOCKS, **PRINTED, **given})
        checks[variant] = {OUTCOME: measurer.curve(text, points)}
    return checks


def _fewer(end: int) -> list[int]:
    """Every third of the figure's points, the last one included."""
    return spaced(end)[::-3][::-1]


def _rows(game: str, curves: Curves, begin: int) -> list[dict[str, Cell]]:
    found, low, high = cells(curves)
    return [
        {"game or variant": game, **found, **_compared(curves, begin)},
        {"game or variant": "  low", **low},
        {"game or variant": "  high", **high},
        {
            "game or variant": "  nodes an iteration",
            **{n: rounded(c.last_nodes / int(c.iterations[-1])) for n, c in curves.items()},
        },
    ]


def _compared(curves: Curves, begin: int) -> dict[str, Cell]:
    """What decides two of the claims."""
    apart = curves[MAX].against(curves["k = 3"], begin).times
    return {
        "k = 1 against outcome": curves["k = 1"].against(curves[OUTCOME], begin).word,
        APART: rounded(apart),
    }


def _check_rows(checks: Mapping[str, Curves], printed: Curves, end: int) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for variant, curves in checks.items():
        fewer = {name: curve.at(_fewer(end)) for name, curve in printed.items()}
        row = _compared({**fewer, **curves}, end // 10)
        if MAX not in curves:
            del row[APART]
        rows.append({"game or variant": variant, **cells(curves)[0], **row})
    return rows


def _draw(curves: Mapping[str, Curves], seeds: int, out: Path) -> Sequence[Path]:
    with panels(2, 2, width=9.6, height=8.4) as (figure, grid):
        for row, (game, of_game) in zip(grid, curves.items(), strict=True):
            for axes, by_nodes in zip(row, (False, True), strict=True):
                axes.axhline(LOW, color=BLACK, linewidth=0.8, linestyle=(0, (1, 3)))
                draw_sampled(axes, _lines(of_game), by_nodes=by_nodes)
            row[0].set_title(game)
            row[0].set_ylabel("exploitability (chips, NashConv / 2)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, handlelength=3.4)
        figure.suptitle(
            f"{BLOCKS} blocks an iteration. Means over {seeds} seeds and their 95 % intervals.",
            fontsize=11,
        )
        return save(figure, out, "dncfr-fig4a")


def _lines(curves: Curves) -> dict[str, tuple[SampledCurve, str, object]]:
    """Dashes for what lies on another line, which shows between them."""
    dashes = {MAX: (0, (3, 6)), EXTERNAL: (4.5, (3, 6))}
    labels = {OUTCOME: "outcome sampling", EXTERNAL: "external sampling"}
    return {
        labels.get(name, f"robust sampling, {name}"): (curve, colour, dashes.get(name, "-"))
        for (name, curve), colour in zip(curves.items(), COLOURS, strict=True)
    }
