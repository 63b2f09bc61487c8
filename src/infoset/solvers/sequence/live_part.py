"""The live part of a form with its solver, and what is kept of the rest: what checkpoints hold."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Masks, SequenceForm, live_form, whole_as_live
from infoset.forms.kernels.live import move_into
from infoset.solvers.contract import State, same_arrays
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.kernels.pruning import mark_held, play_on
from infoset.solvers.sequence.plan_solver import (
    STARTED,
    PlanSolver,
    refuse_values,
    started_of,
    without_start,
)
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.sequence.rest import Rest, Scattered, Tables
from infoset.solvers.sequence.whole_game import WholeGame

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class LivePart(PlanSolver):
    """A solver whose tables are those of an inner one, of the live part, and what is not in it.

    Which part is live is decided elsewhere: here it is laid out and left behind, put together
    again, saved and restored.
    """

    def __init__(self, form: SequenceForm, recipe: Recipe, horizon: int | None) -> None:
        recipe.check(horizon)
        pruning = recipe.pruning
        assert pruning is not None
        refuse_values(form, f"pruning={pruning.kind}")
        super().__init__(form)
        self.recipe = recipe
        self.pruning = pruning
        self.horizon = horizon
        self._whole = WholeGame(form)
        self._visited = 0.0
        """Histories that earlier inner solvers have visited, or this one may have."""
        self._rest = [Rest.of_nothing(), Rest.of_nothing()]
        self._live = whole_as_live(form)
        self._awake = self._live.masks
        self._made: RegretSolver | None = None

    @abstractmethod
    def _inner_recipe(self) -> Recipe:
        """The recipe that the live part is solved by."""

    @property
    def _inner(self) -> RegretSolver:
        """The solver of the live part; at first of everything, made when it is first needed."""
        if self._made is None:
            self._made = self._solver()
            recipe = self.recipe
            if recipe.alternating and recipe.weights(1, 1, self.horizon).weight[0] > 0.0:
                # Player 1 answers player 0's new strategy, so nobody faces the first one. It is in
                # the average all the same. As if he had faced it with his own first strategy, it is
                # counted among the values of his infosets, too: then both sums are over the same
                # plans.
                lane = self.form.lanes.infoset_lane[1]
                self._made.players[1].sums[lane] = self._whole.first_values()
        return self._made

    @property
    def _masks(self) -> Masks:
        """What is live: awake, and not at rest."""
        return self._live.masks

    @property
    def _is_whole(self) -> bool:
        """Whether everything is live."""
        return self._live.form is self.form

    # From one live part to another.

    def _move_to(self, awake: Masks, masks: Masks, tables: Tables) -> None:
        """Lay out another live part, and leave behind what is not in it."""
        if self._made is not None:
            self._visited += self._made.visited
        self._made = None
        self._awake = awake
        self._use(masks)
        self._rest = [self._left_behind(p, tables) for p in (0, 1)]
        self._made = self._solver()
        self._fill(self._made, tables)

    def _use(self, masks: Masks) -> None:
        is_whole = all(mask.all() for mask in masks)
        self._live = whole_as_live(self.form) if is_whole else live_form(self.form, masks)

    def _resting(self, player: int) -> Mask:
        """Which of a player's sequences are awake, but not live."""
        return self._awake[player] & ~self._masks[player]

    def _left_behind(self, player: int, tables: Tables) -> Rest:
        """What is kept of all that is not live."""
        treeplex, live = self.form.treeplexes[player], self._masks[player]
        resting = self._resting(player)
        average = tables.average[player]
        infosets = np.zeros(treeplex.num_infosets, dtype=bool)
        mark_held(treeplex.infoset_begin, resting, infosets)
        parents = np.zeros(treeplex.num_sequences, dtype=bool)
        parents[treeplex.infoset_parent[infosets]] = True
        return Rest(
            Scattered.of(average, ~live & (average != 0.0)),
            Scattered.of(average, parents & live),
            Scattered.of(tables.regrets[player], resting),
            Scattered.of(tables.sums[player], infosets),
        )

    def _solver(self) -> RegretSolver:
        counts = None
        if self.pruning.thrifty:
            self._live_histories = self._histories_between(self._masks)
        else:
            visits = self._whole.surroundings.histories.visits
            first, second = (visits(p, self._masks[p]) for p in (0, 1))
            counts = first[self._live.sequences[1]], second[self._live.sequences[0]]
        form, recipe = self._live.form, self._inner_recipe()
        return RegretSolver(form, recipe, self.horizon, visits=counts, sums_values=True)

    def _histories_between(self, masks: Masks) -> float:
        """How many histories a walk visits that leaves out what is not live."""
        if self._is_whole:
            return float(self.form.history.num_nodes)
        return self._whole.surroundings.histories.of_both(masks)

    def _fill(self, inner: RegretSolver, tables: Tables) -> None:
        state = {}
        for p in (0, 1):
            at = self._live.sequences[p]
            state[f"regrets{p}"] = tables.regrets[p][at]
            state[f"average{p}"] = tables.average[p][at]
            state[f"sums{p}"] = tables.sums[p][self._live.infosets[p]]
            state[f"visited{p}"] = np.zeros(8)
        inner.restore(state, self.iteration)

    # Tables of the whole form, for the time of a check.

    def _tables(self) -> Tables:
        tables = self._live_tables()
        for p in (0, 1):
            if not self._is_whole:
                regrets, average = tables.regrets[p], tables.average[p]
                self._rest[p].write_into(regrets, average, tables.sums[p])
                self._add_rest(p, regrets, average)
        return tables

    def _live_tables(self) -> Tables:
        """What the inner solver holds; zeros for what is not live."""
        live = self._live
        lanes = live.form.lanes
        tables = Tables([], [], [])
        for p, (treeplex, player) in enumerate(
            zip(self.form.treeplexes, self._inner.players, strict=True)
        ):
            for pair, array in ((tables.regrets, player.regrets), (tables.average, player.average)):
                pair.append(np.zeros(treeplex.num_sequences))
                move_into(pair[p], live.sequences[p], array, lanes.positions[p])
            tables.sums.append(np.zeros(treeplex.num_infosets))
            move_into(tables.sums[p], live.infosets[p], player.sums, lanes.infoset_lane[p])
        return tables

    def _add_rest(self, player: int, regrets: Floats, average: Floats) -> None:
        """Add to the averages at rest what has been played since they were laid to rest."""
        treeplex, resting = self.form.treeplexes[player], self._resting(player)
        if resting.any():
            played = self._rest[player].growth(average)
            shape = treeplex.infoset_begin, treeplex.infoset_parent
            play_on(*shape, resting, regrets, played, average)

    # Size.

    @property
    def live_share(self) -> float:
        """How much of the sequences is live."""
        return share_of(self._masks)

    @property
    def actions_held(self) -> tuple[int, int]:
        """Actions with a regret, and actions with an average."""
        live = self._live.form.num_sequences
        regrets = sum(len(rest.regrets.numbers) for rest in self._rest)
        return live + regrets, live + sum(len(rest.average.numbers) for rest in self._rest)

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, as of now."""
        rest = sum(rest.nbytes for rest in self._rest)
        masks = sum(mask.nbytes for mask in self._awake)
        return self._inner.kept_bytes + rest + masks + self._more_bytes()

    def _more_bytes(self) -> int:
        return 0

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays of the solver as of now, the live part's layout included."""
        extra = self.kept_bytes - self._inner.kept_bytes
        return self._inner.working_bytes + extra + self._live.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the whole form and of what checks read beside it."""
        return self.form.lanes.nbytes + self._whole.nbytes

    # Checkpoints.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        tables = self._live_tables()
        state: dict[str, NDArray[Any]] = {}
        for p, rest in enumerate(self._rest):
            bases = np.zeros(self.form.treeplexes[p].num_sequences)
            arrays = tables.average[p], bases, tables.regrets[p], tables.sums[p]
            for scattered, array in zip(rest.numbers, arrays, strict=True):
                scattered.write_into(array)
            state[f"regrets{p}"], state[f"average{p}"] = tables.regrets[p], tables.average[p]
            state[f"sums{p}"], state[f"bases{p}"] = tables.sums[p], bases
            state[f"live{p}"] = (self._masks[p] + 2 * self._awake[p]).astype(np.uint8)
            state[f"scales{p}"] = rest.scales
        if self.recipe.start:
            state[STARTED] = np.array([self.recipe.start], dtype=np.int64)
        return state

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver, and a live part that can be."""
        plain, own_state = without_start(state), without_start(self.state())
        if plain is None or own_state is None or not same_arrays(plain, own_state):
            return False
        for p, treeplex in enumerate(self.form.treeplexes):
            live, awake = state[f"live{p}"] & 1 > 0, state[f"live{p}"] & 2 > 0
            own = slice(treeplex.num_roots, None)
            parents = treeplex.infoset_parent[treeplex.sequence_infoset[own]]
            if not live[: treeplex.num_roots].all() or (live & ~awake).any():
                return False
            if (live[own] & ~live[parents]).any() or (awake[own] & ~awake[parents]).any():
                return False
        return True

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        if STARTED in state:
            self.recipe = replace(self.recipe, start=started_of(state))
        awake = [state[f"live{p}"] & 2 > 0 for p in (0, 1)]
        self._awake = awake[0], awake[1]
        self._use((state["live0"] & 1 > 0, state["live1"] & 1 > 0))
        tables = Tables(
            *([state[f"{name}{p}"] for p in (0, 1)] for name in ("regrets", "average", "sums"))
        )
        self._rest = []
        for p in (0, 1):
            rest = self._left_behind(p, tables)
            bases = Scattered(rest.bases.bits, state[f"bases{p}"][rest.bases.at])
            rest = Rest(rest.average, bases, *rest.numbers[2:])
            rest.set_scales(state[f"scales{p}"])
            self._rest.append(rest)
        self.iteration = iteration
        self._made = self._solver()
        self._fill(self._made, tables)


def share_of(masks: Masks) -> float:
    """How much of the sequences is under a pair of masks."""
    return sum(int(np.count_nonzero(mask)) for mask in masks) / sum(len(mask) for mask in masks)
