"""Split the walks of a mini-batch among threads, and allocate their logs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike, NDArray

from infoset.errors import TooLargeError
from infoset.forms import SequenceForm
from infoset.machine.aligned import zeros
from infoset.machine.memory import available_bytes, format_bytes
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.kernels.structures import (
    BASELINE_MOVE,
    ENTRY,
    FOLLOW_ALL,
    FOLLOW_K,
    LENGTHS,
    OPPONENT_SAMPLE,
    PATH_STEP,
    READER_LENGTHS,
    SEGMENT,
    SPAN,
    Method,
    WalkLog,
    WorkSplit,
)
from infoset.solvers.sampled.nodes import whole_cache_lines

Shape = tuple[int, ...]

CHUNKS = 5
"""Chunks of a thread's walks, where other threads may take some over."""


def assign_hands(probability: NDArray[np.float64], threads: int) -> NDArray[np.int32]:
    """Give every hand of a player to the thread that has the fewest walks so far.

    ``probability`` is that of a hand, by player; its number of walks is proportional to it.

    >>> assign_hands(np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]), 2).tolist()
    [0, 1, 1, 0, 1, 1]
    """
    owner = np.zeros(probability.size, np.int32)
    load = np.zeros(threads)
    for hand, walks in enumerate(probability.reshape(-1).tolist()):
        owner[hand] = np.argmin(np.round(load, 9))
        load[owner[hand]] += walks
    return owner


def make_split(probability: NDArray[np.float64], threads: int, walks: int) -> WorkSplit:
    """Split the walks of a mini-batch among threads; ``probability`` as in `assign_hands`."""
    # The first thread at the barrier deals the most, since the last one has no time to.
    left = np.arange(threads, -1, -1)
    deal_ends = walks - walks * left * left // threads**2
    capacity = whole_cache_lines(int(np.diff(deal_ends).max()))
    return WorkSplit(
        hand_owner=assign_hands(probability, threads),
        hands=zeros((2, walks, 2), np.int32),
        counter=zeros((2, walks), np.uint64),
        walks=zeros((2, threads, threads, capacity), np.int32),
        num_walks=zeros((2, threads, whole_cache_lines(threads)), np.int64),
        deal_ends=deal_ends,
        chunk_ends=_chunk_ends(walks, threads, has_hands=probability.shape[1] > 1),
        chunks_taken=zeros((2, threads, 8), np.int64),
    )


def _chunk_ends(walks: int, threads: int, *, has_hands: bool) -> NDArray[np.int64]:
    """Split walks evenly. Without hands, threads may take over small chunks of each other.

    With hands they may not: a thread's own walks are faster than others'.

    >>> _chunk_ends(100, 2, has_hands=True).tolist()
    [[0, 50], [50, 100]]
    >>> _chunk_ends(100, 2, has_hands=False).tolist()
    [[0, 42, 44, 46, 48, 50], [50, 92, 94, 96, 98, 100]]
    """
    ends = walks * np.arange(threads + 1) // threads
    begin, end = ends[:-1, None], ends[1:, None]
    if has_hands or threads == 1:
        return np.hstack([begin, end])
    small = (end - begin) // (4 * CHUNKS)
    return np.hstack([begin, end - small * np.arange(CHUNKS - 1, -1, -1)])


def make_log(
    form: SequenceForm,
    recipe: Recipe,
    method: Method,
    split: WorkSplit,
    counts: NDArray[np.int64],
    *,
    entries: int,
    visits: int,
) -> WalkLog:
    """Allocate the log of a mini-batch for walks of up to ``entries`` entries.

    ``visits`` is the number of visited infosets that each log of a thread holds.
    """
    threads, walks = len(counts), split.counter.shape[1]
    depths = np.concatenate([treeplex.infoset_depth for treeplex in form.treeplexes])
    num_actions = np.concatenate([treeplex.infoset_num_actions for treeplex in form.treeplexes])
    has_baselines = recipe.baseline is not None
    baselines = 2 * visits if has_baselines else 0
    # Where all of the traverser's actions are followed, all visits of the opponent weigh the same.
    follows_all = method.follow == FOLLOW_ALL or (
        method.follow == FOLLOW_K and method.k >= num_actions.max(initial=0)
    )
    is_plain = method.samples_opponent and follows_all
    # One thread has one segment for all walks of a player.
    segments = 3 + (walks // 4 + -(-walks // threads) if threads > 1 else 0)
    arrays: dict[str, tuple[Shape, DTypeLike]] = {
        "path": ((1 + int(depths.max(initial=0)),), PATH_STEP),
        "entries": ((threads, entries), ENTRY),
        "opponent_samples": ((threads, entries if has_baselines else 0), OPPONENT_SAMPLE),
        "visits": ((threads, visits), np.int32),
        "increments": ((threads, 4 * visits), np.float64),
        "baseline_moves": ((threads, baselines), BASELINE_MOVE),
        "spans": ((threads, split.chunk_ends.shape[1] - 1, threads), SPAN),
        "average_infosets": ((2, threads, threads, visits), np.int32),
        "average_weights": ((2, threads, threads, 0 if is_plain else visits), np.float64),
        "opponent_baseline_moves": ((threads, threads, baselines), BASELINE_MOVE),
        "segments": ((2, threads, threads, whole_cache_lines(segments)), SEGMENT),
        "lengths": ((threads,), LENGTHS),
        "reader_lengths": ((2, threads, threads), READER_LENGTHS),
        "updated": ((threads, whole_cache_lines(form.num_infosets + 1)), np.int32),
        "walk_segment": ((threads, walks), np.int64),
        "segment_order": ((threads, walks + 1), np.int64),
    }
    needed = sum(math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in arrays.values())
    free = available_bytes()
    if free is not None and needed > free:
        raise TooLargeError(
            f"the log of {recipe.batch:,} walks in {form.name} would take more than "
            f"{format_bytes(needed)}, and {format_bytes(free)} are free: choose a smaller "
            "mini-batch (b)"
        )
    return WalkLog(**{name: zeros(*array) for name, array in arrays.items()}, counts=counts)
