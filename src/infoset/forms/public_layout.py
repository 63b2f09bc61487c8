"""A public form, flattened for the kernels: streets, slots, terminals, rows.

The *rows* of a player on a board are the hands that he can hold there, in blocks of sixteen; on the
last street they go from weak to strong. A *slot* is a line of betting that leads to a street, or an
action of the player on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from infoset.forms.betting_tree import NodeKind
from infoset.forms.public_form import PublicForm
from infoset.forms.public_rows import Rows, rows_of_street
from infoset.machine.precision import FLOAT
from infoset.machine.vec16 import WIDTH

Terminal = tuple[int, int, float, float, float]
"""The player's slot at a terminal, the opponent's, and the three payoffs."""


@dataclass(frozen=True, eq=False)
class Betting:
    """One player's betting on one street, the same on every board."""

    num_lines: int
    """Lines of betting that lead here: slots ``0:num_lines``."""
    line_nodes: tuple[int, ...]
    """[num_lines] The first node of each line; -1 for an early showdown, which waits for its
    cards."""
    num_sequences: int
    """Actions of the player: the slots after those."""
    nodes: tuple[int, ...]
    """The player's decisions, parents before children."""
    node_slot: NDArray[np.int32]
    """[nodes] Slot of the first action of each."""
    node_actions: NDArray[np.int32]
    node_parent: NDArray[np.int32]
    """[nodes] Slot of the player's last action before, or of the line."""
    terminal_own: NDArray[np.int32]
    """[terminals] The slot that each terminal pays to; -1 for padding, which comes first and makes
    whole vectors. Then come folds, then showdowns, at the end those that have a `fold_own`."""
    terminal_other: NDArray[np.int32]
    """[terminals] The opponent's slot there."""
    terminal_payoffs: NDArray[np.floating[Any]]
    """[3 * terminals] What each unit of the opponent's reach pays: of hands that I beat, that I do
    not lose to, and of all that can be held beside mine."""
    fold_own: NDArray[np.int32]
    """[16] By terminal of the last vector: the slot that a fold pays to which is not a terminal
    above, since the opponent's slot is that of this showdown (the fold and the call after a bet);
    -1 for none."""
    fold_payoffs: NDArray[np.floating[Any]]
    """[16] What each unit of the opponent's reach pays there."""
    num_shared: int
    """How many such folds there are."""
    num_folds: int
    """Vectors of terminals among which there is no showdown."""
    num_vectors: int
    """Vectors of terminals."""
    exit_slot: NDArray[np.int32]
    """[lines after] The slot at which each line leaves for the next street."""
    leaf_own: NDArray[np.int32]
    """[leaves] The slot at which each leaf is reached."""
    leaves: tuple[int, ...]
    """[leaves] The nodes of the form."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A game, or the part of it below a node on a board, ready for the kernels."""

    form: PublicForm
    first: int
    """The street it begins on."""
    boards: tuple[range, ...]
    """[street from the first on] Which boards of the form are played."""
    bettings: tuple[tuple[Betting, Betting], ...]
    """[street][player]"""
    rows: tuple[tuple[Rows, Rows], ...]
    """[street][player]"""
    child_begin: tuple[NDArray[np.int32], ...]
    """[street] [boards + 1] The boards of the next street that follow each."""

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
            own = bettings[player]
            num_ends = int(np.count_nonzero(own.terminal_own >= 0)) + own.num_shared
            num_nodes = num_decisions + num_ends + len(own.leaves) + len(own.exit_slot)
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


_layouts: WeakKeyDictionary[PublicForm, Layout] = WeakKeyDictionary()
_lock = Lock()


def layout_of(form: PublicForm) -> Layout:
    """The layout of a whole form; made once, as long as the form lives."""
    with _lock:
        if form not in _layouts:
            _layouts[form] = lay_out(form)
        return _layouts[form]


def lay_out(form: PublicForm, *, node: int = 0, street: int = 0, board: int = 0) -> Layout:
    """Flatten a game, or what is below a node on a board of a street."""
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
        boards=tuple(boards),
        bettings=bettings_of(form, node, street),
        rows=tuple(rows),
        child_begin=tuple(child_begin),
    )


def bettings_of(
    form: PublicForm, root: int = 0, first: int = 0
) -> tuple[tuple[Betting, Betting], ...]:
    """Number the slots of each street and find its terminals and exits."""
    out: list[tuple[Betting, Betting]] = []
    last_street = form.num_streets - 1
    # The lines into a street: the node above, or an early showdown that only waits for the end.
    lines: list[tuple[str, int]] = [("play", root)]
    for street in range(first, form.num_streets):
        nodes = range(*form.street_begin[street : street + 2])
        last: dict[int, tuple[int, int]] = {}
        ends: list[tuple[int, tuple[int, int]]] = []
        leaves: list[tuple[int, tuple[int, int]]] = []
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
                case NodeKind.LEAF:
                    leaves.append((node, last[node]))
                case NodeKind.SHOWDOWN if street < last_street:
                    leaving.append((("showdown", node), last[node]))
                case _:
                    ends.append((node, last[node]))
        exits = [slots for _, slots in leaving]
        pair = [
            _betting(form, p, (lines, next_slot[p]), decisions[p], ends, leaves, exits)
            for p in (0, 1)
        ]
        out.append((pair[0], pair[1]))
        lines = [line for line, _ in leaving]
    return tuple(out)


def _betting(
    form: PublicForm,
    player: int,
    counts: tuple[list[tuple[str, int]], int],
    decisions: list[tuple[int, int, int, int]],
    ends: list[tuple[int, tuple[int, int]]],
    leaves: list[tuple[int, tuple[int, int]]],
    exits: list[tuple[int, int]],
) -> Betting:
    (lines, num_slots), num_lines = counts, len(counts[0])
    showdowns: list[Terminal] = []
    folds: list[Terminal] = []
    for node, slots in ends:
        win, tie, lose = form.terminal_payoffs[node, player].tolist()
        is_showdown = form.node_kind[node] == NodeKind.SHOWDOWN
        group = showdowns if is_showdown else folds
        group.append((slots[player], slots[1 - player], win - tie, tie - lose, lose))
    # Folds fill up the first vector of showdowns: a fold pays the same whoever is stronger.
    shared = _shared_folds(showdowns, folds)
    showdowns.sort(key=lambda showdown: showdown in shared)
    terminals = [*(fold for fold in folds if fold not in shared.values()), *showdowns]
    padding = -len(terminals) % WIDTH
    terminals = [(-1, 0, 0.0, 0.0, 0.0)] * padding + terminals
    payoffs = np.array([[each[i] for each in terminals] for i in (2, 3, 4)], np.float64)
    payoffs /= form.num_pairs
    fold_own, fold_payoffs = np.full(WIDTH, -1, np.int32), np.zeros(WIDTH, FLOAT)
    for i, showdown in enumerate(showdowns[-WIDTH:], -min(len(showdowns), WIDTH)):
        if showdown in shared:
            fold_own[i] = shared[showdown][0]
            fold_payoffs[i] = shared[showdown][4] / form.num_pairs
    return Betting(
        num_lines=num_lines,
        line_nodes=tuple(node if kind == "play" else -1 for kind, node in lines),
        num_sequences=num_slots - num_lines,
        nodes=tuple(d[0] for d in decisions),
        node_slot=np.array([d[1] for d in decisions], np.int32),
        node_actions=np.array([d[2] for d in decisions], np.int32),
        node_parent=np.array([d[3] for d in decisions], np.int32),
        terminal_own=np.array([each[0] for each in terminals], np.int32),
        terminal_other=np.array([each[1] for each in terminals], np.int32),
        terminal_payoffs=payoffs.astype(FLOAT).reshape(-1),
        fold_own=fold_own,
        fold_payoffs=fold_payoffs,
        num_shared=len(shared),
        num_folds=(len(terminals) - len(showdowns)) // WIDTH,
        num_vectors=len(terminals) // WIDTH,
        exit_slot=np.array([slots[player] for slots in exits], np.int32),
        leaf_own=np.array([slots[player] for _, slots in leaves], np.int32),
        leaves=tuple(node for node, _ in leaves),
    )


def _shared_folds(showdowns: list[Terminal], folds: list[Terminal]) -> dict[Terminal, Terminal]:
    """By showdown: a fold at which the opponent's slot is the same, for one vector at most."""
    at_slot = {fold[1]: fold for fold in folds}
    shared: dict[Terminal, Terminal] = {}
    for showdown in showdowns:
        if len(shared) < WIDTH and showdown[1] in at_slot:
            shared[showdown] = at_slot.pop(showdown[1])
    return shared
