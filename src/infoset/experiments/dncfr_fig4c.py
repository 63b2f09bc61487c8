"""Figure 4c of double neural CFR: the number of parameters beside the table's entries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import infoset
from infoset.experiments.dncfr_fig4a import DOUBLE_NEURAL, LEDUC
from infoset.experiments.dncfr_parameters import parameters
from infoset.experiments.neural_figures import (
    Reading,
    Runs,
    draw_readings,
    falling,
    measure_lines,
    neural_report,
    scale_of,
)
from infoset.experiments.registry import Claim, Report, Step, experiment

EMBEDDINGS = (8, 16, 32)
"""The last is ours."""
PARAMETERS = {8: 1048, 16: 2608}
"""What the paper says, of each of the two networks."""
MUCH = 3.0
"""'Much fewer' parameters are so many times fewer than the entries of a table, at least."""


@experiment(
    "dncfr-fig4c",
    paper=DOUBLE_NEURAL,
    artifact="Figure 4c",
    claim="LSTM with attention of embedding 8 and 16 has 1,048 and 2,608 parameters, much fewer "
    "than the table has entries (more than 11,083), and converges",
)
def dncfr_fig4c(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Three sizes of LSTM with attention, each with both ways to train, 3 seeds.

    By default 250 iterations of ours, and 150 of the paper's, cut short to 10 epochs. In full 1,000
    iterations, and up to 2,000 epochs as in the paper: days.
    """
    scale = scale_of(quick=quick, full=full, ours=250, paper=150)
    results = measure_lines(LEDUC, scale, _lines, progress)
    progress(1.0, "drawing")
    rules, form = infoset.game(LEDUC), infoset.compile(LEDUC)
    counts = {embedding: parameters(rules, form, embedding) for embedding in EMBEDDINGS}
    entries = sum(int(treeplex.infoset_num_actions.sum()) for treeplex in form.treeplexes)
    return neural_report(
        *("dncfr-fig4c", out, scale, results, size_claims),
        f"{LEDUC}, k = 3, 100 blocks. Infosets that differ in suits only are told apart "
        "(suits=true), as in the paper, since they are what parameters are compared with.",
        "Parameters are those of one network, entries those of one table: an action of an infoset "
        "each. DNCFR has two networks, tabular CFR two tables. Training holds gradients, two "
        "moments per parameter and samples besides; dncfr also a memory of strategies.",
        head="embedding",
        shared=parameter_claims(counts, entries),
        numbers={
            "entries": float(entries),
            **{f"parameters_{embedding}": float(count) for embedding, count in counts.items()},
        },
        figures=draw_readings("dncfr-fig4c", out, scale, results, LEDUC),
    )


def _label(embedding: int) -> str:
    return f"embedding {embedding}"


def _lines(reading: Reading) -> dict[str, str]:
    return {
        _label(size): reading.asks(
            k=3, b=100, network="lstm", attention=True, embedding=size, suits=True
        )
        for size in EMBEDDINGS
    }


def parameter_claims(counts: Mapping[int, int], entries: int) -> list[Claim]:
    """That the networks are as large as the paper's, and much smaller than a table."""
    printed = [
        Claim(
            f"embedding {embedding} has {count:,} parameters",
            counts[embedding] == count,
            f"{counts[embedding]:,}",
        )
        for embedding, count in PARAMETERS.items()
    ]
    fewer = {embedding: entries / counts[embedding] for embedding in PARAMETERS}
    return [
        *printed,
        Claim(
            f"both are much fewer than the entries of a table ({MUCH:g} times at least)",
            all(times >= MUCH for times in fewer.values()),
            ", ".join(f"{times:.2g} times with embedding {size}" for size, times in fewer.items())
            + f", of {entries:,} entries",
        ),
    ]


def size_claims(reading: Reading, runs: Runs) -> list[Claim]:
    """That the paper's two sizes converge."""
    return [falling(_label(size), runs[_label(size)].curve) for size in PARAMETERS]
