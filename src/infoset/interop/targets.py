"""Find the target that a text names: a game, an ``.efg`` or spot file, a random situation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from infoset.errors import BadInputError
from infoset.games import Game, is_game_text, make
from infoset.games.holdem import SITUATION, Spot, find_spot
from infoset.interop.efg import read_efg
from infoset.interop.open_spiel import from_open_spiel
from infoset.interop.open_spiel_loading import PREFIX

SPOT_SUFFIXES = (".toml", ".json")


def is_spot_text(text: str) -> bool:
    """Whether a text means a spot: a file that ends like one, or a random situation."""
    return Path(text).suffix.lower() in SPOT_SUFFIXES or SITUATION.fullmatch(text) is not None


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
    if Path(text).suffix.lower() == ".efg":
        return read_efg(text)
    if Path(text).suffix.lower() == ".py":
        raise BadInputError(
            f"'{text}' is Python, which is never run from here: solve a game of your own in "
            "Python, with infoset.solve(MyGame()) (see docs/your-own-game.md)"
        )
    is_file = os.path.isfile(text) and not is_game_text(text)
    if not isinstance(spec, str) or is_spot_text(text) or is_file:
        return find_spot(Path(text) if Path(text).suffix.lower() in SPOT_SUFFIXES else spec, name)
    if name is not None:
        raise BadInputError(f"{text} is no spot file, so there is no spot {name!r} in it")
    return make(text)
