"""Regret minimisation in sequence form: tables by sequence, one class for every recipe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation.kernels.sequence_values import gradient_and_given, strategy_value
from infoset.forms import Histories, SequenceForm
from infoset.forms.kernels.passes import multiply_down, normalise
from infoset.solvers.contract import State, same_arrays
from infoset.solvers.recipe import Recipe, Weights, check_average
from infoset.solvers.sequence.kernels.regrets import Player, iterate, iterate_player, match_into
from infoset.solvers.sequence.plan_solver import (
    STARTED,
    LaneSolver,
    started_of,
    without_start,
)
from infoset.solvers.sequence.warm_start import Start
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]


class RegretSolver(LaneSolver):
    """CFR and its relatives. Run some iterations, look at the average, run some more."""

    def __init__(
        self,
        form: SequenceForm,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        root_reach: tuple[Floats, Floats] | None = None,
        visits: tuple[Floats, Floats] | None = None,
        sums_values: bool = False,
    ) -> None:
        """``root_reach``, per player: [num_roots] the reach of his root sequences; 1 by default.

        ``visits``, per player: for each sequence of the opponent, the histories that the player's
        walk enters there; with them, visits are counted. With ``sums_values``, what infosets are
        worth is summed up as averages are.
        """
        recipe.check(horizon)
        if recipe.pruning is not None and recipe.pruning.kind != "partial":
            raise BadInputError(
                f"pruning={recipe.pruning.kind} is for solving a whole game in sequence form, not "
                "for parts of another algorithm: leave it out"
            )
        super().__init__(form)
        if recipe.pruning is not None and visits is None:
            visits = Histories(form).of_whole_walks()
        self.recipe = recipe
        self.horizon = horizon
        lanes = form.lanes
        players = []
        for p in (0, 1):
            size = lanes.sizes[p]
            plan, groups = np.zeros(size), lanes.groups[p]
            if root_reach is not None:
                groups = groups._replace(root=root_reach[p])
            players.append(
                Player(
                    groups=groups,
                    panels=lanes.panels[p],
                    regrets=np.zeros(size),
                    average=np.zeros(size),
                    prediction=np.zeros(size if recipe.predictive else 0),
                    plan=plan,
                    values=plan if recipe.alternating else np.zeros(size),
                    sums=np.zeros(len(groups.parent) if sums_values else 0),
                    visits=np.zeros(0) if visits is None else lanes.spread(1 - p, visits[p]),
                    visited=np.zeros(8),
                    given=np.zeros(0 if form.sequence_values is None else size),
                )
            )
        self._players = players[0], players[1]
        self._sums_values = sums_values
        self._counts_visits = visits is not None
        self._plan_from_regrets()

    def begin_from(self, start: Start) -> None:
        """Take what a warm start has instead of zeros, before the first iteration."""
        self.recipe = replace(self.recipe, start=start.iterations)
        state = self.state()
        for p in (0, 1):
            state[f"regrets{p}"], state[f"average{p}"] = start.regrets[p], start.averages[p]
        self.restore(state, 0)

    # Iterating.

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        weights = self._weights(iterations)
        rule, recipe = self.recipe.rule.compiled, self.recipe
        if self.form.sequence_values is None:
            iterate(rule, *self._players, weights, recipe.alternating, recipe.instant)
        else:
            for t in range(iterations):
                self._iterate_with_values(weights, t)
        self.iteration += iterations

    def _iterate_with_values(self, weights: Weights, t: int) -> None:
        """One iteration of a form whose sequences have values that are given or asked for."""
        rule, (first, second) = self.recipe.rule.compiled, self._players
        for p, (player, opponent) in enumerate(((first, 1), (second, 0))):
            if p == 0 or self.recipe.alternating:
                plans = first.plan.copy(), second.plan.copy()
                given = self.form.given_values(plans)
            player.given[:] = given[p]
            iterate_player(rule, player, plans[opponent], weights, t, self.recipe.instant)

    def _weights(self, iterations: int) -> Weights:
        """The schedules of the next iterations, in the unit of the payoffs."""
        weights = self.recipe.weights(self.iteration + 1, iterations, self.horizon)
        unit = self.form.lanes.unit
        return weights._replace(
            floor=unit.of_chips(weights.floor), sharpness=weights.sharpness / unit.of_chips(1.0)
        )

    def _match(self, player: Player) -> None:
        """Write the strategy that follows from the regrets to the player's plan."""
        weights = self._weights(1)
        rule = self.recipe.rule.compiled
        match_into(rule, player, weights.keep_positive[0], weights.sharpness[0])

    def _plan_from_regrets(self) -> None:
        """The plan is a function of the regrets, so it is not part of the state."""
        for player in self._players:
            self._match(player)
            multiply_down(player.plan, player.groups)

    # Results.

    def root_values(self, player: int) -> Floats:
        """[num_roots] What each root sequence is worth to a player if both play their averages.

        In chips, times the reach of the opponent (and chance).
        """
        own, opponent = self._players[player], self._players[1 - player]
        strategy = own.average.copy() if own.average[0] > 0.0 else own.plan.copy()
        normalise(strategy, own.groups)
        plan = opponent.average
        plan = plan / plan[0] if plan[0] > 0.0 else opponent.plan
        values = np.zeros(len(strategy))
        gradient_and_given(values, own.panels, own.given, plan)
        strategy_value(values, strategy, own.groups)
        roots: Floats = self.form.lanes.unit.in_chips(values[: len(own.groups.root)])
        return roots

    def plans(self) -> tuple[Floats, Floats]:
        """The average plans in lanes; the current ones while nothing has been averaged."""
        check_average(self.total_weight)
        first, second = (
            player.average / player.average[0] if player.average[0] > 0.0 else player.plan.copy()
            for player in self._players
        )
        return first, second

    def plan_of(self, player: int) -> Floats:
        """The plan of a player's next iteration, in the form's own numbering."""
        return self.form.lanes.collect(player, self._players[player].plan)

    @property
    def players(self) -> tuple[Player, Player]:
        """What is kept and worked on for each player, in lanes."""
        return self._players

    @property
    def visited(self) -> float:
        """Histories that walks have visited since the solver was made, where they are counted."""
        return float(sum(player.visited.sum() for player in self._players))

    @property
    def total_weight(self) -> float:
        """The weight of all iterations so far in the average."""
        return float(self._players[0].average[0])

    def current(self) -> SequenceStrategy:
        """The strategy of the next iteration."""
        lanes = self.form.lanes
        pair = []
        for p, player in enumerate(self._players):
            # From the regrets, not from the plan: that is zero where the player does not go.
            matched = np.zeros(lanes.sizes[p])
            self._match(player._replace(plan=matched))
            matched[: len(player.groups.root)] = 1.0
            pair.append(lanes.collect(p, matched))
        return SequenceStrategy(self.form, (pair[0], pair[1]))

    @property
    def nodes_touched(self) -> int:
        """Histories that walks would have visited so far: all of them, once in every update.

        With alternating updates that is twice an iteration, else once; with partial pruning, those
        to which the opponent's plan comes. The sequence form visits no histories itself; what
        sampling methods do is counted in this measure.
        """
        if self.recipe.pruning is not None:
            return round(self.visited)
        walks = 2 if self.recipe.alternating else 1
        return self.iteration * walks * self.form.history.num_nodes

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, padding and work space included."""
        arrays = {
            id(a): a.nbytes
            for player in self._players
            for a in (
                *(player.regrets, player.average, player.prediction, player.plan, player.values),
                *(player.sums, player.visits),
            )
        }
        return sum(arrays.values())

    def _kept(self) -> dict[str, Floats]:
        names = ["regrets", "average"] + ["prediction"] * self.recipe.predictive
        return {
            f"{name}{p}": getattr(player, name)
            for p, player in enumerate(self._players)
            for name in names
        }

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on, in the form's own numbering."""
        state = super().state()
        for p, player in enumerate(self._players):
            if self._sums_values:
                state[f"sums{p}"] = player.sums[self.form.lanes.infoset_lane[p]]
            if self._counts_visits:
                state[f"visited{p}"] = player.visited.copy()
        if self.recipe.start:
            state[STARTED] = np.array([self.recipe.start], dtype=np.int64)
        return state

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver, after a warm start or without."""
        plain, own = without_start(state), without_start(self.state())
        return plain is not None and own is not None and same_arrays(plain, own)

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        if STARTED in state:
            self.recipe = replace(self.recipe, start=started_of(state))
        super().restore(state, iteration)
        for p, player in enumerate(self._players):
            if self._sums_values:
                player.sums[self.form.lanes.infoset_lane[p]] = state[f"sums{p}"]
            if self._counts_visits:
                player.visited[:] = state[f"visited{p}"]
        self._plan_from_regrets()

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, without padding."""
        sums = sum(treeplex.num_infosets for treeplex in self.form.treeplexes)
        return super().kept_bytes + 8 * sums * self._sums_values
