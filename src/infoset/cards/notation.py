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
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.calls import format_value
from infoset.cards.cards import (
    RANKS,
    RANKS_IN_WORDS,
    SUIT_OF,
    SUITS_IN_WORDS,
    format_cards,
    read_rank,
    read_suit,
)
from infoset.cards.hands import CLASS_NAMES, HAND_CLASS, HAND_INDEX, NUM_HANDS, format_hand
from infoset.cursor import Cursor
from infoset.errors import BadInputError, shorten

Weights = NDArray[np.float64]
"""[1326] How often each hand is held, from 0 to 1."""

Hands = NDArray[np.intp]
"""[n] Numbers of hands."""

Suits = tuple[int, int] | str
"""Which suits two cards have: these two, or ``"s"`` one, ``"o"`` two, ``""`` any."""

MAX_LENGTH = 100_000
"""Longest text that is read as a range, in characters; 1326 hands with a weight each fit."""

EXAMPLE = "write it as in 66+,A8s+,A5s-A4s,KQo:0.5,AsKd"

_SUITS = {
    "s": [(suit, suit) for suit in range(4)],
    "o": list(itertools.permutations(range(4), 2)),
    "": list(itertools.product(range(4), range(4))),
}
"""The suits of two cards of different ranks."""

_EVERY_HAND = re.compile(r"(random|any)(?![A-Za-z0-9])", re.ASCII | re.IGNORECASE)
_SUITED_OR_NOT = re.compile("[sSoO]")
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
    cursor = Cursor(text, "a range", longest=MAX_LENGTH, example=EXAMPLE)
    cursor.skip_blanks()
    if cursor.is_at_end:
        raise cursor.error("the range is empty")
    weights = np.zeros(NUM_HANDS)
    while not cursor.is_at_end:
        hands = _read_entry(cursor)
        cursor.skip_blanks()
        weights[hands] = _read_weight(cursor) if cursor.take(":") else 1.0
        cursor.skip_blanks()
        had_blank = text[cursor.at - 1].isspace()
        if cursor.take(","):
            cursor.skip_blanks()
        elif not cursor.is_at_end and not had_blank:
            raise cursor.expected("',' before the next entry")
    if not weights.any():
        raise BadInputError(f"the range {shorten(text)} is empty: every weight is zero")
    return weights


def format_weights(weights: Weights) -> str:
    """Write weights as a range, the same text for equal weights; the empty text if all are zero.

    >>> format_weights(parse_weights("AA, KK, AKs, AQs, AJs, AQo AKo, KQ:.50, 7h7c, 72o:0"))
    'KK+,AJs+,AQo+,KQ:0.5,7h7c'
    """
    return ",".join(_written_entries(weights))


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


@lru_cache(maxsize=4096)
def _hands(*holdings: _Holding) -> Hands:
    """The hands of all holdings; cached, since a long range repeats its entries."""
    hands: list[int] = []
    for high, low, suits in holdings:
        pairs = [suits] if isinstance(suits, tuple) else _SUITS[suits]
        if high == low and suits == "":
            pairs = list(itertools.combinations(range(4), 2))
        hands += [HAND_INDEX[4 * high + first, 4 * low + second] for first, second in pairs]
    return np.array(hands, np.intp)


def _read_entry(cursor: Cursor) -> Hands | slice:
    """The hands of one entry, without its weight."""
    if cursor.take(_EVERY_HAND):
        return slice(None)
    first = _read_holding(cursor)
    cursor.skip_blanks()
    begin = cursor.at
    if cursor.take("+"):
        last = _top(first)
    elif cursor.take("-"):
        cursor.skip_blanks()
        begin = cursor.at
        last = _read_holding(cursor)
    else:
        return _hands(first)
    span = _span(first, last)
    if isinstance(span, str):
        raise cursor.error(span, begin)
    return _hands(*span)


def _read_holding(cursor: Cursor) -> _Holding:
    begin = cursor.at
    high = read_rank(cursor, "a hand such as AKs, 77 or AsKd")
    if cursor.next in SUIT_OF:
        return _read_two_cards(cursor, begin, high)
    low = read_rank(cursor, f"a rank ({RANKS_IN_WORDS}) or a suit ({SUITS_IN_WORDS})")
    if high < low:
        raise cursor.error(f"the higher card comes first: {RANKS[low]}{RANKS[high]}", begin)
    is_pair = high == low
    suits = cursor.take(_SUITED_OR_NOT)
    if suits and is_pair:
        problem = f"a pair is neither suited nor offsuit, found {suits!r}"
        raise cursor.error(problem, cursor.at - 1)
    if not suits and cursor.next.strip("+-:,").strip():
        ends = "'+', '-', ':' or ','" if is_pair else "s, o, '+', '-', ':' or ','"
        raise cursor.expected(f"{ends} after {RANKS[high]}{RANKS[low]}")
    return _Holding(high, low, (suits or "").lower())


def _read_two_cards(cursor: Cursor, begin: int, rank: int) -> _Holding:
    first = rank, read_suit(cursor)
    rank = read_rank(cursor, f"the second card of the hand, a rank ({RANKS_IN_WORDS})")
    second = rank, read_suit(cursor)
    if first == second:
        raise cursor.error("a hand cannot hold the same card twice", begin)
    (high, high_suit), (low, low_suit) = max(first, second), min(first, second)
    return _Holding(high, low, (high_suit, low_suit))


def _read_weight(cursor: Cursor) -> float:
    cursor.skip_blanks()
    begin = cursor.at
    number = cursor.expect(_NUMBER, "a weight from 0 to 1")
    if cursor.next == "%":
        raise cursor.error("a weight is a number from 0 to 1, not a percentage")
    if float(number) > 1.0:
        raise cursor.error(f"the weight {shorten(number, 20)[1:-1]} is above 1", begin)
    return float(number)


def _top(holding: _Holding) -> _Holding:
    """Where ``+`` ends: see the top of this file."""
    high, _, suits = holding
    if holding.gap <= 1:
        return _Holding(len(RANKS) - 1, len(RANKS) - 1 - holding.gap, suits)
    return _Holding(high, high - 1, suits)


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
