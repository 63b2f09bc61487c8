"""Hand against hand before the flop: the exact share of the pot, of all 1,712,304 boards.

There are too many boards to deal them when asked. A file of this package has the results for one
hand of each of the 169 classes against every hand, as whole numbers; the suits of any other hand
are renamed to those of its class. `count_all` makes them again, in half a minute.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from infoset.cards.equity import RELABELLINGS, every_board, hands_relabelled
from infoset.cards.evaluate import evaluator_tables, hands_for_kernels
from infoset.cards.hands import HAND_CLASS, HAND_MASK, NUM_HANDS
from infoset.cards.kernels.evaluate import board_strengths_into
from infoset.cards.kernels.hand_equity import NEVER_BEATEN, all_beaten_into

NUM_BOARDS = 1_712_304
"""Boards for two hands that share no card."""

FILE = Path(__file__).with_name("preflop.npz")

_, REPRESENTATIVES = np.unique(HAND_CLASS, return_index=True)
"""[169] The first hand of each class."""

BATCH = 2_000
"""Boards that are counted at a time, so that their strengths stay in the cache."""


def count_all() -> NDArray[np.int32]:
    """[1326, 1326] Boards on which the second hand beats the first, twice, and ties, once.

    0 for hands that share a card.
    """
    boards, weight = every_board()
    strength = np.empty((len(boards), NUM_HANDS), np.int16)
    board_strengths_into(
        strength, boards, hands_for_kernels(np.arange(NUM_HANDS)), evaluator_tables()
    )
    strength[strength == 0] = NEVER_BEATEN
    won = np.zeros((NUM_HANDS, NUM_HANDS), np.int32)
    for begin in range(0, len(boards), BATCH):
        some = slice(begin, begin + BATCH)
        all_beaten_into(won, strength[some], weight[some].astype(np.int32))
    # One board was counted for all that are alike, so hands are alike only on average.
    total = np.zeros((NUM_HANDS, NUM_HANDS), np.int64)
    for suits in RELABELLINGS:
        hands = hands_relabelled(suits)
        total += won[np.ix_(hands, hands)]
    total[(HAND_MASK[:, np.newaxis] & HAND_MASK) != 0] = 0
    assert not (total % len(RELABELLINGS)).any()
    return (total // len(RELABELLINGS)).astype(np.int32)


@cache
def _table() -> NDArray[np.int32]:
    """[169, 1326] What `count_all` has for one hand of each class."""
    with np.load(FILE, allow_pickle=False) as archive:
        table: NDArray[np.int32] = archive["beaten"]
    return table


@lru_cache(maxsize=NUM_HANDS)
def preflop_row(hand: int) -> NDArray[np.float64]:
    """[1326] The share of the pot that each hand wins against one hand; 0 if they share a card.

    >>> from infoset.cards import hand_of
    >>> round(float(preflop_row(hand_of("KsKh"))[hand_of("AsAh")]), 6)
    0.826366
    """
    which = int(HAND_CLASS[hand])
    for suits in RELABELLINGS:
        renamed = hands_relabelled(suits)
        if renamed[hand] == REPRESENTATIVES[which]:
            row: NDArray[np.float64] = _table()[which, renamed] / (2.0 * NUM_BOARDS)
            row.setflags(write=False)
            return row
    raise AssertionError("every hand can be renamed to the first of its class")
