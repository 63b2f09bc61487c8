"""From rules to the history tree, one state at a time: works for every game."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from infoset.errors import GameError, TooLargeError
from infoset.games.rules import CHANCE, TERMINAL, Game, Number, State
from infoset.trees.history import HistoryTree
from infoset.trees.treeplex import Treeplex

__all__ = ["BYTES_PER_HISTORY", "MAX_DEPTH", "too_large", "walk_states"]

MAX_DEPTH = 10_000
"""Deeper than any game with an end that would fit the memory; infinite games stop here."""

BYTES_PER_HISTORY = 64
"""Peak bytes a history costs while a game is compiled, for warnings; measured, rounded up."""


Refusal = Callable[[str, int], GameError]
"""Makes the error that says what is wrong, and after which moves."""


class _InfosetTable:
    """The infosets of one player as they are met."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.number: dict[str, int] = {}
        self.begin = array("i", [1])
        self.parent = array("i")
        self.node = array("i")
        self.keys: list[str] = []
        self.labels: list[tuple[str, ...]] = []
        self._interned: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, key: str, actions: Sequence[str], parent: int, node: int) -> int:
        labels = tuple(actions)
        where = f"infoset {key!r} of player {self.player}"
        if not isinstance(key, str):
            raise GameError(f"the infoset key {key!r} is not a string; State.infoset must be one")
        if not labels:
            raise GameError(f"{where} has no actions; a state without moves must be TERMINAL")
        if len(set(labels)) < len(labels):
            raise GameError(f"{where} has two actions of the same label: {', '.join(labels)}")
        self.number[key] = len(self.keys)
        self.keys.append(key)
        self.labels.append(self._interned.setdefault(labels, labels))
        self.begin.append(self.begin[-1] + len(labels))
        self.parent.append(parent)
        self.node.append(node)
        return len(self.keys) - 1

    def treeplex(self) -> Treeplex:
        return Treeplex(
            infoset_begin=np.array(self.begin, dtype=np.int32),
            infoset_parent=np.array(self.parent, dtype=np.int32),
            keys=self.keys,
            labels=self.labels,
        )


def too_large(at_least: int, limit: int, name: str) -> TooLargeError:
    """The refusal of a game with more histories than allowed."""
    gib = at_least * BYTES_PER_HISTORY / 2**30
    return TooLargeError(
        f"{name} has more than {at_least:,} histories, the limit is {limit:,}; compiling it would "
        f"take more than {gib:.1f} GiB. Choose smaller parameters, or raise max_histories if the "
        f"memory is there. (If the game has loops it never ends, and no limit is enough.)"
    )


def walk_states(game: Game, name: str, max_histories: int) -> tuple[HistoryTree, list[Treeplex]]:
    """Visit every state once, depth first, and number histories, infosets and sequences.

    Refuses, naming the histories, what is not a finite two-player game with perfect recall.
    """
    tables = (_InfosetTable(0), _InfosetTable(1))
    parent = array("i", [-1])
    player = array("b", [0])
    infoset = array("i", [-1])
    child = array("i", [0])
    degree = array("i", [0])
    chance = array("d", [1.0])
    payoff = array("d", [0.0])
    # A node, its state, the last sequence of each player, and how deep it lies.
    stack: list[tuple[int, State, int, int, int]] = [(0, game.root(), 0, 0, 0)]

    def refuse(message: str, node: int) -> GameError:
        return GameError(f"{name}: {message}, after {_story(game, node, parent, child)}")

    while stack:
        node, state, last0, last1, depth = stack.pop()
        mover = state.player
        if mover == TERMINAL:
            player[node] = TERMINAL
            payoff[node] = _finite(state.payoff, refuse, node)
            continue
        if depth >= MAX_DEPTH:
            raise refuse(f"the game is deeper than {MAX_DEPTH:,} moves; does it ever end?", node)
        if mover == CHANCE:
            outcomes = list(state.chance)
            moves = [label for label, _ in outcomes]
            odds = _probabilities(outcomes, refuse, node)
            player[node] = CHANCE
        elif mover in (0, 1):
            moves = list(state.actions)
            odds = [1.0] * len(moves)
            table = tables[mover]
            key = state.infoset
            last = last1 if mover else last0
            number = table.number.get(key)
            if number is None:
                number = table.add(key, moves, last, node)
            elif table.parent[number] != last or table.labels[number] != tuple(moves):
                raise _imperfect(game, name, table, number, moves, node, parent, child)
            player[node] = mover
            infoset[node] = number
        else:
            raise refuse(
                f"State.player is {mover!r}; this package solves two-player games, so it must be "
                f"0, 1, CHANCE ({CHANCE}) or TERMINAL ({TERMINAL})",
                node,
            )
        first = len(parent)
        count = len(moves)
        if first + count > max_histories:
            raise too_large(first + count, max_histories, name)
        child[node] = first
        degree[node] = count
        parent.extend([node] * count)
        player.extend([0] * count)
        infoset.extend([-1] * count)
        child.extend([0] * count)
        degree.extend([0] * count)
        chance.extend(odds)
        payoff.extend([0.0] * count)
        begin = tables[mover].begin[infoset[node]] if mover >= 0 else 0
        # Pushed in reverse, so that the first action is walked first.
        for slot in range(count - 1, -1, -1):
            after = state.child(moves[slot])
            if mover == 0:
                stack.append((first + slot, after, begin + slot, last1, depth + 1))
            elif mover == 1:
                stack.append((first + slot, after, last0, begin + slot, depth + 1))
            else:
                stack.append((first + slot, after, last0, last1, depth + 1))

    history = HistoryTree(
        node_parent=np.array(parent, dtype=np.int32),
        node_player=np.array(player, dtype=np.int8),
        node_infoset=np.array(infoset, dtype=np.int32),
        node_child=np.array(child, dtype=np.int32),
        node_degree=np.array(degree, dtype=np.int32),
        node_chance=np.array(chance, dtype=np.float64),
        node_payoff=np.array(payoff, dtype=np.float64),
    )
    return history, [table.treeplex() for table in tables]


def _finite(value: Number, refuse: Refusal, node: int, what: str = "payoff") -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise refuse(
            f"the {what} is {value!r}; it must be one number that fits a float (the payoff is "
            "what player 0 wins: only two-player zero-sum games can be solved)",
            node,
        ) from None
    if not math.isfinite(number):
        raise refuse(f"the {what} is {number}; it must be finite", node)
    return number


def _probabilities(
    outcomes: Sequence[tuple[str, Number]], refuse: Refusal, node: int
) -> list[float]:
    odds = [_finite(value, refuse, node, "probability") for _, value in outcomes]
    if not odds:
        raise refuse("chance moves but has no outcome", node)
    if min(odds) < 0:
        raise refuse(f"chance has a negative probability ({min(odds)})", node)
    if len({label for label, _ in outcomes}) < len(outcomes):
        raise refuse("chance has two outcomes of the same label", node)
    exact = all(isinstance(value, int | Fraction) for _, value in outcomes)
    total: Number = sum(value for _, value in outcomes) if exact else math.fsum(odds)
    if (total != 1) if exact else abs(total - 1.0) > 1e-9:
        raise refuse(f"the probabilities of chance sum to {total}, not to 1", node)
    return odds


def _path(node: int, parent: array[int]) -> list[int]:
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path[::-1]


def _story(game: Game, node: int, parent: array[int], child: array[int]) -> str:
    """The labels on the way to a node, replayed from the rules: only for error messages."""
    path = _path(node, parent)
    state = game.root()
    labels: list[str] = []
    for here, there in zip(path, path[1:], strict=False):
        mover = state.player
        moves = [m for m, _ in state.chance] if mover == CHANCE else list(state.actions)
        labels.append(moves[there - child[here]])
        state = state.child(labels[-1])
        if len(labels) > 40 and there != path[-1]:
            return f"[{' '.join(labels[:20])} ... and {len(path) - 21} more moves]"
    return f"[{' '.join(labels)}]" if labels else "the start"


def _imperfect(
    game: Game,
    name: str,
    table: _InfosetTable,
    number: int,
    moves: list[str],
    node: int,
    parent: array[int],
    child: array[int],
) -> GameError:
    one = _story(game, table.node[number], parent, child)
    two = _story(game, node, parent, child)
    where = f"{name}: infoset {table.keys[number]!r} of player {table.player}"
    if table.labels[number] != tuple(moves):
        return GameError(
            f"{where} has actions ({', '.join(table.labels[number])}) after {one} but "
            f"({', '.join(moves)}) after {two}; one infoset must always offer the same"
        )
    return GameError(
        f"{where} lacks perfect recall: it holds both {one} and {two}, before which the player "
        f"did or knew different things. Make State.infoset tell these histories apart"
    )
