"""A hand of hold'em, card by card: what all games of hold'em share.

`HoldemState` is what both players see, `HoldemDeal` that and the hands dealt so far. A game of
hold'em is a `HoldemGame`: the game of the ACPC (`infoset.games.holdem.acpc`) and every spot
(`infoset.games.holdem.spot`). They differ in where they begin, how hands are dealt, which sizes may
be bet, and how actions are labelled.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from infoset.cards import format_cards, mask_of
from infoset.errors import BadInputError, shorten
from infoset.games.dealt import DealtState
from infoset.games.holdem.betting import Betting, BettingState
from infoset.games.holdem.deck import (
    Cards,
    board_at,
    board_probability,
    list_boards,
    read_cards,
    strength_of,
)
from infoset.games.holdem.hand_deal import HandDeal
from infoset.games.holdem.payoffs import Ending, ending_of, terminal_payoffs
from infoset.games.rules import CHANCE, TERMINAL, Number


class HoldemGame(ABC):
    """A game of hold'em; those of `infoset.games.dealt` are its rules."""

    WHICH_HANDS: ClassVar[str]
    """Which hands can be dealt, as the end of a message."""

    name: str
    deck: Cards
    street_cards: tuple[int, ...]
    """How many cards come up on the board before each street."""
    board: Cards
    """The cards on the board when the game begins."""
    pot: int
    """What lies in the middle when the game begins; payoffs are relative to half of it."""

    @property
    @abstractmethod
    def betting(self) -> Betting:
        """The rules of betting."""

    @abstractmethod
    def first_state(self) -> BettingState:
        """The betting when the game begins."""

    @abstractmethod
    def labels(self, state: BettingState) -> tuple[str, ...]:
        """The labels of all actions of the player who acts."""

    @abstractmethod
    def after(self, state: BettingState, label: str) -> BettingState | None:
        """The state after an action; `None` if there is no such action."""

    @abstractmethod
    def possible(self, state: BettingState) -> str:
        """The actions there are, as the end of a message."""

    @property
    @abstractmethod
    def hand_weights(self) -> Sequence[Sequence[float]]:
        """[player][hand] How likely each is dealt, up to a factor, whatever the opponent has."""

    @cached_property
    def dealing(self) -> HandDeal:
        """How hands are dealt."""
        return HandDeal(self.hand_cards, *self.hand_weights)

    def deal(self, hand0: int | None) -> Sequence[tuple[int, Fraction]]:
        """The hands player 0 may get and their probabilities; given his, those of player 1."""
        return self.dealing.outcomes(hand0)

    @cached_property
    def hand_cards(self) -> tuple[Cards, ...]:
        """The cards of each hand, the higher first, in the order of `infoset.cards`."""
        deck = sorted(self.deck)
        return tuple((first, second) for first in deck for second in deck if second < first)

    @cached_property
    def hand_masks(self) -> tuple[int, ...]:
        """The cards of each hand as bits."""
        return tuple(mask_of(cards) for cards in self.hand_cards)

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """Labels of the hands."""
        return tuple(format_cards(cards) for cards in self.hand_cards)

    @cached_property
    def hand_of(self) -> dict[str, int]:
        """The number of each hand by its label."""
        return {label: hand for hand, label in enumerate(self.hands)}

    def num_runouts(self, street: int) -> int:
        """How many ways the board can go on after a street, given both hands."""
        num_left = len(self.deck) - 4 - sum(self.street_cards[: street + 1])
        number = 1
        for count in self.street_cards[street + 1 :]:
            number *= math.comb(num_left, count)
            num_left -= count
        return number

    def public(self) -> HoldemState:
        """The public state right after the deal."""
        return HoldemState(self, self.first_state(), self.board)

    def root(self) -> HoldemDeal:
        """The deck before the deal."""
        return HoldemDeal(self, self.public())

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> Number:
        """What player 0 wins: by a fold whatever the hands are, else by the better hand."""
        assert isinstance(ending, Ending)
        chips, winner, board = ending
        payoffs = terminal_payoffs(chips, self.pot)
        if winner is None:
            strength0, strength1 = (strength_of(self.hand_cards[h], board) for h in (hand0, hand1))
            if strength0 == strength1:
                return payoffs.tie
            winner = 0 if strength0 > strength1 else 1
        return payoffs.win if winner == 0 else payoffs.lose


@dataclass(frozen=True, slots=True)
class HoldemState:
    """What both players see."""

    game: HoldemGame = field(repr=False)
    betting: BettingState
    board: Cards = ()
    public_history: str = ""

    @property
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`."""
        return self.betting.player

    @property
    def actions(self) -> tuple[str, ...]:
        """Stay in or get out, then every bet or raise from the smallest."""
        return self.game.labels(self.betting)

    @property
    def is_facing_bet(self) -> bool:
        """Whether the opponent has put in more."""
        return self.betting.to_call > 0

    @property
    def raises(self) -> Sequence[int]:
        """What the player may raise to, ascending: chips put in over the whole hand."""
        return self.game.betting.raises(self.betting)

    @property
    def stay_label(self) -> str:
        """The label of the check or call."""
        return self.actions[1 if self.is_facing_bet else 0]

    def raise_label(self, total: int) -> str:
        """The label of the bet or raise to so many chips put in over the hand; it must be one."""
        labels, totals = self.actions, self.raises
        return labels[len(labels) - len(totals) + totals.index(total)]

    @property
    def num_new_cards(self) -> int:
        """How many cards come up next."""
        return self.game.street_cards[self.betting.street + 1]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The cards that may come up on the board, whatever the hands are."""
        left = tuple(card for card in self.game.deck if card not in self.board)
        return list_boards(left, self.num_new_cards)

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """How likely a board is: the cards of both players are out of the deck."""
        game = self.game
        if mask_of(read_cards(outcome)) & (game.hand_masks[hand0] | game.hand_masks[hand1]):
            return 0
        return board_probability(len(game.deck) - 4 - len(self.board), self.num_new_cards)

    def child(self, action: str) -> HoldemState:
        """The state after an action or the next cards of the board."""
        if self.player == CHANCE:
            return self.after_board(read_cards(action))
        if self.player != TERMINAL:
            after = self.game.after(self.betting, action)
            if after is not None:
                comma = "," if self.betting.num_actions else ""
                return HoldemState(
                    self.game, after, self.board, self.public_history + comma + action
                )
        raise self.refusal(action)

    def after_board(self, cards: Cards) -> HoldemState:
        """The state after cards of the board, in any order; they are written highest first."""
        is_left = set(self.game.deck).difference(self.board).issuperset(cards)
        if not is_left or len(cards) != self.num_new_cards:
            raise self.refusal(format_cards(cards))
        cards = tuple(sorted(cards, reverse=True))
        public_history = f"{self.public_history}/{format_cards(cards)}:"
        betting = self.game.betting.next_street(self.betting)
        return HoldemState(self.game, betting, self.board + cards, public_history)

    @property
    def ending(self) -> Ending:
        """What the loser put in is lost to the winner of the fold or of the showdown."""
        return ending_of(self.betting, tuple(sorted(self.board)))

    def refusal(self, label: str) -> BadInputError:
        """The error that says that this cannot happen here, and what can."""
        if self.player == TERMINAL:
            possible = "the hand is over"
        elif self.player == CHANCE:
            possible = f"what comes up is {self.num_new_cards} of the cards in the deck"
        else:
            possible = self.game.possible(self.betting)
        where = f"after {shorten(self.public_history)}" if self.public_history else "at the start"
        return BadInputError(f"{shorten(label)} is not possible {where}: {possible}")


@dataclass(frozen=True, slots=True)
class HoldemDeal(DealtState):
    """A plain state: the public one and the hands dealt so far."""

    game: HoldemGame
    public: HoldemState

    @property
    def chance(self) -> list[tuple[str, Number]]:
        """The hands that may be dealt next, or the cards that may come up given both hands."""
        if self.hand1 is None:
            return [(self.game.hands[hand], p) for hand, p in self.game.deal(self.hand0)]
        count = self.public.num_new_cards
        probability = board_probability(len(self.cards_left), count)
        return [(label, probability) for label in list_boards(self.cards_left, count)]

    def outcome_at(self, number: float) -> str:
        """The outcome at a share, from 0 to 1, of `chance`, without a list of them all."""
        if self.hand1 is None:
            return self.game.hands[self.game.dealing.hand_at(self.hand0, number)]
        return board_at(self.cards_left, self.public.num_new_cards, number)

    @property
    def dealt(self) -> int:
        """All cards that are out of the deck, as bits."""
        masks = self.game.hand_masks
        held = (masks[hand] for hand in (self.hand0, self.hand1) if hand is not None)
        return sum(held) | mask_of(self.public.board)

    @property
    def cards_left(self) -> Cards:
        """The cards in the deck."""
        dealt = self.dealt
        return tuple([card for card in self.game.deck if not dealt >> card & 1])

    def child(self, action: str) -> HoldemDeal:
        """Deal a hand, or move on in public."""
        if self.hand1 is None:
            hand = self.game.hand_of.get(action)
            if hand is None:
                hand = self.game.hand_of.get(format_cards(sorted(read_cards(action), reverse=True)))
            if hand is None or not self.game.dealing.can_deal(self.hand0, hand):
                raise BadInputError(f"{shorten(action)} cannot be dealt: {self.game.WHICH_HANDS}")
            return self._with_hand(hand)
        if self.public.player == CHANCE and mask_of(read_cards(action)) & self.dealt:
            raise self.public.refusal(action)
        return HoldemDeal(self.game, self.public.child(action), self.hand0, self.hand1)
