"""A recipe's schedules for solvers that touch only what they visit.

Discounts apply to all regrets and averages in every iteration, and a sampled solver cannot afford
that. Instead, the discounts since an infoset's last visit are applied at its next visit: their
product is a difference of running logarithms. The average is never discounted; later iterations
weigh more instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.solvers.limits import MAX_ITERATIONS
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import Times

Floats = NDArray[np.float64]

LOG_OF_ZERO = -800.0
"""Stands for the logarithm of zero: its exponential is zero."""

MAX_GROWTH = 200.0
"""When an iteration would weigh exp(200) times the first, all weights are scaled down."""


class Schedule(NamedTuple):
    """The weights of some iterations."""

    log_kept: Floats
    """[2, iterations] Logarithm of the product of all discounts so far, of positive and negative
    regrets."""
    floor: float
    weight: Floats
    """[iterations] Weight in the average."""


class SampleWeights:
    """The weights of a run, from iteration to iteration."""

    def __init__(self, recipe: Recipe, horizon: int | None) -> None:
        self._recipe = recipe
        self._horizon = horizon
        end = horizon if horizon is not None else MAX_ITERATIONS
        times = np.unique(np.geomspace(2, max(end, 2), 200).astype(np.int64)).astype(np.float64)
        kept = recipe.regrets(times, horizon)
        self.discounts = self._forgets(kept.keep_positive, kept.keep_negative, kept.floor)
        self.running = np.zeros(4)
        """Logarithms at the last iteration: of the discounts so far (positive and negative), of the
        weight in the average, and of the weight that the average has been scaled down by."""
        self._ahead = 1, np.zeros((3, 0))

    @staticmethod
    def _forgets(keep_positive: Times, keep_negative: Times, floor: float) -> bool:
        """Whether regrets are discounted; negative ones matter only if the floor allows them."""
        return bool(np.any(keep_positive != 1.0) or (floor < 0 and np.any(keep_negative != 1.0)))

    def batch(self, first: int, count: int) -> tuple[Schedule, float]:
        """The weights from iteration ``first`` on, ``count`` of them or fewer.

        Also returns what the average must be divided by before the first of them.
        """
        w = self._recipe.weights(first, count, self._horizon)
        begin = max(0, 2 - first)  # there is nothing to discount before the first iteration
        kept = w.keep_positive[begin:-1], w.keep_negative[begin:-1]
        if not self.discounts and self._forgets(*kept, w.floor):
            raise BadInputError(
                "a schedule that forgets regrets in a few iterations only does not work with "
                "sampling, which must know from the start that it forgets"
            )
        with np.errstate(divide="ignore"):
            steps = np.log(np.stack([w.keep_positive[:-1], w.keep_negative[:-1], w.decay[:-1]]))
        steps = np.maximum(steps, LOG_OF_ZERO) * [[1.0], [1.0], [-1.0]]
        if first == 1:
            steps[:, 0] = 0.0  # there is nothing to discount yet
        # Added one by one from the last iteration, so results do not depend on where batches end.
        logs = np.cumsum(np.hstack([self.running[:3, None], steps]), axis=1)[:, 1:]
        scale = 1.0
        if logs[2, 0] - self.running[3] > MAX_GROWTH:
            with np.errstate(over="ignore"):
                scale = float(np.exp(logs[2, 0] - self.running[3]))
            self.running[3] = logs[2, 0]
        growth = logs[2] - self.running[3]
        too_much = np.flatnonzero(growth > MAX_GROWTH)
        count = int(too_much[0]) if len(too_much) else count
        self._ahead = first, logs[:, :count]
        weight = w.weight[:count] * np.exp(growth[:count])
        return Schedule(np.ascontiguousarray(logs[:2, :count]), w.floor, weight), scale

    def advance(self, iteration: int) -> None:
        """Set the last iteration that the run has completed; it is one of the last `batch`."""
        first, logs = self._ahead
        if iteration >= first:
            self.running[:3] = logs[:, iteration - first]
