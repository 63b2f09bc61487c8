"""What a game is: a root state, and states that know their player, actions and children.

Everything else in the package starts from this. A game is any object with a `root`; a state is
any immutable object with the members of `State`. No registration, no base class: write one class
of this shape and hand an instance to `infoset.solve`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol, runtime_checkable

CHANCE = -1
TERMINAL = -2

Number = int | float | Fraction


class State(Protocol):
    """One position of a game, seen with nothing hidden.

    Only the members that fit the kind of state are read: `chance` where `player` is `CHANCE`,
    `payoff` where it is `TERMINAL`, `actions` and `infoset` where it is 0 or 1.

    Where chance has very many outcomes, all equally likely, a state may also have
    ``outcome_at(number)``: the outcome at a share, from 0 to 1, of the list that `chance` would
    be. Those who sample the rules then need no list.
    """

    @property
    def player(self) -> int:
        """Who moves: 0, 1, `CHANCE` or `TERMINAL`."""

    @property
    def actions(self) -> Sequence[str]:
        """Labels of the legal actions, the same for every state of one infoset."""

    @property
    def chance(self) -> Sequence[tuple[str, Number]]:
        """Outcomes and their probabilities; they are positive and sum to one."""

    @property
    def infoset(self) -> str:
        """All the moving player knows, as a readable key, unique for the player."""

    @property
    def payoff(self) -> Number:
        """What player 0 wins, and player 1 loses."""

    def child(self, action: str) -> State:
        """The state after an action or a chance outcome."""


@runtime_checkable
class Game(Protocol):
    """The rules of a game. `name` is optional; a built-in game's name parses back to it.

    A game with ``least_histories``, a number that it has at least, is refused at once where that
    is too many. One that also has ``public()`` and ``payoff()`` (see `infoset.games.dealt`) is
    compiled many times faster, since its public states are walked once for all hands together.
    """

    def root(self) -> State:
        """The state in which the game starts."""


def name_of(game: object) -> str:
    """What a game is called: its name, if it has one, or a title that is made for it."""
    name = getattr(game, "name", "") or getattr(game, "title", "") or type(game).__name__
    return str(name)
