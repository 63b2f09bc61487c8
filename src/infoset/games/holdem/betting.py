"""No-limit betting between two players: one engine, from the blinds to the last call.

A `BettingState` is all that the rules of betting depend on, in whole chips. `Betting` says what may
be done in a state and which state follows. Cards are no part of it: where they are due,
`next_street` goes on as if they had been dealt.

- Both players have the same stack. Player 0 acts first on every street but the one before the flop:
  there player 1, the button, posts the small blind and acts first.
- A street ends with a call, or with a check that is not its first action. A player who is all-in
  does not act any more, and the rest of the board is dealt without betting.
- A raise goes beyond the opponent's bet by at least the last bet or raise of the street, and a bet
  is at least `Betting.min_bet`; all-in is allowed even for less. Raises are not limited in number.
- Which bets and raises there are between the smallest and all-in, `Betting.sizing` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from infoset.games.rules import CHANCE, TERMINAL

PREFLOP, FLOP, TURN, RIVER = range(4)
STREETS = ("preflop", "flop", "turn", "river")

OOP, IP = range(2)
"""Out of position, who acts first on every street after the flop, and in position."""
PLAYERS = ("oop", "ip")

NOBODY = -1


class ActionKind(IntEnum):
    """What happens between two states; `START` is what led to the first."""

    START = 0
    DEAL = 1
    FOLD = 2
    CHECK = 3
    CALL = 4
    BET = 5
    RAISE = 6
    ALL_IN = 7


# Looked up once: trees have millions of actions.
_, _, _FOLD, _CHECK, _CALL, _BET, _RAISE, _ALL_IN = ActionKind


_WITH_AMOUNT: dict[int, str] = {_CALL: "call", _BET: "bet", _RAISE: "raise to", _ALL_IN: "all-in"}


def action_text(kind: int, amount: int) -> str:
    """An action in words; the amount is what its player has then put in on the street.

    >>> action_text(ActionKind.RAISE, 340), action_text(ActionKind.CHECK, 0)
    ('raise to 340', 'check')
    """
    word = _WITH_AMOUNT.get(kind)
    return f"{word} {amount}" if word else ActionKind(kind).name.lower()


class BettingState(NamedTuple):
    """The betting so far, as far as the rules depend on it."""

    street: int
    player: int
    """Who acts; `CHANCE` where cards are due, `TERMINAL` where the hand is over."""
    put: tuple[int, int]
    """What each player has put in over the hand."""
    start: int
    """What each player had put in before this street."""
    last_raise: int
    """What the last bet or raise of the street added; before one, the smallest bet."""
    num_bets: int
    """Bets and raises on this street; the big blind is one."""
    num_actions: int
    """All actions on this street."""
    bettor: int
    """Who bet or raised last on this street or, before a bet, on the street before; or `NOBODY`."""
    folder: int = NOBODY
    """Who folded."""

    @property
    def to_call(self) -> int:
        """What the player who acts must add to call."""
        return self.put[1 - self.player] - self.put[self.player]


class Step(NamedTuple):
    """An action and the state after it."""

    kind: ActionKind
    amount: int
    """What the player has put in on this street with it."""
    state: BettingState


Sizing = Callable[[BettingState, int], Sequence[int]]
"""A rule for sizes: from a state and the smallest raise, the totals that may be bet or raised to.

All are chips put in over the hand, ascending, from the smallest raise to the stack.
"""


@dataclass(frozen=True)
class Betting:
    """The rules of betting.

    >>> betting = Betting(900, lambda state, smallest: range(smallest, 901))
    >>> state = betting.raise_to(betting.open_street(RIVER), 100)
    >>> state.player, state.put, state.to_call, betting.raises(state)
    (1, (100, 0), 100, range(200, 901))
    >>> betting.call(state).player == TERMINAL
    True
    """

    stack: int
    """What each player can put in over the hand."""
    sizing: Sizing
    min_bet: int = 1
    last_street: int = RIVER

    def post_blinds(self, small: int, big: int) -> BettingState:
        """The first state before the flop; a blind beyond the stack is all-in.

        >>> betting = Betting(1000, lambda state, smallest: (smallest,), min_bet=100)
        >>> [(step.kind.name, step.amount) for step in betting.steps(betting.post_blinds(50, 100))]
        [('FOLD', 50), ('CALL', 100), ('RAISE', 200)]
        """
        put = min(big, self.stack), min(small, self.stack)
        player = CHANCE if put[IP] == self.stack else IP
        return BettingState(PREFLOP, player, put, 0, big, 1, 0, NOBODY)

    def open_street(self, street: int, start: int = 0, bettor: int = NOBODY) -> BettingState:
        """The first state of a later street, to which both players have put in `start` chips."""
        player = self.after_street(street) if start == self.stack else OOP
        return BettingState(street, player, (start, start), start, self.min_bet, 0, 0, bettor)

    def next_street(self, state: BettingState) -> BettingState:
        """The state after the cards of the next street."""
        bettor = state.bettor if state.num_bets else NOBODY
        return self.open_street(state.street + 1, state.put[OOP], bettor)

    def after_street(self, street: int) -> int:
        """Whose move it is when a street is over: that of chance, or nobody's."""
        return TERMINAL if street == self.last_street else CHANCE

    def raises(self, state: BettingState) -> Sequence[int]:
        """What the player who acts may bet or raise to, ascending: chips put in over the hand."""
        opposite = state.put[1 - state.player]
        if opposite == self.stack:
            return ()
        return self.sizing(state, min(self.stack, opposite + state.last_raise))

    def fold(self, state: BettingState) -> BettingState:
        """The state after a fold."""
        street, player, put, start, last_raise, num_bets, num_actions, bettor, _ = state
        return BettingState(
            street, TERMINAL, put, start, last_raise, num_bets, num_actions + 1, bettor, player
        )

    def call(self, state: BettingState) -> BettingState:
        """The state after a call or a check."""
        street, player, put, start, last_raise, num_bets, num_actions, bettor, _ = state
        total = put[1 - player]
        is_over = num_actions > 0 or total == self.stack
        player = self.after_street(street) if is_over else 1 - player
        return BettingState(
            street, player, (total, total), start, last_raise, num_bets, num_actions + 1, bettor
        )

    def raise_to(self, state: BettingState, total: int) -> BettingState:
        """The state after a bet or raise, given as chips put in over the hand."""
        street, player, put, start, _, num_bets, num_actions, _, _ = state
        opposite = put[1 - player]
        put = (total, opposite) if player == OOP else (opposite, total)
        return BettingState(
            street, 1 - player, put, start, total - opposite, num_bets + 1, num_actions + 1, player
        )

    def steps(self, state: BettingState) -> list[Step]:
        """All that a player may do: fold, check or call, and bets or raises from small to large."""
        start, own, opposite = state.start, state.put[state.player], state.put[1 - state.player]
        if own < opposite:
            steps = [
                Step(_FOLD, own - start, self.fold(state)),
                Step(_CALL, opposite - start, self.call(state)),
            ]
        else:
            steps = [Step(_CHECK, own - start, self.call(state))]
        bet_or_raise = _RAISE if state.num_bets else _BET
        for total in self.raises(state):
            kind = _ALL_IN if total == self.stack else bet_or_raise
            steps.append(Step(kind, total - start, self.raise_to(state, total)))
        return steps
