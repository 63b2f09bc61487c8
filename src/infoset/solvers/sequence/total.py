"""Total regret-based pruning (Brown & Sandholm 2017)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Masks
from infoset.solvers.contract import State
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.kernels.pruning import decide_total, drop_averages, mark_held
from infoset.solvers.sequence.pruned import Decision, PrunedSolver, without_pruning
from infoset.solvers.sequence.rest import Scattered, Tables

Mask = NDArray[np.bool_]


class TotalSolver(PrunedSolver):
    """What is asleep holds no regrets: they follow from what the opponent has played in all.

    An action falls asleep if it would be bad even if the player had gone on best after it in every
    iteration so far (5). When it wakes, the regrets below it become those of that best response,
    (7) and (8): nothing about what was there before is needed.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.solvers.algorithms import find_recipe
    >>> recipe = find_recipe("cfr+(pruning=total(every=10, thrifty=false))")
    >>> solver = TotalSolver(compile_game(make("kuhn")), recipe)
    >>> solver.run(1000)
    >>> solver.exploitability() < 1e-3, solver.live_share < 0.9
    (True, True)
    """

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self._past = [Scattered.nothing(), Scattered.nothing()]
        """The excess of each action at the last check, by weight; nothing without drift."""
        self._reach = [np.zeros(0), np.zeros(0)]
        """Of infosets, in all that was faced until the last check."""
        self._dropped = [0.0, 0.0]
        """The chance-weighted sum of averages that were forgotten, as of the last layout."""

    def _inner_recipe(self) -> Recipe:
        return without_pruning(self.recipe)

    def _lay_out_first(self, tables: Tables) -> None:
        # Nothing is known of how the excess of actions has changed: as if it had not, which the
        # same decision finds if it is made once before. All are awake, so it changes no table.
        if self.pruning.drift > 0.0:
            for player in (0, 1):
                self._decide(player, tables)
        super()._lay_out_first(tables)

    def _completed(self, tables: Tables) -> Tables:
        complete = self._tables()
        for player in (0, 1):
            self._decide(player, complete, coming=math.inf)
        return complete

    def _decide(self, player: int, tables: Tables, *, coming: float | None = None) -> Decision:
        """With infinite ``coming``, the weight of what comes until the next check, all wake."""
        treeplex = self.form.treeplexes[player]
        faced = self._faced(player, tables)
        values = self._whole.responses(player, faced)
        past = np.full(treeplex.num_sequences, np.nan)
        self._past[player].write_into(past)
        awake = np.ones(treeplex.num_sequences, dtype=bool)
        if coming is None:
            coming = self._coming_weight(player)
        bounds = self._whole.bounds(player, faced, coming, self.pruning)
        if self.pruning.threshold > 0.0:
            self._reach[player] = bounds.reach
        woken, asleep = decide_total(
            *(treeplex.infoset_begin, treeplex.infoset_parent, values, self._awake[player]),
            *(tables.regrets[player], tables.sums[player], past, self._floor, bounds, awake),
        )
        if self.pruning.drift > 0.0:
            self._past[player] = Scattered.of(past, ~np.isnan(past))
        return Decision(awake, woken, asleep)

    def _lay_out(self, awake: Masks, masks: Masks, tables: Tables) -> None:
        if self.pruning.threshold > 0.0:
            self._forget(awake, tables)
            for p in (0, 1):
                self._forget_unreached(p, awake[p], masks[p])
        super()._lay_out(awake, masks, tables)

    def _forget_unreached(self, player: int, awake: Mask, live: Mask) -> None:
        """Put infosets to sleep that are at rest and that the opponent's average does not reach.

        All he played there has been forgotten, so their regrets say nothing any more.
        """
        treeplex = self.form.treeplexes[player]
        begin = treeplex.infoset_begin
        unreached = np.repeat(self._reach[player] <= 0.0, np.diff(begin))
        own = slice(treeplex.num_roots, None)
        awake[own] &= live[own] | ~unreached

    def _forget(self, awake: Masks, tables: Tables) -> None:
        """Forget averages of what is about to be asleep, and reached by little play."""
        most = self.pruning.threshold / math.sqrt(self.iteration + self.recipe.start)
        most *= self._total_weight
        for p, treeplex in enumerate(self.form.treeplexes):
            begin, live = treeplex.infoset_begin, awake[p]
            held = np.zeros(treeplex.num_infosets, dtype=bool)
            mark_held(begin, live, held)
            self._dropped[p] = drop_averages(
                *(begin, treeplex.infoset_parent, held, live, self._whole.surroundings.chance[p]),
                *(tables.average[p], most, self._dropped[p] * self._rest[p].average_scale),
                np.zeros(treeplex.num_sequences, dtype=bool),
            )

    @property
    def dropped_share(self) -> tuple[float, float]:
        """How much of each player's play is not in his average, weighted by chance."""
        total = self._total_weight
        first, second = (
            dropped * rest.average_scale / total
            for dropped, rest in zip(self._dropped, self._rest, strict=True)
        )
        return first, second

    def _more_bytes(self) -> int:
        past = sum(past.nbytes for past in self._past)
        return past + sum(reach.nbytes for reach in self._reach)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        state = super().state()
        for p, treeplex in enumerate(self.form.treeplexes):
            state[f"past{p}"] = np.zeros(treeplex.num_sequences)
            state[f"past{p}"][self._past[p].at] = self._past[p].numbers
            known = np.zeros(treeplex.num_sequences, dtype=np.uint8)
            known[self._past[p].at] = 1
            state[f"known{p}"] = known
        state["dropped"] = np.array(self._dropped)
        return state

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        super().restore(state, iteration)
        if self.pruning.drift > 0.0:
            self._past = [Scattered.of(state[f"past{p}"], state[f"known{p}"] > 0) for p in (0, 1)]
        self._dropped = state["dropped"].tolist()
