"""What actions are worth to player 0, in a network that is told the whole history."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.games import CHANCE
from infoset.neural.encoding import Encoding
from infoset.neural.fitting import Learner, Training, squared
from infoset.neural.history_tree import sequence_of_node
from infoset.neural.memories import Ring
from infoset.neural.networks import Shape
from infoset.neural.state import prefixed, unprefixed
from infoset.solvers import State

Floats = NDArray[np.float64]
Nodes = NDArray[np.int32]

IMPORTANCE = 0.5
"""An action counts in training by this power of how often it is in the memory."""


class Transitions(Ring):
    """What players' actions led to, the newest ones."""

    def __init__(self, capacity: int) -> None:
        super().__init__(capacity, taken=np.int32, after=np.int32)

    def add(self, taken: Nodes, after: Nodes) -> None:
        """Add transitions: the node that an action led to, and the node that tells its value."""
        self.append(taken, after)

    def clear(self) -> None:
        """Forget all of them."""
        self.seen = 0

    def restore(self, state: State, form: SequenceForm) -> None:
        """Hold what was saved, if it can have been seen in a game."""
        history = form.history

        def fits(taken: Nodes, after: Nodes) -> bool:
            in_the_tree = taken.min() > 0 and after.max() < history.num_nodes
            return bool(in_the_tree and (taken <= after).all()) and bool(
                (history.node_player[history.node_parent[taken]] >= 0).all()
                and (history.node_player[after] != CHANCE).all()
            )

        self.hold(state, fits)


class HistoryValues:
    """The network q(h, a), trained on transitions by expected SARSA.

    The target of an action is what its transition led to: a payoff, or the mean over the actions
    there, by the current strategies, of what the network said before this training. Where
    transitions lead to the end at once, it is a regression on outcomes. Players' strategies may
    change from one iteration to the next: targets follow, as transitions do not depend on them.

    Transitions of the same action of alike histories are averaged before training, so that a step
    is over all of them at once.
    """

    def __init__(
        self,
        form: SequenceForm,
        histories: Encoding,
        shape: Shape,
        training: Training,
        *,
        capacity: int,
        seed: int,
    ) -> None:
        self.form = form
        self.histories = histories
        self.learner = Learner(histories, shape, training, seed)
        self.memory = Transitions(capacity)
        payoffs = form.history.node_payoff[form.history.node_degree == 0]
        self.unit = math.sqrt(float(np.mean(payoffs**2))) or 1.0
        """Chips that the network counts as 1: the root mean square of all payoffs."""
        self._sequence = sequence_of_node(form)
        self._acted = np.flatnonzero(self._sequence >= 0)
        self._is_trained = False

    def of_actions(self) -> Floats:
        """[num_nodes] What the action that leads to a node is worth, in chips; 0 after chance.

        All histories are asked for at once. Zero before anything was learnt.
        """
        out = np.zeros(self.form.history.num_nodes)
        if self._is_trained:
            rows = self.unit * self.learner.all_rows().astype(np.float64)
            out[self._acted] = self.histories.by_sequence(rows)[self._acted]
        return out

    def of_nodes(self, strategy: Floats) -> Floats:
        """[num_nodes] The value of a node to player 0: a payoff, or the mean over its actions.

        ``strategy`` is by sequence. Zero where chance moves.
        """
        history, acted = self.form.history, self._acted
        weighted = strategy[self._sequence[acted]] * self.of_actions()[acted]
        values = np.bincount(history.node_parent[acted], weighted, history.num_nodes)
        return values + history.node_payoff

    def targets(self, strategy: Floats) -> tuple[Floats, Floats]:
        """[num_classes, num_slots] The mean target of every action, in chips, and the number of
        transitions behind it."""
        taken, after = self.memory.held()
        found = self.of_nodes(strategy)[after]
        counts = self._totals(taken, np.ones(len(taken)))
        sums = self._totals(taken, found)
        return sums / np.maximum(counts, 1.0), counts

    def _totals(self, taken: Nodes, numbers: Floats) -> Floats:
        by_node: Floats = np.bincount(taken, numbers, self.form.history.num_nodes)  # type: ignore[assignment]
        return self.histories.totals(by_node)

    def learn(self, strategy: Floats, iteration: int, rng: np.random.Generator) -> None:
        """Train the network on the memory."""
        how = self.learner.training
        if not how.warm:
            self.learner.begin_anew(int(rng.integers(2**62)))
        elif not how.keep_moments:
            self.learner.forget_moments()
        if not len(self.memory):
            return
        target, counts = self.targets(strategy)
        known = np.flatnonzero(counts.any(axis=1))
        weight = counts[known] ** IMPORTANCE
        weights = torch.from_numpy((weight / weight.max()).astype(np.float32))
        targets = torch.from_numpy((target[known] / self.unit).astype(np.float32))
        size = min(how.batch or len(known), len(known))
        whole = self.learner.read(known) if size == len(known) else None
        rate = how.rate_at(iteration)
        for _ in range(how.epochs):
            if whole is not None:
                self.learner.loss = self.learner.step(whole, targets, weights, squared, rate)
                continue
            chosen = rng.choice(len(known), size, replace=False)
            batch, part = self.learner.read(known[chosen]), torch.from_numpy(chosen)
            of_batch = targets[part], weights[part]
            self.learner.loss = self.learner.step(batch, *of_batch, squared, rate)
        self._is_trained = True

    @property
    def loss(self) -> float:
        """The loss of the last step."""
        return self.learner.loss

    @property
    def nbytes(self) -> int:
        """Bytes of weights, gradients, moments and the memory."""
        return self.learner.nbytes + self.memory.nbytes

    def state(self) -> dict[str, NDArray[Any]]:
        """Weights, what the optimiser remembers, and the memory."""
        memory = prefixed("memory", self.memory.state())
        return self.learner.state() | memory | {"trained": np.array([int(self._is_trained)])}

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        self.learner.restore(state)
        self.memory.restore(unprefixed("memory", state), self.form)
        self._is_trained = bool(state["trained"][0])
