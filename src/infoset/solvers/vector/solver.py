"""The vector-form solver: the same recipes on games in public form."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms.public_layout import Layout
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.machine.simd16 import WIDTH
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.kernels.game import AVERAGE, BEST, SIDE, UPDATE, VALUE, WORK, Rule
from infoset.solvers.vector.kernels.play import play
from infoset.solvers.vector.tables import Numbers, Table, make_table, node_numbers

__all__ = ["VectorSolver"]

Floats = NDArray[np.floating[Any]]

GOLDEN = 0.6180339887498949
"""Multiples of it, without the whole part, are spread evenly however many there are."""


class VectorSolver:
    """Solve a game in public form. Values are those of `Form.worth`, per deal.

    With 16 bits, tables take half the memory of 32. The result depends on the number of bits, but
    not on the number of threads.
    """

    is_exact = False
    evaluation_stride = 1

    def __init__(
        self,
        layout: Layout,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        threads: int = 1,
        bits: int = 32,
    ) -> None:
        recipe.check(horizon)
        if bits not in (16, 32):
            raise BadInputError(f"numbers are stored in 16 or 32 bits, not {bits!r}")
        self.layout = layout
        self.recipe = recipe
        self.horizon = horizon
        self.bits = bits
        self.iteration = 0
        self.has_average = False
        """Whether something has been averaged, or set as the average."""
        self.threads = min(threads, len(layout.boards[1])) if layout.num_streets > 1 else 1
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        streets = range(layout.num_streets)
        self.tables = tuple((self._table(s, 0), self._table(s, 1)) for s in streets)
        # Where both move at once, player 1 answers what player 0 was before his update.
        self._seen = tuple(
            self.tables[s][0] if recipe.alternating else self._table(s, 0) for s in streets
        )
        self._make_room()
        self._refer_to_tables()

    # Arrays.

    def _table(self, street: int, player: int) -> Table:
        predictive = self.recipe.predictive
        return make_table(self.layout, street, player, bits=self.bits, predictive=predictive)

    def _make_room(self) -> None:
        """Space for threads to work in."""
        layout, streets = self.layout, range(self.layout.num_streets)
        # One player after the other: on the first street they share all but the ranges.
        room = self._room(0)
        roots = [{**room, "entry": self.root_reach(1 - player)} for player in (0, 1)]
        rooms = [[self._room(street) for street in streets[1:]] for _ in range(self.threads)]
        boards = len(layout.boards[1]) if layout.num_streets > 1 else 0
        self._parts = zeros(boards * len(room["later"]), FLOAT)
        self._rooms = roots, rooms  # the records below have only their addresses
        self._roots = np.array([_record(WORK, root) for root in roots])
        self._works = np.zeros((self.threads, len(streets)), WORK)
        for thread, of_thread in enumerate(rooms):
            for street, arrays in enumerate(of_thread, 1):
                self._works[thread, street] = _record(WORK, arrays)

    def _room(self, street: int) -> dict[str, Floats]:
        """Room for the update of either player."""
        betting = self.layout.bettings[street]
        rows = max(int(np.diff(rows.begin).max()) for rows in self.layout.rows[street])
        slots = max(b.num_lines + b.num_sequences for b in betting)
        actions = max(int(b.node_actions.max(initial=1)) for b in betting)
        vectors = max(b.num_vectors for b in betting)
        lines, exits = betting[0].num_lines, len(betting[0].exit_slot)

        def room(*shape: int) -> Floats:
            return zeros(int(np.prod(shape)), FLOAT)

        return {
            "entry": room(lines, rows),
            "exits": room(exits, rows),
            "reaches": room(vectors, rows + WIDTH, WIDTH),
            "values": room(vectors, rows, WIDTH),
            "later": room(exits, rows),
            "entry_values": room(lines, rows),
            "plan": room(slots + max(WIDTH, 2 * actions), WIDTH),
            "cards": room(52, WIDTH),
        }

    def _refer_to_tables(self) -> None:
        streets = range(self.layout.num_streets)
        self._sides = np.array([[self._side(s, p) for p in (0, 1)] for s in streets])
        # While nothing has been averaged, the current strategy is looked at instead.
        self._sides_at_first = self._sides.copy()
        for name in ("", "_scale"):
            self._sides_at_first[f"average{name}"] = self._sides[f"regrets{name}"]

    def lock(self, street: int, player: int, locked: Floats) -> None:
        """Have what a player does on a street given; see `Table.locked`."""
        pairs = [list(pair) for pair in self.tables]
        pairs[street][player] = replace(pairs[street][player], locked=locked)
        self.tables = tuple((first, second) for first, second in pairs)
        self._refer_to_tables()

    def _side(self, street: int, player: int) -> NDArray[Any]:
        layout = self.layout
        betting, rows = layout.bettings[street][player], layout.rows[street][player]
        table = self.tables[street][player]
        seen = self._seen[street] if player == 0 else table
        fields: dict[str, Any] = {**vars(betting), **vars(rows)}
        fields |= {
            "num_nodes": len(betting.nodes),
            "num_exits": len(betting.exit_slot),
            "num_boards": len(rows.num_live),
            "row_begin": rows.begin,
            "child_begin": layout.child_begin[street],
            "is_predictive": self.recipe.predictive,
            "is_locked": table.locked.size > 0,
            "locked": table.locked,
        }
        for name, numbers in (
            ("regrets", table.regrets),
            ("average", table.average),
            ("prediction", table.prediction),
            ("seen_regrets", seen.regrets),
            ("seen_prediction", seen.prediction),
        ):
            fields |= {name: numbers.data, f"{name}_scale": numbers.scale}
        return _record(SIDE, fields)

    @property
    def nodes_touched(self) -> int:
        """Public nodes visited so far, each counted once for every hand of the player walked for.

        An iteration is one walk for each player, whether they alternate or not. The walk that only
        averages, with which `run` may begin, is not counted: how many there are depends on how
        iterations are split into runs.
        """
        return self.iteration * sum(self.layout.num_visits(player) for player in (0, 1))

    @property
    def kept_bytes(self) -> int:
        """Bytes of regrets, averages and predictions."""
        return sum(table.nbytes for pair in self.tables for table in pair)

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, tables, padding and work space included."""
        roots, rooms = self._rooms
        arrays = [
            array
            for room in (*roots, *(room for thread in rooms for room in thread))
            for array in room.values()
        ]
        work = sum({id(array): array.nbytes for array in arrays}.values())
        seen = 0 if self.recipe.alternating else sum(table.nbytes for table in self._seen)
        return self.kept_bytes + seen + work + self._parts.nbytes

    # Walking.

    def root_reach(self, player: int) -> Floats:
        """[rows] The weight of each hand at the root, zero where a row stands for no hand."""
        hand = self.layout.rows[0][player].hand
        weights = self.layout.form.weights[player][np.maximum(hand, 0)]
        return np.where(hand >= 0, weights, 0.0).astype(FLOAT)

    def start_with(self, first: Floats, second: Floats) -> None:
        """Let the players come to the root with these reaches [rows]."""
        roots = self._rooms[0]
        roots[0]["entry"][:] = second
        roots[1]["entry"][:] = first

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        if iterations == 0:
            return
        rules = self._rules(iterations)
        if self.recipe.alternating:
            # What player 0 plays in the first of them; after that, he is averaged as player 1
            # answers him.
            self._play(rules[:1], AVERAGE, 1, 2)
            self._play(rules[1:], UPDATE, 0, 2)
        else:
            for t in range(iterations):
                for (table, _), seen in zip(self.tables, self._seen, strict=True):
                    for name, array in seen.arrays.items():
                        array[:] = table.arrays[name]
                self._play(rules[t + 1 : t + 2], UPDATE, 0, 2)
        self._go_to(self.iteration + iterations)

    def _go_to(self, iteration: int) -> None:
        self.iteration = iteration
        self.has_average |= iteration > self.recipe.skipped(self.horizon)

    def _rules(self, iterations: int) -> Floats:
        """[1 + iterations, player, 10] The recipe's numbers, in the order of `Rule`.

        A walk for one player adds his opponent's plan to the average: player 1's in the walk for
        player 0, and player 0's, where he has just been updated, for the next iteration. So the
        first row is for a walk that only adds what player 0 plays at first, and the last adds
        nothing of him.
        """
        w = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        times = np.arange(self.iteration + 1, self.iteration + iterations + 1)
        now, then = w.keep_positive[:-1], w.keep_positive[1:]
        dither = times * GOLDEN % 1.0
        averaging = np.array([w.decay, w.weight, dither])
        nothing = np.array([[1.0], [0.0], [0.0]])
        rules = np.zeros((1 + iterations, 2, len(Rule._fields)), FLOAT)
        for player in (0, 1):
            is_ahead = player == 1 and self.recipe.alternating
            added = np.hstack([averaging[:, 1:], nothing]) if is_ahead else averaging
            fields = {
                "keep_positive": now,
                "keep_negative": w.keep_negative[:-1],
                "keep_next": then,
                "keep_other": then if is_ahead else now,
                "floor": w.floor,
                "decay": added[0],
                "weight": added[1],
                "dither": dither,
                "dither_average": added[2],
                "instant": self.recipe.instant,
            }
            for i, name in enumerate(Rule._fields):
                rules[1:, player, i] = fields[name]
        rules[0] = rules[1]
        first = {"keep_other": now[0], "decay": w.decay[0], "weight": w.weight[0]}
        for name, number in {**first, "dither_average": dither[0]}.items():
            rules[0, 1, Rule._fields.index(name)] = number
        return rules

    def _play(self, rules: Floats, mode: int, first: int, end: int) -> None:
        layout = self.layout
        kind = np.zeros(0, np.int16 if self.bits == 16 else FLOAT)
        chances = np.array([deals.chance for deals in layout.form.streets[layout.first :]], FLOAT)
        odds = (1.0 / np.cumprod(np.append(1.0, chances[1:]))).astype(FLOAT)
        counters = np.zeros(1 + 2 * len(rules), np.int64)
        is_look = mode in (BEST, VALUE)
        sides = self._sides_at_first if is_look and not self.has_average else self._sides

        def walk(thread: int) -> None:
            play(
                *(kind, sides, chances, odds, rules, mode, (first, end)),
                *(self._roots, self._works[thread], self._parts.ctypes.data),
                *(counters.ctypes.data, (thread, self.threads)),
            )

        if self._pool is None:
            walk(0)
            return
        others = [self._pool.submit(walk, thread) for thread in range(1, self.threads)]
        walk(0)
        for other in others:
            other.result()

    def hand_values(self, player: int, *, best: bool = False) -> Floats:
        """[rows] What each hand wins at the root, times the opponent's reach that it meets."""
        no_rule = np.ones((1, 2, len(Rule._fields)), FLOAT)
        self._play(no_rule, BEST if best else VALUE, player, player + 1)
        num_rows = len(self.layout.rows[0][player].hand)
        return self._rooms[0][player]["entry_values"][:num_rows].copy()

    def _root_value(self, player: int, *, best: bool) -> float:
        values = self.hand_values(player, best=best).astype(np.float64)
        return float(values @ self.root_reach(player).astype(np.float64))

    def best_response_values(self) -> tuple[float, float]:
        """What best responses to the averages win."""
        return self._root_value(0, best=True), self._root_value(1, best=True)

    def values(self) -> tuple[float, float]:
        """What each player wins when the averages meet."""
        return self._root_value(0, best=False), self._root_value(1, best=False)

    def exploitability(self) -> float:
        """Half of what best responses gain on the averages."""
        won = 0.0 if self.layout.form.is_zero_sum else sum(self.values())
        # Rounding may take an equilibrium below zero.
        return max(0.0, (sum(self.best_response_values()) - won) / 2)

    # Looking, saving.

    def numbers(self, name: str, street: int, player: int, board: int, node: int) -> Floats:
        """[actions, rows] A copy of what is held at one decision on one board.

        ``name``: ``regrets``, ``average`` or ``prediction``.
        """
        held: Numbers = getattr(self.tables[street][player], name)
        return node_numbers(self.layout, street, player, board, node, held)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on: the tables themselves, not copies of them."""
        return {
            f"{name}_{street}_{player}": array
            for street, pair in enumerate(self.tables)
            for player, table in enumerate(pair)
            for name, array in table.arrays.items()
        }

    def restore(self, state: Mapping[str, NDArray[Any]], iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        for name, array in self.state().items():
            array[:] = state[name]
        self._go_to(iteration)


def _record(kind: np.dtype[Any], fields: Mapping[str, Any]) -> NDArray[Any]:
    """Numbers, and addresses of arrays."""
    found = np.zeros((), kind)
    for name in kind.names or ():
        value = len(fields["later"]) if name == "later_size" else fields[name]
        found[name] = value.ctypes.data if isinstance(value, np.ndarray) else value
    return found
