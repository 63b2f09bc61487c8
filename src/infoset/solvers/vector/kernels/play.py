"""The walk over all boards, by any number of threads: iterations, best responses, values."""

import numpy as np

from infoset.machine.barriers import add_atomic, wait_for_all
from infoset.machine.compiled import inline, threaded
from infoset.machine.simd16 import (
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
from infoset.solvers.vector.kernels.game import AVERAGE, Rule
from infoset.solvers.vector.kernels.passes import F, ascend, descend, num_rows
from infoset.solvers.vector.kernels.settle import settle


@inline
def up(kind, own, other, board, mode, rule, work):
    """Settle the ends of a board and take values up to the lines that led to it."""
    settle(own, other, board, work.values, work.reaches, work.cards)
    ascend(kind, own, board, mode, rule, work.values, work.later, work.entry_values, work.plan)


@inline
def take(side, board, rows_above, exits, entry, chance):
    """Take reaches from the street above; hands that hold the new card are gone."""
    rows = num_rows(side, board)
    live = int_at(side.num_live, board)
    row_map = side.maps + 2 * long_at(side.map_begin, int_at(side.deal_begin, board))
    for line in range(side.num_lines):
        for h in range(live):
            reach = float_at(exits, line * rows_above + short_at(row_map, h))
            put_float(entry, line * rows + h, reach * chance)
        for h in range(live, rows):
            put_float(entry, line * rows + h, F(0.0))


@inline
def give(side, board, rows_above, entry_values, later, begin):
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
def sum_parts(later, size, parts, num_boards):
    """The values of all boards of the second street, in order, summed in double precision."""
    for i in range(0, size, WIDTH):
        total = zeros16d()
        for board in range(num_boards):
            total = add16d(total, load16(parts, board * size + i))
        store16(later, i, round16(total))


@threaded
def play(kind, sides, chances, odds, rules, mode, players, roots, works, parts, counters, crew):
    """Walk over all boards for each row of ``rules`` and each of the players.

    ``sides [street, player]``; ``chances [street]`` of a card, ``odds [street]``: one over the
    chance of all cards so far; ``roots [player]`` and ``works [street]``: room to work in, on the
    first street and for this thread on those after it; ``parts [board of the second street, lines,
    rows]``: what each is worth to the root, summed in order, so that the result does not depend on
    the number of threads. ``crew``: the number of this thread and of all. Threads meet at the first
    of ``counters`` and share out the boards of the second street by one of the others.

    One loop, in place of calls for each street: what is inlined here is compiled once.
    """
    thread, threads = crew
    last = len(chances) - 1
    walks = 0
    zero = np.intp(0)  # a plain 0 would be a type of its own, and compile everything twice
    for t in range(len(rules)):
        for player in range(players[0], players[1]):
            r = rules[t, player]
            rule = Rule(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9] > 0)
            root = roots[player]
            walks += 1
            street, board, middle, is_down = zero, zero, zero, True
            while True:
                own, other = sides[street, player], sides[street, 1 - player]
                work = works[street] if street > 0 else root
                is_last = street == last
                if street > 0 or thread == 0:
                    if is_down and street > 0:
                        above = works[street - 1] if street > 1 else root
                        rows = num_rows(sides[street - 1, 1 - player], middle)
                        take(other, board, rows, above.exits, work.entry, chances[street])
                    if is_down:
                        descend(
                            *(kind, own, other, board, mode, rule),
                            *(odds[street], work.entry, work.exits, work.reaches, work.plan),
                        )
                    if (is_last or not is_down) and mode != AVERAGE:
                        up(kind, own, other, board, mode, rule, work)
                if is_last or not is_down:
                    if street == 0:
                        break
                    # Give the values to the board above.
                    rows = num_rows(sides[street - 1, player], middle)
                    if mode == AVERAGE:
                        pass
                    elif street == 1:
                        clear(parts, board * root.later_size, root.later_size)
                        begin = board * root.later_size
                        give(own, board, rows, work.entry_values, parts, begin)
                    else:
                        give(own, board, rows, work.entry_values, works[1].later, 0)
                    board += 1
                else:
                    # On to the boards after this one.
                    if street == 0:
                        wait_for_all(counters, threads, 2 * walks - 1)
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
                        wait_for_all(counters, threads, 2 * walks)
                        if thread > 0:
                            break
                        num_boards = sides[1, player].num_boards
                        sum_parts(root.later, root.later_size, parts, num_boards)
