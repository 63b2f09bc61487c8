"""Why a spot that begins before the flop has no public form, and how large it would be."""

from __future__ import annotations

from math import comb

from infoset.cards import NUM_CARDS
from infoset.errors import TooLargeError
from infoset.forms.betting_tree import BettingTree
from infoset.games.holdem import FLOP, PREFLOP, RIVER
from infoset.machine.memory import format_bytes

__all__ = ["preflop_refusal"]

BOARDS = (1, 22_100, 22_100 * 49, 22_100 * 49 * 48)
"""[street] The flops, and the cards that can follow each."""

BOARDS_UP_TO_SUITS = (1, 1_755, 63_193, 2_554_656)
"""[street] The same, one for all that differ only in the names of suits."""

BYTES = 8
"""Of a regret and an average, in 32 bits each."""


def preflop_refusal(tree: BettingTree, *, is_symmetric: bool) -> TooLargeError:
    """The error that says what the public form of a spot before the flop would take.

    `is_symmetric` says that any suit may be called any other.
    """
    boards = BOARDS_UP_TO_SUITS if is_symmetric else BOARDS
    num_bytes = 0
    for street in range(PREFLOP, RIVER + 1):
        num_cards = street + 2 if street else 0
        share = comb(NUM_CARDS - num_cards, 2) / comb(NUM_CARDS, 2)  # of hands the board leaves
        for player, hands in enumerate(tree.spot.num_hands):
            entries = boards[street] * tree.count_actions(street, player) * hands * share
            num_bytes += round(BYTES * entries)
    flops = f"{BOARDS[FLOP]:,} flops"
    if is_symmetric:
        flops += f", {BOARDS_UP_TO_SUITS[FLOP]:,} up to suits"
    return TooLargeError(
        f"a spot before the flop has no public form yet: the flop is dealt from all cards at once "
        f"({flops}), and regrets and averages would take about {format_bytes(num_bytes)}. Its "
        "betting tree can be looked at, and its rules can be sampled; to solve it in public form, "
        "begin on a flop"
    )
