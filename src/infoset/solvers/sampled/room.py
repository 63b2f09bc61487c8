"""Room for what threads deal out and write down while they walk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from infoset.errors import TooLargeError
from infoset.machine.aligned import zeros
from infoset.machine.memory import available_bytes, format_bytes
from infoset.solvers.sampled.kernels.outcome import LINE
from infoset.solvers.sampled.kernels.sampling_data import (
    ENTRY,
    EVERY,
    MET,
    SOME,
    Method,
    Notes,
    Shares,
)

__all__ = ["deal_out_hands", "make_notes", "make_shares"]

Shape = tuple[int, ...]

PIECES = 5
"""Pieces of a thread's share of a mini-batch, if it is cut."""


def _make(shape: Shape, kind: DTypeLike) -> NDArray[Any]:
    return zeros(math.prod(shape), kind).reshape(shape)


def _whole_lines(numbers: int) -> int:
    """As many small numbers, rounded up so that the next row shares no cache line with them."""
    return -(-numbers // 16) * 16


def deal_out_hands(odds: NDArray[np.float64], threads: int) -> NDArray[np.int32]:
    """Give every hand of a player to a thread: to the one that has the fewest walks by then.

    >>> deal_out_hands(np.array([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]), 2).tolist()
    [0, 1, 1, 0, 1, 1]
    """
    owner = np.zeros(odds.size, np.int32)
    load = np.zeros(threads)
    for hand, share in enumerate(odds.reshape(-1).tolist()):
        owner[hand] = np.argmin(np.round(load, 9))
        load[owner[hand]] += share
    return owner


def make_shares(odds: NDArray[np.float64], threads: int, blocks: int) -> Shares:
    """Room to share out the blocks of a batch; ``odds`` are those of hands, by player."""
    # The first dealer deals the most, since who comes last has no time.
    left = np.arange(threads, -1, -1)
    deals = blocks - blocks * left * left // threads**2
    return Shares(
        owner=deal_out_hands(odds, threads),
        hands=_make((2, blocks, 2), np.int32),
        counter=_make((2, blocks), np.uint64),
        lists=_make((2, threads, threads, _whole_lines(int(np.diff(deals).max()))), np.int32),
        listed=_make((2, threads, _whole_lines(threads)), np.int64),
        deals=deals,
        cuts=_cut(blocks, threads, has_hands=odds.shape[1] > 1),
        taken=_make((2, threads, 8), np.int64),
    )


def _cut(blocks: int, threads: int, *, has_hands: bool) -> NDArray[np.int64]:
    """Equal shares. Where it is all the same who walks what, others may take small last pieces.

    >>> _cut(100, 2, has_hands=True).tolist()
    [[0, 50], [50, 100]]
    >>> _cut(100, 2, has_hands=False).tolist()
    [[0, 42, 44, 46, 48, 50], [50, 92, 94, 96, 98, 100]]
    """
    ends = blocks * np.arange(threads + 1) // threads
    begin, end = ends[:-1, None], ends[1:, None]
    if has_hands or threads == 1:
        return np.hstack([begin, end])
    small = (end - begin) // (4 * PIECES)
    return np.hstack([begin, end - small * np.arange(PIECES - 1, -1, -1)])


def make_notes(
    method: Method,
    counts: NDArray[np.int64],
    *,
    entries: int,
    noted: int,
    blocks: int,
    infosets: int,
    longest_line: int,
    most_actions: int,
    has_base: bool,
    pieces: int,
    what: str,
) -> Notes:
    """Room for walks of that many entries, and for so many notes of a kind and thread."""
    threads = len(counts)
    bases = 2 * noted if has_base else 0
    # Where all of the traverser's actions are followed, all visits count alike.
    is_wide = method.wide or method.follow not in (EVERY, SOME)
    is_plain = not is_wide and (method.follow == EVERY or method.k >= most_actions)
    shares = 0 if is_plain else noted
    # One thread has one run for all blocks of a player.
    runs = 3 + (blocks // 4 + -(-blocks // threads) if threads > 1 else 0)
    rooms: dict[str, tuple[Shape, DTypeLike]] = {
        "line": ((longest_line,), LINE),
        "entries": ((threads, entries), ENTRY),
        "met": ((threads, entries if has_base else 0), MET),
        "visits": ((threads, noted), np.int32),
        "gains": ((threads, 4 * noted), np.float64),
        "bases": ((threads, bases), np.int32),
        "values": ((threads, bases), np.float64),
        "parts": ((threads, pieces, threads, 8), np.int64),
        "means": ((2, threads, threads, noted), np.int32),
        "shares": ((2, threads, threads, shares), np.float64),
        "met_bases": ((threads, threads, bases), np.int32),
        "met_values": ((threads, threads, bases), np.float64),
        "runs": ((2, threads, threads, _whole_lines(runs), 4), np.int32),
        "num_runs": ((2, threads, _whole_lines(threads)), np.int64),
        "written": ((threads, 1 + threads, 16), np.int64),
        "updated": ((threads, _whole_lines(infosets + 1)), np.int32),
        "at_block": ((threads, blocks), np.int64),
        "order": ((threads, blocks + 1), np.int64),
    }
    needed = sum(math.prod(shape) * np.dtype(kind).itemsize for shape, kind in rooms.values())
    free = available_bytes()
    if free is not None and needed > free:
        raise TooLargeError(
            f"{what} would take more than {format_bytes(needed)}, and {format_bytes(free)} are "
            "free: choose a smaller mini-batch (b)"
        )
    return Notes(**{name: _make(*room) for name, room in rooms.items()}, counts=counts)
