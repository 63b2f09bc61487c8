"""How a hand ends, payoffs at the terminals of hold'em, and rake."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from infoset.errors import BadInputError
from infoset.games.holdem.betting import NOBODY, BettingState
from infoset.games.holdem.checks import MAX_CHIPS, check_number, shown
from infoset.games.rules import Number


def _share(given: object) -> float:
    number = check_number("rake", given)
    if number > 1:
        raise BadInputError(
            f"the rake of {shown(given)} is more than the whole pot; it is a share from 0 to 1, "
            "so 5% is 0.05"
        )
    if number < 0:
        raise BadInputError(f"the rake must be a share from 0 to 1, not {shown(given)}")
    return float(number)


def _cap(given: object) -> float:
    number = check_number("rake_cap", given)
    if number < 0:
        raise BadInputError(f"rake_cap must be a number of chips of at least 0, not {shown(given)}")
    if number > MAX_CHIPS:
        raise BadInputError(
            f"the rake_cap of {shown(given)} is huge; at most {MAX_CHIPS:,} chips are possible"
        )
    return int(number) if number.denominator == 1 else float(number)


@dataclass(frozen=True, init=False)
class Rake:
    """What the house takes: a share of every pot that is won, but at most `cap` chips.

    Bets that are not called are not part of the pot. With rake the game is not zero-sum.

    >>> rake = Rake(0.05, cap=30)
    >>> rake.taken(200), rake.taken(2000), Rake().taken(200)
    (10.0, 30, 0)
    """

    share: float
    """From 0 to 1."""
    cap: float | None
    """`None` for any number of chips."""

    def __init__(self, share: float = 0.0, cap: float | None = None) -> None:
        object.__setattr__(self, "share", _share(share))
        object.__setattr__(self, "cap", None if cap is None else _cap(cap))

    def __bool__(self) -> bool:
        return self.share > 0

    def taken(self, pot: int) -> int | float:
        """What the house takes of a pot, in chips."""
        if not self:
            return 0
        taken = self.share * pot
        return taken if self.cap is None else min(taken, self.cap)


NO_RAKE = Rake()


class Ending(NamedTuple):
    """How a hand ended: what the loser loses; who was left by a fold; else the board."""

    chips: Any
    winner: int | None
    board: Any


def ending_of(state: BettingState, board: Hashable) -> Ending:
    """What the loser put in is lost to the winner of the fold or of the showdown."""
    if state.folder != NOBODY:
        return Ending(min(state.put), 1 - state.folder, None)
    return Ending(min(state.put), None, board)


class Payoffs(NamedTuple):
    """What a player gets, relative to half of the pot that the game began with."""

    win: Number
    tie: Number
    lose: Number


def terminal_payoffs(chips: int, pot: int = 0, rake: Rake = NO_RAKE) -> Payoffs:
    """What either player gets at the end of a hand.

    `chips` is what the player who put in less has put in since the game began: the rest of a bet
    that was not called goes back. `pot` is what lay in the middle then.

    >>> terminal_payoffs(300)
    Payoffs(win=300, tie=0, lose=-300)
    >>> terminal_payoffs(300, pot=200, rake=Rake(0.05))
    Payoffs(win=360.0, tie=-20.0, lose=-400)
    """
    half = Fraction(pot, 2) if pot % 2 else pot // 2
    taken = rake.taken(pot + 2 * chips)
    return Payoffs(half + chips - taken, -taken / 2 if taken else 0, -half - chips)
