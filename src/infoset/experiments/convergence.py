"""Exploitability over time, in repeated runs that separate differences from rounding noise.

Full-width runs have no randomness, yet two programs, or two numberings of one game, end up tens of
percent apart after a thousand iterations. Rounding errors grow from iteration to iteration, and
where two actions tie in exact arithmetic, they decide: a regret just above zero is always played.
So each run is repeated with a chip counted as 1, 7, 11, 13, ... units. In exact arithmetic that
changes no strategy; in doubles it changes every rounding, and the spread shows its effect. Hold'em
is repeated on random situations instead (`infoset.experiments.situations`).
"""

from __future__ import annotations

import dataclasses
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from infoset.api import compile
from infoset.experiments.registry import Step
from infoset.forms import SequenceForm
from infoset.machine.storage import write_atomically
from infoset.solvers import Limits, Solver, build_solver, find_algorithm

__all__ = [
    "INTERVAL",
    "RANGE",
    "Band",
    "Comparison",
    "Curve",
    "Measurer",
    "UnitMeasurer",
    "exploitabilities",
    "in_units",
    "rounded",
    "spaced",
    "units",
    "write_curves",
]

Floats = NDArray[np.float64]

CLEAR = 3.0
"""Standard errors between two means that are told apart."""
CONFIDENCE = 0.95


class Comparison(NamedTuple):
    """One curve set beside another."""

    word: str
    """``better``, ``worse``, or ``unclear`` if the difference may be chance."""
    times: float
    """How many times lower the exploitability is, in the mean over the repetitions."""
    least: float
    most: float
    low: float
    """The 95 % interval of the mean, with `high`."""
    high: float


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
    def last_mean(self) -> tuple[float, float]:
        """The arithmetic mean of what runs end with, and half its 95 % interval."""
        ends = self.runs[:, -1]
        error = ends.std(ddof=1) / np.sqrt(len(ends))
        return float(ends.mean()), float(_student(len(ends)) * error)

    @property
    def last(self) -> float:
        """What a run typically ends with."""
        return float(self.typical[-1])

    def points(self, band: Band) -> dict[str, list[float]]:
        """What is drawn, point by point, ready for JSON."""
        low, high = band.ends(self)
        return {
            "iterations": self.iterations.tolist(),
            "exploitability": [*map(rounded, self.typical)],
            band.low: [*map(rounded, low)],
            band.high: [*map(rounded, high)],
        }

    def since(self, begin: int) -> Curve:
        """The part of the curve from an iteration on."""
        return self.between(begin, int(self.iterations[-1]))

    def between(self, begin: int, end: int) -> Curve:
        """The part of the curve from one iteration to another."""
        inside = (self.iterations >= begin) & (self.iterations <= end)
        return Curve(self.iterations[inside], self.runs[:, inside])

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
        half = _student(len(logs)) * error
        found = np.exp([mean, logs.min(), logs.max(), mean - half, mean + half])
        return Comparison(word, *map(float, found))


class Band(NamedTuple):
    """What is drawn around a curve."""

    low: str
    """What its lower end is called."""
    high: str
    ends: Callable[[Curve], tuple[Floats, Floats]]
    """[points] and [points]"""

    def last(self, curve: Curve) -> dict[str, float]:
        """The band where a curve ends, by name."""
        low, high = self.ends(curve)
        return {self.low: rounded(low[-1]), self.high: rounded(high[-1])}


def _student(count: int) -> float:
    """Half the 95 % interval of a mean of so many, in standard errors."""
    return float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))


def _interval(curve: Curve) -> tuple[Floats, Floats]:
    """The 95 % confidence interval of the geometric mean, by Student's t on the logarithms."""
    logs = np.log(curve.runs)
    count = len(logs)
    half = _student(count) * logs.std(axis=0, ddof=1) / np.sqrt(count)
    return np.exp(logs.mean(axis=0) - half), np.exp(logs.mean(axis=0) + half)


RANGE = Band("least", "most", lambda curve: (curve.runs.min(axis=0), curve.runs.max(axis=0)))
"""All repetitions, where they differ in rounding only."""
INTERVAL = Band("low", "high", _interval)
"""95 % for the mean, where repetitions are drawn at random."""


def units(repetitions: int) -> list[int]:
    """How many units a chip is counted as, one number for each repetition.

    They share no factor with 30: factors of 2, 3 and 5 are in the odds of dealing cards, and
    would cancel when the compiled game puts its payoffs in whole units.

    >>> units(5)
    [1, 7, 11, 13, 17]
    """
    return [n for n in range(1, 4 * repetitions) if math.gcd(n, 30) == 1][:repetitions]


def in_units(tree: SequenceForm, unit: int) -> SequenceForm:
    """The same game with every chip counted as so many units."""
    history = tree.history
    payoffs = history.node_payoff * unit
    return SequenceForm(
        tree.name, tree.treeplexes, dataclasses.replace(history, node_payoff=payoffs)
    )


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


class Measurer(ABC):
    """Runs algorithms on one game, and tells how far the whole of an experiment is."""

    def __init__(
        self, game: str, repetitions: int, progress: Step, share: tuple[float, float], runs: int
    ) -> None:
        """``share`` is where this game's ``runs`` begin and end in the experiment."""
        self.game = game
        self._repetitions = repetitions
        self._progress, self._share = progress, share
        self._done, self._runs = 0, runs

    def curve(self, algorithm: str, iterations: Sequence[int]) -> Curve:
        """Exploitability at these iterations, in every repetition."""
        runs: list[Floats] = []
        self._tell(algorithm, 0.0)
        with closing(self._repeat(algorithm, iterations)) as repeated:
            for run in repeated:
                runs.append(run)
                self._tell(algorithm, len(runs) / self._repetitions)
        self._done += 1
        return Curve(np.array(iterations), np.array(runs))

    def _tell(self, algorithm: str, done: float) -> None:
        begin, end = self._share
        at = begin + (end - begin) * (self._done + done) / self._runs
        self._progress(min(at, end), f"{algorithm} on {self.game}")

    @abstractmethod
    def _repeat(self, algorithm: str, iterations: Sequence[int]) -> Generator[Floats]:
        """[points] Exploitability at these iterations, one repetition after the other."""


class UnitMeasurer(Measurer):
    """A general game, repeated in other units."""

    def __init__(
        self, game: str, repetitions: int, progress: Step, share: tuple[float, float], runs: int
    ) -> None:
        tree = compile(game)
        super().__init__(tree.name, repetitions, progress, share, runs)
        self._units = units(repetitions)
        self._trees = [in_units(tree, unit) for unit in self._units]

    def _repeat(self, algorithm: str, iterations: Sequence[int]) -> Generator[Floats]:
        for tree, unit in zip(self._trees, self._units, strict=True):
            yield _run(tree, algorithm, iterations) / unit


def _run(tree: SequenceForm, algorithm: str, iterations: Sequence[int]) -> Floats:
    """[points] Exploitability of the average strategy at these iterations."""
    solver = build_solver(tree, find_algorithm(algorithm), Limits(iterations=iterations[-1]))
    return np.fromiter(exploitabilities(solver, iterations), np.float64, len(iterations))


def exploitabilities(solver: Solver, iterations: Iterable[int]) -> Iterator[float]:
    """Run a solver, and stop at these iterations to measure its average strategy."""
    for iteration in iterations:
        solver.run(iteration - solver.iteration)
        yield solver.exploitability()


def write_curves(path: Path, curves: Mapping[str, Mapping[str, Curve]], band: Band = RANGE) -> None:
    """Write the points behind a figure as JSON: ``{game: {algorithm: {...}}}``."""
    document = {
        game: {algorithm: curve.points(band) for algorithm, curve in of_game.items()}
        for game, of_game in curves.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = json.dumps(document, allow_nan=False).replace("}, ", "},\n")
    write_atomically(path, (lines + "\n").encode())
