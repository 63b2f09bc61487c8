"""What solvers in sequence form have in common: their result is a pair of plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import Evaluation, infoset_values, plan_exploitability, plan_values
from infoset.forms import SequenceForm
from infoset.solvers.contract import NO_NEWS, State, same_arrays
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]


class PlanSolver(ABC):
    """A solver that has plans to show; the part of the contract that follows from them."""

    is_exact = False
    evaluation_stride = 1

    def __init__(self, form: SequenceForm) -> None:
        self.form = form
        self.iteration = 0

    @abstractmethod
    def plans(self) -> tuple[Floats, Floats]:
        """The plans so far, in lanes."""

    @abstractmethod
    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""

    @property
    def news(self) -> Mapping[str, float]:
        """Nothing, unless a solver says otherwise."""
        return NO_NEWS

    def stop(self) -> None:  # noqa: B027
        """Nothing to do: a batch of iterations is never long."""

    def strategy(self) -> SequenceStrategy:
        """The strategy so far: what converges to an equilibrium."""
        return SequenceStrategy.from_plans(self.form, self.plans())

    def exploitability(self) -> float:
        """NashConv / 2 of the plans, in chips."""
        return plan_exploitability(self.form, self.plans())

    def evaluate(self) -> Evaluation:
        """Exploitability and values of the plans."""
        plans = self.plans()
        return Evaluation(plan_exploitability(self.form, plans), plan_values(self.form, plans))

    def counterfactual_values(self, player: int, *, best: bool = False) -> Floats:
        """[num_infosets] Of every infoset of a player, under his strategy or a best response."""
        return infoset_values(self.strategy(), player, best=best)

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the arrays of this solver."""
        return same_arrays(state, self.state())

    @property
    def form_bytes(self) -> int:
        """Bytes of the form as the solver reads it."""
        return self.form.lanes.nbytes


STARTED = "started"
"""What the iterations that a warm start stands for are called in a saved state."""


def started_of(state: State) -> int:
    """The iterations that the warm start of a run stood for; 0 if there was none."""
    return int(state[STARTED][0]) if STARTED in state else 0


def without_start(state: State) -> State | None:
    """A saved state but for its warm start; nothing if that is none that can be."""
    if STARTED not in state:
        return state
    started = state[STARTED]
    if started.shape != (1,) or started.dtype != np.int64 or started[0] < 1:
        return None
    return {name: array for name, array in state.items() if name != STARTED}


class LaneSolver(PlanSolver):
    """A solver whose tables are arrays in lanes (see `infoset.forms.lanes`), one of each player."""

    @abstractmethod
    def _kept(self) -> dict[str, Floats]:
        """What the next iteration depends on: arrays in lanes, whose names end with the player."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on, in the form's own numbering."""
        lanes = self.form.lanes
        return {name: lanes.collect(int(name[-1]), array) for name, array in self._kept().items()}

    def restore(self, state: State, iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        for name, array in self._kept().items():
            array[:] = self.form.lanes.spread(int(name[-1]), state[name])
        self.iteration = iteration

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, without padding."""
        return 8 * (len(self._kept()) // 2) * self.form.num_sequences


def refuse_values(form: SequenceForm, what: str) -> None:
    """Refuse a form with values beside its payoff, which is then not zero-sum."""
    if form.sequence_values is not None:
        raise BadInputError(
            f"{what} is for zero-sum payoffs, and this form has values beside them: use a regret "
            "minimiser, such as 'dcfr'"
        )
