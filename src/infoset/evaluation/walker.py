"""Threads and their buffers, to walk over the boards of a public form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import NUM_CARDS
from infoset.errors import BadInputError
from infoset.forms import Layout, Numbers, locked_numbers
from infoset.forms.kernels.public_records import BUFFERS, SIDE
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.machine.vec16 import WIDTH

Floats = NDArray[np.floating[Any]]
Walk = Callable[[tuple[Any, Any, int], tuple[int, int, int]], None]
"""A kernel, given the buffers and the threads as `walk_boards` takes them."""

NOTHING: Mapping[tuple[int, int], Floats] = MappingProxyType({})
EMPTY = Numbers(np.zeros(0, FLOAT))


class Walker:
    """Threads that walk over a layout together, each in buffers of its own."""

    def __init__(self, layout: Layout, threads: int = 1) -> None:
        self.layout = layout
        self.threads = min(threads, len(layout.boards[1])) if layout.num_streets > 1 else 1
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        streets = range(layout.num_streets)
        # One player after the other: on the first street they share all but the ranges.
        shared = self._buffers(0)
        roots = [{**shared, "entry": self.root_reach(1 - player)} for player in (0, 1)]
        others = [[self._buffers(street) for street in streets[1:]] for _ in range(self.threads)]
        boards = len(layout.boards[1]) if layout.num_streets > 1 else 0
        self._by_board = zeros(boards * len(shared["later"]), FLOAT)
        self._arrays = roots, others  # the records below have only their addresses
        self._roots = np.array([_record(BUFFERS, root) for root in roots])
        self._others = np.zeros((self.threads, len(streets)), BUFFERS)
        for thread, of_thread in enumerate(others):
            for street, arrays in enumerate(of_thread, 1):
                self._others[thread, street] = _record(BUFFERS, arrays)
        probabilities = [deals.probability for deals in layout.form.streets[layout.first :]]
        self.deals = np.array(probabilities, FLOAT)
        """[street] How likely a card is; of the first street, none is dealt."""

    def _buffers(self, street: int) -> dict[str, Floats]:
        """For the update of either player."""
        betting = self.layout.bettings[street]
        rows = max(int(np.diff(rows.begin).max()) for rows in self.layout.rows[street])
        slots = max(b.num_lines + b.num_sequences for b in betting)
        actions = max(int(b.node_actions.max(initial=1)) for b in betting)
        vectors = max(b.num_vectors for b in betting)
        lines, exits = betting[0].num_lines, len(betting[0].exit_slot)

        def buffer(*shape: int) -> Floats:
            return zeros(int(np.prod(shape)), FLOAT)

        return {
            "entry": buffer(lines, rows),
            "exits": buffer(exits, rows),
            "terminals": buffer(vectors + 1 if vectors else 0, rows + WIDTH, WIDTH),
            "later": buffer(exits, rows),
            "entry_values": buffer(lines, rows),
            "plan": buffer(slots + max(WIDTH, 2 * actions), WIDTH),
            "cards": buffer(NUM_CARDS + 1, WIDTH),
        }

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        roots, others = self._arrays
        buffers = (*roots, *(buffer for of_thread in others for buffer in of_thread))
        arrays = {id(array): array.nbytes for buffer in buffers for array in buffer.values()}
        return sum(arrays.values()) + self._by_board.nbytes

    def root_reach(self, player: int) -> Floats:
        """[rows] The weight of each hand at the root, zero where a row stands for no hand."""
        hand = self.layout.rows[0][player].hand
        weights = self.layout.form.weights[player][np.maximum(hand, 0)]
        return np.where(hand >= 0, weights, 0.0).astype(FLOAT)

    def start_with(self, first: Floats, second: Floats) -> None:
        """Let the players come to the root with these reaches [rows]."""
        roots = self._arrays[0]
        roots[0]["entry"][:] = second
        roots[1]["entry"][:] = first

    def root_values(self, player: int) -> Floats:
        """[rows] What the last walk for a player has found at the root."""
        num_rows = len(self.layout.rows[0][player].hand)
        return self._arrays[0][player]["entry_values"][:num_rows].copy()

    def run(self, walk: Walk, num_walks: int) -> None:
        """Have every thread walk so many times."""
        counters = np.zeros(1 + num_walks, np.int64)

        def work(thread: int) -> None:
            buffers = self._roots, self._others[thread], self._by_board.ctypes.data
            walk(buffers, (counters.ctypes.data, thread, self.threads))

        if self._pool is None:
            work(0)
            return
        others = [self._pool.submit(work, thread) for thread in range(1, self.threads)]
        work(0)
        for other in others:
            other.result()


class Leaves:
    """The values of a form's leaves, and how often hands come there, as the kernels have them."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.source = layout.form.leaf_values

        def arrays() -> list[tuple[Floats, Floats]]:
            return [(self._array(s, 0), self._array(s, 1)) for s in range(layout.num_streets)]

        self.values, self.reach = arrays(), arrays()
        if self.source is not None and not self.is_asked:
            self.ask()

    def _array(self, street: int, player: int) -> Floats:
        num_leaves = len(self.layout.bettings[street][player].leaves)
        return zeros(num_leaves * int(self.layout.rows[street][player].begin[-1]), FLOAT)

    @property
    def is_asked(self) -> bool:
        """Whether values must be asked for in every iteration."""
        return callable(self.source)

    def ask(self) -> None:
        """Have the values follow from the reaches."""
        source = self.source
        assert source is not None
        for street in range(self.layout.num_streets):
            if not self.layout.bettings[street][0].leaves:
                continue
            reach = self._by_hand(street, 0), self._by_hand(street, 1)
            number = self.layout.first + street
            if callable(source):
                pair = source(number, reach)
            else:
                pair = source.get(number, (np.zeros(1), np.zeros(1)))
            for player, given in enumerate(pair):
                try:
                    values = np.broadcast_to(given, reach[player].shape)
                except ValueError:
                    raise BadInputError(
                        f"the values of leaves for player {player} have the shape "
                        f"{np.shape(given)}, which does not fit {reach[player].shape} (leaves, "
                        "boards, hands)"
                    ) from None
                rows = self.layout.rows[street][player]
                by_row = self.values[street][player].reshape(len(values), -1)
                for board in range(len(rows.num_live)):
                    own = slice(*rows.begin[board : board + 2])
                    hand = rows.hand[own]
                    taken = values[:, board][:, np.maximum(hand, 0)] / self.layout.form.num_pairs
                    by_row[:, own] = np.where(hand >= 0, taken, 0.0)

    def _by_hand(self, street: int, player: int) -> NDArray[np.float64]:
        """[leaves, boards, hands]"""
        rows = self.layout.rows[street][player]
        leaves = self.layout.bettings[street][player].leaves
        shape = len(leaves), len(rows.num_live), self.layout.form.num_hands[player]
        out = np.zeros(shape)
        by_row = self.reach[street][player].reshape(len(leaves), -1)
        for board, live in enumerate(rows.num_live):
            begin = rows.begin[board]
            out[:, board, rows.hand[begin : begin + live]] = by_row[:, begin : begin + live]
        return out


def side_records(
    layout: Layout,
    tables: Callable[[int, int], Mapping[str, Numbers]],
    locked: Mapping[tuple[int, int], Floats],
    leaves: Leaves,
    *,
    is_predictive: bool = False,
    is_pruned: bool = False,
    noted: Mapping[tuple[int, int], Floats] = NOTHING,
) -> NDArray[Any]:
    """[street, player] The sides of all streets, as the kernels take them.

    ``tables`` are asked for by street and player; those not given are empty. ``locked``: what
    `all_locked` gives. ``noted``, by street and player: where values of lines are written to.
    """
    records = np.zeros((layout.num_streets, 2), SIDE)
    for street, player in np.ndindex(records.shape):
        betting, rows = layout.bettings[street][player], layout.rows[street][player]
        fields: dict[str, Any] = {**vars(betting), **vars(rows)}
        fields |= {
            "num_nodes": len(betting.nodes),
            "num_exits": len(betting.exit_slot),
            "num_leaves": len(betting.leaves),
            "num_boards": len(rows.num_live),
            "row_begin": rows.begin,
            "child_begin": layout.child_begin[street],
            "is_predictive": is_predictive,
            "is_pruned": is_pruned,
            "is_locked": locked[street, player].size > 0,
            "locked": locked[street, player],
            "leaf_values": leaves.values[street][player],
            "leaf_reach": leaves.reach[street][player],
            "noted_values": noted.get((street, player), 0),
        }
        given = tables(street, player)
        for name in ("regrets", "average", "prediction", "seen_regrets", "seen_prediction"):
            numbers = given.get(name, EMPTY)
            fields |= {name: numbers.data, f"{name}_scale": numbers.scale}
        records[street, player] = _record(SIDE, fields)
    return records


def all_locked(layout: Layout) -> dict[tuple[int, int], Floats]:
    """By street and player: what is played whatever is learnt; see `locked_numbers`."""
    places = np.ndindex(layout.num_streets, 2)
    return {(street, player): locked_numbers(layout, street, player) for street, player in places}


def _record(dtype: np.dtype[Any], fields: Mapping[str, Any]) -> NDArray[Any]:
    """Numbers, and addresses of arrays."""
    record = np.zeros((), dtype)
    for name in dtype.names or ():
        value = len(fields["later"]) if name == "later_size" else fields[name]
        record[name] = value.ctypes.data if isinstance(value, np.ndarray) else value
    return record
