"""Find the target that a text names: a game, an ``.efg`` or spot file, a random situation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from infoset.errors import BadInputError, shorten
from infoset.games import Game, is_game_text, make
from infoset.games.holdem import Spot, is_situation_text, random_situation, read_spot
from infoset.interop.efg import read_efg
from infoset.interop.open_spiel import from_open_spiel
from infoset.interop.open_spiel_loading import PREFIX

SPOT_SUFFIXES = (".toml", ".json")


def find_rules(spec: Any, name: str | None = None) -> Game | Spot:
    """The rules that are meant.

    ``spec`` is a built-in game with its parameters, ``open_spiel:NAME``, the path of an ``.efg``
    file, the path of a spot file (``name`` says which spot, if it has several), a random situation
    such as ``River(5k, seed=1)``, or any object with rules.

    >>> find_rules("nolimit_leduc(stack=10)").root().player
    -1
    >>> find_rules("River(5k, seed=1)").pot
    5000
    """
    if not isinstance(spec, str | os.PathLike):
        is_game = isinstance(spec, Game) and callable(spec.root) and not isinstance(spec, type)
        if is_game or isinstance(spec, Spot):
            return spec  # type: ignore[no-any-return]
        if isinstance(spec, type):
            raise BadInputError(f"{spec.__name__} is a class; give a game of it: {spec.__name__}()")
        raise BadInputError(
            f"{type(spec).__name__} is not a game: a game is a name, a path to an .efg or spot "
            "file, a Spot, or an object with a method root() (see docs/your-own-game.md)"
        )
    text = os.fspath(spec)
    if text.startswith(PREFIX):
        return from_open_spiel(text)
    suffix = Path(text).suffix.lower()
    if suffix == ".efg":
        return read_efg(text)
    if suffix == ".py":
        raise BadInputError(
            f"'{text}' is Python, which is never run from here: solve a game of your own in "
            "Python, with infoset.solve(MyGame()) (see docs/your-own-game.md)"
        )
    if suffix in SPOT_SUFFIXES:
        return read_spot(Path(text), name)
    # A file named like a situation is the file, one named like a game is not.
    if not isinstance(spec, str) or (os.path.isfile(text) and not is_game_text(text)):
        return read_spot(spec, name)
    if is_situation_text(text):
        if name is not None:
            raise BadInputError(
                f"a random situation has no name, so {shorten(name)} chooses nothing"
            )
        return random_situation(text)
    if name is not None:
        raise BadInputError(f"{text} is no spot file, so there is no spot {name!r} in it")
    return make(text)
