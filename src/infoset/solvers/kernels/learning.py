"""Learn from what a mini-batch has found: regrets, averages, baselines, then strategies.

Each thread learns what belongs to its own infosets, in the order of the blocks.
"""

import numpy as np

from infoset.solvers.kernels.sampling_data import (
    BASES,
    BASES_END,
    BLOCK,
    GAINS,
    MEANS,
    METS,
    OPPONENT,
    SHARED_BITS,
    VISITS,
    VISITS_END,
    WALKER_BITS,
    u,
)
from infoset.trees.kernels.compiled import part


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
def is_once(method, batches):
    """Whether an infoset's regrets may be matched as soon as something is added to them.

    With perfect recall, a walk with a sampled opponent comes to no infoset of the traverser twice.
    """
    return batches.blocks == 1 and batches.alternating and not method.wide


@part
def _is_others(shares, at, thread, threads):
    """Whether another thread learns what concerns an infoset, where hands do not tell."""
    return threads > 1 and len(shares.owner) == 0 and (at >> SHARED_BITS) % threads != thread


@part
def learn_regrets(tables, method, notes, shares, batches, t, thread):
    """Add what was noted on this thread's infosets as the traverser's; how many changed."""
    threads, has_owners = len(notes.counts), len(shares.owner) > 0
    once, updated = is_once(method, batches), notes.updated[thread]
    num_updated = 0
    for walker in range(threads):
        part = notes.parts[walker, thread if has_owners else 0]
        num_updated = _add_regrets(
            tables, method, notes, shares, batches, t, thread, walker, part, num_updated
        )
    for i in range(0 if once else num_updated):
        at = updated[u(i)]
        tables.touched[u(at)] = 0
        match(tables, at, tables.degree[u(at)], batches.floor)
    return num_updated


@part
def _add_regrets(tables, method, notes, shares, batches, t, thread, walker, part, num_updated):
    threads, once = len(notes.counts), is_once(method, batches)
    regrets, average, updated = tables.regrets, tables.average, notes.updated[thread]
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight = batches.share, batches.weight[t]
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    visits, gains = notes.visits[walker], notes.gains[walker]
    g = part[GAINS]
    for n in range(part[VISITS], part[VISITS_END]):
        at = visits[u(n)]
        degree = tables.degree[u(at)]
        if _is_others(shares, at, thread, threads):
            g += 2 * degree if at_own else degree
            continue
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
def _order_runs(notes, reader, turn, thread):
    """List the runs that a reader is to read in the order of their blocks; how many they are."""
    at_block, order = notes.at_block[thread], notes.order[thread]
    for walker in range(len(notes.counts)):
        runs = notes.runs[turn, walker, reader]
        for run in range(1, 1 + notes.num_runs[turn, walker, reader]):
            at_block[u(runs[u(run), BLOCK])] = (run << WALKER_BITS) + walker
    num_runs = 0
    for block in range(len(at_block)):
        found = at_block[u(block)]
        order[u(num_runs)] = found
        num_runs += 1 if found > 0 else 0
        at_block[u(block)] = 0
    return num_runs


@part
def _find_run(notes, reader, turn, found, column):
    """Who wrote a run, and where notes of a kind begin and end."""
    walker, run = found & (2**WALKER_BITS - 1), found >> WALKER_BITS
    runs = notes.runs[turn, u(walker), u(reader)]
    return walker, np.int64(runs[u(run - 1), column]), np.int64(runs[u(run), column])


@part
def learn_averages(tables, method, notes, shares, weight, turn, thread):
    """Add what was noted on this thread's infosets as the opponent's, in the order of blocks."""
    if method.averaging != OPPONENT or weight <= 0.0:
        return
    reader = thread if len(shares.owner) > 0 else 0
    if notes.shares.shape[3] == 0:
        # All count alike, in whatever order.
        for walker in range(len(notes.counts)):
            last = notes.num_runs[turn, walker, reader]
            end = notes.runs[turn, walker, reader, last, MEANS]
            _add_averages(tables, notes, shares, weight, turn, thread, reader, walker, 0, end)
        return
    order = notes.order[thread]
    for i in range(_order_runs(notes, reader, turn, thread)):
        walker, begin, end = _find_run(notes, reader, turn, order[u(i)], MEANS)
        _add_averages(tables, notes, shares, weight, turn, thread, reader, walker, begin, end)


@part
def _add_averages(tables, notes, shares, weight, turn, thread, reader, walker, begin, end):
    threads = len(notes.counts)
    average, strategy = tables.average, tables.strategy
    means, parts = notes.means[turn, walker, reader], notes.shares[turn, walker, reader]
    for m in range(begin, end):
        at = means[u(m)]
        if _is_others(shares, at, thread, threads):
            continue
        added = weight * parts[u(m)] if len(parts) > 0 else weight
        for s in range(at, at + tables.degree[u(at)]):
            average[u(s)] += added * strategy[u(s)]


@part
def _move_bases(tables, method, notes, shares, bases, values, begin, end, thread):
    threads, base = len(notes.counts), tables.base
    for b in range(begin, end):
        s = bases[u(b)]
        if not _is_others(shares, s, thread, threads):
            base[u(s)] += method.rate * (values[u(b)] - base[u(s)])


@part
def learn_bases(tables, method, notes, shares, batches, turn, thread):
    """Move this thread's baselines towards what was found, in the order of blocks.

    Player 0's blocks come first. So player 1's bases learn as the opponent's first, then as the
    traverser's; player 0's the other way round.
    """
    reader = thread if len(shares.owner) > 0 else 0
    order, done_own = notes.order[thread], False
    num_runs = _order_runs(notes, reader, turn, thread)
    for i in range(num_runs):
        walker, begin, end = _find_run(notes, reader, turn, order[u(i)], METS)
        block = notes.runs[turn, walker, reader, order[u(i)] >> WALKER_BITS, BLOCK]
        if not done_own and block >= batches.blocks:
            _learn_own_bases(tables, method, notes, shares, thread)
            done_own = True
        bases, values = notes.met_bases[walker, reader], notes.met_values[walker, reader]
        _move_bases(tables, method, notes, shares, bases, values, begin, end, thread)
    if not done_own:
        _learn_own_bases(tables, method, notes, shares, thread)


@part
def _learn_own_bases(tables, method, notes, shares, thread):
    for walker in range(len(notes.counts)):
        part = notes.parts[walker, thread if len(shares.owner) > 0 else 0]
        bases, values = notes.bases[walker], notes.values[walker]
        begin, end = part[BASES], part[BASES_END]
        _move_bases(tables, method, notes, shares, bases, values, begin, end, thread)


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
        for s in range(at, at + degree):
            regrets[u(s)] += others if s != at + point.slot else scale * (action - value)
        match(tables, at, degree, floor)
