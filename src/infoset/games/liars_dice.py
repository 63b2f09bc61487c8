"""Liar's dice for two, as OpenSpiel defines it.

Each player rolls dice that only he sees. In turn, from player 0, they raise the bid: a number of
dice of one face, counted over all dice of both. A higher number beats any face, and for the same
number a higher face. The highest face is wild: it counts as every face. Instead of bidding a
player may call the last bid a lie; if there are as many such dice as it said, he loses, else he
wins.

**Labels.** A bid of two fives is ``2-5``, the call is ``liar``. **Infosets.** The player's dice in
order, then the bids: ``3:``, ``3:1-4,2-2``, ``26:1-4`` with two dice.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Annotated, NamedTuple

from infoset.calls import Between, Call, format_call
from infoset.games.dealt import DealtState
from infoset.games.registry import register
from infoset.games.rules import TERMINAL


class Challenge(NamedTuple):
    """How a game ended: the bid that was called a lie, and who called it."""

    quantity: int
    face: int
    caller: int


@dataclass(frozen=True)
class LiarsDice:
    """The rules for a number of dice a player and a number of faces.

    >>> LiarsDice(dice=2, faces=3).hands
    ('11', '12', '13', '22', '23', '33')
    """

    dice: int
    faces: int

    @property
    def name(self) -> str:
        """The text that makes this game."""
        return format_call(Call("liars_dice", {"dice": self.dice, "faces": self.faces}))

    @cached_property
    def rolls(self) -> tuple[tuple[int, ...], ...]:
        """What a player can roll, the order of the dice aside."""
        return tuple(combinations_with_replacement(range(1, self.faces + 1), self.dice))

    @cached_property
    def hands(self) -> tuple[str, ...]:
        """The faces of a roll, side by side, or with a plus between them from ten faces on."""
        separator = "" if self.faces < 10 else "+"
        return tuple(separator.join(map(str, roll)) for roll in self.rolls)

    @cached_property
    def bids(self) -> tuple[tuple[int, int], ...]:
        """Every quantity and face, from the lowest bid to the highest."""
        quantities, faces = range(1, 2 * self.dice + 1), range(1, self.faces + 1)
        return tuple((quantity, face) for quantity in quantities for face in faces)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the bids, then that of the call."""
        return (*(f"{quantity}-{face}" for quantity, face in self.bids), "liar")

    @cached_property
    def ranks(self) -> dict[str, int]:
        """Places of the labels in their order."""
        return {label: rank for rank, label in enumerate(self.labels)}

    @cached_property
    def answers(self) -> tuple[tuple[str, ...], ...]:
        """What may be said before any bid, then after each: a higher bid, or that it is a lie."""
        after = (self.labels[rank + 1 :] for rank in range(len(self.bids)))
        return (self.labels[:-1], *after)

    def deal(self, hand0: int | None) -> list[tuple[int, Fraction]]:
        """Every roll, by the number of orders its dice can fall in; one player's tells nothing."""
        return self.roll_probabilities

    @cached_property
    def roll_probabilities(self) -> list[tuple[int, Fraction]]:
        """The rolls and their probabilities."""
        orders = factorial(self.dice)
        return [
            (
                hand,
                Fraction(
                    orders // prod(factorial(roll.count(x)) for x in set(roll)),
                    self.faces**self.dice,
                ),
            )
            for hand, roll in enumerate(self.rolls)
        ]

    def public(self) -> LiarsDiceState:
        """Nothing has been bid; player 0 begins."""
        return LiarsDiceState(self, -1, 0, "")

    def root(self) -> DealtState:
        """The dice before the roll."""
        return DealtState(self, self.public())

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> int:
        """One for player 0 if he called a lie, or was called a liar wrongly; else minus one."""
        assert isinstance(ending, Challenge)
        quantity, face, caller = ending
        dice = self.rolls[hand0] + self.rolls[hand1]
        num_matches = sum(die in (face, self.faces) for die in dice)
        winner = 1 - caller if num_matches >= quantity else caller
        return 1 if winner == 0 else -1


@dataclass(frozen=True, slots=True)
class LiarsDiceState:
    """The bids so far. `bid` is the rank of the last one, -1 before the first."""

    game: LiarsDice
    bid: int
    mover: int
    public_history: str
    is_called: bool = False

    @property
    def player(self) -> int:
        """Who speaks, until a bid is called a lie."""
        return TERMINAL if self.is_called else self.mover

    @property
    def actions(self) -> tuple[str, ...]:
        """The higher bids, and the call if there is something to call."""
        return self.game.answers[self.bid + 1]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """None: nothing is revealed after the roll."""
        return ()

    def probability(self, outcome: str, hand0: int, hand1: int) -> int:
        """Zero, since nothing is ever revealed."""
        return 0

    def child(self, action: str) -> LiarsDiceState:
        """The state after a bid or a call."""
        public_history = f"{self.public_history},{action}" if self.public_history else action
        if action == "liar":
            return LiarsDiceState(self.game, self.bid, self.mover, public_history, is_called=True)
        return LiarsDiceState(self.game, self.game.ranks[action], 1 - self.mover, public_history)

    @property
    def ending(self) -> Challenge:
        """The last bid, and who did not believe it."""
        quantity, face = self.game.bids[self.bid]
        return Challenge(quantity, face, self.mover)


@register
def liars_dice(
    *,
    dice: Annotated[int, Between(1, 5), "dice of each player"] = 1,
    faces: Annotated[int, Between(2, 20), "faces of a die; the highest is wild"] = 6,
) -> LiarsDice:
    """Liar's dice: raise the bid on all dice, or call the last one a lie.

    OpenSpiel's ``liars_dice(numdice=D,dice_sides=F)``. One die of 6 faces gives 24,576 infosets.

    >>> liars_dice(faces=3).root().child("3").child("1").child("1-2").actions
    ('1-3', '2-1', '2-2', '2-3', 'liar')
    """
    return LiarsDice(dice, faces)
