"""Random strategies, guesses and agents for tests of AIVAT and of local best responses."""

from __future__ import annotations

import zlib

import numpy as np

from infoset.agents import Heuristic
from infoset.agents.agent import Agent
from infoset.games import TERMINAL
from infoset.strategy import SequenceStrategy

BOTH_WAYS = [(True, False), (False, True), (True, True)]


def random_strategy(form, seed, zeros=0.0):
    """Every action with a random probability, some of them never."""
    rng = np.random.default_rng(seed)
    sides = []
    for treeplex in form.treeplexes:
        numbers = rng.uniform(0.05, 1.0, treeplex.num_sequences)
        numbers[rng.uniform(size=len(numbers)) < zeros] = 0.0
        begin = treeplex.infoset_begin
        numbers[begin[:-1]] += 1e-3 * (zeros > 0)
        numbers[0] = 1.0
        totals = np.add.reduceat(numbers, begin[:-1]) if treeplex.num_infosets else []
        numbers[begin[0] :] /= np.repeat(totals, treeplex.infoset_num_actions)
        sides.append(numbers)
    return SequenceStrategy(form, (sides[0], sides[1]))


def nodes_by_steps(game, form):
    """The number of every history by the labels that lead to it."""
    tree, out = form.history, {}

    def walk(steps, state, node):
        out[steps] = node
        if state.player == TERMINAL:
            return
        labels = state.actions if state.player >= 0 else [label for label, _ in state.chance]
        for slot, label in enumerate(labels):
            walk((*steps, label), state.child(label), int(tree.node_child[node]) + slot)

    walk((), game.root(), 0)
    return out


class RandomGuess(Heuristic):
    """Any number at all, fixed by the public history and the hands; zero-sum."""

    def values(self, public, player, other_hand):
        rng = np.random.default_rng(zlib.crc32(public.public_history.encode()))
        table = rng.uniform(-5, 5, (len(self.game.hands),) * 2)
        return table[:, other_hand] if player == 0 else -table[other_hand]


class RandomAgent(Agent):
    """Plays every hand by random probabilities, fixed by the public history."""

    def __init__(self, game, seed=0):
        self.game, self.seed = game, seed

    def range_strategy(self, public):
        actions = public.actions
        number = zlib.crc32(f"{self.seed} {public.public_history}".encode())
        numbers = np.random.default_rng(number).dirichlet(
            [0.7] * len(actions), len(self.game.hands)
        )
        return dict(zip(actions, numbers.T, strict=True))

    def act(self, seen):
        return {a: float(p[seen.hand]) for a, p in self.range_strategy(seen.public).items()}
