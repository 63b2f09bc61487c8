"""Trajectories: one sampled history each, from the root to the end, and the regrets that follow.

A trajectory is a row of nodes of the history tree. Strategies are by sequence, player 0's first.
Values of actions are by node, to player 0: that of a node is the value of the action leading to it.
"""

from infoset.forms.kernels.expand import CHANCE
from infoset.machine.compiled import inline, kernel
from infoset.solvers.sampled.kernels.random import STEP, scramble, stream, uniform


@inline
def _mixed(strategy, sequence, degree, explore):
    """The probability of an action in the strategy mixed with ``explore`` of the uniform one."""
    return explore / degree + (1.0 - explore) * strategy[sequence]


@inline
def _probability(tree, strategy, explore, node, slot):
    """With which a child is sampled."""
    player, degree = tree.player[node], tree.degree[node]
    if player == CHANCE:
        return tree.chance[tree.child[node] + slot]
    return _mixed(strategy, tree.begin[node] + slot, degree, explore[player])


@inline
def _sample_slot(tree, strategy, explore, node, number):
    """The child that belongs to a random number below one."""
    total = 0.0
    last = 0
    for slot in range(tree.degree[node]):
        probability = _probability(tree, strategy, explore, node, slot)
        total += probability
        if number < total:
            return slot
        if probability > 0.0:
            last = slot
    return last  # rounding: the sum is a little below one


@kernel
def sample_paths_into(paths, lengths, tree, strategy, explore, seed, batch):
    """Write one trajectory a row; return how many nodes were visited.

    ``explore`` [2] is each player's share of the uniform strategy. The random numbers follow from
    ``seed``, ``batch`` and the number of the row.
    """
    visited = 0
    key = scramble(seed + STEP)
    for walk in range(len(lengths)):
        counter = stream(key, batch, walk)
        node, length = 0, 1
        paths[walk, 0] = 0
        while tree.degree[node] > 0:
            slot = 0
            if tree.degree[node] > 1:
                counter += STEP
                slot = _sample_slot(tree, strategy, explore, node, uniform(counter))
            node = tree.child[node] + slot
            paths[walk, length] = node
            length += 1
        lengths[walk] = length
        visited += length
    return visited


@kernel
def corrected_regrets_into(
    regrets, visits, weights, paths, lengths, tree, strategy, values, player, explore
):
    """Add a player's sampled regrets to ``regrets``, with ``values`` as baselines.

    From the end up, a trajectory's value ``v`` makes the value of every action of a node: that of
    action ``b`` is ``q(b)``, and that of the sampled action ``a`` is ``q(a) + (v - q(a)) / p(a)``
    with ``p(a)`` the probability of sampling it. The value of the node is their mean by the
    strategy (Schmid et al. 2019, Equations 9 and 10). Regrets are weighted by 1 / the player's own
    sampling reach, so their expectation is the counterfactual regret whatever ``values`` are. To
    ``visits`` goes the opponent's strategy, by the same weight. ``weights`` is work space, as long
    as the longest path.
    """
    sign = 1.0 if player == 0 else -1.0
    for walk in range(len(lengths)):
        last = lengths[walk] - 1
        weight = 1.0
        for i in range(last):
            weights[i] = weight
            node = paths[walk, i]
            if tree.player[node] == player:
                slot = paths[walk, i + 1] - tree.child[node]
                weight /= _probability(tree, strategy, explore, node, slot)
        value = sign * tree.payoff[paths[walk, last]]
        for i in range(last - 1, -1, -1):
            node, taken = paths[walk, i], paths[walk, i + 1]
            if tree.player[node] == CHANCE:
                continue
            begin, first, degree = tree.begin[node], tree.child[node], tree.degree[node]
            probability = _probability(tree, strategy, explore, node, taken - first)
            surprise = (value - sign * values[taken]) / probability
            value = strategy[begin + taken - first] * surprise
            for a in range(degree):
                value += strategy[begin + a] * sign * values[first + a]
            if tree.player[node] == player:
                for a in range(degree):
                    regrets[begin + a] += weights[i] * (sign * values[first + a] - value)
                regrets[begin + taken - first] += weights[i] * surprise
            else:
                for a in range(degree):
                    visits[begin + a] += weights[i] * strategy[begin + a]


@kernel
def valued_regrets_into(regrets, visits, paths, lengths, tree, strategy, values, player):
    """Add a player's regrets by ``values`` alone to ``regrets``, without importance weights.

    At every node of the player on a trajectory they are ``q(a)`` minus the mean of ``q`` by the
    strategy. The opponent's strategy goes to ``visits``.
    """
    sign = 1.0 if player == 0 else -1.0
    for walk in range(len(lengths)):
        for i in range(lengths[walk] - 1):
            node = paths[walk, i]
            if tree.player[node] == CHANCE:
                continue
            begin, first, degree = tree.begin[node], tree.child[node], tree.degree[node]
            if tree.player[node] != player:
                for a in range(degree):
                    visits[begin + a] += strategy[begin + a]
                continue
            mean = 0.0
            for a in range(degree):
                mean += strategy[begin + a] * values[first + a]
            for a in range(degree):
                regrets[begin + a] += sign * (values[first + a] - mean)


@kernel
def transitions_into(taken, after, paths, lengths, tree, to_the_end):
    """Write what players' actions led to; return how many there were.

    ``taken``: the node that an action led to. ``after``: the next node at which chance does not
    move, or, if ``to_the_end``, the terminal one.
    """
    count = 0
    for walk in range(len(lengths)):
        last = lengths[walk] - 1
        following = paths[walk, last]
        for i in range(last, 0, -1):
            node = paths[walk, i]
            if not to_the_end and tree.player[node] != CHANCE:
                following = node
            if tree.player[paths[walk, i - 1]] != CHANCE:
                taken[count] = node
                after[count] = following
                count += 1
    return count
