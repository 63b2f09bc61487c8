"""The number of available cores."""

from __future__ import annotations

import os

from infoset.errors import BadInputError

MOST_THREADS = 1024


def num_threads(threads: int | None = None) -> int:
    """How many threads to use: those that are given, or one for each core that may be used."""
    if threads is None:
        is_told = hasattr(os, "sched_getaffinity")
        return len(os.sched_getaffinity(0)) if is_told else os.cpu_count() or 1
    is_whole = isinstance(threads, int) and not isinstance(threads, bool)
    if not is_whole or not 1 <= threads <= MOST_THREADS:
        raise BadInputError(
            f"threads must be a whole number from 1 to {MOST_THREADS:,}, not {repr(threads)[:40]}"
        )
    return threads
