"""What iterations, checks and layouts cost, by a model: so that pruning never costs more than it
saves, and a run that is resumed prunes exactly where it would have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm

ITERATION = 1.6, 7.0
"""Nanoseconds of an iteration for each sequence, and for each panel of payoffs."""
CHECK = 25.0, 8.0
"""Nanoseconds of a check for each sequence of the whole form, and for each payoff."""
LAYOUT = 3e6, 60.0, 170.0
"""Nanoseconds of laying out: in any case, for each sequence of the whole, and of the live form."""
MOST = 0.05
"""What share of the time so far may be spent on checks that have not paid for themselves."""


class Account:
    """Nanoseconds spent and saved, as the model has them; measured on one machine (2 cores, EPYC)."""

    def __init__(self) -> None:
        self.done = 0.0
        """On iterations."""
        self.saved = 0.0
        """By iterations on a live part instead of the whole."""
        self.spent = 0.0
        """On checks and layouts."""

    def iterate(self, iterations: int, live: SequenceForm, whole: SequenceForm) -> None:
        """Book iterations on the live part."""
        each, unpruned = _iteration(live), _iteration(whole)
        self.done += iterations * each
        self.saved += iterations * (unpruned - each)

    def check(self, whole: SequenceForm) -> None:
        """Book a check."""
        self.spent += _check(whole)

    def lay_out(self, live: SequenceForm, whole: SequenceForm) -> None:
        """Book a new layout."""
        self.spent += _layout(live, whole)

    def affords_check(self, live: SequenceForm, whole: SequenceForm) -> bool:
        """Whether a check, and the layout it may bring, fit into what may be spent."""
        price = _check(whole) + _layout(live, whole)
        return self.spent + price <= self.saved + MOST * (self.done + self.saved)

    def state(self) -> NDArray[np.float64]:
        """All numbers, for checkpoints."""
        return np.array([self.done, self.saved, self.spent])

    def restore(self, state: NDArray[np.float64]) -> None:
        """Go on from saved numbers."""
        self.done, self.saved, self.spent = state.tolist()


def _iteration(form: SequenceForm) -> float:
    panels = sum(len(p.column) + len(p.sparse_entry) // 4 for p in form.lanes.panels)
    return ITERATION[0] * form.num_sequences + ITERATION[1] * panels


def _check(form: SequenceForm) -> float:
    return CHECK[0] * form.num_sequences + CHECK[1] * len(form.payoff.rows)


def _layout(live: SequenceForm, whole: SequenceForm) -> float:
    return LAYOUT[0] + LAYOUT[1] * whole.num_sequences + LAYOUT[2] * live.num_sequences
