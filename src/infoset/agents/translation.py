"""Action translation: a strategy for a few bet sizes, played where any size may be bet.

A bet that the small game lacks is taken for one of the two nearest that it has, at random: with
sizes ``A < x < B`` in pots, ``x`` is taken for ``A`` with the probability of the pseudo-harmonic
mapping, ``(B - x)(1 + A) / ((B - A)(1 + x))``. (Ganzfried and Sandholm 2013, "Action Translation in
Extensive-Form Games with Large Action Spaces".) Nothing is taken for a check.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np

from infoset.agents.agent import Agent, Answer, Floats, Known, Seen
from infoset.agents.hands import chosen
from infoset.agents.strategy_agent import REMEMBERED
from infoset.errors import AgentError, BadInputError, shorten
from infoset.games import CHANCE, DealtState, Game, PublicState, name_of
from infoset.games.holdem import NOBODY, HoldemGame, HoldemState

Size = int | float | Fraction


def translate_size(size: Size, sizes: Sequence[Size], *, pot: Size = 1) -> dict[Size, Size]:
    """Which sizes a bet is taken for, and with which probabilities.

    ``sizes`` ascend, and are in the same unit as ``size`` and the pot.

    >>> translate_size(Fraction(3, 4), [Fraction(1, 2), Fraction(1)])
    {Fraction(1, 2): Fraction(3, 7), Fraction(1, 1): Fraction(4, 7)}
    >>> translate_size(20, [50, 100], pot=100), translate_size(100, [50, 100], pot=100)
    ({50: 1}, {100: 1})
    """
    if not sizes or sizes[0] <= 0 or any(a >= b for a, b in pairwise(sizes)):
        raise BadInputError("sizes to translate to are positive and ascend, and there is one")
    above = bisect_left(sizes, size)
    if above == len(sizes) or above == 0 or size == sizes[above]:
        return {sizes[min(above, len(sizes) - 1)]: 1}
    low, high = sizes[above - 1], sizes[above]
    share = (high - size) * (pot + low) / ((high - low) * (pot + size))
    return {low: share, high: 1 - share}


class TranslatedAgent(Agent):
    """Plays a game with an agent for the same game with fewer bet sizes.

    It follows the hand in the smaller game. There, the opponent's bets and raises become sizes of
    it, drawn by `translate_size`, and all-in stays all-in. What the agent answers is played with
    the same share of the pot, in whole chips, or as the nearest size that is possible; all-in is
    all-in. Once a player is all-in in the smaller game alone, it checks and calls.

    >>> from infoset.agents import Uniform
    >>> from infoset.games import make
    >>> game, smaller = make("holdem"), make("holdem(raises=pot)")
    >>> agent = TranslatedAgent(game, smaller, Uniform())
    >>> public = game.public().child("raise250").child("call").child("8d7h2c").child("check")
    >>> list(agent.range_strategy(public))
    ['check', 'raise750', 'raise20000']
    """

    def __init__(self, game: Game, inner_game: Game, agent: Agent) -> None:
        self.game, self.inner_game = _checked(game, inner_game)
        self.agent = agent
        self._random = Random(0)
        self._known: dict[tuple[int, str], _Branches] = {}
        self._begin()

    def start(self, game: Game, seat: int, random: Random) -> None:
        """A new hand begins, in both games."""
        self._random = random
        self._begin()
        self.agent.start(self.inner_game, seat, random)

    def _begin(self) -> None:
        self._steps: list[str] = []
        """What has happened, as far as it was followed."""
        self._outer, self._inner = self.game.public(), self.inner_game.public()
        self._own = "", ""
        """The last answer: the action of the agent in the smaller game, and what was played."""

    def act(self, seen: Seen) -> Answer:
        """The action that stands for the agent's, drawn if he mixes."""
        public, hand = seen.public, seen.hand
        assert isinstance(public, HoldemState)
        assert hand is not None
        steps = steps_of(public.public_history)
        if steps[: len(self._steps)] != self._steps:
            self._begin()
        for step in steps[len(self._steps) :]:
            self._follow(step, seen.seat)
        if self._inner.player < 0:
            return self._outer.stay_label
        # Of both hands, the agent is shown only his own.
        inner = Seen(DealtState(self.inner_game, self._inner, hand, hand))
        action = self._chosen(self.agent.act(inner), inner)
        self._own = action, _played(self._inner, action, self._outer)
        return self._own[1]

    def _follow(self, step: str, seat: int) -> None:
        """Take a step of the hand in both games."""
        outer, inner = self._outer, self._inner
        self._outer = outer.child(step)
        self._steps.append(step)
        if outer.player == CHANCE:
            self._inner = inner.child(step)
        elif inner.player >= 0:
            action, played = self._own
            if outer.player != seat or step != played:
                action = self._drawn(_taken_for(inner, outer, self._outer))
            self._inner = inner.child(action)

    def _drawn(self, probabilities: Mapping[str, float]) -> str:
        """One of some actions."""
        number = self._random.random()
        for action, probability in probabilities.items():  # noqa: B007
            number -= probability
            if number < 0:
                break
        return action

    def _chosen(self, answer: Answer, inner: Seen) -> str:
        """What the agent does in the smaller game."""
        return chosen(answer, inner, self._random)

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """By action, [hands of the game] the probability of it, whatever bets were taken for.

        Which sizes the opponent's bets were taken for is not known, and what was done since says
        something about it, for each hand something else: the mean over all that they may have been
        taken for, each weighted by how likely it led here with the hand.
        """
        assert isinstance(public, HoldemState)
        branches = self._branches_at(public)
        total = np.sum([weight for _, weight in branches.values()], axis=0)
        even = np.full_like(total, 1.0 / len(branches))
        by_action: dict[str, Floats] = {}
        for inner, weight in branches.values():
            share = np.divide(weight, total, out=even.copy(), where=total > 0.0)
            for _, played, probability in self._actions(inner, public):
                by_action[played] = by_action.get(played, 0.0) + share * probability
        return by_action

    def _actions(self, inner: HoldemState, outer: HoldemState) -> Iterator[tuple[str, str, Floats]]:
        """What the agent may do in the smaller game, what is played for it, and how likely."""
        if inner.player < 0:
            yield "", outer.stay_label, np.ones(1)
            return
        if not isinstance(self.agent, Known):
            raise AgentError(
                f"what {type(self.agent).__name__} does with every hand is not known, so it is not "
                "known of the same agent translated"
            )
        for action, probability in self.agent.range_strategy(inner).items():
            yield action, _played(inner, action, outer), probability

    def _branches_at(self, public: HoldemState) -> _Branches:
        """All states that the smaller game may be in where the agent acts."""
        seat, key = public.player, (public.player, public.public_history)
        if key in self._known:
            return self._known[key]
        outer, inner = self.game.public(), self.inner_game.public()
        branches = {"": (inner, np.ones(len(self.game.hands)))}
        for step in steps_of(public.public_history):
            after = outer.child(step)
            followed: _Branches = {}
            if outer.player == seat:
                self._follow_own_into(followed, branches, outer, step)
            # What the agent never does is followed as if the opponent had done it.
            if not followed:
                _follow_into(followed, branches, outer, step, after)
            outer, branches = after, followed
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[key] = branches
        return branches

    def _follow_own_into(
        self, followed: _Branches, branches: _Branches, outer: HoldemState, step: str
    ) -> None:
        for inner, weight in branches.values():
            for action, played, probability in self._actions(inner, outer):
                if played == step:
                    after = inner.child(action) if action else inner
                    _add_into(followed, after, weight * probability)


_Branches = dict[str, tuple[HoldemState, Floats]]
"""By public history: a state of the smaller game, and [hands] how likely it is to be there, if the
hand is held and the opponent and chance do what they did."""


def _follow_into(
    followed: _Branches, branches: _Branches, outer: HoldemState, step: str, after: HoldemState
) -> None:
    """Take a step of chance or of the opponent in all states of the smaller game."""
    for inner, weight in branches.values():
        if outer.player == CHANCE:
            _add_into(followed, inner.child(step), weight)
        elif inner.player < 0:
            _add_into(followed, inner, weight)
        else:
            for action, probability in _taken_for(inner, outer, after).items():
                _add_into(followed, inner.child(action), weight * probability)


def _add_into(branches: _Branches, state: HoldemState, weight: Floats) -> None:
    known = branches.get(state.public_history)
    branches[state.public_history] = state, weight if known is None else known[1] + weight


def steps_of(public_history: str) -> list[str]:
    """The actions and cards of a public history.

    >>> steps_of("raise300,call/8d7h2c:check,raise600")
    ['raise300', 'call', '8d7h2c', 'check', 'raise600']
    """
    first, *streets = public_history.split("/")
    steps = [*filter(None, first.split(","))]
    for street in streets:
        board, _, actions = street.partition(":")
        steps += [board, *filter(None, actions.split(","))]
    return steps


def _checked(game: Game, inner_game: Game) -> tuple[HoldemGame, HoldemGame]:
    """The two games, which may differ only in the bets that they have."""
    for each in (game, inner_game):
        if not isinstance(each, HoldemGame):
            raise AgentError(f"bets are translated in hold'em; {name_of(each)} is another game")
    assert isinstance(game, HoldemGame)
    assert isinstance(inner_game, HoldemGame)
    same: dict[str, Callable[[HoldemGame], object]] = {
        "deal the same hands": lambda game: (game.hand_cards, game.hand_weights),
        "begin with the same board, pot, blinds and bets": lambda game: (
            *(game.board, game.pot, game.first_state(), game.betting.min_bet),
        ),
        "have the same streets": lambda game: (game.street_cards, game.betting.last_street),
        "have the same stacks": lambda game: game.betting.stack,
    }
    for what, of in same.items():
        if of(game) != of(inner_game):
            raise AgentError(
                f"an agent for {name_of(inner_game)} cannot play {name_of(game)}: the two do not "
                f"{what}. They may differ only in the sizes of bets and raises"
            )
    return game, inner_game


def _pot(state: HoldemState) -> int:
    """What would lie in the middle after a call."""
    return state.game.pot + 2 * max(state.betting.put)


def _played(inner: HoldemState, action: str, outer: HoldemState) -> str:
    """What stands in the larger game for an action of the smaller one."""
    before, after = inner.betting, inner.child(action).betting
    if after.folder != NOBODY:
        return action
    total, level, totals = after.put[before.player], max(before.put), outer.raises
    if total <= level or not totals:
        return outer.stay_label
    stack = outer.game.betting.stack
    if total == stack:
        return outer.raise_label(totals[-1])
    wanted = max(outer.betting.put) + Fraction(total - level, _pot(inner)) * _pot(outer)
    above = min(bisect_left(totals, wanted), len(totals) - 1)
    near = totals[max(above - 1, 0)], totals[above]
    return outer.raise_label(min(near, key=lambda total: abs(total - wanted)))


def _taken_for(inner: HoldemState, outer: HoldemState, after: HoldemState) -> dict[str, float]:
    """What an action of the larger game, which led to `after`, is taken for in the smaller one."""
    player, level = outer.player, max(outer.betting.put)
    total = after.betting.put[player]
    if after.betting.folder != NOBODY:
        return {inner.game.labels(inner.betting)[0]: 1.0}
    stack = outer.game.betting.stack
    # Who is all-in in the smaller game alone cannot be raised there: that is called.
    if total <= level or max(inner.betting.put) == stack:
        return {inner.stay_label: 1.0}
    totals = inner.raises
    if not totals:
        where = f"after {shorten(inner.public_history)}" if inner.public_history else "at the start"
        raise AgentError(
            f"{name_of(inner.game)} has no bet or raise {where}, so a raise to {total} chips "
            "cannot be taken for one; use an agent whose game has sizes there"
        )
    if total == stack == totals[-1]:
        return {inner.raise_label(stack): 1.0}
    size, own = Fraction(total - level, _pot(outer)), max(inner.betting.put)
    above = bisect_left(totals, own + size * _pot(inner))
    near = {Fraction(t - own, _pot(inner)): t for t in totals[max(above - 1, 0) : above + 1]}
    return {
        inner.raise_label(near[Fraction(size)]): float(probability)
        for size, probability in translate_size(size, [*near]).items()
    }
