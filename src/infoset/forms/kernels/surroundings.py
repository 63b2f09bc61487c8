"""What checks of a pruning solver ask of a whole form, in the order in which they ask for it."""

import numpy as np

from infoset.machine.compiled import allocating, kernel

WORD = 64
"""Sequences whose masks are one number."""


@allocating
def reach_rows(is_here, infoset, chance, last, num_infosets, positions):
    """A matrix, row by row, from the opponent's plan in lanes to the reach of a player's infosets.

    ``is_here`` marks the histories at which he moves, ``last`` is the opponent's last sequence.
    """
    begin = np.zeros(num_infosets + 1, np.int32)
    for node in range(len(is_here)):
        if is_here[node]:
            begin[infoset[node] + 1] += 1
    for i in range(num_infosets):
        begin[i + 1] += begin[i]
    at = begin.copy()
    column, entry = np.empty(begin[-1], np.int32), np.empty(begin[-1])
    for node in range(len(is_here)):
        if is_here[node]:
            k = at[infoset[node]]
            at[infoset[node]] += 1
            column[k], entry[k] = positions[last[node]], chance[node]
    return begin, column, entry


@allocating
def words_of(rows, columns, num_rows, num_columns):
    """A mask over the rows of a matrix in words; see `infoset.forms.surroundings.Ends`.

    Entries come row by row. Returns the first column of each word, the columns, and their rows.
    """
    num_words = (num_rows + WORD - 1) // WORD
    begin = np.zeros(num_words + 1, np.int64)
    column, bits = np.empty(len(rows), np.int32), np.zeros(len(rows), np.uint64)
    word_of, place = np.full(num_columns, -1, np.int64), np.empty(num_columns, np.int64)
    count = 0
    for k in range(len(rows)):
        word, c = rows[k] // WORD, columns[k]
        if word_of[c] != word:
            word_of[c], place[c], column[count] = word, count, c
            count += 1
        bits[place[c]] |= np.uint64(1) << np.uint64(rows[k] % WORD)
        begin[word + 1] = count
    for w in range(num_words):
        begin[w + 1] = max(begin[w + 1], begin[w])
    return begin, column[:count].copy(), bits[:count].copy()


@kernel
def add_visits(visits, own, opponents, awake):
    """Count, by last sequence of the opponent, the histories whose own last one is awake."""
    for k in range(len(own)):
        visits[opponents[k]] += awake[own[k]]


@kernel
def count_both(first, second, awake0, awake1):
    """Count the histories whose last sequences are both awake."""
    total = 0
    for k in range(len(first)):
        total += awake0[first[k]] & awake1[second[k]]
    return total
