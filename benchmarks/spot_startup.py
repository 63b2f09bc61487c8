"""What the command that solves a spot takes before it begins, kernels on disk or not."""

from __future__ import annotations

import tempfile
import time

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table, seconds, verdict
from benchmarks.timing import in_child

COMMAND = "solve River(5k,seed=1) --iterations 1 --threads 1 --quiet --json"
CACHED_BAR, COMPILED_BAR = 2.0, 30.0
"""Seconds to the first iteration of a river, and to have all kernels compiled."""

REPETITIONS = 3


def measure(section: Section, *, quick: bool) -> None:
    """Start with kernels on disk and, in a whole run, with an empty cache."""
    times = 1 if quick else REPETITIONS
    table = Table(
        "Hold'em: the start of a process, kernels on disk or compiled anew",
        ("what", "kernels", "time", "CPU time", "bar", "met"),
        num_words=2,
        notes=[
            f"The command is `infoset {COMMAND}`, from the moment it is started; with kernels on "
            f"disk the best of {times}. All kernels: flop, turn and river, 32 and 16 bits, "
            "solving and measuring, imports not counted."
        ],
    )
    in_child("spot_kernels")  # so that they are on disk
    _add(table, section, "on disk", [_start() for _ in range(times)], in_child("spot_kernels"))
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            first = _start(NUMBA_CACHE_DIR=folder)
        with tempfile.TemporaryDirectory() as folder:
            kernels = in_child("spot_kernels", NUMBA_CACHE_DIR=folder)
        _add(table, section, "compiled anew", [first], kernels)
    section.tables.append(table)


def _start(**environment: str) -> dict[str, float]:
    """Seconds from the start of a process to the first iteration, and to its end."""
    begin = time.monotonic()
    found = in_child("spot_command", *COMMAND.split(), **environment)
    end = time.monotonic()
    if "error" in found:
        return found
    return {
        "first_iteration_seconds": found["first_iteration"] - begin,
        "first_iteration_cpu_seconds": found["cpu_seconds"],
        "seconds": end - begin,
    }


def _add(
    table: Table,
    section: Section,
    kind: str,
    starts: list[dict[str, float]],
    kernels: dict[str, float],
) -> None:
    section.record(
        "River(5k, seed=1)", f"start, kernels {kind}", INFOSET, part="start", starts=starts
    )
    section.record("-", f"spot kernels {kind}", INFOSET, part="start", **kernels)
    for found in (*starts, kernels):
        if "error" in found:
            table.notes.append(f"{kind}: {found['error']}")
            return
    is_cached = kind == "on disk"

    def add(what: str, taken: float, cpu: float | None, bar: float | None) -> None:
        bars = (NOTHING, NOTHING) if bar is None else (seconds(bar), verdict(bar / taken))
        table.rows.append((what, kind, seconds(taken), seconds(cpu), *bars))

    def least(figure: str) -> float:
        return min(start[figure] for start in starts)

    first, cpu = least("first_iteration_seconds"), least("first_iteration_cpu_seconds")
    add("river, to the first iteration", first, cpu, CACHED_BAR if is_cached else COMPILED_BAR)
    add("river, to the end", least("seconds"), None, None)
    bar = None if is_cached else COMPILED_BAR
    add("all kernels", kernels["kernel_seconds"], kernels["cpu_seconds"], bar)
