"""Samples by single trajectories, and a network that says what the actions of a history are worth.

There are two ways to make regrets from both: values as baselines, which lower the variance and
leave the expectation as it is, or values in place of what was sampled, which needs no importance
weights, and is as good as the values are.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding
from infoset.neural.fitting import Training
from infoset.neural.history_encoding import encode_histories
from infoset.neural.history_tree import depth_of_node, tree_of
from infoset.neural.history_values import Floats, HistoryValues
from infoset.neural.kernels.trajectories import (
    corrected_regrets_into,
    sample_paths_into,
    transitions_into,
    valued_regrets_into,
)
from infoset.neural.networks import Shape
from infoset.neural.state import Arrays
from infoset.neural.walks import SamplerAtOnce
from infoset.solvers import BaselineCFR, State, TrajectoryCFR, ValuedCFR

KINDS = 3
"""Random streams of a mini-batch: those of player 0's walks, of player 1's, and of rollouts."""
ROLLOUTS = 2


class Trajectories(SamplerAtOnce):
    """Mini-batches of single trajectories, on the history tree, on one core.

    Random numbers depend on the seed and the number of the mini-batch only.
    """

    def __init__(
        self,
        form: SequenceForm,
        recipe: TrajectoryCFR,
        encoding: Encoding,
        values: HistoryValues,
        seed: int,
    ) -> None:
        super().__init__(encoding, recipe.otherwise)
        self.values = values
        self.seed = seed
        self.walks = recipe.b
        self.alternating = recipe.alternating
        self.tree = tree_of(form)
        self._longest = 1 + int(depth_of_node(form.history).max())
        self._touched = 0

    def sums(self, number: int, strategy: Floats) -> tuple[Floats, Floats]:
        """The regrets of a mini-batch and what it adds to the average, by sequence, per walk."""
        self.prepare(number, strategy)
        of_actions = self.values.of_actions()
        regrets, visits = np.zeros_like(strategy), np.zeros_like(strategy)
        for player in (number % 2,) if self.alternating else (0, 1):
            explore = np.zeros(2)
            explore[player] = self.exploration
            paths, lengths = self.play(self.walks, strategy, explore, number, player)
            sampled = paths, lengths, self.tree, strategy, of_actions, player
            self.regrets_into(regrets, visits, sampled)
            self.remember(paths, lengths)
        return regrets / self.walks, visits / self.walks

    def play(
        self, count: int, strategy: Floats, explore: Floats, number: int, kind: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Some trajectories, [count, longest] and their lengths."""
        paths = np.zeros((count, self._longest), dtype=np.int32)
        lengths = np.zeros(count, dtype=np.int32)
        seed, batch = np.uint64(self.seed), KINDS * number + kind
        self._touched += int(
            sample_paths_into(paths, lengths, self.tree, strategy, explore, seed, batch)
        )
        return paths, lengths

    def learn_from(
        self, paths: NDArray[np.int32], lengths: NDArray[np.int32], *, to_the_end: bool
    ) -> None:
        """Remember what actions led to."""
        taken = np.zeros(int(lengths.sum()), dtype=np.int32)
        after = np.zeros_like(taken)
        count = transitions_into(taken, after, paths, lengths, self.tree, to_the_end)
        self.values.memory.add(taken[:count], after[:count])

    def train(self, number: int, strategy: Floats) -> None:
        """Train the values on what is remembered."""
        rng = np.random.default_rng([self.seed, number, KINDS])
        self.values.learn(strategy, number, rng)

    @property
    @abstractmethod
    def exploration(self) -> float:
        """How much of the uniform strategy the traverser samples by."""

    @abstractmethod
    def prepare(self, number: int, strategy: Floats) -> None:
        """Train the values before they are used."""

    @abstractmethod
    def regrets_into(self, regrets: Floats, visits: Floats, sampled: tuple[Any, ...]) -> None:
        """Add the regrets of trajectories; ``sampled`` is what kernels need of them."""

    def remember(self, paths: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Remember trajectories of walks."""

    def state(self) -> Arrays:
        """The network and its memory, and the seed."""
        return self.values.state() | {"seed": np.array([self.seed], dtype=np.int64)}

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        self.values.restore(state)
        self.seed = int(state["seed"][0])

    @property
    def loss(self) -> float:
        """The loss of the values."""
        return self.values.loss

    @property
    def num_parameters(self) -> int:
        """Of the network of values."""
        return self.values.learner.network.num_parameters

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far, those of rollouts too."""
        return self._touched

    @nodes_touched.setter
    def nodes_touched(self, count: int) -> None:
        self._touched = count

    @property
    def kept_bytes(self) -> int:
        """Bytes of the network and its memory."""
        return self.values.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of trajectories, and of the encoding of histories."""
        return 4 * self.walks * (1 + self._longest) + self.values.histories.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the history tree."""
        return sum(array.nbytes for array in self.tree)


class BaselineTrajectories(Trajectories):
    """Outcome sampling, with values as baselines: DREAM's samples.

    Values are trained on the walks of iterations past, so baselines do not depend on the sample
    that they correct.
    """

    def __init__(self, *parts: Any, epsilon: float) -> None:
        super().__init__(*parts)
        self._epsilon = epsilon

    @property
    def exploration(self) -> float:
        """How much of the uniform strategy the traverser samples by."""
        return self._epsilon

    def prepare(self, number: int, strategy: Floats) -> None:
        """Train on the walks so far, towards the values of the current strategy."""
        self.train(number, strategy)

    def regrets_into(self, regrets: Floats, visits: Floats, sampled: tuple[Any, ...]) -> None:
        """Add regrets whose expectation is the counterfactual regret."""
        player = sampled[-1]
        explore = np.zeros(2)
        explore[player] = self._epsilon
        weights = np.zeros(self._longest)
        corrected_regrets_into(regrets, visits, weights, *sampled, explore)

    def remember(self, paths: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Remember every walk."""
        self.learn_from(paths, lengths, to_the_end=False)


class ValuedTrajectories(Trajectories):
    """A traverser who samples uniformly, and regrets from values: ESCHER's samples.

    As he samples by the same strategy in every iteration, the sampled regrets of an infoset add up
    to its counterfactual regret times a constant, which regret matching does not see.
    """

    exploration = 1.0

    def __init__(self, *parts: Any, rollouts: int, explore: float, bootstrapped: bool) -> None:
        super().__init__(*parts)
        self.rollouts = rollouts
        self.bootstrapped = bootstrapped
        self._explore = np.full(2, explore)

    def prepare(self, number: int, strategy: Floats) -> None:
        """Play games by the current strategy, and train on them."""
        if not self.bootstrapped:
            self.values.memory.clear()
        paths, lengths = self.play(self.rollouts, strategy, self._explore, number, ROLLOUTS)
        self.learn_from(paths, lengths, to_the_end=not self.bootstrapped)
        self.train(number, strategy)

    def regrets_into(self, regrets: Floats, visits: Floats, sampled: tuple[Any, ...]) -> None:
        """Add regrets of the values."""
        valued_regrets_into(regrets, visits, *sampled)

    def remember(self, paths: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Walks tell what actions lead to, too; outcomes count in rollouts only."""
        if self.bootstrapped:
            self.learn_from(paths, lengths, to_the_end=False)


def trajectories_of(
    form: SequenceForm, rules: Any, recipe: TrajectoryCFR, encoding: Encoding, *, seed: int
) -> Trajectories:
    """What a recipe samples by, at its start."""
    values = HistoryValues(
        form,
        encode_histories(rules, form, encoding),
        Shape(recipe.network, recipe.value_embedding, recipe.layers, recipe.attention),
        Training(
            epochs=recipe.value_steps,
            batch=recipe.value_batch,
            rate=recipe.value_rate,
            clip=recipe.clip,
            warm=recipe.value_warm,
        ),
        capacity=recipe.transitions,
        seed=3 * seed + 1,
    )
    parts = form, recipe, encoding, values, seed
    if isinstance(recipe, BaselineCFR):
        return BaselineTrajectories(*parts, epsilon=recipe.epsilon)
    assert isinstance(recipe, ValuedCFR)
    return ValuedTrajectories(
        *parts,
        rollouts=recipe.rollouts,
        explore=recipe.explore,
        bootstrapped=recipe.bootstrapped,
    )
