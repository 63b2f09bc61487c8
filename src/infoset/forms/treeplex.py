"""One player's decision problem: infosets, and the sequences of actions that lead to them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The infosets of one player, parents before children, and their sequences.

    A *sequence* is an action at an infoset (and so all the player did to get there); number 0 is
    the empty one. Where a subgame stands alone, other *root sequences* follow it, one for each way
    in which the player comes to it. The sequences of infoset ``i`` are
    ``infoset_begin[i]:infoset_begin[i + 1]``, in the order of ``labels[i]``.
    """

    infoset_begin: NDArray[np.int32]
    """[num_infosets + 1] First sequence of each infoset; starts after the roots."""
    infoset_parent: NDArray[np.int32]
    """[num_infosets] The player's last sequence before the infoset."""
    keys: Sequence[str]
    """[num_infosets] What the player knows there, readable and unique."""
    labels: Sequence[tuple[str, ...]]
    """[num_infosets] The actions, readable."""

    @property
    def num_infosets(self) -> int:
        """How many infosets the player has."""
        return len(self.infoset_parent)

    @property
    def num_roots(self) -> int:
        """How many root sequences there are: 1, the empty one, but in subgames."""
        return int(self.infoset_begin[0])

    @property
    def num_sequences(self) -> int:
        """How many sequences, the root sequences included."""
        return int(self.infoset_begin[-1])

    @cached_property
    def infoset_num_actions(self) -> NDArray[np.int32]:
        """[num_infosets] How many actions each infoset has."""
        return np.diff(self.infoset_begin)

    @cached_property
    def sequence_infoset(self) -> NDArray[np.int32]:
        """[num_sequences] The infoset a sequence acts at; -1 for root sequences."""
        owner = np.full(self.num_sequences, -1, dtype=np.int32)
        owner[self.num_roots :] = np.repeat(
            np.arange(self.num_infosets, dtype=np.int32), self.infoset_num_actions
        )
        return owner

    @cached_property
    def infoset_depth(self) -> NDArray[np.int32]:
        """[num_infosets] How many infosets of the player come before this one on its path."""
        depth = np.zeros(self.num_infosets, dtype=np.int32)
        above = self.sequence_infoset[self.infoset_parent]
        # As many rounds as the treeplex is deep, each over the infosets with an ancestor left.
        below = np.flatnonzero(above >= 0)
        ancestor = above[below]
        while len(below):
            depth[below] += 1
            ancestor = above[ancestor]
            below, ancestor = below[ancestor >= 0], ancestor[ancestor >= 0]
        return depth

    @cached_property
    def infoset_of_key(self) -> dict[str, int]:
        """The number of the infoset with a given key."""
        return {key: i for i, key in enumerate(self.keys)}

    def is_same_as(self, other: Treeplex) -> bool:
        """Whether infosets and sequences have the same names and numbers."""
        return (
            np.array_equal(self.infoset_begin, other.infoset_begin)
            and np.array_equal(self.infoset_parent, other.infoset_parent)
            and all(map(operator.eq, self.keys, other.keys))
            and all(map(operator.eq, self.labels, other.labels))
        )

    def uniform(self) -> NDArray[np.float64]:
        """[num_sequences] The strategy that plays every action alike."""
        strategy = np.ones(self.num_sequences)
        uniform = 1.0 / self.infoset_num_actions
        strategy[self.num_roots :] = np.repeat(uniform, self.infoset_num_actions)
        return strategy
