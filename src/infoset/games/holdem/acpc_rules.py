"""The numbers in the rules of hold'em, and what follows from them: hands, boards and their odds.

Cards and strengths are those of `infoset.cards`, whatever the deck: a smaller one only leaves cards
out. What beats what stays as it is with 52 cards, however common it becomes: a flush beats a
straight. With four ranks there is neither, with three suits no four of a kind, with two no three.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from infoset.errors import BadInputError
from infoset.games.rules import CHANCE, TERMINAL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Cards",
    "HoldemRules",
    "board_at",
    "list_boards",
    "mask_of",
    "read_cards",
    "strength_of",
    "write_cards",
]

# Cards are imported where they are needed: they bring NumPy, and listing the games does without.

Cards = tuple[int, ...]


def write_cards(cards: Sequence[int]) -> str:
    """The label of cards, in their order."""
    from infoset.cards import format_cards

    return format_cards(cards)


@lru_cache(maxsize=1 << 15)
def read_cards(label: str) -> Cards:
    """The cards of a label, in its order."""
    from infoset.cards import parse_cards

    return parse_cards(label)


def mask_of(cards: Cards) -> int:
    """Cards as bits."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


@lru_cache(maxsize=32)
def list_boards(left: Cards, count: int) -> tuple[str, ...]:
    """Labels of all cards that may come up of those that are left, from the lowest."""
    groups = itertools.combinations(sorted(left, reverse=True), count)
    return tuple(write_cards(cards) for cards in groups)[::-1]


def board_at(left: Cards, count: int, number: float) -> str:
    """The label of `list_boards` that lies at a share, from 0 to 1, of the list: none is made.

    >>> left = tuple(range(10))
    >>> all(board_at(left, 3, i / 120 + 1e-9) == b for i, b in enumerate(list_boards(left, 3)))
    True
    """
    cards = sorted(left, reverse=True)
    total = math.comb(len(cards), count)
    rank = total - 1 - int(number * total)
    chosen: list[int] = []
    for i, card in enumerate(cards):
        if len(chosen) == count:
            break
        with_it = math.comb(len(cards) - i - 1, count - len(chosen) - 1)
        if rank < with_it:
            chosen.append(card)
        else:
            rank -= with_it
    return write_cards(tuple(chosen))


def strength_of(hand: Cards, board: Cards) -> int:
    """How strong a hand is on a board of three to five cards: the best five cards count."""
    first, second = hand
    return int(_strengths_on(board)[first * (first - 1) // 2 + second])


@lru_cache(maxsize=1024)
def _strengths_on(board: Cards) -> NDArray[np.int16]:
    """[1326] How strong each hand is on a board."""
    from infoset.cards import strengths

    return strengths(board)


@dataclass(frozen=True)
class HoldemRules:
    """A stack, blinds, a deck, and how the board comes up.

    `blinds` are what players 0 and 1 post. `street_cards` says how many cards come up on the board
    before each betting round: none before the first, and three to five in all. A raise is any
    whole number of chips that is large enough or, if `sizes` are given, one of these parts of the
    pot that the raiser would see after a call; what is too small is the least raise then, what is
    too large is all-in, and all-in is always there.
    """

    name: str
    stack: int
    blinds: tuple[int, int]
    deck: Cards
    street_cards: tuple[int, ...] = (0, 3, 1, 1)
    sizes: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        big, small = self.blinds
        if small > big:
            raise BadInputError(
                f"holdem: small_blind is {small}, more than big_blind, which is {big}"
            )
        first, *later = self.street_cards or (0,)
        if first != 0 or min(later, default=0) < 1 or not 3 <= sum(later) <= 5:
            raise BadInputError(
                f"holdem: street_cards is {self.street_cards}, but the first street has no cards "
                "on the board, each later one brings some, and 3 to 5 come in all"
            )
        num_dealt = 4 + sum(self.street_cards)
        if len(self.deck) < num_dealt:
            raise BadInputError(
                f"holdem: the deck has {len(self.deck)} cards, but {num_dealt} are dealt: give it "
                "more ranks or suits, or play fewer streets"
            )

    @cached_property
    def hand_cards(self) -> tuple[Cards, ...]:
        """The cards of each hand, the higher first, in the order of `infoset.cards`."""
        deck = sorted(self.deck)
        return tuple((first, second) for first in deck for second in deck if second < first)

    @cached_property
    def hand_masks(self) -> tuple[int, ...]:
        """The cards of each hand as bits."""
        return tuple(mask_of(cards) for cards in self.hand_cards)

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """Labels of the hands."""
        return tuple(write_cards(cards) for cards in self.hand_cards)

    @cached_property
    def hand_of(self) -> dict[str, int]:
        """The number of each hand by its label."""
        return {label: hand for hand, label in enumerate(self.hands)}

    @cached_property
    def board_odds(self) -> tuple[Fraction, ...]:
        """For each street: how likely any cards are that may come up, given both hands."""
        left = len(self.deck) - 4
        odds = []
        for count in self.street_cards:
            odds.append(Fraction(1, math.comb(left, count)))
            left -= count
        return tuple(odds)

    @cached_property
    def raise_labels(self) -> tuple[str, ...]:
        """The label of a raise to each number of chips; states take slices of it."""
        return tuple(f"raise{total}" for total in range(self.stack + 1))

    def after_street(self, street: int) -> int:
        """Whose move it is when a street is over."""
        return TERMINAL if street == len(self.street_cards) - 1 else CHANCE
