"""Outcome sampling of one history at a time: the walk is a line, and is learnt from at once.

The same numbers, to the bit, as the walks of `infoset.solvers.sampled.kernels.walks` give; without
lists and notes, which a line has no need of: 0.21 µs an iteration on Leduc, against 0.26 in
mini-batches of 1000, which go the common way.
"""

import numpy as np

from infoset.machine.compiled import part
from infoset.solvers.sampled.kernels.random import STEP, unit
from infoset.solvers.sampled.kernels.sampling_data import (
    BIASED,
    CHILD,
    DEGREE,
    KIND,
    KIND_BITS,
    OPPONENT,
    TERMINAL,
    u,
)
from infoset.solvers.sampled.kernels.walks import (
    deal_hands,
    dealt,
    hand_of,
    infoset_at,
    pick,
    shown,
)

LINE = np.dtype(
    [
        ("at", np.int32),
        ("degree", np.int32),
        ("slot", np.int32),
        ("played", np.float64),
        ("boost", np.float64),
        ("inverse", np.float64),
        ("share", np.float64),
    ],
    align=True,
)
"""A node of the traverser on the line: his infoset, what he did, how likely his strategy does so,
one divided by how likely it was sampled, the product of these before, and how much of the strategy
is to be added to his average."""


@part
def play_line(nodes, tables, method, line, player, counter, weight):
    """Follow one history for a player, adding to the opponent's average on the way.

    Returns how many of the traverser's nodes it passed, what he wins, and how many nodes were
    touched. There must be room for his longest line.
    """
    strategy, average, table = tables.strategy, tables.average, nodes.table
    at_own = method.averaging != OPPONENT
    hand0, hand1, counter = deal_hands(nodes, counter)
    mine = hand_of(nodes, player, hand0, hand1)
    theirs = hand_of(nodes, 1 - player, hand0, hand1)
    touched = dealt(nodes)
    pair = hand0 * nodes.num_hands + hand1
    inverse, own, other = 1.0, 1.0, 1.0
    end = 0
    node = np.int64(0)
    while True:
        touched += 1
        child, degree = table[u(4 * node + CHILD)], table[u(4 * node + DEGREE)]
        kind = table[u(4 * node + KIND)] & (2**KIND_BITS - 1)
        slot = np.int64(0)
        if kind == 1 - player:
            at = infoset_at(nodes, theirs, node)
            if degree > 1:
                counter += STEP
                slot = pick(strategy, at, degree, unit(counter))
            if at_own:
                other *= strategy[u(at + slot)]
            elif weight > 0.0:
                added = weight * inverse
                for s in range(at, at + degree):
                    average[u(s)] += added * strategy[u(s)]
        elif kind == player:
            at = infoset_at(nodes, mine, node)
            counter += STEP
            number = unit(counter)
            even = method.epsilon / degree
            total, likely, played = 0.0, 0.0, 0.0
            slot = np.int64(-1)
            while slot < degree - 1:
                slot += 1
                played = strategy[u(at + slot)]
                likely = even + (1.0 - method.epsilon) * played
                total += likely
                if number < total:
                    break
            point = line[u(end)]
            point.at = at
            point.degree = degree
            point.slot = slot
            point.played = played
            point.boost = 1.0 / likely
            point.inverse = inverse
            if at_own:
                point.share = own
                if method.averaging != BIASED:
                    point.share = own * inverse / other
            end += 1
            inverse *= point.boost
            own *= played
        elif kind == TERMINAL:
            break
        else:
            slot, counter = shown(nodes, node, kind, pair, counter)
        node = child + slot
    value = nodes.payoffs[u(child + pair)]
    return end, value if player == 0 else -value, touched
