"""Runs of an algorithm on a game, repeated to separate differences from noise.

Full-width runs have no randomness, yet two programs, or two numberings of one game, end up tens of
percent apart after a thousand iterations. Rounding errors grow from iteration to iteration, and
where two actions tie in exact arithmetic, they decide: a regret just above zero is always played.
So each run is repeated with a chip counted as 1, 7, 11, 13, ... units. In exact arithmetic that
changes no strategy; in doubles it changes every rounding, and the spread shows its effect.

Sampled runs are repeated with other seeds, hold'em on random situations: other boards and other
ranges every time. All algorithms run on the same situations, so two of them are compared situation
by situation.
"""

from __future__ import annotations

import dataclasses
import math
import os
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from math import comb
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from infoset.api import compile
from infoset.cards import NUM_CARDS
from infoset.experiments.curves import INTERVAL, RANGE, Band, Curve
from infoset.experiments.registry import Cell, Step
from infoset.forms import SequenceForm, SpotForm, cost_of, form_of_spot
from infoset.games.holdem import random_situation
from infoset.solvers import Limits, build_solver, find_algorithm, find_recipe

Key = TypeVar("Key", bound=Hashable)

CHUNK = 50
"""Iterations between two checks whether to stop."""
LEAST = 1e-6
"""Chips. Single precision may bring a solved spot to zero or below, which has no logarithm."""


def parts(progress: Step, lengths: Sequence[float]) -> list[Step]:
    """The progress of the parts of a task, which take times as these lengths.

    >>> first, second = parts(lambda share, text: print(share, text), [3, 1])
    >>> second(0.5, "halfway through the last quarter")
    0.875 halfway through the last quarter
    """

    def part(begin: float, end: float) -> Step:
        return lambda share, text: progress(min(begin + (end - begin) * share, end), text)

    ends = [sum_so_far / sum(lengths) for sum_so_far in accumulate(lengths, initial=0)]
    return [part(begin, end) for begin, end in pairwise(ends)]


def each(items: Sequence[Key], progress: Step) -> Iterator[tuple[Key, Step]]:
    """Items that take equally long, each with its part of the progress."""
    return zip(items, parts(progress, [1] * len(items)), strict=True)


class Repetition(NamedTuple):
    """What one of several runs of an algorithm is made on."""

    form: SequenceForm | SpotForm
    unit: int = 1
    """How many units a chip is counted as."""
    seed: int = 0


@dataclasses.dataclass(frozen=True, eq=False)
class Measurer:
    """Runs algorithms on the repetitions of one game."""

    game: str
    repetitions: Sequence[Repetition]
    band: Band = INTERVAL
    """What curves show of the differences between repetitions."""
    workers: int = 1
    """Repetitions that run at a time."""
    least: float = 0.0
    """Chips: any lower exploitability is measured as this."""

    def curves(
        self, algorithms: Mapping[Key, str], iterations: Sequence[int], progress: Step
    ) -> dict[Key, Curve]:
        """The curve of each algorithm, by its name."""
        return {
            name: self.curve(algorithms[name], iterations, step)
            for name, step in each([*algorithms], progress)
        }

    def curve(self, algorithm: str, iterations: Sequence[int], progress: Step) -> Curve:
        """Exploitability of the average strategy at these iterations, in every repetition."""
        find_recipe(algorithm)  # An error in it is raised here, not in a thread.
        limits = Limits(iterations=iterations[-1])
        stop = threading.Event()

        def run(repetition: Repetition) -> NDArray[np.float64]:
            """[points, 2] Exploitability and nodes touched."""
            form, unit, seed = repetition
            solver = build_solver(form, find_algorithm(algorithm), limits, seed=seed)
            points = np.full((len(iterations), 2), np.nan)
            for point, iteration in zip(points, iterations, strict=True):
                while solver.iteration < iteration:
                    if stop.is_set():
                        return points
                    solver.run(min(CHUNK, iteration - solver.iteration))
                point[:] = max(solver.exploitability() / unit, self.least), solver.nodes_touched
            return points

        text = f"{algorithm} on {self.game}"
        progress(0.0, text)
        runs = []
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for result in pool.map(run, self.repetitions):
                    runs.append(result)
                    progress(len(runs) / len(self.repetitions), text)
            finally:
                # After Ctrl-C: what waits is dropped, what runs ends within a chunk.
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
        exploitability, nodes = np.moveaxis(np.array(runs), -1, 0)
        return Curve(np.array(iterations), exploitability, nodes, self.band)


def in_units(game: str, repetitions: int) -> Measurer:
    """A general game, repeated with a chip counted as other numbers of units.

    They share no factor with 30: factors of 2, 3 and 5 are in the probabilities of dealing cards,
    and would cancel when the compiled game puts its payoffs in whole units.

    >>> [repetition.unit for repetition in in_units("kuhn", 5).repetitions]
    [1, 7, 11, 13, 17]
    """
    form = compile(game)
    units = [n for n in range(1, 4 * repetitions) if math.gcd(n, 30) == 1][:repetitions]
    return Measurer(form.name, [Repetition(_in_unit(form, unit), unit) for unit in units], RANGE)


def _in_unit(form: SequenceForm, unit: int) -> SequenceForm:
    """The same game with every chip counted as so many units."""
    history = form.history
    scaled = dataclasses.replace(history, node_payoff=history.node_payoff * unit)
    return SequenceForm(form.name, form.treeplexes, scaled)


def with_seeds(game: str, repetitions: int) -> Measurer:
    """A general game for algorithms that sample, with seeds 0, 1, 2, ..."""
    form = compile(game)
    return Measurer(form.name, [Repetition(form, seed=seed) for seed in range(repetitions)])


def on_situations(kind: str, seeds: Sequence[int]) -> Measurer:
    """Random situations of one kind, one for each seed; as many at a time as there are cores."""
    forms = [form_of_spot(random_situation(kind, seed)) for seed in seeds]
    repetitions = [Repetition(form) for form in forms]
    return Measurer(kind, repetitions, workers=os.cpu_count() or 1, least=LEAST)


def size_of_situations(kind: str) -> dict[str, Cell]:
    """How large situations are, all of which have the same betting, as cells of a table.

    Infosets are decisions times the hands that the board there allows.
    """
    cost = cost_of(random_situation(kind))
    infosets = [s.num_decisions * comb(NUM_CARDS - 2 - s.street, 2) for s in cost.streets]
    return {"decisions": cost.num_decisions, "infosets": sum(infosets)}
