"""The betting tree of a spot: decisions, actions and terminals. Cards are not part of it.

The tree is the same for every card that can come, so it is built once; `infoset.forms.boards` says
how often each street of it is played. The rules are those of `infoset.games.holdem.betting`, and
the sizes those of `infoset.games.holdem.bet_sizes`. The showdown of an all-in comes at once: the
rest of the board is dealt without betting.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.games import CHANCE
from infoset.games.holdem import (
    FLOP,
    IP,
    NOBODY,
    RIVER,
    STREETS,
    ActionKind,
    BettingState,
    Spot,
    action_text,
)

MAX_NODES = 1_000_000
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


_DECISION, _CHANCE, _FOLD, _SHOWDOWN = range(4)


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
    """[n] 0 preflop, 1 flop, 2 turn, 3 river; for a chance node, the street that ends."""
    node_parent: NDArray[np.int32]
    """[n] -1 for the root."""
    node_child_begin: NDArray[np.int32]
    """[n] The first child; where `node_child_end` is the same, there is none."""
    node_child_end: NDArray[np.int32]
    """[n]"""
    node_put: NDArray[np.int64]
    """[n, 2] What each player has put in since the spot began, blinds included, without the pot it
    began with."""
    node_action: NDArray[np.int8]
    """[n] An `ActionKind`: what led to the node."""
    node_amount: NDArray[np.int64]
    """[n] What the player who took that action has put in on that street with it."""
    block_begin: NDArray[np.int32]
    """[b + 1] The blocks."""
    street_begin: NDArray[np.int32]
    """[5] The nodes of each street; streets that are over have none."""

    @property
    def num_nodes(self) -> int:
        """How many nodes there are, without cards."""
        return len(self.node_kind)

    def children(self, node: int) -> range:
        """The nodes that the actions of a decision lead to, in their order."""
        return range(int(self.node_child_begin[node]), int(self.node_child_end[node]))

    def count(self, kind: NodeKind, street: int) -> int:
        """How many nodes of a kind there are on a street, without cards."""
        begin, end = self.street_begin[street : street + 2]
        return int(np.count_nonzero(self.node_kind[begin:end] == kind))

    def decisions(self, street: int, player: int) -> NDArray[np.intp]:
        """The decisions of a player on a street."""
        begin, end = self.street_begin[street : street + 2]
        is_own = self.node_kind[begin:end] == NodeKind.DECISION
        is_own &= self.node_player[begin:end] == player
        own: NDArray[np.intp] = begin + np.flatnonzero(is_own)
        return own

    def count_actions(self, street: int, player: int) -> int:
        """How many actions a player has in all decisions on a street, without cards."""
        nodes = self.decisions(street, player)
        return int((self.node_child_end[nodes] - self.node_child_begin[nodes]).sum())

    def pot(self, node: int) -> int:
        """What lies in the middle at a node."""
        return self.spot.pot + int(self.node_put[node].sum())

    def action_text(self, node: int) -> str:
        """What led to a node, in words; amounts are totals of the street.

        >>> tree = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900))
        >>> [tree.action_text(node) for node in range(1, 5)]
        ['check', 'bet 100', 'bet 200', 'all-in 900']
        """
        return action_text(int(self.node_action[node]), int(self.node_amount[node]))

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


def build_betting_tree(spot: Spot, *, max_nodes: int = MAX_NODES) -> BettingTree:
    """The betting tree of a spot; refused, before it is built, if it has more than `max_nodes`.

    >>> tree = build_betting_tree(Spot("Td9d6hQc", "AA", "KK", 200, 900, {"bet": "60%"}))
    >>> tree.num_nodes, tree.count(NodeKind.CHANCE, 2), tree.count(NodeKind.SHOWDOWN, 3)
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
            begins.append(begin + block.num_nodes)
            following += [
                (after, begin + leaf)
                for after, leaf in zip(streets.after(block), block.chance, strict=True)
            ]
        level = following
        street_begin.append(begins[-1])
    return _assembled(spot, blocks, np.array(parents), np.array(begins), street_begin)


def _assembled(
    spot: Spot,
    blocks: list[_Street],
    parents: NDArray[np.int64],
    begins: NDArray[np.int64],
    street_begin: list[int],
) -> BettingTree:
    """The arrays, block after block; `parents` are the chance nodes above them."""
    table = np.concatenate([block.columns for block in blocks], axis=1)
    kind, player, parent, action, amount, child_begin, child_end = table
    sizes = np.diff(begins)
    for column in (parent, child_begin, child_end):
        column += np.repeat(begins[:-1], sizes)
    # The first node of every block but that of the root is the only child of a chance node.
    parent[begins[:-1]] = parents
    child_begin[parents[1:]] = begins[1:-1]
    child_end[parents[1:]] = begins[1:-1] + 1
    tree = BettingTree(
        spot=spot,
        node_kind=kind.astype(np.int8),
        node_player=player.astype(np.int8),
        node_street=np.repeat([block.street for block in blocks], sizes).astype(np.int8),
        node_parent=parent.astype(np.int32),
        node_child_begin=child_begin.astype(np.int32),
        node_child_end=child_end.astype(np.int32),
        node_put=np.concatenate([block.put for block in blocks]),
        node_action=action.astype(np.int8),
        node_amount=amount.copy(),
        block_begin=begins.astype(np.int32),
        street_begin=np.array(street_begin, np.int32),
    )
    for name, array in vars(tree).items():
        if name != "spot":
            array.setflags(write=False)
    return tree


class _Street:
    """The betting on one street, from a pot to which both players have put in the same.

    It does not depend on how the pot came to be, so the same one stands for many places in a tree.
    """

    def __init__(
        self,
        rows: list[tuple[int, int, int, int, int]],
        states: list[BettingState],
        ends: list[int],
    ) -> None:
        self.street = states[0].street
        self.num_nodes = len(rows)
        # Children are where the nodes before have had theirs.
        self.columns = np.array([*zip(*rows, strict=True), [1, *ends[:-1]], ends])
        """Kind, player, parent, action, amount, and where children begin and end."""
        self.put = np.array([state.put for state in states])
        self.chance = np.flatnonzero(self.columns[0] == NodeKind.CHANCE).tolist()
        self.chance_states = [states[node] for node in self.chance]
        self.following: list[_Street] | None = None
        """The streets after the chance nodes, once they were played."""


class _Streets:
    """Every street of a spot that can be played, each played once."""

    def __init__(self, spot: Spot, max_nodes: int) -> None:
        self.spot = spot
        self.betting = spot.betting
        self.max_nodes = max_nodes
        self.num_nodes = 0
        self.played: dict[BettingState, _Street] = {}

    def first(self) -> _Street:
        return self.get(self.spot.first_state())

    def after(self, block: _Street) -> list[_Street]:
        """The streets after the chance nodes of one."""
        if block.following is None:
            block.following = [self.get(self.deal(state)) for state in block.chance_states]
        return block.following

    def deal(self, state: BettingState) -> BettingState:
        """The first state of the next street, the same where it makes no difference who bet."""
        first = self.betting.next_street(state)
        if first.bettor == IP and self.spot.bet_sizes.donk[first.street] is not None:
            return first
        return first._replace(bettor=NOBODY)

    def get(self, first: BettingState) -> _Street:
        if first not in self.played:
            self.played[first] = self.play(first)
        return self.played[first]

    def check_size(self) -> None:
        """Count the nodes of the whole tree, without building it, and refuse too many."""
        num_nodes = 0
        level = Counter({self.first(): 1})
        while level:
            following: Counter[_Street] = Counter()
            for block, times in level.items():
                num_nodes += times * block.num_nodes
                for after in self.after(block):
                    following[after] += times
            level = following
        if num_nodes > self.max_nodes:
            raise self.too_large(f"{num_nodes:,}")

    def too_large(self, number: str) -> TooLargeError:
        streets = " and ".join(STREETS[max(self.spot.street, FLOP) : RIVER] or STREETS[RIVER:])
        return TooLargeError(
            f"the betting tree has {number} nodes even without cards, and at most "
            f"{self.max_nodes:,} are built; take fewer or larger sizes, above all on the "
            f"{streets}, a smaller stack, or a force_allin_threshold such as 0.15"
        )

    def play(self, first: BettingState) -> _Street:
        """All betting on a street, breadth first."""
        steps_of, stack = self.betting.steps, self.betting.stack
        action = ActionKind.START if first.street == self.spot.street else ActionKind.DEAL
        rows = [(_DECISION, first.player, -1, int(action), 0)]
        states = [first]
        ends: list[int] = []
        for at, state in enumerate(states):  # it grows on the way
            player = state.player
            if player >= 0:
                for kind, amount, after in steps_of(state):
                    who = after.player
                    if who >= 0:
                        rows.append((_DECISION, who, at, kind, amount))
                    elif after.folder >= 0:
                        rows.append((_FOLD, player, at, kind, amount))
                    elif who == CHANCE and after.put[0] < stack:
                        rows.append((_CHANCE, NOBODY, at, kind, amount))
                    else:
                        rows.append((_SHOWDOWN, NOBODY, at, kind, amount))
                    states.append(after)
            ends.append(len(states))
            if self.num_nodes + len(states) > self.max_nodes:
                raise self.too_large(f"more than {self.max_nodes:,}")
        self.num_nodes += len(states)
        return _Street(rows, states, ends)
