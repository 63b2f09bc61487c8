"""The size of a spot and the memory to solve it, computed before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_INDEX, HAND_SECOND, NUM_CARDS
from infoset.errors import BadInputError
from infoset.forms.betting_tree import BettingTree, NodeKind, build_betting_tree
from infoset.forms.boards import Boards, runouts_of
from infoset.forms.locked_nodes import locked_nodes
from infoset.games.holdem import IP, OOP, RIVER, Spot

FLOAT_BYTES = 4
WIDTH = 16
"""Hands, and ends of a street, are padded to a multiple of this."""

BYTES_PER_ROW = 2 + 1 + 1 + 2
"""Of the layout: hand, its two cards, and the opponent's row with the same hand."""

BYTES_PER_BOARD = 8 + 4 + 4 + 4
"""Of the layout: where rows, deals and strengths begin, and how many rows there are."""

BYTES_PER_DECISION = 3 * 4
BYTES_PER_END = 5 * 4
BYTES_OF_SHARED_FOLDS = 2 * 2 * 16 * 4
"""Of both players: slots and payoffs of a vector of folds."""

MOST_STRENGTHS = 64
"""About as many are different on a board: one for four hands, and hardly more for more hands."""


@dataclass(frozen=True)
class StreetCost:
    """One street of a spot, its cards included: hands that a board leaves, in whole blocks."""

    street: int
    num_boards: int
    """Boards, one for all that are alike."""
    num_decisions: int
    num_folds: int
    """Ends by a fold on this street."""
    num_showdowns: int
    """Ends by a showdown on this street; those of an all-in before it are counted on the river."""
    num_numbers: int
    """Actions times hands that a player can have there: the numbers of one array of all."""
    num_entries: tuple[int, int]
    """Per player: numbers of one table, one for each action and hand of each board."""
    num_scales: tuple[int, int]
    """Per player: what a table in 16 bits has beside them, a float for each decision and block."""
    num_locked: tuple[int, int]
    """Per player: floats that say what is locked."""
    num_working: int
    """Floats that one thread works in."""
    num_returned: int
    """Floats that all boards bring back to the first street."""
    layout_bytes: int


@dataclass(frozen=True)
class Cost:
    """A spot, its cards included, in numbers."""

    num_hands: tuple[int, int]
    streets: tuple[StreetCost, ...]
    """From the spot's own street to the river."""

    @property
    def num_decisions(self) -> int:
        """How many decisions there are, each on every board but once for all hands."""
        return sum(street.num_decisions for street in self.streets)

    @property
    def num_terminals(self) -> int:
        """How many ends there are, each on every board but once for all hands.

        As postflop-solver counts them: a showdown of an all-in counts once for every board that
        the river can bring, and boards that differ only in suits that are alike count once.
        """
        return sum(street.num_folds + street.num_showdowns for street in self.streets)

    @property
    def num_numbers(self) -> int:
        """How many numbers an array has that holds one for each action and hand."""
        return sum(street.num_numbers for street in self.streets)

    def num_bytes(
        self, *, bits: int = 32, num_tables: int = 2, threads: int = 1, alternating: bool = True
    ) -> int:
        """What solving the spot takes: tables, work space of all threads, and layout.

        Regrets and averages are two tables, and predictions a third. Where both players move at
        once, the first has his tables twice.
        """
        if bits not in (16, 32):
            raise BadInputError(f"numbers are stored in 16 or 32 bits, not {bits}")
        total = 0
        for number, street in enumerate(self.streets):
            for player, copies in ((OOP, 1 if alternating else 2), (IP, 1)):
                table = street.num_entries[player] * bits // 8
                if bits == 16:
                    table += street.num_scales[player] * FLOAT_BYTES
                total += copies * (num_tables * table + street.num_locked[player] * FLOAT_BYTES)
            # The first street is played by one thread, and each board of the next by one.
            num_threads = min(threads, self.streets[1].num_boards) if number else 1
            total += (num_threads * street.num_working + street.num_returned) * FLOAT_BYTES
            total += street.layout_bytes
        return total


def cost_of(
    spot: Spot,
    tree: BettingTree | None = None,
    runouts: tuple[Boards, ...] | None = None,
) -> Cost:
    """Count a spot; its tree and boards are built if they are not given.

    >>> cost = cost_of(Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500))
    >>> cost.num_hands, cost.num_terminals, f"{cost.num_bytes() / 1e6:.1f} MB"
    ((1081, 1081), 37, '0.7 MB')
    """
    tree = tree or build_betting_tree(spot)
    runouts = runouts or runouts_of(spot, tree)
    locked = {(int(tree.node_street[lock.node]), lock.player) for lock in locked_nodes(tree)}
    streets: list[StreetCost] = []
    num_lines, num_allins, most_above = 1, 0, 0
    for street in range(spot.street, RIVER + 1):
        boards, is_last = runouts[street], street == RIVER
        rows = [_rows(spot, player, boards) for player in (OOP, IP)]
        num_actions = [tree.count_actions(street, player) for player in (OOP, IP)]
        num_decisions = [len(tree.decisions(street, player)) for player in (OOP, IP)]
        entries = [int(r.sum()) * n for r, n in zip(rows, num_actions, strict=True)]
        scales = [int(r.sum()) // WIDTH * n for r, n in zip(rows, num_decisions, strict=True)]
        # All-ins before the river are lines that wait for it; there they are ends.
        num_allins += tree.count(NodeKind.SHOWDOWN, street)
        num_exits = 0 if is_last else tree.count(NodeKind.CHANCE, street) + num_allins
        num_folds, num_showdowns = tree.count(NodeKind.FOLD, street), num_allins if is_last else 0
        num_shared = _shared_folds(tree) if is_last else (0, 0)
        num_ends = _padded(num_folds + num_showdowns - min(num_shared))
        most = max(int(of_player.max()) for of_player in rows)
        working = 2 * most * (num_lines + num_exits)
        working += (num_ends + WIDTH) * (most + WIDTH) if num_ends else 0
        working += WIDTH * (num_lines + max(num_actions) + WIDTH + NUM_CARDS + 1)
        layout = _layout_bytes(boards, rows, is_first=street == spot.street, is_last=is_last)
        layout += 2 * num_ends * BYTES_PER_END + sum(num_decisions) * BYTES_PER_DECISION
        layout += BYTES_OF_SHARED_FOLDS if max(num_shared) else 0
        of_locks = [n if (street, p) in locked else 0 for p, n in enumerate(entries)]
        streets.append(
            StreetCost(
                street=street,
                num_boards=len(boards),
                num_decisions=len(boards) * sum(num_decisions),
                num_folds=len(boards) * num_folds,
                num_showdowns=len(boards) * num_showdowns,
                num_numbers=len(boards) * int(np.dot(num_actions, spot.num_hands)),
                num_entries=(entries[OOP], entries[IP]),
                num_scales=(scales[OOP], scales[IP]),
                num_locked=(of_locks[OOP], of_locks[IP]),
                num_working=working,
                num_returned=len(boards) * num_lines * most_above if len(streets) == 1 else 0,
                layout_bytes=layout,
            )
        )
        num_lines, most_above = num_exits, most
    return Cost(spot.num_hands, tuple(streets))


def _layout_bytes(
    boards: Boards, rows: list[NDArray[np.int64]], *, is_first: bool, is_last: bool
) -> int:
    total = 0
    for of_player in rows:
        total += int(of_player.sum()) * BYTES_PER_ROW + len(boards) * BYTES_PER_BOARD
        if not is_first:  # by deal: where it begins, and what hands are called
            total += int(((2 * of_player + 8) * boards.board_weight).sum())
        if is_last:
            total += 4 * int(np.minimum(np.maximum(*rows) // 4, MOST_STRENGTHS).sum())
    return total


def _rows(spot: Spot, player: int, boards: Boards) -> NDArray[np.int64]:
    """[boards] How many hands each board leaves a player, in whole blocks."""
    held = spot.ranges[player].weights > 0
    new = boards.board_cards[:, len(spot.board) :].astype(np.int64)
    by_card = np.bincount(HAND_FIRST, held, minlength=NUM_CARDS)
    by_card += np.bincount(HAND_SECOND, held, minlength=NUM_CARDS)
    live = np.count_nonzero(held) - by_card[new].sum(axis=1)
    if new.shape[1] == 2:
        live += held[HAND_INDEX[new[:, 0], new[:, 1]]]  # taken away twice
    rows: NDArray[np.int64] = -(-live.astype(np.int64) // WIDTH) * WIDTH
    return rows


def _shared_folds(tree: BettingTree) -> tuple[int, int]:
    """Per player: folds of the river that need no terminal of their own (`Betting.fold_own`)."""
    begin, end = tree.street_begin[RIVER : RIVER + 2]
    folds = begin + np.flatnonzero(tree.node_kind[begin:end] == NodeKind.FOLD)
    # The call follows the fold.
    folds = folds[tree.node_kind[folds + 1] == NodeKind.SHOWDOWN]
    first, second = np.bincount(tree.node_player[folds], minlength=2).tolist()
    return min(first, WIDTH), min(second, WIDTH)


def _padded(number: int) -> int:
    return -(-number // WIDTH) * WIDTH
