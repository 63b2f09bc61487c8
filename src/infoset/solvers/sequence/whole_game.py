"""The whole game, as a check of a pruning solver evaluates it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation.kernels.sequence_values import (
    best_value,
    gradient_and_given,
    strategy_value,
)
from infoset.forms import SequenceForm, Surroundings
from infoset.forms.kernels.passes import multiply_down, normalise
from infoset.solvers.pruning import Pruning
from infoset.solvers.sequence.kernels.pruning import Bounds, best_values, mark_held

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class WholeGame:
    """Best responses and bounds in a form of which a solver keeps only a part."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        self.surroundings = Surroundings(form)
        self.visited = 0.0
        """Histories that best responses have visited."""

    def first_values(self) -> Floats:
        """[num_infosets] What infosets are worth to player 1 if both play uniformly, in units."""
        opponent = self._form.lanes.spread(0, self._form.treeplexes[0].uniform())
        multiply_down(opponent, self._form.lanes.groups[0])
        return self.played_values(1, self._form.treeplexes[1].uniform(), opponent)

    def played_values(self, player: int, strategy: Floats, faced: Floats) -> Floats:
        """[num_infosets] What infosets are worth to a player who faces a plan, in units."""
        lanes, treeplex = self._form.lanes, self._form.treeplexes[player]
        values = np.empty(lanes.sizes[player])
        gradient_and_given(values, lanes.panels[player], np.zeros(0), faced)
        strategy_value(values, lanes.spread(player, strategy), lanes.groups[player])
        played = lanes.collect(player, values) * strategy
        return np.asarray(np.add.reduceat(played, treeplex.infoset_begin[:-1]))

    def average_plan(self, player: int, average: Floats) -> Floats:
        """In lanes: an average plan, made a plan again where parts of it have been asleep."""
        lanes = self._form.lanes
        plan = lanes.spread(player, average)
        normalise(plan, lanes.groups[player])
        multiply_down(plan, lanes.groups[player])
        return plan

    def responses(self, player: int, faced: Floats) -> tuple[Floats, Floats]:
        """Values of a player's sequences, and of his infosets, if he responds best to a plan."""
        lanes, treeplex = self._form.lanes, self._form.treeplexes[player]
        values = np.empty(lanes.sizes[player])
        gradient_and_given(values, lanes.panels[player], np.zeros(0), faced)
        best_value(values, lanes.groups[player])
        values = lanes.collect(player, values)
        best = np.empty(treeplex.num_infosets)
        best_values(treeplex.infoset_begin, values, best)
        reached = lanes.collect(1 - player, faced) > 0.0
        counts = self.surroundings.histories.visits(player, np.ones(len(values), dtype=bool))
        self.visited += float(counts[reached].sum())
        return values, best

    def held(self, player: int, sequences: Mask) -> Mask:
        """Which infosets have a sequence under a mask."""
        treeplex = self._form.treeplexes[player]
        held = np.zeros(treeplex.num_infosets, dtype=bool)
        mark_held(treeplex.infoset_begin, sequences, held)
        return held

    def bounds(self, player: int, faced: Floats, coming: float, pruning: Pruning) -> Bounds:
        """What regrets may gain; reach and weight are those of what was faced."""
        near, begin = self.surroundings, self._form.treeplexes[player].infoset_begin
        low = near.low[player]
        return Bounds(
            near.high[player],
            np.minimum.reduceat(low, begin[:-1]) if len(begin) > 1 else np.zeros(0),
            near.reach[player] @ self._form.lanes.collect(1 - player, faced),
            near.chance[player],
            float(faced[0]),
            coming,
            *(pruning.caution, pruning.drift, pruning.slack),
        )
