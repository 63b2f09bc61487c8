"""CFR-D: the trunk of a game, whose leaves are subgames solved anew in every iteration.

Burch, Johanson & Bowling (2014). Nothing of a subgame survives an iteration but what its cells are
worth, averaged over the iterations: with that, any subgame can be re-solved afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import (
    Evaluation,
    best_response_values,
    plan_values,
    plans_in_lanes,
    sequence_values,
)
from infoset.forms import with_values
from infoset.resolving.nested import Nest, Subgames
from infoset.resolving.sequence_parts import resolving_form
from infoset.resolving.trunk import Trunk
from infoset.solvers import Algorithm, Limits, RegretSolver, build_solver
from infoset.solvers.contract import State, same_arrays
from infoset.solvers.recipe import Recipe
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

NEVER = 10**15
"""So many iterations are between two measurements: each re-solves every subgame."""


class CfrDSolver:
    """Regret minimisation in a trunk, with subgames solved by another regret minimiser.

    Its strategy is that of the trunk. Exploitability is that of the trunk and of all subgames
    re-solved for it, each thrown away when it is measured: exact, and in little memory.
    """

    is_exact = False
    evaluation_stride = NEVER

    def __init__(
        self,
        nest: Nest,
        recipe: Recipe,
        subgames: Subgames,
        resolving: tuple[Algorithm, int],
        horizon: int | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self.nest = nest
        self.recipe = recipe
        self.horizon = horizon
        self.subgames = subgames
        self.resolving = resolving
        """By which algorithm and in how many iterations subgames are re-solved."""
        self.threads = threads
        self.form = nest.trunk
        self._solver = RegretSolver(with_values(nest.trunk, self._ask), recipe, horizon)
        sizes = [[len(leaf.sequences[p]) for leaf in nest.leaves] for p in (0, 1)]
        self._begin = tuple(np.append(0, np.cumsum(of_player)) for of_player in sizes)
        self._sums = np.zeros(self._begin[0][-1]), np.zeros(self._begin[1][-1])
        self._latest: list[Pair] = []
        self._stopped = False

    @property
    def iteration(self) -> int:
        """Iterations done in the trunk."""
        return self._solver.iteration

    # Iterating.

    def _ask(self, plans: Pair) -> Pair:
        """What the leaves add to each sequence of the trunk."""
        if self._stopped:
            return np.zeros_like(plans[0]), np.zeros_like(plans[1])
        found = list(self._each(lambda leaf: self.subgames.solve(leaf, plans)))
        first, second = (np.concatenate([pair[p] for pair in found]) for p in (0, 1))
        self._latest.append((first, second))
        return self.at_sequences((first, second))

    def _each(self, solve: Any) -> Iterable[Any]:
        """A result for each leaf, in their order, by all threads."""
        leaves = range(len(self.nest.leaves))
        if self.threads == 1:
            return map(solve, leaves)
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(solve, leaves))

    def at_sequences(self, values: Pair) -> Pair:
        """Values of all cells, added up by the sequences of the trunk that lead to them."""
        out = []
        for player, of_cells in enumerate(values):
            sequences = np.concatenate([leaf.sequences[player] for leaf in self.nest.leaves])
            size = self.nest.trunk.treeplexes[player].num_sequences
            out.append(np.bincount(sequences, of_cells, size).astype(np.float64))
        return out[0], out[1]

    def run(self, iterations: int) -> None:
        """Do some iterations of the trunk."""
        self._stopped = False
        for _ in range(iterations):
            if self._stopped:
                return
            before = self._solver.state()
            weights = self.recipe.weights(self.iteration + 1, 1, self.horizon)
            self._latest = []
            self._solver.run(1)
            if self._stopped:  # in the middle of it: as if it had not begun
                self._solver.restore(before, self.iteration - 1)
                return
            for player, sums in enumerate(self._sums):
                # Where players alternate, the second solves were for the second player.
                latest = self._latest[player if self.recipe.alternating else 0][player]
                sums *= weights.decay[0]
                sums += weights.weight[0] * latest

    def stop(self) -> None:
        """Leave the iteration that is running undone."""
        self._stopped = True

    # Results.

    def cell_values(self) -> Pair:
        """Per player: [cells, leaf by leaf] what cells were worth on average."""
        weight = self._solver.total_weight
        if weight <= 0.0:
            return self._sums[0].copy(), self._sums[1].copy()
        return self._sums[0] / weight, self._sums[1] / weight

    def strategy(self) -> SequenceStrategy:
        """The average strategy of the trunk."""
        probabilities = self._solver.strategy().probabilities
        return SequenceStrategy(self.form, probabilities)

    def exploitability(self) -> float:
        """NashConv / 2 of the trunk with all subgames re-solved, in chips."""
        return self.evaluate().exploitability

    def evaluate(self) -> Evaluation:
        """Exploitability with all subgames re-solved; the value by the averages that are kept."""
        strategy, kept = self.strategy(), self.cell_values()
        plans = plans_in_lanes(strategy)
        by_sequence = [self.form.lanes.collect(p, plans[p]) for p in (0, 1)]
        found = list(self._each(lambda leaf: self._resolved(leaf, (*by_sequence,), kept)))
        first, second = (np.concatenate([pair[p] for pair in found]) for p in (0, 1))
        best = with_values(self.form, self.at_sequences((first, second)))
        average = with_values(self.form, self.at_sequences(kept))
        value = plan_values(average, plans)
        middle = (value[0] - value[1]) / 2
        return Evaluation(sum(best_response_values(best, plans)) / 2, (middle, -middle))

    def _resolved(self, leaf: int, plans: Any, kept: Pair) -> Pair:
        """Per player: [cells] what best responses win in a subgame that was re-solved."""
        place = self.nest.leaves[leaf]
        cut, subgame = place.load()
        reach, values = [], []
        for player in (0, 1):
            size = len(cut.cells[player].sequence)
            here = cut.cells[player].of(subgame)
            begin, end = self._begin[player][leaf : leaf + 2]
            pair = np.zeros(size), np.zeros(size)
            pair[0][here] = plans[player][place.sequences[player]]
            pair[1][here] = kept[player][begin:end] / place.scale
            reach.append(pair[0])
            values.append(pair[1])
        nothing = np.zeros_like(values[0]), np.zeros_like(values[1])
        trunk = Trunk(cut, (reach[0], reach[1]), (values[0], values[1]), nothing)
        algorithm, iterations = self.resolving
        best: list[Floats] = [np.zeros(0), np.zeros(0)]
        for player in (0, 1):
            opponent = 1 - player
            here = cut.cells[opponent].of(subgame)
            best[opponent] = np.zeros(here.stop - here.start)
            form = resolving_form(trunk, subgame, player, "gadget")
            if form is None:
                continue
            solver = build_solver(form, algorithm, Limits(iterations))
            solver.run(iterations)
            strategy = solver.strategy()
            assert isinstance(strategy, SequenceStrategy)
            # Behind the choice to play on, of which the gadget has one for each cell.
            play = 2 + 2 * np.arange(len(best[opponent]))
            best[opponent] = place.scale * sequence_values(strategy, opponent, best=True)[play]
        return best[0], best[1]

    def counterfactual_values(self, player: int, *, best: bool = False) -> Floats:
        """[num_infosets of the trunk] Under the strategy, subgames as they were on average."""
        return self._solver.counterfactual_values(player, best=best)

    # The rest of the contract.

    def state(self) -> dict[str, NDArray[Any]]:
        """That of the trunk, and what cells are worth."""
        sums = {f"cells{player}": values for player, values in enumerate(self._sums)}
        return {**self._solver.state(), **sums}

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver."""
        return same_arrays(state, self.state())

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        self._solver.restore(state, iteration)
        for player, values in enumerate(self._sums):
            values[:] = state[f"cells{player}"]

    @property
    def nodes_touched(self) -> int:
        """Ends of the game visited so far, in the trunk and in all subgames."""
        solves = 2 if self.recipe.alternating else 1
        trunk = 2 * len(self.form.payoff.entries)
        return self.iteration * (trunk + solves * self.subgames.ends_visited())

    @property
    def kept_bytes(self) -> int:
        """Bytes of the trunk's tables, and of the values of cells."""
        return self._solver.kept_bytes + sum(values.nbytes for values in self._sums)

    @property
    def working_bytes(self) -> int:
        """Bytes of the trunk's arrays, and of one subgame for each thread."""
        values = 4 * sum(values.nbytes for values in self._sums)
        return self._solver.working_bytes + values + self.threads * self.subgames.largest

    @property
    def form_bytes(self) -> int:
        """Bytes of the trunk as the solver reads it, and of the subgames that were kept."""
        return self.form.lanes.nbytes + self.subgames.most_kept
