"""What iterations, checks and layouts cost, by a model: so that pruning never costs more than it
saves, and a run that is resumed prunes exactly where it would have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm

ITERATION = 1.6, 7.0, 4.0
"""Nanoseconds of an iteration for each sequence, panel of payoffs, and payoff outside panels."""
LOOSE = 4.0, 1.7
"""The same for each loose strip of a live part, and each of its columns."""
FIRST = 3e5, 24.0
"""Nanoseconds of what the first check makes for all: in any case, and for each history."""
CHECK = 2e5, 24.0, 3.0
"""Nanoseconds of a check: in any case, for each sequence of the whole form, and each payoff."""
LAYOUT = 4e5, 14.0, 16.0
"""Nanoseconds of laying out: in any case, for each sequence of the whole, and of the live form."""
MOST = 0.04
"""What share of the time so far may be spent on checks that have not paid for themselves; half of
it after a check that found too little asleep, a quarter after two, and so on."""
FEW = 0.6
"""What share of the sequences may be live where the whole form is left: an iteration of a live part
costs 1.1 to 1.4 times its share of one of the whole, and some of the rest will wake again."""

LEAST = 1e5
"""Nanoseconds of an iteration below which a game is never pruned: on Leduc and no-limit Leduc(5) no
run was found that a check paid for, and the sums that it needs cost up to a tenth."""


def is_too_small(form: SequenceForm) -> bool:
    """Whether iterations are so cheap that thrifty pruning leaves them as they are."""
    return _iteration(form) < LEAST


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
        self.failed = -1
        """Checks of the whole since one that found enough asleep; the first one seldom can, since
        it does not know yet how things change. Where a part is live, no check is in vain: it is
        there to wake what must wake."""
        self._whole = _iteration(whole)
        self._each = self._whole
        self._check = round(
            CHECK[0] + CHECK[1] * whole.num_sequences + CHECK[2] * len(whole.payoff.rows)
        )
        few = (LAYOUT[1] + FEW * LAYOUT[2]) * whole.num_sequences
        self._few = round(LAYOUT[0] + few)
        self._first = round(FIRST[0] + FIRST[1] * whole.history.num_nodes)

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
        """Book a check; one that finds too little, until something is laid out."""
        self.spent += self._check + (self._first if self.spent == 0 else 0)
        self.failed += self._each == self._whole

    def lay_out(self, live: SequenceForm, whole: SequenceForm) -> None:
        """Book a new layout."""
        whole_part, live_part = LAYOUT[1] * whole.num_sequences, LAYOUT[2] * live.num_sequences
        self.spent += round(LAYOUT[0] + whole_part + live_part)
        if live is not whole:
            self.failed = 0

    def affords_check(self, iterations: int = 0) -> bool:
        """Whether a check, and the layout of a few sequences, may be paid after more iterations."""
        saved = self.saved + iterations * (self._whole - self._each)
        past = self.done + self.saved + iterations * self._whole
        cost = self._check + self._few + (self._first if self.spent == 0 else 0)
        return self.spent + cost <= saved + MOST * 0.5 ** max(self.failed, 0) * past

    def state(self) -> NDArray[np.float64]:
        """All numbers, for checkpoints."""
        return np.array([self.done, self.saved, self.spent, self.failed], dtype=np.float64)

    def restore(self, state: NDArray[np.float64]) -> None:
        """Go on from saved numbers."""
        self.done, self.saved, self.spent, self.failed = map(int, state.tolist())


def _iteration(form: SequenceForm) -> int:
    cost = ITERATION[0] * form.num_sequences
    for panels in form.lanes.panels:
        cost += ITERATION[1] * len(panels.column) + ITERATION[2] * len(panels.sparse_entry)
        cost += LOOSE[0] * (len(panels.loose_begin) - 1) + LOOSE[1] * len(panels.loose_column)
    return round(cost)
