"""Players without a plan: all actions alike, always call, always fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from infoset.agents.agent import Agent, Answer, Floats, Seen
from infoset.errors import AgentError
from infoset.games import PublicState

_PASSIVE = ("call", "check", "pass")
"""First words of actions that stay in without putting in more than is asked."""


class Uniform(Agent):
    """Plays all actions alike.

    >>> from infoset.games import make
    >>> Uniform().act(Seen(make("kuhn").root().child("K").child("J")))
    {'check': 0.5, 'bet': 0.5}
    """

    def act(self, seen: Seen) -> Answer:
        """Every action with the same probability."""
        return _alike(seen.actions)

    def range_policy(self, public: PublicState) -> Mapping[str, Floats]:
        """The same for every hand."""
        actions = public.actions
        return dict.fromkeys(actions, np.array(1.0 / len(actions)))


class Passive(Agent):
    """Never bets: checks, or calls what was bet."""

    def act(self, seen: Seen) -> Answer:
        """Check or call."""
        return _stay(seen.actions)

    def range_policy(self, public: PublicState) -> Mapping[str, Floats]:
        """The same for every hand."""
        return {_stay(public.actions): np.array(1.0)}


class Folder(Agent):
    """Folds as soon as something is bet, and checks until then."""

    def act(self, seen: Seen) -> Answer:
        """Fold, or else check."""
        return _leave(seen.actions)

    def range_policy(self, public: PublicState) -> Mapping[str, Floats]:
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
