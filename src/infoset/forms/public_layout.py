"""A game in public form, flattened for the kernels: streets, lanes, rows.

The *rows* of a player on a board are the hands that the board leaves him, sixteen to a block, on
the last street from weak to strong. A *slot* is a line of betting that leads to a street, or an
action of the player on it; a *lane* is an end of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms.betting_tree import NodeKind
from infoset.forms.public_form import Form
from infoset.forms.public_rows import Rows, rows_of_street
from infoset.machine.precision import FLOAT
from infoset.machine.simd16 import WIDTH

__all__ = ["Betting", "Layout", "lay_out"]


@dataclass(frozen=True, eq=False)
class Betting:
    """One player's betting on one street, the same on every board."""

    num_lines: int
    """Lines of betting that lead here: slots ``0:num_lines``."""
    num_sequences: int
    """Actions of the player: the slots after those."""
    nodes: tuple[int, ...]
    """The player's decisions, parents before children."""
    node_slot: NDArray[np.int32]
    """[nodes] Slot of the first action of each."""
    node_actions: NDArray[np.int32]
    node_parent: NDArray[np.int32]
    """[nodes] Slot of the player's last action before, or of the line."""
    lane_own: NDArray[np.int32]
    """[lanes] The slot that each end is worth something to, or -1. Showdowns first, then folds,
    both padded to whole vectors."""
    lane_other: NDArray[np.int32]
    """[lanes] The opponent's slot there."""
    lane_weights: NDArray[np.floating[Any]]
    """[3 * lanes] What reach that I beat, that I do not lose to, and that I meet is worth."""
    num_showdowns: int
    """Vectors of lanes that are showdowns."""
    num_vectors: int
    """Vectors of lanes."""
    exit_slot: NDArray[np.int32]
    """[lines after] The slot at which each line leaves for the next street."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A game, or the part of it below a node on a board, ready for the kernels."""

    form: Form
    first: int
    """The street it begins on."""
    root_board: int
    boards: tuple[range, ...]
    """[street from the first on] Which boards of the form are played."""
    bettings: tuple[tuple[Betting, Betting], ...]
    """[street][player]"""
    rows: tuple[tuple[Rows, Rows], ...]
    """[street][player]"""
    child_begin: tuple[NDArray[np.int32], ...]
    """[street] [boards + 1] The boards of the next street that follow each."""
    num_pairs: float

    @property
    def num_streets(self) -> int:
        """How many streets are played."""
        return len(self.bettings)

    def table_size(self, street: int, player: int) -> int:
        """Numbers of one table of a player on a street, all boards."""
        return (
            int(self.rows[street][player].begin[-1]) * self.bettings[street][player].num_sequences
        )

    def num_scales(self, street: int, player: int) -> int:
        """Blocks of hands times decisions: what a 16-bit table has a scale for."""
        blocks = int(self.rows[street][player].begin[-1]) // WIDTH
        return blocks * len(self.bettings[street][player].nodes)

    def num_visits(self, player: int) -> int:
        """What a walk for a player visits: pairs of a public node on a board and a hand of his.

        Boards are those that are played, one for all that are alike, and hands those that a board
        leaves. The nodes of a street, the same on each of its boards, are the decisions of both
        players, the ends, and the exits, where a card is dealt: also the cards that come after an
        early showdown, which is an end only on the last street.
        """
        visits = 0
        for bettings, rows in zip(self.bettings, self.rows, strict=True):
            num_decisions = sum(len(betting.nodes) for betting in bettings)
            # What pads the lanes to whole vectors is worth something to no slot.
            num_ends = int(np.count_nonzero(bettings[player].lane_own >= 0))
            num_nodes = num_decisions + num_ends + len(bettings[player].exit_slot)
            visits += num_nodes * int(rows[player].num_live.sum(dtype=np.int64))
        return visits

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays here."""
        parts = [*self.bettings, *self.rows]
        return sum(
            value.nbytes
            for pair in parts
            for part in pair
            for value in vars(part).values()
            if isinstance(value, np.ndarray)
        )


def lay_out(form: Form, *, node: int = 0, street: int = 0, board: int = 0) -> Layout:
    """Flatten a game, or what is below a node on a board of a street."""
    num_pairs = form.num_pairs()
    boards = [range(board, board + 1)]
    for deals in form.streets[street + 1 :]:
        begin, end = np.searchsorted(deals.parent, (boards[-1].start, boards[-1].stop))
        boards.append(range(int(begin), int(end)))
    rows: list[tuple[Rows, Rows]] = []
    for here, played in enumerate(boards):
        rows.append(rows_of_street(form, street + here, played, rows[-1] if rows else None))
    child_begin = []
    for here, played in enumerate(boards):
        if here + 1 < len(boards):
            parents = form.streets[street + here + 1].parent
            begins = np.searchsorted(parents, np.arange(played.start, played.stop + 1))
            child_begin.append((begins - boards[here + 1].start).astype(np.int32))
        else:
            child_begin.append(np.zeros(len(played) + 1, np.int32))
    return Layout(
        form=form,
        first=street,
        root_board=board,
        boards=tuple(boards),
        bettings=_bettings(form, node, street, num_pairs),
        rows=tuple(rows),
        child_begin=tuple(child_begin),
        num_pairs=num_pairs,
    )


def _bettings(
    form: Form, root: int, first: int, num_pairs: float
) -> tuple[tuple[Betting, Betting], ...]:
    """Number the slots of each street and find its ends and exits."""
    out: list[tuple[Betting, Betting]] = []
    last_street = form.num_streets - 1
    # The lines into a street: the node above, or an early showdown that only waits for the end.
    lines: list[tuple[str, int]] = [("play", root)]
    for street in range(first, form.num_streets):
        nodes = range(*form.street_begin[street : street + 2])
        last: dict[int, tuple[int, int]] = {}
        ends: list[tuple[int, tuple[int, int]]] = []
        leaving: list[tuple[tuple[str, int], tuple[int, int]]] = []
        for line, (kind, node) in enumerate(lines):
            if kind == "play":
                last[node] = line, line
            elif street == last_street:
                ends.append((node, (line, line)))
            else:
                leaving.append(((kind, node), (line, line)))
        next_slot = [len(lines), len(lines)]
        decisions: tuple[list[tuple[int, int, int, int]], ...] = ([], [])
        for node in nodes:
            if node not in last:
                continue  # not below the root
            begin, end = int(form.node_child_begin[node]), int(form.node_child_end[node])
            match form.node_kind[node]:
                case NodeKind.DECISION:
                    player = int(form.node_player[node])
                    slot, before = next_slot[player], last[node]
                    decisions[player].append((node, slot, end - begin, before[player]))
                    next_slot[player] += end - begin
                    for k, child in enumerate(range(begin, end)):
                        mine = slot + k
                        last[child] = (mine, before[1]) if player == 0 else (before[0], mine)
                case NodeKind.CHANCE:
                    leaving.append((("play", begin), last[node]))
                case NodeKind.SHOWDOWN if street < last_street:
                    leaving.append((("showdown", node), last[node]))
                case _:
                    ends.append((node, last[node]))
        exits = [slots for _, slots in leaving]
        pair = [
            _betting(form, p, len(lines), next_slot[p], decisions[p], ends, exits, num_pairs)
            for p in (0, 1)
        ]
        out.append((pair[0], pair[1]))
        lines = [line for line, _ in leaving]
    return tuple(out)


def _betting(
    form: Form,
    player: int,
    num_lines: int,
    num_slots: int,
    decisions: list[tuple[int, int, int, int]],
    ends: list[tuple[int, tuple[int, int]]],
    exits: list[tuple[int, int]],
    num_pairs: float,
) -> Betting:
    showdowns: list[tuple[int, int, float, float, float]] = []
    folds: list[tuple[int, int, float, float, float]] = []
    for node, slots in ends:
        win, tie, lose = form.worth[node, player].tolist()
        is_showdown = form.node_kind[node] == NodeKind.SHOWDOWN
        group = showdowns if is_showdown else folds
        group.append((slots[player], slots[1 - player], win - tie, tie - lose, lose))
    lanes = []
    for group in (showdowns, folds):
        lanes += group
        lanes += [(-1, 0, 0.0, 0.0, 0.0)] * (-len(group) % WIDTH)
    weights = np.array([[lane[i] for lane in lanes] for i in (2, 3, 4)], np.float64) / num_pairs
    return Betting(
        num_lines=num_lines,
        num_sequences=num_slots - num_lines,
        nodes=tuple(d[0] for d in decisions),
        node_slot=np.array([d[1] for d in decisions], np.int32),
        node_actions=np.array([d[2] for d in decisions], np.int32),
        node_parent=np.array([d[3] for d in decisions], np.int32),
        lane_own=np.array([lane[0] for lane in lanes], np.int32),
        lane_other=np.array([lane[1] for lane in lanes], np.int32),
        lane_weights=weights.astype(FLOAT).reshape(-1),
        num_showdowns=-(-len(showdowns) // WIDTH),
        num_vectors=len(lanes) // WIDTH,
        exit_slot=np.array([slots[player] for slots in exits], np.int32),
    )
