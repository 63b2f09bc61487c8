"""A spot: a moment after the flop from which two players play a hand of hold'em to its end.

Amounts are whole chips. The pot is what lies in the middle, and the stack is what each player has
left to bet; where players have different stacks, it is the smaller one. Player 0 is out of position
(OOP) and acts first on every street, player 1 is in position (IP).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from infoset.cards import (
    HAND_FIRST,
    HAND_SECOND,
    NUM_CARDS,
    Range,
    board_of,
    format_cards,
    range_of,
)
from infoset.errors import BadInputError, shorten
from infoset.games.holdem.locks import Lock, locks_of
from infoset.games.holdem.menus import (
    IP,
    OOP,
    PLAYERS,
    Donks,
    Menus,
    Sizes,
    donks_of,
    menus_of,
    opening_of,
)
from infoset.games.holdem.sizes import MOST_CHIPS

__all__ = ["BIG_BLIND", "Spot"]

MOST_NAME = 200
"""Longest name of a spot, in characters."""

MOST_THRESHOLD = 1000.0

LEAST_WEIGHT = 1e-6
"""Of the largest weight in a range: if only hands of less can meet, single precision is lost."""

BIG_BLIND = 100
"""A big blind in chips, unless something else is said: that of the ACPC's no-limit games."""

_IN_WORDS = ("out of position", "in position")


@dataclass(frozen=True, init=False)
class Spot:
    """The description of a heads-up no-limit hold'em game after the flop; never changed.

    Cards, ranges and sizes are given as text or as what the text stands for.

    - `bet_sizes`: see `infoset.games.holdem.menus`. Unless something else is said, bets are of 50%
      or 100% of the pot or all-in, and raises of 60% or all-in.
    - `donk`: other sizes for a bet that opens a street out of position when the last bet or raise
      of the street before was the opponent's; a text for turn and river, or a mapping with one for
      each. Otherwise they are those of any bet.
    - `opening`: a list of sizes for the first actions on the first street, in place of those in
      `bet_sizes`: the first is for the first action, whatever it is, the second for the answer, and
      so on. DeepStack's lookahead is described this way.
    - `add_allin_threshold`: all-in is added to the sizes of a decision where it is at most this
      many times the pot. For a raise, both are counted from the call on. 0 adds nothing.
    - `force_allin_threshold`: a bet or raise becomes all-in if, once it is called, the stack left
      is at most this many times the pot. 0 forces nothing.
    - `merging_threshold`: of sizes that are close, the larger stays. From the largest size down
      (``x`` times the pot), sizes of ``y`` times the pot go where ``(1 + x) / (1 + y)`` is less
      than 1 plus this threshold, and so on with the next largest that is left. 0 merges nothing.
    - `rake`: this share of every pot that is won goes to the house, but at most `rake_cap` chips
      (`None` for any number). Bets that are not called are not part of the pot. With rake the game
      is not zero-sum.
    - `big_blind`: what a big blind is in chips. It is no part of the game, but results are also
      told in thousandths of it.
    - `locks`: what some hands do at some decisions, whatever would be best; each a `Lock`, or a
      mapping with its path and strategy. Whether they fit is checked where the betting tree is.

    The three thresholds mean what they mean in postflop-solver, but all are 0 unless given: a tree
    has the sizes that are written down. The first two are rounded to whole chips, as sizes are.

    >>> spot = Spot("Td9d6hQc", "66+,A8s+", "QQ-22,ATo+", pot=200, stack=900)
    >>> spot.street, spot.num_hands, spot.stack_to_pot
    (1, (63, 96), 4.5)
    >>> Spot("Td9d6hQc", "QcQd", "QcQh", pot=200, stack=900)
    Traceback (most recent call last):
    infoset.errors.BadInputError: on the board Td9d6hQc, every hand of the range out of position \
shares a card with the board
    """

    board: tuple[int, ...]
    range_oop: Range
    range_ip: Range
    pot: int
    stack: int
    bet_sizes: Menus
    donk: Donks
    opening: tuple[Sizes, ...]
    add_allin_threshold: float
    force_allin_threshold: float
    merging_threshold: float
    rake: float
    rake_cap: float | None
    name: str
    big_blind: int
    locks: tuple[Lock, ...]

    def __init__(
        self,
        board: str | Iterable[int],
        range_oop: Range | str,
        range_ip: Range | str,
        pot: int,
        stack: int,
        bet_sizes: Mapping[str, object] | Menus | None = None,
        donk: str | Mapping[str, object] | Donks | None = None,
        opening: Iterable[str | Sizes] | None = None,
        add_allin_threshold: float = 0.0,
        force_allin_threshold: float = 0.0,
        merging_threshold: float = 0.0,
        rake: float = 0.0,
        rake_cap: float | None = None,
        name: str = "",
        big_blind: int = BIG_BLIND,
        locks: Iterable[Lock | Mapping[str, object]] = (),
    ) -> None:
        def keep(field: str, value: object) -> None:
            object.__setattr__(self, field, value)

        keep("board", _board(board))
        keep("range_oop", _range(range_oop, OOP))
        keep("range_ip", _range(range_ip, IP))
        keep("pot", _chips("pot", pot))
        keep("stack", _chips("stack", stack))
        # What is said about streets that are over is forgotten: it makes no difference.
        over = self.street
        keep("bet_sizes", (*menus_of(None)[:over], *menus_of(bet_sizes)[over:]))
        keep("donk", (*donks_of(None)[:over], *donks_of(donk)[over:]))
        keep("opening", opening_of(opening))
        keep("add_allin_threshold", _threshold("add_allin_threshold", add_allin_threshold))
        keep("force_allin_threshold", _threshold("force_allin_threshold", force_allin_threshold))
        keep("merging_threshold", _threshold("merging_threshold", merging_threshold))
        keep("rake", _rake(rake))
        keep("rake_cap", None if rake_cap is None else _rake_cap(rake_cap))
        keep("big_blind", _chips("big blind", big_blind))
        keep("name", _name(name))
        keep("locks", locks_of(locks))
        _check_that_hands_meet(self)

    @property
    def street(self) -> int:
        """The first street: 0 on the flop, 1 on the turn, 2 on the river."""
        return len(self.board) - 3

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges of both players, without the hands that the board makes impossible."""
        return self.range_oop.without(self.board), self.range_ip.without(self.board)

    @property
    def num_hands(self) -> tuple[int, int]:
        """How many hands of each player the board allows."""
        oop, ip = self.ranges
        return len(oop), len(ip)

    @property
    def stack_to_pot(self) -> float:
        """The stack, in pots."""
        return self.stack / self.pot

    def rake_of(self, pot: int) -> float:
        """What the house takes of a pot, in chips.

        >>> spot = Spot("Td9d6hQc", "AA", "KK", 200, 900, rake=0.05, rake_cap=30)
        >>> spot.rake_of(200), spot.rake_of(2000)
        (10.0, 30)
        """
        share = self.rake * pot
        return share if self.rake_cap is None else min(share, self.rake_cap)


def _board(given: str | Iterable[int]) -> tuple[int, ...]:
    board = board_of(given)
    if not board:
        raise BadInputError(
            "a spot needs a board of 3 (flop), 4 (turn) or 5 (river) cards; none are given"
        )
    return board


def _range(given: Range | str, player: int) -> Range:
    try:
        found = range_of(given)
    except BadInputError as error:
        raise BadInputError(f"range_{PLAYERS[player]}: {error}") from None
    if not found:
        raise BadInputError(f"the range {_IN_WORDS[player]} is empty")
    return found


def _check_that_hands_meet(spot: Spot) -> None:
    """Refuse ranges of which no two hands can be dealt together."""
    board = format_cards(spot.board)
    for player, held in enumerate(spot.ranges):
        if not held:
            raise BadInputError(
                f"on the board {board}, every hand of the range {_IN_WORDS[player]} shares a card "
                "with the board"
            )
    if not _meet(*(held.weights > 0.0 for held in spot.ranges)):
        raise BadInputError(
            f"on the board {board}, the ranges conflict: every hand of one shares a card with "
            "every hand of the other"
        )
    if not _meet(*(held.weights > LEAST_WEIGHT * held.weights.max() for held in spot.ranges)):
        raise BadInputError(
            f"on the board {board}, the ranges hardly meet: hands that can be dealt together have "
            f"less than {LEAST_WEIGHT:g} of the weight of others that cannot"
        )


def _meet(oop: NDArray[np.bool_], ip: NDArray[np.bool_]) -> bool:
    """Whether a hand of one can be dealt with a hand of the other."""
    hands = np.flatnonzero(oop)
    # Hands of the opponent that hold neither card; a hand that is held by both was taken away
    # twice, once for each of its cards.
    met = ip.sum() - _by_card(ip)[HAND_FIRST[hands]] - _by_card(ip)[HAND_SECOND[hands]] + ip[hands]
    return bool(met.any())


def _by_card(is_held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[52] How many of the hands hold each card."""
    first = np.bincount(HAND_FIRST, is_held, minlength=NUM_CARDS)
    second = np.bincount(HAND_SECOND, is_held, minlength=NUM_CARDS)
    return (first + second).astype(np.int64)


def _chips(what: str, given: object) -> int:
    """A pot, a stack or a blind: whole chips above zero."""
    number = _number(what, given)
    if number <= 0:
        raise BadInputError(f"the {what} must be above zero, not {_shown(given)}")
    if number > MOST_CHIPS:
        raise BadInputError(
            f"the {what} of {_shown(given)} is huge; at most {MOST_CHIPS:,} chips are possible"
        )
    if number.denominator != 1:
        raise BadInputError(
            f"the {what} must be whole chips, not {_shown(given)}; count in smaller units "
            "(650 instead of 6.5)"
        )
    return int(number)


def _threshold(what: str, given: object) -> float:
    number = _number(what, given)
    if not 0 <= number <= MOST_THRESHOLD:
        raise BadInputError(
            f"{what} must be a number from 0 to {MOST_THRESHOLD:g}, not {_shown(given)}"
        )
    return float(number)


def _rake(given: object) -> float:
    number = _number("rake", given)
    if number > 1:
        raise BadInputError(
            f"the rake of {_shown(given)} is more than the whole pot; it is a share from 0 to 1, "
            "so 5% is 0.05"
        )
    if number < 0:
        raise BadInputError(f"the rake must be a share from 0 to 1, not {_shown(given)}")
    return float(number)


def _rake_cap(given: object) -> float:
    number = _number("rake_cap", given)
    if number < 0:
        raise BadInputError(
            f"rake_cap must be a number of chips of at least 0, not {_shown(given)}"
        )
    if number > MOST_CHIPS:
        raise BadInputError(
            f"the rake_cap of {_shown(given)} is huge; at most {MOST_CHIPS:,} chips are possible"
        )
    return int(number) if number.denominator == 1 else float(number)


def _name(given: object) -> str:
    if not isinstance(given, str):
        raise BadInputError(f"the name of a spot is text, not {type(given).__name__}")
    if len(given) > MOST_NAME or not given.isprintable():
        raise BadInputError(
            f"the name {shorten(given)} must be one line of at most {MOST_NAME} characters"
        )
    return given


def _number(what: str, given: object) -> Fraction:
    """A finite number of any type."""
    if isinstance(given, numbers.Rational) and not isinstance(given, bool):
        return Fraction(int(given.numerator), int(given.denominator))
    if isinstance(given, numbers.Real) and not isinstance(given, bool) and math.isfinite(given):
        return Fraction(float(given))
    raise BadInputError(f"{what} must be a number, not {_shown(given)}")


def _shown(given: object) -> str:
    """A value as it would be typed, or its beginning if it is very long."""
    if isinstance(given, str):
        return shorten(given)
    try:
        text = str(given)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 30 else f"{text[:27]}..."
