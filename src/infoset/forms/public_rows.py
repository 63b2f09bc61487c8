"""Rows: the hands of a player that are possible on each board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms.public_form import Deals, PublicForm
from infoset.machine.vec16 import WIDTH

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """One player's hands on all boards of one street."""

    begin: NDArray[np.int64]
    """[boards + 1] The rows of each board: whole blocks of sixteen."""
    num_live: NDArray[np.int32]
    """[boards] How many of them are hands; the rest fills the last block."""
    hand: NDArray[np.int16]
    """[rows] Which hand of the player, -1 for none."""
    first: NDArray[np.uint8]
    second: NDArray[np.uint8]
    opponent_row: NDArray[np.int16]
    """[rows] The opponent's row with the same hand, or a row of zeros after his last."""
    maps: NDArray[np.int16]
    """For each deal that leads to a board, one after the other: [rows of the board] the row of the
    board above that plays as this one. The first is also where a board's own hands come from."""
    map_begin: NDArray[np.int64]
    """[deals + 1]"""
    deal_begin: NDArray[np.int32]
    """[boards + 1] The deals that lead to each board; none lead to that of the root."""
    group: NDArray[np.int32]
    """Where each strength begins among the rows of a board."""
    group_begin: NDArray[np.int32]
    """[boards + 1] The part of `group` that belongs to each board."""


def rows_of_street(
    form: PublicForm, street: int, played: range, above: tuple[Rows, Rows] | None
) -> tuple[Rows, Rows]:
    """The hands that each board leaves, in order of strength on the last street.

    ``above`` are the rows of the street before; without it, the street is the first.
    """
    deals = form.streets[street]
    first, second = (_Kept.of(form, p, deals, played) for p in (0, 1))
    pair = []
    for p, (own, other) in enumerate(((first, second), (second, first))):
        hand = own.flat(own.hand)
        cards = np.ascontiguousarray(form.cards[p][np.maximum(hand, 0)].T)
        maps, map_begin = np.zeros(0, np.int16), np.zeros(1, np.int64)
        deal_begin = np.zeros(len(played) + 1, np.int64)
        if above is not None:
            maps, map_begin, deal_begin = _maps(deals, p, played, own, above[p])
        group, group_begin = own.groups_beside(other)
        pair.append(
            Rows(
                begin=_begins(own.padded),
                num_live=own.num_live.astype(np.int32),
                hand=hand,
                first=cards[0],
                second=cards[1],
                opponent_row=own.flat(_opponent_rows(own, other, _same_hands(form, p))),
                maps=maps,
                map_begin=map_begin,
                deal_begin=deal_begin.astype(np.int32),
                group=group,
                group_begin=group_begin,
            )
        )
    return pair[0], pair[1]


NO_STRENGTH = np.iinfo(np.int32).max
"""Of hands that a board blocks: after all others."""


@dataclass(frozen=True, eq=False)
class _Kept:
    """The hands of a player that each board leaves, a row of a matrix each, and padding."""

    hand: NDArray[np.int16]
    """[boards, widest] In their order, then -1."""
    num_live: Ints
    """[boards]"""
    strength: NDArray[np.int32]
    """[boards, hands] On the last street, in order; `NO_STRENGTH` behind those that are live."""
    num_hands: int

    @classmethod
    def of(cls, form: PublicForm, player: int, deals: Deals, played: range) -> _Kept:
        """What the boards of a street leave to a player."""
        cards, boards = form.cards[player], deals.cards[played.start : played.stop]
        is_blocked = np.zeros((len(played), len(cards)), bool)
        for new in range(deals.cards.shape[1] - deals.num_new, deals.cards.shape[1]):
            for own in range(cards.shape[1]):
                is_blocked |= boards[:, new, None] == cards[None, :, own]
        num_live = len(cards) - np.count_nonzero(is_blocked, axis=1)
        order_by = is_blocked.astype(np.int32)
        strength = np.zeros((len(played), 0), np.int32)
        if deals.strength[0].size:
            ours = deals.strength[player][played.start : played.stop]
            order_by = np.where(is_blocked, NO_STRENGTH, ours).astype(np.int32)
            strength = np.sort(order_by, axis=1)
        order = np.argsort(order_by, axis=1, kind="stable")
        hand = np.full((len(played), _padded(len(cards))), -1, np.int16)
        hand[:, : len(cards)] = np.where(np.arange(len(cards)) < num_live[:, None], order, -1)
        return cls(hand, num_live.astype(np.int64), strength, len(cards))

    @property
    def padded(self) -> Ints:
        """[boards] Rows with padding."""
        return np.asarray(_padded(self.num_live), np.int64)

    def flat(self, matrix: NDArray[np.int16], boards: Ints | None = None) -> NDArray[np.int16]:
        """The rows of a matrix, one after the other without what is not needed.

        ``boards``, if given, are those that the rows of the matrix are for.
        """
        length = self.padded if boards is None else self.padded[boards]
        return matrix[np.arange(matrix.shape[1]) < length[:, None]]

    def places(self) -> NDArray[np.int16]:
        """[boards, hands + 1] The row of each hand; that after the last of what has none."""
        places = np.repeat(self.padded[:, None], self.num_hands + 1, axis=1).astype(np.int16)
        board, row = np.nonzero(self.hand >= 0)
        places[board, self.hand[board, row]] = row
        return places

    def groups_beside(self, other: _Kept) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where each strength that either player has begins among the rows, and boards in it."""
        boards = len(self.hand)
        if not self.strength.size:
            return np.zeros(0, np.int32), np.zeros(boards + 1, np.int32)
        # One hand without strength more, so that each board has a last level, after all hands.
        end = np.full((boards, 1), NO_STRENGTH, np.int32)
        both = np.concatenate([self.strength, other.strength, end], axis=1)
        order = np.argsort(both, axis=1, kind="stable")
        both = np.take_along_axis(both, order, axis=1)
        is_own = order < self.strength.shape[1]
        before = np.cumsum(is_own, axis=1) - is_own
        is_level = np.ones(both.shape, bool)
        is_level[:, 1:] = both[:, 1:] != both[:, :-1]
        begins = _begins(np.count_nonzero(is_level, axis=1))
        return before[is_level].astype(np.int32), begins.astype(np.int32)


def _opponent_rows(own: _Kept, other: _Kept, same_hand: Ints) -> NDArray[np.int16]:
    """[boards, rows] The opponent's row with the same hand, or that after his last; 0 for none."""
    found = np.take_along_axis(other.places(), same_hand[np.maximum(own.hand, 0)], axis=1)
    return np.where(own.hand >= 0, found, np.int16(0))


def _padded(length: Any) -> Any:
    return -(-length // WIDTH) * WIDTH


def _begins(sizes: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _same_hands(form: PublicForm, player: int) -> Ints:
    """[hands] Which hand of the opponent is the same; one after his last if none is."""
    others = {tuple(cards): i for i, cards in enumerate(form.cards[1 - player].tolist())}
    return np.array([others.get(tuple(c), len(others)) for c in form.cards[player].tolist()])


def _maps(
    deals: Deals, player: int, played: range, own: _Kept, above: Rows
) -> tuple[NDArray[np.int16], Ints, Ints]:
    """For each deal, in the order of boards: the row above that plays as each row.

    And where each deal's begin, and where the deals of each board begin.
    """
    is_played = (deals.deal_board >= played.start) & (deals.deal_board < played.stop)
    order = np.flatnonzero(is_played)
    order = order[np.argsort(deals.deal_board[order], kind="stable")]
    board = deals.deal_board[order] - played.start
    parent = deals.parent[played.start : played.stop]
    parent = parent - (parent[0] if len(parent) else 0)
    plays_for = np.array([np.argsort(renaming[player]) for renaming in deals.renamings])
    row = np.arange(len(above.hand)) - np.repeat(above.begin[:-1], np.diff(above.begin))
    place = np.zeros((len(above.num_live), own.num_hands), np.int16)
    above_board = np.repeat(np.arange(len(above.num_live)), np.diff(above.begin))
    is_live = above.hand >= 0
    place[above_board[is_live], above.hand[is_live]] = row[is_live]
    hand = own.hand[board]
    hands = plays_for[deals.deal_renaming[order][:, None], np.maximum(hand, 0)]
    maps = np.where(hand >= 0, place[parent[board][:, None], hands], np.int16(0))
    map_begin = _begins(own.padded[board])
    return own.flat(maps, board), map_begin, _begins(np.bincount(board, minlength=len(played)))
