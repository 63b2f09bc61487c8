"""``python -m benchmarks.against REVISION``: this checkout beside an older one, in one run.

Both run the same commands in turn, many times; the best time of each counts, since whatever else
the machine does can only add to it. A row whose times spread more than it differs proves nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.report import HERE, Section, Table, append_records, circumstances, rate
from benchmarks.spot_games import SPOTS as SPOT_FILE

ROOT = HERE.parent
NUM_ROUNDS = 7
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")
}  # or a second core is kept busy by libraries of the older checkout


@dataclass(frozen=True)
class Row:
    """A run that both checkouts are timed on."""

    target: str
    algorithm: str
    iterations: int
    options: tuple[str, ...] = ()
    is_spot: bool = False

    def command(self, *, has_spot_command: bool) -> list[str]:
        """The command line; older checkouts have a command of their own for spots."""
        verb = ["spot", "solve"] if self.is_spot and has_spot_command else ["solve"]
        target = [str(SPOT_FILE), "--name", self.target] if self.is_spot else [self.target]
        run = ["-a", self.algorithm, "-n", str(self.iterations), *self.options]
        return [*verb, *target, *run, "--json", "--quiet"]


def _games() -> list[Row]:
    sizes = {
        "kuhn": 1_000_000,
        "leduc": 40_000,
        "leduc(by_rank=true)": 100_000,
        "goofspiel(cards=4)": 150_000,
        "liars_dice(faces=6)": 2_000,
        "nolimit_leduc(stack=5)": 10_000,
        "nolimit_leduc(stack=10)": 300,
    }
    algorithms = ("cfr+", "dcfr", "pcfr+")
    return [Row(game, name, count) for game, count in sizes.items() for name in algorithms]


def _spots() -> list[Row]:
    rows = []
    for name, count in (("river_deepstack", 2000), ("turn_small", 150), ("flop_small", 4)):
        for algorithm in ("dcfr(gamma=3)", "cfr+", "pcfr+") if count > 4 else ("dcfr(gamma=3)",):
            for options in (("--threads", "1"), ("--threads", "1", "--bits", "16")):
                rows.append(Row(name, algorithm, count, options, is_spot=True))
    return rows


def _sampled() -> list[Row]:
    counts = {
        "es-mccfr": 1_000_000,
        "os-mccfr": 3_000_000,
        "vr-mccfr": 1_000_000,
        "chance-cfr": 200_000,
        "as-mccfr": 1_000_000,
        "rs-mccfr(k=3,b=100)": 10_000,
    }
    options = ("--threads", "1", "--seed", "1")
    games = ("leduc", "nolimit_leduc(stack=5)")
    return [Row(game, name, count, options) for game in games for name, count in counts.items()]


GROUPS = {"games": _games, "spots": _spots, "sampling": _sampled}


def _seconds(source: Path, row: Row) -> float:
    """What the iterations of a run take, by its own report."""
    command = row.command(has_spot_command=(source / "infoset" / "spots").exists())
    done = subprocess.run(
        [sys.executable, "-m", "infoset", *command],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit(f"{source}: infoset {' '.join(command)}\n{done.stderr}")
    return float(json.loads(done.stdout)["seconds"])


def measure(older: Path, revision: str, rows: list[Row], num_rounds: int) -> Section:
    """Time all rows on both checkouts, in turn."""
    title = f"Iterations per second beside {revision}, one thread, best of {num_rounds}"
    columns = ("target", "algorithm", revision, "now", "now / before", "spread")
    table, section = Table(title, columns, num_words=2), Section()
    sources = older / "src", ROOT / "src"
    for row in rows:
        times: tuple[list[float], list[float]] = [], []
        for _ in range(num_rounds):
            for source, spent in zip(sources, times, strict=True):
                spent.append(_seconds(source, row))
        before, now = (row.iterations / min(spent) for spent in times)
        # How far the second best is from the best: what a difference has to exceed to mean much.
        spread = max(sorted(spent)[1] / min(spent) for spent in times) - 1.0
        bits = "16 bits" if "16" in row.options else ""
        name = f"{row.algorithm} {bits}".strip()
        figures = (rate(before), rate(now), f"{now / before:.2f}", f"{100 * spread:.1f} %")
        table.rows.append((row.target, name, *figures))
        section.record(row.target, name, "infoset", before=before, now=now, spread=spread)
    section.tables.append(table)
    return section


def main() -> None:
    """Read the options, check the older revision out, and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("revision", help="what git knows the older state by")
    parser.add_argument("--rounds", type=int, default=NUM_ROUNDS)
    parser.add_argument(
        "--only", action="append", choices=GROUPS, help="one group of rows; may be repeated"
    )
    parser.add_argument("--page", type=Path, help="also write the table here, as Markdown")
    options = parser.parse_args()
    rows = [row for name in options.only or GROUPS for row in GROUPS[name]()]
    around = circumstances()
    with tempfile.TemporaryDirectory() as folder:
        older = Path(folder) / "older"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run(
            [*git, "add", "--quiet", "--detach", str(older), options.revision], check=True
        )
        try:
            section = measure(older, options.revision, rows, options.rounds)
        finally:
            subprocess.run([*git, "remove", "--force", str(older)], check=True)
    append_records(around, f"against {options.revision}", section.records)
    for table in section.tables:
        table.show(Console(width=None if Console().is_terminal else 140))
        if options.page is not None:
            head = f"{around['date']}, {around['machine']['cpu']}, one thread.\n\n"
            options.page.write_text(head + table.markdown())


if __name__ == "__main__":
    main()
