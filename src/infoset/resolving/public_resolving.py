"""Re-solving parts of a spot in public form: gadget games, and the strategy made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import PublicForm, PublicPart, layout_of, part_below, with_hand_alternative
from infoset.resolving.methods import Method
from infoset.resolving.public_trunk import NodeSequences, PublicTrunk
from infoset.solvers import Algorithm, VectorSolver
from infoset.strategy import PublicStrategy, street_probabilities

Floats = NDArray[np.floating[Any]]
Pair = tuple[Floats, Floats]

METHODS_OF_SPOTS: tuple[Method, ...] = ("gadget", "unsafe")


def ranges_at(trunk: PublicTrunk, number: int, part: PublicPart) -> Pair:
    """Per player: [hands of the part] range and own reach at a root."""
    form = trunk.form
    first, second = (
        (form.weights[p] * trunk.reach[p][number])[part.hands[p]].astype(np.float64) for p in (0, 1)
    )
    return first, second


def gadget_form(
    trunk: PublicTrunk, number: int, part: PublicPart, player: int
) -> PublicForm | None:
    """The part behind the opponent's choice, for each hand, to take what he could win before.

    `None` if the player never comes there, so that there is nothing to find.
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
    values = [np.zeros(count) for count in form.num_hands]
    values[opponent] = trunk.values[opponent][number][part.hands[opponent]] / largest
    return with_hand_alternative(form, opponent, (values[0], values[1]))


class PublicParts:
    """The parts of a spot, each to be re-solved; what was not keeps its strategy."""

    def __init__(self, trunk: PublicTrunk, strategy: PublicStrategy) -> None:
        if trunk.form.locks:
            raise BadInputError(
                "a spot with locks cannot be re-solved in parts; solve it again as a whole"
            )
        self.trunk = trunk
        form = trunk.form
        self.tables = {
            (street, player): strategy.probabilities(street, player)
            for street in range(form.num_streets)
            for player in (0, 1)
        }
        self._places = NodeSequences(form)

    def __len__(self) -> int:
        return len(self.trunk.roots)

    def resolve(
        self,
        number: int,
        method: Method,
        algorithm: Algorithm,
        iterations: int,
        *,
        threads: int = 1,
    ) -> float:
        """Re-solve a part for both players; return the exploitability in the games solved."""
        if method not in METHODS_OF_SPOTS:
            raise BadInputError(
                f"the public form has no method {method!r}: there are {', '.join(METHODS_OF_SPOTS)}"
            )
        part = part_below(self.trunk.form, self.trunk.roots[number])
        if method == "unsafe":
            return self._resolve_unsafely(number, part, algorithm, iterations, threads)
        total = 0.0
        for player in (0, 1):
            form = gadget_form(self.trunk, number, part, player)
            if form is None:
                continue
            solver = _solver(form, algorithm, iterations, threads)
            solver.run(iterations)
            total += solver.exploitability()
            self._take(part, player, solver)
        return total

    def _resolve_unsafely(
        self, number: int, part: PublicPart, algorithm: Algorithm, iterations: int, threads: int
    ) -> float:
        first, second = ranges_at(self.trunk, number, part)
        if first.max(initial=0.0) <= 0.0 or second.max(initial=0.0) <= 0.0:
            return 0.0
        form = part.with_weights((first / first.max(), second / second.max()))
        if form.num_pairs <= 0.0:
            return 0.0
        solver = _solver(form, algorithm, iterations, threads)
        solver.run(iterations)
        for player in (0, 1):
            self._take(part, player, solver)
        return solver.exploitability()

    def _take(self, part: PublicPart, player: int, solver: VectorSolver) -> None:
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


def _solver(form: PublicForm, algorithm: Algorithm, iterations: int, threads: int) -> VectorSolver:
    assert algorithm.recipe is not None
    return VectorSolver(form, algorithm.recipe, iterations, threads=threads)
