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
def learn_regrets(tables, method, notes, batches, t, thread):
    """Add what was noted on this thread's infosets as the traverser's; how many changed."""
    num_updated = 0
    for walker in range(len(notes.counts)):
        num_updated = _add_regrets(tables, method, notes, batches, t, walker, thread, num_updated)
    if not is_once(method, batches):
        updated = notes.updated[thread]
        for i in range(num_updated):
            at = updated[u(i)]
            tables.touched[u(at)] = 0
            match(tables, at, tables.degree[u(at)], batches.floor)
    return num_updated


@part
def _add_regrets(tables, method, notes, batches, t, walker, thread, num_updated):
    regrets, average, updated = tables.regrets, tables.average, notes.updated[thread]
    kept = batches.kept[0, t], batches.kept[1, t]
    share, weight, once = batches.share, batches.weight[t], is_once(method, batches)
    discounted, at_own = len(tables.kept[0]) > 0, method.averaging != OPPONENT
    part, visits, gains = notes.parts[walker, thread], notes.visits[walker], notes.gains[walker]
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
def _order_runs(notes, turn, thread):
    """List the runs for this thread in the order of their blocks; how many they are."""
    at_block, order = notes.at_block[thread], notes.order[thread]
    for walker in range(len(notes.counts)):
        runs = notes.runs[turn, walker, thread]
        for run in range(1, 1 + notes.num_runs[turn, walker, thread]):
            at_block[u(runs[u(run), BLOCK])] = (run << WALKER_BITS) + walker
    num_runs = 0
    for block in range(len(at_block)):
        found = at_block[u(block)]
        order[u(num_runs)] = found
        num_runs += 1 if found > 0 else 0
        at_block[u(block)] = 0
    return num_runs


@part
def _find_run(notes, turn, thread, i):
    """A run in that order: who wrote it, and its number."""
    found = notes.order[thread, u(i)]
    return found & (2**WALKER_BITS - 1), found >> WALKER_BITS


@part
def learn_averages(tables, method, notes, weight, turn, thread):
    """Add what was noted on this thread's infosets as the opponent's, in the order of blocks."""
    if method.averaging != OPPONENT or weight <= 0.0:
        return
    if notes.shares.shape[3] == 0:
        # All count alike, in whatever order.
        for walker in range(len(notes.counts)):
            last = notes.num_runs[turn, walker, thread]
            _add_averages(tables, notes, weight, turn, walker, thread, 0, last)
        return
    for i in range(_order_runs(notes, turn, thread)):
        walker, run = _find_run(notes, turn, thread, i)
        _add_averages(tables, notes, weight, turn, walker, thread, run - 1, run)


@part
def _add_averages(tables, notes, weight, turn, walker, thread, after, last):
    """Add what is noted in the runs after one, up to another."""
    average, strategy = tables.average, tables.strategy
    runs = notes.runs[turn, u(walker), thread]
    means, shares = notes.means[turn, u(walker), thread], notes.shares[turn, u(walker), thread]
    for m in range(runs[u(after), MEANS], runs[u(last), MEANS]):
        at = means[u(m)]
        added = weight * shares[u(m)] if len(shares) > 0 else weight
        for s in range(at, at + tables.degree[u(at)]):
            average[u(s)] += added * strategy[u(s)]


@part
def _move(base, rate, bases, values, begin, end):
    for b in range(begin, end):
        s = bases[u(b)]
        base[u(s)] += rate * (values[u(b)] - base[u(s)])


@part
def _learn_own_bases(tables, method, notes, thread):
    for walker in range(len(notes.counts)):
        part, bases, values = notes.parts[walker, thread], notes.bases[walker], notes.values[walker]
        _move(tables.base, method.rate, bases, values, part[BASES], part[BASES_END])


@part
def learn_bases(tables, method, notes, batches, turn, thread):
    """Move this thread's baselines towards what was found, in the order of blocks.

    Player 0's blocks come first. So player 1's bases learn as the opponent's first, then as the
    traverser's; player 0's the other way round.
    """
    is_own_done = False
    for i in range(_order_runs(notes, turn, thread)):
        walker, run = _find_run(notes, turn, thread, i)
        runs = notes.runs[turn, walker, thread]
        if not is_own_done and runs[run, BLOCK] >= batches.blocks:
            _learn_own_bases(tables, method, notes, thread)
            is_own_done = True
        bases, values = notes.met_bases[walker, thread], notes.met_values[walker, thread]
        _move(tables.base, method.rate, bases, values, runs[run - 1, METS], runs[run, METS])
    if not is_own_done:
        _learn_own_bases(tables, method, notes, thread)


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
