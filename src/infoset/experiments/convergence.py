"""Exploitability over time, repeated so that one can tell a difference from rounding.

The games of these experiments hold no randomness, yet two programs, or two numberings of one game,
end up tens of percent apart after a thousand iterations. Rounding errors grow from iteration to
iteration, and where two actions tie on paper they decide at once: a regret a hair above zero is
played always. So each run is repeated with a chip counted as 1, 7, 11, 13, ... units. On paper that
changes no strategy; in doubles it changes every rounding, and the spread is what rounding can do.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.api import compile
from infoset.evaluation.measure import plan_exploitability
from infoset.experiments.registry import Step
from infoset.solvers.algorithms import find_algorithm
from infoset.solvers.limits import Limits
from infoset.storage import write_atomically
from infoset.trees import Tree

__all__ = [
    "Comparison",
    "Curve",
    "Measurer",
    "in_units",
    "rounded",
    "spaced",
    "units",
    "write_curves",
]

Floats = NDArray[np.float64]

CLEAR = 3.0
"""Standard errors between two means that are told apart."""


class Comparison(NamedTuple):
    """One curve set beside another."""

    word: str
    """``better``, ``worse``, or ``unclear`` if the difference may be rounding."""
    times: float
    """How many times lower the exploitability is, in the mean over the repetitions."""
    least: float
    most: float


@dataclasses.dataclass(frozen=True, eq=False)
class Curve:
    """Exploitability of an algorithm's average strategy, in chips."""

    iterations: NDArray[np.int64]
    """[points]"""
    runs: Floats
    """[repetitions, points]"""

    @property
    def typical(self) -> Floats:
        """[points] The geometric mean of the repetitions."""
        return np.asarray(np.exp(np.log(self.runs).mean(axis=0)))

    @property
    def last(self) -> float:
        """What a run typically ends with."""
        return float(self.typical[-1])

    @property
    def last_range(self) -> tuple[float, float]:
        """The least and the most that a run ends with."""
        return float(self.runs[:, -1].min()), float(self.runs[:, -1].max())

    def since(self, begin: int) -> Curve:
        """The part of the curve from an iteration on."""
        late = self.iterations >= begin
        return Curve(self.iterations[late], self.runs[:, late])

    def against(self, other: Curve, begin: int) -> Comparison:
        """How much lower this curve is than another from an iteration on.

        The geometric mean over the points, which are spaced evenly on a logarithmic axis: a
        single point would be a matter of luck.
        """
        late = self.iterations >= begin
        logs = np.log(other.runs / self.runs)[:, late].mean(axis=1)
        mean, error = logs.mean(), logs.std(ddof=1) / np.sqrt(len(logs))
        word = "unclear"
        if abs(mean) > CLEAR * error:
            word = "better" if mean > 0 else "worse"
        times, least, most = np.exp([mean, logs.min(), logs.max()])
        return Comparison(word, float(times), float(least), float(most))


def units(repetitions: int) -> list[int]:
    """How many units a chip is counted as, one number for each repetition.

    They share no factor with 30: factors of 2, 3 and 5 are in the odds of dealing cards, and
    would cancel when the compiled game puts its payoffs in whole units.

    >>> units(5)
    [1, 7, 11, 13, 17]
    """
    return [n for n in range(1, 4 * repetitions) if math.gcd(n, 30) == 1][:repetitions]


def in_units(tree: Tree, unit: int) -> Tree:
    """The same game with every chip counted as so many units."""
    history = tree.history
    payoffs = history.node_payoff * unit
    return Tree(tree.name, tree.treeplexes, dataclasses.replace(history, node_payoff=payoffs))


def rounded(number: float) -> float:
    """Three digits are more than rounding leaves meaning in.

    >>> rounded(0.000123456)
    0.000123
    """
    return float(f"{number:.3g}")


def spaced(end: int, points: int = 60) -> list[int]:
    """Iterations 1 to ``end``, evenly on a logarithmic axis.

    >>> spaced(100, points=7)
    [1, 2, 5, 10, 22, 46, 100]
    """
    return [int(t) for t in np.unique(np.geomspace(1, end, points).round())]


class Measurer:
    """Runs algorithms on one game, and tells how far the whole of an experiment is."""

    def __init__(
        self, game: str, repetitions: int, progress: Step, share: tuple[float, float], runs: int
    ) -> None:
        """``share`` is where this game's ``runs`` begin and end in the experiment."""
        tree = compile(game)
        self.game = tree.name
        self._units = units(repetitions)
        self._trees = [in_units(tree, unit) for unit in self._units]
        self._progress, self._share = progress, share
        self._done, self._runs = 0, runs

    def curve(self, algorithm: str, iterations: Sequence[int]) -> Curve:
        """Exploitability at these iterations, in every unit."""
        begin, end = self._share
        at = begin + (end - begin) * self._done / self._runs
        self._progress(min(at, end), f"{algorithm} on {self.game}")
        self._done += 1
        runs = [
            _run(tree, algorithm, iterations) / unit
            for tree, unit in zip(self._trees, self._units, strict=True)
        ]
        return Curve(np.array(iterations), np.array(runs))


def _run(tree: Tree, algorithm: str, iterations: Sequence[int]) -> Floats:
    """[points] Exploitability of the average strategy at these iterations."""
    solver = find_algorithm(algorithm).build(tree, Limits(iterations=iterations[-1]))
    out = np.empty(len(iterations))
    for point, iteration in enumerate(iterations):
        solver.run(iteration - solver.iteration)
        out[point] = plan_exploitability(tree.lanes, solver.plans())
    return out


def write_curves(path: Path, curves: Mapping[str, Mapping[str, Curve]]) -> None:
    """Write the points behind a figure as JSON: ``{game: {algorithm: {...}}}``."""
    document = {
        game: {
            algorithm: {
                "iterations": curve.iterations.tolist(),
                "exploitability": [*map(rounded, curve.typical)],
                "lowest": [*map(rounded, curve.runs.min(axis=0))],
                "highest": [*map(rounded, curve.runs.max(axis=0))],
            }
            for algorithm, curve in of_game.items()
        }
        for game, of_game in curves.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = json.dumps(document, allow_nan=False).replace("}, ", "},\n")
    write_atomically(path, (lines + "\n").encode())
