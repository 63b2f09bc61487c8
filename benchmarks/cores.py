"""How long cache lines take from one core to another: on a rented machine, that changes."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from infoset.machine.barriers import wait_for_all
from infoset.machine.compiled import threaded

LINES = 64
ROUNDS = 20_000


@threaded
def _exchange(lines, counter, thread, rounds):
    """One thread writes to all lines and the other reads them, in turns."""
    total = 0.0
    for i in range(rounds):
        if thread == 0:
            for j in range(LINES):
                lines[8 * j] = i
        wait_for_all(counter, 2, 2 * i + 1)
        if thread == 1:
            for j in range(LINES):
                total += lines[8 * j]
        wait_for_all(counter, 2, 2 * i + 2)
    return total


def exchange_seconds() -> float:
    """Seconds for one core to change 64 cache lines and another to read them, with two barriers."""
    lines, counter = np.zeros(8 * LINES), np.zeros(8, np.int64)
    with ThreadPoolExecutor(2) as pool:
        for rounds in (10, ROUNDS):
            counter[:] = 0
            begin = time.perf_counter()
            jobs = [
                pool.submit(_exchange, lines, counter.ctypes.data, thread, rounds)
                for thread in (0, 1)
            ]
            for job in jobs:
                job.result()
            taken = (time.perf_counter() - begin) / rounds
    return taken
