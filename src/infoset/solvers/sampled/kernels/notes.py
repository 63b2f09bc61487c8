"""What a walk has found, written down: regrets, averages and baselines are learnt from it later."""

from infoset.machine.compiled import part
from infoset.solvers.sampled.kernels.sampling_data import (
    BASES,
    BASES_END,
    BIASED,
    BLOCK,
    GAINS,
    MEANS,
    METS,
    OPPONENT,
    RUNS,
    VISITS,
    VISITS_END,
    WALKER,
    u,
)


@part
def write_visits(tables, method, notes, turn, thread, reader, end, player):
    """Note the regrets of a walk, and what it adds to averages where it branches.

    Returns whether there was room for it.
    """
    strategy, base = tables.strategy, tables.base
    entries, visits, gains = notes.entries[thread], notes.visits[thread], notes.gains[thread]
    means, shares = notes.means[turn, thread, reader], notes.shares[turn, thread, reader]
    n, g = notes.written[thread, 0, VISITS], notes.written[thread, 0, GAINS]
    m = notes.written[thread, 1 + reader, MEANS]
    sign = 1.0 if player == 0 else -1.0
    has_base, at_own = len(base) > 0, method.averaging != OPPONENT
    for i in range(end):
        entry = entries[u(i)]
        if entry.first < 0 or entry.kind > 1:
            continue
        at, degree = entry.at, entry.degree
        if entry.kind != player:
            if not at_own:
                if m == len(means):
                    return False
                means[u(m)] = at
                shares[u(m)] = entry.inverse * entry.other
                m += 1
            continue
        if n == len(visits) or g + 2 * degree > len(gains):
            return False
        visits[u(n)] = at
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
                slot = entries[u(j)].slot
                gains[u(g + slot)] = share * strategy[u(at + slot)]
            g += degree
    notes.written[thread, 0, VISITS] = n
    notes.written[thread, 0, GAINS] = g
    notes.written[thread, 1 + reader, MEANS] = m
    return True


@part
def write_bases(notes, thread, reader, end, met_end, player):
    """Note what baselines are to learn; whether there was room for it."""
    entries, met = notes.entries[thread], notes.met[thread]
    bases, values = notes.bases[thread], notes.values[thread]
    b = notes.written[thread, 0, BASES]
    sign = 1.0 if player == 0 else -1.0
    for i in range(end):
        entry = entries[u(i)]
        if b + entry.count > len(bases):
            return False
        for j in range(entry.first, entry.first + entry.count):
            below = entries[u(j)]
            bases[u(b)] = entry.at + below.slot
            values[u(b)] = sign * (below.value + below.shift)
            b += 1
    notes.written[thread, 0, BASES] = b
    bases, values = notes.met_bases[thread, reader], notes.met_values[thread, reader]
    b = notes.written[thread, 1 + reader, METS]
    if b + met_end > len(bases):
        return False
    for i in range(met_end):
        seen = met[u(i)]
        entry = entries[u(seen.entry)]
        bases[u(b)] = seen.sequence
        values[u(b)] = sign * (entry.value + entry.shift - seen.shift)
        b += 1
    notes.written[thread, 1 + reader, METS] = b
    return True


@part
def begin_batch(notes, turn, thread):
    """Have nothing written."""
    threads = len(notes.counts)
    for reader in range(1 + threads):
        for column in range(3):
            notes.written[thread, reader, column] = 0
    for reader in range(threads):
        for column in range(3):
            notes.runs[turn, thread, reader, 1, column] = 0


@part
def end_batch(notes, turn, thread):
    """Say how many runs there are."""
    for reader in range(len(notes.counts)):
        notes.num_runs[turn, thread, reader] = notes.written[thread, 1 + reader, RUNS]


@part
def begin_part(notes, thread, part):
    """Say where the notes on an owner's infosets begin."""
    part[WALKER] = thread
    for column in (VISITS, GAINS, BASES):
        part[column] = notes.written[thread, 0, column]


@part
def end_part(notes, thread, part):
    """Say where they end."""
    part[VISITS_END] = notes.written[thread, 0, VISITS]
    part[BASES_END] = notes.written[thread, 0, BASES]


@part
def end_run(notes, turn, thread, reader, run, block):
    """Say where the notes on a block's opponent end."""
    row, written = notes.runs[turn, thread, reader, u(run)], notes.written[thread, 1 + reader]
    row[BLOCK] = block
    row[MEANS] = written[MEANS]
    row[METS] = written[METS]
    written[RUNS] = run
