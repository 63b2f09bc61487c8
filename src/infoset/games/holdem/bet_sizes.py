"""Bet and raise sizes of a spot: which each player may choose on each street, and thresholds.

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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from infoset.errors import BadInputError
from infoset.games.holdem.betting import IP, OOP, PLAYERS, STREETS, TURN, BettingState
from infoset.games.holdem.checks import check_number, kind_of, shown, unknown_key
from infoset.games.holdem.sizes import (
    PreviousBet,
    Size,
    SizingContext,
    parse_sizes,
    rounded_share,
)

MAX_THRESHOLD = 1000.0

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
            raise unknown_key(f"{where} has no key", key, [*deeper, "bet", "raise"])


def donks_of(given: str | Mapping[str, object] | Donks | None) -> Donks:
    """The sizes of donk bets on every street, from a text for all or one for each.

    There are none on the flop: in a spot that begins there, what came before is not known.

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
            raise unknown_key("donk has no key", key, DONK_STREETS)
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


@dataclass(frozen=True, init=False)
class BetSizes:
    """The sizes of bets and raises in a spot, given as text or as what the text stands for.

    - `menus`: see the top of this file. Unless something else is said, bets are of 50% or
      100% of the pot or all-in, and raises of 60% or all-in.
    - `donk`: other sizes for a bet that opens a street out of position when the last bet or raise
      of the street before was the opponent's; a text for turn and river, or a mapping with one for
      each. Otherwise they are those of any bet.
    - `opening`: a list of sizes for the first actions on the first street, in place of those in
      `menus`: the first is for the first action, whatever it is, the second for the answer, and so
      on. DeepStack's lookahead is described this way.
    - `add_allin_threshold`: all-in is added to the sizes of a decision where it is at most this
      many times the pot. For a raise, both are counted from the call on. 0 adds nothing.
    - `force_allin_threshold`: a bet or raise becomes all-in if, once it is called, the stack left
      is at most this many times the pot. 0 forces nothing.
    - `merging_threshold`: of sizes that are close, the larger stays. From the largest size down
      (``x`` times the pot), sizes of ``y`` times the pot go where ``(1 + x) / (1 + y)`` is less
      than 1 plus this threshold, and so on with the next largest that is left. 0 merges nothing.

    The three thresholds mean what they mean in postflop-solver, but all are 0 unless given: a tree
    has the sizes that are written down. The first two are rounded to whole chips, as sizes are.

    >>> sizes = BetSizes({"bet": "50%, 100%"}, donk={"river": "25%"}, force_allin_threshold=0.15)
    >>> [str(size) for size in sizes.menus[-1][0].bets]
    ['50%', '100%']
    """

    menus: Menus
    """[street][player]"""
    donk: Donks
    """[street]"""
    opening: tuple[Sizes, ...]
    add_allin_threshold: float
    force_allin_threshold: float
    merging_threshold: float

    def __init__(
        self,
        menus: Mapping[str, object] | Menus | None = None,
        *,
        donk: str | Mapping[str, object] | Donks | None = None,
        opening: Iterable[str | Sizes] | None = None,
        add_allin_threshold: float = 0.0,
        force_allin_threshold: float = 0.0,
        merging_threshold: float = 0.0,
    ) -> None:
        values = {
            "menus": menus_of(menus),
            "donk": donks_of(donk),
            "opening": opening_of(opening),
            "add_allin_threshold": _threshold("add_allin_threshold", add_allin_threshold),
            "force_allin_threshold": _threshold("force_allin_threshold", force_allin_threshold),
            "merging_threshold": _threshold("merging_threshold", merging_threshold),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)

    def from_street(self, street: int) -> BetSizes:
        """The same without what is said about streets before this one."""
        default = BetSizes()
        return replace(
            self,
            menus=(*default.menus[:street], *self.menus[street:]),
            donk=(*default.donk[:street], *self.donk[street:]),
        )


def _threshold(what: str, given: object) -> float:
    number = check_number(what, given)
    if not 0 <= number <= MAX_THRESHOLD:
        raise BadInputError(
            f"{what} must be a number from 0 to {MAX_THRESHOLD:g}, not {shown(given)}"
        )
    return float(number)


def sizing_context(state: BettingState, *, pot: int, stack: int) -> SizingContext:
    """What sizes depend on in a state; `pot` is what lay in the middle at first."""
    street, _, put, start, _, num_bets, _, _, _ = state
    level = max(put)
    return SizingContext(
        pot + 2 * level, level - start, stack - start, len(STREETS) - street, max(num_bets - 1, 0)
    )


class MenuSizing:
    """The rule for sizes of a spot: those of its menus, fitted and merged.

    A size below the smallest raise is lifted to it, what is not less than the stack is all-in, and
    amounts that come out equal are one.
    """

    def __init__(self, sizes: BetSizes, *, pot: int, stack: int, first_street: int) -> None:
        self.menus = sizes.menus
        self.donk = sizes.donk
        self.opening = sizes.opening
        # As they were written: 0.15 is no binary fraction.
        self.add_allin = Fraction(str(sizes.add_allin_threshold))
        self.force_allin = Fraction(str(sizes.force_allin_threshold))
        self.merging = Fraction(str(sizes.merging_threshold))
        self.pot = pot
        self.stack = stack
        self.first_street = first_street

    def sizes_at(self, state: BettingState) -> Sizes:
        """The sizes that the player who acts may choose from."""
        street, player = state.street, state.player
        if street == self.first_street and state.num_actions < len(self.opening):
            return self.opening[state.num_actions]
        menu = self.menus[street][player]
        if state.num_bets:
            return menu.raises
        donk = self.donk[street]
        if donk is not None and player == OOP and state.bettor == IP:
            return donk
        return menu.bets

    def __call__(self, state: BettingState, smallest: int) -> list[int]:
        """What may be bet or raised to, ascending: chips put in over the hand."""
        start = state.start
        smallest -= start
        context = sizing_context(state, pot=self.pot, stack=self.stack)
        pot, previous, all_in, _, _ = context
        totals = {min(max(size.total(context), smallest), all_in) for size in self.sizes_at(state)}
        if self.add_allin and all_in - previous <= rounded_share(self.add_allin, pot):
            totals.add(all_in)
        if self.force_allin:
            for total in list(totals):
                if all_in - total <= rounded_share(self.force_allin, pot + 2 * (total - previous)):
                    totals.remove(total)
                    totals.add(all_in)
        called = pot - previous
        above, below = self.merging.numerator, self.merging.denominator
        kept: list[int] = []
        for total in sorted(totals, reverse=True):
            if not kept or below * (called + kept[-1]) >= (below + above) * (called + total):
                kept.append(total)
        return [start + total for total in reversed(kept)]
