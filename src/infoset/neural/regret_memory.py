"""Regrets of Deep CFR: a memory of samples for each player, and a network trained on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.neural.encoding import Encoding, Ints, Rows
from infoset.neural.fitting import Learner, Training, squared
from infoset.neural.memories import Reservoir
from infoset.neural.networks import Shape
from infoset.neural.regrets import NetworkRegrets, Players
from infoset.neural.state import Arrays, prefixed, unprefixed
from infoset.solvers import State

BOTH = (0, 1)


class RegretMemory(NetworkRegrets):
    """A reservoir of sampled regrets and a network for each player (Brown et al. 2019).

    A mini-batch gives one sample to every class that it observed: the class's regrets, summed over
    the walks, with weight ``t``. So the weighted mean of a class's samples is the cumulative regret
    of linear CFR, divided by the weights of the iterations that observed the class. All actions of
    an infoset share that divisor, so regret matching gives the same strategy. In Deep CFR every
    visit is a sample of its own; the mean over visits differs by such a divisor, too.

    The loss is the squared error over all samples, weighted by ``t``. The samples of a class act
    on its gradient only by their mean and the sum of their weights, so the network is trained on
    these (see `targets`), and a step over all of them costs as much as there are classes. Means are
    divided by their root mean square: regret matching does not see it, and losses are about one.
    """

    def __init__(
        self, encoding: Encoding, shape: Shape, training: Training, *, capacity: int, seed: int
    ) -> None:
        super().__init__(encoding, floored=False)
        self.learners = [Learner(encoding, shape, training, seed + player) for player in BOTH]
        self.memories = [Reservoir(capacity, encoding.num_slots) for _ in BOTH]
        self._own = [np.flatnonzero(encoding.class_player == player) for player in BOTH]
        self._rows = np.zeros(encoding.legal.shape)

    def rows(self) -> Rows:
        """What the networks say; zero for a player of whom nothing was learnt."""
        return self._rows.copy()

    def rows_of(self, classes: Ints) -> Rows:
        """The same of some classes."""
        rows: Rows = self._rows[classes]
        return rows

    def learn(self, rows: NDArray[np.floating[Any]], new: Rows, iteration: int, seed: int) -> None:
        """Offer samples to the memories of those who walked, and train their networks."""
        rng = np.random.default_rng([seed, iteration])
        for player in BOTH:
            own = self._own[player]
            seen = own[new[own].any(axis=1)]
            if not len(seen):
                continue
            self.memories[player].add(seen, new[seen], np.full(len(seen), float(iteration)), rng)
            classes, means, weights = self.targets(player)
            importance = weights / weights.mean()
            legal = importance[:, None] * self.encoding.legal[classes]
            size = np.sqrt((legal * means**2).sum() / legal.sum())
            self.learners[player].fit(
                classes,
                means / size,
                squared,
                iteration=iteration,
                rng=rng,
                importance=importance,
            )
            self._evaluate(player)

    def clone(self, regrets: Rows, iterations: int, epochs: int) -> None:
        """Offer the memories one sample a class, of the weight of all those iterations."""
        weight = iterations * (iterations + 1) / 2
        for player in BOTH:
            own = self._own[player]
            rng = np.random.default_rng([0, player])
            self.memories[player].add(own, regrets[own] / weight, np.full(len(own), weight), rng)
            size = float(np.sqrt(np.mean(regrets[own][self.encoding.legal[own]] ** 2))) or 1.0
            self.learners[player].clone(own, regrets[own] / size, squared, epochs)
            self._evaluate(player)

    def targets(self, player: int) -> tuple[Ints, Rows, NDArray[np.float64]]:
        """The classes in a player's memory, the weighted means of their samples, and the weights.

        Regrets are in chips, of one walk.
        """
        memory, count = self.memories[player], self.encoding.num_classes
        weights = memory.weights_of(count)
        classes = np.flatnonzero(weights > 0.0)
        means = memory.totals(count)[classes] / weights[classes, None]
        return classes, means, weights[classes]

    def _evaluate(self, player: int) -> None:
        own = self._own[player]
        self._rows[own] = self.learners[player].rows_of(own)

    def weights(self, players: Players) -> NDArray[np.float32]:
        """Those of the players' networks, one after the other."""
        parts = [self.learners[player].weights() for player in players]
        known = [len(self.memories[player]) > 0 for player in players]
        return np.concatenate([w if k else 0.0 * w for w, k in zip(parts, known, strict=True)])

    def rows_with(self, weights: NDArray[np.float32], players: Players) -> NDArray[np.float32]:
        """What the players' networks would say with other weights; zero to another player."""
        rows = np.zeros(self._rows.shape, dtype=np.float32)
        for player, part in zip(players, np.split(weights, len(players)), strict=True):
            own = self._own[player]
            rows[own] = self.learners[player].rows_with(part, own)
        return rows

    def state(self) -> Arrays:
        """Weights, what the optimisers remember, and the memories."""
        parts: Arrays = {}
        for player in BOTH:
            parts |= prefixed(f"player{player}", self.learners[player].state())
            parts |= prefixed(f"memory{player}", self.memories[player].state())
        return parts

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        for player in BOTH:
            self.learners[player].restore(unprefixed(f"player{player}", state))
            memory = unprefixed(f"memory{player}", state)
            self.memories[player].restore(memory, self.encoding.num_classes)
            self._rows[self._own[player]] = 0.0
            if len(self.memories[player]):
                self._evaluate(player)

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients, moments and the memories."""
        trained = sum(learner.nbytes for learner in self.learners)
        return trained + sum(memory.nbytes for memory in self.memories)

    @property
    def num_parameters(self) -> int:
        """Of both players' networks."""
        return sum(learner.network.num_parameters for learner in self.learners)

    @property
    def loss(self) -> float:
        """The mean loss of the players' last trainings; about one before the first step."""
        return float(np.mean([learner.loss for learner in self.learners]))
