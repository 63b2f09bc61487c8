"""Iterations of any full-width regret minimiser on a public form."""

from typing import NamedTuple

from infoset.evaluation.kernels.public_values import (
    climb,
    end_reaches,
    leave,
    locked_or,
    pass_down,
    plan_block,
    scale_of,
    value_of,
)
from infoset.forms.kernels.public_walk import num_rows, walk_boards
from infoset.machine.compiled import inline, threaded
from infoset.machine.precision import FLOAT as F
from infoset.machine.simd import larger, largest_of, multiply_add, where_greater
from infoset.machine.vec16 import (
    WIDTH,
    int_at,
    is_short,
    load16,
    long_at,
    put_float,
    read16,
    splat16,
    store16,
    write_shorts16,
)
from infoset.strategy.kernels.local_rule import (
    expected_regret,
    inverse_total,
    probability,
    update,
    uses_largest,
    weigh,
)

LARGEST_SHORT = 32766.0


class Step(NamedTuple):
    """The recipe at one iteration."""

    keep_positive: float
    keep_negative: float
    keep_next: float
    keep_other: float
    """What the opponent's strategy keeps of his regrets now, if it is predictive."""
    floor: float
    decay: float
    """What the opponent's average keeps before his plan is added,"""
    weight: float
    """and how much of that is added."""
    dither: float
    """Added before 16-bit regrets are cut off: over time, errors cancel."""
    dither_average: float
    sharpness: float
    sharpness_next: float
    sharpness_other: float
    instant: bool


@inline
def _write_node(storage, numbers, index, at, actions, work, source, dither):
    """Store the numbers of one decision, which lie in ``work``."""
    data, scales = numbers
    if is_short(storage):
        top = splat16(F(1e-30))
        for a in range(actions):
            number = load16(work, source + a * WIDTH)
            top = larger(top, larger(number, splat16(F(0.0)) - number))
        scale = largest_of(top) / F(LARGEST_SHORT)
        put_float(scales, index, scale)
        inverse, offset = splat16(F(1.0) / scale), splat16(dither)
        for a in range(actions):
            number = multiply_add(load16(work, source + a * WIDTH), inverse, offset)
            write_shorts16(data, at + a * WIDTH, number)
    else:
        for a in range(actions):
            store16(data, at + a * WIDTH, load16(work, source + a * WIDTH))


@inline
def _add_to_average(storage, side, first_block, block, step, inverse, work):
    """Add the plan of one block, which lies in ``work``, to the average.

    The plan has the probability of the cards that came in it, the average has not: ``inverse`` is
    one over that probability.
    """
    lines = side.num_lines
    tile = (lines + side.num_sequences) * WIDTH
    old, new = splat16(step.decay), splat16(step.weight * inverse)
    average = side.average, side.average_scale
    base = (first_block + block) * side.num_sequences * WIDTH
    if is_short(storage):
        for n in range(side.num_nodes):
            slot = int_at(side.node_slot, n) * WIDTH
            at = base + slot - lines * WIDTH
            index = (first_block + block) * side.num_nodes + n
            scale = scale_of(storage, average[1], index) * old
            actions = int_at(side.node_actions, n)
            for a in range(actions):
                plan = load16(work, slot + a * WIDTH) * new
                before = read16(storage, average[0], at + a * WIDTH, scale)
                store16(work, tile + a * WIDTH, before + plan)
            _write_node(storage, average, index, at, actions, work, tile, step.dither_average)
    else:
        for s in range(side.num_sequences):
            plan = load16(work, (lines + s) * WIDTH)
            at = base + s * WIDTH
            before = load16(average[0], at)
            store16(average[0], at, multiply_add(before, old, plan * new))


@inline
def _descend(context, own, other, street, board, buffers):
    """The opponent's plan: added to his average, and handed on to where it leads."""
    rule, storage, step, inverses, only_average = context
    rows = num_rows(other, board)
    first_block = long_at(other.row_begin, board) // WIDTH
    work = buffers.plan
    table = (
        (other.seen_regrets, other.seen_regrets_scale),
        (other.seen_prediction, other.seen_prediction_scale),
        other.is_predictive > 0,
        splat16(step.keep_other),
        splat16(step.sharpness_other),
    )
    for block in range(rows // WIDTH):
        plan_block(rule, storage, other, table, buffers.entry, rows, first_block, block, work)
        if step.weight > F(0.0):
            _add_to_average(storage, other, first_block, block, step, inverses[street], work)
        if only_average:
            leave(other, rows, first_block, block, buffers.exits, work)
        else:
            pass_down(own, other, board, rows, first_block, block, buffers, work)
    if not only_average:
        end_reaches(own, other, board, rows, buffers.terminals)


@inline
def _learn(context, side, table, index, at, actions, work, slot):
    """Add this iteration's regrets; return what the decision is worth to those above it."""
    rule, storage, step = context[0], context[1], context[2]
    value = value_of(rule, storage, side, table, index, at, actions, work, slot)
    zero = splat16(F(0.0))
    keep_positive, keep_negative = splat16(step.keep_positive), splat16(step.keep_negative)
    keep_next, floor = splat16(step.keep_next), splat16(step.floor)
    sharpness = splat16(step.sharpness_next)
    regrets = side.regrets, side.regrets_scale
    predictive = side.is_predictive > 0
    scale = scale_of(storage, regrets[1], index)
    fresh = (side.num_lines + side.num_sequences) * WIDTH
    gains = fresh + actions * WIDTH
    total, largest = zero, zero
    for a in range(actions):
        gain = load16(work, slot + a * WIDTH) - value
        regret = read16(storage, regrets[0], at + a * WIDTH, scale)
        regret = update(rule, regret, gain, keep_positive, keep_negative, floor)
        if side.is_locked:
            # Zeros: other numbers would take precision from hands that share a 16-bit scale.
            locked = load16(side.locked, at + a * WIDTH)
            regret = where_greater(locked, splat16(F(-0.5)), zero, regret)
            gain = where_greater(locked, splat16(F(-0.5)), zero, gain)
        store16(work, fresh + a * WIDTH, regret)
        if predictive:
            store16(work, gains + a * WIDTH, gain)
            regret = expected_regret(regret, keep_next, gain)
        if uses_largest(rule):
            largest = larger(regret, largest) if a > 0 else regret
        else:
            weight = weigh(rule, regret, zero, sharpness)
            total = total + locked_or(side, at + a * WIDTH, weight)
    _write_node(storage, regrets, index, at, actions, work, fresh, step.dither)
    if predictive:
        guess = side.prediction, side.prediction_scale
        _write_node(storage, guess, index, at, actions, work, gains, step.dither)
    if not step.instant:
        return value
    if uses_largest(rule):
        for a in range(actions):
            weight = _fresh_weight(rule, side, at, step, largest, work, fresh, actions, a)
            total = total + weight
    uniform = splat16(F(1.0) / F(actions))
    inverse = inverse_total(total)
    value = zero
    for a in range(actions):
        weight = _fresh_weight(rule, side, at, step, largest, work, fresh, actions, a)
        played = probability(weight, total, inverse, uniform)
        value = multiply_add(played, load16(work, slot + a * WIDTH), value)
    return value


@inline
def _fresh_weight(rule, side, at, step, largest, work, fresh, actions, a):
    """The weight of an action by the regrets that `_learn` has just found."""
    regret = load16(work, fresh + a * WIDTH)
    if side.is_predictive > 0:
        gain = load16(work, fresh + (actions + a) * WIDTH)
        regret = expected_regret(regret, splat16(step.keep_next), gain)
    weight = weigh(rule, regret, largest, splat16(step.sharpness_next))
    return locked_or(side, at + a * WIDTH, weight)


@inline
def _ascend(context, own, other, street, board, buffers):
    """Bottom-up, with `_learn` at every decision."""
    step = context[2]
    table = (
        (own.regrets, own.regrets_scale),
        (own.prediction, own.prediction_scale),
        own.is_predictive > 0,
        splat16(step.keep_positive),
        splat16(step.sharpness),
    )
    climb(_learn, context, table, own, other, board, buffers)


@threaded
def iterate(rule, storage, sides, deals, inverses, steps, players, only_average, buffers, threads):
    """Walk over all boards for each row of ``steps [iteration, player, fields of Step]``.

    ``inverses [street]``: one over the probability of all cards so far. With ``only_average``, the
    opponent's plan is added to his average and nobody learns. See `walk_boards` for the others.
    """
    walks = 0
    for t in range(len(steps)):
        for player in range(players[0], players[1]):
            s = steps[t, player]
            step = Step(
                *(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11]),
                s[12] > 0,
            )
            walks += 1
            context = rule, storage, step, inverses, only_average
            own = buffers[0][player], buffers[1], buffers[2]
            returns = not only_average
            walk_boards(
                _descend, _ascend, context, sides, deals, player, own, returns, threads, walks
            )
