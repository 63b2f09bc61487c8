"""The clock of a run that is gone on with: it does not begin again.

Checkpoints are given seconds that no test would wait for, so nothing here depends on the speed of
the machine.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

import infoset
from infoset.solvers.sampled import sparse
from infoset.solvers.solution_files import read_checkpoint, write_checkpoint
from spots_for_tests import RIVER

SPENT = 1e6
"""Seconds, eleven days."""

SOLVERS = {
    "game": lambda **given: infoset.solve("kuhn", "cfr+", **given),
    "game, sampled": lambda **given: infoset.solve("kuhn", "es-mccfr", seed=1, **given),
    "rules, sampled": lambda **given: infoset.solve(
        "kuhn", "es-mccfr", seed=1, form="rules", **given
    ),
    "spot": lambda **given: infoset.solve(RIVER, "dcfr", threads=1, **given),
}


@pytest.fixture(params=SOLVERS)
def solve(request, monkeypatch):
    for name in ("MIN_EVALUATION", "MIN_FINAL"):  # exploitability is of no importance here
        monkeypatch.setattr(sparse, name, 100)
    return SOLVERS[request.param]


@pytest.fixture
def long_run(solve, tmp_path):
    """A checkpoint after 20 iterations that took a million seconds."""
    path = tmp_path / "checkpoint"
    solve(iterations=20, checkpoint=path)
    saved = read_checkpoint(path)
    assert 0 < saved.seconds < SPENT / 10
    write_checkpoint(path, replace(saved, seconds=SPENT))
    return path


def test_seconds_before_and_after_are_added(solve, long_run):
    resumed = solve(iterations=30, resume=long_run, checkpoint=long_run)
    assert resumed.iterations == 30
    assert SPENT < resumed.seconds < 1.1 * SPENT
    assert resumed.curve[-1].seconds == resumed.seconds
    # And so they are in what is saved next.
    assert read_checkpoint(long_run).seconds == resumed.seconds


def test_a_run_that_has_used_up_its_seconds_stops_at_once(solve, long_run):
    resumed = solve(iterations=10**9, seconds=SPENT / 2, resume=long_run)
    assert (resumed.stopped_by, resumed.iterations) == ("seconds", 20)
    assert resumed.seconds == SPENT
    resumed = solve(iterations=10**9, seconds=SPENT, resume=long_run)
    assert (resumed.stopped_by, resumed.iterations) == ("seconds", 20)


def test_progress_counts_the_seconds_before(solve, long_run):
    told = []
    solve(iterations=40, seconds=4 * SPENT, resume=long_run, progress=told.append)
    assert all(SPENT < progress.seconds < 1.1 * SPENT for progress in told)
    # Half of the iterations and a quarter of the seconds were gone; the nearer limit counts.
    assert 0.5 < told[0].share < told[-1].share == 1.0


def test_points_of_the_curve_keep_their_seconds(solve, long_run):
    saved = read_checkpoint(long_run)
    before = [point._replace(seconds=SPENT / 2) for point in saved.curve]
    write_checkpoint(long_run, replace(saved, curve=before))
    resumed = solve(iterations=30, resume=long_run)
    assert resumed.curve[: len(before)] == before
    assert all(point.seconds > SPENT for point in resumed.curve[len(before) :])


def test_a_run_is_measured_where_it_is_gone_on_with(solve, long_run):
    """Iteration 20 is a point of the curve of 40 iterations; here it was not measured before."""
    measured = [point.iteration for point in solve(iterations=40).curve]
    write_checkpoint(long_run, replace(read_checkpoint(long_run), curve=[]))
    resumed = [point.iteration for point in solve(iterations=40, resume=long_run).curve]
    assert resumed == [iteration for iteration in measured if iteration >= 20]
