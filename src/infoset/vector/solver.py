"""The vector-form solver: the same recipes on games in public form."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.cards import format_cards
from infoset.errors import BadInputError
from infoset.solvers.recipe import Recipe
from infoset.spots.betting import BettingTree, build_betting_tree
from infoset.spots.spot import Spot
from infoset.vector.form import Form, form_of_spot
from infoset.vector.kernels.game import BEST, SIDE, UPDATE, VALUE, WORK, Rule
from infoset.vector.kernels.play import play
from infoset.vector.kernels.precision import FLOAT
from infoset.vector.kernels.simd16 import WIDTH
from infoset.vector.layout import Layout, lay_out

__all__ = ["SpotSolver", "VectorSolver"]

Floats = NDArray[np.floating[Any]]

GOLDEN = 0.6180339887498949
"""Multiples of it, without the whole part, are spread evenly however many there are."""


class Numbers(NamedTuple):
    """A table: floats, or shorts with scales."""

    data: NDArray[Any]
    """[board, block of hands, sequence, 16], flat"""
    scale: Floats
    """[board, block, decision], flat; empty for floats"""


@dataclass(eq=False)
class Table:
    """What one player has learnt on one street."""

    regrets: Numbers
    average: Numbers
    prediction: Numbers
    locked: Floats

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays."""
        return (*self.regrets, *self.average, *self.prediction, self.locked)


class VectorSolver:
    """Solve a game in public form. Values are those of `Form.worth`, per deal."""

    is_exact = False

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
        self.threads = min(threads, len(layout.boards[1])) if layout.num_streets > 1 else 1
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        self.tables = tuple(
            (self._table(street, 0), self._table(street, 1)) for street in range(layout.num_streets)
        )
        self._make_room()

    # Arrays.

    def _numbers(self, street: int, player: int, *, wanted: bool = True) -> Numbers:
        size = self.layout.table_size(street, player) if wanted else 0
        if self.bits == 16:
            scales = self.layout.num_scales(street, player) if wanted else 0
            return Numbers(np.zeros(size, np.int16), np.zeros(scales, FLOAT))
        return Numbers(np.zeros(size, FLOAT), np.zeros(0, FLOAT))

    def _table(self, street: int, player: int) -> Table:
        return Table(
            self._numbers(street, player),
            self._numbers(street, player),
            self._numbers(street, player, wanted=self.recipe.predictive),
            np.zeros(0, FLOAT),
        )

    def _make_room(self) -> None:
        """Everything but the tables, which it refers to."""
        layout, streets = self.layout, range(self.layout.num_streets)
        # Where both move at once, player 1 answers what player 0 was before his update.
        self._seen = tuple(
            pair[0] if self.recipe.alternating else self._table(street, 0)
            for street, pair in enumerate(self.tables)
        )
        roots = [self._room(0, player) for player in (0, 1)]
        for player, root in enumerate(roots):
            root["entry"][:] = self.root_reach(player)
            root["other_entry"][:] = self.root_reach(1 - player)
        rooms = [[self._room(street) for street in streets[1:]] for _ in range(self.threads)]
        boards = len(layout.boards[1]) if layout.num_streets > 1 else 0
        self._root_values = roots[0]["entry_values"], roots[1]["entry_values"]
        self._parts = np.zeros(boards * max(len(root["later"]) for root in roots), FLOAT)
        self._rooms = roots, rooms  # the records below have only their addresses
        self._roots = np.array([_record(WORK, root) for root in roots])
        self._works = np.zeros((self.threads, len(streets)), WORK)
        for thread, room in enumerate(rooms):
            for street, arrays in enumerate(room, 1):
                self._works[thread, street] = _record(WORK, arrays)
        self._sides = np.array([[self._side(s, p) for p in (0, 1)] for s in streets])

    def root_reach(self, player: int) -> Floats:
        """[rows] The weight of each hand at the root, zero where a row stands for no hand."""
        hand = self.layout.rows[0][player].hand
        weights = self.layout.form.weights[player][np.maximum(hand, 0)]
        return np.where(hand >= 0, weights, 0.0).astype(FLOAT)

    def _side(self, street: int, player: int) -> np.void:
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
            "is_locked": len(table.locked) > 0,
            "locked": table.locked,
        }
        for name, numbers in (
            ("regret", table.regrets),
            ("average", table.average),
            ("prediction", table.prediction),
            ("seen_regret", seen.regrets),
            ("seen_prediction", seen.prediction),
        ):
            fields[name + "s" * name.endswith("regret")] = numbers.data
            fields[f"{name}_scale"] = numbers.scale
        return _record(SIDE, fields)

    def _room(self, street: int, player: int | None = None) -> dict[str, Floats]:
        """Room for one player's update, or for that of either."""
        layout = self.layout
        players = (0, 1) if player is None else (player,)
        most = [int(np.diff(rows.begin).max()) for rows in layout.rows[street]]
        betting = layout.bettings[street]
        rows = max(most[p] for p in players)
        others = max(most[1 - p] for p in players)
        slots = max(b.num_lines + b.num_sequences for b in betting)
        actions = max([1, *(int(b.node_actions.max(initial=1)) for b in betting)])
        vectors = max(betting[p].num_vectors for p in players)
        lines, exits = betting[0].num_lines, len(betting[0].exit_slot)

        def room(*shape: int) -> Floats:
            return np.zeros(int(np.prod(shape)), FLOAT)

        return {
            "entry": room(lines, rows),
            "other_entry": room(lines, others),
            "exits": room(exits, rows),
            "other_exits": room(exits, others),
            "reaches": room(vectors, others + WIDTH, WIDTH),
            "values": room(vectors, rows, WIDTH),
            "later": room(exits, rows),
            "entry_values": room(lines, rows),
            "plan": room(slots + max(WIDTH, 2 * actions), WIDTH),
            "cards": room(52, WIDTH),
        }

    # Walking.

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        rules = self._rules(iterations)
        if self.recipe.alternating:
            self._play(rules, UPDATE, 0, 2)
        else:
            for t in range(iterations):
                for (table, _), seen in zip(self.tables, self._seen, strict=True):
                    for now, then in zip(table.arrays, seen.arrays, strict=True):
                        then[:] = now
                self._play(rules[t : t + 1], UPDATE, 0, 2)
        self.iteration += iterations

    def _rules(self, iterations: int) -> Floats:
        """[iterations, player, 9] The recipe's numbers, in the order of `Rule`."""
        w = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        rules = np.empty((iterations, 2, len(Rule._fields)), FLOAT)
        now, then = w.keep_positive[:-1], w.keep_positive[1:]
        times = np.arange(self.iteration + 1, self.iteration + iterations + 1)
        for player in (0, 1):
            # Player 1 answers a strategy that is of the next iteration already.
            is_next = player == 1 and self.recipe.alternating
            rules[:, player, :4] = np.array(
                [now, w.keep_negative[:-1], then, then if is_next else now]
            ).T
            rules[:, player, 4] = w.floor
            rules[:, player, 5:8] = np.array([w.decay, w.weight, times * GOLDEN % 1.0]).T
            rules[:, player, 8] = float(self.recipe.instant)
        return rules

    def _play(self, rules: Floats, mode: int, first: int, end: int) -> None:
        layout = self.layout
        kind = np.zeros(0, np.int16 if self.bits == 16 else FLOAT)
        chances = np.array([deals.chance for deals in layout.form.streets[layout.first :]], FLOAT)
        chances[0] = 1.0
        counters = np.zeros(1 + 2 * len(rules), np.int64)

        def walk(thread: int) -> None:
            play(
                *(kind, self._sides, chances, rules, mode, (first, end)),
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
        return self._root_values[player].copy()

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
        # The averages' own values, too: with rake they do not sum to zero.
        return (sum(self.best_response_values()) - sum(self.values())) / 2

    # Looking.

    def numbers(self, name: str, street: int, player: int, board: int, node: int) -> Floats:
        """[actions, rows] A copy of what is held at one decision on one board.

        ``name``: ``regrets``, ``average`` or ``prediction``.
        """
        layout = self.layout
        betting, rows = layout.bettings[street][player], layout.rows[street][player]
        n = betting.nodes.index(node)
        slot = int(betting.node_slot[n]) - betting.num_lines
        held: Numbers = getattr(self.tables[street][player], name)
        blocks = slice(rows.begin[board] // WIDTH, rows.begin[board + 1] // WIDTH)
        data = held.data.reshape(-1, betting.num_sequences, WIDTH)[blocks]
        found = data[:, slot : slot + int(betting.node_actions[n])].astype(FLOAT)
        if self.bits == 16:
            scale = held.scale.reshape(-1, len(betting.nodes))[blocks, n]
            found = found * scale[:, None, None]
        return found.transpose(1, 0, 2).reshape(found.shape[1], -1)

    @property
    def kept_bytes(self) -> int:
        """Bytes of regrets, averages and predictions."""
        return sum(a.nbytes for pair in self.tables for table in pair for a in table.arrays)


def _record(kind: np.dtype[Any], fields: Mapping[str, Any]) -> np.void:
    """Numbers, and addresses of arrays."""
    found = np.zeros((), kind)
    for name in kind.names or ():
        if name == "later_size":
            found[name] = len(fields["later"])
        else:
            value = fields[name]
            found[name] = value.ctypes.data if isinstance(value, np.ndarray) else value
    return found[()]


class SpotSolver(VectorSolver):
    """Solve a spot of hold'em. Values are chips relative to half the pot: zero-sum but for rake."""

    def __init__(
        self,
        spot: Spot,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        threads: int = 1,
        bits: int = 32,
    ) -> None:
        self.spot = spot
        self.tree = build_betting_tree(spot)
        super().__init__(
            lay_out(form_of_spot(self.tree)), recipe, horizon, threads=threads, bits=bits
        )

    @property
    def hand_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per player: which of the 1,326 hands each hand of the form is."""
        first, second = (np.flatnonzero(held.weights) for held in self.spot.ranges)
        return first, second

    def boards_by_text(self) -> tuple[dict[str, int], ...]:
        """[street] The number of each board that is played, by its cards."""
        return tuple(
            {format_cards(board): number for number, board in enumerate(deals.cards.tolist())}
            for deals in self.layout.form.streets
        )
