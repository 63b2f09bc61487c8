"""Iterations of any full-width regret minimiser on a public form."""

import numpy as np

from infoset.evaluation.kernels.public_values import (
    climb,
    descend,
    is_far,
    locked_or,
    prefetch_next,
    scale_of,
    value_of,
)
from infoset.forms.kernels.public_walk import walk_boards
from infoset.machine.compiled import inline, threaded
from infoset.machine.precision import FLOAT as F
from infoset.machine.simd import larger, largest_of, multiply_add, where_greater
from infoset.machine.vec16 import (
    WIDTH,
    int_at,
    is_short,
    load16,
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


_FIELDS = (
    *("keep_positive", "keep_negative", "keep_next"),
    "keep_other",  # what the opponent's strategy keeps of his regrets now, if it is predictive
    "floor",
    *("decay", "weight"),  # what the opponent's average keeps, and how much of his plan is added
    *(
        "dither",
        "dither_average",
    ),  # added before 16-bit numbers are cut off: over time, errors cancel
    *("sharpness", "sharpness_next", "sharpness_other"),
    "instant",
)
STEP = np.dtype([(name, F) for name in _FIELDS])
"""The recipe at one iteration, as a record."""


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
def _add_to_average(context, side, street, first_block, block, work):
    """Add the plan of one block, which lies in ``work``, to the average.

    The plan has the probability of the cards that came in it, the average has not: ``inverses`` are
    one over that probability.
    """
    storage, step, inverses = context[1], context[2], context[3]
    if step.weight <= F(0.0):
        return
    lines = side.num_lines
    tile = (lines + side.num_sequences) * WIDTH
    old, new = splat16(step.decay), splat16(step.weight * inverses[street])
    average = side.average, side.average_scale
    base = (first_block + block) * side.num_sequences * WIDTH
    far = is_far(side)
    if is_short(storage):
        for n in range(side.num_nodes):
            slot = int_at(side.node_slot, n) * WIDTH
            at = base + slot - lines * WIDTH
            index = (first_block + block) * side.num_nodes + n
            scale = scale_of(storage, average[1], index) * old
            actions = int_at(side.node_actions, n)
            if far:
                prefetch_next(storage, side, average[0], at, actions)
            for a in range(actions):
                plan = load16(work, slot + a * WIDTH) * new
                before = read16(storage, average[0], at + a * WIDTH, scale)
                store16(work, tile + a * WIDTH, before + plan)
            _write_node(storage, average, index, at, actions, work, tile, step.dither_average)
    else:
        for s in range(side.num_sequences):
            plan = load16(work, (lines + s) * WIDTH)
            at = base + s * WIDTH
            if far:
                prefetch_next(storage, side, average[0], at, 1)
            before = load16(average[0], at)
            store16(average[0], at, multiply_add(before, old, plan * new))


@inline
def _descend(context, own, other, street, board, buffers):
    """The opponent's plan: added to his average, and handed on to where it leads."""
    step, only_average = context[2], context[4]
    table = (
        (other.seen_regrets, other.seen_regrets_scale),
        (other.seen_prediction, other.seen_prediction_scale),
        other.is_predictive > 0,
        splat16(step.keep_other),
        splat16(step.sharpness_other),
    )
    to_terminals = not only_average
    descend(_add_to_average, context, table, own, other, street, board, to_terminals, buffers)


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
    if step.instant <= F(0.0):
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
    """Walk over all boards for each row of ``steps [iteration, player]``, records of `STEP`.

    ``inverses [street]``: one over the probability of all cards so far. With ``only_average``, the
    opponent's plan is added to his average and nobody learns. See `walk_boards` for the others.
    """
    walks = 0
    for t in range(len(steps)):
        for player in range(players[0], players[1]):
            walks += 1
            context = rule, storage, steps[t, player], inverses, only_average
            own = buffers[0][player], buffers[1], buffers[2]
            goes_up = not only_average
            walk_boards(
                _descend, _ascend, context, sides, deals, player, own, goes_up, threads, walks
            )
