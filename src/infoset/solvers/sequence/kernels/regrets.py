"""One iteration of any full-width regret minimiser: the three passes of the design.

All arrays are in lanes (see `infoset.forms.lanes`). A player has one work array that changes its
meaning as the passes go over it: plan, then values, then strategy, then plan again.
"""

from typing import NamedTuple

import numpy as np

from infoset.forms.kernels.panels import Panels, gradient_into
from infoset.forms.kernels.passes import Groups, multiply_down_into
from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import (
    WIDTH,
    load8,
    max8,
    multiply_add8,
    scatter_add8,
    splat8,
    store8,
    where_greater8,
)


class Player(NamedTuple):
    """What a solver keeps and works on for one player."""

    groups: Groups
    panels: Panels
    regrets: np.ndarray
    """Sum of regrets, discounted and floored as the recipe says."""
    average: np.ndarray
    """Weighted sum of plans."""
    prediction: np.ndarray
    """The last iteration's regrets, if the recipe is predictive; else empty."""
    plan: np.ndarray
    """Work array: reach of every sequence under the current strategy."""
    values: np.ndarray
    """Work array; the same memory as `plan` where updates alternate."""


class Weights(NamedTuple):
    """The recipe's schedules, one entry per iteration of a batch."""

    keep_positive: np.ndarray
    """[n + 1] What positive regrets of the past are multiplied with; the next batch's first too."""
    keep_negative: np.ndarray
    floor: float
    decay: np.ndarray
    """[n] What the average so far is multiplied with before the iteration adds to it."""
    weight: np.ndarray
    """[n] How much the iteration's plan adds."""


@inline
def positive8(regret):
    """The positive part of regrets. What is about to underflow is none: its inverse would be inf.

    Regrets reach such sizes by discounting alone, thousands of iterations after they mattered.
    """
    return where_greater8(regret, splat8(1e-290), regret, splat8(0.0))


@inline
def _bank_and_clear(player, decay, weight):
    """Add the current plan to the average; leave an empty work array for the values."""
    average, plan, values = player.average, player.plan, player.values
    old, new, zero = splat8(decay), splat8(weight), splat8(0.0)
    for i in range(0, len(plan), WIDTH):
        store8(average, i, multiply_add8(load8(average, i), old, load8(plan, i) * new))
        store8(values, i, zero)


@inline
def _update_regrets(player, keep_positive, keep_negative, keep_next, floor, instant):
    """Bottom-up: turn values into regrets, match them, pass a value up to the parent.

    Reads values from, and writes the new strategy to, ``player.values``. A predictive recipe
    matches the regrets expected next: those there are, and the last ones once more.
    """
    groups, regrets, values, guess = player.groups, player.regrets, player.values, player.prediction
    predictive = len(guess) > 0
    zero, one, lowest = splat8(0.0), splat8(1.0), splat8(floor)
    keep_more, keep_less = splat8(keep_positive), splat8(keep_negative)
    keep_then = splat8(keep_next)
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        uniform = splat8(1.0 / actions)
        has_parent = groups.parent[groups.first[g]] > 0
        for i in range(0, lanes, WIDTH):
            begin = groups.begin[g] + i
            # What the old strategy is worth: in proportion to positive regret, or uniform.
            total, matched, plain = zero, zero, zero
            at = begin
            for _ in range(actions):
                value = load8(values, at)
                regret = load8(regrets, at)
                if predictive:
                    regret = keep_more * regret + load8(guess, at)
                positive = positive8(regret)
                total = total + positive
                matched = multiply_add8(positive, value, matched)
                plain = plain + value
                at += lanes
            divisor = where_greater8(total, zero, total, one)
            worth = where_greater8(total, zero, matched / divisor, plain * uniform)
            # New regrets.
            total = zero
            at = begin
            for _ in range(actions):
                gain = load8(values, at) - worth
                regret = load8(regrets, at)
                regret = regret * where_greater8(regret, zero, keep_more, keep_less)
                regret = max8(regret + gain, lowest)
                store8(regrets, at, regret)
                if predictive:
                    store8(guess, at, gain)
                    regret = keep_then * regret + gain
                total = total + positive8(regret)
                at += lanes
            # The new strategy, and what it is worth if parents are to see it at once.
            divisor = one / where_greater8(total, zero, total, one)
            if instant:
                worth = zero
            at = begin
            for _ in range(actions):
                regret = load8(regrets, at)
                if predictive:
                    regret = keep_then * regret + load8(guess, at)
                played = where_greater8(total, zero, positive8(regret) * divisor, uniform)
                if instant:
                    worth = multiply_add8(played, load8(values, at), worth)
                store8(values, at, played)
                at += lanes
            if has_parent:
                scatter_add8(values, groups.parent, groups.first[g] + i, worth)


@kernel
def match_into(player, keep_next):
    """Write the strategy that follows from the regrets (and predictions) to ``player.plan``."""
    groups, regrets, guess, plan = player.groups, player.regrets, player.prediction, player.plan
    predictive = len(guess) > 0
    zero, one, keep_then = splat8(0.0), splat8(1.0), splat8(keep_next)
    for g in range(len(groups.begin)):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        uniform = splat8(1.0 / actions)
        for i in range(0, lanes, WIDTH):
            begin = groups.begin[g] + i
            total = zero
            at = begin
            for _ in range(actions):
                positive = load8(regrets, at)
                if predictive:
                    positive = keep_then * positive + load8(guess, at)
                positive = positive8(positive)
                store8(plan, at, positive)
                total = total + positive
                at += lanes
            divisor = one / where_greater8(total, zero, total, one)
            at = begin
            for _ in range(actions):
                played = load8(plan, at) * divisor
                store8(plan, at, where_greater8(total, zero, played, uniform))
                at += lanes


@inline
def _learn(player, weights, t, instant):
    """Passes 2 and 3: from values to new regrets and a new plan."""
    _update_regrets(
        player,
        weights.keep_positive[t],
        weights.keep_negative[t],
        weights.keep_positive[t + 1],
        weights.floor,
        instant,
    )
    multiply_down_into(player.plan, player.values, player.groups)


@kernel
def iterate(player0, player1, weights, alternating, instant):
    """Run one iteration per entry of the weights."""
    for t in range(len(weights.decay)):
        _bank_and_clear(player0, weights.decay[t], weights.weight[t])
        if alternating:
            gradient_into(player0.values, player0.panels, player1.plan)
            _learn(player0, weights, t, instant)
            _bank_and_clear(player1, weights.decay[t], weights.weight[t])
            gradient_into(player1.values, player1.panels, player0.plan)
        else:
            _bank_and_clear(player1, weights.decay[t], weights.weight[t])
            gradient_into(player0.values, player0.panels, player1.plan)
            gradient_into(player1.values, player1.panels, player0.plan)
            _learn(player0, weights, t, instant)
        _learn(player1, weights, t, instant)
