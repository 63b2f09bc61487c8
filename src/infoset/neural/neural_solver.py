"""What all neural solvers have in common: an average strategy by class, and a run of iterations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError
from infoset.evaluation import plan_in_lanes
from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.state import Arrays, one_thread
from infoset.solvers import PlanSolver, State
from infoset.strategy import SequenceStrategy


class NeuralSolver(PlanSolver):
    """A solver whose strategy comes from networks; tables beside them are by class of infosets."""

    def __init__(self, form: SequenceForm, encoding: Encoding, seed: int) -> None:
        super().__init__(form)
        self.encoding = encoding
        self.seed = seed
        self._is_stopped = False

    def stop(self) -> None:
        """Have a running `run` return at the end of the iteration."""
        self._is_stopped = True

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` is called."""
        with one_thread():
            for _ in range(iterations):
                if self._is_stopped:
                    break
                self.iterate(self.iteration + 1)
                self.iteration += 1
        self._is_stopped = False

    @abstractmethod
    def iterate(self, iteration: int) -> None:
        """Do iteration ``t``."""

    @abstractmethod
    def average_rows(self) -> Rows:
        """[num_classes, num_slots] The strategy so far."""

    def probabilities(self) -> NDArray[np.float64]:
        """[num_sequences of both] The strategy so far, by sequence."""
        return self.encoding.by_sequence(self.average_rows())

    @property
    @abstractmethod
    def news(self) -> Mapping[str, float]:
        """What there is to tell besides exploitability: losses, samples."""

    def strategy(self) -> SequenceStrategy:
        """The strategy so far."""
        with one_thread():
            probabilities = self.probabilities()
        split = self.form.treeplexes[0].num_sequences
        return SequenceStrategy(self.form, (probabilities[:split], probabilities[split:]))

    def plans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The plans of the strategy so far, in lanes."""
        strategy = self.strategy()
        return plan_in_lanes(strategy, 0), plan_in_lanes(strategy, 1)

    @property
    @abstractmethod
    def num_parameters(self) -> int:
        """How many numbers training may change, in all networks."""

    @abstractmethod
    def parts(self) -> Arrays:
        """The state, but for what `state` adds to it."""

    @abstractmethod
    def restore_parts(self, state: State) -> None:
        """Go on from what `parts` gave."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on. Random numbers follow from seed and iteration."""
        run = np.array([self.seed, self.iteration, self.nodes_touched], dtype=np.int64)
        return self.parts() | {"run": run}

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver; memories may be of any length."""
        own = self.state()
        return own.keys() == state.keys() and all(
            own[name].dtype == array.dtype and (own[name].shape == array.shape or "memory" in name)
            for name, array in state.items()
        )

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        seed, at, touched = state["run"].tolist()
        if at != iteration or touched < 0:
            raise FileFormatError("the checkpoint is not of the iteration that it says")
        try:
            self.restore_parts(state)
        except (ValueError, KeyError, IndexError, RuntimeError) as error:
            raise FileFormatError(
                f"the checkpoint does not hold what this run needs to go on ({error})"
            ) from error
        self.seed, self.iteration = seed, iteration
        self.set_nodes_touched(touched)

    @property
    @abstractmethod
    def nodes_touched(self) -> int:
        """Histories visited so far."""

    @abstractmethod
    def set_nodes_touched(self, count: int) -> None:
        """Go on counting nodes from here."""
