"""Who plays a match, and the referee who plays its hands by the rules, one by one.

Hand ``i`` depends on the seed and on ``i`` alone: A sits in seat ``i % 2``, and in a duplicate
match hands ``2k`` and ``2k + 1`` have the same cards. So hands may be played anywhere and in any
order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

from infoset.agents.agent import Agent
from infoset.agents.hands import Hand, play_hand
from infoset.errors import AgentError, BadInputError
from infoset.games import Game

AgentLike = Agent | Callable[[], Agent]
"""An agent, or what makes one: a class or function without arguments."""


@runtime_checkable
class Correction(Protocol):
    """What takes luck out of winnings, such as AIVAT.

    On compiled games it may also have ``terminal_values(seat)``: [num_nodes] the value of every
    terminal.
    """

    def value(self, hand: Hand, seat: int) -> float:
        """What A won, corrected, in a hand that he played in a seat."""


CorrectionLike = Correction | Callable[[], Correction]


class Played(NamedTuple):
    """A hand of a match."""

    hand: Hand
    corrected: float | None
    """What A won, with luck corrected, if that is asked for."""


def won_by_a(hand: Hand, number: int) -> float:
    """What A won in a hand of a match, by its number."""
    return float(hand.payoff if number % 2 == 0 else -hand.payoff)


def cards_of(number: int, *, duplicate: bool) -> int:
    """The number of the hand whose cards are dealt."""
    return number - number % 2 if duplicate else number


@dataclass(frozen=True)
class MatchPlan:
    """What a match is made of. It may be sent to another process if agents are factories."""

    game: Game
    a: AgentLike
    b: AgentLike
    aivat: CorrectionLike | None
    seed: int
    duplicate: bool

    @property
    def makes_all(self) -> bool:
        """Whether agents are made where they are needed, none is an object of this process."""
        is_object = isinstance(self.a, Agent) or isinstance(self.b, Agent)
        return not is_object and (self.aivat is None or _makes_correction(self.aivat))

    def referee(self) -> Referee:
        """Make the agents; refuses what is none."""
        agents = _agent(self.a, "A"), _agent(self.b, "B")
        if agents[0] is agents[1] and type(agents[0]).start is not Agent.start:
            raise AgentError(
                f"A and B are one object, and {type(agents[0]).__name__} keeps track of a hand: "
                "give two objects, or a function that makes one"
            )
        correction: Any = self.aivat
        if _makes_correction(correction):
            correction = correction()
        if correction is not None and not callable(getattr(correction, "value", None)):
            raise BadInputError(
                f"aivat has no method value(hand, seat): {type(correction).__name__}"
            )
        return Referee(self.game, agents, correction, self.seed, self.duplicate)


@dataclass(frozen=True)
class Referee:
    """Plays the hands of a match by the rules."""

    game: Game
    agents: tuple[Agent, Agent]
    correction: Correction | None
    seed: int
    duplicate: bool

    def play(self, number: int) -> Played:
        """Play one hand; which ones were played before makes no difference."""
        seats = self.agents if number % 2 == 0 else self.agents[::-1]
        cards = cards_of(number, duplicate=self.duplicate)
        hand = play_hand(self.game, seats, self.seed, number, cards=cards)
        if self.correction is None:
            return Played(hand, None)
        return Played(hand, float(self.correction.value(hand, number % 2)))


def _makes_correction(given: object) -> bool:
    return isinstance(given, type) or (callable(given) and not hasattr(given, "value"))


def _agent(given: AgentLike, which: str) -> Agent:
    made = given if isinstance(given, Agent) else given() if callable(given) else given
    if isinstance(made, Agent):
        return made
    if callable(getattr(made, "act", None)) and callable(getattr(made, "start", None)):
        return cast("Agent", made)
    raise AgentError(
        f"{which} is no agent: {type(made).__name__} has no methods start and act; give an Agent, "
        "or a function without arguments that makes one"
    )


def title_of(player: object) -> str:
    """What an agent or a correction is called in logs and results: its name, or its class."""
    name = getattr(player, "name", None)
    return name if isinstance(name, str) and name else type(player).__name__
