"""Tables of numbers on a public form: one for every action and hand, as the kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms.public_layout import Betting, Layout
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.machine.vec16 import WIDTH

Floats = NDArray[np.floating[Any]]

TINY = 1e-30
"""The kernels take less than this for nothing."""

LARGEST_SHORT = 32766


class Numbers(NamedTuple):
    """Numbers of all boards: floats, or 16-bit integers with scales."""

    data: NDArray[Any]
    """[board, block of hands, sequence, 16], flat"""
    scale: Floats = np.zeros(0, FLOAT)
    """[board, block of hands, decision], flat: what an integer is multiplied with; else empty"""

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.data.nbytes + self.scale.nbytes


def numbers_for(layout: Layout, street: int, player: int, *, bits: int = 32) -> Numbers:
    """Zeros for one player on one street."""
    size = layout.table_size(street, player)
    if bits == 32:
        return Numbers(zeros(size, FLOAT))
    return Numbers(zeros(size, np.int16), zeros(layout.num_scales(street, player), FLOAT))


def _blocks(layout: Layout, street: int, player: int, board: int) -> slice:
    begin = layout.rows[street][player].begin
    return slice(begin[board] // WIDTH, begin[board + 1] // WIDTH)


def board_numbers(layout: Layout, street: int, player: int, board: int, table: Numbers) -> Floats:
    """[sequences, rows] A copy of the numbers on one board."""
    betting, blocks = layout.bettings[street][player], _blocks(layout, street, player, board)
    numbers = table.data.reshape(-1, betting.num_sequences, WIDTH)[blocks].astype(FLOAT)
    if table.scale.size:
        scale = table.scale.reshape(-1, len(betting.nodes))[blocks]
        numbers *= np.repeat(scale, betting.node_actions, axis=1)[:, :, np.newaxis]
    return numbers.transpose(1, 0, 2).reshape(betting.num_sequences, -1)


def write_board(
    layout: Layout, street: int, player: int, board: int, table: Numbers, numbers: Floats
) -> None:
    """Put numbers [sequences, rows], none of them above 1, in place of those on one board."""
    betting, blocks = layout.bettings[street][player], _blocks(layout, street, player, board)
    numbers = numbers.reshape(betting.num_sequences, -1, WIDTH).transpose(1, 0, 2)
    if table.scale.size:
        table.scale.reshape(-1, len(betting.nodes))[blocks] = 1.0 / LARGEST_SHORT
        numbers = np.rint(numbers * LARGEST_SHORT)
    table.data.reshape(-1, betting.num_sequences, WIDTH)[blocks] = numbers


def _slots(betting: Betting, node: int) -> slice:
    """Where the actions of a decision lie among the sequences of its player."""
    n = betting.nodes.index(node)
    begin = int(betting.node_slot[n]) - betting.num_lines
    return slice(begin, begin + int(betting.node_actions[n]))


def node_numbers(
    layout: Layout, street: int, player: int, board: int, node: int, table: Numbers
) -> Floats:
    """[actions, rows] A copy of the numbers at one decision on one board."""
    betting, blocks = layout.bettings[street][player], _blocks(layout, street, player, board)
    slots = _slots(betting, node)
    data = table.data.reshape(-1, betting.num_sequences, WIDTH)[blocks, slots].astype(FLOAT)
    if table.scale.size:
        scale = table.scale.reshape(-1, len(betting.nodes))[blocks, betting.nodes.index(node)]
        data *= scale[:, np.newaxis, np.newaxis]
    return data.transpose(1, 0, 2).reshape(slots.stop - slots.start, -1)


def locked_numbers(layout: Layout, street: int, player: int) -> Floats:
    """What is played whatever is learnt, as a table of floats; -1 where that is open.

    Empty if nothing is locked on the street.
    """
    locked = list(layout.form.locked(layout.first + street, player))
    if not locked:
        return np.zeros(0, FLOAT)
    betting, boards = layout.bettings[street][player], layout.boards[street]
    table = np.full(layout.table_size(street, player), -1.0, FLOAT)
    for board, node, probabilities in locked:
        if board not in boards or node not in betting.nodes:
            continue
        blocks = _blocks(layout, street, player, board - boards.start)
        hand = layout.rows[street][player].hand[blocks.start * WIDTH : blocks.stop * WIDTH]
        by_row = np.where(hand >= 0, probabilities[:, np.maximum(hand, 0)], -1.0)
        by_block = by_row.reshape(len(by_row), -1, WIDTH).transpose(1, 0, 2)
        table.reshape(-1, betting.num_sequences, WIDTH)[blocks, _slots(betting, node)] = by_block
    return table
