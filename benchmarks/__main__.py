"""``python -m benchmarks``: measure, print, and keep the results."""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks import (
    exact,
    exploitability,
    matches,
    neural,
    pruning,
    sampling,
    scaling,
    speed,
    spots,
    startup,
    warm_start,
)
from benchmarks.report import (
    MATCHES,
    NEURAL,
    PRUNING,
    RESULTS,
    SAMPLING,
    SPOTS,
    SUMMARY,
    WARM_START,
    Table,
    append_records,
    circumstances,
    write_summary,
)

SECTIONS = {
    "speed": speed.measure,
    "exploitability": exploitability.measure,
    "lp": exact.measure,
    "scaling": scaling.measure,
    "startup": startup.measure,
    "spots": spots.measure,
    "sampling": sampling.measure,
    "pruning": pruning.measure,
    "neural": neural.measure,
    "warm-start": warm_start.measure,
    "matches": matches.measure,
}

OWN_PAGES = {
    SPOTS: ["spots"],
    SAMPLING: ["sampling"],
    PRUNING: ["pruning"],
    NEURAL: ["neural"],
    WARM_START: ["warm-start"],
    MATCHES: ["matches"],
}
PAGES = {
    SUMMARY: [name for name in SECTIONS if [name] not in OWN_PAGES.values()],
    **OWN_PAGES,
}
"""Which sections a page of results has; it is written when all of them have been run."""


def main() -> None:
    """Read the options and run the sections."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small games, few repetitions")
    parser.add_argument(
        "--only", action="append", choices=SECTIONS, help="one section; may be repeated"
    )
    options = parser.parse_args()
    chosen = options.only or list(SECTIONS)

    console = Console(width=None if Console().is_terminal else 140)
    around = {**circumstances(), "quick": options.quick}
    tables: dict[str, list[Table]] = {}
    for name in chosen:
        with console.status(f"measuring {name}"):
            section = SECTIONS[name](quick=options.quick)
        append_records(around, name, section.records)
        for table in section.tables:
            table.show(console)
        tables[name] = section.tables
    console.print(f"Figures were added to {RESULTS}.")
    for path, names in PAGES.items():
        if not options.quick and all(name in tables for name in names):
            write_summary(path, around, [table for name in names for table in tables[name]])
            console.print(f"Tables were written to {path}.")
        else:
            console.print(f"{path.name} is left as it was: only a whole run writes it.")


if __name__ == "__main__":
    main()
