"""A dealer for matches by the ACPC protocol, between programs, agents, or one of each.

Programs connect to a port each. After everything that happens both are sent how the hand stands;
whoever must act answers. Players change positions every hand: in hand 0 the first one is in
position 0, the big blind. Cards come from the same numbers as those of `infoset.agents.play_hand`,
so the same players play the same hands as in a match without connections.

An answer that is no possible action is taken as a call, or check. A program that is gone, or has
used up its time, ends the match: as the authors of the protocol advise, nobody plays on in its
place. Every hand that was played is in the log by then, and the log says why there are no more.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from infoset.agents.acpc_peer import LOOPBACK, Limits, PeerError, accept, listen, port_of
from infoset.agents.acpc_program import Clock, Program
from infoset.agents.acpc_table import AgentSeat, DealtHand, ProgramSeat, Seat, deal_hand, tell
from infoset.agents.agent import Agent
from infoset.agents.hands import CARDS, draw_outcome, numbers_of
from infoset.agents.statistics import Statistics
from infoset.errors import BadInputError, shorten
from infoset.games import Game, State
from infoset.games.holdem import Holdem
from infoset.interop import Header, LogWriter, Score, is_name

MAX_HANDS = 10**9
MAX_SEED = 10**15 - 1
"""The largest number that a log may have."""

Cards = Callable[[int, State], str]
"""From the number of a hand and a state where chance moves: what comes up."""


class DealtMatch(NamedTuple):
    """What came of a match."""

    names: tuple[str, str]
    hands: int
    """How many were played to their end."""
    totals: tuple[int, int]
    """What each player won."""
    ended: str = ""
    """Why it ended before its last hand; empty if it did not."""
    by_seat: tuple[Statistics, Statistics] = (Statistics(), Statistics())
    """What the first player won in each seat."""

    @property
    def statistics(self) -> Statistics:
        """What the first player won a hand, with its interval."""
        return Statistics.of_groups(*self.by_seat)

    def after(self, dealt: DealtHand) -> DealtMatch:
        """The match with one more hand."""
        is_first = dealt.logged.names == self.names
        won = dealt.logged.payoff if is_first else -dealt.logged.payoff
        first, second = self.by_seat
        pair = (first.plus(won), second) if is_first else (first, second.plus(won))
        totals = self.totals[0] + won, self.totals[1] - won
        return self._replace(hands=self.hands + 1, totals=totals, by_seat=pair)


@dataclass
class AcpcDealer:
    """A match that is dealt here.

    >>> from infoset.agents import Folder, Uniform
    >>> from infoset.games import make
    >>> agents = {"Alice": Uniform(), "Bob": Folder()}
    >>> limit = make("holdem(betting=limit)")
    >>> match = AcpcDealer(limit, ("Alice", "Bob"), 100, agents=agents).play()
    >>> match.hands, match.totals, round(match.statistics.low, 2)
    (100, (535, -535), 4.38)
    """

    game: Game
    players: tuple[str, str]
    """Their names: of a program that will connect, or of one of the `agents`."""
    hands: int
    seed: int = 0
    agents: dict[str, Agent] = field(default_factory=dict)
    ports: tuple[int, int] = (0, 0)
    """Where each player connects; 0 for a port that is free."""
    host: str = LOOPBACK
    limits: Limits = field(default_factory=Limits)
    log: str | os.PathLike[str] | None = None
    """A file for all hands; it must not be there yet."""
    name: str = "match"
    """What the log calls the match."""
    first: int = 0
    """The number of the first hand."""
    cards: Cards | None = None
    """What is dealt, if not what the seed says."""
    note: Callable[[str], None] = lambda text: None
    """Called with a sentence about everything that a program does wrong."""
    watch: Callable[[str], None] | None = None
    """Called with every line that is sent or received, after who and when."""
    on_ports: Callable[[Sequence[int]], None] = lambda ports: None
    """Called with the ports that programs connect to, before it waits for them."""
    on_hand: Callable[[DealtMatch], None] = lambda match: None
    """Called after every hand."""

    def __post_init__(self) -> None:
        if not isinstance(self.game, Holdem):
            raise BadInputError(
                "the ACPC protocol is for hold'em: give a game such as holdem or "
                "holdem(betting=limit)"
            )
        if not 1 <= self.hands <= MAX_HANDS:
            raise BadInputError(f"hands must be 1 to {MAX_HANDS:,}, not {self.hands}")
        for what, value in (("the first hand", self.first), ("the seed", self.seed)):
            if not 0 <= value <= MAX_SEED:
                raise BadInputError(f"{what} must be 0 to {MAX_SEED:,}, not {value}")
        for name in (*self.players, self.name):
            if not is_name(name):
                raise BadInputError(
                    f"a log cannot name {shorten(name)}: a name has 1 to 100 characters, and no "
                    "blank, ':' or '|'"
                )
        for name in self.agents:
            if name not in self.players:
                raise BadInputError(f"there is an agent for {shorten(name)}, who does not play")
        if self.players[0] == self.players[1]:
            raise BadInputError(f"both players are called {shorten(self.players[0])}")

    def play(self) -> DealtMatch:
        """Wait for the programs, deal all hands, and say what came of it."""
        with contextlib.ExitStack() as stack:
            log = None if self.log is None else LogWriter(self.log)
            seats = self._seats(stack)
            self._log = None if log is None else stack.enter_context(log)
            if self._log is not None:
                self._log.begin(
                    Header(self.name, getattr(self.game, "name", ""), self.hands, self.seed),
                    response=self.limits.response,
                    hand=self.limits.hand,
                    mean=self.limits.mean,
                )
            match = self._match(seats)
            if self._log is not None and not match.ended:
                self._log.score(Score(match.totals, match.names))
        return match

    def _seats(self, stack: contextlib.ExitStack) -> list[Seat]:
        """Everybody at the table; ``stack`` will let the programs go."""
        listeners = {
            name: stack.enter_context(listen(port, self.host))
            for name, port in zip(self.players, self.ports, strict=True)
            if name not in self.agents
        }
        if listeners:
            self.on_ports([port_of(listener) for listener in listeners.values()])
        deadline = time.monotonic() + self.limits.start
        seats: list[Seat] = []
        for number, name in enumerate(self.players, start=1):
            if name in self.agents:
                assert isinstance(self.game, Holdem)
                seats.append(AgentSeat(self.game, self.agents[name], name, self.seed))
                continue
            peer = accept(listeners[name], name, deadline)
            stack.callback(peer.close)
            program = Program(peer, Clock(self.limits, self.hands), self._remark)
            if self.watch is not None:
                program.watch = self._watching(number, self.watch)
            seats.append(ProgramSeat(program))
        return seats

    @staticmethod
    def _watching(number: int, watch: Callable[[str], None]) -> Callable[[str, str], None]:
        return lambda way, line: watch(f"{way} {number} at {time.time():.6f} {line}")

    def _match(self, seats: Sequence[Seat]) -> DealtMatch:
        """Deal all hands, or until something ends the match."""
        assert isinstance(self.game, Holdem)
        match, end = DealtMatch(self.players, 0, (0, 0)), self.first + self.hands
        for hand in range(self.first, end):
            try:
                dealt = deal_hand(self.game, hand, seats, hand % 2, self._drawing(hand))
                match = match.after(dealt)
                if self._log is not None:
                    self._log.hand(dealt.logged)
                self.on_hand(match)
                tell(seats, hand % 2, dealt.last, shown=dealt.shown)
            except PeerError as error:
                # Who leaves before he is told how the last hand ended misses nothing else.
                if match.hands < self.hands:
                    match = match._replace(ended=f"{error} (hand {hand})")
                    self._remark(f"the match ended: {match.ended}")
                break
            except BaseException as error:
                if self._log is not None:
                    why = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
                    self._log.comment(f"the match ended: {why} (hand {hand})")
                raise
        return match

    def _drawing(self, hand: int) -> Callable[[State], str]:
        if (cards := self.cards) is not None:
            return lambda state: cards(hand, state)
        random = numbers_of(self.seed, hand, CARDS)
        return lambda state: draw_outcome(state, random.random())

    def _remark(self, text: str) -> None:
        """Say what a program did wrong, and keep it in the log."""
        self.note(text)
        if self._log is not None:
            self._log.comment(text)
