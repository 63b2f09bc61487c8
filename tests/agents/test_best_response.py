"""Agents that play a best response win exactly what evaluation says."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from aivat_for_tests import random_strategy
from infoset.agents import BestResponseAgent, Known, Seen, StrategyAgent, play_hand
from infoset.errors import AgentError, TooLargeError
from infoset.evaluation import best_response, expected_value, measure_strategy
from infoset.forms import sequence_form_of
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import Spot
from infoset.strategy import PublicStrategy, SequenceStrategy


def value_of(game, agent, seat, strategy):
    """What an agent wins in a seat, exactly, against a strategy in sequence form."""
    tables = ({}, {})

    def walk(state):
        if state.player == TERMINAL:
            return
        labels = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
        if state.player == seat and state.infoset not in tables[seat]:
            tables[seat][state.infoset] = agent.act(Seen(state))
        for label in labels:
            walk(state.child(label))

    walk(game.root())
    own = SequenceStrategy.from_tables(strategy.form, tables)
    sides = list(strategy.probabilities)
    sides[seat] = own.probabilities[seat]
    value = expected_value(SequenceStrategy(strategy.form, (sides[0], sides[1])))
    return value if seat == 0 else -value


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("text", ["kuhn", "leduc(by_rank=true)", "liars_dice(faces=3)", "rps"])
def test_wins_what_evaluation_says(text, seat):
    game = make(text)
    strategy = random_strategy(sequence_form_of(game), 3)
    agent = BestResponseAgent(game, strategy)
    best = best_response(strategy, seat).value
    assert value_of(game, agent, seat, strategy) == pytest.approx(best, abs=1e-12)


ALL_IN = {"bet": "a", "raise": "a"}
TURN = Spot("Ks9h7d4c", "AA,T8s", "JJ,KQs", pot=100, stack=100, bet_sizes=ALL_IN)
RIVER = Spot("Ks9h7d4c2s", "AA,QQ,T8s", "JJ,KQs,K8s", pot=100, stack=200)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spot", [TURN, RIVER], ids=["turn", "river"])
def test_of_a_spot(spot, seat):
    strategy = infoset.solve(spot, iterations=8).strategy
    assert isinstance(strategy, PublicStrategy)
    form = sequence_form_of(spot)
    tables = [
        {key: strategy[player, key] for key in form.treeplexes[player].keys} for player in (0, 1)
    ]
    in_sequence_form = SequenceStrategy.from_tables(form, (tables[0], tables[1]))
    best = best_response(in_sequence_form, seat).value
    half_pot = spot.pot / 2
    measured = measure_strategy(strategy).best_response_values[seat] - half_pot
    assert measured == pytest.approx(best, abs=1e-4)
    agent = BestResponseAgent(spot, strategy)
    assert value_of(spot, agent, seat, in_sequence_form) == pytest.approx(best, abs=1e-4)


def test_of_a_small_game_in_public_form():
    game = make("leduc")
    strategy = infoset.solve(game, iterations=20, form="public").strategy
    assert isinstance(strategy, PublicStrategy)
    agent = BestResponseAgent(game, strategy)
    best = measure_strategy(strategy).best_response_values
    assert isinstance(agent, Known)
    form = sequence_form_of(game)
    tables = [
        {key: strategy[player, key] for key in form.treeplexes[player].keys} for player in (0, 1)
    ]
    in_sequence_form = SequenceStrategy.from_tables(form, (tables[0], tables[1]))
    for seat in (0, 1):
        assert value_of(game, agent, seat, in_sequence_form) == pytest.approx(best[seat], abs=1e-5)


def test_plays_a_flop():
    spot = Spot("Ks9h7d", "AA,QQ,T8s", "JJ,KQs,K8s", pot=100, stack=150)
    strategy = infoset.solve(spot, iterations=5).strategy
    agents = [BestResponseAgent(spot, strategy), StrategyAgent(spot, strategy)]
    won = []
    for number in range(30):
        hand = play_hand(spot, agents, seed=4, hand=number)
        won.append(float(hand.payoff))
        by_action = agents[0].range_strategy(spot.public())
        assert np.sum([*by_action.values()], axis=0) == pytest.approx(1.0)
    assert np.isfinite(won).all()


def test_too_large_a_game(monkeypatch):
    game = make("leduc")
    strategy = infoset.solve(game, iterations=1, form="public").strategy

    def refuse(_game):
        raise TooLargeError("it has 7 histories, but there is memory for 6")

    monkeypatch.setattr("infoset.agents.best_response.sequence_form_of", refuse)
    with pytest.raises(AgentError, match="leduc is too large for an exact best response: it has 7"):
        BestResponseAgent(game, strategy)


def test_what_it_is_made_of():
    """In sequence form it plays from a table like any solution; in a spot it has none."""
    game = make("kuhn")
    uniform = infoset.uniform(game)
    agent = BestResponseAgent(game, uniform)
    assert type(agent).act is StrategyAgent.act
    assert agent.opponent is uniform
    assert agent.strategy[1, "Q:bet"] == {"fold": 0.0, "call": 1.0}
    strategy = infoset.solve(RIVER, iterations=1).strategy
    agent = BestResponseAgent(RIVER, strategy)
    assert isinstance(agent, BestResponseAgent)
    assert agent.opponent is strategy
    with pytest.raises(AgentError, match="decision by decision"):
        _ = agent.strategy
    with pytest.raises(AgentError, match=r"leduc\(by_rank=true\) is not the spot"):
        BestResponseAgent(make("leduc(by_rank=true)"), strategy)
