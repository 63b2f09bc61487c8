"""Local best responses: what the formulas say, never more than a best response, and hold'em."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from aivat_for_tests import RandomAgent, random_strategy
from infoset.agents import (
    Folder,
    LocalBestResponse,
    Passive,
    Seen,
    StrategyAgent,
    Uniform,
    play_hand,
)
from infoset.agents.local_best_response import steps_of
from infoset.errors import AgentError, BadInputError
from infoset.evaluation import best_response, expected_value
from infoset.forms import sequence_form_of
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import Spot
from infoset.strategy import SequenceStrategy
from naive_lbr import local_values

SMALL = [
    "kuhn",
    "one_card(cards=4)",
    "leduc(by_rank=true)",
    "nolimit_leduc(stack=4,by_rank=true)",
    "holdem(stack=4,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2)",
]


def decisions(game, seat):
    """One state of every infoset of a player, with the steps that lead there."""
    found = {}

    def walk(state, steps):
        if state.player == TERMINAL:
            return
        if state.player == seat and state.infoset not in found:
            found[state.infoset] = state, steps
        labels = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
        for label in labels:
            walk(state.child(label), (*steps, label))

    walk(game.root(), ())
    return found


def played_value(game, strategy, seat, agent):
    """What an agent wins against a strategy, exactly, if it always acts alike at an infoset."""
    table = {
        key: {agent.act(Seen(state)): 1.0} for key, (state, _) in decisions(game, seat).items()
    }
    own = SequenceStrategy.from_tables(strategy.form, (table, {}) if seat == 0 else ({}, table))
    sides = list(strategy.probabilities)
    sides[seat] = own.probabilities[seat]
    value = expected_value(SequenceStrategy(strategy.form, (sides[0], sides[1])))
    return value if seat == 0 else -value


@given(
    text=st.sampled_from(SMALL[:4]),
    seed=st.integers(0, 10_000),
    seat=st.integers(0, 1),
    actions=st.sampled_from(["fc", "fcpa", "56bets"]),
)
@settings(max_examples=40)
def test_never_more_than_a_best_response(text, seed, seat, actions):
    game = make(text)
    strategy = random_strategy(sequence_form_of(game), seed)
    agent = LocalBestResponse(game, StrategyAgent(game, strategy), actions)
    won = played_value(game, strategy, seat, agent)
    assert won <= best_response(strategy, seat).value + 1e-9


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", SMALL)
def test_against_uniform_and_solved_strategies(text, seat):
    game = make(text)
    for strategy in (infoset.uniform(game), infoset.solve(game, "dcfr", iterations=50).strategy):
        agent = LocalBestResponse(game, StrategyAgent(game, strategy))
        won = played_value(game, strategy, seat, agent)
        best = best_response(strategy, seat).value
        assert won <= best + 1e-9
    # Against uniform play looking one action ahead is already worth a lot.
    uniform = infoset.uniform(game)
    agent = LocalBestResponse(game, StrategyAgent(game, uniform))
    value = expected_value(uniform) * (1 if seat == 0 else -1)
    assert played_value(game, uniform, seat, agent) > value + 0.1


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    "text", ["kuhn", "leduc(by_rank=true)", "nolimit_leduc(stack=4,by_rank=true)"]
)
def test_values_are_those_of_the_formulas(text, seat):
    game = make(text)
    strategy = random_strategy(sequence_form_of(game), 17)
    agent = LocalBestResponse(game, StrategyAgent(game, strategy), "56bets")

    def known(player, key):
        return strategy[player, key]

    places = decisions(game, seat)
    for state, steps in places.values():
        values = agent.values(Seen(state))
        assert list(values) == list(state.actions)  # so few sizes are all considered
        expected = local_values(game, known, seat, steps)
        assert values == pytest.approx(expected, abs=1e-12)
        assert values[agent.act(Seen(state))] == max(values.values())
    assert len(places) >= 6


def mean_won(game, opponent, hands, actions="fcpa"):
    agent = LocalBestResponse(game, opponent, actions)
    won = []
    for number in range(hands):
        seat = number % 2
        agents = [agent, opponent] if seat == 0 else [opponent, agent]
        payoff = float(play_hand(game, agents, seed=9, hand=number).payoff)
        won.append(payoff if seat == 0 else -payoff)
    return float(np.mean(won))


@pytest.mark.parametrize("actions", ["fcpa", "56bets"])
def test_always_fold_loses_750_mbb(actions):
    """Lisy & Bowling (2017): half of the small blind and half of the big one, every hand."""
    assert 10 * mean_won(make("holdem"), Folder(), 40, actions) == 750


def test_always_call_is_beaten_by_more_than_always_fold():
    game = make("holdem(stack=2000)")
    assert mean_won(game, Passive(), 200) > 150


def test_fold_and_call_alone_never_bet():
    game = make("holdem")
    agent = LocalBestResponse(game, Passive(), "fc")
    for number in range(20):
        hand = play_hand(game, [agent, Passive()], seed=3, hand=number)
        assert not any(step.startswith("raise") for step in hand.steps)


def test_bets_only_from_a_street_on():
    game = make("holdem")
    agent = LocalBestResponse(game, Passive(), from_street=2)
    num_bets = 0
    for number in range(20):
        hand = play_hand(game, [agent, Passive()], seed=3, hand=number)
        first_streets = hand.steps[2:7]
        assert not any(step.startswith(("raise", "fold")) for step in first_streets)
        num_bets += sum(step.startswith("raise") for step in hand.steps)
    assert num_bets > 5


@pytest.mark.parametrize("opponent", [Uniform(), "random"])
def test_holdem_ranges_are_followed(opponent):
    """The range is the product of all that the opponent did, whichever way it is computed."""
    game = make("holdem(raises=pot)")
    known = RandomAgent(game, 4) if opponent == "random" else opponent
    agent = LocalBestResponse(game, known)
    state = game.root().child("AsKd").child("QcQh")
    for step in ("raise300", "call", "8d7h2c", "check", "raise900", "call", "2d"):
        state = state.child(step)
        if state.player == 0:
            agent.values(Seen(state))
    fresh = LocalBestResponse(game, known)
    assert agent.values(Seen(state)) == fresh.values(Seen(state))
    public, reach = game.public(), np.ones(1326)
    for step in steps_of(state.public.public_history):
        if public.player == 1:
            reach = reach * known.range_strategy(public)[step]
        public = public.child(step)
    dead = {card for hand in ("AsKd",) for card in game.hand_cards[game.hand_of[hand]]}
    dead |= set(state.public.board)
    reach[[bool(set(cards) & dead) for cards in game.hand_cards]] = 0
    walked = fresh._walked.reach
    assert walked / walked.sum() == pytest.approx(reach / reach.sum(), abs=1e-15)


def test_a_spot():
    spot = Spot("Ks9h7d4c2s", "AA,QQ,T8s", "JJ,KQs,K8s", pot=100, stack=200)
    strategy = infoset.solve(spot, iterations=20).strategy
    opponent = StrategyAgent(spot, strategy)
    agent = LocalBestResponse(spot, opponent)
    for number in range(30):
        play_hand(spot, [agent, opponent], seed=1, hand=number)
        play_hand(spot, [opponent, agent], seed=1, hand=number)


def test_refusals():
    game = make("leduc")
    with pytest.raises(AgentError, match="rps is none by its rules"):
        LocalBestResponse(make("rps"), Uniform())
    with pytest.raises(AgentError, match=r"liars_dice.* is none by its rules"):
        LocalBestResponse(make("liars_dice"), Uniform())
    with pytest.raises(AgentError, match="no range_strategy"):
        LocalBestResponse(game, object())
    with pytest.raises(BadInputError, match="there are no actions 'fcp'; did you mean 'fcpa'"):
        LocalBestResponse(game, Uniform(), "fcp")


def test_what_the_opponent_never_does_says_nothing_about_his_hand():
    """Always-fold never calls: after a call he is thought to hold what he might have before."""
    game = make("leduc")
    agent = LocalBestResponse(game, Folder(), "fc")
    state = game.root().child("Js").child("Qs").child("bet").child("call").child("Jh")
    assert agent.values(Seen(state))["check"] > 0  # a pair
    hand = play_hand(game, [LocalBestResponse(game, Folder()), Passive()], seed=1, hand=0)
    assert hand.steps[-1] != "fold"
