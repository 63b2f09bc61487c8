"""Translation: a strategy of one game, played as far as it goes in a larger one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from infoset.errors import BadInputError, shorten
from infoset.forms import SequenceForm
from infoset.strategy.sequence_strategy import SequenceStrategy

Table = Mapping[str, Mapping[str, float]]
"""One player's strategy as ``{infoset: {action: probability}}``."""

_CARD = re.compile(r"[0-9TJQKA]+[shdc]")
_SIZED = re.compile(r"(?:bet|raise)([0-9.]*)")


class Translation(NamedTuple):
    """A strategy in a larger game, and where it comes from."""

    strategy: SequenceStrategy
    same: int
    """Infosets that play like the one of the same name in the smaller game."""
    similar: int
    """Infosets that play like one of another name."""
    unknown: int
    """Infosets that play uniformly, since the smaller game has nothing like them."""


def translate(tables: tuple[Table, Table], form: SequenceForm, name: str = "") -> Translation:
    """Play a strategy of a smaller game in a larger one.

    An infoset plays as the infoset of the same name does. Actions that the smaller game does not
    have get nothing, and what it has for an action that the larger one lacks goes to the nearest
    size. Where no infoset has the name, it is read as one of poker: suits that the smaller game
    does not tell apart are dropped, and every bet of the past becomes the nearest that the smaller
    game has there. Sizes are compared by ratio. If the largest is not the same in both games, they
    are stretched so that all-in is all-in: ``x`` stands for ``x ** (log largest / log largest
    there)``. What is still unknown plays uniformly.

    ``name`` is that of the smaller game. Raises `BadInputError` if the games have no infoset in
    common, and for tables that are no strategies.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> small = SequenceStrategy.uniform(compile_game(make("leduc(by_rank=true)")))
    >>> tables = small.table(0), small.table(1)
    >>> translate(tables, compile_game(make("leduc")))[1:]
    (0, 936, 0)
    >>> translate(tables, compile_game(make("kuhn")))[1:]
    (12, 0, 0)
    """
    out = SequenceStrategy.uniform(form)
    names = _Names(tables, form)
    same, similar, unknown = 0, 0, 0
    for player, treeplex in enumerate(form.treeplexes):
        table, begin = tables[player], treeplex.infoset_begin.tolist()
        probabilities = out.probabilities[player]
        for i, key in enumerate(treeplex.keys):
            like = names.like(player, key)
            if like is None:
                unknown += 1
                continue
            same += like == key
            similar += like != key
            actions, labels = table[like], treeplex.labels[i]
            row = [0.0] * len(labels)
            for n, probability in zip(names.places(actions, labels), actions.values(), strict=True):
                row[n] += probability
            total = math.fsum(row)
            if not (abs(total - 1.0) <= 1e-6 and all(each >= 0.0 for each in actions.values())):
                raise BadInputError(
                    f"the probabilities to start from at infoset {shorten(like)} are "
                    f"{shorten(str(list(actions.values())))}; they must be at least 0 and sum to 1"
                )
            probabilities[begin[i] : begin[i + 1]] = [each / total for each in row]
    if same + similar == 0 and form.num_infosets > 0:
        raise BadInputError(
            f"the strategy{f' of {name}' if name else ''} to start from has no infoset in common "
            f"with {form.name}: give one of the same game, or of a smaller one like it"
        )
    return Translation(out, same, similar, unknown)


def _nearest(label: str, labels: Iterable[str], stretch: float) -> str | None:
    """The same action, else the bet or raise of the nearest size; nothing if there is none.

    >>> _nearest("raise7", ("fold", "call", "raise4", "raise8"), 1.0)
    'raise8'
    >>> _nearest("bet8", ("check", "bet2", "bet5"), math.log(5) / math.log(8))
    'bet5'
    """
    sized = _SIZED.fullmatch(label)
    if sized is None or stretch == 1.0:
        if label in labels:
            return label
        if sized is None:
            return None
    wanted = _log_size(sized[1]) * stretch
    sizes = [
        (abs(_log_size(match[1]) - wanted), n, other)
        for n, other in enumerate(labels)
        if (match := _SIZED.fullmatch(other))
    ]
    return min(sizes)[2] if sizes else None


def _log_size(written: str) -> float:
    """The logarithm of the chips in a label; where there is only one size, none are written."""
    try:
        return math.log(max(float(written), 1e-9))
    except ValueError:
        return 0.0


def _largest(labels: Iterable[str]) -> float:
    """The logarithm of the largest bet."""
    found = (match for label in labels if (match := _SIZED.fullmatch(label)))
    return max((_log_size(match[1]) for match in found), default=0.0)


class _Names:
    """How infosets of the larger game are called in the smaller one."""

    def __init__(self, tables: tuple[Table, Table], form: SequenceForm) -> None:
        self._tables = tables
        self._labels: dict[str, tuple[str, ...]] = {}
        """By public history: what may be done there."""
        for table in tables:
            for key, actions in table.items():
                _, colon, public = str(key).partition(":")
                if colon:
                    self._labels[public] = tuple(actions)
        self._boards = {
            part.partition(":")[0] for public in self._labels for part in public.split("/")[1:]
        }
        self._known: dict[str, str | None] = {}
        self._steps: dict[tuple[str, str], str | None] = {}
        """By public history of the smaller game and action of the larger: what is nearest."""
        self._places: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
        own = {label for table in tables for actions in table.values() for label in actions}
        others = {label for t in form.treeplexes for labels in t.labels for label in labels}
        ours, theirs = _largest(own), _largest(others)
        self.stretch = ours / theirs if ours > 0.0 and theirs > 0.0 else 1.0
        """What the logarithm of a size of the larger game is multiplied with."""

    def like(self, player: int, key: str) -> str | None:
        """The infoset of the smaller game that is most like one of the larger, if any is."""
        table = self._tables[player]
        hand, colon, public = key.partition(":")
        is_poker = bool(colon) and "" in self._labels
        if not is_poker or (self.stretch == 1.0 and key in table):
            return key if key in table else None
        if public not in self._known:
            self._known[public] = self._public(public)
        found = self._known[public]
        if found is None:
            return None
        names = (f"{name}:{found}" for name in (hand, _without_suit(hand)))
        return next((name for name in names if name in table), None)

    def places(self, actions: Iterable[str], labels: tuple[str, ...]) -> list[int]:
        """Which action of the larger game each one of the smaller game stands for.

        What fits no size goes to the action that stays in for least.
        """
        pair = tuple(actions), labels
        if pair not in self._places:
            stay = "call" if "call" in labels else labels[0]
            found = (_nearest(action, labels, 1.0 / self.stretch) or stay for action in pair[0])
            self._places[pair] = [labels.index(label) for label in found]
        return self._places[pair]

    def _public(self, public: str) -> str | None:
        """The public history of the smaller game that is most like one of the larger."""
        out = ""
        for number, part in enumerate(public.split("/")):
            actions = part
            if number > 0:
                board, _, actions = part.partition(":")
                out += f"/{board if board in self._boards else _without_suit(board)}:"
            comma = ""
            for action in filter(None, actions.split(",")):
                step = out, action
                if step not in self._steps:
                    labels = self._labels.get(out, ())
                    self._steps[step] = _nearest(action, labels, self.stretch)
                taken = self._steps[step]
                if taken is None:
                    return None
                out += comma + taken
                comma = ","
        return out if out in self._labels else None


def _without_suit(card: str) -> str:
    return card[:-1] if _CARD.fullmatch(card) else card
