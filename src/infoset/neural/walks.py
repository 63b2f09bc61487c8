"""Samples for networks: mini-batches of compiled walks, under strategies that networks give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.regrets import Regrets, match, match_some
from infoset.solvers import LevelWalks, Recipe, SampledSolver


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


class WalksAtOnce:
    """Mini-batches on the compiled walks of `infoset.solvers`: strategies of all infosets first.

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

    def sample(self, number: int, regrets: Regrets) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""
        rows = regrets.rows()
        strategy = match(rows, self.encoding)
        sums = self._solver.walk_once(number, self.encoding.by_sequence(strategy))
        return Samples(rows, strategy, *map(self.encoding.totals, sums))

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


class WalksByLevel:
    """Mini-batches that ask for the strategies of the infosets that they meet, level by level."""

    def __init__(
        self, form: SequenceForm, recipe: Recipe, encoding: Encoding, *, seed: int
    ) -> None:
        self.encoding = encoding
        self._walks = LevelWalks(form, recipe, seed=seed)

    def sample(self, number: int, regrets: Regrets) -> Samples:
        """Mini-batch ``number``; player 0's come first where players take turns."""
        encoding, shape = self.encoding, self.encoding.legal.shape
        rows, strategy = np.zeros(shape), np.zeros(shape)
        is_known = np.zeros(len(strategy), dtype=bool)

        def ask(sequences: NDArray[np.int64]) -> NDArray[np.float64]:
            classes = np.unique(encoding.sequence_class[sequences])
            classes = classes[~is_known[classes]]
            if len(classes):
                is_known[classes] = True
                rows[classes] = regrets.rows_of(classes)
                strategy[classes] = match_some(rows[classes], encoding.legal[classes])
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


Walks = WalksAtOnce | WalksByLevel


def walks_of(
    form: SequenceForm,
    recipe: Recipe,
    encoding: Encoding,
    *,
    by_level: bool,
    seed: int,
    threads: int,
) -> Walks:
    """Walks that ask for strategies level by level, or for all of them at once."""
    if by_level:
        return WalksByLevel(form, recipe, encoding, seed=seed)
    return WalksAtOnce(form, recipe, encoding, seed=seed, threads=threads)
