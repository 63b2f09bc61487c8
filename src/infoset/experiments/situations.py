"""Hold'em repeated on random situations: other boards and other ranges every time.

Each algorithm meets the same situations, so two of them are compared situation by situation.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb

import numpy as np
from numpy.typing import NDArray

from infoset.calls import parse_call
from infoset.cards import NUM_CARDS
from infoset.errors import BadInputError
from infoset.experiments.convergence import Curve, Measurer, rounded
from infoset.experiments.registry import Cell, Step
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot import Spot
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.spot_solver import SpotLayout, SpotSolver

__all__ = ["SituationMeasurer", "in_mbb", "num_infosets", "recipe_of", "size_row"]

Floats = NDArray[np.float64]

BIG_BLIND = 100
CHUNK = 50
"""Iterations between two looks at whether to stop."""
LEAST = 1e-6
"""Chips. Single precision may bring a solved spot to zero or below, which has no logarithm."""


def in_mbb(chips: float) -> float:
    """Thousandths of a big blind.

    >>> in_mbb(0.5)
    5.0
    """
    return rounded(1000 * chips / BIG_BLIND)


def recipe_of(algorithm: str) -> Recipe:
    """The recipe of a preset, with its parameters."""
    call = parse_call(algorithm)
    if call.name not in PRESETS:
        raise BadInputError(f"{call.name!r} is no preset, so it does not run on random situations")
    recipe, _ = PRESETS[call.name].recipe(call)
    return recipe


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
        self._layouts = [SpotLayout(random_situation(kind, seed)) for seed in seeds]

    @property
    def spot(self) -> Spot:
        """The first situation; all of them have the same betting."""
        return self._layouts[0].spot

    def curve(self, algorithm: str, iterations: Sequence[int]) -> Curve:
        """Exploitability in chips at these iterations, in every situation."""
        recipe_of(algorithm)
        return super().curve(algorithm, iterations)

    def _repeat(self, algorithm: str, iterations: Sequence[int]) -> Generator[Floats]:
        recipe = recipe_of(algorithm)
        stop = threading.Event()

        def run(layout: SpotLayout) -> Floats:
            return _run(layout, recipe, iterations, stop)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            try:
                yield from pool.map(run, self._layouts)
            finally:
                # After Ctrl-C: what waits is dropped, what runs ends within a chunk.
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)


def _run(
    layout: SpotLayout, recipe: Recipe, iterations: Sequence[int], stop: threading.Event
) -> Floats:
    """[points] Exploitability of the average strategy at these iterations."""
    solver = SpotSolver(layout, recipe, iterations[-1])
    out = np.full(len(iterations), np.nan)
    for point, iteration in enumerate(iterations):
        while solver.iteration < iteration:
            if stop.is_set():
                return out
            solver.run(min(CHUNK, iteration - solver.iteration))
        out[point] = max(solver.exploitability(), LEAST)
    return out
