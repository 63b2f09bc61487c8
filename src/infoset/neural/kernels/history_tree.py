"""The history tree as kernels of neural solvers read it."""

from typing import NamedTuple

import numpy as np


class Tree(NamedTuple):
    """The history tree as trajectories read it; see `infoset.forms.HistoryTree`."""

    parent: np.ndarray
    """[num_nodes] The node before; -1 at the root."""
    player: np.ndarray
    """[num_nodes] 0, 1, `CHANCE` or `TERMINAL`."""
    begin: np.ndarray
    """[num_nodes] The first sequence of the mover's infoset; -1 where no player moves."""
    child: np.ndarray
    """[num_nodes] The first child."""
    degree: np.ndarray
    """[num_nodes] How many children."""
    chance: np.ndarray
    """[num_nodes] Probability of the step into the node if chance makes it, else 1."""
    payoff: np.ndarray
    """[num_nodes] What player 0 wins at a terminal node, else 0."""
