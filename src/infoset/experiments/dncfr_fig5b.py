"""Figure 5b of double neural CFR: networks that go on from what a table has learnt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import infoset
from infoset.experiments.curves import Curve, rounded
from infoset.experiments.dncfr_fig4a import DOUBLE_NEURAL, LEDUC, Parameters
from infoset.experiments.measurer import each
from infoset.experiments.neural_figures import (
    Reading,
    Runs,
    draw_readings,
    late,
    neural_report,
    scale_of,
)
from infoset.experiments.neural_runs import Measured, Sample, measured_of
from infoset.experiments.registry import Claim, Report, Step, experiment
from infoset.solvers import Solution

FIRST = 10
"""Iterations of the table, as in the paper."""
COLD = "from the start"
ON = 1.05
"""A run goes on improving if it falls by this factor over its second half."""
STARTS: Mapping[str, str] = {
    "after cfr": "cfr",
    "after rs-mccfr+": "rs-mccfr+(k=3,b=100)",
}
"""What runs first, by label."""


@experiment(
    "dncfr-fig5b",
    paper=DOUBLE_NEURAL,
    artifact="Figure 5b",
    claim="DNCFR goes on improving from 10 iterations of tabular CFR or of RS-MCCFR+, which its "
    "networks clone",
)
def dncfr_fig5b(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Two warm starts beside a cold one, both ways to train, 3 seeds.

    By default 500 iterations of ours, and 150 of the paper's, cut short to 10 epochs. In full 1,000
    iterations, and up to 2,000 epochs as in the paper: days.
    """
    scale = scale_of(quick=quick, full=full, ours=500, paper=150)
    cloning: Parameters = {"cloning": 20} if quick else {}
    results: dict[str, dict[str, Measured]] = {}
    given: dict[str, float] = {}
    for reading, reading_step in each(scale.readings, progress):
        results[reading.name] = {}
        for label, step in each([*STARTS, COLD], reading_step):
            runs = []
            for seed, seed_step in each(range(scale.seeds), step):
                seed_step(0.0, f"{reading.preset} {label}, seed {seed}")
                first = _first(label, seed)
                asked = reading.asks(**cloning)
                solution = _solve(asked, reading.iterations, seed, first)
                runs.append(samples_of(solution, first))
                if first is not None:
                    given[label] = max(given.get(label, 0.0), first.exploitability)
            results[reading.name][label] = measured_of(runs)
    progress(1.0, "drawing")

    def claims(reading: Reading, runs: Runs) -> list[Claim]:
        return start_claims(runs, given)

    return neural_report(
        *("dncfr-fig5b", out, scale, results, claims),
        f"{LEDUC}. Iterations and nodes count those before the start. Networks clone what tables "
        "would hold after a start from the average strategy that stands for as many iterations "
        "(start_from, docs/warm-start.md): regrets are made from it, while the paper clones those "
        "of the tables themselves. "
        + "; ".join(f"{label}: {level:.3g} to begin with" for label, level in given.items())
        + " (the highest of the seeds).",
        head="start",
        numbers={
            f"given_{label.split()[-1].strip('+').replace('-', '_')}": rounded(level)
            for label, level in given.items()
        },
        figures=draw_readings("dncfr-fig5b", out, scale, results, LEDUC),
    )


def _first(label: str, seed: int) -> Solution | None:
    """What a run starts from."""
    if label == COLD:
        return None
    return infoset.solve(LEDUC, STARTS[label], iterations=FIRST, seed=seed)


def _solve(algorithm: str, iterations: int, seed: int, first: Solution | None) -> Solution:
    given: dict[str, Any] = {}
    if first is not None:
        given = {"start_from": first, "start_iterations": FIRST}
    solution: Solution = infoset.solve(
        *(LEDUC, algorithm), iterations=iterations, seed=seed, threads=1, **given
    )
    return solution


def samples_of(solution: Solution, first: Solution | None) -> list[Sample]:
    """The curve of a solution, counted from where its start began."""
    iterations, nodes = (0, 0) if first is None else (FIRST, first.nodes_touched)
    return [
        Sample(
            *(point.iteration + iterations, point.exploitability, point.nodes_touched + nodes),
            *(point.seconds, point.news),
        )
        for point in solution.curve
    ]


def start_claims(runs: Runs, given: Mapping[str, float]) -> list[Claim]:
    """That runs improve on what they are given, and improve on through their second half."""
    claims = []
    for label, level in given.items():
        curve = runs[label].curve
        improved, end = _second_half(curve), int(curve.iterations[-1])
        claims.append(
            Claim(
                f"DNCFR improves {label}, and goes on improving",
                float(curve.runs[:, -1].max()) < level and improved > ON,
                f"{rounded(curve.last):g} after {end:,} iterations, from {rounded(level):g}; "
                f"{improved:.3g} times lower than halfway in the least of the runs",
            )
        )
    return claims


def _second_half(curve: Curve) -> float:
    """By which factor exploitability falls over the second half of a run, at least."""
    begin = curve.iterations.searchsorted(late(curve))
    return float((curve.runs[:, begin] / curve.runs[:, -1]).min())
