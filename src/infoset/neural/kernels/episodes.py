"""Episodes of fictitious play: both players by fixed strategies, from the root to a terminal.

An episode draws, in this order: for player 0 and then for player 1, whether he responds in it; then
one number for every move with more than one action or outcome. Its random stream depends on the
seed, the number of its mini-batch and its own number in the mini-batch, and on nothing else.
"""

import numpy as np

from infoset.forms.kernels.expand import CHANCE, TERMINAL
from infoset.machine.compiled import kernel
from infoset.solvers.sampled.kernels.random import STEP, scramble, stream, uniform
from infoset.solvers.sampled.kernels.structures import unsigned
from infoset.solvers.sampled.kernels.walks import sample_action

TRANSITION = np.dtype(
    [
        ("sequence", np.int32),
        ("following", np.int32),
        ("reward", np.float64),
        ("player", np.int8),
        ("is_response", np.int8),
    ],
    align=True,
)
"""A decision and what came of it.

``sequence``: the action, numbered among the sequences of both players; ``following``: the first
sequence of the player's next infoset, -1 if he did not move again; ``reward``: what he won, in
chips, if he did not move again, else 0; ``player``: who moved; ``is_response``: whether he
responded in this episode or played his average strategy.
"""


@kernel
def play_into(log, tree, average, response, anticipatory, seed, batch, episodes):
    """Play a mini-batch and write its transitions to ``log``, episode by episode.

    ``average`` and ``response`` are the strategies of both players, by sequence. A player responds
    with probability ``anticipatory``. Returns the number of transitions and of histories visited.
    """
    key = scramble(seed + STEP)
    end, touched = 0, 0
    for episode in range(episodes):
        counter = stream(key, batch, episode) + STEP
        first_responds = uniform(counter) < anticipatory
        counter += STEP
        second_responds = uniform(counter) < anticipatory
        first_last, second_last = -1, -1
        node = np.int64(0)
        while True:
            touched += 1
            player = tree.player[unsigned(node)]
            if player == TERMINAL:
                break
            child = np.int64(tree.child[unsigned(node)])
            degree = tree.degree[unsigned(node)]
            number = 0.0
            if degree > 1:
                counter += STEP
                number = uniform(counter)
            if player == CHANCE:
                node = child + sample_action(tree.chance, child, degree, number)
                continue
            begin = tree.begin[unsigned(node)]
            responds = first_responds if player == 0 else second_responds
            strategy = response if responds else average
            slot = sample_action(strategy, begin, degree, number)
            last = first_last if player == 0 else second_last
            if last >= 0:
                log[unsigned(last)].following = begin
            transition = log[unsigned(end)]
            transition.sequence = begin + slot
            transition.following = -1
            transition.reward = 0.0
            transition.player = player
            transition.is_response = responds
            if player == 0:
                first_last = end
            else:
                second_last = end
            end += 1
            node = child + slot
        payoff = tree.payoff[unsigned(node)]
        if first_last >= 0:
            log[unsigned(first_last)].reward = payoff
        if second_last >= 0:
            log[unsigned(second_last)].reward = -payoff
    return end, touched


@kernel
def uniform_lengths(reach, tree):
    """Expected decisions and visited histories of an episode in which all actions are as likely.

    Writes ``reach`` [num_nodes], how likely each history then is.
    """
    decisions, visited = 0.0, 0.0
    for node in range(len(reach)):
        probability = 1.0
        if node > 0:
            parent = tree.parent[unsigned(node)]
            step = tree.chance[unsigned(node)]
            if tree.player[unsigned(parent)] != CHANCE:
                step = 1.0 / tree.degree[unsigned(parent)]
            probability = reach[unsigned(parent)] * step
        reach[unsigned(node)] = probability
        visited += probability
        if tree.player[unsigned(node)] >= 0:
            decisions += probability
    return decisions, visited
