"""Schedules: the weights of regrets and averages, as functions of the iteration.

A *regret schedule* says how much of the regrets so far survives before iteration ``t`` adds its
own, and the floor below which they may not fall. An *average schedule* gives the weight of the
average so far relative to the plan of iteration ``t``. Both take ``t`` (1, 2, 3, ..., a number or
an array of numbers) and the length of the run, if it is known; any function of that shape will do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError

Times = float | NDArray[np.float64]


class RegretWeights(NamedTuple):
    """What happens to the regrets of the past."""

    keep_positive: Times
    keep_negative: Times
    floor: float


RegretSchedule = Callable[[Times, int | None], RegretWeights]
AverageSchedule = Callable[[Times, int | None], Times]
Exponent = float | Callable[[Times, int | None], Times]


def ramp(begin: float, end: float) -> Callable[[Times, int | None], Times]:
    """An exponent that moves evenly from ``begin`` to ``end`` over the run.

    >>> ramp(30, 25)(500, 1000)
    27.5
    """

    def at(t: Times, horizon: int | None) -> Times:
        if horizon is None:
            raise BadInputError(
                "this algorithm's weights depend on the length of the run: give a number of "
                "iterations (iterations=N, or --iterations N)"
            )
        return begin + (end - begin) * t / horizon

    return at


def _at(exponent: Exponent, t: Times, horizon: int | None) -> Times:
    return exponent(t, horizon) if callable(exponent) else exponent


def _kept(exponent: Exponent, t: Times, horizon: int | None) -> Times:
    """``s**x / (s**x + 1)`` with ``s = t - 1``; written so that infinite x and s = 0 are fine."""
    x = _at(exponent, t, horizon)
    if isinstance(x, float) and math.isinf(x):
        return np.ones_like(t, dtype=float)[()] if x > 0 else np.zeros_like(t, dtype=float)[()]
    with np.errstate(divide="ignore", over="ignore"):
        # The past is empty before the first iteration, so its factor there is of no importance.
        return 1.0 / (1.0 + np.maximum(np.asarray(t, dtype=float) - 1.0, 1e-300) ** -x)[()]


def summed() -> RegretSchedule:
    """Keep all regrets as they are.

    >>> summed()(4)
    RegretWeights(keep_positive=1.0, keep_negative=1.0, floor=-inf)
    """
    return discounted(alpha=math.inf, beta=math.inf)


def floored() -> RegretSchedule:
    """Regret matching+: no regret ever falls below zero (Tammelin 2014)."""
    return discounted(alpha=math.inf, beta=-math.inf, floor=0.0)


def discounted(
    alpha: Exponent = 1.5, beta: Exponent = 0.0, floor: float = -math.inf
) -> RegretSchedule:
    """Forget old regrets, the positive ones more slowly than the negative.

    Before iteration ``t`` adds its regrets, the past is multiplied by ``s**x / (s**x + 1)`` with
    ``s = t - 1``, where ``x`` is ``alpha`` for positive and ``beta`` for negative regrets. ``inf``
    keeps everything, ``-inf`` nothing. Afterwards no regret is left below ``floor``.

    Brown & Sandholm (2019) discount after adding. The strategies are the same: one common factor
    on an infoset's positive regrets cancels in regret matching.

    >>> discounted(alpha=1.0, beta=0.0)(4)
    RegretWeights(keep_positive=0.75, keep_negative=0.5, floor=-inf)
    """

    def at(t: Times, horizon: int | None = None) -> RegretWeights:
        kept = _kept(alpha, t, horizon), _kept(beta, t, horizon)
        if np.ndim(t) == 0:
            return RegretWeights(float(kept[0]), float(kept[1]), floor)
        return RegretWeights(*kept, floor)

    return at


def polynomial(gamma: Exponent) -> AverageSchedule:
    """Iteration ``t`` counts ``t**gamma`` times: 0 is uniform, 1 linear, 2 quadratic.

    Returned is what the average so far is multiplied with before the plan of iteration ``t`` is
    added: ``((t - 1) / t)**gamma``. Nothing overflows, however long the run.

    >>> polynomial(2)(4)
    0.5625
    """

    def at(t: Times, horizon: int | None = None) -> Times:
        exponent = _at(gamma, t, horizon)
        if isinstance(exponent, int | float) and exponent == 0:
            return np.ones_like(t, dtype=float)[()]
        share: Times = (np.asarray(t, dtype=float) - 1.0) / t
        out = share**exponent
        return float(out) if np.ndim(t) == 0 else out

    return at


def weighted(weight: Callable[[Times], Times]) -> AverageSchedule:
    """Iteration ``t`` counts ``weight(t)`` times, for any positive function.

    >>> weighted(lambda t: t**2)(4)
    0.5625
    """

    def at(t: Times, horizon: int | None = None) -> Times:
        share = weight(np.maximum(np.asarray(t, dtype=float) - 1.0, 1.0)[()]) / weight(t)
        return float(share) if np.ndim(t) == 0 else share

    return at
