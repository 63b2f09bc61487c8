"""Lay out histories from a table of public states."""

from typing import NamedTuple

import numpy as np

from infoset.machine.compiled import kernel

CHANCE = -1
TERMINAL = -2


class PublicTable(NamedTuple):
    """One row per public state, parents before children; see `infoset.forms.walk_public`."""

    player: np.ndarray
    parent: np.ndarray
    slot: np.ndarray
    degree: np.ndarray
    worlds: np.ndarray
    ending: np.ndarray
    base: np.ndarray
    """First history among the children of this state's histories."""
    infoset: np.ndarray
    """First infoset of the state, where a player moves."""
    sequence: np.ndarray
    """First sequence of that infoset."""
    after_move: np.ndarray
    """[player, row] The public state after the player's last move; -1 if he has not moved."""


class WorldTable(NamedTuple):
    """The worlds (pairs of hands) of each number, side by side from `begin`."""

    begin: np.ndarray
    hand: np.ndarray
    offset: np.ndarray
    probability: np.ndarray
    place: np.ndarray


@kernel
def _node(public, world, row, i, first):
    """The history of world number ``i`` at a public state."""
    parent = public.parent[row]
    w = world.begin[public.worlds[row]] + i
    if parent < 0:
        return first + i
    if public.player[parent] == CHANCE:
        return public.base[parent] + world.offset[w]
    return public.base[parent] + i * public.degree[parent] + public.slot[row]


@kernel
def expand_into(columns, public, world, payoffs, first):
    """Write one history per public state and world; the deals before them are there already."""
    parent, player, infoset, child, degree, chance, payoff = columns
    for row in range(len(public.player)):
        w = public.worlds[row]
        begin, count = world.begin[w], world.begin[w + 1] - world.begin[w]
        mover = public.player[row]
        above = public.parent[row]
        for i in range(count):
            node = _node(public, world, row, i, first)
            player[node] = mover
            hand0, hand1 = world.hand[0, begin + i], world.hand[1, begin + i]
            if above < 0 or public.player[above] == CHANCE:
                chance[node] = world.probability[begin + i]
            if mover == TERMINAL:
                payoff[node] = payoffs[public.ending[row], hand0, hand1]
            elif mover >= 0:
                hand = hand0 if mover == 0 else hand1
                infoset[node] = public.infoset[row] + world.place[mover, w, hand]
                child[node] = public.base[row] + i * public.degree[row]
                degree[node] = public.degree[row]
                for slot in range(degree[node]):
                    parent[child[node] + slot] = node
    # The children of a chance history are told by the worlds below, which know their place.
    for row in range(len(public.player)):
        above = public.parent[row]
        if above < 0 or public.player[above] != CHANCE:
            continue
        w, v = public.worlds[row], public.worlds[above]
        i = 0
        for j in range(world.begin[w], world.begin[w + 1]):
            while (
                world.hand[0, world.begin[v] + i] != world.hand[0, j]
                or world.hand[1, world.begin[v] + i] != world.hand[1, j]
            ):
                i += 1
            up = _node(public, world, above, i, first)
            down = public.base[above] + world.offset[j]
            parent[down] = up
            if degree[up] == 0 or down < child[up]:
                child[up] = down
            degree[up] += 1


@kernel
def public_into(state, public, world, first):
    """Write the public state, by its row, of every history after the deal."""
    for row in range(len(public.player)):
        w = public.worlds[row]
        for i in range(world.begin[w + 1] - world.begin[w]):
            state[_node(public, world, row, i, first)] = row


@kernel
def parents_into(begin, parent, public, world, player):
    """Write the first sequence and the parent sequence of every infoset of a player."""
    for row in range(len(public.player)):
        if public.player[row] != player:
            continue
        w = public.worlds[row]
        after = public.after_move[player, row]
        for i in range(world.begin[w], world.begin[w + 1]):
            hand = world.hand[player, i]
            place = world.place[player, w, hand]
            number = public.infoset[row] + place
            begin[number] = public.sequence[row] + place * public.degree[row]
            if after >= 0:
                last = public.parent[after]
                before = world.place[player, public.worlds[last], hand]
                action = before * public.degree[last] + public.slot[after]
                parent[number] = public.sequence[last] + action
