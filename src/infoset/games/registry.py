"""The built-in games by name: ``make("nolimit_leduc(stack=10)")``.

A game joins by `register` above the function that builds it; its parameters, their ranges and its
description are read off that function. So a new game is one file in this folder.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from infoset.calls import Call, Parameter, bind, parameters_of, parse_call
from infoset.errors import BadInputError, nearest, shorten
from infoset.games.rules import Game

P = ParamSpec("P")
G = TypeVar("G", bound=Game)


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A game that can be made by name: its parameters, and one line on what it is."""

    name: str
    parameters: tuple[Parameter, ...]
    summary: str
    build: Callable[..., Game]


_known: dict[str, KnownGame] = {}


def register(build: Callable[P, G]) -> Callable[P, G]:
    """Make a game known by the name of the function that builds it.

    The function takes its parameters by keyword, annotated as `infoset.calls.parameters_of`
    reads them; the first line of its docstring describes the game. It comes back with its
    arguments checked, so that ``one_card(cards=0)`` is refused in Python as it is in text.
    """
    name = build.__name__
    before = _known.get(name)
    # Again from the same module: it was loaded anew, or a notebook cell was run twice.
    if before is not None and before.build.__module__ != build.__module__:
        raise BadInputError(f"there already is a game named {name!r}; choose another name")
    parameters = parameters_of(build)
    build_any: Callable[..., G] = build

    @functools.wraps(build)
    def checked(*args: P.args, **kwargs: P.kwargs) -> G:
        if args:
            raise BadInputError(f"{name}: parameters are given by keyword, not by position")
        given: dict[str, Any] = {**kwargs}
        return build_any(**bind(Call(name, given), parameters))

    summary = (inspect.getdoc(build) or "").partition("\n")[0]
    _known[name] = KnownGame(name, parameters, summary, checked)
    return checked


def known_games() -> tuple[KnownGame, ...]:
    """All games that `make` knows, in the order of their names.

    >>> from infoset.games import known_games
    >>> [game.name for game in known_games()][:3]
    ['goofspiel', 'holdem', 'kuhn']
    """
    return tuple(_known[name] for name in sorted(_known))


def is_game_text(text: str) -> bool:
    """Whether a text begins with the name of a game that `make` knows.

    >>> is_game_text("nolimit_leduc(stak=10)"), is_game_text("leduc.efg")
    (True, False)
    """
    return text.partition("(")[0].strip() in _known


def make(text: str) -> Game:
    """The game that a text names; the `name` of a built-in game makes it again.

    >>> from infoset.games import make
    >>> make("nolimit_leduc(stack=10)").name
    'nolimit_leduc(stack=10)'
    >>> make("kuhn") == make("kuhn()")
    True
    >>> make("ledcu")
    Traceback (most recent call last):
    infoset.errors.BadInputError: there is no game 'ledcu'; did you mean 'leduc'? Known: \
goofspiel, holdem, kuhn, leduc, leduc5, liars_dice, nolimit_leduc, one_card, rps
    """
    call = parse_call(text)
    if call.name not in _known:
        raise BadInputError(f"there is no game {shorten(call.name)}{nearest(call.name, _known)}")
    known = _known[call.name]
    return known.build(**call.parameters)
