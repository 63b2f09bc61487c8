"""Regret-based pruning in sequence form: a solver of the live part, laid out anew now and then."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Masks, SequenceForm
from infoset.forms.kernels.live import move_into
from infoset.solvers.contract import State
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.costs import FEW, Account
from infoset.solvers.sequence.kernels.pruning import play_on
from infoset.solvers.sequence.live_part import LivePart, share_of
from infoset.solvers.sequence.rest import Tables
from infoset.solvers.sequence.warm_start import Start

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WORTHWHILE = 0.1
"""What share of the live sequences must have fallen asleep to lay out the rest anew."""
EARLY = 16
"""Iterations until the first check after a warm start, at most."""
MANY = 0.75
"""Where more than this share would be live, a thrifty run goes back to the whole form."""


class Decision(NamedTuple):
    """What a check found for one player."""

    awake: Mask
    """[num_sequences]"""
    woken: int
    asleep: int
    """How many actions woke, and how many fell asleep."""


class PrunedSolver(LivePart):
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
        super().__init__(form, recipe, horizon)
        self._floor = float(recipe.weights(1, 1, horizon).floor)
        self._account = Account(form)
        self._next_check = self.pruning.check_after(0)
        self._last_check = 0
        self.checks = 0
        self.layouts = 0
        self.peak_bytes = 0
        self._start: Start | None = None

    # What the two kinds do differently.

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
        masks = self._whole.surroundings.ends.reached(awake)
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

    def _check(self) -> None:
        self.checks += 1
        self._account.check()
        tables = self._tables()
        first, second = self._decide(0, tables), self._decide(1, tables)
        self._note_peak(tables)
        awake = first.awake, second.awake
        masks = self._whole.surroundings.ends.reached(awake)
        woken = first.woken + second.woken
        if woken > 0 and self.pruning.thrifty and share_of(masks) > MANY:
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
        if self.pruning.thrifty and share_of(masks) > FEW:
            return False
        return share_of(masks) <= (1.0 - WORTHWHILE) * self.live_share

    def _lay_out(self, awake: Masks, masks: Masks, tables: Tables) -> None:
        """Move to another live part."""
        self.layouts += 1
        self._move_to(awake, masks, tables)
        self._account.lay_out(self._live.form, self.form)
        self._account.use(self._live.form)

    # What was faced, what is to come.

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
        played = self._inner.players[0].plan
        if self._is_whole:
            return played
        treeplex, live = self.form.treeplexes[0], self._live
        plan = np.zeros(treeplex.num_sequences)
        move_into(plan, live.sequences[0], played, live.form.lanes.positions[0])
        shape = treeplex.infoset_begin, treeplex.infoset_parent
        play_on(*shape, self._resting(0), tables.regrets[0], plan, np.zeros_like(plan))
        return self._whole.spread(0, plan)

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
    def nodes_touched(self) -> int:
        """Histories visited so far: by walks that skip what is asleep, and by checks.

        If pruning is not thrifty, walks skip what the opponent's plan does not come to, too. A
        thrifty run does not take the time to count that.
        """
        return round(self._visited + self._inner.visited + self._whole.visited)

    def _note_peak(self, tables: Tables) -> None:
        self.peak_bytes = max(self.peak_bytes, self.working_bytes + 2 * tables.nbytes)

    # Checkpoints.

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        state = super().state()
        state["account"] = self._account.state()
        state["counts"] = np.array(
            [
                *(self._next_check, self.checks, self.layouts, self.peak_bytes),
                *(self._last_check, self._whole.visited, self._visited + self._inner.visited),
            ],
            dtype=np.float64,
        )
        return state

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver, and a live part that can be."""
        return super().accepts(state) and bool(state["counts"][0] > 0)

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        counts = state["counts"].tolist()
        self._next_check, self.checks, self.layouts, self.peak_bytes = map(int, counts[:4])
        self._last_check = int(counts[4])
        self._whole.visited, self._visited = counts[5:]
        super().restore(state, iteration)
        self._account.restore(state["account"])
        self._account.use(self._live.form)


def without_pruning(recipe: Recipe) -> Recipe:
    """The same recipe for a live part."""
    return replace(recipe, pruning=None)
