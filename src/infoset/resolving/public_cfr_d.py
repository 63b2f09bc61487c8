"""CFR-D for spots: the streets before a cut, with all that follows solved anew in each iteration.

The trunk ends where a card would be dealt. What follows one such node on one board is a part: all
cards that can come there, and the betting after them. See `infoset.resolving.cfr_d`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.evaluation import Evaluation, PublicEvaluation
from infoset.forms import (
    Layout,
    PartRoot,
    PublicPart,
    SpotForm,
    bettings_of,
    lay_out,
    layout_of,
    part_below,
    trunk_of_spot,
    with_leaves,
)
from infoset.machine.memory import format_bytes
from infoset.resolving.cfr_d import NEVER
from infoset.resolving.public_resolving import PublicParts
from infoset.resolving.public_trunk import PublicTrunk, reaches_of, tables_of
from infoset.solvers import NO_NEWS, Algorithm, Recipe, State, VectorSolver, same_arrays
from infoset.strategy import PublicStrategy, numbers_from

Floats = NDArray[np.floating[Any]]
Pair = tuple[Floats, Floats]
Doubles = tuple[NDArray[np.float64], NDArray[np.float64]]

TREMBLE = 1e-9
"""The least reach of a hand, as a share of the largest: who never comes must still play well."""


@dataclass(frozen=True, eq=False)
class _Part:
    part: PublicPart
    layout: Layout


class SpotParts:
    """The parts below the chance nodes of a street, and how they are solved."""

    def __init__(
        self, form: SpotForm, street: int, recipe: Recipe, iterations: int, *, threads: int = 1
    ) -> None:
        self.form = form
        self.street = street
        """The street whose cards are dealt, counted from the form's first."""
        self.recipe = recipe
        self.iterations = iterations
        self.threads = threads
        trunk = trunk_of_spot(form, street)
        self.nodes = list(layout_of(trunk).bettings[street - 1][0].leaves)
        self.num_boards = len(form.streets[street - 1].cards)
        self._bettings: dict[int, Any] = {}
        self._rows: dict[int, Layout] = {}
        self.largest = 0
        """Bytes of the tables and buffers of the largest part."""

    @property
    def roots(self) -> tuple[PartRoot, ...]:
        """Where the parts begin, node by node."""
        return tuple(
            PartRoot(node, self.street - 1, board)
            for node in self.nodes
            for board in range(self.num_boards)
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the layouts that are kept: one for each board, the betting of each node."""
        return sum(layout.nbytes for layout in self._rows.values())

    def part(self, node: int, board: int) -> _Part:
        """A part with its layout. Hands depend on the board alone, betting on the node alone."""
        part = part_below(self.form, PartRoot(node, self.street - 1, board))
        part.form.__dict__["num_pairs"] = 1.0  # reaches are given, and values asked for, as sums
        if board not in self._rows:
            self._rows[board] = lay_out(part.form)
        same = self._rows[board]
        if node not in self._bettings:
            self._bettings[node] = bettings_of(part.form)
        layout = replace(same, form=part.form, bettings=self._bettings[node])
        return _Part(part, layout)

    def solve(self, node: int, board: int, reach: Pair) -> Pair:
        """Per player: [hands] what hands win from a node on, if what follows is solved."""
        here = self.part(node, board)
        solver = VectorSolver(
            *(here.part.form, self.recipe, self.iterations),
            threads=self.threads,
            layout=here.layout,
        )
        self.largest = max(self.largest, solver.working_bytes)
        by_row, most = [], []
        for player in (0, 1):
            own = reach[player][here.part.hands[player]]
            largest = float(own.max(initial=0.0))
            most.append(largest)
            share = np.maximum(own / largest, TREMBLE) if largest > 0 else np.ones(len(own))
            hand = here.layout.rows[0][player].hand
            by_row.append(np.where(hand >= 0, share[np.maximum(hand, 0)], 0.0).astype(np.float32))
        solver.walker.start_with(by_row[0], by_row[1])
        solver.run(self.iterations)
        out = []
        for player in (0, 1):
            values = np.zeros(self.form.num_hands[player])
            won = solver.counterfactual_values(player)
            values[here.part.hands[player]] = won * most[1 - player]
            out.append(values)
        return out[0], out[1]


class SpotCfrDSolver:
    """Regret minimisation on the first streets of a spot; see `CfrDSolver`."""

    is_exact = False
    news = NO_NEWS
    evaluation_stride = NEVER

    def __init__(
        self,
        parts: SpotParts,
        recipe: Recipe,
        resolving: tuple[Algorithm, int],
        horizon: int | None = None,
        *,
        threads: int = 1,
        bits: int = 32,
    ) -> None:
        self.parts = parts
        self.recipe = recipe
        self.horizon = horizon
        self.resolving = resolving
        self.trunk = trunk_of_spot(parts.form, parts.street)
        nodes = list(parts.nodes)
        self._solver = VectorSolver(
            *(with_leaves(parts.form, nodes, self._ask), recipe, horizon),
            threads=threads,
            bits=bits,
        )
        shape = len(nodes), parts.num_boards
        first, second = (np.zeros((*shape, count)) for count in parts.form.num_hands)
        self._sums = first, second
        self._weight = 0.0
        self._latest: list[Doubles] = []
        self.iteration = 0
        self._stopped = False

    def _ask(self, street: int, reach: Doubles) -> Doubles:
        """[leaves, boards, hands] What the leaves are worth, each part solved for the reaches."""
        out = np.zeros_like(reach[0]), np.zeros_like(reach[1])
        for leaf, node in enumerate(self.parts.nodes):
            for board in range(self.parts.num_boards):
                if self._stopped:
                    return out
                here = reach[0][leaf, board], reach[1][leaf, board]
                for player, won in enumerate(self.parts.solve(node, board, here)):
                    out[player][leaf, board] = won
        self._latest.append(out)
        return out

    def run(self, iterations: int) -> None:
        """Do some iterations of the trunk."""
        self._stopped = False
        for _ in range(iterations):
            before = {name: array.copy() for name, array in self._solver.state().items()}
            weights = self.recipe.weights(self.iteration + 1, 1, self.horizon)
            self._latest = []
            self._solver.run(1)
            if self._stopped:  # in the middle of it: as if it had not begun
                self._solver.restore(before, self.iteration)
                return
            self.iteration += 1
            decay, weight = float(weights.decay[0]), float(weights.weight[0])
            self._weight = self._weight * decay + weight
            for player, sums in enumerate(self._sums):
                latest = self._latest[player if self.recipe.alternating else 0][player]
                sums *= decay
                sums += weight * latest

    def stop(self) -> None:
        """Leave the iteration that is running undone."""
        self._stopped = True

    # Results.

    def cell_values(self) -> Pair:
        """Per player: [parts, hands] what hands won on average; see `PublicTrunk.values`."""
        weight = self._weight or 1.0
        dealt = np.prod([d.probability for d in self.parts.form.streets[1 : self.parts.street]])
        first, second = (
            (sums / (weight * dealt)).reshape(-1, sums.shape[-1]).astype(np.float32)
            for sums in self._sums
        )
        return first, second

    def strategy(self) -> PublicStrategy:
        """The average strategy of the trunk."""
        return PublicStrategy(self.trunk, self._solver.averages())

    def exploitability(self) -> float:
        """NashConv / 2 of the trunk with all parts re-solved, in chips."""
        return self.evaluate().exploitability

    def evaluate(self) -> Evaluation:
        """Exploitability with all parts re-solved; the value by the averages that are kept."""
        form, strategy, roots = self.parts.form, self.strategy(), self.parts.roots
        reach = reaches_of(form, tables_of(strategy), roots)
        trunk = PublicTrunk(form, roots, reach, self.cell_values())
        parts = PublicParts(trunk, {}, threads=self.parts.threads)
        algorithm, iterations = self.resolving
        return evaluate_parts(
            parts, self.trunk, strategy, lambda n: best_in_part(parts, n, algorithm, iterations)
        )

    def counterfactual_values(self, player: int, *, best: bool = False) -> Floats:
        """[hands] At the root, with the leaves solved for the averages."""
        return self._solver.counterfactual_values(player, best=best)

    # The rest of the contract.

    def state(self) -> dict[str, NDArray[Any]]:
        """That of the trunk, and what hands won at its leaves."""
        sums = {f"cells{player}": values for player, values in enumerate(self._sums)}
        return {**self._solver.state(), **sums, "weight": np.array([self._weight])}

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver."""
        return same_arrays(state, self.state())

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        of_trunk = {name: state[name] for name in self._solver.state()}
        self._solver.restore(of_trunk, iteration)
        self.iteration = iteration
        for player, values in enumerate(self._sums):
            values[:] = state[f"cells{player}"]
        self._weight = float(state["weight"][0])

    @property
    def nodes_touched(self) -> int:
        """Public nodes of the trunk visited so far; those of the parts are not counted."""
        return self._solver.nodes_touched

    @property
    def kept_bytes(self) -> int:
        """Bytes of the trunk's tables, and of the values at its leaves."""
        return self._solver.kept_bytes + sum(values.nbytes for values in self._sums)

    @property
    def working_bytes(self) -> int:
        """Bytes of the trunk's arrays, of the values at its leaves, and of one part."""
        values = 4 * sum(values.nbytes for values in self._sums)
        return self._solver.working_bytes + values + self.parts.largest

    @property
    def form_bytes(self) -> int:
        """Bytes of the layouts of trunk and parts."""
        return self._solver.form_bytes + self.parts.nbytes


def check_fits(solver: SpotCfrDSolver, budget: int | None) -> None:
    """Refuse a budget that is too small for the trunk, a part, and the layouts of all boards."""
    parts = solver.parts
    one = parts.part(parts.nodes[0], 0)
    largest = VectorSolver(one.part.form, parts.recipe, 1, layout=one.layout).working_bytes
    needed = solver.working_bytes + solver.form_bytes + largest
    needed += (parts.num_boards - 1) * parts.nbytes
    if budget is not None and needed > budget:
        raise TooLargeError(
            f"{format_bytes(budget)} are too few for cfr-d on {parts.form.name}: trunk, boards and "
            f"one part take {format_bytes(needed)}. Give it more, or cut the spot elsewhere"
        )


def best_in_part(parts: PublicParts, number: int, algorithm: Algorithm, iterations: int) -> Pair:
    """Per player: [hands] what a best response wins in a part that was re-solved by the gadget."""
    trunk, form = parts.trunk, parts.trunk.form
    solved = parts.solve(number, "gadget", algorithm, iterations)
    part = solved.part
    tables = {}
    for here in range(len(part.boards)):
        for player in (0, 1):
            piece = solved.pieces.get((part.root.street + here, player))
            shape = len(part.boards[here]), 0, len(part.hands[player])
            tables[here, player] = np.zeros(shape) if piece is None else piece.probabilities
    out = [np.zeros(count) for count in form.num_hands]
    learnt = {player for _, player in solved.pieces}
    for player in (0, 1):
        if 1 - player not in learnt:
            continue  # the opponent never comes there
        reach = [np.ones(len(hands)) for hands in part.hands]
        own = (form.weights[1 - player] * trunk.reach[1 - player][number])[part.hands[1 - player]]
        reach[1 - player] = own.astype(np.float64)
        alone = part.with_weights((reach[0], reach[1]))
        if alone.num_pairs <= 0.0:
            continue
        sizes = layout_of(alone).bettings
        known = {
            key: table
            if table.shape[1]
            else np.zeros((table.shape[0], sizes[key[0]][key[1]].num_sequences, table.shape[2]))
            for key, table in tables.items()
        }
        evaluation = PublicEvaluation(layout_of(alone), numbers_from(alone, known))
        rows = layout_of(alone).rows[0][player]
        live = rows.hand[: rows.num_live[0]]
        won = evaluation.hand_values(player, best=True)[: len(live)] * alone.num_pairs
        out[player][part.hands[player][live]] = won
    return out[0], out[1]


def evaluate_parts(
    parts: PublicParts,
    trunk: SpotForm,
    strategy: PublicStrategy,
    best: Callable[[int], Pair],
) -> Evaluation:
    """Exploitability of a trunk and its parts, given what best responses win in each part.

    The roots of the parts are the chance nodes at which the trunk ends, or the nodes after them.
    """
    form, roots = parts.trunk.form, parts.trunk.roots
    street = roots[0].street
    leaves = layout_of(trunk).bettings[street][0].leaves
    shape = len(leaves), len(form.streets[street].cards)
    pair = [np.zeros((*shape, count)) for count in form.num_hands]
    kept = [np.zeros((*shape, count)) for count in form.num_hands]
    dealt = np.prod([deals.probability for deals in form.streets[1 : street + 1]])
    for number, root in enumerate(roots):
        at = leaves.index(root.node), root.board
        for player, won in enumerate(best(number)):
            pair[player][at] = won * dealt
            kept[player][at] = parts.trunk.values[player][number] * dealt
    bound = _with_values(trunk, street, pair, strategy)
    average = _with_values(trunk, street, kept, strategy)
    first, second = average.values()
    middle = (first - second) / 2
    return Evaluation(sum(bound.best_response_values()) / 2, (middle, -middle))


def _with_values(
    trunk: SpotForm, street: int, values: list[NDArray[Any]], strategy: PublicStrategy
) -> PublicEvaluation:
    form = replace(trunk, leaf_values={street: (values[0], values[1])})
    return PublicEvaluation(lay_out(form), strategy.averages)
