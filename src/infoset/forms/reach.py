"""How likely infosets are, given what the opponent plays, and how much is at stake there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.forms.kernels.collapse import TERMINAL, last_sequences
from infoset.forms.kernels.live import raise_bounds, widen_bounds
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.treeplex import Treeplex

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def payoff_bounds(treeplex: Treeplex, last: Ints, payoff: Floats) -> tuple[Floats, Floats]:
    """[num_sequences] The most and the least that a player wins at or below each sequence.

    ``last`` is his last sequence at every terminal, ``payoff`` what he wins there. Where nothing
    ends, the bounds are ``-inf`` and ``inf``.
    """
    high = np.full(treeplex.num_sequences, -np.inf)
    low = np.full(treeplex.num_sequences, np.inf)
    widen_bounds(last, payoff, high, low)
    raise_bounds(treeplex.infoset_begin, treeplex.infoset_parent, high, low)
    return high, low


class Reaches:
    """Probabilities and stakes of all infosets of a form, without matrices."""

    def __init__(self, form: SequenceForm) -> None:
        self._treeplexes = form.treeplexes
        columns = form.history.columns
        first, second, chance = last_sequences(columns, *(t.infoset_begin for t in form.treeplexes))
        _, player, infoset, _, _, _, payoff = columns
        unit = form.lanes.unit.of_chips(1.0)
        ends = (player == TERMINAL) & (chance > 0)
        self._nodes = [np.flatnonzero(player == p) for p in (0, 1)]
        self._infoset = [infoset[nodes] for nodes in self._nodes]
        self._chance = [chance[nodes] for nodes in self._nodes]
        self._opponent = second[self._nodes[0]], first[self._nodes[1]]
        stakes = []
        for p, last in enumerate((first, second)):
            own = payoff[ends] * (unit if p == 0 else -unit)
            high, low = payoff_bounds(form.treeplexes[p], last[ends], own)
            begin = form.treeplexes[p].infoset_begin[:-1]
            stake = np.zeros(0)
            if len(begin):
                stake = np.maximum.reduceat(high, begin) - np.minimum.reduceat(low, begin)
            stakes.append(np.where(np.isfinite(stake), stake, 0.0))
        self.stake = stakes[0], stakes[1]
        """Per player: [num_infosets] the most minus the least that he may win there, in units."""

    def of(self, player: int, opponent_plan: Floats) -> Floats:
        """[num_infosets] The probability that chance and the opponent lead to each infoset."""
        return self._sum(player, opponent_plan[self._opponent[player]])

    def most(self, player: int) -> Floats:
        """[num_infosets] The same if the opponent does all to lead there."""
        return self._sum(player, 1.0)

    def _sum(self, player: int, plan: Floats | float) -> Floats:
        weights = self._chance[player] * plan
        size = self._treeplexes[player].num_infosets
        return np.bincount(self._infoset[player], weights, size).astype(np.float64, copy=False)
