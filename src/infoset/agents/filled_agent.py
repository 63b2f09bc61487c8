"""A player for what another one does not cover."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import numpy as np

from infoset.agents.agent import Agent, Answer, Floats, Known, Seen
from infoset.agents.simple import Uniform
from infoset.errors import AgentError
from infoset.games import Game, PublicState


class FilledAgent(Agent):
    """Plays as another agent does, and all actions alike where that one has no answer.

    A solution that was sampled by the rules of a large game knows only the infosets that were
    visited. To play a match with it, something must be done at the others.

    >>> import infoset
    >>> from infoset.agents import StrategyAgent
    >>> game = infoset.game("kuhn")
    >>> few = infoset.solve(game, "os-mccfr", form="rules", iterations=1, seed=1).strategy
    >>> agent = FilledAgent(StrategyAgent(game, few))
    >>> [len(few), agent.act(Seen(game.root().child("K").child("J")))]
    [2, {'check': 0.5, 'bet': 0.5}]
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._otherwise = Uniform()

    def start(self, game: Game, seat: int, random: Random) -> None:
        """A new hand begins."""
        self.agent.start(game, seat, random)

    def act(self, seen: Seen) -> Answer:
        """The other's answer, if there is one."""
        try:
            return self.agent.act(seen)
        except AgentError:
            return self._otherwise.act(seen)

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """That of the other agent; all actions alike for hands without a probability."""
        if not isinstance(self.agent, Known):
            raise AgentError(f"what {type(self.agent).__name__} does with every hand is not known")
        alike = self._otherwise.range_strategy(public)
        try:
            known = self.agent.range_strategy(public)
        except AgentError:
            return alike
        is_empty = np.sum(list(known.values()), axis=0) == 0.0
        return {
            action: np.where(is_empty, share, known.get(action, np.array(0.0)))
            for action, share in alike.items()
        }
