"""What a sample of winnings says: mean, standard error, 95 % interval, hands needed.

A sample is summed up by its number, its mean and the sum of squared deviations from it; samples
are joined by the formulas of Chan, Golub & LeVeque (1979), which lose no digits where the mean is
large beside the deviations.

Players who change seats draw from two distributions, one for each seat, in equal shares. That the
means of the seats differ is no chance, so it is no part of the error: squared deviations are from
the mean of the own seat, and every mean taken costs a degree of freedom (*stratified* sampling).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError

NORMAL = 1.959963984540054
"""Half of a 95 % interval, in standard errors, where the sample is large."""
LARGE = 100
"""From this many numbers on, the normal distribution is used instead of Student's t."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A sample of winnings in chips, each the mean of `hands_each` hands.

    >>> four = Statistics.of(np.array([1.0, 2.0, 3.0, 6.0]))
    >>> four.mean, round(four.standard_error, 4), round(four.low, 2), round(four.high, 2)
    (3.0, 1.0801, -0.44, 6.44)
    >>> four == Statistics.of(np.array([1.0, 2.0])).joined(Statistics.of(np.array([3.0, 6.0])))
    True
    """

    num: int = 0
    """How many numbers."""
    mean: float = 0.0
    squares: float = 0.0
    """The sum of squared deviations, each from the mean of its group."""
    groups: int = 1
    """How many means the deviations are from."""
    hands_each: int = 1
    """How many hands a number stands for."""
    rounding: float = 0.0
    """Numbers may be off by this share of the mean, or of a chip if that is more: no interval is
    narrower. Where luck is taken out altogether, nothing but rounding would be left."""

    @classmethod
    def of(cls, numbers: NDArray[np.float64], hands_each: int = 1) -> Statistics:
        """The statistics of an array."""
        if not len(numbers):
            return cls(hands_each=hands_each)
        mean = float(np.mean(numbers))
        squares = float(np.square(numbers - mean).sum())
        return cls(len(numbers), mean, squares, hands_each=hands_each)

    def plus(self, number: float) -> Statistics:
        """With one number more."""
        num = self.num + 1
        away = number - self.mean
        mean = self.mean + away / num
        squares = self.squares + away * (number - mean)
        return replace(self, num=num, mean=mean, squares=squares)

    def joined(self, other: Statistics) -> Statistics:
        """Both samples as one. The order matters in the last digit, so join in that of hands."""
        if not other.num:
            return self
        num = self.num + other.num
        away = other.mean - self.mean
        mean = self.mean + away * (other.num / num)
        squares = self.squares + other.squares + away * away * (self.num * other.num / num)
        return replace(self, num=num, mean=mean, squares=squares)

    @classmethod
    def of_groups(cls, *groups: Statistics) -> Statistics:
        """The statistics of all, with deviations from the mean of the own group.

        >>> first, second = (Statistics.of(np.array(x)) for x in ([1.0, 1.0, 1.0], [5.0, 5.0]))
        >>> both = Statistics.of_groups(first, second)
        >>> both.num, both.mean, both.standard_error
        (5, 2.6, 0.0)
        """
        there = [group for group in groups if group.num]
        num = sum(group.num for group in there)
        mean = math.fsum(group.mean * group.num for group in there) / max(num, 1)
        squares = math.fsum(group.squares for group in there)
        groups_there = max(len(there), 1)
        return replace(groups[0], num=num, mean=mean, squares=squares, groups=groups_there)

    @property
    def hands(self) -> int:
        """How many hands the numbers stand for."""
        return self.num * self.hands_each

    @property
    def standard_deviation(self) -> float:
        """Of a single number; infinite, that is unknown, where there are too few of them."""
        freedom = self.num - self.groups
        return math.sqrt(self.squares / freedom) if freedom > 0 else math.inf

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return self.standard_deviation / math.sqrt(max(self.num, 1))

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval: by Student's t below a hundred numbers, at least rounding."""
        freedom = self.num - self.groups
        if freedom <= 0:
            return math.inf
        errors = _student(freedom) if self.num < LARGE else NORMAL
        return max(errors * self.standard_error, self.rounding * max(1.0, abs(self.mean)))

    @property
    def low(self) -> float:
        """Where the 95 % interval begins."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Where the 95 % interval ends."""
        return self.mean + self.half_width

    def hands_needed(self, half_width: float) -> int | None:
        """How many hands give a 95 % interval so narrow; `None` where nothing tells.

        >>> Statistics(num=400, mean=0.0, squares=399.0).hands_needed(0.098)
        400
        """
        if not half_width >= 0:
            raise BadInputError(f"half of an interval is at least 0, not {half_width}")
        deviation = self.standard_deviation
        if deviation == 0.0:
            return self.hands_each
        if math.isinf(deviation) or half_width == 0.0 or math.isinf(half_width):
            return None
        # A little less, so that rounding does not make one more of a whole number.
        return math.ceil((NORMAL * deviation / half_width) ** 2 * (1 - 1e-12)) * self.hands_each

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what is unknown is `None`."""
        figures = {
            "mean": self.mean,
            "standard_error": self.standard_error,
            "low": self.low,
            "high": self.high,
            "standard_deviation": self.standard_deviation,
        }
        known = {name: x if math.isfinite(x) else None for name, x in figures.items()}
        return {"num": self.num, "hands": self.hands, **known}


@lru_cache(maxsize=256)
def _student(freedom: int) -> float:
    """Half of a 95 % interval, in standard errors, by Student's t."""
    from scipy.special import stdtrit  # not above: few need it, and it takes a while to load

    return float(stdtrit(freedom, 0.975))
