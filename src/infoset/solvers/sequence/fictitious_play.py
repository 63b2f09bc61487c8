"""Extensive-form fictitious play: always best-respond to the opponent's average strategy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.forms.kernels.passes import multiply_down
from infoset.solvers.sequence.kernels.fictitious_play import Player, play
from infoset.solvers.sequence.plan_solver import LaneSolver, refuse_values

Floats = NDArray[np.float64]

TIE = 1e-12
"""Well above the rounding of values, well below anything fictitious play can resolve."""


class FictitiousPlaySolver(LaneSolver):
    """XFP: each iteration mixes a best response into the average (Heinrich et al. 2015).

    The average starts as the uniform strategy. Iteration ``t`` finds each player's best response
    to the other's average and moves his own average towards it by ``1 / (t + 1)``. The paper
    writes this step infoset by infoset, with a weight by reach; on plans it is a plain mean,

        average += (response - average) / (t + 1),

    so what is kept is the sum of all plans, and its first entry, ``t + 1``, is how many they are.
    Among equally good actions the first is taken, and values count as equal if they differ by
    less than `TIE` of the largest payoff: ties are common, and rounding must not break them. With
    ``alternating`` player 1 answers player 0's new average; in the paper both answer the old ones.

    >>> from infoset.games import make
    >>> from infoset.forms import compile_game
    >>> solver = FictitiousPlaySolver(compile_game(make("rps")))
    >>> solver.run(5)
    >>> solver.strategy()["player0"]["paper"] == (1 / 3 + 3) / 6
    True
    """

    def __init__(self, form: SequenceForm, *, alternating: bool = False) -> None:
        super().__init__(form)
        self.alternating = alternating
        refuse_values(form, "fictitious play")
        lanes = form.lanes
        largest = math.ldexp(np.abs(form.payoff.entries).max(initial=0.0), -lanes.unit.exponent)
        slack = TIE * largest * lanes.unit.denominator
        players = []
        for p in (0, 1):
            average = lanes.spread(p, form.treeplexes[p].uniform())
            multiply_down(average, lanes.groups[p])
            response = np.zeros(lanes.sizes[p])
            players.append(Player(lanes.groups[p], lanes.panels[p], average, response, slack))
        self._players = players[0], players[1]

    def run(self, iterations: int) -> None:
        """Do some iterations."""
        play(*self._players, iterations, self.alternating)
        self.iteration += iterations

    def plans(self) -> tuple[Floats, Floats]:
        """The average plans in lanes."""
        first, second = (player.average / player.average[0] for player in self._players)
        return first, second

    @property
    def nodes_touched(self) -> int:
        """Histories that walks would have visited so far: all, for each of two best responses."""
        return self.iteration * 2 * self.form.history.num_nodes

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated, padding and work space included."""
        return sum(player.average.nbytes + player.response.nbytes for player in self._players)

    def _kept(self) -> dict[str, Floats]:
        return {f"average{p}": player.average for p, player in enumerate(self._players)}
