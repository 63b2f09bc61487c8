"""Rows: the hands of a player that are possible on each board."""

from __future__ import annotations

from dataclasses import dataclass

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
    is_last = deals.strength[0].size > 0
    kept: tuple[list[Ints], list[Ints]] = ([], [])
    groups: tuple[list[Ints], list[Ints]] = ([], [])
    for board in played:
        new = deals.cards[board][deals.cards.shape[1] - deals.num_new :]
        for p in (0, 1):
            hands = np.flatnonzero(~np.isin(form.cards[p], new).any(axis=1))
            if is_last:
                hands = hands[np.argsort(deals.strength[p][board][hands], kind="stable")]
            kept[p].append(hands)
        if is_last:
            ordered = [deals.strength[p][board][kept[p][-1]] for p in (0, 1)]
            levels = np.unique(np.concatenate(ordered))
            for p in (0, 1):
                begins = np.searchsorted(ordered[p], levels)
                groups[p].append(np.append(begins, len(ordered[p])))
    pair = []
    for p in (0, 1):
        begin = _begins([_padded(len(hands)) for hands in kept[p]])
        hand = np.full(begin[-1], -1, np.int16)
        opponent_row = np.zeros(begin[-1], np.int16)
        same_hand = _same_hands(form, p)
        for start, hands, others in zip(begin, kept[p], kept[1 - p], strict=False):
            hand[start : start + len(hands)] = hands
            # A hand that the opponent cannot have has the row of zeros after his last.
            place = np.full(len(form.cards[1 - p]) + 1, _padded(len(others)))
            place[others] = np.arange(len(others))
            opponent_row[start : start + len(hands)] = place[same_hand[hands]]
        first, second = np.ascontiguousarray(form.cards[p][np.maximum(hand, 0)].T)
        maps: list[Ints] = []
        deal_begin = np.zeros(len(played) + 1, np.int64)
        if above is not None:
            maps, deal_begin = _maps(deals, p, played, kept[p], above[p])
        num_groups = [len(part) for part in groups[p]] or [0] * len(played)
        pair.append(
            Rows(
                begin=begin,
                num_live=np.array([len(hands) for hands in kept[p]], np.int32),
                hand=hand,
                first=first,
                second=second,
                opponent_row=opponent_row,
                maps=_joined(maps, np.int16),
                map_begin=_begins([len(part) for part in maps]),
                deal_begin=deal_begin.astype(np.int32),
                group=_joined(groups[p], np.int32),
                group_begin=_begins(num_groups).astype(np.int32),
            )
        )
    return pair[0], pair[1]


def _padded(length: int) -> int:
    return -(-length // WIDTH) * WIDTH


def _begins(sizes: list[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def _joined(parts: list[Ints], dtype: type) -> NDArray[np.signedinteger]:
    return np.concatenate([*parts, np.zeros(0)]).astype(dtype)


def _same_hands(form: PublicForm, player: int) -> Ints:
    """[hands] Which hand of the opponent is the same; one after his last if none is."""
    others = {tuple(cards): i for i, cards in enumerate(form.cards[1 - player].tolist())}
    return np.array([others.get(tuple(c), len(others)) for c in form.cards[player].tolist()])


def _maps(
    deals: Deals, player: int, played: range, kept: list[Ints], above: Rows
) -> tuple[list[Ints], Ints]:
    """For each deal, in the order of boards: the row above that plays as each row."""
    order = np.argsort(deals.deal_board, kind="stable")
    counts = np.bincount(deals.deal_board, minlength=played.stop)[played.start : played.stop]
    before = int(np.count_nonzero(deals.deal_board < played.start))
    deal_begin = _begins(counts.tolist())
    first_parent = int(deals.parent[played.start]) if len(played) else 0
    plays_for = [np.argsort(renaming[player]) for renaming in deals.renamings]
    maps = []
    parent, place = -1, np.zeros(0, np.int64)
    for number, board in enumerate(played):
        if deals.parent[board] != parent:
            parent = int(deals.parent[board])
            rows = above.hand[slice(*above.begin[parent - first_parent :][:2])]
            place = np.zeros(len(plays_for[0]), np.int64)
            place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        for deal in order[before + deal_begin[number] : before + deal_begin[number + 1]]:
            hands = plays_for[deals.deal_renaming[deal]][kept[number]]
            padded = np.zeros(_padded(len(hands)), np.int64)
            padded[: len(hands)] = place[hands]
            maps.append(padded)
    return maps, deal_begin
