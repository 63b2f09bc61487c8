"""The layout of a live part, made from that of the whole form in a few passes."""

import numpy as np

from infoset.machine.compiled import allocating, inline, kernel
from infoset.machine.vec8 import WIDTH


@inline
def _whole(count):
    """A number of lanes in whole vectors."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@allocating
def live_treeplex(infoset_begin, infoset_parent, live):
    """The infosets with a live sequence, and their live sequences.

    Returns `Treeplex.infoset_begin` and `Treeplex.infoset_parent` of the live part, and which
    sequences and infosets of the whole these are.
    """
    num_roots, num_infosets, num_live = infoset_begin[0], len(infoset_parent), 0
    number = np.empty(len(live), np.int32)
    for s in range(len(live)):
        number[s] = num_live
        num_live += live[s]
    sequences = np.empty(num_live, np.int32)
    begin = np.empty(num_infosets + 1, np.int32)
    parent = np.empty(num_infosets, np.int32)
    infosets = np.empty(num_infosets, np.int32)
    for s in range(num_roots):
        if live[s]:
            sequences[number[s]] = s
    k = number[num_roots] if num_roots < len(live) else num_live
    begin[0] = k
    count = 0
    for i in range(num_infosets):
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            if live[s]:
                sequences[k] = s
                k += 1
        if k > begin[count]:
            infosets[count] = i
            parent[count] = number[infoset_parent[i]]
            count += 1
            begin[count] = k
    return begin[: count + 1].copy(), parent[:count].copy(), sequences, infosets[:count].copy()


@allocating
def order_lanes(infoset_begin, infoset_parent, infoset_depth, order):
    """Lanes of a live part: groups by depth and number of actions, each in a given order.

    Returns the arrays of `Groups` but for the roots; and the position of every sequence, the lane
    of every infoset, and the length of an array over the lanes.
    """
    num_infosets, num_roots = len(infoset_parent), infoset_begin[0]
    most = 0
    deepest = 0
    for i in range(num_infosets):
        most = max(most, infoset_begin[i + 1] - infoset_begin[i])
        deepest = max(deepest, infoset_depth[i])
    members = np.zeros((deepest + 1) * (most + 1), np.int64)
    for i in range(num_infosets):
        members[infoset_depth[i] * (most + 1) + infoset_begin[i + 1] - infoset_begin[i]] += 1
    num_groups = np.count_nonzero(members)
    begin, lanes = np.empty(num_groups, np.int32), np.empty(num_groups, np.int32)
    actions, first = np.empty(num_groups, np.int32), np.empty(num_groups, np.int32)
    group_of = np.empty(len(members), np.int64)
    size, num_lanes, g = _whole(num_roots), 0, 0
    for key in range(len(members)):
        if members[key] > 0:
            group_of[key] = g
            begin[g], first[g], actions[g] = size, num_lanes, key % (most + 1)
            lanes[g] = _whole(members[key])
            size += lanes[g] * actions[g]
            num_lanes += lanes[g]
            g += 1
    taken = np.zeros(num_groups, np.int64)
    position = np.empty(infoset_begin[-1], np.int32)
    infoset_lane = np.empty(num_infosets, np.int32)
    for s in range(num_roots):
        position[s] = s
    for i in order:
        key = infoset_depth[i] * (most + 1) + infoset_begin[i + 1] - infoset_begin[i]
        g = group_of[key]
        lane = taken[g]
        taken[g] += 1
        infoset_lane[i] = first[g] + lane
        at = begin[g] + lane
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            position[s] = at
            at += lanes[g]
    parent = np.empty(num_lanes, np.int32)
    # As in the whole form: lanes without an infoset hang below the first positions.
    for lane in range(num_lanes):
        parent[lane] = lane % WIDTH
    for i in range(num_infosets):
        parent[infoset_lane[i]] = position[infoset_parent[i]]
    return (begin, lanes, actions, first, parent), (position, infoset_lane, size)


@allocating
def in_lane_order(infoset_lane, num_lanes, infosets):
    """Some infosets of the whole, by their numbers among these, in the order of its lanes."""
    at = np.full(num_lanes, -1, np.int32)
    for i in range(len(infosets)):
        at[infoset_lane[infosets[i]]] = i
    order = np.empty(len(infosets), np.int32)
    count = 0
    for lane in range(num_lanes):
        if at[lane] >= 0:
            order[count] = at[lane]
            count += 1
    return order


@kernel
def place_into(place, whole_position, sequences, position):
    """Write, for every lane position of the whole form, where its sequence lies in the live part.

    Positions of what is not live are left as they are.
    """
    for k in range(len(sequences)):
        place[whole_position[sequences[k]]] = position[k]


@inline
def _live_rows(panels, s, rows):
    """Which of the eight rows of a strip of the whole are live, a bit for each."""
    live = 0
    for i in range(WIDTH):
        live |= np.int64(rows[panels.row[s] + i] >= 0) << i
    return live


@allocating
def scaled_patterns(panels, order):
    """All different patterns times their scales, and where those of each panel begin.

    ``order`` puts panels behind each other that share pattern, width and scale.
    """
    begin = np.empty(len(order), np.int32)
    used = 0
    for k in range(len(order)):
        p, q = order[k], order[k - 1]
        is_new = k == 0 or panels.pattern[p] != panels.pattern[q]
        if is_new or panels.width[p] != panels.width[q] or panels.scale[p] != panels.scale[q]:
            begin[p] = used
            used += WIDTH * panels.width[p]
        else:
            begin[p] = begin[q]
    entries = np.empty(used)
    for p in range(len(order)):
        for k in range(WIDTH * panels.width[p]):
            entries[begin[p] + k] = panels.scale[p] * panels.patterns[panels.pattern[p] + k]
    return begin, entries


@allocating
def loosen(panels, first_entry, entries, rows, columns, end):
    """The loose strips of a live part, from the strips of the whole: see `Panels`.

    ``first_entry`` and ``entries`` are those of `scaled_patterns`. ``rows`` and ``columns`` say
    where positions of the whole lie in the live part, or -1. Rows that are not live are written to
    ``end`` and beyond. Columns without a payoff between live sequences are left out, and so are
    strips without a column.
    """
    num_strips, num_columns = len(panels.row), 0
    for w in panels.width:
        num_columns += w
    filled = np.zeros(len(entries) // WIDTH, np.int64)
    for k in range(len(entries)):
        if entries[k] != 0.0:
            filled[k // WIDTH] |= 1 << (k % WIDTH)
    row = np.empty(WIDTH * num_strips, np.int32)
    begin = np.empty(num_strips + 1, np.int32)
    # Without a sign, so that nobody has to ask whether they count from the end.
    column, entry = np.empty(num_columns, np.uint32), np.empty(num_columns, np.uint32)
    strips, to = 0, 0
    for s in range(num_strips):
        live, both = _live_rows(panels, s, rows), 0
        begin[strips] = to
        for p in range(panels.begin[s] if live != 0 else panels.begin[s + 1], panels.begin[s + 1]):
            k = first_entry[p] // WIDTH
            for j in range(panels.width[p]):
                place = columns[panels.column[p] + j]
                here = live & filled[k + j] & -np.int64(place >= 0)
                column[to], entry[to] = place, WIDTH * (k + j)
                to += here != 0
                both |= here
        if both != 0:
            for i in range(WIDTH):
                is_live = both >> i & 1 != 0
                row[WIDTH * strips + i] = rows[panels.row[s] + i] if is_live else end + i
            strips += 1
    begin[strips] = to
    return (
        *(row[: WIDTH * strips].copy(), begin[: strips + 1].copy()),
        *(column[:to].copy(), entry[:to].copy()),
    )


@allocating
def live_rest(panels, rows, columns):
    """Entries outside panels between live sequences: `Panels.sparse_row` and what follows it."""
    num_rows, num_entries = len(panels.sparse_row), len(panels.sparse_entry)
    row = np.empty(num_rows, panels.sparse_row.dtype)
    begin = np.empty(num_rows + 1, panels.sparse_begin.dtype)
    column = np.empty(num_entries, panels.sparse_column.dtype)
    entry = np.empty(num_entries)
    num_live, count = 0, 0
    for r in range(num_rows):
        place = rows[panels.sparse_row[r]]
        first = count
        for k in range(panels.sparse_begin[r], panels.sparse_begin[r + 1]):
            other = columns[panels.sparse_column[k]]
            if place >= 0 and other >= 0:
                column[count], entry[count] = other, panels.sparse_entry[k]
                count += 1
        if count > first:
            row[num_live], begin[num_live] = place, first
            num_live += 1
    begin[num_live] = count
    return (
        *(row[:num_live].copy(), begin[: num_live + 1].copy()),
        *(column[:count].copy(), entry[:count].copy()),
    )
