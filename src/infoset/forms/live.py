"""The live part of a sequence form: what is left when some sequences are not played for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.forms.history import HistoryTree
from infoset.forms.kernels.collapse import Payoff
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.surroundings import Mask, Masks
from infoset.forms.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class LiveForm:
    """A form without the sequences that are out of use, and what its numbers are in the whole."""

    form: SequenceForm
    """Infosets have no names in it."""
    masks: Masks
    """Which sequences of the whole form are in it."""
    sequences: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player, [sequences of the live form]: their numbers in the whole form."""
    infosets: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player, [infosets of the live form]: their numbers in the whole form."""

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept of the form itself, but for its lanes."""
        arrays: list[NDArray[Any]] = [*self.masks, *self.sequences, *self.infosets]
        if self.form.own_unit is not None:
            arrays += [*self.form.payoff]
            for treeplex in self.form.treeplexes:
                arrays += [treeplex.infoset_begin, treeplex.infoset_parent]
                arrays += [treeplex.infoset_num_actions, treeplex.sequence_infoset]
                arrays += [treeplex.infoset_depth]
        return sum(array.nbytes for array in arrays)


def live_form(form: SequenceForm, live: Masks) -> LiveForm:
    """Lay out the sequences in use; the parents of a sequence must be in use too."""
    parts, numbers, infosets = [], [], []
    for treeplex, mask in zip(form.treeplexes, live, strict=True):
        part, owners = _live_treeplex(treeplex, mask)
        parts.append(part)
        infosets.append(owners)
        numbers.append(np.flatnonzero(mask).astype(np.int32))
    payoff = form.payoff
    alive = live[0][payoff.rows] & live[1][payoff.columns]
    rows, columns = (
        (np.cumsum(mask) - 1).astype(np.int32)[ends[alive]]
        for mask, ends in zip(live, (payoff.rows, payoff.columns), strict=True)
    )
    small = SequenceForm(
        form.name,
        (parts[0], parts[1]),
        _no_histories,
        own_payoff=Payoff(rows, columns, payoff.entries[alive]),
        own_unit=form.lanes.unit,
    )
    return LiveForm(small, live, (numbers[0], numbers[1]), (infosets[0], infosets[1]))


def whole_as_live(form: SequenceForm) -> LiveForm:
    """A form of which everything is live: itself."""
    sequences = [np.arange(t.num_sequences, dtype=np.int32) for t in form.treeplexes]
    infosets = [np.arange(t.num_infosets, dtype=np.int32) for t in form.treeplexes]
    masks = [np.ones(t.num_sequences, dtype=bool) for t in form.treeplexes]
    return LiveForm(
        form, (masks[0], masks[1]), (sequences[0], sequences[1]), (infosets[0], infosets[1])
    )


def _no_histories() -> HistoryTree:
    raise TooLargeError("the live part of a form has no histories of its own")


def _live_treeplex(treeplex: Treeplex, live: Mask) -> tuple[Treeplex, NDArray[np.int32]]:
    """The infosets with a sequence in use, and their numbers in the whole."""
    counts = np.add.reduceat(np.append(live, False).astype(np.int64), treeplex.infoset_begin[:-1])
    if treeplex.num_infosets == 0:
        counts = np.zeros(0, dtype=np.int64)
    owners = np.flatnonzero(counts).astype(np.int32)
    renumbered = (np.cumsum(live) - 1).astype(np.int32)
    first = int(live[: treeplex.num_roots].sum())
    begin = first + np.append(0, np.cumsum(counts[owners]))
    parents = renumbered[treeplex.infoset_parent[owners]]
    return Treeplex(begin.astype(np.int32), parents, keys=(), labels=()), owners
