"""What is kept, in short arrays, of the sequences that are not laid out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.solvers.recipe import Weights
from infoset.solvers.sequence.kernels.scattered import compress_into, expand_into, growth_into

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Tables(NamedTuple):
    """Both players' tables over the whole form, as long as a check needs them."""

    regrets: list[Floats]
    average: list[Floats]
    sums: list[Floats]
    """[num_infosets] of each player: weighted sums of what infosets were worth."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for pair in self for array in pair)


class Scattered(NamedTuple):
    """The numbers of some sequences, or infosets, of many: a bit for each, and the numbers."""

    bits: NDArray[np.uint8]
    numbers: Floats

    @classmethod
    def of(cls, array: Floats, mask: Mask) -> Scattered:
        """The numbers under a mask."""
        numbers = np.empty(np.count_nonzero(mask))
        compress_into(numbers, array, mask)
        return cls(np.packbits(mask), numbers)

    @classmethod
    def nothing(cls) -> Scattered:
        """No number at all."""
        return cls(np.zeros(0, dtype=np.uint8), np.zeros(0))

    @property
    def at(self) -> NDArray[np.intp]:
        """Where the numbers belong."""
        return np.flatnonzero(np.unpackbits(self.bits))

    def write_into(self, array: Floats, positive: float = 1.0, negative: float = 1.0) -> None:
        """Write the numbers to where they belong, times a factor for each sign."""
        expand_into(array, self.bits, self.numbers, positive, negative)

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.bits.nbytes + self.numbers.nbytes


class Rest:
    """One player's numbers as they were when the live part was laid out, and what to do with them.

    Discounts are products that are multiplied with at the end.
    """

    def __init__(
        self, average: Scattered, bases: Scattered, regrets: Scattered, sums: Scattered
    ) -> None:
        self.average = average
        """Of all sequences that are not live."""
        self.bases = bases
        """The averages, at that time, of live sequences that lead to infosets at rest."""
        self.regrets = regrets
        """Of sequences at rest."""
        self.sums = sums
        """Of infosets at rest: what they were worth."""
        self.average_scale = 1.0
        self.sums_scale = 1.0
        self.keep_positive = 1.0
        self.keep_negative = 1.0

    @classmethod
    def of_nothing(cls) -> Rest:
        """Where everything is live."""
        return cls(*(Scattered.nothing() for _ in range(4)))

    @property
    def numbers(self) -> tuple[Scattered, Scattered, Scattered, Scattered]:
        """Everything that is kept."""
        return self.average, self.bases, self.regrets, self.sums

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(numbers.nbytes for numbers in self.numbers)

    def scale_by(self, weights: Weights, *, is_ahead: bool, keeps_negative: bool) -> None:
        """Discount by the weights of some iterations; sums may be one iteration ahead."""
        # One by one: the same bits however a run is cut into pieces.
        for t in range(weights.num_iterations):
            self.average_scale *= float(weights.decay[t])
            self.sums_scale *= float(weights.decay[t + 1 if is_ahead else t])
            self.keep_positive *= float(weights.keep_positive[t])
            if not keeps_negative:
                self.keep_negative *= float(weights.keep_negative[t])

    def write_into(self, regrets: Floats, average: Floats, sums: Floats) -> None:
        """Write the numbers of today to arrays over all sequences and infosets."""
        self.average.write_into(average, self.average_scale, self.average_scale)
        self.sums.write_into(sums, self.sums_scale, self.sums_scale)
        self.regrets.write_into(regrets, self.keep_positive, self.keep_negative)

    def growth(self, average: Floats) -> Floats:
        """How much the averages have grown since then that lead to infosets at rest."""
        growth = np.zeros(len(average))
        bases = self.bases
        growth_into(growth, average, bases.bits, bases.numbers, self.average_scale)
        return growth

    @property
    def scales(self) -> Floats:
        """All products, for checkpoints."""
        return np.array(
            [self.average_scale, self.sums_scale, self.keep_positive, self.keep_negative]
        )

    def set_scales(self, scales: Floats) -> None:
        """Go on with saved products."""
        self.average_scale, self.sums_scale, self.keep_positive, self.keep_negative = (
            scales.tolist()
        )
