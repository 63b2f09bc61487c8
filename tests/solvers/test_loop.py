"""The loop around solvers: when it evaluates, wherever a run was cut."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from infoset.errors import BadInputError
from infoset.solvers.limits import Limits
from infoset.solvers.loop import CURVE_POINTS, _next_evaluation, iterate, restore
from infoset.solvers.solution_files import Checkpoint, Saving, read_checkpoint


class Counter:
    """A solver that only counts, and gets better as it does."""

    is_exact = False
    evaluation_stride = 7
    news: ClassVar[dict[str, float]] = {}

    def __init__(self):
        self.iteration = 0
        self.evaluated_at = []

    @property
    def nodes_touched(self):
        return 11 * self.iteration

    def run(self, iterations):
        self.iteration += iterations

    def stop(self):
        pass

    def exploitability(self):
        self.evaluated_at.append(self.iteration)
        return 1.0 / self.iteration

    def state(self):
        return {"nothing": np.zeros(1)}

    def accepts(self, state):
        return state.keys() == {"nothing"}

    def restore(self, state, iteration):
        self.iteration = iteration


START = Checkpoint("no game", "", "counter")


def run_counter(solver, limits, start=START, **options):
    return iterate(solver, limits, start, lambda outcome: outcome, **options)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(iterations=1),
        Limits(iterations=5),
        Limits(iterations=7),
        Limits(iterations=1000),
        Limits(iterations=10**6),
        Limits(iterations=1000, exploitability=1e-9),
        Limits(exploitability=1e-3),
    ],
    ids=str,
)
def test_evaluations_are_at_multiples_of_the_stride_and_at_the_end(limits):
    solver = Counter()
    outcome = run_counter(solver, limits)
    evaluated_at = solver.evaluated_at
    assert evaluated_at == sorted(set(evaluated_at))
    assert evaluated_at[-1] == outcome.iterations
    assert all(t % 7 == 0 for t in evaluated_at if t != limits.iterations)
    if limits.iterations is not None:
        assert outcome.iterations == limits.iterations
        assert len(outcome.curve) <= CURVE_POINTS + 1
        assert len(outcome.curve) >= min(limits.iterations // 7, CURVE_POINTS - 9)
    assert [point.nodes_touched for point in outcome.curve] == [
        11 * point.iteration for point in outcome.curve
    ]
    assert outcome.nodes_touched == 11 * outcome.iterations


@pytest.mark.parametrize("cut", [1, 6, 7, 8, 50, 98, 300, 999])
@pytest.mark.parametrize("limits", [Limits(iterations=1000), Limits(exploitability=1e-3)], ids=str)
def test_a_resumed_run_is_evaluated_where_a_whole_one_is(tmp_path, limits, cut):
    whole = Counter()
    expected = run_counter(whole, limits)

    class Stopped(Counter):
        def run(self, iterations):
            super().run(max(1, min(iterations, cut - self.iteration)))
            if self.iteration == cut:
                signal.raise_signal(signal.SIGINT)

    first = Stopped()
    path = tmp_path / "run"
    assert run_counter(first, limits, saving=Saving(path)).stopped_by == "interrupt"
    assert first.iteration == cut
    saved = read_checkpoint(path)
    second = Counter()
    restore(second, saved)
    outcome = run_counter(second, limits, replace(START, seconds=saved.seconds, curve=saved.curve))
    assert {*first.evaluated_at, *second.evaluated_at} - {cut} == {*whole.evaluated_at} - {cut}
    assert outcome._replace(seconds=0, curve=[]) == expected._replace(seconds=0, curve=[])
    assert [point[2:] for point in outcome.curve] == [point[2:] for point in expected.curve]


def test_with_a_stride_of_one_evaluations_are_the_plain_series():
    iteration, plain = 0, [1]
    while plain[-1] < 10**4:
        plain.append(max(plain[-1] + 1, round(plain[-1] * 1.05)))
    for expected in plain:
        iteration = _next_evaluation(iteration, 1.05, 1)
        assert iteration == expected


def test_a_limit_that_is_just_reached_is_reached():
    """After 28 iterations the exploitability is 1/28, to the bit, and 28 is one of the series."""
    assert 28 in [_next_evaluation(iteration, 1.05, 7) for iteration in range(28)]
    outcome = run_counter(Counter(), Limits(exploitability=1 / 28))
    assert (outcome.stopped_by, outcome.iterations) == ("exploitability", 28)


def test_checkpoints_are_some_time_apart(tmp_path):
    every = 0.05

    class Slow(Counter):
        saved_at = ()

        def run(self, iterations):
            time.sleep(0.004)
            super().run(1)

        def state(self):
            self.saved_at = (*self.saved_at, time.monotonic())
            return super().state()

    solver = Slow()
    run_counter(solver, Limits(iterations=80), saving=Saving(tmp_path / "run", every))
    *on_the_way, last = solver.saved_at
    assert len(on_the_way) >= 2
    gaps = np.diff(on_the_way)
    assert gaps.min() >= 0.9 * every  # the clock is read a moment before and after
    assert last >= on_the_way[-1]


@pytest.mark.parametrize("power", range(6))
def test_a_long_curve_is_thinned_but_for_its_ends(power):
    """One more point in each case, so that every other one is the last or is not."""
    solver = Counter()
    solver.evaluation_stride = 1
    outcome = run_counter(solver, Limits(exploitability=1 / round(10**4 * 1.2**power)))
    assert CURVE_POINTS / 2 < len(outcome.curve) <= 1.5 * CURVE_POINTS
    assert outcome.curve[0].iteration == 1
    assert outcome.curve[-1].iteration == outcome.iterations
    assert outcome.curve[-1].exploitability == outcome.exploitability


@pytest.mark.parametrize("name", ["iterations", "seconds", "exploitability"])
@pytest.mark.parametrize("limit", [0, -1, float("inf"), float("nan"), True, "1"])
def test_limits_that_are_none(name, limit):
    with pytest.raises(BadInputError, match=f"{name} must be a .* not "):
        Limits(**{name: limit})
