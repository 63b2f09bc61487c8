"""Playing cards, ranges of hold'em hands, the hand evaluator and equity.

Cards, hands and hand classes are plain numbers; `infoset.cards.cards` says which is which, and
`infoset.cards.notation` how ranges are written.
"""

from infoset.cards.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_FIRST,
    HAND_INDEX,
    HAND_MASK,
    HAND_SECOND,
    NUM_CARDS,
    NUM_HANDS,
    RANKS,
    SUITS,
    board_of,
    cards_of,
    format_cards,
    format_hand,
    hand_of,
    mask_of,
    parse_cards,
)
from infoset.cards.equity import Equity, range_equity
from infoset.cards.evaluate import NUM_STRENGTHS, describe, evaluate_cards, strengths
from infoset.cards.ranges import Range, range_of

__all__ = [
    "CLASS_NAMES",
    "HAND_CLASS",
    "HAND_FIRST",
    "HAND_INDEX",
    "HAND_MASK",
    "HAND_SECOND",
    "NUM_CARDS",
    "NUM_HANDS",
    "NUM_STRENGTHS",
    "RANKS",
    "SUITS",
    "Equity",
    "Range",
    "board_of",
    "cards_of",
    "describe",
    "evaluate_cards",
    "format_cards",
    "format_hand",
    "hand_of",
    "mask_of",
    "parse_cards",
    "range_equity",
    "range_of",
    "strengths",
]
