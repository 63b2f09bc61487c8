"""Locks: fixed strategies for some hands at one decision of a spot.

Other solvers call this *node locking*. A lock is a path and ranges; `infoset.forms.locked_nodes`
finds its node and hands in the betting tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from infoset.cards import Range, range_of
from infoset.errors import BadInputError, shorten
from infoset.games.holdem.checks import check_line, kind_of, unknown_key

MAX_LOCKS = 2500
"""A decision on every river of a flop is locked with 2,352."""
MAX_PATH = 10_000
MAX_ACTION = 100
"""Longest name of an action, in characters."""
MAX_ACTIONS = 25

EXAMPLE = "as in Lock('check', {'bet 50%': 'AA,KK:0.5'})"

Shares = tuple[tuple[str, Range], ...]
"""Actions, and how often hands take them."""


@dataclass(frozen=True, init=False)
class Lock:
    """What some hands do at one decision of a spot.

    - `path` leads to the decision, as `infoset.forms.paths` reads it: ``check, bet 50%``, with
      cards where they are dealt. On other cards the decision stays free.
    - `strategy` says how often hands take an action: the weights of ranges are shares. Actions are
      written as in paths. The shares of a hand sum to 1; where one action alone is not mentioned,
      it takes what is left. Hands that no range names stay free.

    The rest of the spot is solved for these habits: values and exploitability are those of the game
    in which the hands can do nothing else.

    >>> lock = Lock("check", {"check": "22-99", "bet 50%": "TT+:0.75"})
    >>> lock.path, lock.strategy
    ('check', (('check', Range('99-22')), ('bet 50%', Range('TT+:0.75'))))
    >>> Lock("check", {})
    Traceback (most recent call last):
    infoset.errors.BadInputError: the lock of 'check' needs a range for an action, as in \
Lock('check', {'bet 50%': 'AA,KK:0.5'})
    """

    path: str
    strategy: Shares

    def __init__(self, path: str, strategy: Mapping[str, Range | str] | Shares) -> None:
        object.__setattr__(self, "path", check_line("path", "a lock", path, MAX_PATH))
        object.__setattr__(self, "strategy", _shares(strategy, self.shown))

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"the lock of {shorten(self.path) if self.path else 'the first decision'}"


def locks_of(given: Iterable[Lock | Mapping[str, object]]) -> tuple[Lock, ...]:
    """Locks, each given as it is or as a table with ``path`` and ``strategy``.

    >>> locks_of([{"path": "", "strategy": {"check": "random"}}])
    (Lock(path='', strategy=(('check', Range('random')),)),)
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise BadInputError(f"locks must be a list of locks, not {kind_of(given)}")
    locks = tuple(each if isinstance(each, Lock) else _lock(each) for each in given)
    if len(locks) > MAX_LOCKS:
        raise BadInputError(f"there are {len(locks):,} locks; at most {MAX_LOCKS:,} are possible")
    return locks


def _lock(given: object) -> Lock:
    if not isinstance(given, Mapping):
        raise BadInputError(
            f"a lock must be a table with the keys path and strategy, not {kind_of(given)}"
        )
    known = ("path", "strategy")
    for key in given:
        if key not in known:
            raise unknown_key("a lock has no key", key, known)
    for key in known:
        if key not in given:
            raise BadInputError(f"a lock needs its {key}")
    return Lock(given["path"], given["strategy"])


def _shares(given: object, shown: str) -> Shares:
    pairs = given
    if isinstance(given, Mapping):
        pairs = tuple(given.items())
    if not isinstance(pairs, tuple) or not all(_is_pair(pair) for pair in pairs):
        raise BadInputError(
            f"{shown} needs ranges for actions, {EXAMPLE}, and has {kind_of(given)}"
        )
    if not pairs:
        raise BadInputError(f"{shown} needs a range for an action, {EXAMPLE}")
    if len(pairs) > MAX_ACTIONS:
        raise BadInputError(
            f"{shown} names {len(pairs):,} actions; at most {MAX_ACTIONS} are possible"
        )
    return tuple((_action(action, shown), _range(held, action, shown)) for action, held in pairs)


def _is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2


def _action(given: object, shown: str) -> str:
    if not isinstance(given, str):
        raise BadInputError(f"{shown} names actions by text, not by {kind_of(given)}")
    if len(given) > MAX_ACTION or not given.isprintable():
        raise BadInputError(f"{shown}: {shorten(given)} is no action")
    return given


def _range(given: object, action: str, shown: str) -> Range:
    if not isinstance(given, str | Range):
        raise BadInputError(
            f"{shown}: the hands that {action} must be a range as text, not {kind_of(given)}"
        )
    try:
        held = range_of(given)
    except BadInputError as error:
        raise BadInputError(f"{shown}: {action}: {error}") from None
    if not held:
        raise BadInputError(f"{shown}: the range of {shorten(action)} is empty; leave it out")
    return held
