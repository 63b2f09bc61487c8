"""The strength of five, six or seven cards: the tables, and the loops that look hands up in them.

The strength of a hand without a flush depends on how many cards it has of each rank. Each card has
a key, and the sum of the keys of a hand holds, side by side,

- the counts of ranks 2 to 8 as a number in base 5 (`LOW_BITS` bits),
- the counts of ranks 9 to ace as a number in base 5 (`HIGH_BITS` bits),
- the number of cards of each suit plus 3, four bits each: the highest of the four is set if there
  are five or more, which is a flush.

The hands of ``n`` cards are then numbered without gaps: a hand has the number
``low_begin[n - 5, low] + high_place[high]``, since the low half also says how many high cards
there are. With five cards or more of one suit, quads and full houses are impossible in seven
cards, so a flush is looked up by the ranks of its suit alone.
"""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import allocating, kernel

NUM_LOW = 7
LOW_BITS = 17
HIGH_BITS = 14
SUIT_SHIFT = 32

LOW_FIELD = np.uint64((1 << LOW_BITS) - 1)
HIGH_FIELD = np.uint64((1 << HIGH_BITS) - 1)
HIGH_SHIFT = np.uint64(LOW_BITS)
EMPTY_KEY = np.uint64(0x3333 << SUIT_SHIFT)
FLUSH_FIELD = np.uint64(0x8888 << SUIT_SHIFT)

LEAST_CARDS, MOST_CARDS = 5, 7

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)


class Tables(NamedTuple):
    """All that is looked up. A strength is from 1 to 7462, larger is stronger."""

    card_key: np.ndarray
    """[52] What a card adds to the key."""
    low_begin: np.ndarray
    """[3, 2**17] By number of cards less five and low code: where hands with these low cards
    begin."""
    high_place: np.ndarray
    """[2**14] By high code: the place among high codes of as many cards."""
    strength: np.ndarray
    """[3, 49205] By number of cards less five and number of the hand: its strength, if there is
    no flush."""
    flush_strength: np.ndarray
    """[8192] By the ranks of a suit, as bits: the strength of the flush."""


class Hands(NamedTuple):
    """Hands as the loops want them; ``Hands[i]`` need not be hand ``i`` of the 1326."""

    first: np.ndarray
    second: np.ndarray
    mask: np.ndarray
    """The two cards as bits."""
    ranks: np.ndarray
    """13 times the rank of the first card plus that of the second."""


@kernel
def _straight_top(ranks):
    """The highest rank of a straight in a set of ranks; -1 if there is none."""
    # Bit 0 is the ace below the two.
    with_low_ace = (ranks << 1) | (ranks >> 12)
    for top in range(12, 2, -1):
        if (with_low_ace >> (top - 3)) & 31 == 31:
            return top
    return -1


@kernel
def _highest_into(score, ranks, number):
    """Append the ``number`` highest ranks of a set to a score, four bits each."""
    rank = 12
    while number:
        if (ranks >> rank) & 1:
            score = (score << 4) | rank
            number -= 1
        rank -= 1
    return score


@kernel
def _score_of_flush(ranks):
    """A number that orders flushes: the category, then five ranks, as hexadecimal digits."""
    top = _straight_top(ranks)
    if top >= 0:
        return (STRAIGHT_FLUSH << 20) | (top << 16)
    return _highest_into(FLUSH, ranks, 5)


@kernel
def _score_of_counts(counts):
    """The same for the best five cards without a flush; ``counts[rank]`` cards of each rank."""
    ranks = 0
    quads = -1
    trips = -1
    pair = -1
    second_pair = -1
    for rank in range(12, -1, -1):
        count = counts[rank]
        if count:
            ranks |= 1 << rank
        if count == 4 and quads < 0:
            quads = rank
        elif count == 3 and trips < 0:
            trips = rank
        elif count >= 2 and pair < 0:
            pair = rank
        elif count >= 2 and second_pair < 0:
            second_pair = rank
    if quads >= 0:
        return _highest_into((QUADS << 4) | quads, ranks & ~(1 << quads), 1) << 12
    if trips >= 0 and pair >= 0:
        return (FULL_HOUSE << 20) | (trips << 16) | (pair << 12)
    top = _straight_top(ranks)
    if top >= 0:
        return (STRAIGHT << 20) | (top << 16)
    if trips >= 0:
        return _highest_into((TRIPS << 4) | trips, ranks & ~(1 << trips), 2) << 8
    if second_pair >= 0:
        kickers = ranks & ~(1 << pair) & ~(1 << second_pair)
        return _highest_into((TWO_PAIR << 8) | (pair << 4) | second_pair, kickers, 1) << 8
    if pair >= 0:
        return _highest_into((PAIR << 4) | pair, ranks & ~(1 << pair), 3) << 4
    return _highest_into(HIGH_CARD, ranks, 5)


@kernel
def _size_of(code):
    """How many cards a number in base 5 counts."""
    size = 0
    while code:
        size += code % 5
        code //= 5
    return size


@allocating
def score_hands_into(low_begin, high_place, score, flush_score, num_scores):
    """Number all hands without a flush, and score them and all flushes.

    Writes ``low_begin``, ``high_place`` and ``flush_score`` in full, ``score[n - 5]`` up to
    ``num_scores[n - 5]``, and that.
    """
    high_code = np.empty((MOST_CARDS + 1, len(high_place)), np.int32)
    num_high = np.zeros(MOST_CARDS + 1, np.int64)
    high_place[:] = 0
    for code in range(5 ** (13 - NUM_LOW)):
        size = _size_of(code)
        if size <= MOST_CARDS:
            high_place[code] = num_high[size]
            high_code[size, num_high[size]] = code
            num_high[size] += 1
    low_begin[:] = 0
    num_scores[:] = 0
    counts = np.zeros(13, np.int64)
    for low in range(5**NUM_LOW):
        low_size = _size_of(low)
        if low_size > MOST_CARDS:
            continue
        rest = low
        for rank in range(NUM_LOW):
            counts[rank] = rest % 5
            rest //= 5
        for n in range(LEAST_CARDS, MOST_CARDS + 1):
            size = n - low_size
            if size < 0:
                continue
            begin = num_scores[n - LEAST_CARDS]
            low_begin[n - LEAST_CARDS, low] = begin
            for place in range(num_high[size]):
                rest = high_code[size, place]
                for rank in range(NUM_LOW, 13):
                    counts[rank] = rest % 5
                    rest //= 5
                score[n - LEAST_CARDS, begin + place] = _score_of_counts(counts)
            num_scores[n - LEAST_CARDS] += num_high[size]
    for ranks in range(len(flush_score)):
        size = 0
        for rank in range(13):
            size += (ranks >> rank) & 1
        flush_score[ranks] = _score_of_flush(ranks) if size >= LEAST_CARDS else 0


@kernel
def _suit_of_flush(key):
    """The suit that has five cards or more."""
    bits = key >> np.uint64(SUIT_SHIFT + 3)
    suit = 0
    while not bits & np.uint64(1):
        bits >>= np.uint64(4)
        suit += 1
    return suit


@kernel
def evaluate_into(strengths, cards, tables):
    """Write the strength of every row of ``cards`` [n, 5 to 7], numbers below 52 of type uint8.

    Stops at the first row that holds a card twice, and returns it; else -1.
    """
    num_hands, num_cards = cards.shape
    card_key = tables.card_key
    high_place = tables.high_place
    low_begin = tables.low_begin[num_cards - LEAST_CARDS]
    strength = tables.strength[num_cards - LEAST_CARDS]
    for i in range(num_hands):
        key = EMPTY_KEY
        seen = np.uint64(0)
        twice = np.uint64(0)
        for j in range(num_cards):
            card = cards[i, j]
            bit = np.uint64(1) << np.uint64(card)
            twice |= seen & bit
            seen |= bit
            key += card_key[card]
        if twice:
            return i
        if key & FLUSH_FIELD:
            suit = _suit_of_flush(key)
            ranks = 0
            for j in range(num_cards):
                if cards[i, j] & 3 == suit:
                    ranks |= 1 << (cards[i, j] >> 2)
            strengths[i] = tables.flush_strength[ranks]
        else:
            high = high_place[(key >> HIGH_SHIFT) & HIGH_FIELD]
            strengths[i] = strength[low_begin[key & LOW_FIELD] + high]
    return -1


@allocating
def strengths_into(strengths, board, hands, tables):
    """Write the strength of every hand on one board of 3 to 5 cards.

    A hand that shares a card with the board gets 0. Without a flush a hand is worth what its two
    ranks are, so these are looked up once for all hands.
    """
    board_key = EMPTY_KEY
    board_mask = np.uint64(0)
    for card in board:
        board_key += tables.card_key[card]
        board_mask |= np.uint64(1) << np.uint64(card)
    row = len(board) + 2 - LEAST_CARDS
    low_begin = tables.low_begin[row]
    strength = tables.strength[row]
    high_place = tables.high_place
    of_ranks = np.zeros(13 * 13, np.int16)
    for rank in range(13):
        for other in range(rank + 1):
            key = board_key + tables.card_key[4 * rank] + tables.card_key[4 * other]
            high = (key >> HIGH_SHIFT) & HIGH_FIELD
            # A fifth card of a rank leads to any place at all. Such a hand is blocked, so it does
            # not matter which, as long as it exists.
            place = np.int64(low_begin[key & LOW_FIELD]) + np.int64(high_place[high])
            of_ranks[13 * rank + other] = strength[min(place, len(strength) - 1)]
    for i in range(len(strengths)):
        is_free = hands.mask[i] & board_mask == 0
        strengths[i] = of_ranks[hands.ranks[i]] if is_free else 0
    for suit in range(4):
        board_count = 0
        board_ranks = 0
        for card in board:
            if card & 3 == suit:
                board_count += 1
                board_ranks |= 1 << (card >> 2)
        if board_count < 3:
            continue
        for i in range(len(strengths)):
            first, second = hands.first[i], hands.second[i]
            has_first, has_second = first & 3 == suit, second & 3 == suit
            if strengths[i] and board_count + has_first + has_second >= 5:
                ranks = board_ranks | has_first << (first >> 2) | has_second << (second >> 2)
                strengths[i] = tables.flush_strength[ranks]


@allocating
def board_strengths_into(strengths, boards, hands, tables):
    """Write what `strengths_into` writes for each board, a row."""
    for board in range(len(boards)):
        strengths_into(strengths[board], boards[board], hands, tables)
