"""Strategies of smaller games, played in larger ones."""

from __future__ import annotations

import pytest

import infoset
from infoset.strategy import translate


def tables_of(strategy):
    return strategy.table(0), strategy.table(1)


def test_suits_that_make_no_difference_cost_nothing():
    solution = infoset.solve("leduc(by_rank=true)", "cfr+", iterations=100)
    found = translate(tables_of(solution.strategy), infoset.compile("leduc"))
    assert found[1:] == (0, 936, 0)
    exploitability = infoset.exploitability("leduc", found.strategy)
    assert exploitability == pytest.approx(solution.exploitability, abs=1e-12)


def test_the_same_game_comes_back():
    solution = infoset.solve("nolimit_leduc(stack=4)", "cfr+", iterations=50)
    found = translate(tables_of(solution.strategy), infoset.compile("nolimit_leduc(stack=4)"))
    assert found.similar == found.unknown == 0
    for mine, its in zip(
        found.strategy.probabilities, solution.strategy.probabilities, strict=True
    ):
        assert mine == pytest.approx(its, abs=1e-15)


def test_all_in_is_all_in_in_a_game_of_deeper_stacks():
    """2, 3 and 5 chips of 5 are about 2, 4 and 8 of 8, where sizes are compared by logarithm."""
    small = {"Ks:": {"check": 0.1, "bet2": 0.2, "bet3": 0.3, "bet5": 0.4}}
    small |= {"Ks:bet5": {"fold": 0.25, "call": 0.75}, "Ks:bet2": {"fold": 0.0, "call": 1.0}}
    found = translate((small, small), infoset.compile("nolimit_leduc(stack=8)"))
    strategy = found.strategy
    assert strategy["Ks:"] == {
        **{"check": 0.1, "bet2": 0.2, "bet3": 0.0, "bet4": 0.3, "bet5": 0.0},
        **{"bet6": 0.0, "bet7": 0.0, "bet8": 0.4},
    }
    assert strategy["Ks:bet8"] == {"fold": 0.25, "call": 0.75}
    assert strategy["Ks:bet2"]["call"] == 1.0
    assert strategy["Js:"]["bet2"] == pytest.approx(1 / 8)


def test_deeper_stacks_lose_little():
    solution = infoset.solve("nolimit_leduc(stack=8)", "cfr+", iterations=300)
    form = infoset.compile("nolimit_leduc(stack=10)")
    found = translate(tables_of(solution.strategy), form)
    assert infoset.exploitability(form, found.strategy) < 0.1  # uniform play: 3.16
    assert found.unknown == 13416


def test_an_abstract_strategy_is_lifted_or_translated_alike():
    from infoset.forms import abstract_form
    from infoset.games import make, merge_of
    from infoset.strategy import lift

    form = infoset.compile("leduc")
    abstraction = abstract_form(form, merge_of("texture", make("leduc")))
    solution = infoset.solve(abstraction.abstract, "cfr+", iterations=50)
    lifted = lift(abstraction, solution.strategy)
    warm = infoset.solve("leduc", "cfr+", iterations=1, start_from=lifted)
    assert warm.start.same == 936
