"""The histories of a compiled game as walks read them: four small numbers a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, GameError
from infoset.games.rules import CHANCE, TERMINAL
from infoset.solvers.kernels.walks import CHANCE as CHANCE_KIND
from infoset.solvers.kernels.walks import TERMINAL as TERMINAL_KIND
from infoset.solvers.kernels.walks import Nodes
from infoset.trees import HistoryTree, Tree

__all__ = ["pack_nodes"]


def pack_nodes(tree: Tree, *, public: bool = False) -> Nodes:
    """Lay out a game for walks; with its public states, if those are to be sampled.

    Sequences have one number here: player 0's come first, then player 1's.
    """
    history = tree.history
    player = history.node_player
    table = np.empty((history.num_nodes, 4), np.int32)
    table[:, 0] = history.node_child
    table[:, 1] = -1
    table[:, 2] = history.node_degree
    table[:, 3] = player
    ends = player == TERMINAL
    payoffs, which = np.unique(history.node_payoff[ends], return_inverse=True)
    table[ends, 0] = which
    table[ends, 3] = TERMINAL_KIND
    chances = np.flatnonzero(player == CHANCE)
    table[chances, 3] = CHANCE_KIND
    for p, first in ((0, 0), (1, tree.treeplexes[0].num_sequences)):
        mine = np.flatnonzero(player == p)
        table[mine, 1] = first + tree.treeplexes[p].infoset_begin[history.node_infoset[mine]]
    odds = _lay_odds(history, chances, table[:, 1], tree.name)
    if not public:
        none, nowhere = np.zeros(0), np.zeros(0, np.int32)
        return Nodes(table, payoffs, odds, nowhere, none, nowhere, nowhere, none)
    return Nodes(table, payoffs, odds, *_public_states(tree))


def _lay_odds(
    history: HistoryTree, chances: NDArray[np.intp], place: NDArray[np.int32], name: str
) -> NDArray[np.float64]:
    """Cumulative odds of the chance nodes that are not even; writes where those of a node lie."""
    degree = history.node_degree[chances]
    owner = np.repeat(np.arange(len(chances)), degree)
    first = np.repeat(history.node_child[chances] - np.append(0, np.cumsum(degree)[:-1]), degree)
    odds = history.node_chance[first + np.arange(len(owner))]
    if len(odds) and odds.min() <= 0.0:
        raise GameError(
            f"{name}: chance has an outcome of probability 0, which sampling would never meet and "
            "could not weigh; leave it out of State.chance"
        )
    uneven = np.zeros(len(chances), bool)
    np.logical_or.at(uneven, owner, np.abs(odds * degree[owner] - 1.0) > 1e-12)
    begin = np.append(0, np.cumsum(np.where(uneven, degree, 0)))
    place[chances[uneven]] = begin[:-1][uneven]
    return _running(odds[uneven[owner]], degree[uneven])


def _running(shares: NDArray[np.float64], sizes: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Cumulative sums within runs of these sizes."""
    out = np.empty_like(shares)
    begin = np.append(0, np.cumsum(sizes))[:-1]
    for size in np.unique(sizes).tolist():
        rows = begin[sizes == size][:, None] + np.arange(size)
        out[rows] = np.cumsum(shares[rows], axis=1)
    return out


def _public_states(tree: Tree) -> tuple[NDArray[np.generic], ...]:
    """What chance shows to both: see the last five fields of `Nodes`."""
    history = tree.history
    if history.node_public is None:
        raise BadInputError(
            f"public-chance sampling needs to know what chance shows to both players, and "
            f"{tree.name} does not tell: its rules are not in public form (see infoset.games.dealt)"
        )
    state = history.node_public
    reach = np.ones(history.num_nodes)
    # Parents come before children, level by level of chance alone: a node's reach by chance.
    _chance_reach_into(reach, history)
    shown = np.flatnonzero((history.node_parent >= 0) & (state >= 0))
    parent = history.node_parent[shown]
    dealt = (history.node_player[parent] == CHANCE) & (state[parent] >= 0)
    shown, parent = shown[dealt], parent[dealt]
    pairs, which = np.unique(
        np.stack([state[parent], state[shown]], axis=1), axis=0, return_inverse=True
    )
    mass = np.bincount(which.ravel(), weights=reach[shown], minlength=len(pairs))
    num_states = int(state.max()) + 1
    total = np.bincount(pairs[:, 0], weights=mass, minlength=num_states)
    sizes = np.bincount(pairs[:, 0], minlength=num_states)
    return (
        state,
        history.node_chance,
        np.append(0, np.cumsum(sizes)).astype(np.int32),
        pairs[:, 1].astype(np.int32),
        _running(mass / total[pairs[:, 0]], sizes),
    )


def _chance_reach_into(reach: NDArray[np.float64], history: HistoryTree) -> None:
    level = np.array([0])
    while len(level):
        degree = history.node_degree[level]
        owner = np.repeat(level, degree)
        first = history.node_child[level] - np.append(0, np.cumsum(degree)[:-1])
        below = np.repeat(first, degree) + np.arange(len(owner))
        reach[below] = reach[owner] * history.node_chance[below]
        level = below
