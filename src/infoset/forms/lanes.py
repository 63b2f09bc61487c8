"""The layout of the kernels: infosets side by side in lanes, payoffs in small panels.

**Lanes.** All infosets of a player at one depth with one number of actions form a *group*. Its
sequences are stored action by action: ``[action, lane]``, one lane per infoset. Every pass over a
treeplex then runs along lanes, which are contiguous, so it vectorises whatever the game is.

**Panels.** In poker, the connected components of the payoff matrix are showdowns and folds: a few
hands of one player against a few hands of the other. Lanes are ordered so that each component
is contiguous on both sides, and it is stored as dense panels of eight rows. Most panels are a
multiple of another one (the same showdown for another pot), so a panel is a scale and the number
of a shared pattern. Entries that do not fill a panel stay in a sparse remainder.

A `Lanes` differs from the tree's own numbering by the permutations in `positions`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from infoset.forms.kernels.collapse import Payoff
from infoset.forms.kernels.live_layout import scaled_patterns
from infoset.forms.kernels.panels import PANEL_ROWS, Panels, pack_panels
from infoset.forms.kernels.passes import Groups
from infoset.forms.treeplex import Treeplex
from infoset.machine.vec8 import WIDTH

T = TypeVar("T", float, NDArray[np.float64])

MAX_DENOMINATOR = 10**7
MAX_DIFFERENT = 4096
"""How far a common unit of the payoffs is looked for."""

NO_LOOSE_STRIPS = (
    *(np.zeros(0, np.int32), np.zeros(1, np.int32)),
    *(np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0)),
)
"""What `Panels` has of loose strips where there are none."""

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Unit:
    """``2**exponent / denominator`` chips."""

    exponent: int = 0
    denominator: int = 1

    def in_chips(self, amount: T) -> T:
        """An amount in units, or an array of them, in chips."""
        out: T = np.ldexp(amount / self.denominator, self.exponent)
        return out

    def of_chips(self, chips: float) -> float:
        """An amount of chips in units; infinite ones stay so."""
        return float(np.ldexp(chips, -self.exponent)) * self.denominator


@dataclass(frozen=True, eq=False)
class Lanes:
    """Both players' lanes and the payoff panels between them."""

    groups: tuple[Groups, Groups]
    sizes: tuple[int, int]
    """Per player: length of an array over his lanes; the last panel may overhang them."""
    positions: tuple[Ints, Ints]
    """Per player, [num_sequences]: where a sequence of the tree lies in the lanes."""
    infoset_lane: tuple[Ints, Ints]
    """Per player, [num_infosets]: the lane of an infoset of the tree."""
    panels: tuple[Panels, Panels]
    """Per player: the matrix whose rows are that player's sequences, and his payoffs in units."""
    unit: Unit
    """What a payoff of 1 in the panels is worth."""

    @cached_property
    def scaled_patterns(self) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
        """Per player, for live parts: where the payoffs of each panel begin, and all payoffs."""
        first, second = (
            scaled_patterns(panels, np.lexsort((panels.scale, panels.width, panels.pattern)))
            for panels in self.panels
        )
        return first, second

    def spread(self, player: int, values: Floats) -> Floats:
        """An array over the tree's sequences, laid out in lanes."""
        out = np.zeros(self.sizes[player])
        out[self.positions[player]] = values
        return out

    def collect(self, player: int, lanes: Floats) -> Floats:
        """An array in lanes, put back in the order of the tree's sequences."""
        return lanes[self.positions[player]]

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays of the layout."""
        tuples = [*self.groups, *self.panels, self.positions, self.infoset_lane]
        if "scaled_patterns" in vars(self):
            tuples += self.scaled_patterns
        return sum(array.nbytes for arrays in tuples for array in arrays)


def lay_out(treeplexes: tuple[Treeplex, Treeplex], payoff: Payoff) -> Lanes:
    """Order both treeplexes into lanes and pack the payoff into panels."""
    sizes = [t.num_sequences for t in treeplexes]
    graph = coo_array(
        (np.ones(len(payoff.rows), dtype=np.int8), (payoff.rows, payoff.columns + sizes[0])),
        shape=(sum(sizes), sum(sizes)),
    )
    _, component = connected_components(graph, directed=False)
    ends_here = np.zeros(sum(sizes), dtype=bool)
    ends_here[payoff.rows] = True
    ends_here[payoff.columns + sizes[0]] = True
    component = np.where(ends_here, component, -1).astype(np.int32)
    parts = component[: sizes[0]], component[sizes[0] :]

    laid = [_order(t, part) for t, part in zip(treeplexes, parts, strict=True)]
    positions = laid[0][1], laid[1][1]
    ends = [
        int(g.begin[-1] + g.lanes[-1] * g.actions[-1]) if len(g.begin) else _whole(len(g.root))
        for g, *_ in laid
    ]
    labels = [np.full(end, -1, dtype=np.int32) for end in ends]
    for label, position, part in zip(labels, positions, parts, strict=True):
        label[position] = part
    rows = positions[0][payoff.rows]
    columns = positions[1][payoff.columns]
    entries, unit = _in_units(payoff.entries)
    panels = (
        _panels(labels[0], labels[1], rows, columns, entries),
        _panels(labels[1], labels[0], columns, rows, -entries),
    )
    return Lanes(
        groups=(laid[0][0], laid[1][0]),
        sizes=(ends[0] + PANEL_ROWS, ends[1] + PANEL_ROWS),
        positions=positions,
        infoset_lane=(laid[0][2], laid[1][2]),
        panels=panels,
        unit=unit,
    )


def _order(treeplex: Treeplex, component: Ints) -> tuple[Groups, Ints, Ints]:
    """Group the infosets of a player and give every sequence its position."""
    depth = treeplex.infoset_depth
    actions = treeplex.infoset_num_actions
    order = np.lexsort((_nearest_end(treeplex, component), actions, depth)).astype(np.int32)
    starts = np.flatnonzero(
        np.diff(depth[order], prepend=-1).astype(bool)
        | np.diff(actions[order], prepend=-1).astype(bool)
    )
    members = np.diff(np.append(starts, len(order)))
    lanes: NDArray[np.int64] = _whole(members)
    group_actions = actions[order[starts]]
    num_roots = treeplex.num_roots
    begin = _whole(num_roots) + _running(lanes * group_actions)
    first = _running(lanes)

    group_of = np.empty(len(order), dtype=np.int64)
    group_of[order] = np.repeat(np.arange(len(starts)), members)
    lane = np.empty(len(order), dtype=np.int64)
    lane[order] = np.arange(len(order)) - np.repeat(starts, members)
    owner = treeplex.sequence_infoset[num_roots:]
    slot = np.arange(num_roots, treeplex.num_sequences) - treeplex.infoset_begin[owner]
    group = group_of[owner]
    position = np.arange(treeplex.num_sequences, dtype=np.int32)
    position[num_roots:] = begin[group] + slot * lanes[group] + lane[owner]
    infoset_lane = (first[group_of] + lane).astype(np.int32)
    # Lanes without an infoset hang below the first positions, a different one each: were it one
    # for all, adding their nothings to it would be a chain of waits.
    parent = (np.arange(int(lanes.sum())) % WIDTH).astype(np.int32)
    parent[infoset_lane] = position[treeplex.infoset_parent]
    groups = Groups(
        begin=begin.astype(np.int32),
        lanes=lanes.astype(np.int32),
        actions=group_actions.astype(np.int32),
        first=first.astype(np.int32),
        parent=parent,
        root=np.ones(num_roots),
    )
    return groups, position, infoset_lane


def _whole(count: Any) -> Any:
    """A number of lanes, or several, in whole vectors."""
    return -(-count // WIDTH) * WIDTH


def _running(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several runs starts when they lie one behind the other."""
    return np.cumsum(counts) - counts


def _nearest_end(treeplex: Treeplex, component: Ints) -> Ints:
    """Per infoset, the first payoff component at or below it: what brings neighbours together.

    Infosets that differ only in what is private have the same ends, so they sort side by side,
    and in the same order wherever they are (the sort is stable).
    """
    none = np.iinfo(np.int32).max
    nearest = np.full(treeplex.num_infosets, none, dtype=np.int32)
    ends = np.flatnonzero(component[treeplex.num_roots :] >= 0) + treeplex.num_roots
    owner = treeplex.sequence_infoset
    np.minimum.at(nearest, owner[ends], component[ends])
    above = owner[treeplex.infoset_parent]
    by_depth = np.argsort(-treeplex.infoset_depth, kind="stable")
    depths = treeplex.infoset_depth[by_depth]
    for level in range(int(depths[0]) if len(depths) else 0, 0, -1):
        here = by_depth[
            np.searchsorted(-depths, -level) : np.searchsorted(-depths, -level, "right")
        ]
        here = here[nearest[here] != none]
        # Only a parent with no end of its own takes its children's.
        without = here[nearest[above[here]] == none] if len(here) else here
        np.minimum.at(nearest, above[without], nearest[without])
    return nearest


def _in_units(entries: Floats) -> tuple[Floats, Unit]:
    """Payoffs in a unit of their own: whole numbers if chance and stakes allow it.

    A chance of 1/6 has no exact double, so regrets that cancel would leave a rounding error, and
    regret matching turns the sign of that into a strategy. In sixths nothing is rounded, and what
    cancels does. Without such a common unit, a power of two keeps sizes within reason.
    """
    largest = float(np.abs(entries).max(initial=0.0))
    exponent = math.frexp(largest)[1]
    scaled = np.ldexp(entries, -exponent)
    different = np.unique(np.abs(scaled))
    common = 1
    for value in different.tolist() if len(different) <= MAX_DIFFERENT else [math.pi]:
        near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
        common = math.lcm(common, near.denominator)
        if common > MAX_DENOMINATOR or abs(float(near) - value) > 4e-16 * value:
            return scaled, Unit(exponent)
    return np.rint(scaled * common), Unit(exponent, common)


def _runs(label: Ints, longest: int) -> tuple[Ints, Ints, Ints]:
    """Cut positions into runs of one component: run of each position, begin and length of each."""
    change = np.flatnonzero(np.diff(label, prepend=-2))
    length = np.diff(np.append(change, len(label)))
    pieces = -(-length // longest)
    within = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = np.repeat(change, pieces) + within * longest
    end = np.minimum(begin + longest, np.repeat(change + length, pieces))
    run = np.repeat(np.arange(len(begin)), end - begin)
    return run.astype(np.int32), begin.astype(np.int32), (end - begin).astype(np.int32)


def _panels(
    row_label: Ints, column_label: Ints, rows: Ints, columns: Ints, entries: Floats
) -> Panels:
    """Group the entries by (run of up to eight rows, run of columns) and pack each group."""
    kept = np.flatnonzero(entries)
    rows, columns, entries = rows[kept], columns[kept], entries[kept]
    row_run, row_begin, _ = _runs(row_label, PANEL_ROWS)
    column_run, column_begin, column_length = _runs(column_label, 1 << 30)
    pair = row_run[rows].astype(np.int64) * len(column_begin) + column_run[columns]
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    ends = np.append(starts, len(pair))
    of_row = (pair[starts] // len(column_begin)).astype(np.int64)
    of_column = (pair[starts] % len(column_begin)).astype(np.int64)
    rows, columns, entries = rows[order], columns[order], entries[order]
    panel_row, column, width, pattern, scale, patterns, left = pack_panels(
        *(rows, columns, entries, ends, row_begin[of_row]),
        *(column_begin[of_column], column_length[of_column]),
    )
    left = left[np.argsort(rows[left], kind="stable")]
    strip_row, strip_begin = np.unique(panel_row, return_index=True)
    sparse_row, sparse_begin = np.unique(rows[left], return_index=True)
    return Panels(
        *(strip_row, np.append(strip_begin, len(panel_row))),
        *(column, width, pattern, scale, patterns),
        *(sparse_row, np.append(sparse_begin, len(left)), columns[left], entries[left]),
        *NO_LOOSE_STRIPS,
    )
