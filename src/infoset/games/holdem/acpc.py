"""Heads-up Texas hold'em by the rules of the Annual Computer Poker Competition (ACPC).

**Players** have the numbers of their positions in the ACPC protocol. Player 0 posts the big blind,
speaks second before the flop and first after it. Player 1 has the button: he posts the small
blind, speaks first before the flop and second after it. Payoffs are what player 0 wins, in chips.

**Betting** is that of `infoset.games.holdem.betting`; the smallest bet is the big blind. A player
folds only if there is something to call. When both are all-in the board is dealt out, and the
better hand wins what the other put in; equal hands split the pot. In *limit* hold'em every bet and
raise of a street adds the same, the big blind on the first two streets and twice as much on the
later ones, and there are at most four on a street; before the flop the big blind is one of them.

**Labels.** ``fold``, ``check``, ``call`` and ``raise300``: bets and raises are written alike, with
the chips their player will then have put in over the whole hand. In limit hold'em there is one
size, and its label is ``raise``. A hand is dealt as two cards, the flop as three, turn and river as
one each, in any order; they are written highest card first.

**Infosets.** The hand, then the actions of each street behind its cards:
``AsKd:raise300,call/8d7h2c:check,raise600``.

The game is far too large to be compiled. It is made to be walked one state at a time: a state may
have 20,000 raises, and ``child("raise1234")`` takes one without listing them. With fewer ranks,
suits, streets and raises, and a short stack, the same rules make small games that do compile.

States are those of `infoset.games.holdem.game`; here are the numbers in the rules, the deal and the
labels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal

from infoset.calls import Between, Call, Value, format_call, parameters_of
from infoset.errors import BadInputError
from infoset.games.holdem.betting import Betting, BettingState
from infoset.games.holdem.deck import Cards
from infoset.games.holdem.game import HoldemGame
from infoset.games.registry import register

_RAISE = re.compile(r"raise([1-9][0-9]{0,8})")


@dataclass(frozen=True)
class Holdem(HoldemGame):
    """The game: a stack, blinds, a deck, and how the board comes up.

    `blinds` are what players 0 and 1 post. `street_cards` says how many cards come up on the board
    before each street: none before the first, and three to five in total. A raise is any whole
    number of chips that is large enough or, if `sizes` are given, one of these parts of the pot
    that the raiser would see after a call; what is too small is the smallest raise then, what is
    too large is all-in, and all-in is always there. In limit hold'em `bets` has what a bet or raise
    adds on each street.

    A deck and streets of one's own make small games too. Four ranks of two suits, and a board that
    comes up one card at a time, have 17,584 infosets with 4 chips each:

    >>> deck = tuple(4 * rank + suit for rank in range(9, 13) for suit in (2, 3))
    >>> mine = Holdem("mine", stack=4, blinds=(2, 1), deck=deck, street_cards=(0, 1, 1, 1))
    >>> mine.public().child("call").child("check").outcomes
    ('Jh', 'Js', 'Qh', 'Qs', 'Kh', 'Ks', 'Ah', 'As')

    With all cards:

    >>> holdem().deal(hand0=0)[0]
    (5, Fraction(1, 1225))
    >>> holdem(stack=400).public().actions[:4]
    ('fold', 'call', 'raise200', 'raise201')
    >>> holdem(raises="pot").public().actions
    ('fold', 'call', 'raise300', 'raise20000')
    >>> state = holdem().root().child("AsKd").child("QcQh")
    >>> state.player, state.infoset, len(state.actions)
    (1, 'QhQc:', 19803)
    >>> state = state.child("raise300").child("call").child("7h8d2c").child("check")
    >>> state.infoset
    'QhQc:raise300,call/8d7h2c:check'
    >>> state.child("raise600").child("fold").payoff
    -300
    """

    WHICH_HANDS = "a hand is two of the cards in the deck"
    board = ()
    pot = 0

    name: str
    stack: int
    blinds: tuple[int, int]
    deck: Cards
    street_cards: tuple[int, ...] = (0, 3, 1, 1)
    sizes: tuple[Fraction, ...] | None = None
    bets: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.bets is not None and (
            len(self.bets) != len(self.street_cards) or min(self.bets) < 1 or self.sizes is not None
        ):
            raise BadInputError(
                f"holdem: bets is {self.bets}, but in limit hold'em each of the "
                f"{len(self.street_cards)} streets has one size of at least 1 chip, and no other"
            )
        big, small = self.blinds
        if small > big:
            raise BadInputError(
                f"holdem: small_blind is {small}, more than big_blind, which is {big}"
            )
        first, *later = self.street_cards or (0,)
        if first != 0 or min(later, default=0) < 1 or not 3 <= sum(later) <= 5:
            raise BadInputError(
                f"holdem: street_cards is {self.street_cards}, but the first street has no cards "
                "on the board, each later one brings some, and 3 to 5 come in total"
            )
        num_dealt = 4 + sum(self.street_cards)
        if len(self.deck) < num_dealt:
            raise BadInputError(
                f"holdem: the deck has {len(self.deck)} cards, but {num_dealt} are dealt: give it "
                "more ranks or suits, or play fewer streets"
            )

    @cached_property
    def least_histories(self) -> int:
        """How many histories there are at least: all deals, even if both always check or call.

        >>> f"{holdem().least_histories:,}"
        '55,627,620,048,000'
        """
        return self.dealing.num_pairs * self.num_runouts(street=0)

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting."""
        return Betting(
            self.stack,
            self._raise_totals,
            min_bet=self.blinds[0],
            last_street=len(self.street_cards) - 1,
        )

    def _raise_totals(self, state: BettingState, smallest: int) -> Sequence[int]:
        opposite = state.put[1 - state.player]
        if self.bets is not None:
            is_allowed = state.num_bets < MAX_BETS
            return (min(self.stack, opposite + self.bets[state.street]),) if is_allowed else ()
        if self.sizes is None:
            return range(smallest, self.stack + 1)
        totals = {opposite + int(size * 2 * opposite) for size in self.sizes}
        fitted = {min(self.stack, max(smallest, total)) for total in totals}
        return tuple(sorted(fitted | {self.stack}))

    def first_state(self) -> BettingState:
        """The blinds are in, and the button acts unless both are all-in."""
        big, small = self.blinds
        return self.betting.post_blinds(small, big)

    def labels(self, state: BettingState) -> tuple[str, ...]:
        """Stay in or get out, then every raise from the smallest."""
        stay = ("fold", "call") if state.to_call else ("check",)
        totals = self.betting.raises(state)
        if self.bets is not None:
            return (*stay, "raise") if totals else stay
        if isinstance(totals, range):
            return stay + self.raise_labels[totals.start : totals.stop]
        return stay + tuple(f"raise{total}" for total in totals)

    @cached_property
    def raise_labels(self) -> tuple[str, ...]:
        """The label of a raise to each number of chips; states take slices of it."""
        return tuple(f"raise{total}" for total in range(self.stack + 1))

    def after(self, state: BettingState, label: str) -> BettingState | None:
        """The state after an action; raises are not listed to find it."""
        if label == ("call" if state.to_call else "check"):
            return self.betting.call(state)
        if label == "fold" and state.to_call:
            return self.betting.fold(state)
        if self.bets is not None:
            totals = self.betting.raises(state) if label == "raise" else ()
            return self.betting.raise_to(state, totals[0]) if totals else None
        raised = _RAISE.fullmatch(label)
        if raised is not None and int(raised[1]) in self.betting.raises(state):
            return self.betting.raise_to(state, int(raised[1]))
        return None

    def possible(self, state: BettingState) -> str:
        """The actions there are, as the end of a message."""
        if self.bets is not None:
            return f"there are {', '.join(self.labels(state))}"
        possible = "there are fold and call" if state.to_call else "there is check"
        if totals := self.betting.raises(state):
            possible += f", and raises from {totals[0]} to {totals[-1]}"
        return possible

    @property
    def hand_weights(self) -> Sequence[Sequence[int]]:
        """All hands are equally likely."""
        return [[1] * len(self.hand_cards)] * 2


MENUS: dict[str, tuple[Fraction, ...] | None] = {
    "any": None,
    "pot": (Fraction(1),),
    "all_in": (),
}
"""By the word for them: the raises besides all-in, as parts of the pot."""

BLINDS = {"no_limit": (50, 100), "limit": (5, 10)}
"""By how bets are limited: the small and the big blind of the competition."""

MAX_BETS = 4
"""Bets and raises that limit hold'em allows on a street; the big blind is one."""

Chips = Between(1, 1_000_000)
Blind = Between(0, 1_000_000)


@register
def holdem(
    *,
    stack: Annotated[int, Chips, "chips of each player"] = 20_000,
    small_blind: Annotated[
        int, Blind, "what player 1, the button, posts; 0 for the competition's: 50, in limit 5"
    ] = 0,
    big_blind: Annotated[
        int, Blind, "what player 0 posts; also the least bet; 0 for 100, in limit 10"
    ] = 0,
    betting: Annotated[
        Literal["no_limit", "limit"],
        "limit: bets of the big blind, from the turn on of two, at most four a street",
    ] = "no_limit",
    raises: Annotated[
        Literal["any", "pot", "all_in"],
        "of no-limit: any amount, only the pot and all-in, or only all-in",
    ] = "any",
    streets: Annotated[int, Between(2, 4), "betting rounds: 2 end with the flop"] = 4,
    ranks: Annotated[int, Between(2, 13), "ranks in the deck, the highest ones"] = 13,
    suits: Annotated[int, Between(2, 4), "suits in the deck, of c, d, h and s the last"] = 4,
) -> Holdem:
    """Heads-up Texas hold'em as in the ACPC; compiles only if made much smaller.

    Small ones with blinds of 1 and 2: ``stack=4,streets=2,ranks=4,suits=2`` ends with the flop and
    has 2,352 infosets, ``stack=3,ranks=3,suits=3`` goes on to the river and has 85,824.

    >>> holdem().root().chance[0]
    ('2d2c', Fraction(1, 1326))
    >>> holdem(stack=3, small_blind=1, big_blind=2, ranks=3, suits=3).name
    'holdem(stack=3,small_blind=1,big_blind=2,ranks=3,suits=3)'
    >>> holdem(betting="limit").blinds, holdem(betting="limit").bets
    ((10, 5), (10, 10, 20, 20))
    >>> holdem(ranks=4, suits=2)
    Traceback (most recent call last):
    infoset.errors.BadInputError: holdem: the deck has 8 cards, but 9 are dealt: give it more \
ranks or suits, or play fewer streets
    """
    given: dict[str, Value] = {**locals()}  # the parameters, as long as nothing else is assigned
    # What goes without saying in a name: the game of the competition.
    usual = {parameter.name: parameter.default for parameter in parameters_of(holdem)}
    usual["small_blind"], usual["big_blind"] = BLINDS[betting]
    small = given["small_blind"] = small_blind or BLINDS[betting][0]
    big = given["big_blind"] = big_blind or BLINDS[betting][1]
    is_limit = betting == "limit"
    if is_limit and raises != "any":
        raise BadInputError(f"holdem: raises={raises} is for no-limit; in limit there is one size")
    return Holdem(
        format_call(Call("holdem", given), leave_out=usual),
        stack,
        (big, small),
        tuple(4 * rank + suit for rank in range(13 - ranks, 13) for suit in range(4 - suits, 4)),
        (0, 3, 1, 1)[:streets],
        MENUS[raises],
        (big, big, 2 * big, 2 * big)[:streets] if is_limit else None,
    )
