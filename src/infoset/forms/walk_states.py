"""From rules to the history tree, one state at a time: works for every game."""

from __future__ import annotations

import itertools
import math
import operator
import reprlib
from array import array
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from infoset.errors import GameError, TooLargeError
from infoset.forms.history import HistoryTree
from infoset.forms.treeplex import Treeplex
from infoset.games import CHANCE, TERMINAL, Game, Number, State
from infoset.machine.memory import BYTES_PER_PUBLIC_HISTORY, available_bytes, format_bytes

MAX_DEPTH = 10_000
"""Deeper than any game with an end that would fit the memory; infinite games stop here."""


Refusal = Callable[[str], GameError]
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

    def add(self, key: str, actions: Sequence[str], parent: int, node: int, refuse: Refusal) -> int:
        labels = tuple(actions)
        if not labels:
            raise refuse(
                f"infoset {key!r} of player {self.player} has no actions (a state without moves "
                "must be TERMINAL)"
            )
        check_labels(labels, f"the actions at infoset {key!r}", refuse)
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
    free = available_bytes()
    room = "" if free is None else f", and {format_bytes(free)} are free"
    needed = at_least * BYTES_PER_PUBLIC_HISTORY
    return TooLargeError(
        f"{name} has at least {at_least:,} histories, the limit is {limit:,}; compiling it would "
        f"take more than {format_bytes(needed)}{room}. Choose smaller parameters, or raise "
        "max_histories if the memory is there. (If the game has loops it never ends, and no limit "
        "is enough.)",
        num_histories=at_least,
        num_bytes=needed,
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
    # The states on the way to the node at hand, each with its moves, its first child, how many of
    # its children have been visited, and the last sequences of the players: player 0's, player
    # 1's, and the first of the mover's new ones. Children are made when their turn comes, so that
    # a wide and endless game costs its depth in states, not its depth times its width.
    path: list[list[Any]] = []

    node, state, last0, last1 = 0, game.root(), 0, 0

    def refuse(message: str) -> GameError:
        return GameError(f"{name}: {message}, after {_story(game, node, parent, child)}")

    while True:
        mover = state.player
        if type(mover) is not int or not TERMINAL <= mover <= 1:
            mover = check_player(mover, refuse)
        if mover == TERMINAL:
            player[node] = TERMINAL
            payoff[node] = finite(state.payoff, "payoff", refuse)
        else:
            begin = 0
            if mover == CHANCE:
                moves, probabilities = _outcomes(state, refuse)
            else:
                moves = list(state.actions)
                probabilities = [1.0] * len(moves)
                table = tables[mover]
                key = state.infoset
                if not isinstance(key, str):
                    raise refuse(f"the infoset key {key!r} is not a string")
                last = last1 if mover else last0
                number = table.number.get(key)
                if number is None:
                    number = table.add(key, moves, last, node, refuse)
                elif table.parent[number] != last or table.labels[number] != tuple(moves):
                    raise _imperfect(game, name, table, number, moves, node, parent, child)
                infoset[node] = number
                begin = table.begin[number]
            first, count = len(parent), len(moves)
            if first + count > max_histories:
                raise too_large(first + count, max_histories, name)
            if len(path) >= MAX_DEPTH:
                raise refuse(f"the game goes on for {MAX_DEPTH:,} moves, maybe forever")
            player[node] = mover
            child[node] = first
            degree[node] = count
            parent.extend([node] * count)
            player.extend([0] * count)
            infoset.extend([-1] * count)
            child.extend([0] * count)
            degree.extend([0] * count)
            chance.extend(probabilities)
            payoff.extend([0.0] * count)
            path.append([state, mover, moves, first, 0, last0, last1, begin])
        while path and path[-1][4] == len(path[-1][2]):
            path.pop()
        if not path:
            break
        above = path[-1]
        above_state, mover, moves, first, slot, last0, last1, begin = above
        above[4] = slot + 1
        node = first + slot
        state = above_state.child(moves[slot])
        if mover == 0:
            last0 = begin + slot
        elif mover == 1:
            last1 = begin + slot

    history = HistoryTree(
        *(np.array(parent), np.array(player), np.array(infoset), np.array(child)),
        *(np.array(degree), np.array(chance), np.array(payoff)),
    )
    return history, [table.treeplex() for table in tables]


def check_player(player: int, refuse: Refusal) -> int:
    """Who moves, as a plain integer; refuses all but players 0 and 1, chance and the end."""
    if type(player) is not int:
        try:
            player = operator.index(player)
        except TypeError:
            pass
        else:
            return check_player(player, refuse)
    elif TERMINAL <= player <= 1:
        return player
    raise refuse(
        f"State.player is {player!r}; this package solves two-player games, so it must be "
        f"0, 1, CHANCE ({CHANCE}) or TERMINAL ({TERMINAL})"
    )


def check_labels(labels: Sequence[str], what: str, refuse: Refusal) -> None:
    """Refuse labels that are not strings, all different, and at least one."""
    if not labels:
        raise refuse(f"{what} are none")
    if not all(isinstance(label, str) for label in labels):
        raise refuse(f"{what} are {reprlib.repr(list(labels))}; labels must be strings")
    if len(set(labels)) < len(labels):
        raise refuse(f"{what} have two of the same label: {reprlib.repr(list(labels))}")


def finite(value: Number, what: str, refuse: Refusal) -> float:
    """A payoff or a probability as a float; refuses what is not one finite number."""
    try:
        # float() reads text too.
        number = math.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        why = " (what player 0 wins, and player 1 loses)" if what == "payoff" else ""
        raise refuse(
            f"the {what} is {reprlib.repr(value)}; it must be one finite number that fits a "
            f"float{why}"
        )
    return number


def _outcomes(state: State, refuse: Refusal) -> tuple[list[str], list[float]]:
    """The labels and the probabilities of a chance move."""
    outcomes = list(state.chance)
    try:
        labels = [label for label, _ in outcomes]
    except (TypeError, ValueError):
        raise refuse(
            f"State.chance is {reprlib.repr(outcomes)}, not pairs of a label and a probability"
        ) from None
    check_labels(labels, "the outcomes of chance", refuse)
    return labels, check_probabilities(outcomes, refuse)


def check_probabilities(
    outcomes: Sequence[tuple[Hashable, Number]], refuse: Refusal
) -> list[float]:
    """Probabilities as floats; refuses what is not a distribution over different outcomes."""
    probabilities = [finite(value, "probability of chance", refuse) for _, value in outcomes]
    if not probabilities:
        raise refuse("chance moves but has no outcome")
    if min(probabilities) < 0:
        raise refuse(f"chance has a negative probability ({min(probabilities)})")
    if len({outcome for outcome, _ in outcomes}) < len(outcomes):
        raise refuse("chance has the same outcome twice")
    exact = all(isinstance(value, int | Fraction) for _, value in outcomes)
    total: Number = sum(value for _, value in outcomes) if exact else math.fsum(probabilities)
    if (total != 1) if exact else abs(total - 1.0) > 1e-9:
        raise refuse(f"the probabilities of chance sum to {total}, not to 1")
    return probabilities


def _story(game: Game, node: int, parent: array[int], child: array[int]) -> str:
    """The labels on the way to a node, replayed from the rules: only for error messages."""
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    path.reverse()
    state = game.root()
    labels: list[str] = []
    for here, there in itertools.pairwise(path):
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
        "did or knew different things. Only games with perfect recall can be solved: the infoset "
        "must tell such histories apart"
    )
