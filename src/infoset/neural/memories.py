"""Memories of samples: one keeps all with the same probability, another the last ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
            raise FileFormatError(
                "the memory of a checkpoint holds impossible numbers, or not finite ones"
            )
        self.seen = seen
        self._classes = np.array(classes, dtype=np.int32)
        self._rows = rows.copy()
        self._weights = np.array(weights, dtype=np.float32)


class Steps(NamedTuple):
    """What a player did at classes of infosets, and what came of it."""

    classes: NDArray[np.int32]
    slots: NDArray[np.int32]
    """The action."""
    rewards: Floats
    following: NDArray[np.int32]
    """The class at which he moved next; -1 if he did not."""


class Ring:
    """The last records, up to a capacity: a new one takes the place of the oldest.

    Records lie in columns, arrays by name.
    """

    def __init__(self, capacity: int, **types: type) -> None:
        self.capacity = capacity
        self.seen = 0
        """Records added so far."""
        self._columns: dict[str, NDArray[Any]] = {n: np.zeros(0, t) for n, t in types.items()}

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def append(self, *columns: NDArray[Any]) -> None:
        """Add records, the oldest first.

        >>> memory = Ring(3, numbers=int)
        >>> memory.append(np.arange(5))
        >>> memory.held()[0].tolist()
        [3, 4, 2]
        """
        count = len(columns[0])
        number = self.seen + np.arange(count)
        self.seen += count
        self._grow(len(self))
        # Of more records than there are places, the last ones stay.
        kept = slice(max(0, count - self.capacity), None)
        place = number[kept] % self.capacity
        for column, new in zip(self._columns.values(), columns, strict=True):
            column[place] = new[kept]

    def _grow(self, count: int) -> None:
        size = min(map(len, self._columns.values()))
        if count <= size:
            return
        size = min(self.capacity, max(2 * size, count, 1024))
        for name, old in self._columns.items():
            grown = np.zeros(size, old.dtype)
            grown[: len(old)] = old
            self._columns[name] = grown

    def held(self) -> tuple[NDArray[Any], ...]:
        """All records, as they lie: a column each."""
        return tuple(column[: len(self)] for column in self._columns.values())

    @property
    def nbytes(self) -> int:
        """Bytes of what is held."""
        return sum(column.nbytes for column in self._columns.values())

    def state(self) -> Arrays:
        """All records, as they lie."""
        columns = zip(self._columns, self.held(), strict=True)
        seen = np.array([self.seen], dtype=np.int64)
        return {"seen": seen, **{name: column.copy() for name, column in columns}}

    def hold(self, state: State, fits: Callable[..., bool]) -> None:
        """Hold what was saved, if ``fits`` says of its columns that they can be of this run."""
        seen = int(state["seen"][0])
        held = min(seen, self.capacity)
        columns = {
            name: np.array(state[name], column.dtype) for name, column in self._columns.items()
        }
        is_whole = held >= 0 and all(len(column) == held for column in columns.values())
        if not is_whole or (held and not fits(*columns.values())):
            raise FileFormatError("the memory of a checkpoint does not fit this run")
        self.seen, self._columns = seen, columns


class CircularBuffer(Ring):
    """The last steps of a player."""

    def __init__(self, capacity: int) -> None:
        types = {"classes": np.int32, "slots": np.int32, "rewards": np.float32}
        super().__init__(capacity, **types, following=np.int32)

    def add(self, steps: Steps) -> None:
        """Add steps, the oldest first."""
        self.append(*steps)

    def draw(self, count: int, rng: np.random.Generator) -> Steps:
        """Random steps, with repetition."""
        chosen = rng.integers(0, len(self), count)
        return Steps._make(column[chosen] for column in self.held())

    def restore(self, state: State, legal: NDArray[np.bool_]) -> None:
        """Hold what was saved; ``legal`` [classes, slots] says which actions there are."""
        if not np.isfinite(np.asarray(state["rewards"], dtype=np.float64)).all():
            raise FileFormatError("the memory of a checkpoint is not finite")

        def fits(classes: Any, slots: Any, rewards: Any, following: Any) -> bool:
            known = 0 <= classes.min() <= classes.max() < legal.shape[0]
            known = known and 0 <= slots.min() <= slots.max() < legal.shape[1]
            known = known and bool(legal[classes, slots].all())
            return known and bool(-1 <= following.min() <= following.max() < legal.shape[0])

        self.hold(state, fits)
