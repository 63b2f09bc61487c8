"""Payoffs and parameters of any size: scaling changes nothing, and nothing turns into NaN."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from games_for_tests import Changed, random_game
from infoset.calls import parse_call
from infoset.forms import compile_game
from infoset.forms.lanes import Unit
from infoset.games import make
from infoset.solvers.local_rules import hedge
from infoset.solvers.presets import PRESETS
from infoset.solvers.sequence.regret import RegretSolver
from presets_for_tests import FULL_WIDTH

GAMES = {"kuhn": make("kuhn"), "a game with a deal": random_game(21, deal=True)}


def run(game, algorithm, iterations, scale=1.0):
    call = parse_call(algorithm)
    tree = compile_game(Changed(game, scale=scale))  # walked state by state, whatever the scale
    recipe = PRESETS[call.name].recipe(call)[0]
    if call.name == "hedge":  # its sharpness is per chip
        recipe = replace(recipe, rule=hedge(20.0 / scale))
    solver = RegretSolver(tree, recipe, iterations)
    solver.run(iterations)
    return solver


def strategies(solver):
    return [
        array
        for strategy in (solver.strategy(), solver.current())
        for array in strategy.probabilities
    ]


def check_distributions(solver):
    # The state first: a NaN in it would come out as uniform play, not as a NaN.
    for name, array in solver.state().items():
        assert np.isfinite(array).all(), name
    assert all(np.isfinite(plan).all() for plan in solver.plans())
    for array, treeplex in zip(strategies(solver), solver.form.treeplexes * 2, strict=True):
        assert np.isfinite(array).all()
        assert (array >= 0).all()
        sums = np.add.reduceat(array, treeplex.infoset_begin[:-1])
        np.testing.assert_allclose(sums, 1.0, atol=1e-12)


@pytest.mark.parametrize("power", [-200, 3, 200])
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_scaling_payoffs_scales_regrets(preset, game, power):
    """By a power of two everything is the same to the last bit, strategies above all."""
    plain = run(GAMES[game], preset, 30)
    scaled = run(GAMES[game], preset, 30, math.ldexp(1.0, power))
    units = plain.form.lanes.unit, scaled.form.lanes.unit
    assert units[1] == Unit(units[0].exponent + power, units[0].denominator)
    for name, array in plain.state().items():  # in units
        assert (scaled.state()[name] == array).all(), name
    for ours, theirs in zip(strategies(scaled), strategies(plain), strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("preset", FULL_WIDTH)
@pytest.mark.parametrize("game", GAMES)
def test_strategies_stay_distributions(preset, game):
    check_distributions(run(GAMES[game], preset, 3_000))


RECIPROCAL = (
    "kernels/regrets.py multiplies by 1 / total: infinite once the positive regrets of an infoset "
    "fade below 6e-309, and then 0 * inf is NaN; dividing by the total would do"
)


@pytest.mark.parametrize(
    ("text", "algorithm", "iterations"),
    [
        ("leduc", "dcfr(alpha=0)", 2_000),
        ("kuhn", "idcfr+(alpha=0)", 5_000),
        ("kuhn", "dcfr(alpha=-5,beta=-5)", 150),
        ("kuhn", "pdcfr+(alpha=-5)", 150),
    ],
)
def test_regrets_that_fade_away(text, algorithm, iterations):
    """Where nobody goes, nothing is added to the regrets, and discounts eat them up."""
    check_distributions(run(make(text), algorithm, iterations))


@pytest.mark.parametrize("preset", ["cfr", "dcfr+", "pdcfr+"])
def test_tiny_payoffs(preset):
    check_distributions(run(make("kuhn"), preset, 200, scale=1e-305))


@pytest.mark.parametrize("preset", ["cfr", "cfr+", "pdcfr+"])
def test_huge_payoffs(preset):
    check_distributions(run(make("kuhn"), preset, 200, scale=1e200))
