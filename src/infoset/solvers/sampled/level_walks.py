"""Mini-batches that ask for strategies as they need them: all walks at once, level by level.

`infoset.solvers.sampled.dense` reads the strategy of any infoset from a table. Where strategies
come from elsewhere (a network, say) and a mini-batch meets few of all infosets, it is cheaper to
ask only for those, many at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import SequenceForm
from infoset.machine.aligned import zeros
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.kernels.levels import add_visits, begin_walks, decide, finish_walks
from infoset.solvers.sampled.kernels.structures import (
    ENTRY,
    FOLLOW_ALL,
    FOLLOW_K,
    MET,
    OPEN_WALK,
    Tables,
)
from infoset.solvers.sampled.nodes import pack_nodes
from infoset.solvers.sampled.reference_walker import key_of
from infoset.solvers.sampled.sampled_run import method_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ask = Callable[[Ints], Floats]
"""From sequences to their probabilities. They are all actions of some infosets, one infoset after
the other, numbered as in tables by sequence: player 0's first."""

FIRST_CAPACITY = 1 << 14


class Sums(NamedTuple):
    """What a mini-batch found."""

    sequences: Ints
    """[actions] All actions of the infosets that were met, numbered as in tables by sequence."""
    regrets: Floats
    """[actions] Sampled regrets, summed over walks and divided by their number."""
    visits: Floats
    """[actions] What a walk adds to the average."""


class LevelWalks:
    """Walks of external or robust sampling whose strategies are asked for level by level."""

    def __init__(self, form: SequenceForm, recipe: Recipe, *, seed: int) -> None:
        self.method = method_of(recipe)
        if self.method.follow not in (FOLLOW_ALL, FOLLOW_K) or not self.method.samples_opponent:
            raise BadInputError("walks by level are for external and robust sampling")
        self.walks = recipe.batch
        self.alternating = recipe.alternating
        self.nodes_touched = 0
        self._key = np.uint64(key_of(seed))
        self._nodes, layout = pack_nodes(form)
        size = layout.size
        self._tables = Tables(
            strategy=zeros(size, np.float64),
            regrets=zeros(size, np.float64),
            average=zeros(size, np.float64),
            log_kept=np.zeros((2, 0)),
            baseline=zeros(0, np.float64),
            degree=np.zeros(0, np.int32),
            pending=zeros(0, np.uint8),
        )
        first, second = form.treeplexes
        begin = np.append(first.infoset_begin[:-1], first.num_sequences + second.infoset_begin[:-1])
        self._begin = begin.astype(np.int64)
        self._degree = np.append(first.infoset_num_actions, second.infoset_num_actions)
        self._place = layout.place[begin]
        self._infoset_at = np.full(size, -1, np.int32)
        self._infoset_at[self._place] = np.arange(len(begin), dtype=np.int32)
        self._is_known = np.zeros(len(begin), bool)
        self._make_space(FIRST_CAPACITY)

    def _make_space(self, entries: int) -> None:
        self._entries = np.zeros(entries, ENTRY)
        self._rows = np.zeros(entries, OPEN_WALK)
        self._open = np.zeros((2, entries), np.int64)
        self._met = np.zeros(entries, MET)

    def sample(self, number: int, ask: Ask) -> Sums:
        """Mini-batch ``number``; player 0's come first where players take turns.

        ``ask`` is called once a level, each time for other infosets.
        """
        while True:
            known: list[Ints] = []
            try:
                if self._walk(number, ask, known):
                    return self._collect(np.concatenate(known))
                self._make_space(2 * len(self._entries))
            finally:
                for infosets in known:
                    cells = self._cells(infosets)
                    self._tables.regrets[cells] = 0.0
                    self._tables.average[cells] = 0.0
                    self._is_known[infosets] = False

    def _walk(self, number: int, ask: Ask, known: list[Ints]) -> bool:
        """Make all walks; return whether there was space for them."""
        count = self.walks if self.alternating else 2 * self.walks
        first = self.walks if self.alternating and number % 2 else 0
        entries, rows, tables, now = self._entries, self._rows, self._tables, 0
        most = int(self._degree.max(initial=1))
        if count > len(entries):
            return False
        end = count
        num_open, touched = begin_walks(
            *(self._nodes, entries, rows, self._open[now]),
            *(self._key, number, first, count, self.walks),
        )
        scale = 1.0 / self.walks
        while num_open:
            if end + num_open * most > len(entries):
                return False
            self._learn(entries["begin"][self._open[now, :num_open]], ask, known)
            before = num_open
            end, num_open, more = decide(
                *(self._nodes, tables, self.method, entries, rows, end),
                *(self._open[now], before, self._open[1 - now], self._met),
            )
            add_visits(tables, self._met, before, scale)
            touched += more
            now = 1 - now
        finish_walks(tables, self.method, entries, end, scale)
        self.nodes_touched += int(touched)
        return True

    def _learn(self, places: NDArray[Any], ask: Ask, known: list[Ints]) -> None:
        """Have the strategies of the infosets at some places in the table."""
        met = np.unique(self._infoset_at[places]).astype(np.int64)
        new = met[~self._is_known[met]]
        if len(new):
            asked = _spread(self._begin[new], self._degree[new])
            self._tables.strategy[self._cells(new)] = ask(asked)
            self._is_known[new] = True
            known.append(new)

    def _cells(self, infosets: Ints) -> Ints:
        """Where the tables hold all actions of some infosets."""
        return _spread(self._place[infosets], self._degree[infosets])

    def _collect(self, infosets: Ints) -> Sums:
        infosets = np.sort(infosets)
        cells = self._cells(infosets)
        sequences = _spread(self._begin[infosets], self._degree[infosets])
        return Sums(sequences, self._tables.regrets[cells], self._tables.average[cells])

    @property
    def nbytes(self) -> int:
        """Bytes of tables and of all walks of a mini-batch."""
        own = (self._entries, self._rows, self._open, self._met, self._infoset_at, self._is_known)
        return sum(a.nbytes for a in (*own, self._begin, self._degree, self._place, *self._tables))

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        return sum(array.nbytes for array in self._nodes if isinstance(array, np.ndarray))


def _spread(begin: NDArray[Any], count: NDArray[Any]) -> Ints:
    """All of ``[begin, begin + count)``, one after the other.

    >>> _spread(np.array([5, 10]), np.array([2, 3]))
    array([ 5,  6, 10, 11, 12])
    """
    ends = np.cumsum(count)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count, count)
    out: Ints = np.repeat(begin, count).astype(np.int64) + within
    return out
