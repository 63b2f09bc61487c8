"""An agent behind the ACPC protocol: it plays at the table of a dealer, ours or another.

The dealer does not say which game it deals: the client must be told. Every state is followed by
the rules of that game, and what is against them ends the match.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from infoset.agents.acpc_peer import LOOPBACK, VERSION, ClosedError, Peer, PeerError, connect
from infoset.agents.agent import Agent, Seen
from infoset.agents.hands import SEAT_0, chosen, numbers_of
from infoset.errors import BadInputError, shorten
from infoset.games import TERMINAL, DealtState, Game
from infoset.games.holdem import Holdem, HoldemState
from infoset.interop import MatchState, action_text, parse_match_state, replay_match_state

PATIENCE = 1500.0
"""Seconds without news from the dealer: the other player may take 600 twice, and be told."""


class OwnView(DealtState):
    """A state as one player sees it: the other's hand is not known."""

    __slots__ = ()

    @property
    def player(self) -> int:
        """Whoever moves in public; both hands are dealt."""
        return self.public.player


class PlayedMatch(NamedTuple):
    """What a client saw of a match."""

    hands: int
    """How many were played to their end."""
    won: int
    """What the client won in them."""
    ended: str = ""
    """Why it ended in the middle of a hand; empty if it did not."""


@dataclass
class AcpcClient:
    """A seat at the table of a dealer, and the agent that plays there.

    Its random numbers are those that the agent has in any match with this seed.
    """

    game: Game
    agent: Agent
    port: int
    host: str = LOOPBACK
    seed: int = 0
    patience: float = PATIENCE
    """Seconds without news from the dealer after which it is given up."""
    connecting: float = 10.0
    """Seconds in which a dealer may still start to listen."""
    on_hand: Callable[[PlayedMatch], None] = lambda match: None
    """Called after every hand."""

    def __post_init__(self) -> None:
        if not isinstance(self.game, Holdem):
            raise BadInputError(
                "the ACPC protocol is for hold'em: give a game such as holdem or "
                "holdem(betting=limit)"
            )

    def play(self) -> PlayedMatch:
        """Connect, and play until the dealer closes the connection."""
        peer = connect(self.port, self.host, "the dealer", self.connecting)
        sitting = _Sitting(self, peer)
        try:
            sitting.play()
        except PeerError as error:
            if not sitting.is_between_hands or not isinstance(error, ClosedError):
                return sitting.match._replace(ended=f"{error}{sitting.where}")
            if not sitting.match.hands:
                return sitting.match._replace(ended=f"{error} before the first hand")
        finally:
            peer.close()
        return sitting.match


class _Sitting:
    """A client at a table."""

    def __init__(self, client: AcpcClient, peer: Peer) -> None:
        assert isinstance(client.game, Holdem)
        self._client, self._game, self._peer = client, client.game, peer
        self.match = PlayedMatch(0, 0)
        self.is_between_hands = True
        self._now: tuple[int, int] | None = None  # the number of the hand, and the position in it
        self._random = Random()

    @property
    def where(self) -> str:
        """The hand that is played, as the end of a message."""
        return "" if self._now is None else f" (hand {self._now[0]})"

    def play(self) -> None:
        """Answer the dealer until something ends the match."""
        self._peer.send(VERSION)
        last, deadline = "", time.monotonic() + self._client.patience
        while True:
            line = self._peer.receive(deadline)
            if line is None or time.monotonic() > deadline:
                raise PeerError(f"the dealer said nothing new for {self._client.patience:g} s")
            if line and line[0] not in "#;" and line != last:
                self._follow(line)
                last, deadline = line, time.monotonic() + self._client.patience

    def _follow(self, line: str) -> None:
        """See a state, and answer it if that is asked for."""
        try:
            state = parse_match_state(line)
            public = replay_match_state(state, self._game)[1]
            hands = [self._number(cards) for cards in state.hands]
        except BadInputError as error:
            raise PeerError(f"the dealer sent {shorten(line)}: {error}") from error
        assert state.position is not None
        now = state.hand, state.position
        if now != self._now:
            if not self.is_between_hands:
                raise PeerError(f"the dealer began hand {state.hand} in the middle of another")
            self._now, self.is_between_hands = now, False
            self._random = numbers_of(self._client.seed, state.hand, SEAT_0 + state.position)
            self._client.agent.start(self._game, state.position, self._random)
        if public.player == state.position:
            seen = Seen(OwnView(self._game, public, *hands))
            label = chosen(self._client.agent.act(seen), seen, self._random)
            self._peer.send(f"{line}:{action_text(label)}")
        elif public.player == TERMINAL:
            self.is_between_hands = True
            payoff = self._payoff(state, public, hands)
            won = payoff if state.position == 0 else -payoff
            self.match = PlayedMatch(self.match.hands + 1, self.match.won + won)
            self._client.on_hand(self.match)

    def _number(self, cards: str) -> int | None:
        """The number of a hand among those of the game; `None` if it is hidden."""
        return self._game.root().child(cards).hand0 if cards else None

    def _payoff(self, state: MatchState, public: HoldemState, hands: list[int | None]) -> int:
        """What position 0 won in a hand that is over."""
        hand0, hand1 = hands
        if state.betting.endswith("f"):
            return int(self._game.payoff(public.ending, 0, 0))  # whatever the hands are
        if hand0 is None or hand1 is None:
            raise PeerError("the dealer did not show the cards at the end")
        return int(self._game.payoff(public.ending, hand0, hand1))
