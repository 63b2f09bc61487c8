"""The game as a tree of histories, in flat arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["HistoryTree"]


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
    public_source: Callable[[], NDArray[np.int32]] | None = None
    """Makes `node_public`, where the rules tell."""

    @cached_property
    def node_public(self) -> NDArray[np.int32] | None:
        """[num_nodes] The public state of a node, all that both players see; -1 in the deal.

        `None` if the rules do not tell what is public.
        """
        return None if self.public_source is None else self.public_source()

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
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))
