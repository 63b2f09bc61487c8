"""``python -m benchmarks``: measure, print, and keep the results."""

from __future__ import annotations

import argparse

from rich.console import Console

from benchmarks import exact, exploitability, scaling, speed, spots, startup
from benchmarks.report import RESULTS, SUMMARY, append_records, circumstances, write_summary

SECTIONS = {
    "speed": speed.measure,
    "exploitability": exploitability.measure,
    "lp": exact.measure,
    "scaling": scaling.measure,
    "startup": startup.measure,
    "spots": spots.measure,
}


def main() -> None:
    """Read the options and run the sections."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small games, few repetitions")
    parser.add_argument(
        "--only", action="append", choices=SECTIONS, help="one section; may be repeated"
    )
    options = parser.parse_args()
    chosen = options.only or list(SECTIONS)
    is_whole = not options.quick and options.only is None

    console = Console(width=None if Console().is_terminal else 140)
    around = {**circumstances(), "quick": options.quick}
    tables = []
    for name in chosen:
        with console.status(f"measuring {name}"):
            section = SECTIONS[name](quick=options.quick)
        append_records(around, name, section.records)
        for table in section.tables:
            table.show(console)
        tables += section.tables
    console.print(f"Figures were added to {RESULTS}.")
    if is_whole:
        write_summary(around, tables)
        console.print(f"Tables were written to {SUMMARY}.")
    else:
        console.print(f"{SUMMARY.name} is left as it was: only a whole run writes it.")


if __name__ == "__main__":
    main()
