"""What hands are worth at a node of a solved spot, by a plain walk over all that can follow.

Slow and obvious: one node and one card after the other, in double precision, without the engine's
kernels. A river takes milliseconds, a turn seconds, a flop minutes.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, NUM_HANDS, strengths
from infoset.spots.betting import NodeKind
from infoset.spots.paths import Place
from infoset.spots.runouts import Boards, hands_renamed, runouts_of
from infoset.spots.spot import Spot
from infoset.vector.solver import SpotSolver

__all__ = ["average_strategy", "hands_on", "node_values", "reach_met"]

Cards = tuple[int, ...]
Floats = NDArray[np.float64]
Hands = NDArray[np.intp]
Pair = tuple[Floats, Floats]

LEAST_MET = 1e-12
"""A smaller part of the opponent's reach is none: it is the rounding error of the sums that it is
the difference of."""


def average_strategy(solver: SpotSolver, node: int, board: Cards, hands: Hands) -> Floats:
    """[actions, hands] How often hands take each action; uniform where a hand never comes.

    The only place that knows how a solver keeps its averages. `board` are all cards on the table,
    those of the spot first, and none of them is in a hand. It need not be a board that is played:
    if another one is for it, hands are looked up there under their names with its suits.
    """
    tree = solver.layout.tree
    player = int(tree.node_player[node])
    number, name = _played(tree.spot, board[len(tree.spot.board) :])
    street = int(tree.node_street[node]) - tree.spot.street
    average = solver.numbers(solver.tables[street][player].average, street, player, number, node)
    row = np.zeros(NUM_HANDS, np.intp)
    numbers = solver.layout.hand_numbers[player]
    row[numbers] = np.arange(len(numbers))
    taken = average[:, row[name[hands]]].astype(np.float64)
    total = taken.sum(axis=0)
    is_known = total > 0
    strategy = np.full(taken.shape, 1 / len(taken))
    strategy[:, is_known] = taken[:, is_known] / total[is_known]
    return strategy


@lru_cache(maxsize=4096)
def _played(spot: Spot, dealt: Cards) -> tuple[int, NDArray[np.int16]]:
    """The board that is played when cards are dealt, and [1326] what each hand is called there."""
    number, name = 0, np.arange(NUM_HANDS, dtype=np.int16)
    suits = np.arange(4)
    for street, card in enumerate(dealt, spot.street + 1):
        boards = _runouts(spot)[street]
        # Suits may have got other names when the card before was dealt.
        card = 4 * (card // 4) + int(suits[card % 4])
        (deal,) = np.flatnonzero((boards.deal_parent == number) & (boards.deal_card == card))
        number = int(boards.deal_board[deal])
        name = hands_renamed(boards.deal_suits[deal])[name]
        suits = boards.deal_suits[deal][suits]
    return number, name


@lru_cache(maxsize=4)
def _runouts(spot: Spot) -> tuple[Boards, Boards, Boards]:
    return runouts_of(spot)


def hands_on(spot: Spot, board: Cards) -> tuple[Hands, Hands]:
    """The hands of both ranges that a board allows."""
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


def node_values(solver: SpotSolver, place: Place, reach: tuple[Floats, Floats]) -> Pair:
    """Per player: [hands] what each hand is worth at a place; NaN where it meets no hand.

    Hands are those of `hands_on` the board there, and `reach` says how often each comes there. A
    value is the share of the pot less what is still put in: see `NodeView`.
    """
    spot = solver.layout.tree.spot
    board = (*spot.board, *place.cards)
    hands = hands_on(spot, board)
    sums = _Walk(solver, hands, place.node).values(place.node, board, reach)
    met = (reach_met(hands[p], hands[1 - p], reach[1 - p]) for p in (0, 1))
    values = [
        np.divide(of, by, out=np.full(len(of), np.nan), where=by > 0)
        for of, by in zip(sums, met, strict=True)
    ]
    return values[0], values[1]


class _Order(NamedTuple):
    """One player's hands on a complete board, against the opponent's sorted by strength."""

    opponents: NDArray[np.intp]
    """[other] The opponent's hands, weakest first."""
    num_below: NDArray[np.intp]
    """[own] How many of these are weaker than each hand,"""
    num_not_above: NDArray[np.intp]
    """[own] and how many are not stronger."""


class _Walk:
    """Sums over the opponent's hands: what each is worth, times its reach.

    Reach and values have a row for each hand at the place where the walk begins. Hands that a
    later card makes impossible have no reach, and are worth nothing.
    """

    def __init__(self, solver: SpotSolver, hands: tuple[Hands, Hands], node: int) -> None:
        self.solver = solver
        self.tree = solver.layout.tree
        self.hands = hands
        self.put = self.tree.node_put[node]
        """What was put in before is gone."""
        self.orders: dict[Cards, tuple[_Order, _Order]] = {}

    def values(self, node: int, board: Cards, reach: Pair) -> Pair:
        match self.tree.node_kind[node]:
            case NodeKind.DECISION:
                return self.decision(node, board, reach)
            case NodeKind.CHANCE:
                return self.chance(node, board, reach)
            case NodeKind.FOLD:
                return self.fold(node, reach)
        return self.showdown(node, board, reach)

    def decision(self, node: int, board: Cards, reach: Pair) -> Pair:
        player = int(self.tree.node_player[node])
        live = self.live(player, board)
        strategy = np.zeros((len(self.children(node)), len(live)))
        strategy[:, live] = average_strategy(self.solver, node, board, self.hands[player][live])
        total = self.nothing()
        for plays, child in zip(strategy, self.children(node), strict=True):
            own = plays * reach[player]
            after = (own, reach[1]) if player == 0 else (reach[0], own)
            values = self.values(child, board, after)
            total[player][:] += plays * values[player]
            total[1 - player][:] += values[1 - player]
        return total

    def chance(self, node: int, board: Cards, reach: Pair) -> Pair:
        # Neither player's two cards can come.
        probability = 1 / (NUM_CARDS - len(board) - 4)
        (child,) = self.children(node)
        total = self.nothing()
        for card in range(NUM_CARDS):
            if card in board:
                continue
            dealt = (*board, card)
            values = self.values(child, dealt, self.without_blocked(dealt, reach))
            for p in (0, 1):
                total[p][:] += probability * values[p] * self.live(p, dealt)
        return total

    def fold(self, node: int, reach: Pair) -> Pair:
        loser = int(self.tree.node_player[node])
        oop, ip = (self.gain(node, player=p, won=float(p != loser)) for p in (0, 1))
        return oop * self.met(0, reach), ip * self.met(1, reach)

    def showdown(self, node: int, board: Cards, reach: Pair) -> Pair:
        """A showdown, once the rest of the board is dealt."""
        num_missing = 5 - len(board)
        left = [card for card in range(NUM_CARDS) if card not in board]
        probability = 1 / math.comb(len(left) - 4, num_missing)
        total = self.nothing()
        for rest in itertools.combinations(left, num_missing):
            full = tuple(sorted((*board, *rest)))
            live_reach = self.without_blocked(full, reach)
            for p in (0, 1):
                win, tie, lose = (self.gain(node, player=p, won=won) for won in (1.0, 0.5, 0.0))
                below, not_above = self.beaten(p, full, live_reach[1 - p])
                met = self.met(p, live_reach)
                values = win * below + tie * (not_above - below) + lose * (met - not_above)
                total[p][:] += probability * values * self.live(p, full)
        return total

    def gain(self, node: int, *, player: int, won: float) -> float:
        """What a share of the final pot is, less what a player put in since the walk began."""
        put = self.tree.node_put[node]
        # Bets that are not called go back, and are not part of the pot that is raked.
        called = int(put.min())
        pot = self.tree.spot.pot + 2 * called
        paid = called - int(self.put[player])
        return won * (pot - self.tree.spot.rake_of(pot)) - paid

    def beaten(self, player: int, board: Cards, reach: Floats) -> Pair:
        """[own] The reach of the opponent's hands that are weaker, and of those not stronger."""
        own, other = self.hands[player], self.hands[1 - player]
        order = self.order(board)[player]
        sorted_hands, sorted_reach = other[order.opponents], reach[order.opponents]
        places = np.arange(len(other)) + 1
        # Up to each place: the reach of the hands with a card, and, in the last row, of all.
        upto = np.zeros((NUM_CARDS + 1, len(other) + 1))
        upto[HAND_FIRST[sorted_hands], places] = sorted_reach
        upto[HAND_SECOND[sorted_hands], places] = sorted_reach
        upto[NUM_CARDS, 1:] = sorted_reach
        upto = upto.cumsum(axis=1)

        def met(num: NDArray[np.intp]) -> Floats:
            first, second = upto[HAND_FIRST[own], num], upto[HAND_SECOND[own], num]
            return np.asarray(upto[NUM_CARDS, num] - first - second)

        same = np.zeros(NUM_HANDS)
        same[other] = reach
        return met(order.num_below), met(order.num_not_above) + same[own]

    def order(self, board: Cards) -> tuple[_Order, _Order]:
        if board not in self.orders:
            of = [strengths(board, hands) for hands in self.hands]
            orders = []
            for own, other in (of, of[::-1]):
                opponents = np.argsort(other, kind="stable")
                below = np.searchsorted(other[opponents], own, "left")
                not_above = np.searchsorted(other[opponents], own, "right")
                orders.append(_Order(opponents, below, not_above))
            self.orders[board] = orders[0], orders[1]
        return self.orders[board]

    def met(self, player: int, reach: Pair) -> Floats:
        return reach_met(self.hands[player], self.hands[1 - player], reach[1 - player])

    def live(self, player: int, board: Cards) -> NDArray[np.bool_]:
        """[hands] Whether a board allows each hand."""
        hands = self.hands[player]
        is_dead = np.zeros(NUM_CARDS, np.bool_)
        is_dead[list(board)] = True
        return np.asarray(~(is_dead[HAND_FIRST[hands]] | is_dead[HAND_SECOND[hands]]))

    def without_blocked(self, board: Cards, reach: Pair) -> Pair:
        return reach[0] * self.live(0, board), reach[1] * self.live(1, board)

    def nothing(self) -> Pair:
        return np.zeros(len(self.hands[0])), np.zeros(len(self.hands[1]))

    def children(self, node: int) -> range:
        return range(int(self.tree.node_child_begin[node]), int(self.tree.node_child_end[node]))
