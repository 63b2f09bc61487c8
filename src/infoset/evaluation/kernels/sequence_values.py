"""Bottom-up over one player's lanes: the value of a strategy, and of the best one."""

import numpy as np

from infoset.forms.kernels.panels import gradient_into
from infoset.machine.compiled import kernel
from infoset.machine.simd import larger, multiply_add, where_greater
from infoset.machine.vec8 import WIDTH, load8, scatter_add8, splat8, store8


@kernel
def best_value(values, groups):
    """The value of the best strategy; ``values`` become those of actions, terminals included."""
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            at = groups.begin[g] + i
            best = load8(values, at)
            for _ in range(1, groups.actions[g]):
                at += lanes
                best = larger(load8(values, at), best)
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
                best = larger(load8(values, at), best)
            at = groups.begin[g] + i
            left = one
            for _ in range(groups.actions[g]):
                taken = where_greater(best, load8(values, at), zero, left)
                store8(strategy, at, taken)
                left = left - taken
                at += lanes
    strategy[0] = 1.0


@kernel
def strategy_value(values, strategy, groups):
    """The value of a strategy; ``values`` become those of its actions, what follows included."""
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            at = groups.begin[g] + i
            value = splat8(0.0)
            for _ in range(groups.actions[g]):
                value = multiply_add(load8(values, at), load8(strategy, at), value)
                at += lanes
            scatter_add8(values, groups.parent, groups.first[g] + i, value)
    return values[0]


@kernel
def gradient_and_best(values, panels, given, groups, plan):
    """The opponent's plan in, the value of the best response out."""
    values[:] = 0.0
    gradient_into(values, panels, plan)
    for i in range(len(given)):
        values[i] += given[i]
    return best_value(values, groups)


@kernel
def gradient_and_value(values, panels, given, own_plan, plan):
    """What a plan wins against another."""
    values[:] = 0.0
    gradient_into(values, panels, plan)
    for i in range(len(given)):
        values[i] += given[i]
    total = 0.0
    for i in range(len(values)):
        total += values[i] * own_plan[i]
    return total
