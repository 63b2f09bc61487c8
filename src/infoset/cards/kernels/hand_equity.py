"""One hand against many, and all hands against all, over every board."""

import numpy as np

from infoset.cards.kernels.evaluate import strengths_into
from infoset.machine.compiled import allocating

NEVER_BEATEN = np.int16(32767)
"""A strength that no hand has: of hands that a board blocks."""


@allocating
def beaten_into(won, own, board, size, dead, hands, tables):
    """Write twice the boards on which each hand beats one hand, plus those on which they tie.

    ``own`` [2] are the cards of the one hand. The ``board`` is dealt to ``size`` cards in every
    way; cards in ``dead`` (bits) are not dealt. Hands that share a card with a board get nothing
    for it.
    """
    num_missing = size - len(board)
    num_hands = len(hands.first)
    cards = np.empty(size, np.uint8)
    cards[: len(board)] = board
    strength = np.empty(num_hands, np.int16)
    # The cards that may come, the highest first, and which of them do.
    deck = np.empty(52, np.uint8)
    num_left = 0
    closed = dead
    for k in range(2):
        closed |= np.uint64(1) << np.uint64(own[k])
    for k in range(len(board)):
        closed |= np.uint64(1) << np.uint64(board[k])
    for card in range(52):
        if not (closed >> np.uint64(card)) & np.uint64(1):
            deck[num_left] = card
            num_left += 1
    own_hand = -1
    for h in range(num_hands):
        if hands.first[h] == own[0] and hands.second[h] == own[1]:
            own_hand = h
    won[:] = 0
    drawn = np.arange(num_missing)
    while True:
        for k in range(num_missing):
            cards[len(board) + k] = deck[drawn[k]]
        strengths_into(strength, cards, hands, tables)
        of_own = strength[own_hand]
        for h in range(num_hands):
            won[h] += (strength[h] > of_own) + (strength[h] >= of_own)
        k = num_missing - 1
        while k >= 0 and drawn[k] == num_left - num_missing + k:
            k -= 1
        if k < 0:
            return
        drawn[k] += 1
        for later in range(k + 1, num_missing):
            drawn[later] = drawn[later - 1] + 1


@allocating
def all_beaten_into(won, strength, weight):
    """Add to ``won[i, j]`` the weight of boards on which hand i is beaten by hand j, twice, and
    that of boards on which they tie, once.

    ``strength`` [boards, n] is `NEVER_BEATEN` for hands that a board blocks; ``won`` [n, n].
    """
    num_boards, num_hands = strength.shape
    for i in range(num_hands):
        row = won[i]
        for b in range(num_boards):
            own = strength[b, i]
            if own == NEVER_BEATEN:
                continue
            w = weight[b]
            others = strength[b]
            for j in range(num_hands):
                s = others[j]
                row[j] += w * ((s > own) + np.int32(s >= own)) * (s != NEVER_BEATEN)
