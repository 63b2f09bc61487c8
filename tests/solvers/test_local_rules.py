"""Local rules of one's own, against the naive twin."""

from __future__ import annotations

from dataclasses import replace

import pytest

import naive
from infoset.forms import compile_game
from infoset.games import make
from infoset.machine.simd import larger, splat_like, where_greater
from infoset.solvers.local_rules import LocalRule
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.regret import RegretSolver

ITERATIONS = 10


def lifted(regret, largest, sharpness):
    """Positive part of a regret that half of the infoset's largest was added to."""
    half = splat_like(regret, 0.5)
    return larger(regret + largest * half, splat_like(regret, 0.0)) * sharpness


def slow(regret, gain, keep_positive, keep_negative, floor):
    """What is lost counts twice."""
    return regret + where_greater(splat_like(gain, 0.0), gain, gain + gain, gain)


def strategy_of(rule):
    """The strategy by `lifted`, as the twin asks for it."""

    def strategy(regrets, t):
        lift = max(regrets.values()) / 2 if rule.uses_largest else 0.0
        return naive.match({action: regret + lift for action, regret in regrets.items()})

    return strategy


RULES = [
    LocalRule("lifted", lifted, slow, uses_largest=True),
    # The same functions, but the largest regret that they are given is zero.
    LocalRule("not lifted", lifted, slow),
]


@pytest.mark.parametrize("instant", [False, True])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_of_ones_own_does_what_it_says(rule, instant):
    game = make("kuhn")
    solver = RegretSolver(compile_game(game), replace(Recipe(rule=rule), instant=instant))
    twin = naive.Cfr(
        game,
        alternating=True,
        instant=instant,
        predictive=False,
        strategy_of=strategy_of(rule),
        update=lambda regret, gain, step: regret + gain * (2 if gain < 0 else 1),
    )
    for _ in range(ITERATIONS):
        solver.run(1)
        twin.iterate(naive.Step(1.0, 1.0, 1.0, float("-inf"), 1.0, 1.0))
    strategy, expected = solver.strategy(), twin.average_strategy()
    assert set(strategy) == set(expected)
    for key in strategy:
        assert strategy[key] == pytest.approx(expected[key], abs=1e-12)


def test_rules_of_the_same_functions_are_one_to_numba_only_if_they_see_the_same():
    keys = [replace(rule).compiled.key for rule in RULES + RULES]
    assert keys[:2] == keys[2:]
    assert len(set(keys)) == 2
