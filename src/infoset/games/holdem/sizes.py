"""Bet sizes, in the notation players use: read, written, and turned into chips.

==========  =====================================================================================
``50%``     half of the pot; as a raise, the opponent's bet and half of the pot after a call
``2.5x``    two and a half times the opponent's bet, for raises only
``300c``    300 chips; as a raise, 300 chips more than the opponent's bet
``e``       geometric: the share of the pot that, bet and called on every street that is left,
            puts the last chip in on the river. On the river it is all-in
``2e``      the same as if two streets were left
``3e200%``  the same, but at most twice the pot
``a``       all-in
==========  =====================================================================================

A raise with ``e`` counts one street less for each raise before it on the same street, but at least
one. The notation and its meaning are those of postflop-solver. Chips are whole; halves are rounded
up, and shares of the pot are exact before that (``14.5%`` of 100 is 15 chips, where the rounding
errors of 64-bit numbers give other programs 14).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from infoset.cursor import Cursor
from infoset.errors import BadInputError, shorten
from infoset.games.holdem.checks import MAX_CHIPS

MAX_PERCENT = 100_000
MAX_TIMES = 1_000
MAX_STREETS = 10
MAX_DECIMALS = 6
MOST_SIZES = 20
"""How many sizes a list may hold."""

MAX_LENGTH = 1000
"""Longest text that is read as sizes, in characters."""

EXAMPLE = "write sizes as in 50%, 100%, 2.5x, 300c, e, 3e200%, a"

_NUMBER = r"[0-9]+\.?[0-9]*|\.[0-9]+"
_WORD = re.compile("[^,]*")
_OF_SOMETHING = re.compile(rf"({_NUMBER})\s*([%cCxX])")
_GEOMETRIC = re.compile(rf"([0-9]*)\s*[eE]\s*(?:({_NUMBER})\s*%)?")
_BARE = re.compile(_NUMBER)


class SizingContext(NamedTuple):
    """All that the meaning of a size depends on. Bets are totals of the street."""

    pot: int
    """What is in the middle once the opponent's bet is called."""
    previous: int
    """The opponent's bet; 0 if there is none."""
    all_in: int
    """The bet that is all-in."""
    num_streets: int
    """Streets left, this one included."""
    num_raises: int = 0
    """Raises on this street so far; the first bet is none."""


def rounded_share(share: Fraction, chips: int, unit: int = 1) -> int:
    """That share of some chips, in whole chips; halves up. A share in percent has a `unit` of 100.

    >>> rounded_share(Fraction(1, 2), 25), rounded_share(Fraction("14.5"), 100, unit=100)
    (13, 15)
    """
    above, below = share.numerator, unit * share.denominator
    return (2 * above * chips + below) // (2 * below)


@dataclass(frozen=True, slots=True)
class PotShare:
    """A share of the pot.

    >>> half = PotShare(Fraction(50))
    >>> str(half), half.total(SizingContext(pot=440, previous=120, all_in=900, num_streets=2))
    ('50%', 340)
    """

    percent: Fraction

    def __post_init__(self) -> None:
        _check(self, self.percent, MAX_PERCENT)

    def total(self, context: SizingContext) -> int:
        """What the bet comes to, before it is fitted between the smallest bet and all-in."""
        return context.previous + rounded_share(self.percent, context.pot, unit=100)

    def __str__(self) -> str:
        return f"{_decimal(self.percent)}%"


@dataclass(frozen=True, slots=True)
class PreviousBet:
    """A multiple of the opponent's bet; for raises only."""

    times: Fraction

    def __post_init__(self) -> None:
        _check(self, self.times, MAX_TIMES)
        if self.times <= 1:
            raise BadInputError(
                f"the size {self} is no raise: it must be more than 1x, the opponent's bet"
            )

    def total(self, context: SizingContext) -> int:
        """What the raise comes to, before it is fitted between the smallest one and all-in."""
        return rounded_share(self.times, context.previous)

    def __str__(self) -> str:
        return f"{_decimal(self.times)}x"


@dataclass(frozen=True, slots=True)
class Chips:
    """A number of chips."""

    chips: int

    def __post_init__(self) -> None:
        _check(self, Fraction(self.chips), MAX_CHIPS)

    def total(self, context: SizingContext) -> int:
        """What the bet comes to, before it is fitted between the smallest bet and all-in."""
        return context.previous + self.chips

    def __str__(self) -> str:
        return f"{self.chips}c"


@dataclass(frozen=True, slots=True)
class Geometric:
    """The same share of the pot on each of some streets, after which all chips are in.

    With ``s`` chips left for every chip in the pot, ``n`` bets of a share ``x`` that are all called
    put the last chip in if ``(1 + 2x)**n == 1 + 2s``.

    >>> turn = SizingContext(pot=200, previous=0, all_in=900, num_streets=2)
    >>> Geometric().total(turn), Geometric(1).total(turn), Geometric(1, Fraction(200)).total(turn)
    (216, 900, 400)
    """

    num_streets: int | None = None
    """`None` for as many as are left."""
    max_percent: Fraction | None = None
    """Most that it may be, in percent of the pot."""

    def __post_init__(self) -> None:
        if self.num_streets is not None and not 1 <= self.num_streets <= MAX_STREETS:
            raise BadInputError(
                f"the size {self} is for {self.num_streets} streets; 1 to {MAX_STREETS} are "
                "possible"
            )
        if self.max_percent is not None:
            _check(self, self.max_percent, MAX_PERCENT)

    def total(self, context: SizingContext) -> int:
        """What the bet comes to, before it is fitted between the smallest bet and all-in."""
        num_streets = context.num_streets if self.num_streets is None else self.num_streets
        num_streets = max(num_streets - context.num_raises, 1)
        behind = context.all_in - context.previous
        share: float = ((1.0 + 2.0 * behind / context.pot) ** (1.0 / num_streets) - 1.0) / 2.0
        if self.max_percent is not None:
            share = min(share, float(self.max_percent / 100))
        return context.previous + math.floor(context.pot * share + 0.5)

    def __str__(self) -> str:
        streets = "" if self.num_streets is None else f"{self.num_streets}"
        most = "" if self.max_percent is None else f"{_decimal(self.max_percent)}%"
        return f"{streets}e{most}"


@dataclass(frozen=True, slots=True)
class AllIn:
    """All that is left."""

    def total(self, context: SizingContext) -> int:
        """What the bet comes to."""
        return context.all_in

    def __str__(self) -> str:
        return "a"


Size = PotShare | PreviousBet | Chips | Geometric | AllIn


def parse_sizes(text: str, *, for_raises: bool = False) -> tuple[Size, ...]:
    """Read sizes separated by commas; none at all from an empty text.

    >>> format_sizes(parse_sizes("50 %,100%, 2E , a"))
    '50%, 100%, 2e, a'
    >>> parse_sizes("50%, 75")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the sizes '50%, 75' at character 6: 75 of what? 75% \
is of the pot, 75c is chips; write sizes as in 50%, 100%, 2.5x, 300c, e, 3e200%, a
    """
    cursor = Cursor(text, "sizes", longest=MAX_LENGTH, example=EXAMPLE)
    sizes: list[Size] = []
    cursor.skip_blanks()
    while not cursor.is_at_end:
        begin = cursor.at
        word = cursor.expect(_WORD, "a size").rstrip()
        if len(sizes) == MOST_SIZES:
            raise cursor.error(f"at most {MOST_SIZES} sizes make one list", begin)
        try:
            sizes.append(_size_of(word, for_raises=for_raises))
        except BadInputError as error:
            raise cursor.error(str(error), begin) from None
        cursor.take(",")
        cursor.skip_blanks()
    return tuple(sizes)


def format_sizes(sizes: tuple[Size, ...]) -> str:
    """Write sizes so that `parse_sizes` reads them back."""
    return ", ".join(map(str, sizes))


def _size_of(word: str, *, for_raises: bool) -> Size:
    """One size, or a `BadInputError` that says what is wrong with it."""
    if word in ("a", "A"):
        return AllIn()
    if match := _OF_SOMETHING.fullmatch(word):
        unit = match[2].lower()
        if unit == "x" and not for_raises:
            raise BadInputError(
                f"{shorten(word)} is a multiple of the opponent's bet, so only a raise can have "
                "this size"
            )
        number = _number(match[1])
        if unit != "c":
            return PotShare(number) if unit == "%" else PreviousBet(number)
        if number.denominator != 1:
            raise BadInputError(f"{shorten(word)} is not a whole number of chips")
        return Chips(int(number))
    if match := _GEOMETRIC.fullmatch(word):
        num_streets = int(_number(match[1])) if match[1] else None
        return Geometric(num_streets, _number(match[2]) if match[2] else None)
    if word.startswith("-"):
        raise BadInputError(f"{shorten(word)} is negative")
    if _BARE.fullmatch(word):
        raise BadInputError(f"{word} of what? {word}% is of the pot, {word}c is chips")
    raise BadInputError(f"expected a size, found {shorten(word) if word else 'nothing'}")


def _number(digits: str) -> Fraction:
    if len(digits) > 30:
        raise BadInputError(f"the number {shorten(digits, 20)[1:-1]} has too many digits")
    return Fraction(digits)


def _check(size: Size, number: Fraction, maximum: int) -> None:
    """Refuse a number that is no size, or cannot be written."""
    if number <= 0:
        raise BadInputError(f"the size {size} is not above zero")
    if number > maximum:
        raise BadInputError(f"the size {size} is huge; at most {maximum:,} is possible")
    if (number * 10**MAX_DECIMALS).denominator != 1:
        raise BadInputError(
            f"the size {float(number)} has more decimals than the {MAX_DECIMALS} that can be "
            "written"
        )


def _decimal(number: Fraction) -> str:
    """A number of a few decimals, exactly.

    >>> _decimal(Fraction("33.30")), _decimal(Fraction(200)), _decimal(Fraction("0.000001"))
    ('33.3', '200', '0.000001')
    """
    whole, rest = divmod(number, 1)
    decimals = f"{int(rest * 10**MAX_DECIMALS):0{MAX_DECIMALS}}".rstrip("0")
    return f"{int(whole)}.{decimals}" if decimals else f"{int(whole)}"
