"""Iterations of a sampled regret minimiser: walk the blocks of a mini-batch, then learn from them.

While a mini-batch is walked, nothing changes: neither strategies nor baselines. So its blocks may
be walked by several threads. Each writes down what it found; then each adds, from the notes of all
and in the order of the blocks, what belongs to its own infosets. So the sums are the same, whoever
walked what.
"""

from typing import NamedTuple

import numpy as np

from infoset.solvers.kernels.random import stream
from infoset.solvers.kernels.walks import (
    BEGIN,
    BIASED,
    DEGREE,
    KIND,
    OPPONENT,
    value_up,
    walk,
    walk_wide,
)
from infoset.trees.kernels.compiled import kernel, part, threaded
from infoset.trees.kernels.sync import add_atomic, load_atomic, wait_for_all

MEETINGS, ASKED, STOPPED, LONG_WALK, MANY_NOTES = 0, 8, 16, 17, 18
"""Where shared counters lie, those that are always looked at apart, so that they share no cache
line. `ASKED` is for Python to set at any time, `STOPPED` for threads to set while blocks are
walked: so all see it when they meet. The last two say what there was no room for."""

SHARED_BITS = 5
"""Infosets whose first sequences differ in these last bits only belong to the same thread."""

VISITS, GAINS, MEANS, BASES, NODES, UPDATES = 0, 1, 2, 3, 4, 5
"""What a thread counts, in `Notes.counts`."""


class Batches(NamedTuple):
    """What a run of walks needs to know."""

    seed: np.uint64
    begin: int
    """The first walk; walk 0 is player 0's in the first iteration."""
    num_walks: int
    blocks: int
    """Blocks per mini-batch and player."""
    alternating: bool
    """Player 1's walks see player 0's new strategy; else one walk number stands for both."""
    kept: np.ndarray
    """[2, iterations] Logarithm of what has been kept of positive and negative regrets."""
    floor: float
    weight: np.ndarray
    """[iterations] Weight in the average."""


class Notes(NamedTuple):
    """What threads write down of their blocks: arrays [threads, ...]."""

    entries: np.ndarray
    """The walk of one block."""
    met: np.ndarray
    """Where the opponent's action was sampled in it."""
    visits: np.ndarray
    """[threads, visits, 2] Infosets of the traverser: first sequence, number of actions."""
    gains: np.ndarray
    """For each action of each visit, its regret; then, where the average is kept at the
    traverser's nodes, as many numbers to add to that."""
    means: np.ndarray
    """[threads, means, 2] Infosets of the opponent: first sequence, number of actions."""
    shares: np.ndarray
    """How much of the strategy there is to be added to the average."""
    bases: np.ndarray
    """Sequences whose baselines are to be moved."""
    values: np.ndarray
    """What they are to be moved towards."""
    counts: np.ndarray
    """[threads, 32] What was written, and what was done so far; rows far apart in memory."""


@part
def _write_visits(nodes, tables, method, notes, thread, end, player):
    """Write down the regrets of a walk, and what it adds to averages where it branches.

    Returns whether there was room for them.
    """
    table, strategy, base = nodes.table, tables.strategy, tables.base
    entries, visits, gains = notes.entries[thread], notes.visits[thread], notes.gains[thread]
    means, shares = notes.means[thread], notes.shares[thread]
    sign = 1.0 if player == 0 else -1.0
    has_base, at_own = len(base) > 0, method.averaging != OPPONENT
    counts = notes.counts[thread]
    n, g, m = counts[VISITS], counts[GAINS], counts[MEANS]
    for i in range(end):
        entry = entries[i]
        kind = table[entry.node, KIND]
        if entry.first < 0 or kind > 1:
            continue
        at, degree = table[entry.node, BEGIN], table[entry.node, DEGREE]
        if kind != player:
            if not at_own:
                if m == len(means):
                    return False
                means[m, 0] = at
                means[m, 1] = degree
                shares[m] = entry.inverse * entry.other
                m += 1
            continue
        if n == len(visits) or g + 2 * degree > len(gains):
            return False
        visits[n, 0] = at
        visits[n, 1] = degree
        n += 1
        scale = entry.inverse * entry.other if method.wide else entry.inverse
        first, count, value = entry.first, entry.count, entry.value
        if count == degree and not has_base:
            for a in range(degree):
                below = entries[first + a]
                gains[g + a] = scale * (below.value * below.boost - value)
        else:
            for a in range(degree):
                expected = sign * base[at + a] if has_base else 0.0
                gains[g + a] = scale * (expected - value) if method.counted else 0.0
            for j in range(first, first + count):
                below = entries[j]
                expected = sign * base[at + below.slot] if has_base else 0.0
                more = (below.value + below.shift - expected) * below.boost
                gains[g + below.slot] = scale * (expected + more - value)
        g += degree
        if at_own:
            share = entry.own
            if method.averaging != BIASED:
                share *= entry.inverse
                if not method.wide:
                    share /= entry.other
            for a in range(degree):
                gains[g + a] = share * strategy[at + a] if method.counted else 0.0
            for j in range(first, first + count):
                gains[g + entries[j].slot] = share * strategy[at + entries[j].slot]
            g += degree
    counts[VISITS], counts[GAINS], counts[MEANS] = n, g, m
    return True


@part
def _write_met(nodes, tables, method, notes, thread, end, met_end, player):
    """Write down what was met on the way between branches, and what baselines are to learn."""
    entries, met = notes.entries[thread], notes.met[thread]
    if method.averaging == OPPONENT:
        means, shares, m = notes.means[thread], notes.shares[thread], notes.counts[thread, MEANS]
        if m + met_end > len(means):
            return False
        for i in range(met_end):
            means[m, 0] = met[i].begin
            means[m, 1] = met[i].degree
            shares[m] = met[i].weight
            m += 1
        notes.counts[thread, MEANS] = m
    if len(tables.base) == 0:
        return True
    sign = 1.0 if player == 0 else -1.0
    bases, values, b = notes.bases[thread], notes.values[thread], notes.counts[thread, BASES]
    if b + end + met_end > len(bases):
        return False
    for i in range(end):
        entry = entries[i]
        at = nodes.table[entry.node, BEGIN]
        for j in range(entry.first, entry.first + entry.count):
            bases[b] = at + entries[j].slot
            values[b] = sign * (entries[j].value + entries[j].shift)
            b += 1
    for i in range(met_end):
        entry = entries[met[i].entry]
        bases[b] = met[i].begin + met[i].slot
        values[b] = sign * (entry.value + entry.shift - met[i].shift)
        b += 1
    notes.counts[thread, BASES] = b
    return True


@part
def _walk_block(nodes, tables, method, notes, thread, player, counter):
    """Walk one block and write down what it found; how many nodes it touched.

    Without room for it, minus the number of the counter that is to say so.
    """
    entries, met_end = notes.entries[thread], 0
    if method.wide:
        end, touched = walk_wide(nodes, tables, method, entries, player, counter)
    else:
        end, met_end, touched = walk(
            nodes, tables, method, entries, notes.met[thread], player, counter
        )
    if end < 0:
        return -LONG_WALK
    value_up(nodes, tables, entries, end, player)
    if not _write_visits(nodes, tables, method, notes, thread, end, player):
        return -MANY_NOTES
    if not method.wide and not _write_met(
        nodes, tables, method, notes, thread, end, met_end, player
    ):
        return -MANY_NOTES
    return touched


@part
def _settle(tables, kept, at, degree):
    """Bring regrets to the present: what was kept of them since they were last updated."""
    if kept[0] == tables.kept[0, at] and kept[1] == tables.kept[1, at]:
        return
    more = np.exp(kept[0] - tables.kept[0, at])
    less = np.exp(kept[1] - tables.kept[1, at])
    for s in range(at, at + degree):
        tables.regrets[s] *= more if tables.regrets[s] > 0.0 else less
    tables.kept[0, at] = kept[0]
    tables.kept[1, at] = kept[1]


@part
def _match(tables, at, degree, floor):
    """Floor the regrets of an infoset and match them."""
    regrets, strategy = tables.regrets, tables.strategy
    total = 0.0
    for s in range(at, at + degree):
        regrets[s] = max(regrets[s], floor)
        total += max(regrets[s], 0.0)
    # As in the full-width kernels: what is about to underflow has no inverse.
    if total > 1e-290:
        inverse = 1.0 / total
        for s in range(at, at + degree):
            strategy[s] = max(regrets[s], 0.0) * inverse
    else:
        for s in range(at, at + degree):
            strategy[s] = 1.0 / degree


@part
def _is_mine(at, mine):
    """Whether an infoset belongs to a thread; many times cheaper than a division."""
    thread, threads = mine
    mixed = (np.int64(at >> SHARED_BITS) * 2654435761) & 0xFFFFFFFF
    return threads == 1 or (mixed * threads) >> 32 == thread


@part
def _learn(tables, method, notes, batches, t, mine):
    """Add what all threads wrote down to the infosets that are this thread's."""
    threads = mine[1]
    regrets, average, strategy = tables.regrets, tables.average, tables.strategy
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight = 1.0 / batches.blocks, batches.weight[t] / batches.blocks
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    for other in range(threads):
        visits, gains = notes.visits[other], notes.gains[other]
        g = 0
        for n in range(notes.counts[other, VISITS]):
            at, degree = visits[n, 0], visits[n, 1]
            if _is_mine(at, mine):
                if discounted:
                    _settle(tables, kept, at, degree)
                for a in range(degree):
                    regrets[at + a] += share * gains[g + a]
                if at_own:
                    for a in range(degree):
                        average[at + a] += weight * gains[g + degree + a]
                tables.touched[at] = 1
            g += 2 * degree if at_own else degree
        if weight > 0.0:
            means, shares = notes.means[other], notes.shares[other]
            for m in range(notes.counts[other, MEANS]):
                at = means[m, 0]
                if _is_mine(at, mine):
                    added = weight * shares[m]
                    for s in range(at, at + means[m, 1]):
                        average[s] += added * strategy[s]
    updated = 0
    for other in range(threads):
        visits = notes.visits[other]
        for n in range(notes.counts[other, VISITS]):
            at = visits[n, 0]
            if _is_mine(at, mine) and tables.touched[at]:
                tables.touched[at] = 0
                _match(tables, at, visits[n, 1], batches.floor)
                updated += 1
        base = tables.base
        for b in range(notes.counts[other, BASES]):
            s = notes.bases[other, b]
            if _is_mine(s, mine):
                base[s] += method.rate * (notes.values[other, b] - base[s])
    return updated


@threaded
def sample(nodes, tables, method, notes, batches, counters, thread, threads):
    """Do walks and learn from them; returns how many were done.

    Fewer than wanted if the room was too small, or if somebody put a one at `ASKED`: the walk at
    hand is then given up, and nothing was learnt from it.
    """
    meeting = 0
    per = 2 if batches.alternating else 1
    mine = thread, threads
    for w in range(batches.num_walks):
        number = batches.begin + w
        t = number // per - batches.begin // per
        first = batches.blocks * (number % per) if batches.alternating else 0
        count = batches.blocks if batches.alternating else 2 * batches.blocks
        notes.counts[thread, VISITS] = 0
        notes.counts[thread, MEANS] = 0
        notes.counts[thread, BASES] = 0
        notes.counts[thread, GAINS] = 0
        touched = 0
        begin, end = count * thread // threads, count * (thread + 1) // threads
        for block in range(first + begin, first + end):
            player = 0 if block < batches.blocks else 1
            counter = stream(batches.seed, number, block)
            seen = _walk_block(nodes, tables, method, notes, thread, player, counter)
            if seen < 0 or load_atomic(counters, ASKED) != 0:
                add_atomic(counters, STOPPED if seen >= 0 else -seen, 1)
                add_atomic(counters, STOPPED, 1)
                break
            touched += seen
        meeting += 1
        wait_for_all(counters, threads, meeting)
        if load_atomic(counters, STOPPED) != 0:
            return w
        notes.counts[thread, UPDATES] += _learn(tables, method, notes, batches, t, mine)
        notes.counts[thread, NODES] += touched
        meeting += 1
        wait_for_all(counters, threads, meeting)
    return batches.num_walks


@kernel
def match_all(tables, begin, degree):
    """Write the strategies that follow from the regrets."""
    for i in range(len(begin)):
        _match(tables, begin[i], degree[i], -np.inf)
