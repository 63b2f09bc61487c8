"""Value, best response, exploitability and regrets: known values, the naive twin, properties."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from games_for_tests import (
    CORNERS,
    Changed,
    games,
    generic_payoff,
    matrix_game,
    random_dealt_game,
    random_game,
    small_random_games,
)
from infoset.errors import BadInputError
from infoset.evaluation import best_response, expected_value, exploitability, infoset_regrets
from infoset.forms import compile_game
from infoset.games import make
from infoset.strategy import SequenceStrategy

GAMES = {
    **{text: make(text) for text in ("kuhn", "rps", "goofspiel(cards=3)", "leduc(by_rank=true)")},
    **{text: make(text) for text in ("liars_dice(faces=2)", "nolimit_leduc(stack=3)")},
    **CORNERS,
    **small_random_games(),
}


def random_strategy(tree, seed, pure=0.3):
    """Any strategy; at some infosets a pure one, so that parts of the game are never reached."""
    rng = random.Random(f"strategy {seed}")
    tables = []
    for treeplex in tree.treeplexes:
        table = {}
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            weights = [rng.expovariate(1) for _ in labels]
            if rng.random() < pure:
                weights = [float(i == 0) for i in rng.sample(range(len(labels)), len(labels))]
            table[key] = {a: w / sum(weights) for a, w in zip(labels, weights, strict=True)}
        tables.append(table)
    return SequenceStrategy.from_tables(tree, tuple(tables))


def as_twin(strategy):
    """The same strategy as the twin writes it."""
    return {(p, key): row for p in (0, 1) for key, row in strategy.table(p).items()}


# --- known values -------------------------------------------------------------------------------


def kuhn_equilibrium(alpha):
    """Kuhn (1950): player 0 bluffs the jack with probability alpha, from 0 to 1/3.

    As in https://en.wikipedia.org/wiki/Kuhn_poker: bet the king 3 alpha, call with the queen
    alpha + 1/3; player 1 bluffs the jack 1/3 and calls with the queen 1/3.
    """
    first = {
        "J:": {"bet": alpha, "check": 1 - alpha},
        "J:check,bet": {"fold": 1},
        "Q:": {"check": 1},
        "Q:check,bet": {"call": alpha + 1 / 3, "fold": 2 / 3 - alpha},
        "K:": {"bet": 3 * alpha, "check": 1 - 3 * alpha},
        "K:check,bet": {"call": 1},
    }
    second = {
        "J:check": {"bet": 1 / 3, "check": 2 / 3},
        "J:bet": {"fold": 1},
        "Q:check": {"check": 1},
        "Q:bet": {"call": 1 / 3, "fold": 2 / 3},
        "K:check": {"bet": 1},
        "K:bet": {"call": 1},
    }
    return first, second


@pytest.mark.parametrize("alpha", [0, 0.1, 0.2, 1 / 4, 1 / 3])
def test_kuhns_equilibria(alpha):
    strategy = SequenceStrategy.from_tables(compile_game(make("kuhn")), kuhn_equilibrium(alpha))
    assert exploitability(strategy) == pytest.approx(0, abs=1e-15)
    assert expected_value(strategy) == pytest.approx(-1 / 18, abs=1e-15)
    for player, value in ((0, -1 / 18), (1, 1 / 18)):
        assert best_response(strategy, player).value == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("alpha", [0.34, 0.5])
def test_too_many_bluffs_are_no_equilibrium(alpha):
    first, second = kuhn_equilibrium(1 / 3)
    first["J:"] = {"bet": alpha, "check": 1 - alpha}
    strategy = SequenceStrategy.from_tables(compile_game(make("kuhn")), (first, second))
    # Player 1 calls the jack's bets with the queen and the king, two deals of six, and wins 2
    # where he would win 1: NashConv grows by a third of what is bluffed too often.
    assert exploitability(strategy) == pytest.approx((alpha - 1 / 3) / 3 / 2, abs=1e-15)


# OpenSpiel, uniform policy: kuhn_poker value 1/8 and NashConv 11/12; leduc_poker value -5/64 and
# NashConv 4.747222; by hand: rock-paper-scissors 0 and 0.
UNIFORM = {"kuhn": (1 / 8, 11 / 12), "leduc": (-5 / 64, 4.747222222222222), "rps": (0, 0)}


@pytest.mark.parametrize("text", UNIFORM)
def test_uniform_play(text):
    strategy = SequenceStrategy.uniform(compile_game(make(text)))
    value, nash_conv = UNIFORM[text]
    assert expected_value(strategy) == pytest.approx(value, abs=1e-14)
    assert 2 * exploitability(strategy) == pytest.approx(nash_conv, abs=1e-13)


def test_a_matrix_by_hand():
    tree = compile_game(matrix_game([[3, -1], [-2, 4]]))
    strategy = SequenceStrategy.from_tables(
        tree, ({"row": {"r0": 0.25, "r1": 0.75}}, {"col": {"c0": 0.5, "c1": 0.5}})
    )
    assert expected_value(strategy) == 0.25 * 1 + 0.75 * 1
    assert best_response(strategy, 0).value == 1  # both rows win 1 on average
    # The columns cost 0.25 * 3 - 0.75 * 2 = -0.75 and -0.25 + 0.75 * 4 = 2.75.
    answer = best_response(strategy, 1)
    assert answer.value == 0.75
    assert answer.strategy["col"] == {"c0": 1.0, "c1": 0.0}
    assert answer.infoset_values == {"col": 0.75}
    assert exploitability(strategy) == (1 + 0.75) / 2
    # The equilibrium by hand: rows 3/5 and 2/5, columns 1/2 and 1/2, value 1.
    solved = SequenceStrategy.from_tables(
        tree, ({"row": {"r0": 0.6, "r1": 0.4}}, {"col": {"c0": 0.5, "c1": 0.5}})
    )
    assert exploitability(solved) == pytest.approx(0, abs=1e-15)
    assert expected_value(solved) == pytest.approx(1)


# --- the naive twin -----------------------------------------------------------------------------


def check_against_twin(game, seed):
    tree, histories = compile_game(game), naive.Histories(game)
    strategy = random_strategy(tree, seed)
    twin = as_twin(strategy)
    scale = max(1.0, np.abs(tree.history.node_payoff).max())

    def near(number):
        return pytest.approx(number, abs=1e-13 * scale)

    assert expected_value(strategy) == near(naive.expected_value(histories, twin))
    assert exploitability(strategy) == near(naive.exploitability(histories, twin))
    regrets = infoset_regrets(strategy)
    expected = naive.counterfactual_regrets(histories, twin)
    assert {(p, key) for p in (0, 1) for key in regrets[p]} == set(expected)
    for (player, key), row in expected.items():
        assert regrets[player][key] == {action: near(gain) for action, gain in row.items()}
    for player in (0, 1):
        value, _, worth = naive.best_response(histories, twin, player)
        answer = best_response(strategy, player)
        assert answer.player == player
        assert answer.value == near(value)
        assert answer.infoset_values == {key: near(worth[player, key]) for key in regrets[player]}
        check_answer(histories, strategy, answer, worth, near)


def check_answer(histories, strategy, answer, worth, near):
    """The strategy of a best response wins its value, is pure, and is best everywhere."""
    player = answer.player
    played = as_twin(answer.strategy)
    sign = 1 if player == 0 else -1
    assert sign * naive.expected_value(histories, played) == near(answer.value)
    for key, row in played.items():
        if key[0] == player:
            assert sorted(row.values())[-1] == 1
            assert sum(row.values()) == 1
        else:
            assert row == strategy[key]
    # At every infoset, its own or not: a counterfactual best response.
    reach = naive.reach_of_others(histories, played, player)
    for key, nodes in histories.infosets.items():
        if key[0] == player:
            here = sum(reach[h] * naive.utility(h, played, player) for h in nodes)
            assert here == near(worth[key])


@pytest.mark.parametrize("name", GAMES)
def test_against_the_twin(name):
    check_against_twin(GAMES[name], seed=name)


@settings(max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 999))
def test_against_the_twin_on_random_games(game, seed):
    check_against_twin(game, seed)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_against_the_twin_on_random_games_in_public_form(seed):
    check_against_twin(random_dealt_game(seed), seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_is_the_best_of_all_pure_strategies(seed, player):
    game = make("kuhn")
    tree, histories = compile_game(game), naive.Histories(game)
    strategy = random_strategy(tree, seed)
    best = naive.best_pure_value(histories, as_twin(strategy), player)
    assert best_response(strategy, player).value == pytest.approx(best, abs=1e-14)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("player", [0, 1])
def test_best_response_is_the_best_of_all_pure_strategies_of_random_games(seed, player):
    game = random_game(seed, depth=3)
    histories = naive.Histories(game)
    counts = [len(histories.actions(key)) for key in histories.infosets if key[0] == player]
    if math.prod(counts) > 2000:
        pytest.skip("too many pure strategies")
    strategy = random_strategy(compile_game(game), seed)
    best = naive.best_pure_value(histories, as_twin(strategy), player)
    assert best_response(strategy, player).value == pytest.approx(best, abs=1e-13)


# --- properties ---------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(game=games(), seed=st.integers(0, 999))
def test_best_responses_are_at_least_as_good(game, seed):
    strategy = random_strategy(compile_game(game), seed)
    value = expected_value(strategy)
    assert best_response(strategy, 0).value >= value - 1e-12
    assert best_response(strategy, 1).value >= -value - 1e-12
    assert exploitability(strategy) >= -1e-12
    # Nobody gains by answering an answer once more.
    answer = best_response(strategy, 0).strategy
    assert best_response(answer, 0).value == best_response(strategy, 0).value
    regrets = infoset_regrets(best_response(strategy, 1).strategy)[1]
    assert all(gain <= 1e-12 for row in regrets.values() for gain in row.values())


@settings(max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 999), power=st.integers(-40, 40), negative=st.booleans())
def test_scaling_payoffs_scales_everything(game, seed, power, negative):
    """By a power of two, so that even the rounding is the same."""
    scale = math.ldexp(-1.0 if negative else 1.0, power)
    strategy = random_strategy(compile_game(game), seed)
    scaled = SequenceStrategy(compile_game(Changed(game, scale=scale)), strategy.probabilities)
    assert expected_value(scaled) == scale * expected_value(strategy)
    if not negative:
        assert exploitability(scaled) == scale * exploitability(strategy)
        assert best_response(scaled, 0).value == scale * best_response(strategy, 0).value
        ours, theirs = infoset_regrets(scaled), infoset_regrets(strategy)
        for player in (0, 1):
            for key, row in theirs[player].items():
                assert ours[player][key] == {a: scale * gain for a, gain in row.items()}


@settings(max_examples=60, deadline=None)
@given(game=games(), seed=st.integers(0, 999))
def test_names_and_order_change_nothing(game, seed):
    """Actions renamed, actions and outcomes in reverse order."""
    strategy = random_strategy(compile_game(game), seed)
    other = compile_game(Changed(game, rename=lambda label: f"not {label}", reverse=True))
    tables = tuple(
        {
            key: {f"not {a}": p for a, p in row.items()}
            for key, row in strategy.table(player).items()
        }
        for player in (0, 1)
    )
    renamed = SequenceStrategy.from_tables(other, tables)
    assert expected_value(renamed) == pytest.approx(expected_value(strategy), abs=1e-13)
    assert exploitability(renamed) == pytest.approx(exploitability(strategy), abs=1e-13)
    for player in (0, 1):
        ours = best_response(renamed, player).infoset_values
        theirs = best_response(strategy, player).infoset_values
        assert ours == {key: pytest.approx(value, abs=1e-13) for key, value in theirs.items()}


@settings(max_examples=40, deadline=None)
@given(game=games(pay=generic_payoff), seed=st.integers(0, 999))
def test_exploitability_of_a_mixture_is_at_most_that_of_its_parts(game, seed):
    """Best-response values are convex in the opponent's plan."""
    tree = compile_game(game)
    one, two = random_strategy(tree, seed), random_strategy(tree, seed + 1)
    half = SequenceStrategy(
        tree,
        tuple(
            mixed(t, a, b)
            for t, a, b in zip(tree.treeplexes, one.probabilities, two.probabilities, strict=True)
        ),
    )
    for player in (0, 1):
        bound = (best_response(one, player).value + best_response(two, player).value) / 2
        assert best_response(half, player).value <= bound + 1e-12


def mixed(treeplex, one, two):
    """The strategy whose plan is half of each: own reach weighs the two at every infoset."""
    plans = []
    for strategy in (one, two):
        plan = np.ones(treeplex.num_sequences)
        for i in range(treeplex.num_infosets):
            begin, end = treeplex.infoset_begin[i : i + 2]
            plan[begin:end] = strategy[begin:end] * plan[treeplex.infoset_parent[i]]
        plans.append(plan)
    total = plans[0] + plans[1]
    out = np.ones_like(total)
    for i in range(treeplex.num_infosets):
        begin, end = treeplex.infoset_begin[i : i + 2]
        reach = total[begin:end].sum()
        out[begin:end] = total[begin:end] / reach if reach > 0 else 1 / (end - begin)
    return out


# --- the edges ----------------------------------------------------------------------------------


@pytest.mark.parametrize("player", [2, -1, "0", None])
def test_there_are_two_players(player):
    with pytest.raises(BadInputError, match="players are 0 and 1"):
        best_response(SequenceStrategy.uniform(compile_game(make("kuhn"))), player)


def test_a_player_who_never_moves_has_a_best_response():
    strategy = SequenceStrategy.uniform(compile_game(CORNERS["chance only"]))
    assert expected_value(strategy) == pytest.approx(float(Fraction(1, 3) * 3 - Fraction(2, 3) * 6))
    for player, sign in ((0, 1), (1, -1)):
        answer = best_response(strategy, player)
        assert answer.value == sign * expected_value(strategy)
        assert answer.infoset_values == {}
    assert exploitability(strategy) == 0
    assert infoset_regrets(strategy) == ({}, {})


def test_the_first_of_equally_good_actions_is_taken():
    strategy = random_strategy(compile_game(CORNERS["all payoffs zero"]), 3)
    for player, treeplex in enumerate(strategy.form.treeplexes):
        answer = best_response(strategy, player)
        assert answer.value == 0
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            assert answer.strategy[player, key] == {a: float(a == labels[0]) for a in labels}


def test_measuring_changes_nothing():
    """Evaluation works on its own copies."""
    strategy = random_strategy(compile_game(make("leduc")), 1)
    before = [p.copy() for p in strategy.probabilities]
    numbers = [
        (exploitability(strategy), best_response(strategy, 0).value, expected_value(strategy))
        for _ in range(2)
    ]
    assert numbers[0] == numbers[1]
    for p, q in zip(before, strategy.probabilities, strict=True):
        assert (p == q).all()
