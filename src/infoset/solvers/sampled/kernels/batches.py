"""Mini-batches of a sampled regret minimiser: deal the hands, walk, update the tables.

Nothing changes while a mini-batch is walked, neither strategies nor baselines, so several threads
can share its walks. Each thread logs what its walks find. When all have finished, each thread
applies the logs of all threads to the infosets that it owns, in the order of the walks. So sums do
not depend on which thread made a walk.

Threads own infosets by hand. A thread makes the walks whose traverser holds one of its hands, as
far as an even split allows, so most of its log concerns its own infosets and stays on its core.
"""

from typing import NamedTuple

import numpy as np

from infoset.machine.barriers import (
    add_atomic,
    arrive,
    load_atomic,
    wait_for_all,
    wait_until_all_arrived,
)
from infoset.machine.compiled import inline, kernel, threaded
from infoset.machine.prefetch import prefetch_read
from infoset.solvers.sampled.kernels.outcome import sample_path, update_from_path
from infoset.solvers.sampled.kernels.random import stream
from infoset.solvers.sampled.kernels.structures import FOLLOW_EACH, FOLLOW_ONE, unsigned
from infoset.solvers.sampled.kernels.updates import (
    match_regrets,
    update_averages,
    update_baselines,
    update_regrets,
    visits_once,
)
from infoset.solvers.sampled.kernels.walk_log import (
    begin_batch,
    begin_span,
    end_segment,
    end_span,
    log_baselines,
    log_visits,
)
from infoset.solvers.sampled.kernels.walks import (
    ENTRIES_FULL,
    deal_hands,
    walk,
    write_values,
)

ARRIVALS, STOP_REQUESTED, STOPPED, NEEDS_ENTRIES, NEEDS_LOG = 0, 8, 16, 17, 18
"""Counters that threads share; the first two are read often and have cache lines of their own.

Python may set `STOP_REQUESTED` at any time. Threads set `STOPPED` only while they walk, so all
see it at the next barrier. The last two say which buffer was too small."""

NODES, UPDATES, LAST_UPDATES = 0, 1, 2
"""Columns of `WalkLog.counts`: nodes touched, and infosets updated in total and in the last
mini-batch."""


class Batches(NamedTuple):
    """The mini-batches of one call."""

    key: np.uint64
    """Key of the random streams."""
    begin: int
    """Number of the first mini-batch; number 0 is player 0's in the first iteration."""
    num_batches: int
    walks: int
    """Walks per player in a mini-batch."""
    scale: float
    """1 / walks."""
    alternating: bool
    """A mini-batch is one player's, and player 1's sees player 0's new strategy; else both's."""
    log_kept: np.ndarray
    """[2, iterations] Logarithm of the product of all discounts so far, of positive and negative
    regrets."""
    floor: float
    weight: np.ndarray
    """[iterations] Weight of each walk in the average."""


@inline
def _first_walk(batches, parity):
    """The number of the first walk in a mini-batch; player 1's follow those of player 0."""
    return batches.walks * parity if batches.alternating else 0


@inline
def _deal(nodes, split, batches, batch, dealer):
    """Deal the hands of some walks, and list the walks by the owner of the traverser's hand."""
    parity = batch & 1
    first = _first_walk(batches, parity)
    hands, counters = split.hands[parity], split.counter[parity]
    num_walks, walks = split.num_walks[parity, dealer], split.walks[parity, dealer]
    split.chunks_taken[parity, dealer, 0] = 1
    for owner in range(len(walks)):
        num_walks[unsigned(owner)] = 0
    for number in range(split.deal_ends[dealer], split.deal_ends[dealer + 1]):
        counter = stream(batches.key, batch, first + number)
        hand0, hand1, counter = deal_hands(nodes, counter)
        hands[unsigned(number), 0] = hand0
        hands[unsigned(number), 1] = hand1
        counters[unsigned(number)] = counter
        is_first = first + number < batches.walks
        owner = split.hand_owner[unsigned(hand0 if is_first else nodes.num_hands + hand1)]
        walks[unsigned(owner), unsigned(num_walks[unsigned(owner)])] = number
        num_walks[unsigned(owner)] += 1


@inline
def _walk_once(nodes, tables, method, log, split, batches, parity, thread, number):
    """Make one walk and log it; return how many nodes it touched.

    If a buffer is too small, return minus the counter that says so.
    """
    player = 0 if _first_walk(batches, parity) + number < batches.walks else 1
    hands = split.hands[parity, unsigned(number)]
    hand0, hand1 = hands[0], hands[1]
    counter = split.counter[parity, unsigned(number)]
    reader = split.hand_owner[unsigned(nodes.num_hands + hand1 if player == 0 else hand0)]
    segment = 1 + log.reader_lengths[parity, thread, reader].segments
    if len(log.counts) == 1:
        segment = 2 if number >= batches.walks else 1
    common = nodes, tables, method, log, parity, thread, reader, player, (hand0, hand1), counter
    if method.samples_opponent:
        end, num_samples, touched = walk(*common, True)
    else:
        end, num_samples, touched = walk(*common, False)
    if end < 0:
        return -NEEDS_ENTRIES if end == ENTRIES_FULL else -NEEDS_LOG
    write_values(tables, log.entries[thread], end, player)
    if not log_visits(tables, method, log, parity, thread, reader, end, player):
        return -NEEDS_LOG
    if len(tables.baseline) > 0 and not log_baselines(
        log, parity, thread, reader, end, num_samples, player
    ):
        return -NEEDS_LOG
    end_segment(log, parity, thread, reader, segment, number)
    return touched


@inline
def _walk_chunk(
    nodes, tables, method, log, split, batches, counters, parity, thread, source, chunk
):
    """Walk a chunk of the walks of thread ``source``; return the nodes touched, -1 if stopped."""
    threads = len(log.counts)
    begin, end = split.chunk_ends[source, chunk], split.chunk_ends[source, chunk + 1]
    touched, place = 0, 0
    for owner in range(threads):
        span = log.spans[source, chunk, owner]
        begin_span(log, thread, span)
        for dealer in range(threads):
            walks = split.walks[parity, dealer, owner]
            length = split.num_walks[parity, dealer, owner]
            for i in range(max(begin - place, 0), min(end - place, length)):
                number = np.int64(walks[unsigned(i)])
                seen = _walk_once(
                    nodes, tables, method, log, split, batches, parity, thread, number
                )
                if seen < 0 or load_atomic(counters, STOP_REQUESTED) != 0:
                    add_atomic(counters, STOPPED if seen >= 0 else -seen, 1)
                    add_atomic(counters, STOPPED, 1)
                    return -1
                touched += seen
            place += length
        end_span(log, thread, span)
    return touched


@inline
def _walk_chunks(nodes, tables, method, log, split, batches, counters, parity, thread):
    """Walk this thread's chunks, then take over chunks that other threads have not begun.

    Returns the number of nodes touched, -1 if stopped.
    """
    threads, chunks = len(log.counts), split.chunk_ends.shape[1] - 1
    taken = split.chunks_taken[parity].ctypes.data
    begin_batch(log, parity, thread)
    touched, source, chunk = 0, thread, 0
    while True:
        seen = _walk_chunk(
            nodes, tables, method, log, split, batches, counters, parity, thread, source, chunk
        )
        if seen < 0:
            return -1
        touched += seen
        if chunks == 1:
            break
        # A thread's first chunk is always its own.
        chunk = add_atomic(taken, 8 * source, 1)
        while chunk >= chunks:
            source = source + 1 if source + 1 < threads else 0
            if source == thread:
                break
            chunk = add_atomic(taken, 8 * source, 1)
        if chunk >= chunks:
            break
    return touched


@inline
def _prefetch(tables, log, split, parity, thread):
    """Prefetch what other threads have changed and the next walks will read.

    Walks would otherwise fetch these cache lines one by one from the other core.
    """
    strategy = tables.strategy.ctypes.data
    hands, counters = split.hands[parity].ctypes.data, split.counter[parity].ctypes.data
    for number in range(0, split.counter.shape[1], 8):
        prefetch_read(hands + 8 * number)
        prefetch_read(counters + 8 * number)
    for other in range(len(log.counts)):
        if other != thread:
            updated = log.updated[other]
            for i in range(log.counts[other, LAST_UPDATES]):
                prefetch_read(strategy + 8 * np.int64(updated[unsigned(i)]))


@threaded
def run_batches(nodes, tables, method, log, split, batches, counters, thread, threads):
    """Run mini-batches on one of several threads; return how many were completed.

    Stops early if a buffer is too small or `STOP_REQUESTED` is set. The mini-batch that was being
    walked is then given up: it changes no table.
    """
    barrier = 0
    # Mini-batches per iteration, as a shift, since divisions are slow.
    shift = 1 if batches.alternating else 0
    counts = log.counts[thread]
    # The opponent's strategies change only in the updates of the next mini-batch. So the opponent's
    # averages can be updated while other threads go on, unless walks read them.
    averages_late = batches.alternating and method.follow != FOLLOW_EACH
    is_path = (
        method.follow == FOLLOW_ONE and visits_once(method, batches) and len(tables.baseline) == 0
    )
    if not is_path:
        _deal(nodes, split, batches, batches.begin, thread)
        barrier += 1
        wait_for_all(counters, threads, barrier)
    for done in range(batches.num_batches):
        batch = batches.begin + done
        t = (batch >> shift) - (batches.begin >> shift)
        weight = batches.weight[t]
        parity = batch & 1
        if is_path:
            if load_atomic(counters, STOP_REQUESTED) != 0:
                return done
            counter = stream(batches.key, batch, parity)
            end, value, seen = sample_path(nodes, tables, method, log.path, parity, counter, weight)
            log_kept = batches.log_kept[0, t], batches.log_kept[1, t]
            update_from_path(tables, method, log.path, end, value, weight, batches.floor, log_kept)
            counts[NODES] += seen
            counts[UPDATES] += end
            continue
        touched = _walk_chunks(nodes, tables, method, log, split, batches, counters, parity, thread)
        # Threads that arrive early use the time to deal the next mini-batch, the first the most.
        barrier += 1
        dealer = arrive(counters, threads, barrier)
        _deal(nodes, split, batches, batch + 1, dealer)
        wait_until_all_arrived(counters, threads, barrier)
        if load_atomic(counters, STOPPED) != 0:
            return done
        if not averages_late:
            update_averages(tables, method, log, weight, parity, thread)
        num_updated = update_regrets(tables, method, log, batches, t, thread)
        if len(tables.baseline) > 0:
            update_baselines(tables, method, log, batches, parity, thread)
        counts[LAST_UPDATES] = num_updated
        counts[UPDATES] += num_updated
        counts[NODES] += touched
        barrier += 1
        arrive(counters, threads, barrier)
        if averages_late:
            update_averages(tables, method, log, weight, parity, thread)
        wait_until_all_arrived(counters, threads, barrier)
        if threads > 1:
            _prefetch(tables, log, split, 1 - parity, thread)
    return batches.num_batches


@kernel
def match_all_regrets(tables, begin, degree):
    """Write the strategies that match the regrets."""
    for i in range(len(begin)):
        match_regrets(tables, begin[i], degree[i], -np.inf)
