"""What is left of a strategy when its subgames are thrown away, in sequence form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import infoset_values, plan_in_lanes, sequence_values
from infoset.forms import Decomposition
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Trunk:
    """A cut game, how both players come to the cells of its subgames, and what they win there."""

    cut: Decomposition
    reach: Pair
    """Per player: [cells] the probability with which his own actions lead to a cell."""
    values: Pair
    """Per player: [cells] the most he can win from a cell on against the opponent's strategy: the
    counterfactual value of a counterfactual best response."""
    slack: Pair
    """Per player: [cells] by how much these values may rise without his best response winning more
    in the whole game: what he gives up, by our strategy, on his way there."""

    @classmethod
    def of(cls, cut: Decomposition, strategy: SequenceStrategy) -> Trunk:
        """The trunk of a strategy of the whole game."""
        plans = reaches(strategy)
        reach, values, slack = [], [], []
        for player, cells in enumerate(cut.cells):
            reach.append(plans[player][cells.sequence])
            values.append(cell_values(cut, strategy, player, best=True))
            slack.append(_slack(cut, strategy, player, plans[1 - player]))
        return cls(cut, (reach[0], reach[1]), (values[0], values[1]), (slack[0], slack[1]))


def reaches(strategy: SequenceStrategy) -> Pair:
    """Per player: [num_sequences] the reach of every sequence under a strategy."""
    lanes = strategy.form.lanes
    first, second = (lanes.collect(p, plan_in_lanes(strategy, p)) for p in (0, 1))
    return first, second


def cell_values(
    cut: Decomposition, strategy: SequenceStrategy, player: int, *, best: bool = False
) -> Floats:
    """[cells] What a player wins from each cell on, times the reach of chance and opponent.

    Under his own strategy or, with ``best``, a counterfactual best response to the opponent's.
    """
    opponent_plan = reaches(strategy)[1 - player]
    return cut.cell_values(player, infoset_values(strategy, player, best=best), opponent_plan)


def _slack(
    cut: Decomposition, strategy: SequenceStrategy, player: int, opponent_plan: Floats
) -> Floats:
    """[cells] How much more each cell may be worth to a player who responds best.

    An action that is worth less than another at its infoset may rise to it, and with it all that
    follows: that difference is shared out among what follows (later infosets, cells), in proportion
    to how likely chance and the opponent lead there. So nothing rises at the root. (The *gifts* of
    Brown & Sandholm 2017, shared out so that all subgames may be re-solved at once.)
    """
    form, cells = cut.form, cut.cells[player]
    treeplex, history = form.treeplexes[player], form.history
    lead = cut.node_chance * opponent_plan[cut.node_sequence[1 - player]]
    own = np.flatnonzero(history.node_player == player)
    count = treeplex.num_infosets
    mass = np.bincount(history.node_infoset[own], lead[own], count)
    cell_mass = np.bincount(cells.of_root, lead[cut.roots], len(cells.sequence))
    in_trunk = np.flatnonzero(cells.infoset_subgame < 0)
    following = np.bincount(
        np.append(treeplex.infoset_parent[in_trunk], cells.sequence),
        np.append(mass[in_trunk], cell_mass),
        treeplex.num_sequences,
    )
    share = np.divide(1.0, following, out=np.zeros_like(following), where=following > 0)
    values = sequence_values(strategy, player, best=True)
    slack = np.zeros(treeplex.num_sequences)
    for infoset in in_trunk.tolist():  # parents before children
        actions = slice(*treeplex.infoset_begin[infoset : infoset + 2])
        parent = treeplex.infoset_parent[infoset]
        inherited = slack[parent] * share[parent] * mass[infoset]
        slack[actions] = values[actions].max() - values[actions] + inherited
    out: Floats = slack[cells.sequence] * share[cells.sequence] * cell_mass
    return out
