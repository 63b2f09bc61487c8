"""Ranges: how often a player holds each hand, in the notation players use.

A range is a list of entries, separated by commas or spaces:

==============  ===============================================================================
``77``          the six pairs of sevens
``AKs, AKo``    ace and king of one suit; of two suits
``AK``          both
``AsKd``        these two cards
``77+``         sevens and higher pairs
``A8s+``        ``A8s`` to ``AKs``: the lower card goes up to one below the higher
``T9s+``        ``T9s, JTs, QJs, KQs, AKs``: of two cards in a row, both go up
``QQ-88``       queens to eights; also ``A5s-A2s``, and ``98s-65s`` for ``98s, 87s, 76s, 65s``
``KQo:0.5``     half of the times; a weight from 0 to 1 can follow any entry
``random``      every hand; so does ``any``
==============  ===============================================================================

Where entries overlap, the later one counts: ``22+,AA:0.5`` has aces at one half. Letters may be
small or capital and ``10`` is ``T``. Single cards work in spans too (``8s8h+``, ``9d8d-6d5d``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infoset.calls import shorten
from infoset.cards.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_INDEX,
    HAND_MASK,
    NUM_HANDS,
    RANKS,
    RANKS_IN_WORDS,
    SUITS_IN_WORDS,
    cards_of,
    format_cards,
    format_hand,
    hand_of,
    mask_of,
    read_rank,
    read_suit,
)
from infoset.errors import BadInputError

__all__ = ["Range", "range_of"]

MAX_LENGTH = 100_000
"""Longest text that is read as a range, in characters; 1326 hands with a weight each fit."""

EXAMPLE = "write it as in 66+,A8s+,A5s-A4s,KQo:0.5,AsKd"

_EVERY_HAND = re.compile(r"(random|any)(?![A-Za-z0-9])", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Suits = tuple[int, int] | str
"""Which suits two cards have: these two, or ``"s"`` one, ``"o"`` two, ``""`` any."""


@dataclass(frozen=True, eq=False, repr=False)
class Range:
    """How often a player holds each of the 1326 hands, from 0 to 1; never changed.

    >>> opening = Range.parse("QQ+, AKs, AKo:0.5")
    >>> opening
    Range('QQ+,AKs,AKo:0.5')
    >>> len(opening), opening.num_combos, opening["AsKd"]
    (34, 28.0, 0.5)
    >>> str(opening.without("As Kd"))
    'QQ,AhAd,AhAc,AdAc,KsKh,KsKc,KhKc,AhKh,AcKc,AhKs:0.5,AhKc:0.5,AdKs:0.5,AdKh:0.5,AdKc:0.5,\
AcKs:0.5,AcKh:0.5'
    """

    weights: NDArray[np.float64]
    """[1326] The weight of each hand; read-only."""

    def __post_init__(self) -> None:
        # Adding zero turns -0.0 into 0.0, so that equal ranges have equal bytes.
        weights = _floats(self.weights) + 0.0
        if weights.shape != (NUM_HANDS,):
            raise BadInputError(f"a range has {NUM_HANDS} weights, not shape {weights.shape}")
        is_wrong = ~((weights >= 0.0) & (weights <= 1.0))
        if is_wrong.any():
            hand = int(np.argmax(is_wrong))
            raise BadInputError(
                f"the weight of {format_hand(hand)} is {weights[hand]}; weights are from 0 to 1"
            )
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read a range; at least one hand must have a weight above zero.

        >>> Range.parse("66+,A8s+,A5s-A4s,KQo:0.5").num_combos
        92.0
        >>> Range.parse("QQ+,AKx")
        Traceback (most recent call last):
        infoset.errors.BadInputError: cannot read the range 'QQ+,AKx' at character 7: expected s, \
o, '+', '-', ':' or ',' after AK, found 'x'; write it as in 66+,A8s+,A5s-A4s,KQo:0.5,AsKd
        """
        if not isinstance(text, str):
            raise BadInputError(f"expected a range as text, got {type(text).__name__}; {EXAMPLE}")
        if len(text) > MAX_LENGTH:
            raise BadInputError(
                f"the range {shorten(text)} has {len(text):,} characters, at most {MAX_LENGTH:,} "
                "are read"
            )
        parsed = cls(_Reader(text).weights())
        if not len(parsed):
            raise BadInputError(f"the range {shorten(text)} is empty: every weight is zero")
        return parsed

    @classmethod
    def random(cls) -> Range:
        """Every hand, always.

        >>> len(Range.random()), str(Range.random())
        (1326, 'random')
        """
        return cls(np.ones(NUM_HANDS))

    def __len__(self) -> int:
        """How many hands there are with a weight above zero."""
        return int(np.count_nonzero(self.weights))

    @property
    def num_combos(self) -> float:
        """The sum of the weights: how many hands there are, each counted by its weight."""
        return float(self.weights.sum())

    @property
    def hands(self) -> NDArray[np.intp]:
        """The numbers of the hands with a weight above zero."""
        return np.flatnonzero(self.weights)

    def __getitem__(self, hand: str | int) -> float:
        """The weight of a hand, given as text or by its number."""
        number = hand_of(hand) if isinstance(hand, str) else hand
        if not 0 <= number < NUM_HANDS:
            raise BadInputError(f"there is no hand {number}; hands are numbered from 0 to 1325")
        return float(self.weights[number])

    def without(self, cards: str | Iterable[int]) -> Range:
        """The range once these cards are known to be elsewhere; it may come out empty.

        >>> len(Range.random().without("Ks9h7d4c2s"))
        1081
        """
        dead = np.uint64(mask_of(cards_of(cards)))
        return Range(np.where(HAND_MASK & dead, 0.0, self.weights))

    def class_weights(self) -> NDArray[np.float64]:
        """[169] The mean weight in each hand class, in the order of `CLASS_NAMES`.

        >>> grid = Range.parse("AsKs,QQ").class_weights().reshape(13, 13)
        >>> float(grid[0, 1]), float(grid[2, 2])
        (0.25, 1.0)
        """
        total = np.bincount(HAND_CLASS, self.weights, minlength=len(CLASS_NAMES))
        return total / np.bincount(HAND_CLASS, minlength=len(CLASS_NAMES))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Range):
            return NotImplemented
        return bool(np.array_equal(self.weights, other.weights))

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __str__(self) -> str:
        """The range as one text, the same for all equal ranges; empty if the range is."""
        return ",".join(_written_entries(self.weights))

    def __repr__(self) -> str:
        return f"Range({str(self)!r})"


def range_of(given: Range | str) -> Range:
    """A range, or the text of one."""
    return given if isinstance(given, Range) else Range.parse(given)


def _floats(weights: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.array(weights, np.float64)
    except (TypeError, ValueError):
        raise BadInputError("the weights of a range must be numbers") from None


def _hands(high: int, low: int, suits: Suits) -> list[int]:
    """The hands of two ranks."""
    if isinstance(suits, tuple):
        pairs = [suits]
    else:
        every = [(first, second) for first in range(4) for second in range(4)]
        pairs = [
            (first, second)
            for first, second in every
            if not (suits == "s" and first != second or suits == "o" and first == second)
            and not (high == low and first <= second)
        ]
    return [int(HAND_INDEX[4 * high + first, 4 * low + second]) for first, second in pairs]


class _Holding(NamedTuple):
    """Two ranks, the higher first, and their suits."""

    high: int
    low: int
    suits: Suits

    @property
    def gap(self) -> int:
        return self.high - self.low

    @property
    def text(self) -> str:
        if isinstance(self.suits, tuple):
            return format_cards([4 * self.high + self.suits[0], 4 * self.low + self.suits[1]])
        return RANKS[self.high] + RANKS[self.low] + self.suits


class _Reader:
    """The text, and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def weights(self) -> NDArray[np.float64]:
        weights = np.zeros(NUM_HANDS)
        self.skip_spaces()
        if self.is_at_end():
            raise self.error("the range is empty")
        while not self.is_at_end():
            hands = self.entry()
            self.skip_spaces()
            weights[hands] = self.weight() if self.take(":") else 1.0
            had_space = self.text[self.at - 1].isspace()
            had_space |= self.skip_spaces()
            if self.take(","):
                self.skip_spaces()
            elif not self.is_at_end() and not had_space:
                raise self.error(f"expected ',' before the next entry, found {self.found()}")
        return weights

    def entry(self) -> list[int]:
        word = _EVERY_HAND.match(self.text, self.at)
        if word:
            self.at = word.end()
            return list(range(NUM_HANDS))
        first = self.holding()
        self.skip_spaces()
        if self.take("+"):
            return [hand for holding in _upward(first) for hand in _hands(*holding)]
        if not self.take("-"):
            return _hands(*first)
        self.skip_spaces()
        begin = self.at
        last = self.holding()
        span = _span(first, last)
        if isinstance(span, str):
            self.at = begin
            raise self.error(span)
        return [hand for holding in span for hand in _hands(*holding)]

    def holding(self) -> _Holding:
        begin = self.at
        high = self.rank("a hand such as AKs, 77 or AsKd")
        suit, self.at = read_suit(self.text, self.at)
        if suit is not None:
            return self.two_cards(begin, high, suit)
        low = self.rank(f"a rank ({RANKS_IN_WORDS}) or a suit ({SUITS_IN_WORDS})")
        if high < low:
            self.at = begin
            better = RANKS[low] + RANKS[high]
            raise self.error(f"the higher card comes first: {better}")
        letter = self.text[self.at : self.at + 1]
        suits = {"s": "s", "S": "s", "o": "o", "O": "o"}.get(letter, "")
        if suits and high == low:
            raise self.error(f"a pair is neither suited nor offsuit, found {letter!r}")
        if suits:
            self.at += 1
        elif letter and not letter.isspace() and letter not in "+-:,":
            both = RANKS[high] + RANKS[low]
            ends = "'+', '-', ':' or ','"
            expected = ends if high == low else f"s, o, {ends}"
            raise self.error(f"expected {expected} after {both}, found {self.found()}")
        return _Holding(high, low, suits)

    def two_cards(self, begin: int, high: int, high_suit: int) -> _Holding:
        low = self.rank(f"the second card of the hand, a rank ({RANKS_IN_WORDS})")
        low_suit, self.at = read_suit(self.text, self.at)
        if low_suit is None:
            raise self.error(f"expected a suit ({SUITS_IN_WORDS}), found {self.found()}")
        if (high, high_suit) == (low, low_suit):
            self.at = begin
            raise self.error("a hand cannot hold the same card twice")
        if (high, high_suit) < (low, low_suit):
            high, high_suit, low, low_suit = low, low_suit, high, high_suit
        return _Holding(high, low, (high_suit, low_suit))

    def rank(self, expected: str) -> int:
        rank, self.at = read_rank(self.text, self.at)
        if rank is None:
            raise self.error(f"expected {expected}, found {self.found()}")
        return rank

    def weight(self) -> float:
        self.skip_spaces()
        begin = self.at
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self.error(f"expected a weight from 0 to 1, found {self.found()}")
        self.at = match.end()
        if self.text[self.at : self.at + 1] == "%":
            raise self.error("a weight is a number from 0 to 1, not a percentage")
        weight = float(match.group())
        if weight > 1.0:
            self.at = begin
            raise self.error(f"the weight {shorten(match.group(), 20)[1:-1]} is above 1")
        return weight

    def take(self, character: str) -> bool:
        if self.text[self.at : self.at + 1] != character:
            return False
        self.at += 1
        return True

    def skip_spaces(self) -> bool:
        begin = self.at
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.at > begin

    def is_at_end(self) -> bool:
        return self.at >= len(self.text)

    def found(self) -> str:
        return "the end" if self.is_at_end() else repr(self.text[self.at])

    def error(self, problem: str) -> BadInputError:
        where = f"cannot read the range {shorten(self.text)} at character {self.at + 1}"
        return BadInputError(f"{where}: {problem}; {EXAMPLE}")


def _upward(holding: _Holding) -> Iterator[_Holding]:
    """What ``+`` means: see the top of this file."""
    high, low, suits = holding
    if holding.gap <= 1:
        for rank in range(high, len(RANKS)):
            yield _Holding(rank, rank - holding.gap, suits)
    else:
        for rank in range(low, high):
            yield _Holding(high, rank, suits)


def _span(first: _Holding, last: _Holding) -> list[_Holding] | str:
    """All from one to the other, in either direction; or what is wrong with them."""
    if first.suits != last.suits:
        return f"{first.text} and {last.text} differ in their suits, so nothing lies between them"
    if first.gap == last.gap:
        low, high = sorted((first.high, last.high))
        return [_Holding(rank, rank - first.gap, first.suits) for rank in range(low, high + 1)]
    if first.high == last.high and 0 not in (first.gap, last.gap):
        low, high = sorted((first.low, last.low))
        return [_Holding(first.high, rank, first.suits) for rank in range(low, high + 1)]
    return (
        f"{first.text} and {last.text} have neither the higher card nor the gap between their "
        "cards in common"
    )


def _written_entries(weights: NDArray[np.float64]) -> list[str]:
    """Pairs, then suited, offsuit or both by high card, then single hands; all from aces down."""
    if weights[0] > 0.0 and (weights == weights[0]).all():
        return [_weighted("random", float(weights[0]))]
    # The weight of a class, if all its hands have the same; else they are written one by one.
    least = np.full(len(CLASS_NAMES), np.inf)
    most = np.zeros(len(CLASS_NAMES))
    np.minimum.at(least, HAND_CLASS, weights)
    np.maximum.at(most, HAND_CLASS, weights)
    grid = np.where(least == most, most, 0.0).reshape(13, 13)
    entries = list(_written_runs(grid.diagonal(), range(13), range(13), ""))
    for row in range(12):
        high, lows = [row] * 13, range(row + 1, 13)
        suited = list(_written_runs(grid[row, row + 1 :], high, lows, "s"))
        offsuit = list(_written_runs(grid[row + 1 :, row], high, lows, "o"))
        if np.array_equal(grid[row, row + 1 :], grid[row + 1 :, row]):
            entries += _written_runs(grid[row, row + 1 :], high, lows, "")
        else:
            entries += suited + offsuit
    singles = np.flatnonzero((least != most)[HAND_CLASS] & (weights > 0.0))
    by_class = singles[np.lexsort((-singles, HAND_CLASS[singles]))]
    entries += [_weighted(format_hand(int(h)), float(weights[h])) for h in by_class]
    return entries
