"""A spot as the vector engine sees it: streets, hands, boards, in flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, strengths
from infoset.spots.betting import BettingTree, NodeKind, build_betting_tree
from infoset.spots.menus import RIVER
from infoset.spots.runouts import Boards as Runouts
from infoset.spots.runouts import hands_renamed, runouts_of
from infoset.spots.spot import Spot
from infoset.vector.kernels.passes import Hands, Street
from infoset.vector.kernels.precision import FLOAT
from infoset.vector.kernels.simd16 import WIDTH

__all__ = ["Boards", "Layout", "lay_out_spot"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one street, and per player which hands they leave."""

    cards: NDArray[np.int8]
    """[num_boards, 3 to 5]"""
    live: tuple[NDArray[np.int32], NDArray[np.int32]]
    live_begin: tuple[Ints, Ints]
    dead: tuple[NDArray[np.int32], NDArray[np.int32]]
    dead_begin: tuple[Ints, Ints]
    group: tuple[Ints, Ints]
    group_begin: Ints
    chance: float
    map_begin: Ints
    maps: tuple[Ints, Ints]
    child_begin: Ints

    @property
    def num_boards(self) -> int:
        """How many boards are played."""
        return len(self.cards)


@dataclass(frozen=True, eq=False)
class Layout:
    """A spot, ready for the kernels."""

    spot: Spot
    tree: BettingTree
    hands: tuple[Hands, Hands]
    hand_numbers: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player: which of the 1,326 hands each row is."""
    reach: tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]
    """Per player: [rows] the range's weights, zero where a row stands for no hand."""
    num_pairs: float
    """The weight of all pairs of hands that can be held together."""
    streets: tuple[tuple[Street, Street], ...]
    """[from the spot's street on][player]"""
    boards: tuple[Boards, ...]
    slots: tuple[tuple[dict[int, int], dict[int, int]], ...]
    """[street][player] The slot of each decision node's first action."""

    def table_size(self, street: int, player: int) -> int:
        """Numbers of one table of a player on a street, all boards."""
        return self.boards[street].num_boards * self.step(street, player)

    def step(self, street: int, player: int) -> int:
        """Numbers of one table of a player on a street, per board."""
        return self.hands[player].num_blocks * WIDTH * self.streets[street][player].num_sequences


def lay_out_spot(spot: Spot) -> Layout:
    """Flatten a spot."""
    tree = build_betting_tree(spot)
    runouts = runouts_of(spot)
    numbers = []
    for held in spot.ranges:
        numbers.append(np.flatnonzero(held.without(spot.board).weights))
    if spot.street == RIVER:
        strength = strengths(spot.board)
        numbers = [n[np.argsort(strength[n], kind="stable")] for n in numbers]
    weights = [spot.ranges[p].weights[numbers[p]] for p in (0, 1)]
    num_pairs = _num_pairs(numbers, weights)
    hands = _hands(numbers, 0), _hands(numbers, 1)
    reach = _padded(weights[0], hands[0]), _padded(weights[1], hands[1])
    streets, slots = _streets(tree, num_pairs)
    boards = tuple(
        _boards(spot, runouts, street, (numbers[0], numbers[1]), hands)
        for street in range(spot.street, RIVER + 1)
    )
    return Layout(
        spot,
        tree,
        hands,
        (numbers[0], numbers[1]),
        reach,
        num_pairs,
        streets,
        boards,
        slots,
    )


def _num_pairs(numbers: list[NDArray[np.int64]], weights: list[NDArray[np.float64]]) -> float:
    """The weight of all pairs of hands without a common card, by inclusion and exclusion."""
    by_card = []
    for n, w in zip(numbers, weights, strict=True):
        cards = np.zeros(NUM_CARDS)
        np.add.at(cards, HAND_FIRST[n], w)
        np.add.at(cards, HAND_SECOND[n], w)
        by_card.append(cards)
    full = [np.zeros(len(HAND_FIRST)) for _ in numbers]
    for table, n, w in zip(full, numbers, weights, strict=True):
        table[n] = w
    return float(weights[0].sum() * weights[1].sum() - by_card[0] @ by_card[1] + full[0] @ full[1])


def _hands(numbers: list[NDArray[np.int64]], player: int) -> Hands:
    mine, others = numbers[player], numbers[1 - player]
    num_blocks = -(-len(mine) // WIDTH)
    row_of = np.full(len(HAND_FIRST), -(-len(others) // WIDTH) * WIDTH)
    row_of[others] = np.arange(len(others))
    first = np.zeros(num_blocks * WIDTH, np.uint8)
    second = np.zeros(num_blocks * WIDTH, np.uint8)
    same = np.full(num_blocks * WIDTH, -(-len(others) // WIDTH) * WIDTH, np.int32)
    first[: len(mine)], second[: len(mine)] = HAND_FIRST[mine], HAND_SECOND[mine]
    same[: len(mine)] = row_of[mine]
    return Hands(num_blocks, first, second, same)


def _padded(weights: NDArray[np.float64], hands: Hands) -> NDArray[np.floating[Any]]:
    out = np.zeros(hands.num_blocks * WIDTH, FLOAT)
    out[: len(weights)] = weights
    return out


def _streets(
    tree: BettingTree, num_pairs: float
) -> tuple[tuple[tuple[Street, Street], ...], tuple[tuple[dict[int, int], dict[int, int]], ...]]:
    """Number the slots of each street and find its ends and exits."""
    spot = tree.spot
    out: list[tuple[Street, Street]] = []
    all_slots: list[tuple[dict[int, int], dict[int, int]]] = []
    # The lines into a street: the node above, or an early showdown that only waits for the river.
    lines: list[tuple[str, int]] = [("play", 0)]
    for street in range(spot.street, RIVER + 1):
        nodes = range(*tree.street_begin[street : street + 2])
        last: dict[int, tuple[int, int]] = {}
        entry_of: dict[int, int] = {}
        ends: list[tuple[int, tuple[int, int]]] = []
        leaving: list[tuple[tuple[str, int], tuple[int, int]]] = []
        for line, (kind, node) in enumerate(lines):
            if kind == "play":
                entry_of[node] = line
            elif street == RIVER:
                ends.append((node, (line, line)))
            else:
                leaving.append(((kind, node), (line, line)))
        next_slot = [len(lines), len(lines)]
        decisions: tuple[list[tuple[int, int, int]], ...] = ([], [])
        slots: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for node in nodes:
            if node in entry_of:
                last[node] = entry_of[node], entry_of[node]
            begin, end = int(tree.node_child_begin[node]), int(tree.node_child_end[node])
            match tree.node_kind[node]:
                case NodeKind.DECISION:
                    player = int(tree.node_player[node])
                    slot = next_slot[player]
                    slots[player][node] = slot
                    decisions[player].append((slot, end - begin, last[node][player]))
                    next_slot[player] += end - begin
                    for k, child in enumerate(range(begin, end)):
                        before = last[node]
                        last[child] = (
                            (slot + k, before[1]) if player == 0 else (before[0], slot + k)
                        )
                case NodeKind.CHANCE:
                    leaving.append((("play", begin), last[node]))
                case NodeKind.SHOWDOWN if street < RIVER:
                    leaving.append((("showdown", node), last[node]))
                case _:
                    ends.append((node, last[node]))
        pair = []
        for player in (0, 1):
            own, other, weights, num_showdowns, num_vectors = _lanes(tree, ends, player, num_pairs)
            pair.append(
                Street(
                    num_lines=len(lines),
                    num_sequences=next_slot[player] - len(lines),
                    node_slot=np.array([d[0] for d in decisions[player]], np.int32),
                    node_actions=np.array([d[1] for d in decisions[player]], np.int32),
                    node_parent=np.array([d[2] for d in decisions[player]], np.int32),
                    lane_own=own,
                    lane_other=other,
                    lane_weights=weights,
                    num_showdowns=num_showdowns,
                    num_vectors=num_vectors,
                    exit_slot=np.array([slot[player] for _, slot in leaving], np.int32),
                )
            )
        out.append((pair[0], pair[1]))
        all_slots.append(slots)
        lines = [line for line, _ in leaving]
    return tuple(out), tuple(all_slots)


def _lanes(
    tree: BettingTree, ends: list[tuple[int, tuple[int, int]]], player: int, num_pairs: float
) -> tuple[Ints, Ints, NDArray[np.floating[Any]], int, int]:
    """The ends of a street for one player: slots, and what reach is worth there."""
    spot = tree.spot
    showdowns: list[tuple[int, int, float, float, float]] = []
    folds: list[tuple[int, int, float, float, float]] = []
    for node, slots in ends:
        own, other = slots[player], slots[1 - player]
        put = tree.node_put[node]
        # Bets that are not called are not part of the pot that is raked.
        rake = spot.rake_of(int(spot.pot + 2 * put.min()))
        win = spot.pot / 2 + float(put[1 - player]) - rake
        lose = spot.pot / 2 + float(put[player])
        if tree.node_kind[node] == NodeKind.SHOWDOWN:
            tie = -rake / 2
            showdowns.append((own, other, win - tie, tie + lose, -lose))
        elif tree.node_player[node] == player:
            folds.append((own, other, 0.0, 0.0, -lose))
        else:
            folds.append((own, other, 0.0, 0.0, win))
    lanes = []
    for group in (showdowns, folds):
        lanes += group
        lanes += [(-1, 0, 0.0, 0.0, 0.0)] * (-len(group) % WIDTH)
    own_slots = np.array([lane[0] for lane in lanes], np.int32)
    other_slots = np.array([lane[1] for lane in lanes], np.int32)
    weights = np.array([[lane[i] for lane in lanes] for i in (2, 3, 4)], np.float64) / num_pairs
    num_showdowns = -(-len(showdowns) // WIDTH)
    return (
        own_slots,
        other_slots,
        weights.astype(FLOAT).reshape(-1),
        num_showdowns,
        len(lanes) // WIDTH,
    )


def _boards(
    spot: Spot,
    runouts: tuple[Runouts, ...],
    street: int,
    numbers: tuple[NDArray[np.int64], NDArray[np.int64]],
    hands: tuple[Hands, Hands],
) -> Boards:
    """Which hands each board leaves, in order of strength on the river."""
    boards = runouts[street].board_cards
    live: tuple[list[NDArray[np.int64]], ...] = ([], [])
    dead: tuple[list[NDArray[np.int64]], ...] = ([], [])
    group: tuple[list[NDArray[np.int64]], ...] = ([], [])
    group_begin = [0]
    maps: tuple[list[NDArray[np.int64]], ...] = ([], [])
    map_begin = [0]
    for number, board in enumerate(boards.tolist()):
        new = board[len(spot.board) :]
        kept = []
        for p in (0, 1):
            blocked = np.isin(HAND_FIRST[numbers[p]], new) | np.isin(HAND_SECOND[numbers[p]], new)
            kept.append(np.flatnonzero(~blocked))
            dead[p].append(np.flatnonzero(blocked))
        if street == RIVER:
            strength = strengths(board)
            by_row = [strength[numbers[p]].astype(np.int64) for p in (0, 1)]
            kept = [k[np.argsort(by_row[p][k], kind="stable")] for p, k in enumerate(kept)]
            levels = np.unique(np.concatenate([by_row[p][kept[p]] for p in (0, 1)]))
            for p in (0, 1):
                begins = np.searchsorted(by_row[p][kept[p]], levels)
                group[p].append(np.append(begins, len(kept[p])))
            group_begin.append(group_begin[-1] + len(levels) + 1)
        else:
            group_begin.append(group_begin[-1])
        for p in (0, 1):
            live[p].append(kept[p])
        suits = runouts[street].deal_suits[runouts[street].deal_board == number]
        for names in suits if len(suits) else [(0, 1, 2, 3)]:
            renamed = hands_renamed(names)
            for p in (0, 1):
                rows = np.arange(hands[p].num_blocks * WIDTH)
                row_of = np.zeros(len(HAND_FIRST), np.int64)
                row_of[numbers[p]] = np.arange(len(numbers[p]))
                rows[: len(numbers[p])] = row_of[renamed[numbers[p]]]
                maps[p].append(rows)
        map_begin.append(len(maps[0]))
    children = np.zeros(len(boards) + 1, np.int64)
    if street < RIVER:
        counts = np.bincount(runouts[street + 1].board_parent, minlength=len(boards))
        children[1:] = np.cumsum(counts)

    def flat(parts: list[NDArray[np.int64]]) -> tuple[Ints, Ints]:
        begin = np.concatenate(([0], np.cumsum([len(part) for part in parts])))
        joined = np.concatenate(parts) if parts else np.zeros(0)
        return joined.astype(np.int32), begin.astype(np.int32)

    lives, deads = [flat(live[p]) for p in (0, 1)], [flat(dead[p]) for p in (0, 1)]
    groups = [flat(group[p])[0] for p in (0, 1)]
    return Boards(
        cards=boards,
        live=(lives[0][0], lives[1][0]),
        live_begin=(lives[0][1], lives[1][1]),
        dead=(deads[0][0], deads[1][0]),
        dead_begin=(deads[0][1], deads[1][1]),
        group=(groups[0], groups[1]),
        group_begin=np.array(group_begin, np.int32),
        chance=1.0 if street == spot.street else 1.0 / (NUM_CARDS - (street + 2) - 4),
        map_begin=np.array(map_begin, np.int32),
        maps=(np.array(maps[0], np.int32), np.array(maps[1], np.int32)),
        child_begin=children.astype(np.int32),
    )
