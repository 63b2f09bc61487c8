"""Ranges as text: the notation players use, read into weights and written back.

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
``random``      every hand; ``any`` is the same
==============  ===============================================================================

Where entries overlap, the later one counts: ``22+,AA:0.5`` has aces at one half. (Otherwise all is
as in postflop-solver, where the earlier one counts.) Letters may be small or capital and ``10`` is
``T``. Single cards work in spans too (``8s8h+``, ``9d8d-6d5d``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.calls import format_value, shorten
from infoset.cards.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_INDEX,
    NUM_HANDS,
    RANKS,
    RANKS_IN_WORDS,
    SUITS_IN_WORDS,
    format_cards,
    format_hand,
    read_rank,
    read_suit,
)
from infoset.errors import BadInputError

__all__ = ["format_weights", "parse_weights"]

Weights = NDArray[np.float64]
"""[1326] How often each hand is held, from 0 to 1."""

Suits = tuple[int, int] | str
"""Which suits two cards have: these two, or ``"s"`` one, ``"o"`` two, ``""`` any."""

MAX_LENGTH = 100_000
"""Longest text that is read as a range, in characters; 1326 hands with a weight each fit."""

EXAMPLE = "write it as in 66+,A8s+,A5s-A4s,KQo:0.5,AsKd"

_EVERY_HAND = re.compile(r"(random|any)(?![A-Za-z0-9])", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def parse_weights(text: str) -> Weights:
    """Read a range; at least one hand must have a weight above zero.

    >>> float(parse_weights("66+,A8s+,A5s-A4s,KQo:0.5").sum())
    92.0
    >>> parse_weights("QQ+,AKx")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the range 'QQ+,AKx' at character 7: expected s, o, \
'+', '-', ':' or ',' after AK, found 'x'; write it as in 66+,A8s+,A5s-A4s,KQo:0.5,AsKd
    """
    if not isinstance(text, str):
        raise BadInputError(f"expected a range as text, got {type(text).__name__}; {EXAMPLE}")
    if len(text) > MAX_LENGTH:
        raise BadInputError(
            f"the range {shorten(text)} has {len(text):,} characters, at most {MAX_LENGTH:,} are "
            "read"
        )
    weights = _Reader(text).weights()
    if not weights.any():
        raise BadInputError(f"the range {shorten(text)} is empty: every weight is zero")
    return weights


def format_weights(weights: Weights) -> str:
    """Write weights as a range, the same text for equal weights; the empty text if all are zero.

    >>> format_weights(parse_weights("AA, KK, AKs, AQs, AJs, AQo AKo, KQ:.50, 7h7c, 72o:0"))
    'KK+,AJs+,AQo+,KQ:0.5,7h7c'
    """
    return ",".join(_written_entries(weights))


def _hands(high: int, low: int, suits: Suits) -> list[int]:
    """The hands of two ranks."""
    if isinstance(suits, tuple):
        pairs = [suits]
    elif high == low:
        pairs = list(itertools.combinations(range(4), 2))
    elif suits == "s":
        pairs = [(suit, suit) for suit in range(4)]
    elif suits == "o":
        pairs = list(itertools.permutations(range(4), 2))
    else:
        pairs = list(itertools.product(range(4), range(4)))
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

    def weights(self) -> Weights:
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
    if 0 in (first.gap, last.gap):
        return f"of {first.text} and {last.text} one is a pair and one is not"
    if first.high == last.high:
        low, high = sorted((first.low, last.low))
        return [_Holding(first.high, rank, first.suits) for rank in range(low, high + 1)]
    return (
        f"{first.text} and {last.text} have neither the higher card nor the gap between their "
        "cards in common"
    )


def _written_entries(weights: Weights) -> list[str]:
    """Pairs, then suited, offsuit or both by high card, then single hands; all from aces down."""
    if weights[0] > 0.0 and (weights == weights[0]).all():
        return [_weighted("random", weights[0])]
    # The weight of a class if all its hands have the same, else zero: those are written singly.
    least = np.full(len(CLASS_NAMES), np.inf)
    most = np.zeros(len(CLASS_NAMES))
    np.minimum.at(least, HAND_CLASS, weights)
    np.maximum.at(most, HAND_CLASS, weights)
    grid = np.where(least == most, most, 0.0).reshape(13, 13)
    letters = RANKS[::-1]
    entries = _written_runs(grid.diagonal(), [letter * 2 for letter in letters])
    for row, letter in enumerate(letters):
        names = [letter + lower for lower in letters[row + 1 :]]
        suited, offsuit = grid[row, row + 1 :], grid[row + 1 :, row]
        if np.array_equal(suited, offsuit):
            entries += _written_runs(suited, names)
        else:
            entries += _written_runs(suited, [name + "s" for name in names])
            entries += _written_runs(offsuit, [name + "o" for name in names])
    single = np.flatnonzero((least != most)[HAND_CLASS] & (weights > 0.0))
    single = single[np.lexsort((-single, HAND_CLASS[single]))]
    return entries + [_weighted(format_hand(int(hand)), weights[hand]) for hand in single]


def _written_runs(weights: Weights, names: Sequence[str]) -> list[str]:
    """Neighbours of equal weight in one entry; the first of the names is the highest."""
    entries = []
    begin = 0
    while begin < len(names):
        end = begin + 1
        while end < len(names) and weights[end] == weights[begin]:
            end += 1
        top, bottom = names[begin], names[end - 1]
        if weights[begin] > 0.0:
            text = top if end == begin + 1 else f"{bottom}+" if begin == 0 else f"{top}-{bottom}"
            entries.append(_weighted(text, weights[begin]))
        begin = end
    return entries


def _weighted(text: str, weight: float) -> str:
    return text if weight == 1.0 else f"{text}:{format_value(float(weight))}"
