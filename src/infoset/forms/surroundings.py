"""What surrounds the sequences of a form: reach of infosets, bounds of payoffs, histories, ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from infoset.forms.kernels.collapse import TERMINAL, last_sequences
from infoset.forms.kernels.live import count_both, keep_reached, mark_ends, reach_into
from infoset.forms.reach import payoff_bounds
from infoset.forms.sequence_form import SequenceForm

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Masks = tuple[Mask, Mask]
"""Per player: [num_sequences] whether a sequence is in use."""

WORD = 64
"""Sequences whose masks are one number."""


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

    def of_both(self, masks: Masks) -> float:
        """How many histories are left if sequences of neither player are entered but these."""
        counts = self.counts
        return float(count_both(counts.indptr, counts.indices, counts.data, *masks))


class Ends:
    """Which sequences the game ends after, in words of 64 sequences of player 0.

    Column ``k`` of a word is a sequence of player 1, and which of the 64 it ends the game with.
    """

    def __init__(self, form: SequenceForm) -> None:
        self._treeplexes = form.treeplexes
        first, second = (treeplex.num_sequences for treeplex in form.treeplexes)
        rows, columns = form.payoff.rows, form.payoff.columns
        pair = (rows // WORD).astype(np.int64) * second + columns
        order = np.argsort(pair, kind="stable")
        pair = pair[order]
        starts = np.flatnonzero(np.diff(pair, prepend=-1))
        bits = np.left_shift(np.uint64(1), (rows[order] % WORD).astype(np.uint64))
        self._bits = np.bitwise_or.reduceat(bits, starts) if len(starts) else bits
        self._column = (pair[starts] % second).astype(np.int32)
        words = -(-first // WORD)
        self._begin = np.searchsorted(pair[starts] // second, np.arange(words + 1))

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
        treeplexes = form.treeplexes
        columns = form.history.columns
        first, second, chance = last_sequences(columns, *(t.infoset_begin for t in treeplexes))
        _, player, infoset, _, _, _, payoff = columns
        last = first, second
        unit = form.lanes.unit.of_chips(1.0)
        ends = (player == TERMINAL) & (chance > 0)
        reach, chances, highs, lows, spreads = [], [], [], [], []
        for p, treeplex in enumerate(treeplexes):
            here = player == p
            matrix = csr_array(
                (chance[here], (infoset[here], last[1 - p][here])),
                shape=(treeplex.num_infosets, treeplexes[1 - p].num_sequences),
            )
            lane = form.lanes.positions[1 - p][matrix.indices]
            reach.append((matrix.indptr.astype(np.int32), lane, matrix.data))
            chances.append(
                np.bincount(infoset[here], chance[here], minlength=treeplex.num_infosets)
            )
            own = payoff[ends] * (unit if p == 0 else -unit)
            high, low = (
                np.where(np.isfinite(bound), bound, 0.0)
                for bound in payoff_bounds(treeplex, last[p][ends], own)
            )
            begin = treeplex.infoset_begin[:-1]
            most, least = np.zeros(0), np.zeros(0)
            if len(begin):
                most, least = np.maximum.reduceat(high, begin), np.minimum.reduceat(low, begin)
            highs.append(high)
            lows.append(least)
            spreads.append(most - least)
        self._reach = reach
        """Per player: a matrix, row by row, of infosets by positions of the opponent's lanes."""
        self.chance = chances[0], chances[1]
        """Per player: [num_infosets] the reach if the opponent does all to lead there."""
        self.high = highs[0], highs[1]
        """Per player: [num_sequences] the most that he wins below a sequence, in payoff units."""
        self.low = lows[0], lows[1]
        """Per player: [num_infosets] the least that he wins at or below an infoset."""
        self.spread = spreads[0], spreads[1]
        """Per player: [num_infosets] the most minus the least."""
        self.histories = Histories(form)
        self.visits = tuple(
            form.lanes.spread(1 - p, visits)
            for p, visits in enumerate(self.histories.of_whole_walks())
        )
        """Per player, in the opponent's lanes: `Histories.of_whole_walks`."""
        self.ends = Ends(form)

    def reach(self, player: int, plan: Floats) -> Floats:
        """[num_infosets] The probability that chance and the opponent lead there.

        His plan is in lanes.
        """
        out = np.empty(self._form.treeplexes[player].num_infosets)
        reach_into(out, *self._reach[player], plan)
        return out

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = [*self.chance, *self.high, *self.low, *self.spread, *self.visits]
        counts = self.histories.counts
        for matrix in (*self._reach, (counts.data, counts.indices, counts.indptr)):
            arrays += matrix
        return sum(array.nbytes for array in arrays) + self.ends.nbytes
