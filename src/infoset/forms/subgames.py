"""A game cut into a trunk and subgames, in sequence form.

A *subgame* is a set of histories that holds, with each history, all that follow it, and with each
decision all others of its infoset (Burch, Johanson & Bowling 2014, Definition 1). It begins at its
*roots*. What a player knows there is the last thing he did: all roots of a subgame that he comes to
by one sequence are a *cell* of his, the paper's augmented infoset. The *trunk* is what is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from infoset.errors import BadInputError
from infoset.forms.kernels.collapse import last_sequences
from infoset.forms.kernels.subtrees import first_marked
from infoset.forms.sequence_form import SequenceForm
from infoset.games import TERMINAL

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_NAMED = 4
"""Histories that an error names."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What one player knows at the roots of all subgames: a cell for each subgame and sequence."""

    subgame: Ints
    """[cells] In order: those of a subgame follow each other."""
    sequence: Ints
    """[cells] The player's last sequence before the roots."""
    of_root: Ints
    """[roots] The cell of each root of the decomposition."""
    infoset_subgame: Ints
    """[num_infosets] Which subgame an infoset is in; -1 in the trunk."""
    infoset_cell: Ints
    """[num_infosets] The cell above an infoset that is the player's first in its subgame, else
    -1."""

    def of(self, subgame: int) -> slice:
        """The cells of a subgame."""
        begin, end = np.searchsorted(self.subgame, (subgame, subgame + 1))
        return slice(int(begin), int(end))


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A game in sequence form, cut at some histories."""

    form: SequenceForm
    node_subgame: Ints
    """[num_nodes] Which subgame a history is in; -1 in the trunk."""
    roots: Ints
    """[roots] The histories at which subgames begin, by subgame."""
    root_subgame: Ints
    """[roots]"""
    cells: tuple[Cells, Cells]
    node_sequence: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player: [num_nodes] his last sequence before a history."""
    node_chance: Floats
    """[num_nodes] How likely chance is to lead there."""

    @property
    def num_subgames(self) -> int:
        """How many subgames there are."""
        return int(self.root_subgame[-1]) + 1

    def infosets(self, player: int, subgame: int) -> Ints:
        """The infosets of a player in a subgame, parents before children."""
        return np.flatnonzero(self.cells[player].infoset_subgame == subgame)

    def sequences(self, player: int, subgame: int) -> Ints:
        """The sequences of these infosets, in their order."""
        treeplex = self.form.treeplexes[player]
        owner = treeplex.sequence_infoset
        return 1 + np.flatnonzero(self.cells[player].infoset_subgame[owner[1:]] == subgame)

    @cached_property
    def _ends_at_cells(self) -> tuple[tuple[Ints, Ints, Floats], ...]:
        """Per player: ends of the game in subgames after which he never moved in them.

        The cell he came by, the opponent's sequence, and what he wins times the probability of
        chance.
        """
        history = self.form.history
        ends = np.flatnonzero((history.node_player == TERMINAL) & (self.node_subgame >= 0))
        subgame = self.node_subgame[ends]
        out = []
        for player, cells in enumerate(self.cells):
            own = self.node_sequence[player][ends]
            owner = self.form.treeplexes[player].sequence_infoset[own]
            # The start, of infoset -1, finds the last place; there may be no other.
            is_direct = np.append(cells.infoset_subgame, -1)[owner] != subgame
            width = self.form.treeplexes[player].num_sequences
            key = cells.subgame * width + cells.sequence
            cell = np.searchsorted(key, subgame[is_direct] * width + own[is_direct])
            won = (self.node_chance * history.node_payoff)[ends[is_direct]]
            opponent = self.node_sequence[1 - player][ends[is_direct]].astype(np.int64)
            out.append((cell, opponent, won if player == 0 else -won))
        return tuple(out)

    def cell_values(self, player: int, infoset_values: Floats, opponent_plan: Floats) -> Floats:
        """[cells] What a player wins from each cell on, counterfactually.

        ``infoset_values`` are the counterfactual values of his infosets, and ``opponent_plan`` the
        reach of the opponent's sequences.
        """
        cells = self.cells[player]
        first = np.flatnonzero(cells.infoset_cell >= 0)
        count = len(cells.sequence)
        at_infosets = np.bincount(cells.infoset_cell[first], infoset_values[first], count)
        cell, opponent, won = self._ends_at_cells[player]
        at_ends = np.bincount(cell, won * opponent_plan[opponent], count)
        return np.asarray(at_infosets + at_ends, np.float64)


def path_of(form: SequenceForm, node: int) -> str:
    """How a history came about, as far as the players' infosets and actions tell it."""
    history, words = form.history, []
    while node > 0:
        parent = int(history.node_parent[node])
        player, slot = int(history.node_player[parent]), node - int(history.node_child[parent])
        if player >= 0:
            treeplex = form.treeplexes[player]
            infoset = int(history.node_infoset[parent])
            words.append(f"{treeplex.labels[infoset][slot]} at {treeplex.keys[infoset]!r}")
        else:
            words.append(f"outcome {slot} of chance")
        node = parent
    return ", ".join(reversed(words)) or "the start"


def decompose(
    form: SequenceForm,
    is_root: NDArray[np.bool_],
    together: NDArray[np.integer[Any]] | None = None,
) -> Decomposition:
    """Cut a game at marked histories, ``[num_nodes]``; each way through the game is cut once.

    Roots that share an infoset below them are of one subgame, and so are roots with one number in
    ``together [num_nodes]``, if it is given: those of one public state, for instance. Without it,
    histories below which nobody decides stay in the trunk.

    Raises `BadInputError`, which names the histories at fault, if what is below the roots is not
    closed: if a decision below shares its infoset with one that is not.
    """
    history = form.history
    node_root = first_marked(history.node_parent, is_root)
    decisions = np.flatnonzero(history.node_player >= 0)
    root = node_root[decisions]
    infoset = history.node_infoset[decisions].astype(np.int64)
    infoset += form.treeplexes[0].num_infosets * (history.node_player[decisions] == 1)
    _check_closed(form, node_root, decisions, infoset)
    inside = root >= 0
    if not inside.any():
        raise BadInputError(
            f"nobody decides anything below this cut of {form.name!r}: there is nothing to solve"
        )
    # Roots and infosets as the two sides of a graph: what hangs together is one subgame.
    kept = root[inside] if together is None else node_root[node_root >= 0]
    known = np.unique(kept)
    number = np.searchsorted(known, root[inside])
    size = len(known) + form.num_infosets
    edges = number, len(known) + infoset[inside]
    if together is not None:
        label = np.unique(together[known], return_inverse=True)[1]
        edges = np.append(number, np.arange(len(known))), np.append(edges[1], size + label)
        size += len(known)
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    of_root = np.unique(component[: len(known)], return_inverse=True)[1]
    _, first = np.unique(of_root, return_index=True)  # numbered in the order of first roots
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    subgame = rank[of_root]
    order = np.argsort(subgame, kind="stable")
    roots, root_subgame = known[order].astype(np.int64), subgame[order]
    by_node = np.full(history.num_nodes + 1, -1, np.int64)
    by_node[known] = subgame
    node_subgame = by_node[node_root]  # -1 finds the last place
    begins = (treeplex.infoset_begin for treeplex in form.treeplexes)
    last0, last1, chance = last_sequences(history.columns, *begins)
    pair = [
        _cells(form, player, last, (roots, root_subgame), node_subgame)
        for player, last in enumerate((last0, last1))
    ]
    return Decomposition(
        form=form,
        node_subgame=node_subgame,
        roots=roots,
        root_subgame=root_subgame,
        cells=(pair[0], pair[1]),
        node_sequence=(last0, last1),
        node_chance=chance,
    )


def _cells(
    form: SequenceForm,
    player: int,
    last: NDArray[np.int32],
    roots: tuple[Ints, Ints],
    node_subgame: Ints,
) -> Cells:
    treeplex, history = form.treeplexes[player], form.history
    nodes, root_subgame = roots
    width = treeplex.num_sequences
    key, of_root = np.unique(root_subgame * width + last[nodes], return_inverse=True)
    infoset_subgame = np.full(treeplex.num_infosets, -1, np.int64)
    own = np.flatnonzero(history.node_player == player)
    infoset_subgame[history.node_infoset[own]] = node_subgame[own]
    # An infoset is the first of its subgame if the one before it is not of the same.
    above = treeplex.sequence_infoset[treeplex.infoset_parent]
    before = np.where(above >= 0, infoset_subgame[above], -1)
    is_first = (infoset_subgame >= 0) & (before != infoset_subgame)
    infoset_cell = np.full(treeplex.num_infosets, -1, np.int64)
    wanted = infoset_subgame[is_first] * width + treeplex.infoset_parent[is_first]
    infoset_cell[is_first] = np.searchsorted(key, wanted)
    return Cells(key // width, key % width, of_root, infoset_subgame, infoset_cell)


def _check_closed(
    form: SequenceForm, node_root: NDArray[np.int32], decisions: Ints, infoset: Ints
) -> None:
    """Refuse roots below which an infoset is that also has a history elsewhere."""
    is_inside = node_root[decisions] >= 0
    mixed = np.intersect1d(infoset[is_inside], infoset[~is_inside])
    if not len(mixed):
        return
    first = form.treeplexes[0].num_infosets
    player = int(mixed[0] >= first)
    treeplex = form.treeplexes[player]
    key = treeplex.keys[int(mixed[0]) - first * player]
    shared = infoset == mixed[0]
    below, beside = (
        "; ".join(path_of(form, int(node)) for node in decisions[shared & side][:MOST_NAMED])
        for side in (is_inside, ~is_inside)
    )
    raise BadInputError(
        f"the cut of {form.name!r} is not closed: player {player} cannot tell apart the histories "
        f"of his infoset {key!r}, but [{below}] is below the cut and [{beside}] is not. A subgame "
        f"has all histories of an infoset or none ({len(mixed):,} infosets are torn)"
    )
