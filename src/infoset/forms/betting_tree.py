"""The betting tree of a spot: who may do what, and where it ends. Cards are not part of it.

The tree is the same for every card that can come, so it is built once; `infoset.forms.boards` says
how often each street of it is played. Rules, all amounts in whole chips:

- Player 0 acts first on every street. A street ends with two checks or a call.
- A size means what `infoset.games.holdem.sizes` says. A bet is at least 1 chip. A raise adds
  at least what the bet or raise before it added, and a smaller one is lifted to that. Whatever is
  not less than the stack is all-in, and amounts that come out equal are one action.
- There is no limit to the number of raises. To an all-in the answer is a call or a fold.
- A showdown before the river is that of an all-in: the rest of the board is dealt without betting.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.games.holdem.menus import IP, OOP, RIVER, STREETS, Sizes
from infoset.games.holdem.sizes import Moment, rounded_share
from infoset.games.holdem.spot import Spot

__all__ = ["ActionKind", "BettingTree", "NodeKind", "build_betting_tree"]

MOST_NODES = 1_000_000
"""Nodes of a betting tree, without cards, that are built unless more are asked for."""


class NodeKind(IntEnum):
    """What happens at a node."""

    DECISION = 0
    CHANCE = 1
    """The next card is dealt; the only child is the first decision after it."""
    FOLD = 2
    SHOWDOWN = 3
    LEAF = 4
    """The form ends here before the game does: its values are given, hand by hand."""


class ActionKind(IntEnum):
    """What led to a node."""

    START = 0
    DEAL = 1
    FOLD = 2
    CHECK = 3
    CALL = 4
    BET = 5
    RAISE = 6
    ALL_IN = 7


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A betting tree as flat arrays, all read-only.

    A node comes after its parent, and the children of a node follow each other: fold, check or
    call, then bets or raises from small to large. The nodes of a street come before those of the
    next, and the betting of one street after one deal is a *block*: nodes that follow each other,
    of which the first is the child of a chance node (or the root).
    """

    spot: Spot
    node_kind: NDArray[np.int8]
    """[n] A `NodeKind`."""
    node_player: NDArray[np.int8]
    """[n] Who decides; at a fold, who folded; otherwise -1."""
    node_street: NDArray[np.int8]
    """[n] 0 flop, 1 turn, 2 river; for a chance node, the street that ends."""
    node_parent: NDArray[np.int32]
    """[n] -1 for the root."""
    node_child_begin: NDArray[np.int32]
    """[n] The first child; where `node_child_end` is the same, there is none."""
    node_child_end: NDArray[np.int32]
    """[n]"""
    node_put: NDArray[np.int64]
    """[n, 2] What each player has put in since the spot began, without the pot it began with."""
    node_action: NDArray[np.int8]
    """[n] An `ActionKind`: what led to the node."""
    node_amount: NDArray[np.int64]
    """[n] What the player who took that action has put in on that street with it."""
    block_begin: NDArray[np.int32]
    """[b + 1] The blocks."""
    street_begin: NDArray[np.int32]
    """[4] The nodes of each street; streets that are over have none."""

    @property
    def num_nodes(self) -> int:
        """How many nodes there are, without cards."""
        return len(self.node_kind)

    def count(self, kind: NodeKind, street: int) -> int:
        """How many nodes of a kind there are on a street, without cards."""
        begin, end = self.street_begin[street : street + 2]
        return int(np.count_nonzero(self.node_kind[begin:end] == kind))

    def count_actions(self, street: int, player: int) -> int:
        """How many actions a player has in all decisions on a street, without cards."""
        nodes = slice(*self.street_begin[street : street + 2])
        is_own = self.node_kind[nodes] == NodeKind.DECISION
        is_own &= self.node_player[nodes] == player
        num_children = self.node_child_end[nodes] - self.node_child_begin[nodes]
        return int(num_children[is_own].sum())

    def pot(self, node: int) -> int:
        """What lies in the middle at a node."""
        return self.spot.pot + int(self.node_put[node].sum())

    def action_text(self, node: int) -> str:
        """What led to a node, in words; amounts are totals of the street.

        >>> tree = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900))
        >>> [tree.action_text(node) for node in range(1, 5)]
        ['check', 'bet 100', 'bet 200', 'all-in 900']
        """
        amount = int(self.node_amount[node])
        match self.node_action[node]:
            case ActionKind.START:
                return "start"
            case ActionKind.DEAL:
                return "deal"
            case ActionKind.FOLD:
                return "fold"
            case ActionKind.CHECK:
                return "check"
            case ActionKind.CALL:
                return f"call {amount}"
            case ActionKind.BET:
                return f"bet {amount}"
            case ActionKind.RAISE:
                return f"raise to {amount}"
        return f"all-in {amount}"

    def path(self, node: int) -> str:
        """All that led to a node, from the start: the text of each action, with commas between.

        >>> tree = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900))
        >>> tree.path(tree.num_nodes - 1)
        'check, bet 100, raise to 340, raise to 868, all-in 900, call 900'
        """
        actions: list[str] = []
        while node > 0:
            actions.append(self.action_text(node))
            node = int(self.node_parent[node])
        return ", ".join(reversed(actions))


def build_betting_tree(spot: Spot, *, max_nodes: int = MOST_NODES) -> BettingTree:
    """The betting tree of a spot; refused, before it is built, if it has more than `max_nodes`.

    >>> tree = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900, {"bet": "60%"}))
    >>> tree.num_nodes, tree.count(NodeKind.CHANCE, 1), tree.count(NodeKind.SHOWDOWN, 2)
    (102, 5, 25)
    """
    streets = _Streets(spot, max_nodes)
    streets.check_size()
    blocks: list[_Street] = []
    parents: list[int] = []
    begins = [0]
    street_begin = [0] * (spot.street + 1)
    level = [(streets.first(), -1)]
    for _ in range(spot.street, RIVER + 1):
        following: list[tuple[_Street, int]] = []
        for block, parent in level:
            begin = begins[-1]
            blocks.append(block)
            parents.append(parent)
            begins.append(begin + len(block.nodes))
            following += [(streets.after(block, leaf), begin + leaf) for leaf in block.chance]
        level = following
        street_begin.append(begins[-1])
    return _assembled(spot, blocks, parents, begins, street_begin)


def _assembled(
    spot: Spot,
    blocks: list[_Street],
    parents: list[int],
    begins: list[int],
    street_begin: list[int],
) -> BettingTree:
    """The arrays, block by block; `parents` are the chance nodes above them."""
    num_nodes = begins[-1]
    tree = BettingTree(
        spot=spot,
        node_kind=np.empty(num_nodes, np.int8),
        node_player=np.empty(num_nodes, np.int8),
        node_street=np.empty(num_nodes, np.int8),
        node_parent=np.empty(num_nodes, np.int32),
        node_child_begin=np.empty(num_nodes, np.int32),
        node_child_end=np.empty(num_nodes, np.int32),
        node_put=np.empty((num_nodes, 2), np.int64),
        node_action=np.empty(num_nodes, np.int8),
        node_amount=np.empty(num_nodes, np.int64),
        block_begin=np.array(begins, np.int32),
        street_begin=np.array(street_begin, np.int32),
    )
    for block, parent, begin in zip(blocks, parents, begins, strict=False):
        here = slice(begin, begin + len(block.nodes))
        kind, player, above, action, amount, child_begin, child_end = block.columns
        tree.node_kind[here] = kind
        tree.node_player[here] = player
        tree.node_street[here] = block.street
        tree.node_parent[here] = above + begin
        tree.node_child_begin[here] = child_begin + begin
        tree.node_child_end[here] = child_end + begin
        tree.node_put[here] = block.put
        tree.node_action[here] = action
        tree.node_amount[here] = amount
        tree.node_parent[begin] = parent
        if parent >= 0:
            tree.node_child_begin[parent] = begin
            tree.node_child_end[parent] = begin + 1
    for name, array in vars(tree).items():
        if name != "spot":
            array.setflags(write=False)
    return tree


class _Node(NamedTuple):
    """A node of the betting on one street."""

    kind: NodeKind
    player: int
    parent: int
    bets: tuple[int, int]
    """What each player has put in on this street."""
    action: ActionKind
    amount: int
    num_bets: int
    """Bets and raises so far."""
    num_actions: int


class _Street:
    """The betting on one street, from a pot to which both players have put in the same.

    It does not depend on how the pot came to be, so the same one stands for many places in a tree.
    """

    def __init__(self, street: int, start: int, nodes: list[_Node], ends: list[int]) -> None:
        self.street = street
        self.start = start
        """What each player had put in before."""
        self.nodes = nodes
        self.chance = [n for n, node in enumerate(nodes) if node.kind == NodeKind.CHANCE]
        # Children are where the nodes before have had theirs.
        begins = [1, *ends[:-1]]
        self.columns = np.array(
            [
                (node.kind, node.player, node.parent, node.action, node.amount, begin, end)
                for node, begin, end in zip(nodes, begins, ends, strict=True)
            ]
        ).T
        self.put = np.array([node.bets for node in nodes]) + start


class _Streets:
    """Every street of a spot that can be played, each played once."""

    def __init__(self, spot: Spot, max_nodes: int) -> None:
        self.spot = spot
        self.max_nodes = max_nodes
        self.num_nodes = 0
        self.played: dict[tuple[int, int, bool], _Street] = {}
        # As they were written: 0.15 is no binary fraction.
        self.add_allin = Fraction(str(spot.add_allin_threshold))
        self.force_allin = Fraction(str(spot.force_allin_threshold))
        self.merging = Fraction(str(spot.merging_threshold))

    def first(self) -> _Street:
        return self.get(self.spot.street, 0, is_donk=False)

    def after(self, block: _Street, leaf: int) -> _Street:
        """The street after a chance node."""
        node = block.nodes[leaf]
        is_called_by_oop = node.action == ActionKind.CALL and block.nodes[node.parent].player == OOP
        is_donk = is_called_by_oop and self.spot.donk[block.street + 1] is not None
        return self.get(block.street + 1, block.start + node.bets[OOP], is_donk=is_donk)

    def get(self, street: int, start: int, *, is_donk: bool) -> _Street:
        key = street, start, is_donk
        if key not in self.played:
            self.played[key] = self.play(street, start, is_donk=is_donk)
        return self.played[key]

    def check_size(self) -> None:
        """Count the nodes of the whole tree, without building it, and refuse too many."""
        num_nodes = 0
        level = Counter({self.first(): 1})
        while level:
            following: Counter[_Street] = Counter()
            for block, times in level.items():
                num_nodes += times * len(block.nodes)
                for leaf in block.chance:
                    following[self.after(block, leaf)] += times
            level = following
        if num_nodes > self.max_nodes:
            raise self.too_large(f"{num_nodes:,}")

    def too_large(self, number: str) -> TooLargeError:
        streets = " and ".join(STREETS[self.spot.street : RIVER] or STREETS[RIVER:])
        return TooLargeError(
            f"the betting tree has {number} nodes even without cards, and at most "
            f"{self.max_nodes:,} are built; take fewer or larger sizes, above all on the "
            f"{streets}, a smaller stack, or a force_allin_threshold such as 0.15"
        )

    def play(self, street: int, start: int, *, is_donk: bool) -> _Street:
        """All betting on a street, breadth first."""
        most = self.spot.stack - start
        action = ActionKind.START if street == self.spot.street else ActionKind.DEAL
        nodes = [_Node(NodeKind.DECISION, OOP, -1, (0, 0), action, 0, 0, 0)]
        ends: list[int] = []
        at = 0
        while at < len(nodes):
            if nodes[at].kind == NodeKind.DECISION:
                sizes = self.sizes(nodes[at], street, is_donk=is_donk)
                nodes += self.children(nodes[at], at, sizes, street, start, most)
            ends.append(len(nodes))
            if self.num_nodes + len(nodes) > self.max_nodes:
                raise self.too_large(f"more than {self.max_nodes:,}")
            at += 1
        self.num_nodes += len(nodes)
        return _Street(street, start, nodes, ends)

    def sizes(self, node: _Node, street: int, *, is_donk: bool) -> Sizes:
        """The sizes that a player may choose from."""
        if street == self.spot.street and node.num_actions < len(self.spot.opening):
            return self.spot.opening[node.num_actions]
        menu = self.spot.bet_sizes[street][node.player]
        if node.num_bets:
            return menu.raises
        donk = self.spot.donk[street]
        if is_donk and node.player == OOP and donk is not None:
            return donk
        return menu.bets

    def children(
        self, node: _Node, at: int, sizes: Sizes, street: int, start: int, most: int
    ) -> list[_Node]:
        """What a player can do: fold, check or call, and bets or raises from small to large."""
        player, opponent = node.player, 1 - node.player
        previous = node.bets[opponent]
        to_call = previous - node.bets[player]

        def child(kind: NodeKind, who: int, amount: int, action: ActionKind) -> _Node:
            bets = (amount, node.bets[IP]) if player == OOP else (node.bets[OOP], amount)
            is_bet = amount > previous
            num_bets, num_actions = node.num_bets + is_bet, node.num_actions + 1
            return _Node(kind, who, at, bets, action, amount, num_bets, num_actions)

        is_last = street == RIVER or previous == most
        ended = NodeKind.SHOWDOWN if is_last else NodeKind.CHANCE
        if to_call:
            children = [
                child(NodeKind.FOLD, player, node.bets[player], ActionKind.FOLD),
                child(ended, -1, previous, ActionKind.CALL),
            ]
        elif player == OOP:
            children = [child(NodeKind.DECISION, IP, 0, ActionKind.CHECK)]
        else:
            children = [child(ended, -1, 0, ActionKind.CHECK)]
        pot = self.spot.pot + 2 * (start + previous)
        moment = Moment(pot, previous, most, len(STREETS) - street, max(node.num_bets - 1, 0))
        for total in self.totals(sizes, moment, to_call):
            action = ActionKind.RAISE if to_call else ActionKind.BET
            action = ActionKind.ALL_IN if total == most else action
            children.append(child(NodeKind.DECISION, opponent, total, action))
        return children

    def totals(self, sizes: Sizes, moment: Moment, to_call: int) -> list[int]:
        """What bets or raises come to, from small to large."""
        pot, previous, most = moment.pot, moment.previous, moment.most
        if previous == most:
            return []
        least = min(max(previous + to_call, 1), most)
        totals = {min(max(size.total(moment), least), most) for size in sizes}
        if most - previous <= rounded_share(self.add_allin, pot):
            totals.add(most)
        for total in list(totals):
            if most - total <= rounded_share(self.force_allin, pot + 2 * (total - previous)):
                totals.remove(total)
                totals.add(most)
        kept: list[int] = []
        for total in sorted(totals, reverse=True):
            after_bet = pot + total - previous
            if not kept or pot + kept[-1] - previous >= (1 + self.merging) * after_bet:
                kept.append(total)
        return kept[::-1]
