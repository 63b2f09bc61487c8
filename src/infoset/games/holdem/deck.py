"""Cards as hold'em deals them: labels, boards in order, and the strength of hands.

Cards and strengths are those of `infoset.cards`, whatever the deck: a smaller one only leaves cards
out. What beats what stays as it is with 52 cards, however common it becomes: a flush beats a
straight. With four ranks there is neither, with three suits no four of a kind, with two no three.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from infoset.cards import format_cards, parse_cards

Cards = tuple[int, ...]

read_cards = lru_cache(maxsize=1 << 15)(parse_cards)
"""The cards of a label, in its order."""


@lru_cache(maxsize=32)
def list_boards(left: Cards, count: int) -> tuple[str, ...]:
    """Labels of all cards that may come up of those that are left, from the lowest."""
    groups = itertools.combinations(sorted(left, reverse=True), count)
    return tuple(format_cards(cards) for cards in groups)[::-1]


def board_at(left: Cards, count: int, number: float) -> str:
    """The label of `list_boards` that lies at a share, from 0 to 1, of the list: none is made.

    >>> left = tuple(range(10))
    >>> all(board_at(left, 3, i / 120 + 1e-9) == b for i, b in enumerate(list_boards(left, 3)))
    True
    """
    cards = sorted(left, reverse=True)
    total = math.comb(len(cards), count)
    rank = total - 1 - int(number * total)
    if count == 1:
        return format_cards((cards[rank],))
    chosen: list[int] = []
    for i, card in enumerate(cards):
        if len(chosen) == count:
            break
        with_it = math.comb(len(cards) - i - 1, count - len(chosen) - 1)
        if rank < with_it:
            chosen.append(card)
        else:
            rank -= with_it
    return format_cards(tuple(chosen))


@lru_cache(maxsize=1024)
def board_probability(num_left: int, count: int) -> Fraction:
    """How likely any `count` cards are of those that are left.

    >>> board_probability(48, 3)
    Fraction(1, 17296)
    """
    return Fraction(1, math.comb(num_left, count))


def strength_of(hand: Cards, board: Cards) -> int:
    """How strong a hand is on a board of three to five cards: the best five cards count."""
    first, second = hand
    strength: int = _strengths_on(board).item(first * (first - 1) // 2 + second)
    return strength


@lru_cache(maxsize=1024)
def _strengths_on(board: Cards) -> Any:
    """[1326] How strong each hand is on a board."""
    return _evaluator()(board)


@cache
def _evaluator() -> Callable[[Cards], Any]:
    from infoset.cards import strengths  # not above: it brings NumPy, and `infoset games` has none

    return strengths
