"""A program behind the ACPC protocol as an agent: any agent can play any program."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from types import TracebackType

from infoset.agents.acpc_peer import LOOPBACK, Limits, accept, listen, port_of
from infoset.agents.acpc_program import Clock, Program
from infoset.agents.agent import Agent, Answer, Seen
from infoset.errors import AgentError
from infoset.games import Game, Number, name_of
from infoset.games.holdem import Holdem, HoldemState
from infoset.interop import MatchState, match_state


class AcpcAgent(Agent):
    """A program that connects to a port of ours, and plays hold'em as the protocol says.

    It listens at once, and waits for the program when the first hand begins. The program is told
    what happened since its last action when it must act again, and the rest when the hand ends. A
    program that is gone, or too slow, is a `PeerError`; an answer that is no possible action is
    taken as a call, or check.

    It is one connection, so it plays one hand at a time, in one process. How many hands there will
    be is not known, so there is no limit for their mean.
    """

    def __init__(
        self,
        game: Game,
        *,
        port: int = 0,
        host: str = LOOPBACK,
        name: str = "the program",
        limits: Limits | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        if not isinstance(game, Holdem):
            raise AgentError(f"the ACPC protocol is for hold'em, not for {name_of(game)}")
        self._game = game
        self._name, self._note = name, note
        self._limits = limits or Limits()
        self._listener = listen(port, host)
        self.port = port_of(self._listener)
        """Where the program connects."""
        self._program: Program | None = None
        self._hand = -1
        self._seat = 0
        self._told = 0  # states of this hand that were sent

    def wait(self) -> Program:
        """Wait for the program to connect, if it has not."""
        if self._program is None:
            deadline = time.monotonic() + self._limits.start
            peer = accept(self._listener, self._name, deadline)
            self._program = Program(peer, Clock(self._limits), self._note)
        return self._program

    def start(self, game: Game, seat: int, random: Random) -> None:
        """The next hand begins."""
        if game is not self._game and game != self._game:
            raise AgentError(f"this program plays {name_of(self._game)}, not {name_of(game)}")
        self.wait().clock.new_hand()
        self._hand += 1
        self._seat, self._told = seat, 0

    def act(self, seen: Seen) -> Answer:
        """Tell the program what happened, and ask it."""
        public = seen.public
        assert isinstance(public, HoldemState)
        assert seen.hand is not None
        own = self._game.hands[seen.hand]
        hands = (own, "") if self._seat == 0 else ("", own)
        states = self._states([*hands, *_labels(public.public_history)])
        self._tell(states, shown=False)
        return self.wait().ask(states[-1].seen_from(self._seat, shown=False), public)

    def end(self, steps: Sequence[str], payoff: Number) -> None:
        """Tell the program how the hand ended."""
        states = self._states(steps)
        self._tell(states[:-1], shown=False)
        self._tell(states, shown=steps[-1] != "fold")

    def _states(self, steps: Sequence[str]) -> list[MatchState]:
        """How the hand stood whenever something had happened: not where cards were due."""
        ends = [
            end
            for end in range(2, len(steps) + 1)
            if end == len(steps) or steps[end][:1].islower()  # cards begin with a rank
        ]
        return [match_state(self._hand, steps[:end]) for end in ends]

    def _tell(self, states: Sequence[MatchState], *, shown: bool) -> None:
        """Send what was not sent yet."""
        for state in states[self._told :]:
            self.wait().tell(state.seen_from(self._seat, shown=shown))
        self._told = max(self._told, len(states))

    def close(self) -> None:
        """Let the program go."""
        self._listener.close()
        if self._program is not None:
            self._program.peer.close()

    def __enter__(self) -> AcpcAgent:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _labels(public_history: str) -> list[str]:
    """Actions and cards, in the order of a public history.

    >>> _labels("raise300,call/8d7h2c:check")
    ['raise300', 'call', '8d7h2c', 'check']
    """
    labels: list[str] = []
    for number, street in enumerate(public_history.split("/")):
        cards, _, actions = street.rpartition(":")
        labels += [cards] if number else []
        labels += actions.split(",") if actions else []
    return labels
