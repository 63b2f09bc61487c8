"""The payoff matrix in sequence form: dense panels that share patterns, and a sparse remainder."""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import allocating, inline_cached, kernel
from infoset.machine.simd import multiply_add
from infoset.machine.vec8 import WIDTH, load8, scatter8, splat8, store8

PANEL_ROWS = WIDTH
"""Rows of a panel: one vector."""


class Panels(NamedTuple):
    """A matrix. Strip ``s`` is eight rows from ``row[s]``, the sum of the products of its panels.

    Panel ``p`` of a strip is ``scale[p]`` times a pattern, over ``width[p]`` columns.
    """

    row: np.ndarray
    """[num_strips] First row, ascending; a strip may overhang, its patterns are zero there."""
    begin: np.ndarray
    """[num_strips + 1] First panel of each strip."""
    column: np.ndarray
    """[num_panels] First column."""
    width: np.ndarray
    """[num_panels] How many columns."""
    pattern: np.ndarray
    """[num_panels] Where the pattern starts: ``patterns[pattern[p] + 8 * j + i]``."""
    scale: np.ndarray
    """[num_panels] What the pattern is multiplied with."""
    patterns: np.ndarray
    """All different patterns, column by column."""
    sparse_row: np.ndarray
    """[num_sparse_rows] Rows with entries outside the panels."""
    sparse_begin: np.ndarray
    """[num_sparse_rows + 1] First entry of each such row."""
    sparse_column: np.ndarray
    sparse_entry: np.ndarray
    loose_row: np.ndarray
    """[8 * num_loose_strips] Of the live part of a form, whose rows and columns lie anywhere: the
    rows of a loose strip, or places beyond all rows for those that are not live."""
    loose_begin: np.ndarray
    """[num_loose_strips + 1] First column of each loose strip."""
    loose_column: np.ndarray
    """[num_loose_columns]"""
    loose_entry: np.ndarray
    """[num_loose_columns] Where the payoffs of the column start: eight of ``loose_entries``."""
    loose_entries: np.ndarray
    """All different columns of patterns, times their scales."""


@inline_cached
def gradient_into(values, panels, plan):
    """Write the matrix times ``plan``: what each of my sequences is worth.

    ``values`` must be zero before, and reach `PANEL_ROWS` beyond the last row.
    """
    patterns = panels.patterns
    for s in range(len(panels.row)):
        total = splat8(0.0)
        for p in range(panels.begin[s], panels.begin[s + 1]):
            k = panels.pattern[p]
            scale = panels.scale[p]
            column = np.intp(panels.column[p])
            for j in range(column, column + panels.width[p]):
                total = multiply_add(load8(patterns, k), splat8(scale * plan[j]), total)
                k += WIDTH
        # Not added but written: a strip that overhangs puts zeros where the next one, or nothing,
        # is to come, and no strip has to wait for the last one's store.
        store8(values, panels.row[s], total)
    num_loose = len(panels.loose_begin) - 1
    for s in range(num_loose):
        total = splat8(0.0)
        for k in range(panels.loose_begin[s], panels.loose_begin[s + 1]):
            entries = load8(panels.loose_entries, np.intp(panels.loose_entry[k]))
            total = multiply_add(entries, splat8(plan[panels.loose_column[k]]), total)
        scatter8(values, panels.loose_row, WIDTH * s, total)
    if num_loose > 0:
        store8(values, len(values) - WIDTH, splat8(0.0))
    for r in range(len(panels.sparse_row)):
        total_row = 0.0
        for k in range(panels.sparse_begin[r], panels.sparse_begin[r + 1]):
            total_row += panels.sparse_entry[k] * plan[panels.sparse_column[k]]
        values[panels.sparse_row[r]] += total_row


@kernel
def _is_dense(num_entries, width):
    # In units of one entry of the sparse rest: a column of a panel costs about one, the panel
    # itself about six. Measured on Kuhn, Leduc, liar's dice and goofspiel.
    return num_entries > width


@kernel
def _same(patterns, at, block, size):
    for i in range(size):
        ref = patterns[at + i]
        # Equal but for the rounding of a common factor.
        if abs(ref - block[i]) > 5e-16 * abs(ref):
            return False
    return True


@kernel
def _hash(block, size):
    h = np.uint64(1469598103934665603) ^ np.uint64(size)
    for i in range(size):
        word = np.uint64(np.int64(np.rint(block[i] * 1e6)))
        h = (h ^ word) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
    return h


@allocating
def pack_panels(rows, columns, entries, begin, panel_row, panel_column, panel_width):
    """Store each group of entries as a panel if it is dense enough, else in the sparse rest.

    Group ``g`` holds entries ``begin[g]:begin[g + 1]``, all in eight rows from ``panel_row[g]``
    and ``panel_width[g]`` columns from ``panel_column[g]``. Returns the panels' first row and what
    `Panels` has of them, from `Panels.column` to `Panels.patterns`; and which entries are left.
    """
    num_groups = len(panel_row)
    num_panels = 0
    num_sparse = 0
    widest = 0
    for g in range(num_groups):
        count = begin[g + 1] - begin[g]
        if _is_dense(count, panel_width[g]):
            num_panels += 1
            widest = max(widest, panel_width[g])
        else:
            num_sparse += count
    row = np.empty(num_panels, np.int32)
    column = np.empty(num_panels, np.int32)
    width = np.empty(num_panels, np.int32)
    pattern = np.empty(num_panels, np.int64)
    scale = np.empty(num_panels)
    patterns = np.zeros(1024)
    used = 0
    size = 8
    while size < 4 * num_panels:
        size *= 2
    table = np.full(size, -1, np.int64)
    block = np.zeros(8 * widest)
    left = np.empty(num_sparse, np.int64)
    p = 0
    num_left = 0
    for g in range(num_groups):
        if not _is_dense(begin[g + 1] - begin[g], panel_width[g]):
            for i in range(begin[g], begin[g + 1]):
                left[num_left] = i
                num_left += 1
            continue
        length = 8 * panel_width[g]
        block[:length] = 0.0
        # In units of the largest entry, so that nothing overflows.
        unit = entries[begin[g]]
        for i in range(begin[g], begin[g + 1]):
            if abs(entries[i]) > abs(unit):
                unit = entries[i]
        for i in range(begin[g], begin[g + 1]):
            at = 8 * (columns[i] - panel_column[g]) + rows[i] - panel_row[g]
            block[at] = entries[i] / unit
        slot = np.int64(_hash(block, length) & np.uint64(size - 1))
        while table[slot] >= 0:
            other = table[slot]
            if width[other] == panel_width[g] and _same(patterns, pattern[other], block, length):
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] >= 0:
            pattern[p] = pattern[table[slot]]
        else:
            table[slot] = p
            if used + length > len(patterns):
                grown = np.zeros(max(2 * len(patterns), used + length))
                grown[:used] = patterns[:used]
                patterns = grown
            patterns[used : used + length] = block[:length]
            pattern[p] = used
            used += length
        row[p], column[p], width[p], scale[p] = panel_row[g], panel_column[g], panel_width[g], unit
        p += 1

    return row, column, width, pattern, scale, patterns[:used].copy(), left
