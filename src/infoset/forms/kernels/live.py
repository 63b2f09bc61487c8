"""Walks over a treeplex in its own numbering, for forms whose sequences come and go."""

import numpy as np

from infoset.machine.compiled import kernel


@kernel
def raise_bounds(infoset_begin, infoset_parent, high, low):
    """Bottom-up: a sequence's bounds include those of all that may follow it."""
    for i in range(len(infoset_parent) - 1, -1, -1):
        parent = infoset_parent[i]
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            high[parent] = max(high[parent], high[s])
            low[parent] = min(low[parent], low[s])


@kernel
def widen_bounds(last, payoff, high, low):
    """Let bounds include what is won right after each sequence, ``payoff[k]`` after ``last[k]``."""
    for k in range(len(last)):
        high[last[k]] = max(high[last[k]], payoff[k])
        low[last[k]] = min(low[last[k]], payoff[k])


@kernel
def keep_reached(infoset_begin, infoset_parent, awake, reached):
    """Let ``reached`` be the sequences awake at infosets with an end at or below them.

    Before, it holds the sequences at which something ends. Root sequences are always kept.
    """
    # Without branches: masks are too irregular to be guessed.
    for i in range(len(infoset_parent) - 1, -1, -1):
        is_reached = False
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            is_reached |= reached[s]
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            reached[s] = is_reached & awake[s]
        reached[infoset_parent[i]] |= is_reached
    for s in range(infoset_begin[0]):
        reached[s] = True


@kernel
def mark_ends(begin, column, bits, rows, awake, reached):
    """Mark both players' sequences awake that end the game together; see `Ends`.

    ``rows`` holds, a bit each, which sequences of player 0 are awake, and then which are marked;
    ``awake`` and ``reached`` are those of player 1.
    """
    for w in range(len(rows)):
        mine, found = rows[w], np.uint64(0)
        for k in range(begin[w], begin[w + 1]):
            s = column[k]
            both = bits[k] & mine if awake[s] else np.uint64(0)
            found |= both
            reached[s] |= both != 0
        rows[w] = found


@kernel
def reach_into(out, begin, column, chance, plan):
    """Write the product of a matrix, stored row by row, with a plan."""
    for i in range(len(out)):
        total = 0.0
        for k in range(begin[i], begin[i + 1]):
            total += chance[k] * plan[column[k]]
        out[i] = total


@kernel
def collect_into(out, lanes, positions):
    """Write numbers in lanes in the order of the tree."""
    for s in range(len(positions)):
        out[s] = lanes[positions[s]]


@kernel
def spread_into(lanes, values, positions):
    """Write numbers in the order of the tree to where they lie in lanes."""
    for s in range(len(positions)):
        lanes[positions[s]] = values[s]


@kernel
def move_into(out, at, lanes, positions):
    """Write numbers in lanes to where they belong in a larger array."""
    for s in range(len(positions)):
        out[at[s]] = lanes[positions[s]]
