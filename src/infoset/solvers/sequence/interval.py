"""Interval regret-based pruning (Brown & Sandholm 2015)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.solvers.contract import State
from infoset.solvers.local_rules import jumping
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.kernels.pruning import decide_interval, make_up
from infoset.solvers.sequence.pruned import Decision, PrunedSolver, without_pruning
from infoset.solvers.sequence.rest import Tables

ROUNDING = 1e-12
"""Less than this share of all that was faced has not been faced since the last check."""


class IntervalSolver(PrunedSolver):
    """What is asleep keeps its regrets; each check adds what was skipped since the last one.

    An action falls asleep if its regret is negative by a margin. Below it, a best response to what
    the opponent has played since the last check is taken for what was played in that time. With a
    floor of regrets (CFR+), they may be negative instead, and jump to zero when they increase.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.solvers.algorithms import find_recipe
    >>> recipe = find_recipe("cfr(pruning=interval(every=10, thrifty=false))")
    >>> solver = IntervalSolver(compile_game(make("kuhn")), recipe)
    >>> solver.run(1000)
    >>> solver.exploitability() < 1e-2, solver.live_share < 0.9
    (True, True)
    """

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self._checked_at = 0
        sizes = [t.num_sequences for t in self.form.treeplexes]
        self._asleep_regrets = [np.zeros(n) for n in sizes]
        """Of sequences that are not live, as of the last check."""
        self._regrets_before = [np.zeros(n) for n in sizes]
        """All regrets at the last check."""
        self._faced_before = [np.zeros(self.form.lanes.sizes[1 - p]) for p in (0, 1)]
        self._sums_before = [np.zeros(t.num_infosets) for t in self.form.treeplexes]

    def _inner_recipe(self) -> Recipe:
        recipe = without_pruning(self.recipe)
        return replace(recipe, rule=jumping()) if self._jumps else recipe

    @property
    def _jumps(self) -> bool:
        return self._floor > -math.inf

    @property
    def _keeps_negative(self) -> bool:
        return self._jumps

    def _tables(self) -> Tables:
        tables = super()._tables()
        for p in (0, 1):
            asleep = ~self._awake[p]
            tables.regrets[p][asleep] = self._asleep_regrets[p][asleep]
        return tables

    def _check(self) -> None:
        super()._check()
        self._checked_at = self.iteration
        tables = self._tables()
        self._sums_before = tables.sums

    def _lay_out_first(self, tables: Tables) -> None:
        self._checked_at = -self.recipe.start
        super()._lay_out_first(tables)
        self._checked_at = 0
        self._sums_before = [sums.copy() for sums in tables.sums]

    def _decide(self, player: int, tables: Tables) -> Decision:
        treeplex = self.form.treeplexes[player]
        shape = treeplex.infoset_begin, treeplex.infoset_parent
        count = self.iteration - self._checked_at
        faced = self._faced(player, tables)
        left = self._left_since(player)
        since = faced - left * self._faced_before[player]
        since[since < ROUNDING * faced] = 0.0
        owed = tables.sums[player] - left * self._sums_before[player]
        # Regrets are not weighted as averages are: what is weighted is scaled back to iterations.
        scale = count / float(since[0])
        values, live = self._whole.responses(player, since), self._awake[player]
        awake = np.ones(treeplex.num_sequences, dtype=bool)
        regrets = tables.regrets[player]
        kept = self.recipe.weights(self._checked_at + 1, count, self.horizon)
        keep_negative = 1.0 if self._jumps else float(np.prod(kept.keep_negative[:-1]))
        coming = float(self._next_check - self.iteration)
        bounds = self._whole.bounds(player, since * scale, coming, self.pruning)
        make_up(
            *(*shape, values, live, regrets, owed, scale),
            *((float(np.prod(kept.keep_positive[:-1])), keep_negative), self._jumps, bounds, awake),
        )
        awake[:] = True
        before = self._regrets_before[player]
        woken, asleep = decide_interval(
            *(*shape, live, regrets, owed * scale, before, bounds, awake)
        )
        self._faced_before[player] = faced
        self._asleep_regrets[player] = regrets
        self._regrets_before[player] = regrets.copy()
        return Decision(awake, woken, asleep)

    def _completed(self, tables: Tables) -> Tables:
        return tables

    def _left_since(self, player: int) -> float:
        """What is left of a unit of weight at the last check."""
        begin = self._checked_at + 1 + (player == 1 and self.recipe.alternating)
        decays = self.recipe.weights(begin, self.iteration - self._checked_at, self.horizon).decay[
            :-1
        ]
        return float(np.prod(decays)) if self._checked_at else 0.0

    def _more_bytes(self) -> int:
        arrays = [*self._asleep_regrets, *self._regrets_before]
        arrays += [*self._faced_before, *self._sums_before]
        return sum(array.nbytes for array in arrays)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        state = super().state()
        for p in (0, 1):
            state[f"asleep{p}"] = self._asleep_regrets[p].copy()
            state[f"before{p}"] = self._regrets_before[p].copy()
            state[f"faced{p}"] = self._faced_before[p].copy()
            state[f"owed{p}"] = self._sums_before[p].copy()
        state["checked"] = np.array([self._checked_at], dtype=np.int64)
        return state

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        super().restore(state, iteration)
        self._asleep_regrets = [state[f"asleep{p}"].copy() for p in (0, 1)]
        self._regrets_before = [state[f"before{p}"].copy() for p in (0, 1)]
        self._faced_before = [state[f"faced{p}"].copy() for p in (0, 1)]
        self._sums_before = [state[f"owed{p}"].copy() for p in (0, 1)]
        self._checked_at = int(state["checked"][0])
