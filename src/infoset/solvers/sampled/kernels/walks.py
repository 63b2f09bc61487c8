"""One walk through the histories along a sample: who was met, and what it was worth.

A walk is a list of *entries*. The first stands for the root; each entry that is expanded puts the
actions that are followed from it, one entry each, side by side at the end of the list. Moves that
are sampled (chance, the opponent) make no entries: they are followed to the next node where the
walk branches or ends. Read from its end, the list has every child before its parent, and values
are passed up.
"""

import numpy as np

from infoset.machine.compiled import part
from infoset.solvers.sampled.kernels.random import STEP, unit
from infoset.solvers.sampled.kernels.sampling_data import (
    BEGIN,
    CHANCE,
    CHILD,
    DEGREE,
    EVERY,
    KIND,
    KIND_BITS,
    MEANS,
    ONE,
    OPPONENT,
    REVEAL,
    SOME,
    TERMINAL,
    u,
)


@part
def pick(odds, begin, degree, number):
    """The first of several whose probabilities add up to more than a number below one."""
    total = 0.0
    for a in range(degree):
        total += odds[u(begin + a)]
        if number < total:
            return a
    # Rounding: the sum is a little below one.
    last = degree - 1
    while last > 0 and odds[u(begin + last)] <= 0.0:
        last -= 1
    return last


@part
def deal(nodes, begin, degree, number):
    """The outcome of chance that belongs to a number below one."""
    if begin < 0:
        return int(number * degree)
    a = 0
    while a < degree - 1 and number >= nodes.odds[u(begin + a)]:
        a += 1
    return a


@part
def draw(nodes, rows, row, counter):
    """An outcome of a deal or a reveal; moves the counter if there is a choice."""
    begin, count = rows[u(3 * row)], rows[u(3 * row + 1)]
    if count == 1:
        return nodes.outcome[u(begin)], counter
    counter += STEP
    number = unit(counter)
    if rows[u(3 * row + 2)]:
        return nodes.outcome[u(begin + int(number * count))], counter
    o = begin
    while o < begin + count - 1 and number >= nodes.outcome_odds[u(o)]:
        o += 1
    return nodes.outcome[u(o)], counter


@part
def deal_hands(nodes, counter):
    """The hands of a walk, and the counter after it."""
    if len(nodes.deals) == 0:
        return 0, 0, counter
    first, counter = draw(nodes, nodes.deals, 0, counter)
    second, counter = draw(nodes, nodes.deals, 1 + first, counter)
    return first, second, counter


@part
def dealt(nodes):
    """How many nodes of chance the deal is."""
    return 0 if len(nodes.deals) == 0 else 2


@part
def shown(nodes, node, kind, pair, counter):
    """What chance brings at a node after the deal: the slot of a child, and the counter then."""
    begin = nodes.table[u(4 * node + BEGIN)]
    if kind == REVEAL:
        return draw(nodes, nodes.reveals, begin + pair, counter)
    degree = nodes.table[u(4 * node + DEGREE)]
    slot = 0
    if degree > 1:
        counter += STEP
        slot = deal(nodes, begin, degree, unit(counter))
    return slot, counter


@part
def hand_of(nodes, player, hand0, hand1):
    """Where `Nodes.first` has a player's hand."""
    return nodes.num_worlds * (hand0 if player == 0 else nodes.num_hands + hand1)


@part
def infoset_at(nodes, hand, node):
    """The first sequence of the infoset that a hand has at a node."""
    worlds = nodes.table[u(4 * node + KIND)] >> KIND_BITS
    return nodes.first[u(hand + worlds)] + nodes.table[u(4 * node + BEGIN)]


@part
def _put(entries, end, node, slot, boost, inverse, own, other):
    entry = entries[u(end)]
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
def _follow(entries, end, i, child, tables, method, counter):
    """Put the actions that are followed from a traverser's node at the end of the list."""
    strategy = tables.strategy
    entry = entries[u(i)]
    begin, degree = entry.at, entry.degree
    inverse, own, other = entry.inverse, entry.own, entry.other
    entry.first = end
    if method.follow == EVERY or (method.follow == SOME and method.k >= degree):
        for a in range(degree):
            end = _put(
                entries, end, child + a, a, 1.0, inverse, own * strategy[u(begin + a)], other
            )
    elif method.follow == SOME:
        boost = degree / method.k
        left = method.k
        for a in range(degree):
            counter += STEP
            if unit(counter) * (degree - a) < left:
                left -= 1
                reach = own * strategy[u(begin + a)]
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
            likely = even + (1.0 - method.epsilon) * strategy[u(begin + a)]
            total += likely
            if number < total:
                break
        boost = 1.0 / likely
        reach = own * strategy[u(begin + a)]
        end = _put(entries, end, child + a, a, boost, inverse * boost, reach, other)
    else:
        average = tables.average
        least = method.epsilon if method.k == 0 else method.k / degree
        total = method.beta
        for a in range(degree):
            total += average[u(begin + a)]
        for a in range(degree):
            share = (
                (method.beta + method.tau * average[u(begin + a)]) / total if total > 0.0 else 0.0
            )
            likely = min(max(share, least), 1.0)
            counter += STEP
            if unit(counter) < likely:
                boost = 1.0 / likely
                reach = own * strategy[u(begin + a)]
                end = _put(entries, end, child + a, a, boost, inverse * boost, reach, other)
    entry.count = end - entry.first
    return end, counter


@part
def walk(nodes, tables, method, notes, turn, thread, reader, player, hand0, hand1, counter):
    """Walk for a player from the root, with chance and the opponent sampled.

    Writes entries, notes of what is to be added to averages of the opponent, and, with baselines,
    what was met. Returns how many entries and met nodes there are, and how many nodes were touched;
    -1 or -2 entries say that there was no room for entries, or for notes.

    With baselines, a sampled action of the opponent counts ``value - base`` more than he is
    expected to bring, ``sum of strategy * base``. On the way between two entries these add up to
    the shift.
    """
    strategy, base, table = tables.strategy, tables.base, nodes.table
    entries, met = notes.entries[thread], notes.met[thread]
    means, shares = notes.means[turn, thread, reader], notes.shares[turn, thread, reader]
    has_base, has_shares = len(base) > 0, len(shares) > 0
    averages = method.averaging == OPPONENT
    sign = 1.0 if player == 0 else -1.0
    mine = hand_of(nodes, player, hand0, hand1)
    theirs = hand_of(nodes, 1 - player, hand0, hand1)
    pair = hand0 * nodes.num_hands + hand1
    touched = dealt(nodes)
    m = notes.written[thread, 1 + reader, MEANS]
    end = _put(entries, 0, 0, 0, 1.0, 1.0, 1.0, 1.0)
    met_end = 0
    i = 0
    while i < end:
        entry = entries[u(i)]
        node = entry.node
        shift = 0.0
        while True:
            touched += 1
            child, degree = table[u(4 * node + CHILD)], table[u(4 * node + DEGREE)]
            kind = table[u(4 * node + KIND)] & (2**KIND_BITS - 1)
            slot = 0
            if kind == 1 - player:
                at = infoset_at(nodes, theirs, node)
                if degree > 1:
                    counter += STEP
                    slot = pick(strategy, at, degree, unit(counter))
                if averages:
                    if m == len(means):
                        return -2, met_end, touched
                    means[u(m)] = at
                    if has_shares:
                        shares[u(m)] = entry.inverse
                    m += 1
                else:
                    entry.other *= strategy[u(at + slot)]
                if has_base:
                    if met_end == len(met):
                        return -1, met_end, touched
                    for a in range(degree):
                        shift += sign * strategy[u(at + a)] * base[u(at + a)]
                    shift -= sign * base[u(at + slot)]
                    seen = met[u(met_end)]
                    seen.sequence = at + slot
                    seen.entry = i
                    seen.shift = shift
                    met_end += 1
            elif kind in (player, TERMINAL):
                break
            else:
                slot, counter = shown(nodes, node, kind, pair, counter)
            node = child + slot
        entry.node = node
        entry.kind = kind
        entry.shift = shift
        if kind == TERMINAL:
            entry.value = sign * nodes.payoffs[u(child + pair)]
        else:
            if end + degree > len(entries):
                return -1, met_end, touched
            entry.at = infoset_at(nodes, mine, node)
            entry.degree = degree
            end, counter = _follow(entries, end, i, child, tables, method, counter)
        i += 1
    notes.written[thread, 1 + reader, MEANS] = m
    return end, met_end, touched


@part
def walk_wide(nodes, tables, method, notes, thread, player, hand0, hand1, counter):
    """Walk for a player with only chance sampled, or (`Method.public`) only its public part.

    All worlds (pairs of hands) of a public state see the same outcome there. It is drawn where it
    is first come to, from a number of its own: its state's, not the walk's. Where the hands make
    it more likely than it is on the whole, it counts that much more.
    """
    strategy, table, public = tables.strategy, nodes.table, nodes.public
    entries = notes.entries[thread]
    sign = 1.0 if player == 0 else -1.0
    touched = dealt(nodes)
    pair = hand0 * nodes.num_hands + hand1
    end = _put(entries, 0, 0, 0, 1.0, 1.0, 1.0, 1.0)
    i = 0
    while i < end:
        entry = entries[u(i)]
        node = entry.node
        while True:
            touched += 1
            child, degree = table[u(4 * node + CHILD)], table[u(4 * node + DEGREE)]
            kind = table[u(4 * node + KIND)] & (2**KIND_BITS - 1)
            if kind != CHANCE and kind != REVEAL:
                break
            slot = 0
            if not method.public:
                slot, counter = shown(nodes, node, kind, pair, counter)
                node = child + slot
                continue
            state = public.state[u(node)]
            if state < 0 or public.outcomes[u(state)] == public.outcomes[u(state + 1)]:
                break
            outcome, likely = _show(public, state, counter)
            while slot < degree and public.state[u(child + slot)] != outcome:
                slot += 1
            if slot == degree:
                kind = TERMINAL
                child = -1
                break
            node = child + slot
            weight = public.chance[u(node)] / likely
            entry.inverse *= weight
            entry.boost *= weight
        entry.node = node
        entry.kind = kind
        if kind == TERMINAL:
            entry.value = sign * nodes.payoffs[u(child + pair)] if child >= 0 else 0.0
            i += 1
            continue
        if end + degree > len(entries):
            return -1, touched
        entry.first = end
        entry.count = degree
        entry.degree = degree
        inverse, own, other = entry.inverse, entry.own, entry.other
        at = -1
        if kind < CHANCE:
            at = infoset_at(nodes, hand_of(nodes, kind, hand0, hand1), node)
        entry.at = at
        for a in range(degree):
            if kind == CHANCE:
                p = public.chance[u(child + a)]
                end = _put(entries, end, child + a, a, p, inverse * p, own, other)
            elif kind == player:
                reach = own * strategy[u(at + a)]
                end = _put(entries, end, child + a, a, 1.0, inverse, reach, other)
            else:
                reach = other * strategy[u(at + a)]
                end = _put(entries, end, child + a, a, 1.0, inverse, own, reach)
        i += 1
    return end, touched


@part
def _show(public, state, counter):
    """What chance shows at a public state in this walk, and how likely that was."""
    begin, end = public.outcomes[u(state)], public.outcomes[u(state + 1)]
    number = unit(counter + STEP * np.uint64(state + 1))
    o = begin
    while o < end - 1 and number >= public.outcome_odds[u(o)]:
        o += 1
    before = public.outcome_odds[u(o - 1)] if o > begin else 0.0
    return public.outcome_state[u(o)], public.outcome_odds[u(o)] - before


@part
def value_up(tables, entries, end, player):
    """Give every entry of a walk its value, from the last to the first."""
    strategy, base = tables.strategy, tables.base
    has_base = len(base) > 0
    sign = 1.0 if player == 0 else -1.0
    for i in range(end - 1, -1, -1):
        entry = entries[u(i)]
        first, count, at = entry.first, entry.count, entry.at
        if first < 0:
            continue
        total = 0.0
        if entry.kind == CHANCE:
            for j in range(first, first + count):
                total += entries[u(j)].value * entries[u(j)].boost
        elif not has_base:
            for j in range(first, first + count):
                below = entries[u(j)]
                total += strategy[u(at + below.slot)] * (below.value * below.boost)
        else:
            for a in range(entry.degree):
                total += strategy[u(at + a)] * (sign * base[u(at + a)])
            for j in range(first, first + count):
                below = entries[u(j)]
                s = at + below.slot
                more = (below.value + below.shift - sign * base[u(s)]) * below.boost
                total += strategy[u(s)] * more
        entry.value = total
