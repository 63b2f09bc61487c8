"""Showdowns of two ranges over many boards."""

import numpy as np

from infoset.cards.kernels.evaluate import strengths_into
from infoset.cards.kernels.showdown import NUM_CARDS, showdown_into, sort_by_strength_into
from infoset.machine.compiled import allocating, kernel

EVERY_FOURTH_BIT = np.uint64(0x1111111111111)


@kernel
def _relabelled(mask, suits):
    """A set of cards with suit ``s`` called ``suits[s]``."""
    image = np.uint64(0)
    for s in range(4):
        image |= ((mask >> np.uint64(s)) & EVERY_FOURTH_BIT) << np.uint64(suits[s])
    return image


@kernel
def _num_alike(mask, relabellings):
    """How many boards one stands for: all it can be relabelled to. 0 if a smaller one does."""
    num_same = 0
    for g in range(len(relabellings)):
        image = _relabelled(mask, relabellings[g])
        if image < mask:
            return 0
        num_same += image == mask
    return len(relabellings) // num_same


@allocating
def complete_board_into(boards, board_weight, board, dead, relabellings):
    """Write every way to deal a board to the end, one for all that are alike; return how many.

    ``boards`` [n, 5] and ``board_weight`` [n], how many each stands for, are written as far as
    there is room for them, so that a first call with none can count. Cards in ``dead`` (bits) are
    not dealt. ``relabellings`` [g, 4] is a group of permutations of suits that maps the board and
    the dead cards to themselves.
    """
    num_missing = boards.shape[1] - len(board)
    drawn = np.arange(num_missing)
    mask_board = np.uint64(0)
    for card in board:
        mask_board |= np.uint64(1) << np.uint64(card)
    num_boards = 0
    while True:
        mask = np.uint64(0)
        for k in range(num_missing):
            mask |= np.uint64(1) << np.uint64(drawn[k])
        if mask & dead == 0:
            weight = _num_alike(mask | mask_board, relabellings)
            if weight:
                if num_boards < len(boards):
                    boards[num_boards, : len(board)] = board
                    boards[num_boards, len(board) :] = drawn
                    board_weight[num_boards] = weight
                num_boards += 1
        k = num_missing - 1
        while k >= 0 and drawn[k] == NUM_CARDS - num_missing + k:
            k -= 1
        if k < 0:
            return num_boards
        drawn[k] += 1
        for later in range(k + 1, num_missing):
            drawn[later] = drawn[later - 1] + 1


@allocating
def meet_into(won, met, board_won, board_met, boards, board_weight, hands, reach, tables):
    """Add up showdowns over boards.

    Hands [n] are those of either player, ``reach`` [2, n] is how often each player has them.
    ``won[p, h]`` gets the opponent's reach that hand ``h`` of player ``p`` beats plus half of what
    it ties with, ``met[p, h]`` all that it meets; ``board_won`` and ``board_met`` get the same
    board by board, for player 0 with his reach.
    """
    num_hands = len(hands.first)
    strength = np.empty(num_hands, np.int16)
    order = np.empty(num_hands, np.uint16)
    spare = np.empty(num_hands, np.uint16)
    won_here = np.empty(num_hands)
    met_here = np.empty(num_hands)
    won[:] = 0.0
    met[:] = 0.0
    for b in range(len(boards)):
        strengths_into(strength, boards[b], hands, tables)
        num_live = sort_by_strength_into(order, strength, spare)
        live = order[:num_live]
        weight = board_weight[b]
        for player in range(2):
            total_won = 0.0
            total_met = 0.0
            showdown_into(
                won_here, met_here, reach[1 - player], live, strength, hands.first, hands.second
            )
            for h in live:
                won[player, h] += weight * won_here[h]
                met[player, h] += weight * met_here[h]
                total_won += reach[player, h] * won_here[h]
                total_met += reach[player, h] * met_here[h]
            if player == 0:
                board_won[b] = total_won
                board_met[b] = total_met
