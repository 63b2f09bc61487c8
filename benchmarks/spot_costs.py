"""What an iteration on a spot costs: threads, bits, and the memory that must be streamed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table
from benchmarks.spot_accuracy import algorithms, recipe_of
from benchmarks.spot_games import REFERENCES, Reference
from benchmarks.timing import FULL, QUICK, Taken, best_times, repeated

BITS = (32, 16)
THREADS_BAR = 1.6
"""How many times faster two threads are to be than one, on turns and flops."""

MOST_STREAMED = 2**28
"""Bytes of the large array that is copied: no cache holds it."""


def measure(section: Section, *, quick: bool) -> None:
    """Time the reference spots with one and two threads, 32 and 16 bits."""
    speeds = Table(
        "Hold'em: milliseconds an iteration, the default algorithm",
        (
            "spot",
            "bits",
            "1 thread",
            "2 threads",
            "times faster",
            "bar",
            "met",
        ),
        notes=[
            "Wall time, the best of several repetitions in which all four of a spot take turns. "
            "One board has nothing to share out, so rivers are solved by one thread."
        ],
    )
    streams = Table(
        "Hold'em: an iteration beside reading and writing its own tables once",
        ("spot", "bits", "tables", "touch once", "iteration", "times", "GB/s", "copy GB/s"),
        notes=[
            "Touch once: an array of as many bytes is multiplied by one in place. GB/s: twice the "
            "tables over the time of an iteration on one thread; beside it the same for copying "
            f"{MOST_STREAMED // 2**20} MiB, from memory to memory. No iteration can do with less: "
            "it updates all of its tables, and reads the opponent's once more."
        ],
    )
    copy_rate = _copy_rate(quick=quick)
    for reference in REFERENCES:
        if reference.is_quick or not quick:
            _measure_spot(section, (speeds, streams), reference, copy_rate, quick=quick)
    section.tables += [speeds, streams]


def _measure_spot(
    section: Section,
    tables: tuple[Table, Table],
    reference: Reference,
    copy_rate: float,
    *,
    quick: bool,
) -> None:
    from infoset.forms import form_of_spot
    from infoset.games.holdem import RIVER
    from infoset.machine.memory import format_bytes
    from infoset.solvers import VectorSolver

    speeds, streams = tables
    form, algorithm = form_of_spot(reference.spot), algorithms(quick=quick)[0]
    recipe = recipe_of(algorithm)
    counts = (1,) if reference.spot.street == RIVER else (1, 2)
    kinds = [(bits, threads) for bits in BITS for threads in counts]
    solvers = [VectorSolver(form, recipe, threads=n, bits=bits) for bits, n in kinds]
    effort = QUICK if quick else FULL
    times = dict(zip(kinds, best_times([s.run for s in solvers], effort), strict=True))
    sizes = {solver.bits: solver.kept_bytes for solver in solvers}
    del solvers
    for (bits, threads), time in times.items():
        section.record(
            reference.name,
            algorithm,
            INFOSET,
            part="threads and bits",
            bits=bits,
            threads=threads,
            wall_milliseconds=1e3 * time.wall,
            cpu_milliseconds=1e3 * time.cpu,
        )
    for bits in BITS:
        one, two = times[bits, 1], times.get((bits, 2))
        speeds.rows.append((reference.name, str(bits), f"{1e3 * one.wall:.3g}", *_of_two(one, two)))
        once = _touch_once(sizes[bits], quick=quick)
        speed = 2e-9 * sizes[bits] / one.wall
        section.record(
            reference.name,
            algorithm,
            INFOSET,
            part="streaming",
            bits=bits,
            table_bytes=sizes[bits],
            touch_once_milliseconds=1e3 * once,
            gigabytes_per_second=speed,
            copy_gigabytes_per_second=copy_rate,
        )
        streams.rows.append(
            (
                reference.name,
                str(bits),
                format_bytes(sizes[bits]),
                f"{1e3 * once:.3g} ms",
                f"{1e3 * one.wall:.3g} ms",
                f"{one.wall / once:.1f}",
                f"{speed:.1f}",
                f"{copy_rate:.1f}",
            )
        )


def _of_two(one: Taken, two: Taken | None) -> tuple[str, ...]:
    """Cells about the second thread."""
    if two is None:
        return (NOTHING,) * 4
    ratio = one.wall / two.wall
    met = "yes" if ratio >= THREADS_BAR else "no"
    return f"{1e3 * two.wall:.3g}", f"{ratio:.2f}", f"{THREADS_BAR}", met


def _touch_once(num_bytes: int, *, quick: bool) -> float:
    """Seconds to read and write so many bytes once, in place, with one thread."""
    numbers = np.ones(num_bytes // 4, np.float32)
    return _seconds(lambda: np.multiply(numbers, np.float32(1.0), out=numbers), quick=quick)


def _copy_rate(*, quick: bool) -> float:
    """Gigabytes a second, read and written together, of a copy that no cache helps."""
    source = np.ones(MOST_STREAMED // 8)
    target = np.zeros_like(source)
    return 2e-9 * source.nbytes / _seconds(lambda: np.copyto(target, source), quick=quick)


def _seconds(call: Callable[[], object], *, quick: bool) -> float:
    [taken] = best_times([repeated(call)], QUICK if quick else FULL)
    return taken.wall
