"""The live part of a sequence form: what is left when some sequences are not played for a while."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from infoset.errors import TooLargeError
from infoset.forms.history import HistoryTree
from infoset.forms.kernels.collapse import TERMINAL, Payoff, last_sequences
from infoset.forms.kernels.live import keep_reached
from infoset.forms.reach import payoff_bounds
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.treeplex import Treeplex

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Masks = tuple[Mask, Mask]
"""Per player: [num_sequences] whether a sequence is in use."""


@dataclass(frozen=True, eq=False)
class LiveForm:
    """A form without the sequences that are out of use, and what its numbers are in the whole."""

    form: SequenceForm
    """Infosets have no names in it."""
    sequences: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player, [sequences of the live form]: their numbers in the whole form."""
    infosets: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player, [infosets of the live form]: their numbers in the whole form."""

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept of the form itself, but for its lanes."""
        arrays = [*self.sequences, *self.infosets]
        if self.form.own_unit is not None:
            arrays += [*self.form.payoff]
            for treeplex in self.form.treeplexes:
                arrays += [treeplex.infoset_begin, treeplex.infoset_parent]
                arrays += [treeplex.infoset_num_actions, treeplex.sequence_infoset]
                arrays += [treeplex.infoset_depth]
        return sum(array.nbytes for array in arrays)


def reached_by_both(form: SequenceForm, awake: Masks) -> Masks:
    """The sequences in use of those awake: at or above an infoset that still ends somewhere.

    An infoset with no payoff below it between sequences that are awake on both sides learns
    nothing, and changes nothing for anybody.
    """
    out = []
    payoff = form.payoff
    alive = awake[0][payoff.rows] & awake[1][payoff.columns]
    for treeplex, mask, ends in zip(
        form.treeplexes, awake, (payoff.rows, payoff.columns), strict=True
    ):
        reached = np.zeros(treeplex.num_sequences, dtype=bool)
        reached[ends[alive]] = True
        keep_reached(treeplex.infoset_begin, treeplex.infoset_parent, mask, reached)
        out.append(reached)
    return out[0], out[1]


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
    return LiveForm(small, (numbers[0], numbers[1]), (infosets[0], infosets[1]))


def whole_as_live(form: SequenceForm) -> LiveForm:
    """A form of which everything is live: itself."""
    sequences = [np.arange(t.num_sequences, dtype=np.int32) for t in form.treeplexes]
    infosets = [np.arange(t.num_infosets, dtype=np.int32) for t in form.treeplexes]
    return LiveForm(form, (sequences[0], sequences[1]), (infosets[0], infosets[1]))


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


class Histories:
    """How many histories there are whose last sequences are a given pair."""

    def __init__(self, form: SequenceForm) -> None:
        begins = (treeplex.infoset_begin for treeplex in form.treeplexes)
        first, second, _ = last_sequences(form.history.columns, *begins)
        shape = tuple(treeplex.num_sequences for treeplex in form.treeplexes)
        ones = np.ones(len(first), dtype=np.float32)
        self.counts: csr_array = coo_array((ones, (first, second)), shape=shape).tocsr()

    def visits(self, player: int, awake: Mask) -> Floats:
        """By sequence of the opponent: the histories that a walk of the player enters there.

        Histories of his own sequences that are not awake are left out.
        """
        matrix = self.counts if player == 1 else self.counts.T
        return np.asarray(matrix @ awake.astype(np.float32), dtype=np.float64)

    def of_whole_walks(self) -> tuple[Floats, Floats]:
        """Per player: `visits` of walks that leave nothing out of his own."""
        whole = (np.ones(size, dtype=bool) for size in self.counts.shape)
        first, second = (self.visits(p, awake) for p, awake in enumerate(whole))
        return first, second


class Surroundings:
    """What surrounds the sequences of a form: reach of infosets, bounds of payoffs, histories."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        treeplexes = form.treeplexes
        columns = form.history.columns
        first, second, chance = last_sequences(columns, *(t.infoset_begin for t in treeplexes))
        _, player, infoset, _, _, _, payoff = columns
        last = first, second
        unit = form.lanes.unit.of_chips(1.0)
        ends = (player == TERMINAL) & (chance > 0)
        reach, chances, highs, lows = [], [], [], []
        for p, treeplex in enumerate(treeplexes):
            here = player == p
            reach.append(
                csr_array(
                    (chance[here], (infoset[here], last[1 - p][here])),
                    shape=(treeplex.num_infosets, treeplexes[1 - p].num_sequences),
                )
            )
            own = payoff[ends] * (unit if p == 0 else -unit)
            high, low = payoff_bounds(treeplex, last[p][ends], own)
            highs.append(np.where(np.isfinite(high), high, 0.0))
            lows.append(np.where(np.isfinite(low), low, 0.0))
            chances.append(
                np.bincount(infoset[here], chance[here], minlength=treeplex.num_infosets)
            )
        self.reach = reach[0], reach[1]
        """Per player: a matrix that turns the opponent's plan into the reach of infosets, the
        probability that chance and he lead there."""
        self.chance = chances[0], chances[1]
        """Per player: [num_infosets] the reach if the opponent does all to lead there."""
        self.high = highs[0], highs[1]
        """Per player: [num_sequences] the most that he wins below a sequence, in payoff units."""
        self.low = lows[0], lows[1]
        """Per player: [num_sequences] the least."""
        self.histories = Histories(form)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = [*self.chance, *self.high, *self.low]
        for matrix in (*self.reach, self.histories.counts):
            arrays += [matrix.data, matrix.indices, matrix.indptr]
        return sum(array.nbytes for array in arrays)
