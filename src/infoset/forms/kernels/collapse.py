"""Collapse terminals to entries of a matrix over pairs of sequences."""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import allocating

TERMINAL = -2


class Payoff(NamedTuple):
    """The payoff matrix, one entry per pair of sequences that ends the game, sorted by row."""

    rows: np.ndarray
    """Sequences of player 0."""
    columns: np.ndarray
    """Sequences of player 1."""
    entries: np.ndarray
    """What player 0 wins there, times the probability of chance."""


@allocating
def last_sequences(columns, begin0, begin1):
    """Per node: the last sequence of each player before it, and the probability of chance."""
    parent, player, infoset, child, _, chance, _ = columns
    num_nodes = len(parent)
    last0 = np.zeros(num_nodes, np.int32)
    last1 = np.zeros(num_nodes, np.int32)
    reach = np.ones(num_nodes)
    for node in range(num_nodes):
        up = parent[node]
        if up >= 0:
            last0[node], last1[node] = last0[up], last1[up]
            reach[node] = reach[up] * chance[node]
            slot = node - child[up]
            if player[up] == 0:
                last0[node] = begin0[infoset[up]] + slot
            elif player[up] == 1:
                last1[node] = begin1[infoset[up]] + slot
    return last0, last1, reach


@allocating
def collapse(columns, begin0, begin1):
    """Every terminal as (sequence of player 0, sequence of player 1, chance-weighted payoff)."""
    last0, last1, reach = last_sequences(columns, begin0, begin1)
    player, payoff = columns[1], columns[6]
    num_terminals = 0
    for node in range(len(player)):
        if player[node] == TERMINAL:
            num_terminals += 1
    rows = np.empty(num_terminals, np.int32)
    opposite = np.empty(num_terminals, np.int32)
    entries = np.empty(num_terminals)
    k = 0
    for node in range(len(player)):
        if player[node] == TERMINAL:
            rows[k], opposite[k] = last0[node], last1[node]
            entries[k] = reach[node] * payoff[node]
            k += 1
    return rows, opposite, entries


@allocating
def sum_runs(order, rows, columns, entries):
    """Add up entries that share their row and column, given an order that puts them together."""
    out = -1
    sum_rows = np.empty_like(rows)
    sum_columns = np.empty_like(columns)
    sums = np.empty_like(entries)
    for i in order:
        if out < 0 or rows[i] != sum_rows[out] or columns[i] != sum_columns[out]:
            out += 1
            sum_rows[out], sum_columns[out], sums[out] = rows[i], columns[i], 0.0
        sums[out] += entries[i]
    return sum_rows[: out + 1].copy(), sum_columns[: out + 1].copy(), sums[: out + 1].copy()
