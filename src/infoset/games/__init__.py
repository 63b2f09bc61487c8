"""Rules of games: small immutable states, exact probabilities, no arrays.

`make` gives a built-in game by name; `infoset.games.rules` says what a game of your own needs.
"""

from __future__ import annotations

import importlib
import pkgutil

from infoset.games.abstractions import KnownAbstraction, Merge, known_abstractions, merge_of
from infoset.games.dealt import DealtGame, DealtState, PublicState
from infoset.games.poker import OneCardPoker, PokerState
from infoset.games.registry import KnownGame, is_game_text, known_games, make, register
from infoset.games.rules import CHANCE, TERMINAL, Game, Number, State, name_of

__all__ = [
    "CHANCE",
    "TERMINAL",
    "DealtGame",
    "DealtState",
    "Game",
    "KnownAbstraction",
    "KnownGame",
    "Merge",
    "Number",
    "OneCardPoker",
    "PokerState",
    "PublicState",
    "State",
    "is_game_text",
    "known_abstractions",
    "known_games",
    "make",
    "merge_of",
    "name_of",
    "register",
]

# Each file of this folder registers its own games, so a new game is one new file.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
