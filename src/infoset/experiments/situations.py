"""Hold'em repeated on random situations: other boards and other ranges every time.

All algorithms run on the same situations, so two of them are compared situation by situation.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb

import numpy as np
from numpy.typing import NDArray

from infoset.cards import NUM_CARDS
from infoset.experiments.convergence import Curve, Measurer, rounded
from infoset.experiments.registry import Cell, Step
from infoset.forms import SpotForm, cost_of, form_of_spot
from infoset.games.holdem import Spot, random_situation
from infoset.solvers import Recipe, VectorSolver, find_recipe

__all__ = ["SituationMeasurer", "in_mbb", "num_infosets", "size_row"]

Floats = NDArray[np.float64]

BIG_BLIND = 100
CHUNK = 50
"""Iterations between two checks whether to stop."""
LEAST = 1e-6
"""Chips. Single precision may bring a solved spot to zero or below, which has no logarithm."""


def in_mbb(chips: float) -> float:
    """Thousandths of a big blind.

    >>> in_mbb(0.5)
    5.0
    """
    return rounded(1000 * chips / BIG_BLIND)


def num_infosets(spot: Spot) -> int:
    """Decisions times the hands that the board there allows."""
    return sum(
        street.num_decisions * comb(NUM_CARDS - 2 - street.street, 2)
        for street in cost_of(spot).streets
    )


def size_row(spot: Spot) -> dict[str, Cell]:
    """How large a spot is, as cells of a table."""
    return {"decisions": cost_of(spot).num_decisions, "infosets": num_infosets(spot)}


class SituationMeasurer(Measurer):
    """Random situations of one kind, one for each seed; as many at a time as there are cores."""

    def __init__(
        self, kind: str, seeds: Sequence[int], progress: Step, share: tuple[float, float], runs: int
    ) -> None:
        """``share`` is where this kind's ``runs`` begin and end in the experiment."""
        super().__init__(kind, len(seeds), progress, share, runs)
        self._forms = [form_of_spot(random_situation(kind, seed)) for seed in seeds]

    @property
    def spot(self) -> Spot:
        """The first situation; all of them have the same betting."""
        return self._forms[0].spot

    def curve(self, algorithm: str, iterations: Sequence[int]) -> Curve:
        """Exploitability in chips at these iterations, in every situation."""
        find_recipe(algorithm)
        return super().curve(algorithm, iterations)

    def _repeat(self, algorithm: str, iterations: Sequence[int]) -> Generator[Floats]:
        recipe = find_recipe(algorithm)
        stop = threading.Event()

        def run(form: SpotForm) -> Floats:
            return _run(form, recipe, iterations, stop)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            try:
                yield from pool.map(run, self._forms)
            finally:
                # After Ctrl-C: what waits is dropped, what runs ends within a chunk.
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)


def _run(
    form: SpotForm, recipe: Recipe, iterations: Sequence[int], stop: threading.Event
) -> Floats:
    """[points] Exploitability of the average strategy at these iterations."""
    solver = VectorSolver(form, recipe, iterations[-1])
    out = np.full(len(iterations), np.nan)
    for point, iteration in enumerate(iterations):
        while solver.iteration < iteration:
            if stop.is_set():
                return out
            solver.run(min(CHUNK, iteration - solver.iteration))
        out[point] = max(solver.exploitability(), LEAST)
    return out
