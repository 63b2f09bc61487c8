"""The hands of a match of hold'em, as hands that other programs can read."""

from __future__ import annotations

import os
from collections.abc import Iterator

from infoset.agents.match_log import read_log
from infoset.agents.replay import check_logged_hand
from infoset.errors import BadInputError
from infoset.games import Game, make
from infoset.games.holdem import acpc
from infoset.interop import HandHistory


def is_match_log(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like the log of a match."""
    try:
        with open(path, "rb") as file:
            return file.read(100).lstrip().startswith(b'{"infoset_match"')
    except (OSError, ValueError):
        return False  # whoever reads it says why


def read_match_hands(path: str | os.PathLike[str]) -> Iterator[HandHistory]:
    """The hands of a log one after the other, each checked by the rules.

    Their names are those of the agents, in the order of seats.
    """
    with read_log(path) as reader:
        game, (first, second) = _game_called(reader.header.game), reader.header.agents
        if not isinstance(game, acpc.Holdem):
            played = reader.header.game
            raise reader.wrong(1, f"the match was one of {played}, not of hold'em from the deal on")
        for record in reader.records():
            check_logged_hand(reader, record, game)
            names = (first, second) if record.number % 2 == 0 else (second, first)
            yield HandHistory.of_steps(game, record.hand.steps, names=names, number=record.number)


def _game_called(name: str) -> Game | None:
    """The built-in game of this name; `None` for spots and games of one's own."""
    try:
        return make(name)
    except BadInputError:
        return None
