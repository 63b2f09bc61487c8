"""Memories of samples: a reservoir that keeps every sample with the same probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError
from infoset.neural.state import Arrays
from infoset.solvers import State

Floats = NDArray[np.float32]


class Reservoir:
    """Samples, each a class of infosets, a row of numbers and a weight.

    When it is full, a new sample takes the place of a random one, with the probability that makes
    every sample so far equally likely to be kept (Vitter 1985, Algorithm R).
    """

    def __init__(self, capacity: int, width: int) -> None:
        self.capacity = capacity
        self.width = width
        self.seen = 0
        """Samples offered so far."""
        self._classes = np.zeros(0, dtype=np.int32)
        self._rows = np.zeros((0, width), dtype=np.float32)
        self._weights = np.zeros(0, dtype=np.float32)

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(
        self,
        classes: NDArray[np.integer[Any]],
        rows: NDArray[np.floating[Any]],
        weights: NDArray[np.floating[Any]],
        rng: np.random.Generator,
    ) -> None:
        """Offer samples.

        >>> memory = Reservoir(2, 1)
        >>> memory.add(np.arange(3), np.zeros((3, 1)), np.ones(3), np.random.default_rng(0))
        >>> len(memory), memory.seen
        (2, 3)
        """
        number = self.seen + np.arange(len(classes))
        self.seen += len(classes)
        # Sample number n takes the place floor(u (n + 1)): while there is room, its own.
        draws = (rng.random(len(classes)) * (number + 1)).astype(np.int64)
        place = np.where(number < self.capacity, number, draws)
        kept = place < self.capacity
        self._grow(len(self))
        # Of samples that meet in one place the last stays, as if they had come one by one.
        self._classes[place[kept]] = classes[kept]
        self._rows[place[kept]] = rows[kept]
        self._weights[place[kept]] = weights[kept]

    def _grow(self, count: int) -> None:
        if count <= len(self._classes):
            return
        size = min(self.capacity, max(2 * len(self._classes), count, 1024))
        self._classes = np.resize(self._classes, size)
        rows = np.zeros((size, self.width), dtype=np.float32)
        rows[: len(self._rows)] = self._rows
        self._rows = rows
        self._weights = np.resize(self._weights, size)

    def totals(self, num_classes: int) -> NDArray[np.float64]:
        """[num_classes, width] The weighted sum of all rows of each class."""
        held = len(self)
        cells = self._classes[:held, None].astype(np.int64) * self.width + np.arange(self.width)
        rows = self._rows[:held] * self._weights[:held, None]
        count = num_classes * self.width
        sums: NDArray[np.float64] = np.bincount(cells.reshape(-1), rows.reshape(-1), count)  # type: ignore[assignment]
        return sums.reshape(num_classes, self.width)

    def weights_of(self, num_classes: int) -> NDArray[np.float64]:
        """[num_classes] The sum of the weights of each class's samples."""
        held = len(self)
        sums: NDArray[np.float64] = np.bincount(
            self._classes[:held], self._weights[:held], num_classes
        )  # type: ignore[assignment]
        return sums

    def draw(
        self, count: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int32], Floats, Floats]:
        """Random samples, with repetition: classes, rows, weights."""
        chosen = rng.integers(0, len(self), count)
        return self._classes[chosen], self._rows[chosen], self._weights[chosen]

    @property
    def nbytes(self) -> int:
        """Bytes of what is held."""
        return self._classes.nbytes + self._rows.nbytes + self._weights.nbytes

    def state(self) -> Arrays:
        """All samples."""
        held = len(self)
        return {
            "seen": np.array([self.seen], dtype=np.int64),
            "classes": self._classes[:held].copy(),
            "rows": self._rows[:held].reshape(-1).copy(),
            "weights": self._weights[:held].copy(),
        }

    def restore(self, state: State, num_classes: int) -> None:
        """Hold what was saved."""
        seen = int(state["seen"][0])
        held = min(seen, self.capacity)
        classes, weights = state["classes"], state["weights"]
        rows = np.asarray(state["rows"], dtype=np.float32).reshape(-1, self.width)
        fits = len(classes) == len(rows) == len(weights) == held >= 0
        if not fits or (held and not 0 <= classes.min() <= classes.max() < num_classes):
            raise FileFormatError("the memory of a checkpoint does not fit this run")
        if not (np.isfinite(rows).all() and np.isfinite(weights).all()) or (weights < 0).any():
            raise FileFormatError("the memory of a checkpoint holds impossible numbers")
        self.seen = seen
        self._classes = np.array(classes, dtype=np.int32)
        self._rows = rows.copy()
        self._weights = np.array(weights, dtype=np.float32)
