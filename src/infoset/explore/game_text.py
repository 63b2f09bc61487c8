"""The first levels of any game as text, read from its rules without compiling it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from infoset.games import CHANCE, TERMINAL, Game, Number, State

__all__ = ["TreeLine", "first_lines", "tree_lines"]

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

    Where all do not fit, chance nodes show fewer outcomes; then the levels are cut. A player with
    more actions than there are lines shows a few of them.

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
            return _Drawing(max_lines, MAX_DEPTH, outcomes).draw(root)
        except _TooManyError:
            continue
    lines = _Drawing(2, 0, 1).draw(root)
    for depth in range(1, MAX_DEPTH):
        try:
            lines = _Drawing(max_lines, depth, 1).draw(root)
        except _TooManyError:
            break
    return lines


@dataclass(frozen=True)
class _Drawing:
    """What is drawn of a tree."""

    max_lines: int
    max_depth: int
    max_outcomes: int | None
    """Of each chance node; `None` is all."""

    def draw(self, root: State) -> list[TreeLine]:
        """Every history that is drawn, each before those after it."""
        lines: list[TreeLine] = []
        count = 0
        for line in self._walk(root):
            count += 1 + (line.hidden is not None)
            if count > self.max_lines:
                raise _TooManyError
            lines.append(line)
        return lines

    def _walk(self, root: State) -> Iterator[TreeLine]:
        above: list[Iterator[tuple[State, str, Number | None]]] = [iter([(root, "", None)])]
        while above:
            following = next(above[-1], None)
            if following is None:
                above.pop()
                continue
            state, action, probability = following
            depth, children = len(above) - 1, _children(state)
            drawn = children[: self._most(state, depth, len(children))]
            player = state.player
            yield TreeLine(
                *(depth, action, player),
                infoset=state.infoset if player in (0, 1) else None,
                probability=probability,
                payoff=state.payoff if player == TERMINAL else None,
                num_children=len(children),
                num_hidden=len(children) - len(drawn),
            )
            above.append(_after(state, drawn))

    def _most(self, state: State, depth: int, num_children: int) -> int:
        """How many children of a state are drawn."""
        if depth == self.max_depth:
            return 0
        if state.player == CHANCE:
            return num_children if self.max_outcomes is None else self.max_outcomes
        few = max(self.max_lines // 4, 1)
        return few if num_children >= self.max_lines else num_children


def _children(state: State) -> Sequence[tuple[str, Number | None]]:
    if state.player == TERMINAL:
        return []
    if state.player == CHANCE:
        return list(state.chance)
    return [(label, None) for label in state.actions]


def _after(
    state: State, moves: Iterable[tuple[str, Number | None]]
) -> Iterator[tuple[State, str, Number | None]]:
    """The states after some moves, made when their turn comes."""
    return ((state.child(label), label, probability) for label, probability in moves)


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
