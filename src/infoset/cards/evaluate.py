"""Who wins a showdown: the strength of five, six or seven cards as a number.

A strength is from 1 (``7-5-4-3-2``) to 7462 (a royal flush), one number for each class of hands
that tie: larger wins, equal ties. The tables are built at first use, in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infoset.cards.cards import NUM_CARDS, RANKS, board_of, format_cards
from infoset.cards.hands import HAND_FIRST, HAND_MASK, HAND_SECOND, NUM_HANDS
from infoset.cards.kernels import evaluate as kernels
from infoset.errors import BadInputError

NUM_STRENGTHS = 7462
"""How many different strengths there are."""

_MOST_HANDS = 49205
"""Ways to have seven cards of 13 ranks, at most four of each."""


@cache
def _tables_and_scores() -> tuple[kernels.Tables, NDArray[np.int32]]:
    """The tables, and for each strength the category and ranks it stands for."""
    low_begin = np.empty((3, 1 << kernels.LOW_BITS), np.uint16)
    high_place = np.empty(1 << kernels.HIGH_BITS, np.uint16)
    score = np.zeros((3, _MOST_HANDS), np.int32)
    flush_score = np.empty(1 << 13, np.int32)
    num_scores = np.empty(3, np.int64)
    kernels.score_hands_into(low_begin, high_place, score, flush_score, num_scores)
    # Every hand of more cards is worth as much as the best five of them.
    of_five = np.unique(np.concatenate([score[0, : num_scores[0]], flush_score[flush_score > 0]]))
    assert len(of_five) == NUM_STRENGTHS
    tables = kernels.Tables(
        card_key=_card_keys(),
        low_begin=low_begin,
        high_place=high_place,
        strength=(np.searchsorted(of_five, score) + 1).astype(np.int16),
        flush_strength=(np.searchsorted(of_five, flush_score) + 1).astype(np.int16),
    )
    return tables, of_five


def _card_keys() -> NDArray[np.uint64]:
    keys = []
    for card in range(NUM_CARDS):
        rank, suit = divmod(card, 4)
        is_low = rank < kernels.NUM_LOW
        place = 5**rank if is_low else 5 ** (rank - kernels.NUM_LOW) << kernels.LOW_BITS
        keys.append(place + (1 << kernels.SUIT_SHIFT + 4 * suit))
    return np.array(keys, np.uint64)


def evaluator_tables() -> kernels.Tables:
    """The tables that kernels look strengths up in."""
    return _tables_and_scores()[0]


@cache
def _all_hands() -> kernels.Hands:
    return hands_for_kernels(np.arange(NUM_HANDS))


def hands_for_kernels(hands: NDArray[np.integer]) -> kernels.Hands:
    """The cards of some hands, as kernels take them."""
    first, second = HAND_FIRST[hands], HAND_SECOND[hands]
    ranks = (13 * (first // 4) + second // 4).astype(np.uint8)
    return kernels.Hands(first.astype(np.uint8), second.astype(np.uint8), HAND_MASK[hands], ranks)


def evaluate_cards(cards: ArrayLike) -> NDArray[np.int16]:
    """The strength of every row of cards, five to seven in a row.

    `cards` has the shape [..., 5 to 7], the answer has the shape [...]. An array of type uint8 is
    read as it is, without a copy. Rows count from zero in messages.

    >>> from infoset.cards import parse_cards
    >>> evaluate_cards([parse_cards("AsKsQsJsTs2c2d"), parse_cards("7c5d4h3s2cTdJh")])
    array([7462,  207], dtype=int16)
    >>> evaluate_cards([[0, 1, 2, 3, 3]])
    Traceback (most recent call last):
    infoset.errors.BadInputError: row 0 of the cards holds the same card twice: 2c2d2h2s2s
    """
    given = np.asarray(cards)
    if given.ndim == 0 or not 5 <= given.shape[-1] <= 7:
        raise BadInputError(
            f"a row of 5, 6 or 7 cards has a strength, an array of shape {given.shape} has none"
        )
    if given.dtype.kind not in "iu":
        raise BadInputError(f"cards are whole numbers from 0 to 51, not of type {given.dtype}")
    if given.size and not (given.min() >= 0 and given.max() < NUM_CARDS):
        wrong = given[(given < 0) | (given >= NUM_CARDS)][0]
        raise BadInputError(f"{wrong} is not a card; cards are numbers from 0 (2c) to 51 (As)")
    rows = np.ascontiguousarray(given, np.uint8).reshape(-1, given.shape[-1])
    of_rows = np.empty(len(rows), np.int16)
    bad = kernels.evaluate_into(of_rows, rows, evaluator_tables())
    if bad >= 0:
        raise BadInputError(
            f"row {bad} of the cards holds the same card twice: {format_cards(rows[bad])}"
        )
    return of_rows.reshape(given.shape[:-1])


def strengths(
    board: str | Iterable[int], hands: NDArray[np.integer] | None = None
) -> NDArray[np.int16]:
    """The strength of every hand on a board of three to five cards; 0 if they share a card.

    `hands` are numbers of hands, all 1326 unless given.

    >>> from infoset.cards import hand_of
    >>> on_board = strengths("Ks9h7d4c2s")
    >>> int(on_board[hand_of("KdKh")]), int(on_board[hand_of("AsKs")])
    (5748, 0)
    """
    cards = board_of(board)
    if not cards:
        raise BadInputError("strengths need a board of 3, 4 or 5 cards; this one has none")
    if hands is None:
        chosen = _all_hands()
    else:
        hands = np.asarray(hands)
        if hands.ndim != 1 or hands.dtype.kind not in "iu":
            raise BadInputError("hands are a row of whole numbers from 0 to 1325")
        if len(hands) and not (hands.min() >= 0 and hands.max() < NUM_HANDS):
            raise BadInputError("hands are numbered from 0 to 1325")
        chosen = hands_for_kernels(hands)
    of_hands = np.empty(len(chosen.first), np.int16)
    kernels.strengths_into(of_hands, np.array(cards, np.uint8), chosen, evaluator_tables())
    return of_hands


def strengths_on(boards: NDArray[np.integer]) -> NDArray[np.int16]:
    """[boards, 1326] What `strengths` says of each of many boards, one a row.

    >>> from infoset.cards import parse_cards
    >>> boards = np.array([parse_cards("Ks9h7d4c2s"), parse_cards("Ks9h7d4c2d")])
    >>> bool((strengths_on(boards)[1] == strengths("Ks9h7d4c2d")).all())
    True
    """
    of_boards = np.empty((len(boards), NUM_HANDS), np.int16)
    cards = np.ascontiguousarray(boards, np.uint8)
    kernels.board_strengths_into(of_boards, cards, _all_hands(), evaluator_tables())
    return of_boards


_NAMES = "two three four five six seven eight nine ten jack queen king ace".split()  # noqa: SIM905


def describe(strength: int) -> str:
    """Say a strength in words.

    >>> board = "KhKd2c2d7s"
    >>> from infoset.cards import hand_of
    >>> [describe(strengths(board)[hand_of(hand)]) for hand in ("KcAc", "AcQc")]
    ['full house, kings over twos', 'two pair, kings and twos, ace kicker']
    >>> describe(7462), describe(1)
    ('royal flush', 'high card, 7-5-4-3-2')
    """
    if not 1 <= strength <= NUM_STRENGTHS:
        raise BadInputError(f"there is no strength {strength}; strengths are from 1 to 7462")
    score = int(_tables_and_scores()[1][strength - 1])
    category, *ranks = (score >> shift & 15 for shift in range(20, -1, -4))
    one, other, third, *_ = (_NAMES[rank] for rank in ranks)
    ones, others = (f"{name}es" if name == "six" else f"{name}s" for name in (one, other))
    dashed = "-".join(RANKS[rank] for rank in ranks)
    return (
        f"high card, {dashed}",
        f"pair of {ones}, {dashed[2:7]} kickers",
        f"two pair, {ones} and {others}, {third} kicker",
        f"three {ones}, {dashed[2:5]} kickers",
        f"straight, {one} high",
        f"flush, {dashed}",
        f"full house, {ones} over {others}",
        f"four {ones}, {other} kicker",
        "royal flush" if one == "ace" else f"straight flush, {one} high",
    )[category]
