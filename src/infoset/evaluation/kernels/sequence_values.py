"""Bottom-up over one player's lanes: the value of a strategy, and of the best one."""

import numpy as np

from infoset.forms.kernels.panels import gradient_into
from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import larger, multiply_add
from infoset.machine.vec8 import WIDTH, load8, scatter_add8, splat8


@inline
def _root_value(values, groups):
    """What all root sequences are worth together."""
    total = 0.0
    for i in range(len(groups.root)):
        total += groups.root[i] * values[i]
    return total


@inline
def _best_of(values, strategy, at, lanes, actions):
    """The largest value of the actions of eight infosets, the first of which is ``at``."""
    best = load8(values, at)
    for _ in range(1, actions):
        at += lanes
        best = larger(load8(values, at), best)
    return best


@inline
def _mean_of(values, strategy, at, lanes, actions):
    """The mean value of the actions of eight infosets, as a strategy takes them."""
    value = splat8(0.0)
    for _ in range(actions):
        value = multiply_add(load8(values, at), load8(strategy, at), value)
        at += lanes
    return value


@inline
def _climb(value_of, values, strategy, groups):
    """Bottom-up; ``values`` become those of actions, what follows included."""
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            value = value_of(values, strategy, groups.begin[g] + i, lanes, groups.actions[g])
            scatter_add8(values, groups.parent, groups.first[g] + i, value)
    return _root_value(values, groups)


@kernel
def best_value(values, groups):
    """The value of the best strategy; see `_climb`."""
    return _climb(_best_of, values, values, groups)


@kernel
def strategy_value(values, strategy, groups):
    """The value of a strategy; see `_climb`."""
    return _climb(_mean_of, values, strategy, groups)


@kernel
def gradient_and_given(values, panels, given, plan):
    """Write what each sequence is worth against a plan, by the payoff and by what is given."""
    values[:] = 0.0
    gradient_into(values, panels, plan)
    for i in range(len(given)):
        values[i] += given[i]


@kernel
def plan_value(values, plan):
    """What a plan wins, given the values of its sequences."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * plan[i]
    return total
