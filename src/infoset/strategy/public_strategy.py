"""Strategies on a public form: a probability for every action and hand, in tables by board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import (
    TINY,
    DealtForm,
    Layout,
    Numbers,
    PublicForm,
    SpotForm,
    board_numbers,
    layout_of,
    locked_numbers,
    node_numbers,
    numbers_for,
    write_board,
)
from infoset.strategy.strategy import Key, Strategy, split_key

Floats = NDArray[np.floating[Any]]
Tables = tuple[tuple[Numbers, Numbers], ...]
"""[street][player]"""


@dataclass(frozen=True, eq=False)
class PublicAverages:
    """How both players play on a public form, which need not know what its infosets are called."""

    form: PublicForm
    averages: Tables
    """Sums of plans: actions are taken in proportion to them. Not to be written to."""

    @property
    def layout(self) -> Layout:
        """How the tables are laid out."""
        return layout_of(self.form)

    def node_probabilities(self, street: int, board: int, node: int) -> Floats:
        """[actions, rows] What each hand does at a decision, on a board that is played."""
        player = int(self.form.node_player[node])
        table = self.averages[street][player]
        numbers = node_numbers(self.layout, street, player, board, node, table)
        locked = locked_numbers(self.layout, street, player)
        if locked.size:
            floats = Numbers(locked)
            must = node_numbers(self.layout, street, player, board, node, floats)
            numbers = _or_locked(must, numbers)
        return _shares(numbers)


@dataclass(frozen=True, eq=False)
class PublicStrategy(PublicAverages, Strategy):
    """A strategy for both players of a game in public form.

    >>> import infoset
    >>> spot = infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=100, stack=100)
    >>> solution = infoset.solve(spot, iterations=100)
    >>> sorted(solution.strategy["AsAh:"])
    ['all-in 100', 'bet 50', 'check']
    """

    form: SpotForm | DealtForm

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.form.name

    @classmethod
    def from_probabilities(
        cls, form: SpotForm | DealtForm, tables: Mapping[tuple[int, int], NDArray[Any]]
    ) -> PublicStrategy:
        """A strategy from arrays [boards, sequences, hands], by street and player.

        Each array may be given up as it is read: the mapping is emptied if it can be.
        """
        return cls(form, numbers_from(form, tables))

    def __getitem__(self, key: Key) -> dict[str, float]:
        player, name = split_key(key)
        place = self.form.find_infoset(name)
        if player not in (None, place.player):
            raise BadInputError(f"{name!r} is an infoset of player {place.player}, not {player}")
        rows = self.layout.rows[place.street][place.player]
        (row,) = np.flatnonzero(rows.hand[slice(*rows.begin[place.board :][:2])] == place.hand)
        by_row = self.node_probabilities(place.street, place.board, place.node)
        return dict(zip(self.form.actions_at(place.node), by_row[:, row].tolist(), strict=True))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for key, place in self.form.infosets():
            yield place.player, key

    def __len__(self) -> int:
        return sum(
            len(self.layout.bettings[street][player].nodes)
            * int(self.layout.rows[street][player].num_live.sum())
            for street in range(self.layout.num_streets)
            for player in (0, 1)
        )

    def __repr__(self) -> str:
        return f"PublicStrategy(for {self.name!r}: {len(self):,} infosets)"

    def probabilities(self, street: int, player: int) -> NDArray[np.float32]:
        """[boards, sequences, hands] The strategy on a street, counted from the form's own.

        Sequences are the actions of the player's decisions in the order of nodes, hands ascend by
        number. Where nothing was averaged, all actions are alike; hands that a board blocks have
        0 everywhere.
        """
        return street_probabilities(self.layout, self.averages[street][player], street, player)

    def infosets(self, player: int) -> Iterator[tuple[str, dict[str, float]]]:
        """One player's infosets on the boards that are played: key and probabilities."""
        for whose, key, actions in self._rows():
            if whose == player:
                yield key, actions

    def columns(self) -> dict[str, Any]:
        """The strategy as columns, one action a row, on the boards that are played."""
        out: dict[str, list[Any]] = {"player": [], "infoset": [], "action": [], "probability": []}
        for player, key, actions in self._rows():
            out["player"] += [player] * len(actions)
            out["infoset"] += [key] * len(actions)
            out["action"] += actions
            out["probability"] += actions.values()
        return out

    def hand_probabilities(self, public_history: str) -> tuple[tuple[str, ...], Floats]:
        """What a player does after a public history, with every hand at once.

        The actions there, and [actions, hands] their probabilities. Hands are those of the form;
        numbers of hands that cannot be held there mean nothing. The board need not be one that is
        played.

        >>> import infoset
        >>> spot = infoset.Spot("Ks9h7d4c2s", "AA,QQ", "JJ", pot=100, stack=100)
        >>> solution = infoset.solve(spot, iterations=10)
        >>> actions, probabilities = solution.strategy.hand_probabilities("check")
        >>> actions, probabilities.shape
        (('check', 'bet 50', 'all-in 100'), (3, 6))
        """
        where = self.form.find_decision(public_history)
        by_row = self.node_probabilities(where.street, where.board, where.node)
        rows = self.layout.rows[where.street][where.player]
        hand = rows.hand[slice(*rows.begin[where.board : where.board + 2])]
        row = np.zeros(self.form.num_hands[where.player], np.intp)
        row[hand[hand >= 0]] = np.flatnonzero(hand >= 0)
        return self.form.actions_at(where.node), by_row[:, row[where.names]]

    def _rows(self) -> Iterator[tuple[int, str, dict[str, float]]]:
        """Player, key and probabilities of every infoset, node by node."""
        known: tuple[int, int, int] | None = None
        for key, place in self.form.infosets():
            at = place.street, place.board, place.node
            if at != known:
                known, by_row = at, self.node_probabilities(*at).T.tolist()
                rows = self.layout.rows[place.street][place.player]
                begin, end = rows.begin[place.board : place.board + 2]
                row_of = {hand: row for row, hand in enumerate(rows.hand[begin:end].tolist())}
                actions = self.form.actions_at(place.node)
            probabilities = by_row[row_of[place.hand]]
            yield place.player, key, dict(zip(actions, probabilities, strict=True))


def numbers_from(form: PublicForm, tables: Mapping[tuple[int, int], NDArray[Any]]) -> Tables:
    """Sums of plans that play by some probabilities: see `PublicStrategy.from_probabilities`."""
    layout = layout_of(form)
    averages = []
    for street in range(layout.num_streets):
        pair = []
        for player in (0, 1):
            numbers = numbers_for(layout, street, player)
            rows = layout.rows[street][player]
            array = tables[street, player]
            for board, of_hands in enumerate(array if array.size else ()):
                hand = rows.hand[slice(*rows.begin[board : board + 2])]
                by_row = np.where(hand >= 0, of_hands[:, np.maximum(hand, 0)], 0.0)
                write_board(layout, street, player, board, numbers, by_row)
            if isinstance(tables, dict):
                del tables[street, player]
            pair.append(numbers)
        averages.append((pair[0], pair[1]))
    return tuple(averages)


def street_probabilities(
    layout: Layout, table: Numbers, street: int, player: int
) -> NDArray[np.float32]:
    """[boards, sequences, hands] What `PublicStrategy.probabilities` says, of any layout."""
    betting, rows = layout.bettings[street][player], layout.rows[street][player]
    num_boards, num_hands = len(rows.num_live), layout.form.num_hands[player]
    out = np.zeros((num_boards, betting.num_sequences, num_hands), np.float32)
    if not betting.num_sequences:
        return out
    locked = Numbers(locked_numbers(layout, street, player))
    begin = betting.node_slot - betting.num_lines
    for board in range(num_boards):
        live = rows.num_live[board]
        numbers = board_numbers(layout, street, player, board, table)[:, :live]
        if locked.data.size:
            must = board_numbers(layout, street, player, board, locked)[:, :live]
            numbers = _or_locked(must, numbers)
        shares = shares_of_actions(numbers, begin, betting.node_actions)
        out[board][:, rows.hand[rows.begin[board] :][:live]] = shares
    return out


def shares_of_actions(
    numbers: Floats, begin: NDArray[np.integer[Any]], num_actions: NDArray[np.integer[Any]]
) -> Floats:
    """[sequences, any] Numbers in proportion to their sum at a decision; uniform where it is zero.

    ``begin`` and ``num_actions`` say which sequences are the actions of one decision.
    """
    numbers = np.where(numbers > TINY, numbers, 0.0)
    totals = np.repeat(np.add.reduceat(numbers, begin, axis=0), num_actions, axis=0)
    even = np.repeat(1.0 / num_actions, num_actions)[:, np.newaxis]
    return np.where(totals > 0.0, numbers / np.where(totals > 0.0, totals, 1.0), even)


def _or_locked(locked: Floats, numbers: Floats) -> Floats:
    return np.where(locked >= 0.0, locked, numbers)


def _shares(numbers: Floats) -> Floats:
    """[actions, any] Numbers in proportion to their sum; uniform where it is zero."""
    numbers = np.where(numbers > TINY, numbers, 0.0).astype(np.float64)
    total = numbers.sum(axis=0)
    uniform = np.full(numbers.shape, 1.0 / len(numbers))
    np.divide(numbers, total, out=uniform, where=total > 0.0)
    return uniform
