"""Schedules and shares as plain formulas: sums of weights, discounts, iterations left out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import (
    RegretWeights,
    discounted,
    floored,
    polynomial,
    ramp,
    summed,
    weighted,
)
from infoset.solvers.sequence.regret import RegretSolver

TIMES = np.arange(1.0, 41.0)

WEIGHTS = {
    "constant": lambda t: 0 * t + 3.0,
    "cubes": lambda t: t**3,
    # Not numbers at 0: what came before the first iteration is nothing, whatever its weight.
    "reciprocals": lambda t: 1 / t,
    "square roots of reciprocals": lambda t: t**-0.5,
    "negative before the first iteration": lambda t: t - 0.5,
    "a logarithm": lambda t: 2 + np.log(t),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_any_weights_add_up(name):
    """A sum that is decayed before each 1 is added is the sum of weights, in the last's unit."""
    weight = WEIGHTS[name]
    with np.errstate(all="raise"):
        decays = weighted(weight)(TIMES, None)
        one_by_one = [weighted(weight)(t) for t in TIMES.tolist()]
    # NumPy's powers of arrays may differ from those of single numbers in the last bit.
    assert decays.tolist() == pytest.approx(one_by_one, rel=5e-16)
    total = 0.0
    for t, decay in zip(TIMES, decays, strict=True):
        total = total * decay + 1.0
        naive = sum(weight(s) for s in TIMES[t >= TIMES]) / weight(t)
        assert total == pytest.approx(naive, rel=1e-12)


@pytest.mark.parametrize("gamma", [0, 0.5, 1, 2, 5.0])
def test_powers_are_weights(gamma):
    assert polynomial(gamma)(TIMES[1:]) == pytest.approx(
        weighted(lambda t: t**gamma)(TIMES[1:]), rel=1e-14
    )


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_average_is_the_weighted_sum_of_plans(name):
    weight = WEIGHTS[name]
    tree = compile_game(make("kuhn"))
    solver = RegretSolver(tree, Recipe(average=weighted(weight)))
    totals = [np.zeros(treeplex.num_sequences) for treeplex in tree.treeplexes]
    for t in range(1, 13):
        # Kuhn poker has two infosets in a row, so plans are products of one or two probabilities.
        for player, (treeplex, chances) in enumerate(
            zip(tree.treeplexes, solver.current().probabilities, strict=True)
        ):
            plan = chances.copy()
            for i, parent in enumerate(treeplex.infoset_parent):
                plan[slice(*treeplex.infoset_begin[i : i + 2])] *= plan[parent]
            totals[player] += weight(float(t)) * plan
        solver.run(1)
    for player, total in enumerate(totals):
        average = solver.state()[f"average{player}"]
        np.testing.assert_allclose(average / average[0], total / total[0], atol=1e-14)


@pytest.mark.parametrize(("alpha", "beta"), [(1.5, 0.0), (1.0, 1.0), (2.3, -1.5)])
def test_discounts_by_the_formula(alpha, beta):
    weights = discounted(alpha, beta, floor=-2.5)(TIMES, None)
    assert weights.floor == -2.5
    for t, more, less in zip(TIMES[1:], *(kept[1:] for kept in weights[:2]), strict=True):
        s = t - 1
        assert more == pytest.approx(s**alpha / (s**alpha + 1), rel=1e-15)
        assert less == pytest.approx(s**beta / (s**beta + 1), rel=1e-15)


def test_all_and_nothing():
    assert summed()(7) == (1.0, 1.0, -math.inf)
    assert floored()(7) == (1.0, 0.0, 0.0)


def test_a_ramp_ends_with_the_run():
    assert [ramp(30, 25)(t, 10) for t in (0, 5, 10)] == [30, 27.5, 25]


@pytest.mark.parametrize(
    ("skip", "horizon", "number"),
    [
        # As doubles, 0.29 * 100 is less than 29, and 0.57 * 100 less than 57.
        (0.29, 100, 29),
        (0.57, 100, 57),
        (Fraction(1, 3), 300, 100),
        (Fraction(2, 3), 10, 7),
        (0.26, 10, 3),
        (0.24, 10, 2),
        (0.5, 1, 0),
        # At least the last one is left.
        (0.999, 10, 9),
        (0.7, 1, 0),
        (0, 10, 0),
        (1, 10, 1),
        (7, None, 7),
    ],
)
def test_a_share_is_rounded_to_the_nearest_iteration(skip, horizon, number):
    recipe = Recipe(skip=skip)
    assert recipe.skipped(horizon) == number
    weights = recipe.weights(1, 12, horizon).weight
    assert weights.tolist() == [float(t > number) for t in range(1, 14)]  # the next one too


def test_a_share_needs_the_length_of_the_run():
    with pytest.raises(BadInputError, match="a share of the run, so its length must be known"):
        Recipe(skip=0.29).skipped(None)


def test_something_is_left_to_average():
    """With all of the iterations left out there would be nothing to show."""
    for horizon in (9, 10):
        with pytest.raises(BadInputError, match=f"leaves none of the {horizon} iterations"):
            Recipe(skip=10).check(horizon)
    Recipe(skip=10).check(11)


def keeps(positive, negative=1.0, floor=-math.inf):
    return lambda t, horizon: RegretWeights(positive, negative, floor)


WRONG = {
    "a plain number": (Recipe(regrets=lambda t, horizon: 0.5), "must return RegretWeights"),
    "too few arguments": (Recipe(regrets=lambda t: 0.5), "cannot be asked"),
    "an error inside": (Recipe(average=lambda t, horizon: 1 / 0), "ZeroDivisionError"),
    "negative": (Recipe(regrets=keeps(-1.0)), "keep_positive is -1 at iteration 1"),
    "not a number": (Recipe(regrets=keeps(1.0, math.nan)), "keep_negative is nan"),
    "growing": (Recipe(regrets=keeps(3.0)), "from 0 to 1"),
    "infinite": (Recipe(average=lambda t, horizon: math.inf), "weight of the average is inf"),
    "a text": (Recipe(average=lambda t, horizon: "heavy"), "must be a number"),
    "too many": (Recipe(average=lambda t, horizon: np.ones(7)), "one for each iteration"),
    "a high floor": (Recipe(regrets=keeps(1.0, 1.0, math.inf)), "floor of regrets"),
    "a floor of text": (Recipe(regrets=keeps(1.0, 1.0, "low")), "floor of regrets"),
    "later": (
        Recipe(average=lambda t, horizon: np.where(np.asarray(t) < 40, 1.0, -1.0)),
        "at iteration 40 of this recipe",
    ),
    "a weight of zero": (Recipe(average=weighted(lambda t: 0 * t)), "weight of the average is nan"),
    "overflowing": (Recipe(average=weighted(lambda t: 2.0**-t)), "sums of the average"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("form", ["sequence", "public"])
def test_weights_that_are_none_are_refused(name, form):
    recipe, match = WRONG[name]
    with pytest.raises(BadInputError, match=match):
        infoset.solve("kuhn", recipe, form=form, iterations=1040 if name == "overflowing" else 50)
