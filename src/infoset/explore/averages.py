"""The average strategy of a solver at any node on any board, whichever board is played for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, NUM_HANDS
from infoset.forms.boards import hands_renamed
from infoset.games.holdem.spot import Spot
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["average_strategy", "hands_on", "played_board", "reach_met"]

Cards = tuple[int, ...]
Floats = NDArray[np.float64]
Hands = NDArray[np.intp]

LEAST_MET = 1e-6
"""A smaller part of the opponent's reach is none: sums in single precision do not tell it from
rounding."""


def average_strategy(solver: SpotSolver, node: int, board: Cards, hands: Hands) -> Floats:
    """[actions, hands] How often hands take each action; uniform where a hand never comes.

    `board` are all cards on the table, those of the spot first, and none of them is in a hand. It
    need not be a board that is played: if another one is for it, hands are looked up there under
    their names with its suits.
    """
    player = int(solver.tree.node_player[node])
    number, name = played_board(solver, board[len(solver.spot.board) :])
    street = int(solver.tree.node_street[node]) - solver.spot.street
    average = solver.numbers("average", street, player, number, node)
    row = np.zeros(NUM_HANDS, np.intp)
    rows = solver.layout.rows[street][player]
    live = rows.hand[rows.begin[number] :][: rows.num_live[number]]
    row[solver.hand_numbers[player][live]] = np.arange(len(live))
    taken = average[:, row[name[hands]]].astype(np.float64)
    total = taken.sum(axis=0)
    is_known = total > 0
    strategy = np.full(taken.shape, 1 / len(taken))
    strategy[:, is_known] = taken[:, is_known] / total[is_known]
    return strategy


def played_board(solver: SpotSolver, dealt: Cards) -> tuple[int, NDArray[np.int16]]:
    """The board that is played when cards are dealt, and [1326] what each hand is called there."""
    number, name = 0, np.arange(NUM_HANDS, dtype=np.int16)
    suits = np.arange(4)
    for street, card in enumerate(dealt, solver.spot.street + 1):
        boards = solver.runouts[street]
        # Suits may have got other names when the card before was dealt.
        card = 4 * (card // 4) + int(suits[card % 4])
        (deal,) = np.flatnonzero((boards.deal_parent == number) & (boards.deal_card == card))
        number = int(boards.deal_board[deal])
        name = hands_renamed(boards.deal_suits[deal])[name]
        suits = boards.deal_suits[deal][suits]
    return number, name


def hands_on(spot: Spot, board: Cards) -> tuple[Hands, Hands]:
    """The hands of both ranges that a board allows, ascending."""
    oop, ip = (held.without(board).hands for held in spot.ranges)
    return oop, ip


def reach_met(own: Hands, other: Hands, reach: Floats) -> Floats:
    """[own] How much of the opponent's reach [other] each hand can meet.

    All but the hands that hold one of its cards; the hand that holds both was taken away twice.

    >>> from infoset.cards import hand_of
    >>> aces, other = np.array([hand_of("AsAh")]), np.array([hand_of("AsKs"), hand_of("KsKh")])
    >>> reach_met(aces, other, np.array([0.5, 0.25]))
    array([0.25])
    """
    by_card, by_hand = np.zeros(NUM_CARDS), np.zeros(NUM_HANDS)
    np.add.at(by_card, HAND_FIRST[other], reach)
    np.add.at(by_card, HAND_SECOND[other], reach)
    by_hand[other] = reach
    total = reach.sum()
    met = total - by_card[HAND_FIRST[own]] - by_card[HAND_SECOND[own]] + by_hand[own]
    return np.where(met > LEAST_MET * total, met, 0.0)
