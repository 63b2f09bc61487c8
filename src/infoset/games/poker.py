"""Poker with one private card: Kuhn, Leduc, and their relatives, all from one set of rules.

A variant is data: a deck, and for each betting round the sizes and the number of bets. Everybody
pays an ante and gets a card; player 0 speaks first in every round; between two rounds one card is
turned up for both. At a showdown a pair with that board wins, otherwise the higher rank. Betting is
that of `infoset.games.holdem.betting`.

**Labels.** ``check``, ``bet``, ``fold``, ``call`` and ``raise``. Where several sizes are allowed,
a bet or raise carries the chips its player will then have put in over the whole hand, ante
included (as in the ACPC protocol): ``bet3``, ``raise7``, ``bet1.5``.

**Infosets.** The private card, then the actions of the first round, then the board and the actions
of the second: ``Js:``, ``Js:check,bet``, ``Js:check,check/Qh:bet``.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, cast

from infoset.calls import Between, Call, format_call
from infoset.games.dealt import DealtState
from infoset.games.holdem.betting import Betting, BettingState
from infoset.games.holdem.payoffs import Ending, ending_of
from infoset.games.registry import register
from infoset.games.rules import CHANCE

Chips = int | Fraction


@dataclass(frozen=True, slots=True)
class Card:
    """A card, or `count` cards that nobody needs to tell apart."""

    label: str
    rank: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class BettingRound:
    """How much may be bet in a round, and how often.

    A bet or raise goes beyond what the opponent has put in by one of the `sizes`. With sizes of
    `None` it may be any whole number of chips, as little as the raise before it (at least one)
    and as much as the stack; going all-in is allowed even for less.
    """

    sizes: tuple[Chips, ...] | None
    max_bets: int | None = None


@dataclass(frozen=True)
class OneCardPoker:
    """The rules of one variant.

    `rounds` has one entry a betting round; a second round is preceded by a board card. `stack`
    is the most that a player can put in, ante included; it is needed where `sizes` are not given.

    >>> leduc().deal(hand0=None)[0]
    (0, Fraction(1, 6))
    >>> leduc(by_rank=True).hands
    ('J', 'Q', 'K')
    """

    name: str
    deck: tuple[Card, ...]
    rounds: tuple[BettingRound, ...]
    ante: int = 1
    stack: int | None = None
    # One object for each distinct situation, however many public histories lead to it.
    _situations: dict[Hashable, Situation] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """Labels of the cards."""
        return tuple(card.label for card in self.deck)

    @cached_property
    def num_cards(self) -> int:
        """Cards in the deck."""
        return sum(card.count for card in self.deck)

    def deal(self, hand0: int | None) -> list[tuple[int, Fraction]]:
        """Any card that is left, all equally likely."""
        left = [card.count - (hand == hand0) for hand, card in enumerate(self.deck)]
        num_left = sum(left)
        return [(hand, Fraction(count, num_left)) for hand, count in enumerate(left) if count]

    @cached_property
    def board_probability(self) -> dict[tuple[str, int, int], Fraction]:
        """Probability of every board, given the hands of both players."""
        every = range(len(self.deck))
        return {
            (card.label, hand0, hand1): Fraction(
                max(0, card.count - (board == hand0) - (board == hand1)), self.num_cards - 2
            )
            for board, card in enumerate(self.deck)
            for hand0 in every
            for hand1 in every
        }

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting; without a stack there is one that no bet reaches."""
        stack = sys.maxsize if self.stack is None else self.stack
        return Betting(stack, self._raise_totals, last_street=len(self.rounds) - 1)

    def _raise_totals(self, state: BettingState, smallest: int) -> Sequence[int]:
        rules = self.rounds[state.street]
        if state.num_bets == rules.max_bets:
            return ()
        if rules.sizes is None:
            return range(smallest, self.stack + 1) if self.stack is not None else ()
        totals = [state.put[1 - state.player] + size for size in rules.sizes]
        return cast("list[int]", totals)  # halves of chips are added and compared alike

    def after_actions(self, state: BettingState) -> dict[str, BettingState]:
        """The actions of the player who moves by label, and the state after each."""
        if state.to_call:
            verb = "raise"
            after = {"fold": self.betting.fold(state), "call": self.betting.call(state)}
        else:
            verb = "bet"
            after = {"check": self.betting.call(state)}
        is_only_size = len(self.rounds[state.street].sizes or ()) == 1
        for total in self.betting.raises(state):
            label = verb if is_only_size else f"{verb}{_written(total)}"
            after[label] = self.betting.raise_to(state, total)
        return after

    def public(self) -> PokerState:
        """Both antes are in, and player 0 speaks."""
        return PokerState(self.only(self.betting.open_street(0, self.ante)), "")

    def root(self) -> DealtState:
        """The deck before the deal."""
        return DealtState(self, self.public())

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> Chips:
        """What player 0 wins: by a fold whatever the hands are, else by the better hand."""
        assert isinstance(ending, Ending)
        chips: Chips
        chips, winner, board = ending
        if winner is None:
            strength0 = self.strength(hand0, board)
            strength1 = self.strength(hand1, board)
            if strength0 == strength1:
                return 0
            winner = 0 if strength0 > strength1 else 1
        return chips if winner == 0 else -chips

    def strength(self, hand: int, board: int | None) -> tuple[bool, int]:
        """A pair beats everything; then the rank of the private card decides."""
        rank = self.deck[hand].rank
        return board is not None and rank == self.deck[board].rank, rank

    def only(self, betting: BettingState, board: int | None = None) -> Situation:
        """The one object that stands for all situations from which the hand goes on alike."""
        matters: Hashable = betting
        if betting.player < 0:
            matters = betting.player, betting.street, betting.put, betting.folder
        return self._situations.setdefault((matters, board), Situation(self, betting, board))


@dataclass(frozen=True, slots=True)
class PokerState:
    """What both players see: the situation, and the public history that led to it.

    Everything is worked out once a situation, so that walking a million public histories is quick.
    """

    situation: Situation
    public_history: str

    @property
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`."""
        return self.situation.betting.player

    @property
    def actions(self) -> tuple[str, ...]:
        """What the player who moves may do."""
        return self.situation.actions

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The cards that may come up on the board."""
        return self.situation.game.hands

    def probability(self, outcome: str, hand0: int, hand1: int) -> Fraction:
        """How likely a board is: both private cards are out of the deck."""
        return self.situation.game.board_probability[outcome, hand0, hand1]

    def child(self, action: str) -> PokerState:
        """The state after an action or a board card."""
        text, situation = self.situation.steps[action]
        return PokerState(situation, self.public_history + text)

    @property
    def ending(self) -> Ending:
        """How the hand ended."""
        return self.situation.ending


@dataclass(frozen=True)
class Situation:
    """All of the past that matters to the rules: the rest of the hand depends on nothing else."""

    game: OneCardPoker = field(repr=False, compare=False)
    betting: BettingState
    board: int | None = None

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Stay in or get out, then every bet or raise from the smallest."""
        return tuple(self.steps)

    @cached_property
    def steps(self) -> dict[str, tuple[str, Situation]]:
        """Every action or board card: what it adds to the public history, and where it leads."""
        game, state = self.game, self.betting
        if state.player == CHANCE:
            after_board = game.betting.open_street(state.street + 1, state.put[0])
            return {
                card.label: (f"/{card.label}:", game.only(after_board, board))
                for board, card in enumerate(game.deck)
            }
        comma = "," if state.num_actions else ""
        return {
            label: (comma + label, game.only(after, self.board))
            for label, after in game.after_actions(state).items()
        }

    @cached_property
    def ending(self) -> Ending:
        """What the loser put in is lost to the winner of the fold or of the showdown."""
        return ending_of(self.betting, self.board)


def _written(chips: Chips) -> str:
    """Chips as they stand in a label: ``3`` or ``1.5``."""
    return f"{float(chips):.10g}"


def _leduc_deck(*, by_rank: bool) -> tuple[Card, ...]:
    """Two each of jack, queen and king, told apart by suit or not."""
    if by_rank:
        return tuple(Card(label, rank, count=2) for rank, label in enumerate("JQK"))
    return tuple(Card(label + suit, rank) for rank, label in enumerate("JQK") for suit in "sh")


def _name(name: str, /, *, by_rank: bool, **sizes: int | bool) -> str:
    """Sizes are always said, options only where they are not the usual ones."""
    call = Call(name, {**sizes, "by_rank": by_rank})
    return format_call(call, leave_out={"by_rank": False, "ante_in_stack": True})


ByRank = Annotated[bool, "do not tell suits apart: a smaller game of the same value"]


@register
def kuhn() -> OneCardPoker:
    """Kuhn poker: three cards, ante 1, one bet of 1.

    Kuhn (1950). Player 0 loses 1/18 a hand.

    >>> kuhn().root().child("J").child("Q").child("check").child("bet").infoset
    'J:check,bet'
    """
    deck = tuple(Card(label, rank) for rank, label in enumerate("JQK"))
    return OneCardPoker("kuhn", deck, (BettingRound((1,), max_bets=1),))


@register
def one_card(
    *, cards: Annotated[int, Between(2, 1000), "cards in the deck, all of different rank"] = 13
) -> OneCardPoker:
    """Kuhn poker with a deck of any size.

    >>> one_card(cards=4).hands
    ('1', '2', '3', '4')
    """
    deck = tuple(Card(str(rank), rank) for rank in range(1, cards + 1))
    name = format_call(Call("one_card", {"cards": cards}))
    return OneCardPoker(name, deck, (BettingRound((1,), max_bets=1),))


@register
def leduc(*, by_rank: ByRank = False) -> OneCardPoker:
    """Leduc poker: six cards, two rounds with bets of 2 and 4, at most two bets a round.

    Southey et al. (2005). There are 936 infosets, or 288 by rank.

    >>> leduc().public().child("check").child("bet").actions
    ('fold', 'call', 'raise')
    """
    rounds = (BettingRound((2,), max_bets=2), BettingRound((4,), max_bets=2))
    return OneCardPoker(_name("leduc", by_rank=by_rank), _leduc_deck(by_rank=by_rank), rounds)


@register
def leduc5(*, by_rank: ByRank = False) -> OneCardPoker:
    """Leduc poker with five sizes: 0.5, 1, 2, 4 or 8 in round one, twice that in round two.

    Brown and Sandholm (2017). There are 113,832 infosets, or 34,224 by rank.

    >>> leduc5().public().actions
    ('check', 'bet1.5', 'bet2', 'bet3', 'bet5', 'bet9')
    """
    rounds = (
        BettingRound((Fraction(1, 2), 1, 2, 4, 8), max_bets=2),
        BettingRound((1, 2, 4, 8, 16), max_bets=2),
    )
    return OneCardPoker(_name("leduc5", by_rank=by_rank), _leduc_deck(by_rank=by_rank), rounds)


@register
def nolimit_leduc(
    *,
    stack: Annotated[int, Between(2, 1000), "chips of each player"] = 5,
    ante_in_stack: Annotated[bool, "whether the ante of 1 is paid out of the stack"] = True,
    by_rank: ByRank = False,
) -> OneCardPoker:
    """Leduc poker where any raise as large as the last one is allowed, up to the whole stack.

    Stacks of 5, 10 and 15 give 3,648, 97,728 and 1,140,672 infosets. When a player is all-in and
    called, the board is dealt and the hands are shown.

    >>> nolimit_leduc(stack=5).public().child("bet2").actions
    ('fold', 'call', 'raise3', 'raise4', 'raise5')
    """
    name = _name("nolimit_leduc", stack=stack, ante_in_stack=ante_in_stack, by_rank=by_rank)
    most = stack if ante_in_stack else stack + 1
    rounds = (BettingRound(sizes=None), BettingRound(sizes=None))
    return OneCardPoker(name, _leduc_deck(by_rank=by_rank), rounds, stack=most)
