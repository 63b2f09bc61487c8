"""Matches by the rules: seats, cards, statistics, and what is refused."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import infoset
from agents.matches_for_tests import Halved, Liar, Moody, player, random_strategy, value_for_a
from infoset.agents import Folder, Passive, StrategyAgent, Uniform, play_hand, play_match
from infoset.errors import AgentError, BadInputError
from infoset.games import make

KUHN, LEDUC, HOLDEM = make("kuhn"), make("leduc"), make("holdem")


def naive_match(game, a, b, hands, seed, *, duplicate):
    """What A wins in every hand."""
    won = []
    for i in range(hands):
        seats = [a, b] if i % 2 == 0 else [b, a]
        hand = play_hand(game, seats, seed, i, cards=2 * (i // 2) if duplicate else i)
        won.append(float(hand.payoff) * (1 if i % 2 == 0 else -1))
    return np.array(won)


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("game", [KUHN, LEDUC], ids=["kuhn", "leduc"])
def test_a_match_is_its_hands(game, duplicate):
    a, b = Moody(), Uniform()
    found = play_match(game, a, b, hands=300, seed=5, duplicate=duplicate)
    won = naive_match(game, a, b, 300, 5, duplicate=duplicate)
    assert found.hands == found.wanted == 300
    assert found.stopped_by == "hands"
    assert not found.is_compiled
    assert found.mean == pytest.approx(won.mean(), abs=1e-12)
    if duplicate:
        pairs = won.reshape(-1, 2).mean(axis=1)
        error = pairs.std(ddof=1) / math.sqrt(150)
    else:
        squares = sum(seat.var(ddof=0) * 150 for seat in (won[::2], won[1::2]))
        error = math.sqrt(squares / 298 / 300)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.high - found.low == pytest.approx(2 * 1.959963984540054 * error, rel=1e-9)


def test_pairs_of_a_duplicate_match_have_the_same_cards(tmp_path):
    play_match(LEDUC, Uniform(), Passive(), hands=60, duplicate=True, log=tmp_path / "log")
    _, *lines = map(json.loads, (tmp_path / "log").read_text().splitlines())
    cards = [[step for step in line["steps"] if step[0] in "JQK"] for line in lines]
    for first, second in zip(cards[::2], cards[1::2], strict=True):
        # One of them may have ended before the board.
        both = min(len(first), len(second))
        assert first[:both] == second[:both]
    assert len({tuple(each) for each in cards}) > 10


@pytest.mark.parametrize("game", [KUHN, LEDUC, HOLDEM], ids=["kuhn", "leduc", "holdem"])
@pytest.mark.parametrize("kind", [Passive, Folder])
def test_duplicate_of_a_deterministic_agent_with_itself_is_zero(game, kind):
    found = play_match(game, kind(), kind(), hands=60, seed=3, duplicate=True)
    assert found.mean == 0.0
    assert found.standard_error == 0.0
    assert found.figures.plain.mean == 0.0
    if kind is Passive:
        assert found.figures.plain.standard_error > 0


def test_a_pure_strategy_with_itself_is_zero_in_duplicate():
    strategy = random_strategy(LEDUC, 4)
    for player_, treeplex in enumerate(strategy.form.treeplexes):
        p = strategy.probabilities[player_]
        for begin, end in zip(treeplex.infoset_begin, treeplex.infoset_begin[1:], strict=False):
            best = begin + int(np.argmax(p[begin:end]))
            p[begin:end] = 0.0
            p[best] = 1.0
    agent = StrategyAgent(LEDUC, strategy)
    for compiled in (True, False):
        found = play_match(
            LEDUC, agent, agent, hands=2000, duplicate=True, compiled=compiled, seed=1
        )
        assert (found.mean, found.standard_error) == (0.0, 0.0)
        assert found.figures.plain.standard_error > 0


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_intervals_are_honest(compiled, duplicate):
    """In 1,000 matches, 93 to 97 % of the intervals hold the exact value."""
    game = KUHN if not compiled else LEDUC
    first, second = random_strategy(game, 1), random_strategy(game, 2)
    truth = value_for_a(game, first, second)
    a, b = StrategyAgent(game, first), StrategyAgent(game, second)
    hands = 60 if not compiled else 400
    held = 0
    for seed in range(1000):
        found = play_match(
            game, a, b, hands=hands, seed=seed, duplicate=duplicate, compiled=compiled, threads=1
        )
        held += found.low <= truth <= found.high
    assert 930 <= held <= 970


def test_a_match_finds_what_the_evaluation_says():
    """A best response wins its value, and an agent nothing from itself."""
    strategy = random_strategy(LEDUC, 7)
    responses = [infoset.best_response(LEDUC, strategy, player=seat) for seat in (0, 1)]
    worth = sum(response.value for response in responses) / 2
    first, second = (response.strategy for response in responses)
    best = replace(first, probabilities=(first.probabilities[0], second.probabilities[1]))
    found = play_match(
        LEDUC, StrategyAgent(LEDUC, best), StrategyAgent(LEDUC, strategy), hands=400_000, seed=2
    )
    assert found.is_compiled
    assert found.low <= worth <= found.high
    assert found.standard_error < 0.02
    agent = StrategyAgent(LEDUC, strategy)
    itself = play_match(LEDUC, agent, agent, hands=400_000, seed=2)
    assert itself.low <= 0 <= itself.high


def test_always_folding_loses_750_mbb_in_holdem():
    """He loses the small blind on the button and the big blind elsewhere, if the other bets."""

    class Raiser(Passive):
        def act(self, seen):
            return "raise300" if seen.allows("raise300") else super().act(seen)

    found = play_match(HOLDEM, Folder(), Raiser(), hands=40, seed=1)
    assert found.mean == -75
    assert found.as_dict()["mean_mbb"] == -750
    assert found.standard_error == 0.0
    assert found.big_blind == 100


def test_aivat_stands_beside_the_plain_figures():
    found = play_match(LEDUC, Uniform(), Passive(), hands=100, aivat=Halved(), seed=9)
    won = naive_match(LEDUC, Uniform(), Passive(), 100, 9, duplicate=False)
    assert found.figures.plain.mean == pytest.approx(won.mean())
    assert found.figures.way == "aivat"
    steps = [
        len(play_hand(LEDUC, [Uniform(), Passive()][:: 1 - 2 * (i % 2)], 9, i).steps)
        for i in range(100)
    ]
    assert found.mean == pytest.approx((won / 2 + 0.01 * np.array(steps)).mean())
    document = found.as_dict()
    assert document["mean"] == document["aivat"]["mean"]
    assert document["duplicate"] is None
    needed = document["plain"]["hands_needed"]
    assert needed == pytest.approx(4 * document["aivat"]["hands_needed"], rel=0.1)


def test_figures_stand_side_by_side():
    found = play_match(
        LEDUC, Uniform(), Passive(), hands=2000, aivat=Halved, seed=9, duplicate=True
    )
    plain, duplicate, aivat = found.figures
    assert plain.num == 2000
    assert duplicate.num == aivat.num == 1000
    assert plain.mean == pytest.approx(duplicate.mean)
    assert plain.half_width > duplicate.half_width > aivat.half_width
    needed = found.figures.hands_needed()
    assert needed["plain"] > needed["duplicate"] > needed["aivat"]
    assert needed["aivat"] == pytest.approx(2000, abs=2)


def test_progress_is_told_and_ends_with_the_end():
    told = []
    found = play_match(KUHN, Uniform(), Uniform(), hands=50, progress=told.append)
    assert told[-1].hands == told[-1].wanted == told[-1].played == 50
    assert told[-1].figures == found.figures


def test_seeds_and_numbers_make_a_match():
    def mean(**options):
        return play_match(LEDUC, Uniform(), Moody(), hands=200, **options).figures

    assert mean(seed=1) == mean(seed=1)
    assert mean(seed=1) != mean(seed=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hands": 0}, "hands must be a whole number from 1"),
        ({"hands": -5}, "hands must be"),
        ({"hands": 2.5}, "hands must be"),
        ({"hands": True}, "hands must be"),
        ({"hands": 10**13}, "hands must be"),
        ({"hands": 10, "seed": -1}, "seed must be a whole number from 0"),
        ({"hands": 10, "seed": 1 << 63}, "seed must be"),
        ({"hands": 11, "duplicate": True}, "pairs of hands, so 11 cannot be: play 12"),
        ({"hands": 10, "threads": 0}, "threads must be"),
        ({"hands": 10, "compiled": True}, "sequence form"),
        ({"hands": 10, "aivat": object()}, "aivat has no method"),
    ],
)
def test_bad_input_is_refused(options, words):
    with pytest.raises(BadInputError, match=words):
        play_match(KUHN, Uniform(), Passive(), **options)


def test_what_is_no_agent_is_refused():
    with pytest.raises(AgentError, match="A is no agent: int"):
        play_match(KUHN, 5, Uniform(), hands=2)
    with pytest.raises(AgentError, match="B is no agent: str"):
        play_match(KUHN, Uniform(), lambda: "uniform", hands=2)
    moody = Moody()
    with pytest.raises(AgentError, match="A and B are one object"):
        play_match(KUHN, moody, moody, hands=2)


def test_an_agent_that_answers_wrongly_ends_the_match(tmp_path):
    """What was played stays in the log, and the match can go on with a better agent."""
    log = tmp_path / "log"
    names = ("liar", "call")
    with pytest.raises(AgentError, match="all my chips"):
        play_match(KUHN, Liar(), Passive(), hands=100, seed=2, log=log, names=names)
    played = len(log.read_text().splitlines()) - 1
    assert 0 < played < 100
    whole = play_match(KUHN, Passive(), Passive(), hands=100, seed=2, resume=log, names=names)
    assert whole.hands == 100
    assert whole.figures == play_match(KUHN, Passive(), Passive(), hands=100, seed=2).figures


def test_an_agent_for_another_game_is_refused():
    kuhn = player("kuhn", 1)
    with pytest.raises(AgentError, match=r"the strategy of 'kuhn' says nothing about '[JQK]"):
        play_match(LEDUC, kuhn, kuhn, hands=10, seed=1)
