"""Iterations of a sampled regret minimiser: walk the blocks of a mini-batch, then learn from them.

While a mini-batch is walked, nothing changes: neither strategies nor baselines. So its blocks may
be walked by several threads. Each writes down what it found; then each adds, from the notes of all
and in the order of the blocks, what belongs to its own infosets. So the sums are the same, whoever
walked what.
"""

from typing import NamedTuple

import numpy as np

from infoset.solvers.kernels.outcome import play_line
from infoset.solvers.kernels.random import stream
from infoset.solvers.kernels.sampling_data import (
    BASES,
    BIASED,
    GAINS,
    MEANS,
    ONE,
    OPPONENT,
    VISITS,
    note_mean,
    set_for,
    u,
)
from infoset.solvers.kernels.walks import value_up, walk, walk_wide
from infoset.trees.kernels.compiled import kernel, part, threaded
from infoset.trees.kernels.prefetch import prefetch_read, prefetch_write
from infoset.trees.kernels.sync import add_atomic, load_atomic, wait_for_all

MEETINGS, ASKED, STOPPED, LONG_WALK, MANY_NOTES = 0, 8, 16, 17, 18
"""Where shared counters lie, those that are always looked at apart, so that they share no cache
line. `ASKED` is for Python to set at any time, `STOPPED` for threads to set while blocks are
walked: so all see it when they meet. The last two say what there was no room for."""

NODES, UPDATES, LAST_UPDATES = 0, 1, 2
"""Columns of `Notes.counts`: nodes touched, and infosets updated, in all and in the last walk."""


class Batches(NamedTuple):
    """What a run of walks needs to know."""

    key: np.uint64
    """Of the random streams."""
    begin: int
    """The first walk; walk 0 is player 0's in the first iteration."""
    num_walks: int
    blocks: int
    """Blocks per mini-batch and player."""
    share: float
    """One divided by the blocks."""
    alternating: bool
    """Player 1's walks see player 0's new strategy; else one walk number stands for both."""
    kept: np.ndarray
    """[2, iterations] Logarithm of what has been kept of positive and negative regrets."""
    floor: float
    weight: np.ndarray
    """[iterations] Weight in the average, of each block."""


@part
def _write_visits(tables, method, notes, thread, end, player):
    """Note the regrets of a walk, and what it adds to averages where it branches.

    Returns whether there was room for it.
    """
    strategy, base, threads = tables.strategy, tables.base, len(notes.counts)
    entries = notes.entries[thread]
    sign = 1.0 if player == 0 else -1.0
    has_base, at_own = len(base) > 0, method.averaging != OPPONENT
    for i in range(end):
        entry = entries[u(i)]
        if entry.first < 0 or entry.kind > 1:
            continue
        at, degree = entry.at, entry.degree
        if entry.kind != player:
            share = entry.inverse * entry.other
            if not at_own and not note_mean(notes, thread, at, share):
                return False
            continue
        where = set_for(thread, threads, at)
        visits, gains = notes.visits[where], notes.gains[where]
        n, g = notes.written[where, VISITS], notes.written[where, GAINS]
        if n == len(visits) or g + 2 * degree > len(gains):
            return False
        visits[u(n)] = at
        if threads > 1:
            prefetch_write(visits.ctypes.data + 4 * (n + 32))
            prefetch_write(gains.ctypes.data + 8 * (g + 24))
            prefetch_write(gains.ctypes.data + 8 * (g + 32))
        scale = entry.inverse * entry.other if method.wide else entry.inverse
        first, count, value = entry.first, entry.count, entry.value
        if count == degree and not has_base:
            for a in range(degree):
                below = entries[u(first + a)]
                gains[u(g + a)] = scale * (below.value * below.boost - value)
        else:
            for a in range(degree):
                expected = sign * base[u(at + a)] if has_base else 0.0
                gains[u(g + a)] = scale * (expected - value) if method.counted else 0.0
            for j in range(first, first + count):
                below = entries[u(j)]
                expected = sign * base[u(at + below.slot)] if has_base else 0.0
                more = (below.value + below.shift - expected) * below.boost
                gains[u(g + below.slot)] = scale * (expected + more - value)
        g += degree
        if at_own:
            share = entry.own
            if method.averaging != BIASED:
                share *= entry.inverse
                if not method.wide:
                    share /= entry.other
            for a in range(degree):
                gains[u(g + a)] = share * strategy[u(at + a)] if method.counted else 0.0
            for j in range(first, first + count):
                slot = entries[u(j)].slot
                gains[u(g + slot)] = share * strategy[u(at + slot)]
            g += degree
        notes.written[where, VISITS] = n + 1
        notes.written[where, GAINS] = g
    return True


@part
def _note_base(notes, thread, sequence, value):
    where = set_for(thread, len(notes.counts), sequence)
    b = notes.written[where, BASES]
    if b == notes.bases.shape[1]:
        return False
    notes.bases[where, u(b)] = sequence
    notes.values[where, u(b)] = value
    notes.written[where, BASES] = b + 1
    return True


@part
def _write_bases(notes, thread, end, met_end, player):
    """Note what baselines are to learn; whether there was room for it."""
    entries, met = notes.entries[thread], notes.met[thread]
    sign = 1.0 if player == 0 else -1.0
    for i in range(end):
        entry = entries[u(i)]
        for j in range(entry.first, entry.first + entry.count):
            below = entries[u(j)]
            value = sign * (below.value + below.shift)
            if not _note_base(notes, thread, entry.at + below.slot, value):
                return False
    for i in range(met_end):
        seen = met[u(i)]
        entry = entries[u(seen.entry)]
        value = sign * (entry.value + entry.shift - seen.shift)
        if not _note_base(notes, thread, seen.sequence, value):
            return False
    return True


@part
def _walk_block(nodes, tables, method, notes, thread, player, counter):
    """Walk one block and note what it found; how many nodes it touched.

    Without room for it, minus the number of the counter that is to say so.
    """
    entries, met_end = notes.entries[thread], 0
    if method.wide:
        end, touched = walk_wide(nodes, tables, method, entries, player, counter)
    else:
        end, met_end, touched = walk(
            nodes, tables, method, entries, notes.met[thread], notes, thread, player, counter
        )
    if end < 0:
        return -LONG_WALK if end == -1 else -MANY_NOTES
    value_up(tables, entries, end, player)
    if not _write_visits(tables, method, notes, thread, end, player):
        return -MANY_NOTES
    if len(tables.base) > 0 and not _write_bases(notes, thread, end, met_end, player):
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
        tables.regrets[u(s)] *= more if tables.regrets[u(s)] > 0.0 else less
    tables.kept[0, at] = kept[0]
    tables.kept[1, at] = kept[1]


@part
def _match(tables, at, degree, floor):
    """Floor the regrets of an infoset and match them."""
    regrets, strategy = tables.regrets, tables.strategy
    total = 0.0
    for s in range(at, at + degree):
        regrets[u(s)] = max(regrets[u(s)], floor)
        total += max(regrets[u(s)], 0.0)
    # As in the full-width kernels: what is about to underflow has no inverse.
    if total > 1e-290:
        inverse = 1.0 / total
        for s in range(at, at + degree):
            strategy[u(s)] = max(regrets[u(s)], 0.0) * inverse
    else:
        for s in range(at, at + degree):
            strategy[u(s)] = 1.0 / degree


@part
def _is_once(method, batches):
    """Whether an infoset's regrets may be matched as soon as something is added to them.

    With perfect recall, a walk with a sampled opponent comes to no infoset of the traverser twice.
    """
    return batches.blocks == 1 and batches.alternating and not method.wide


@part
def _learn(tables, method, notes, batches, t, thread):
    """Add what all threads noted for this one's infosets; how many of them changed."""
    threads = len(notes.counts)
    regrets, average, strategy = tables.regrets, tables.average, tables.strategy
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight = batches.share, batches.weight[t]
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    once, updated = _is_once(method, batches), notes.updated[thread]
    num_updated = 0
    for where in range(thread, threads * threads, threads):
        visits, gains = notes.visits[where], notes.gains[where]
        g = 0
        for n in range(notes.written[where, VISITS]):
            at = visits[u(n)]
            degree = tables.degree[u(at)]
            if threads > 1:
                prefetch_read(visits.ctypes.data + 4 * (n + 64))
                prefetch_read(gains.ctypes.data + 8 * (g + 64))
                prefetch_read(gains.ctypes.data + 8 * (g + 72))
            if discounted:
                _settle(tables, kept, at, degree)
            for a in range(degree):
                regrets[u(at + a)] += share * gains[u(g + a)]
            g += degree
            if at_own:
                for a in range(degree):
                    average[u(at + a)] += weight * gains[u(g + a)]
                g += degree
            if once:
                _match(tables, at, degree, batches.floor)
                num_updated += 1
            else:
                tables.touched[u(at)] = 1
        if weight > 0.0:
            means, shares = notes.means[where], notes.shares[where]
            for m in range(notes.written[where, MEANS]):
                at = means[u(m)]
                if threads > 1:
                    prefetch_read(means.ctypes.data + 4 * (m + 128))
                added = weight * shares[u(m)] if len(shares) > 0 else weight
                for s in range(at, at + tables.degree[u(at)]):
                    average[u(s)] += added * strategy[u(s)]
    for where in range(thread, threads * threads, threads):
        visits = notes.visits[where]
        for n in range(0 if once else notes.written[where, VISITS]):
            at = visits[u(n)]
            if tables.touched[u(at)]:
                tables.touched[u(at)] = 0
                _match(tables, at, tables.degree[u(at)], batches.floor)
                updated[u(num_updated)] = at
                num_updated += 1
        base, bases, values = tables.base, notes.bases[where], notes.values[where]
        for b in range(notes.written[where, BASES]):
            s = bases[u(b)]
            base[u(s)] += method.rate * (values[u(b)] - base[u(s)])
    return num_updated


@part
def _fetch(tables, notes, thread):
    """Read strategies that other threads have changed, many at a time.

    Walks will need them, and would come to them one after the other, each from the other core.
    """
    total = 0.0
    for other in range(len(notes.counts)):
        if other != thread:
            updated = notes.updated[other]
            for i in range(notes.counts[other, LAST_UPDATES]):
                total += tables.strategy[u(updated[u(i)])]
    notes.fetched[thread, 0] = total


@part
def _learn_line(tables, method, line, end, value, weight, floor, kept):
    """Learn from one history, from its end to its beginning: regrets, averages, strategies."""
    regrets, strategy, average = tables.regrets, tables.strategy, tables.average
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    for i in range(end - 1, -1, -1):
        point = line[u(i)]
        at, degree = point.at, point.degree
        action = value * point.boost
        value = point.played * action
        if discounted:
            _settle(tables, kept, at, degree)
        if at_own:
            for s in range(at, at + degree):
                average[u(s)] += weight * (point.share * strategy[u(s)])
        scale = point.inverse
        others = scale * (0.0 - value)
        for s in range(at, at + degree):
            regrets[u(s)] += others if s != at + point.slot else scale * (action - value)
        _match(tables, at, degree, floor)


@threaded
def sample(nodes, tables, method, notes, batches, counters, thread, threads):
    """Do walks and learn from them; returns how many were done.

    Fewer than wanted if the room was too small, or if somebody put a one at `ASKED`: the walk at
    hand is then given up, and nothing was learnt from it.
    """
    meeting = 0
    # Two walks an iteration where updates alternate, else one: shifts, since divisions are slow.
    halves = 1 if batches.alternating else 0
    count = batches.blocks if batches.alternating else 2 * batches.blocks
    first_block, end_block = count * thread // threads, count * (thread + 1) // threads
    counts = notes.counts[thread]
    is_line = method.follow == ONE and _is_once(method, batches) and len(tables.base) == 0
    for w in range(batches.num_walks):
        number = batches.begin + w
        t = (number >> halves) - (batches.begin >> halves)
        first = batches.blocks * (number & halves)
        if is_line:
            if load_atomic(counters, ASKED) != 0:
                return w
            player, weight = number & 1, batches.weight[t]
            counter = stream(batches.key, number, player)
            end, value, seen = play_line(nodes, tables, method, notes.line, player, counter, weight)
            kept = batches.kept[0, t], batches.kept[1, t]
            _learn_line(tables, method, notes.line, end, value, weight, batches.floor, kept)
            counts[NODES] += seen
            counts[UPDATES] += end
            continue
        for where in range(thread * threads, (thread + 1) * threads):
            for column in range(4):
                notes.written[where, column] = 0
        touched = 0
        for block in range(first + first_block, first + end_block):
            player = 0 if block < batches.blocks else 1
            counter = stream(batches.key, number, block)
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
        num_updated = _learn(tables, method, notes, batches, t, thread)
        counts[LAST_UPDATES] = num_updated
        counts[UPDATES] += num_updated
        counts[NODES] += touched
        meeting += 1
        wait_for_all(counters, threads, meeting)
        if threads > 1:
            _fetch(tables, notes, thread)
    return batches.num_walks


@kernel
def match_all(tables, begin, degree):
    """Write the strategies that follow from the regrets."""
    for i in range(len(begin)):
        _match(tables, begin[i], degree[i], -np.inf)
