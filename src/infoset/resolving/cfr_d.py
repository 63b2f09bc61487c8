"""CFR-D: the trunk of a game, whose leaves are subgames solved anew in every iteration.

Burch, Johanson & Bowling (2014). Nothing of a subgame survives an iteration but what its cells are
worth, averaged over the iterations: with that, any subgame can be re-solved afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import Evaluation, plan_values, plans_in_lanes
from infoset.forms import with_values
from infoset.resolving.nest_strategy import NestStrategy, at_sequences, each_leaf, first_cells
from infoset.resolving.nested import Nest, Subgames
from infoset.solvers import NO_NEWS, Algorithm, Recipe, RegretSolver, State, same_arrays
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
    news = NO_NEWS
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
        self._sums = np.zeros(first_cells(nest, 0)[-1]), np.zeros(first_cells(nest, 1)[-1])
        self._latest: list[Pair] = []
        self.iteration = 0
        self._stopped = False

    # Iterating.

    def _ask(self, plans: Pair) -> Pair:
        """What the leaves add to each sequence of the trunk."""
        if self._stopped:
            return np.zeros_like(plans[0]), np.zeros_like(plans[1])
        found = each_leaf(self.nest, lambda leaf: self.subgames.solve(leaf, plans), self.threads)
        first, second = (np.concatenate([pair[p] for pair in found]) for p in (0, 1))
        self._latest.append((first, second))
        return at_sequences(self.nest, (first, second))

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
                self._solver.restore(before, self.iteration)
                return
            self.iteration += 1
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
        whole = NestStrategy(self.nest, strategy, kept)
        algorithm, iterations = self.resolving

        def best(leaf: int) -> Pair:
            return whole.resolve(leaf, "gadget", algorithm, iterations).best

        found = each_leaf(self.nest, best, self.threads)
        average = with_values(self.form, at_sequences(self.nest, kept))
        first, second = plan_values(average, plans_in_lanes(strategy))
        value = (first - second) / 2
        return Evaluation(whole.exploitability(found), (value, -value))

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
        self.iteration = iteration
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
