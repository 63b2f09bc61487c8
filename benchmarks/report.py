"""What comes out: tables for the eye and for the README, and JSON lines for the machine."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

HERE = Path(__file__).parent
RESULTS = HERE / "results.jsonl"
SUMMARY = HERE / "RESULTS.md"
SPOTS = HERE / "SPOTS.md"
SAMPLING = HERE / "SAMPLING.md"
PRUNING = HERE / "PRUNING-SECONDS.md"
NEURAL = HERE / "NEURAL.md"
DEEP_CFR = HERE / "NEURAL-DEEP-CFR.md"
WARM_START = HERE / "WARM-START.md"
MATCHES = HERE / "MATCHES.md"
"""Spots of hold'em, sampled solving, pruning, networks, warm starts and matches have own pages."""
NOTHING = "–"


@dataclass
class Table:
    """A table; the first columns are words, the others figures."""

    title: str
    columns: Sequence[str]
    num_words: int = 1
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def show(self, console: Console) -> None:
        """Print it."""
        console.print(self.title, style="bold", markup=False)
        table = RichTable(box=box.SIMPLE_HEAD)
        for i, column in enumerate(self.columns):
            justify = "left" if i < self.num_words else "right"
            table.add_column(column, justify=justify, no_wrap=i >= self.num_words)
        for row in self.rows:
            table.add_row(*row)
        console.print(table)
        for note in self.notes:
            console.print(f"  {note}", style="dim", markup=False)
        console.print()

    def markdown(self) -> str:
        """The same in Markdown."""
        rule = ["---" if i < self.num_words else "---:" for i in range(len(self.columns))]
        lines = [f"### {self.title}", ""]
        lines += ["| " + " | ".join(row) + " |" for row in (self.columns, rule, *self.rows)]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines) + "\n"


@dataclass
class Section:
    """What one part of the benchmark found."""

    tables: list[Table] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)

    def record(self, game: str, algorithm: str, program: str, **figures: Any) -> None:
        """Keep one line of figures."""
        key = {"game": game, "algorithm": algorithm, "program": program}
        self.records.append({**key, "figures": figures})


def circumstances() -> dict[str, Any]:
    """Where, when and with what a run was made."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": _cpu_model(),
            "cores": os.cpu_count(),
            "system": platform.system(),
            "load_average": round(os.getloadavg()[0], 2),
        },
        "versions": {
            "python": platform.python_version(),
            "infoset": _commit(),
            **{name: _version(name) for name in ("numpy", "numba", "open_spiel", "LiteEFG")},
        },
    }


def append_records(around: dict[str, Any], section: str, records: Iterable[dict[str, Any]]) -> None:
    """Add lines to the file of all results so far."""
    with RESULTS.open("a", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps({**around, "section": section, **record}) + "\n")


def write_summary(
    path: Path, around: dict[str, Any], tables: Iterable[Table], *, command: str = "make bench"
) -> None:
    """Replace a page of results by those of this run, which ``command`` made."""
    machine, versions = around["machine"], around["versions"]
    head = (
        "# Benchmark results\n\n"
        f"Written by `{command}`; do not edit. [README.md](README.md) says what is measured.\n\n"
        f"{around['date']}. {machine['cpu']}, {machine['cores']} cores, one thread used unless a "
        f"table says otherwise, load average {machine['load_average']} at the start. "
        + ", ".join(f"{name} {text}" for name, text in versions.items())
        + ".\n"
    )
    path.write_text("\n".join([head, *(table.markdown() for table in tables)]))


def rate(per_second: float | None) -> str:
    """Iterations per second, to three digits: ``1,230,000``."""
    if per_second is None:
        return NOTHING
    if per_second < 100:
        return f"{per_second:.3g}"
    rounded = float(f"{per_second:.3g}")
    return f"{rounded:,.0f}"


def seconds(value: float | None) -> str:
    """Seconds in the unit that suits them: ``12 ms``."""
    if value is None:
        return NOTHING
    if value >= 1.0:
        return f"{value:.3g} s"
    return f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} µs"


def mebibytes(value: float | None) -> str:
    """Bytes in MiB."""
    if value is None:
        return NOTHING
    size = value / 2**20
    return f"{size:,.0f} MiB" if size >= 10 else f"{size:.2g} MiB"


def verdict(share_of_bar: float) -> str:
    """Whether a bar was met; the goal is twice the bar."""
    if share_of_bar < 1.0:
        return "no"
    return "yes, twice" if share_of_bar >= 2.0 else "yes"


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    from infoset.version import __version__

    done = subprocess.run(
        ["git", "--no-optional-locks", "describe", "--always", "--dirty"],
        cwd=HERE,
        capture_output=True,
        text=True,
    )
    return f"{__version__} ({done.stdout.strip()})" if done.returncode == 0 else __version__


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
