"""What a player has learnt on a street: regrets, averages, predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms.public_layout import Layout
from infoset.machine.aligned import zeros
from infoset.machine.precision import FLOAT
from infoset.machine.simd16 import WIDTH

__all__ = [
    "LEAST",
    "Numbers",
    "Table",
    "block_of",
    "make_table",
    "node_numbers",
    "write_block",
    "write_lock",
]

Floats = NDArray[np.floating[Any]]

LEAST = 1e-30
"""The kernels take less than this for nothing."""


class Numbers(NamedTuple):
    """Numbers of all boards: floats, or shorts with scales."""

    data: NDArray[Any]
    """[board, block of hands, sequence, 16], flat"""
    scale: Floats
    """[board, block of hands, decision], flat: what one is worth, for shorts; else empty"""


@dataclass(frozen=True, eq=False)
class Table:
    """What one player has learnt on one street."""

    regrets: Numbers
    average: Numbers
    prediction: Numbers
    """Empty unless the recipe predicts."""
    locked: Floats
    """As floats: what is played whatever is learnt, -1 where that is open; empty if all is."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays that hold something that was learnt, by name."""
        named: dict[str, NDArray[Any]] = {}
        for name in ("regrets", "average", "prediction"):
            numbers: Numbers = getattr(self, name)
            named |= {name: numbers.data, f"{name}_scale": numbers.scale}
        return {name: array for name, array in named.items() if array.size}

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return self.locked.nbytes + sum(array.nbytes for array in self.arrays.values())


def make_table(
    layout: Layout, street: int, player: int, *, bits: int = 32, predictive: bool = False
) -> Table:
    """An empty table."""

    def numbers(*, wanted: bool = True) -> Numbers:
        size = layout.table_size(street, player) if wanted else 0
        if bits == 32:
            return Numbers(zeros(size, FLOAT), np.zeros(0, FLOAT))
        num_scales = layout.num_scales(street, player) if wanted else 0
        return Numbers(zeros(size, np.int16), zeros(num_scales, FLOAT))

    return Table(numbers(), numbers(), numbers(wanted=predictive), np.zeros(0, FLOAT))


def block_of(layout: Layout, street: int, player: int, board: int, numbers: Numbers) -> Floats:
    """[sequences, rows] A copy of the numbers on one board."""
    betting, rows = layout.bettings[street][player], layout.rows[street][player]
    blocks = slice(rows.begin[board] // WIDTH, rows.begin[board + 1] // WIDTH)
    found = numbers.data.reshape(-1, betting.num_sequences, WIDTH)[blocks].astype(FLOAT)
    if numbers.scale.size:
        scale = numbers.scale.reshape(-1, len(betting.nodes))[blocks]
        found *= np.repeat(scale, betting.node_actions, axis=1)[:, :, np.newaxis]
    return found.transpose(1, 0, 2).reshape(betting.num_sequences, -1)


def write_block(
    layout: Layout, street: int, player: int, board: int, numbers: Numbers, values: Floats
) -> None:
    """Put numbers [sequences, rows], none of them above 1, in place of those on one board."""
    betting, rows = layout.bettings[street][player], layout.rows[street][player]
    blocks = slice(rows.begin[board] // WIDTH, rows.begin[board + 1] // WIDTH)
    values = values.reshape(betting.num_sequences, -1, WIDTH).transpose(1, 0, 2)
    if numbers.scale.size:
        numbers.scale.reshape(-1, len(betting.nodes))[blocks] = 1.0 / 32766
        values = np.rint(values * 32766)
    numbers.data.reshape(-1, betting.num_sequences, WIDTH)[blocks] = values


def node_numbers(
    layout: Layout, street: int, player: int, board: int, node: int, numbers: Numbers
) -> Floats:
    """[actions, rows] A copy of the numbers at one decision on one board."""
    betting = layout.bettings[street][player]
    n = betting.nodes.index(node)
    slot = int(betting.node_slot[n]) - betting.num_lines
    found = block_of(layout, street, player, board, numbers)
    return found[slot : slot + int(betting.node_actions[n])]


def write_lock(
    layout: Layout, street: int, player: int, board: int, node: int, locked: Floats, chances: Floats
) -> None:
    """Lock a decision on one board: chances [actions, hands], -1 for hands that stay free."""
    betting, rows = layout.bettings[street][player], layout.rows[street][player]
    n = betting.nodes.index(node)
    slot = int(betting.node_slot[n]) - betting.num_lines
    begin, end = rows.begin[board : board + 2]
    hand = rows.hand[begin:end]
    found = np.where(hand >= 0, chances[:, np.maximum(hand, 0)], -1.0)
    table = locked.reshape(-1, betting.num_sequences, WIDTH)[begin // WIDTH : end // WIDTH]
    here = found.reshape(len(chances), -1, WIDTH).transpose(1, 0, 2)
    table[:, slot : slot + len(chances)] = here
