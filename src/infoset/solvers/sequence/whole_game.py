"""The whole game, as a check of a pruning solver evaluates it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation.kernels.sequence_values import (
    best_value,
    gradient_and_given,
    strategy_value,
)
from infoset.forms import SequenceForm, Surroundings
from infoset.forms.kernels.live import collect_into, spread_into
from infoset.forms.kernels.passes import multiply_down, normalise
from infoset.machine.vec8 import WIDTH
from infoset.solvers.pruning import Pruning
from infoset.solvers.sequence.kernels.pruning import Bounds, visits_into

Floats = NDArray[np.float64]


class WholeGame:
    """Best responses and bounds in a form of which a solver keeps only a part."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        self.visited = 0.0
        """Histories that best responses have visited."""

    @cached_property
    def surroundings(self) -> Surroundings:
        """What the first check asks for: a run that never checks has no use for it."""
        return Surroundings(self._form)

    @property
    def nbytes(self) -> int:
        """Bytes of what checks read beside the form; none before the first one."""
        return self.surroundings.nbytes if "surroundings" in vars(self) else 0

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
        plan = self.spread(player, average)
        normalise(plan, lanes.groups[player])
        multiply_down(plan, lanes.groups[player])
        return plan

    def spread(self, player: int, values: Floats) -> Floats:
        """`Lanes.spread`, compiled."""
        lanes = self._form.lanes
        out = np.zeros(lanes.sizes[player])
        spread_into(out, values, lanes.positions[player])
        return out

    def responses(self, player: int, faced: Floats) -> Floats:
        """Values of a player's sequences if he responds best to a plan, which is in lanes."""
        lanes, treeplex = self._form.lanes, self._form.treeplexes[player]
        values = np.empty(lanes.sizes[player])
        gradient_and_given(values, lanes.panels[player], np.zeros(0), faced)
        best_value(values, lanes.groups[player])
        visits = np.empty(WIDTH)
        visits_into(visits, self.surroundings.visits[player], faced)
        self.visited += float(visits.sum())
        out = np.empty(treeplex.num_sequences)
        collect_into(out, values, lanes.positions[player])
        return out

    def bounds(self, player: int, faced: Floats, coming: float, pruning: Pruning) -> Bounds:
        """What regrets may gain; reach and weight are those of what was faced."""
        near = self.surroundings
        return Bounds(
            *(near.high[player], near.low[player], near.spread[player]),
            *(near.reach(player, faced), near.chance[player]),
            *(float(faced[0]), coming, pruning.caution, pruning.drift, pruning.slack),
        )
