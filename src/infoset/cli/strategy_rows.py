"""The infosets of a strategy that are to be shown, to go through as often as needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infoset.cli.output import Infoset, printable
from infoset.errors import BadInputError, nearest, shorten

if TYPE_CHECKING:
    from infoset.strategy import Strategy

__all__ = ["Infosets", "find_infosets", "openings"]

OPENINGS = 6
"""Infosets of each player that are shown of a large strategy."""

_BLANKS = re.compile(r"\s*([,/:])\s*")


@dataclass(frozen=True)
class Infosets:
    """Infosets of a strategy, without holding them all."""

    strategy: Strategy
    players: tuple[int, ...] = (0, 1)
    is_wanted: Callable[[str], bool] = lambda key: True
    most: int | None = None
    """How many of each player; `None` is all."""

    def __iter__(self) -> Iterator[Infoset]:
        for player in self.players:
            count = 0
            for key, actions in self.strategy.infosets(player):
                if count == self.most:
                    break
                if self.is_wanted(key):
                    count += 1
                    yield player, key, actions


def openings(strategy: Strategy) -> Infosets:
    """Some infosets of each player at which he has not moved before."""
    from infoset.strategy import SequenceStrategy

    if not isinstance(strategy, SequenceStrategy):
        return Infosets(strategy, most=OPENINGS)
    first = {
        treeplex.keys[i]
        for treeplex in strategy.form.treeplexes
        for i in (treeplex.infoset_parent == 0).nonzero()[0][:OPENINGS].tolist()
    }
    return Infosets(strategy, is_wanted=first.__contains__, most=OPENINGS)


def find_infosets(
    strategy: Strategy,
    players: tuple[int, ...],
    *,
    infoset: str | None = None,
    hand: str | None = None,
    path: str | None = None,
) -> Infosets:
    """The infosets with a key, or those whose key has a hand before the colon or a path after it.

    A key with line breaks in it is shown, and may be typed, on one line.
    """
    if infoset is not None:
        same = Infosets(strategy, players, lambda key: infoset in (key, printable(key)))
        if not any(True for _ in same):
            # There is none, which the strategy says best, with the nearest that there is.
            strategy[(players[0], infoset) if len(players) == 1 else infoset]
        return same
    wanted_path = None if path is None else _normal(path)

    def is_wanted(key: str) -> bool:
        private, colon, public = key.partition(":")
        return (hand is None or (bool(colon) and printable(private) == hand)) and (
            wanted_path is None or (bool(colon) and _normal(public) == wanted_path)
        )

    chosen = Infosets(strategy, players, is_wanted)
    if (hand, path) != (None, None) and not any(True for _ in chosen):
        raise _no_such_part(strategy, players, hand, wanted_path)
    return chosen


def _normal(path: str) -> str:
    """A path without blanks between its steps.

    >>> _normal("check, bet / Qs: check")
    'check,bet/Qs:check'
    """
    return _BLANKS.sub(r"\1", path.strip())


def _no_such_part(
    strategy: Strategy, players: tuple[int, ...], hand: str | None, path: str | None
) -> BadInputError:
    """The refusal of a hand or path that no infoset has."""
    keys = [key for player in players for key, _ in strategy.infosets(player)]
    if not any(":" in key for key in keys):
        return BadInputError(
            f"the infosets of {strategy.name} have no hand and path in their names; choose one "
            "with --infoset"
        )
    hands = dict.fromkeys(key.partition(":")[0] for key in keys)
    paths = dict.fromkeys(_normal(key.partition(":")[2]) for key in keys)
    for what, typed, known in (("hand", hand, hands), ("path", path, paths)):
        if typed is not None and typed not in known:
            hint = nearest(typed, list(known)[:2000]).replace("Known: , ", "Known: ")
            return BadInputError(f"{strategy.name} has no {what} {shorten(typed)}{hint}")
    return BadInputError(f"no infoset of {strategy.name} has the hand {hand} after {path!r}")
