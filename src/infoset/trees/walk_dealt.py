"""From rules in public form to the history tree: each public state once, for all hands together.

The walk over public states is plain Python and writes a small table of integers. A compiled
kernel then lays out the histories: a public state stands for one history per *world*, a pair of
hands that can still be held there.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameError
from infoset.games.dealt import DealtGame, PublicState
from infoset.games.rules import CHANCE, TERMINAL
from infoset.trees.history import HistoryTree
from infoset.trees.kernels.expand import PublicTable, WorldTable, expand_into, parents_into
from infoset.trees.treeplex import Treeplex
from infoset.trees.walk import MAX_DEPTH, too_large

__all__ = ["walk_public"]


@dataclass
class _Worlds:
    """The pairs of hands possible at some public states, and how they come from those above.

    Shared by a public state and all below it until chance reveals something.
    """

    hands: list[tuple[int, int]]
    offsets: list[int]
    """Per world: where its history lies behind the first child of the chance node above."""
    odds: list[float]
    """Per world: probability of the chance step that led here."""
    number: int = 0
    held: tuple[list[int], list[int]] = field(init=False)
    """The different hands of each player, in order."""

    def __post_init__(self) -> None:
        self.held = (
            list(dict.fromkeys(h for h, _ in self.hands)),
            list(dict.fromkeys(h for _, h in self.hands)),
        )


class _Public:
    """The table of public states, column by column."""

    def __init__(self) -> None:
        self.player = array("b")
        self.parent = array("i")
        self.slot = array("i")
        self.degree = array("i")
        self.worlds = array("i")
        self.settlement = array("i")
        self.base = array("i")
        """First history among the children of this state's histories."""
        self.infoset = array("i")
        """First infoset of the state, where a player moves."""
        self.sequence = array("i")
        """First sequence of that infoset."""
        self.last = (array("i"), array("i"))
        """The last public state at which each player moved; -1 if none."""

    def add(
        self, player: int, parent: int, slot: int, worlds: int, last: tuple[int, int], base: int
    ) -> int:
        self.player.append(player)
        self.parent.append(parent)
        self.slot.append(slot)
        self.degree.append(0)
        self.worlds.append(worlds)
        self.settlement.append(-1)
        self.base.append(base)
        self.infoset.append(-1)
        self.sequence.append(-1)
        self.last[0].append(last[0])
        self.last[1].append(last[1])
        return len(self.player) - 1


def walk_public(
    game: DealtGame, name: str, max_histories: int
) -> tuple[HistoryTree, list[Treeplex]]:
    """Compile a game whose only secrets are dealt; equal to `walk_states` up to numbering."""
    public = _Public()
    worlds = [_first_worlds(game, name)]
    settlements: dict[Hashable, int] = {}
    hands = list(game.hands)
    keys: tuple[list[str], list[str]] = ([], [])
    labels: tuple[list[tuple[str, ...]], list[tuple[str, ...]]] = ([], [])
    num_sequences = [1, 1]
    num_first = len(game.deal(None))
    num_histories = 1 + num_first + len(worlds[0].hands)

    # A public state, the one above it and the slot that leads here, its worlds, the last public
    # states at which the players moved, and how deep it lies.
    stack: list[tuple[PublicState, int, int, _Worlds, tuple[int, int], int]]
    stack = [(game.public(), -1, 0, worlds[0], (-1, -1), 0)]
    while stack:
        state, parent, slot, here, last, depth = stack.pop()
        player = state.player
        row = public.add(player, parent, slot, here.number, last, num_histories)
        if player == TERMINAL:
            number = settlements.setdefault(state.settlement, len(settlements))
            public.settlement[row] = number
            continue
        if depth >= MAX_DEPTH:
            raise GameError(f"{name}: deeper than {MAX_DEPTH:,} public moves; does it ever end?")
        if player == CHANCE:
            revealed = _reveal(state, here, name)
            public.degree[row] = len(revealed)
            num_histories += sum(len(w.hands) for w in revealed)
            for w in revealed:
                w.number = len(worlds)
                worlds.append(w)
            steps = [
                (state.child(outcome), row, slot, w, last, depth + 1)
                for slot, (outcome, w) in enumerate(zip(state.outcomes, revealed, strict=True))
                if w.hands
            ]
        elif player in (0, 1):
            actions = tuple(state.actions)
            degree = len(actions)
            held = here.held[player]
            public.degree[row] = degree
            public.infoset[row] = len(keys[player])
            public.sequence[row] = num_sequences[player]
            num_sequences[player] += degree * len(held)
            story = state.story
            keys[player].extend([f"{hands[hand]}:{story}" for hand in held])
            labels[player].extend([actions] * len(held))
            num_histories += degree * len(here.hands)
            moved = (row, last[1]) if player == 0 else (last[0], row)
            steps = [
                (state.child(action), row, slot, here, moved, depth + 1)
                for slot, action in enumerate(actions)
            ]
        else:
            raise GameError(f"{name}: PublicState.player is {player!r}, not 0, 1, -1 or -2")
        if num_histories > max_histories:
            raise too_large(num_histories, max_histories, name)
        stack.extend(reversed(steps))

    table = _tables(public, worlds, len(hands))
    history = _histories(game, table, worlds, list(settlements), num_first, num_histories)
    treeplexes = [_treeplex(table, p, keys[p], labels[p], num_sequences[p]) for p in (0, 1)]
    return history, treeplexes


def _first_worlds(game: DealtGame, name: str) -> _Worlds:
    """The deal: every pair of hands, one after the other behind the first player's deals."""
    pairs: list[tuple[int, int]] = []
    odds: list[float] = []
    first = list(game.deal(None))
    _check_sum([p for _, p in first], name)
    for hand0, _ in first:
        second = list(game.deal(hand0))
        _check_sum([p for _, p in second], name)
        for hand1, p in second:
            pairs.append((hand0, hand1))
            odds.append(float(p))
    return _Worlds(pairs, list(range(len(pairs))), odds)


def _check_sum(odds: list[Fraction], name: str) -> None:
    if sum(odds) != 1 or min(odds) < 0:
        raise GameError(f"{name}: the probabilities of the deal sum to {sum(odds)}, not to 1")


def _reveal(state: PublicState, here: _Worlds, name: str) -> list[_Worlds]:
    """Split the worlds by what chance reveals; a world's outcomes lie side by side."""
    outcomes = list(state.outcomes)
    found = [_Worlds([], [], []) for _ in outcomes]
    offset = 0
    for hand0, hand1 in here.hands:
        odds = [state.probability(outcome, hand0, hand1) for outcome in outcomes]
        if abs(float(sum(odds)) - 1.0) > 1e-12 or min(odds) < 0:
            raise GameError(f"{name}: chance sums to {sum(odds)}, not to 1, after {state.story!r}")
        for w, p in zip(found, odds, strict=True):
            if p > 0:
                w.hands.append((hand0, hand1))
                w.offsets.append(offset)
                w.odds.append(float(p))
                offset += 1
    for w in found:
        w.__post_init__()
    return found


def _tables(
    public: _Public, worlds: list[_Worlds], num_hands: int
) -> tuple[PublicTable, WorldTable]:
    def ints(values: array[int]) -> NDArray[np.int32]:
        return np.array(values, dtype=np.int32)

    begin = np.concatenate(([0], np.cumsum([len(w.hands) for w in worlds]))).astype(np.int32)
    place = np.full((2, len(worlds), num_hands), -1, dtype=np.int32)
    for w in worlds:
        for p in (0, 1):
            place[p, w.number, w.held[p]] = np.arange(len(w.held[p]))
    pairs = np.array([pair for w in worlds for pair in w.hands], dtype=np.int32).reshape(-1, 2)
    return (
        PublicTable(
            player=np.array(public.player, dtype=np.int8),
            parent=ints(public.parent),
            slot=ints(public.slot),
            degree=ints(public.degree),
            worlds=ints(public.worlds),
            settlement=ints(public.settlement),
            base=ints(public.base),
            infoset=ints(public.infoset),
            sequence=ints(public.sequence),
            last=np.array(public.last, dtype=np.int32),
        ),
        WorldTable(
            begin=begin,
            hand=np.ascontiguousarray(pairs.T),
            offset=np.array([o for w in worlds for o in w.offsets], dtype=np.int32),
            odds=np.array([o for w in worlds for o in w.odds]),
            place=place,
        ),
    )


def _histories(
    game: DealtGame,
    tables: tuple[PublicTable, WorldTable],
    worlds: list[_Worlds],
    settlements: list[Hashable],
    num_first: int,
    num_histories: int,
) -> HistoryTree:
    """Lay out all histories: the deal by hand, the rest by kernel."""
    tree = HistoryTree(
        node_parent=np.full(num_histories, -1, dtype=np.int32),
        node_player=np.full(num_histories, CHANCE, dtype=np.int8),
        node_infoset=np.full(num_histories, -1, dtype=np.int32),
        node_child=np.zeros(num_histories, dtype=np.int32),
        node_degree=np.zeros(num_histories, dtype=np.int32),
        node_chance=np.ones(num_histories),
        node_payoff=np.zeros(num_histories),
    )
    first = list(game.deal(None))
    tree.node_child[0], tree.node_degree[0] = 1, num_first
    behind = 1 + num_first
    for node, (hand0, p) in enumerate(first, start=1):
        count = len(game.deal(hand0))
        tree.node_parent[node] = 0
        tree.node_chance[node] = float(p)
        tree.node_child[node], tree.node_degree[node] = behind, count
        tree.node_parent[behind : behind + count] = node
        behind += count
    num_hands = len(game.hands)
    payoffs = np.zeros((len(settlements), num_hands, num_hands))
    for number, settlement in enumerate(settlements):
        for hand0, hand1 in worlds[0].hands:
            payoffs[number, hand0, hand1] = float(game.settle(settlement, hand0, hand1))
    if not np.isfinite(payoffs).all():
        raise GameError("a payoff is not finite; payoffs must be finite numbers")
    expand_into(tree_columns(tree), *tables, payoffs, 1 + num_first)
    return tree


def tree_columns(tree: HistoryTree) -> tuple[NDArray[np.generic], ...]:
    """The arrays of a history tree as a kernel takes them."""
    return (
        tree.node_parent,
        tree.node_player,
        tree.node_infoset,
        tree.node_child,
        tree.node_degree,
        tree.node_chance,
        tree.node_payoff,
    )


def _treeplex(
    tables: tuple[PublicTable, WorldTable],
    player: int,
    keys: list[str],
    labels: list[tuple[str, ...]],
    num_sequences: int,
) -> Treeplex:
    begin = np.zeros(len(keys) + 1, dtype=np.int32)
    parent = np.zeros(len(keys), dtype=np.int32)
    parents_into(begin, parent, *tables, player)
    begin[-1] = num_sequences
    return Treeplex(infoset_begin=begin, infoset_parent=parent, keys=keys, labels=labels)
