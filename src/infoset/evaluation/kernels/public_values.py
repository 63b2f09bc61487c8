"""The passes over one street of the public form on one board, sixteen hands at a time.

Tables are ``[block of hands, slot, 16]``: a block of hands is worked on as a whole while it lies in
the nearest cache, so nothing but regrets and averages is ever stored. Here are the passes that need
no regrets, and the kernel that evaluates averages with them; `infoset.solvers.vector.kernels` adds
the pass that learns.
"""

from infoset.forms.kernels.public_walk import num_rows, terminal_stride, walk_boards
from infoset.forms.kernels.terminal_values import shared_folds_into, terminal_values_into
from infoset.machine.compiled import inline, threaded
from infoset.machine.precision import FLOAT as F
from infoset.machine.prefetch import prefetch_read
from infoset.machine.simd import is_all_zero, larger, multiply_add, where_greater
from infoset.machine.vec16 import (
    WIDTH,
    bytes_of,
    float_at,
    int_at,
    is_short,
    load16,
    long_at,
    read16,
    splat16,
    store16,
    transpose16,
)
from infoset.strategy.kernels.local_rule import (
    expected_regret,
    mean_value,
    uses_largest,
    weigh,
)

LINE = 64
"""Bytes of a cache line."""


@inline
def scale_of(storage, scales, index):
    """What the numbers of one decision are multiplied with."""
    if is_short(storage):
        return splat16(float_at(scales, index))
    return splat16(F(1.0))


@inline
def locked_or(side, at, weight):
    """The weight of an action, but where a hand is locked: then its locked probability."""
    if side.is_locked:
        locked = load16(side.locked, at)
        weight = where_greater(locked, splat16(F(-0.5)), locked, weight)
    return weight


@inline
def number_at(storage, numbers, guess, predictive, keep, index, at, scale):
    """Sixteen numbers of a table at one action; a predictive recipe's as expected next."""
    number = read16(storage, numbers[0], at, scale)
    if predictive:
        last = read16(storage, guess[0], at, scale_of(storage, guess[1], index))
        number = expected_regret(number, keep, last)
    return number


@inline
def largest_at(rule, storage, numbers, guess, predictive, keep, index, at, actions):
    """The largest of a decision's numbers, if the local rule asks for it; else zeros."""
    if not uses_largest(rule):
        return splat16(F(0.0))
    scale = scale_of(storage, numbers[1], index)
    largest = number_at(storage, numbers, guess, predictive, keep, index, at, scale)
    for a in range(1, actions):
        place = at + a * WIDTH
        number = number_at(storage, numbers, guess, predictive, keep, index, place, scale)
        largest = larger(number, largest)
    return largest


@inline
def is_far(side):
    """Whether a street has so many boards that the tables of the next one are in no near cache."""
    return side.num_boards > 1


@inline
def prefetch_next(storage, side, data, at, actions):
    """Have some actions' numbers of the next block brought here, while this block is worked on.

    Each pass reads a part of a block's numbers, in an order of its own, which the machine does not
    foresee. After a board's last block comes the first of the next board. What a single board needs
    is in a near cache anyway, so only `is_far` tables are worth it.
    """
    num_bytes = bytes_of(storage)
    begin = data + num_bytes * (at + side.num_sequences * WIDTH)
    for i in range(0, num_bytes * actions * WIDTH, LINE):
        prefetch_read(begin + i)


@inline
def plan_block(rule, storage, side, table, entry, rows, first_block, block, work):
    """Write one block's plan, lines included, to ``work``: reach times probability.

    ``table``: the numbers that weights are made of and what is predicted of them, each with its
    scales; whether to predict; and the local rule's two parameters.

    A side that ``is_pruned`` reads nothing of decisions that no hand of the block reaches: its plan
    there is zero, whatever its regrets are.
    """
    numbers, guess, predictive, keep, sharpness = table
    zero, one = splat16(F(0.0)), splat16(F(1.0))
    lines = side.num_lines
    num_nodes = side.num_nodes
    far = is_far(side)
    base = ((first_block + block) * side.num_sequences - lines) * WIDTH
    for line in range(lines):
        store16(work, line * WIDTH, load16(entry, line * rows + block * WIDTH))
    for n in range(num_nodes):
        slot = int_at(side.node_slot, n) * WIDTH
        actions = int_at(side.node_actions, n)
        reach = load16(work, int_at(side.node_parent, n) * WIDTH)
        if side.is_pruned and is_all_zero(reach):
            for a in range(actions):
                store16(work, slot + a * WIDTH, zero)
            continue
        index = (first_block + block) * num_nodes + n
        at = base + slot
        if far:
            prefetch_next(storage, side, numbers[0], at, actions)
        scale = scale_of(storage, numbers[1], index)
        largest = largest_at(rule, storage, numbers, guess, predictive, keep, index, at, actions)
        total = zero
        for a in range(actions):
            place = at + a * WIDTH
            number = number_at(storage, numbers, guess, predictive, keep, index, place, scale)
            weight = locked_or(side, place, weigh(rule, number, largest, sharpness))
            total = total + weight
            store16(work, slot + a * WIDTH, weight)
        share = reach / where_greater(total, zero, total, one)
        even = reach * splat16(F(1.0) / F(actions))
        for a in range(actions):
            weight = load16(work, slot + a * WIDTH)
            store16(work, slot + a * WIDTH, where_greater(total, zero, weight * share, even))


@inline
def pass_down(own, other, board, block, buffers, work):
    """Hand one block's reaches, which lie in ``work``, on to the terminals: transposed."""
    tile = (other.num_lines + other.num_sequences) * WIDTH
    stride = terminal_stride(own, other, board)
    for v in range(own.num_vectors):
        for j in range(WIDTH):
            slot = int_at(own.terminal_other, v * WIDTH + j)
            store16(work, tile + j * WIDTH, load16(work, slot * WIDTH))
        at = (v + 1) * stride + block * WIDTH * WIDTH
        transpose16(buffers.terminals, at, work, tile)


@inline
def leave(side, rows, first_block, block, exits, work):
    """Hand one block's reach on to the next street, and note how often leaves are reached."""
    for line in range(side.num_exits):
        reach = load16(work, int_at(side.exit_slot, line) * WIDTH)
        store16(exits, line * rows + block * WIDTH, reach)
    for leaf in range(side.num_leaves):
        reach = load16(work, int_at(side.leaf_own, leaf) * WIDTH)
        store16(side.leaf_reach, leaf_place(side, leaf, first_block, block), reach)


@inline
def leaf_place(side, leaf, first_block, block):
    """Where the numbers of one block at a leaf lie: ``[leaf, row of all boards]``."""
    return leaf * long_at(side.row_begin, side.num_boards) + (first_block + block) * WIDTH


@inline
def end_reaches(own, other, board, rows, terminals):
    """After the last row of each vector, zeros: the row of a hand that the opponent has not."""
    stride = terminal_stride(own, other, board)
    for v in range(own.num_vectors):
        for j in range(WIDTH):
            store16(terminals, (v + 1) * stride + (rows + j) * WIDTH, splat16(F(0.0)))


@inline
def add_tile(slots, begin, work, tile):
    """Add a tile of values [terminal, hand] to the slots that they belong to, -1 for none."""
    for j in range(WIDTH):
        slot = int_at(slots, begin + j)
        if slot >= 0:
            at = slot * WIDTH
            store16(work, at, load16(work, at) + load16(work, tile + j * WIDTH))


@inline
def gather_values(side, other, board, rows, first_block, block, buffers):
    """Collect what terminals, leaves and the next street are worth to each slot."""
    terminals, later, work = buffers.terminals, buffers.later, buffers.plan
    stride = terminal_stride(side, other, board)
    num_slots = side.num_lines + side.num_sequences
    tile = num_slots * WIDTH
    for s in range(num_slots):
        store16(work, s * WIDTH, splat16(F(0.0)))
    for v in range(side.num_vectors):
        transpose16(work, tile, terminals, v * stride + block * WIDTH * WIDTH)
        add_tile(side.terminal_own, v * WIDTH, work, tile)
    if side.num_shared > 0:
        shared_folds_into(side, other, board, block, buffers, tile)
        transpose16(work, tile, work, tile)
        add_tile(side.fold_own, 0, work, tile)
    for line in range(side.num_exits):
        at = int_at(side.exit_slot, line) * WIDTH
        store16(work, at, load16(work, at) + load16(later, line * rows + block * WIDTH))
    for leaf in range(side.num_leaves):
        at = int_at(side.leaf_own, leaf) * WIDTH
        value = load16(side.leaf_values, leaf_place(side, leaf, first_block, block))
        store16(work, at, load16(work, at) + value)


@inline
def value_of(rule, storage, side, table, index, at, actions, work, slot):
    """What a decision is worth when its actions are chosen by their weights, or as locked."""
    numbers, guess, predictive, keep, sharpness = table
    zero = splat16(F(0.0))
    scale = scale_of(storage, numbers[1], index)
    largest = largest_at(rule, storage, numbers, guess, predictive, keep, index, at, actions)
    total, weighted, plain = zero, zero, zero
    for a in range(actions):
        place = at + a * WIDTH
        value = load16(work, slot + a * WIDTH)
        number = number_at(storage, numbers, guess, predictive, keep, index, place, scale)
        weight = locked_or(side, place, weigh(rule, number, largest, sharpness))
        total = total + weight
        weighted = multiply_add(weight, value, weighted)
        plain = plain + value
    return mean_value(total, weighted, plain, splat16(F(1.0) / F(actions)))


@inline
def best_of(rule, storage, side, table, index, at, actions, work, slot):
    """What a decision is worth to a best response; locked hands play as they must."""
    best = load16(work, slot)
    for a in range(1, actions):
        best = larger(load16(work, slot + a * WIDTH), best)
    if side.is_locked:
        locked = value_of(rule, storage, side, table, index, at, actions, work, slot)
        best = where_greater(load16(side.locked, at), splat16(F(-0.5)), locked, best)
    return best


@inline
def average_of(side):
    """The average of a side as a table that `plan_block` and `value_of` take."""
    average = side.average, side.average_scale
    return average, average, False, splat16(F(1.0)), splat16(F(1.0))


@inline
def descend(average, context, table, own, other, street, board, to_terminals, buffers):
    """The opponent's plan, handed on to the next street and, if asked for, to the terminals.

    ``average(context, other, street, first_block, block, work)`` takes note of each block's plan.
    """
    rule, storage = context[0], context[1]
    rows = num_rows(other, board)
    first_block = long_at(other.row_begin, board) // WIDTH
    work = buffers.plan
    for block in range(rows // WIDTH):
        plan_block(rule, storage, other, table, buffers.entry, rows, first_block, block, work)
        average(context, other, street, first_block, block, work)
        leave(other, rows, first_block, block, buffers.exits, work)
        if to_terminals:
            pass_down(own, other, board, block, buffers, work)
    if to_terminals:
        end_reaches(own, other, board, rows, buffers.terminals)


@inline
def climb(value_at, context, table, own, other, board, buffers):
    """Bottom-up: values of terminals and of later streets in, the lines' values out.

    The value of a decision is ``value_at(context, own, table, index, at, actions, work, slot)``.
    """
    terminal_values_into(own, other, board, buffers.terminals, buffers.cards)
    rows = num_rows(own, board)
    first_block = long_at(own.row_begin, board) // WIDTH
    work = buffers.plan
    far = is_far(own)
    for block in range(rows // WIDTH):
        gather_values(own, other, board, rows, first_block, block, buffers)
        base = ((first_block + block) * own.num_sequences - own.num_lines) * WIDTH
        for n in range(own.num_nodes - 1, -1, -1):
            actions = int_at(own.node_actions, n)
            slot = int_at(own.node_slot, n) * WIDTH
            index = (first_block + block) * own.num_nodes + n
            if far:
                prefetch_next(context[1], own, table[0][0], base + slot, actions)
            value = value_at(context, own, table, index, base + slot, actions, work, slot)
            parent = int_at(own.node_parent, n) * WIDTH
            store16(work, parent, load16(work, parent) + value)
        for line in range(own.num_lines):
            place = line * rows + block * WIDTH
            store16(buffers.entry_values, place, load16(work, line * WIDTH))
            if own.noted_values != 0:
                place = leaf_place(own, line, first_block, block)
                store16(own.noted_values, place, load16(work, line * WIDTH))


@inline
def _value_at(context, side, table, index, at, actions, work, slot):
    """What a decision is worth by the average or, if that is asked for, to a best response."""
    rule, storage, is_best = context
    if is_best:
        value = best_of(rule, storage, side, table, index, at, actions, work, slot)
    else:
        value = value_of(rule, storage, side, table, index, at, actions, work, slot)
    return value


@inline
def _no_average(context, side, street, first_block, block, work):
    """Averages are only read."""


@inline
def _descend(context, own, other, street, board, buffers):
    table = average_of(other)
    descend(_no_average, context, table, own, other, street, board, True, buffers)


@inline
def _ascend(context, own, other, street, board, buffers):
    climb(_value_at, context, average_of(own), own, other, board, buffers)


@threaded
def evaluate(rule, storage, sides, deals, is_best, player, buffers, threads):
    """What each hand of a player is worth against the opponent's average.

    With his own average, or with a best response. ``rule`` is regret matching: averages are sums,
    in proportion to which actions are taken. See `walk_boards` for the other arguments.
    """
    context = rule, storage, is_best
    own = buffers[0][player], buffers[1], buffers[2]
    walk_boards(_descend, _ascend, context, sides, deals, player, own, True, threads, 1)
