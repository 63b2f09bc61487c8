"""Regret-based pruning in sequence form: a solver of the live part, laid out anew now and then."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import (
    Masks,
    SequenceForm,
    live_form,
    reached_by_both,
    whole_as_live,
)
from infoset.solvers.contract import State, same_arrays
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.costs import FEW, Account
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
from infoset.solvers.sequence.warm_start import Start
from infoset.solvers.sequence.whole_game import WholeGame

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WORTHWHILE = 0.1
"""What share of the live sequences must have fallen asleep to lay out the rest anew."""
EARLY = 16
"""Iterations until the first check after a warm start, at most."""
MANY = 0.6
"""Where more than this share would be live, a thrifty run goes back to the whole form."""


class Decision(NamedTuple):
    """What a check found for one player."""

    awake: Mask
    """[num_sequences]"""
    woken: int
    asleep: int
    """How many actions woke, and how many fell asleep."""


class PrunedSolver(PlanSolver):
    """A solver of the live part of a form; what is asleep is in none of its arrays.

    An action asleep is not played, so iterations on the live part are those of the whole, and an
    inner solver does them. A *check* asks for each player how good actions asleep and awake have
    been, by a counterfactual best response to what the opponent has played. It wakes actions that
    have become good, or may until the next check, and puts to sleep what is bad by a margin. Then
    the live part is laid out anew, if an action woke or if enough fell asleep, and the arrays of
    the old one are freed.

    An infoset *rests* if it is awake, but nothing ends below it between sequences that are awake on
    both sides. Nobody learns anything there, so it is not laid out either. Its regrets are kept, as
    they would be discounted, and its average grows by its strategy as often as it would be reached.
    """

    def __init__(self, form: SequenceForm, recipe: Recipe, horizon: int | None = None) -> None:
        recipe.check(horizon)
        pruning = recipe.pruning
        assert pruning is not None
        refuse_values(form, f"pruning={pruning.kind}")
        super().__init__(form)
        self.recipe = recipe
        self.pruning = pruning
        self.horizon = horizon
        self._whole = WholeGame(form)
        self._floor = float(recipe.weights(1, 1, horizon).floor)
        self._account = Account(form)
        self._next_check = pruning.check_after(0)
        self._last_check = 0
        self._visited = 0.0
        """Histories that earlier inner solvers have visited, or this one may have."""
        self.checks = 0
        self.layouts = 0
        self.peak_bytes = 0
        whole = [np.ones(t.num_sequences, dtype=bool) for t in form.treeplexes]
        self._awake: Masks = whole[0], whole[1]
        self._rest = [Rest.of_nothing(), Rest.of_nothing()]
        self._live = whole_as_live(form)
        self._made: RegretSolver | None = None
        self._start: Start | None = None

    @property
    def _inner(self) -> RegretSolver:
        """The solver of the live part; at first of everything, made when it is first needed."""
        if self._made is None:
            self._made = self._solver(self.form)
            recipe = self.recipe
            if recipe.alternating and recipe.weights(1, 1, self.horizon).weight[0] > 0.0:
                # Player 1 answers player 0's new strategy, so nobody faces the first one. It is in
                # the average all the same. As if he had faced it with his own first strategy, it is
                # counted among the values of his infosets, too: then both sums are over the same
                # plans.
                state = {**self._made.state(), "sums1": self._whole.first_values()}
                self._made.restore(state, 0)
        return self._made

    @property
    def _masks(self) -> Masks:
        """What is live: awake, and not at rest."""
        masks = [np.zeros(t.num_sequences, dtype=bool) for t in self.form.treeplexes]
        for mask, at in zip(masks, self._live.sequences, strict=True):
            mask[at] = True
        return masks[0], masks[1]

    # What the two kinds do differently.

    @abstractmethod
    def _inner_recipe(self) -> Recipe:
        """The recipe that the live part is solved by."""

    @property
    def _keeps_negative(self) -> bool:
        """Whether negative regrets are not discounted, whatever the recipe says."""
        return False

    @abstractmethod
    def _decide(self, player: int, tables: Tables) -> Decision:
        """Which of a player's sequences are to be awake; brings the tables up to date."""

    # A warm start.

    def begin_from(self, start: Start) -> None:
        """Take what a warm start has instead of zeros; the first layout is that of a check of it.

        The values that infosets were worth are those of the strategy against what was faced. No
        solver of the whole game is made, unless everything is to be awake. The arrays of the start
        are the solver's from then on.
        """
        self.recipe = replace(self.recipe, start=start.iterations)
        self._next_check = self._check_after(0)
        self._account.begin_after(start.iterations)
        self._start = start
        tables = Tables(list(start.regrets), list(start.averages), [])
        for p, strategy in enumerate(start.strategy.probabilities):
            faced = self._faced(p, tables)
            tables.sums.append(self._whole.played_values(p, strategy, faced))
        self._lay_out_first(tables)
        self._start = None

    def _lay_out_first(self, tables: Tables) -> None:
        self.checks += 1
        awake = self._decide(0, tables).awake, self._decide(1, tables).awake
        masks = reached_by_both(self.form, awake)
        if not self._pays(masks):
            awake = masks = self._awake
        self._lay_out(awake, masks, tables)
        self.peak_bytes = self.working_bytes + tables.nbytes

    def _check_after(self, iteration: int) -> int:
        """The check that follows one; a warm start counts as iterations before the first.

        The first ones after it come early: what was not played so far may turn out well.
        """
        start = self.recipe.start
        due = self.pruning.check_after(start + iteration) - start
        if start and self.pruning.every < 1:
            due = min(due, max(iteration + EARLY, 2 * iteration))
        return due

    @property
    def _total_weight(self) -> float:
        """The weight of all iterations so far in the average."""
        if self._start is not None:
            return float(self._start.averages[0][0])
        return self._inner.total_weight

    # Iterating.

    def run(self, iterations: int) -> None:
        """Do some iterations, and the checks that are due."""
        end = self.iteration + iterations
        while self.iteration < end:
            due = self._next_check
            while due < end and not self._affords(due):
                due = self._check_after(due)
            self._next_check = due
            self._iterate_until(min(end, due))
            if self.iteration == due:
                self._next_check = self._check_after(due)
                if self._affords(due) and self._total_weight > 0.0:
                    self._check()

    def _affords(self, due: int) -> bool:
        """Whether a check that is due then may be made; looked at ahead, to run on until it may."""
        if not self.pruning.thrifty or self._account.affords_check(due - self.iteration):
            return True
        # What is asleep must be looked at again, whatever it costs.
        return not self._is_whole and due >= 2 * self._last_check

    def _iterate_until(self, until: int) -> None:
        count = until - self.iteration
        if not self._is_whole:
            weights = self.recipe.weights(self.iteration + 1, count, self.horizon)
            for p, rest in enumerate(self._rest):
                is_ahead = p == 1 and self.recipe.alternating
                rest.scale_by(weights, is_ahead=is_ahead, keeps_negative=self._keeps_negative)
        self._inner.run(count)
        self._account.iterate(count)
        if self.pruning.thrifty:
            self._visited += 2 * count * self._live_histories
        self.iteration = until

    @property
    def _is_whole(self) -> bool:
        """Whether everything is live."""
        return self._live.form is self.form

    def _check(self) -> None:
        self.checks += 1
        self._account.check()
        tables = self._tables()
        first, second = self._decide(0, tables), self._decide(1, tables)
        self._note_peak(tables)
        awake = first.awake, second.awake
        masks = reached_by_both(self.form, awake)
        woken = first.woken + second.woken
        if woken > 0 and self.pruning.thrifty and _share(masks) > MANY:
            self._wake_all(tables)
        elif woken > 0 or self._pays(masks):
            self._lay_out(awake, masks, tables)
        self._last_check = self.iteration

    def _wake_all(self, tables: Tables) -> None:
        """Go back to the whole form, where too little is asleep to be faster than that."""
        everything = [np.ones(t.num_sequences, dtype=bool) for t in self.form.treeplexes]
        whole = everything[0], everything[1]
        self._lay_out(whole, whole, self._completed(tables))

    @abstractmethod
    def _completed(self, tables: Tables) -> Tables:
        """The tables of a check with the regrets of all actions, awake or not."""

    def _pays(self, masks: Masks) -> bool:
        """Whether so much less would be live that it pays to lay it out anew."""
        if self.pruning.thrifty and _share(masks) > FEW:
            return False
        return _share(masks) <= (1.0 - WORTHWHILE) * self.live_share

    def _lay_out(self, awake: Masks, masks: Masks, tables: Tables) -> None:
        """Move to another live part, and leave behind what is not in it."""
        self.layouts += 1
        if self._made is not None:
            self._visited += self._made.visited
        self._awake = awake
        self._made = None
        is_whole = all(mask.all() for mask in masks)
        self._live = whole_as_live(self.form) if is_whole else live_form(self.form, masks)
        self._rest = [self._left_behind(p, masks[p], tables) for p in (0, 1)]
        self._account.lay_out(self._live.form, self.form)
        self._account.use(self._live.form)
        self._made = self._solver(self._live.form)
        self._fill(tables)

    def _left_behind(self, player: int, live: Mask, tables: Tables) -> Rest:
        """What is kept of all that is not live."""
        treeplex = self.form.treeplexes[player]
        resting = self._awake[player] & ~live
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

    def _solver(self, form: SequenceForm) -> RegretSolver:
        visits = self._whole.surroundings.histories.visits
        masks = self._masks
        first, second = (visits(p, masks[p]) for p in (0, 1))
        self._live_histories = float(first[masks[1]].sum())
        counts = None
        if not self.pruning.thrifty:
            counts = first[self._live.sequences[1]], second[self._live.sequences[0]]
        return RegretSolver(
            form, self._inner_recipe(), self.horizon, visits=counts, sums_values=True
        )

    def _fill(self, tables: Tables) -> None:
        state = {}
        for p in (0, 1):
            at = self._live.sequences[p]
            state[f"regrets{p}"] = tables.regrets[p][at]
            state[f"average{p}"] = tables.average[p][at]
            state[f"sums{p}"] = tables.sums[p][self._live.infosets[p]]
            state[f"visited{p}"] = np.zeros(8)
        self._inner.restore(state, self.iteration)

    # Tables of the whole form, for the time of a check.

    def _tables(self) -> Tables:
        inner, live = self._inner.state(), self._live
        tables = Tables([], [], [])
        for p, treeplex in enumerate(self.form.treeplexes):
            regrets, average = np.zeros(treeplex.num_sequences), np.zeros(treeplex.num_sequences)
            sums = np.zeros(treeplex.num_infosets)
            regrets[live.sequences[p]] = inner[f"regrets{p}"]
            average[live.sequences[p]] = inner[f"average{p}"]
            sums[live.infosets[p]] = inner[f"sums{p}"]
            self._rest[p].write_into(regrets, average, sums)
            self._add_rest(p, regrets, average)
            for pair, array in zip(tables, (regrets, average, sums), strict=True):
                pair.append(array)
        return tables

    def _add_rest(self, player: int, regrets: Floats, average: Floats) -> None:
        """Add to the averages at rest what has been played since they were laid to rest."""
        treeplex, rest = self.form.treeplexes[player], self._rest[player]
        played = np.zeros(treeplex.num_sequences)
        at = rest.bases.at
        played[at] = average[at] - rest.bases.numbers * rest.average_scale
        resting = self._awake[player] & ~self._masks[player]
        play_on(
            *(treeplex.infoset_begin, treeplex.infoset_parent, resting, regrets, played, average)
        )

    def _faced(self, player: int, tables: Tables) -> Floats:
        """In lanes: the weighted sum of the plans that a player was faced with."""
        opponent = 1 - player
        faced = self._whole.average_plan(opponent, tables.average[opponent])
        faced *= self._total_weight
        if player == 1 and self.recipe.alternating:
            weights = self.recipe.weights(self.iteration + 1, 1, self.horizon)
            faced *= weights.decay[0]
            faced += weights.weight[0] * self._next_plan(tables)
        return faced

    def _next_plan(self, tables: Tables) -> Floats:
        """In lanes: what player 0 plays next, at rest too."""
        if self._start is not None:
            return self._whole.average_plan(0, np.maximum(tables.regrets[0], 0.0))
        treeplex = self.form.treeplexes[0]
        plan = np.zeros(treeplex.num_sequences)
        plan[self._live.sequences[0]] = self._inner.plan_of(0)
        resting = self._awake[0] & ~self._masks[0]
        shape = treeplex.infoset_begin, treeplex.infoset_parent
        play_on(*shape, resting, tables.regrets[0], plan, np.zeros_like(plan))
        return self.form.lanes.spread(0, plan)

    def _coming_weight(self, player: int) -> float:
        """The weight of the iterations until the next check, in units of the last one's."""
        begin = self.iteration + 1 + (player == 1 and self.recipe.alternating)
        weights = self.recipe.weights(begin, self._next_check - self.iteration, self.horizon)
        total, scale = 0.0, 1.0
        for decay, weight in zip(
            weights.decay[:-1].tolist(), weights.weight.tolist(), strict=False
        ):
            scale *= decay
            total = total * decay + weight
        return total / scale if scale > 0.0 else math.inf

    # Results.

    def plans(self) -> tuple[Floats, Floats]:
        """The average plans in lanes; the current ones while nothing has been averaged."""
        if self.layouts == 0 or self._total_weight <= 0.0:
            return self._inner.plans()
        average = self._tables().average
        return self._whole.average_plan(0, average[0]), self._whole.average_plan(1, average[1])

    @property
    def live_share(self) -> float:
        """How much of the sequences is live."""
        return _share(self._masks)

    @property
    def actions_held(self) -> tuple[int, int]:
        """Actions with a regret, and actions with an average."""
        live = self._live.form.num_sequences
        regrets = sum(len(rest.regrets.numbers) for rest in self._rest)
        return live + regrets, live + sum(len(rest.average.numbers) for rest in self._rest)

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far: by walks that skip what is asleep, and by checks.

        If pruning is not thrifty, walks skip what the opponent's plan does not come to, too. A
        thrifty run does not take the time to count that.
        """
        return round(self._visited + self._inner.visited + self._whole.visited)

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
        layout = 0 if self._is_whole else self._inner.form_bytes
        extra = self.kept_bytes - self._inner.kept_bytes
        return self._inner.working_bytes + extra + layout + self._live.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the whole form and of what checks read beside it."""
        return self.form.lanes.nbytes + self._whole.surroundings.nbytes

    def _note_peak(self, tables: Tables) -> None:
        self.peak_bytes = max(self.peak_bytes, self.working_bytes + 2 * tables.nbytes)

    # Checkpoints.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        inner, live = self._inner.state(), self._live
        state: dict[str, NDArray[Any]] = {}
        masks = self._masks
        for p, treeplex in enumerate(self.form.treeplexes):
            regrets, average = np.zeros(treeplex.num_sequences), np.zeros(treeplex.num_sequences)
            sums, bases = np.zeros(treeplex.num_infosets), np.zeros(treeplex.num_sequences)
            rest = self._rest[p]
            for scattered, array in zip(rest.numbers, (average, bases, regrets, sums), strict=True):
                array[scattered.at] = scattered.numbers
            regrets[live.sequences[p]] = inner[f"regrets{p}"]
            average[live.sequences[p]] = inner[f"average{p}"]
            sums[live.infosets[p]] = inner[f"sums{p}"]
            state[f"regrets{p}"], state[f"average{p}"] = regrets, average
            state[f"sums{p}"], state[f"bases{p}"] = sums, bases
            state[f"live{p}"] = (masks[p] + 2 * self._awake[p]).astype(np.uint8)
            state[f"scales{p}"] = rest.scales
        state["account"] = self._account.state()
        state["counts"] = np.array(
            [
                *(self._next_check, self.checks, self.layouts, self.peak_bytes),
                self._last_check,
                *(self._whole.visited, self._visited + self._inner.visited),
            ],
            dtype=np.float64,
        )
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
        return bool(state["counts"][0] > 0)

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        if STARTED in state:
            self.recipe = replace(self.recipe, start=started_of(state))
        masks = [state[f"live{p}"] & 1 > 0 for p in (0, 1)]
        awake = [state[f"live{p}"] & 2 > 0 for p in (0, 1)]
        self._awake = awake[0], awake[1]
        counts = state["counts"].tolist()
        self._next_check, self.checks, self.layouts, self.peak_bytes = map(int, counts[:4])
        self._last_check = int(counts[4])
        self._whole.visited, self._visited = counts[5:]
        self._account.restore(state["account"])
        tables = Tables(
            *([state[f"{name}{p}"] for p in (0, 1)] for name in ("regrets", "average", "sums"))
        )
        self._rest = []
        for p in (0, 1):
            rest = self._left_behind(p, masks[p], tables)
            bases = Scattered(rest.bases.bits, state[f"bases{p}"][rest.bases.at])
            rest = Rest(rest.average, bases, *rest.numbers[2:])
            rest.set_scales(state[f"scales{p}"])
            self._rest.append(rest)
        self.iteration = iteration
        is_whole = all(mask.all() for mask in masks)
        self._live = (
            whole_as_live(self.form) if is_whole else live_form(self.form, (masks[0], masks[1]))
        )
        self._account.use(self._live.form)
        self._made = self._solver(self._live.form)
        self._fill(tables)


def _share(masks: Masks) -> float:
    """How much of the sequences is under a pair of masks."""
    return sum(int(mask.sum()) for mask in masks) / sum(len(mask) for mask in masks)


def without_pruning(recipe: Recipe) -> Recipe:
    """The same recipe for a live part."""
    return replace(recipe, pruning=None)
