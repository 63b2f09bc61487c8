"""The part of a public form below a node on a board, as a form of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms.betting_tree import NodeKind
from infoset.forms.public_form import Deals, Pair, PublicForm

Ints = NDArray[np.int64]


class PartRoot(NamedTuple):
    """Where a part of a public form begins."""

    node: int
    street: int
    """Counted from the first street of the form."""
    board: int
    """Of that street."""


@dataclass(frozen=True, eq=False)
class PublicPart:
    """A part of a public form, and where its nodes, boards and hands are in the whole."""

    root: PartRoot
    form: PublicForm
    nodes: Ints
    """[n] Nodes of the whole form."""
    boards: tuple[range, ...]
    """[street from the root's on]"""
    hands: tuple[Ints, Ints]
    """Per player: hands of the whole form that the root's board leaves."""

    def with_weights(self, weights: Pair) -> PublicForm:
        """The part with other ranges, per player: [hands of the part]."""
        return replace(self.form, weights=weights)


def part_below(form: PublicForm, root: PartRoot) -> PublicPart:
    """Cut a part out of a form; its ranges are those that the form begins with."""
    street = root.street
    boards = [range(root.board, root.board + 1)]
    for deals in form.streets[street + 1 :]:
        begin, end = np.searchsorted(deals.parent, (boards[-1].start, boards[-1].stop))
        boards.append(range(int(begin), int(end)))
    nodes = nodes_below(form, root.node)
    count = form.node_child_end[nodes] - form.node_child_begin[nodes]
    begin = np.where(count, np.searchsorted(nodes, form.node_child_begin[nodes]), 0)
    dealt = dealt_cards(form.streets[street])[root.board]
    first, second = (
        np.flatnonzero(~np.isin(cards, dealt).any(axis=1)).astype(np.int64) for cards in form.cards
    )
    hands = first, second
    streets = [
        _deals(form.streets[street + here], form.streets[street].num_new, boards, here, hands)
        for here in range(len(boards))
    ]
    part = PublicForm(
        name=f"part of {form.name}",
        fingerprint=f"{form.fingerprint} below {root}",
        node_kind=form.node_kind[nodes],
        node_player=form.node_player[nodes],
        node_child_begin=begin.astype(np.int32),
        node_child_end=(begin + count).astype(np.int32),
        street_begin=tuple(np.searchsorted(nodes, form.street_begin[street:]).tolist()),
        terminal_payoffs=form.terminal_payoffs[nodes],
        cards=(form.cards[0][first], form.cards[1][second]),
        weights=(form.weights[0][first], form.weights[1][second]),
        streets=tuple(streets),
    )
    return PublicPart(root, part, nodes, tuple(boards), hands)


def dealt_cards(deals: Deals) -> NDArray[np.int8]:
    """[boards, any number] The cards of each board that were dealt since the game began."""
    return deals.cards[:, deals.cards.shape[1] - deals.num_new :]


def nodes_below(form: PublicForm, root: int) -> Ints:
    """A node and all that follow it, in their order."""
    is_below = np.zeros(len(form.node_kind), bool)
    is_below[root] = True
    for node in range(root, len(is_below)):
        if is_below[node]:
            is_below[form.node_child_begin[node] : form.node_child_end[node]] = True
    return np.flatnonzero(is_below).astype(np.int64)


def way_to(form: PublicForm, node: int) -> list[tuple[int, int]]:
    """The decisions before a node, first of all the root's: each with the action that was taken."""
    parent, slot = parents_of(form)
    steps = []
    while node > 0:
        above = int(parent[node])
        if form.node_kind[above] == NodeKind.DECISION:
            steps.append((above, int(slot[node])))
        node = above
    return steps[::-1]


def parents_of(form: PublicForm) -> tuple[Ints, Ints]:
    """[n] The node above each, and which of its children a node is; -1 for the root."""
    counts = form.node_child_end - form.node_child_begin
    parent = np.full(len(counts), -1, np.int64)
    slot = np.full(len(counts), -1, np.int64)
    above = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(above)) - np.repeat(np.cumsum(counts) - counts, counts)
    child = form.node_child_begin[above] + within
    parent[child], slot[child] = above, within
    return parent, slot


def _deals(
    deals: Deals, known: int, boards: list[range], here: int, hands: tuple[Ints, Ints]
) -> Deals:
    """The boards of one street that are below the root's."""
    played = slice(boards[here].start, boards[here].stop)
    if here == 0:
        parent = np.zeros(1, np.int64)
        deal_board = deal_renaming = np.zeros(0, np.int64)
    else:
        parent = deals.parent[played] - boards[here - 1].start
        is_in = (deals.deal_board >= played.start) & (deals.deal_board < played.stop)
        deal_board, deal_renaming = (
            deals.deal_board[is_in] - played.start,
            deals.deal_renaming[is_in],
        )
    used, deal_renaming = np.unique(deal_renaming, return_inverse=True)
    renamings = [
        tuple(
            np.searchsorted(own, deals.renamings[number][player][own])
            for player, own in enumerate(hands)
        )
        for number in used.tolist()
    ]
    strength = deals.strength
    if strength[0].size:
        strength = strength[0][played][:, hands[0]], strength[1][played][:, hands[1]]
    return Deals(
        cards=deals.cards[played],
        num_new=deals.num_new - known,
        parent=parent,
        probability=deals.probability if here else 1.0,
        deal_board=deal_board,
        deal_renaming=deal_renaming.reshape(-1),
        renamings=tuple(renamings),
        strength=strength,
    )
