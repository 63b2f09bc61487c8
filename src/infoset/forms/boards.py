"""The boards that can follow; of those that differ only in the names of suits, one is played.

A *renaming* permutes the suits and leaves the board, both ranges and the locks of the spot
unchanged. If a renaming turns one of the next cards into another, the games after the two cards
differ only in the names of hands, so one of them is played for both. On later streets, renamings
must also leave the dealt card unchanged. (The order of turn and river matters: there is betting in
between.)
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_INDEX, HAND_SECOND, NUM_CARDS
from infoset.errors import TooLargeError
from infoset.forms.betting_tree import BettingTree, build_betting_tree
from infoset.forms.locked_nodes import LockedNode, locked_nodes
from infoset.games.holdem import FLOP, PREFLOP, RIVER, Spot
from infoset.machine.memory import format_bytes

Suits = tuple[int, ...]
"""[4] What each suit is called instead."""

NUM_BOARDS = (1, 22_100, 22_100 * 49, 22_100 * 49 * 48)
"""[street] The flops, and the cards that can follow each."""

BOARDS_UP_TO_SUITS = (1, 1_755, 63_193, 2_554_656)
"""[street] The same, one for all that differ only in the names of suits."""

BYTES_PER_ENTRY = 8
"""Of a regret and an average, in 32 bits each."""

_RENAMINGS: tuple[Suits, ...] = tuple(itertools.permutations(range(4)))


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, one for all that are alike, and the deals that lead to them.

    Boards are numbered from 0, in the order of the boards they grew out of, and so are deals. The
    spot's own board is number 0 of its street, to which no deal leads; streets before have no
    boards.
    """

    board_cards: NDArray[np.int8]
    """[b, 3 to 5] The cards, in the order they came."""
    board_parent: NDArray[np.int32]
    """[b] The board of the street before; -1 for the spot's own."""
    board_weight: NDArray[np.int32]
    """[b] How many cards, dealt on the board before it, lead to a board like it."""
    deal_parent: NDArray[np.int32]
    """[d] For every card that can come on a board of the street before: that board,"""
    deal_card: NDArray[np.int8]
    """[d] the card,"""
    deal_board: NDArray[np.int32]
    """[d] the board that is played for it,"""
    deal_suits: NDArray[np.int8]
    """[d, 4] and what suits are called there, so that the card becomes the last of that board."""

    def __len__(self) -> int:
        return len(self.board_cards)


def runouts_of(spot: Spot, tree: BettingTree | None = None) -> tuple[Boards, ...]:
    """[street] The boards; locks that do not fit the betting tree are refused, and preflop spots.

    The tree is needed, and built if it is not given, where there are locks.

    >>> spot = Spot("QsJh2h", "QQ+,AKs", "TT+,AQs", pot=180, stack=360)
    >>> [len(boards) for boards in runouts_of(spot)]  # clubs and diamonds are alike
    [0, 1, 36, 1429]
    >>> [len(boards.deal_card) for boards in runouts_of(spot)]
    [0, 0, 49, 1728]
    """
    renamings = [suits for suits in _RENAMINGS if _is_kept(spot, suits)]
    if spot.street == PREFLOP:
        is_symmetric = len(renamings) == len(_RENAMINGS)
        raise _preflop_refusal(tree or build_betting_tree(spot), is_symmetric=is_symmetric)
    if spot.locks:
        locks = locked_nodes(tree or build_betting_tree(spot))
        renamings = [suits for suits in renamings if _are_kept(locks, suits)]
    boards = [spot.board]
    runouts = [_boards([], [], [], num_cards) for num_cards in (0, 3, 4)[: spot.street]]
    runouts.append(_boards(boards, [-1], []))
    for _ in range(spot.street, RIVER):
        after: list[tuple[int, ...]] = []
        parents: list[int] = []
        deals: list[tuple[int, int, int, Suits]] = []
        for number, board in enumerate(boards):
            # Cards of the spot itself may change places, a card that is dealt in play may not.
            dealt = board[len(spot.board) :]
            keeping = [suits for suits in renamings if all(_renamed(c, suits) == c for c in dealt)]
            numbers: dict[int, int] = {}
            for card in range(NUM_CARDS):
                if card in board:
                    continue
                suits = min(keeping, key=lambda suits: (_renamed(card, suits), suits))
                kind = _renamed(card, suits)
                if kind not in numbers:
                    numbers[kind] = len(after)
                    after.append((*board, kind))
                    parents.append(number)
                deals.append((number, card, numbers[kind], suits))
        boards = after
        runouts.append(_boards(boards, parents, deals))
    return tuple(runouts)


def hands_renamed(suits: Suits | NDArray[np.int8]) -> NDArray[np.int16]:
    """[1326] What each hand is called when its suits have other names.

    >>> from infoset.cards import format_hand, hand_of
    >>> format_hand(int(hands_renamed((1, 0, 2, 3))[hand_of("AcKs")]))
    'AdKs'
    """
    card = np.array([_renamed(card, tuple(map(int, suits))) for card in range(NUM_CARDS)])
    hands: NDArray[np.int16] = HAND_INDEX[card[HAND_FIRST], card[HAND_SECOND]]
    return hands


def _renamed(card: int, suits: Suits) -> int:
    return 4 * (card // 4) + suits[card % 4]


def _is_kept(spot: Spot, suits: Suits) -> bool:
    """Whether the spot is the same when suits have these names."""
    if {_renamed(card, suits) for card in spot.board} != set(spot.board):
        return False
    hands = hands_renamed(suits)
    return all(np.array_equal(held.weights[hands], held.weights) for held in spot.ranges)


def _are_kept(locks: tuple[LockedNode, ...], suits: Suits) -> bool:
    """Whether renaming suits makes of every lock another one, or itself."""
    renamed = hands_renamed(suits)
    by_place = {(lock.node, lock.cards): lock for lock in locks}
    for lock in locks:
        cards = tuple(_renamed(card, suits) for card in lock.cards)
        other = by_place.get((lock.node, cards))
        if other is None:
            return False
        hands = renamed[lock.hands]
        order = np.argsort(hands)
        if not np.array_equal(hands[order], other.hands):
            return False
        if not np.array_equal(lock.strategy[:, order], other.strategy):
            return False
    return True


def _preflop_refusal(tree: BettingTree, *, is_symmetric: bool) -> TooLargeError:
    """The error that says what the public form of a spot before the flop would take.

    `is_symmetric` says that any suit may be called any other.
    """
    boards = BOARDS_UP_TO_SUITS if is_symmetric else NUM_BOARDS
    num_bytes = 0
    for street in range(PREFLOP, RIVER + 1):
        num_cards = street + 2 if street else 0
        share = comb(NUM_CARDS - num_cards, 2) / comb(NUM_CARDS, 2)  # of hands the board leaves
        for player, hands in enumerate(tree.spot.num_hands):
            entries = boards[street] * tree.count_actions(street, player) * hands * share
            num_bytes += round(BYTES_PER_ENTRY * entries)
    flops = f"{NUM_BOARDS[FLOP]:,} flops"
    if is_symmetric:
        flops += f", {BOARDS_UP_TO_SUITS[FLOP]:,} up to suits"
    return TooLargeError(
        f"a spot before the flop has no public form yet: the flop is dealt from all cards at once "
        f"({flops}), and regrets and averages would take about {format_bytes(num_bytes)}. Its "
        "betting tree can be looked at, and its rules can be sampled; to solve it in public form, "
        "begin on a flop"
    )


def _boards(
    boards: list[tuple[int, ...]],
    parents: list[int],
    deals: list[tuple[int, int, int, Suits]],
    num_cards: int = 0,
) -> Boards:
    parent, card, deal_board, suits = zip(*deals, strict=True) if deals else ((), (), (), ())
    weight = np.bincount(deal_board, minlength=len(boards)) if deals else np.ones(len(boards))
    return Boards(
        board_cards=np.array(boards, np.int8).reshape(
            len(boards), len(boards[0]) if boards else num_cards
        ),
        board_parent=np.array(parents, np.int32),
        board_weight=weight.astype(np.int32),
        deal_parent=np.array(parent, np.int32),
        deal_card=np.array(card, np.int8),
        deal_board=np.array(deal_board, np.int32),
        deal_suits=np.array(suits, np.int8).reshape(-1, 4),
    )
