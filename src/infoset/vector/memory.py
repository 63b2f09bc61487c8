"""Whether a spot fits into memory: asked before anything is allocated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_INDEX, HAND_SECOND, NUM_CARDS
from infoset.errors import TooLargeError
from infoset.solvers.recipe import Recipe
from infoset.spots.betting import BettingTree, NodeKind, build_betting_tree
from infoset.spots.cost import format_bytes
from infoset.spots.locked import locked_nodes
from infoset.spots.menus import RIVER
from infoset.spots.runouts import Boards, runouts_of
from infoset.spots.spot import Spot
from infoset.trees.memory import SHARE, available_bytes

__all__ = ["check_memory", "predicted_bytes"]

FLOAT_BYTES = 4
WIDTH = 16
"""Hands, and ends of a street, are padded to a multiple of this."""

BYTES_PER_ROW = 2 + 1 + 1 + 2
"""Of the layout: hand, its two cards, and the opponent's row with the same hand."""

BYTES_PER_BOARD = 160
"""Of the layout: where rows, deals, strengths and boards begin."""


def check_memory(spot: Spot, recipe: Recipe, threads: int, bits: int = 32) -> None:
    """Refuse a spot that would not fit into the memory that is free."""
    free = available_bytes()
    needed = predicted_bytes(spot, recipe, threads, bits)
    if free is not None and needed > SHARE * free:
        half = ", or store numbers in 16 bits (half of it)" if bits == 32 else ""
        raise TooLargeError(
            f"the spot needs {format_bytes(needed)} of memory, and {format_bytes(free)} are free: "
            f"give fewer bet sizes or smaller ranges, begin on a later street{half}"
        )


def predicted_bytes(spot: Spot, recipe: Recipe, threads: int, bits: int = 32) -> int:
    """What solving a spot takes: tables, work space of all threads, and layout.

    >>> spot = Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500)
    >>> 1.0e6 < predicted_bytes(spot, Recipe(), threads=1) < 1.2e6
    True
    """
    tree = build_betting_tree(spot)
    runouts = runouts_of(spot, tree)
    locked = {(int(tree.node_street[lock.node]), lock.player) for lock in locked_nodes(tree)}
    num_tables = (3 if recipe.predictive else 2) * (1 if recipe.alternating else 1.5)
    total = 0.0
    num_lines, num_allins, most_above = 1, 0, 0
    for street in range(spot.street, RIVER + 1):
        boards = runouts[street]
        rows = [_rows(spot, player, boards, street) for player in (0, 1)]
        for player in (0, 1):
            actions = tree.count_actions(street, player)
            total += num_tables * rows[player].sum() * actions * bits / 8
            if (street, player) in locked:
                total += rows[player].sum() * actions * FLOAT_BYTES
            if bits == 16:
                num_blocks = rows[player].sum() / WIDTH
                total += num_tables * num_blocks * _decisions(tree, street, player) * FLOAT_BYTES
            total += rows[player].sum() * BYTES_PER_ROW
            total += 2 * (rows[player] * boards.board_weight).sum()  # what hands are called
            if street == RIVER:
                total += 4 * 0.5 * rows[player].sum()  # strengths; about two hands share one
        total += len(boards) * 2 * BYTES_PER_BOARD
        # All-ins before the river are lines that wait for it; there they are ends.
        num_allins += tree.count(NodeKind.SHOWDOWN, street)
        num_exits = 0 if street == RIVER else tree.count(NodeKind.CHANCE, street) + num_allins
        vectors = -(-tree.count(NodeKind.FOLD, street) // WIDTH)
        vectors += -(-num_allins // WIDTH) if street == RIVER else 0
        most = max(int(of_player.max()) for of_player in rows)
        room = 2 * most * (num_lines + num_exits) + vectors * WIDTH * (2 * most + WIDTH)
        is_first = street == spot.street
        num_rooms = 1 if is_first else min(threads, len(runouts[spot.street + 1]))
        total += FLOAT_BYTES * room * num_rooms
        # What each board brings back is added up on the first street.
        if street == spot.street + 1:
            total += FLOAT_BYTES * len(boards) * num_lines * most_above
        most_above = most
        num_lines = num_exits
    return int(total)


def _decisions(tree: BettingTree, street: int, player: int) -> int:
    nodes = slice(*tree.street_begin[street : street + 2])
    is_own = (tree.node_kind[nodes] == NodeKind.DECISION) & (tree.node_player[nodes] == player)
    return int(np.count_nonzero(is_own))


def _rows(spot: Spot, player: int, boards: Boards, street: int) -> NDArray[np.int64]:
    """[boards] How many hands each board leaves a player, in whole blocks."""
    held = spot.ranges[player].weights > 0
    new = boards.board_cards[:, len(spot.board) :].astype(np.int64)
    by_card = np.bincount(HAND_FIRST, held, minlength=NUM_CARDS)
    by_card += np.bincount(HAND_SECOND, held, minlength=NUM_CARDS)
    live = np.count_nonzero(held) - by_card[new].sum(axis=1)
    if street - spot.street == 2:
        live += held[HAND_INDEX[new[:, 0], new[:, 1]]]  # taken away twice
    rows: NDArray[np.int64] = (-(-live.astype(np.int64) // WIDTH)) * WIDTH
    return rows
