"""Playing cards, ranges of hold'em hands, the hand evaluator and equity.

Cards, hands and hand classes are plain numbers; `infoset.cards.cards` and `infoset.cards.hands` say
which is which, and `infoset.cards.notation` how ranges are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.cards.against_hand import equity_against as equity_against
    from infoset.cards.cards import NUM_CARDS as NUM_CARDS
    from infoset.cards.cards import RANKS as RANKS
    from infoset.cards.cards import SUITS as SUITS
    from infoset.cards.cards import board_of as board_of
    from infoset.cards.cards import cards_of as cards_of
    from infoset.cards.cards import format_cards as format_cards
    from infoset.cards.cards import mask_of as mask_of
    from infoset.cards.cards import parse_cards as parse_cards
    from infoset.cards.equity import Equity as Equity
    from infoset.cards.equity import range_equity as range_equity
    from infoset.cards.evaluate import NUM_STRENGTHS as NUM_STRENGTHS
    from infoset.cards.evaluate import describe as describe
    from infoset.cards.evaluate import evaluate_cards as evaluate_cards
    from infoset.cards.evaluate import strengths as strengths
    from infoset.cards.evaluate import strengths_on as strengths_on
    from infoset.cards.hands import CLASS_NAMES as CLASS_NAMES
    from infoset.cards.hands import HAND_CLASS as HAND_CLASS
    from infoset.cards.hands import HAND_FIRST as HAND_FIRST
    from infoset.cards.hands import HAND_INDEX as HAND_INDEX
    from infoset.cards.hands import HAND_MASK as HAND_MASK
    from infoset.cards.hands import HAND_SECOND as HAND_SECOND
    from infoset.cards.hands import NUM_HANDS as NUM_HANDS
    from infoset.cards.hands import format_hand as format_hand
    from infoset.cards.hands import hand_of as hand_of
    from infoset.cards.preflop import preflop_row as preflop_row
    from infoset.cards.ranges import Range as Range
    from infoset.cards.ranges import can_meet as can_meet
    from infoset.cards.ranges import range_of as range_of

__getattr__, __dir__ = door(__name__)
