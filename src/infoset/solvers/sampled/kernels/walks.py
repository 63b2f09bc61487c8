"""One walk: the sampled part of the game, from the root to terminals, and its values.

A walk is a list of *entries*. The first is the root. An entry that is expanded appends one entry
for each action that is followed from it. Sampled moves (of chance and the opponent) make no
entries: the walk goes on to the next node at which it branches or ends. Read backwards, the list
has every child before its parent, so one pass backwards gives every entry its value.
"""

import numpy as np

from infoset.machine.compiled import inline
from infoset.solvers.sampled.kernels.random import STEP, uniform
from infoset.solvers.sampled.kernels.structures import (
    CHANCE,
    FOLLOW_ALL,
    FOLLOW_K,
    FOLLOW_ONE,
    OPPONENT,
    TERMINAL,
    TYPE_BITS,
    unsigned,
)

ENTRIES_FULL, LOG_FULL = -1, -2
"""Returned in place of a number of entries if there was no space for more."""


@inline
def sample_action(strategy, begin, degree, number):
    """The action of an infoset that belongs to a random number below one."""
    total = 0.0
    for a in range(degree):
        total += strategy[unsigned(begin + a)]
        if number < total:
            return a
    # Rounding: the sum is a little below one.
    last = degree - 1
    while last > 0 and strategy[unsigned(begin + last)] <= 0.0:
        last -= 1
    return last


@inline
def sample_exploring(strategy, begin, degree, epsilon, number):
    """An action drawn from the strategy mixed with ``epsilon`` of the uniform one.

    Returns the action and the probability with which it is drawn.
    """
    each = epsilon / degree
    total, probability = 0.0, 0.0
    a = np.int64(-1)
    while a < degree - 1:
        a += 1
        probability = each + (1.0 - epsilon) * strategy[unsigned(begin + a)]
        total += probability
        if number < total:
            break
    return a, probability


@inline
def _search(cumulative, begin, end, number):
    """The first place in ``[begin, end)`` whose cumulative probability is above a number."""
    place = begin
    while place < end - 1 and number >= cumulative[unsigned(place)]:
        place += 1
    return place


@inline
def _sample_outcome(nodes, draw, counter):
    """An outcome of a deal or of chance, and the random counter after it."""
    begin, count = draw.begin, draw.count
    if count == 1:
        return nodes.outcome[unsigned(begin)], counter
    counter += STEP
    number = uniform(counter)
    if draw.is_even:
        return nodes.outcome[unsigned(begin + int(number * count))], counter
    place = _search(nodes.outcome_cumulative, begin, begin + count, number)
    return nodes.outcome[unsigned(place)], counter


@inline
def deal_hands(nodes, counter):
    """The hands of a walk, and the random counter after the deal."""
    if len(nodes.deals) == 0:
        return 0, 0, counter
    hand0, counter = _sample_outcome(nodes, nodes.deals[0], counter)
    hand1, counter = _sample_outcome(nodes, nodes.deals[unsigned(1 + hand0)], counter)
    return hand0, hand1, counter


@inline
def num_deal_nodes(nodes):
    """How many chance nodes the deal of the hands stands for."""
    return 0 if len(nodes.deals) == 0 else 2


@inline
def sample_chance(nodes, node, pair, counter):
    """The slot of the child that chance chooses, and the random counter after it."""
    draw = nodes.draws[unsigned(nodes.table[unsigned(node)].begin + pair)]
    return _sample_outcome(nodes, draw, counter)


@inline
def read_node(table, node):
    """First child, number of children and type of a node."""
    row = table[unsigned(node)]
    return row.child, row.degree, row.type & (2**TYPE_BITS - 1)


@inline
def hand_row(nodes, player, hand0, hand1):
    """Where the rows of a player's hand begin in `Nodes.hand_begin`."""
    return nodes.num_worlds * (hand0 if player == 0 else nodes.num_hands + hand1)


@inline
def infoset_begin(nodes, row, node):
    """The first sequence of a hand's infoset at a node; ``row`` is that of `hand_row`."""
    worlds = nodes.table[unsigned(node)].type >> TYPE_BITS
    return nodes.hand_begin[unsigned(row + worlds)] + nodes.table[unsigned(node)].begin


@inline
def _append(entries, end, node, slot, step_weight, path_weight, own_reach, opponent_reach):
    entry = entries[unsigned(end)]
    entry.node = node
    entry.first_child = -1
    entry.num_children = 0
    entry.slot = slot
    entry.step_weight = step_weight
    entry.path_weight = path_weight
    entry.own_reach = own_reach
    entry.opponent_reach = opponent_reach
    entry.correction = 0.0
    return end + 1


@inline
def _append_followed(entries, end, i, child, tables, method, counter):
    """Append the actions that are followed from the traverser's entry ``i``."""
    strategy = tables.strategy
    entry = entries[unsigned(i)]
    begin, degree = entry.begin, entry.degree
    path, own, other = entry.path_weight, entry.own_reach, entry.opponent_reach
    entry.first_child = end
    if method.follow == FOLLOW_ALL or (method.follow == FOLLOW_K and method.k >= degree):
        for a in range(degree):
            reach = own * strategy[unsigned(begin + a)]
            end = _append(entries, end, child + a, a, 1.0, path, reach, other)
    elif method.follow == FOLLOW_K:
        weight = degree / method.k
        left = method.k
        for a in range(degree):
            counter += STEP
            if uniform(counter) * (degree - a) < left:
                left -= 1
                reach = own * strategy[unsigned(begin + a)]
                end = _append(entries, end, child + a, a, weight, path * weight, reach, other)
                if left == 0:
                    break
    elif method.follow == FOLLOW_ONE:
        counter += STEP
        number = uniform(counter)
        a, probability = sample_exploring(strategy, begin, degree, method.epsilon, number)
        weight = 1.0 / probability
        reach = own * strategy[unsigned(begin + a)]
        end = _append(entries, end, child + a, a, weight, path * weight, reach, other)
    else:
        average = tables.average
        minimum = method.epsilon if method.k == 0 else method.k / degree
        total = method.beta
        for a in range(degree):
            total += average[unsigned(begin + a)]
        for a in range(degree):
            probability = method.beta + method.tau * average[unsigned(begin + a)]
            probability = probability / total if total > 0.0 else 0.0
            probability = min(max(probability, minimum), 1.0)
            counter += STEP
            if uniform(counter) < probability:
                weight = 1.0 / probability
                reach = own * strategy[unsigned(begin + a)]
                end = _append(entries, end, child + a, a, weight, path * weight, reach, other)
    entry.num_children = end - entry.first_child
    return end, counter


@inline
def _append_all(entries, end, i, child, degree, begin, strategy, chance):
    """Append all actions of the opponent's entry ``i``, or all outcomes if it is chance's.

    ``begin`` is -1 where chance moves.
    """
    entry = entries[unsigned(i)]
    path, own, other = entry.path_weight, entry.own_reach, entry.opponent_reach
    entry.first_child, entry.num_children = end, degree
    entry.begin, entry.degree = begin, degree
    for a in range(degree):
        p, reach = 1.0, other
        if begin < 0:
            p = chance[unsigned(child + a)]
        else:
            reach = other * strategy[unsigned(begin + a)]
        end = _append(entries, end, child + a, a, p, path * p, own, reach)
    return end


@inline
def walk(nodes, tables, method, log, parity, thread, reader, player, hands, counter, is_sampled):
    """Walk for a player from the root; chance is sampled and, if ``is_sampled``, the opponent.

    ``is_sampled`` is `Method.samples_opponent` as a constant, so each case is compiled by itself.

    Writes entries, logs a sampled opponent's infosets for the average and, with baselines, his
    sampled actions. Returns the number of entries (or `ENTRIES_FULL`, `LOG_FULL`), of the
    opponent's sampled actions, and of nodes touched.

    With baselines, a sampled action of the opponent counts ``value - baseline`` plus the expected
    baseline, ``sum of strategy * baseline``. What this adds to the value between two entries is
    the correction of the second.
    """
    strategy, baseline, table = tables.strategy, tables.baseline, nodes.table
    entries, samples = log.entries[thread], log.opponent_samples[thread]
    infosets = log.average_infosets[parity, thread, reader]
    weights = log.average_weights[parity, thread, reader]
    has_baselines, has_weights = len(baseline) > 0, len(weights) > 0
    averages = method.averaging == OPPONENT
    sampled_player = 1 - player if is_sampled else -1
    sign = 1.0 if player == 0 else -1.0
    hand0, hand1 = hands
    own_row = hand_row(nodes, player, hand0, hand1)
    opponent_row = hand_row(nodes, 1 - player, hand0, hand1)
    pair = hand0 * nodes.num_hands + hand1
    touched = num_deal_nodes(nodes)
    num_logged = log.reader_lengths[parity, thread, reader].averages
    end = _append(entries, 0, 0, 0, 1.0, 1.0, 1.0, 1.0)
    num_samples = 0
    i = 0
    while i < end:
        entry = entries[unsigned(i)]
        node = entry.node
        correction = 0.0
        while True:
            touched += 1
            child, degree, node_type = read_node(table, node)
            slot = 0
            if node_type == sampled_player:
                begin = infoset_begin(nodes, opponent_row, node)
                if degree > 1:
                    counter += STEP
                    slot = sample_action(strategy, begin, degree, uniform(counter))
                if averages:
                    if num_logged == len(infosets):
                        return LOG_FULL, num_samples, touched
                    infosets[unsigned(num_logged)] = begin
                    if has_weights:
                        weights[unsigned(num_logged)] = entry.path_weight
                    num_logged += 1
                else:
                    entry.opponent_reach *= strategy[unsigned(begin + slot)]
                if has_baselines:
                    if num_samples == len(samples):
                        return ENTRIES_FULL, num_samples, touched
                    for s in range(begin, begin + degree):
                        correction += sign * strategy[unsigned(s)] * baseline[unsigned(s)]
                    correction -= sign * baseline[unsigned(begin + slot)]
                    sample = samples[unsigned(num_samples)]
                    sample.sequence = begin + slot
                    sample.entry = i
                    sample.correction = correction
                    num_samples += 1
            elif node_type != CHANCE:
                break
            elif is_sampled or not method.public_chance:
                slot, counter = sample_chance(nodes, node, pair, counter)
            else:
                slot, weight = _sample_public(nodes.public, node, child, degree, counter)
                if weight <= 0.0:
                    break
                entry.path_weight *= weight
                entry.step_weight *= weight
            node = child + slot
        entry.node = node
        entry.correction = correction
        if end + degree > len(entries):
            return ENTRIES_FULL, num_samples, touched
        if node_type == TERMINAL:
            entry.value = sign * nodes.payoffs[unsigned(child + pair)]
        elif node_type == player:
            entry.begin = infoset_begin(nodes, own_row, node)
            entry.degree = degree
            end, counter = _append_followed(entries, end, i, child, tables, method, counter)
        elif not is_sampled and slot < degree:
            begin = infoset_begin(nodes, opponent_row, node) if node_type != CHANCE else -1
            chance = nodes.public.chance
            end = _append_all(entries, end, i, child, degree, begin, strategy, chance)
        else:
            node_type = TERMINAL  # impossible with these hands: worth nothing
            entry.value = 0.0
        entry.node_type = node_type
        i += 1
    log.reader_lengths[parity, thread, reader].averages = num_logged
    return end, num_samples, touched


@inline
def _sample_public(public, node, child, degree, counter):
    """The child that public chance chooses in this walk, and the weight of the step.

    All worlds (pairs of hands) of a public state see the same outcome: it is drawn from a random
    number of the state, not of the walk. Where the hands make an outcome more likely than it is
    without knowing them, it weighs that much more. An outcome that is impossible with the hands is
    child ``degree``, with no weight. In the deal, nothing is chosen: -1, with no weight.
    """
    state = public.state[unsigned(node)]
    if state < 0:
        return -1, 0.0
    begin, end = public.outcomes[unsigned(state)], public.outcomes[unsigned(state + 1)]
    if begin == end:
        return -1, 0.0
    cumulative = public.outcome_cumulative
    number = uniform(counter + STEP * np.uint64(state + 1))
    place = _search(cumulative, begin, end, number)
    before = cumulative[unsigned(place - 1)] if place > begin else 0.0
    probability = cumulative[unsigned(place)] - before
    slot = 0
    while public.state[unsigned(child + slot)] != public.outcome_state[unsigned(place)]:
        slot += 1
        if slot == degree:
            return slot, 0.0
    return slot, public.chance[unsigned(child + slot)] / probability


@inline
def write_values(tables, entries, end, player):
    """Write the value of every entry that was expanded, from the last to the first."""
    strategy, baseline = tables.strategy, tables.baseline
    has_baselines = len(baseline) > 0
    sign = 1.0 if player == 0 else -1.0
    for i in range(end - 1, -1, -1):
        entry = entries[unsigned(i)]
        first, count, begin = entry.first_child, entry.num_children, entry.begin
        if first < 0:
            continue
        total = 0.0
        if entry.node_type == CHANCE:
            for j in range(first, first + count):
                total += entries[unsigned(j)].value * entries[unsigned(j)].step_weight
        elif not has_baselines:
            for j in range(first, first + count):
                child = entries[unsigned(j)]
                s = begin + child.slot
                total += strategy[unsigned(s)] * (child.value * child.step_weight)
        else:
            for s in range(begin, begin + entry.degree):
                total += strategy[unsigned(s)] * (sign * baseline[unsigned(s)])
            for j in range(first, first + count):
                child = entries[unsigned(j)]
                s = begin + child.slot
                surprise = child.value + child.correction - sign * baseline[unsigned(s)]
                total += strategy[unsigned(s)] * (surprise * child.step_weight)
        entry.value = total
