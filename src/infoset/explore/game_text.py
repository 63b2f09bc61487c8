"""The first levels of any game as text, by walking its rules; nothing is compiled for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from infoset.games.rules import CHANCE, TERMINAL, Game, Number, State

__all__ = ["TreeLine", "first_lines", "tree_lines"]

MAX_LINES = 10_000
"""Of a tree that is drawn in full."""

OUTCOMES = (None, 6, 3, 2, 1)
"""How many outcomes of each chance node are drawn, the first that fits; `None` is all."""

MAX_DEPTH = 1_000
"""Deeper than any game that is drawn; rules that never end stop here."""


@dataclass(frozen=True)
class TreeLine:
    """One history: the action that leads to it, and what it is."""

    depth: int
    action: str
    """The last action or outcome; empty at the root."""
    player: int
    """Who moves: 0, 1, `CHANCE` or `TERMINAL`."""
    infoset: str | None = None
    """Where a player moves: what he knows."""
    probability: Number | None = None
    """Of a chance outcome."""
    payoff: Number | None = None
    """At the end: what player 0 wins."""
    num_children: int = 0
    num_hidden: int = 0
    """Children that are not drawn."""

    def __str__(self) -> str:
        if self.player == TERMINAL:
            state = f"player 0 wins {_shown(self.payoff)}"
        elif self.player == CHANCE:
            state = "chance"
        else:
            state = f"player {self.player} at {self.infoset!r}"
        if self.num_children and self.num_hidden == self.num_children:
            state += f" ({self.num_hidden:,} {self._children()})"
        odds = "" if self.probability is None else f" ({_shown(self.probability)})"
        return "  " * self.depth + (f"{self.action}{odds}: {state}" if self.action else state)

    def _children(self) -> str:
        plural = "s" * (self.num_hidden != 1)
        return f"outcome{plural}" if self.player == CHANCE else f"action{plural}"

    @property
    def hidden(self) -> str | None:
        """The line below the children that are drawn, if some are not."""
        if not 0 < self.num_hidden < self.num_children:
            return None
        return "  " * (self.depth + 1) + f"... {self.num_hidden:,} more {self._children()}"


def _shown(number: Number | None) -> str:
    is_exact = isinstance(number, int | Fraction)
    return str(number) if is_exact and len(str(number)) < 12 else f"{float(number or 0):.6g}"


class _TooManyError(Exception):
    """More lines than are wanted."""


def tree_lines(game: Game, *, max_lines: int) -> list[TreeLine]:
    """The histories that are drawn of a game: all, or as many levels as fit.

    Where all do not fit, chance nodes show fewer outcomes; then the levels are cut.

    >>> from infoset.games import make
    >>> for line in tree_lines(make("rps"), max_lines=4): print(line)
    player 0 at 'player0'
      rock: player 1 at 'player1' (3 actions)
      paper: player 1 at 'player1' (3 actions)
      scissors: player 1 at 'player1' (3 actions)
    """
    root = game.root()
    for outcomes in OUTCOMES:
        try:
            return _fitting(root, max_lines, MAX_DEPTH, outcomes)
        except _TooManyError:
            continue
    lines = [_line(root, 0, "", None, num_drawn=0)]
    for depth in range(1, MAX_DEPTH):
        try:
            lines = _fitting(root, max_lines, depth, 1)
        except _TooManyError:
            break
    return lines


def _fitting(root: State, max_lines: int, depth: int, outcomes: int | None) -> list[TreeLine]:
    lines: list[TreeLine] = []
    count = 0
    for line in _walk(root, depth, outcomes):
        count += 1 + (line.hidden is not None)
        if count > max_lines:
            raise _TooManyError
        lines.append(line)
    return lines


def _walk(root: State, max_depth: int, outcomes: int | None) -> Iterator[TreeLine]:
    """Every history up to a depth, each before those after it."""
    stack: list[tuple[State, int, str, Number | None]] = [(root, 0, "", None)]
    while stack:
        state, depth, action, probability = stack.pop()
        children = _children(state)
        most = len(children) if outcomes is None or state.player != CHANCE else outcomes
        drawn = children[: 0 if depth == max_depth else most]
        yield _line(state, depth, action, probability, num_drawn=len(drawn))
        stack += [(state.child(label), depth + 1, label, p) for label, p in reversed(drawn)]


def _children(state: State) -> Sequence[tuple[str, Number | None]]:
    if state.player == TERMINAL:
        return []
    if state.player == CHANCE:
        return list(state.chance)
    return [(label, None) for label in state.actions]


def _line(
    state: State, depth: int, action: str, probability: Number | None, *, num_drawn: int
) -> TreeLine:
    player, num_children = state.player, len(_children(state))
    return TreeLine(
        *(depth, action, player),
        infoset=state.infoset if player in (0, 1) else None,
        probability=probability,
        payoff=state.payoff if player == TERMINAL else None,
        num_children=num_children,
        num_hidden=num_children - num_drawn,
    )


def first_lines(lines: Sequence[TreeLine]) -> Iterator[str]:
    """The lines as text, with those that count what is not drawn."""
    pending: list[TreeLine] = []
    for line in lines:
        while pending and pending[-1].depth >= line.depth:
            yield from filter(None, [pending.pop().hidden])
        yield str(line)
        pending.append(line)
    while pending:
        yield from filter(None, [pending.pop().hidden])
