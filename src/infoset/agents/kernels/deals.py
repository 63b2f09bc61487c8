"""Draw hands on the compiled game: which terminal each ends in.

Every hand has three random streams, made of the seed and numbers of hands: for chance and for each
seat. So hands may be drawn in any order, and two hands with the same cards differ only by what the
players do.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.machine.compiled import kernel, threaded
from infoset.solvers.sampled.kernels.random import STEP, stream, uniform

CHANCE = -1
SHORT = 8
"""Children that are looked through one by one; among more, the one drawn is found by halving."""

CARDS, SEAT_0, SEAT_1 = range(3)
"""What streams are for."""


class Tree(NamedTuple):
    """The compiled game, as hands are drawn on it."""

    node_player: NDArray[np.int8]
    """[num_nodes] Who moves."""
    node_child: NDArray[np.int32]
    """[num_nodes] The first child."""
    node_degree: NDArray[np.int32]
    """[num_nodes] How many children; 0 at terminals."""
    node_begin: NDArray[np.int32]
    """[num_nodes] Where the thresholds of the children begin, in those of who moves."""
    chance: NDArray[np.float64]
    """Thresholds of chance: a child is drawn if a random number is below its own but not below
    that of the child before."""


class Seats(NamedTuple):
    """Thresholds of the actions of both seats, by sequence."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]


@kernel
def thresholds_into(thresholds, probabilities, begin, count):
    """Sums of probabilities along each run ``begin[i]:begin[i] + count[i]``, scaled to end at 1.

    From the last positive probability on they are 2, above every random number, so that rounding
    leads nowhere; what has probability 0 is never drawn.
    """
    for i in range(len(begin)):
        total = 0.0
        last = begin[i]
        for j in range(begin[i], begin[i] + count[i]):
            total += probabilities[j]
            if probabilities[j] > 0.0:
                last = j
        below = 0.0
        for j in range(begin[i], begin[i] + count[i]):
            below += probabilities[j]
            thresholds[j] = below / total if j < last else 2.0


@threaded
def draw_hands_into(terminals, first, duplicate, key, tree, even, odd):
    """Draw hands from number ``first`` on, and write the node in which each ends.

    ``even`` are the seats in hands of even number, ``odd`` in the others. If ``duplicate``, an odd
    hand has the cards of the one before.
    """
    for i in range(len(terminals)):
        hand = first + i
        is_odd = hand % 2
        chance = stream(key, CARDS, hand - is_odd if duplicate else hand)
        numbers0 = stream(key, SEAT_0, hand)
        numbers1 = stream(key, SEAT_1, hand)
        node = 0
        count = tree.node_degree[0]
        while count > 0:
            player = tree.node_player[node]
            if player == CHANCE:
                number = uniform(chance)
                chance += STEP
                row = tree.chance
            elif player == 0:
                number = uniform(numbers0)
                numbers0 += STEP
                row = odd.first if is_odd else even.first
            else:
                number = uniform(numbers1)
                numbers1 += STEP
                row = odd.second if is_odd else even.second
            begin = tree.node_begin[node]
            drawn = 0
            if count <= SHORT:
                while number >= row[begin + drawn]:
                    drawn += 1
            else:
                end = count - 1
                while drawn < end:
                    middle = (drawn + end) // 2
                    if number < row[begin + middle]:
                        end = middle
                    else:
                        drawn = middle + 1
            node = tree.node_child[node] + drawn
            count = tree.node_degree[node]
        terminals[i] = node
