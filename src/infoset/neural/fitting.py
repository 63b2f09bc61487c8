"""Fit a network to targets: Algorithm 3 of Li et al. (2020), each part of which can be left out."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from infoset.neural.encoding import Encoding, Ints
from infoset.neural.networks import Network, Shape, make_network
from infoset.neural.state import Arrays, moments_of, set_moments, set_weights, weights_of
from infoset.solvers import State

Floats = NDArray[np.floating[Any]]

PLATEAU_RATE = 1e-6
"""The lowest learning rate that a plateau leads to."""
CLONING_PATIENCE = 20
"""`Training.patience` where a network is to say at once what tables held."""
LARGEST_CACHE = 1 << 28
"""Bytes of features that are kept rather than made anew for every batch."""


@dataclass(frozen=True)
class Training:
    """How a network is trained in one iteration of a solver."""

    epochs: int = 20
    """Times that all samples are gone over, at most."""
    batch: int = 0
    """Samples of one step; 0 takes all at once."""
    rate: float = 1e-3
    """The learning rate of the optimiser."""
    cooling: float = math.inf
    """In iteration ``t`` of the solver the rate is ``rate / sqrt(1 + t / cooling)``."""
    clip: float = 1.0
    """The largest norm of a gradient; 0 is any."""
    patience: int = 0
    """Epochs without a lower loss after which the rate falls by `factor`; 0 is never."""
    factor: float = 0.5
    restart: int = 0
    """Epochs without a lower loss after which the rate is `rate` again; 0 is never."""
    enough: float = 0.0
    """A mean loss at which training stops early."""
    keep_best: bool = False
    """End with the weights of the lowest loss, not with the last."""
    keep_moments: bool = True
    """Go on with what the optimiser remembers of the last iteration."""
    warm: bool = True
    """Begin with the weights of the last iteration, not with random ones."""
    optimiser: Literal["adam", "sgd"] = "adam"
    """Adam, or gradient descent without momentum."""

    def rate_at(self, iteration: int) -> float:
        """The learning rate with which iteration ``t`` of the solver begins.

        >>> Training(rate=0.001, cooling=1).rate_at(3)
        0.0005
        """
        return self.rate / math.sqrt(1.0 + iteration / self.cooling)


class Loss(Protocol):
    """The mean loss of a batch."""

    def __call__(self, outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
        """``weight`` [batch, num_slots] is zero where there is no action."""


def squared(outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """The mean squared difference."""
    return (weight * (outputs - target) ** 2).sum() / weight.sum()


def squared_above_zero(outputs: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """The mean squared difference, where all outputs below zero are as good as zero.

    Only positive regrets are played, so a network need not learn how bad the others are. Where the
    target is positive, an output below zero still has a gradient.
    """
    difference = torch.where(target > 0.0, outputs - target, torch.relu(outputs))
    return (weight * difference**2).sum() / weight.sum()


class Learner:
    """A network, its optimiser, and the encoding that it reads."""

    def __init__(
        self, encoding: Encoding, shape: Shape, training: Training, seed: int, *, outputs: int = 0
    ) -> None:
        self.encoding = encoding
        self.training = training
        self._make = shape, encoding, seed, outputs
        self.legal = torch.from_numpy(encoding.legal.astype(np.float32))
        self.loss = math.nan
        """Mean loss of the last epoch."""
        self.begin_anew(seed)
        self._cache: Tensor | None = None
        size = 4 * encoding.num_classes * encoding.flat_width
        if shape.kind == "mlp" and size <= LARGEST_CACHE:
            self._cache = self.network.read(encoding, np.arange(encoding.num_classes))

    def begin_anew(self, seed: int) -> None:
        """Random weights, and an optimiser that remembers nothing."""
        shape, encoding, _, outputs = self._make
        self.network: Network = make_network(shape, encoding, seed, outputs=outputs)
        self.forget_moments()

    def forget_moments(self) -> None:
        """An optimiser that remembers nothing."""
        rate = self.training.rate
        self.optimiser: torch.optim.Optimizer
        if self.training.optimiser == "sgd":
            self.optimiser = torch.optim.SGD(self.network.parameters(), lr=rate)
        else:
            self.optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, fused=True)

    def read(self, classes: Ints) -> Any:
        """Some classes of infosets as the network takes them."""
        if self._cache is not None:
            return self._cache[torch.from_numpy(np.asarray(classes, dtype=np.int64))]
        return self.network.read(self.encoding, classes)

    def all_rows(self, chunk: int = 1 << 16) -> NDArray[np.float32]:
        """[num_classes, outputs] What the network says of every class."""
        count = self.encoding.num_classes
        with torch.no_grad():
            if self._cache is not None:
                rows: NDArray[np.float32] = self.network(self._cache).numpy()
                return rows
            parts = [
                self.network(self.read(np.arange(at, min(at + chunk, count)))).numpy()
                for at in range(0, count, chunk)
            ]
        return np.concatenate(parts)

    def rows_of(self, classes: Ints) -> NDArray[np.float32]:
        """[classes, outputs] What the network says of some classes."""
        with torch.no_grad():
            rows: NDArray[np.float32] = self.network(self.read(classes)).numpy()
        return rows

    def weights(self) -> NDArray[np.float32]:
        """[parameters] All weights of the network, one after the other."""
        parts = [p.detach().reshape(-1).numpy() for p in self.network.parameters()]
        return np.concatenate(parts)

    def rows_with(self, weights: NDArray[np.float32], classes: Ints) -> NDArray[np.float32]:
        """[classes, outputs] What the network would say with other weights."""
        other, at = copy.deepcopy(self.network), 0
        with torch.no_grad():
            for parameter in other.parameters():
                part = weights[at : at + parameter.numel()]
                parameter.copy_(torch.from_numpy(part).view_as(parameter))
                at += parameter.numel()
            rows: NDArray[np.float32] = other(self.read(classes)).numpy()
        return rows

    def step(self, batch: Any, target: Tensor, weight: Tensor, loss: Loss, rate: float) -> float:
        """One step of the optimiser on a batch as `read` gave it; return its loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        value = loss(self.network(batch), target, weight)
        value.backward()  # type: ignore[no-untyped-call]
        if self.training.clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.training.clip)
        self.optimiser.step()
        return float(value.detach())

    def fit(
        self,
        classes: Ints,
        target: Floats,
        loss: Loss,
        *,
        iteration: int,
        rng: np.random.Generator,
        importance: Floats | None = None,
    ) -> None:
        """Algorithm 3, with what is switched on of it.

        ``target`` is [classes, num_slots]. ``rng`` shuffles, if a step is not over all of them.
        ``importance`` [classes] is how much each counts in the loss; alike if not given.
        """
        how, count = self.training, len(classes)
        if not how.warm:
            self.begin_anew(int(rng.integers(2**62)))
        elif not how.keep_moments:
            self.forget_moments()
        targets = torch.from_numpy(np.ascontiguousarray(target, dtype=np.float32))
        weights = self.legal[torch.from_numpy(np.asarray(classes, dtype=np.int64))]
        if importance is not None:
            weights = weights * torch.from_numpy(importance.astype(np.float32))[:, None]
        size = min(how.batch or count, count)
        whole = self.read(classes) if size == count else None
        rate = first_rate = how.rate_at(iteration)
        best, best_epoch, lowered = math.inf, 0, 0
        best_weights: dict[str, Tensor] | None = None
        for epoch in range(how.epochs):
            order = np.arange(count) if whole is not None else rng.permutation(count)
            losses = []
            for at in range(0, count, size):
                chosen = order[at : at + size]
                batch = whole if whole is not None else self.read(classes[chosen])
                part = slice(None) if whole is not None else torch.from_numpy(chosen)
                losses.append(self.step(batch, targets[part], weights[part], loss, rate))
            self.loss = float(np.mean(losses))
            if self.loss < best:
                best, best_epoch = self.loss, epoch
                if how.keep_best:
                    state = self.network.state_dict()
                    best_weights = {name: value.clone() for name, value in state.items()}
            if self.loss < how.enough:
                break
            if how.restart and epoch - best_epoch > how.restart:
                rate, best_epoch = first_rate, epoch
            elif how.patience and epoch - max(best_epoch, lowered) >= how.patience:
                rate, lowered = max(rate * how.factor, PLATEAU_RATE), epoch
        if best_weights is not None:
            self.network.load_state_dict(best_weights)

    def clone(self, classes: Ints, target: Floats, loss: Loss, epochs: int) -> None:
        """Fit once, long, over all samples at a time, keeping the best: to begin a run with."""
        usual = self.training
        self.training = replace(
            usual, epochs=epochs, batch=0, patience=CLONING_PATIENCE, keep_best=True, enough=0.0
        )
        self.fit(classes, target, loss, iteration=0, rng=np.random.default_rng(0))
        self.training = usual
        self.forget_moments()

    def state(self) -> Arrays:
        """Weights and what the optimiser remembers, if it remembers anything."""
        moments = moments_of(self.optimiser).reshape(-1)
        state: Arrays = {"weights": weights_of(self.network)}
        return state | ({"moments": moments} if moments.size else {})

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        set_weights(self.network, state["weights"])
        self.forget_moments()
        set_moments(self.optimiser, state.get("moments", np.zeros(0, dtype=np.float32)))

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients and moments."""
        copies = 2 if self.training.optimiser == "sgd" else 4
        return 4 * copies * self.network.num_parameters
