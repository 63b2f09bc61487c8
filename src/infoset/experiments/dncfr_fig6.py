"""Figure 6 of double neural CFR: its time and memory, both relative to full-width tabular CFR."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from infoset.experiments.curves import drawing, rounded, spaced, write_text
from infoset.experiments.dncfr_fig4a import DOUBLE_NEURAL, LEDUC, sampled
from infoset.experiments.measurer import parts
from infoset.experiments.neural_figures import COLOURS, SEEDS
from infoset.experiments.neural_runs import EVERY, OBSERVED, Sample, points_to, solver_of, trace
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK

LEVELS = (1.0, 0.5, 0.1, 0.05)
"""Chips: the exploitabilities at which time and memory are read off."""
FULL_LEVELS = (*LEVELS, 0.01, 0.005)
"""The paper's."""
BATCHES = (25, 100, 400)
FULL_BATCHES = (10, 25, 50, 100, 200, 400)
"""The paper does not say what makes its points differ. Here it is the size of mini-batches."""
FAIR, PAPER_SLOPE = -1.0, -5.0
NEAR = 1.5
"""A slope is about the paper's if it is less than so many times away from it."""
REPEATED = 2000
"""Iterations by which tabular CFR is timed."""


class Cost(NamedTuple):
    """What it takes to come to an exploitability."""

    seconds: float
    """Of the processor."""
    sampled: float
    """Share of infosets that an iteration observes, in the mean over the iterations so far."""
    kept_bytes: float


Costs = Mapping[tuple[float, int], Cost]
"""By level and mini-batch, relative to tabular CFR; only what was reached."""


@experiment(
    "dncfr-fig6",
    paper=DOUBLE_NEURAL,
    artifact="Figure 6",
    claim="at the same exploitability, DNCFR trades time for memory better than fairly: with twice "
    "the relative runtime the observed share of infosets falls to far less than half (slope -5)",
)
def dncfr_fig6(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """Three mini-batches on Leduc(5) until exploitability is 0.05, 3 seeds.

    By default at most 600 iterations. In full six mini-batches and 20,000 iterations, down to 0.005
    as in the paper: hours.
    """
    end = 20 if quick else 20_000 if full else 600
    seeds = 2 if quick else SEEDS
    levels = FULL_LEVELS if full else LEVELS
    batches = FULL_BATCHES if full else BATCHES[:2] if quick else BATCHES
    progress(0.0, "timing full-width CFR")
    tables = tabular_costs(levels)
    # Once for nothing: torch and kernels are loaded before anything is timed.
    solver_of(LEDUC, "dncfr", 0, 2).run(2)
    runs: dict[int, list[dict[float, Cost]]] = {b: [] for b in batches}
    steps = parts(progress, [1.0] * len(batches) * seeds)
    for (b, seed), step in zip(product(batches, range(seeds)), steps, strict=True):
        algorithm = sampled("dncfr", b=b)
        step(0.0, f"{algorithm} on {LEDUC}, seed {seed}")
        points = sorted({1, 2, 3, 5, 7, *points_to(end, 60)})
        runs[b].append(costs(trace(LEDUC, algorithm, points, seed), levels))
    progress(1.0, "drawing")
    relative = relative_costs(runs, tables)
    write_text(out / "dncfr-fig6-points.json", _json(relative))
    return report(
        trade_claims(relative),
        f"{LEDUC}, dncfr with its defaults, beside `cfr`, which updates the whole game and holds "
        "two tables. Time is of the processor, without evaluation. Sampled is the share of "
        "classes of infosets that an iteration observes; held is networks with what trains them, "
        "and the memory of strategies, beside both tables.",
        f"The slope is of log(sampled) by log(time) among mini-batches at the same exploitability, "
        f"one slope for all of them. Geometric means over {seeds} seeds. What was not reached by "
        f"every seed within {end:,} iterations is left out.",
        rows=_rows(relative),
        numbers=_numbers(relative),
        figures=_draw(relative, seeds, out),
        smaller=not full,
    )


def tabular_costs(levels: Sequence[float]) -> dict[float, Cost]:
    """Of full-width CFR: its iterations are timed together, since one is too short to time."""
    solver = solver_of(LEDUC, "cfr", 0, 2 * REPEATED)
    solver.run(REPEATED)
    begin = time.process_time()
    solver.run(REPEATED)
    of_one = (time.process_time() - begin) / REPEATED
    found: dict[float, Cost] = {}
    for sample in trace(LEDUC, "cfr", spaced(50_000, 300), 0):
        for level in levels:
            if sample.exploitability <= level and level not in found:
                found[level] = Cost(of_one * sample.iteration, 1.0, float(sample.kept_bytes))
        if len(found) == len(levels):
            break
    return found


def costs(samples: Iterable[Sample], levels: Sequence[float]) -> dict[float, Cost]:
    """What a run had cost when it first was at each level; it is stopped at the last of them.

    An average that is not due is trained for the evaluation: that is what it takes to have one
    then, so it counts.
    """
    found: dict[float, Cost] = {}
    observed, before = 0.0, 0
    for sample in samples:
        observed += sample.news[OBSERVED] * (sample.iteration - before)
        before = sample.iteration
        seconds = sample.seconds
        if sample.iteration % EVERY:
            seconds += sample.evaluation_seconds
        for level in levels:
            if sample.exploitability <= level and level not in found:
                share = observed / sample.iteration
                found[level] = Cost(seconds, share, float(sample.kept_bytes))
        if len(found) == len(levels):
            break
    return found


def relative_costs(
    runs: Mapping[int, Sequence[Mapping[float, Cost]]], tables: Mapping[float, Cost]
) -> dict[tuple[float, int], Cost]:
    """By level and mini-batch, where every seed came to the level."""
    return {
        (level, b): Cost(*np.exp(np.mean([np.log(of[level]) for of in found], axis=0)) / table)
        for level, table in tables.items()
        for b, found in runs.items()
        if all(level in of for of in found)
    }


def slope(relative: Costs, *, apart: bool = True) -> float:
    """Of log(sampled) by log(time), by least squares; not a number if times do not differ.

    With ``apart``, levels have one slope and lines of their own; else there is one line.
    """
    groups: dict[float, list[tuple[float, float]]] = {}
    for (level, _), cost in relative.items():
        point = math.log(cost.seconds), math.log(cost.sampled)
        groups.setdefault(level if apart else 0.0, []).append(point)
    centred = [np.array(group) - np.mean(group, axis=0) for group in groups.values()]
    x, y = np.concatenate(centred).T if centred else np.zeros((2, 0))
    square = float(x @ x)
    return float(x @ y) / square if square > 1e-12 else math.nan


def trade_claims(relative: Costs) -> list[Claim]:
    """That there is a trade, that it is better than fair, and as good as printed."""
    found = slope(relative)
    measured = f"a slope of {found:.3g}"
    if not math.isfinite(found):
        measured = "no two mini-batches came to the same exploitability"
    is_about = PAPER_SLOPE * NEAR < found < PAPER_SLOPE / NEAR
    return [
        Claim("the longer the runtime, the fewer infosets are sampled", found < 0, measured),
        Claim("the trade is better than fair (a slope below -1)", found < FAIR, measured),
        Claim(f"the slope is about {PAPER_SLOPE:g}", is_about, measured),
    ]


def _numbers(relative: Costs) -> dict[str, float]:
    numbers = {"slope": slope(relative), "slope_of_one_line": slope(relative, apart=False)}
    for level in {level: None for level, _ in relative}:
        of_level = {key: cost for key, cost in relative.items() if key[0] == level}
        numbers[f"slope_at_{level:g}"] = slope(of_level)
    return {name: rounded(number) for name, number in numbers.items() if math.isfinite(number)}


def _rows(relative: Costs) -> list[dict[str, Cell]]:
    return [
        {
            "exploitability": level,
            "b": b,
            "relative time": rounded(cost.seconds),
            "sampled": rounded(cost.sampled),
            "held": rounded(cost.kept_bytes),
        }
        for (level, b), cost in relative.items()
    ]


def _json(relative: Costs) -> str:
    return json.dumps(_rows(relative), allow_nan=False).replace("}, ", "},\n")


def _draw(relative: Costs, seeds: int, out: Path) -> Sequence[Path]:
    title = f"{LEDUC}, mini-batches of several sizes. Means over {seeds} seeds."
    legend = {"ncols": 3}
    ylabel = "infosets sampled, relative to CFR"
    with drawing(
        out, "dncfr-fig6", size=(6.4, 5.2), title=title, legend=legend, ylabel=ylabel
    ) as figure:
        (axes,) = figure.panels
        levels = dict.fromkeys(level for level, _ in relative)
        for level, colour in zip(levels, COLOURS, strict=False):
            points = [cost for (of, _), cost in relative.items() if of == level]
            at = [cost.seconds for cost in points], [cost.sampled for cost in points]
            axes.plot(*at, "o-", color=colour, label=f"exploitability {level:g}")
        if relative:
            first = next(iter(relative.values()))
            x = np.array([first.seconds, 3 * first.seconds])
            for steepness, dashes in ((FAIR, "--"), (PAPER_SLOPE, ":")):
                y = first.sampled * (x / x[0]) ** steepness
                label = f"slope {steepness:g}"
                axes.plot(x, y, color=BLACK, linewidth=0.8, linestyle=dashes, label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("processor time, relative to CFR")
    return figure.files
