"""Outcome sampling of one history at a time, without a log: b=1, no baselines.

The walk has no branches, so regrets, averages and strategies are updated on the way back. Results
are those of the common walks to the bit, which take 2.0 times as long on Leduc, no-limit Leduc and
liar's dice: see docs/decisions/0009-walks.md.
"""

import numpy as np

from infoset.machine.compiled import inline
from infoset.solvers.sampled.kernels.random import STEP, uniform
from infoset.solvers.sampled.kernels.structures import BIASED, OPPONENT, TERMINAL, unsigned
from infoset.solvers.sampled.kernels.updates import discount_regrets, write_strategy
from infoset.solvers.sampled.kernels.walks import (
    deal_hands,
    hand_row,
    infoset_begin,
    num_deal_nodes,
    read_node,
    sample_action,
    sample_chance,
    sample_exploring,
)


@inline
def sample_path(nodes, tables, method, path, player, counter, weight):
    """Follow one history for a player, and add to the opponent's average on the way.

    Writes the traverser's nodes to ``path``. Returns their number, what the traverser wins, and
    how many nodes were touched.
    """
    strategy, average = tables.strategy, tables.average
    averages_own = method.averaging != OPPONENT
    hand0, hand1, counter = deal_hands(nodes, counter)
    own_row = hand_row(nodes, player, hand0, hand1)
    opponent_row = hand_row(nodes, 1 - player, hand0, hand1)
    touched = num_deal_nodes(nodes)
    pair = hand0 * nodes.num_hands + hand1
    path_weight, own_reach, opponent_reach = 1.0, 1.0, 1.0
    end = 0
    node = np.int64(0)
    while True:
        touched += 1
        child, degree, node_type = read_node(nodes.table, node)
        slot = np.int64(0)
        if node_type == 1 - player:
            begin = infoset_begin(nodes, opponent_row, node)
            if degree > 1:
                counter += STEP
                slot = sample_action(strategy, begin, degree, uniform(counter))
            if averages_own:
                opponent_reach *= strategy[unsigned(begin + slot)]
            elif weight > 0.0:
                scaled = weight * path_weight
                for s in range(begin, begin + degree):
                    average[unsigned(s)] += scaled * strategy[unsigned(s)]
        elif node_type == player:
            begin = infoset_begin(nodes, own_row, node)
            counter += STEP
            number = uniform(counter)
            slot, probability = sample_exploring(strategy, begin, degree, method.epsilon, number)
            step = path[unsigned(end)]
            step.begin = begin
            step.degree = degree
            step.slot = slot
            step.strategy = strategy[unsigned(begin + slot)]
            step.step_weight = 1.0 / probability
            step.path_weight = path_weight
            if averages_own:
                step.average_weight = own_reach
                if method.averaging != BIASED:
                    step.average_weight = own_reach * path_weight / opponent_reach
            end += 1
            path_weight *= step.step_weight
            own_reach *= step.strategy
        elif node_type == TERMINAL:
            break
        else:
            slot, counter = sample_chance(nodes, node, pair, counter)
        node = child + slot
    value = nodes.payoffs[unsigned(child + pair)]
    return end, value if player == 0 else -value, touched


@inline
def update_from_path(tables, method, path, end, value, weight, floor, log_kept):
    """Update the traverser's regrets, averages and strategies, from the last node to the first."""
    regrets, strategy, average = tables.regrets, tables.strategy, tables.average
    discounted, averages_own = len(tables.log_kept[0]) > 0, method.averaging != OPPONENT
    for i in range(end - 1, -1, -1):
        step = path[unsigned(i)]
        begin, degree = step.begin, step.degree
        action_value = value * step.step_weight
        value = step.strategy * action_value
        if discounted:
            discount_regrets(tables, log_kept, begin, degree)
        if averages_own:
            for s in range(begin, begin + degree):
                average[unsigned(s)] += weight * (step.average_weight * strategy[unsigned(s)])
        scale = step.path_weight
        unsampled = scale * (0.0 - value)
        total = 0.0
        for s in range(begin, begin + degree):
            added = unsampled if s != begin + step.slot else scale * (action_value - value)
            regret = max(regrets[unsigned(s)] + added, floor)
            regrets[unsigned(s)] = regret
            total += max(regret, 0.0)
        write_strategy(tables, begin, degree, total)
