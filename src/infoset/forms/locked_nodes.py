"""The locks of a spot in its betting tree: locked nodes, and the strategies of hands there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.cards import NUM_HANDS, format_hand
from infoset.errors import BadInputError, shorten
from infoset.forms.betting_tree import BettingTree, NodeKind
from infoset.forms.paths import Place, find_action, find_node
from infoset.games.holdem import PLAYERS, Lock

TOLERANCE = 1e-6
"""How far from 1 the shares of a hand may sum."""


@dataclass(frozen=True, eq=False)
class LockedNode:
    """A decision at which some hands are locked."""

    node: int
    cards: tuple[int, ...]
    """Those that were dealt since the spot began."""
    player: int
    hands: NDArray[np.intp]
    """The locked hands of the player's range, ascending; those that the board allows."""
    strategy: NDArray[np.float64]
    """[actions, hands] How often each takes each action."""


def locked_nodes(tree: BettingTree) -> tuple[LockedNode, ...]:
    """The locks of a tree's spot, or a `BadInputError` for the first that does not fit.

    >>> from infoset.forms.betting_tree import build_betting_tree
    >>> from infoset.games.holdem.locks import Lock
    >>> from infoset.games.holdem.spot import Spot
    >>> spot = Spot("Ks9h7d4c2s", "AA,QQ", "JJ", 100, 100, locks=[Lock("", {"check": "QQ:0.25"})])
    >>> (found,) = locked_nodes(build_betting_tree(spot))
    Traceback (most recent call last):
    infoset.errors.BadInputError: the lock of the first decision: the shares of QdQc sum to 0.25, \
and must sum to 1 (there are check, bet 50, all-in 100)
    """
    nodes: dict[tuple[int, tuple[int, ...]], LockedNode] = {}
    for lock in tree.spot.locks:
        node = _locked_node(tree, lock)
        key = node.node, node.cards
        if key in nodes:
            raise BadInputError(f"{lock.shown}: the same decision is locked twice")
        nodes[key] = node
    return tuple(nodes.values())


def _locked_node(tree: BettingTree, lock: Lock) -> LockedNode:
    try:
        place = find_node(tree, lock.path)
    except BadInputError as error:
        raise BadInputError(f"{lock.shown}: {error}") from None
    if tree.node_kind[place.node] != NodeKind.DECISION:
        what = "a card is due" if tree.node_kind[place.node] == NodeKind.CHANCE else "it is over"
        raise BadInputError(f"{lock.shown} leads to no decision: {what} there")
    player = int(tree.node_player[place.node])
    board = (*tree.spot.board, *place.cards)
    shares, is_open = _shares(tree, lock, place)
    held = tree.spot.ranges[player].without(board).weights
    hands = np.flatnonzero((held > 0) & (shares > 0).any(axis=0))
    if not len(hands):
        raise BadInputError(
            f"{lock.shown} names no hand that the range {PLAYERS[player]} can have there"
        )
    strategy = shares[:, hands]
    total = strategy.sum(axis=0)
    can_be_less = np.count_nonzero(is_open) == 1
    is_wrong = total > 1 + TOLERANCE if can_be_less else np.abs(total - 1) > TOLERANCE
    if is_wrong.any():
        n = int(np.argmax(is_wrong))
        must = "at most " if can_be_less else ""
        actions = ", ".join(map(tree.action_text, tree.children(place.node)))
        raise BadInputError(
            f"{lock.shown}: the shares of {format_hand(int(hands[n]))} sum to {total[n]:.6g}, and "
            f"must sum to {must}1 (there are {actions})"
        )
    if can_be_less:
        left = 1.0 - total
        strategy[is_open] = np.where(left > TOLERANCE, left, 0.0)
    strategy /= strategy.sum(axis=0)
    return LockedNode(place.node, place.cards, player, hands, strategy)


def _shares(
    tree: BettingTree, lock: Lock, place: Place
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """[actions, 1326] what is said; and [actions] of which actions nothing is."""
    children = tree.children(place.node)
    shares = np.zeros((len(children), NUM_HANDS))
    is_open = np.ones(len(children), bool)
    for action, held in lock.strategy:
        try:
            child = find_action(tree, place, action) - children.start
        except BadInputError as error:
            raise BadInputError(f"{lock.shown}: {error}") from None
        if not is_open[child]:
            raise BadInputError(f"{lock.shown}: {shorten(action)} is an action named before")
        is_open[child] = False
        shares[child] = held.weights
    return shares, is_open
