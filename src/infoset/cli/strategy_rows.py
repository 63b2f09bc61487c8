"""The infosets of a strategy that are to be shown, and how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

from infoset.cli.output import GAP, printable, width, write_csv
from infoset.errors import BadInputError, nearest, shorten

if TYPE_CHECKING:
    from infoset.strategy import Strategy

Infoset = tuple[int, str, Mapping[str, float]]
"""A player, what he knows, and how likely he takes each action there."""

OPENINGS = 6
"""Infosets of each player that are shown of a large strategy."""

MOST_ACTIONS = 20
"""Actions that are shown of an infoset unless it is asked for: the likeliest."""

MAX_KEY_WIDTH = 40
"""Longer names of infosets push their own line out, not the whole column."""

_BLANKS = re.compile(r"\s*([,/:])\s*")


@dataclass(frozen=True)
class Infosets:
    """Infosets of a strategy, without holding them all; to go through as often as needed."""

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


def write_infosets(infosets: Infosets) -> None:
    """Print infosets as comma-separated values, a line for each action."""
    rows = (
        (player, key, action, probability)
        for player, key, actions in infosets
        for action, probability in actions.items()
    )
    write_csv(["player", "infoset", "action", "probability"], rows)


def strategy_lines(infosets: Iterable[Infoset], most_actions: int | None = None) -> Iterator[str]:
    """A strategy in aligned lines, one infoset each; actions that do not fit go to the next line.

    Not a `Table`: this one is also asked to print a million infosets. So that they need not all be
    held at once, ``infosets`` is gone through twice, the first time for the widths.

    >>> infosets = [(0, "J:", {"check": 0.8, "bet": 0.2}), (1, "K:bet", {"call": 1.0})]
    >>> for line in strategy_lines(infosets): print(line)
    player  infoset  strategy
    0       J:       check 0.800  bet 0.200
    1       K:bet    call  1
    """
    page = width()
    key_width = len("infoset")
    label_widths: list[int] = []
    for _, key, actions in infosets:
        key_width = max(key_width, min(len(printable(key)), MAX_KEY_WIDTH))
        shown = _likeliest(actions, most_actions)
        label_widths.extend([0] * (len(shown) - len(label_widths)))
        for i, label in enumerate(shown):
            label_widths[i] = max(label_widths[i], len(printable(label)))
    yield f"player  {'infoset':{key_width}}  strategy"
    margin = " " * (len("player") + len(GAP) + key_width)
    for player, key, actions in infosets:
        line = f"{player:<6}  {printable(key):{key_width}}"
        shown = _likeliest(actions, most_actions)
        for label, label_width in zip(shown, label_widths, strict=False):
            cell = f"{printable(label):{label_width}} {_probability(actions[label]):5}"
            if len(line) + len(GAP) + len(cell.rstrip()) > page and line.strip():
                yield line.rstrip()
                line = margin
            line += GAP + cell
        yield line.rstrip()
        if len(shown) < len(actions):
            yield f"{margin}{GAP}... and {len(actions) - len(shown):,} less likely actions"


def _likeliest(actions: Mapping[str, float], most: int | None) -> list[str]:
    """The likeliest of many actions, in their order."""
    if most is None or len(actions) <= most:
        return list(actions)
    kept = set(nlargest(most, actions, key=actions.__getitem__))
    return [action for action in actions if action in kept]


def _probability(p: float) -> str:
    """Three digits, and honest about what is only almost never or almost always done.

    >>> [_probability(p) for p in (0.0, 1e-5, 0.25, 0.99999, 1.0)]
    ['0', '<.001', '0.250', '>.999', '1']
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p < 0.0005:
        return "<.001"
    return ">.999" if p >= 0.9995 else f"{p:.3f}"
