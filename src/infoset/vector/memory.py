"""Whether a spot fits into memory: asked before anything is allocated."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from infoset.errors import TooLargeError
from infoset.solvers.recipe import Recipe
from infoset.spots.betting import NodeKind, build_betting_tree
from infoset.spots.cost import format_bytes
from infoset.spots.menus import RIVER
from infoset.spots.runouts import runouts_of
from infoset.spots.spot import Spot
from infoset.trees.memory import SHARE, available_bytes

__all__ = ["bytes_of", "check_memory", "predicted_bytes"]

BYTES = 4
"""Of a number in the tables and in the work space, and of an index in the layout."""

ROWS = 16
"""Hands are padded to a multiple of this."""


def check_memory(spot: Spot, recipe: Recipe, threads: int) -> None:
    """Refuse a spot that would not fit into the memory that is free."""
    free = available_bytes()
    needed = predicted_bytes(spot, recipe, threads)
    if free is not None and needed > SHARE * free:
        raise TooLargeError(
            f"the spot needs {format_bytes(needed)} of memory, and {format_bytes(free)} are free: "
            "give fewer bet sizes or smaller ranges, or begin on a later street"
        )


def predicted_bytes(spot: Spot, recipe: Recipe, threads: int) -> int:
    """About what solving a spot takes: tables, work space of all threads, and layout.

    >>> spot = Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500)
    >>> 1.5e6 < predicted_bytes(spot, Recipe(), threads=1) < 2e6
    True
    """
    tree, runouts = build_betting_tree(spot), runouts_of(spot)
    rows = [-(-num_hands // ROWS) * ROWS for num_hands in spot.num_hands]
    num_arrays = 3 if recipe.predictive else 2
    tables = work = layout = 0
    num_lines = 1
    num_allins = 0
    for street in range(spot.street, RIVER + 1):
        num_boards = len(runouts[street])
        actions = [tree.count_actions(street, player) for player in (0, 1)]
        tables += num_arrays * num_boards * (actions[0] * rows[0] + actions[1] * rows[1])
        # All-ins before the river are lines that wait for it; there they are ends.
        num_allins += tree.count(NodeKind.SHOWDOWN, street)
        num_ends = tree.count(NodeKind.FOLD, street) + (num_allins if street == RIVER else 0)
        num_exits = 0 if street == RIVER else tree.count(NodeKind.CHANCE, street) + num_allins
        # For each player: reaches of both, values of his own, on lines, exits and ends. Showdowns
        # and folds are padded to whole vectors, one of each.
        work += 2 * sum(rows) * (2 * num_lines + 2 * num_exits + num_ends + 2 * ROWS)
        # What each board brings back is added up on the first street.
        if street == spot.street + 1:
            work += num_boards * num_lines * sum(rows)
        # Which hands are left, in order of strength; and for every card what they are called then.
        layout += sum(rows) * (2 * num_boards + max(len(runouts[street].deal_card), 1))
        num_lines = num_exits
    return BYTES * (tables + max(threads, 1) * work + layout)


def bytes_of(thing: Any) -> int:
    """Bytes of all arrays in a structure of tuples, dictionaries and dataclasses, each once."""
    seen: dict[int, int] = {}

    def look(thing: Any) -> None:
        if isinstance(thing, np.ndarray):
            seen[id(thing)] = thing.nbytes
        elif is_dataclass(thing):
            look([getattr(thing, part.name) for part in fields(thing)])
        elif isinstance(thing, tuple | list):
            for part in thing:
                look(part)
        elif isinstance(thing, dict):
            look(list(thing.values()))

    look(thing)
    return sum(seen.values())
