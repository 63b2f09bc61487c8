"""Which sizes each player may bet and raise on each street.

A player's *menu* on a street is two lists of sizes, for bets and for raises. Menus are given as
little or as much apart as they differ::

    {"bet": "50%, 100%", "raise": "60%, a"}                            everywhere
    {"ip": {"bet": "33%"}}                                             in position
    {"river": {"bet": "75%, a", "raise": "a"}}                         on the river
    {"river": {"oop": {"bet": "75%, a"}, "ip": {"bet": "150%"}}}       on the river, each apart

The most particular that is said counts (street and player, then street, then player, then all), and
what is not said is `DEFAULT_BETS` and `DEFAULT_RAISES`. An empty text means no size: the player may
only check, or fold and call. Streets are ``preflop``, ``flop``, ``turn`` and ``river``; before the
flop the big blind is a bet already, so that only the sizes of raises count there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from infoset.errors import BadInputError, nearest, shorten
from infoset.games.holdem.betting import PLAYERS, STREETS, TURN
from infoset.games.holdem.checks import kind_of
from infoset.games.holdem.sizes import PreviousBet, Size, parse_sizes

__all__ = [
    "DEFAULT_BETS",
    "DEFAULT_RAISES",
    "SAME_AS_BETS",
    "Donks",
    "Menu",
    "Menus",
    "Sizes",
    "donks_of",
    "menus_of",
    "opening_of",
]

DEFAULT_BETS = "50%, 100%, a"
DEFAULT_RAISES = "60%, a"

SAME_AS_BETS = "same as bet sizes"
"""What may be written for donk sizes, and is meant when nothing is."""

DONK_STREETS = STREETS[TURN:]

MAX_OPENING = 10

Sizes = tuple[Size, ...]

Donks = tuple[Sizes | None, ...]
"""[street] Sizes of donk bets; `None` if they are those of other bets."""


class Menu(NamedTuple):
    """What a player may bet and raise on a street."""

    bets: Sizes
    raises: Sizes


Menus = tuple[tuple[Menu, Menu], ...]
"""[street][player]"""


def menus_of(given: Mapping[str, object] | Menus | None) -> Menus:
    """The menus of all streets and players, from what is said about some of them.

    >>> menus = menus_of({"bet": "50%", "river": {"ip": {"bet": "75%, a", "raise": ""}}})
    >>> [[str(size) for size in menu.bets] for menu in menus[-1]]
    [['50%'], ['75%', 'a']]
    >>> menus_of({"river": {"ip": {"bets": "75%"}}})
    Traceback (most recent call last):
    infoset.errors.BadInputError: bet_sizes.river.ip has no key 'bets'; did you mean 'bet'? Known: \
bet, raise
    """
    if isinstance(given, tuple):
        return _checked(given)
    said: dict[tuple[str, ...], Sizes] = {}
    if given is not None:
        _gather_into(said, given, ("bet_sizes",), (STREETS, PLAYERS))
    default = {
        "bet": parse_sizes(DEFAULT_BETS),
        "raise": parse_sizes(DEFAULT_RAISES, for_raises=True),
    }

    def sizes(street: str, player: str, what: str) -> Sizes:
        for where in ((street, player), (street,), (player,), ()):
            if (*where, what) in said:
                return said[*where, what]
        return default[what]

    def menu(street: str, player: str) -> Menu:
        return Menu(sizes(street, player, "bet"), sizes(street, player, "raise"))

    return tuple((menu(street, "oop"), menu(street, "ip")) for street in STREETS)


def _gather_into(
    said: dict[tuple[str, ...], Sizes],
    given: object,
    path: tuple[str, ...],
    levels: tuple[tuple[str, ...], ...],
) -> None:
    """Write the sizes of a nested mapping under their paths, without the first name of each."""
    where = ".".join(path)
    if not isinstance(given, Mapping):
        raise BadInputError(
            f"{where} must be a table with the keys bet and raise, not {kind_of(given)}"
        )
    deeper = [name for level in levels for name in level]
    for key, value in given.items():
        if key in deeper:
            depth = next(n for n, level in enumerate(levels) if key in level)
            _gather_into(said, value, (*path, key), levels[depth + 1 :])
        elif key in ("bet", "raise"):
            said[*path[1:], key] = _sizes_of(value, f"{where}.{key}", for_raises=key == "raise")
        else:
            shown = key if isinstance(key, str) else repr(key)
            hint = nearest(shown, [*deeper, "bet", "raise"])
            raise BadInputError(f"{where} has no key {shorten(shown)}{hint}")


def donks_of(given: str | Mapping[str, object] | Donks | None) -> Donks:
    """The sizes of donk bets on every street, from a text for all or one for each.

    A donk bet is one that opens a street out of position, when the last bet or raise of the street
    before was the opponent's. There are none on the flop: in a spot that begins there, what came
    before is not known.

    >>> donks_of({"river": "50%"})
    (None, None, None, (PotShare(percent=Fraction(50, 1)),))
    >>> donks_of("same as bet sizes")
    (None, None, None, None)
    """
    if given is None or given == SAME_AS_BETS:
        given = {}
    if isinstance(given, str):
        sizes = _sizes_of(given, "donk")
        return None, None, sizes, sizes
    if isinstance(given, tuple):
        if len(given) != len(STREETS) or any(sizes is not None for sizes in given[:TURN]):
            raise BadInputError(
                "donk sizes are four, for preflop, flop, turn and river, of which the first two "
                "are None"
            )
        given = dict(zip(DONK_STREETS, given[TURN:], strict=True))
    if not isinstance(given, Mapping):
        raise BadInputError(
            f"donk must be sizes, {SAME_AS_BETS!r}, or a table with the keys turn and river, not "
            f"{kind_of(given)}"
        )
    for key in given:
        if key == "flop":
            raise BadInputError(
                "donk has no sizes for the flop: who bet last before it is not part of a spot"
            )
        if key not in DONK_STREETS:
            shown = key if isinstance(key, str) else repr(key)
            raise BadInputError(f"donk has no key {shorten(shown)}{nearest(shown, DONK_STREETS)}")
    return None, None, *(_sizes_or_none(given.get(street), street) for street in DONK_STREETS)


def _sizes_or_none(given: object, street: str) -> Sizes | None:
    if given is None or given == SAME_AS_BETS:
        return None
    return _sizes_of(given, f"donk.{street}")


def opening_of(given: Iterable[str | Sizes] | None) -> tuple[Sizes, ...]:
    """The sizes of the first actions of a spot, whoever takes them.

    >>> [len(sizes) for sizes in opening_of(["50%, 100%, 200%, a", "100%, a"])]
    [4, 2]
    """
    if given is None:
        return ()
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise BadInputError(
            "opening must be a list of sizes, one for each of the first actions, not "
            f"{kind_of(given)}"
        )
    sizes = tuple(_sizes_of(each, f"opening {n + 1}") for n, each in enumerate(given))
    if len(sizes) > MAX_OPENING:
        raise BadInputError(f"opening has {len(sizes)} entries; at most {MAX_OPENING} are possible")
    return sizes


def _sizes_of(given: object, where: str, *, for_raises: bool = False) -> Sizes:
    """Sizes given as text or as they are."""
    if isinstance(given, tuple) and all(isinstance(size, Size) for size in given):
        if not for_raises and any(isinstance(size, PreviousBet) for size in given):
            raise BadInputError(f"{where}: only raises can be a multiple of the opponent's bet")
        return given
    if not isinstance(given, str):
        raise BadInputError(f"{where} must be sizes such as '50%, a', not {kind_of(given)}")
    try:
        return parse_sizes(given, for_raises=for_raises)
    except BadInputError as error:
        raise BadInputError(f"{where}: {error}") from None


def _checked(menus: Menus) -> Menus:
    """Menus that were built in Python."""
    if len(menus) != len(STREETS) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(m, Menu) for m in pair)
        for pair in menus
    ):
        raise BadInputError(f"bet_sizes must have a pair of Menu for each of {', '.join(STREETS)}")
    for street, pair in zip(STREETS, menus, strict=True):
        for player, menu in zip(PLAYERS, pair, strict=True):
            _sizes_of(menu.bets, f"bet_sizes.{street}.{player}.bet")
            _sizes_of(menu.raises, f"bet_sizes.{street}.{player}.raise", for_raises=True)
    return menus
