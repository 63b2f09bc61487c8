"""Sampled algorithms, repeated with other seeds: exploitability by iterations and by nodes touched.

The result of a run depends on its samples, so values are means over seeds, and bands are the 95 %
confidence interval of that mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.api import compile
from infoset.experiments.convergence import (
    INTERVAL,
    Band,
    Comparison,
    Curve,
    Measurer,
    exploitabilities,
    rounded,
)
from infoset.experiments.registry import Cell, Step
from infoset.solvers import Limits, build_solver, find_algorithm

__all__ = [
    "BESIDE",
    "DOUBLE_NEURAL",
    "LEDUC",
    "SampledCurve",
    "SeedMeasurer",
    "cells",
    "draw_sampled",
    "said",
    "sampled",
]

DOUBLE_NEURAL = "Li, Hu, Zhang, Qi & Song 2020, Double Neural Counterfactual Regret Minimization"

LEDUC = "nolimit_leduc(stack=5)"
"""The game nearest to the paper's Leduc(5)."""
BESIDE = "nolimit_leduc(stack=5,ante_in_stack=false)"
"""The same with the ante paid beside the stack: up to six actions instead of five."""

TICKS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2)
"""Chips. Curves here span hardly more than a power of ten, with no other of them to label."""

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class SampledCurve(Curve):
    """A curve that also knows how many nodes each run had touched."""

    nodes: Floats
    """[repetitions, points]"""

    @property
    def last_nodes(self) -> float:
        """Nodes that a whole run touches, in the mean."""
        return float(self.nodes[:, -1].mean())

    def points(self, band: Band) -> dict[str, list[float]]:
        """What is drawn, point by point, ready for JSON."""
        return {**super().points(band), "nodes": [*map(rounded, self.nodes.mean(axis=0))]}

    def between(self, begin: int, end: int) -> SampledCurve:
        """The part of the curve from one iteration to another."""
        return self.at([t for t in self.iterations.tolist() if begin <= t <= end])

    def at(self, iterations: Sequence[int]) -> SampledCurve:
        """The points at these iterations, all of which were measured."""
        points = np.searchsorted(self.iterations, iterations)
        return SampledCurve(self.iterations[points], self.runs[:, points], self.nodes[:, points])

    def at_nodes(self, nodes: float) -> Curve:
        """Where the runs are when they have touched so many nodes: a curve of one point."""
        found = [
            np.exp(np.interp(np.log(nodes), np.log(touched), np.log(run)))
            for touched, run in zip(self.nodes, self.runs, strict=True)
        ]
        at = np.interp(nodes, self.nodes.mean(axis=0), self.iterations)
        return Curve(np.array([round(at)]), np.array(found)[:, np.newaxis])


class SeedMeasurer(Measurer):
    """One game, with seeds 0, 1, 2, ... for the repetitions."""

    def __init__(
        self, game: str, repetitions: int, progress: Step, share: tuple[float, float], runs: int
    ) -> None:
        self.tree = compile(game)
        super().__init__(self.tree.name, repetitions, progress, share, runs)
        self._nodes: list[Floats] = []

    @property
    def most_actions(self) -> int:
        """The largest number of actions at an infoset: the paper's k = max."""
        return max(int(treeplex.infoset_num_actions.max()) for treeplex in self.tree.treeplexes)

    def curve(self, algorithm: str, iterations: Sequence[int]) -> SampledCurve:
        """Exploitability at these iterations, with every seed."""
        self._nodes = []
        found = super().curve(algorithm, iterations)
        return SampledCurve(found.iterations, found.runs, np.array(self._nodes))

    def _repeat(self, algorithm: str, iterations: Sequence[int]) -> Generator[Floats]:
        chosen, limits = find_algorithm(algorithm), Limits(iterations=iterations[-1])
        for seed in range(self._repetitions):
            solver = build_solver(self.tree, chosen, limits, seed=seed)
            run, nodes = np.empty(len(iterations)), np.empty(len(iterations))
            for point, found in enumerate(exploitabilities(solver, iterations)):
                run[point], nodes[point] = found, solver.nodes_touched
            self._nodes.append(nodes)
            yield run


def sampled(preset: str, **parameters: Cell) -> str:
    """The text that asks for a preset with these parameters.

    >>> sampled("rs-mccfr", k=3, alternating=False)
    'rs-mccfr(k=3,alternating=false)'
    """
    given = ",".join(f"{key}={str(value).lower()}" for key, value in parameters.items())
    return f"{preset}({given})"


def cells(columns: Mapping[str, Curve]) -> list[dict[str, Cell]]:
    """Where curves end, and below it the ends of their bands; a column each."""
    ends = {name: INTERVAL.last(curve) for name, curve in columns.items()}
    return [
        {name: rounded(curve.last) for name, curve in columns.items()},
        {name: end[INTERVAL.low] for name, end in ends.items()},
        {name: end[INTERVAL.high] for name, end in ends.items()},
    ]


def said(comparison: Comparison) -> str:
    """A comparison in words.

    >>> said(Comparison("better", 1.234, 1.1, 1.4, 1.15, 1.3))
    '1.23 times lower (1.15 to 1.3, better)'
    """
    times, low, high = (rounded(number) for number in (comparison.times, *comparison[4:]))
    return f"{times:g} times lower ({low:g} to {high:g}, {comparison.word})"


def draw_sampled(
    axes: Any,
    lines: Mapping[str, tuple[SampledCurve, str, Any]],
    *,
    by_nodes: bool,
    first: int = 1,
) -> None:
    """A panel: curves with their colours and dashes, by label, and their 95 % bands.

    Drawn from iteration ``first`` on.
    """
    for label, (whole, colour, dashes) in lines.items():
        curve = whole.between(first, int(whole.iterations[-1]))
        x = curve.nodes.mean(axis=0) if by_nodes else curve.iterations
        axes.plot(x, curve.typical, color=colour, linestyle=dashes, label=label)
        axes.fill_between(x, *INTERVAL.ends(curve), color=colour, alpha=0.18, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("nodes touched" if by_nodes else "iterations")
    ends = axes.get_ylim()
    axes.set_yticks(TICKS)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.set_ylim(ends)
