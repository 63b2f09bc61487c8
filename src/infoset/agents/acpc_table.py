"""The table of an ACPC dealer: who sits there, and one hand dealt to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from infoset.agents.acpc_program import Program
from infoset.agents.agent import Agent, Seen
from infoset.agents.hands import SEAT_0, chosen, numbers_of
from infoset.games import CHANCE, TERMINAL, State
from infoset.games.holdem import Holdem, HoldemDeal
from infoset.interop import LoggedHand, MatchState, match_state


class Seat(Protocol):
    """A player at the table: a program, or an agent of ours."""

    @property
    def name(self) -> str:
        """What logs and messages call him."""

    def start(self, hand: int, position: int) -> None:
        """A new hand begins."""

    def tell(self, state: MatchState) -> None:
        """How the hand stands, as he may see it."""

    def ask(self, state: MatchState, deal: HoldemDeal) -> str:
        """The label of his action, where he was just told the state."""


class AgentSeat:
    """An agent of ours."""

    def __init__(self, game: Holdem, agent: Agent, name: str, seed: int) -> None:
        self.name = name
        self._game, self._agent, self._seed = game, agent, seed

    def start(self, hand: int, position: int) -> None:
        """Give the agent the random numbers that it has in any match with this seed."""
        self._random = numbers_of(self._seed, hand, SEAT_0 + position)
        self._agent.start(self._game, position, self._random)

    def tell(self, state: MatchState) -> None:
        """An agent is shown all when it must act."""

    def ask(self, state: MatchState, deal: HoldemDeal) -> str:
        """Its action, drawn if it answers with probabilities."""
        seen = Seen(deal)
        return chosen(self._agent.act(seen), seen, self._random)


class ProgramSeat:
    """A program behind a connection."""

    def __init__(self, program: Program) -> None:
        self.name = program.name
        self._program = program

    def start(self, hand: int, position: int) -> None:
        """Its time for a hand begins anew."""
        self._program.clock.new_hand()

    def tell(self, state: MatchState) -> None:
        """Send the state."""
        self._program.tell(state)

    def ask(self, state: MatchState, deal: HoldemDeal) -> str:
        """Its answer."""
        return self._program.ask(state, deal.public)


class DealtHand(NamedTuple):
    """A hand that is over, of which the players have not been told the end."""

    logged: LoggedHand
    last: MatchState
    shown: bool
    """Whether the hands are shown: nobody folded."""


def deal_hand(
    game: Holdem,
    number: int,
    players: Sequence[Seat],
    first: int,
    draw: Callable[[State], str],
) -> DealtHand:
    """Deal a hand to both players, of whom ``first`` is in position 0; cards come from ``draw``."""
    at_table = players[first], players[1 - first]
    for position, seat in enumerate(at_table):
        seat.start(number, position)
    state, steps = game.root(), list[str]()
    while True:
        while state.player == CHANCE:
            steps.append(draw(state))
            state = state.child(steps[-1])
        now = match_state(number, steps)
        if state.player == TERMINAL:
            names = at_table[0].name, at_table[1].name
            logged = LoggedHand(number, tuple(steps), int(state.payoff), names)
            return DealtHand(logged, now, not now.betting.endswith("f"))
        tell(players, first, now, shown=False)
        mover = state.player
        steps.append(at_table[mover].ask(now.seen_from(mover, shown=False), state))
        state = state.child(steps[-1])


def tell(players: Sequence[Seat], first: int, state: MatchState, *, shown: bool) -> None:
    """Tell both players how the hand stands, each as he may see it."""
    for number, seat in enumerate(players):
        seat.tell(state.seen_from((number + first) % 2, shown=shown))
