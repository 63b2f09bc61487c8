"""What tests of matches share: agents, corrections and factories that other processes can make."""

from __future__ import annotations

import os
import time

import numpy as np

import infoset
from infoset.agents import Agent, Passive, StrategyAgent
from infoset.games import make
from infoset.strategy import SequenceStrategy


class Moody(Agent):
    """Bets by its own random numbers, and remembers how many actions it took in the hand."""

    def start(self, game, seat, random):
        self.random = random
        self.taken = 0

    def act(self, seen):
        self.taken += 1
        if self.taken > 1:
            return seen.actions[0]
        return seen.actions[self.random.randrange(len(seen.actions))]


class Slow(Passive):
    """Thinks a millisecond."""

    def act(self, seen):
        time.sleep(0.001)
        return super().act(seen)


class Fragile(Passive):
    """Fails in a hand of its own choice."""

    def act(self, seen):
        if seen.infoset.startswith("K:"):
            raise infoset.InfosetError("no kings, please")
        return super().act(seen)


class Liar(Passive):
    """Answers with what is no action when it has a king."""

    def act(self, seen):
        return "all my chips" if seen.infoset.startswith("K:") else super().act(seen)


class Vanishing(Passive):
    """Ends its process, unless that is the first one."""

    def act(self, seen):
        if os.environ.get("VANISH_UNLESS") != str(os.getpid()):
            os._exit(9)
        return super().act(seen)


class Halved:
    """Half of what was won, and a little for the number of steps: nothing like AIVAT."""

    name = "halved"

    def value(self, hand, seat):
        return (0.5 - seat) * float(hand.payoff) + 0.01 * len(hand.steps)


class HalvedAtOnce(Halved):
    """The same by terminals; `match` is where their hands come from."""

    def __init__(self, match):
        self.match = match

    def terminal_values(self, seat):
        tree = self.match.form.history
        values = np.full(tree.num_nodes, np.nan)
        for node in np.flatnonzero(tree.node_degree == 0):
            values[node] = self.value(self.match.hand_at(int(node)), seat)
        return values


def random_strategy(game, seed):
    """A strategy that plays everything, but nothing alike."""
    form = infoset.compile(game)
    random = np.random.default_rng(seed)
    tables = tuple(
        {
            key: dict(zip(labels, random.dirichlet(np.ones(len(labels))), strict=True))
            for key, labels in zip(treeplex.keys, treeplex.labels, strict=True)
        }
        for treeplex in form.treeplexes
    )
    return SequenceStrategy.from_tables(form, tables)


def player(name, seed):
    """An agent of a random strategy."""
    game = make(name)
    return StrategyAgent(game, random_strategy(game, seed))


def value_for_a(game, a, b):
    """What A wins per hand against B, seats alternating: exact."""
    form = infoset.compile(game)

    def won(first, second):
        both = SequenceStrategy(form, (first.probabilities[0], second.probabilities[1]))
        return infoset.expected_value(game, both)

    return (won(a, b) - won(b, a)) / 2
