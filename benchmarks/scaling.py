"""Cost against size: no-limit Leduc with deeper and deeper stacks, each in its own process."""

from __future__ import annotations

from benchmarks.contestants import INFOSET
from benchmarks.report import Section, Table, mebibytes, rate, seconds
from benchmarks.timing import FULL, QUICK, in_child

STACKS = (5, 8, 10, 12, 15)


def measure(*, quick: bool) -> Section:
    """Compile and run each size."""
    table = Table(
        "Cost grows with the payoff: CFR+ on no-limit Leduc",
        (
            "stack",
            "infosets",
            "payoff entries",
            "walk",
            "lay out",
            "iterations/s",
            "ns per entry",
            "layout",
            "solver",
            "peak memory",
        ),
        notes=[
            "Nanoseconds of an iteration for each payoff entry: level means linear. Layout and "
            "solver are the bytes of their arrays; peak memory is the process's, compiling and "
            "libraries included."
        ],
    )
    section = Section([table])
    effort = QUICK if quick else FULL
    for stack in STACKS[:2] if quick else STACKS:
        game = f"nolimit_leduc(stack={stack})"
        found = in_child("scaling", game, str(effort.seconds), str(effort.repetitions))
        section.record(game, "cfr+", INFOSET, **found)
        if "error" in found:
            table.notes.append(f"{game}: {found['error']}")
            continue
        table.rows.append(
            (
                str(stack),
                f"{found['infosets']:,}",
                f"{found['payoff_entries']:,}",
                seconds(found["walk_seconds"]),
                seconds(found["layout_seconds"]),
                rate(found["iterations_per_second"]),
                f"{found['nanoseconds_per_entry']:.2f}",
                mebibytes(found["layout_bytes"]),
                mebibytes(found["solver_bytes"]),
                mebibytes(found["peak_bytes"]),
            )
        )
    return section
