"""The full-width regret minimiser: one class for every recipe."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Tree
from infoset.forms.kernels.passes import multiply_down
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.kernels.regrets import Player, iterate, match_into
from infoset.strategy import Strategy

__all__ = ["RegretSolver"]

Floats = NDArray[np.float64]


class RegretSolver:
    """CFR and its relatives. Run some iterations, look at the average, run some more."""

    is_exact = False
    evaluation_stride = 1

    def __init__(self, tree: Tree, recipe: Recipe, horizon: int | None = None) -> None:
        recipe.check(horizon)
        self.tree = tree
        self.recipe = recipe
        self.horizon = horizon
        self.iteration = 0
        lanes = tree.lanes
        players = []
        for p in (0, 1):
            size = lanes.sizes[p]
            plan = np.zeros(size)
            players.append(
                Player(
                    groups=lanes.groups[p],
                    panels=lanes.panels[p],
                    regrets=np.zeros(size),
                    average=np.zeros(size),
                    prediction=np.zeros(size if recipe.predictive else 0),
                    plan=plan,
                    values=plan if recipe.alternating else np.zeros(size),
                )
            )
        self._players = players[0], players[1]
        self._plan_from_regrets()

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        weights = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        weights = weights._replace(floor=self.tree.lanes.unit.of_chips(weights.floor))
        iterate(*self._players, weights, self.recipe.alternating, self.recipe.instant)
        self.iteration += iterations

    def plans(self) -> tuple[Floats, Floats]:
        """The average plans in lanes; the current ones while nothing has been averaged."""
        first, second = (
            player.average / player.average[0] if player.average[0] > 0.0 else player.plan.copy()
            for player in self._players
        )
        return first, second

    def strategy(self) -> Strategy:
        """The average strategy: what converges to an equilibrium."""
        return Strategy.from_plans(self.tree, self.plans())

    def current(self) -> Strategy:
        """The strategy of the next iteration."""
        lanes = self.tree.lanes
        keep = self.recipe.weights(self.iteration + 1, 1, self.horizon).keep_positive[0]
        found = []
        for p, player in enumerate(self._players):
            # From the regrets, not from the plan: that is zero where the player does not go.
            matched = np.zeros(lanes.sizes[p])
            match_into(player._replace(plan=matched), keep)
            matched[0] = 1.0
            found.append(lanes.collect(p, matched))
        return Strategy(self.tree, (found[0], found[1]))

    @property
    def nodes_touched(self) -> int:
        """Histories that walks would have visited so far: all of them, once in every update.

        With alternating updates that is twice an iteration, else once. The sequence form visits
        no histories itself; what sampling methods do is counted in this measure.
        """
        walks = 2 if self.recipe.alternating else 1
        return self.iteration * walks * self.tree.history.num_nodes

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, without padding."""
        kept = 3 if self.recipe.predictive else 2
        return 8 * kept * self.tree.num_sequences

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, padding and work space included."""
        arrays = {
            id(a): a.nbytes
            for player in self._players
            for a in (player.regrets, player.average, player.prediction, player.plan, player.values)
        }
        return sum(arrays.values())

    def state(self) -> dict[str, Floats]:
        """All that the next iteration depends on, in the tree's own numbering."""
        out = {}
        for p, player in enumerate(self._players):
            out[f"regrets{p}"] = self.tree.lanes.collect(p, player.regrets)
            out[f"average{p}"] = self.tree.lanes.collect(p, player.average)
            if self.recipe.predictive:
                out[f"prediction{p}"] = self.tree.lanes.collect(p, player.prediction)
        return out

    def restore(self, state: Mapping[str, Floats], iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        for p, player in enumerate(self._players):
            player.regrets[:] = self.tree.lanes.spread(p, state[f"regrets{p}"])
            player.average[:] = self.tree.lanes.spread(p, state[f"average{p}"])
            if self.recipe.predictive:
                player.prediction[:] = self.tree.lanes.spread(p, state[f"prediction{p}"])
        self.iteration = iteration
        self._plan_from_regrets()

    def _plan_from_regrets(self) -> None:
        """The plan is a function of the regrets, so it is not part of the state."""
        weights = self.recipe.weights(self.iteration + 1, 1, self.horizon)
        for player in self._players:
            match_into(player, weights.keep_positive[0])
            multiply_down(player.plan, player.groups)
