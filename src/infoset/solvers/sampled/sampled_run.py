"""What the dense and the sparse sampled solver share: the method, the random state, the weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError
from infoset.solvers.contract import NO_NEWS, State
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.kernels import structures
from infoset.solvers.sampled.kernels.batches import NODES, UPDATES
from infoset.solvers.sampled.kernels.structures import Method
from infoset.solvers.sampled.weights import SampleWeights
from infoset.solvers.traversals import (
    AverageStrategySampling,
    OutcomeSampling,
    PublicChanceSampling,
    RobustSampling,
)

Floats = NDArray[np.float64]


def normalise(average: Floats, infoset_begin: NDArray[np.integer[Any]]) -> Floats:
    """[num_sequences] The strategy in proportion to an average, uniform where that is zero."""
    counts = np.diff(infoset_begin)
    totals = np.repeat(np.add.reduceat(average, infoset_begin[:-1]), counts)
    strategy = np.append(1.0, np.repeat(1.0 / counts, counts))
    np.divide(average[1:], totals, out=strategy[1:], where=totals > 0.0)
    return strategy


_FOLLOW = {
    RobustSampling: structures.FOLLOW_K,
    OutcomeSampling: structures.FOLLOW_ONE,
    AverageStrategySampling: structures.FOLLOW_EACH,
}
_AVERAGING = {
    "opponent": structures.OPPONENT,
    "stochastic": structures.STOCHASTIC,
    "biased": structures.BIASED,
}


def method_of(recipe: Recipe) -> Method:
    """The traversal as kernels take it."""
    traversal = recipe.traversal
    parameters = vars(traversal)
    return Method(
        follow=_FOLLOW.get(type(traversal), structures.FOLLOW_ALL),
        k=parameters.get("k") or 0,
        epsilon=float(parameters.get("epsilon", 0.0)),
        tau=float(parameters.get("tau", 0.0)),
        beta=float(parameters.get("beta", 0.0)),
        samples_opponent=recipe.samples_opponent,
        public_chance=isinstance(traversal, PublicChanceSampling),
        counts_unsampled=parameters.get("unsampled", "counted") == "counted",
        averaging=_AVERAGING[recipe.averages_at],
        baseline_rate=recipe.baseline or 0.0,
    )


class SampledRun(ABC):
    """A sampled solver without its tables: the recipe, and how far the run is.

    The seed and the number of mini-batches done are the whole random state.
    """

    is_exact = False
    news = NO_NEWS

    def __init__(self, recipe: Recipe, horizon: int | None, seed: int) -> None:
        recipe.check(horizon)
        self.recipe = recipe
        self.seed = seed
        self.iteration = 0
        self.method = method_of(recipe)
        self.weights = SampleWeights(recipe, horizon)
        self.batches_per_iteration = 2 if recipe.alternating else 1
        self._batches = 0
        """Mini-batches done."""
        self._counts = np.zeros((1, 2), np.int64)
        """[threads, at least 2] Nodes touched and infosets updated."""

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far, chance and terminal ones included."""
        return int(self._counts[:, NODES].sum())

    @property
    def infosets_updated(self) -> int:
        """Infosets that got a new strategy, summed over all iterations."""
        return int(self._counts[:, UPDATES].sum())

    def run_state(self) -> dict[str, NDArray[Any]]:
        """What `state` holds besides tables."""
        return {
            "weights": self.weights.running.copy(),
            "random": np.array([self.seed % 2**64, self._batches], np.uint64).view(np.int64),
            "counts": np.array([self.nodes_touched, self.infosets_updated], np.int64),
        }

    def restore(self, state: State, iteration: int) -> None:
        """Continue from a saved state as if the run had never stopped."""
        try:
            for name, array in state.items():
                if not np.isfinite(array).all():
                    raise ValueError(f"{name} holds numbers that are not finite")
            seed, batches = state["random"].view(np.uint64).tolist()
            if batches // self.batches_per_iteration != iteration:
                raise ValueError("the number of mini-batches is not that of the iterations")
            weights, counts = state["weights"].reshape(4), state["counts"].reshape(2)
            self._restore_tables(state)
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileFormatError(
                "the checkpoint does not hold what a sampled run needs to go on "
                f"({error}); it was written with another form, or altered"
            ) from error
        self.weights.running[:] = weights
        self.seed, self._batches = seed, batches
        self.iteration = iteration
        self._counts[:] = 0
        self._counts[0, : UPDATES + 1] = counts

    @abstractmethod
    def _restore_tables(self, state: State) -> None:
        """Restore the tables; raise `KeyError` or `ValueError` if they are not in the state."""
