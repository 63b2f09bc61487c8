"""Players without a plan: all actions alike, always call, always fold."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from infoset.agents.agent import Agent, Alike, Answer, Floats, Seen
from infoset.errors import AgentError
from infoset.games import PublicState

_PASSIVE = ("call", "check", "pass")
"""First words of actions that stay in without putting in more than is asked."""


_LISTED = 64
"""Up to so many actions get a table of probabilities."""


class Simple(Agent):
    """A player whose answer depends on nothing but the actions there are."""

    @abstractmethod
    def choose(self, actions: Sequence[str]) -> Answer:
        """What to do where there are these actions."""

    def act(self, seen: Seen) -> Answer:
        """The answer to the actions."""
        return self.choose(seen.actions)


class Uniform(Simple):
    """Plays all actions alike.

    >>> from infoset.games import make
    >>> Uniform().act(Seen(make("kuhn").root().child("K").child("J")))
    {'check': 0.5, 'bet': 0.5}
    """

    def choose(self, actions: Sequence[str]) -> Answer:
        """Every action with the same probability."""
        return _alike(actions) if len(actions) <= _LISTED else Alike(actions)

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """The same for every hand."""
        actions = public.actions
        return dict.fromkeys(actions, np.array(1.0 / len(actions)))


class Passive(Simple):
    """Never bets: checks, or calls what was bet."""

    def choose(self, actions: Sequence[str]) -> Answer:
        """Check or call."""
        return _stay(actions)

    def act(self, seen: Seen) -> Answer:
        """Check or call; asked for by name, since in no-limit hold'em it takes long to list all."""
        return next((word for word in _PASSIVE if seen.allows(word)), None) or _stay(seen.actions)

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """The same for every hand."""
        return {_stay(public.actions): np.array(1.0)}


class Folder(Simple):
    """Folds as soon as something is bet, and checks until then."""

    def choose(self, actions: Sequence[str]) -> Answer:
        """Fold, or else check."""
        return _leave(actions)

    def act(self, seen: Seen) -> Answer:
        """Fold, or else check."""
        words = ("fold", *_PASSIVE)
        return next((word for word in words if seen.allows(word)), None) or _leave(seen.actions)

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """The same for every hand."""
        return {_leave(public.actions): np.array(1.0)}


def _alike(actions: Sequence[str]) -> dict[str, float]:
    return dict.fromkeys(actions, 1.0 / len(actions))


def _first_word(action: str) -> str:
    return action.partition(" ")[0]


def _stay(actions: Sequence[str]) -> str:
    # The first few will do: the raises of no-limit hold'em come last.
    for action in actions[:4]:
        if _first_word(action) in _PASSIVE:
            return action
    raise AgentError(
        f"this agent checks and calls, but here there are only {', '.join(actions[:8])}; it plays "
        "poker"
    )


def _leave(actions: Sequence[str]) -> str:
    return "fold" if "fold" in actions[:4] else _stay(actions)
