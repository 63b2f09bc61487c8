"""Figure 5a of double neural CFR: only one of the two networks, a table in place of the other."""

from __future__ import annotations

from pathlib import Path

from infoset.experiments.dncfr_fig4a import ALIKE, DOUBLE_NEURAL, LEDUC
from infoset.experiments.neural_figures import (
    Reading,
    Runs,
    draw_readings,
    late,
    measure_lines,
    neural_report,
    scale_of,
)
from infoset.experiments.registry import Claim, Report, Step, experiment

BOTH, REGRETS, AVERAGE, TABLES = (
    "both networks",
    "regret network",
    "average network",
    "both tables",
)


@experiment(
    "dncfr-fig5a",
    paper=DOUBLE_NEURAL,
    artifact="Figure 5a",
    claim="with only the regrets or only the average in a network, and the other in a table, "
    "results are only slightly better than with two networks",
)
def dncfr_fig5a(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Networks and tables in all four ways, both ways to train, 3 seeds.

    By default 1,000 iterations of ours, and 150 of the paper's, cut short to 10 epochs. In full
    1,000 iterations, and up to 2,000 epochs as in the paper: days.
    """
    scale = scale_of(quick=quick, full=full, ours=1000, paper=150)
    results = measure_lines(LEDUC, scale, _lines, progress)
    progress(1.0, "drawing")
    return neural_report(
        *("dncfr-fig5a", out, scale, results, hybrid_claims),
        f"{LEDUC}, 100 blocks; k = 3 in the paper's training, as it says, and all actions in ours. "
        f"'Slightly' is less than {ALIKE} times, over the second half of the iterations. With both "
        "tables it is rs-mccfr+ whose infosets share samples where our training has them do so.",
        head="networks",
        figures=draw_readings("dncfr-fig5a", out, scale, results, LEDUC),
    )


def _lines(reading: Reading) -> dict[str, str]:
    return {
        BOTH: reading.asks(),
        REGRETS: reading.asks(average="table"),
        AVERAGE: reading.asks(regrets="table"),
        TABLES: reading.tabular(),
    }


def hybrid_claims(reading: Reading, runs: Runs) -> list[Claim]:
    """That one network alone is better than two, and not by much."""
    claims = []
    both = runs[BOTH].curve
    for label in (REGRETS, AVERAGE):
        curve = runs[label].curve
        comparison = curve.against(both, late(both))
        measured = f"{comparison}; {curve.last:.3g} and {both.last:.3g} at the end"
        claims += [
            Claim(f"the {label} alone is better", comparison.word == "better", measured),
            Claim(f"the {label} alone is not much better", comparison.times < ALIKE, measured),
        ]
    return claims
