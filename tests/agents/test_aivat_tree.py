"""AIVAT on compiled games: exactly unbiased, and what the formulas say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from aivat_for_tests import BOTH_WAYS, nodes_by_steps, random_strategy
from games_for_tests import games, random_dealt_game
from infoset.agents.aivat_tree import TreeAivat, along_paths, exact_values, node_steps
from infoset.agents.hands import Hand, play_hand
from infoset.agents.strategy_agent import StrategyAgent
from infoset.errors import AgentError, BadInputError
from infoset.evaluation import expected_value
from infoset.forms import sequence_form_of
from infoset.games import TERMINAL, make
from infoset.strategy import SequenceStrategy
from naive_aivat import NaiveAivat


def random_values(form, seed):
    return np.random.default_rng(seed).uniform(-10, 10, form.history.num_nodes)


def distribution(form, a, b, seat):
    """The terminals, and the probability of each when A sits in a seat."""
    by_seat = (a, b) if seat == 0 else (b, a)
    tree = form.history
    reach = along_paths(np.multiply, node_steps(form, by_seat), tree.node_parent.astype(np.int64))
    terminals = np.flatnonzero(tree.node_player == TERMINAL)
    return terminals, reach[terminals]


def true_value(form, a, b, seat):
    first, second = (a, b) if seat == 0 else (b, a)
    sides = first.probabilities[0], second.probabilities[1]
    value = expected_value(SequenceStrategy(form, sides))
    return value if seat == 0 else -value


def check_unbiased(game, seed, zeros=0.0):
    form = sequence_form_of(game)
    a, b = random_strategy(form, seed, zeros), random_strategy(form, seed + 1, zeros)
    guess = random_values(form, seed + 2)
    for is_known in BOTH_WAYS:
        known = a if is_known[0] else None, b if is_known[1] else None
        aivat = TreeAivat(game, known, guess)
        for seat in (0, 1):
            terminals, probability = distribution(form, a, b, seat)
            values = aivat.terminal_values(seat)[terminals]
            is_played = probability > 0
            assert np.isfinite(values[is_played]).all()
            mean = probability[is_played] @ values[is_played]
            assert mean == pytest.approx(true_value(form, a, b, seat), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", ["kuhn", "leduc(by_rank=true)", "leduc", "liars_dice(faces=3)"])
def test_unbiased_whatever_the_heuristic(text, seed):
    check_unbiased(make(text), seed)


@pytest.mark.parametrize("text", ["kuhn", "leduc(by_rank=true)"])
def test_unbiased_if_some_actions_are_never_taken(text):
    check_unbiased(make(text), 7, zeros=0.4)


@pytest.mark.parametrize(
    "text", ["rps", "goofspiel(cards=3)", "goofspiel(cards=3,points_order=random)"]
)
def test_unbiased_without_public_states(text):
    check_unbiased(make(text), 3)


@given(game=games(), seed=st.integers(0, 1000))
def test_unbiased_on_any_tree(game, seed):
    check_unbiased(game, seed)


@given(seed=st.integers(0, 10_000))
def test_unbiased_on_any_game_with_public_states(seed):
    check_unbiased(random_dealt_game(seed), seed)


@pytest.mark.parametrize("is_known", BOTH_WAYS)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "text", ["kuhn", "one_card(cards=4)", "liars_dice(faces=3)", "goofspiel(cards=3)"]
)
def test_same_as_the_formulas(text, seat, is_known):
    check_formulas(make(text), seat, is_known)


@given(seed=st.integers(0, 10_000), seat=st.integers(0, 1), is_known=st.sampled_from(BOTH_WAYS))
def test_same_as_the_formulas_on_any_game_with_public_states(seed, seat, is_known):
    check_formulas(random_dealt_game(seed, depth=3), seat, is_known)


def check_formulas(game, seat, is_known):
    form = sequence_form_of(game)
    a, b = random_strategy(form, 11), random_strategy(form, 12)
    guess = random_values(form, 13)
    aivat = TreeAivat(game, (a if is_known[0] else None, b if is_known[1] else None), guess)
    node = nodes_by_steps(game, form)
    by_seat = (a, b) if seat == 0 else (b, a)
    views = [
        NaiveAivat(
            game,
            [lambda player, key, s=s: s[player, key] for s in by_seat],
            is_known if seat == 0 else is_known[::-1],
            seat if agent == 0 else 1 - seat,
            lambda steps: guess[node[steps]],
        )
        for agent in (0, 1)
        if is_known[agent]
    ]
    sign = 1 if seat == 0 else -1
    ends = [list(naive.terminals()) for naive in views]
    assert len(ends[0]) == form.history.num_terminals
    for same in zip(*ends, strict=True):
        expected = sign * np.mean([v.value(end) for v, end in zip(views, same, strict=True)])
        payoff = float(same[0].state.payoff)
        assert form.history.node_payoff[node[same[0].steps]] == payoff
        value = aivat.value(Hand(same[0].steps, payoff), seat)
        assert value == pytest.approx(expected, abs=1e-10)
    for naive in views:
        for part, mean in naive.mean_corrections().items():
            assert mean == pytest.approx(0.0, abs=1e-12), part


def test_every_correction_has_mean_zero_on_leduc():
    game = make("leduc(by_rank=true)")
    form = sequence_form_of(game)
    a, b = random_strategy(form, 1), random_strategy(form, 2)
    node, guess = nodes_by_steps(game, form), random_values(form, 3)
    for seat in (0, 1):
        naive = NaiveAivat(
            game,
            [lambda player, key, s=s: s[player, key] for s in (a, b)],
            (seat == 0, seat == 1),
            seat,
            lambda steps: guess[node[steps]],
        )
        means = naive.mean_corrections()
        assert len(means) > 100
        for part, mean in means.items():
            assert mean == pytest.approx(0.0, abs=1e-12), part


def test_no_luck_is_left_if_all_is_known():
    """Both strategies and the value of every history: every hand has the game's value."""
    game = make("leduc")
    form = sequence_form_of(game)
    strategy = random_strategy(form, 4)
    aivat = TreeAivat(game, (strategy, strategy), exact_values(strategy))
    for seat in (0, 1):
        terminals, probability = distribution(form, strategy, strategy, seat)
        values = aivat.terminal_values(seat)[terminals[probability > 0]]
        assert values == pytest.approx(true_value(form, strategy, strategy, seat), abs=1e-10)


def test_the_deviation_on_leduc_falls_more_than_a_hundred_times():
    """Burch et al. (2018), Leduc self-play: from 3.513 to 0.00643 chips."""
    game = make("leduc")
    strategy = infoset.solve(game, "dcfr", iterations=500).strategy
    form = strategy.form
    aivat = TreeAivat(game, (strategy, None), exact_values(strategy))
    for seat in (0, 1):
        terminals, probability = distribution(form, strategy, strategy, seat)
        is_played = probability > 0
        p = probability[is_played]

        def deviation(x, p=p):
            return np.sqrt(p @ (x - p @ x) ** 2)

        plain = deviation(form.history.node_payoff[terminals[is_played]])
        corrected = deviation(aivat.terminal_values(seat)[terminals[is_played]])
        assert plain == pytest.approx(3.5, abs=0.05)
        assert corrected < 0.01
        assert plain > 100 * corrected


def test_zero_values_still_average_over_our_hands():
    game = make("leduc")
    form = sequence_form_of(game)
    strategy = random_strategy(form, 5)
    aivat = TreeAivat(game, (strategy, None), np.zeros(form.history.num_nodes))
    terminals, probability = distribution(form, strategy, strategy, 0)
    payoffs, values = form.history.node_payoff[terminals], aivat.terminal_values(0)[terminals]
    mean = probability @ payoffs
    assert probability @ (values - mean) ** 2 < 0.95 * (probability @ (payoffs - mean) ** 2)


def test_hands_of_a_match():
    game = make("leduc")
    strategy = random_strategy(sequence_form_of(game), 6)
    aivat = TreeAivat(game, (strategy, strategy), exact_values(strategy))
    agent = StrategyAgent(game, strategy)
    for number in range(20):
        hand = play_hand(game, [agent, agent], seed=3, hand=number)
        node = aivat.node_of(hand.steps)
        assert aivat.form.history.node_payoff[node] == hand.payoff
        assert aivat.value(hand, 0) == pytest.approx(-aivat.value(hand, 1))


def test_refusals():
    game = make("kuhn")
    uniform = infoset.uniform("kuhn")
    values = exact_values(uniform)
    with pytest.raises(BadInputError, match="at least one of the two"):
        TreeAivat(game, (None, None), values)
    with pytest.raises(AgentError, match="strategies of this very game"):
        TreeAivat(game, (infoset.uniform("leduc"), None), values)
    with pytest.raises(BadInputError, match=r"the shape \(3,\), but kuhn has 58 histories"):
        TreeAivat(game, (uniform, None), values[:3])
    aivat = TreeAivat(game, (uniform, None), values)
    with pytest.raises(BadInputError, match="'raise' is not possible"):
        aivat.value(Hand(("K", "J", "raise"), 2), 0)
    with pytest.raises(BadInputError, match="not over"):
        aivat.value(Hand(("K", "J", "bet"), 2), 0)
    passive = SequenceStrategy.from_tables(
        uniform.form, ({f"{card}:": {"check": 1.0} for card in "JQK"}, {})
    )
    aivat = TreeAivat(game, (passive, None), values)
    with pytest.raises(AgentError, match="an action that a known agent never takes"):
        aivat.value(Hand(("K", "J", "bet", "call"), 2), 0)
