"""Samples for networks: mini-batches of walks, under strategies that networks give."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.regrets import Regrets, match, match_some
from infoset.neural.state import Arrays
from infoset.solvers import LevelWalks, Otherwise, Recipe, SampledSolver, State

Floats = NDArray[np.float64]


class Samples(NamedTuple):
    """What a mini-batch of walks found, by class of infosets: all are [num_classes, num_slots]."""

    rows: NDArray[np.floating]
    """What the source of strategies said before; of infosets that were not met, perhaps zero."""
    strategy: Rows
    """The strategy that follows, where infosets were met."""
    regrets: Rows
    """Sampled regrets, summed over infosets and divided by the number of walks."""
    visits: Rows
    """The strategy, times how much of it a walk adds to the average."""


class Sampler(ABC):
    """What makes the samples of an iteration."""

    def __init__(self, encoding: Encoding, otherwise: Otherwise) -> None:
        self.encoding = encoding
        self.otherwise = otherwise

    @abstractmethod
    def sample(self, number: int, regrets: Regrets) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""

    def state(self) -> Arrays:
        """All that mini-batches depend on besides the seed, their number and the strategy."""
        return {}

    def restore(self, state: State) -> None:  # noqa: B027
        """Go on from a saved state."""

    @property
    def loss(self) -> float:
        """The loss of the last training of what it learns; not a number if it learns nothing."""
        return math.nan

    @property
    def num_parameters(self) -> int:
        """Of the networks that it trains."""
        return 0

    @property
    @abstractmethod
    def nodes_touched(self) -> int:
        """Histories visited so far."""

    @nodes_touched.setter
    @abstractmethod
    def nodes_touched(self, count: int) -> None:
        """Go on counting from here."""

    @property
    def kept_bytes(self) -> int:
        """Bytes that are kept from one iteration to the next."""
        return 0

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes of work space."""

    @property
    @abstractmethod
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""


class SamplerAtOnce(Sampler):
    """Asks for the strategies of all infosets first."""

    def sample(self, number: int, regrets: Regrets) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""
        rows = regrets.rows()
        strategy = match(rows, self.encoding, self.otherwise)
        sums = self.sums(number, self.encoding.by_sequence(strategy))
        return Samples(rows, strategy, *map(self.encoding.totals, sums))

    @abstractmethod
    def sums(self, number: int, strategy: Floats) -> tuple[Floats, Floats]:
        """The regrets of a mini-batch and what it adds to the average, by sequence, per walk."""


class Walks(SamplerAtOnce):
    """The compiled walks of `infoset.solvers`.

    They are those that the tabular solver of the same recipe and seed makes, as long as strategies
    agree.
    """

    def __init__(
        self,
        form: SequenceForm,
        recipe: Recipe,
        encoding: Encoding,
        otherwise: Otherwise,
        *,
        seed: int,
        threads: int,
    ) -> None:
        super().__init__(encoding, otherwise)
        self._solver = SampledSolver(form, recipe, seed=seed, threads=threads)
        self._before = 0
        """Nodes touched before the run went on."""

    def sums(self, number: int, strategy: Floats) -> tuple[Floats, Floats]:
        """The regrets of a mini-batch and what it adds to the average, by sequence, per walk."""
        return self._solver.walk_once(number, strategy)

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far."""
        return self._before + self._solver.nodes_touched

    @nodes_touched.setter
    def nodes_touched(self, count: int) -> None:
        self._before = count - self._solver.nodes_touched

    @property
    def nbytes(self) -> int:
        """Bytes of tables and logs of the walks."""
        return self._solver.working_bytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        return self._solver.form_bytes


class WalksByLevel(Sampler):
    """Walks that ask for the strategies of the infosets that they meet, level by level."""

    def __init__(
        self,
        form: SequenceForm,
        recipe: Recipe,
        encoding: Encoding,
        otherwise: Otherwise,
        *,
        seed: int,
    ) -> None:
        super().__init__(encoding, otherwise)
        self._walks = LevelWalks(form, recipe, seed=seed)

    def sample(self, number: int, regrets: Regrets) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""
        encoding, shape = self.encoding, self.encoding.legal.shape
        rows, strategy = np.zeros(shape), np.zeros(shape)
        is_known = np.zeros(len(strategy), dtype=bool)

        def ask(sequences: NDArray[np.int64]) -> Floats:
            classes = np.unique(encoding.sequence_class[sequences])
            classes = classes[~is_known[classes]]
            if len(classes):
                is_known[classes] = True
                rows[classes] = regrets.rows_of(classes)
                legal = encoding.legal[classes]
                strategy[classes] = match_some(rows[classes], legal, self.otherwise)
            return strategy.reshape(-1)[encoding.cells[sequences]]

        sums = self._walks.sample(number, ask)
        regrets_of = encoding.totals_of(sums.sequences, sums.regrets)
        visits = encoding.totals_of(sums.sequences, sums.visits)
        return Samples(rows, strategy, regrets_of, visits)

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far."""
        return self._walks.nodes_touched

    @nodes_touched.setter
    def nodes_touched(self, count: int) -> None:
        self._walks.nodes_touched = count

    @property
    def nbytes(self) -> int:
        """Bytes of tables and of the walks of a mini-batch."""
        return self._walks.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        return self._walks.form_bytes
