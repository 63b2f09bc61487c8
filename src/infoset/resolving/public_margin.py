"""Max-margin re-solving of a part of a spot: the opponent chooses the hand that he begins with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import PublicEvaluation
from infoset.forms import PublicForm
from infoset.resolving.public_trunk import compatible_hands
from infoset.solvers import Recipe, VectorSolver
from infoset.strategy import Tables

Floats = NDArray[np.floating[Any]]


class MarginSolver:
    """A part of a spot behind the choice of a hand, whose gain counts from what it won before.

    The opponent, the *chooser*, chooses the hand ``j`` to begin with, and his payoff is
    ``w(j) * (u(j) - v(j))``: ``w`` is the weight of the hand in the form, ``u`` its counterfactual
    value, and ``v`` the given one. So the player makes the smallest *margin*, ``w * (v - u)`` over
    all hands, as large as he can (Moravcik et al. 2016). Hands that meet none of the player's
    cannot be chosen: nothing can be gained on them.

    The choice is one infoset above the form, which minimises its own regret: by regret matching,
    with the recipe's schedule (its local rule and predictions are for the form alone). It says how
    often each hand comes to the root in the next walk of a `VectorSolver`, and learns what each
    hand has won in a walk for the chooser. These are the counterfactual regrets of one game, so the
    averages converge as those of CFR do.
    """

    def __init__(
        self,
        form: PublicForm,
        chooser: int,
        values: Floats,
        recipe: Recipe,
        iterations: int | None = None,
        *,
        threads: int = 1,
    ) -> None:
        self.form = form
        self.chooser = chooser
        self.solver = VectorSolver(form, recipe, iterations, threads=threads)
        hand = self.solver.layout.rows[0][chooser].hand
        weight = form.weights[chooser]
        meets = compatible_hands(form, chooser) @ form.weights[1 - chooser]
        is_offered = (weight > 0) & (meets > 0)
        self._rows = np.flatnonzero((hand >= 0) & is_offered[np.maximum(hand, 0)])
        self.hands = hand[self._rows]
        """[choices] The hands that can be chosen."""
        self._weight = weight[self.hands]
        self._value = self._weight * values[self.hands]
        self._reach = [self.solver.walker.root_reach(player) for player in (0, 1)]
        count = len(self.hands)
        self._regrets = np.zeros(count)
        self._choice = np.full(count, 1.0 / max(count, 1))
        self._chosen = np.zeros(count)

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        solver, recipe = self.solver, self.solver.recipe
        weights = recipe.weights(solver.iteration + 1, iterations, solver.horizon)
        last_walk = self.chooser if recipe.alternating else 1

        def choose(t: int) -> None:
            self._choice = _in_proportion(self._regrets)
            self._start_with(self._choice)
            if t < iterations:
                self._chosen = weights.decay[t] * self._chosen + weights.weight[t] * self._choice

        def after_walk(t: int, player: int) -> None:
            if player == self.chooser:
                keep = np.where(
                    self._regrets > 0, weights.keep_positive[t], weights.keep_negative[t]
                )
                gains = self._gains(solver.walker.root_values(player))
                regrets = keep * self._regrets + gains - self._choice @ gains
                self._regrets = np.maximum(regrets, weights.floor * self.form.num_pairs)
            if player == last_walk:
                choose(t + 1)

        choose(0)
        solver.run_by_walk(iterations, after_walk)

    def choice(self) -> Floats:
        """[choices] How often each hand is chosen on average."""
        return _in_proportion(self._chosen if self._chosen.any() else self._regrets)

    def _start_with(self, choice: Floats) -> None:
        """Have hands come to the root as often as they are chosen."""
        entry = self._reach[self.chooser]
        entry[:] = 0.0
        entry[self._rows] = choice * self._weight
        self.solver.walker.start_with(self._reach[0], self._reach[1])

    def _gains(self, by_row: Floats) -> Floats:
        """[choices] What the choice of each hand pays, by what was won at the root [rows]."""
        won = by_row[self._rows].astype(np.float64) * self.form.num_pairs
        gains: Floats = self._weight * won - self._value
        return gains

    def averages(self) -> Tables:
        """Sums of plans, as of `VectorSolver`."""
        return self.solver.averages()

    def margins(self) -> Floats:
        """[choices] How much less than its value each hand wins against the average, at best.

        Times the weight of the hand.
        """
        return -self._gains(self._evaluation().hand_values(self.chooser, best=True))

    def exploitability(self) -> float:
        """Half of what best responses gain on the averages, in chips per deal of the form."""
        evaluation, player = self._evaluation(), 1 - self.chooser
        by_choice = float(self.choice() @ self._gains(evaluation.hand_values(self.chooser)))
        gained = (float(-self.margins().min()) - by_choice) / self.form.num_pairs
        best, played = (evaluation.hand_values(player, best=best) for best in (True, False))
        reach = self._reach[player].astype(np.float64)
        return max(0.0, (gained + float(reach @ (best - played))) / 2)

    def _evaluation(self) -> PublicEvaluation:
        """Of the averages, hands coming to the root as often as they were chosen."""
        averages = self.averages()
        self._start_with(self.choice())
        return PublicEvaluation(self.solver.layout, averages, walker=self.solver.walker)


def _in_proportion(numbers: Floats) -> Floats:
    """Probabilities in proportion to positive numbers; uniform where there are none."""
    positive = np.maximum(numbers, 0.0)
    total = positive.sum()
    return positive / total if total > 0 else np.full(len(numbers), 1.0 / len(numbers))
