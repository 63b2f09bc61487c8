"""Solutions of spots as files: the spot as text, the average strategy in plain arrays."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND
from infoset.forms.betting_tree import MAX_NODES, BettingTree, NodeKind, build_betting_tree
from infoset.forms.boards import runouts_of
from infoset.games.holdem.betting import RIVER
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import parse_spot
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers.files import Reading, count_of, curve_of, nodes_of, number_of
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.memory import check_memory
from infoset.solvers.vector.solution import SpotSolution, SpotSpace
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["KIND", "read_spot_solution", "write_spot_solution"]

KIND = "spot-solution"

Arrays = dict[str, NDArray[Any]]


def write_spot_solution(path: str | os.PathLike[str], solution: SpotSolution) -> None:
    """Save a solution of a spot."""
    header = {**solution.summary(), "curve": [list(point) for point in solution.curve]}
    arrays = {
        _name(street, player): solution.solver.probabilities(street, player).reshape(-1)
        for street in range(RIVER + 1 - solution.spot.street)
        for player in (0, 1)
    }
    write_archive(path, KIND, header, arrays)


def read_spot_solution(path: str | os.PathLike[str], *, threads: int = 1) -> SpotSolution:
    """Read what `write_spot_solution` wrote; ``threads`` are for what is asked of it later."""
    header, arrays = read_archive(path, KIND)
    with Reading(path):
        spot = parse_spot(header["spot"], shown=f"the spot in '{os.fspath(path)}'")
        tables = _tables(spot, arrays)
        oop, ip = header["values"]
        told: dict[str, Any] = {
            "algorithm": str(header["algorithm"]),
            "iterations": count_of(header["iterations"]),
            "exploitability": number_of(header["exploitability"]["chips"]),
            "values": (number_of(oop), number_of(ip)),
            "seconds": number_of(header["seconds"]),
            "space": SpotSpace(*(count_of(header["space"][key]) for key in SpotSpace._fields)),
            "curve": curve_of(header["curve"]),
            "stopped_by": str(header["stopped_by"]),
            "threads": count_of(header["threads"]),
            "nodes_touched": nodes_of(header),
        }
    arrays.clear()
    check_memory(spot, Recipe(), threads)
    solver = SpotSolver(spot, Recipe(), threads=threads)
    while tables:  # one by one, so that what is set is also let go
        (street, player), chances = tables.popitem()
        solver.set_probabilities(street, player, chances)
    return SpotSolution(solver=solver, **told)


def _name(street: int, player: int) -> str:
    return f"probabilities_{street}_{player}"


def _tables(spot: Spot, arrays: Arrays) -> dict[tuple[int, int], NDArray[np.float32]]:
    """[street, player] The arrays of a file, if they are a strategy for a spot."""
    # Every action has a number in the file, and leads to a node, or to a card and then a node: a
    # text that describes a huge tree is refused before the tree is built.
    num_numbers = sum(array.size for array in arrays.values())
    tree = build_betting_tree(spot, max_nodes=min(MAX_NODES, 1 + 2 * num_numbers))
    runouts = runouts_of(spot)
    tables = {}
    for street in range(spot.street, RIVER + 1):
        boards = runouts[street].board_cards
        for player in (0, 1):
            array = arrays[_name(street - spot.street, player)]
            shape = len(boards), tree.count_actions(street, player), spot.num_hands[player]
            if array.dtype != np.float32 or array.size != np.prod(shape):
                raise ValueError("probabilities do not fit the spot")
            chances = array.reshape(shape)
            _check(chances, spot, player, boards, _num_actions(tree, street, player))
            tables[street - spot.street, player] = chances
    if len(tables) < len(arrays):
        raise ValueError("arrays were added")
    return tables


def _num_actions(tree: BettingTree, street: int, player: int) -> NDArray[np.int32]:
    """[decisions] How many actions each decision of a player on a street has."""
    nodes = slice(*tree.street_begin[street : street + 2])
    is_own = (tree.node_kind[nodes] == NodeKind.DECISION) & (tree.node_player[nodes] == player)
    num_actions = tree.node_child_end[nodes] - tree.node_child_begin[nodes]
    own: NDArray[np.int32] = num_actions[is_own]
    return own


def _check(
    chances: NDArray[np.float32],
    spot: Spot,
    player: int,
    boards: NDArray[np.int8],
    num_actions: NDArray[np.int32],
) -> None:
    """Hands that a board allows have a distribution at every decision, the others nothing."""
    hands = np.flatnonzero(spot.ranges[player].weights)
    begins = np.cumsum(num_actions) - num_actions
    for board, rows in zip(boards.tolist(), chances if len(begins) else (), strict=False):
        dealt = board[len(spot.board) :]
        is_dead = np.isin(HAND_FIRST[hands], dealt) | np.isin(HAND_SECOND[hands], dealt)
        totals = np.add.reduceat(rows, begins, axis=0)
        if not (rows >= 0).all() or not (np.abs(totals - ~is_dead) < 1e-4).all():
            raise ValueError("probabilities are negative or do not sum to one")
