"""The average strategy by class of infosets: in a table, in one network that follows, or in a
memory of strategies and a network trained on it."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from infoset.neural.encoding import Encoding, Rows
from infoset.neural.fitting import Learner, Training, squared_above_zero
from infoset.neural.memories import Reservoir
from infoset.neural.networks import Shape
from infoset.neural.regrets import Players, match
from infoset.neural.state import Arrays, prefixed, unprefixed
from infoset.solvers import State

IMPORTANCE = 0.5
"""An infoset counts in the training of a strategy by this power of how much it was visited. Of
0, 1/2 and 1 it is what came nearest to the table, measured on no-limit Leduc(5)."""


BARRED = -1e9
"""Added to what a network says of an action that there is not, before a softmax."""


def cross_entropy(outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """The mean cross-entropy of the softmax of ``outputs`` over the actions that there are."""
    likelihood = torch.log_softmax(outputs + (1.0 - weight) * BARRED, dim=1)
    return -(target * likelihood * weight).sum() / len(target)


class Sampled(NamedTuple):
    """What a mini-batch adds to the average."""

    strategy: Rows
    """[num_classes, num_slots] The strategy that it was sampled with."""
    visits: Rows
    """[num_classes, num_slots] The same, times how much each class was visited."""
    weight: float
    iteration: int
    seed: int
    players: Players = (0, 1)
    """Those whose strategy it is that counts."""


class Average(ABC):
    """All strategies so far, in one."""

    stride = 1
    """Iterations between two times at which `rows` has learnt all that was added."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding

    @abstractmethod
    def rows(self) -> Rows:
        """[num_classes, num_slots] The average strategy."""

    def by_sequence(self) -> NDArray[np.float64]:
        """[num_sequences of both] The same by sequence."""
        return self.encoding.by_sequence(self.rows())

    @abstractmethod
    def add(self, new: Sampled) -> None:
        """Add what a mini-batch found."""

    @abstractmethod
    def clone(self, sums: Rows, weight: float, epochs: int) -> None:
        """Begin with weighted sums of strategies, of iterations that weigh so much together."""

    @abstractmethod
    def state(self) -> Arrays:
        """All that `add` and `rows` depend on."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from a saved state."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes that are kept from one iteration to the next."""

    @property
    def num_parameters(self) -> int:
        """How many numbers training may change; none of a table."""
        return 0

    @property
    def loss(self) -> float:
        """The loss of the last training; not a number for tables."""
        return math.nan


class AverageTable(Average):
    """A sum for every action."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__(encoding)
        self._sums = np.zeros((encoding.num_classes, encoding.num_slots))

    def rows(self) -> Rows:
        """The sums, normalised."""
        return match(self._sums, self.encoding)

    def add(self, new: Sampled) -> None:
        """Add to the sums."""
        self._sums += new.weight * new.visits

    def clone(self, sums: Rows, weight: float, epochs: int) -> None:
        """Take them."""
        self._sums = sums.copy()

    def state(self) -> Arrays:
        """The sums."""
        return {"rows": self._sums.reshape(-1).copy()}

    def restore(self, state: State) -> None:
        """Go on from saved sums."""
        self._sums = np.array(state["rows"], dtype=np.float64).reshape(self._sums.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the table, without padding."""
        return 8 * int(self.encoding.legal.sum())


class AverageNetwork(Average):
    """The network ASN of Equation (8): it follows the sum of all strategies, step by step.

    It holds the sum divided by the weights of all iterations, in units of what the first iteration
    brought, so that its outputs stay of one size. As for regrets, it is trained where something was
    sampled, or ``everywhere``. Iterations are gathered ``every`` so many before it is trained.
    """

    def __init__(
        self,
        encoding: Encoding,
        shape: Shape,
        training: Training,
        *,
        every: int,
        everywhere: bool,
        seed: int,
    ) -> None:
        super().__init__(encoding)
        self.stride = every
        self.everywhere = everywhere
        self.learner = Learner(encoding, shape, training, seed)
        self._new = np.zeros((encoding.num_classes, encoding.num_slots))
        # The weights of the iterations learnt and of those gathered, and the unit.
        self._sums = np.zeros(3)
        self._due = 0, 0
        """The last iteration that was gathered, and its seed."""

    def rows(self) -> Rows:
        """What the network says, normalised; uniform before anything was added."""
        if self._sums[1]:
            ahead = copy.deepcopy(self)
            ahead._learn(*self._due)
            return ahead.rows() if not ahead._sums[1] else self.encoding.uniform
        if not self._sums[2]:
            return self.encoding.uniform
        return match(self.learner.all_rows(), self.encoding)

    def add(self, new: Sampled) -> None:
        """Gather, and train the network where that is due."""
        self._new += new.weight * new.visits
        self._sums[1] += new.weight
        self._due = new.iteration, new.seed
        if new.iteration % self.stride == 0:
            self._learn(*self._due)

    def _learn(self, iteration: int, seed: int) -> None:
        before, gathered, unit = self._sums
        total = before + gathered
        seen = np.flatnonzero(self._new.any(axis=1))
        if not len(seen) or not total:
            return
        old = np.zeros_like(self._new)
        if unit:
            old = np.maximum(self.learner.all_rows(), 0.0)
        else:
            mean = self._new[seen].sum(axis=1).mean() / total
            unit = self._sums[2] = 1.0 / mean
        if self.everywhere and before:
            seen = np.arange(self.encoding.num_classes)
        target = (before / total) * old[seen] + (unit / total) * self._new[seen]
        rng = np.random.default_rng([seed, iteration])
        self.learner.fit(seen, target, squared_above_zero, iteration=iteration, rng=rng)
        self._new[:] = 0.0
        self._sums[:2] = total, 0.0

    def clone(self, sums: Rows, weight: float, epochs: int) -> None:
        """Train the network on them."""
        visited = sums.sum(axis=1)
        unit = weight / visited[visited > 0.0].mean()
        self._sums[:] = weight, 0.0, unit
        everything = np.arange(self.encoding.num_classes)
        self.learner.clone(everything, (unit / weight) * sums, squared_above_zero, epochs)

    def state(self) -> Arrays:
        """Weights, what the optimiser remembers, and what is gathered."""
        sums, new = self._sums.copy(), self._new.reshape(-1).copy()
        return self.learner.state() | {"sums": sums, "new": new, "due": np.array(self._due)}

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        self.learner.restore(state)
        self._sums[:] = state["sums"]
        self._new[:] = np.reshape(state["new"], self._new.shape)
        self._due = int(state["due"][0]), int(state["due"][1])

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients, moments and what is gathered."""
        return self.learner.nbytes + (self._new.nbytes if self.stride > 1 else 0)

    @property
    def num_parameters(self) -> int:
        """Of the network."""
        return self.learner.network.num_parameters

    @property
    def loss(self) -> float:
        """The loss of the last training."""
        return self.learner.loss


class AverageMemory(Average):
    """A reservoir of strategies, and a network trained on it (Brown et al. 2019, Deep CFR).

    Every so many iterations, the samples are averaged by class, and the network is trained on these
    averages by cross-entropy: what it minimises is the likelihood of the samples, but for the
    weight of an infoset (see `IMPORTANCE`). It goes on from its weights, and `Training.warm` is
    false where it shall begin anew.
    """

    def __init__(
        self,
        encoding: Encoding,
        shape: Shape,
        training: Training,
        *,
        every: int,
        capacity: int,
        seed: int,
    ) -> None:
        super().__init__(encoding)
        self.stride = every
        self.learner = Learner(encoding, shape, training, seed)
        self.memory = Reservoir(capacity, encoding.num_slots)
        self._barred = (1.0 - self.learner.legal) * BARRED
        self._due = 0, 0
        """The last iteration that was offered and not learnt, and its seed; 0: none."""

    def rows(self) -> Rows:
        """What the network says; uniform before anything was added."""
        if not len(self.memory):
            return self.encoding.uniform
        if self._due[0]:
            learner, due = self.learner, self._due
            self.learner = copy.deepcopy(learner)
            try:
                self._learn(*due)
                return self.rows()
            finally:
                self.learner, self._due = learner, due
        outputs = torch.from_numpy(self.learner.all_rows()) + self._barred
        rows: Rows = torch.softmax(outputs.double(), dim=1).numpy()
        return rows

    def add(self, new: Sampled) -> None:
        """Offer the strategies that were visited to the memory, and train where that is due."""
        visited = new.visits.sum(axis=1)
        seen = np.flatnonzero(visited > 0.0)
        rng = np.random.default_rng([new.seed, new.iteration])
        self.memory.add(seen, new.strategy[seen], new.weight * visited[seen], rng)
        self._due = new.iteration, new.seed
        if new.iteration % self.stride == 0 and len(self.memory):
            self._learn(*self._due)

    def _learn(self, iteration: int, seed: int) -> None:
        rng = np.random.default_rng([seed, iteration, 1])
        sums = self.memory.totals(self.encoding.num_classes)
        weights = sums.sum(axis=1)
        known = np.flatnonzero(weights > 0.0)
        importance = (weights[known] / weights[known].mean()) ** IMPORTANCE
        target = importance[:, None] * sums[known] / weights[known][:, None]

        self.learner.fit(known, target, cross_entropy, iteration=iteration, rng=rng)
        self._due = 0, 0

    def clone(self, sums: Rows, weight: float, epochs: int) -> None:
        """Offer the memory one sample a class, and train the network on them."""
        visited = sums.sum(axis=1)
        seen = np.flatnonzero(visited > 0.0)
        strategy = sums[seen] / visited[seen, None]
        self.memory.add(seen, strategy, visited[seen], np.random.default_rng(0))
        importance = (visited[seen] / visited[seen].mean()) ** IMPORTANCE
        self.learner.clone(seen, importance[:, None] * strategy, cross_entropy, epochs)

    def state(self) -> Arrays:
        """Weights, what the optimiser remembers, and the memory."""
        memory = prefixed("memory", self.memory.state())
        return self.learner.state() | memory | {"due": np.array(self._due)}

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        self.learner.restore(state)
        self.memory.restore(unprefixed("memory", state), self.encoding.num_classes)
        self._due = int(state["due"][0]), int(state["due"][1])

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients, moments and the memory."""
        return self.learner.nbytes + self.memory.nbytes

    @property
    def num_parameters(self) -> int:
        """Of the network."""
        return self.learner.network.num_parameters

    @property
    def loss(self) -> float:
        """The loss of the last training."""
        return self.learner.loss
