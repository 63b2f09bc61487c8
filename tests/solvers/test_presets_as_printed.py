"""The numbers of each preset, written out again from the paper it cites."""

from __future__ import annotations

import math

import numpy as np
import pytest

import naive
from infoset.calls import parse_call
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.local_rules import REGRET_MATCHING
from infoset.solvers.presets import PRESETS
from infoset.solvers.sequence.regret import RegretSolver
from presets_for_tests import FULL_WIDTH

HORIZON = 20
INF = math.inf


def share(s, x):
    """s**x / (s**x + 1), the discount of Brown & Sandholm (2019)."""
    return s**x / (s**x + 1)


# Per preset: (alternating, instant, predictive), then functions of t: what is kept of positive and
# negative regrets before iteration t, the floor, and the weight of iteration t in the average.
# Sources: Zinkevich 2007; Tammelin 2014 (regret matching+, linear average); Brown & Sandholm 2019
# (LCFR: both weighted by t; DCFR(1.5, 0, 2)); Li et al. 2019, section 4.2 (instant updates on
# each); Farina et al. 2021 (quadratic average); Xu et al. 2024 (DCFR+(1.5, 4), PDCFR+(2.3, 5));
# Zhang et al. 2024 (HS-DCFR: alpha 1 + 3t/T, beta -1 - 2t/T, gamma 30 - 5t/T; HS-PCFR+ the same
# gamma); Moravcik et al. 2017 (simultaneous, regret matching+, uniform average).
PRINTED = {
    "cfr": ((True, False, False), 1, 1, -INF, lambda t: 1),
    "cfr+": ((True, False, False), 1, None, 0, lambda t: t),
    "lcfr": (
        (True, False, False),
        lambda t: (t - 1) / t,
        lambda t: (t - 1) / t,
        -INF,
        lambda t: t,
    ),
    "dcfr": ((True, False, False), lambda t: share(t - 1, 1.5), 0.5, -INF, lambda t: t**2),
    "dcfr+": ((True, False, False), lambda t: share(t - 1, 1.5), None, 0, lambda t: t**4),
    "icfr": ((True, True, False), 1, 1, -INF, lambda t: 1),
    "icfr+": ((True, True, False), 1, None, 0, lambda t: t),
    "idcfr": ((True, True, False), lambda t: share(t - 1, 1.5), 0.5, -INF, lambda t: t**2),
    "idcfr+": ((True, True, False), lambda t: share(t - 1, 1.5), None, 0, lambda t: t**2),
    "pcfr+": ((True, False, True), 1, None, 0, lambda t: t**2),
    "pdcfr+": ((True, False, True), lambda t: share(t - 1, 2.3), None, 0, lambda t: t**5),
    "hybrid-cfr+": ((False, False, False), 1, None, 0, lambda t: 1),
    "hedge": ((True, False, False), 1, 1, -INF, lambda t: 1),
}


def recipe_of(text):
    call = parse_call(text)
    return PRESETS[call.name].recipe(call)[0]


def at(number_or_function, t):
    return number_or_function(t) if callable(number_or_function) else number_or_function


@pytest.mark.parametrize("preset", PRINTED)
def test_numbers(preset):
    recipe = recipe_of(preset)
    parts, positive, negative, floor, weight = PRINTED[preset]
    assert (recipe.alternating, recipe.instant, recipe.predictive) == parts
    assert recipe.skip == 0
    for t in range(2, HORIZON + 1):
        kept = recipe.regrets(t, HORIZON)
        assert kept.keep_positive == pytest.approx(at(positive, t), rel=1e-14)
        assert kept.floor == floor
        if negative is not None:  # with a floor of zero there are no negative regrets
            assert kept.keep_negative == pytest.approx(at(negative, t), rel=1e-14)
        decay = recipe.average(t, HORIZON)
        assert decay == pytest.approx(weight(t - 1) / weight(t), rel=1e-14)


def test_the_local_rule_of_hedge():
    """Freund & Schapire (1997): weights exp(eta_t R); eta_t = eta / sqrt(t) needs no horizon."""
    for text, eta in (("hedge", 20.0), ("hedge(eta=0.5)", 0.5)):
        rule = recipe_of(text).rule
        for t in range(1, HORIZON + 1):
            assert rule.sharpness(t) == pytest.approx(eta / t**0.5, rel=1e-14)
    for name in PRINTED:
        assert (recipe_of(name).rule is REGRET_MATCHING) == (name != "hedge")


def test_numbers_of_the_scheduled_presets():
    """Zhang et al. (2024) give the average as a factor: ((t - 1) / t) ** gamma(t)."""
    discounted, predictive = recipe_of("hs-dcfr"), recipe_of("hs-pcfr+")
    assert (discounted.alternating, discounted.instant, discounted.predictive) == (1, 0, 0)
    assert (predictive.alternating, predictive.instant, predictive.predictive) == (1, 0, 1)
    for t in range(2, HORIZON + 1):
        done = t / HORIZON
        kept = discounted.regrets(t, HORIZON)
        assert kept.keep_positive == pytest.approx(share(t - 1, 1 + 3 * done), rel=1e-14)
        assert kept.keep_negative == pytest.approx(share(t - 1, -1 - 2 * done), rel=1e-14)
        assert kept.floor == -INF
        for recipe in (discounted, predictive):
            decay = ((t - 1) / t) ** (30 - 5 * done)
            assert recipe.average(t, HORIZON) == pytest.approx(decay, rel=1e-14)
        assert predictive.regrets(t, HORIZON).keep_positive == 1
        assert predictive.regrets(t, HORIZON).floor == 0


def test_all_presets_are_written_out_here():
    assert set(FULL_WIDTH) == set(PRINTED) | {"hs-dcfr", "hs-pcfr+"}, (
        "a new preset: write its numbers into PRINTED, from its paper"
    )


@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_arrays_hold_the_same_numbers_as_single_calls(preset):
    recipe = recipe_of(preset)
    weights = recipe.weights(1, HORIZON - 1, HORIZON)
    for i in range(HORIZON - 1):
        kept = recipe.regrets(i + 1, HORIZON)
        assert weights.keep_positive[i] == kept.keep_positive
        assert weights.keep_negative[i] == kept.keep_negative
        assert weights.decay[i] == pytest.approx(recipe.average(i + 1, HORIZON), rel=1e-15)
    assert len(weights.keep_positive) == HORIZON  # the next iteration's too
    assert weights.floor == recipe.regrets(1, HORIZON).floor


@pytest.mark.parametrize(
    ("text", "alpha", "beta", "gamma", "instant"),
    [
        ("dcfr", 1.5, 0.0, 2.0, False),
        ("dcfr(alpha=1,beta=1,gamma=1)", 1.0, 1.0, 1.0, False),
        ("lcfr", 1.0, 1.0, 1.0, False),
        ("idcfr(alpha=2,beta=-1,gamma=3)", 2.0, -1.0, 3.0, True),
    ],
)
def test_discounting_after_adding(text, alpha, beta, gamma, instant):
    """As DCFR is printed: add, then multiply by t**x / (t**x + 1); the average by its own factor.

    The package multiplies before adding. Both give the same strategies.
    """
    game = make("leduc(by_rank=true)")
    twin = naive.Cfr(game, alternating=True, instant=instant, predictive=False)
    plain = naive.Step(1, 1, 1, -INF, decay=1, weight=1)
    solver = RegretSolver(compile_game(game), recipe_of(text))
    for t in range(1, 5):
        twin.iterate(plain)
        for regrets in twin.regrets.values():
            for action, regret in regrets.items():
                regrets[action] = regret * share(t, alpha if regret > 0 else beta)
        for sums in twin.averages.values():
            for action in sums:
                sums[action] *= (t / (t + 1)) ** gamma
        solver.run(1)
        for player, treeplex in enumerate(solver.form.treeplexes):
            average = twin.average_strategy()
            theirs = [average[player, key][a] for key, a in _pairs(treeplex)]
            ours = solver.strategy().probabilities[player][1:]
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def _pairs(treeplex):
    for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
        for label in labels:
            yield key, label
