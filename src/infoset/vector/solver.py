"""The vector-form solver: the same recipes on a spot of hold'em."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import format_cards
from infoset.solvers.recipe import Recipe
from infoset.spots.menus import RIVER
from infoset.spots.spot import Spot
from infoset.vector.kernels.passes import BEST, UPDATE, VALUE, Rule, Table
from infoset.vector.kernels.precision import FLOAT
from infoset.vector.kernels.simd16 import WIDTH
from infoset.vector.kernels.visit import (
    Level,
    Work,
    go_down,
    go_up,
    iterate_last,
    visit_last,
    visit_rivers,
    visit_turns,
)
from infoset.vector.layout import Layout, lay_out_spot

__all__ = ["SpotSolver"]

Floats = NDArray[np.floating[Any]]


ONE, ZERO = FLOAT(1.0), FLOAT(0.0)
NO_RULE = Rule(ONE, ONE, ONE, ONE, ZERO, ZERO, ZERO, instant=False)
"""For walks that learn nothing."""


class SpotSolver:
    """Solve a spot. Values are chips relative to half the pot: zero-sum but for rake."""

    is_exact = False

    def __init__(
        self,
        spot: Spot,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        threads: int = 1,
        layout: Layout | None = None,
    ) -> None:
        recipe.check(horizon)
        self.layout = lay_out_spot(spot) if layout is None else layout
        self.recipe = recipe
        self.horizon = horizon
        self.iteration = 0
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        streets = range(len(self.layout.streets))
        self.tables = tuple(
            tuple(self._table(street, player) for player in (0, 1)) for street in streets
        )
        self._levels = tuple(
            tuple(self._level(street, player) for street in streets) for player in (0, 1)
        )
        self._works = tuple(
            tuple(
                tuple(self._work(street, player) for street in streets)
                for _ in range(max(threads, 1))
            )
            for player in (0, 1)
        )

    def _table(self, street: int, player: int) -> Table:
        size = self.layout.table_size(street, player)
        prediction = size if self.recipe.predictive else 0
        return Table(np.zeros(size, FLOAT), np.zeros(size, FLOAT), np.zeros(prediction, FLOAT))

    def _level(self, street: int, player: int) -> Level:
        layout, boards = self.layout, self.layout.boards[street]
        other = 1 - player
        return Level(
            own=layout.streets[street][player],
            other=layout.streets[street][other],
            own_hands=layout.hands[player],
            other_hands=layout.hands[other],
            own_table=self.tables[street][player],
            other_table=self.tables[street][other],
            own_step=layout.step(street, player),
            other_step=layout.step(street, other),
            own_live=boards.live[player],
            own_live_begin=boards.live_begin[player],
            other_live=boards.live[other],
            other_live_begin=boards.live_begin[other],
            own_group=boards.group[player],
            other_group=boards.group[other],
            group_begin=boards.group_begin,
            own_dead=boards.dead[player],
            own_dead_begin=boards.dead_begin[player],
            other_dead=boards.dead[other],
            other_dead_begin=boards.dead_begin[other],
            chance=boards.chance,
            map_begin=boards.map_begin,
            maps=boards.maps[player],
            child_begin=boards.child_begin,
        )

    def _work(self, street: int, player: int) -> Work:
        layout = self.layout
        own, other = layout.streets[street][player], layout.streets[street][1 - player]
        rows = layout.hands[player].num_blocks * WIDTH
        other_rows = layout.hands[1 - player].num_blocks * WIDTH
        slots = max(s.num_lines + s.num_sequences for s in (own, other)) + WIDTH

        def room(*shape: int) -> Floats:
            return np.zeros(int(np.prod(shape)), FLOAT)

        return Work(
            entry=room(own.num_lines, rows),
            other_entry=room(own.num_lines, other_rows),
            exits=room(len(own.exit_slot), rows),
            other_exits=room(len(own.exit_slot), other_rows),
            reaches=room(own.num_vectors, other_rows + WIDTH, WIDTH),
            values=room(own.num_vectors, rows, WIDTH),
            later=room(len(own.exit_slot), rows),
            entry_values=room(own.num_lines, rows),
            plan=room(slots, WIDTH),
            cards=room(52, WIDTH),
        )

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        rules = self._rules(iterations)
        if self.layout.spot.street == RIVER:
            works = self._works[0][0][0], self._works[1][0][0]
            for player, work in enumerate(works):
                self._start(player, work)
            iterate_last(self._levels[0][0], self._levels[1][0], *works, rules)
        else:
            for row in rules:
                for player in (0, 1):
                    rule = Rule._make((*row[player, :7], bool(row[player, 7])))
                    self._visit(player, UPDATE, rule)
        self.iteration += iterations

    def _rules(self, iterations: int) -> Floats:
        """[iterations, player, 8] The recipe's numbers, in the order of `Rule`."""
        w = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        rules = np.empty((iterations, 2, len(Rule._fields)), FLOAT)
        now, then = w.keep_positive[:-1], w.keep_positive[1:]
        for player in (0, 1):
            # Player 1 answers a strategy that is of the next iteration already.
            rules[:, player, :4] = np.array(
                [now, w.keep_negative[:-1], then, then if player else now]
            ).T
            rules[:, player, 4] = w.floor
            rules[:, player, 5:7] = np.array([w.decay, w.weight]).T
            rules[:, player, 7] = float(self.recipe.instant)
        return rules

    def _start(self, player: int, work: Work) -> None:
        """The ranges are the reach of the first line."""
        reach = self.layout.reach
        work.entry[: len(reach[player])] = reach[player]
        work.other_entry[: len(reach[1 - player])] = reach[1 - player]

    def _visit(self, player: int, mode: int, rule: Rule) -> Floats:
        """One walk over all boards; the values of the player's hands at the root."""
        layout, levels = self.layout, self._levels[player]
        works = self._works[player]
        root = works[0][0]
        self._start(player, root)
        if layout.spot.street == RIVER:
            visit_last(levels[0], root, mode, rule, 0)
            return root.entry_values
        go_down(levels[0], root, 0, mode, rule)
        # Each board's values apart, then summed in order: the same whatever the number of threads.
        parts = np.zeros((layout.boards[1].num_boards, len(root.later)), FLOAT)

        def visit(thread: int) -> None:
            work = works[thread]
            if len(levels) == 2:
                visit_rivers(levels[1], work[1], root, parts, mode, rule, thread, self.threads)
            else:
                visit_turns(
                    *(levels[1], work[1], levels[2], work[2]),
                    *(root, parts, mode, rule, thread, self.threads),
                )

        if self._pool is None:
            visit(0)
        else:
            list(self._pool.map(visit, range(self.threads)))
        root.later[:] = parts.sum(axis=0, dtype=np.float64)
        go_up(levels[0], root, 0, mode, rule)
        return root.entry_values

    def _root_value(self, player: int, mode: int) -> float:
        values = self._visit(player, mode, NO_RULE)
        return float(values.astype(np.float64) @ self.layout.reach[player].astype(np.float64))

    def best_response_values(self) -> tuple[float, float]:
        """What best responses to the averages win, beyond half the pot."""
        return self._root_value(0, BEST), self._root_value(1, BEST)

    def values(self) -> tuple[float, float]:
        """What each player wins when the averages meet, beyond half the pot."""
        return self._root_value(0, VALUE), self._root_value(1, VALUE)

    def exploitability(self) -> float:
        """Half of what best responses gain on the averages, in chips."""
        best = self.best_response_values()
        if self.layout.spot.rake == 0:
            return sum(best) / 2
        return (sum(best) - sum(self.values())) / 2

    def boards_by_text(self) -> tuple[dict[str, int], ...]:
        """[street] The number of each board that is played, by its cards."""
        return tuple(
            {format_cards(board): number for number, board in enumerate(boards.cards.tolist())}
            for boards in self.layout.boards
        )

    def numbers(self, table: Floats, street: int, player: int, board: int, node: int) -> Floats:
        """[actions, rows] A view of what a table holds at one decision."""
        layout = self.layout
        own = layout.streets[street][player]
        step = layout.step(street, player)
        blocks = table[board * step : (board + 1) * step].reshape(-1, own.num_sequences, WIDTH)
        slot = layout.slots[street][player][node] - own.num_lines
        begin, end = layout.tree.node_child_begin[node], layout.tree.node_child_end[node]
        rows = blocks[:, slot : slot + end - begin].transpose(1, 0, 2)
        return rows.reshape(end - begin, -1)

    @property
    def kept_bytes(self) -> int:
        """Bytes of regrets, averages and predictions."""
        return sum(a.nbytes for street in self.tables for table in street for a in table)

    # What `infoset.vector.running` and `infoset.vector.files` need: states and average strategies.

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, tables, padding and work space included."""
        works = (a for player in self._works for thread in player for work in thread for a in work)
        return self.kept_bytes + sum(array.nbytes for array in works)

    def state(self) -> dict[str, Floats]:
        """All that the next iteration depends on: the tables themselves, not copies of them."""
        return {
            f"{name}_{street}_{player}": array
            for street, pair in enumerate(self.tables)
            for player, table in enumerate(pair)
            for name, array in zip(Table._fields, table, strict=True)
            if len(array)
        }

    def restore(self, state: Mapping[str, Floats], iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        for name, array in self.state().items():
            array[:] = state[name]
        self.iteration = iteration

    def probabilities(self, street: int, player: int) -> NDArray[np.float32]:
        """[boards, sequences, hands] The average strategy on a street, counted from the spot's own.

        Sequences are the actions of the player's decisions in the order of nodes, hands ascend by
        number. Where nothing was averaged, all actions are alike; hands that a board blocks have
        0 everywhere.
        """
        own, boards = self.layout.streets[street][player], self.layout.boards[street]
        order = np.argsort(self.layout.hand_numbers[player])
        out = np.zeros((boards.num_boards, own.num_sequences, len(order)), np.float32)
        for board in range(boards.num_boards if own.num_sequences else 0):
            blocks = self._average(street, player, board)
            rows = blocks.transpose(1, 0, 2).reshape(own.num_sequences, -1)[:, order]
            # As the kernels read it: less than this is nothing.
            rows[rows <= 1e-30] = 0.0
            totals = np.add.reduceat(rows, own.node_slot - own.num_lines, axis=0)
            totals = np.repeat(totals, own.node_actions, axis=0)
            even = np.repeat(1.0 / own.node_actions, own.node_actions)
            out[board] = even[:, np.newaxis]
            np.divide(rows, totals, out=out[board], where=totals > 0.0, casting="same_kind")
            out[board][:, self._is_dead(street, player, board)[order]] = 0.0
        return out

    def set_probabilities(self, street: int, player: int, chances: NDArray[np.float32]) -> None:
        """Play this strategy as the average; an array as `probabilities` gives it."""
        block, lane = np.divmod(np.argsort(self.layout.hand_numbers[player]), WIDTH)
        for board, rows in enumerate(chances if chances.size else ()):
            self._average(street, player, board)[block, :, lane] = rows.T

    def _average(self, street: int, player: int, board: int) -> Floats:
        """[blocks, sequences, 16] A view of the average on one board."""
        step = self.layout.step(street, player)
        average = self.tables[street][player].average[board * step : (board + 1) * step]
        return average.reshape(-1, self.layout.streets[street][player].num_sequences, WIDTH)

    def _is_dead(self, street: int, player: int, board: int) -> NDArray[np.bool_]:
        """[hands] Which rows hold a card of a board."""
        boards = self.layout.boards[street]
        begin, end = boards.dead_begin[player][board : board + 2]
        dead = np.zeros(len(self.layout.hand_numbers[player]), np.bool_)
        dead[boards.dead[player][begin:end]] = True
        return dead
