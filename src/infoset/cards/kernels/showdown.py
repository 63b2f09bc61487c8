"""Hands against hands that share no card with them, in time linear in the number of hands.

A hand meets every hand of the opponent but those that hold one of its two cards. The reach of
these is subtracted by card, and the hand itself, which holds both cards, is then added back: once
is enough. Along hands in order of strength the same sums over all hands so far say what a hand
beats.

Hands and cards that are used as indices should be of unsigned type: numba then spends nothing on
indices that count from the end, and a showdown takes half the time.
"""

import numpy as np

from infoset.machine.compiled import allocating

NUM_CARDS = 52
DIGIT_BITS = 7
NUM_DIGITS = 1 << DIGIT_BITS


@allocating
def sort_by_strength_into(order, strength, spare):
    """Write the hands that are not blocked, weakest first; return how many there are.

    ``strength`` [n] is 0 for hands that are blocked and below 2**14 for all; ``order`` and
    ``spare`` have room for n. Hands of equal strength stay in the order of their numbers.
    """
    begin_low = np.zeros(NUM_DIGITS + 1, np.int32)
    begin_high = np.zeros(NUM_DIGITS + 1, np.int32)
    num_live = 0
    for h in range(len(strength)):
        s = np.uint16(strength[h])
        if s > 0:
            begin_low[(s & (NUM_DIGITS - 1)) + 1] += 1
            begin_high[(s >> DIGIT_BITS) + 1] += 1
            num_live += 1
    for digit in range(NUM_DIGITS):
        begin_low[digit + 1] += begin_low[digit]
        begin_high[digit + 1] += begin_high[digit]
    for h in range(len(strength)):
        s = np.uint16(strength[h])
        if s > 0:
            spare[begin_low[s & (NUM_DIGITS - 1)]] = h
            begin_low[s & (NUM_DIGITS - 1)] += 1
    for k in range(num_live):
        h = spare[k]
        digit = np.uint16(strength[h]) >> DIGIT_BITS
        order[begin_high[digit]] = h
        begin_high[digit] += 1
    return num_live


@allocating
def unblocked_into(values, reach, live, first, second):
    """Write how much of the opponent's reach each hand meets: all that shares no card with it.

    This is also what a fold is worth, up to the chips won. Only the hands in ``live`` count, and
    only ``values[live]`` is written.
    """
    total = 0.0
    card_reach = np.zeros(NUM_CARDS)
    for h in live:
        total += reach[h]
        card_reach[first[h]] += reach[h]
        card_reach[second[h]] += reach[h]
    for h in live:
        values[h] = total - card_reach[first[h]] - card_reach[second[h]] + reach[h]


@allocating
def showdown_into(values, reach, order, strength, first, second, win, tie, lose):
    """Write what a showdown is worth to each hand against the opponent's ``reach`` [n].

    ``win`` for every hand it beats, ``tie`` for one as strong and ``lose`` for one that is
    stronger, each times its reach, over the hands that share no card with it. ``order`` are the
    hands that are not blocked by the board, weakest first, and ``strength`` [n], ``first`` [n] and
    ``second`` [n] are the strength and the cards of all; only ``values[order]`` is written.
    """
    total = 0.0
    card_total = np.zeros(NUM_CARDS)
    for h in order:
        total += reach[h]
        card_total[first[h]] += reach[h]
        card_total[second[h]] += reach[h]
    # The same sums over hands up to the one at hand; those of equal strength go in together.
    below = 0.0
    card_below = np.zeros(NUM_CARDS)
    begin = 0
    while begin < len(order):
        end = begin
        equal = strength[order[begin]]
        while end < len(order) and strength[order[end]] == equal:
            h = order[end]
            values[h] = below - card_below[first[h]] - card_below[second[h]]
            end += 1
        for k in range(begin, end):
            h = order[k]
            below += reach[h]
            card_below[first[h]] += reach[h]
            card_below[second[h]] += reach[h]
        for k in range(begin, end):
            h = order[k]
            beaten = values[h]
            not_above = below - card_below[first[h]] - card_below[second[h]] + reach[h]
            met = total - card_total[first[h]] - card_total[second[h]] + reach[h]
            values[h] = win * beaten + tie * (not_above - beaten) + lose * (met - not_above)
        begin = end
