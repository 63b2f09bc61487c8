"""A recipe's schedules for solvers that touch only what they visit.

Discounts act on all regrets and averages in every iteration. A sampled solver cannot afford that.
Instead a regret is brought to the present when it is next visited, by how much of it has been kept
since: a difference of running logarithms. The average is never discounted; new iterations weigh
more instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.solvers.limits import MAX_ITERATIONS
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import Times

__all__ = ["SampleWeights", "Schedule"]

Floats = NDArray[np.float64]

LEAST = -800.0
"""The logarithm of nothing: its exponential is zero."""

MOST_GROWTH = 200.0
"""When an iteration would weigh exp(200) times the first, all weights are scaled down."""


class Schedule(NamedTuple):
    """The weights of some iterations."""

    kept: Floats
    """[2, iterations] Logarithm of what has been kept of positive and negative regrets."""
    floor: float
    weight: Floats
    """[iterations] Weight in the average."""


class SampleWeights:
    """The weights of a run, as far as it has come."""

    def __init__(self, recipe: Recipe, horizon: int | None) -> None:
        self._recipe = recipe
        self._horizon = horizon
        end = horizon if horizon is not None else MAX_ITERATIONS
        times = np.unique(np.geomspace(2, max(end, 2), 200).astype(np.int64)).astype(np.float64)
        kept = recipe.regrets(times, horizon)
        self.discounts = self._forgets(kept.keep_positive, kept.keep_negative, kept.floor)
        self.running = np.zeros(4)
        """Logarithms at the last iteration: of regrets kept, positive and negative, of the weight
        in the average, and of the weight that the average is scaled down by."""
        self._ahead = 1, np.zeros((3, 0))

    @staticmethod
    def _forgets(keep_positive: Times, keep_negative: Times, floor: float) -> bool:
        """Whether past regrets are changed; negative ones, where the floor leaves any."""
        return bool(np.any(keep_positive != 1.0) or (floor < 0 and np.any(keep_negative != 1.0)))

    def batch(self, first: int, count: int) -> tuple[Schedule, float]:
        """The weights from iteration ``first`` on, ``count`` of them or fewer.

        Before the first of them, the average is to be divided by the number that is returned too.
        """
        w = self._recipe.weights(first, count, self._horizon)
        begin = max(0, 2 - first)  # before the first iteration there is no past
        kept = w.keep_positive[begin:-1], w.keep_negative[begin:-1]
        if not self.discounts and self._forgets(*kept, w.floor):
            raise BadInputError(
                "a schedule that forgets regrets in a few iterations only does not work with "
                "sampling, which must know from the start that it forgets"
            )
        with np.errstate(divide="ignore"):
            steps = np.log(np.stack([w.keep_positive[:-1], w.keep_negative[:-1], w.decay]))
        steps = np.maximum(steps, LEAST) * [[1.0], [1.0], [-1.0]]
        if first == 1:
            steps[:, 0] = 0.0  # there is no past to keep
        # Added one by one from where the run is, so that it does not matter where batches end.
        logs = np.cumsum(np.hstack([self.running[:3, None], steps]), axis=1)[:, 1:]
        scale = 1.0
        if logs[2, 0] - self.running[3] > MOST_GROWTH:
            with np.errstate(over="ignore"):
                scale = float(np.exp(logs[2, 0] - self.running[3]))
            self.running[3] = logs[2, 0]
        growth = logs[2] - self.running[3]
        too_much = np.flatnonzero(growth > MOST_GROWTH)
        count = int(too_much[0]) if len(too_much) else count
        self._ahead = first, logs[:, :count]
        weight = w.weight[:count] * np.exp(growth[:count])
        return Schedule(np.ascontiguousarray(logs[:2, :count]), w.floor, weight), scale

    def advance(self, iteration: int) -> None:
        """Say that the run has come to an iteration of the last batch."""
        first, logs = self._ahead
        if iteration >= first:
            self.running[:3] = logs[:, iteration - first]
