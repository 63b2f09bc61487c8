"""Learn from what a mini-batch has found: regrets, averages, baselines, then strategies.

Each thread learns what belongs to its own infosets, in the order of the blocks.
"""

import numpy as np

from infoset.machine.compiled import part
from infoset.solvers.sampled.kernels.sampling_data import (
    BASES,
    BASES_END,
    BLOCK,
    COUNT_BITS,
    GAINS,
    MEANS,
    METS,
    OPPONENT,
    VISITS,
    VISITS_END,
    WALKER,
    u,
)


@part
def settle(tables, kept, at, degree):
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
def match(tables, at, degree, floor):
    """Floor the regrets of an infoset and match them."""
    regrets = tables.regrets
    total = 0.0
    for s in range(at, at + degree):
        regrets[u(s)] = max(regrets[u(s)], floor)
        total += max(regrets[u(s)], 0.0)
    _play(tables, at, degree, total)


@part
def _play(tables, at, degree, total):
    """Play in proportion to regrets above zero, whose sum is known."""
    regrets, strategy = tables.regrets, tables.strategy
    # As in the full-width kernels: what is about to underflow has no inverse.
    if total > 1e-290:
        inverse = 1.0 / total
        for s in range(at, at + degree):
            strategy[u(s)] = max(regrets[u(s)], 0.0) * inverse
    else:
        for s in range(at, at + degree):
            strategy[u(s)] = 1.0 / degree


@part
def is_once(method, batches):
    """Whether an infoset's regrets may be matched as soon as something is added to them.

    With perfect recall, a walk with a sampled opponent comes to no infoset of the traverser twice.
    """
    return batches.blocks == 1 and batches.alternating and not method.wide


@part
def learn_regrets(tables, method, notes, batches, t, thread):
    """Add what was noted on this thread's infosets as the traverser's; how many changed."""
    num_updated = 0
    for share in range(notes.parts.shape[0]):
        for piece in range(notes.parts.shape[1]):
            part = notes.parts[share, piece, thread]
            num_updated = _add_regrets(tables, method, notes, batches, t, part, thread, num_updated)
    if not is_once(method, batches):
        updated = notes.updated[thread]
        for i in range(num_updated):
            at = updated[u(i)]
            tables.touched[u(at)] = 0
            match(tables, at, tables.degree[u(at)], batches.floor)
    return num_updated


@part
def _add_regrets(tables, method, notes, batches, t, part, thread, num_updated):
    regrets, average, updated = tables.regrets, tables.average, notes.updated[thread]
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight, once = batches.share, batches.weight[t], is_once(method, batches)
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    visits, gains = notes.visits[part[WALKER]], notes.gains[part[WALKER]]
    g = part[GAINS]
    for n in range(part[VISITS], part[VISITS_END]):
        at = visits[u(n)]
        degree = tables.degree[u(at)]
        if discounted:
            settle(tables, kept, at, degree)
        for a in range(degree):
            regrets[u(at + a)] += share * gains[u(g + a)]
        g += degree
        if at_own:
            for a in range(degree):
                average[u(at + a)] += weight * gains[u(g + a)]
            g += degree
        if once:
            match(tables, at, degree, batches.floor)
            num_updated += 1
        else:
            updated[u(num_updated)] = at
            num_updated += 1 - tables.touched[u(at)]
            tables.touched[u(at)] = 1
    return num_updated


@part
def _order_runs(notes, turn, thread, column, first_set, room, blocks):
    """List where the notes of the runs for this thread lie, in the order of their blocks.

    Returns how many runs there are, and how many with one of the first blocks. Sets of notes with
    that much room lie side by side, those of the first walker first, for each a set by reader.
    """
    threads = len(notes.counts)
    at_block, order = notes.at_block[thread], notes.order[thread]
    for walker in range(threads):
        runs = notes.runs[turn, walker, thread]
        begin, place = 0, (first_set + walker * threads + thread) * room
        for run in range(1, 1 + notes.num_runs[turn, walker, thread]):
            end = np.int64(runs[u(run), column])
            at_block[u(runs[u(run), BLOCK])] = ((place + begin) << COUNT_BITS) + (end - begin)
            begin = end
    num_runs, num_first = 0, 0
    for block in range(len(at_block)):
        if block == blocks:
            num_first = num_runs
        found = at_block[u(block)]
        order[u(num_runs)] = found
        num_runs += 1 if found & (2**COUNT_BITS - 1) > 0 else 0
        at_block[u(block)] = 0
    return num_runs, num_first if blocks < len(at_block) else num_runs


@part
def learn_averages(tables, method, notes, weight, turn, thread):
    """Add what was noted on this thread's infosets as the opponent's, in the order of blocks."""
    if method.averaging != OPPONENT or weight <= 0.0:
        return
    threads, room = len(notes.counts), notes.means.shape[3]
    average, strategy = tables.average, tables.strategy
    if notes.shares.shape[3] == 0:
        # All count alike, in whatever order.
        for walker in range(threads):
            last = notes.num_runs[turn, walker, thread]
            means = notes.means[turn, walker, thread]
            for m in range(notes.runs[turn, walker, thread, last, MEANS]):
                at = means[u(m)]
                for s in range(at, at + tables.degree[u(at)]):
                    average[u(s)] += weight * strategy[u(s)]
        return
    means, shares = notes.means.reshape(-1), notes.shares.reshape(-1)
    first_set = turn * threads * threads
    num_runs, _ = _order_runs(notes, turn, thread, MEANS, first_set, room, 0)
    order = notes.order[thread]
    for i in range(num_runs):
        begin, count = order[u(i)] >> COUNT_BITS, order[u(i)] & (2**COUNT_BITS - 1)
        for m in range(begin, begin + count):
            at = means[u(m)]
            added = weight * shares[u(m)]
            for s in range(at, at + tables.degree[u(at)]):
                average[u(s)] += added * strategy[u(s)]


@part
def _move(base, rate, bases, values, begin, end):
    for b in range(begin, end):
        s = bases[u(b)]
        base[u(s)] += rate * (values[u(b)] - base[u(s)])


@part
def learn_bases(tables, method, notes, batches, turn, thread):
    """Move this thread's baselines towards what was found, in the order of blocks.

    Player 0's blocks come first. So player 1's bases learn as the opponent's first, then as the
    traverser's; player 0's the other way round.
    """
    base, rate, order = tables.base, method.rate, notes.order[thread]
    room = notes.met_bases.shape[2]
    num_runs, num_first = _order_runs(notes, turn, thread, METS, 0, room, batches.blocks)
    bases, values = notes.met_bases.reshape(-1), notes.met_values.reshape(-1)
    for i in range(num_runs + 1):
        if i == num_first:
            for share in range(notes.parts.shape[0]):
                for piece in range(notes.parts.shape[1]):
                    part = notes.parts[share, piece, thread]
                    own, theirs = notes.bases[part[WALKER]], notes.values[part[WALKER]]
                    _move(base, rate, own, theirs, part[BASES], part[BASES_END])
        if i < num_runs:
            begin, count = order[u(i)] >> COUNT_BITS, order[u(i)] & (2**COUNT_BITS - 1)
            _move(base, rate, bases, values, begin, begin + count)


@part
def learn_line(tables, method, line, end, value, weight, floor, kept):
    """Learn from one history, from its end to its beginning: regrets, averages, strategies."""
    regrets, strategy, average = tables.regrets, tables.strategy, tables.average
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    for i in range(end - 1, -1, -1):
        point = line[u(i)]
        at, degree = point.at, point.degree
        action = value * point.boost
        value = point.played * action
        if discounted:
            settle(tables, kept, at, degree)
        if at_own:
            for s in range(at, at + degree):
                average[u(s)] += weight * (point.share * strategy[u(s)])
        scale = point.inverse
        others = scale * (0.0 - value)
        total = 0.0
        for s in range(at, at + degree):
            gain = others if s != at + point.slot else scale * (action - value)
            regret = max(regrets[u(s)] + gain, floor)
            regrets[u(s)] = regret
            total += max(regret, 0.0)
        _play(tables, at, degree, total)
