"""Re-solving parts of a spot in public form, and trunk and parts put together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import (
    PublicForm,
    PublicPart,
    SpotForm,
    layout_of,
    part_below,
    with_hand_alternative,
)
from infoset.resolving.methods import Method
from infoset.resolving.public_margin import MarginSolver
from infoset.resolving.public_trunk import NodeSequences, PublicTrunk, Tables, tables_of
from infoset.solvers import Algorithm, VectorSolver
from infoset.strategy import PublicStrategy, street_probabilities

Floats = NDArray[np.floating[Any]]
Pair = tuple[Floats, Floats]


def ranges_at(trunk: PublicTrunk, number: int, part: PublicPart) -> Pair:
    """Per player: [hands of the part] range and own reach at a root."""
    form = trunk.form
    first, second = (
        (form.weights[p] * trunk.reach[p][number])[part.hands[p]].astype(np.float64) for p in (0, 1)
    )
    return first, second


def safe_form(
    trunk: PublicTrunk, number: int, part: PublicPart, player: int, method: Method
) -> tuple[PublicForm, NDArray[np.float64]] | None:
    """The part as a player comes there, and what each hand of the opponent may win in it.

    The opponent has the range that the spot begins with. `None` if the player never comes there, so
    that there is nothing to find.
    """
    opponent = 1 - player
    weights = [part.form.weights[0], part.form.weights[1]]
    own = ranges_at(trunk, number, part)[player]
    largest = own.max(initial=0.0)
    if largest <= 0.0:
        return None
    weights[player] = own / largest  # single precision has room for the others
    form = part.with_weights((weights[0], weights[1]))
    if form.num_pairs <= 0.0:
        return None
    values: NDArray[np.float64] = trunk.values[opponent][number].astype(np.float64)
    if method == "reach":
        values = values + trunk.slack[opponent][number]
    return form, values[part.hands[opponent]] / largest


def gadget_form(form: PublicForm, opponent: int, values: NDArray[np.float64]) -> PublicForm:
    """The part behind the opponent's choice, for each hand, to take what he could win before."""
    nothing = np.zeros(form.num_hands[1 - opponent])
    pair = (values, nothing) if opponent == 0 else (nothing, values)
    return with_hand_alternative(form, opponent, pair)


class PublicParts:
    """The parts of a spot, each to be re-solved; what was not keeps its strategy."""

    def __init__(self, trunk: PublicTrunk, tables: Tables, *, threads: int = 1) -> None:
        if trunk.form.locks:
            raise BadInputError(
                "a spot with locks cannot be re-solved in parts; solve it again as a whole"
            )
        self.trunk = trunk
        self.tables = tables
        self.threads = threads
        self._places = NodeSequences(trunk.form)

    @classmethod
    def of(cls, trunk: PublicTrunk, strategy: PublicStrategy, *, threads: int = 1) -> PublicParts:
        """The parts of a strategy of the whole spot."""
        return cls(trunk, tables_of(strategy), threads=threads)

    def __len__(self) -> int:
        return len(self.trunk.roots)

    def resolve(self, number: int, method: Method, algorithm: Algorithm, iterations: int) -> float:
        """Re-solve a part for both players; return the exploitability in the games solved."""
        part = part_below(self.trunk.form, self.trunk.roots[number])
        if method == "unsafe":
            return self._resolve_unsafely(number, part, algorithm, iterations)
        total = 0.0
        for player in (0, 1):
            solver = self._safe_solver(number, part, player, method, algorithm, iterations)
            if solver is not None:
                solver.run(iterations)
                total += solver.exploitability()
                self._take(part, player, solver)
        return total

    def _safe_solver(
        self,
        number: int,
        part: PublicPart,
        player: int,
        method: Method,
        algorithm: Algorithm,
        iterations: int,
    ) -> VectorSolver | MarginSolver | None:
        found = safe_form(self.trunk, number, part, player, method)
        if found is None:
            return None
        form, values = found
        if method == "gadget":
            return self._solver(gadget_form(form, 1 - player, values), algorithm, iterations)
        assert algorithm.recipe is not None
        solver = MarginSolver(
            *(form, 1 - player, values, algorithm.recipe, iterations), threads=self.threads
        )
        return solver if len(solver.hands) else None

    def _resolve_unsafely(
        self, number: int, part: PublicPart, algorithm: Algorithm, iterations: int
    ) -> float:
        first, second = ranges_at(self.trunk, number, part)
        if first.max(initial=0.0) <= 0.0 or second.max(initial=0.0) <= 0.0:
            return 0.0
        form = part.with_weights((first / first.max(), second / second.max()))
        if form.num_pairs <= 0.0:
            return 0.0
        solver = self._solver(form, algorithm, iterations)
        solver.run(iterations)
        for player in (0, 1):
            self._take(part, player, solver)
        return solver.exploitability()

    def _solver(self, form: PublicForm, algorithm: Algorithm, iterations: int) -> VectorSolver:
        assert algorithm.recipe is not None
        return VectorSolver(form, algorithm.recipe, iterations, threads=self.threads)

    def _take(self, part: PublicPart, player: int, solver: VectorSolver | MarginSolver) -> None:
        """Play in a part as a solver of it does."""
        averages = solver.averages()
        layout = layout_of(solver.form)
        for here, boards in enumerate(part.boards):
            street = part.root.street + here
            betting = layout.bettings[here][player]
            found = street_probabilities(layout, averages[here][player], here, player)
            added = len(solver.form.node_kind) - len(part.nodes)
            columns, sequences = [], []
            for node, slot, count in zip(
                betting.nodes,
                betting.node_slot.tolist(),
                betting.node_actions.tolist(),
                strict=True,
            ):
                if node < added:
                    continue
                _, begin = self._places.begin[int(part.nodes[node - added])]
                columns += range(slot - betting.num_lines, slot - betting.num_lines + count)
                sequences += range(begin, begin + count)
            whole = self.tables[street, player]
            whole[np.ix_(list(boards), sequences, part.hands[player])] = found[:, columns]

    def strategy(self) -> PublicStrategy:
        """Trunk and parts put together."""
        return PublicStrategy.from_probabilities(self.trunk.form, dict(self.tables))


def retarget(parts: PublicParts, form: SpotForm) -> PublicParts:
    """The parts of the same trunk in a spot that differs from it only below the cut.

    Below it, hands play uniformly until they are re-solved.
    """
    old = parts.trunk.form
    node_of = dict(_same_nodes(old, form))
    tables = {}
    empty = tables_of(PublicStrategy.from_probabilities(form, _zeros(form)))
    before, after = NodeSequences(old), NodeSequences(form)
    for (street, player), table in empty.items():
        tables[street, player] = table
        for node, new in node_of.items():
            if node in before.begin and before.begin[node][0] == street:
                if int(old.node_player[node]) != player:
                    continue
                count = int(old.node_child_end[node] - old.node_child_begin[node])
                source, target = before.begin[node][1], after.begin[new][1]
                table[:, target : target + count] = parts.tables[street, player][
                    :, source : source + count
                ]
    roots = tuple(replace(root, node=node_of[root.node]) for root in parts.trunk.roots)
    trunk = replace(parts.trunk, form=form, roots=roots)
    return PublicParts(trunk, tables, threads=parts.threads)


def _same_nodes(old: SpotForm, new: SpotForm) -> list[tuple[int, int]]:
    """Nodes of two betting trees that are reached in the same way, down to where sizes differ."""
    pairs, found = [(0, 0)], []
    while pairs:
        a, b = pairs.pop()
        found.append((a, b))
        ours, theirs = old.tree.children(a), new.tree.children(b)
        words = [old.tree.action_text(node) for node in ours]
        if words == [new.tree.action_text(node) for node in theirs]:
            pairs += zip(ours, theirs, strict=True)
    return found


def _zeros(form: SpotForm) -> dict[tuple[int, int], NDArray[Any]]:
    layout = layout_of(form)
    return {
        (street, player): np.zeros(
            (
                len(layout.rows[street][player].num_live),
                layout.bettings[street][player].num_sequences,
                form.num_hands[player],
            ),
            np.float32,
        )
        for street in range(form.num_streets)
        for player in (0, 1)
    }
