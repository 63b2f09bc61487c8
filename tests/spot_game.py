"""A spot as a plain game, card by card: the slow twin of the vector form."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from infoset.cards import HAND_FIRST, HAND_SECOND, format_cards, strengths
from infoset.games import CHANCE, TERMINAL
from infoset.spots.betting import BettingTree, NodeKind, build_betting_tree


def cards_of_hand(hand):
    return {int(HAND_FIRST[hand]), int(HAND_SECOND[hand])}


strength_on = functools.cache(strengths)


@functools.cache
def actions_at(tree, node):
    children = range(tree.node_child_begin[node], tree.node_child_end[node])
    return [tree.action_text(child) for child in children]


@dataclass(frozen=True)
class SpotGame:
    """Deal two hands, then play the betting tree; every card that can come is dealt."""

    tree: BettingTree
    name = "spot"

    @classmethod
    def of(cls, spot):
        return cls(build_betting_tree(spot))

    def root(self):
        return SpotState(self.tree, None, None, self.tree.spot.board, 0, "")

    def hands(self, player):
        held = self.tree.spot.ranges[player].without(self.tree.spot.board)
        return {int(h): Fraction(float(held.weights[h])) for h in np.flatnonzero(held.weights)}

    def pairs(self):
        return {
            (a, b): v * w
            for a, v in self.hands(0).items()
            for b, w in self.hands(1).items()
            if not cards_of_hand(a) & cards_of_hand(b)
        }


@dataclass(frozen=True)
class SpotState:
    tree: BettingTree
    hand0: int | None
    hand1: int | None
    board: tuple[int, ...]
    node: int
    story: str

    @property
    def kind(self):
        return NodeKind(self.tree.node_kind[self.node])

    @property
    def is_over(self):
        if self.kind == NodeKind.FOLD:
            return True
        return self.kind == NodeKind.SHOWDOWN and len(self.board) == 5

    @property
    def player(self):
        if self.hand0 is None:
            return CHANCE
        if self.is_over:
            return TERMINAL
        if self.kind == NodeKind.DECISION:
            return int(self.tree.node_player[self.node])
        return CHANCE

    @property
    def children(self):
        return range(self.tree.node_child_begin[self.node], self.tree.node_child_end[self.node])

    @property
    def actions(self):
        return actions_at(self.tree, self.node)

    @property
    def chance(self):
        if self.hand0 is None:
            pairs = SpotGame(self.tree).pairs()
            total = sum(pairs.values())
            return [(f"{a}/{b}", w / total) for (a, b), w in pairs.items()]
        seen = set(self.board) | cards_of_hand(self.hand0) | cards_of_hand(self.hand1)
        left = [card for card in range(52) if card not in seen]
        return [(str(card), Fraction(1, len(left))) for card in left]

    @property
    def infoset(self):
        hand = self.hand0 if self.player == 0 else self.hand1
        return f"{hand}:{self.node}:{format_cards(self.board)}"

    @property
    def payoff(self):
        put = self.tree.node_put[self.node]
        half = Fraction(self.tree.spot.pot, 2)
        if self.kind == NodeKind.FOLD:
            loser = int(self.tree.node_player[self.node])
            lost = half + int(put[loser])
            return -lost if loser == 0 else lost
        strength = strength_on(self.board)
        sign = int(np.sign(int(strength[self.hand0]) - int(strength[self.hand1])))
        return sign * (half + int(put[0]))

    def child(self, action):
        if self.hand0 is None:
            hand0, hand1 = map(int, action.split("/"))
            return replace(self, hand0=hand0, hand1=hand1)
        if self.kind == NodeKind.DECISION:
            node = self.children[self.actions.index(action)]
            return replace(self, node=node)
        board = (*self.board, int(action))
        node = self.node if self.kind == NodeKind.SHOWDOWN else self.children[0]
        return replace(self, board=board, node=node)
