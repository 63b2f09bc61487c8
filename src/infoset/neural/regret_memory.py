"""Regrets in a memory of samples for each player, and a network trained on it anew: Deep CFR."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.neural.encoding import Encoding, Rows
from infoset.neural.fitting import Learner, Training, squared
from infoset.neural.memories import Reservoir
from infoset.neural.networks import Shape
from infoset.neural.regrets import NetworkRegrets, Players
from infoset.neural.state import Arrays, prefixed, unprefixed
from infoset.solvers import State
import os
BOTH = (0, 1)
VIS=os.environ.get("VIS","1")=="1"

class RegretMemory(NetworkRegrets):
    """A reservoir of sampled regrets and a network for each player (Brown et al. 2019)."""

    def __init__(
        self, encoding: Encoding, shape: Shape, training: Training, *, capacity: int, seed: int
    ) -> None:
        super().__init__(encoding, floored=False)
        self.learners = [Learner(encoding, shape, training, seed + player) for player in BOTH]
        self.memories = [Reservoir(capacity, encoding.num_slots) for _ in BOTH]
        self._own = [np.flatnonzero(encoding.class_player == player) for player in BOTH]
        self._rows = np.zeros(encoding.legal.shape, dtype=np.float32)

    def rows(self) -> NDArray[np.float32]:
        """What the networks say; zero for a player of whom nothing was learnt."""
        return self._rows.copy()

    def learn(
        self,
        rows: NDArray[np.floating[Any]],
        new: Rows,
        iteration: int,
        seed: int,
        counts: NDArray[np.float64] | None = None,
    ) -> None:
        """Offer samples to the memories of players that walked, and train their networks."""
        rng = np.random.default_rng([seed, iteration])
        for player in BOTH:
            own = self._own[player]
            if VIS:
                seen = own[counts[own] > 0]
                if len(seen):
                    self.memories[player].add(seen, new[seen]/counts[seen][:,None], iteration * counts[seen], rng)
                    self._train(player, iteration, rng)
                continue
            seen = own[new[own].any(axis=1)]
            if len(seen):
                weights = np.full(len(seen), float(iteration))
                self.memories[player].add(seen, new[seen], weights, rng)
                self._train(player, iteration, rng)

    def targets(self, player: int):
        memory, count = self.memories[player], self.encoding.num_classes
        totals, weights = memory.totals(count), memory.weights_of(count)
        known = np.flatnonzero(weights > 0.0)
        return known, totals[known] / weights[known, None], weights[known]

    def _train(self, player: int, iteration: int, rng: np.random.Generator) -> None:
        known, means, weights = self.targets(player)
        importance = weights / weights.mean()
        legal = importance[:, None] * self.encoding.legal[known]
        size = np.sqrt((legal * means**2).sum() / legal.sum())
        learner = self.learners[player]
        learner.fit(
            known,
            means / (size or 1.0),
            squared,
            iteration=iteration,
            rng=rng,
            importance=importance,
        )
        self._evaluate(player)

    def _evaluate(self, player: int) -> None:
        own = self._own[player]
        self._rows[own] = self.learners[player].rows_of(own)

    def weights(self, players: Players) -> NDArray[np.float32]:
        """Those of the players' networks, one after the other."""
        return np.concatenate(
            [
                self.learners[p].weights() * np.float32(len(self.memories[p]) > 0)
                for p in players
            ]
        )

    def rows_with(self, weights: NDArray[np.float32], players: Players) -> NDArray[np.float32]:
        """What the players' networks would say with other weights; zero for the other player."""
        rows = np.zeros_like(self._rows)
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
        return sum(part.nbytes for part in (*self.learners, *self.memories))

    @property
    def loss(self) -> float:
        """The mean loss of both networks' last training, in shares of the size of the targets."""
        return float(np.mean([learner.loss for learner in self.learners]))
