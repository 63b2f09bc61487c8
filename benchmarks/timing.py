"""How time and memory are taken: the best of several repetitions, and peaks a process apart."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

Run = Callable[[int], object]


@dataclass(frozen=True)
class Effort:
    """How long a repetition lasts, and how many there are."""

    seconds: float
    repetitions: int


FULL = Effort(seconds=0.4, repetitions=5)
QUICK = Effort(seconds=0.1, repetitions=2)
MANY = Effort(seconds=0.1, repetitions=8)
"""Short ones, in rounds: for what depends on where the machine's cores happen to be."""


def seconds_of(run: Run, count: int) -> float:
    """How long ``run(count)`` takes."""
    begin = time.perf_counter()
    run(count)
    return time.perf_counter() - begin


def count_lasting(run: Run, seconds: float) -> int:
    """A count such that ``run(count)`` takes about as long, or a little longer."""
    count = 1
    while (taken := seconds_of(run, count)) < seconds:
        growth = 1.1 * seconds / max(taken, 1e-9)
        # A first call may be slow for reasons of its own, so small steps up, never down.
        count = math.ceil(count * min(max(growth, 1.5), 50.0))
    return count


class Taken(NamedTuple):
    """Seconds of one count: by the clock, and those that the processor worked for us."""

    wall: float
    cpu: float


def best_times(runs: Sequence[Run], effort: Effort) -> list[Taken]:
    """The least that one count of each run took, the runs taking turns."""
    counts = [count_lasting(run, effort.seconds) for run in runs]
    best = [Taken(math.inf, math.inf)] * len(runs)
    for _ in range(effort.repetitions):
        for i, (run, count) in enumerate(zip(runs, counts, strict=True)):
            worked = time.process_time()
            wall = seconds_of(run, count) / count
            cpu = (time.process_time() - worked) / count
            best[i] = Taken(min(best[i].wall, wall), min(best[i].cpu, cpu))
    return best


def best_rates(runs: Sequence[Run], effort: Effort) -> list[float]:
    """Most counts per second that each run reached, the runs taking turns."""
    return [1.0 / taken.wall for taken in best_times(runs, effort)]


def repeated(call: Callable[[], object]) -> Run:
    """A run that makes a call so many times."""

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def peak_bytes() -> int:
    """Most memory this process has had so far.

    Not ``ru_maxrss``: a child inherits that from the process that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def in_child(task: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """What `benchmarks.child` measures in a process of its own; ``{"error": ...}`` if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", task, *arguments],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        env={**os.environ, **environment},
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"error": last}
    return json.loads(done.stdout.strip().splitlines()[-1])
