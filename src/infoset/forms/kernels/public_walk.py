"""The walk over all boards of a public form, by any number of threads."""

import numpy as np

from infoset.machine.barriers import add_atomic, wait_for_all
from infoset.machine.compiled import inline
from infoset.machine.precision import FLOAT as F
from infoset.machine.vec16 import (
    WIDTH,
    add16d,
    float_at,
    int_at,
    load16,
    long_at,
    put_float,
    round16,
    short_at,
    splat16,
    store16,
    zeros16d,
)


@inline
def num_rows(side, board):
    """How many rows a player has on a board."""
    return long_at(side.row_begin, board + 1) - long_at(side.row_begin, board)


@inline
def terminal_stride(own, other, board):
    """How far apart two places of ``BUFFERS.terminals`` are, on a board."""
    return (max(num_rows(own, board), num_rows(other, board)) + WIDTH) * WIDTH


@inline
def take_reaches(side, board, rows_above, exits, entry, probability):
    """Take reaches from the street above; hands that hold the new card are gone."""
    rows = num_rows(side, board)
    live = int_at(side.num_live, board)
    row_map = side.maps + 2 * long_at(side.map_begin, int_at(side.deal_begin, board))
    for line in range(side.num_lines):
        for h in range(live):
            reach = float_at(exits, line * rows_above + short_at(row_map, h))
            put_float(entry, line * rows + h, reach * probability)
        for h in range(live, rows):
            put_float(entry, line * rows + h, F(0.0))


@inline
def give_values(side, board, rows_above, entry_values, later, begin):
    """Add a board's values to those of the board above, once for each board it stands for."""
    rows = num_rows(side, board)
    live = int_at(side.num_live, board)
    for deal in range(int_at(side.deal_begin, board), int_at(side.deal_begin, board + 1)):
        row_map = side.maps + 2 * long_at(side.map_begin, deal)
        for line in range(side.num_lines):
            for h in range(live):
                above = begin + line * rows_above + short_at(row_map, h)
                value = float_at(entry_values, line * rows + h)
                put_float(later, above, float_at(later, above) + value)


@inline
def clear(address, begin, size):
    """Forget the values of the board before."""
    for i in range(begin, begin + size, WIDTH):
        store16(address, i, splat16(F(0.0)))


@inline
def sum_boards(later, size, by_board, num_boards):
    """The values of all boards of the second street, in order, summed in double precision."""
    for i in range(0, size, WIDTH):
        total = zeros16d()
        for board in range(num_boards):
            total = add16d(total, load16(by_board, board * size + i))
        store16(later, i, round16(total))


@inline
def walk_boards(descend, ascend, context, sides, deals, player, buffers, returns, threads, walks):
    """Walk over all boards once for one player: ``descend`` on the way down, ``ascend`` up again.

    Both are called as ``f(context, own, other, street, board, buffers of the street)``. ``sides
    [street, player]``; ``deals``: the probability of a card, by street. ``buffers``: those of the
    first street, those of this thread by street, and ``[board of the second street, lines, rows]``
    what each board is worth to the root, summed in order, so that the result does not depend on
    the number of threads. ``returns`` is whether values come back. ``threads``: the address of
    counters, the number of this thread and of all; threads wait for each other at the first counter
    and share out the boards of the second street by counter ``walks``, the number of the walk.

    One loop, in place of calls for each street: what is inlined here is compiled once.
    """
    root, by_street, by_board = buffers
    counters, thread, num_threads = threads
    last = len(deals) - 1
    zero = np.intp(0)  # a plain 0 would be a type of its own, and compile everything twice
    street, board, middle, is_down = zero, zero, zero, True
    while True:
        own, other = sides[street, player], sides[street, 1 - player]
        work = by_street[street] if street > 0 else root
        is_last = street == last
        if street > 0 or thread == 0:
            if is_down and street > 0:
                above = by_street[street - 1] if street > 1 else root
                rows = num_rows(sides[street - 1, 1 - player], middle)
                take_reaches(other, board, rows, above.exits, work.entry, deals[street])
            if is_down:
                descend(context, own, other, street, board, work)
            if (is_last or not is_down) and returns:
                ascend(context, own, other, street, board, work)
        if is_last or not is_down:
            if street == 0:
                break
            rows = num_rows(sides[street - 1, player], middle)
            if not returns:
                pass
            elif street == 1:
                begin = board * root.later_size
                clear(by_board, begin, root.later_size)
                give_values(own, board, rows, work.entry_values, by_board, begin)
            else:
                give_values(own, board, rows, work.entry_values, by_street[1].later, 0)
            board += 1
        else:
            # On to the boards after this one.
            if street == 0:
                wait_for_all(counters, num_threads, 2 * walks - 1)
            else:
                clear(work.later, 0, work.later_size)
                middle = board
                board = int_at(own.child_begin, middle)
            street += 1
        if street == 1:
            board = add_atomic(counters, walks, 1)
            end = sides[1, player].num_boards
        else:
            end = int_at(sides[1, player].child_begin, middle + 1)
        is_down = board < end
        if not is_down:
            # All boards are visited: up again.
            street -= 1
            board = middle
            if street == 1:
                middle = 0
            else:
                wait_for_all(counters, num_threads, 2 * walks)
                if thread > 0:
                    break
                sum_boards(root.later, root.later_size, by_board, sides[1, player].num_boards)
