"""Ranges: how often a player holds each hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infoset.cards.cards import NUM_CARDS, cards_of, mask_of
from infoset.cards.hands import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_FIRST,
    HAND_MASK,
    HAND_SECOND,
    NUM_HANDS,
    format_hand,
    hand_of,
)
from infoset.cards.notation import format_weights, parse_weights
from infoset.errors import BadInputError


@dataclass(frozen=True, eq=False, repr=False)
class Range:
    """How often a player holds each of the 1326 hands, from 0 to 1; never changed.

    >>> opening = Range.parse("QQ+, AKs, AKo:0.5")
    >>> opening
    Range('QQ+,AKs,AKo:0.5')
    >>> len(opening), opening.num_combos, opening.weight("AsKd")
    (34, 28.0, 0.5)
    >>> str(opening.without("As Kd Qh Qd"))
    'AhAd,AhAc,AdAc,AhKh,AcKc,AhKs:0.5,AhKc:0.5,AdKs:0.5,AdKh:0.5,AdKc:0.5,AcKs:0.5,AcKh:0.5,\
KsKh,KsKc,KhKc,QsQc'
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
        """Read a range; `infoset.cards.notation` says all that can be written.

        >>> Range.parse("66+,A8s+,A5s-A4s,KQo:0.5").num_combos
        92.0
        """
        return cls(parse_weights(text))

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

    def weight(self, hand: str | int) -> float:
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
        return format_weights(self.weights)

    def __repr__(self) -> str:
        return f"Range({str(self)!r})"


def range_of(given: Range | str) -> Range:
    """A range, or the text of one."""
    return given if isinstance(given, Range) else Range.parse(given)


def can_meet(is_held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[2, 1326] Whether a player's hand can be dealt together with a hand of the opponent.

    ``is_held`` [2, 1326] says which hands are in the ranges of both players.
    """
    held = is_held.astype(np.int64)
    by_card = np.zeros((2, NUM_CARDS), np.int64)
    for player in (0, 1):
        np.add.at(by_card[player], HAND_FIRST, held[player])
        np.add.at(by_card[player], HAND_SECOND, held[player])
    # A hand takes away each of its cards, and itself twice.
    others = held.sum(axis=1, keepdims=True) - by_card[:, HAND_FIRST] - by_card[:, HAND_SECOND]
    has_other: NDArray[np.bool_] = (others + held)[::-1] > 0
    return has_other & is_held


def _floats(weights: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.array(weights, np.float64)
    except (TypeError, ValueError):
        raise BadInputError("the weights of a range must be numbers") from None
