"""Goofspiel for two with imperfect information, as OpenSpiel defines it.

Both players hold the cards 1 to N, and N prizes of the same values are shown one at a time. For
each prize both play a card, at the same time; the higher card takes the prize, equal cards take it
from the game. The players learn who took it, but not the card the other played. The last card of
each plays itself.

Moves at the same time are written as player 0 followed by player 1, who has not seen the card.

**Labels.** The value of the card played or the prize shown. **Infosets.** The player, then his
cards and what came of each: ``0:``, ``1:4won,2lost,1drew``. If prizes are shown in random order, a
card follows its prize, and the prize now shown comes last: ``0:3-4won,1``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from infoset.calls import Between, Call, format_call
from infoset.games.registry import register
from infoset.games.rules import CHANCE, TERMINAL

PointsOrder = Literal["descending", "ascending", "random"]
ReturnsType = Literal["win_loss", "point_difference"]


@dataclass(frozen=True, slots=True)
class Goofspiel:
    """The rules for a number of cards, an order of prizes and a way to score."""

    cards: int
    points_order: PointsOrder = "descending"
    returns_type: ReturnsType = "win_loss"

    @property
    def name(self) -> str:
        """The text that makes this game."""
        options = {"points_order": self.points_order, "returns_type": self.returns_type}
        usual = {"points_order": "descending", "returns_type": "win_loss"}
        return format_call(Call("goofspiel", {"cards": self.cards, **options}), leave_out=usual)

    def root(self) -> GoofspielState:
        """All cards in hand; the prizes are in order, or still to be drawn."""
        ascending = tuple(range(1, self.cards + 1))
        orders = {"ascending": ascending, "descending": ascending[::-1], "random": ()}
        return GoofspielState(self, orders[self.points_order], ((), ()))


@dataclass(frozen=True, slots=True)
class GoofspielState:
    """The prizes, and the cards each player has played for them, both in order."""

    game: Goofspiel
    prizes: tuple[int, ...]
    played: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def player(self) -> int:
        """Both players in turn, once there is a prize; nobody when one card is left."""
        num_played0, num_played1 = len(self.played[0]), len(self.played[1])
        if num_played0 > num_played1:
            return 1
        if num_played0 == self.game.cards - 1:
            return TERMINAL
        return 0 if len(self.prizes) > num_played0 else CHANCE

    @property
    def actions(self) -> tuple[str, ...]:
        """The cards still in hand, from the lowest."""
        return tuple(map(str, self.missing_from(self.played[self.player])))

    @property
    def chance(self) -> list[tuple[str, Fraction]]:
        """Any prize not yet shown, all equally likely."""
        left = self.missing_from(self.prizes)
        return [(str(prize), Fraction(1, len(left))) for prize in left]

    @property
    def infoset(self) -> str:
        """The player, his cards, and who took each prize."""
        player = self.player
        own, other = self.played[player], self.played[1 - player]
        # Player 0's open card has no match yet, so the cards of player 1 are one fewer then.
        turns = [f"{card}{_result(card, other[turn])}" for turn, card in enumerate(own)]
        if self.game.points_order == "random":
            turns = [f"{self.prizes[turn]}-{text}" for turn, text in enumerate(turns)]
            turns.append(str(self.prizes[-1]))
        return f"{player}:{','.join(turns)}"

    @property
    def payoff(self) -> int | Fraction:
        """Plus or minus one for more or fewer points, or half the difference in points.

        The half is OpenSpiel's: its ``point_difference`` is a player's points minus the average.
        """
        prizes = (*self.prizes, *self.missing_from(self.prizes))
        own, other = (cards + tuple(self.missing_from(cards)) for cards in self.played)
        lead = sum(
            prize * ((card > against) - (card < against))
            for prize, card, against in zip(prizes, own, other, strict=True)
        )
        if self.game.returns_type == "point_difference":
            return Fraction(lead, 2)
        return (lead > 0) - (lead < 0)

    def child(self, action: str) -> GoofspielState:
        """The state after a card or a prize."""
        card, player = int(action), self.player
        own, other = self.played
        if player == CHANCE:
            return GoofspielState(self.game, (*self.prizes, card), self.played)
        played = ((*own, card), other) if player == 0 else (own, (*other, card))
        return GoofspielState(self.game, self.prizes, played)

    def missing_from(self, cards: tuple[int, ...]) -> list[int]:
        """The cards of the suit that are not among these."""
        return [card for card in range(1, self.game.cards + 1) if card not in cards]


def _result(card: int, against: int) -> str:
    """What came of a card for the one who played it."""
    return ("drew", "won", "lost")[(card > against) - (card < against)]


@register
def goofspiel(
    *,
    cards: Annotated[int, Between(2, 13), "cards of each player, and prizes"] = 4,
    points_order: Annotated[PointsOrder, "the order in which prizes are shown"] = "descending",
    returns_type: Annotated[ReturnsType, "what is won: the game, or half the lead"] = "win_loss",
) -> Goofspiel:
    """Goofspiel: bid for prizes with hidden cards, and learn only who won each.

    OpenSpiel's ``goofspiel(imp_info=True,num_cards=N,points_order=descending)``.

    >>> state = goofspiel(cards=4).root().child("2").child("3")
    >>> state.infoset, state.actions
    ('0:2lost', ('1', '3', '4'))
    """
    return Goofspiel(cards, points_order, returns_type)
