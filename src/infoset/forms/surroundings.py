"""What surrounds the sequences of a form: reach of infosets, bounds of payoffs, histories, ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms.kernels.collapse import last_sequences
from infoset.forms.kernels.live import keep_reached, mark_ends, raise_bounds, reach_into
from infoset.forms.kernels.surroundings import (
    WORD,
    Around,
    add_visits,
    count_both,
    surround,
    words_of,
)
from infoset.forms.lanes import Ints
from infoset.forms.sequence_form import SequenceForm

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Masks = tuple[Mask, Mask]
"""Per player: [num_sequences] whether a sequence is in use."""


class Histories:
    """The last sequences of both players at every history."""

    def __init__(self, form: SequenceForm, last: tuple[Ints, Ints] | None = None) -> None:
        if last is None:
            begins = (treeplex.infoset_begin for treeplex in form.treeplexes)
            first, second, _ = last_sequences(form.history.columns, *begins)
            last = first, second
        self.last = last
        self._sizes = tuple(treeplex.num_sequences for treeplex in form.treeplexes)

    def visits(self, player: int, awake: Mask) -> Floats:
        """By sequence of the opponent: the histories that a walk of the player enters there.

        Histories of his own sequences that are not awake are left out.
        """
        visits = np.zeros(self._sizes[1 - player])
        add_visits(visits, self.last[player], self.last[1 - player], awake)
        return visits

    def of_whole_walks(self) -> tuple[Floats, Floats]:
        """Per player: `visits` of walks that leave nothing out of his own."""
        whole = (np.ones(size, dtype=bool) for size in self._sizes)
        first, second = (self.visits(p, awake) for p, awake in enumerate(whole))
        return first, second

    def of_both(self, masks: Masks) -> float:
        """How many histories are left if sequences of neither player are entered but these."""
        return float(count_both(*self.last, *masks))


class Ends:
    """Which sequences the game ends after, in words of 64 sequences of player 0.

    Column ``k`` of a word is a sequence of player 1, and which of the 64 it ends the game with.
    """

    def __init__(self, form: SequenceForm) -> None:
        self._treeplexes = form.treeplexes
        sizes = (treeplex.num_sequences for treeplex in form.treeplexes)
        payoff = form.payoff
        self._begin, self._column, self._bits = words_of(payoff.rows, payoff.columns, *sizes)

    def reached(self, awake: Masks) -> Masks:
        """The sequences in use of those awake: at or above an infoset that still ends somewhere.

        An infoset with no payoff below it between sequences that are awake on both sides learns
        nothing, and changes nothing for anybody.
        """
        first, second = (np.zeros(len(mask), dtype=bool) for mask in awake)
        words = len(self._begin) - 1
        padded = np.zeros(words * WORD, dtype=bool)
        padded[: len(first)] = awake[0]
        rows = np.packbits(padded, bitorder="little").view(np.uint64)
        mark_ends(self._begin, self._column, self._bits, rows, awake[1], second)
        first[:] = np.unpackbits(rows.view(np.uint8), count=len(first), bitorder="little")
        for treeplex, mask, reached in zip(self._treeplexes, awake, (first, second), strict=True):
            keep_reached(treeplex.infoset_begin, treeplex.infoset_parent, mask, reached)
        return first, second

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays: tuple[NDArray[Any], ...] = (self._bits, self._column, self._begin)
        return sum(array.nbytes for array in arrays)


class Surroundings:
    """What a check of a pruning solver asks of the whole form, beside its payoffs."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        treeplexes, lanes = form.treeplexes, form.lanes
        begins = (treeplex.infoset_begin for treeplex in treeplexes)
        *last, first, second = surround(
            form.history.columns, *begins, *lanes.positions, *lanes.sizes
        )
        self.histories = Histories(form, (last[0], last[1]))
        self._around: tuple[Around, Around] = first, second
        self.chance = first.chance, second.chance
        """Per player: [num_infosets] the reach if the opponent does all to lead there."""
        self.visits = first.visits, second.visits
        """Per player, in the opponent's lanes: `Histories.of_whole_walks`."""
        bounds = [self._bounds(player) for player in (0, 1)]
        self.high = bounds[0][0], bounds[1][0]
        """Per player: [num_sequences] the most that he wins below a sequence, in payoff units."""
        self.low = bounds[0][1], bounds[1][1]
        """Per player: [num_infosets] the least that he wins at or below an infoset."""
        self.spread = bounds[0][2], bounds[1][2]
        """Per player: [num_infosets] the most minus the least."""
        self.ends = Ends(form)

    def _bounds(self, player: int) -> tuple[Floats, Floats, Floats]:
        treeplex, around = self._form.treeplexes[player], self._around[player]
        raise_bounds(treeplex.infoset_begin, treeplex.infoset_parent, around.high, around.low)
        unit = self._form.lanes.unit.of_chips(1.0)
        high, low = (
            np.where(np.isfinite(bound), bound, 0.0) * unit for bound in (around.high, around.low)
        )
        begin = treeplex.infoset_begin[:-1]
        if len(begin) == 0:
            return high, np.zeros(0), np.zeros(0)
        most, least = np.maximum.reduceat(high, begin), np.minimum.reduceat(low, begin)
        return high, least, most - least

    def reach(self, player: int, plan: Floats) -> Floats:
        """[num_infosets] The probability that chance and the opponent lead there.

        His plan is in lanes.
        """
        out = np.empty(self._form.treeplexes[player].num_infosets)
        around = self._around[player]
        reach_into(out, around.begin, around.column, around.entry, plan)
        return out

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays: list[NDArray[Any]] = [*self.high, *self.low, *self.spread, *self.histories.last]
        for around in self._around:
            arrays += around
        return sum(array.nbytes for array in arrays) + self.ends.nbytes
