"""Re-solving parts of a spot in public form, and trunk and parts put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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
from infoset.resolving.batches import run_in_batches
from infoset.resolving.methods import Method, check_method
from infoset.resolving.public_margin import MarginSolver
from infoset.resolving.public_trunk import PublicTrunk, Tables, begins_of, tables_of
from infoset.solvers import Algorithm, VectorSolver
from infoset.strategy import PublicStrategy, street_probabilities

Floats = NDArray[np.floating[Any]]
Pair = tuple[Floats, Floats]
Doubles = NDArray[np.float64]


def ranges_at(trunk: PublicTrunk, number: int, part: PublicPart) -> Pair:
    """Per player: [hands of the part] range and own reach at a root."""
    form = trunk.form
    first, second = (
        (form.weights[p] * trunk.reach[p][number])[part.hands[p]].astype(np.float64) for p in (0, 1)
    )
    return first, second


def safe_form(
    trunk: PublicTrunk, number: int, part: PublicPart, player: int, method: Method
) -> tuple[PublicForm, Doubles] | None:
    """The part as a player comes there, and what each hand of the opponent may win in it.

    The opponent has the range that the spot begins with. `None` if the player never comes there, so
    that there is nothing to find.
    """
    opponent = 1 - player
    found = with_range(part, player, ranges_at(trunk, number, part)[player])
    if found is None:
        return None
    form, largest = found
    values: Doubles = trunk.values[opponent][number].astype(np.float64)
    if method == "reach":
        values = values + trunk.slack[opponent][number]
    return form, values[part.hands[opponent]] / largest


def with_range(part: PublicPart, player: int, own: Floats) -> tuple[PublicForm, float] | None:
    """The part with another range of a player, divided by its largest weight, and that weight."""
    largest = float(own.max(initial=0.0))
    if largest <= 0.0:
        return None
    weights = [part.form.weights[0], part.form.weights[1]]
    weights[player] = own.astype(np.float64) / largest  # single precision has room for the others
    form = part.with_weights((weights[0], weights[1]))
    return None if form.num_pairs <= 0.0 else (form, largest)


def gadget_form(form: PublicForm, opponent: int, values: Doubles) -> PublicForm:
    """The part behind the opponent's choice, for each hand, to take what he could win before."""
    nothing = np.zeros(form.num_hands[1 - opponent])
    pair = (values, nothing) if opponent == 0 else (nothing, values)
    return with_hand_alternative(form, opponent, pair)


def behind_choice(part: PublicPart, player: int, own: Floats, values: Floats) -> PublicForm | None:
    """The gadget of a range ``own`` of the player, and ``values`` of the opponent, by hand."""
    found = with_range(part, player, own)
    return (
        None
        if found is None
        else gadget_form(found[0], 1 - player, values.astype(np.float64) / found[1])
    )


class Piece(NamedTuple):
    """What a player does on one street of a part."""

    place: tuple[NDArray[Any], ...]
    """Which boards, sequences and hands of the whole it is for."""
    probabilities: NDArray[np.float32]
    """[boards, sequences, hands]"""


@dataclass(frozen=True, eq=False)
class SolvedPart:
    """A part that was re-solved."""

    part: PublicPart
    pieces: dict[tuple[int, int], Piece]
    """By street and player."""
    exploitability: float
    """In the games that were solved, of both players together."""


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

    @classmethod
    def of(cls, trunk: PublicTrunk, strategy: PublicStrategy, *, threads: int = 1) -> PublicParts:
        """The parts of a strategy of the whole spot."""
        return cls(trunk, tables_of(strategy), threads=threads)

    def __len__(self) -> int:
        return len(self.trunk.roots)

    def resolve(self, number: int, method: Method, algorithm: Algorithm, iterations: int) -> float:
        """Re-solve a part for both players; return the exploitability in the games solved."""
        solved = self.solve(number, method, algorithm, iterations)
        for (street, player), piece in solved.pieces.items():
            self.tables[street, player][piece.place] = piece.probabilities
        return solved.exploitability

    def solve(
        self, number: int, method: Method, algorithm: Algorithm, iterations: int
    ) -> SolvedPart:
        """Re-solve a part for both players, and leave the whole as it is."""
        check_method(method)
        part = part_below(self.trunk.form, self.trunk.roots[number])
        pieces: dict[tuple[int, int], Piece] = {}
        total = 0.0
        for learners, solver in self._solvers(number, part, method, algorithm, iterations):
            run_in_batches(solver, iterations)
            total += solver.exploitability()
            for player in learners:
                pieces |= self._pieces(part, player, solver)
        return SolvedPart(part, pieces, total)

    def _solvers(
        self, number: int, part: PublicPart, method: Method, algorithm: Algorithm, iterations: int
    ) -> Iterator[tuple[tuple[int, ...], VectorSolver | MarginSolver]]:
        """Solvers of the games that a method makes of a part, and the players they are for."""
        if method == "unsafe":
            form = self._as_it_comes(number, part)
            if form is not None:
                yield (0, 1), self._solver(form, algorithm, iterations)
            return
        for player in (0, 1):
            found = safe_form(self.trunk, number, part, player, method)
            if found is None:
                continue
            form, values = found
            if method == "gadget":
                gadget = gadget_form(form, 1 - player, values)
                yield (player,), self._solver(gadget, algorithm, iterations)
                continue
            assert algorithm.recipe is not None
            margin = MarginSolver(
                *(form, 1 - player, values, algorithm.recipe, iterations), threads=self.threads
            )
            if len(margin.hands):
                yield (player,), margin

    def _as_it_comes(self, number: int, part: PublicPart) -> PublicForm | None:
        """The part with the ranges that come there; `None` if none do."""
        first, second = ranges_at(self.trunk, number, part)
        if first.max(initial=0.0) <= 0.0 or second.max(initial=0.0) <= 0.0:
            return None
        form = part.with_weights((first / first.max(), second / second.max()))
        return None if form.num_pairs <= 0.0 else form

    def _solver(self, form: PublicForm, algorithm: Algorithm, iterations: int) -> VectorSolver:
        assert algorithm.recipe is not None
        return VectorSolver(form, algorithm.recipe, iterations, threads=self.threads)

    def _pieces(
        self, part: PublicPart, player: int, solver: VectorSolver | MarginSolver
    ) -> dict[tuple[int, int], Piece]:
        """What a solver of a part has found for a player, by street and player."""
        averages, layout = solver.averages(), layout_of(solver.form)
        added = len(solver.form.node_kind) - len(part.nodes)
        pieces, begins = {}, begins_of(self.trunk.form)
        for here, boards in enumerate(part.boards):
            betting = layout.bettings[here][player]
            found = street_probabilities(layout, averages[here][player], here, player)
            columns: list[int] = []
            sequences: list[int] = []
            for node, slot, count in zip(
                *(betting.nodes, betting.node_slot.tolist(), betting.node_actions.tolist()),
                strict=True,
            ):
                if node < added:
                    continue  # the choice in front of the part
                _, begin = begins[int(part.nodes[node - added])]
                columns += range(slot - betting.num_lines, slot - betting.num_lines + count)
                sequences += range(begin, begin + count)
            place = np.ix_(np.array(boards), np.array(sequences, int), part.hands[player])
            street = part.root.street + here
            pieces[street, player] = Piece(place, found[:, np.array(columns, int)])
        return pieces

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
    empty = empty_tables(form)
    before, after = begins_of(old), begins_of(form)
    for (street, player), table in empty.items():
        tables[street, player] = table
        for node, new in node_of.items():
            if node in before and before[node][0] == street:
                if int(old.node_player[node]) != player:
                    continue
                count = int(old.node_child_end[node] - old.node_child_begin[node])
                source, target = before[node][1], after[new][1]
                table[:, target : target + count] = parts.tables[street, player][
                    :, source : source + count
                ]
    roots = tuple(root._replace(node=node_of[root.node]) for root in parts.trunk.roots)
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


def empty_tables(form: PublicForm) -> Tables:
    """Probabilities of a spot that are still to be found."""
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
