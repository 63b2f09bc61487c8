"""AIVAT by public states: the same as on the tree, and hold'em."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from aivat_for_tests import BOTH_WAYS, RandomAgent, RandomGuess, nodes_by_steps, random_strategy
from games_for_tests import random_dealt_game
from infoset.agents import (
    Aivat,
    CheckDown,
    ExactValues,
    Folder,
    Hand,
    Heuristic,
    Passive,
    StrategyAgent,
    TreeAivat,
    Uniform,
    Zero,
    exact_values,
    play_hand,
)
from infoset.errors import AgentError, BadInputError
from infoset.forms import sequence_form_of
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import Spot

SMALL_HOLDEM = "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)"


def node_values(game, heuristic):
    """[num_nodes] What a heuristic says of every history, for player 0."""
    form = sequence_form_of(game)
    tree, out = form.history, np.zeros(form.history.num_nodes)

    def walk(state, node):
        if state.hand1 is not None:
            out[node] = heuristic.values(state.public, 0, state.hand1)[state.hand0]
        if state.player == TERMINAL:
            return
        labels = state.actions if state.player >= 0 else [label for label, _ in state.chance]
        for slot, label in enumerate(labels):
            walk(state.child(label), int(tree.node_child[node]) + slot)

    walk(game.root(), 0)
    return out


def check_same_as_tree(game, heuristic, seed, is_known, guess=None, every=1):
    form = sequence_form_of(game)
    a, b = random_strategy(form, seed), random_strategy(form, seed + 1)
    if guess is None:
        guess = node_values(game, heuristic)
    tree = TreeAivat(game, (a if is_known[0] else None, b if is_known[1] else None), guess)
    agents = [StrategyAgent(game, s) if k else None for s, k in zip((a, b), is_known, strict=True)]
    aivat = Aivat(game, (agents[0], agents[1]), heuristic)
    ends = [
        steps
        for steps, node in nodes_by_steps(game, form).items()
        if form.history.node_player[node] == TERMINAL
    ]
    for steps in ends[::every]:
        for seat in (0, 1):
            expected = tree.value(Hand(steps, 0), seat)
            assert aivat.value(Hand(steps, 0), seat) == pytest.approx(expected, abs=1e-10)
    return len(ends)


@pytest.mark.parametrize("is_known", BOTH_WAYS)
@pytest.mark.parametrize(
    ("text", "every"),
    [("kuhn", 1), ("leduc(by_rank=true)", 3), ("liars_dice(faces=3)", 1), (SMALL_HOLDEM, 397)],
)
def test_same_as_on_the_tree(text, every, is_known):
    game = make(text)
    assert check_same_as_tree(game, RandomGuess(game), 21, is_known, every=every) >= 30


@pytest.mark.parametrize("heuristic", [CheckDown, RandomGuess, Zero])
def test_same_as_on_the_tree_with_all_of_leduc(heuristic):
    game = make("leduc")
    assert check_same_as_tree(game, heuristic(game), 5, (True, False), every=11) > 5000


@pytest.mark.parametrize("seed", range(10))
def test_same_as_on_the_tree_for_any_game_with_public_states(seed):
    game = random_dealt_game(seed)
    check_same_as_tree(game, RandomGuess(game), seed, (True, False))


def test_check_down_of_small_holdem_as_on_the_tree():
    """Its shortcuts before chance and before actions are the sums that they replace."""
    game = make(SMALL_HOLDEM)
    for is_known in BOTH_WAYS:
        check_same_as_tree(game, CheckDown(game), 31, is_known, every=397)


@pytest.mark.parametrize("text", ["kuhn", "leduc", "liars_dice(faces=3)"])
def test_exact_values_are_those_of_the_tree(text):
    game = make(text)
    strategy = random_strategy(sequence_form_of(game), 8)
    exact = ExactValues(game, StrategyAgent(game, strategy))
    check_same_as_tree(game, exact, 9, (True, True), exact_values(strategy), every=5)


@pytest.mark.parametrize(
    "line",
    ["call", "raise300", "raise300,raise900", "raise300,call/Ks9h7d:check", "call,check/Ks9h7d:"],
)
def test_check_down_before_actions_of_holdem(line):
    game = make("holdem(raises=pot)")
    public = walked(game, line)
    agent, heuristic = RandomAgent(game), CheckDown(game)
    by_action = agent.range_strategy(public)
    for player, other in ((0, 17), (1, 900)):
        expected = Heuristic.before_action(heuristic, public, by_action, player, other)
        shortcut = heuristic.before_action(public, by_action, player, other)
        assert shortcut == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    "line", ["call,check/Ks9h7d:check,check", "call,check/Ks9h7d:check,check/2c:check,check"]
)
def test_check_down_before_cards_of_holdem(line):
    game = make("holdem(raises=pot)")
    public = walked(game, line)
    assert public.player == CHANCE
    heuristic = CheckDown(game)
    other = game.hand_of["AsAd"]
    can_meet = heuristic.pairings.dealt(0, other) > 0
    shown = public.board
    can_meet &= np.array([not set(cards) & set(shown) for cards in game.hand_cards])
    expected = Heuristic.before_chance(heuristic, public, 0, other)
    shortcut = heuristic.before_chance(public, 0, other)
    assert shortcut[can_meet] == pytest.approx(expected[can_meet], abs=1e-9)


def test_check_down_before_the_flop_is_the_mean_over_flops():
    """Drawn flops for one pair of hands, within four standard errors."""
    game = make("holdem")
    heuristic = CheckDown(game)
    public = walked(game, "call,check")
    hand, other = game.hand_of["AsKs"], game.hand_of["2d2c"]
    left = [c for c in game.deck if c not in game.hand_cards[hand] + game.hand_cards[other]]
    rng = np.random.default_rng(1)
    values = [
        heuristic.values(public.after_board(tuple(rng.choice(left, 3, replace=False))), 0, other)[
            hand
        ]
        for _ in range(600)
    ]
    error = np.std(values) / np.sqrt(len(values))
    assert np.mean(values) == pytest.approx(heuristic.values(public, 0, other)[hand], abs=4 * error)


def walked(game, line):
    public = game.public()
    for number, street in enumerate(line.split("/")):
        cards, _, actions = street.rpartition(":")
        if number:
            public = public.child(cards)
        for action in actions.split(","):
            public = public.child(action) if action else public
    return public


def test_holdem_is_unbiased_within_four_standard_errors():
    game = make("holdem(raises=pot,stack=2000)")
    a, b = RandomAgent(game, 1), RandomAgent(game, 2)
    aivat = Aivat(game, (a, None), CheckDown(game))
    payoffs, values, terms = [], [], []
    for number in range(300):
        seat = number % 2
        agents = [a, b] if seat == 0 else [b, a]
        hand = play_hand(game, agents, seed=5, hand=number)
        payoffs.append(float(hand.payoff) * (1 if seat == 0 else -1))
        values.append(aivat.value(hand, seat))
        terms.append(aivat.terms(hand, seat)[1])
    difference = np.subtract(payoffs, values)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))
    assert abs(np.mean(terms)) < 4 * np.std(terms) / np.sqrt(len(terms))
    assert np.std(values) < 0.8 * np.std(payoffs)


def test_a_solved_spot():
    spot = Spot("Td9d6hQc", "66+,A8s+,A5s,KJs+", "QQ-22,ATo+,KQo", pot=200, stack=400)
    strategy = infoset.solve(spot, iterations=60).strategy
    agent = StrategyAgent(spot, strategy)
    aivat = Aivat(spot, (agent, None), CheckDown(spot))
    payoffs, values = [], []
    for number in range(200):
        hand = play_hand(spot, [agent, agent], seed=2, hand=number)
        payoffs.append(float(hand.payoff))
        values.append(aivat.value(hand, 0))
    difference = np.subtract(payoffs, values)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(len(difference))
    assert np.std(values) < 0.5 * np.std(payoffs)


def test_any_number_of_raises():
    game = make("holdem")
    aivat = Aivat(game, (Uniform(), Passive()), CheckDown(game))
    hand = play_hand(game, [Uniform(), Passive()], seed=1, hand=4)
    assert np.isfinite(aivat.value(hand, 0))


def test_refusals():
    game = make("leduc")
    with pytest.raises(AgentError, match="rps do not say what both players see"):
        CheckDown(make("rps"))
    heuristic = CheckDown(game)
    with pytest.raises(BadInputError, match="at least one"):
        Aivat(game, (None, None), heuristic)
    with pytest.raises(AgentError, match="no range_strategy; give None"):
        Aivat(game, (object(), None), heuristic)
    with pytest.raises(AgentError, match="rps do not say"):
        Aivat(make("rps"), (Passive(), None), heuristic)
    with pytest.raises(AgentError, match="too many hands for exact values"):
        ExactValues(make("holdem"), Passive())
    aivat = Aivat(game, (Folder(), None), heuristic)
    with pytest.raises(AgentError, match="'bet,call'"):
        aivat.value(Hand(("Js", "Qs", "bet", "call", "Ks", "check", "check"), 2), 1)
    with pytest.raises(BadInputError, match="is not over"):
        aivat.value(Hand(("Js", "Qs", "check"), 2), 0)
    with pytest.raises(BadInputError, match="after its end"):
        aivat.value(Hand(("Js", "Qs", "check", "bet", "fold", "fold"), 2), 0)
    with pytest.raises(BadInputError, match="begins with the hands"):
        aivat.value(Hand(("Js",), 2), 0)
    dice = make("liars_dice")
    with pytest.raises(AgentError, match="in poker only"):
        CheckDown(dice).values(dice.public(), 0, 0)
