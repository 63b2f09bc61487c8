"""All hands of one player against one hand of the other: arrays over the hands of a game.

AIVAT and local best responses know one hand and ask about all that the other player might hold.
Games of hold'em answer with arrays (`HoldemPairings`), other games with tables over all pairs of
hands (`TablePairings`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_INDEX, equity_against, mask_of, parse_cards, strengths
from infoset.errors import AgentError
from infoset.games import CHANCE, TERMINAL, DealtGame, PokerState, PublicState
from infoset.games.holdem import BettingState, HoldemGame, HoldemState, terminal_payoffs

Floats = NDArray[np.float64]

STAYING = ("call", "check")
"""First words of actions that go on without raising."""

REMEMBERED = 20_000
"""Tables of payoffs and of hands checked down that are kept."""


class Pairings(ABC):
    """Arrays [hands of the game] about a player's hands when the other holds one of them."""

    @abstractmethod
    def dealt(self, player: int, other_hand: int) -> Floats:
        """How likely the player was dealt each hand and the other this one, up to a factor."""

    @abstractmethod
    def revealed(self, public: PublicState, outcome: str, player: int, other_hand: int) -> Floats:
        """How likely chance reveals an outcome, up to a factor that hands do not change."""

    @abstractmethod
    def payoffs(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins with each hand where the game is over."""

    @abstractmethod
    def checked_down(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins on average if both only call and check from here on."""


def pairings_of(game: DealtGame) -> Pairings:
    """The pairings of a game whose only secrets are the hands."""
    return HoldemPairings(game) if isinstance(game, HoldemGame) else TablePairings(game)


def betting_of(public: PublicState) -> BettingState | None:
    """The state of the betting in poker; `None` in other games."""
    if isinstance(public, HoldemState):
        return public.betting
    return public.situation.betting if isinstance(public, PokerState) else None


def raises_of(public: PublicState) -> Sequence[float]:
    """What the player who acts in poker may bet or raise to, ascending, in chips over the hand.

    Their labels come last among the actions, in the same order.
    """
    if isinstance(public, HoldemState):
        return public.raises
    assert isinstance(public, PokerState)
    return public.situation.game.betting.raises(public.situation.betting)


def staying(public: PublicState) -> str:
    """The action that calls or checks; refused where the game has none."""
    for action in public.actions[:4]:
        if action.partition(" ")[0] in STAYING:
            return action
    raise AgentError(
        f"hands can be checked down in poker only, but after {public.public_history!r} there are "
        f"only {', '.join(public.actions[:8])}"
    )


class TablePairings(Pairings):
    """Tables [hands of player 0, hands of player 1], for games with few hands."""

    def __init__(self, game: DealtGame) -> None:
        self.game = game
        self._paid: dict[Hashable, Floats] = {}
        self._down: dict[str, Floats] = {}

    @cached_property
    def deal(self) -> Floats:
        """[hands, hands] How likely each pair is dealt."""
        num_hands = len(self.game.hands)
        table = np.zeros((num_hands, num_hands))
        for hand0, p0 in self.game.deal(None):
            for hand1, p1 in self.game.deal(hand0):
                table[hand0, hand1] = float(p0 * p1)
        return table

    def dealt(self, player: int, other_hand: int) -> Floats:
        """How likely the player was dealt each hand and the other this one."""
        return _from(self.deal, player, other_hand)

    def revealed(self, public: PublicState, outcome: str, player: int, other_hand: int) -> Floats:
        """How likely chance reveals an outcome; zero for pairs of hands that are not dealt."""
        likely = np.zeros(len(self.game.hands))
        for hand in np.flatnonzero(self.dealt(player, other_hand)):
            pair = (int(hand), other_hand) if player == 0 else (other_hand, int(hand))
            likely[hand] = float(public.probability(outcome, *pair))
        return likely

    def payoffs(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins with each hand where the game is over."""
        return _won(self._payoffs(public), player, other_hand)

    def checked_down(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins on average if both only call and check from here on."""
        return _won(self._checked_down(public), player, other_hand)

    def _payoffs(self, public: PublicState) -> Floats:
        ending = public.ending
        if ending not in self._paid:
            _make_room(self._paid)
            table = np.zeros_like(self.deal)
            for hand0, hand1 in np.argwhere(self.deal):
                table[hand0, hand1] = float(self.game.payoff(ending, int(hand0), int(hand1)))
            self._paid[ending] = table
        return self._paid[ending]

    def _checked_down(self, public: PublicState) -> Floats:
        if public.player == TERMINAL:
            return self._payoffs(public)
        key = public.public_history
        if key not in self._down:
            if public.player == CHANCE:
                table = np.zeros_like(self.deal)
                for outcome in public.outcomes:
                    every = range(len(self.deal))
                    likely = np.array([self.revealed(public, outcome, 0, h) for h in every]).T
                    if likely.any():
                        table += likely * self._checked_down(public.child(outcome))
            else:
                table = self._checked_down(public.child(staying(public)))
            _make_room(self._down)
            self._down[key] = table
        return self._down[key]


def _from(table: Floats, player: int, other_hand: int) -> Floats:
    return table[:, other_hand] if player == 0 else table[other_hand]


def _won(table: Floats, player: int, other_hand: int) -> Floats:
    return table[:, other_hand] if player == 0 else -table[other_hand]


def _make_room(tables: dict[Hashable, Floats] | dict[str, Floats]) -> None:
    if len(tables) >= REMEMBERED:
        tables.clear()


class HoldemPairings(Pairings):
    """Hold'em: hands that share a card never meet, and all else is equity.

    Nothing is sampled. From the flop on, and with small decks, all boards are dealt; before the
    flop of a whole deck a table is read.
    """

    def __init__(self, game: HoldemGame) -> None:
        self.game = game
        cards = np.array(game.hand_cards)
        self._number = HAND_INDEX[cards[:, 0], cards[:, 1]].astype(np.intp)
        """[hands] The number of each hand among all 1326."""
        self._mask = np.array(game.hand_masks, np.uint64)
        self._weights: list[Floats] = [np.array(held, float) for held in game.hand_weights]
        self._deck = mask_of(game.deck)
        self._board_size = sum(game.street_cards)

    def dealt(self, player: int, other_hand: int) -> Floats:
        """The player's weights, times the weight of the other's hand, without its cards."""
        weights: Floats = self._weights[player] * self._weights[1 - player][other_hand]
        weights[self._mask & self._mask[other_hand] != 0] = 0.0
        return weights

    def revealed(self, public: PublicState, outcome: str, player: int, other_hand: int) -> Floats:
        """Alike for all hands that hold none of these cards, unless the other hand does."""
        shown = np.uint64(mask_of(parse_cards(outcome)))
        if shown & self._mask[other_hand]:
            return np.zeros(len(self._mask))
        is_free: Floats = (self._mask & shown == 0).astype(np.float64)
        return is_free

    def payoffs(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """A fold pays the same for every hand; at a showdown the better hand wins."""
        assert isinstance(public, HoldemState)
        chips, winner, board = public.ending
        paid = terminal_payoffs(chips, self.game.pot)
        if winner is not None:
            return np.full(len(self._number), float(paid.win if winner == player else paid.lose))
        of_hands = strengths(board)[self._number]
        against = of_hands[other_hand]
        share = 0.5 * (of_hands > against) + 0.5 * (of_hands >= against)
        return _of_share(share, float(paid.win))

    def checked_down(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """By equity, for what the larger bet is."""
        assert isinstance(public, HoldemState)
        if public.player == TERMINAL:
            return self.payoffs(public, player, other_hand)
        paid = terminal_payoffs(max(public.betting.put), self.game.pot)
        return _of_share(self.equity(public.board, other_hand), float(paid.win))

    def equity(self, board: tuple[int, ...], other_hand: int) -> Floats:
        """The share of the pot that hands win if the board is dealt to the end."""
        row: Floats = equity_against(
            *(self.game.hand_cards[other_hand], board),
            deck=self._deck,
            board_size=self._board_size,
        )[self._number]
        return row


def _of_share(share: Floats, won: float) -> Floats:
    """What a share of a pot is worth of which half was ours: no rake, so a tie is worth nothing."""
    return (2.0 * share - 1.0) * won
