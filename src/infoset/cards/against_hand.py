"""Equity of every hand against one hand, exactly: all cards still to come are dealt."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from infoset.cards.cards import NUM_CARDS, format_cards, mask_of
from infoset.cards.evaluate import evaluator_tables, hands_for_kernels
from infoset.cards.hands import HAND_FIRST, HAND_INDEX, HAND_MASK, HAND_SECOND, NUM_HANDS
from infoset.cards.kernels.evaluate import Hands
from infoset.cards.kernels.hand_equity import beaten_into
from infoset.cards.preflop import preflop_row
from infoset.errors import BadInputError

Cards = tuple[int, ...]

BOARD_SIZE = 5
REMEMBERED = 2_048
"""Rows that are kept: 10 kB each, and more than there are hands on a flop."""

EVERY_CARD = (1 << NUM_CARDS) - 1


def equity_against(
    own: Cards, board: Cards = (), *, deck: int = EVERY_CARD, board_size: int = BOARD_SIZE
) -> NDArray[np.float64]:
    """[1326] The share of the pot that each hand wins against one hand, from a board on.

    A tie is half a win. Hands that share a card with the one hand or the board, or hold a card that
    is not in the ``deck`` (bits), get 0. The board goes on to ``board_size`` cards, three to five.
    On a flop all 990 boards for each pair of hands take 4 ms; before the flop of a whole deck the
    shares are looked up.

    >>> from infoset.cards import hand_of, parse_cards
    >>> row = equity_against(parse_cards("AsAh"), parse_cards("Ks9h7d"))
    >>> round(float(row[hand_of("KdKh")]), 4), float(row[hand_of("AsKd")])
    (0.9141, 0.0)
    """
    given = (*own, *board)
    if len(own) != 2 or len(set(given)) < len(given) or mask_of(given) & ~deck:
        raise BadInputError(
            f"the hand {format_cards(own)} and the board {format_cards(board)} must be different "
            "cards of the deck, two of them in the hand"
        )
    if not max(3, len(board)) <= board_size <= BOARD_SIZE:
        raise BadInputError(
            f"a board of {len(board)} cards cannot go on to {board_size}; 3 to 5 are possible"
        )
    return _row(tuple(sorted(own, reverse=True)), tuple(sorted(board)), deck, board_size)


@lru_cache(maxsize=REMEMBERED)
def _row(own: Cards, board: Cards, deck: int, board_size: int) -> NDArray[np.float64]:
    if not board and board_size == BOARD_SIZE and deck == EVERY_CARD:
        return preflop_row(int(HAND_INDEX[own]))
    hands, cards = _held(deck)
    beaten = np.zeros(len(hands), np.int64)
    given = np.array(board, np.uint8)
    missing_cards = np.uint64(EVERY_CARD & ~deck)
    beaten_into(
        *(beaten, np.array(own, np.uint8), given, board_size, missing_cards, cards),
        evaluator_tables(),
    )
    can_meet = HAND_MASK[hands] & np.uint64(mask_of(own) | mask_of(board)) == 0
    num_left = deck.bit_count() - 4 - len(board)
    row = np.zeros(NUM_HANDS)
    num_boards = math.comb(num_left, board_size - len(board))
    row[hands[can_meet]] = beaten[can_meet] / (2.0 * num_boards)
    row.setflags(write=False)
    return row


@lru_cache(maxsize=4)
def _held(deck: int) -> tuple[NDArray[np.intp], Hands]:
    """The hands of a deck, and their cards for kernels."""
    in_deck = np.array([deck >> card & 1 for card in range(NUM_CARDS)], bool)
    hands = np.flatnonzero(in_deck[HAND_FIRST] & in_deck[HAND_SECOND])
    return hands, hands_for_kernels(hands)
