"""Hands of two cards and hand classes: how they are numbered, read and written.

A hand is a number from 0 to 1325: ``first * (first - 1) / 2 + second``, where ``first`` is the
larger card. So ``2d2c`` is 0 and ``AsAh`` is 1325. The arrays `HAND_FIRST`, `HAND_SECOND` and
`HAND_INDEX` go from one to the other.

A hand class is what is left when suits do not matter: 13 pairs, 78 suited and 78 offsuit classes,
numbered row by row in the usual 13 x 13 grid with aces first, suited hands above the diagonal.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from infoset.cards.cards import NUM_CARDS, RANKS, cards_of, format_cards
from infoset.errors import BadInputError

NUM_HANDS = 1326

_CARDS = np.arange(NUM_CARDS, dtype=np.int16)
_FIRST, _SECOND = np.nonzero(_CARDS[:, None] > _CARDS)

HAND_FIRST: NDArray[np.int16] = _CARDS[_FIRST]
"""[1326] The larger card of each hand."""

HAND_SECOND: NDArray[np.int16] = _CARDS[_SECOND]
"""[1326] The smaller card of each hand."""

HAND_INDEX: NDArray[np.int16] = np.full((NUM_CARDS, NUM_CARDS), -1, np.int16)
"""[52, 52] The hand of two cards, in either order; -1 for a card and itself."""

HAND_INDEX[_FIRST, _SECOND] = HAND_INDEX[_SECOND, _FIRST] = np.arange(NUM_HANDS)

HAND_MASK: NDArray[np.uint64] = (np.uint64(1) << HAND_FIRST.astype(np.uint64)) | (
    np.uint64(1) << HAND_SECOND.astype(np.uint64)
)
"""[1326] The cards of each hand as bits."""

_ROW = 12 - HAND_FIRST // 4
_COLUMN = 12 - HAND_SECOND // 4

HAND_CLASS: NDArray[np.int16] = np.where(
    HAND_FIRST % 4 == HAND_SECOND % 4, 13 * _ROW + _COLUMN, 13 * _COLUMN + _ROW
).astype(np.int16)
"""[1326] The class of each hand, from 0 for ``AA`` to 168 for ``22``."""

for _array in (HAND_FIRST, HAND_SECOND, HAND_INDEX, HAND_MASK, HAND_CLASS):
    _array.setflags(write=False)


def _class_name(row: int, column: int) -> str:
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("s" if row < column else "o" if row > column else "")


CLASS_NAMES = tuple(_class_name(row, column) for row in range(13) for column in range(13))
"""The name of each of the 169 hand classes: ``AA``, ``AKs``, ..., ``AKo``, ..., ``22``."""


def hand_of(cards: str | Iterable[int]) -> int:
    """The number of a hand, its two cards in either order.

    >>> hand_of("AsKd") == hand_of("KdAs") == hand_of([51, 45])
    True
    >>> hand_of("AsKdQh")
    Traceback (most recent call last):
    infoset.errors.BadInputError: a hand is two cards, not 3 (AsKdQh)
    """
    both = cards_of(cards)
    if len(both) != 2:
        shown = f" ({format_cards(both)})" if both else ""
        raise BadInputError(f"a hand is two cards, not {len(both)}{shown}")
    return int(HAND_INDEX[both])


def format_hand(hand: int) -> str:
    """Write a hand, its higher card first.

    >>> format_hand(0), format_hand(hand_of("KdAs")), format_hand(1325)
    ('2d2c', 'AsKd', 'AsAh')
    """
    if not 0 <= hand < NUM_HANDS:
        raise BadInputError(f"there is no hand {hand}; hands are numbered from 0 to 1325")
    return format_cards([int(HAND_FIRST[hand]), int(HAND_SECOND[hand])])
