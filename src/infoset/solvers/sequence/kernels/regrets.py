"""One iteration of any full-width regret minimiser: three passes (docs/sequence-form.md).

All arrays are in lanes (see `infoset.forms.lanes`). A player has one work array that changes its
meaning as the passes go over it: plan, then values, then strategy, then plan again.
"""

from typing import NamedTuple

import numpy as np

from infoset.forms.kernels.panels import Panels, gradient_into
from infoset.forms.kernels.passes import Groups, multiply_down_into
from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import larger, multiply_add, where_greater
from infoset.machine.vec8 import WIDTH, load8, scatter_add8, splat8, store8
from infoset.strategy.kernels.local_rule import (
    expected_regret,
    inverse_total,
    mean_value,
    probability,
    update,
    uses_largest,
    weigh,
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
    sums: np.ndarray
    """By lane, the weighted sum of the infoset's values, if pruning asks for it; else empty."""
    visits: np.ndarray
    """By lane of the opponent: histories at which a sequence of his is his last, and which the
    player's own walk enters; empty if visits are not counted."""
    visited: np.ndarray
    """[8] Histories that the player's walks have visited so far, in eight sums."""
    given: np.ndarray
    """Values of sequences beside the payoff, in its unit; empty if there are none."""


@inline
def _count_visits(player, opponent_plan):
    """Count the histories that the opponent's plan comes to; a walk would skip all others."""
    visits, visited, zero = player.visits, player.visited, splat8(0.0)
    for i in range(0, len(visits), WIDTH):
        here = load8(visits, i)
        here = where_greater(load8(opponent_plan, i), zero, here, zero)
        store8(visited, 0, load8(visited, 0) + here)


@inline
def _average_and_clear(player, decay, weight):
    """Add the current plan to the average; leave an empty work array for the values."""
    average, plan, values = player.average, player.plan, player.values
    old, new, zero = splat8(decay), splat8(weight), splat8(0.0)
    for i in range(0, len(plan), WIDTH):
        store8(average, i, multiply_add(load8(average, i), old, load8(plan, i) * new))
        store8(values, i, zero)


@inline
def _regret_at(regrets, guess, keep, at):
    """The regrets of an action at eight infosets; a predictive recipe's as expected next."""
    regret = load8(regrets, at)
    if len(guess) > 0:
        regret = expected_regret(regret, keep, load8(guess, at))
    return regret


@inline
def _largest_regret(rule, regrets, guess, keep, begin, lanes, actions):
    """The largest regret of each of eight infosets, if the local rule asks for it; else zeros."""
    if not uses_largest(rule):
        return splat8(0.0)
    at = begin
    largest = splat8(-np.inf)
    for _ in range(actions):
        largest = larger(_regret_at(regrets, guess, keep, at), largest)
        at += lanes
    return largest


@inline
def _update_regrets(rule, player, weights, t, faced, instant):
    """Bottom-up: turn values into regrets and a new strategy, pass a value up to the parent.

    Reads values from, and writes the new strategy to, ``player.values``. A predictive recipe
    plays by the regrets expected next: those there are, and the last ones once more.
    """
    groups, regrets, values, guess = player.groups, player.regrets, player.values, player.prediction
    sums, old, new = player.sums, splat8(weights.decay[faced]), splat8(weights.weight[faced])
    zero, floor = splat8(0.0), splat8(weights.floor)
    keep_positive = splat8(weights.keep_positive[t])
    keep_negative = splat8(weights.keep_negative[t])
    keep_next = splat8(weights.keep_positive[t + 1])
    sharpness, sharpness_next = splat8(weights.sharpness[t]), splat8(weights.sharpness[t + 1])
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        uniform = splat8(1.0 / actions)
        has_parent = groups.parent[groups.first[g]] > 0
        for i in range(0, lanes, WIDTH):
            begin = groups.begin[g] + i
            # What the old strategy is worth.
            largest = _largest_regret(rule, regrets, guess, keep_positive, begin, lanes, actions)
            total, weighted, plain = zero, zero, zero
            at = begin
            for _ in range(actions):
                value = load8(values, at)
                regret = _regret_at(regrets, guess, keep_positive, at)
                weight = weigh(rule, regret, largest, sharpness)
                total = total + weight
                weighted = multiply_add(weight, value, weighted)
                plain = plain + value
                at += lanes
            mean = mean_value(total, weighted, plain, uniform)
            if len(sums) > 0:
                lane = groups.first[g] + i
                store8(sums, lane, multiply_add(load8(sums, lane), old, mean * new))
            # New regrets.
            total = zero
            at = begin
            for _ in range(actions):
                gain = load8(values, at) - mean
                regret = update(rule, load8(regrets, at), gain, keep_positive, keep_negative, floor)
                store8(regrets, at, regret)
                if len(guess) > 0:
                    store8(guess, at, gain)
                    regret = expected_regret(regret, keep_next, gain)
                if not uses_largest(rule):
                    total = total + weigh(rule, regret, zero, sharpness_next)
                at += lanes
            # The new strategy, and what it is worth if parents are to see it at once.
            largest = _largest_regret(rule, regrets, guess, keep_next, begin, lanes, actions)
            if uses_largest(rule):
                at = begin
                for _ in range(actions):
                    regret = _regret_at(regrets, guess, keep_next, at)
                    total = total + weigh(rule, regret, largest, sharpness_next)
                    at += lanes
            inverse = inverse_total(total)
            if instant:
                mean = zero
            at = begin
            for _ in range(actions):
                regret = _regret_at(regrets, guess, keep_next, at)
                weight = weigh(rule, regret, largest, sharpness_next)
                played = probability(weight, total, inverse, uniform)
                if instant:
                    mean = multiply_add(played, load8(values, at), mean)
                store8(values, at, played)
                at += lanes
            if has_parent:
                scatter_add8(values, groups.parent, groups.first[g] + i, mean)


@kernel
def match_into(rule, player, keep_next, sharpness_next):
    """Write the strategy that follows from the regrets (and predictions) to ``player.plan``."""
    groups, regrets, guess, plan = player.groups, player.regrets, player.prediction, player.plan
    zero, keep, sharpness = splat8(0.0), splat8(keep_next), splat8(sharpness_next)
    for g in range(len(groups.begin)):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        uniform = splat8(1.0 / actions)
        for i in range(0, lanes, WIDTH):
            begin = groups.begin[g] + i
            largest = _largest_regret(rule, regrets, guess, keep, begin, lanes, actions)
            total = zero
            at = begin
            for _ in range(actions):
                regret = _regret_at(regrets, guess, keep, at)
                weight = weigh(rule, regret, largest, sharpness)
                store8(plan, at, weight)
                total = total + weight
                at += lanes
            inverse = inverse_total(total)
            at = begin
            for _ in range(actions):
                store8(plan, at, probability(load8(plan, at), total, inverse, uniform))
                at += lanes


@inline
def _learn(rule, player, weights, t, faced, instant):
    """Passes 2 and 3: from values to new regrets and a new plan."""
    _update_regrets(rule, player, weights, t, faced, instant)
    multiply_down_into(player.plan, player.values, player.groups)


@kernel
def iterate_player(rule, player, opponent_plan, weights, t, instant):
    """One player's half of iteration ``t``, against a given plan of the opponent.

    Given values are added here and not in `iterate`: a loop over none of them there made small
    games 3 to 16 % slower.
    """
    _average_and_clear(player, weights.decay[t], weights.weight[t])
    values, given = player.values, player.given
    gradient_into(values, player.panels, opponent_plan)
    for i in range(0, len(given), WIDTH):
        store8(values, i, load8(values, i) + load8(given, i))
    _learn(rule, player, weights, t, t, instant)


@kernel
def iterate(rule, player0, player1, weights, alternating, instant):
    """Run one iteration per entry of the weights."""
    for t in range(len(weights.decay) - 1):
        _average_and_clear(player0, weights.decay[t], weights.weight[t])
        _count_visits(player0, player1.plan)
        if alternating:
            gradient_into(player0.values, player0.panels, player1.plan)
            _learn(rule, player0, weights, t, t, instant)
            _average_and_clear(player1, weights.decay[t], weights.weight[t])
            _count_visits(player1, player0.plan)
            gradient_into(player1.values, player1.panels, player0.plan)
        else:
            _count_visits(player1, player0.plan)
            _average_and_clear(player1, weights.decay[t], weights.weight[t])
            gradient_into(player0.values, player0.panels, player1.plan)
            gradient_into(player1.values, player1.panels, player0.plan)
            _learn(rule, player0, weights, t, t, instant)
        _learn(rule, player1, weights, t, t + 1 if alternating else t, instant)
