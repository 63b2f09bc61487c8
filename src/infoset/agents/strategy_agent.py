"""A player who plays a strategy: that of a solution, or any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.agents.agent import Agent, Answer, Floats, Seen
from infoset.errors import AgentError, BadInputError, shorten
from infoset.forms import DealtForm, SpotForm
from infoset.games import DealtGame, Game, PublicState
from infoset.strategy import PublicStrategy, Strategy

REMEMBERED = 4096
"""Public states whose probabilities for all hands are kept, as many as that."""


class StrategyAgent(Agent):
    """Plays a strategy of the game, in either form.

    Infosets are looked up by their keys, so the strategy may be of any game that calls them alike.

    >>> import infoset
    >>> from infoset.agents import StrategyAgent
    >>> game = infoset.game("kuhn")
    >>> agent = StrategyAgent(game, infoset.uniform(game))
    >>> agent.act(Seen(game.root().child("K").child("J")))
    {'check': 0.5, 'bet': 0.5}
    """

    def __init__(self, game: Game, strategy: Strategy) -> None:
        self.game = game
        self.strategy = strategy
        self._by_history: dict[str, Mapping[str, Floats]] = {}

    def act(self, seen: Seen) -> Answer:
        """The probability of each action at the infoset."""
        answer: Answer | None = self.strategy.get((seen.seat, seen.infoset))
        if answer is None:
            raise uncovered(self.strategy.name, seen.infoset, None)
        return answer

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """By action, [hands of the game] the probability of it; 0 for hands that cannot be held."""
        public_history = public.public_history
        by_action = self._by_history.get(public_history)
        if by_action is None:
            if len(self._by_history) >= REMEMBERED:
                self._by_history.clear()
            by_action = self._by_history[public_history] = self._strategy_at(public)
        return by_action

    def _strategy_at(self, public: PublicState) -> Mapping[str, Floats]:
        name, strategy, player = self.strategy.name, self.strategy, public.player
        if not isinstance(strategy, PublicStrategy):
            return by_infoset(self.game, public, name, lambda key: strategy.get((player, key)))
        try:
            actions, by_hand = strategy.hand_probabilities(public.public_history)
        except BadInputError as error:
            raise uncovered(name, public.public_history, error) from error
        return by_hand_of_game(self.game, strategy.form, player, actions, by_hand)


def by_hand_of_game(
    game: Game,
    form: SpotForm | DealtForm,
    player: int,
    actions: Sequence[str],
    by_hand: NDArray[Any],
) -> dict[str, Floats]:
    """By action, [hands of the game] what is known by action and hand of a form; else 0."""
    assert isinstance(game, DealtGame)
    number = {form.hand_name(player, hand): hand for hand in range(by_hand.shape[1])}
    out = np.zeros((len(actions), len(game.hands)))
    for hand, label in enumerate(game.hands):
        if label in number:
            out[:, hand] = by_hand[:, number[label]]
    return dict(zip(actions, out, strict=True))


def by_infoset(
    game: Game,
    public: PublicState,
    name: str,
    look_up: Callable[[str], Mapping[str, float] | None],
) -> dict[str, Floats]:
    """By action, [hands of the game] what is known by infoset; 0 where there is no such infoset."""
    assert isinstance(game, DealtGame)
    actions = tuple(public.actions)
    out = np.zeros((len(actions), len(game.hands)))
    covered = False
    for hand, label in enumerate(game.hands):
        found = look_up(f"{label}:{public.public_history}")
        if found is not None:
            covered = True
            out[:, hand] = [found[action] for action in actions]
    if not covered:
        raise uncovered(name, public.public_history, None)
    return dict(zip(actions, out, strict=True))


def uncovered(name: str, where: str, error: Exception | None) -> AgentError:
    """The error that says that a strategy has no answer."""
    why = "" if error is None else f" ({error})"
    return AgentError(
        f"the strategy of {name!r} says nothing about {shorten(where)}{why}; fill(FILE) plays all "
        "actions alike there"
    )
