"""A node of a solved spot as rows of tables: hands, classes of hands, and what happens next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from infoset.cards import CLASS_NAMES, HAND_CLASS, format_hand, hand_of
from infoset.errors import BadInputError, shorten
from infoset.explore.node_view import NAMES, PAIRS, NodeView
from infoset.forms import NodeKind, SpotForm, find_node
from infoset.games.holdem import STREETS


class Row(NamedTuple):
    """One hand, or all hands of a class together, of one player at a node."""

    name: str
    amount: float
    """Of a hand its reach, of a class its share of the range."""
    strategy: tuple[float, ...]
    """Of each action; empty where the player does not decide."""
    action_values: tuple[float, ...]
    """The same, in chips; empty for classes."""
    value: float
    equity: float


def hand_rows(view: NodeView, player: int) -> list[Row]:
    """Every hand of a player that the board allows, class by class as in the grid."""
    hands = view.hands[player].tolist()
    decides = view.player == player
    return [
        Row(
            name=format_hand(hands[i]),
            amount=float(view.reach[player][i]),
            strategy=tuple(view.strategy[:, i].tolist()) if decides else (),
            action_values=tuple(view.action_values[:, i].tolist()) if decides else (),
            value=float(view.values[player][i]),
            equity=float(view.equities[player][i]),
        )
        for i in sorted(range(len(hands)), key=lambda i: (int(HAND_CLASS[hands[i]]), -hands[i]))
    ]


def class_rows(view: NodeView, player: int) -> list[Row]:
    """The classes of hands that come here, as in the grid; each is the mean of its hands."""
    classes = view.by_class(player)
    weights = classes.weight.ravel()
    strategy = classes.strategy.reshape(-1, len(CLASS_NAMES))
    total = float(weights.sum())
    return [
        Row(
            name=name,
            amount=float(weights[i]) / total,
            strategy=tuple(strategy[:, i].tolist()),
            action_values=(),
            value=float(classes.value.flat[i]),
            equity=float(classes.equity.flat[i]),
        )
        for i, name in enumerate(CLASS_NAMES)
        if weights[i] > 0
    ]


def hands_of_class(text: str) -> list[int]:
    """The hands of a class, as in ``AKs``, ``AKo`` or ``77``.

    >>> len(hands_of_class("aks")), len(hands_of_class("77"))
    (4, 6)
    """
    lower = [name.lower() for name in CLASS_NAMES]
    if text.lower() not in lower:
        raise BadInputError(
            f"there is no class of hands {shorten(text)}; write it as in AKs, AKo or 77"
        )
    return np.flatnonzero(lower.index(text.lower()) == HAND_CLASS).tolist()


def only_hands(
    view: NodeView, player: int, *, hand: str | None = None, hand_class: str | None = None
) -> NodeView:
    """A view with one hand, or the hands of one class, of a player alone."""
    rows = np.arange(len(view.hands[player]))
    if hand is not None:
        rows = np.flatnonzero(view.hands[player] == hand_of(hand))
    elif hand_class is not None:
        rows = np.flatnonzero(np.isin(view.hands[player], hands_of_class(hand_class)))
    if not len(rows):
        which = hand or hand_class or "a hand"
        raise BadInputError(f"{NAMES[player]} never has {which} there; see all hands with: --all")

    def cut(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        return (pair[0][rows], pair[1]) if player == 0 else (pair[0], pair[1][rows])

    columns: dict[str, Any] = {name: cut(getattr(view, name)) for name in PAIRS}
    if view.player == player:
        columns |= {name: getattr(view, name)[:, rows] for name in ("strategy", "action_values")}
    return replace(view, **columns)


def num_locked(form: SpotForm, view: NodeView) -> int:
    """How many hands are locked at a node."""
    place = find_node(form.tree, view.path)
    return sum(
        len(lock.hands)
        for lock in form.locks
        if (lock.node, lock.cards) == (place.node, place.cards)
    )


def next_step(form: SpotForm, view: NodeView) -> str:
    """What happens at a node."""
    tree = form.tree
    node = find_node(tree, view.path).node
    match tree.node_kind[node]:
        case NodeKind.FOLD:
            player = int(tree.node_player[node])
            return f"the hand is over: {NAMES[player]} folded, {NAMES[1 - player]} wins the pot"
        case NodeKind.SHOWDOWN:
            is_dealt = len(view.board) == 5
            return f"the hand is over: showdown{'' if is_dealt else ', once the board is dealt'}"
        case NodeKind.CHANCE:
            street = STREETS[int(tree.node_street[node]) + 1]
            return f"the {street} is dealt; add a card to the path to go on"
    assert view.player is not None
    return f"{NAMES[view.player]} acts"
