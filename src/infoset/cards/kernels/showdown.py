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
def showdown_into(won, met, reach, order, strength, first, second):
    """Write how much of the opponent's ``reach`` [n] each hand wins, and how much it meets.

    A hand meets all hands that share no card with it; it wins those it beats and half of those as
    strong. ``order`` are the hands that are not blocked by the board, weakest first, and
    ``strength`` [n], ``first`` [n] and ``second`` [n] are the strength and the cards of all; only
    ``won[order]`` and ``met[order]`` are written.
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
            won[h] = below - card_below[first[h]] - card_below[second[h]]
            met[h] = total - card_total[first[h]] - card_total[second[h]] + reach[h]
            end += 1
        for k in range(begin, end):
            h = order[k]
            below += reach[h]
            card_below[first[h]] += reach[h]
            card_below[second[h]] += reach[h]
        for k in range(begin, end):
            h = order[k]
            not_above = below - card_below[first[h]] - card_below[second[h]] + reach[h]
            won[h] += 0.5 * (not_above - won[h])
        begin = end
