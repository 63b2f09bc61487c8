"""Figure 5d of double neural CFR: no-limit Leduc with larger stacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from infoset.experiments.dncfr_fig4a import DOUBLE_NEURAL
from infoset.experiments.dncfr_parameters import EMBEDDINGS
from infoset.experiments.measurer import parts
from infoset.experiments.neural_figures import (
    OURS,
    PAPERS,
    Reading,
    Runs,
    draw_readings,
    falling,
    neural_report,
    scale_of,
)
from infoset.experiments.neural_runs import Measured, measure, points_to
from infoset.experiments.registry import Claim, Report, Step, experiment

BLOCKS = 500
END = 1000
"""Iterations in full; the paper does not say how many."""
LENGTHS: Mapping[str, Mapping[int, int]] = {OURS: {10: 200, 15: 30}, PAPERS: {10: 40, 15: 10}}
"""Iterations by default, by the stack."""
EVERY = {OURS: 10, PAPERS: 5}
"""Iterations between two points, at least; the paper trains the average in every one."""
QUICK, QUICK_BLOCKS = {10: 20}, 100


@experiment(
    "dncfr-fig5d",
    paper=DOUBLE_NEURAL,
    artifact="Figure 5d",
    claim="DNCFR converges on Leduc(10) and Leduc(15), of which an iteration observes 2.39 and "
    "0.53 % of the infosets",
)
def dncfr_fig5d(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Leduc(10) with embedding 32 and Leduc(15) with 64, 500 blocks, both ways to train, 3 seeds.

    By default 200 and 30 iterations of ours; 40 and 10 of the paper's, cut short to 10 epochs. In
    full 1,000 iterations, and up to 2,000 epochs as in the paper: weeks. Leduc(15) takes 3 GB.
    """
    scale = scale_of(quick=quick, full=full, ours=LENGTHS[OURS][10], paper=LENGTHS[PAPERS][10])
    results: dict[str, dict[str, Measured]] = {reading.name: {} for reading in scale.readings}
    stacks = [*QUICK] if quick else [*LENGTHS[OURS]]
    blocks = QUICK_BLOCKS if quick else BLOCKS
    steps = iter(parts(progress, [1.0] * len(stacks) * len(scale.readings)))
    # One game at a time: the largest takes a gigabyte and more.
    for stack in stacks:
        for reading in scale.readings:
            end = QUICK[stack] if quick else END if full else LENGTHS[reading.name][stack]
            algorithm = reading.asks(b=blocks, embedding=EMBEDDINGS[stack])
            game = f"nolimit_leduc(stack={stack})"
            points = points_to(end, every=EVERY[reading.name])
            measured = measure(game, algorithm, points, scale.seeds, next(steps))
            results[reading.name][_label(stack)] = measured
    progress(1.0, "drawing")
    return neural_report(
        *("dncfr-fig5d", out, scale, results, larger_claims),
        f"nolimit_leduc(stack=10) with embedding {EMBEDDINGS[10]}, nolimit_leduc(stack=15) with "
        f"{EMBEDDINGS[15]}; {blocks} blocks. k = 3 in the paper's training, as it says, and all "
        "actions in ours, whose networks are fully connected and do not tell suits apart: its "
        "share of observed infosets is of classes, and not the paper's.",
        head="game",
        figures=draw_readings("dncfr-fig5d", out, scale, results, "no-limit Leduc"),
    )


def _label(stack: int) -> str:
    return f"Leduc({stack})"


def larger_claims(reading: Reading, runs: Runs) -> list[Claim]:
    """That every run converges."""
    return [falling(label, measured.curve) for label, measured in runs.items()]
