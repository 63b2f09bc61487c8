"""Figure 1 of the Total RBP paper: what it holds, and what forgetting averages costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from infoset.experiments.curves import CHIPS, rounded
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.experiments.total_rbp import (
    BY_ITERATIONS,
    BY_NODES,
    CFR,
    CHECKS,
    LARGE,
    NEAR,
    PANELS,
    PLUS,
    SMALL,
    TOTAL_RBP,
    Figure,
    Panel,
    Row,
    Run,
    Scale,
    draw,
    exploitability_of,
    measure,
    saving,
    write_points,
)
from infoset.explore import BLUE, DASHES, GREEN, RED

NAME = "total-rbp-fig1"
THRESHOLDS = (0.0, 0.01, 0.1)
LOW, HIGH = "C = 0.01", "C = 0.1"
LABELS = dict(zip(THRESHOLDS, ("C = 0", LOW, HIGH), strict=True))
COLOURS = dict(zip(LABELS.values(), (BLUE, GREEN, RED), strict=True))

HALF = 0.56
"""At most so much is about half."""
FACTORS: Mapping[str, float] = {PLUS: 10.0, CFR: 7.0}
"""How many times less the paper holds on Leduc-5 with C = 0.1."""
GROWS = 1.05
"""A factor that is so many times larger than at half the iterations still grows."""


@experiment(
    NAME,
    paper=TOTAL_RBP,
    artifact="Figure 1",
    claim="Total RBP needs about half the space on Leduc; on Leduc-5, with C = 0.1, a tenth with "
    "CFR+ and a seventh with CFR",
)
def total_rbp_fig1(out: Path, *, quick: bool, progress: Step) -> Report:
    """Three thresholds, with CFR and CFR+ on two games."""
    scale = Scale.of(1000, 60, 60, 2, 30) if quick else Scale.of(10_000, 10_000, 10_000, 3, 80)
    return run_fig1(out, scale, progress, smaller=quick)


def run_fig1(out: Path, scale: Scale, progress: Step, *, smaller: bool) -> Report:
    """The figure at some scale."""
    figure = measure(scale, texts_of, progress)
    progress(1.0, "drawing")
    write_points(out / f"{NAME}-curves.json", figure)
    return report(
        space_claims(figure),
        f"Space is what is held at the end of a run ({_ends(scale)} iterations): actions with a "
        "regret, as a share of all actions. 'Both' counts regrets and averages as a share of both.",
        "'Live' is the share of actions that iterations go through. An infoset whose player is "
        "awake keeps its regrets, and is not live, where nothing ends below it between actions "
        "that are awake on both sides.",
        "C = 0 forgets no average that is not zero, so 'both' cannot fall below a half.",
        f"Total RBP with {CHECKS}; nodes touched include checks. {scale.repetitions} runs on "
        "Leduc, which differ in rounding only; one on Leduc-5.",
        rows=_rows(figure),
        numbers={
            f"{what}_share_{panel.game}_{panel.algorithm}_{threshold}": rounded(share)
            for panel, runs in figure.items()
            for threshold, label in LABELS.items()
            for what, share in (
                ("regrets", runs[label].end_regrets),
                ("both", runs[label].end_both),
                ("live", runs[label].end_live),
            )
        },
        figures=_draw(figure, out),
        smaller=smaller,
    )


def texts_of(algorithm: str) -> dict[str, str]:
    """The lines of an algorithm.

    >>> texts_of("cfr")["C = 0.1"]
    'cfr(pruning=total(every=10,caution=1,drift=0,slack=1,thrifty=false,threshold=0.1))'
    """
    return {
        label: f"{algorithm}(pruning=total({CHECKS},threshold={threshold:g}))"
        for threshold, label in LABELS.items()
    }


def _ends(scale: Scale) -> str:
    return ", ".join(f"{panel.title}: {end:,}" for panel, end in scale.iterations.items())


def space_claims(figure: Figure) -> list[Claim]:
    """The paper's sentences about this figure."""
    return [
        _half_claim(figure),
        *(_factor_claim(figure, algorithm) for algorithm in FACTORS),
        _growth_claim(figure[Panel(LARGE, CFR)][HIGH]),
        _threshold_claim(figure),
    ]


def _half_claim(figure: Figure) -> Claim:
    """That every line falls to about half the space."""
    ends = {
        (panel.title, label): run
        for panel, runs in figure.items()
        if panel.game == SMALL
        for label, run in runs.items()
    }
    return Claim(
        f"on Leduc the space falls to about half (regrets: at most {HALF})",
        all(run.end_regrets <= HALF for run in ends.values()),
        ", ".join(
            f"{run.end_regrets:.3f} with {title.split(', ')[1]} and {label}"
            f" (both {run.end_both:.3f})"
            for (title, label), run in ends.items()
        ),
    )


def _factor_claim(figure: Figure, algorithm: str) -> Claim:
    """How many times fewer regrets are held on the large game."""
    panel, wanted = Panel(LARGE, algorithm), FACTORS[algorithm]
    run, whole = figure[panel][HIGH], figure[panel]["C = 0"]
    cost = run.curve.last / whole.curve.last
    return Claim(
        f"on {panel.title}, {HIGH} reduces the space {wanted:g} times (regrets: at least "
        f"{wanted / NEAR:g} times)",
        1 / run.end_regrets >= wanted / NEAR,
        f"{1 / run.end_regrets:.3g} times fewer regrets (with C = 0 {1 / whole.end_regrets:.3g} "
        f"times), {1 / run.end_both:.3g} times less if averages are counted too; iterations go "
        f"through {1 / run.end_live:.3g} times fewer actions; exploitability ends {cost:.3g} "
        f"times as high as with C = 0 ({run.curve.last:.2e} and {whole.curve.last:.2e} chips)",
    )


def _growth_claim(run: Run) -> Claim:
    """That the end of the run is not the end of the reduction."""
    iterations = run.curve.iterations
    shares = run.regrets.mean(axis=0)
    middle = float(np.interp(iterations[-1] / 2, iterations, shares))
    return Claim(
        "on Leduc-5, CFR the reduction still grows at the end",
        middle / shares[-1] >= GROWS,
        f"{1 / middle:.3g} times at half the iterations, {1 / shares[-1]:.3g} times at the end",
    )


def _threshold_claim(figure: Figure) -> Claim:
    """That a threshold trades exploitability for space."""
    nodes = {p.title: saving(runs[LOW], runs[HIGH]) for p, runs in figure.items()}
    space = {p.title: runs[HIGH].end_both / runs[LOW].end_both for p, runs in figure.items()}
    return Claim(
        f"{LOW} converges somewhat faster than {HIGH}, which needs less space",
        all(found.times >= 1 for found in nodes.values()) and all(s <= 1 for s in space.values()),
        f"nodes with {HIGH} over those with {LOW} to be as low: "
        + ", ".join(f"{title} {found}" for title, found in nodes.items())
        + f"; space with {HIGH}, both, over that with {LOW}: "
        + ", ".join(f"{title} {share:.3f}" for title, share in space.items()),
    )


def _rows(figure: Figure) -> list[dict[str, Cell]]:
    """A row for each line."""
    return [
        {
            "game": panel.game,
            "algorithm": panel.algorithm,
            "line": label,
            "iterations": int(run.curve.iterations[-1]),
            "nodes": rounded(run.curve.last_nodes),
            "exploitability": rounded(run.curve.last),
            **run.curve.last_band,
            "regrets held": rounded(run.end_regrets),
            "live": rounded(run.end_live),
            "averages held": rounded(float(run.averages[:, -1].mean())),
            "both": rounded(run.end_both),
            "times fewer regrets": rounded(1 / run.end_regrets),
            "times less, both": rounded(1 / run.end_both),
            "bytes": round(float(run.num_bytes[:, -1].mean())),
            "nodes over C = 0": rounded(1 / saving(run, runs["C = 0"]).times),
        }
        for panel, runs in figure.items()
        for label, run in runs.items()
    ]


def _draw(figure: Figure, out: Path) -> Sequence[Path]:
    rows = [
        Row(*BY_NODES, exploitability_of, CHIPS),
        Row(*BY_ITERATIONS, exploitability_of, CHIPS),
        Row(*BY_NODES, lambda run: run.regrets, "regrets held (share)", is_share=True),
        Row(*BY_NODES, lambda run: run.both, "regrets and averages held", is_share=True),
    ]
    styles = {
        label: (COLOURS[label], dashes)
        for label, dashes in zip(LABELS.values(), DASHES, strict=False)
    }
    title = "Total RBP by the threshold C. CFR+: the lowest exploitability so far."
    return draw(out, NAME, {panel: figure[panel] for panel in PANELS}, rows, styles, title)
