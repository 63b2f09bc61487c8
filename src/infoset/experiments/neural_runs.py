"""Runs that train networks: exploitability, losses, what was observed, time.

`Measurer` measures algorithms that do not; here any algorithm in sequence form is measured. Seeds
are few, so the bands of curves are all runs: a confidence interval of two or three has no meaning.
"""

from __future__ import annotations

import importlib.util
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import infoset
from infoset.errors import MissingExtraError
from infoset.experiments.curves import RANGE, Curve, Floats, rounded, spaced
from infoset.experiments.measurer import each
from infoset.experiments.registry import Step
from infoset.neural import neural_solver
from infoset.solvers import Limits, Solver, build_solver, find_algorithm, warm_up

EVERY = 10
"""Curves have their points at multiples of it: so often the average is trained by default."""
OBSERVED = "observed"
"""The share of infosets that an iteration observes, in the news of a solver."""


class Sample(NamedTuple):
    """A point of a run."""

    iteration: int
    exploitability: float
    nodes: int
    seconds: float
    """Of the processor since the run began, without evaluation."""
    news: Mapping[str, float]
    """Losses and the share observed, each the mean since the sample before."""
    evaluation_seconds: float = 0.0
    """Of the processor; an average that is not due is trained for it, and forgotten."""
    kept_bytes: int = 0
    is_silent: bool = False
    """Whether a network says nothing; found out at the end of a run only."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Runs of one algorithm with several seeds."""

    curve: Curve
    seconds: Floats
    """[repetitions, points] Of the processor, without evaluation."""
    news: Mapping[str, Floats]
    """[repetitions, points] By name; not a number where nothing was told."""
    silent: int = 0
    """Runs that end with a network that says nothing (see `is_silent`)."""

    def mean(self, name: str) -> float:
        """What was told under a name, in the mean over all iterations and repetitions.

        Not a number if nothing was told, as of the losses of a table.
        """
        told = self.news.get(name)
        if told is None or np.isnan(told).all():
            return float("nan")
        lengths = np.broadcast_to(np.diff(self.curve.iterations, prepend=0), told.shape)
        is_told = ~np.isnan(told)
        return float(np.average(told[is_told], weights=lengths[is_told]))

    def last(self, name: str) -> float:
        """What was told last under a name, in the mean over the repetitions."""
        told = self.news.get(name)
        return float("nan") if told is None else float(told[:, -1].mean())

    def points(self) -> dict[str, list[float | None]]:
        """What is drawn, and what was told, point by point, ready for JSON."""
        told = {"seconds": self.seconds, **self.news}
        points: dict[str, list[float | None]] = {
            name: [*column] for name, column in self.curve.points(by_nodes=True).items()
        }
        for name, values in told.items():
            points[name] = known([*map(rounded, values.mean(axis=0))])
        return points


def known(numbers: Sequence[float]) -> list[float | None]:
    """Numbers for JSON, which has no word for what is not one.

    >>> known([1.0, float("nan")])
    [1.0, None]
    """
    return [None if number != number else number for number in numbers]


def points_to(end: int, count: int = 16, *, every: int = EVERY) -> list[int]:
    """Iterations at which exploitability is measured: multiples of ``every``, up to ``end``.

    >>> points_to(100, 5)
    [10, 30, 100]
    """
    multiples = {every * max(1, round(t / every)) for t in spaced(end, count)}
    return sorted({t for t in multiples if t < end} | {end})


def missing_packages() -> list[str]:
    """What networks need, of the extra ``neural``, and is not installed."""
    return [name for name in ("torch", "safetensors") if importlib.util.find_spec(name) is None]


def solver_of(game: str, algorithm: str, seed: int, iterations: int) -> Solver:
    """The solver of any algorithm in sequence form, at its start."""
    chosen, form = find_algorithm(algorithm), infoset.compile(game)
    # Kernels are compiled, or loaded, before anything is timed.
    warm_up("sequence", find_algorithm("es-mccfr") if chosen.neural is not None else chosen)
    if chosen.neural is None:
        return build_solver(form, chosen, Limits(iterations=iterations), seed=seed, threads=1)
    for package in missing_packages():
        raise MissingExtraError(package, "neural", f"{chosen.name!r}")
    return neural_solver(form, infoset.game(game), chosen.neural, seed=seed)


def trace(game: str, algorithm: str, points: Sequence[int], seed: int) -> Iterator[Sample]:
    """Run an algorithm, and tell of it at these iterations; it runs on as samples are asked for."""
    solver = solver_of(game, algorithm, seed, points[-1])
    trains = find_algorithm(algorithm).neural is not None
    seconds = 0.0
    for point in points:
        told: dict[str, list[float]] = defaultdict(list)
        begin = time.process_time()
        while solver.iteration < point:
            # One by one where there are news: they are of the last iteration only.
            solver.run(1 if trains else point - solver.iteration)
            for name, number in solver.news.items():
                told[name].append(number)
        seconds += time.process_time() - begin
        news = {name: float(np.mean(numbers)) for name, numbers in told.items()}
        begin = time.process_time()
        exploitability = solver.exploitability()
        evaluation = time.process_time() - begin
        yield Sample(
            *(point, exploitability, solver.nodes_touched, seconds, news),
            *(evaluation, solver.kept_bytes, trains and point == points[-1] and is_silent(solver)),
        )


def is_silent(solver: Solver) -> bool:
    """Whether the regrets of double neural CFR are zero everywhere, or its average is uniform.

    Attention that is rectified to zero at every step makes a network say zero of all infosets. It
    then has no gradient, and never learns again.
    """
    # Imported here: torch takes seconds, and is an extra.
    from infoset.neural import NeuralCFRSolver

    if not isinstance(solver, NeuralCFRSolver):
        return False
    is_uniform = np.array_equal(solver.average_rows(), solver.encoding.uniform)
    return is_uniform or not solver.regrets.rows().any()


def measured_of(runs: Sequence[Sequence[Sample]]) -> Measured:
    """Runs with other seeds, all sampled at the same iterations, as one."""
    names = dict.fromkeys(name for run in runs for sample in run for name in sample.news)
    exploitability = np.array([[sample.exploitability for sample in run] for run in runs])
    nodes = np.array([[float(sample.nodes) for sample in run] for run in runs])
    return Measured(
        Curve(np.array([sample.iteration for sample in runs[0]]), exploitability, nodes, RANGE),
        np.array([[sample.seconds for sample in run] for run in runs]),
        {
            name: np.array([[s.news.get(name, np.nan) for s in run] for run in runs])
            for name in names
        },
        sum(run[-1].is_silent for run in runs),
    )


def measure(
    game: str, algorithm: str, points: Sequence[int], seeds: int, progress: Step
) -> Measured:
    """Run an algorithm with seeds 0, 1, 2, ..., and measure it at these iterations."""
    runs = []
    for seed, step in each(range(seeds), progress):
        samples = []
        step(0.0, f"{algorithm} on {game}, seed {seed}")
        for sample in trace(game, algorithm, points, seed):
            samples.append(sample)
            step(sample.iteration / points[-1], f"{algorithm} on {game}, seed {seed}")
        runs.append(samples)
    return measured_of(runs)
