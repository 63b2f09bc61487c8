"""Values of the terminals of a street on a board: folds and showdowns, sixteen at a time."""

from infoset.forms.kernels.public_walk import num_rows, terminal_stride
from infoset.machine.compiled import inline
from infoset.machine.precision import FLOAT as F
from infoset.machine.simd import largest_of, multiply_add
from infoset.machine.vec16 import (
    WIDTH,
    add16d,
    byte_at,
    int_at,
    load16,
    long_at,
    round16,
    short_at,
    splat16,
    store16,
    zeros16d,
)

NUM_CARDS = 52


@inline
def terminal_values_into(own, other, board, terminals, cards):
    """The value of every terminal to every hand, in place of reaches: see `BUFFERS`.

    A hand meets all reach but that which holds one of its cards. Going through hands from weak to
    strong, the sums so far are what a hand beats; after those of equal strength are added, what it
    does not lose to.
    """
    begin, other_begin = long_at(own.row_begin, board), long_at(other.row_begin, board)
    rows, stride = num_rows(own, board), terminal_stride(own, other, board)
    live, other_live = int_at(own.num_live, board), int_at(other.num_live, board)
    # Arrays of this board.
    first, second = own.first + begin, own.second + begin
    opponent_row = own.opponent_row + 2 * begin
    other_first, other_second = other.first + other_begin, other.second + other_begin
    groups = int_at(own.group_begin, board)
    num_groups = int_at(own.group_begin, board + 1) - groups - 1
    group, other_group = own.group + 4 * groups, other.group + 4 * groups
    zero = splat16(F(0.0))
    for v in range(own.num_vectors):
        value_at = v * stride
        reach_at = value_at + stride
        beat = load16(own.terminal_payoffs, v * WIDTH)
        hold = load16(own.terminal_payoffs, (own.num_vectors + v) * WIDTH)
        meet = load16(own.terminal_payoffs, (2 * own.num_vectors + v) * WIDTH)
        for c in range(NUM_CARDS):
            store16(cards, c * WIDTH, zero)
        for h in range(rows):
            store16(terminals, value_at + h * WIDTH, zero)
        total = zeros16d()
        is_fold = v < own.num_folds
        for g in range(1 if is_fold else num_groups):
            if is_fold:
                begin_own, end_own, begin_other, end_other = 0, 0, 0, other_live
            else:
                begin_own, end_own = int_at(group, g), int_at(group, g + 1)
                begin_other, end_other = int_at(other_group, g), int_at(other_group, g + 1)
            so_far = round16(total)
            for h in range(begin_own, end_own):
                one, two = byte_at(first, h) * WIDTH, byte_at(second, h) * WIDTH
                beaten = so_far - load16(cards, one) - load16(cards, two)
                store16(terminals, value_at + h * WIDTH, beaten * beat)
            for h in range(begin_other, end_other):
                reach = load16(terminals, reach_at + h * WIDTH)
                total = add16d(total, reach)
                one, two = byte_at(other_first, h) * WIDTH, byte_at(other_second, h) * WIDTH
                store16(cards, one, load16(cards, one) + reach)
                store16(cards, two, load16(cards, two) + reach)
            so_far = round16(total)
            for h in range(begin_own, end_own):
                one, two = byte_at(first, h) * WIDTH, byte_at(second, h) * WIDTH
                held = so_far - load16(cards, one) - load16(cards, two)
                held = held + load16(terminals, reach_at + short_at(opponent_row, h) * WIDTH)
                at = value_at + h * WIDTH
                store16(terminals, at, multiply_add(held, hold, load16(terminals, at)))
        every = round16(total)
        store16(cards, NUM_CARDS * WIDTH, every)
        if largest_of(every) == F(0.0):
            continue  # nobody reaches any of these terminals
        for h in range(live):
            one, two = byte_at(first, h) * WIDTH, byte_at(second, h) * WIDTH
            compatible = every - load16(cards, one) - load16(cards, two)
            compatible = compatible + load16(
                terminals, reach_at + short_at(opponent_row, h) * WIDTH
            )
            at = value_at + h * WIDTH
            store16(terminals, at, multiply_add(compatible, meet, load16(terminals, at)))


@inline
def shared_folds_into(own, other, board, block, buffers, tile):
    """The values of `Betting.fold_own` to one block of hands, [hand, terminal].

    The reaches of the last vector, and their sums by card, are still there.
    """
    cards, work = buffers.cards, buffers.plan
    reaches = own.num_vectors * terminal_stride(own, other, board)
    begin = long_at(own.row_begin, board) + block * WIDTH
    first, second = own.first + begin, own.second + begin
    opponent_row = own.opponent_row + 2 * begin
    live = int_at(own.num_live, board) - block * WIDTH
    every = load16(cards, NUM_CARDS * WIDTH)
    meet = load16(own.fold_payoffs, 0)
    for h in range(min(live, WIDTH)):
        one, two = byte_at(first, h) * WIDTH, byte_at(second, h) * WIDTH
        same = load16(buffers.terminals, reaches + short_at(opponent_row, h) * WIDTH)
        compatible = every - load16(cards, one) - load16(cards, two) + same
        store16(work, tile + h * WIDTH, compatible * meet)
    for h in range(live, WIDTH):
        store16(work, tile + h * WIDTH, splat16(F(0.0)))
