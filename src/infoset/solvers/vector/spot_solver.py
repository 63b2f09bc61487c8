"""The vector-form solver on a spot of hold'em."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import format_cards
from infoset.forms.betting_tree import BettingTree, build_betting_tree
from infoset.forms.boards import Boards, runouts_of
from infoset.forms.locked_nodes import LockedNode, locked_nodes
from infoset.forms.public_form import form_of_spot
from infoset.forms.public_layout import Layout, lay_out
from infoset.games.holdem.spot import Spot
from infoset.machine.precision import FLOAT
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.solver import VectorSolver
from infoset.solvers.vector.tables import (
    LEAST,
    Numbers,
    Table,
    block_of,
    node_numbers,
    write_block,
    write_lock,
)

__all__ = ["SpotLayout", "SpotSolver"]

Floats = NDArray[np.floating[Any]]


class SpotLayout:
    """A spot, laid out: solvers of the same spot can share it."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot
        self.tree: BettingTree = build_betting_tree(spot)
        self.runouts: tuple[Boards, ...] = runouts_of(spot, self.tree)
        self.locks: tuple[LockedNode, ...] = locked_nodes(self.tree)
        self.layout: Layout = lay_out(form_of_spot(self.tree, self.runouts))


class SpotSolver(VectorSolver):
    """Solve a spot. Values are chips relative to half the pot: zero-sum but for rake.

    Locked hands play as they must, in best responses too: exploitability is that of the game in
    which they can do nothing else.
    """

    def __init__(
        self,
        spot: Spot | SpotLayout,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        threads: int = 1,
        bits: int = 32,
    ) -> None:
        laid_out = spot if isinstance(spot, SpotLayout) else SpotLayout(spot)
        self.spot = laid_out.spot
        self.tree = laid_out.tree
        self.runouts = laid_out.runouts
        self.locks = laid_out.locks
        super().__init__(laid_out.layout, recipe, horizon, threads=threads, bits=bits)

    @cached_property
    def hand_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per player: which of the 1,326 hands each hand is, ascending."""
        first, second = (np.flatnonzero(held.weights) for held in self.spot.ranges)
        return first, second

    def _table(self, street: int, player: int) -> Table:
        """An empty table, and what is locked."""
        table = super()._table(street, player)
        here = [lock for lock in self.locks if lock.player == player and len(lock.cards) == street]
        if not here:
            return table
        boards = {tuple(cards): number for number, cards in enumerate(self._dealt(street))}
        locked = np.full(self.layout.table_size(street, player), -1.0, FLOAT)
        for lock in here:
            if lock.cards not in boards:
                continue  # it has a twin on the board that is played instead: see `runouts_of`
            chances = np.full((len(lock.strategy), len(self.hand_numbers[player])), -1.0)
            chances[:, np.searchsorted(self.hand_numbers[player], lock.hands)] = lock.strategy
            board = boards[lock.cards]
            write_lock(self.layout, street, player, board, lock.node, locked, chances)
        return replace(table, locked=locked)

    def _dealt(self, street: int) -> list[list[int]]:
        """[boards] The cards of each board that were dealt since the spot began."""
        cards = self.layout.form.streets[street].cards
        return cards[:, len(self.spot.board) :].tolist()  # type: ignore[no-any-return]

    def numbers(self, name: str, street: int, player: int, board: int, node: int) -> Floats:
        """[actions, rows] A copy of what is held at one decision on one board.

        As an average, locked hands have what is locked.
        """
        found = super().numbers(name, street, player, board, node)
        locked = self.tables[street][player].locked
        if name != "average" or not locked.size:
            return found
        must = node_numbers(self.layout, street, player, board, node, _floats(locked))
        return np.where(must >= 0.0, must, found)

    def boards_by_text(self) -> tuple[dict[str, int], ...]:
        """[street] The number of each board that is played, by its cards."""
        return tuple(
            {format_cards(board): number for number, board in enumerate(deals.cards.tolist())}
            for deals in self.layout.form.streets
        )

    def probabilities(self, street: int, player: int) -> NDArray[np.float32]:
        """[boards, sequences, hands] The average strategy on a street, counted from the spot's own.

        Sequences are the actions of the player's decisions in the order of nodes, hands ascend by
        number. Where nothing was averaged, all actions are alike; hands that a board blocks have
        0 everywhere.
        """
        layout = self.layout
        betting, rows = layout.bettings[street][player], layout.rows[street][player]
        average = self.tables[street][player].average
        locked = self.tables[street][player].locked
        num_boards, num_hands = len(rows.num_live), len(self.hand_numbers[player])
        out = np.zeros((num_boards, betting.num_sequences, num_hands), np.float32)
        if not betting.num_sequences:
            return out
        even = np.repeat(1.0 / betting.node_actions, betting.node_actions)[:, np.newaxis]
        for board in range(num_boards):
            live = rows.num_live[board]
            found = block_of(layout, street, player, board, average)[:, :live]
            found[found <= LEAST] = 0.0
            if locked.size:
                must = block_of(layout, street, player, board, _floats(locked))[:, :live]
                found = np.where(must >= 0.0, must, found)
            totals = np.add.reduceat(found, betting.node_slot - betting.num_lines, axis=0)
            totals = np.repeat(totals, betting.node_actions, axis=0)
            chances = np.where(totals > 0.0, found / np.where(totals > 0.0, totals, 1.0), even)
            out[board][:, rows.hand[rows.begin[board] :][:live]] = chances
        return out

    def set_probabilities(self, street: int, player: int, chances: NDArray[Any]) -> None:
        """Play this strategy as the average; an array as `probabilities` gives it."""
        self.has_average = True
        rows = self.layout.rows[street][player]
        average = self.tables[street][player].average
        for board, of_hands in enumerate(chances if chances.size else ()):
            begin, end = rows.begin[board : board + 2]
            hand = rows.hand[begin:end]
            found = np.where(hand >= 0, of_hands[:, np.maximum(hand, 0)], 0.0)
            write_block(self.layout, street, player, board, average, found)


def _floats(locked: Floats) -> Numbers:
    return Numbers(locked, np.zeros(0, FLOAT))
