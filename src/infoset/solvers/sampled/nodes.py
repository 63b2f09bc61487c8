"""A compiled game as walks read it: four integers a node.

If the rules say what is public, a node is a public state, and the hands of a walk say the rest.
There are dozens of times fewer public states than histories, so they stay in a near cache.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, GameError
from infoset.forms import HistoryTree, SequenceForm
from infoset.forms.history import PublicStates
from infoset.games.rules import CHANCE, TERMINAL
from infoset.solvers.sampled.kernels import structures
from infoset.solvers.sampled.kernels.structures import Nodes, Public

__all__ = ["CACHE_LINE", "Layout", "pack_nodes", "whole_cache_lines"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

NO_NUMBERS = np.zeros(0)
NO_COUNTS = np.zeros(0, np.int32)
NO_PUBLIC = Public(NO_COUNTS, NO_NUMBERS, NO_COUNTS, NO_COUNTS, NO_NUMBERS)


class Layout(NamedTuple):
    """Where tables hold the numbers of a sequence.

    The sequences of a hand lie side by side, and no two hands share a cache line, so threads that
    own different hands do not slow each other down. Without hands, each player counts as one hand.
    """

    size: int
    """Places in a table."""
    place: NDArray[np.int64]
    """[sequences] Player 0's sequences, then player 1's."""
    hand_probability: Floats
    """[2, hands] Probability that a player is dealt a hand."""


def pack_nodes(tree: SequenceForm, *, public: bool = False) -> tuple[Nodes, Layout]:
    """Lay out a game for walks; ``public`` for public-chance sampling, which walks histories."""
    form = tree.history.public
    if public or form is None:
        return _pack_histories(tree, public=public)
    return _pack_public(tree, form)


CACHE_LINE = 64
"""Bytes of a cache line."""


def whole_cache_lines(places: int) -> int:
    """Round up a number of places, so that what follows shares no cache line with them.

    A place is a byte or more, so this holds for tables of any type.

    >>> whole_cache_lines(65)
    128
    """
    return -(-places // CACHE_LINE) * CACHE_LINE


def _refuse_zeros(probabilities: Floats, name: str) -> None:
    if len(probabilities) and probabilities.min() <= 0.0:
        raise GameError(
            f"{name}: chance has an outcome of probability 0, which sampling would never meet and "
            "could not weigh; leave it out of State.chance"
        )


def _cumulative(probabilities: Floats, sizes: NDArray[np.integer[Any]]) -> Floats:
    """Cumulative sums within consecutive groups of these sizes."""
    sums = np.empty_like(probabilities)
    begin = np.append(0, np.cumsum(sizes))[:-1]
    for size in np.unique(sizes).tolist():
        rows = begin[sizes == size][:, None] + np.arange(size)
        sums[rows] = np.cumsum(probabilities[rows], axis=1)
    return sums


# Histories as nodes.


def _pack_histories(tree: SequenceForm, *, public: bool) -> tuple[Nodes, Layout]:
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
    table[ends, 3] = structures.TERMINAL
    chances = np.flatnonzero(player == CHANCE)
    table[chances, 3] = structures.CHANCE
    second = whole_cache_lines(tree.treeplexes[0].num_sequences)
    for p, first in ((0, 0), (1, second)):
        mine = np.flatnonzero(player == p)
        table[mine, 1] = first + tree.treeplexes[p].infoset_begin[history.node_infoset[mine]]
    nodes = Nodes(
        table=table.reshape(-1),
        payoffs=payoffs,
        chance_cumulative=_lay_out_chance(history, chances, table[:, 1], tree.name),
        num_hands=1,
        num_worlds=1,
        hand_begin=np.zeros(2, np.int32),
        deals=NO_COUNTS,
        reveals=NO_COUNTS,
        outcome=NO_COUNTS,
        outcome_cumulative=NO_NUMBERS,
        public=_public_states(tree) if public else NO_PUBLIC,
    )
    counts = [treeplex.num_sequences for treeplex in tree.treeplexes]
    place = np.append(np.arange(counts[0]), second + np.arange(counts[1]))
    return nodes, Layout(second + counts[1], place, np.ones((2, 1)))


def _lay_out_chance(
    history: HistoryTree, chances: NDArray[np.intp], place: Ints, name: str
) -> Floats:
    """Cumulative probabilities of all chance nodes whose outcomes are not equally likely.

    Writes to ``place`` where those of a node begin.
    """
    degree = history.node_degree[chances]
    owner = np.repeat(np.arange(len(chances)), degree)
    first = np.repeat(history.node_child[chances] - np.append(0, np.cumsum(degree)[:-1]), degree)
    probabilities = history.node_chance[first + np.arange(len(owner))]
    _refuse_zeros(probabilities, name)
    uneven = np.zeros(len(chances), bool)
    np.logical_or.at(uneven, owner, np.abs(probabilities * degree[owner] - 1.0) > 1e-12)
    begin = np.append(0, np.cumsum(np.where(uneven, degree, 0)))
    place[chances[uneven]] = begin[:-1][uneven]
    return _cumulative(probabilities[uneven[owner]], degree[uneven])


def _public_states(tree: SequenceForm) -> Public:
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
        outcome_cumulative=_cumulative(mass / total[pairs[:, 0]], sizes),
    )


def _chance_reach(history: HistoryTree) -> Floats:
    """[num_nodes] Probability that chance leads to each history, level by level."""
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
    """Collects the outcomes of deals and reveals."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.labels: list[NDArray[np.integer[Any]]] = []
        self.cumulative: list[Floats] = []
        self._count = 0

    def add(self, labels: NDArray[np.integer[Any]], probabilities: Floats) -> tuple[int, int, int]:
        """Add outcomes; return the first one's number, how many, and whether equally likely."""
        _refuse_zeros(probabilities, self._name)
        even = bool((np.abs(probabilities * len(probabilities) - 1.0) <= 1e-12).all())
        row = self._count, len(labels), int(even)
        self.labels.append(labels)
        self.cumulative.append(np.cumsum(probabilities))
        self._count += len(labels)
        return row


def _pack_public(tree: SequenceForm, form: PublicStates) -> tuple[Nodes, Layout]:
    public = form.table
    hands = form.payoffs.shape[1]
    outcomes = _Outcomes(tree.name)
    deals = _deals(form, hands, outcomes)
    worlds = _number_worlds(form)
    # Children side by side, in the order of their slots.
    begin = 1 + np.append(0, np.cumsum(public.degree))
    number = np.where(public.parent >= 0, begin[public.parent] + public.slot, 0)
    table = np.zeros((int(begin[-1]), 4), np.int32)
    table[:, 3] = structures.TERMINAL  # impossible outcomes
    rows = np.empty((len(number), 4), np.int32)
    rows[:, 0] = begin[:-1]
    rows[:, 1] = -1
    rows[:, 2] = public.degree
    rows[:, 3] = public.player
    hand_begin, layout = _lay_out_by_hand(tree, form, worlds, rows[:, 1])
    moves = public.player >= 0
    rows[moves, 3] += worlds[public.worlds[moves]] << structures.TYPE_BITS
    ends = public.player == TERMINAL
    rows[ends, 0] = public.settlement[ends] * hands * hands
    rows[ends, 3] = structures.TERMINAL
    chances = np.flatnonzero(public.player == CHANCE)
    rows[chances, 1], reveals = _reveals(form, worlds, chances, hands, outcomes)
    rows[chances, 3] = structures.REVEAL
    table[number] = rows
    nodes = Nodes(
        table=table.reshape(-1),
        payoffs=np.ascontiguousarray(form.payoffs.reshape(-1)),
        chance_cumulative=NO_NUMBERS,
        num_hands=hands,
        num_worlds=int(worlds.max()) + 1,
        hand_begin=hand_begin,
        deals=deals,
        reveals=reveals,
        outcome=np.concatenate(outcomes.labels).astype(np.int32),
        outcome_cumulative=np.concatenate(outcomes.cumulative),
        public=NO_PUBLIC,
    )
    return nodes, layout


def _lay_out_by_hand(
    tree: SequenceForm, form: PublicStates, worlds: Ints, begin: Ints
) -> tuple[Ints, Layout]:
    """Give every hand a stretch of the tables, after the two empty sequences.

    In a stretch, states with the same worlds are neighbours, and states at which the hand is
    impossible are left out. Writes to ``begin`` where a state's infoset begins among those of a
    hand and worlds. Returns `Nodes.hand_begin` and the layout.
    """
    public, hands = form.table, form.payoffs.shape[1]
    split = tree.treeplexes[0].num_sequences
    place = np.zeros(split + tree.treeplexes[1].num_sequences, np.int64)
    place[split] = 1
    hand_begin = np.zeros((2, hands, int(worlds.max()) + 1), np.int32)
    size = CACHE_LINE
    for p in (0, 1):
        mine = np.flatnonzero(public.player == p)
        for world in np.unique(worlds[public.worlds[mine]]).tolist():
            states = mine[worlds[public.worlds[mine]] == world]
            begin[states] = np.append(0, np.cumsum(public.degree[states]))[:-1]
        for hand in range(hands):
            which = form.worlds.place[p, public.worlds[mine], hand]
            state, which = mine[which >= 0], which[which >= 0]
            world, degree = worlds[public.worlds[state]], public.degree[state]
            sizes = np.bincount(world, weights=degree, minlength=hand_begin.shape[2])
            hand_begin[p, hand] = size + np.cumsum(sizes) - sizes
            sequence = p * split + public.sequence[state] + which * degree
            action = np.arange(degree.sum()) - np.repeat(np.cumsum(degree) - degree, degree)
            place[np.repeat(sequence, degree) + action] = (
                np.repeat(hand_begin[p, hand, world] + begin[state], degree) + action
            )
            size += whole_cache_lines(int(degree.sum()))
    root = slice(form.worlds.begin[0], form.worlds.begin[1])
    probability = np.zeros((2, hands))
    probability[0, form.hands] = form.odds
    hand0, hand1 = form.worlds.hand[:, root]
    np.add.at(probability[1], hand1, probability[0, hand0] * form.worlds.odds[root])
    return hand_begin.reshape(-1), Layout(size, place, probability)


def _deals(form: PublicStates, hands: int, outcomes: _Outcomes) -> Ints:
    """`Nodes.deals`; the worlds of the root have player 0's hands in the order of their deal."""
    rows = np.zeros((1 + hands, 3), np.int32)
    rows[0] = outcomes.add(form.hands, form.odds)
    world = slice(form.worlds.begin[0], form.worlds.begin[1])
    first, second = form.worlds.hand[:, world]
    for hand in form.hands.tolist():
        mine = first == hand
        rows[1 + hand] = outcomes.add(second[mine], form.worlds.odds[world][mine])
    return rows.reshape(-1)


def _number_worlds(form: PublicStates) -> Ints:
    """[worlds] The same number for worlds with the same pairs of hands and probabilities."""
    known: dict[bytes, int] = {}
    begin = form.worlds.begin.tolist()
    hand, probability = np.ascontiguousarray(form.worlds.hand.T), form.worlds.odds
    return np.array(
        [
            known.setdefault(hand[b:e].tobytes() + probability[b:e].tobytes(), len(known))
            for b, e in itertools.pairwise(begin)
        ],
        np.int32,
    )


def _reveals(
    form: PublicStates, worlds: Ints, chances: NDArray[np.intp], hands: int, outcomes: _Outcomes
) -> tuple[Ints, Ints]:
    """`Nodes.reveals`, and before it where those of each public chance state begin.

    States that split the same worlds in the same way share theirs.
    """
    public = form.table
    children: dict[int, list[int]] = {state: [] for state in chances.tolist()}
    for state in np.flatnonzero(np.isin(public.parent, chances)).tolist():
        children[int(public.parent[state])].append(state)
    known: dict[tuple[tuple[int, int], ...], int] = {}
    reveals: list[Ints] = []
    places = np.zeros(len(chances), np.int32)
    for i, states in enumerate(children.values()):
        states.sort(key=lambda state: int(public.slot[state]))
        key = tuple((int(public.slot[s]), int(worlds[public.worlds[s]])) for s in states)
        if key not in known:
            known[key] = len(reveals) * hands * hands
            reveals.append(_reveal(form, states, hands, outcomes))
        places[i] = known[key]
    return places, np.concatenate(reveals).reshape(-1) if reveals else NO_COUNTS


def _reveal(form: PublicStates, states: list[int], hands: int, outcomes: _Outcomes) -> Ints:
    """[hands * hands, 3] The outcomes for every pair of hands; ``states`` are the children."""
    worlds = form.worlds
    probability = np.zeros((hands * hands, len(states)))
    for column, state in enumerate(states):
        w = form.table.worlds[state]
        each = slice(worlds.begin[w], worlds.begin[w + 1])
        pairs = worlds.hand[0, each] * hands + worlds.hand[1, each]
        probability[pairs, column] = worlds.odds[each]
    slots = form.table.slot[states]
    rows = np.zeros((hands * hands, 3), np.int32)
    for pair in np.flatnonzero(probability.any(axis=1)).tolist():
        is_possible = probability[pair] > 0.0
        rows[pair] = outcomes.add(slots[is_possible], probability[pair, is_possible])
    return rows
