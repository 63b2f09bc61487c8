"""Exact measurements of a strategy: value, best response, exploitability, regrets.

Each takes one product with the payoff matrix and one pass over a treeplex, so it costs about as
much as an iteration of a solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation.kernels.sequence_values import (
    best_value,
    gradient_and_given,
    plan_value,
    strategy_value,
)
from infoset.forms import SequenceForm, Treeplex
from infoset.forms.kernels.passes import multiply_down
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class BestResponse:
    """The most a player can win against a fixed opponent, and how."""

    player: int
    value: float
    """What ``player`` wins, in chips."""
    strategy: SequenceStrategy
    """The responder plays the best response, the other player what he was given."""
    infoset_values: dict[str, float]
    """Counterfactual value of each infoset of the player under the best response: his winnings
    times the probability that chance and the opponent lead there."""

    def __repr__(self) -> str:
        return f"BestResponse(player {self.player} wins {self.value:.6g} in {self.strategy.form})"


def plan_in_lanes(strategy: SequenceStrategy, player: int) -> Floats:
    """The reach of every sequence under a strategy, laid out in lanes."""
    lanes = strategy.form.lanes
    plan = lanes.spread(player, strategy.probabilities[player])
    multiply_down(plan, lanes.groups[player])
    return plan


def _values(form: SequenceForm, player: int, plans: Pair, given: Pair) -> Floats:
    """In lanes, what each sequence of a player wins against the opponent's plan; in units."""
    values = np.empty(form.lanes.sizes[player])
    gradient_and_given(values, form.lanes.panels[player], given[player], plans[1 - player])
    return values


def plan_values(form: SequenceForm, plans: Pair) -> tuple[float, float]:
    """What each player wins when two plans meet."""
    given, in_chips = form.given_values(plans), form.lanes.unit.in_chips
    first = float(in_chips(plan_value(_values(form, 0, plans, given), plans[0])))
    if form.sequence_values is None:
        return first, -first
    return first, float(in_chips(plan_value(_values(form, 1, plans, given), plans[1])))


def best_response_values(form: SequenceForm, plans: Pair) -> tuple[float, float]:
    """What each player wins with a best response to the other's plan."""
    lanes, given = form.lanes, form.given_values(plans)
    first, second = (
        best_value(_values(form, player, plans, given), lanes.groups[player]) for player in (0, 1)
    )
    return float(lanes.unit.in_chips(first)), float(lanes.unit.in_chips(second))


def plan_exploitability(form: SequenceForm, plans: Pair) -> float:
    """NashConv / 2 of two plans."""
    won = 0.0 if form.sequence_values is None else sum(plan_values(form, plans))
    return (sum(best_response_values(form, plans)) - won) / 2.0


def plans_in_lanes(strategy: SequenceStrategy) -> Pair:
    """Both players' plans, laid out in lanes."""
    return plan_in_lanes(strategy, 0), plan_in_lanes(strategy, 1)


def expected_value(strategy: SequenceStrategy) -> float:
    """What player 0 wins on average.

    >>> import infoset
    >>> expected_value(infoset.uniform("kuhn"))
    0.125
    """
    return plan_values(strategy.form, plans_in_lanes(strategy))[0]


def exploitability(strategy: SequenceStrategy) -> float:
    """How much a strategy loses to best responses, on average over the two seats: NashConv / 2.

    In chips. Zero exactly at a Nash equilibrium. Leduc with uniform play has a NashConv of
    4.747222 (OpenSpiel).

    >>> import infoset
    >>> round(2 * exploitability(infoset.uniform("leduc")), 6)
    4.747222
    """
    return plan_exploitability(strategy.form, plans_in_lanes(strategy))


def best_response(strategy: SequenceStrategy, player: int) -> BestResponse:
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
    form, treeplex = strategy.form, strategy.form.treeplexes[player]
    values = _action_values(strategy, player, best=True)
    best = _at_infosets(np.maximum, treeplex, values)
    both = list(strategy.probabilities)
    both[player] = _first_best(treeplex, values, best)
    in_chips = form.lanes.unit.in_chips
    return BestResponse(
        player=player,
        value=float(in_chips(values[0])),
        strategy=SequenceStrategy(form, (both[0], both[1])),
        infoset_values=dict(zip(treeplex.keys, in_chips(best).tolist(), strict=True)),
    )


def _first_best(treeplex: Treeplex, values: Floats, best: Floats) -> Floats:
    """[num_sequences] The strategy that takes the first of the best actions of every infoset."""
    is_best = values[1:] == np.repeat(best, treeplex.infoset_num_actions)
    sequences = 1 + np.flatnonzero(is_best)
    _, first = np.unique(treeplex.sequence_infoset[sequences], return_index=True)
    chosen = np.zeros(treeplex.num_sequences)
    chosen[[0, *sequences[first]]] = 1.0
    return chosen


def _at_infosets(reduce: np.ufunc, treeplex: Treeplex, by_sequence: Floats) -> Floats:
    """[num_infosets] A number for each sequence, reduced to one for each infoset."""
    if not treeplex.num_infosets:
        return np.zeros(0)
    out: Floats = reduce.reduceat(by_sequence, treeplex.infoset_begin[:-1])
    return out


def infoset_values(strategy: SequenceStrategy, player: int, *, best: bool = False) -> Floats:
    """[num_infosets] The counterfactual value of every infoset of a player, in chips.

    That is what he wins from there on, times the probability that chance and the opponent lead
    there: under his own strategy or, with ``best``, under a counterfactual best response.
    """
    treeplex = strategy.form.treeplexes[player]
    values = sequence_values(strategy, player, best=best)
    if best:
        return _at_infosets(np.maximum, treeplex, values)
    return _at_infosets(np.add, treeplex, values * strategy.probabilities[player])


def sequence_values(strategy: SequenceStrategy, player: int, *, best: bool = False) -> Floats:
    """[num_sequences] What each sequence is worth to a player, what follows included, in chips.

    Counterfactual, as `infoset_values` are.
    """
    values = _action_values(strategy, player, best=best)
    return strategy.form.lanes.unit.in_chips(values)


def _action_values(strategy: SequenceStrategy, player: int, *, best: bool) -> Floats:
    """[num_sequences] What each action is worth, what follows included; in units."""
    form, lanes, plans = strategy.form, strategy.form.lanes, plans_in_lanes(strategy)
    values = _values(form, player, plans, form.given_values(plans))
    if best:
        best_value(values, lanes.groups[player])
    else:
        own = lanes.spread(player, strategy.probabilities[player])
        strategy_value(values, own, lanes.groups[player])
    return lanes.collect(player, values)


def infoset_regrets(strategy: SequenceStrategy) -> tuple[dict[str, dict[str, float]], ...]:
    """Per player and infoset, the counterfactual regret of each action.

    That is how much more the player would win by always taking the action there and playing his
    strategy otherwise, times the probability that chance and the opponent lead there.
    """
    out = []
    for player, own in enumerate(strategy.probabilities):
        values = sequence_values(strategy, player)
        treeplex = strategy.form.treeplexes[player]
        table = {}
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            here = slice(*treeplex.infoset_begin[i : i + 2])
            gains = values[here] - values[here] @ own[here]
            table[key] = dict(zip(labels, gains.tolist(), strict=True))
        out.append(table)
    return tuple(out)
