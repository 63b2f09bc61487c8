"""One pass over the histories of a game, parents before children."""

import numpy as np

from infoset.machine.compiled import allocating


@allocating
def first_marked(parent, is_marked):
    """[n] The first marked node on the way to each node, itself included; -1 if there is none."""
    first = np.full(len(parent), -1, np.int32)
    for node in range(len(parent)):
        up = parent[node]
        if up >= 0 and first[up] >= 0:
            first[node] = first[up]
        elif is_marked[node]:
            first[node] = node
    return first


@allocating
def count_down(parent, step):
    """[n] The sum of ``step`` over the way to each node, the node itself left out."""
    total = np.zeros(len(parent), np.int32)
    for node in range(1, len(parent)):
        up = parent[node]
        total[node] = total[up] + step[up]
    return total
