"""Log what a walk found, for the updates of regrets, averages and baselines that follow."""

from infoset.machine.compiled import inline
from infoset.solvers.sampled.kernels.structures import (
    AVERAGES,
    BASELINES,
    BASELINES_END,
    BIASED,
    INCREMENTS,
    OPPONENT,
    OPPONENT_BASELINES,
    SEGMENTS,
    VISITS,
    VISITS_END,
    WALK,
    WALKER,
    unsigned,
)


@inline
def log_visits(tables, method, log, parity, thread, reader, end, player):
    """Log the regrets of a walk, and what its entries add to averages.

    Returns whether there was space for them.
    """
    strategy, baseline = tables.strategy, tables.baseline
    entries, visits, increments = log.entries[thread], log.visits[thread], log.increments[thread]
    infosets = log.average_infosets[parity, thread, reader]
    weights = log.average_weights[parity, thread, reader]
    n, g = log.lengths[thread, 0, VISITS], log.lengths[thread, 0, INCREMENTS]
    m = log.lengths[thread, 1 + reader, AVERAGES]
    sign = 1.0 if player == 0 else -1.0
    has_baselines, averages_own = len(baseline) > 0, method.averaging != OPPONENT
    for i in range(end):
        entry = entries[unsigned(i)]
        if entry.first_child < 0 or entry.node_type > 1:
            continue
        begin, degree = entry.begin, entry.degree
        if entry.node_type != player:
            if not averages_own:
                if m == len(infosets):
                    return False
                infosets[unsigned(m)] = begin
                weights[unsigned(m)] = entry.path_weight * entry.opponent_reach
                m += 1
            continue
        if n == len(visits) or g + 2 * degree > len(increments):
            return False
        visits[unsigned(n)] = begin
        n += 1
        scale = entry.path_weight
        if not method.samples_opponent:
            scale *= entry.opponent_reach
        first, count, value = entry.first_child, entry.num_children, entry.value
        if count == degree and not has_baselines:
            for a in range(degree):
                child = entries[unsigned(first + a)]
                increments[unsigned(g + a)] = scale * (child.value * child.step_weight - value)
        else:
            for a in range(degree):
                expected = sign * baseline[unsigned(begin + a)] if has_baselines else 0.0
                regret = scale * (expected - value) if method.counts_unsampled else 0.0
                increments[unsigned(g + a)] = regret
            for j in range(first, first + count):
                child = entries[unsigned(j)]
                expected = sign * baseline[unsigned(begin + child.slot)] if has_baselines else 0.0
                surprise = (child.value + child.correction - expected) * child.step_weight
                increments[unsigned(g + child.slot)] = scale * (expected + surprise - value)
        g += degree
        if averages_own:
            weight = entry.own_reach
            if method.averaging != BIASED:
                weight *= entry.path_weight
                if method.samples_opponent:
                    weight /= entry.opponent_reach
            for a in range(degree):
                added = weight * strategy[unsigned(begin + a)] if method.counts_unsampled else 0.0
                increments[unsigned(g + a)] = added
            for j in range(first, first + count):
                slot = entries[unsigned(j)].slot
                increments[unsigned(g + slot)] = weight * strategy[unsigned(begin + slot)]
            g += degree
    log.lengths[thread, 0, VISITS] = n
    log.lengths[thread, 0, INCREMENTS] = g
    log.lengths[thread, 1 + reader, AVERAGES] = m
    return True


@inline
def log_baselines(log, thread, reader, end, num_samples, player):
    """Log the values that baselines are to move towards; return whether there was space."""
    entries, samples = log.entries[thread], log.opponent_samples[thread]
    sequences, targets = log.baseline_sequences[thread], log.baseline_targets[thread]
    b = log.lengths[thread, 0, BASELINES]
    sign = 1.0 if player == 0 else -1.0
    for i in range(end):
        entry = entries[unsigned(i)]
        if b + entry.num_children > len(sequences):
            return False
        for j in range(entry.first_child, entry.first_child + entry.num_children):
            child = entries[unsigned(j)]
            sequences[unsigned(b)] = entry.begin + child.slot
            targets[unsigned(b)] = sign * (child.value + child.correction)
            b += 1
    log.lengths[thread, 0, BASELINES] = b
    sequences = log.opponent_baseline_sequences[thread, reader]
    targets = log.opponent_baseline_targets[thread, reader]
    b = log.lengths[thread, 1 + reader, OPPONENT_BASELINES]
    if b + num_samples > len(sequences):
        return False
    for i in range(num_samples):
        sample = samples[unsigned(i)]
        entry = entries[unsigned(sample.entry)]
        sequences[unsigned(b)] = sample.sequence
        targets[unsigned(b)] = sign * (entry.value + entry.correction - sample.correction)
        b += 1
    log.lengths[thread, 1 + reader, OPPONENT_BASELINES] = b
    return True


@inline
def begin_batch(log, parity, thread):
    """Empty a thread's log."""
    threads = len(log.counts)
    for reader in range(1 + threads):
        for column in range(3):
            log.lengths[thread, reader, column] = 0
    for reader in range(threads):
        for column in range(3):
            log.segments[parity, thread, reader, 1, column] = 0


@inline
def end_batch(log, parity, thread):
    """Write how many segments a thread's log has for each reader."""
    for reader in range(len(log.counts)):
        log.num_segments[parity, thread, reader] = log.lengths[thread, 1 + reader, SEGMENTS]


@inline
def begin_span(log, thread, span):
    """Write where the log of an owner's walks begins."""
    span[WALKER] = thread
    for column in (VISITS, INCREMENTS, BASELINES):
        span[column] = log.lengths[thread, 0, column]


@inline
def end_span(log, thread, span):
    """Write where the log of an owner's walks ends."""
    span[VISITS_END] = log.lengths[thread, 0, VISITS]
    span[BASELINES_END] = log.lengths[thread, 0, BASELINES]


@inline
def end_segment(log, parity, thread, reader, segment, number):
    """Write where the log of a walk's opponent ends; ``number`` is the walk's."""
    row = log.segments[parity, thread, reader, unsigned(segment)]
    lengths = log.lengths[thread, 1 + reader]
    row[WALK] = number
    row[AVERAGES] = lengths[AVERAGES]
    row[OPPONENT_BASELINES] = lengths[OPPONENT_BASELINES]
    lengths[SEGMENTS] = segment
