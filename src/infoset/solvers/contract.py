"""The contract of all solvers: what the loop and the solution need from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import Evaluation
from infoset.strategy import Strategy

State = Mapping[str, NDArray[Any]]
Floats = NDArray[np.floating[Any]]

NO_NEWS: Mapping[str, float] = {}
"""Of solvers that have nothing to tell besides exploitability."""


class Solver(Protocol):
    """Tables by sequence, tables by hand, sampled tables and a linear program all do this."""

    iteration: int
    """Iterations done."""
    is_exact: bool
    """One call of `run` solves the game, and there is nothing to go on with."""
    evaluation_stride: int
    """Exploitability is measured at multiples of it: more often would cost more than the
    iterations between."""

    @property
    def news(self) -> Mapping[str, float]:
        """What there is to tell besides exploitability: losses and samples of networks."""

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` was called."""

    def stop(self) -> None:
        """Have a running `run` return soon, from a signal handler or another thread."""

    def strategy(self) -> Strategy:
        """The strategy so far; it does not change when the solver goes on."""

    def exploitability(self) -> float:
        """NashConv / 2 of the strategy so far, in chips, or a lower bound where that is sampled."""

    def evaluate(self) -> Evaluation:
        """All that is measured at the end of a run."""

    def counterfactual_values(self, player: int, *, best: bool = False) -> Floats:
        """What a player wins, times the probability that chance and the opponent lead there.

        In chips. Of every infoset of his in sequence form, of every hand at the root in public
        form; under his strategy so far or, with ``best``, a best response to the opponent's.
        """

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""

    def accepts(self, state: State) -> bool:
        """Whether a saved state is one of such a solver, on such a form."""

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""

    @property
    def nodes_touched(self) -> int:
        """Nodes visited so far, as a walk over histories would visit them."""

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next."""

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays of the solver, work space and padding included."""

    @property
    def form_bytes(self) -> int:
        """Bytes of the form as the solver reads it."""


def same_arrays(state: State, other: State) -> bool:
    """Whether two states have arrays of the same names, shapes and types."""

    def shapes(of: State) -> dict[str, Any]:
        return {name: (array.shape, array.dtype) for name, array in of.items()}

    return shapes(state) == shapes(other)
