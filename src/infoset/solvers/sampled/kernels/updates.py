"""Update tables from the log of a mini-batch: regrets, averages, baselines, then strategies.

Each thread updates the infosets that it owns, in the order of the walks.
"""

import numpy as np

from infoset.machine.compiled import inline
from infoset.solvers.sampled.kernels.structures import COUNT_BITS, OPPONENT, unsigned


@inline
def discount_regrets(tables, log_kept, begin, degree):
    """Apply the discounts since an infoset's last update to its regrets."""
    now, then = log_kept, tables.log_kept
    if now[0] == then[0, begin] and now[1] == then[1, begin]:
        return
    keep_positive = np.exp(now[0] - then[0, begin])
    keep_negative = np.exp(now[1] - then[1, begin])
    for s in range(begin, begin + degree):
        tables.regrets[unsigned(s)] *= (
            keep_positive if tables.regrets[unsigned(s)] > 0.0 else keep_negative
        )
    then[0, begin] = now[0]
    then[1, begin] = now[1]


@inline
def match_regrets(tables, begin, degree, floor):
    """Raise the regrets of an infoset to the floor, and write the strategy that matches them."""
    regrets = tables.regrets
    total = 0.0
    for s in range(begin, begin + degree):
        regrets[unsigned(s)] = max(regrets[unsigned(s)], floor)
        total += max(regrets[unsigned(s)], 0.0)
    write_strategy(tables, begin, degree, total)


@inline
def write_strategy(tables, begin, degree, total):
    """Play in proportion to positive regrets, whose sum is ``total``."""
    regrets, strategy = tables.regrets, tables.strategy
    # As in the full-width kernels: a sum that is about to underflow has no inverse.
    if total > 1e-290:
        inverse = 1.0 / total
        for s in range(begin, begin + degree):
            strategy[unsigned(s)] = max(regrets[unsigned(s)], 0.0) * inverse
    else:
        for s in range(begin, begin + degree):
            strategy[unsigned(s)] = 1.0 / degree


@inline
def visits_once(method, batches):
    """Whether a mini-batch visits each infoset of the traverser at most once.

    So it is, with perfect recall, for a single walk with a sampled opponent. The regrets of an
    infoset can then be matched as soon as they change.
    """
    return batches.walks == 1 and batches.alternating and method.samples_opponent


@inline
def update_regrets(tables, method, log, batches, t, thread):
    """Update this thread's infosets as those of the traverser; return how many changed."""
    num_updated = 0
    for source in range(log.spans.shape[0]):
        for chunk in range(log.spans.shape[1]):
            span = log.spans[source, chunk, thread]
            num_updated = _add_regrets(tables, method, log, batches, t, span, thread, num_updated)
    if not visits_once(method, batches):
        updated = log.updated[thread]
        for i in range(num_updated):
            begin = updated[unsigned(i)]
            tables.pending[unsigned(begin)] = 0
            match_regrets(tables, begin, tables.degree[unsigned(begin)], batches.floor)
    return num_updated


@inline
def _add_regrets(tables, method, log, batches, t, span, thread, num_updated):
    regrets, average, updated = tables.regrets, tables.average, log.updated[thread]
    log_kept = batches.log_kept[0, t], batches.log_kept[1, t]
    scale, weight, once = batches.scale, batches.weight[t], visits_once(method, batches)
    discounted, averages_own = len(tables.log_kept[0]) > 0, method.averaging != OPPONENT
    visits, increments = log.visits[span.walker], log.increments[span.walker]
    g = span.increments
    for n in range(span.visits, span.visits_end):
        begin = visits[unsigned(n)]
        degree = tables.degree[unsigned(begin)]
        if discounted:
            discount_regrets(tables, log_kept, begin, degree)
        for a in range(degree):
            regrets[unsigned(begin + a)] += scale * increments[unsigned(g + a)]
        g += degree
        if averages_own:
            for a in range(degree):
                average[unsigned(begin + a)] += weight * increments[unsigned(g + a)]
            g += degree
        if once:
            match_regrets(tables, begin, degree, batches.floor)
            num_updated += 1
        else:
            updated[unsigned(num_updated)] = begin
            num_updated += 1 - tables.pending[unsigned(begin)]
            tables.pending[unsigned(begin)] = 1
    return num_updated


@inline
def _order_segments(log, parity, thread, of_averages, first_log, capacity, walks):
    """List the segments of averages or baselines that this thread reads, in the order of walks.

    Logs of that capacity lie one after the other, by walker and reader, from ``first_log`` on.
    Returns how many segments there are, and how many belong to the first ``walks`` walks.
    """
    threads = len(log.counts)
    walk_segment, order = log.walk_segment[thread], log.segment_order[thread]
    for walker in range(threads):
        segments = log.segments[parity, walker, thread]
        begin, place = 0, (first_log + walker * threads + thread) * capacity
        for i in range(1, 1 + log.reader_lengths[parity, walker, thread].segments):
            segment = segments[unsigned(i)]
            end = np.int64(segment.averages if of_averages else segment.baselines)
            packed = ((place + begin) << COUNT_BITS) + (end - begin)
            walk_segment[unsigned(segment.walk)] = packed
            begin = end
    num_segments, num_first = 0, 0
    for number in range(len(walk_segment)):
        if number == walks:
            num_first = num_segments
        packed = walk_segment[unsigned(number)]
        order[unsigned(num_segments)] = packed
        num_segments += 1 if packed & (2**COUNT_BITS - 1) > 0 else 0
        walk_segment[unsigned(number)] = 0
    return num_segments, num_first if walks < len(walk_segment) else num_segments


@inline
def _segment_range(packed):
    """Where a segment begins and ends."""
    begin = packed >> COUNT_BITS
    return begin, begin + (packed & (2**COUNT_BITS - 1))


@inline
def update_averages(tables, method, log, weight, parity, thread):
    """Add to the averages of this thread's infosets as those of the opponent, in walk order."""
    if method.averaging != OPPONENT or weight <= 0.0:
        return
    threads, capacity = len(log.counts), log.average_infosets.shape[3]
    average, strategy = tables.average, tables.strategy
    if log.average_weights.shape[3] == 0:
        # All weights are equal, so the order does not matter.
        for walker in range(threads):
            infosets = log.average_infosets[parity, walker, thread]
            for m in range(log.reader_lengths[parity, walker, thread].averages):
                begin = infosets[unsigned(m)]
                for s in range(begin, begin + tables.degree[unsigned(begin)]):
                    average[unsigned(s)] += weight * strategy[unsigned(s)]
        return
    infosets, weights = log.average_infosets.reshape(-1), log.average_weights.reshape(-1)
    first_log = parity * threads * threads
    num_segments, _ = _order_segments(log, parity, thread, True, first_log, capacity, 0)
    order = log.segment_order[thread]
    for i in range(num_segments):
        first, end = _segment_range(order[unsigned(i)])
        for m in range(first, end):
            begin = infosets[unsigned(m)]
            scaled = weight * weights[unsigned(m)]
            for s in range(begin, begin + tables.degree[unsigned(begin)]):
                average[unsigned(s)] += scaled * strategy[unsigned(s)]


@inline
def _move_baselines(baseline, rate, moves, begin, end):
    for b in range(begin, end):
        s = moves[unsigned(b)].sequence
        baseline[unsigned(s)] += rate * (moves[unsigned(b)].target - baseline[unsigned(s)])


@inline
def update_baselines(tables, method, log, batches, parity, thread):
    """Move this thread's baselines towards the sampled values, in walk order.

    Player 0's walks come first. So player 1's baselines move first as the opponent's, then as the
    traverser's; player 0's the other way round.
    """
    baseline, rate, order = tables.baseline, method.baseline_rate, log.segment_order[thread]
    capacity = log.opponent_baseline_moves.shape[2]
    num_segments, num_first = _order_segments(
        log, parity, thread, False, 0, capacity, batches.walks
    )
    moves = log.opponent_baseline_moves.reshape(-1)
    for i in range(num_segments + 1):
        if i == num_first:
            for source in range(log.spans.shape[0]):
                for chunk in range(log.spans.shape[1]):
                    span = log.spans[source, chunk, thread]
                    own, begin = log.baseline_moves[span.walker], span.baselines
                    _move_baselines(baseline, rate, own, begin, span.baselines_end)
        if i < num_segments:
            begin, end = _segment_range(order[unsigned(i)])
            _move_baselines(baseline, rate, moves, begin, end)
