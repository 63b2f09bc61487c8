"""Games made of one subgame: the subgame behind a top, new histories that lead to its roots.

The tops of re-solving (`infoset.resolving`):

- `chance_top`: chance alone leads to the roots, in proportion to given weights.
- `choice_top`: then the opponent may take a given value, or play on.
- `cell_choice_top`: the opponent chooses the cell to begin in; what he wins there counts from a
  given value.

Payoffs are multiplied with the sum of the weights, which chance divides by: so all values are
counterfactual values of the whole game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.forms.history import HistoryTree
from infoset.forms.kernels.subtrees import first_marked
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.subgames import Decomposition
from infoset.forms.treeplex import Treeplex
from infoset.games import CHANCE, TERMINAL

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TAKE, PLAY = "take", "play"


@dataclass(frozen=True, eq=False)
class Top:
    """New histories that lead to roots: nodes in the order of `HistoryTree`, roots among them."""

    player: Ints
    """[n] Who moves; whatever stands at the roots is replaced, here and in `infoset`."""
    infoset: Ints
    """[n] Of the mover, among his infosets of the top."""
    parent: Ints
    chance: Floats
    """[n] Probability of the step into a node if chance makes it, else 1."""
    payoff: Floats
    roots: Ints
    """[roots] Those that are kept, as nodes of the whole game."""
    place: Ints
    """[roots] Where they are in the top."""
    factor: Floats
    """[roots] What payoffs below are multiplied with,"""
    offset: Floats
    """[roots] once this is added to them."""
    treeplexes: tuple[Treeplex, Treeplex]
    """The infosets of the top."""
    cell_sequence: tuple[Ints, Ints]
    """Per player: [cells of the subgame] the sequence by which he comes to each."""


def form_below(cut: Decomposition, subgame: int, top: Top) -> SequenceForm:
    """A subgame behind a top. Its infosets follow those of the top, in the order they have."""
    history = cut.form.history
    is_root = np.zeros(history.num_nodes, bool)
    is_root[top.roots] = True
    number = np.full(history.num_nodes + 1, -1, np.int64)
    number[top.roots] = np.arange(len(top.roots))
    root = number[first_marked(history.node_parent, is_root)]
    body = np.flatnonzero((root >= 0) & ~is_root)
    nodes = np.concatenate([top.roots, body])
    root = root[nodes]
    at = np.concatenate([top.place, len(top.player) + np.arange(len(body))])
    place = np.zeros(history.num_nodes, np.int64)
    place[nodes] = at
    player = history.node_player[nodes]
    infoset = np.full(len(nodes), -1, np.int64)
    for p in (0, 1):
        new = np.full(cut.form.treeplexes[p].num_infosets, -1, np.int64)
        own = cut.infosets(p, subgame)
        new[own] = top.treeplexes[p].num_infosets + np.arange(len(own))
        infoset[player == p] = new[history.node_infoset[nodes[player == p]]]
    payoff = (history.node_payoff[nodes] + top.offset[root]) * top.factor[root]
    kept = top.place
    parent = np.append(top.parent[kept], place[history.node_parent[body]])
    chance = np.append(top.chance[kept], history.node_chance[body])

    def column(of_top: NDArray[np.generic], of_nodes: NDArray[np.generic], dtype: type) -> object:
        out = np.append(of_top, np.zeros(len(body))).astype(dtype)
        out[at] = of_nodes
        return out

    degree = np.bincount(top.parent[1:], minlength=len(top.player))
    child = np.zeros(len(top.player))
    parents, first = np.unique(top.parent[1:], return_index=True)
    child[parents] = 1 + first
    tree = HistoryTree(
        node_parent=column(top.parent, parent, np.int32),
        node_player=column(top.player, player, np.int8),
        node_infoset=column(top.infoset, infoset, np.int32),
        node_child=column(child, place[history.node_child[nodes]], np.int32),
        node_degree=column(degree, history.node_degree[nodes], np.int32),
        node_chance=column(top.chance, chance, np.float64),
        node_payoff=column(top.payoff, np.where(player == TERMINAL, payoff, 0.0), np.float64),
    )
    name = f"subgame {subgame} of {cut.form.name}"
    first, second = (_treeplex_below(cut, p, subgame, top) for p in (0, 1))
    return SequenceForm(name, (first, second), tree)


def _treeplex_below(cut: Decomposition, player: int, subgame: int, top: Top) -> Treeplex:
    """The infosets of the top, then those of the subgame."""
    whole, above, cells = cut.form.treeplexes[player], top.treeplexes[player], cut.cells[player]
    infosets, sequences = cut.infosets(player, subgame), cut.sequences(player, subgame)
    new = np.zeros(whole.num_sequences, np.int64)
    new[sequences] = above.num_sequences + np.arange(len(sequences))
    cell = cells.infoset_cell[infosets]
    first_cell = cells.of(subgame).start
    parent = np.where(
        cell >= 0,
        top.cell_sequence[player][np.maximum(cell - first_cell, 0)],
        new[whole.infoset_parent[infosets]],
    )
    ends = above.num_sequences + np.cumsum(whole.infoset_num_actions[infosets])
    return Treeplex(
        infoset_begin=np.append(above.infoset_begin, ends).astype(np.int32),
        infoset_parent=np.append(above.infoset_parent, parent).astype(np.int32),
        keys=[*above.keys, *(whole.keys[i] for i in infosets)],
        labels=[*above.labels, *(whole.labels[i] for i in infosets)],
    )


def _flat_treeplex(keys: Sequence[str], labels: Sequence[tuple[str, ...]]) -> Treeplex:
    """Infosets that all come first."""
    begin = 1 + np.append(0, np.cumsum([len(each) for each in labels]))
    return Treeplex(begin.astype(np.int32), np.zeros(len(keys), np.int32), keys, labels)


def cell_keys(cut: Decomposition, player: int, subgame: int) -> list[str]:
    """What a player knows at each cell of a subgame: his last infoset and action."""
    treeplex = cut.form.treeplexes[player]
    keys = []
    for sequence in cut.cells[player].sequence[cut.cells[player].of(subgame)].tolist():
        infoset = int(treeplex.sequence_infoset[sequence])
        if infoset < 0:
            keys.append("start")
            continue
        label = treeplex.labels[infoset][sequence - int(treeplex.infoset_begin[infoset])]
        keys.append(f"{treeplex.keys[infoset]} {label}")
    return keys


@dataclass(frozen=True, eq=False)
class _Roots:
    """The roots of a subgame that have a weight."""

    node: Ints
    weight: Floats
    cell: tuple[Ints, Ints]
    """Per player: [roots] counted from the first cell of the subgame."""
    num_cells: tuple[int, int]

    @classmethod
    def of(cls, cut: Decomposition, subgame: int, weights: Floats) -> _Roots:
        here = np.flatnonzero(cut.root_subgame == subgame)
        weight = weights[here]
        kept = here[weight > 0]
        slices = [cells.of(subgame) for cells in cut.cells]
        first, second = (
            cells.of_root[kept] - part.start for cells, part in zip(cut.cells, slices, strict=True)
        )
        counts = [part.stop - part.start for part in slices]
        return cls(cut.roots[kept], weights[kept], (first, second), (counts[0], counts[1]))

    def __len__(self) -> int:
        return len(self.node)


def chance_top(cut: Decomposition, subgame: int, weights: Floats) -> Top:
    """Chance leads to the roots, in proportion to ``weights [roots of the decomposition]``."""
    roots = _Roots.of(cut, subgame, weights)
    count, total = len(roots), roots.weight.sum()
    nothing = _flat_treeplex((), ())
    return Top(
        player=np.full(1 + count, CHANCE),
        infoset=np.full(1 + count, -1),
        parent=np.append(-1, np.zeros(count, np.int64)),
        chance=np.append(1.0, roots.weight / total),
        payoff=np.zeros(1 + count),
        roots=roots.node,
        place=1 + np.arange(count),
        factor=np.full(count, total),
        offset=np.zeros(count),
        treeplexes=(nothing, nothing),
        cell_sequence=(np.zeros(roots.num_cells[0], int), np.zeros(roots.num_cells[1], int)),
    )


def choice_top(
    cut: Decomposition, subgame: int, weights: Floats, chooser: int, values: Floats
) -> Top:
    """Chance as in `chance_top`; then a player may take a value or play on.

    ``values [cells of the subgame]`` are the counterfactual values that the chooser may take.
    """
    roots = _Roots.of(cut, subgame, weights)
    count, total, cell = len(roots), roots.weight.sum(), roots.cell[chooser]
    num_cells = roots.num_cells[chooser]
    in_cell = np.bincount(cell, roots.weight, num_cells)
    taken = total * values[cell] / in_cell[cell]
    each = np.arange(count)
    keys = [f"{key}?" for key in cell_keys(cut, chooser, subgame)]
    plexes = [_flat_treeplex((), ()), _flat_treeplex((), ())]
    plexes[chooser] = _flat_treeplex(keys, [(TAKE, PLAY)] * num_cells)
    sequences = [np.zeros(n, int) for n in roots.num_cells]
    sequences[chooser] = 2 + 2 * np.arange(num_cells)
    # The start, the choices, and behind each choice its end and its root.
    player = np.concatenate([[CHANCE], np.full(count, chooser), np.full(2 * count, TERMINAL)])
    payoff = np.zeros(len(player))
    payoff[1 + count + 2 * each] = taken if chooser == 0 else -taken
    return Top(
        player=player,
        infoset=np.concatenate([[-1], cell, np.full(2 * count, -1)]),
        parent=np.concatenate([[-1], np.zeros(count, int), 1 + np.repeat(each, 2)]),
        chance=np.concatenate([[1.0], roots.weight / total, np.ones(2 * count)]),
        payoff=payoff,
        roots=roots.node,
        place=1 + count + 2 * each + 1,
        factor=np.full(count, total),
        offset=np.zeros(count),
        treeplexes=(plexes[0], plexes[1]),
        cell_sequence=(sequences[0], sequences[1]),
    )


def cell_choice_top(
    cut: Decomposition, subgame: int, weights: Floats, chooser: int, values: Floats
) -> Top:
    """A player chooses the cell to begin in, and wins what he wins there less its value.

    ``values [cells of the subgame]`` are counterfactual. Cells without weight cannot be chosen.
    """
    roots = _Roots.of(cut, subgame, weights)
    num_cells = roots.num_cells[chooser]
    order = np.argsort(roots.cell[chooser], kind="stable")
    cell = roots.cell[chooser][order]
    in_cell = np.bincount(cell, roots.weight[order], num_cells)
    offered, number = np.unique(cell, return_inverse=True)
    count, num_offered = len(roots), len(offered)
    keys = cell_keys(cut, chooser, subgame)
    plexes = [_flat_treeplex((), ()), _flat_treeplex((), ())]
    plexes[chooser] = _flat_treeplex(["which?"], [tuple(keys[c] for c in offered)])
    sequences = [np.zeros(n, int) for n in roots.num_cells]
    sequences[chooser][offered] = 1 + np.arange(num_offered)
    offset = values[cell] / in_cell[cell]
    return Top(
        player=np.append(chooser, np.full(num_offered + count, CHANCE)),
        infoset=np.append(0, np.full(num_offered + count, -1)),
        parent=np.concatenate([[-1], np.zeros(num_offered, int), 1 + number]),
        chance=np.append(np.ones(1 + num_offered), roots.weight[order] / in_cell[cell]),
        payoff=np.zeros(1 + num_offered + count),
        roots=roots.node[order],
        place=1 + num_offered + np.arange(count),
        factor=in_cell[cell],
        offset=-offset if chooser == 0 else offset,
        treeplexes=(plexes[0], plexes[1]),
        cell_sequence=(sequences[0], sequences[1]),
    )
