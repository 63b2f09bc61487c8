"""The game as a tree of histories, in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms.kernels.expand import PublicTable, WorldTable, public_into


class PublicStates(NamedTuple):
    """What histories were laid out from, if their rules tell what both players see."""

    table: PublicTable
    """One row per public state, parents before children."""
    worlds: WorldTable
    """The pairs of hands that are possible at them."""
    payoffs: NDArray[np.float64]
    """[ending, hand of player 0, hand of player 1] What player 0 wins."""
    hands: NDArray[np.int32]
    """The hands that player 0 may be dealt, in order."""
    probability: NDArray[np.float64]
    """How likely each of them is; those of player 1 then follow from world 0."""


@dataclass(frozen=True, eq=False)
class HistoryTree:
    """Every history of a game, parents before children, the children of a node side by side.

    The children of node ``n`` are ``node_child[n]:node_child[n] + node_degree[n]``, in the order
    of the actions of its infoset. Infosets have the numbers they have in the player's treeplex.
    """

    node_parent: NDArray[np.int32]
    """[num_nodes] The node before; -1 at the root."""
    node_player: NDArray[np.int8]
    """[num_nodes] 0, 1, `CHANCE` or `TERMINAL`."""
    node_infoset: NDArray[np.int32]
    """[num_nodes] The mover's infoset; -1 where no player moves."""
    node_child: NDArray[np.int32]
    """[num_nodes] The first child."""
    node_degree: NDArray[np.int32]
    """[num_nodes] How many children."""
    node_chance: NDArray[np.float64]
    """[num_nodes] Probability of the step into the node if chance makes it, else 1."""
    node_payoff: NDArray[np.float64]
    """[num_nodes] What player 0 wins at a terminal node, else 0."""
    public: PublicStates | None = None
    """The public states behind the histories; `None` if the rules do not tell what is public."""
    is_merged: bool = False
    """Whether infosets were merged: public state and hand then do not tell an infoset's number."""

    @cached_property
    def node_public(self) -> NDArray[np.int32] | None:
        """[num_nodes] The public state of a node, all that both players see; -1 in the deal.

        `None` if the rules do not tell what is public.
        """
        if self.public is None:
            return None
        state = np.full(self.num_nodes, -1, dtype=np.int32)
        public_into(state, self.public.table, self.public.worlds, 1 + len(self.public.hands))
        return state

    @property
    def columns(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays as kernels take them, in the order above."""
        return (
            *(self.node_parent, self.node_player, self.node_infoset, self.node_child),
            *(self.node_degree, self.node_chance, self.node_payoff),
        )

    @property
    def num_nodes(self) -> int:
        """How many histories, from the root to the last terminal one."""
        return len(self.node_parent)

    @property
    def num_terminals(self) -> int:
        """How many histories end the game."""
        return int(np.count_nonzero(self.node_degree == 0))

    @property
    def nbytes(self) -> int:
        """Bytes the arrays take."""
        return sum(array.nbytes for array in self.columns)
