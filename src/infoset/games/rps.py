"""Rock-paper-scissors, the smallest game with hidden information.

Each player puts in a dollar; the winner takes both, a draw returns them. What counts here is the
gain over the stake: 1, 0 or -1. Both choose at the same time, which is written as player 0 followed
by player 1, who has not seen the choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from infoset.games.registry import register
from infoset.games.rules import TERMINAL

BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}


@dataclass(frozen=True, slots=True)
class RockPaperScissors:
    """The rules; there is nothing to choose about them."""

    @property
    def name(self) -> str:
        """The text that makes this game."""
        return "rps"

    def root(self) -> RockPaperScissorsState:
        """Nobody has chosen."""
        return RockPaperScissorsState(())


@dataclass(frozen=True, slots=True)
class RockPaperScissorsState:
    """The choices so far."""

    chosen: tuple[str, ...]

    @property
    def player(self) -> int:
        """Player 0, then player 1, then nobody."""
        return (0, 1, TERMINAL)[len(self.chosen)]

    @property
    def actions(self) -> tuple[str, ...]:
        """The three signs."""
        return tuple(BEATS)

    @property
    def chance(self) -> tuple[()]:
        """Chance has no part in this."""
        return ()

    @property
    def infoset(self) -> str:
        """Which player one is; there is nothing else to know."""
        return f"player{self.player}"

    @property
    def payoff(self) -> int:
        """Player 0's gain over the stake."""
        mine, yours = self.chosen
        return (BEATS[mine] == yours) - (BEATS[yours] == mine)

    def child(self, action: str) -> RockPaperScissorsState:
        """The state after one more choice."""
        return RockPaperScissorsState((*self.chosen, action))


@register
def rps() -> RockPaperScissors:
    """Rock-paper-scissors for a dollar each.

    >>> rps().root().child("rock").child("paper").payoff
    -1
    """
    return RockPaperScissors()
