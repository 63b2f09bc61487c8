"""Iterations of a sampled regret minimiser: deal the blocks of a mini-batch, walk them, learn.

While a mini-batch is walked, nothing changes: neither strategies nor baselines. So its blocks may
be walked by several threads. Each writes down what it found; then each adds, from the notes of all
and in the order of the blocks, what belongs to its own infosets. So the sums are the same, whoever
walked what.

Infosets belong to threads by the hand, and a block is walked by the thread that has the
traverser's hand, if the shares are then equal. So most of what a thread finds is its own, and need
not go from core to core.
"""

from typing import NamedTuple

import numpy as np

from infoset.machine.barriers import (
    add_atomic,
    come,
    load_atomic,
    wait_for_all,
    wait_for_all_to_come,
)
from infoset.machine.compiled import kernel, part, threaded
from infoset.machine.prefetch import prefetch_read
from infoset.solvers.sampled.kernels.learning import (
    is_once,
    learn_averages,
    learn_bases,
    learn_line,
    learn_regrets,
    match,
)
from infoset.solvers.sampled.kernels.notes import (
    begin_batch,
    begin_part,
    end_batch,
    end_part,
    end_run,
    write_bases,
    write_visits,
)
from infoset.solvers.sampled.kernels.outcome import play_line
from infoset.solvers.sampled.kernels.random import stream
from infoset.solvers.sampled.kernels.sampling_data import EACH, ONE, RUNS, u
from infoset.solvers.sampled.kernels.walks import deal_hands, value_up, walk, walk_wide

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
def _first_block(batches, turn):
    """The number of the first block of a batch; player 0's are followed by player 1's."""
    return batches.blocks * turn if batches.alternating else 0


@part
def _deal(nodes, shares, batches, number, dealer):
    """Deal the hands of some blocks, and list them for the threads that have the traverser's.

    The first dealer deals the most: he came early and would have to wait.
    """
    turn = number & 1
    first = _first_block(batches, turn)
    hands, counters = shares.hands[turn], shares.counter[turn]
    listed, lists = shares.listed[turn, dealer], shares.lists[turn, dealer]
    shares.taken[turn, dealer, 0] = 1
    for owner in range(len(lists)):
        listed[u(owner)] = 0
    for block in range(shares.deals[dealer], shares.deals[dealer + 1]):
        counter = stream(batches.key, number, first + block)
        hand0, hand1, counter = deal_hands(nodes, counter)
        hands[u(block), 0] = hand0
        hands[u(block), 1] = hand1
        counters[u(block)] = counter
        is_first = first + block < batches.blocks
        owner = shares.owner[u(hand0 if is_first else nodes.num_hands + hand1)]
        lists[u(owner), u(listed[u(owner)])] = block
        listed[u(owner)] += 1


@part
def _walk_block(nodes, tables, method, notes, shares, batches, turn, thread, block):
    """Walk one block and note what it found; how many nodes it touched.

    Without room for it, minus the number of the counter that is to say so.
    """
    player = 0 if _first_block(batches, turn) + block < batches.blocks else 1
    hand0, hand1 = shares.hands[turn, u(block), 0], shares.hands[turn, u(block), 1]
    counter, met_end = shares.counter[turn, u(block)], 0
    reader = shares.owner[u(nodes.num_hands + hand1 if player == 0 else hand0)]
    run = 1 + notes.written[thread, 1 + reader, RUNS]
    if len(notes.counts) == 1:
        run = 2 if block >= batches.blocks else 1
    if method.wide:
        end, touched = walk_wide(
            nodes, tables, method, notes, thread, player, hand0, hand1, counter
        )
    else:
        end, met_end, touched = walk(
            nodes, tables, method, notes, turn, thread, reader, player, hand0, hand1, counter
        )
    if end < 0:
        return -LONG_WALK if end == -1 else -MANY_NOTES
    value_up(tables, notes.entries[thread], end, player)
    if not write_visits(tables, method, notes, turn, thread, reader, end, player):
        return -MANY_NOTES
    if len(tables.base) > 0 and not write_bases(notes, thread, reader, end, met_end, player):
        return -MANY_NOTES
    end_run(notes, turn, thread, reader, run, block)
    return touched


@part
def _walk_piece(
    nodes, tables, method, notes, shares, batches, counters, turn, thread, share, piece
):
    """Walk a piece of a share; how many nodes were touched, -1 if stopped."""
    threads = len(notes.counts)
    begin, end = shares.cuts[share, piece], shares.cuts[share, piece + 1]
    touched, place = 0, 0
    for owner in range(threads):
        part = notes.parts[share, piece, owner]
        begin_part(notes, thread, part)
        for dealer in range(threads):
            blocks = shares.lists[turn, dealer, owner]
            length = shares.listed[turn, dealer, owner]
            for i in range(max(begin - place, 0), min(end - place, length)):
                block = np.int64(blocks[u(i)])
                seen = _walk_block(
                    nodes, tables, method, notes, shares, batches, turn, thread, block
                )
                if seen < 0 or load_atomic(counters, ASKED) != 0:
                    add_atomic(counters, STOPPED if seen >= 0 else -seen, 1)
                    add_atomic(counters, STOPPED, 1)
                    return -1
                touched += seen
            place += length
        end_part(notes, thread, part)
    return touched


@part
def _walk_share(nodes, tables, method, notes, shares, batches, counters, turn, thread):
    """Walk this thread's share of the blocks, and then what is left of others'.

    All blocks stand in line, those of the first thread's hands first. The line is cut into equal
    shares, and these may be cut into pieces: walks are not equally long. Returns how many nodes
    were touched, -1 if stopped.
    """
    threads, pieces = len(notes.counts), shares.cuts.shape[1] - 1
    taken = shares.taken[turn].ctypes.data
    begin_batch(notes, turn, thread)
    touched, share, piece = 0, thread, 0
    while True:
        seen = _walk_piece(
            nodes, tables, method, notes, shares, batches, counters, turn, thread, share, piece
        )
        if seen < 0:
            return -1
        touched += seen
        if pieces == 1:
            break
        # Nobody takes the first piece from a thread.
        piece = add_atomic(taken, 8 * share, 1)
        while piece >= pieces:
            share = share + 1 if share + 1 < threads else 0
            if share == thread:
                break
            piece = add_atomic(taken, 8 * share, 1)
        if piece >= pieces:
            break
    end_batch(notes, turn, thread)
    return touched


@part
def _fetch(tables, notes, shares, turn, thread):
    """Ask for what other threads have changed and walks will need, many lines at a time.

    They would come to them one after the other, each from the other core.
    """
    strategy = tables.strategy.ctypes.data
    hands, counters = shares.hands[turn].ctypes.data, shares.counter[turn].ctypes.data
    for block in range(0, shares.counter.shape[1], 8):
        prefetch_read(hands + 8 * block)
        prefetch_read(counters + 8 * block)
    for other in range(len(notes.counts)):
        if other != thread:
            updated = notes.updated[other]
            for i in range(notes.counts[other, LAST_UPDATES]):
                prefetch_read(strategy + 8 * np.int64(updated[u(i)]))


@threaded
def sample(nodes, tables, method, notes, shares, batches, counters, thread, threads):
    """Do walks and learn from them; returns how many were done.

    Fewer than wanted if the room was too small, or if somebody put a one at `ASKED`: the walk at
    hand is then given up, and nothing was learnt from it.
    """
    meeting = 0
    # Two walks an iteration where updates alternate, else one: shifts, since divisions are slow.
    halves = 1 if batches.alternating else 0
    counts = notes.counts[thread]
    # Averages may be learnt while others go on, if neither walks nor other learning need them: the
    # opponent's strategies stay as they are until he is the traverser.
    later = batches.alternating and method.follow != EACH
    is_line = method.follow == ONE and is_once(method, batches) and len(tables.base) == 0
    if not is_line:
        _deal(nodes, shares, batches, batches.begin, thread)
        meeting += 1
        wait_for_all(counters, threads, meeting)
    for w in range(batches.num_walks):
        number = batches.begin + w
        t = (number >> halves) - (batches.begin >> halves)
        weight = batches.weight[t]
        if is_line:
            if load_atomic(counters, ASKED) != 0:
                return w
            player = number & 1
            counter = stream(batches.key, number, player)
            end, value, seen = play_line(nodes, tables, method, notes.line, player, counter, weight)
            kept = batches.kept[0, t], batches.kept[1, t]
            learn_line(tables, method, notes.line, end, value, weight, batches.floor, kept)
            counts[NODES] += seen
            counts[UPDATES] += end
            continue
        turn = number & 1
        touched = _walk_share(nodes, tables, method, notes, shares, batches, counters, turn, thread)
        # Who comes early to a meeting has something to do before he needs the others.
        meeting += 1
        dealer = come(counters, threads, meeting)
        _deal(nodes, shares, batches, number + 1, dealer)
        wait_for_all_to_come(counters, threads, meeting)
        if load_atomic(counters, STOPPED) != 0:
            return w
        if not later:
            learn_averages(tables, method, notes, weight, turn, thread)
        num_updated = learn_regrets(tables, method, notes, batches, t, thread)
        if len(tables.base) > 0:
            learn_bases(tables, method, notes, batches, turn, thread)
        counts[LAST_UPDATES] = num_updated
        counts[UPDATES] += num_updated
        counts[NODES] += touched
        meeting += 1
        come(counters, threads, meeting)
        if later:
            learn_averages(tables, method, notes, weight, turn, thread)
        wait_for_all_to_come(counters, threads, meeting)
        if threads > 1:
            _fetch(tables, notes, shares, 1 - turn, thread)
    return batches.num_walks


@kernel
def match_all(tables, begin, degree):
    """Write the strategies that follow from the regrets."""
    for i in range(len(begin)):
        match(tables, begin[i], degree[i], -np.inf)
