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
from infoset.solvers.kernels.walks import BIASED, ONE, OPPONENT, u, value_up, walk, walk_wide
from infoset.trees.kernels.compiled import kernel, part, threaded
from infoset.trees.kernels.sync import add_atomic, load_atomic, wait_for_all

MEETINGS, ASKED, STOPPED, LONG_WALK, MANY_NOTES = 0, 8, 16, 17, 18
"""Where shared counters lie, those that are always looked at apart, so that they share no cache
line. `ASKED` is for Python to set at any time, `STOPPED` for threads to set while blocks are
walked: so all see it when they meet. The last two say what there was no room for."""

SHARED_BITS = 5
"""Infosets whose first sequences differ in these last bits only belong to the same thread."""

VISITS, MEANS, BASES, NODES, UPDATES = 0, 1, 2, 3, 4
"""What a thread counts, in `Notes.counts`."""


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


class Notes(NamedTuple):
    """What threads write down of their blocks: arrays [threads, ...]."""

    line: np.ndarray
    """The walk of one block that is a line."""
    entries: np.ndarray
    """The walk of one block."""
    met: np.ndarray
    """Where the opponent's action was sampled in it."""
    visits: np.ndarray
    """[threads, 2 * visits] Infosets of the traverser: first sequence, number of actions."""
    gains: np.ndarray
    """For each action of each visit, its regret; then, where the average is kept at the
    traverser's nodes, as many numbers to add to that."""
    means: np.ndarray
    """[threads, 2 * means] Infosets of the opponent: first sequence, number of actions."""
    shares: np.ndarray
    """How much of the strategy there is to be added to the average."""
    bases: np.ndarray
    """Sequences whose baselines are to be moved."""
    values: np.ndarray
    """What they are to be moved towards."""
    counts: np.ndarray
    """[threads, 32] What was written, and what was done so far; rows far apart in memory."""


@part
def _write_visits(tables, method, notes, thread, end, player, n, g, m):
    """Write down the regrets of a walk, and what it adds to averages where it branches.

    From visit ``n``, gain ``g`` and mean ``m`` on; returns where they end, -1 without room.
    """
    strategy, base = tables.strategy, tables.base
    entries, visits, gains = notes.entries[thread], notes.visits[thread], notes.gains[thread]
    means, shares = notes.means[thread], notes.shares[thread]
    sign = 1.0 if player == 0 else -1.0
    has_base, at_own = len(base) > 0, method.averaging != OPPONENT
    for i in range(end):
        entry = entries[u(i)]
        if entry.first < 0 or entry.kind > 1:
            continue
        at, degree = entry.at, entry.degree
        if entry.kind != player:
            if not at_own:
                if 2 * m == len(means):
                    return -1, g, m
                means[u(2 * m)] = at
                means[u(2 * m + 1)] = degree
                shares[u(m)] = entry.inverse * entry.other
                m += 1
            continue
        if 2 * n == len(visits) or g + 2 * degree > len(gains):
            return -1, g, m
        visits[u(2 * n)] = at
        visits[u(2 * n + 1)] = degree
        n += 1
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
                gains[u(g + entries[u(j)].slot)] = share * strategy[u(at + entries[u(j)].slot)]
            g += degree
    return n, g, m


@part
def _write_bases(notes, thread, end, met_end, player, b):
    """Write down what baselines are to learn, from ``b`` on; where it ends, -1 without room."""
    entries, met = notes.entries[thread], notes.met[thread]
    sign = 1.0 if player == 0 else -1.0
    bases, values = notes.bases[thread], notes.values[thread]
    if b + end + met_end > len(bases):
        return -1
    for i in range(end):
        entry = entries[u(i)]
        for j in range(entry.first, entry.first + entry.count):
            below = entries[u(j)]
            bases[u(b)] = entry.at + below.slot
            values[u(b)] = sign * (below.value + below.shift)
            b += 1
    for i in range(met_end):
        seen = met[u(i)]
        entry = entries[u(seen.entry)]
        bases[u(b)] = seen.sequence
        values[u(b)] = sign * (entry.value + entry.shift - seen.shift)
        b += 1
    return b


@part
def _walk_block(nodes, tables, method, notes, thread, player, counter, noted):
    """Walk one block and write down what it found, behind what has been noted so far.

    Returns how many nodes it touched, and what is noted then. Without room for it, the first is
    minus the number of the counter that is to say so.
    """
    n, g, m, b = noted
    entries, met_end = notes.entries[thread], 0
    if method.wide:
        end, touched = walk_wide(nodes, tables, method, entries, player, counter)
    else:
        end, m, met_end, touched = walk(
            nodes,
            tables,
            method,
            entries,
            notes.met[thread],
            notes.means[thread],
            notes.shares[thread],
            m,
            player,
            counter,
        )
    if end < 0:
        return -LONG_WALK, noted
    if m < 0:
        return -MANY_NOTES, noted
    value_up(tables, entries, end, player)
    n, g, m = _write_visits(tables, method, notes, thread, end, player, n, g, m)
    if len(tables.base) > 0:
        b = _write_bases(notes, thread, end, met_end, player, b)
    if n < 0 or b < 0:
        return -MANY_NOTES, noted
    return touched, (n, g, m, b)


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
def _is_mine(at, mine):
    """Whether an infoset belongs to a thread; many times cheaper than a division."""
    thread, threads = mine
    mixed = (np.int64(at >> SHARED_BITS) * 2654435761) & 0xFFFFFFFF
    return threads == 1 or (mixed * threads) >> 32 == thread


@part
def _is_once(method, batches):
    """Whether an infoset's regrets may be matched as soon as something is added to them.

    With perfect recall, a walk with a sampled opponent comes to no infoset of the traverser twice.
    """
    return batches.blocks == 1 and batches.alternating and not method.wide


@part
def _learn(tables, method, notes, batches, t, mine):
    """Add what all threads wrote down to the infosets that are this thread's."""
    threads = mine[1]
    regrets, average, strategy = tables.regrets, tables.average, tables.strategy
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight = batches.share, batches.weight[t]
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    once = _is_once(method, batches)
    updated = 0
    for other in range(threads):
        visits, gains = notes.visits[other], notes.gains[other]
        g = 0
        for n in range(notes.counts[other, VISITS]):
            at, degree = visits[u(2 * n)], visits[u(2 * n + 1)]
            if _is_mine(at, mine):
                if discounted:
                    _settle(tables, kept, at, degree)
                for a in range(degree):
                    regrets[u(at + a)] += share * gains[u(g + a)]
                if at_own:
                    for a in range(degree):
                        average[u(at + a)] += weight * gains[u(g + degree + a)]
                if once:
                    _match(tables, at, degree, batches.floor)
                    updated += 1
                else:
                    tables.touched[u(at)] = 1
            g += 2 * degree if at_own else degree
        if weight > 0.0:
            means, shares = notes.means[other], notes.shares[other]
            for m in range(notes.counts[other, MEANS]):
                at = means[u(2 * m)]
                if _is_mine(at, mine):
                    added = weight * shares[u(m)]
                    for s in range(at, at + means[u(2 * m + 1)]):
                        average[u(s)] += added * strategy[u(s)]
    for other in range(threads):
        visits = notes.visits[other]
        for n in range(0 if once else notes.counts[other, VISITS]):
            at = visits[u(2 * n)]
            if _is_mine(at, mine) and tables.touched[u(at)]:
                tables.touched[u(at)] = 0
                _match(tables, at, visits[u(2 * n + 1)], batches.floor)
                updated += 1
        base, bases, values = tables.base, notes.bases[other], notes.values[other]
        for b in range(notes.counts[other, BASES]):
            s = bases[u(b)]
            if _is_mine(s, mine):
                base[u(s)] += method.rate * (values[u(b)] - base[u(s)])
    return updated


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
    mine, counts = (thread, threads), notes.counts[thread]
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
        noted = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        touched = 0
        for block in range(first + first_block, first + end_block):
            player = 0 if block < batches.blocks else 1
            counter = stream(batches.key, number, block)
            seen, noted = _walk_block(nodes, tables, method, notes, thread, player, counter, noted)
            if seen < 0 or load_atomic(counters, ASKED) != 0:
                add_atomic(counters, STOPPED if seen >= 0 else -seen, 1)
                add_atomic(counters, STOPPED, 1)
                break
            touched += seen
        counts[VISITS], counts[MEANS], counts[BASES] = noted[0], noted[2], noted[3]
        meeting += 1
        wait_for_all(counters, threads, meeting)
        if load_atomic(counters, STOPPED) != 0:
            return w
        counts[UPDATES] += _learn(tables, method, notes, batches, t, mine)
        counts[NODES] += touched
        meeting += 1
        wait_for_all(counters, threads, meeting)
    return batches.num_walks


@kernel
def match_all(tables, begin, degree):
    """Write the strategies that follow from the regrets."""
    for i in range(len(begin)):
        _match(tables, begin[i], degree[i], -np.inf)
