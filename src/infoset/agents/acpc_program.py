"""A program behind the ACPC protocol: it is told how a hand stands, and asked for actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from infoset.agents.acpc_peer import Limits, Peer, PeerError
from infoset.errors import shorten
from infoset.games.holdem import HoldemState
from infoset.interop import MatchState, action_label

MAX_IGNORED = 1000
"""Lines that do not answer what was asked, before one that does."""


@dataclass
class Clock:
    """What a program has used of its time; ``hands`` is how many are played, if that is known."""

    limits: Limits
    hands: int | None = None
    in_hand: float = 0.0
    in_match: float = 0.0

    def new_hand(self) -> None:
        """A new hand begins."""
        self.in_hand = 0.0

    def left(self) -> tuple[float, str]:
        """Seconds for the next action, and which limit it is that is reached then.

        >>> clock = Clock(Limits(response=10.0, mean=5.0), hands=3)
        >>> clock.left()
        (10.0, '10 s for an action')
        >>> clock.spend(8.0)
        >>> clock.left()
        (7.0, '5 s a hand on average over the match')
        """
        limits = self.limits
        left = [
            (limits.response, f"{limits.response:g} s for an action"),
            (limits.hand - self.in_hand, f"{limits.hand:g} s in a hand"),
        ]
        if self.hands is not None:
            text = f"{limits.mean:g} s a hand on average over the match"
            left.append((limits.mean * self.hands - self.in_match, text))
        return min(left)

    def spend(self, seconds: float) -> None:
        """So much was used."""
        self.in_hand += seconds
        self.in_match += seconds


@dataclass
class Program:
    """A program, by the connection to it.

    ``note`` is called with a sentence about every answer that is none.
    """

    peer: Peer
    clock: Clock
    note: Callable[[str], None]
    watch: Callable[[str, str], None] = field(default=lambda way, line: None)
    """Called with ``TO`` or ``FROM`` and each line."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.peer.name

    def tell(self, state: MatchState) -> None:
        """Send how the hand stands."""
        self.peer.send(str(state))
        self.watch("TO", str(state))

    def ask(self, state: MatchState, public: HoldemState) -> str:
        """The label of the program's action where it was just told the state.

        An answer for another state is ignored. One for this state that is no possible action is
        taken as a call, or check.
        """
        begin, told = time.monotonic(), str(state)
        seconds, limit = self.clock.left()
        action = self._answer(told, begin + seconds, limit)
        self.clock.spend(time.monotonic() - begin)
        label = action_label(action, public)
        if label is None:
            label = "call" if public.is_facing_bet else "check"
            self.note(
                f"hand {state.hand}: {self.name} answered {shorten(action)}, which is not possible "
                f"after {shorten(state.betting)}; taken as a {label}"
            )
        return label

    def _answer(self, told: str, deadline: float, limit: str) -> str:
        """What follows the state in the first line that answers it."""
        ignored, is_noted = 0, False
        while True:
            line = self.peer.receive(deadline)
            if line is None:
                raise PeerError(f"{self.name} took more than {limit}")
            self.watch("FROM", line)
            if line == told or line.startswith(told + ":"):
                return line[len(told) + 1 :].rstrip(" ")
            ignored += 1
            if ignored > MAX_IGNORED:
                raise PeerError(
                    f"{self.name} sent {ignored:,} lines that do not answer {shorten(told)}"
                )
            if not is_noted and not line.startswith(("#", ";")):
                is_noted = True
                self.note(f"{self.name} sent {shorten(line)}, not an answer to {shorten(told)}")
