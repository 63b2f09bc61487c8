"""The table: two agents play one hand by the rules, and nobody sees what he may not.

All chance of a hand comes from its own numbers, made of a seed and the number of the hand: a
hand is the same whoever plays the others, and in whichever order or process. Cards are drawn from
other numbers than actions, so two agents who change seats get the cards that the other had.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple, cast

from infoset.agents.agent import Agent, Alike, Answer, Seen, Witness
from infoset.errors import AgentError, shorten
from infoset.games import CHANCE, TERMINAL, Game, Number, State

CARDS, SEAT_0, SEAT_1 = range(3)
"""What the numbers of a hand are for: chance, and each player."""


class Hand(NamedTuple):
    """One hand, as it was played."""

    steps: tuple[str, ...]
    """All that happened, from the root on: deals, actions and cards, by their labels."""
    payoff: Number
    """What player 0 won."""


def numbers_of(seed: int, hand: int, purpose: int) -> Random:
    """The random numbers of a hand: of its chance or of one of its seats."""
    return Random(_seed_of(seed, hand, purpose))


def _seed_of(seed: int, hand: int, purpose: int) -> int:
    return (((seed << 64) | hand) << 2) | purpose


class LateRandom(Random):
    """Random numbers that are worked out when the first one is asked for.

    To seed a generator takes as long as to play a short hand, and players who draw nothing need
    none.

    >>> late = LateRandom()
    >>> late.seed_later(5)
    >>> late.random() == Random(5).random()
    True
    """

    _waiting: int | None = None

    def seed_later(self, seed: int) -> None:
        """Begin again, as ``Random(seed)`` would."""
        self._waiting = seed

    def random(self) -> float:
        """The next number."""
        if self._waiting is not None:
            self.seed(self._waiting)
        return super().random()

    def getrandbits(self, k: int, /) -> int:
        """So many random bits."""
        if self._waiting is not None:
            self.seed(self._waiting)
        return super().getrandbits(k)

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin again now."""
        self._waiting = None
        super().seed(a, version)

    def getstate(self) -> tuple[Any, ...]:
        """The state, for `setstate`."""
        if self._waiting is not None:
            self.seed(self._waiting)
        return super().getstate()

    def setstate(self, state: Any) -> None:
        """Go on from a state."""
        self._waiting = None
        super().setstate(state)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """A number of the normal distribution; every second one was drawn with the one before."""
        if self._waiting is not None:
            self.seed(self._waiting)
        return super().gauss(mu, sigma)


_free: list[LateRandom] = []
"""Generators that no hand is using."""


def play_hand(
    game: Game, agents: Sequence[Agent], seed: int, hand: int, *, cards: int | None = None
) -> Hand:
    """Play a hand; ``agents`` are in the order of seats.

    ``cards`` is the number of the hand whose cards are dealt, if not its own: both hands of a
    duplicate pair have the same.

    >>> from infoset.agents import Passive
    >>> from infoset.games import make
    >>> hand = play_hand(make("leduc"), [Passive(), Passive()], seed=1, hand=0)
    >>> len(hand.steps), abs(hand.payoff)
    (7, 1)
    """
    chance = numbers_of(seed, hand if cards is None else cards, CARDS)
    own = [_late(seed, hand, SEAT_0), _late(seed, hand, SEAT_1)]
    try:
        for seat, (agent, random) in enumerate(zip(agents, own, strict=True)):
            agent.start(game, seat, random)
        state, steps = game.root(), []
        while (player := state.player) != TERMINAL:
            if player == CHANCE:
                step = draw_outcome(state, chance.random())
            else:
                seen = Seen(state)
                step = chosen(agents[player].act(seen), seen, own[player])
            steps.append(step)
            state = state.child(step)
        for agent in agents:
            if _is_witness(type(agent)):
                cast("Witness", agent).end(steps, state.payoff)
        return Hand(tuple(steps), state.payoff)
    finally:
        _free.extend(own)


def _late(seed: int, hand: int, purpose: int) -> LateRandom:
    random = _free.pop() if _free else LateRandom()
    random.seed_later(_seed_of(seed, hand, purpose))
    return random


@lru_cache(maxsize=256)
def _is_witness(kind: type) -> bool:
    """Whether agents of a class are told how hands end; it takes as long to see as half a hand."""
    return issubclass(kind, Witness)


def draw_outcome(state: State, number: float) -> str:
    """The outcome of chance at a share, from 0 to 1, of all."""
    draw: Any = getattr(state, "outcome_at", None)
    if draw is not None:
        return str(draw(number))
    outcomes = state.chance
    return outcomes[_at([float(p) for _, p in outcomes], number)][0]


def chosen(answer: Answer, seen: Seen, random: Random) -> str:
    """The action that an answer means, drawn if it is a distribution; refused if it is none."""
    if isinstance(answer, str):
        return _checked(answer, seen)
    if isinstance(answer, Alike) and answer.actions:
        return _checked(answer.actions[int(random.random() * len(answer.actions))], seen)
    if not isinstance(answer, Mapping):
        raise AgentError(
            f"{_where(seen)} an agent answered with {type(answer).__name__}; answer with the label "
            "of an action, or {action: probability}"
        )
    likely = {action: float(p) for action, p in answer.items() if p != 0}
    total = math.fsum(likely.values())
    if not all(0 < p < math.inf for p in likely.values()) or not abs(total - 1) <= 1e-6:
        raise AgentError(
            f"{_where(seen)} an agent answered with {shorten(str(dict(answer)))}; probabilities "
            "are at least 0 and sum to 1"
        )
    actions = list(likely)
    for action in actions:
        _checked(action, seen)
    return actions[_at([*likely.values()], random.random())]


def _at(probabilities: list[float], number: float) -> int:
    """Which of some alternatives lies at a share of all; rounding never leads past the last."""
    wanted = number * math.fsum(probabilities)
    for place, total in enumerate(accumulate(probabilities)):
        if wanted < total:
            return place
    return max(place for place, p in enumerate(probabilities) if p > 0)


def _checked(action: str, seen: Seen) -> str:
    if seen.allows(action):
        return action
    listed = seen.actions
    few = ", ".join(map(str, listed[:8])) + (", ..." if len(listed) > 8 else "")
    raise AgentError(f"{_where(seen)} an agent answered {shorten(str(action))}; possible are {few}")


def _where(seen: Seen) -> str:
    return f"at {shorten(seen.infoset)}, in seat {seen.seat},"
