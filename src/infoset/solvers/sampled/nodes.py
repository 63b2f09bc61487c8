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
from infoset.forms import HistoryTree, PublicStates, SequenceForm
from infoset.games import CHANCE, TERMINAL
from infoset.machine.aligned import LINE
from infoset.solvers.sampled.kernels import structures
from infoset.solvers.sampled.kernels.structures import DRAW, NODE, Nodes, Public

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Records = NDArray[np.void]

NO_NUMBERS = np.zeros(0)
NO_COUNTS = np.zeros(0, np.int32)
NO_DRAWS = np.zeros(0, DRAW)
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


def pack_nodes(form: SequenceForm, *, public: bool = False) -> tuple[Nodes, Layout]:
    """Lay out a game for walks; ``public`` for public-chance sampling, which walks histories."""
    states = form.history.public
    if public or states is None or form.history.is_merged:
        return _pack_histories(form, public=public)
    return _pack_public(form, states)


def whole_cache_lines(places: int) -> int:
    """Round up a number of places, so that what follows shares no cache line with them.

    A place is a byte or more, so this holds for tables of any type.

    >>> whole_cache_lines(65)
    128
    """
    return -(-places // LINE) * LINE


class _Outcomes:
    """Collects the outcomes of deals and of chance."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._labels = [NO_COUNTS]
        self._cumulative = [NO_NUMBERS]
        self._count = 0

    def add(self, labels: NDArray[np.integer[Any]], probabilities: Floats) -> tuple[int, int, int]:
        """Add outcomes; return their `DRAW`."""
        if probabilities.min(initial=1.0) <= 0.0:
            raise GameError(
                f"{self._name}: chance has an outcome of probability 0, which sampling would never "
                "meet and could not weigh; leave it out of State.chance"
            )
        even = bool((np.abs(probabilities * len(probabilities) - 1.0) <= 1e-12).all())
        draw = self._count, len(labels), int(even)
        self._labels.append(labels.astype(np.int32))
        self._cumulative.append(np.cumsum(probabilities))
        self._count += len(labels)
        return draw

    def arrays(self) -> dict[str, NDArray[Any]]:
        """`Nodes.outcome` and `Nodes.outcome_cumulative`."""
        return {
            "outcome": np.concatenate(self._labels),
            "outcome_cumulative": np.concatenate(self._cumulative),
        }


def _cumulative(probabilities: Floats, sizes: NDArray[np.integer[Any]]) -> Floats:
    """Cumulative sums within consecutive groups of these sizes."""
    sums = np.empty_like(probabilities)
    begin = np.append(0, np.cumsum(sizes))[:-1]
    for size in np.unique(sizes).tolist():
        rows = begin[sizes == size][:, None] + np.arange(size)
        sums[rows] = np.cumsum(probabilities[rows], axis=1)
    return sums


def _node_table(child: Ints, degree: Ints, player: NDArray[np.integer[Any]]) -> Records:
    table = np.empty(len(child), NODE)
    table["child"] = child
    table["begin"] = -1
    table["degree"] = degree
    kinds = [player == TERMINAL, player == CHANCE]
    table["type"] = np.select(kinds, [structures.TERMINAL, structures.CHANCE], player)
    return table


# Histories as nodes.


def _pack_histories(form: SequenceForm, *, public: bool) -> tuple[Nodes, Layout]:
    history = form.history
    player = history.node_player
    table = _node_table(history.node_child, history.node_degree, player)
    ends = player == TERMINAL
    payoffs, which = np.unique(history.node_payoff[ends], return_inverse=True)
    table["child"][ends] = which
    second = whole_cache_lines(form.treeplexes[0].num_sequences)
    for p, first in ((0, 0), (1, second)):
        mine = np.flatnonzero(player == p)
        begin = form.treeplexes[p].infoset_begin[history.node_infoset[mine]]
        table["begin"][mine] = first + begin
    outcomes = _Outcomes(form.name)
    nodes = Nodes(
        table=table,
        payoffs=payoffs,
        num_hands=1,
        num_worlds=1,
        hand_begin=np.zeros(2, np.int32),
        deals=NO_DRAWS,
        draws=_chance_draws(history, table["begin"], outcomes),
        **outcomes.arrays(),
        public=_public_states(form) if public else NO_PUBLIC,
    )
    counts = [treeplex.num_sequences for treeplex in form.treeplexes]
    place = np.append(np.arange(counts[0]), second + np.arange(counts[1]))
    return nodes, Layout(second + counts[1], place, np.ones((2, 1)))


def _chance_draws(history: HistoryTree, place: Ints, outcomes: _Outcomes) -> Records:
    """`Nodes.draws`; writes to ``place`` where that of a chance node is. Equal ones are shared."""
    known: dict[bytes, int] = {}
    draws: list[tuple[int, int, int]] = []
    for node in np.flatnonzero(history.node_player == CHANCE).tolist():
        child, degree = history.node_child[node], history.node_degree[node]
        probabilities = history.node_chance[child : child + degree]
        key = probabilities.tobytes()
        if key not in known:
            known[key] = len(draws)
            draws.append(outcomes.add(np.arange(degree), probabilities))
        place[node] = known[key]
    return np.array(draws, DRAW)


def _public_states(form: SequenceForm) -> Public:
    history = form.history
    state = history.node_public
    if state is None:
        raise BadInputError(
            f"public-chance sampling needs to know what chance shows to both players, and "
            f"{form.name} does not tell: its rules are not in public form (see infoset.games.dealt)"
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


def _pack_public(form: SequenceForm, states: PublicStates) -> tuple[Nodes, Layout]:
    public = states.table
    hands = states.payoffs.shape[1]
    outcomes = _Outcomes(form.name)
    deals = _deals(states, hands, outcomes)
    worlds = _number_worlds(states)
    # Children side by side, in the order of their slots.
    begin = 1 + np.append(0, np.cumsum(public.degree))
    number = np.where(public.parent >= 0, begin[public.parent] + public.slot, 0)
    rows = _node_table(begin[:-1], public.degree, public.player)
    hand_begin, layout = _lay_out_by_hand(form, states, worlds, rows["begin"])
    moves = public.player >= 0
    rows["type"][moves] += worlds[public.worlds[moves]] << structures.TYPE_BITS
    ends = public.player == TERMINAL
    rows["child"][ends] = public.ending[ends] * hands * hands
    draws = _reveals(states, worlds, rows["begin"], outcomes)
    table = np.zeros(int(begin[-1]), NODE)
    table["type"] = structures.TERMINAL  # impossible outcomes
    table[number] = rows
    nodes = Nodes(
        table=table,
        payoffs=np.ascontiguousarray(states.payoffs.reshape(-1)),
        num_hands=hands,
        num_worlds=int(worlds.max()) + 1,
        hand_begin=hand_begin,
        deals=deals,
        draws=draws,
        **outcomes.arrays(),
        public=NO_PUBLIC,
    )
    return nodes, layout


def _lay_out_by_hand(
    form: SequenceForm, states: PublicStates, worlds: Ints, begin: Ints
) -> tuple[Ints, Layout]:
    """Give every hand a stretch of the tables, after the two empty sequences.

    In a stretch, states with the same worlds are neighbours, and states at which the hand is
    impossible are left out. Writes to ``begin`` where a state's infoset begins among those of a
    hand and worlds. Returns `Nodes.hand_begin` and the layout.
    """
    public, hands = states.table, states.payoffs.shape[1]
    split = form.treeplexes[0].num_sequences
    place = np.zeros(split + form.treeplexes[1].num_sequences, np.int64)
    place[split] = 1
    hand_begin = np.zeros((2, hands, int(worlds.max()) + 1), np.int32)
    size = LINE
    for p in (0, 1):
        mine = np.flatnonzero(public.player == p)
        for world in np.unique(worlds[public.worlds[mine]]).tolist():
            group = mine[worlds[public.worlds[mine]] == world]
            begin[group] = np.append(0, np.cumsum(public.degree[group]))[:-1]
        for hand in range(hands):
            which = states.worlds.place[p, public.worlds[mine], hand]
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
    root = slice(states.worlds.begin[0], states.worlds.begin[1])
    probability = np.zeros((2, hands))
    probability[0, states.hands] = states.probability
    hand0, hand1 = states.worlds.hand[:, root]
    np.add.at(probability[1], hand1, probability[0, hand0] * states.worlds.probability[root])
    return hand_begin.reshape(-1), Layout(size, place, probability)


def _deals(states: PublicStates, hands: int, outcomes: _Outcomes) -> Records:
    """`Nodes.deals`; the worlds of the root have player 0's hands in the order of their deal."""
    deals = np.zeros(1 + hands, DRAW)
    deals[0] = outcomes.add(states.hands, states.probability)
    world = slice(states.worlds.begin[0], states.worlds.begin[1])
    first, second = states.worlds.hand[:, world]
    for hand in states.hands.tolist():
        mine = first == hand
        deals[1 + hand] = outcomes.add(second[mine], states.worlds.probability[world][mine])
    return deals


def _number_worlds(states: PublicStates) -> Ints:
    """[worlds] The same number for worlds with the same pairs of hands and probabilities."""
    known: dict[bytes, int] = {}
    begin = states.worlds.begin.tolist()
    hand, probability = np.ascontiguousarray(states.worlds.hand.T), states.worlds.probability
    return np.array(
        [
            known.setdefault(hand[b:e].tobytes() + probability[b:e].tobytes(), len(known))
            for b, e in itertools.pairwise(begin)
        ],
        np.int32,
    )


def _reveals(states: PublicStates, worlds: Ints, place: Ints, outcomes: _Outcomes) -> Records:
    """`Nodes.draws`; writes to ``place`` where those of a public chance state begin.

    States that split the same worlds in the same way share theirs.
    """
    public, hands = states.table, states.payoffs.shape[1]
    chances = np.flatnonzero(public.player == CHANCE)
    children: dict[int, list[int]] = {state: [] for state in chances.tolist()}
    for state in np.flatnonzero(np.isin(public.parent, chances)).tolist():
        children[int(public.parent[state])].append(state)
    known: dict[tuple[tuple[int, int], ...], int] = {}
    reveals = [NO_DRAWS]
    for chance, siblings in children.items():
        siblings.sort(key=lambda state: int(public.slot[state]))
        key = tuple((int(public.slot[s]), int(worlds[public.worlds[s]])) for s in siblings)
        if key not in known:
            known[key] = len(known) * hands * hands
            reveals.append(_reveal(states, siblings, hands, outcomes))
        place[chance] = known[key]
    return np.concatenate(reveals)


def _reveal(states: PublicStates, siblings: list[int], hands: int, outcomes: _Outcomes) -> Records:
    """[hands * hands] The outcomes for every pair of hands; ``siblings`` are the children."""
    worlds = states.worlds
    probability = np.zeros((hands * hands, len(siblings)))
    for column, state in enumerate(siblings):
        w = states.table.worlds[state]
        each = slice(worlds.begin[w], worlds.begin[w + 1])
        pairs = worlds.hand[0, each] * hands + worlds.hand[1, each]
        probability[pairs, column] = worlds.probability[each]
    slots = states.table.slot[siblings]
    draws = np.zeros(hands * hands, DRAW)
    for pair in np.flatnonzero(probability.any(axis=1)).tolist():
        is_possible = probability[pair] > 0.0
        draws[pair] = outcomes.add(slots[is_possible], probability[pair, is_possible])
    return draws
