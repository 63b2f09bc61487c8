"""The first levels of any game as text, read from its rules without compiling it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from infoset.games import CHANCE, TERMINAL, Game, Number, State

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
        chance = "" if self.probability is None else f" ({_shown(self.probability)})"
        return "  " * self.depth + (f"{self.action}{chance}: {state}" if self.action else state)

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
        whole = _drawn(root, max_lines, MAX_DEPTH, outcomes)
        if whole is not None:
            return whole
    lines: list[TreeLine] = []
    for depth in range(MAX_DEPTH):
        deeper = _drawn(root, max(max_lines, 1), depth, 1)
        if deeper is None:
            break
        lines = deeper
    return lines


def _drawn(
    root: State, max_lines: int, max_depth: int, max_outcomes: int | None
) -> list[TreeLine] | None:
    """Every history that is drawn, each before those after it; `None` if they are too many.

    Of each chance node, ``max_outcomes`` are drawn, or all.
    """
    lines: list[TreeLine] = []
    num_lines = 0
    # A state is made from the one before it when its turn comes.
    stack: list[tuple[int, State | None, str, Number | None]] = [(0, None, "", None)]
    while stack:
        depth, before, action, probability = stack.pop()
        state = root if before is None else before.child(action)
        player, moves = state.player, _moves(state)
        num_drawn = len(moves)
        if depth == max_depth:
            num_drawn = 0
        elif player == CHANCE:
            num_drawn = num_drawn if max_outcomes is None else max_outcomes
        elif num_drawn >= max_lines:
            num_drawn = max(max_lines // 4, 1)
        drawn = moves[:num_drawn]
        line = TreeLine(
            *(depth, action, player),
            infoset=state.infoset if player in (0, 1) else None,
            probability=probability,
            payoff=state.payoff if player == TERMINAL else None,
            num_children=len(moves),
            num_hidden=len(moves) - len(drawn),
        )
        num_lines += 1 + (line.hidden is not None)
        if num_lines > max_lines:
            return None
        lines.append(line)
        stack += [(depth + 1, state, *move) for move in reversed(drawn)]
    return lines


def _moves(state: State) -> Sequence[tuple[str, Number | None]]:
    if state.player == TERMINAL:
        return []
    if state.player == CHANCE:
        return list(state.chance)
    return [(label, None) for label in state.actions]


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
