"""What checks of a pruning solver ask of a whole form, in the order in which they ask for it."""

from typing import NamedTuple

import numpy as np

from infoset.forms.kernels.collapse import TERMINAL
from infoset.machine.compiled import allocating, inline, kernel

WORD = 64
"""Sequences whose masks are one number."""


class Around(NamedTuple):
    """What one pass over the histories finds for a player."""

    begin: np.ndarray
    """[num_infosets + 1] Of a matrix, row by row, that turns the opponent's plan into the reach of
    infosets: the probability that chance and he lead there."""
    column: np.ndarray
    """The opponent's sequences, by their positions in his lanes."""
    entry: np.ndarray
    """Probabilities of chance."""
    chance: np.ndarray
    """[num_infosets] The reach if the opponent does all to lead there."""
    high: np.ndarray
    """[num_sequences] The most that is won right after a sequence; infinite where nothing ends."""
    low: np.ndarray
    """[num_sequences] The least."""
    visits: np.ndarray
    """By position in the opponent's lanes: histories at which a sequence of his is the last one."""


@allocating
def _nothing_around(player, infoset, who, num_infosets, num_sequences, lanes):
    """An `Around` to be filled, and where the rows of its matrix are to be filled next."""
    begin = np.zeros(num_infosets + 1, np.int32)
    for node in range(len(player)):
        if player[node] == who:
            begin[infoset[node] + 1] += 1
    for i in range(num_infosets):
        begin[i + 1] += begin[i]
    around = Around(
        begin,
        np.empty(begin[-1], np.int32),
        np.empty(begin[-1]),
        np.zeros(num_infosets),
        np.full(num_sequences, -np.inf),
        np.full(num_sequences, np.inf),
        np.zeros(lanes),
    )
    return around, begin.copy()


@inline
def _enter(around, at, infoset, position, chance):
    """Add a history to the row of its infoset."""
    k = at[infoset]
    at[infoset] += 1
    around.column[k], around.entry[k] = position, chance
    around.chance[infoset] += chance


@inline
def _end(around, sequence, won):
    """Note what is won after a sequence."""
    around.high[sequence] = max(around.high[sequence], won)
    around.low[sequence] = min(around.low[sequence], won)


@allocating
def surround(columns, begin0, begin1, positions0, positions1, lanes0, lanes1):
    """One pass over the histories: both players' last sequences there, and what is around them.

    ``positions`` and ``lanes`` are those of the layout: of each sequence, and how long an array is.
    """
    parent, player, infoset, child, _, chance, payoff = columns
    num_nodes = len(parent)
    last0, last1 = np.zeros(num_nodes, np.int32), np.zeros(num_nodes, np.int32)
    reach = np.ones(num_nodes)
    num0, num1 = len(begin0) - 1, len(begin1) - 1
    first, at0 = _nothing_around(player, infoset, 0, num0, begin0[-1], lanes1)
    second, at1 = _nothing_around(player, infoset, 1, num1, begin1[-1], lanes0)
    for node in range(num_nodes):
        up = parent[node]
        s0, s1, r = 0, 0, 1.0
        if up >= 0:
            s0, s1, r = last0[up], last1[up], reach[up] * chance[node]
            if player[up] == 0:
                s0 = begin0[infoset[up]] + node - child[up]
            elif player[up] == 1:
                s1 = begin1[infoset[up]] + node - child[up]
        last0[node], last1[node], reach[node] = s0, s1, r
        first.visits[positions1[s1]] += 1.0
        second.visits[positions0[s0]] += 1.0
        if player[node] == 0:
            _enter(first, at0, infoset[node], positions1[s1], r)
        elif player[node] == 1:
            _enter(second, at1, infoset[node], positions0[s0], r)
        elif player[node] == TERMINAL and r > 0.0:
            _end(first, s0, payoff[node])
            _end(second, s1, -payoff[node])
    return last0, last1, first, second


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
