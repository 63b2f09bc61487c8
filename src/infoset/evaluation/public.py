"""The exploitability of a strategy on a public form, and the value of each hand at any node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation.kernels.public_values import evaluate
from infoset.evaluation.walker import Leaves, Walker, all_locked, side_records
from infoset.forms import Layout, Numbers, lay_out
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.machine.vec16 import WIDTH
from infoset.strategy import PublicAverages, PublicStrategy, Tables
from infoset.strategy.kernels.local_rule import CompiledRule, discount_and_add, positive_part

Floats = NDArray[np.floating[Any]]

IN_PROPORTION = CompiledRule(positive_part, discount_and_add, False)
"""Actions are taken in proportion to averages, which is what regret matching does with regrets."""


def storage_of(bits: int) -> NDArray[Any]:
    """An empty array of the type that tables hold, which tells kernels what to compile."""
    return np.zeros(0, np.int16 if bits == 16 else FLOAT)


class PublicEvaluation:
    """Values and best responses of averages on a layout, in chips per deal.

    Values are relative to half the pot, as payoffs are.
    """

    def __init__(
        self,
        layout: Layout,
        averages: Tables,
        *,
        threads: int = 1,
        walker: Walker | None = None,
        locked: Mapping[tuple[int, int], Floats] | None = None,
        leaves: Leaves | None = None,
    ) -> None:
        self.layout = layout
        self.averages = averages
        self.walker = Walker(layout, threads) if walker is None else walker
        self.locked = all_locked(layout) if locked is None else locked
        self.leaves = Leaves(layout) if leaves is None else leaves
        self._storage = storage_of(16 if averages[0][0].data.dtype == np.int16 else 32)
        self._sides = self._sides_noting({})
        self._weights = [self.walker.root_reach(player).astype(np.float64) for player in (0, 1)]

    def _sides_noting(self, noted: Mapping[tuple[int, int], Floats]) -> NDArray[Any]:
        averages = self.averages
        return side_records(
            *(self.layout, lambda street, player: {"average": averages[street][player]}),
            *(self.locked, self.leaves),
            noted=noted,
        )

    @classmethod
    def of(cls, strategy: PublicStrategy, *, threads: int = 1) -> PublicEvaluation:
        """The evaluation of a strategy."""
        return cls(strategy.layout, strategy.averages, threads=threads)

    def hand_values(self, player: int, *, best: bool = False) -> Floats:
        """[rows] What each hand wins at the root, times the opponent's reach that it meets.

        With ``best``, the player plays a best response to the opponent's average, else his own.
        """
        if self.leaves.is_asked:
            for other in (0, 1):  # to learn how often the leaves are reached
                self._walk(other, best=False)
            self.leaves.ask()
        self._walk(player, best=best)
        return self.walker.root_values(player)

    def _walk(self, player: int, *, best: bool) -> None:
        sides, deals, storage = self._sides, self.walker.deals, self._storage
        self.walker.run(
            lambda buffers, threads: evaluate(
                IN_PROPORTION, storage, sides, deals, best, player, buffers, threads
            ),
            num_walks=2,
        )

    def line_values(self, street: int, player: int, *, best: bool = False) -> Floats:
        """[lines, rows of all boards] What hands win where a street begins, on each board of it.

        Times the reach of the opponent and of the cards. See `Betting.line_nodes`.
        """
        lines, rows = self.layout.bettings[street][player], self.layout.rows[street][player]
        noted = zeros(lines.num_lines * int(rows.begin[-1]), FLOAT)
        unnoted = self._sides
        self._sides = self._sides_noting({(street, player): noted})
        try:
            self.hand_values(player, best=best)
        finally:
            self._sides = unnoted
        return noted.reshape(lines.num_lines, -1)

    def _root_value(self, player: int, *, best: bool) -> float:
        values = self.hand_values(player, best=best).astype(np.float64)
        return float((values * self._weights[player]).sum())

    def best_response_values(self) -> tuple[float, float]:
        """What best responses to the averages win."""
        return self._root_value(0, best=True), self._root_value(1, best=True)

    def values(self) -> tuple[float, float]:
        """What each player wins when the averages meet."""
        return self._root_value(0, best=False), self._root_value(1, best=False)

    def exploitability(self) -> float:
        """Half of what best responses gain on the averages: NashConv / 2."""
        won = 0.0 if self.layout.form.is_zero_sum else sum(self.values())
        # Rounding may take an equilibrium below zero.
        return max(0.0, (sum(self.best_response_values()) - won) / 2)


def evaluation_below(
    strategy: PublicAverages,
    *,
    node: int,
    street: int,
    board: int,
    offsets: Floats,
    threads: int = 1,
) -> PublicEvaluation:
    """The evaluation of the part of a form below a node on a board of a street.

    ``offsets [player]`` are added to all payoffs, before anything is rounded: where a player gets
    nothing more, as at a fold, that is then an exact zero.
    """
    whole = strategy.layout
    payoffs = strategy.form.terminal_payoffs + offsets[:, np.newaxis]
    form = replace(strategy.form, terminal_payoffs=payoffs)
    part = lay_out(form, node=node, street=street, board=board)
    averages = tuple(
        (
            _part(whole, part, street, here, 0, strategy),
            _part(whole, part, street, here, 1, strategy),
        )
        for here in range(part.num_streets)
    )
    return PublicEvaluation(part, averages, threads=threads)


def _part(
    whole: Layout, part: Layout, first: int, here: int, player: int, strategy: PublicAverages
) -> Numbers:
    """The averages of one player on one street, as far as they are in the part."""
    source = strategy.averages[first + here][player]
    of_whole, of_part = whole.bettings[first + here][player], part.bettings[here][player]
    boards = part.boards[here]
    begin = whole.rows[first + here][player].begin
    blocks = slice(begin[boards.start] // WIDTH, begin[boards.stop] // WIDTH)
    is_in = np.isin(of_whole.nodes, of_part.nodes)
    sequences = np.repeat(is_in, of_whole.node_actions)
    data = source.data.reshape(-1, max(len(sequences), 1), WIDTH)[blocks][:, sequences]
    scale = source.scale
    if scale.size:
        scale = scale.reshape(-1, len(is_in))[blocks][:, is_in].reshape(-1)
    return Numbers(np.ascontiguousarray(data).reshape(-1), np.ascontiguousarray(scale))
