"""Processes really killed, at random moments and at every single one: no file is ever harmed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from signal import SIGINT, SIGKILL

import pytest

FORK_RUNNER = Path(__file__).with_name("fork_runner.py")
SOURCES = Path(__file__).parents[2] / "src"


def run_forks(folder: Path, tasks: dict[str, dict]) -> dict[str, dict[str, int]]:
    """What happened in a process that kills its children; an assertion in it fails here."""
    numbered = {name: (f"{folder}/{i}", task) for i, (name, task) in enumerate(tasks.items())}
    done = subprocess.run(
        [sys.executable, FORK_RUNNER, json.dumps(numbered)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


RUNS = {
    "cfr+": {"target": "leduc", "algorithm": "cfr+", "iterations": 30_000},
    "pcfr+": {"target": "leduc", "algorithm": "pcfr+", "iterations": 30_000},
    "hs-dcfr": {"target": "leduc(by_rank=true)", "algorithm": "hs-dcfr", "iterations": 60_000},
    "xfp": {"target": "leduc", "algorithm": "xfp", "iterations": 30_000},
    # Where it ends must not depend on where it was stopped.
    "to an exploitability": {"target": "leduc", "algorithm": "dcfr", "exploitability": 3e-5},
    "skipping a share": {"target": "leduc", "algorithm": "icfr+(skip=0.5)", "iterations": 30_000},
}


def stop_at_random(folder: Path, stops: int, signals: list[int], seed: int) -> None:
    """Stop every one of the runs so many times.

    The fork runner compares: after each stop the checkpoint is whole and no older than it should
    be, and in the end strategy, value and curve are those of a run that was never stopped.
    """
    common = {"action": "random", "stops": stops, "seed": seed, "mean_seconds": 0.04}
    common["signals"] = [int(number) for number in signals]
    counts = run_forks(folder, {name: {**common, "solve": run} for name, run in RUNS.items()})
    for name in RUNS:
        assert counts[name]["killed"] + counts[name]["interrupted"] == stops
        assert counts[name]["rounds"] >= 1


def test_killed_runs_resumed_end_like_runs_never_killed(quick_path: Path) -> None:
    stop_at_random(quick_path, 6, [SIGKILL], seed=1)


def test_ctrl_c_at_random_moments_loses_nothing(quick_path: Path) -> None:
    stop_at_random(quick_path, 2, [SIGINT], seed=2)


def test_killed_at_any_step_of_writing_the_file_is_old_or_new(quick_path: Path) -> None:
    counts = run_forks(quick_path, {"": {"action": "steps"}})[""]
    # Many steps before the rename, a few behind it, and most of them leave something to clear up.
    assert counts["old"] > 100
    assert counts["new"] > 3
    assert counts["leftovers"] > 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_killed_hundreds_of_times_on_a_real_disk(seed: int, tmp_path: Path) -> None:
    stop_at_random(tmp_path, 40, [SIGKILL, SIGKILL, SIGINT], seed)
