"""Cumulative regrets by class of infosets: in a table, or in a network."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.neural.encoding import Encoding, Ints, Rows
from infoset.neural.fitting import Learner, Training, squared, squared_above_zero
from infoset.neural.networks import Shape
from infoset.neural.state import Arrays
from infoset.solvers import Otherwise, State

Players = tuple[int, ...]

FIRST_SIZE = 0.25
"""Root mean square of what the first mini-batch brings, after scaling: a network learns numbers of
such a size fast. Regret matching does not see the scale."""


def match(
    rows: NDArray[np.floating[Any]], encoding: Encoding, otherwise: Otherwise = "uniform"
) -> Rows:
    """Play in proportion to what is positive.

    If nothing is, play uniformly, or ``best``: the action that is highest (Brown et al. 2019),
    evenly if there are several.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.neural.word_encoding import encode_words
    >>> kuhn = encode_words(compile_game(make("kuhn")))
    >>> kuhn.slots, match(np.where(kuhn.legal, -1.0, 5.0), kuhn)[0].tolist()
    (('bet', 'call', 'check', 'fold'), [0.5, 0.0, 0.5, 0.0])
    """
    return match_some(rows, encoding.legal, otherwise)


def match_some(
    rows: NDArray[np.floating[Any]],
    legal: NDArray[np.bool_],
    otherwise: Otherwise = "uniform",
) -> Rows:
    """The same for some classes, given which of their outputs speak of an action."""
    positive = np.where(legal, np.maximum(rows, 0.0), 0.0)
    total = positive.sum(axis=1, keepdims=True)
    uniform = legal / legal.sum(axis=1, keepdims=True)
    fallback = uniform if otherwise == "uniform" else _best(rows, legal)
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), fallback)


def _best(rows: NDArray[np.floating[Any]], legal: NDArray[np.bool_]) -> Rows:
    """The highest action of each class; evenly where several are."""
    barred = np.where(legal, rows, -np.inf)
    highest = barred == barred.max(axis=1, keepdims=True)
    out: Rows = highest / highest.sum(axis=1, keepdims=True)
    return out


class Regrets(ABC):
    """What was regretted so far, and the strategy that follows."""

    def __init__(self, encoding: Encoding, *, floored: bool) -> None:
        self.encoding = encoding
        self.floored = floored
        """Regret matching+: what is kept of past regrets is what is positive."""

    @abstractmethod
    def rows(self) -> NDArray[np.floating[Any]]:
        """[num_classes, num_slots] Cumulative regrets, up to a factor."""

    @abstractmethod
    def rows_of(self, classes: Ints) -> NDArray[np.floating[Any]]:
        """[classes, num_slots] Those of some classes."""

    @abstractmethod
    def learn(self, rows: NDArray[np.floating[Any]], new: Rows, iteration: int, seed: int) -> None:
        """Add the regrets of a mini-batch to ``rows``, which is what `rows` gave.

        Where ``new`` is zero throughout, nothing was sampled, and ``rows`` need not be right.
        """

    @abstractmethod
    def clone(self, regrets: Rows, iterations: int, epochs: int) -> None:
        """Begin with regrets in chips, as if so many iterations had brought them."""

    @abstractmethod
    def state(self) -> Arrays:
        """All that `learn` depends on."""

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


class RegretTable(Regrets):
    """A number for every action."""

    def __init__(self, encoding: Encoding, *, floored: bool) -> None:
        super().__init__(encoding, floored=floored)
        self._rows = np.zeros((encoding.num_classes, encoding.num_slots))

    def rows(self) -> Rows:
        """The table."""
        return self._rows

    def rows_of(self, classes: Ints) -> Rows:
        """Some rows of the table."""
        return self._rows[classes]

    def learn(self, rows: NDArray[np.floating[Any]], new: Rows, iteration: int, seed: int) -> None:
        """Add them."""
        self._rows = self._rows + new
        if self.floored:
            self._rows = np.maximum(self._rows, 0.0)

    def clone(self, regrets: Rows, iterations: int, epochs: int) -> None:
        """Take them."""
        self._rows = regrets.copy()

    def state(self) -> Arrays:
        """The table."""
        return {"rows": self._rows.reshape(-1)}

    def restore(self, state: State) -> None:
        """Go on from a saved table."""
        self._rows = np.array(state["rows"], dtype=np.float64).reshape(self._rows.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the table, without padding."""
        return 8 * int(self.encoding.legal.sum())


class NetworkRegrets(Regrets):
    """Regrets in networks, whose weights can be kept to know later what they said."""

    @abstractmethod
    def weights(self, players: Players) -> NDArray[np.float32]:
        """The weights of what some players follow; zeros, which say zero, before it has learnt."""

    @abstractmethod
    def rows_with(self, weights: NDArray[np.float32], players: Players) -> NDArray[np.float32]:
        """[num_classes, num_slots] What networks of such weights say to these players."""


class RegretNetwork(NetworkRegrets):
    """The network RSN: it holds ``R / sqrt(t)``, so that its outputs stay of one size.

    After iteration ``t`` it is trained towards ``(sqrt(t - 1) old + r) / sqrt(t)``, where ``old``
    is what it said before and ``r`` the mini-batch's regrets, at the infosets that were sampled.
    ``everywhere`` trains it at all others too, towards what it said before (Equation (7) in full).
    """

    def __init__(
        self,
        encoding: Encoding,
        shape: Shape,
        training: Training,
        *,
        floored: bool,
        everywhere: bool,
        seed: int,
    ) -> None:
        super().__init__(encoding, floored=floored)
        self.everywhere = everywhere
        self.learner = Learner(encoding, shape, training, seed)
        self.scale = 0.0
        """What regrets in chips are multiplied with; 0 before the first are known."""

    def rows(self) -> NDArray[np.float32]:
        """What the network says; zero before it has learnt anything."""
        if not self.scale:
            return np.zeros(self.encoding.legal.shape, dtype=np.float32)
        return self.learner.all_rows()

    def rows_of(self, classes: Ints) -> NDArray[np.float32]:
        """What the network says of some classes."""
        if not self.scale:
            return np.zeros((len(classes), self.encoding.num_slots), dtype=np.float32)
        return self.learner.rows_of(classes)

    def learn(self, rows: NDArray[np.floating[Any]], new: Rows, iteration: int, seed: int) -> None:
        """Train the network on what was sampled."""
        seen = np.flatnonzero(new.any(axis=1))
        if not self.scale:
            if not len(seen):
                return
            brought = new[seen][self.encoding.legal[seen]]
            self.scale = FIRST_SIZE / float(np.sqrt(np.mean(brought**2)))
        if self.everywhere:
            seen = np.arange(self.encoding.num_classes)
        target = self.targets(rows[seen], new[seen], iteration)
        loss = squared_above_zero if self.floored else squared
        rng = np.random.default_rng([seed, iteration])
        self.learner.fit(seen, target, loss, iteration=iteration, rng=rng)

    def clone(self, regrets: Rows, iterations: int, epochs: int) -> None:
        """Train the network on them."""
        mean = regrets / math.sqrt(iterations)
        size = float(np.sqrt(np.mean(mean[self.encoding.legal] ** 2)))
        if not size:
            return
        self.scale = FIRST_SIZE / size
        loss = squared_above_zero if self.floored else squared
        everything = np.arange(self.encoding.num_classes)
        self.learner.clone(everything, self.scale * mean, loss, epochs)

    def targets(
        self, rows: NDArray[np.floating[Any]], new: Rows, iteration: int
    ) -> NDArray[np.floating[Any]]:
        """What a network is to say after an iteration that said ``rows`` before."""
        old = np.maximum(rows, 0.0) if self.floored else rows
        sums = (math.sqrt(iteration - 1) * old + self.scale * new) / math.sqrt(iteration)
        return np.maximum(sums, 0.0) if self.floored else sums

    def weights(self, players: Players) -> NDArray[np.float32]:
        """Those of the one network."""
        weights = self.learner.weights()
        return weights if self.scale else np.zeros_like(weights)

    def rows_with(self, weights: NDArray[np.float32], players: Players) -> NDArray[np.float32]:
        """What the network would say with other weights, to both players."""
        return self.learner.rows_with(weights, np.arange(self.encoding.num_classes))

    def state(self) -> Arrays:
        """Weights, what the optimiser remembers, the scale."""
        return self.learner.state() | {"scale": np.array([self.scale])}

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        self.learner.restore(state)
        self.scale = float(state["scale"][0])

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients and moments."""
        return self.learner.nbytes

    @property
    def num_parameters(self) -> int:
        """Of the network."""
        return self.learner.network.num_parameters

    @property
    def loss(self) -> float:
        """The loss of the last training."""
        return self.learner.loss
