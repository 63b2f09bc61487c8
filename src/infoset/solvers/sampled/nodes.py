"""A compiled game as walks read it: four small numbers a node.

Where the rules tell what is public, a node is a public state, and the hands of a walk say the
rest: dozens of times fewer nodes than histories, which then lie in a near cache.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, GameError
from infoset.forms import HistoryTree, Tree
from infoset.forms.history import PublicForm
from infoset.games.rules import CHANCE, TERMINAL
from infoset.solvers.sampled.kernels import sampling_data as data
from infoset.solvers.sampled.kernels.sampling_data import Nodes, Public

__all__ = ["Layout", "pack_nodes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

NO_NUMBERS = np.zeros(0)
NO_COUNTS = np.zeros(0, np.int32)
NO_PUBLIC = Public(NO_COUNTS, NO_NUMBERS, NO_COUNTS, NO_COUNTS, NO_NUMBERS)


class Layout(NamedTuple):
    """Where tables hold the numbers of a sequence.

    Those of a hand lie side by side, and no two hands share a cache line: so threads that have
    different hands are not in each other's way. Histories tell no hands: each player has one.
    """

    size: int
    """Places in a table."""
    place: NDArray[np.int64]
    """[sequences] Player 0's sequences, then player 1's."""
    odds: Floats
    """[2, hands] How likely a player has a hand."""


def pack_nodes(tree: Tree, *, public: bool = False) -> tuple[Nodes, Layout]:
    """Lay out a game for walks; ``public`` if what chance shows to both is to be sampled."""
    form = tree.history.public
    if public or form is None:
        return _pack_histories(tree, public=public)
    return _pack_public(tree, form)


LINE = 64
"""Places of a table with a byte each that share a cache line."""


def _whole_lines(places: int) -> int:
    return -(-places // LINE) * LINE


def _refuse_nothing(odds: Floats, name: str) -> None:
    if len(odds) and odds.min() <= 0.0:
        raise GameError(
            f"{name}: chance has an outcome of probability 0, which sampling would never meet and "
            "could not weigh; leave it out of State.chance"
        )


def _running(shares: Floats, sizes: NDArray[np.integer[Any]]) -> Floats:
    """Cumulative sums within runs of these sizes."""
    out = np.empty_like(shares)
    begin = np.append(0, np.cumsum(sizes))[:-1]
    for size in np.unique(sizes).tolist():
        rows = begin[sizes == size][:, None] + np.arange(size)
        out[rows] = np.cumsum(shares[rows], axis=1)
    return out


# Histories as nodes.


def _pack_histories(tree: Tree, *, public: bool) -> tuple[Nodes, Layout]:
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
    table[ends, 3] = data.TERMINAL
    chances = np.flatnonzero(player == CHANCE)
    table[chances, 3] = data.CHANCE
    second = _whole_lines(tree.treeplexes[0].num_sequences)
    for p, first in ((0, 0), (1, second)):
        mine = np.flatnonzero(player == p)
        table[mine, 1] = first + tree.treeplexes[p].infoset_begin[history.node_infoset[mine]]
    nodes = Nodes(
        table=table.reshape(-1),
        payoffs=payoffs,
        odds=_lay_odds(history, chances, table[:, 1], tree.name),
        num_hands=1,
        num_worlds=1,
        first=np.zeros(2, np.int32),
        deals=NO_COUNTS,
        reveals=NO_COUNTS,
        outcome=NO_COUNTS,
        outcome_odds=NO_NUMBERS,
        public=_public_states(tree) if public else NO_PUBLIC,
    )
    counts = [treeplex.num_sequences for treeplex in tree.treeplexes]
    place = np.append(np.arange(counts[0]), second + np.arange(counts[1]))
    return nodes, Layout(second + counts[1], place, np.ones((2, 1)))


def _lay_odds(history: HistoryTree, chances: NDArray[np.intp], place: Ints, name: str) -> Floats:
    """Cumulative odds of the chance nodes that are not even; writes where those of a node lie."""
    degree = history.node_degree[chances]
    owner = np.repeat(np.arange(len(chances)), degree)
    first = np.repeat(history.node_child[chances] - np.append(0, np.cumsum(degree)[:-1]), degree)
    odds = history.node_chance[first + np.arange(len(owner))]
    _refuse_nothing(odds, name)
    uneven = np.zeros(len(chances), bool)
    np.logical_or.at(uneven, owner, np.abs(odds * degree[owner] - 1.0) > 1e-12)
    begin = np.append(0, np.cumsum(np.where(uneven, degree, 0)))
    place[chances[uneven]] = begin[:-1][uneven]
    return _running(odds[uneven[owner]], degree[uneven])


def _public_states(tree: Tree) -> Public:
    history = tree.history
    state = history.node_public
    if state is None:
        raise BadInputError(
            f"public-chance sampling needs to know what chance shows to both players, and "
            f"{tree.name} does not tell: its rules are not in public form (see infoset.games.dealt)"
        )
    reach = _chance_reach(history)
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
    return Public(
        state=state,
        chance=history.node_chance,
        outcomes=np.append(0, np.cumsum(sizes)).astype(np.int32),
        outcome_state=pairs[:, 1].astype(np.int32),
        outcome_odds=_running(mass / total[pairs[:, 0]], sizes),
    )


def _chance_reach(history: HistoryTree) -> Floats:
    """[num_nodes] How likely chance leads to each history, level by level."""
    reach = np.ones(history.num_nodes)
    level = np.array([0])
    while len(level):
        degree = history.node_degree[level]
        owner = np.repeat(level, degree)
        first = history.node_child[level] - np.append(0, np.cumsum(degree)[:-1])
        below = np.repeat(first, degree) + np.arange(len(owner))
        reach[below] = reach[owner] * history.node_chance[below]
        level = below
    return reach


# Public states as nodes.


class _Outcomes:
    """Outcomes of deals and reveals, side by side."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.labels: list[NDArray[np.integer[Any]]] = []
        self.odds: list[Floats] = []
        self._count = 0

    def add(self, labels: NDArray[np.integer[Any]], odds: Floats) -> tuple[int, int, int]:
        """Where they begin, how many they are, and whether all are alike."""
        _refuse_nothing(odds, self._name)
        even = bool((np.abs(odds * len(odds) - 1.0) <= 1e-12).all())
        row = self._count, len(labels), int(even)
        self.labels.append(labels)
        self.odds.append(np.cumsum(odds))
        self._count += len(labels)
        return row


def _pack_public(tree: Tree, form: PublicForm) -> tuple[Nodes, Layout]:
    public = form.table
    hands = form.payoffs.shape[1]
    outcomes = _Outcomes(tree.name)
    deals = _deals(form, hands, outcomes)
    kinds = _kinds_of_worlds(form)
    # Children side by side, in the order of their slots.
    begin = 1 + np.append(0, np.cumsum(public.degree))
    number = np.where(public.parent >= 0, begin[public.parent] + public.slot, 0)
    table = np.zeros((int(begin[-1]), 4), np.int32)
    table[:, 3] = data.TERMINAL  # outcomes that can never be
    rows = np.empty((len(number), 4), np.int32)
    rows[:, 0] = begin[:-1]
    rows[:, 1] = -1
    rows[:, 2] = public.degree
    rows[:, 3] = public.player
    first, layout = _lay_by_hand(tree, form, kinds, rows[:, 1])
    moves = public.player >= 0
    rows[moves, 3] += kinds[public.worlds[moves]] << data.KIND_BITS
    ends = public.player == TERMINAL
    rows[ends, 0] = public.settlement[ends] * hands * hands
    rows[ends, 3] = data.TERMINAL
    chances = np.flatnonzero(public.player == CHANCE)
    rows[chances, 1], reveals = _reveals(form, kinds, chances, hands, outcomes)
    rows[chances, 3] = data.REVEAL
    table[number] = rows
    nodes = Nodes(
        table=table.reshape(-1),
        payoffs=np.ascontiguousarray(form.payoffs.reshape(-1)),
        odds=NO_NUMBERS,
        num_hands=hands,
        num_worlds=int(kinds.max()) + 1,
        first=first,
        deals=deals,
        reveals=reveals,
        outcome=np.concatenate(outcomes.labels).astype(np.int32),
        outcome_odds=np.concatenate(outcomes.odds),
        public=NO_PUBLIC,
    )
    return nodes, layout


def _lay_by_hand(tree: Tree, form: PublicForm, kinds: Ints, begin: Ints) -> tuple[Ints, Layout]:
    """Give every hand a stretch of the tables; writes where in it the infoset of a state lies.

    States with the same worlds follow each other in a stretch, and there are none at which the
    hand is impossible. Returns where that begins for a hand and worlds. Before the first stretch
    are the empty sequences.
    """
    public, hands = form.table, form.payoffs.shape[1]
    split = tree.treeplexes[0].num_sequences
    place = np.zeros(split + tree.treeplexes[1].num_sequences, np.int64)
    place[split] = 1
    first = np.zeros((2, hands, int(kinds.max()) + 1), np.int32)
    size = LINE
    for p in (0, 1):
        mine = np.flatnonzero(public.player == p)
        for kind in np.unique(kinds[public.worlds[mine]]).tolist():
            same = mine[kinds[public.worlds[mine]] == kind]
            begin[same] = np.append(0, np.cumsum(public.degree[same]))[:-1]
        for hand in range(hands):
            which = form.worlds.place[p, public.worlds[mine], hand]
            row, which = mine[which >= 0], which[which >= 0]
            kind, degree = kinds[public.worlds[row]], public.degree[row]
            sizes = np.bincount(kind, weights=degree, minlength=first.shape[2]).astype(np.int32)
            first[p, hand] = size + np.cumsum(sizes) - sizes
            sequence = p * split + public.sequence[row] + which * degree
            action = np.arange(degree.sum()) - np.repeat(np.cumsum(degree) - degree, degree)
            place[np.repeat(sequence, degree) + action] = (
                np.repeat(first[p, hand, kind] + begin[row], degree) + action
            )
            size += _whole_lines(int(degree.sum()))
    world = slice(form.worlds.begin[0], form.worlds.begin[1])
    odds = np.zeros((2, hands))
    odds[0, form.hands] = form.odds
    hand0, hand1 = form.worlds.hand[:, world]
    np.add.at(odds[1], hand1, odds[0, hand0] * form.worlds.odds[world])
    return first.reshape(-1), Layout(size, place, odds)


def _deals(form: PublicForm, hands: int, outcomes: _Outcomes) -> Ints:
    """See `Nodes.deals`; the first worlds have player 0's hands in the order of their deal."""
    rows = np.zeros((1 + hands, 3), np.int32)
    rows[0] = outcomes.add(form.hands, form.odds)
    world = slice(form.worlds.begin[0], form.worlds.begin[1])
    first, second = form.worlds.hand[:, world]
    for hand in form.hands.tolist():
        mine = first == hand
        rows[1 + hand] = outcomes.add(second[mine], form.worlds.odds[world][mine])
    return rows.reshape(-1)


def _kinds_of_worlds(form: PublicForm) -> Ints:
    """[worlds] The same number for worlds of the same pairs of hands and odds."""
    known: dict[bytes, int] = {}
    begin = form.worlds.begin.tolist()
    hand, odds = np.ascontiguousarray(form.worlds.hand.T), form.worlds.odds
    return np.array(
        [
            known.setdefault(hand[b:e].tobytes() + odds[b:e].tobytes(), len(known))
            for b, e in itertools.pairwise(begin)
        ],
        np.int32,
    )


def _reveals(
    form: PublicForm, kinds: Ints, chances: NDArray[np.intp], hands: int, outcomes: _Outcomes
) -> tuple[Ints, Ints]:
    """Where the reveals of public chance states begin, and the reveals: see `Nodes.reveals`.

    States at which the same worlds are split in the same way share one.
    """
    public = form.table
    children: dict[int, list[int]] = {row: [] for row in chances.tolist()}
    for row in np.flatnonzero(np.isin(public.parent, chances)).tolist():
        children[int(public.parent[row])].append(row)
    known: dict[tuple[tuple[int, int], ...], int] = {}
    found: list[Ints] = []
    places = np.zeros(len(chances), np.int32)
    for i, below in enumerate(children.values()):
        below.sort(key=lambda row: int(public.slot[row]))
        key = tuple((int(public.slot[row]), int(kinds[public.worlds[row]])) for row in below)
        if key not in known:
            known[key] = len(found) * hands * hands
            found.append(_reveal(form, below, hands, outcomes))
        places[i] = known[key]
    return places, np.concatenate(found).reshape(-1) if found else NO_COUNTS


def _reveal(form: PublicForm, below: list[int], hands: int, outcomes: _Outcomes) -> Ints:
    """[hands * hands, 3] What may be revealed, for every pair of hands."""
    worlds = form.worlds
    odds = np.zeros((hands * hands, len(below)))
    for column, row in enumerate(below):
        w = form.table.worlds[row]
        each = slice(worlds.begin[w], worlds.begin[w + 1])
        pairs = worlds.hand[0, each] * hands + worlds.hand[1, each]
        odds[pairs, column] = worlds.odds[each]
    slots = form.table.slot[below]
    rows = np.zeros((hands * hands, 3), np.int32)
    for pair in np.flatnonzero(odds.any(axis=1)).tolist():
        may = odds[pair] > 0.0
        rows[pair] = outcomes.add(slots[may], odds[pair, may])
    return rows
