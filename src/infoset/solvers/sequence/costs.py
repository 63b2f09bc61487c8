"""What iterations, checks and layouts cost, by a model: so that pruning never costs more than it
saves, and a run that is resumed prunes exactly where it would have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm

ITERATION = 1.6, 7.0, 4.0
"""Nanoseconds of an iteration for each sequence, panel of payoffs, and payoff outside panels."""
CHECK = 4e5, 35.0, 9.0
"""Nanoseconds of a check: in any case, for each sequence of the whole form, and each payoff."""
LAYOUT = 2e6, 60.0, 330.0
"""Nanoseconds of laying out: in any case, for each sequence of the whole, and of the live form."""
MOST = 0.05
"""What share of the time so far may be spent on checks that have not paid for themselves."""
FEW = 0.4
"""What share of the sequences may be live where the whole form is left: panels of a live part hold
fewer payoffs each, so an iteration costs more for each sequence."""


class Account:
    """Nanoseconds spent and saved, by a model that was measured on one machine (2 cores, EPYC).

    All are whole numbers, so that sums do not depend on where a run is cut into pieces.
    """

    def __init__(self, whole: SequenceForm) -> None:
        self.done = 0
        """On iterations."""
        self.saved = 0
        """By iterations on a live part instead of the whole."""
        self.spent = 0
        """On checks and layouts."""
        self._whole = _iteration(whole)
        self._each = self._whole
        self._check = round(
            CHECK[0] + CHECK[1] * whole.num_sequences + CHECK[2] * len(whole.payoff.rows)
        )
        few = (LAYOUT[1] + FEW * LAYOUT[2]) * whole.num_sequences
        self._few = round(LAYOUT[0] + few)

    def use(self, live: SequenceForm) -> None:
        """Book iterations on this live part from now on."""
        self._each = _iteration(live)

    def begin_after(self, iterations: int) -> None:
        """Book the iterations that a warm start stands for, as if the whole had done them."""
        self.done += iterations * self._whole

    def iterate(self, iterations: int) -> None:
        """Book iterations."""
        self.done += iterations * self._each
        self.saved += iterations * (self._whole - self._each)

    def check(self) -> None:
        """Book a check."""
        self.spent += self._check

    def lay_out(self, live: SequenceForm, whole: SequenceForm) -> None:
        """Book a new layout."""
        whole_part, live_part = LAYOUT[1] * whole.num_sequences, LAYOUT[2] * live.num_sequences
        self.spent += round(LAYOUT[0] + whole_part + live_part)

    def affords_check(self, iterations: int = 0) -> bool:
        """Whether a check, and the layout of a few sequences, may be paid after more iterations."""
        saved = self.saved + iterations * (self._whole - self._each)
        past = self.done + self.saved + iterations * self._whole
        return self.spent + self._check + self._few <= saved + MOST * past

    def state(self) -> NDArray[np.float64]:
        """All numbers, for checkpoints."""
        return np.array([self.done, self.saved, self.spent], dtype=np.float64)

    def restore(self, state: NDArray[np.float64]) -> None:
        """Go on from saved numbers."""
        self.done, self.saved, self.spent = map(int, state.tolist())


def _iteration(form: SequenceForm) -> int:
    panels = sum(len(panels.column) for panels in form.lanes.panels)
    others = sum(len(panels.sparse_entry) for panels in form.lanes.panels)
    return round(ITERATION[0] * form.num_sequences + ITERATION[1] * panels + ITERATION[2] * others)
