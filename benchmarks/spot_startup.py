"""What the command that solves a spot takes before it begins, kernels on disk or not."""

from __future__ import annotations

import tempfile
import time

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table, seconds, verdict
from benchmarks.timing import in_child

COMMAND = "spot solve River(5k,seed=1) --iterations 1 --threads 1 --quiet --json"
CACHED_BAR, COMPILED_BAR = 2.0, 30.0
"""Seconds to the first iteration of a river, and to have all kernels compiled."""

REPETITIONS = 3


def measure(section: Section, *, quick: bool) -> None:
    """Start with kernels on disk and, in a whole run, with an empty cache."""
    table = Table(
        "Hold'em: the start of a process, kernels on disk or compiled anew",
        ("what", "kernels", "seconds", "bar", "met"),
        num_words=2,
        notes=[
            f"The command is `infoset {COMMAND}`, from the moment it is started; with kernels on "
            f"disk the best of {REPETITIONS}. All kernels: flop, turn and river, 32 and 16 bits, "
            "solving and measuring, imports not counted."
        ],
    )
    in_child("spot_kernels")  # so that they are on disk
    times = 1 if quick else REPETITIONS
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
    return {"first_iteration_seconds": found["first_iteration"] - begin, "seconds": end - begin}


def _add(
    table: Table,
    section: Section,
    kind: str,
    starts: list[dict[str, float]],
    kernels: dict[str, float],
) -> None:
    section.record("River(5k, seed=1)", f"start, kernels {kind}", INFOSET, starts=starts)
    section.record("-", f"spot kernels {kind}", INFOSET, **kernels)
    for found in (*starts, kernels):
        if "error" in found:
            table.notes.append(f"{kind}: {found['error']}")
            return
    is_cached = kind == "on disk"
    first = min(start["first_iteration_seconds"] for start in starts)
    bar = CACHED_BAR if is_cached else COMPILED_BAR
    table.rows += [
        ("river, to the first iteration", kind, seconds(first), seconds(bar), verdict(bar / first)),
        ("river, to the end", kind, seconds(min(s["seconds"] for s in starts)), NOTHING, NOTHING),
    ]
    ready = kernels["kernel_seconds"]
    bars = (
        (NOTHING, NOTHING) if is_cached else (seconds(COMPILED_BAR), verdict(COMPILED_BAR / ready))
    )
    table.rows.append(("all kernels", kind, seconds(ready), *bars))
