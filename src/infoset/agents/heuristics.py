"""Guesses at what histories are worth, for AIVAT: a good one takes out much luck, none adds a bias.

A heuristic is one class with one method, `Heuristic.values`. It must be fixed before the hands are
played: one that was fitted to them proves nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np

from infoset.agents.agent import Floats, Known
from infoset.agents.pairings import (
    HoldemPairings,
    Pairings,
    TablePairings,
    betting_of,
    pairings_of,
)
from infoset.errors import AgentError
from infoset.games import CHANCE, TERMINAL, DealtGame, Game, PublicState, name_of
from infoset.games.holdem import HoldemState


class Heuristic(ABC):
    """What a player will win, at a guess: a function of the public state and both hands."""

    def __init__(self, game: Game) -> None:
        if not isinstance(game, DealtGame):
            raise AgentError(
                f"the rules of {name_of(game)} do not say what both players see; AIVAT of such a "
                "game is that of its compiled histories: see infoset.agents.TreeAivat"
            )
        self.game = game
        self.pairings: Pairings = pairings_of(game)

    @abstractmethod
    def values(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """[hands] What the player will win with each hand if the other holds this one."""

    def before_chance(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """[hands] The mean of `values` over all that chance may reveal.

        Those who know it without adding it up say so.
        """
        mean, total = np.zeros((2, len(self.game.hands)))
        for outcome in public.outcomes:
            likely = self.pairings.revealed(public, outcome, player, other_hand)
            if likely.any():
                mean += likely * self.values(public.child(outcome), player, other_hand)
                total += likely
        return np.divide(mean, total, out=mean, where=total > 0.0)

    def before_action(
        self, public: PublicState, by_action: Mapping[str, Floats], player: int, other_hand: int
    ) -> Floats:
        """[hands] The mean of `values` over actions that are taken in some shares."""
        mean = np.zeros(len(self.game.hands))
        for action, probability in by_action.items():
            if probability.any():
                mean += probability * self.values(public.child(action), player, other_hand)
        return mean


class Zero(Heuristic):
    """Expects nothing: all that is left of AIVAT is the mean over our hands at the end.

    These are the imaginary observations of Bowling et al. (2008).
    """

    def values(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """Zero."""
        return np.zeros(len(self.game.hands))

    def before_chance(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """Zero."""
        return np.zeros(len(self.game.hands))


class CheckDown(Heuristic):
    """Expects that nobody bets any more, and that an open bet is called half the time.

    For poker. In hold'em that is the equity of the hands in the pot, exactly: see `HoldemPairings`.
    The mean over cards to come is then known without dealing them, since equity is such a mean
    itself. An open bet counts as half called because that takes out more luck on the small games
    that were tried than counting it as called or as returned; in games whose betting is not that
    of `infoset.games.holdem.betting` it counts as called.
    """

    def values(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins if the hand is checked down from here."""
        if public.player == TERMINAL:
            return self.pairings.payoffs(public, player, other_hand)
        called = self.pairings.checked_down(public, player, other_hand)
        betting = betting_of(public)
        if betting is None or betting.put[0] == betting.put[1]:
            return called
        half_pot = getattr(self.game, "pot", 0) / 2
        return called * ((half_pot + sum(betting.put) / 2) / (half_pot + max(betting.put)))

    def before_chance(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """The same as before the cards came."""
        if isinstance(self.pairings, HoldemPairings):
            return self.values(public, player, other_hand)
        return super().before_chance(public, player, other_hand)

    def before_action(
        self, public: PublicState, by_action: Mapping[str, Floats], player: int, other_hand: int
    ) -> Floats:
        """Raises of hold'em differ by a factor, which is taken out of the sum over them all."""
        if not isinstance(self.pairings, HoldemPairings):
            return super().before_action(public, by_action, player, other_hand)
        assert isinstance(public, HoldemState)
        betting, half_pot = public.betting, self.pairings.game.pot / 2
        mean = np.zeros(len(self.game.hands))
        raises = public.raises
        labels = public.actions
        stays = labels[: len(labels) - len(raises)]
        for action in stays:
            if action in by_action:
                mean += by_action[action] * self.values(public.child(action), player, other_hand)
        opposite = betting.put[1 - public.player]
        chips, alike = np.zeros(len(mean)), 0.0
        for total, action in zip(raises, labels[len(stays) :], strict=True):
            probability = by_action.get(action)
            if probability is None:
                continue
            worth = half_pot + (total + opposite) / 2
            if probability.ndim == 0:
                # The same with all hands: of 20,000 raises, numbers are added up far faster.
                alike += float(probability) * worth
            else:
                chips += probability * worth
        equity = self.pairings.equity(public.board, other_hand)
        return mean + (chips + alike) * (2.0 * equity - 1.0)


class ExactValues(Heuristic):
    """Expects what two known strategies win from here on, exactly; for games with few hands.

    ``strategy`` says how either player plays, such as a `StrategyAgent`. Every public state is
    walked once: Leduc takes a second.

    >>> import infoset
    >>> from infoset.agents import StrategyAgent
    >>> game = infoset.game("kuhn")
    >>> exact = ExactValues(game, StrategyAgent(game, infoset.uniform(game)))
    >>> exact.values(game.public(), 0, other_hand=0)
    array([0.   , 1.125, 1.125])
    """

    def __init__(self, game: Game, strategy: Known) -> None:
        super().__init__(game)
        if not isinstance(self.pairings, TablePairings):
            raise AgentError(
                f"{name_of(game)} has too many hands for exact values; expect that it is checked "
                "down (CheckDown), or compile it if it is small (TreeAivat)"
            )
        self.strategy = strategy
        self._tables: dict[str, Floats] = {}

    def values(self, public: PublicState, player: int, other_hand: int) -> Floats:
        """What the player wins on average if both play the strategy from here on."""
        table = self._table(public)
        return table[:, other_hand] if player == 0 else -table[other_hand]

    def _table(self, public: PublicState) -> Floats:
        """[hands, hands] What player 0 wins."""
        key = public.public_history
        if key not in self._tables:
            self._tables[key] = self._computed(public)
        return self._tables[key]

    def _computed(self, public: PublicState) -> Floats:
        every = range(len(self.game.hands))
        if public.player == TERMINAL:
            return np.array([self.pairings.payoffs(public, 0, hand) for hand in every]).T
        table = np.zeros((len(every), len(every)))
        if public.player == CHANCE:
            for outcome in public.outcomes:
                likely = [self.pairings.revealed(public, outcome, 0, hand) for hand in every]
                if np.any(likely):
                    table += np.array(likely).T * self._table(public.child(outcome))
            return table
        for action, probability in self.strategy.range_strategy(public).items():
            if probability.any():
                of_hands = np.broadcast_to(probability, len(every))
                taken = of_hands[:, np.newaxis] if public.player == 0 else of_hands
                table += taken * self._table(public.child(action))
        return table
