"""Means, intervals and hands needed, against slow and exact twins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from infoset.agents.match_result import Tally, big_blind_of
from infoset.agents.statistics import Statistics
from infoset.errors import BadInputError
from infoset.games import make
from infoset.games.holdem import Spot

CHIPS = st.floats(-1e4, 1e4).map(lambda x: round(x, 3))


def exact(numbers):
    """Number, mean and sum of squared deviations, in fractions."""
    chips = [Fraction(x) for x in numbers]
    mean = sum(chips) / len(chips)
    return mean, sum((x - mean) ** 2 for x in chips)


def one_by_one(numbers):
    out = Statistics()
    for x in numbers:
        out = out.plus(x)
    return out


@given(st.lists(CHIPS, min_size=1, max_size=60), st.integers(0, 60))
def test_moments_are_exact_however_they_are_summed(numbers, cut):
    mean, squares = exact(numbers)
    array = np.array(numbers)
    for found in (
        Statistics.of(array),
        one_by_one(numbers),
        Statistics.of(array[:cut]).joined(Statistics.of(array[cut:])),
        one_by_one(numbers[:cut]).joined(Statistics.of(array[cut:])),
    ):
        assert found.num == len(numbers)
        assert found.mean == pytest.approx(float(mean), abs=1e-10)
        assert found.squares == pytest.approx(float(squares), rel=1e-10, abs=1e-8)


def test_no_digits_are_lost_beside_a_large_mean():
    numbers = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])
    for found in (
        Statistics.of(numbers),
        one_by_one(numbers),
        Statistics.of(numbers[:1]).joined(Statistics.of(numbers[1:])),
    ):
        assert found.squares == pytest.approx(5.0, rel=1e-6)


@given(st.lists(CHIPS, min_size=2, max_size=150))
def test_intervals_are_those_of_scipy(numbers):
    found = Statistics.of(np.array(numbers))
    freedom = len(numbers) - 1
    error = scipy.stats.sem(numbers)
    if len(numbers) < 100:
        half = scipy.stats.t.ppf(0.975, freedom) * error
    else:
        half = scipy.stats.norm.ppf(0.975) * error
    assert found.standard_error == pytest.approx(error, abs=1e-9)
    assert found.low == pytest.approx(np.mean(numbers) - half, abs=1e-8)
    assert found.high == pytest.approx(np.mean(numbers) + half, abs=1e-8)


def test_too_few_numbers_say_nothing():
    for found in (Statistics(), Statistics().plus(3.0)):
        assert (found.low, found.high) == (-math.inf, math.inf)
        assert found.as_dict()["standard_error"] is None
        assert found.hands_needed(1.0) is None
    one_a_seat = Statistics.of_groups(Statistics().plus(1.0), Statistics().plus(2.0))
    assert math.isinf(one_a_seat.high)
    assert one_a_seat.mean == 1.5


def test_groups_leave_out_what_is_no_chance():
    """The seats differ by 100; within a seat nothing varies."""
    tally = Tally()
    for _ in range(50):
        tally.add(-100.0)
        tally.add(0.0)
    assert tally.plain.mean == -50
    assert tally.plain.standard_error == 0
    assert tally.pairs.mean == -50
    assert tally.pairs.hands == 100


@given(st.lists(CHIPS, min_size=3, max_size=40))
def test_deviations_are_from_the_mean_of_the_own_group(numbers):
    tally = Tally()
    for x in numbers:
        tally.add(x)
    seats = numbers[::2], numbers[1::2]
    squares = sum(exact(seat)[1] for seat in seats)
    found = tally.plain
    assert found.mean == pytest.approx(float(exact(numbers)[0]), abs=1e-9)
    freedom = len(numbers) - 2
    assert found.standard_deviation == pytest.approx(math.sqrt(squares / freedom), abs=1e-7)


@given(st.lists(CHIPS, max_size=20), st.lists(CHIPS, max_size=9))
def test_many_hands_at_once_are_the_same_as_one_by_one(before, numbers):
    before = before[: len(before) // 2 * 2]
    single, joined = Tally(), Tally()
    for x in (*before, *numbers, 5.0):
        single.add(x)
    joined.add_many(np.array(before))
    joined.add_many(np.array(numbers))
    joined.add(5.0)
    assert joined.hands == single.hands
    for one, other in ((single.plain, joined.plain), (single.pairs, joined.pairs)):
        assert (one.num, one.groups, one.hands_each) == (other.num, other.groups, other.hands_each)
        assert one.mean == pytest.approx(other.mean, abs=1e-9)
        assert one.squares == pytest.approx(other.squares, rel=1e-9, abs=1e-7)


def test_hands_needed():
    sample = Statistics.of(np.tile([1.0, -1.0], 5000))
    assert sample.hands_needed(sample.half_width) == pytest.approx(10_000, abs=1)
    # Half the interval takes four times the hands.
    assert sample.hands_needed(sample.half_width / 2) == pytest.approx(40_000, abs=1)
    pairs = Statistics.of(np.tile([1.0, -1.0], 5000), hands_each=2)
    assert pairs.hands_needed(pairs.half_width) == pytest.approx(20_000, abs=2)
    assert Statistics.of(np.zeros(10)).hands_needed(0.0) == 1
    with pytest.raises(BadInputError, match="at least 0"):
        sample.hands_needed(-1.0)
    with pytest.raises(BadInputError, match="at least 0"):
        sample.hands_needed(math.nan)


@pytest.mark.parametrize("num", [5, 30, 200])
def test_intervals_cover_the_truth_95_times_in_a_hundred(num):
    """4,000 samples of known mean: 95 +- 4 * 0.34 % are expected."""
    samples = np.random.default_rng(num).normal(1.0, 2.0, (4000, num))
    found = [Statistics.of(sample) for sample in samples]
    covered = np.mean([one.low <= 1.0 <= one.high for one in found])
    assert 0.9362 <= covered <= 0.9638


def test_rounding_is_no_certainty():
    """Where all luck is taken out, what is left is rounding, and zero must be in its interval."""
    values = np.full(1000, 0.1) * (1 + 1e-16 * np.arange(1000))
    tally = Tally(rounding=1e-9)
    tally.add_many(np.where(np.arange(1000) % 2 == 0, values, -values))
    for found in (tally.plain, tally.pairs):
        assert found.low <= 0.0 <= found.high
        assert found.half_width == 1e-9
    assert Statistics(num=10, mean=-500.0, rounding=1e-9).half_width == pytest.approx(5e-7)
    assert Statistics(num=10, mean=-500.0).half_width == 0.0
    tally.add(7.0)
    tally.add(9.0)
    assert tally.plain.half_width > 0.01


def test_big_blinds():
    spot = Spot("Td9d6hQc", "AA", "KK", 200, 900, big_blind=40)
    assert big_blind_of(spot) == 40
    assert big_blind_of(make("holdem(small_blind=1,big_blind=2)")) == 2
    assert big_blind_of(make("kuhn")) is None
