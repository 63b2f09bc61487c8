"""What a player is: `Agent`, and `Seen`, what he is shown when he must act.

An agent answers with an action or with the probability of each. It is asked about one hand at a
time; `Agent.start` says that a new one begins. Whoever plays the hand (`infoset.agents.hands`)
draws from the probabilities, so an agent needs randomness of its own only if it wants some.

A new agent is a class with these two methods. One whose strategy is known with every hand it might
hold also has `Known.range_strategy`; best responses, corrections of luck (AIVAT) and local best
responses ask for that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from infoset.games import DealtState, Game, Number, PublicState, State
from infoset.games.holdem import HoldemState

Answer = str | Mapping[str, float]
"""The label of an action, or the probability of each; actions left out have probability zero."""

Floats = NDArray[np.float64]


class Alike(Mapping[str, float]):
    """All actions with the same probability, without a table of what may be 20,000.

    >>> Alike(["check", "bet"]) == {"check": 0.5, "bet": 0.5}
    True
    """

    __slots__ = ("actions",)

    def __init__(self, actions: Sequence[str]) -> None:
        self.actions = actions

    def __getitem__(self, action: str) -> float:
        if action not in self.actions:
            raise KeyError(action)
        return 1.0 / len(self.actions)

    def __iter__(self) -> Iterator[str]:
        return iter(self.actions)

    def __len__(self) -> int:
        return len(self.actions)


class Seen:
    """What the player who must act sees: never the other's cards.

    >>> from infoset.games import make
    >>> state = make("kuhn").root().child("K").child("J").child("check")
    >>> seen = Seen(state)
    >>> seen.seat, seen.infoset, seen.actions
    (1, 'J:check', ('check', 'bet'))
    >>> seen.public.public_history
    'check'
    """

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def seat(self) -> int:
        """Which player he is: 0 or 1."""
        return self._state.player

    @property
    def infoset(self) -> str:
        """All he knows, as a key: his hand and what both have seen."""
        return self._state.infoset

    @property
    def actions(self) -> Sequence[str]:
        """Labels of what he may do; in no-limit hold'em these may be 20,000."""
        return self._state.actions

    def allows(self, action: str) -> bool:
        """Whether this is one of the actions; those of no-limit hold'em are not listed for it.

        >>> from infoset.games import make
        >>> Seen(make("kuhn").root().child("K").child("J")).allows("call")
        False
        """
        public = self.public
        if isinstance(public, HoldemState):
            return public.game.after(public.betting, action) is not None
        return action in self._state.actions

    @property
    def public(self) -> PublicState | None:
        """What both players see, in games whose only secrets are the hands; else `None`."""
        return self._state.public if isinstance(self._state, DealtState) else None

    @property
    def hand(self) -> int | None:
        """The number of his hand among the game's `hands`; `None` where `public` is."""
        if not isinstance(self._state, DealtState):
            return None
        return self._state.hand0 if self.seat == 0 else self._state.hand1

    def __repr__(self) -> str:
        return f"Seen({self.seat}, {self.infoset!r})"


class Agent(ABC):
    """A player of one game."""

    def start(self, game: Game, seat: int, random: Random) -> None:  # noqa: B027
        """A new hand begins: forget the last one.

        ``random`` is this hand's own source of chance for this player, the same whenever the hand
        is played again. Agents that need none of it, and remember nothing, leave this as it is.
        """

    @abstractmethod
    def act(self, seen: Seen) -> Answer:
        """What to do: an action, or the probability of each."""


@runtime_checkable
class Known(Protocol):
    """An agent whose strategy is known, whatever he holds; for games with public states."""

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """What he does at a public state where he acts: by action, [hands] its probability.

        Actions left out are never taken. Numbers for hands that cannot be held there mean nothing.
        """


@runtime_checkable
class Witness(Protocol):
    """An agent that is told how every hand ended, to write it down or to pass it on.

    To play by cards that were never shown would be cheating.
    """

    def end(self, steps: Sequence[str], payoff: Number) -> None:
        """The hand is over: its steps, with all cards, and what player 0 won."""
