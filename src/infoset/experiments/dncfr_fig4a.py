"""Figure 4a of double neural CFR: outcome, external and robust sampling on Leduc(5).

The result of a run depends on its samples, so values are means over seeds, and bands are the 95 %
confidence interval of that mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from infoset.calls import Call, format_call
from infoset.experiments.curves import (
    Curve,
    Curves,
    Line,
    draw_curves,
    drawing,
    end_rows,
    rounded,
    spaced,
    write_curves,
)
from infoset.experiments.measurer import Measurer, each, parts, with_seeds
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED

DOUBLE_NEURAL = "Li, Hu, Zhang, Qi & Song 2020, Double Neural Counterfactual Regret Minimization"

LEDUC = "nolimit_leduc(stack=5)"
"""The game nearest to the paper's Leduc(5)."""
BESIDE = "nolimit_leduc(stack=5,ante_in_stack=false)"
"""The same with the ante paid beside the stack."""
MOST_ACTIONS = {LEDUC: 5, BESIDE: 6}
"""At an infoset: the paper's k = max."""

BLOCKS = 100
"""The paper's default; under this figure it gives no number."""
LOW = 0.1
"""Chips: what the paper calls a low exploitability."""
ALIKE = 1.5
"""Curves less than this many times apart are alike."""
TICKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2)
"""Chips. Curves here span hardly more than a power of ten, with no other of them to label."""

Parameters = Mapping[str, str | int | float | bool]

PRINTED: Parameters = {"averaging": "biased", "alternating": False}
"""Algorithm 4: the average is kept at the traverser's nodes, and both players walk against the
same strategies."""
PLUS: Parameters = {**PRINTED, "regrets": "floored", "gamma": 1}
VARIANTS: Mapping[str, Parameters] = {
    "in turns": {**PRINTED, "alternating": True},
    "average at the opponent's nodes": {**PRINTED, "averaging": "opponent"},
    "average by stochastic weights": {**PRINTED, "averaging": "stochastic"},
    "regret matching+, linear average": PLUS,
    "regret matching+, linear average, opponent's nodes": {**PLUS, "averaging": "opponent"},
}
"""What else Figure 4a may have been drawn with."""
OUTCOMES: Mapping[str, Parameters] = {
    "outcome sampling, epsilon = 0.1": {"epsilon": 0.1},
    "outcome sampling, epsilon = 0.01": {"epsilon": 0.01},
    "outcome sampling, epsilon = 0.001": {"epsilon": 0.001},
    "outcome sampling, one block": {"b": 1},
}
"""Neither epsilon nor, strictly, the number of blocks is given."""

OUTCOME, EXTERNAL, MAX = "outcome", "external", "k = max"
CHECKED = (OUTCOME, "k = 1", "k = 3", MAX)
"""Methods that run with all `VARIANTS`."""
HEAD, APART = "game or variant", "k = 3 over max"
COLOURS = (BLACK, BLUE, RED, GREEN, PURPLE, ORANGE)


def sampled(preset: str, **parameters: str | int | float | bool) -> str:
    """The text that asks for a preset with these parameters.

    >>> sampled("rs-mccfr", k=3, alternating=False)
    'rs-mccfr(k=3,alternating=false)'
    """
    return format_call(Call(preset, {**parameters}))


def _algorithms(game: str, given: Parameters) -> dict[str, str]:
    """By name: the six methods of the figure, with these parameters besides."""
    given = {"b": BLOCKS, **given}
    ks = {"k = 1": 1, "k = 3": 3, "k = 5": 5, MAX: MOST_ACTIONS[game]}
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
    *steps, checking = parts(progress, (3, 3, 4))
    measurers = {game: with_seeds(game, seeds) for game in (LEDUC, BESIDE)}
    curves = {
        game: measurers[game].curves(_algorithms(game, PRINTED), spaced(end), step)
        for game, step in zip(measurers, steps, strict=True)
    }
    # Every third of the figure's points, the last one included.
    points = spaced(end)[::-3][::-1]
    checks = _check_variants(measurers[LEDUC], points, checking)
    progress(1.0, "drawing")
    write_curves(out / "dncfr-fig4a-curves.json", curves, by_nodes=True)
    nodes = curves[LEDUC]["k = 1"].last_nodes
    beside = [f"{c.text}: {'yes' if c.holds else 'no'}" for c in claims_of(curves[BESIDE], begin)]
    printed = {name: curve.at(points) for name, curve in curves[LEDUC].items()}
    return report(
        claims_of(curves[LEDUC], begin),
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
        f"On the second game: {'; '.join(beside)}.",
        rows=[
            *(row for game, of_game in curves.items() for row in _rows(game, of_game, begin)),
            *(_check_row(variant, of_it, printed, begin) for variant, of_it in checks.items()),
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
        smaller=quick,
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
            f"{against_outcome}; {one.last:.3f} against {outcome.last:.3f} at the end",
        ),
        Claim(
            "the more actions, the better",
            all(comparison.word == "better" for comparison in steps.values()),
            ", ".join(f"{step} {comparison}" for step, comparison in steps.items()),
        ),
        Claim(
            "3 and 5 actions are like all of them",
            all(1 / ALIKE < comparison.times < ALIKE for comparison in apart.values()),
            ", ".join(f"from {k} actions to all {compared}" for k, compared in apart.items()),
        ),
    ]


def _check_variants(
    measurer: Measurer, points: Sequence[int], progress: Step
) -> dict[str, dict[str, Curve]]:
    """By variant: what the methods do with it."""
    outcomes = {variant: {**PRINTED, **given} for variant, given in OUTCOMES.items()}
    variants = {**VARIANTS, **outcomes}
    checks = {}
    for variant, step in each([*variants], progress):
        named = _algorithms(LEDUC, variants[variant])
        names = CHECKED if variant in VARIANTS else (OUTCOME,)
        checks[variant] = measurer.curves({name: named[name] for name in names}, points, step)
    return checks


def _rows(game: str, curves: Curves, begin: int) -> list[dict[str, Cell]]:
    ends, low, high = end_rows(HEAD, game, curves)
    nodes = {n: rounded(c.last_nodes / int(c.iterations[-1])) for n, c in curves.items()}
    return [
        {**ends, **_compared(curves, begin)},
        low,
        high,
        {HEAD: "  nodes an iteration", **nodes},
    ]


def _compared(curves: Curves, begin: int) -> dict[str, Cell]:
    """What decides two of the claims."""
    apart = curves[MAX].against(curves["k = 3"], begin).times
    return {
        "k = 1 against outcome": curves["k = 1"].against(curves[OUTCOME], begin).word,
        APART: rounded(apart),
    }


def _check_row(variant: str, curves: Curves, printed: Curves, begin: int) -> dict[str, Cell]:
    """A variant, beside what it does not change."""
    row = {**end_rows(HEAD, variant, curves)[0], **_compared({**printed, **curves}, begin)}
    if MAX not in curves:
        del row[APART]
    return row


def _draw(curves: Mapping[str, Curves], seeds: int, out: Path) -> Sequence[Path]:
    # Dashes for what lies on another line, which shows between them.
    dashes = {MAX: (0, (3, 6)), EXTERNAL: (4.5, (3, 6))}
    labels = {OUTCOME: "outcome sampling", EXTERNAL: "external sampling"}
    legend = {"ncols": 3, "handlelength": 3.4}
    title = f"{BLOCKS} blocks an iteration. Means over {seeds} seeds and their 95 % intervals."
    with drawing(out, "dncfr-fig4a", 2, 2, size=(9.6, 8.4), title=title, legend=legend) as figure:
        shown = product(curves, (False, True))
        for axes, (game, by_nodes) in zip(figure.panels, shown, strict=True):
            lines = {
                labels.get(name, f"robust sampling, {name}"): Line(
                    curve, colour, dashes.get(name, "-")
                )
                for (name, curve), colour in zip(curves[game].items(), COLOURS, strict=True)
            }
            axes.axhline(LOW, color=BLACK, linewidth=0.8, linestyle=(0, (1, 3)))
            draw_sampled(axes, lines, by_nodes=by_nodes)
            axes.set_title("" if by_nodes else game)
    return figure.files


def draw_sampled(axes: Any, lines: Mapping[str, Line], *, by_nodes: bool) -> None:
    """A panel: curves by label with their 95 % bands, and ticks that suit them."""
    draw_curves(axes, lines, shade=0.18, by_nodes=by_nodes)
    axes.set_xlabel("nodes touched" if by_nodes else "iterations")
    ends = axes.get_ylim()
    axes.set_yticks(TICKS)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.set_ylim(ends)


def off_by(ratios: Iterable[float]) -> float:
    """How many times higher or lower than printed some numbers are, typically.

    >>> round(off_by([2.0, 0.5, 2.0]), 12)
    2.0
    """
    return float(np.exp(np.sqrt(np.mean(np.square(np.log([*ratios]))))))
