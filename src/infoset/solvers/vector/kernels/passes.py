"""The passes of the design for one street on one board, sixteen hands at a time.

Tables are ``[block of hands, slot, 16]``: a block of hands is worked on as a whole while it lies in
the nearest cache, so nothing but regrets and averages is ever stored.
"""

from infoset.machine.compiled import inline
from infoset.machine.precision import FLOAT
from infoset.machine.simd16 import (
    WIDTH,
    float_at,
    int_at,
    is_short,
    largest16,
    load16,
    long_at,
    max16,
    multiply_add16,
    put_float,
    read16,
    splat16,
    store16,
    transpose16,
    where_greater16,
    write_shorts16,
)
from infoset.solvers.vector.kernels.game import AVERAGE, BEST, UPDATE, VALUE

F = FLOAT
TILE = WIDTH * WIDTH
LARGEST_SHORT = 32766.0


@inline
def num_rows(side, board):
    """How many rows a player has on a board."""
    return long_at(side.row_begin, board + 1) - long_at(side.row_begin, board)


@inline
def scale_of(kind, scales, index):
    """What the numbers of one decision are worth."""
    if is_short(kind):
        return splat16(float_at(scales, index))
    return splat16(F(1.0))


@inline
def write_node(kind, numbers, index, at, actions, work, source, dither):
    """Store the numbers of one decision, which lie in ``work``."""
    data, scales = numbers
    if is_short(kind):
        top = splat16(F(1e-30))
        for a in range(actions):
            number = load16(work, source + a * WIDTH)
            top = max16(top, max16(number, splat16(F(0.0)) - number))
        scale = largest16(top) / F(LARGEST_SHORT)
        put_float(scales, index, scale)
        inverse, offset = splat16(F(1.0) / scale), splat16(dither)
        for a in range(actions):
            number = multiply_add16(load16(work, source + a * WIDTH), inverse, offset)
            write_shorts16(data, at + a * WIDTH, number)
    else:
        for a in range(actions):
            store16(data, at + a * WIDTH, load16(work, source + a * WIDTH))


@inline
def played_at(side, at, number):
    """What an action is chosen in proportion to: a matched number, but where hands are locked."""
    if side.is_locked:
        must = load16(side.locked, at)
        number = where_greater16(must, splat16(F(-0.5)), must, number)
    return number


@inline
def plan_block(kind, side, source, guess, predictive, keep, entry, rows, first_block, block, work):
    """Write one block's plan, lines included, to ``work``: reach times matched numbers."""
    zero, one, tiny = splat16(F(0.0)), splat16(F(1.0)), splat16(F(1e-30))
    factor = splat16(keep)
    lines = side.num_lines
    num_nodes = side.num_nodes
    base = ((first_block + block) * side.num_sequences - lines) * WIDTH
    for line in range(lines):
        store16(work, line * WIDTH, load16(entry, line * rows + block * WIDTH))
    for n in range(num_nodes):
        slot = int_at(side.node_slot, n) * WIDTH
        actions = int_at(side.node_actions, n)
        reach = load16(work, int_at(side.node_parent, n) * WIDTH)
        index = (first_block + block) * num_nodes + n
        scale = scale_of(kind, source[1], index)
        total = zero
        for a in range(actions):
            number = read16(kind, source[0], base + slot + a * WIDTH, scale)
            if predictive:
                guessed = scale_of(kind, guess[1], index)
                last = read16(kind, guess[0], base + slot + a * WIDTH, guessed)
                number = multiply_add16(number, factor, last)
            number = where_greater16(number, tiny, number, zero)
            number = played_at(side, base + slot + a * WIDTH, number)
            total = total + number
            store16(work, slot + a * WIDTH, number)
        share = reach / where_greater16(total, zero, total, one)
        even = reach * splat16(F(1.0) / F(actions))
        for a in range(actions):
            number = load16(work, slot + a * WIDTH)
            store16(work, slot + a * WIDTH, where_greater16(total, zero, number * share, even))


@inline
def leave(side, exits, rows, block, work):
    """Hand one block's reach on to the next street."""
    for line in range(side.num_exits):
        reach = load16(work, int_at(side.exit_slot, line) * WIDTH)
        store16(exits, line * rows + block * WIDTH, reach)


@inline
def add_to_average(kind, side, first_block, block, rule, odds, work):
    """Weigh the plan of one block, which lies in ``work``, into the average.

    The plan has the chance of the cards that came in it, the average has not: ``odds`` is one over
    that chance.
    """
    lines = side.num_lines
    tile = (lines + side.num_sequences) * WIDTH
    old, new = splat16(rule.decay), splat16(rule.weight * odds)
    average = side.average, side.average_scale
    base = (first_block + block) * side.num_sequences * WIDTH
    if is_short(kind):
        for n in range(side.num_nodes):
            slot = int_at(side.node_slot, n) * WIDTH
            at = base + slot - lines * WIDTH
            index = (first_block + block) * side.num_nodes + n
            scale = scale_of(kind, average[1], index) * old
            actions = int_at(side.node_actions, n)
            for a in range(actions):
                plan = load16(work, slot + a * WIDTH) * new
                before = read16(kind, average[0], at + a * WIDTH, scale)
                store16(work, tile + a * WIDTH, before + plan)
            write_node(kind, average, index, at, actions, work, tile, rule.dither_average)
    else:
        for s in range(side.num_sequences):
            plan = load16(work, (lines + s) * WIDTH)
            at = base + s * WIDTH
            before = load16(average[0], at)
            store16(average[0], at, multiply_add16(before, old, plan * new))


@inline
def descend(kind, own, other, board, mode, rule, odds, entry, exits, reaches, work):
    """The opponent's plan: added to his average, handed on to the next street, and turned on its
    side for the ends of this one, ``[vector, hand, lane]``.
    """
    rows = num_rows(other, board)
    first_block = long_at(other.row_begin, board) // WIDTH
    tile = (other.num_lines + other.num_sequences) * WIDTH
    learns = mode in (UPDATE, AVERAGE)
    predictive = learns and other.is_predictive
    source = other.average, other.average_scale
    if learns:
        source = other.seen_regrets, other.seen_regrets_scale
    guess = other.seen_prediction, other.seen_prediction_scale
    for block in range(rows // WIDTH):
        plan_block(
            *(kind, other, source, guess, predictive, rule.keep_other),
            *(entry, rows, first_block, block, work),
        )
        leave(other, exits, rows, block, work)
        if learns and rule.weight > F(0.0):
            add_to_average(kind, other, first_block, block, rule, odds, work)
        if mode == AVERAGE:
            continue
        for v in range(own.num_vectors):
            for j in range(WIDTH):
                slot = int_at(own.lane_other, v * WIDTH + j)
                store16(work, tile + j * WIDTH, load16(work, slot * WIDTH))
            transpose16(reaches, (v * (rows + WIDTH) + block * WIDTH) * WIDTH, work, tile)
    for v in range(own.num_vectors):
        for j in range(WIDTH):
            store16(reaches, (v * (rows + WIDTH) + rows + j) * WIDTH, splat16(F(0.0)))


@inline
def gather_values(side, rows, block, values, later, work):
    """Collect what the ends and the next street are worth to each slot."""
    num_slots = side.num_lines + side.num_sequences
    tile = num_slots * WIDTH
    for s in range(num_slots):
        store16(work, s * WIDTH, splat16(F(0.0)))
    for v in range(side.num_vectors):
        transpose16(work, tile, values, (v * rows + block * WIDTH) * WIDTH)
        for j in range(WIDTH):
            slot = int_at(side.lane_own, v * WIDTH + j)
            if slot >= 0:
                at = slot * WIDTH
                store16(work, at, load16(work, at) + load16(work, tile + j * WIDTH))
    for line in range(side.num_exits):
        at = int_at(side.exit_slot, line) * WIDTH
        store16(work, at, load16(work, at) + load16(later, line * rows + block * WIDTH))


@inline
def worth_of(kind, side, numbers, guess, predictive, keep, index, at, actions, work, slot):
    """What a decision is worth when its actions are chosen by matching, or as they are locked."""
    zero, one, tiny = splat16(F(0.0)), splat16(F(1.0)), splat16(F(1e-30))
    scale = scale_of(kind, numbers[1], index)
    guessed = scale_of(kind, guess[1], index)
    total, matched, plain = zero, zero, zero
    for a in range(actions):
        value = load16(work, slot + a * WIDTH)
        number = read16(kind, numbers[0], at + a * WIDTH, scale)
        if predictive:
            last = read16(kind, guess[0], at + a * WIDTH, guessed)
            number = multiply_add16(number, keep, last)
        number = played_at(side, at + a * WIDTH, where_greater16(number, tiny, number, zero))
        total = total + number
        matched = multiply_add16(number, value, matched)
        plain = plain + value
    divisor = where_greater16(total, zero, total, one)
    even = plain * splat16(F(1.0) / F(actions))
    return where_greater16(total, zero, matched / divisor, even)


@inline
def best_of(kind, side, index, at, actions, work, slot):
    """What a decision is worth to a best response; locked hands play as they must."""
    worth = load16(work, slot)
    for a in range(1, actions):
        worth = max16(load16(work, slot + a * WIDTH), worth)
    if side.is_locked:
        one = splat16(F(1.0))
        average = side.average, side.average_scale
        held = worth_of(kind, side, average, average, False, one, index, at, actions, work, slot)
        worth = where_greater16(load16(side.locked, at), splat16(F(-0.5)), held, worth)
    return worth


@inline
def learn(kind, side, index, at, actions, rule, worth, work, slot, fresh):
    """Add this iteration's regrets; return what the decision is worth to those above it."""
    zero, one, tiny = splat16(F(0.0)), splat16(F(1.0)), splat16(F(1e-30))
    keep_more, keep_less = splat16(rule.keep_positive), splat16(rule.keep_negative)
    keep_then, lowest = splat16(rule.keep_next), splat16(rule.floor)
    regrets = side.regrets, side.regrets_scale
    predictive = side.is_predictive > 0
    scale = scale_of(kind, regrets[1], index)
    gains = fresh + actions * WIDTH
    total = zero
    for a in range(actions):
        gain = load16(work, slot + a * WIDTH) - worth
        regret = read16(kind, regrets[0], at + a * WIDTH, scale)
        regret = regret * where_greater16(regret, zero, keep_more, keep_less)
        regret = max16(regret + gain, lowest)
        if side.is_locked:
            # Zeros: other numbers would take precision from hands that share a 16-bit scale.
            must = load16(side.locked, at + a * WIDTH)
            regret = where_greater16(must, splat16(F(-0.5)), zero, regret)
            gain = where_greater16(must, splat16(F(-0.5)), zero, gain)
        store16(work, fresh + a * WIDTH, regret)
        if predictive:
            store16(work, gains + a * WIDTH, gain)
            regret = multiply_add16(regret, keep_then, gain)
        regret = where_greater16(regret, tiny, regret, zero)
        total = total + played_at(side, at + a * WIDTH, regret)
    write_node(kind, regrets, index, at, actions, work, fresh, rule.dither)
    if predictive:
        guess = side.prediction, side.prediction_scale
        write_node(kind, guess, index, at, actions, work, gains, rule.dither)
    if not rule.instant:
        return worth
    uniform = splat16(F(1.0) / F(actions))
    divisor = one / where_greater16(total, zero, total, one)
    worth = zero
    for a in range(actions):
        number = load16(work, fresh + a * WIDTH)
        if predictive:
            number = multiply_add16(number, keep_then, load16(work, gains + a * WIDTH))
        number = played_at(side, at + a * WIDTH, where_greater16(number, tiny, number, zero))
        played = where_greater16(total, zero, number * divisor, uniform)
        worth = multiply_add16(played, load16(work, slot + a * WIDTH), worth)
    return worth


@inline
def ascend(kind, side, board, mode, rule, values, later, entry_values, work):
    """Bottom-up: values of ends and of later streets in, new regrets and the lines' values out."""
    rows = num_rows(side, board)
    first_block = long_at(side.row_begin, board) // WIDTH
    lines = side.num_lines
    num_nodes = side.num_nodes
    fresh = (lines + side.num_sequences) * WIDTH
    keep = splat16(rule.keep_positive)
    predictive = side.is_predictive > 0
    regrets = side.regrets, side.regrets_scale
    guess = side.prediction, side.prediction_scale
    average = side.average, side.average_scale
    for block in range(rows // WIDTH):
        gather_values(side, rows, block, values, later, work)
        base = ((first_block + block) * side.num_sequences - lines) * WIDTH
        for n in range(num_nodes - 1, -1, -1):
            actions = int_at(side.node_actions, n)
            slot = int_at(side.node_slot, n) * WIDTH
            index = (first_block + block) * num_nodes + n
            at = base + slot
            if mode == BEST:
                worth = best_of(kind, side, index, at, actions, work, slot)
            elif mode == VALUE:
                worth = worth_of(
                    *(kind, side, average, average, False, keep),
                    *(index, at, actions, work, slot),
                )
            else:
                worth = worth_of(
                    *(kind, side, regrets, guess, predictive, keep),
                    *(index, at, actions, work, slot),
                )
                worth = learn(kind, side, index, at, actions, rule, worth, work, slot, fresh)
            parent = int_at(side.node_parent, n) * WIDTH
            store16(work, parent, load16(work, parent) + worth)
        for line in range(lines):
            store16(entry_values, line * rows + block * WIDTH, load16(work, line * WIDTH))
