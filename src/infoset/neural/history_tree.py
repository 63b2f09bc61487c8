"""The history tree, node by node: who moves, by which sequence, how deep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.forms import HistoryTree, SequenceForm
from infoset.neural.encoding import Ints
from infoset.neural.kernels.history_tree import Tree


def tree_of(form: SequenceForm) -> Tree:
    """The history tree as kernels read it."""
    history, (first, second) = form.history, form.treeplexes
    begin = np.concatenate(
        [first.infoset_begin[:-1], first.num_sequences + second.infoset_begin[:-1]]
    )
    infoset = infoset_of_node(form)
    return Tree(
        parent=history.node_parent,
        player=history.node_player,
        begin=np.where(infoset >= 0, begin[infoset], -1).astype(np.int32),
        child=history.node_child,
        degree=history.node_degree,
        chance=history.node_chance,
        payoff=history.node_payoff,
    )


def infoset_of_node(form: SequenceForm) -> NDArray[np.int64]:
    """[num_nodes] The mover's infoset, player 1's after player 0's; -1 where no player moves."""
    history = form.history
    shift = np.where(history.node_player == 1, form.treeplexes[0].num_infosets, 0)
    return np.where(history.node_infoset >= 0, history.node_infoset + shift, -1)


def sequence_of_node(form: SequenceForm) -> NDArray[np.int64]:
    """[num_nodes] The sequence of the action that leads to a node; -1 at the root, after chance.

    Player 1's sequences come after player 0's.
    """
    history, (first, second) = form.history, form.treeplexes
    begin = np.concatenate(
        [first.infoset_begin[:-1], first.num_sequences + second.infoset_begin[:-1]]
    )
    infoset = infoset_of_node(form)
    out = np.full(history.num_nodes, -1, dtype=np.int64)
    nodes = np.arange(1, history.num_nodes)
    parent = history.node_parent[1:]
    moved = infoset[parent] >= 0
    nodes, parent = nodes[moved], parent[moved]
    out[nodes] = begin[infoset[parent]] + nodes - history.node_child[parent]
    return out


def depth_of_node(history: HistoryTree) -> NDArray[np.int64]:
    """[num_nodes] How many steps lead to a node."""
    depth = np.zeros(history.num_nodes, dtype=np.int64)
    for nodes in generations(history):
        depth[nodes] = depth[history.node_parent[nodes]] + 1
    return depth


def generations(history: HistoryTree) -> list[Ints]:
    """The nodes one step from the root, two steps from it, and so on."""
    out: list[Ints] = []
    nodes: Ints = np.zeros(1, dtype=np.int64)
    while True:
        degree = history.node_degree[nodes].astype(np.int64)
        total = int(degree.sum())
        if not total:
            return out
        first = np.repeat(history.node_child[nodes] - (np.cumsum(degree) - degree), degree)
        nodes = first + np.arange(total)
        out.append(nodes)
