"""A player of neural fictitious self-play: what he finds best, and the average of that."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from infoset.errors import FileFormatError
from infoset.neural.averages import BARRED, cross_entropy
from infoset.neural.encoding import Encoding, Ints, Rows
from infoset.neural.episodes import Transitions
from infoset.neural.fitting import Learner, Training, squared
from infoset.neural.memories import CircularBuffer, Reservoir, Steps
from infoset.neural.networks import Shape
from infoset.neural.state import Arrays, prefixed, unprefixed
from infoset.solvers import NeuralFictitiousPlay, State

Floats = NDArray[np.float64]


def half_squared(outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Half the mean squared difference: its slope is the difference, as the authors have it."""
    return 0.5 * squared(outputs, target, weight)


class Responder:
    """Two networks and two memories.

    `values` learns, by Q-learning from the last transitions, what each action is worth when both
    players play as they do in episodes; the *response* is the action of most value, with a share of
    random ones. `strategy` learns, by cross-entropy from a reservoir of what was done in episodes
    in which he responded, the average of all responses. Values are in units of the game: chips
    divided by the difference between the largest and the smallest payoff.
    """

    def __init__(
        self, encoding: Encoding, recipe: NeuralFictitiousPlay, unit: float, seed: int
    ) -> None:
        """``encoding`` is that of the player alone, ``unit`` what a reward of one is in chips."""
        self.encoding, self.recipe, self.unit = encoding, recipe, unit
        shape = Shape("mlp", recipe.embedding, recipe.layers)
        how = Training(rate=recipe.rate, optimiser=recipe.optimiser, clip=recipe.clip)
        self.values = Learner(encoding, shape, how, seed)
        how = replace(how, rate=recipe.average_rate)
        self.strategy = Learner(encoding, shape, how, seed + 1)
        self.transitions = CircularBuffer(recipe.memory)
        self.actions = Reservoir(recipe.average_memory, encoding.num_slots)
        self.updates = 0
        """Steps of training of `values` so far."""
        self._barred = (1.0 - self.values.legal) * BARRED
        self._best = self._best_values()
        """[classes] What the target network says of the best action. Nothing else is ever asked of
        it, and this changes only when it is copied anew, so it is held in place of its weights."""

    def average_rows(self) -> Rows:
        """[classes, num_slots] The average strategy."""
        outputs = torch.from_numpy(self.strategy.all_rows()) + self._barred
        rows: Rows = torch.softmax(outputs.double(), dim=1).numpy()
        return rows

    def average(self) -> Floats:
        """The average strategy by sequence of both players; 1 at those of the other."""
        return self.encoding.by_sequence(self.average_rows())

    def response_rows(self, epsilon: float) -> Rows:
        """[classes, num_slots] The action of most value; with ``epsilon``, any, all as likely."""
        rows = epsilon * self.encoding.uniform
        best = (self.values.all_rows() + self._barred.numpy()).argmax(axis=1)
        rows[np.arange(len(rows)), best] += 1.0 - epsilon
        return rows

    def response(self, epsilon: float) -> Floats:
        """The same by sequence of both players; 1 at those of the other."""
        return self.encoding.by_sequence(self.response_rows(epsilon))

    def remember(self, new: Transitions, rng: np.random.Generator) -> None:
        """Keep all transitions, and offer what was done in responding to the reservoir."""
        classes = self.encoding.sequence_class[new.sequence]
        slots = self.encoding.sequence_slot[new.sequence]
        # -1, for no next decision, would count from the end.
        following = np.where(
            new.following < 0, -1, self.encoding.sequence_class[new.following]
        ).astype(np.int32)
        rewards = (new.reward / self.unit).astype(np.float32)
        self.transitions.add(Steps(classes, slots, rewards, following))
        responded = new.is_response
        done = np.eye(self.encoding.num_slots, dtype=np.float32)[slots[responded]]
        self.actions.add(classes[responded], done, np.ones(len(done), dtype=np.float32), rng)

    def learn(self, rng: np.random.Generator) -> None:
        """Some steps of training of each network whose memory holds enough."""
        for _ in range(self.recipe.updates):
            if len(self.transitions) >= self.recipe.warmup:
                self._learn_values(self.transitions.draw(self.recipe.batch, rng))
            if len(self.actions) >= self.recipe.warmup:
                classes, done, _ = self.actions.draw(self.recipe.batch, rng)
                self._learn_strategy(classes, done)

    def targets(self, steps: Steps) -> NDArray[np.float32]:
        """What the values of the actions are to be: the reward and the best value that follows."""
        ends = steps.following < 0
        return steps.rewards + np.where(ends, np.float32(0.0), self._best[steps.following])

    def _learn_values(self, steps: Steps) -> None:
        if self.updates % self.recipe.refresh == 0:
            self._best = self._best_values()
        target = np.zeros((len(steps.slots), self.encoding.num_slots), dtype=np.float32)
        taken = np.zeros_like(target)
        rows = np.arange(len(target))
        target[rows, steps.slots] = self.targets(steps)
        taken[rows, steps.slots] = 1.0
        self.values.loss = self.values.step(
            self.values.read(steps.classes),
            torch.from_numpy(target),
            torch.from_numpy(taken),
            half_squared,
            self.recipe.rate,
        )
        self.updates += 1

    def _learn_strategy(self, classes: Ints, done: NDArray[np.float32]) -> None:
        legal = self.strategy.legal[torch.from_numpy(classes.astype(np.int64))]
        self.strategy.loss = self.strategy.step(
            self.strategy.read(classes),
            torch.from_numpy(done),
            legal,
            cross_entropy,
            self.recipe.average_rate,
        )

    def _best_values(self) -> NDArray[np.float32]:
        best: NDArray[np.float32] = (self.values.all_rows() + self._barred.numpy()).max(axis=1)
        return best

    @property
    def is_finite(self) -> bool:
        """Whether the last losses were numbers, as far as anything was learnt."""
        parts = (self.values, self.transitions), (self.strategy, self.actions)
        return all(
            math.isfinite(learner.loss)
            for learner, memory in parts
            if len(memory) >= self.recipe.warmup
        )

    @property
    def num_parameters(self) -> int:
        """Of both networks."""
        return self.values.network.num_parameters + self.strategy.network.num_parameters

    def state(self) -> Arrays:
        """Networks, memories, and what the target network says."""
        return (
            prefixed("values", self.values.state())
            | prefixed("strategy", self.strategy.state())
            | prefixed("transition_memory", self.transitions.state())
            | prefixed("action_memory", self.actions.state())
            | {"target": self._best.copy(), "updates": np.array([self.updates])}
        )

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        target, updates = state["target"], int(state["updates"][0])
        if not np.isfinite(target).all() or updates < 0:
            raise FileFormatError("what a target network says is not possible")
        self.values.restore(unprefixed("values", state))
        self.strategy.restore(unprefixed("strategy", state))
        self.transitions.restore(unprefixed("transition_memory", state), self.encoding.legal)
        self.actions.restore(unprefixed("action_memory", state), self.encoding.num_classes)
        self._best, self.updates = np.array(target, dtype=np.float32), updates

    @property
    def nbytes(self) -> int:
        """Bytes of weights with what trains them, memories, and what the target network says."""
        networks = self.values.nbytes + self.strategy.nbytes
        return networks + self.transitions.nbytes + self.actions.nbytes + self._best.nbytes
