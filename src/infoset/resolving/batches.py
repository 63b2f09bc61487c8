"""Runs of many iterations, some at a time."""

from __future__ import annotations

from typing import Protocol

BATCH = 10_000
"""Iterations at a time."""


class Runs(Protocol):
    """A solver that can do some iterations."""

    def run(self, iterations: int) -> None:
        """Do some iterations."""


def run_in_batches(solver: Runs, iterations: int) -> None:
    """Do iterations as if at once.

    A solver works out the schedules of all iterations that it is asked for, some dozens of bytes
    each: those of a billion would fill the memory.
    """
    for begin in range(0, iterations, BATCH):
        solver.run(min(BATCH, iterations - begin))
