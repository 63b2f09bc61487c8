"""Bet and raise sizes of a spot, and the thresholds that adjust them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from infoset.errors import BadInputError
from infoset.games.holdem.betting import IP, OOP, STREETS, BettingState
from infoset.games.holdem.checks import check_number, shown
from infoset.games.holdem.menus import Donks, Menus, Sizes, donks_of, menus_of, opening_of
from infoset.games.holdem.sizes import SizingContext, rounded_share

__all__ = ["BetSizes", "MenuSizing", "sizing_context"]

MAX_THRESHOLD = 1000.0


@dataclass(frozen=True, init=False)
class BetSizes:
    """The sizes of bets and raises in a spot, given as text or as what the text stands for.

    - `menus`: see `infoset.games.holdem.menus`. Unless something else is said, bets are of 50% or
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
