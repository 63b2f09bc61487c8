"""Action translation: the properties of the mapping, and that all ways to ask an agent agree."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.agents import (
    Agent,
    Passive,
    Seen,
    StrategyAgent,
    TranslatedAgent,
    Uniform,
    play_hand,
    translate_size,
)
from infoset.agents.translation import steps_of
from infoset.errors import AgentError, BadInputError
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import Spot
from infoset.games.holdem.game import HoldemDeal
from infoset.strategy import SequenceStrategy

SMALL = "stack=24,small_blind=1,big_blind=2,streets=2,ranks=4,suits=2"
ANY, POT = make(f"holdem({SMALL})"), make(f"holdem({SMALL},raises=pot)")

fractions = st.fractions(Fraction(1, 100), 100, max_denominator=1000)
ascending = st.lists(fractions, min_size=1, max_size=6, unique=True).map(sorted)


# --- the mapping --------------------------------------------------------------------------------


@given(fractions, ascending)
def test_a_size_is_taken_for_its_neighbours(size, sizes):
    """Boundary constraints; and shares are probabilities."""
    taken = translate_size(size, sizes)
    assert sum(taken.values()) == 1
    assert all(0 < share <= 1 for share in taken.values())
    below, above = [s for s in sizes if s <= size], [s for s in sizes if s >= size]
    neighbours = {*below[-1:], *above[:1]}
    assert set(taken) <= neighbours
    if not below or not above or size in sizes:
        assert [*taken.values()] == [1]


@given(fractions, fractions, fractions, fractions)
def test_a_larger_bet_is_less_often_taken_for_the_smaller_size(a, b, x, y):
    (low, high), (x, y) = sorted((a, b)), sorted((x, y))
    if low < high:
        share_x, share_y = (translate_size(z, [low, high]).get(low, 0) for z in (x, y))
        assert share_x >= share_y
        if low < x < y < high:
            assert share_x > share_y


@given(fractions, ascending, fractions, fractions)
def test_scaling_all_chips_changes_nothing(size, sizes, pot, scale):
    taken = translate_size(size, sizes, pot=pot)
    scaled = translate_size(scale * size, [scale * s for s in sizes], pot=scale * pot)
    assert scaled == {scale * s: share for s, share in taken.items()}


@given(fractions, fractions)
def test_half_way(a, b):
    """Both sizes are alike at (A + B + 2AB) / (A + B + 2): solved for f = 1/2, by hand."""
    low, high = sorted((a, b))
    if low < high:
        middle = (low + high + 2 * low * high) / (low + high + 2)
        assert set(translate_size(middle, [low, high]).values()) == {Fraction(1, 2)}


def test_an_opponent_of_a_pure_caller_is_indifferent():
    """Where the mapping comes from: in the clairvoyance game, calling a bet x with probability
    1 / (1 + x) makes a bluff worth nothing. Calls at A and B, mixed by the mapping, are that."""
    low, high, x = Fraction(1, 2), Fraction(2), Fraction(9, 10)
    called = sum(share / (1 + s) for s, share in translate_size(x, [low, high]).items())
    assert called == 1 / (1 + x)


@pytest.mark.parametrize("sizes", [[], [1, 1], [2, 1], [0, 1], [-1]])
def test_sizes_that_are_none(sizes):
    with pytest.raises(BadInputError, match="positive and ascend"):
        translate_size(1, sizes)


# --- the agent ----------------------------------------------------------------------------------


def random_strategy(game, seed):
    form = infoset.compile(game)
    rng = np.random.default_rng(seed)
    tables = []
    for treeplex in form.treeplexes:
        table = {}
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            row = rng.random(len(labels)) * (rng.random(len(labels)) < 0.7)
            row[rng.integers(len(row))] += 0.01
            table[key] = dict(zip(labels, (row / row.sum()).tolist(), strict=True))
        tables.append(table)
    return SequenceStrategy.from_tables(form, tuple(tables))


class Scripted(TranslatedAgent):
    """Draws as it is told, and remembers how likely that was and what else there was."""

    script: list[int]

    def _drawn(self, probabilities):
        actions = [action for action, p in probabilities.items() if p > 0]
        place = self.script.pop(0) if self.script else 0
        self.places.append((place, len(actions)))
        self.likely *= probabilities[actions[place]]
        return actions[place]

    def _chosen(self, answer, inner):
        return self._drawn({answer: 1.0} if isinstance(answer, str) else answer)


def played_by_enumeration(agent, deal):
    """The probability of each action at a state where the agent acts: over all that it may draw,
    among the draws that led here with its own actions."""
    seat = deal.public.player
    steps = steps_of(deal.public.public_history)
    totals, script = {}, []
    while script is not None:
        agent.script, agent.likely, agent.places = [*script], 1.0, []
        agent.start(agent.game, seat, random.Random(0))
        state = HoldemDeal(agent.game, agent.game.public(), deal.hand0, deal.hand1)
        for step in steps:
            if state.player == seat and agent.act(Seen(state)) != step:
                break
            state = state.child(step)
        else:
            action = agent.act(Seen(state))
            totals[action] = totals.get(action, 0.0) + agent.likely
        places = agent.places
        while places and places[-1][0] + 1 == places[-1][1]:
            places.pop()
        script = [place for place, _ in places[:-1]] + [places[-1][0] + 1] if places else None
    whole = sum(totals.values())
    return {action: p / whole for action, p in totals.items()} if whole else None


def random_decision(game, rng):
    """A state somewhere in the game where a player acts."""
    while True:
        state, passed = game.root(), []
        while state.player != TERMINAL:
            if state.player >= 0:
                passed.append(state)
            state = state.child(
                rng.choice([label for label, _ in state.chance])
                if state.player == CHANCE
                else rng.choice(state.actions)
            )
        if passed:
            return rng.choice(passed)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_played_is_what_is_known_of_it(seed):
    """All that `act` may draw, enumerated, is the distribution that `range_strategy` says."""
    strategy = random_strategy(POT, seed)
    agent = Scripted(ANY, POT, StrategyAgent(POT, strategy))
    rng, compared, mixed = random.Random(seed), 0, 0
    for _ in range(40):
        deal = random_decision(ANY, rng)
        expected = played_by_enumeration(agent, deal)
        if expected is None:
            continue  # the agent itself never plays so
        by_action = agent.range_strategy(deal.public)
        hand = deal.hand0 if deal.public.player == 0 else deal.hand1
        found = {a: float(np.broadcast_to(p, len(ANY.hands))[hand]) for a, p in by_action.items()}
        assert {a: p for a, p in found.items() if p > 0} == pytest.approx(expected, abs=1e-12)
        compared += 1
        mixed += len(agent._branches_at(deal.public)) > 1
    assert compared > 20
    assert mixed > 2


def test_in_the_same_game_nothing_is_translated():
    game = make(f"holdem({SMALL})".replace("24", "7"))
    plain = StrategyAgent(game, random_strategy(game, 5))
    agent, rng = TranslatedAgent(game, game, plain), random.Random(5)
    for _ in range(40):
        public = random_decision(game, rng).public
        expected, found = plain.range_strategy(public), agent.range_strategy(public)
        reached = agent._branches_at(public)[public.public_history][1] > 0
        assert expected.keys() == found.keys()
        for action, p in expected.items():
            np.testing.assert_allclose(found[action][reached], p[reached], atol=1e-12)


def test_exactly_what_translation_costs():
    """A solution for bets of the pot, translated, measured in the game with all bets."""
    game, smaller = (
        make(f"holdem({SMALL}{more})".replace("24", "8")) for more in ("", ",raises=pot")
    )
    solution = infoset.solve(smaller, "cfr+", iterations=300)
    assert solution.exploitability < 1e-3

    def translated(strategy):
        agent = TranslatedAgent(game, smaller, StrategyAgent(smaller, strategy))
        form, by_history, tables = infoset.compile(game), {}, ({}, {})
        for player, treeplex in enumerate(form.treeplexes):
            for key in treeplex.keys:
                hand, _, history = key.partition(":")
                if history not in by_history:
                    public = game.public()
                    for step in steps_of(history):
                        public = public.child(step)
                    by_history[history] = agent.range_strategy(public)
                number = game.hand_of[hand]
                tables[player][key] = {a: p[number] for a, p in by_history[history].items()}
        return infoset.exploitability(game, tables)

    uniform = infoset.exploitability(game, infoset.uniform(game))
    lost = translated(solution.strategy)
    assert 0 < lost < 0.05 * uniform
    assert translated(infoset.uniform(smaller)) > 10 * lost


@pytest.mark.parametrize("seed", range(30))
def test_it_plays_any_hand_to_its_end(seed):
    """Against raises of any size, from either seat, in the game of the ACPC."""
    game, smaller = make("holdem"), make("holdem(raises=pot)")
    agents = [TranslatedAgent(game, smaller, Uniform()), Uniform()]
    hand = play_hand(game, agents if seed % 2 else agents[::-1], seed=seed, hand=seed)
    assert hand == play_hand(game, agents if seed % 2 else agents[::-1], seed=seed, hand=seed)
    assert abs(hand.payoff) <= 20_000


class Fixed(Agent):
    """Takes the action that a list says next."""

    def __init__(self, *actions):
        self.actions = [*actions]

    def act(self, seen):
        return self.actions.pop(0)


def act_after(agent, game, *steps):
    state = HoldemDeal(game, game.public(), *map(game.hands.index, ("AsAh", "KsKh")))
    agent.start(game, 0, random.Random(1))
    for step in steps:
        if state.player == 0:
            assert agent.act(Seen(state)) == step
        state = state.child(step)
    return agent.act(Seen(state))


def test_bets_keep_their_share_of_the_pot():
    """The opponent raises to 250, not 300; a bet of the pot is then 500 chips, not 600."""
    game, smaller = make("holdem"), make("holdem(raises=pot)")
    agent = TranslatedAgent(game, smaller, Fixed("call", "raise900"))
    assert act_after(agent, game, "raise250", "call", "8d7h2c") == "raise750"


def test_all_in_in_the_smaller_game_alone():
    """A bet near all-in is taken for it; after the call there is nothing more to decide."""
    game, smaller = make("holdem"), make("holdem(raises=all_in)")
    agent = TranslatedAgent(game, smaller, Fixed("call"))
    steps = ["raise19000", "call", "8d7h2c", "check", "check", "3d"]
    assert act_after(agent, game, *steps) == "check"
    agent = TranslatedAgent(game, smaller, Fixed("call"))
    assert act_after(agent, game, *steps, "check", "raise20000") == "call"


def test_spots():
    """The same between spots, whose labels are others."""
    one = Spot("Ks9h7d4c2s", "AA,QQ", "KK,JJ", 100, 300, {"bet": "50%, a", "raise": "a"})
    many = Spot("Ks9h7d4c2s", "AA,QQ", "KK,JJ", 100, 300, {"bet": "33%, 50%, 75%, a"})
    solution = infoset.solve(one, iterations=50)
    agent = TranslatedAgent(many, one, StrategyAgent(one, solution.strategy))
    by_action = agent.range_strategy(many.public().child("check").child("bet 75"))
    assert {*by_action} == {"fold", "call 75", "all-in 300"}
    is_held = np.array(many.hand_weights[0]) > 0
    np.testing.assert_allclose(sum(by_action.values())[is_held], 1.0, atol=1e-6)
    hand = play_hand(many, [agent, Uniform()], seed=1, hand=1)
    assert abs(hand.payoff) <= 350


@pytest.mark.parametrize(
    ("games", "why"),
    [
        (("leduc", "leduc"), "leduc is another game"),
        (("holdem", "holdem(stack=10000)"), "the two do not have the same stacks"),
        (("holdem", "holdem(small_blind=25)"), "do not begin with the same board, pot, blinds"),
        (("holdem", "holdem(ranks=6)"), "do not deal the same hands"),
        (("holdem", "holdem(streets=3)"), "do not have the same streets"),
    ],
)
def test_games_that_differ_otherwise_are_refused(games, why):
    with pytest.raises(AgentError, match=why):
        TranslatedAgent(*map(make, games), Uniform())


def test_what_cannot_be_said():
    game, smaller = make("holdem"), make("holdem(raises=pot)")
    with pytest.raises(AgentError, match="what Fixed does with every hand is not known"):
        TranslatedAgent(game, smaller, Fixed()).range_strategy(game.public())
    assert TranslatedAgent(game, smaller, Passive()).range_strategy(game.public()).keys() == {
        "call"
    }
    checks = Spot("Ks9h7d4c2s", "AA", "KK", 100, 300, {"bet": "", "raise": ""})
    bets = Spot("Ks9h7d4c2s", "AA", "KK", 100, 300, {"bet": "50%", "raise": ""})
    agent = TranslatedAgent(bets, checks, Uniform())
    with pytest.raises(AgentError, match="no bet or raise at the start, so a raise to 50 chips"):
        agent.range_strategy(bets.public().child("bet 50"))
