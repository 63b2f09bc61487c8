"""Games whose only private information is dealt; everything after the deal is public.

Poker and liar's dice are of this kind. Their rules are written once, for what both players see:
a *public state* knows who acts and with which actions, independent of the hands. Two things are
derived from it: the states of `infoset.games.rules` (a public state and the two hands), and, many
times faster, the compiled game: one walk over the public states serves all pairs of hands.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, Self, runtime_checkable

from infoset.games.rules import CHANCE, Number


class PublicState(Protocol):
    """What both players see. Hands are small integers, indices into the game's `hands`."""

    @property
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`."""

    @property
    def actions(self) -> Sequence[str]:
        """Labels of the legal actions where a player moves; they never depend on a hand."""

    @property
    def outcomes(self) -> Sequence[str]:
        """Labels of what chance may reveal to both, where chance moves."""

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """How likely an outcome is when the players hold these hands; zero if it cannot be."""

    def child(self, action: str) -> PublicState:
        """The public state after an action or an outcome."""

    @property
    def ending(self) -> Hashable:
        """How the game ended: all that `DealtGame.payoff` needs besides the hands.

        Many ends share one ending (a showdown for 4 chips on the board Qs), and the
        compiler asks for the payoffs of each ending once.
        """

    @property
    def public_history(self) -> str:
        """The public actions and outcomes so far, readable; with the hand it is the infoset."""


@runtime_checkable
class DealtGame(Protocol):
    """Public rules: the possible hands, how they are dealt, and the public root."""

    @property
    def hands(self) -> Sequence[str]:
        """Labels of the hands a player may be dealt."""

    def deal(self, hand0: int | None) -> Sequence[tuple[int, Fraction]]:
        """The hands player 0 may get and their probabilities; given his, those of player 1."""

    def public(self) -> PublicState:
        """The public state right after the deal."""

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> Number:
        """What player 0 wins with these hands when the game ends in this way."""


@dataclass(frozen=True, slots=True)
class DealtState:
    """A plain state made of the public one and the hands dealt so far."""

    game: DealtGame
    public: PublicState
    hand0: int | None = None
    hand1: int | None = None

    @property
    def player(self) -> int:
        """Chance until both hands are dealt, then whoever moves in public."""
        return CHANCE if self.hand1 is None else self.public.player

    @property
    def actions(self) -> Sequence[str]:
        """The public actions."""
        return self.public.actions

    @property
    def chance(self) -> list[tuple[str, Number]]:
        """The hands that may be dealt next, or what may be revealed given both hands."""
        if self.hand1 is None:
            hands = self.game.hands
            return [(hands[hand], p) for hand, p in self.game.deal(self.hand0)]
        assert self.hand0 is not None
        likely = [
            (label, self.public.probability(label, self.hand0, self.hand1))
            for label in self.public.outcomes
        ]
        return [(label, p) for label, p in likely if p > 0]

    @property
    def infoset(self) -> str:
        """The mover's hand and the public history, as in ``Js:check,bet``."""
        hand = self.hand0 if self.public.player == 0 else self.hand1
        assert hand is not None
        return f"{self.game.hands[hand]}:{self.public.public_history}"

    @property
    def payoff(self) -> Number:
        """What player 0 wins with the hands that were dealt."""
        assert self.hand0 is not None
        assert self.hand1 is not None
        return self.game.payoff(self.public.ending, self.hand0, self.hand1)

    def child(self, action: str) -> DealtState:
        """Deal a hand, or move on in public."""
        if self.hand1 is None:
            return self._with_hand(list(self.game.hands).index(action))
        return DealtState(self.game, self.public.child(action), self.hand0, self.hand1)

    def _with_hand(self, hand: int) -> Self:
        hands = (hand,) if self.hand0 is None else (self.hand0, hand)
        return type(self)(self.game, self.public, *hands)
