"""Walks side by side, decision by decision, so that strategies can be asked for in batches.

All walks of a mini-batch share one list of entries. An entry is *open* while it stands at a
decision that has not been made. To decide at all open entries and move on to the next decisions is
one *level*: between two of them, whoever holds the strategies says what is played at the open
entries. Random numbers belong to entries, so they do not depend on the order of decisions.
"""

import numpy as np

from infoset.machine.compiled import inline, kernel
from infoset.solvers.sampled.kernels.random import STEP, scramble, stream, uniform
from infoset.solvers.sampled.kernels.structures import (
    BIASED,
    CHANCE,
    OPPONENT,
    TERMINAL,
    unsigned,
)
from infoset.solvers.sampled.kernels.walks import (
    _append,
    _append_followed,
    deal_hands,
    hand_row,
    infoset_begin,
    num_deal_nodes,
    read_node,
    sample_action,
    sample_chance,
    write_values,
)


@inline
def _arrive(nodes, entry, row, node):
    """Move an entry on to a node and past chance; return how many nodes it touched."""
    counter, hand0, hand1 = row.counter, row.hand0, row.hand1
    pair = hand0 * nodes.num_hands + hand1
    touched = 1
    child, degree, node_type = read_node(nodes.table, node)
    while node_type == CHANCE:
        slot, counter = sample_chance(nodes, node, pair, counter)
        node = child + slot
        touched += 1
        child, degree, node_type = read_node(nodes.table, node)
    row.counter = counter
    entry.node, entry.node_type, entry.degree = node, node_type, degree
    if node_type == TERMINAL:
        sign = 1.0 if row.player == 0 else -1.0
        entry.value = sign * nodes.payoffs[unsigned(child + pair)]
    else:
        entry.begin = infoset_begin(nodes, hand_row(nodes, node_type, hand0, hand1), node)
    return touched


@kernel
def begin_walks(nodes, entries, rows, open_entries, key, batch, first, count, walks):
    """Begin walks ``first`` to ``first + count``; those below ``walks`` are player 0's.

    Returns how many entries are open, and the nodes touched.
    """
    num_open, touched = 0, 0
    for number in range(count):
        hand0, hand1, counter = deal_hands(nodes, stream(key, batch, first + number))
        _append(entries, number, 0, 0, 1.0, 1.0, 1.0, 1.0)
        row = rows[unsigned(number)]
        row.player = 0 if first + number < walks else 1
        row.hand0, row.hand1, row.counter = hand0, hand1, counter
        touched += num_deal_nodes(nodes) + _arrive(nodes, entries[unsigned(number)], row, 0)
        if entries[unsigned(number)].node_type != TERMINAL:
            open_entries[unsigned(num_open)] = number
            num_open += 1
    return num_open, touched


@kernel
def decide(nodes, tables, method, entries, rows, end, open_entries, num_open, next_open, met):
    """Decide at all open entries, and move on to what is open next.

    ``met`` gets the entry, the first sequence and the weight of each infoset of an opponent.
    Returns the end of the entries, how many are open next, and the nodes touched.
    """
    num_next, touched = 0, 0
    for j in range(num_open):
        i = open_entries[unsigned(j)]
        entry, row = entries[unsigned(i)], rows[unsigned(i)]
        begin, degree = entry.begin, entry.degree
        child = nodes.table[unsigned(entry.node)].child
        met[unsigned(j)].begin = -1
        if entry.node_type != row.player:
            slot = 0
            if degree > 1:
                row.counter += STEP
                slot = sample_action(tables.strategy, begin, degree, uniform(row.counter))
            if method.averaging == OPPONENT:
                met[unsigned(j)].begin = begin
                met[unsigned(j)].degree = degree
                met[unsigned(j)].weight = entry.path_weight
            else:
                entry.opponent_reach *= tables.strategy[unsigned(begin + slot)]
            touched += _arrive(nodes, entry, row, child + slot)
            if entry.node_type != TERMINAL:
                next_open[unsigned(num_next)] = i
                num_next += 1
            continue
        first = end
        end, counter = _append_followed(entries, end, i, child, tables, method, row.counter)
        for e in range(first, end):
            below = rows[unsigned(e)]
            below.player, below.hand0, below.hand1 = row.player, row.hand0, row.hand1
            slot = np.uint64(entries[unsigned(e)].slot)
            below.counter = scramble(counter + STEP * (slot + np.uint64(1)))
            touched += _arrive(nodes, entries[unsigned(e)], below, entries[unsigned(e)].node)
            if entries[unsigned(e)].node_type != TERMINAL:
                next_open[unsigned(num_next)] = e
                num_next += 1
    return end, num_next, touched


@kernel
def add_visits(tables, met, count, scale):
    """Add what opponents played at the infosets that were met to their averages."""
    for j in range(count):
        begin = met[unsigned(j)].begin
        if begin < 0:
            continue
        weight = scale * met[unsigned(j)].weight
        for s in range(begin, begin + met[unsigned(j)].degree):
            tables.average[unsigned(s)] += weight * tables.strategy[unsigned(s)]


@kernel
def finish_walks(tables, method, entries, end, scale):
    """Add the regrets of all entries, times ``scale``, and what they add to own averages."""
    write_values(tables, entries, end, 0)
    strategy, regrets, average = tables.strategy, tables.regrets, tables.average
    for i in range(end):
        entry = entries[unsigned(i)]
        first, count, begin = entry.first_child, entry.num_children, entry.begin
        if first < 0:
            continue
        weight = scale * entry.path_weight
        if method.counts_unsampled:
            for s in range(begin, begin + entry.degree):
                regrets[unsigned(s)] -= weight * entry.value
        for j in range(first, first + count):
            child = entries[unsigned(j)]
            increment = child.value * child.step_weight
            if not method.counts_unsampled:
                increment -= entry.value
            regrets[unsigned(begin + child.slot)] += weight * increment
        if method.averaging == OPPONENT:
            continue
        reach = scale * entry.own_reach
        if method.averaging != BIASED:
            reach *= entry.path_weight / entry.opponent_reach
        if method.counts_unsampled:
            for s in range(begin, begin + entry.degree):
                average[unsigned(s)] += reach * strategy[unsigned(s)]
        else:
            for j in range(first, first + count):
                s = begin + entries[unsigned(j)].slot
                average[unsigned(s)] += reach * strategy[unsigned(s)]
