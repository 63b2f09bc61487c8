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
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from infoset.calls import Between, Call, Value, format_call, shorten
from infoset.errors import BadInputError
from infoset.games.dealt import DealtState
from infoset.games.registry import register
from infoset.games.rules import CHANCE, TERMINAL, Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Holdem",
    "HoldemDeal",
    "HoldemState",
    "Settlement",
    "holdem",
    "play_hand",
    "random_action",
]

# Cards are imported where they are needed: they bring NumPy, and listing the games does without.

Cards = tuple[int, ...]

_RAISE = re.compile(r"raise([1-9][0-9]{0,8})")

MENUS: dict[str, tuple[Fraction, ...] | None] = {
    "any": None,
    "pot": (Fraction(1),),
    "all_in": (),
}
"""By the word for them: the raises besides all-in, as parts of the pot."""


class Settlement(NamedTuple):
    """How a hand ended: what the loser loses; who was left by a fold; else the board, sorted."""

    chips: int
    winner: int | None
    board: Cards


@dataclass(frozen=True)
class Holdem:
    """The rules, and the numbers in them.

    `blinds` are what players 0 and 1 post. `street_cards` says how many cards come up on the board
    before each betting round. A raise is any whole number of chips that is large enough or, if
    `sizes` are given, one of these parts of the pot that the raiser would see after a call; what
    is too small is the least raise then, what is too large is all-in, and all-in is always there.

    >>> holdem().deal(hand0=0)[0]
    (5, Fraction(1, 1225))
    >>> holdem(stack=400).public().actions[:4]
    ('fold', 'call', 'raise200', 'raise201')
    >>> holdem(raises="pot").public().actions
    ('fold', 'call', 'raise300', 'raise20000')
    """

    name: str
    stack: int
    blinds: tuple[int, int]
    deck: Cards
    street_cards: tuple[int, ...] = (0, 3, 1, 1)
    sizes: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        big, small = self.blinds
        if small > big:
            raise BadInputError(
                f"holdem: small_blind is {small}, more than big_blind, which is {big}"
            )
        num_dealt = 4 + sum(self.street_cards)
        if len(self.deck) < num_dealt:
            raise BadInputError(
                f"holdem: the deck has {len(self.deck)} cards, but {num_dealt} are dealt: give it "
                "more ranks or suits, or play fewer streets"
            )

    @cached_property
    def hand_cards(self) -> tuple[Cards, ...]:
        """The cards of each hand, the higher first, in the order of `infoset.cards`."""
        deck = sorted(self.deck)
        return tuple((first, second) for first in deck for second in deck if second < first)

    @cached_property
    def hand_masks(self) -> tuple[int, ...]:
        """The cards of each hand as bits."""
        return tuple(_mask(cards) for cards in self.hand_cards)

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """Labels of the hands."""
        return tuple(_written(cards) for cards in self.hand_cards)

    @cached_property
    def hand_of(self) -> dict[str, int]:
        """The number of each hand by its label."""
        return {label: hand for hand, label in enumerate(self.hands)}

    @cached_property
    def board_odds(self) -> tuple[Fraction, ...]:
        """For each street: how likely any cards are that may come up, given both hands."""
        left = len(self.deck) - 4
        odds = []
        for count in self.street_cards:
            odds.append(Fraction(1, math.comb(left, count)))
            left -= count
        return tuple(odds)

    @cached_property
    def raise_labels(self) -> tuple[str, ...]:
        """The label of a raise to each number of chips; states take slices of it."""
        return tuple(f"raise{total}" for total in range(self.stack + 1))

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

    def after_street(self, street: int) -> int:
        """Whose move it is when a street is over."""
        return TERMINAL if street == len(self.street_cards) - 1 else CHANCE

    def settle(self, settlement: Hashable, hand0: int, hand1: int) -> int:
        """What player 0 wins: by a fold whatever the hands are, else by the better hand."""
        assert isinstance(settlement, Settlement)
        chips, winner, board = settlement
        if winner is None:
            strength0, strength1 = (_strength(self.hand_cards[h], board) for h in (hand0, hand1))
            if strength0 == strength1:
                return 0
            winner = 0 if strength0 > strength1 else 1
        return chips if winner == 0 else -chips


@dataclass(frozen=True, slots=True)
class HoldemState:
    """What both players see.

    `paid` is what each player has put in over the whole hand, `least_raise` the size of the last
    bet or raise of the street (the big blind if there was none), `is_opening` says that nobody
    has spoken on this street yet, and `winner` is who was left by a fold.
    """

    game: Holdem = field(repr=False)
    player: int
    paid: tuple[int, int]
    least_raise: int
    street: int = 0
    board: Cards = ()
    is_opening: bool = True
    winner: int | None = None
    story: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        """Stay in or get out, then every raise from the smallest."""
        stay = ("fold", "call") if self.is_facing_bet else ("check",)
        totals = self.raises
        if isinstance(totals, range):
            return stay + self.game.raise_labels[totals.start : totals.stop]
        return stay + tuple(f"raise{total}" for total in totals)

    @property
    def is_facing_bet(self) -> bool:
        """Whether the opponent has put in more."""
        return self.paid[1 - self.player] > self.paid[self.player]

    @property
    def raises(self) -> Sequence[int]:
        """What the player may raise to, ascending: chips put in over the whole hand."""
        stack, opposite = self.game.stack, self.paid[1 - self.player]
        if opposite == stack:
            return ()
        least = min(stack, opposite + self.least_raise)
        if self.game.sizes is None:
            return range(least, stack + 1)
        wanted = (opposite + int(size * 2 * opposite) for size in self.game.sizes)
        return tuple(sorted({min(stack, max(least, total)) for total in wanted} | {stack}))

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The cards that may come up on the board, whatever the hands are."""
        left = tuple(card for card in self.game.deck if card not in self.board)
        return _boards(left, self.game.street_cards[self.street + 1])

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """How likely a board is: the cards of both players are out of the deck."""
        masks = self.game.hand_masks
        is_held = _mask(_read(outcome)) & (masks[hand0] | masks[hand1])
        return 0 if is_held else self.game.board_odds[self.street + 1]

    def child(self, action: str) -> HoldemState:
        """The state after an action or the next cards of the board."""
        if self.player == CHANCE:
            return self.after_board(_read(action))
        if self.player != TERMINAL:
            opponent = 1 - self.player
            story = self.story + ("" if self.is_opening else ",") + action
            spoken = replace(self, player=opponent, is_opening=False, story=story)
            if action == ("call" if self.is_facing_bet else "check"):
                level = max(self.paid)
                # An opponent who is all-in has nothing to say.
                is_over = not self.is_opening or level == self.game.stack
                player = self.game.after_street(self.street) if is_over else opponent
                return replace(spoken, player=player, paid=(level, level))
            if action == "fold" and self.is_facing_bet:
                return replace(spoken, player=TERMINAL, winner=opponent)
            raised = _RAISE.fullmatch(action)
            if raised is not None and int(raised[1]) in self.raises:
                total, opposite = int(raised[1]), self.paid[opponent]
                paid = (total, opposite) if opponent else (opposite, total)
                return replace(spoken, paid=paid, least_raise=total - opposite)
        raise self.refusal(action)

    def after_board(self, cards: Cards) -> HoldemState:
        """The big blind speaks first now, unless there is nothing left to bet."""
        game, street = self.game, self.street + 1
        is_left = set(game.deck).difference(self.board).issuperset(cards)
        if not is_left or len(cards) != game.street_cards[street]:
            raise self.refusal(_written(cards))
        cards = tuple(sorted(cards, reverse=True))
        is_all_in = self.paid[0] == game.stack
        player = game.after_street(street) if is_all_in else 0
        return HoldemState(
            game,
            player,
            self.paid,
            game.blinds[0],
            street,
            self.board + cards,
            story=f"{self.story}/{_written(cards)}:",
        )

    @property
    def settlement(self) -> Settlement:
        """What the loser put in is lost to the winner of the fold or of the showdown."""
        board = () if self.winner is not None else tuple(sorted(self.board))
        return Settlement(min(self.paid), self.winner, board)

    def refusal(self, label: str) -> BadInputError:
        """The error that says that this cannot happen here, and what can."""
        if self.player == TERMINAL:
            possible = "the hand is over"
        elif self.player == CHANCE:
            count = self.game.street_cards[self.street + 1]
            possible = f"what comes up is {count} of the cards in the deck"
        else:
            possible = "there are fold and call" if self.is_facing_bet else "there is check"
            if totals := self.raises:
                possible += f", and raises from {totals[0]} to {totals[-1]}"
        where = f"after {shorten(self.story)}" if self.story else "at the start"
        return BadInputError(f"{shorten(label)} is not possible {where}: {possible}")


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
        return [(label, odds) for label in _boards(left, self.game.street_cards[street])]

    @property
    def dealt(self) -> int:
        """All cards that are out of the deck, as bits."""
        masks = self.game.hand_masks
        held = (masks[hand] for hand in (self.hand0, self.hand1) if hand is not None)
        return sum(held) | _mask(self.public.board)

    def child(self, action: str) -> HoldemDeal:
        """Deal a hand, or move on in public."""
        if self.hand1 is None:
            hand = self.game.hand_of.get(action)
            if hand is None:
                hand = self.game.hand_of.get(_written(sorted(_read(action), reverse=True)))
            if hand is None or self.game.hand_masks[hand] & self.dealt:
                raise BadInputError(
                    f"{shorten(action)} cannot be dealt: a hand is two of the cards in the deck"
                )
            return self._with_hand(hand)
        if self.public.player == CHANCE and _mask(_read(action)) & self.dealt:
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


def _written(cards: Sequence[int]) -> str:
    from infoset.cards import format_cards

    return format_cards(cards)


@lru_cache(maxsize=1 << 15)
def _read(label: str) -> Cards:
    from infoset.cards import parse_cards

    return parse_cards(label)


def _mask(cards: Cards) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


@lru_cache(maxsize=32)
def _boards(left: Cards, count: int) -> tuple[str, ...]:
    """Labels of all cards that may come up of those that are left, from the lowest."""
    groups = itertools.combinations(sorted(left, reverse=True), count)
    return tuple(_written(cards) for cards in groups)[::-1]


def _strength(hand: Cards, board: Cards) -> int:
    first, second = hand
    return int(_strengths_on(board)[first * (first - 1) // 2 + second])


@lru_cache(maxsize=1024)
def _strengths_on(board: Cards) -> NDArray[np.int16]:
    """[1326] How strong each hand is on a board."""
    from infoset.cards import strengths

    return strengths(board)


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
