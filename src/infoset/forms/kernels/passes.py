"""Walks over a treeplex in lanes that every solver and evaluator shares."""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import where_greater
from infoset.machine.vec8 import WIDTH, gather8, load8, splat8, store8


class Groups(NamedTuple):
    """Groups of infosets of one depth and number of actions, shallow before deep.

    Lane ``i`` of group ``g`` is an infoset; its action ``a`` lies at
    ``begin[g] + a * lanes[g] + i``, its parent sequence at ``parent[first[g] + i]``. Lanes come in
    whole vectors; those that stand for no infoset are worth nothing and never reached. The first
    positions are the root sequences, of which number 0 is the empty one; what is left of their
    last vector is nothing at all.
    """

    begin: np.ndarray
    lanes: np.ndarray
    actions: np.ndarray
    first: np.ndarray
    parent: np.ndarray
    root: np.ndarray
    """[num_roots] The reach of each root sequence; 1 for the empty one."""


@inline
def multiply_down_into(plan, strategy, groups):
    """Turn a strategy into a plan: multiply every action by the reach of its parent.

    ``plan`` may be the strategy itself.
    """
    for i in range(len(groups.root)):
        plan[i] = groups.root[i]
    for g in range(len(groups.begin)):
        lanes = np.intp(groups.lanes[g])
        for i in range(0, lanes, WIDTH):
            reach = gather8(plan, groups.parent, groups.first[g] + i)
            at = groups.begin[g] + i
            for _ in range(groups.actions[g]):
                store8(plan, at, load8(strategy, at) * reach)
                at += lanes


@kernel
def multiply_down(plan, groups):
    """Turn a strategy into a plan, in place."""
    multiply_down_into(plan, plan, groups)


@kernel
def normalise(strategy, groups):
    """Scale every infoset's actions to sum to one, in place; uniform where all are zero.

    This turns a plan, or any sum of plans, into a strategy.
    """
    zero = splat8(0.0)
    one = splat8(1.0)
    for g in range(len(groups.begin)):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        uniform = splat8(1.0 / actions)
        for i in range(0, lanes, WIDTH):
            total = zero
            at = groups.begin[g] + i
            for _ in range(actions):
                total = total + load8(strategy, at)
                at += lanes
            divisor = where_greater(total, zero, total, one)
            at = groups.begin[g] + i
            for _ in range(actions):
                share = load8(strategy, at) / divisor
                store8(strategy, at, where_greater(total, zero, share, uniform))
                at += lanes
    strategy[: len(groups.root)] = 1.0
