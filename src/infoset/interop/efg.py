"""Gambit's ``.efg`` files: read games from them, write games to them.

The format is that of Gambit's manual, "EFG 2 R": a prologue with title and players, then the
nodes of the tree, each before its children.

>>> game = parse_efg(format_efg(parse_efg('''
...     EFG 2 R "Matching pennies" { "Even" "Odd" } ""
...     p "" 1 1 "even" { "heads" "tails" } 0
...     p "" 2 1 "odd" { "heads" "tails" } 0
...     t "" 1 "" { 1, -1 }
...     t "" 2 "" { -1, 1 }
...     p "" 2 1 "odd" { "heads" "tails" } 0
...     t "" 2
...     t "" 1
... ''')))
>>> state = game.root().child("heads")
>>> state.infoset, state.child("tails").payoff
('odd', -1)
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from infoset.errors import GameError, TooLargeError
from infoset.games import CHANCE, TERMINAL, Game, Number, State
from infoset.interop.efg_syntax import (
    ENCODED_COMMENT,
    Tokens,
    encode_label,
    format_number,
    format_probabilities,
)
from infoset.interop.efg_tree import EfgGame, TreeReader
from infoset.machine.storage import read_text, write_atomically

MAX_BYTES = 200_000_000
MAX_NODES = 5_000_000


def read_efg(path: str | os.PathLike[str], *, max_nodes: int = MAX_NODES) -> EfgGame:
    """Read a game from a Gambit ``.efg`` file; its name is the path.

    Exact numbers stay exact. Outcomes may stand on any node: what they pay adds up along the
    path. A player's infoset is called by its name in the file, or ``player:number`` (as the
    file counts them, from 1) if it has no name or shares it with another infoset of the player.
    Actions of the same name are numbered. Chance outcomes of probability zero are left out.

    Refused, with line and column: what is not of the format. Refused, with a sentence: other
    numbers of players, payoffs that do not sum to zero (constant sums too), files of more than
    200 MB or `max_nodes` nodes. Perfect recall is checked when the game is compiled.
    """
    text = read_text(path, max_bytes=MAX_BYTES)
    return parse_efg(text, os.fspath(path), max_nodes=max_nodes)


def parse_efg(text: str, name: str = "efg", *, max_nodes: int = MAX_NODES) -> EfgGame:
    """Read a game from the text of an ``.efg`` file; see `read_efg`."""
    return TreeReader(Tokens(text, name), max_nodes).read()


def write_efg(game: Game, path: str | os.PathLike[str], *, max_nodes: int = MAX_NODES) -> None:
    """Write a game as a Gambit ``.efg`` file, in one step: the file is whole or not there.

    See `format_efg` for what is written.
    """
    write_atomically(path, format_efg(game, max_nodes=max_nodes).encode("ascii"))


def format_efg(game: Game, *, max_nodes: int = MAX_NODES) -> str:
    """The text of an ``.efg`` file with the whole tree of a game.

    Infosets are numbered as the walk meets them and named by their keys. Whole numbers and
    fractions are written exactly, floats as decimals; see `format_probabilities` for chance.
    Labels that Gambit cannot read are percent-encoded, and the comment of the file says so;
    `read_efg` then decodes them, and gives the same game back.

    A game of more than `max_nodes` histories is refused, which also ends the walk of an
    infinite one.
    """
    writer = _Writer()
    lines = list(writer.lines(game, max_nodes))
    title = writer.quote(getattr(game, "name", "") or "a game")
    comment = ENCODED_COMMENT if writer.is_encoded else "Written by infoset."
    prologue = f'EFG 2 R {title} {{ "Player 1" "Player 2" }}\n"{comment}"\n\n'
    return prologue + "".join(lines)


class _Writer:
    """What one file has named and numbered so far."""

    def __init__(self) -> None:
        self.is_encoded = False
        self.num_chance = 0
        self.infosets: tuple[dict[str, _Written], dict[str, _Written]] = ({}, {})
        self.outcomes: dict[Number, str] = {}
        self.probabilities: dict[tuple[Number, ...], list[str]] = {}

    def lines(self, game: Game, max_nodes: int) -> Iterator[str]:
        """One line a node, each node before its children."""
        stack = [game.root()]
        num_nodes = 0
        while stack:
            if num_nodes == max_nodes:
                raise TooLargeError(
                    f"The game has more than {max_nodes} histories, too many for an .efg file."
                )
            num_nodes += 1
            state = stack.pop()
            if state.player == TERMINAL:
                yield self.terminal(state.payoff)
                continue
            if state.player == CHANCE:
                labels = [label for label, _ in state.chance]
                yield self.chance(state)
            elif state.player in (0, 1):
                labels = list(state.actions)
                yield self.decision(state.player, state.infoset, tuple(labels))
            else:
                raise GameError(f"A state has the player {state.player}; only two can be solved.")
            stack.extend(state.child(label) for label in reversed(labels))

    def terminal(self, payoff: Number) -> str:
        """A terminal node; equal payoffs share an outcome."""
        line = self.outcomes.get(payoff)
        if line is None:
            first, second = format_number(payoff), format_number(-payoff)
            number = len(self.outcomes) + 1
            line = self.outcomes[payoff] = f't "" {number} "" {{ {first}, {second} }}\n'
        return line

    def chance(self, state: State) -> str:
        """A chance node, which is an event of its own."""
        if not state.chance:
            raise GameError("A chance event has no outcomes.")
        labels, values = zip(*state.chance, strict=True)
        if values not in self.probabilities:
            self.probabilities[values] = format_probabilities(values)
        self.num_chance += 1
        pairs = zip(labels, self.probabilities[values], strict=True)
        outcomes = " ".join(f"{self.quote(label)} {text}" for label, text in pairs)
        return f'c "" {self.num_chance} "" {{ {outcomes} }} 0\n'

    def decision(self, player: int, key: str, actions: tuple[str, ...]) -> str:
        """A player's node; the same line for all nodes of an infoset."""
        written = self.infosets[player].get(key)
        if written is None:
            if not actions:
                raise GameError(f"There is no action at the infoset '{key}' of player {player}.")
            number = len(self.infosets[player]) + 1
            labels = " ".join(self.quote(action) for action in actions)
            line = f'p "" {player + 1} {number} {self.quote(key)} {{ {labels} }} 0\n'
            written = self.infosets[player][key] = (actions, line)
        elif written[0] != actions:
            raise GameError(
                f"The infoset '{key}' of player {player} has different actions in different "
                f"histories: {', '.join(written[0])} and {', '.join(actions)}."
            )
        return written[1]

    def quote(self, label: str) -> str:
        """A label between quotes, encoded if need be."""
        encoded = encode_label(label)
        self.is_encoded |= encoded != label
        return f'"{encoded}"'


# The actions of an infoset and its line in the file.
_Written = tuple[tuple[str, ...], str]
