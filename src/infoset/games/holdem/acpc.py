"""Heads-up no-limit Texas hold'em by the rules of the Annual Computer Poker Competition (ACPC).

**Players** have the numbers of their positions in the ACPC protocol. Player 0 posts the big blind,
speaks second before the flop and first after it. Player 1 has the button: he posts the small
blind, speaks first before the flop and second after it. Payoffs are what player 0 wins, in chips.

**Betting.** A raise goes beyond what the opponent has put in by at least the last bet or raise of
the street, and at least by the big blind; all-in is allowed even for less. Raises are not limited
in number. A player folds only if there is something to call. A blind larger than the stack is
all-in. When both are all-in the board is dealt out, and the better hand wins what the other put
in; equal hands split the pot.

**Labels.** ``fold``, ``check``, ``call`` and ``raise300``: bets and raises are written alike, with
the chips their player will then have put in over the whole hand. A hand is dealt as two cards,
the flop as three, turn and river as one each, in any order; they are written highest card first.

**Infosets.** The hand, then the actions of each street behind its cards:
``AsKd:raise300,call/8d7h2c:check,raise600``.

The game is far too large to be compiled. It is made to be walked one state at a time: a state may
have 20,000 raises, and ``child("raise1234")`` takes one without listing them. With fewer ranks,
suits, streets and raises, and a short stack, the same rules make small games that do compile.

The numbers in the rules are in `infoset.games.holdem.acpc_rules`, what happens in the open in
`infoset.games.holdem.acpc_betting`; here they become a game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

from infoset.calls import Between, Call, Value, format_call
from infoset.errors import BadInputError, shorten
from infoset.games.dealt import DealtState
from infoset.games.holdem.acpc_betting import HoldemState, Settlement
from infoset.games.holdem.acpc_rules import (
    HoldemRules,
    board_at,
    list_boards,
    mask_of,
    read_cards,
    strength_of,
    write_cards,
)
from infoset.games.registry import register
from infoset.games.rules import CHANCE, TERMINAL, Number

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Holdem",
    "HoldemDeal",
    "HoldemState",
    "Settlement",
    "holdem",
    "play_hand",
    "random_action",
]


@dataclass(frozen=True)
class Holdem(HoldemRules):
    """The game: `HoldemRules`, the deal and the showdown.

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
    """

    @cached_property
    def least_histories(self) -> int:
        """How many histories there are at least: all deals, even if both always check or call.

        >>> f"{holdem().least_histories:,}"
        '55,627,620,048,000'
        """
        pairs = math.comb(len(self.deck), 2) * math.comb(len(self.deck) - 2, 2)
        return pairs * math.prod(odds.denominator for odds in self.board_odds)

    def deal(self, hand0: int | None) -> list[tuple[int, Fraction]]:
        """Any two cards that are left, all equally likely."""
        taken = 0 if hand0 is None else self.hand_masks[hand0]
        left = [hand for hand, mask in enumerate(self.hand_masks) if not mask & taken]
        probability = Fraction(1, len(left))
        return [(hand, probability) for hand in left]

    def public(self) -> HoldemState:
        """The blinds are in, and the button speaks unless both are all-in."""
        big, small = (min(blind, self.stack) for blind in self.blinds)
        player = CHANCE if small == self.stack else 1
        return HoldemState(self, player, (big, small), least_raise=self.blinds[0])

    def root(self) -> HoldemDeal:
        """The deck before the deal."""
        return HoldemDeal(self, self.public())

    def settle(self, settlement: Hashable, hand0: int, hand1: int) -> int:
        """What player 0 wins: by a fold whatever the hands are, else by the better hand."""
        assert isinstance(settlement, Settlement)
        chips, winner, board = settlement
        if winner is None:
            strength0, strength1 = (strength_of(self.hand_cards[h], board) for h in (hand0, hand1))
            if strength0 == strength1:
                return 0
            winner = 0 if strength0 > strength1 else 1
        return chips if winner == 0 else -chips


@dataclass(frozen=True, slots=True)
class HoldemDeal(DealtState):
    """A plain state: the public one and the hands dealt so far.

    >>> state = holdem().root().child("AsKd").child("QcQh")
    >>> state.player, state.infoset, len(state.actions)
    (1, 'QhQc:', 19803)
    >>> state = state.child("raise300").child("call").child("7h8d2c").child("check")
    >>> state.infoset
    'QhQc:raise300,call/8d7h2c:check'
    >>> state.child("raise600").child("fold").payoff
    -300
    """

    game: Holdem
    public: HoldemState

    @property
    def chance(self) -> list[tuple[str, Number]]:
        """The hands that may be dealt next, or the cards that may come up given both hands."""
        if self.hand1 is None:
            return [(self.game.hands[hand], p) for hand, p in self.game.deal(self.hand0)]
        street = self.public.street + 1
        left = tuple(card for card in self.game.deck if not self.dealt >> card & 1)
        odds = self.game.board_odds[street]
        return [(label, odds) for label in list_boards(left, self.game.street_cards[street])]

    def outcome_at(self, number: float) -> str:
        """The outcome at a share, from 0 to 1, of `chance`, without a list of them all."""
        dealt = self.dealt
        if self.hand1 is None:
            left = [hand for hand, mask in enumerate(self.game.hand_masks) if not mask & dealt]
            return self.game.hands[left[int(number * len(left))]]
        left_cards = tuple(card for card in self.game.deck if not dealt >> card & 1)
        return board_at(left_cards, self.game.street_cards[self.public.street + 1], number)

    @property
    def dealt(self) -> int:
        """All cards that are out of the deck, as bits."""
        masks = self.game.hand_masks
        held = (masks[hand] for hand in (self.hand0, self.hand1) if hand is not None)
        return sum(held) | mask_of(self.public.board)

    def child(self, action: str) -> HoldemDeal:
        """Deal a hand, or move on in public."""
        if self.hand1 is None:
            hand = self.game.hand_of.get(action)
            if hand is None:
                hand = self.game.hand_of.get(write_cards(sorted(read_cards(action), reverse=True)))
            if hand is None or self.game.hand_masks[hand] & self.dealt:
                raise BadInputError(
                    f"{shorten(action)} cannot be dealt: a hand is two of the cards in the deck"
                )
            return self._with_hand(hand)
        if self.public.player == CHANCE and mask_of(read_cards(action)) & self.dealt:
            raise self.public.refusal(action)
        return HoldemDeal(self.game, self.public.child(action), self.hand0, self.hand1)

    def drawn(self, rng: np.random.Generator) -> HoldemDeal:
        """Where chance leads at random; no list of its outcomes is made."""
        game, dealt = self.game, self.dealt
        if self.hand1 is None:
            hand = int(rng.integers(len(game.hand_masks)))
            while game.hand_masks[hand] & dealt:
                hand = int(rng.integers(len(game.hand_masks)))
            return self._with_hand(hand)
        left = [card for card in game.deck if not dealt >> card & 1]
        count = game.street_cards[self.public.street + 1]
        cards = tuple(left.pop(int(rng.integers(len(left)))) for _ in range(count))
        return HoldemDeal(game, self.public.after_board(cards), self.hand0, self.hand1)

    def _with_hand(self, hand: int) -> HoldemDeal:
        if self.hand0 is None:
            return HoldemDeal(self.game, self.public, hand)
        return HoldemDeal(self.game, self.public, self.hand0, hand)


def play_hand(
    game: Holdem, choose: Callable[[HoldemDeal], str], rng: np.random.Generator
) -> HoldemDeal:
    """Play one hand to its end, the cards drawn with `rng` and every action chosen by `choose`.

    >>> import numpy as np
    >>> end = play_hand(holdem(), lambda state: state.actions[-1], np.random.default_rng(0))
    >>> end.public.story, end.payoff
    ('raise20000,call/8d5s5c:/2d:/3c:', 20000)
    """
    state = game.root()
    while state.player != TERMINAL:
        state = state.drawn(rng) if state.player == CHANCE else state.child(choose(state))
    return state


def random_action(state: HoldemDeal, rng: np.random.Generator) -> str:
    """Get out, stay in, raise or go all-in, each as likely; smaller raises are likelier.

    The logarithm of a raise's place among all is uniform. The raises are not listed.
    """
    kinds = ["fold", "call"] if state.public.is_facing_bet else ["check"]
    totals = state.public.raises
    if totals:
        place = int((len(totals) + 1) ** rng.random()) - 1
        kinds += [f"raise{totals[min(place, len(totals) - 1)]}", f"raise{totals[-1]}"]
    return kinds[int(rng.integers(len(kinds)))]


MENUS: dict[str, tuple[Fraction, ...] | None] = {
    "any": None,
    "pot": (Fraction(1),),
    "all_in": (),
}
"""By the word for them: the raises besides all-in, as parts of the pot."""

Chips = Between(1, 1_000_000)

USUAL: dict[str, Value] = {
    "stack": 20_000,
    "small_blind": 50,
    "big_blind": 100,
    "raises": "any",
    "streets": 4,
    "ranks": 13,
    "suits": 4,
}
"""What goes without saying in a name: the game of the competition."""


@register
def holdem(
    *,
    stack: Annotated[int, Chips, "chips of each player"] = 20_000,
    small_blind: Annotated[int, Chips, "what player 1, the button, posts"] = 50,
    big_blind: Annotated[int, Chips, "what player 0 posts; also the least bet"] = 100,
    raises: Annotated[
        Literal["any", "pot", "all_in"], "any amount, only the pot and all-in, or only all-in"
    ] = "any",
    streets: Annotated[int, Between(2, 4), "betting rounds: 2 end with the flop"] = 4,
    ranks: Annotated[int, Between(2, 13), "ranks in the deck, the highest ones"] = 13,
    suits: Annotated[int, Between(2, 4), "suits in the deck, of c, d, h and s the last"] = 4,
) -> Holdem:
    """Heads-up no-limit Texas hold'em as in the ACPC; compiles only if made much smaller.

    Small ones with blinds of 1 and 2: ``stack=4,streets=2,ranks=4,suits=2`` ends with the flop and
    has 2,352 infosets, ``stack=3,ranks=3,suits=3`` goes on to the river and has 85,824.

    >>> holdem().root().chance[0]
    ('2d2c', Fraction(1, 1326))
    >>> holdem(stack=3, small_blind=1, big_blind=2, ranks=3, suits=3).name
    'holdem(stack=3,small_blind=1,big_blind=2,ranks=3,suits=3)'
    >>> holdem(ranks=4, suits=2)
    Traceback (most recent call last):
    infoset.errors.BadInputError: holdem: the deck has 8 cards, but 9 are dealt: give it more \
ranks or suits, or play fewer streets
    """
    given: dict[str, Value] = {
        "stack": stack,
        "small_blind": small_blind,
        "big_blind": big_blind,
        "raises": raises,
        "streets": streets,
        "ranks": ranks,
        "suits": suits,
    }
    return Holdem(
        format_call(Call("holdem", given), leave_out=USUAL),
        stack,
        (big_blind, small_blind),
        tuple(4 * rank + suit for rank in range(13 - ranks, 13) for suit in range(4 - suits, 4)),
        (0, 3, 1, 1)[:streets],
        MENUS[raises],
    )
