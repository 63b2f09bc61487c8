"""Figure 4d of double neural CFR: small mini-batches, and the same samples in tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from infoset.experiments.dncfr_fig4a import DOUBLE_NEURAL, LEDUC
from infoset.experiments.dncfr_table1 import NEAR, STATES
from infoset.experiments.dncfr_table1 import PAPER as PERCENT
from infoset.experiments.neural_figures import (
    Reading,
    Runs,
    below,
    draw_readings,
    late,
    measure_lines,
    neural_report,
    scale_of,
)
from infoset.experiments.neural_runs import OBSERVED
from infoset.experiments.registry import Claim, Report, Step, experiment

BATCHES = (50, 100, 500)
INFOSETS = 3648
"""Of the game, where somebody decides; classes of infosets if they are told apart by suits."""


@experiment(
    "dncfr-fig4d",
    paper=DOUBLE_NEURAL,
    artifact="Figure 4d",
    claim="with 50, 100 and 500 blocks, which observe 3.08, 5.59 and 13.06 % of the infosets, "
    "DNCFR comes below 0.1 within 1,000 iterations, and is slightly better than tabular MCCFR",
)
def dncfr_fig4d(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Three sizes of mini-batches with networks and with tables, both ways to train, 3 seeds.

    By default 1,000 iterations of ours, and 60 of the paper's, cut short to 10 epochs. In full
    1,000 iterations, and up to 2,000 epochs as in the paper: days.
    """
    scale = scale_of(quick=quick, full=full, ours=1000, paper=60)
    results = measure_lines(LEDUC, scale, _lines, progress)
    progress(1.0, "drawing")
    return neural_report(
        *("dncfr-fig4d", out, scale, results, batch_claims),
        f"{LEDUC}; k = 3 in the paper's training, as it says, and all actions in ours.",
        "'Tables' make the same samples and share them among the same infosets: with our training "
        "among those that differ in suits only, which is a gain that is not the networks'.",
        "Observed is the share in an iteration, in the mean over all iterations: of infosets where "
        "somebody decides in the table, of all information states in the claims, which is nearest "
        "to what the paper counts (dncfr-table1).",
        head="mini-batch",
        figures=draw_readings("dncfr-fig4d", out, scale, results, LEDUC),
    )


def _label(b: int) -> str:
    return f"b = {b}"


def _table(b: int) -> str:
    return f"b = {b}, tables"


def _lines(reading: Reading) -> dict[str, str]:
    networks = {_label(b): reading.asks(b=b) for b in BATCHES}
    return networks | {_table(b): reading.tabular(b=b) for b in BATCHES}


def batch_claims(reading: Reading, runs: Runs) -> list[Claim]:
    """The paper's sentences, for each mini-batch."""
    claims = [below(_label(b), runs[_label(b)].curve) for b in BATCHES]
    for b in BATCHES:
        network, table = runs[_label(b)].curve, runs[_table(b)].curve
        comparison = network.against(table, late(network))
        measured = f"{comparison}; {network.last:.3g} and {table.last:.3g} at the end"
        text = f"b = {b} is better than tables late"
        claims.append(Claim(text, comparison.word == "better", measured))
    if reading.preset == "dncfr-paper":
        claims += observed_claims({b: runs[_label(b)].mean(OBSERVED) for b in BATCHES})
    return claims


def observed_claims(shares: Mapping[int, float]) -> list[Claim]:
    """That DNCFR observes as much as printed; ``shares`` are of the infosets that are decided."""
    claims = []
    for b, share in shares.items():
        printed, percent = PERCENT[5, b], 100 * share * INFOSETS / STATES[5]
        measured = f"{percent:.3g} % of all, {100 * share:.3g} % of decisions"
        text = f"b = {b} observes {printed} % of the infosets"
        claims.append(Claim(text, abs(percent / printed - 1) < NEAR, measured))
    return claims
