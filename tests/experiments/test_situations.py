"""Hold'em repeated on random situations, and the bands around its means."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import stats

from infoset.errors import BadInputError
from infoset.experiments.curves import INTERVAL, RANGE, Curve, in_mbb
from infoset.experiments.instant_fig1 import HYBRIDS, PAIRED, PAIRS
from infoset.experiments.instant_fig2 import METHODS
from infoset.experiments.measurer import on_situations, parts, size_of_situations
from infoset.games.holdem.situations import random_situation
from infoset.solvers.algorithms import find_recipe
from spots_for_tests import spot_solver

KIND = "River(5k)"


def quiet(share, text):
    """Progress that nobody looks at."""


def curve(*runs):
    values = np.array(runs, dtype=float)
    return Curve(np.arange(1, values.shape[1] + 1), values, np.ones_like(values))


@pytest.fixture(scope="module")
def measurer():
    return on_situations(KIND, [3, 5])


def test_measured_curve_is_that_of_a_solver_on_each_situation(measurer):
    measured = measurer.curve("idcfr+(skip=0.5)", [10, 70, 120], quiet)
    assert measured.runs.shape == (2, 3)
    for seed, run in zip((3, 5), measured.runs, strict=True):
        solver = spot_solver(random_situation(KIND, seed), find_recipe("idcfr+(skip=60)"), 120)
        solver.run(70)
        assert solver.exploitability() == pytest.approx(run[1], rel=1e-3)
        solver.run(50)
        assert solver.exploitability() == pytest.approx(run[2], rel=1e-3)


def test_situations_differ_and_are_the_same_again(measurer):
    one = measurer.curve("cfr+", [20], quiet)
    assert one.runs[0, 0] != pytest.approx(one.runs[1, 0], rel=0.01)
    again = on_situations(KIND, [5, 3]).curve("cfr+", [20], quiet)
    assert one.runs[::-1] == pytest.approx(again.runs, rel=1e-12)


def test_every_method_of_the_figures_runs_on_spots():
    ran = {*HYBRIDS.values(), *PAIRED, *METHODS.values()}
    # The paper says that all its runs alternate; DeepStack's own method does not.
    assert [name for name in ran if not find_recipe(name).alternating] == [HYBRIDS["hybrid CFR+"]]
    for original, instant in PAIRS.values():
        assert not find_recipe(original).instant
        assert find_recipe(instant).instant


def test_both_players_at_once_is_another_algorithm(measurer):
    at_once = measurer.curve("hybrid-cfr+", [50], quiet)
    in_turn = measurer.curve("hybrid-cfr+(alternating=true)", [50], quiet)
    assert at_once.against(in_turn, 1).times < 0.99


def test_only_presets_run_on_situations(measurer):
    with pytest.raises(BadInputError, match="no regret minimiser"):
        measurer.curve("xfp", [5], quiet)


def test_an_interrupt_leaves_no_thread_running():
    def interrupt(share, text):
        if share > 0:
            raise KeyboardInterrupt

    before = threading.active_count()
    measurer = on_situations(KIND, range(4))
    with pytest.raises(KeyboardInterrupt):
        measurer.curve("cfr", [50], interrupt)
    assert threading.active_count() == before


def test_progress_goes_from_run_to_run():
    steps = []
    _, second = parts(lambda share, _: steps.append(share), [1, 1])
    on_situations(KIND, [0, 1]).curves({"CFR": "cfr", "ICFR": "icfr"}, [2], second)
    assert steps == pytest.approx([0.5, 0.625, 0.75, 0.75, 0.875, 1.0])


def test_sizes():
    """24 decisions and C(47, 2) hands; see PAPERS.md on the paper's counts."""
    assert size_of_situations(KIND)["infosets"] == 24 * 1081
    # Of 1.7e6 in the paper, which has all 1,326 hands on every board.
    assert size_of_situations("Turn(5k)")["infosets"] == 12 * 1128 + 1344 * 1081


def test_chips_in_thousandths_of_a_big_blind():
    assert in_mbb(100.0) == 1000.0


@pytest.mark.parametrize("count", [2, 5, 30])
def test_interval_is_students_on_logarithms(count):
    runs = np.exp(np.random.default_rng(count).normal(size=(count, 1)))
    (low,), (high,) = INTERVAL.ends(curve(*runs))
    expected = stats.t.interval(
        0.95, count - 1, np.log(runs).mean(), stats.sem(np.log(runs), axis=None)
    )
    assert (np.log(low), np.log(high)) == pytest.approx(expected)
    mean, half = curve(*runs).last_mean
    expected = stats.t.interval(0.95, count - 1, runs.mean(), stats.sem(runs, axis=None))
    assert (mean - half, mean + half) == pytest.approx(expected)


def test_comparison_has_the_interval_of_its_mean():
    low, high = curve([1.0], [1.0], [2.0]), curve([2.0], [3.0], [3.0])
    found = low.against(high, begin=1)
    ratios = curve([2.0], [3.0], [1.5])
    (least,), (most,) = INTERVAL.ends(ratios)
    assert (found.low, found.high) == pytest.approx((least, most))
    assert found.low < found.times < found.high


def test_range_is_of_all_runs():
    assert RANGE.last(curve([5.0, 1.0], [6.0, 4.0], [7.0, 2.0])) == {"least": 1.0, "most": 4.0}


def test_a_part_of_a_curve_has_both_ends():
    part = curve([4.0, 3.0, 2.0, 1.0]).between(2, 3)
    assert part.iterations.tolist() == [2, 3]
    assert part.runs.tolist() == [[3.0, 2.0]]
