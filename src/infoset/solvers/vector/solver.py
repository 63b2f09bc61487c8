"""Regret minimisation in public form: tables by hand, any recipe, any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import (
    Evaluation,
    Leaves,
    PublicEvaluation,
    Walker,
    all_locked,
    side_records,
    storage_of,
)
from infoset.forms import (
    DealtForm,
    Layout,
    Numbers,
    PublicForm,
    SpotForm,
    layout_of,
    node_numbers,
    numbers_for,
)
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.solvers.contract import NO_NEWS, State, same_arrays
from infoset.solvers.recipe import Recipe, check_average
from infoset.solvers.vector.kernels.iterate import STEP, iterate
from infoset.strategy import PublicStrategy, Tables

Floats = NDArray[np.floating[Any]]

GOLDEN = 0.6180339887498949
"""Multiples of it, without the whole part, are spread evenly however many there are."""

TABLES = ("regrets", "average", "prediction")


@dataclass(frozen=True, eq=False)
class Table:
    """What one player has learnt on one street."""

    regrets: Numbers
    average: Numbers
    prediction: Numbers
    """Empty unless the recipe predicts."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays, by name."""
        named: dict[str, NDArray[Any]] = {}
        for name in TABLES:
            numbers: Numbers = getattr(self, name)
            named |= {name: numbers.data, f"{name}_scale": numbers.scale}
        return {name: array for name, array in named.items() if array.size}


class VectorSolver:
    """CFR and its relatives on a public form.

    With 16 bits, tables take half the memory of 32. The result depends on the number of bits, but
    not on the number of threads. Locked hands play as they must, in best responses too:
    exploitability is that of the game in which they can do nothing else.

    >>> from infoset.forms.dealt_form import form_of_dealt
    >>> from infoset.games import make
    >>> from infoset.solvers.algorithms import find_recipe
    >>> solver = VectorSolver(form_of_dealt(make("kuhn")), find_recipe("cfr+"))
    >>> solver.run(1000)
    >>> round(solver.evaluate().values[0], 4)  # -1/18
    -0.0556
    """

    is_exact = False
    news = NO_NEWS
    evaluation_stride = 1

    def __init__(
        self,
        form: PublicForm,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        threads: int = 1,
        bits: int = 32,
        layout: Layout | None = None,
    ) -> None:
        recipe.check(horizon)
        if recipe.pruning is not None and recipe.pruning.kind != "partial":
            raise BadInputError(
                f"pruning={recipe.pruning.kind} is for games in sequence form; spots are solved in "
                "public form, by hand, where it wins nothing (docs/pruning.md): leave it out, or "
                "give form='sequence' for a small spot"
            )
        if bits not in (16, 32):
            raise BadInputError(f"numbers are stored in 16 or 32 bits, not {bits!r}")
        self.form = form
        self.layout = layout_of(form) if layout is None else layout
        self.recipe = recipe
        self.horizon = horizon
        self.bits = bits
        self.iteration = 0
        self.has_average = False
        """Whether something has been averaged."""
        self.walker = Walker(self.layout, threads)
        self._num_visits = sum(self.layout.num_visits(player) for player in (0, 1))
        deals = np.append(1.0, self.walker.deals[1:])
        self._inverses = (1.0 / np.cumprod(deals)).astype(FLOAT)
        self.leaves = Leaves(self.layout)
        streets = range(self.layout.num_streets)
        self.tables = tuple((self._table(s, 0), self._table(s, 1)) for s in streets)
        # Where both move at once, player 1 answers what player 0 was before his update.
        self._seen = tuple(
            self.tables[s][0] if recipe.alternating else self._table(s, 0) for s in streets
        )
        self._locked = all_locked(self.layout)
        self._shared: ref[PublicStrategy] | None = None
        self._of_sums: PublicEvaluation | None = None
        self._refer_to_tables()

    @property
    def threads(self) -> int:
        """How many threads walk."""
        return self.walker.threads

    # Arrays.

    def _table(self, street: int, player: int) -> Table:
        regrets, average = self._numbers(street, player), self._numbers(street, player)
        nothing = Numbers(np.zeros(0, FLOAT))
        prediction = self._numbers(street, player) if self.recipe.predictive else nothing
        return Table(regrets, average, prediction)

    def _numbers(self, street: int, player: int) -> Numbers:
        return numbers_for(self.layout, street, player, bits=self.bits)

    def _refer_to_tables(self) -> None:
        """Write down where the tables are, for the kernels."""
        self._sides = self._sides_with(self._sums())
        self._of_sums = None

    def _sums(self) -> Tables:
        """The sums of plans."""
        return tuple((first.average, second.average) for first, second in self.tables)

    def _sides_with(self, averages: Tables) -> NDArray[Any]:
        def tables(street: int, player: int) -> dict[str, Numbers]:
            table, average = self.tables[street][player], averages[street][player]
            seen = self._seen[street] if player == 0 else table
            own = {"regrets": table.regrets, "average": average, "prediction": table.prediction}
            return own | {"seen_regrets": seen.regrets, "seen_prediction": seen.prediction}

        return side_records(
            *(self.layout, tables, self._locked, self.leaves),
            is_predictive=self.recipe.predictive,
            is_pruned=self.recipe.pruning is not None,
        )

    @property
    def nodes_touched(self) -> int:
        """Public nodes visited so far, each counted once for every hand of the player walked for.

        An iteration is one walk for each player, whether they alternate or not. The walk that only
        averages, with which `run` may begin, is not counted: how many there are depends on how
        iterations are split into runs.
        """
        return self.iteration * self._num_visits

    @property
    def kept_bytes(self) -> int:
        """Bytes of regrets, averages, predictions, and of what is locked."""
        tables = sum(array.nbytes for array in self.state().values())
        return tables + sum(locked.nbytes for locked in self._locked.values())

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, tables, padding and buffers included."""
        seen = () if self.recipe.alternating else self._seen
        copies = sum(array.nbytes for table in seen for array in table.arrays.values())
        return self.kept_bytes + copies + self.walker.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the form as the solver reads it."""
        return self.layout.nbytes

    # Iterating.

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        if iterations == 0:
            return
        self._keep_what_was_shared()
        if self.leaves.is_asked:
            for _ in range(iterations):
                self._run_with_leaves()
            return
        steps = self._steps(iterations)
        if self.recipe.alternating:
            # What player 0 plays in the first of them; after that, he is averaged as player 1
            # answers him.
            self._iterate(steps[:1], (1, 2), only_average=True)
            self._iterate(steps[1:], (0, 2))
        else:
            for t in range(iterations):
                self._remember()
                self._iterate(steps[t + 1 : t + 2], (0, 2))
        self._go_to(self.iteration + iterations)

    def _run_with_leaves(self) -> None:
        """One iteration, before each half of which the leaves are asked for their values."""
        steps = self._steps(1)
        if not self.recipe.alternating:
            self._remember()
        silent = steps.copy()  # to see who comes where, and average nothing
        silent["decay"], silent["weight"] = 1.0, 0.0
        if self.recipe.alternating:
            self._iterate(steps[:1], (1, 2), only_average=True)
        for player in (0, 1):
            if player == 0 or self.recipe.alternating:
                self._iterate(silent[player : player + 1], (0, 2), only_average=True)
                self.leaves.ask()
            self._iterate(steps[1:], (player, player + 1))
        self._go_to(self.iteration + 1)

    def run_by_walk(self, iterations: int, after_walk: Callable[[int, int], None]) -> None:
        """Do some iterations, and after each walk call what may change the reaches at the root.

        ``after_walk(t, player)`` is told which of the iterations it is, from 0, and for whom was
        walked: `Walker.root_values` has what his hands won, and `Walker.start_with` says how often
        hands come to the root from now on.
        """
        self._keep_what_was_shared()
        steps = self._steps(iterations)
        if self.recipe.alternating:
            self._iterate(steps[:1], (1, 2), only_average=True)
        for t in range(iterations):
            if not self.recipe.alternating:
                self._remember()
            for player in (0, 1):
                self._iterate(steps[t + 1 : t + 2], (player, player + 1))
                after_walk(t, player)
        self._go_to(self.iteration + iterations)

    def stop(self) -> None:
        """Nothing to do: a few iterations are never long."""

    def _remember(self) -> None:
        """Keep player 0 as he is, for player 1 to answer while he is updated."""
        for (table, _), seen in zip(self.tables, self._seen, strict=True):
            for name, array in seen.arrays.items():
                array[:] = table.arrays[name]

    def _go_to(self, iteration: int) -> None:
        self.iteration = iteration
        self.has_average |= iteration > self.recipe.skipped(self.horizon)

    def _steps(self, iterations: int) -> NDArray[Any]:
        """[1 + iterations, player] The recipe's numbers, records of `STEP`.

        A walk for one player adds his opponent's plan to the average: player 1's in the walk for
        player 0, and player 0's, where he has just been updated, for the next iteration. So the
        first row is for a walk that only adds what player 0 plays at first, and the last adds
        nothing of him.
        """
        w = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        is_ahead = self.recipe.alternating
        times = np.arange(self.iteration + 1, self.iteration + iterations + 2)
        dither = times * GOLDEN % 1.0
        steps = np.zeros((1 + iterations, 2), STEP)
        rows = steps[1:]
        own: dict[str, Any] = {
            "keep_positive": w.keep_positive[:-1],
            "keep_negative": w.keep_negative[:-1],
            "keep_next": w.keep_positive[1:],
            "floor": w.floor,
            "dither": dither[:-1],
            "sharpness": w.sharpness[:-1],
            "sharpness_next": w.sharpness[1:],
            "instant": self.recipe.instant,
        }
        for name, numbers in own.items():
            rows[name] = np.reshape(numbers, (-1, 1))
        of_opponent = {
            "keep_other": w.keep_positive,
            "sharpness_other": w.sharpness,
            "decay": w.decay,
            "weight": w.weight,
            "dither_average": dither,
        }
        for name, numbers in of_opponent.items():
            field = rows[name]
            field[:, 0] = numbers[:-1]
            field[:, 1] = numbers[1:] if is_ahead else numbers[:-1]
        if is_ahead:
            for name, number in {"decay": 1.0, "weight": 0.0, "dither_average": 0.0}.items():
                rows[name][-1, 1] = number
        steps[0] = steps[1]
        for name, numbers in of_opponent.items():
            steps[name][0, 1] = numbers[0]
        return steps

    def _iterate(
        self,
        steps: NDArray[Any],
        players: tuple[int, int],
        *,
        only_average: bool = False,
        sides: NDArray[Any] | None = None,
    ) -> None:
        rule, storage = self.recipe.rule.compiled, storage_of(self.bits)
        deals, sides = self.walker.deals, self._sides if sides is None else sides
        inverses = self._inverses
        self.walker.run(
            lambda buffers, threads: iterate(
                *(rule, storage, sides, deals, inverses, steps, players, only_average),
                *(buffers, threads),
            ),
            num_walks=2 * len(steps),
        )

    # Results.

    def averages(self) -> Tables:
        """Sums of plans; while nothing has been averaged, the plans of the next iteration."""
        if not self.has_average:
            return self._current_plans()
        for table in self.tables[0]:  # at first decisions sums are largest
            check_average(table.average.scale if self.bits == 16 else table.average.data)
        return self._sums()

    def _current_plans(self) -> Tables:
        """What both players play in the next iteration, in tables of its own."""
        if not self.recipe.alternating:
            self._remember()
        streets = range(self.layout.num_streets)
        plans = tuple((self._numbers(s, 0), self._numbers(s, 1)) for s in streets)
        steps = self._steps(1)[:1]
        steps["decay"], steps["weight"] = 0.0, 1.0
        self._iterate(steps, (0, 2), only_average=True, sides=self._sides_with(plans))
        return plans

    def strategy(self) -> PublicStrategy:
        """The average strategy: what converges to an equilibrium.

        It shares its numbers with the solver until that goes on.
        """
        if not isinstance(self.form, SpotForm | DealtForm):
            raise BadInputError("the form does not say what its infosets are called")
        strategy = PublicStrategy(self.form, self.averages())
        if self.has_average:
            self._shared = ref(strategy)
        return strategy

    def _keep_what_was_shared(self) -> None:
        """If a strategy is still in use, leave the numbers to it and go on with a copy."""
        if self._shared is None or self._shared() is None:
            return
        self.tables = tuple((_copied(first), _copied(second)) for first, second in self.tables)
        if self.recipe.alternating:
            self._seen = tuple(first for first, _ in self.tables)
        self._shared = None
        self._refer_to_tables()

    def _evaluation(self) -> PublicEvaluation:
        """Of the averages. That of the sums is kept: making one takes as long as a small river."""
        if not self.has_average:
            return self._evaluation_of(self._current_plans())
        if self._of_sums is None:
            self._of_sums = self._evaluation_of(self._sums())
        return self._of_sums

    def _evaluation_of(self, averages: Tables) -> PublicEvaluation:
        return PublicEvaluation(
            *(self.layout, averages),
            walker=self.walker,
            locked=self._locked,
            leaves=self.leaves,
        )

    def exploitability(self) -> float:
        """Half of what best responses gain on the averages."""
        return self._evaluation().exploitability()

    def evaluate(self) -> Evaluation:
        """Exploitability, and what the averages win, relative to half the pot."""
        evaluation = self._evaluation()
        return Evaluation(evaluation.exploitability(), evaluation.values())

    def counterfactual_values(self, player: int, *, best: bool = False) -> Floats:
        """[hands] What each hand wins at the root, summed over the opponent's hands by weight."""
        rows = self.layout.rows[0][player]
        live = rows.hand[: rows.num_live[0]]
        values = np.zeros(self.form.num_hands[player])
        by_row = self._evaluation().hand_values(player, best=best)[: len(live)]
        values[live] = by_row * self.form.num_pairs
        return values

    def numbers(self, name: str, street: int, player: int, board: int, node: int) -> Floats:
        """[actions, rows] A copy of what is held at one decision on one board.

        ``name``: ``regrets``, ``average`` or ``prediction``.
        """
        table: Numbers = getattr(self.tables[street][player], name)
        return node_numbers(self.layout, street, player, board, node, table)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on: the tables themselves, not copies of them."""
        return {
            f"{name}_{street}_{player}": array
            for street, pair in enumerate(self.tables)
            for player, table in enumerate(pair)
            for name, array in table.arrays.items()
        }

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver."""
        return same_arrays(state, self.state())

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        self._keep_what_was_shared()
        for name, array in self.state().items():
            array[:] = state[name]
        self._go_to(iteration)


def _copied(table: Table) -> Table:
    """A table with an average of its own: that is what strategies share."""
    copies = [zeros(len(array), array.dtype) for array in table.average]
    for copy, array in zip(copies, table.average, strict=True):
        copy[:] = array
    return Table(table.regrets, Numbers(copies[0], copies[1]), table.prediction)
