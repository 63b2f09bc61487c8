"""One walk through the histories along a sample: who was met, and what it was worth.

A walk is a list of *entries*. The first stands for the root; each entry that is expanded puts the
actions that are followed from it, one entry each, side by side at the end of the list. Moves that
are sampled (chance, the opponent) make no entries: they are followed to the next node where the
walk branches or ends. Read from its end, the list has every child before its parent, and values
are passed up.
"""

from typing import NamedTuple

import numpy as np

from infoset.solvers.kernels.random import STEP, unit
from infoset.trees.kernels.compiled import part

CHILD, BEGIN, DEGREE, KIND = 0, 1, 2, 3
"""Columns of `Nodes.table`."""

CHANCE, TERMINAL = 2, 3
"""Kinds of nodes, besides players 0 and 1."""

EVERY, SOME, ONE, EACH = 0, 1, 2, 3
"""What is followed of the traverser's actions: all; k of them; one by his strategy mixed with the
uniform one; each by itself, as the average strategy has it."""

OPPONENT, STOCHASTIC, BIASED = 0, 1, 2
"""Ways of averaging; see `infoset.solvers.traversals.Averaging`."""

ENTRY = np.dtype(
    [
        ("node", np.int32),
        ("first", np.int32),
        ("count", np.int32),
        ("slot", np.int32),
        ("boost", np.float64),
        ("inverse", np.float64),
        ("own", np.float64),
        ("other", np.float64),
        ("value", np.float64),
        ("shift", np.float64),
    ],
    align=True,
)
"""``node``: where the walk branches or ends; ``first``, ``count``: the entries of its children;
``slot``: the parent's action that led here, and ``boost``: one divided by the probability that it
was followed; ``inverse``: the product of these for all of the traverser's actions on the way;
``own``, ``other``: reach of the traverser and the opponent; ``value``: what the traverser wins
from the node on; ``shift``: what baselines add to that on the way from the parent (see `walk`)."""

MET = np.dtype(
    [
        ("begin", np.int32),
        ("degree", np.int32),
        ("entry", np.int32),
        ("slot", np.int32),
        ("weight", np.float64),
        ("shift", np.float64),
    ],
    align=True,
)
"""A node at which the opponent's action was sampled: his infoset, the entry on whose way it lies,
what he did, the weight of the visit in the average, and the entry's shift up to there."""


class Nodes(NamedTuple):
    """The histories as a walk reads them; see `infoset.solvers.sampling.nodes`."""

    table: np.ndarray
    """[num_nodes, 4] First child (of a terminal: which payoff), first sequence of the infoset (of
    chance: where its odds lie, or -1 if all are alike), number of children, kind."""
    payoffs: np.ndarray
    """The different payoffs of the game."""
    odds: np.ndarray
    """Cumulative probabilities of chance."""
    state: np.ndarray
    """[num_nodes] The public state of a node, -1 in the deal; empty if that is not needed."""
    chance: np.ndarray
    """[num_nodes] Probability of the step into a node; empty where `state` is."""
    outcomes: np.ndarray
    """[num_states + 1] First outcome of each public chance state."""
    outcome_state: np.ndarray
    """The public state an outcome leads to."""
    outcome_odds: np.ndarray
    """Cumulative probability of an outcome among those of its state."""


class Tables(NamedTuple):
    """What a sampled solver keeps, by sequence: player 0's, then player 1's."""

    strategy: np.ndarray
    regrets: np.ndarray
    average: np.ndarray
    kept: np.ndarray
    """[2, sequences] At the first sequence of an infoset: the logarithm of what had been kept of
    positive and negative regrets when it was last updated. Empty if nothing is discounted."""
    base: np.ndarray
    """Baselines: what player 0 is expected to win. Empty if there are none."""
    touched: np.ndarray
    """Work array: whether an infoset waits for its new strategy."""


class Method(NamedTuple):
    """How walks go."""

    follow: int
    k: int
    epsilon: float
    tau: float
    beta: float
    """The last four as `follow` needs them."""
    wide: bool
    """All of the opponent's actions are followed."""
    public: bool
    """Only what chance shows to both is sampled."""
    counted: bool
    """Actions that were not followed get a regret."""
    averaging: int
    rate: float
    """How fast baselines learn."""


@part
def _pick(odds, begin, degree, number):
    """The first of several whose probabilities add up to more than a number below one."""
    total = 0.0
    for a in range(degree):
        total += odds[begin + a]
        if number < total:
            return a
    # Rounding: the sum is a little below one.
    last = degree - 1
    while last > 0 and odds[begin + last] <= 0.0:
        last -= 1
    return last


@part
def _deal(nodes, begin, degree, number):
    """The outcome of chance that belongs to a number below one."""
    if begin < 0:
        return int(number * degree)
    a = 0
    while a < degree - 1 and number >= nodes.odds[begin + a]:
        a += 1
    return a


@part
def _put(entries, end, node, slot, boost, inverse, own, other):
    entry = entries[end]
    entry.node = node
    entry.first = -1
    entry.count = 0
    entry.slot = slot
    entry.boost = boost
    entry.inverse = inverse
    entry.own = own
    entry.other = other
    entry.shift = 0.0
    return end + 1


@part
def _follow(entries, end, i, at, tables, method, counter):
    """Put the actions that are followed from a traverser's node at the end of the list."""
    child, begin, degree = at
    strategy = tables.strategy
    entry = entries[i]
    inverse, own, other = entry.inverse, entry.own, entry.other
    entry.first = end
    if method.follow == EVERY or (method.follow == SOME and method.k >= degree):
        for a in range(degree):
            end = _put(entries, end, child + a, a, 1.0, inverse, own * strategy[begin + a], other)
    elif method.follow == SOME:
        boost = degree / method.k
        left = method.k
        for a in range(degree):
            counter += STEP
            if unit(counter) * (degree - a) < left:
                left -= 1
                reach = own * strategy[begin + a]
                end = _put(entries, end, child + a, a, boost, inverse * boost, reach, other)
                if left == 0:
                    break
    elif method.follow == ONE:
        counter += STEP
        number = unit(counter)
        even = method.epsilon / degree
        total = 0.0
        likely = 0.0
        a = -1
        while a < degree - 1:
            a += 1
            likely = even + (1.0 - method.epsilon) * strategy[begin + a]
            total += likely
            if number < total:
                break
        boost = 1.0 / likely
        reach = own * strategy[begin + a]
        end = _put(entries, end, child + a, a, boost, inverse * boost, reach, other)
    else:
        average = tables.average
        least = method.epsilon if method.k == 0 else method.k / degree
        total = method.beta
        for a in range(degree):
            total += average[begin + a]
        for a in range(degree):
            share = (method.beta + method.tau * average[begin + a]) / total if total > 0.0 else 0.0
            likely = min(max(share, least), 1.0)
            counter += STEP
            if unit(counter) < likely:
                boost = 1.0 / likely
                reach = own * strategy[begin + a]
                end = _put(entries, end, child + a, a, boost, inverse * boost, reach, other)
    entry.count = end - entry.first
    return end, counter


@part
def walk(nodes, tables, method, entries, met, player, counter):
    """Walk for a player from the root, with chance and the opponent sampled.

    Writes entries and met nodes. Returns how many there are of both, and how many nodes were
    touched; -1 entries say that the room was too small.

    With baselines, a sampled action of the opponent counts ``value - base`` more than he is
    expected to bring, ``sum of strategy * base``. On the way between two entries these add up to
    the shift.
    """
    strategy, base, table = tables.strategy, tables.base, nodes.table
    has_base = len(base) > 0
    keeps_met = has_base or method.averaging == OPPONENT
    sign = 1.0 if player == 0 else -1.0
    end = _put(entries, 0, 0, 0, 1.0, 1.0, 1.0, 1.0)
    met_end = 0
    touched = 0
    i = 0
    while i < end:
        entry = entries[i]
        node = entry.node
        shift = 0.0
        while True:
            touched += 1
            child, degree, kind = table[node, CHILD], table[node, DEGREE], table[node, KIND]
            at = table[node, BEGIN]
            slot = 0
            if kind == 1 - player:
                if degree > 1:
                    counter += STEP
                    slot = _pick(strategy, at, degree, unit(counter))
                if has_base:
                    for a in range(degree):
                        shift += sign * strategy[at + a] * base[at + a]
                    shift -= sign * base[at + slot]
                if keeps_met:
                    if met_end == len(met):
                        return -1, 0, touched
                    seen = met[met_end]
                    seen.begin = at
                    seen.degree = degree
                    seen.entry = i
                    seen.slot = slot
                    seen.weight = entry.inverse
                    seen.shift = shift
                    met_end += 1
                entry.other *= strategy[at + slot]
            elif kind == CHANCE:
                if degree > 1:
                    counter += STEP
                    slot = _deal(nodes, at, degree, unit(counter))
            else:
                break
            node = child + slot
        entry.node = node
        entry.shift = shift
        if kind == TERMINAL:
            entry.value = sign * nodes.payoffs[child]
        else:
            if end + degree > len(entries):
                return -1, 0, touched
            end, counter = _follow(entries, end, i, (child, at, degree), tables, method, counter)
        i += 1
    return end, met_end, touched


@part
def walk_wide(nodes, tables, method, entries, player, counter):
    """Walk for a player with only chance sampled, or (`Method.public`) only its public part.

    All worlds (pairs of hands) of a public state see the same outcome there. It is drawn where it
    is first come to, from a number of its own: its state's, not the walk's. Where the hands make
    it more likely than it is on the whole, it counts that much more.
    """
    strategy, table = tables.strategy, nodes.table
    sign = 1.0 if player == 0 else -1.0
    end = _put(entries, 0, 0, 0, 1.0, 1.0, 1.0, 1.0)
    touched = 0
    i = 0
    while i < end:
        entry = entries[i]
        node = entry.node
        while True:
            touched += 1
            child, degree, kind = table[node, CHILD], table[node, DEGREE], table[node, KIND]
            at = table[node, BEGIN]
            if kind != CHANCE:
                break
            if not method.public:
                slot = 0
                if degree > 1:
                    counter += STEP
                    slot = _deal(nodes, at, degree, unit(counter))
                node = child + slot
                continue
            state = nodes.state[node]
            if state < 0 or nodes.outcomes[state] == nodes.outcomes[state + 1]:
                break
            outcome, likely = _show(nodes, state, counter)
            slot = 0
            while slot < degree and nodes.state[child + slot] != outcome:
                slot += 1
            if slot == degree:
                kind = TERMINAL
                child = -1
                break
            node = child + slot
            weight = nodes.chance[node] / likely
            entry.inverse *= weight
            entry.boost *= weight
        entry.node = node
        if kind == TERMINAL:
            entry.value = sign * nodes.payoffs[child] if child >= 0 else 0.0
        else:
            if end + degree > len(entries):
                return -1, touched
            entry.first = end
            entry.count = degree
            inverse, own, other = entry.inverse, entry.own, entry.other
            for a in range(degree):
                if kind == CHANCE:
                    p = nodes.chance[child + a]
                    end = _put(entries, end, child + a, a, p, inverse * p, own, other)
                elif kind == player:
                    reach = own * strategy[at + a]
                    end = _put(entries, end, child + a, a, 1.0, inverse, reach, other)
                else:
                    reach = other * strategy[at + a]
                    end = _put(entries, end, child + a, a, 1.0, inverse, own, reach)
        i += 1
    return end, touched


@part
def _show(nodes, state, counter):
    """What chance shows at a public state in this walk, and how likely that was."""
    begin, end = nodes.outcomes[state], nodes.outcomes[state + 1]
    number = unit(counter + STEP * np.uint64(state + 1))
    o = begin
    while o < end - 1 and number >= nodes.outcome_odds[o]:
        o += 1
    before = nodes.outcome_odds[o - 1] if o > begin else 0.0
    return nodes.outcome_state[o], nodes.outcome_odds[o] - before


@part
def value_up(nodes, tables, entries, end, player):
    """Give every entry of a walk its value, from the last to the first."""
    strategy, base, table = tables.strategy, tables.base, nodes.table
    has_base = len(base) > 0
    sign = 1.0 if player == 0 else -1.0
    for i in range(end - 1, -1, -1):
        entry = entries[i]
        first, count = entry.first, entry.count
        if first < 0:
            continue
        kind, at = table[entry.node, KIND], table[entry.node, BEGIN]
        total = 0.0
        if kind == CHANCE:
            for j in range(first, first + count):
                total += entries[j].value * entries[j].boost
        elif not has_base:
            for j in range(first, first + count):
                below = entries[j]
                total += strategy[at + below.slot] * (below.value * below.boost)
        else:
            for a in range(table[entry.node, DEGREE]):
                total += strategy[at + a] * (sign * base[at + a])
            for j in range(first, first + count):
                below = entries[j]
                s = at + below.slot
                more = (below.value + below.shift - sign * base[s]) * below.boost
                total += strategy[s] * more
        entry.value = total
