"""Abstractions of built-in games by name: which infosets a player no longer tells apart.

An abstraction needs only the keys of infosets. `infoset.forms.abstract_form` does the merging.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infoset.errors import BadInputError, nearest, shorten
from infoset.games.rules import Game, name_of

Merge = Callable[[int, str], str]
"""From a player and the key of an infoset to the name of the abstract infoset it belongs to."""


@dataclass(frozen=True, slots=True)
class KnownAbstraction:
    """An abstraction that can be asked for by name, and the games it is for."""

    name: str
    games: tuple[str, ...]
    summary: str
    source: str
    merged: Merge


_UNTOLD_BOARDS = {"J": "QK", "K": "JQ"}
"""By the rank of the private card: the ranks that its holder does not tell apart on the board."""


def _texture(_player: int, key: str) -> str:
    """Keep a pair and the betting; forget which of the two other ranks is on the board.

    >>> _texture(0, "Js:check,check/Qh:bet"), _texture(0, "Js:check,check/Jh:bet")
    ('Js:check,check/QK:bet', 'Js:check,check/Jh:bet')
    """
    before, slash, after = key.partition("/")
    board, colon, actions = after.partition(":")
    untold = _UNTOLD_BOARDS.get(key[:1], "")
    if not board or board[0] not in untold:
        return key
    return f"{before}{slash}{untold}{colon}{actions}"


_known = {
    abstraction.name: abstraction
    for abstraction in (
        KnownAbstraction(
            name="texture",
            games=("leduc", "leduc5", "nolimit_leduc"),
            summary="a jack does not tell queen from king on the board, nor a king jack from queen",
            source="Burch, Johanson & Bowling 2014, Solving Imperfect Information Games Using "
            "Decomposition",
            merged=_texture,
        ),
    )
}


def known_abstractions() -> tuple[KnownAbstraction, ...]:
    """All abstractions that `merge_of` knows, in the order of their names."""
    return tuple(_known[name] for name in sorted(_known))


def merge_of(name: str, game: Game) -> Merge:
    """The abstraction of that name: which infosets of the game it merges.

    >>> from infoset.games import make, merge_of
    >>> merge_of("texture", make("leduc(by_rank=true)"))(1, "K:bet,call/J:check")
    'K:bet,call/JQ:check'
    >>> merge_of("texture", make("kuhn"))
    Traceback (most recent call last):
    infoset.errors.BadInputError: the abstraction 'texture' is for leduc, leduc5, nolimit_leduc, \
not for kuhn
    """
    abstraction = _known.get(name)
    if abstraction is None:
        raise BadInputError(f"there is no abstraction {shorten(name)}{nearest(name, _known)}")
    if name_of(game).partition("(")[0] not in abstraction.games:
        raise BadInputError(
            f"the abstraction {name!r} is for {', '.join(abstraction.games)}, "
            f"not for {name_of(game)}"
        )
    return abstraction.merged
