"""Log what a walk found, for the updates of regrets, averages and baselines that follow."""

from infoset.machine.compiled import inline
from infoset.solvers.sampled.kernels.structures import BIASED, OPPONENT, unsigned


@inline
def log_visits(tables, method, log, parity, thread, reader, end, player):
    """Log the regrets of a walk, and what its entries add to averages.

    Returns whether there was space for them.
    """
    strategy, baseline = tables.strategy, tables.baseline
    entries, visits, increments = log.entries[thread], log.visits[thread], log.increments[thread]
    infosets = log.average_infosets[parity, thread, reader]
    weights = log.average_weights[parity, thread, reader]
    lengths, reader_lengths = log.lengths[thread], log.reader_lengths[parity, thread, reader]
    n, g, m = lengths.visits, lengths.increments, reader_lengths.averages
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
            for j in range(first, first if method.counts_unsampled else first + count):
                slot = entries[unsigned(j)].slot
                increments[unsigned(g + slot)] = weight * strategy[unsigned(begin + slot)]
            g += degree
    lengths.visits = n
    lengths.increments = g
    reader_lengths.averages = m
    return True


@inline
def log_baselines(log, parity, thread, reader, end, num_samples, player):
    """Log the values that baselines are to move towards; return whether there was space."""
    entries, samples = log.entries[thread], log.opponent_samples[thread]
    moves, lengths = log.baseline_moves[thread], log.lengths[thread]
    b = lengths.baselines
    sign = 1.0 if player == 0 else -1.0
    for i in range(end):
        entry = entries[unsigned(i)]
        if b + entry.num_children > len(moves):
            return False
        for j in range(entry.first_child, entry.first_child + entry.num_children):
            child, move = entries[unsigned(j)], moves[unsigned(b)]
            move.sequence = entry.begin + child.slot
            move.target = sign * (child.value + child.correction)
            b += 1
    lengths.baselines = b
    moves = log.opponent_baseline_moves[thread, reader]
    reader_lengths = log.reader_lengths[parity, thread, reader]
    b = reader_lengths.baselines
    if b + num_samples > len(moves):
        return False
    for i in range(num_samples):
        sample, move = samples[unsigned(i)], moves[unsigned(b)]
        entry = entries[unsigned(sample.entry)]
        move.sequence = sample.sequence
        move.target = sign * (entry.value + entry.correction - sample.correction)
        b += 1
    reader_lengths.baselines = b
    return True


@inline
def begin_batch(log, parity, thread):
    """Empty a thread's log."""
    lengths = log.lengths[thread]
    lengths.visits, lengths.increments, lengths.baselines = 0, 0, 0
    for reader in range(len(log.counts)):
        lengths = log.reader_lengths[parity, thread, reader]
        lengths.segments, lengths.averages, lengths.baselines = 0, 0, 0
        segment = log.segments[parity, thread, reader, 1]
        segment.averages, segment.baselines = 0, 0


@inline
def begin_span(log, thread, span):
    """Write where the log of an owner's walks begins."""
    lengths = log.lengths[thread]
    span.walker = thread
    span.visits = lengths.visits
    span.increments = lengths.increments
    span.baselines = lengths.baselines


@inline
def end_span(log, thread, span):
    """Write where the log of an owner's walks ends."""
    span.visits_end = log.lengths[thread].visits
    span.baselines_end = log.lengths[thread].baselines


@inline
def end_segment(log, parity, thread, reader, number, walk):
    """Write where segment ``number``, that of a walk's opponent, ends."""
    segment = log.segments[parity, thread, reader, unsigned(number)]
    lengths = log.reader_lengths[parity, thread, reader]
    segment.walk = walk
    segment.averages = lengths.averages
    segment.baselines = lengths.baselines
    lengths.segments = number
