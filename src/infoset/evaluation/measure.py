"""How good a strategy is, exactly: value, best response, exploitability, regrets.

All of it is one product with the payoff and one pass over a treeplex, so it costs about as much
as an iteration of a solver.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation.kernels.worth import (
    best_worth,
    choose_best_into,
    gradient_and_best,
    gradient_and_value,
    strategy_worth,
)
from infoset.forms.kernels.panels import gradient_into
from infoset.forms.kernels.passes import multiply_down
from infoset.forms.lanes import Lanes
from infoset.strategy import Strategy

__all__ = [
    "BestResponse",
    "best_response",
    "best_response_values",
    "expected_value",
    "exploitability",
    "infoset_regrets",
    "plan_exploitability",
    "plan_in_lanes",
    "plan_value",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BestResponse:
    """The most a player can win against a fixed opponent, and how."""

    player: int
    value: float
    """What ``player`` wins, in chips."""
    strategy: Strategy
    """The responder plays the best response, the other player what he was given."""
    infoset_values: dict[str, float]
    """Counterfactual value of each infoset of the player under the best response: his winnings
    times the probability that chance and the opponent lead there."""

    def __repr__(self) -> str:
        return f"BestResponse(player {self.player} wins {self.value:.6g} in {self.strategy.tree})"


def plan_in_lanes(strategy: Strategy, player: int) -> Floats:
    """The reach of every sequence under a strategy, laid out in lanes."""
    lanes = strategy.tree.lanes
    plan = lanes.spread(player, strategy.probabilities[player])
    multiply_down(plan, lanes.groups[player])
    return plan


def plan_value(lanes: Lanes, plans: tuple[Floats, Floats]) -> float:
    """What player 0 wins when two plans meet."""
    values = np.empty(lanes.sizes[0])
    total = gradient_and_value(values, lanes.panels[0], plans[0], plans[1])
    return float(lanes.unit.in_chips(total))


def best_response_values(lanes: Lanes, plans: tuple[Floats, Floats]) -> tuple[float, float]:
    """What each player wins with a best response to the other's plan."""
    value0, value1 = (
        gradient_and_best(
            np.empty(lanes.sizes[player]),
            lanes.panels[player],
            lanes.groups[player],
            plans[1 - player],
        )
        for player in (0, 1)
    )
    return float(lanes.unit.in_chips(value0)), float(lanes.unit.in_chips(value1))


def plan_exploitability(lanes: Lanes, plans: tuple[Floats, Floats]) -> float:
    """NashConv / 2 of two plans."""
    return sum(best_response_values(lanes, plans)) / 2.0


def _plans(strategy: Strategy) -> tuple[Floats, Floats]:
    return plan_in_lanes(strategy, 0), plan_in_lanes(strategy, 1)


def expected_value(strategy: Strategy) -> float:
    """What player 0 wins on average.

    >>> import infoset
    >>> expected_value(infoset.uniform("kuhn"))
    0.125
    """
    return plan_value(strategy.tree.lanes, _plans(strategy))


def exploitability(strategy: Strategy) -> float:
    """How much a strategy loses to best responses, on average over the two seats: NashConv / 2.

    In chips. Zero exactly at a Nash equilibrium. Leduc with uniform play has a NashConv of
    4.747222 (OpenSpiel).

    >>> import infoset
    >>> round(2 * exploitability(infoset.uniform("leduc")), 6)
    4.747222
    """
    return plan_exploitability(strategy.tree.lanes, _plans(strategy))


def best_response(strategy: Strategy, player: int) -> BestResponse:
    """The best ``player`` can do against the opponent's part of a strategy.

    The answer is a *counterfactual* best response: it is best at every infoset, also at those
    that its own play does not reach. Among equally good actions it takes the first.

    >>> import infoset
    >>> answer = best_response(infoset.uniform("kuhn"), player=1)
    >>> round(answer.value, 6), answer.strategy["K:bet"]
    (0.416667, {'fold': 0.0, 'call': 1.0})
    """
    if player not in (0, 1):
        raise BadInputError(f"there is no player {player!r}; players are 0 and 1")
    tree = strategy.tree
    lanes = tree.lanes
    values = np.zeros(lanes.sizes[player])
    gradient_into(values, lanes.panels[player], plan_in_lanes(strategy, 1 - player))
    value = float(lanes.unit.in_chips(best_worth(values, lanes.groups[player])))
    chosen = np.zeros(lanes.sizes[player])
    choose_best_into(chosen, values, lanes.groups[player])
    ours = lanes.collect(player, chosen)
    both = list(strategy.probabilities)
    both[player] = ours
    treeplex = tree.treeplexes[player]
    by_sequence = lanes.unit.in_chips(lanes.collect(player, values))
    best = [
        by_sequence[begin:end].max() for begin, end in itertools.pairwise(treeplex.infoset_begin)
    ]
    return BestResponse(
        player=player,
        value=value,
        strategy=Strategy(tree, (both[0], both[1])),
        infoset_values=dict(zip(treeplex.keys, map(float, best), strict=True)),
    )


def infoset_regrets(strategy: Strategy) -> tuple[dict[str, dict[str, float]], ...]:
    """Per player and infoset, the counterfactual regret of each action.

    That is how much more the player would win by always taking the action there and playing his
    strategy otherwise, times the probability that chance and the opponent lead there.
    """
    tree, lanes = strategy.tree, strategy.tree.lanes
    out = []
    for player in (0, 1):
        values = np.zeros(lanes.sizes[player])
        gradient_into(values, lanes.panels[player], plan_in_lanes(strategy, 1 - player))
        own = lanes.spread(player, strategy.probabilities[player])
        strategy_worth(values, own, lanes.groups[player])
        by_sequence = lanes.unit.in_chips(lanes.collect(player, values))
        treeplex = tree.treeplexes[player]
        table = {}
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i : i + 2]
            worth = by_sequence[begin:end] @ strategy.probabilities[player][begin:end]
            gains = (by_sequence[begin:end] - worth).tolist()
            table[key] = dict(zip(labels, gains, strict=True))
        out.append(table)
    return tuple(out)
