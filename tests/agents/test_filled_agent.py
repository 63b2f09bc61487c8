"""An agent that goes on where another one has no answer."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.agents import (
    Agent,
    FilledAgent,
    Seen,
    StrategyAgent,
    Uniform,
    find_agent,
    play_hand,
)
from infoset.errors import AgentError
from infoset.games import CHANCE, TERMINAL

LEDUC = infoset.game("leduc")


@pytest.fixture(scope="module")
def few():
    """A strategy that was sampled by the rules, and covers a part of the game."""
    solution = infoset.solve("leduc", "os-mccfr", form="rules", iterations=100, seed=1)
    assert 50 < len(solution.strategy) < 600
    return solution


def decisions(state):
    if state.player == TERMINAL:
        return
    if state.player != CHANCE:
        yield Seen(state)
    steps = [label for label, _ in state.chance] if state.player == CHANCE else state.actions
    for step in steps:
        yield from decisions(state.child(step))


def test_everywhere_it_is_the_strategy_or_uniform(few):
    agent = FilledAgent(StrategyAgent(LEDUC, few.strategy))
    covered = 0
    for seen in decisions(LEDUC.root()):
        known = few.strategy.get((seen.seat, seen.infoset))
        covered += known is not None
        expected = Uniform().act(seen) if known is None else known
        assert agent.act(seen) == expected
        by_action = agent.range_strategy(seen.public)
        by_hand = {action: np.broadcast_to(p, 6) for action, p in by_action.items()}
        assert {a: by_hand[a][seen.hand] for a in seen.actions} == pytest.approx(expected)
        assert sum(by_hand.values()) == pytest.approx(np.ones(6))
    assert 0 < covered < 3780


def test_a_match_goes_to_its_end_with_it_and_not_without(few, tmp_path):
    few.save(tmp_path / "few.infoset")
    hands = range(200)
    agent = find_agent(f"fill({tmp_path}/few.infoset)", LEDUC)
    assert len([play_hand(LEDUC, [agent, Uniform()], 1, hand) for hand in hands]) == 200
    bare = find_agent(f"{tmp_path}/few.infoset", LEDUC)
    with pytest.raises(AgentError, match=r"the strategy of 'leduc' says nothing about .* fill\("):
        [play_hand(LEDUC, [bare, Uniform()], 1, hand) for hand in hands]


def test_a_wrong_answer_is_not_hidden():
    class Jumps(Agent):
        def act(self, seen):
            return "jump"

    with pytest.raises(AgentError, match="answered 'jump'"):
        play_hand(LEDUC, [FilledAgent(Jumps()), Uniform()], seed=1, hand=0)
    with pytest.raises(AgentError, match="what Jumps does with every hand is not known"):
        FilledAgent(Jumps()).range_strategy(LEDUC.public())
