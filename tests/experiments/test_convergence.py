"""The measuring behind the instant CFR experiments."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.experiments.curves import Curve, spaced
from infoset.experiments.instant_fig2 import best_skip, crossing
from infoset.experiments.measurer import in_units


def curve(*runs, iterations=None):
    values = np.array(runs, dtype=float)
    times = iterations or range(1, values.shape[1] + 1)
    return Curve(np.array(times), values, np.ones_like(values))


def quiet(share, text):
    """Progress that nobody looks at."""


def test_typical_is_the_geometric_mean():
    assert curve([1.0, 4.0], [4.0, 1.0]).typical == pytest.approx([2.0, 2.0])


def test_a_curve_below_another_in_every_run_is_better():
    low, high = curve([1.0, 1.0], [1.1, 1.0], [1.0, 1.1]), curve([2.0, 2.0], [2.0, 2.1], [2.1, 2.0])
    found = low.against(high, begin=1)
    assert found.word == "better"
    assert 1.8 < found.least <= found.times <= found.most < 2.2
    assert high.against(low, begin=1).word == "worse"


def test_curves_that_cross_by_run_are_unclear():
    one, other = curve([1.0], [2.0], [1.5]), curve([2.0], [1.0], [1.6])
    assert one.against(other, begin=1).word == "unclear"


def test_only_iterations_from_the_beginning_count():
    one = curve([1.0, 8.0], [1.0, 8.0], iterations=[1, 100])
    other = curve([8.0, 1.0], [8.0, 1.0], iterations=[1, 100])
    assert one.against(other, begin=100).times == pytest.approx(1 / 8)


def test_counting_chips_in_other_units_changes_no_strategy():
    first, second = in_units("kuhn", 2).repetitions
    assert (first.unit, second.unit) == (1, 7)
    one, seven = (infoset.solve(r.form, "idcfr+", iterations=20) for r in (first, second))
    assert seven.value == pytest.approx(7 * one.value, rel=1e-9)
    for ours, theirs in zip(one.strategy.probabilities, seven.strategy.probabilities, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_measured_curve_is_that_of_solve():
    measured = in_units("kuhn", 2).curve("cfr+(skip=10)", [5, 20, 50], quiet)
    assert measured.runs.shape == (2, 3)
    solution = infoset.solve("kuhn", "cfr+(skip=10)", iterations=50)
    assert measured.runs[0, -1] == pytest.approx(solution.exploitability, rel=1e-12)
    assert measured.last == pytest.approx(solution.exploitability, rel=1e-6)


def test_spaced_begins_at_one_and_ends_at_the_end():
    times = spaced(1000)
    assert times[0] == 1
    assert times[-1] == 1000
    assert times == sorted(set(times))


def test_crossing_is_where_a_curve_stays_below():
    whole = curve([4.0, 3.0, 2.0, 1.0])
    assert crossing(curve([9.0, 2.0, 2.5, 0.5]), whole) == 4
    assert crossing(curve([1.0, 1.0, 1.0, 0.5]), whole) == 1
    assert crossing(curve([1.0, 1.0, 1.0, 1.5]), whole) is None


def test_best_skip_is_the_lowest_end():
    assert best_skip({"0": curve([3.0, 2.0]), "100": curve([9.0, 1.0])}) == 100
