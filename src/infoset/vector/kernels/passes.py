"""The three passes of the design for one street on one board, sixteen hands at a time.

Arrays over hands are ``[block, slot, 16]``: a *slot* is an entry (a line of betting that led to
the street) or a sequence of the player on the street. A block of hands is worked on as a whole
while it lies in the nearest cache, so nothing but regrets and averages is ever stored.
"""

from typing import NamedTuple

import numpy as np

from infoset.trees.kernels.compiled import inlined
from infoset.vector.kernels.precision import FLOAT
from infoset.vector.kernels.simd16 import (
    WIDTH,
    add16d,
    load16,
    max16,
    multiply_add16,
    round16,
    splat16,
    store16,
    transpose16,
    where_greater16,
    zeros16d,
)

NUM_CARDS = 52
F = FLOAT

UPDATE, BEST, VALUE = 0, 1, 2
"""What the bottom-up pass does: learn, respond as well as possible, or weigh the average."""


class Street(NamedTuple):
    """One player's betting on a street, the same for every board."""

    num_lines: int
    """Lines of betting that lead here: slots ``0:num_lines``."""
    num_sequences: int
    node_slot: np.ndarray
    """[num_nodes] Slot of the first action of each decision, parents before children."""
    node_actions: np.ndarray
    node_parent: np.ndarray
    """[num_nodes] Slot of the player's last action before, or of the line."""
    lane_own: np.ndarray
    """[num_lanes] Ends of the game on this street: the slot they are worth something to, or -1.
    Showdowns first, then folds, both padded to whole vectors."""
    lane_other: np.ndarray
    """[num_lanes] The opponent's slot there."""
    lane_weights: np.ndarray
    """[3 * num_lanes] What reach that I beat, that I do not lose to, and that I meet is worth."""
    num_showdowns: int
    """Vectors of lanes that are showdowns."""
    num_vectors: int
    """Vectors of lanes."""
    exit_slot: np.ndarray
    """[num_lines_after] The slot at which each line leaves for the next street."""


class Hands(NamedTuple):
    """One player's hands, padded to whole blocks."""

    num_blocks: int
    first: np.ndarray
    second: np.ndarray
    same: np.ndarray
    """The row of the same hand of the opponent; a row of zeros if he cannot hold it."""


class Table(NamedTuple):
    """What a player learns, and how: one board's part begins at a given place."""

    regrets: np.ndarray
    average: np.ndarray
    prediction: np.ndarray


class Rule(NamedTuple):
    """The recipe at one iteration."""

    keep_positive: float
    keep_negative: float
    keep_next: float
    keep_other: float
    """What the opponent's strategy keeps of his regrets now, if it is predictive."""
    floor: float
    decay: float
    weight: float
    instant: bool


@inlined
def _matched(source, at, actions, step, guess, keep, predictive, work, slot, reach):
    """Write the plan of one decision to ``work``: reach times matched numbers."""
    zero, one = splat16(F(0.0)), splat16(F(1.0))
    total = zero
    here = at
    for a in range(actions):
        number = load16(source, here)
        if predictive:
            number = multiply_add16(number, keep, load16(guess, here))
        number = where_greater16(number, splat16(F(1e-30)), number, zero)
        total = total + number
        store16(work, slot + a * WIDTH, number)
        here += step
    share = reach / where_greater16(total, zero, total, one)
    even = reach * splat16(F(1.0) / F(actions))
    for a in range(actions):
        number = load16(work, slot + a * WIDTH)
        store16(work, slot + a * WIDTH, where_greater16(total, zero, number * share, even))


@inlined
def plan_block(street, source, guess, begin, keep, entry, rows, block, work):
    """Write one block's plan, entries included, to ``work``."""
    lines = street.num_lines
    predictive = len(guess) > 0
    factor = splat16(keep)
    base = begin + block * street.num_sequences * WIDTH
    for line in range(lines):
        store16(work, line * WIDTH, load16(entry, line * rows + block * WIDTH))
    for n in range(len(street.node_slot)):
        slot = np.intp(street.node_slot[n])
        reach = load16(work, np.intp(street.node_parent[n]) * WIDTH)
        _matched(
            source,
            base + (slot - lines) * WIDTH,
            street.node_actions[n],
            WIDTH,
            guess,
            factor,
            predictive,
            work,
            slot * WIDTH,
            reach,
        )


@inlined
def leave(street, exits, rows, block, work):
    """Hand one block's reach on to the next street."""
    for line in range(len(street.exit_slot)):
        reach = load16(work, np.intp(street.exit_slot[line]) * WIDTH)
        store16(exits, line * rows + block * WIDTH, reach)


@inlined
def descend_opponent(
    own, other, num_blocks, source, guess, begin, keep, entry, exits, reaches, work
):
    """The opponent's plan, turned on its side for the ends: ``[vector, hand, lane]``."""
    rows = num_blocks * WIDTH
    tile = (other.num_lines + other.num_sequences) * WIDTH
    for block in range(num_blocks):
        plan_block(other, source, guess, begin, keep, entry, rows, block, work)
        leave(other, exits, rows, block, work)
        for v in range(own.num_vectors):
            for j in range(WIDTH):
                slot = np.intp(own.lane_other[v * WIDTH + j])
                store16(work, tile + j * WIDTH, load16(work, slot * WIDTH))
            transpose16(reaches, (v * (rows + WIDTH) + block * WIDTH) * WIDTH, work, tile)


@inlined
def descend_own(street, num_blocks, table, begin, rule, entry, exits, work):
    """The player's own plan: added to the average, handed on to the next street."""
    rows = num_blocks * WIDTH
    lines = street.num_lines
    old, new = splat16(rule.decay), splat16(rule.weight)
    for block in range(num_blocks):
        plan_block(
            street,
            table.regrets,
            table.prediction,
            begin,
            rule.keep_positive,
            entry,
            rows,
            block,
            work,
        )
        leave(street, exits, rows, block, work)
        at = begin + block * street.num_sequences * WIDTH
        for s in range(street.num_sequences):
            plan = load16(work, (lines + s) * WIDTH)
            store16(table.average, at, multiply_add16(load16(table.average, at), old, plan * new))
            at += WIDTH


@inlined
def settle(street, hands, rows, other_hands, other_rows, board, values, reaches, cards):
    """The worth of every end to every hand: ``values [vector, hand, lane]``.

    A hand meets all reach but that which holds one of its cards. Going through hands from weak to
    strong, the sums so far are what a hand beats; after those of equal strength are added, what it
    does not lose to.
    """
    live, other_live, group, other_group, dead = board
    zero = splat16(F(0.0))
    for v in range(street.num_vectors):
        reach_at = v * (other_rows + WIDTH) * WIDTH
        value_at = v * rows * WIDTH
        beat = load16(street.lane_weights, v * WIDTH)
        hold = load16(street.lane_weights, (street.num_vectors + v) * WIDTH)
        meet = load16(street.lane_weights, (2 * street.num_vectors + v) * WIDTH)
        for c in range(NUM_CARDS):
            store16(cards, c * WIDTH, zero)
        total = zeros16d()
        for i in range(len(other_live)):
            h = np.intp(other_live[i])
            reach = load16(reaches, reach_at + h * WIDTH)
            total = add16d(total, reach)
            one, two = np.intp(other_hands.first[h]) * WIDTH, np.intp(other_hands.second[h]) * WIDTH
            store16(cards, one, load16(cards, one) + reach)
            store16(cards, two, load16(cards, two) + reach)
        is_fold = v >= street.num_showdowns
        every = round16(total)
        for i in range(len(live)):
            h = np.intp(live[i])
            one, two = np.intp(hands.first[h]) * WIDTH, np.intp(hands.second[h]) * WIDTH
            met = every - load16(cards, one) - load16(cards, two)
            met = met + load16(reaches, reach_at + np.intp(hands.same[h]) * WIDTH)
            store16(values, value_at + h * WIDTH, met * meet)
        for i in range(len(dead)):
            store16(values, value_at + np.intp(dead[i]) * WIDTH, zero)
        if is_fold:
            continue
        for c in range(NUM_CARDS):
            store16(cards, c * WIDTH, zero)
        total = zeros16d()
        for g in range(len(group) - 1):
            so_far = round16(total)
            for i in range(group[g], group[g + 1]):
                h = np.intp(live[i])
                one, two = np.intp(hands.first[h]) * WIDTH, np.intp(hands.second[h]) * WIDTH
                beaten = so_far - load16(cards, one) - load16(cards, two)
                at = value_at + h * WIDTH
                store16(values, at, multiply_add16(beaten, beat, load16(values, at)))
            for i in range(other_group[g], other_group[g + 1]):
                h = np.intp(other_live[i])
                reach = load16(reaches, reach_at + h * WIDTH)
                total = add16d(total, reach)
                one = np.intp(other_hands.first[h]) * WIDTH
                two = np.intp(other_hands.second[h]) * WIDTH
                store16(cards, one, load16(cards, one) + reach)
                store16(cards, two, load16(cards, two) + reach)
            so_far = round16(total)
            for i in range(group[g], group[g + 1]):
                h = np.intp(live[i])
                one, two = np.intp(hands.first[h]) * WIDTH, np.intp(hands.second[h]) * WIDTH
                held = so_far - load16(cards, one) - load16(cards, two)
                held = held + load16(reaches, reach_at + np.intp(hands.same[h]) * WIDTH)
                at = value_at + h * WIDTH
                store16(values, at, multiply_add16(held, hold, load16(values, at)))


@inlined
def ascend(street, num_blocks, mode, table, begin, rule, values, later, entry_values, work):
    """Bottom-up: values of ends and of later streets in, new regrets and the lines' values out."""
    rows = num_blocks * WIDTH
    lines = street.num_lines
    num_slots = lines + street.num_sequences
    tile = num_slots * WIDTH
    zero, one = splat16(F(0.0)), splat16(F(1.0))
    tiny = splat16(F(1e-30))
    keep_more, keep_less = splat16(rule.keep_positive), splat16(rule.keep_negative)
    keep_then, lowest = splat16(rule.keep_next), splat16(rule.floor)
    regrets, average, guess = table.regrets, table.average, table.prediction
    predictive = len(guess) > 0
    for block in range(num_blocks):
        base = begin + (block * street.num_sequences - lines) * WIDTH
        for s in range(num_slots):
            store16(work, s * WIDTH, zero)
        for v in range(street.num_vectors):
            transpose16(work, tile, values, (v * rows + block * WIDTH) * WIDTH)
            for j in range(WIDTH):
                slot = np.intp(street.lane_own[v * WIDTH + j])
                if slot >= 0:
                    at = slot * WIDTH
                    store16(work, at, load16(work, at) + load16(work, tile + j * WIDTH))
        for line in range(len(street.exit_slot)):
            at = np.intp(street.exit_slot[line]) * WIDTH
            store16(work, at, load16(work, at) + load16(later, line * rows + block * WIDTH))
        for n in range(len(street.node_slot) - 1, -1, -1):
            actions = street.node_actions[n]
            slot = np.intp(street.node_slot[n]) * WIDTH
            here = base + slot
            uniform = splat16(F(1.0) / F(actions))
            if mode == BEST:
                worth = load16(work, slot)
                for a in range(1, actions):
                    worth = max16(load16(work, slot + a * WIDTH), worth)
            else:
                total, matched, plain = zero, zero, zero
                for a in range(actions):
                    value = load16(work, slot + a * WIDTH)
                    if mode == VALUE:
                        number = load16(average, here + a * WIDTH)
                    else:
                        number = load16(regrets, here + a * WIDTH)
                        if predictive:
                            last = load16(guess, here + a * WIDTH)
                            number = multiply_add16(number, keep_more, last)
                    number = where_greater16(number, tiny, number, zero)
                    total = total + number
                    matched = multiply_add16(number, value, matched)
                    plain = plain + value
                divisor = where_greater16(total, zero, total, one)
                worth = where_greater16(total, zero, matched / divisor, plain * uniform)
            if mode == UPDATE:
                total = zero
                for a in range(actions):
                    gain = load16(work, slot + a * WIDTH) - worth
                    regret = load16(regrets, here + a * WIDTH)
                    regret = regret * where_greater16(regret, zero, keep_more, keep_less)
                    regret = max16(regret + gain, lowest)
                    store16(regrets, here + a * WIDTH, regret)
                    if predictive:
                        store16(guess, here + a * WIDTH, gain)
                        regret = multiply_add16(regret, keep_then, gain)
                    total = total + where_greater16(regret, tiny, regret, zero)
                if rule.instant:
                    divisor = one / where_greater16(total, zero, total, one)
                    worth = zero
                    for a in range(actions):
                        number = load16(regrets, here + a * WIDTH)
                        if predictive:
                            last = load16(guess, here + a * WIDTH)
                            number = multiply_add16(number, keep_then, last)
                        number = where_greater16(number, tiny, number, zero)
                        played = where_greater16(total, zero, number * divisor, uniform)
                        worth = multiply_add16(played, load16(work, slot + a * WIDTH), worth)
            at = np.intp(street.node_parent[n]) * WIDTH
            store16(work, at, load16(work, at) + worth)
        for line in range(lines):
            store16(entry_values, line * rows + block * WIDTH, load16(work, line * WIDTH))
