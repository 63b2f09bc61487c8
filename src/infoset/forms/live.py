"""The live part of a sequence form: what is left when some sequences are not played for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.forms.history import HistoryTree
from infoset.forms.kernels.live_layout import (
    in_lane_order,
    live_rest,
    live_treeplex,
    loosen,
    order_lanes,
    place_into,
)
from infoset.forms.kernels.panels import PANEL_ROWS, Panels
from infoset.forms.kernels.passes import Groups
from infoset.forms.lanes import Ints, Lanes
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.surroundings import Mask, Masks
from infoset.forms.treeplex import Treeplex

_NONE = np.zeros(0, dtype=np.int32)
NO_PANELS: dict[str, NDArray[Any]] = {
    **{"row": _NONE, "begin": np.zeros(1, dtype=np.int64), "column": _NONE, "width": _NONE},
    **{"pattern": np.zeros(0, dtype=np.int64), "scale": np.zeros(0), "patterns": np.zeros(0)},
}
"""What `Panels` has of panels where there are none."""
SPARSE = "sparse_row", "sparse_begin", "sparse_column", "sparse_entry"
LOOSE = "loose_row", "loose_begin", "loose_column", "loose_entry"


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
        """Bytes of all arrays that are not those of the whole form."""
        arrays: list[NDArray[Any]] = [*self.masks, *self.sequences, *self.infosets]
        lanes = self.form.own_lanes
        if lanes is None:
            return sum(array.nbytes for array in arrays)
        for treeplex in self.form.treeplexes:
            arrays += [treeplex.infoset_begin, treeplex.infoset_parent]
        shared = sum(panels.loose_entries.nbytes for panels in lanes.panels)
        return sum(array.nbytes for array in arrays) + lanes.nbytes - shared


def live_form(form: SequenceForm, live: Masks) -> LiveForm:
    """Lay out the sequences in use; the parents of a sequence must be in use too.

    Lanes and strips are those of the whole form as far as they are live. A strip's rows and columns
    lie where their infosets are, which may have come into different groups: so strips are loose
    (see `Panels`). Its columns are in the order of the whole.
    """
    whole = form.lanes
    parts = [_Part(form, player, mask) for player, mask in enumerate(live)]
    first, second = (part.place for part in parts)
    panels = (
        _live_panels(whole, 0, first, second, parts[0].size),
        _live_panels(whole, 1, second, first, parts[1].size),
    )
    lanes = Lanes(
        groups=(parts[0].groups, parts[1].groups),
        sizes=(parts[0].size + PANEL_ROWS, parts[1].size + PANEL_ROWS),
        positions=(parts[0].positions, parts[1].positions),
        infoset_lane=(parts[0].infoset_lane, parts[1].infoset_lane),
        panels=panels,
        unit=whole.unit,
    )
    treeplexes = parts[0].treeplex, parts[1].treeplex
    small = SequenceForm(form.name, treeplexes, _no_histories, own_lanes=lanes)
    sequences = parts[0].sequences, parts[1].sequences
    return LiveForm(small, live, sequences, (parts[0].infosets, parts[1].infosets))


class _Part:
    """What is live of one player, laid out."""

    def __init__(self, form: SequenceForm, player: int, live: Mask) -> None:
        treeplex, lanes = form.treeplexes[player], form.lanes
        begin, parent, self.sequences, self.infosets = live_treeplex(
            treeplex.infoset_begin, treeplex.infoset_parent, live
        )
        self.treeplex = Treeplex(begin, parent, keys=(), labels=())
        num_lanes = len(lanes.groups[player].parent)
        order = in_lane_order(lanes.infoset_lane[player], num_lanes, self.infosets)
        depth = treeplex.infoset_depth[self.infosets]
        groups, laid = order_lanes(begin, parent, depth, order)
        self.groups = Groups._make((*groups, np.ones(self.treeplex.num_roots)))
        self.positions, self.infoset_lane, self.size = laid
        self.place = np.full(lanes.sizes[player], -1, dtype=np.int32)
        """By position in the lanes of the whole: the position in those of the live part, or -1."""
        place_into(self.place, lanes.positions[player], self.sequences, self.positions)


def _live_panels(whole: Lanes, player: int, rows: Ints, columns: Ints, end: int) -> Panels:
    """What is left of a matrix between rows and columns that are live."""
    panels, (first, entries) = whole.panels[player], whole.scaled_patterns[player]
    rest = zip(SPARSE, live_rest(panels, rows, columns), strict=True)
    loose = zip(LOOSE, loosen(panels, first, entries, rows, columns, end), strict=True)
    arrays: dict[str, NDArray[Any]] = {**NO_PANELS, **dict(rest), **dict(loose)}
    return panels._replace(**arrays, loose_entries=entries)


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
