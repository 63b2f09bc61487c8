"""Bottom-up over one player's lanes: the worth of a strategy, and of the best one."""

import numpy as np

from infoset.forms.kernels.panels import gradient_into
from infoset.machine.compiled import kernel
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


@kernel
def best_worth(values, groups):
    """The worth of the best strategy; ``values`` become those of actions, ends included."""
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            at = groups.begin[g] + i
            best = load8(values, at)
            for _ in range(1, groups.actions[g]):
                at += lanes
                best = max8(load8(values, at), best)
            scatter_add8(values, groups.parent, groups.first[g] + i, best)
    return values[0]


@kernel
def choose_best_into(strategy, values, groups):
    """Put all weight on the first of the best actions of every infoset."""
    zero, one = splat8(0.0), splat8(1.0)
    for g in range(len(groups.begin)):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            at = groups.begin[g] + i
            best = load8(values, at)
            for _ in range(1, groups.actions[g]):
                at += lanes
                best = max8(load8(values, at), best)
            at = groups.begin[g] + i
            left = one
            for _ in range(groups.actions[g]):
                taken = where_greater8(best, load8(values, at), zero, left)
                store8(strategy, at, taken)
                left = left - taken
                at += lanes
    strategy[0] = 1.0


@kernel
def strategy_worth(values, strategy, groups):
    """The worth of a strategy; ``values`` become those of its actions, what follows included."""
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            at = groups.begin[g] + i
            worth = splat8(0.0)
            for _ in range(groups.actions[g]):
                worth = multiply_add8(load8(values, at), load8(strategy, at), worth)
                at += lanes
            scatter_add8(values, groups.parent, groups.first[g] + i, worth)
    return values[0]


@kernel
def gradient_and_best(values, panels, groups, plan):
    """The opponent's plan in, the worth of the best response out."""
    values[:] = 0.0
    gradient_into(values, panels, plan)
    return best_worth(values, groups)


@kernel
def gradient_and_value(values, panels, own_plan, plan):
    """What a plan is worth against another."""
    values[:] = 0.0
    gradient_into(values, panels, plan)
    total = 0.0
    for i in range(len(values)):
        total += values[i] * own_plan[i]
    return total
