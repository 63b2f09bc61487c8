"""Many rounds of fictitious play in one call: best responses, summed as plans.

All arrays are in lanes (see `infoset.forms.lanes`).
"""

from typing import NamedTuple

import numpy as np

from infoset.forms.kernels.panels import Panels, gradient_into
from infoset.forms.kernels.passes import Groups, multiply_down
from infoset.machine.compiled import inline, kernel
from infoset.machine.simd import larger, where_greater
from infoset.machine.vec8 import WIDTH, load8, scatter_add8, splat8, store8


class Player(NamedTuple):
    """What fictitious play keeps and works on for one player."""

    groups: Groups
    panels: Panels
    average: np.ndarray
    """Sum of the initial plan and all best responses so far; its first entry counts them."""
    response: np.ndarray
    """Work array: values, then the strategy, then the plan of the best response."""
    slack: float
    """How much less than the best, in one iteration, still counts as equally good."""


@inline
def _respond(player, opponent_sum):
    """Write the plan of a best response to ``player.response``; ties go to the first action.

    The opponent's plan comes as a sum of plans. Bottom-up, an infoset's values have served as soon
    as the best of them has gone up to the parent, so the choice is written over them at once.
    """
    groups, response = player.groups, player.response
    zero, one, slack = splat8(0.0), splat8(1.0), splat8(player.slack * opponent_sum[0])
    response[:] = 0.0
    gradient_into(response, player.panels, opponent_sum)
    for g in range(len(groups.begin) - 1, -1, -1):
        lanes, actions = np.intp(groups.lanes[g]), groups.actions[g]
        for i in range(0, lanes, WIDTH):
            begin = groups.begin[g] + i
            best = load8(response, begin)
            at = begin
            for _ in range(1, actions):
                at += lanes
                best = larger(load8(response, at), best)
            left = one
            at = begin
            for _ in range(actions):
                taken = where_greater(best, load8(response, at) + slack, zero, left)
                store8(response, at, taken)
                left = left - taken
                at += lanes
            scatter_add8(response, groups.parent, groups.first[g] + i, best)
    multiply_down(response, groups)


@inline
def _add_response(player):
    average, response = player.average, player.response
    for i in range(len(average)):
        average[i] += response[i]


@kernel
def play(player0, player1, iterations, alternating):
    """Let both players best-respond to each other's average, again and again."""
    for _ in range(iterations):
        _respond(player0, player1.average)
        if alternating:
            _add_response(player0)
            _respond(player1, player0.average)
        else:
            _respond(player1, player0.average)
            _add_response(player0)
        _add_response(player1)
