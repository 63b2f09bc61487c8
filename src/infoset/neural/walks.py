"""Samples for networks: mini-batches of compiled walks, under strategies that networks give."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NamedTuple

from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.state import Arrays
from infoset.solvers import Recipe, SampledSolver, State


class Samples(NamedTuple):
    """What a mini-batch of walks found, by class of infosets."""

    regrets: Rows
    """[num_classes, num_slots] Sampled regrets, summed over infosets and divided by the walks."""
    visits: Rows
    """[num_classes, num_slots] The strategy, times how much of it a walk adds to the average."""


class Sampler(ABC):
    """What makes the samples of an iteration."""

    encoding: Encoding

    @abstractmethod
    def sample(self, number: int, strategy: Rows) -> Samples:
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


class Walks(Sampler):
    """Mini-batches on the compiled walks of `infoset.solvers`: all infosets' strategies at once.

    They are those that the tabular solver of the same recipe and seed makes, as long as strategies
    agree.
    """

    def __init__(
        self, form: SequenceForm, recipe: Recipe, encoding: Encoding, *, seed: int, threads: int
    ) -> None:
        self.encoding = encoding
        self._solver = SampledSolver(form, recipe, seed=seed, threads=threads)
        self._before = 0
        """Nodes touched before the run went on."""

    def sample(self, number: int, strategy: Rows) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""
        by_sequence = self.encoding.by_sequence(strategy)
        regrets, visits = self._solver.walk_once(number, by_sequence)
        return Samples(self.encoding.totals(regrets), self.encoding.totals(visits))

    def stop(self) -> None:
        """Have a running mini-batch end with `KeyboardInterrupt`."""
        self._solver.stop()

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
