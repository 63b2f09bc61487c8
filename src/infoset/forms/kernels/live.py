"""Walks over a treeplex in its own numbering, for forms whose sequences come and go."""

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
def keep_reached(infoset_begin, infoset_parent, awake, reached):
    """Let ``reached`` be the sequences awake at infosets with an end at or below them.

    Before, it holds the sequences at which something ends. Root sequences are always kept.
    """
    for i in range(len(infoset_parent) - 1, -1, -1):
        is_reached = False
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            if reached[s]:
                is_reached = True
        for s in range(infoset_begin[i], infoset_begin[i + 1]):
            reached[s] = is_reached and awake[s]
        if is_reached:
            reached[infoset_parent[i]] = True
    for s in range(infoset_begin[0]):
        reached[s] = True
