"""Figure 4b of double neural CFR: architectures of the networks, all of embedding 16."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from infoset.experiments.curves import rounded
from infoset.experiments.dncfr_fig4a import ALIKE, DOUBLE_NEURAL, LEDUC, Parameters
from infoset.experiments.neural_figures import (
    OURS,
    Reading,
    Runs,
    curves_of,
    draw_readings,
    farthest,
    late,
    listed,
    measure_lines,
    neural_report,
    scale_of,
)
from infoset.experiments.registry import Claim, Report, Step, experiment

ATTENTION = "LSTM with attention"
NETWORKS: Mapping[str, Parameters] = {
    ATTENTION: {"network": "lstm", "attention": True},
    "LSTM": {"network": "lstm", "attention": False},
    "GRU": {"network": "gru", "attention": False},
    "plain recurrent": {"network": "rnn", "attention": False},
    "fully connected": {"network": "mlp", "attention": False},
}
"""Two hidden layers in the last, since the paper does not say how many."""


@experiment(
    "dncfr-fig4b",
    paper=DOUBLE_NEURAL,
    artifact="Figure 4b",
    claim="on Leduc(5) all architectures achieve similar results; LSTM with attention is slightly "
    "better after many iterations",
)
def dncfr_fig4b(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Five architectures, each with both ways to train, 3 seeds.

    By default 300 iterations of ours, and 150 of the paper's, cut short to 10 epochs. In full 1,000
    iterations, and up to 2,000 epochs as in the paper: days.
    """
    scale = scale_of(quick=quick, full=full, ours=300, paper=150)
    results = measure_lines(LEDUC, scale, _lines, progress)
    progress(1.0, "drawing")
    return neural_report(
        *("dncfr-fig4b", out, scale, results, architecture_claims),
        f"{LEDUC}, k = 3, 100 blocks, embedding 16. 'Similar' is less than {ALIKE} times apart, "
        "'late' the second half of the iterations.",
        head="network",
        numbers={
            f"apart_late_{'ours' if name == OURS else 'paper'}": rounded(_apart(runs)[0])
            for name, runs in results.items()
        },
        figures=draw_readings("dncfr-fig4b", out, scale, results, LEDUC),
    )


def _lines(reading: Reading) -> dict[str, str]:
    return {
        label: reading.asks(k=3, b=100, embedding=16, **network)
        for label, network in NETWORKS.items()
    }


def _apart(runs: Runs) -> tuple[float, str]:
    """How far apart architectures are late, and which are farthest."""
    curves = curves_of(runs)
    return farthest(curves, late(curves[ATTENTION]))


def architecture_claims(reading: Reading, runs: Runs) -> list[Claim]:
    """The paper's two sentences."""
    curves = curves_of(runs)
    attention = curves[ATTENTION]
    begin = late(attention)
    apart, which = _apart(runs)
    against = {
        label: attention.against(curve, begin)
        for label, curve in curves.items()
        if label != ATTENTION
    }
    return [
        Claim(
            "all architectures are similar",
            apart < ALIKE,
            f"{apart:.3g} times apart late, {which}",
        ),
        Claim(
            f"{ATTENTION} is better than each of the others late",
            all(comparison.word == "better" for comparison in against.values()),
            "beside " + listed(against),
        ),
    ]
