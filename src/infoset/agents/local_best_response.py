"""Local best response: a player who knows how the other plays, and looks one action ahead.

Lisy & Bowling (2017), Equilibrium Approximation Quality of Current No-Limit Poker Bots. It keeps
the exact range of its opponent, and judges every action as if the hand were checked down after it:

- *call*: ``wp * pot - (1 - wp) * asked``, where ``wp`` is the probability to win the showdown (a
  tie is half a win), ``pot`` what is in the middle and ``asked`` what a call costs;
- *bet* ``a`` beyond the call:
  ``fp * pot + (1 - fp) * (wp' * (pot + a) - (1 - wp') * (asked + a))``, where ``fp`` is the
  probability that the opponent folds to it, and ``wp'`` is against the hands that do not fold;
- *fold*: 0.

It takes the best action, and of equally good ones the first in the order fold, call, small to large
bets. What it wins is a lower bound on what a best response wins; if it loses, that proves nothing.

Choices and deviations:

- ``wp`` is exact: from the flop on all boards are dealt, before the flop of a whole deck a table of
  all pairs of hands is read (`infoset.cards.equity_against`).
- ``fc`` has fold and call, ``fcpa`` adds the pot and all-in. ``56bets`` has 56 sizes from the
  smallest bet to all-in, evenly spaced on a logarithmic scale: the paper's own were not at hand.
- An action that the opponent never takes, with any hand, says nothing about his hand: somebody else
  may sit there.
- A size that the rules do not have becomes the nearest one that they do, so that limit games and
  games with a menu of bets can be played too.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal, get_args

import numpy as np

from infoset.agents.agent import Agent, Answer, Floats, Known, Seen
from infoset.agents.pairings import betting_of, pairings_of, raises_of, staying
from infoset.errors import AgentError, BadInputError, nearest, shorten
from infoset.games import CHANCE, DealtGame, Game, PublicState, name_of

Menu = Literal["fc", "fcpa", "56bets"]
MENUS: tuple[str, ...] = get_args(Menu)
NUM_BETS = 56


class LocalBestResponse(Agent):
    """Plays a local best response to an opponent whose strategy is known, in either seat.

    ``actions`` are those it considers. Before ``from_street`` it only checks and calls, as some of
    the figures of the paper ask; streets count from 0.

    >>> import infoset
    >>> from infoset.agents import Folder, play_hand
    >>> game = infoset.game("holdem")
    >>> agents = [LocalBestResponse(game, Folder()), Folder()]
    >>> [int(play_hand(game, agents[::s], seed=1, hand=0).payoff) for s in (1, -1)]
    [50, -100]
    """

    def __init__(
        self, game: Game, opponent: Known, actions: Menu = "fcpa", *, from_street: int = 0
    ) -> None:
        if not isinstance(game, DealtGame) or betting_of(game.public()) is None:
            raise AgentError(
                f"a local best response plays poker, and {name_of(game)} is none by its rules"
            )
        if not isinstance(opponent, Known):
            raise AgentError(
                f"a local best response must know what {type(opponent).__name__} would do with "
                "every hand, but it has no range_strategy"
            )
        if actions not in MENUS:
            raise BadInputError(
                f"there are no actions {shorten(str(actions))}{nearest(str(actions), MENUS)}"
            )
        self.game = game
        self.opponent = opponent
        self.actions = actions
        self.from_street = from_street
        self._pairings = pairings_of(game)
        self._walked: _Walked | None = None

    def start(self, game: Game, seat: int, random: Random) -> None:
        """Forget the last hand."""
        self._walked = None

    def act(self, seen: Seen) -> Answer:
        """The best of the actions that are considered."""
        public = seen.public
        betting = None if public is None else betting_of(public)
        if public is None or betting is None:
            raise AgentError(f"a local best response plays {name_of(self.game)} only")
        if betting.street < self.from_street:
            return staying(public)
        values = self.values(seen)
        return max(values, key=values.__getitem__)  # the first of the best

    def values(self, seen: Seen) -> dict[str, float]:
        """What the actions that are considered win, in chips, more than a fold."""
        public, hand = seen.public, seen.hand
        assert public is not None
        assert hand is not None
        reach = self._opponent_range(public, seen.seat, hand)
        betting = betting_of(public)
        assert betting is not None
        gone = getattr(self.game, "pot", 0) / 2 + float(betting.put[seen.seat])
        stays, raises = self._considered(public)
        values = {}
        for action in (*stays, *raises):
            if action == "fold":
                values[action] = 0.0
                continue
            judge = self._if_raised if action in raises else self._if_down
            values[action] = gone + judge(public.child(action), 1 - seen.seat, hand, reach)
        return values

    def _if_down(self, public: PublicState, other: int, hand: int, reach: Floats) -> float:
        """What we win on average if both check and call from here on."""
        lost = self._pairings.checked_down(public, other, hand)
        return -float(reach @ lost / reach.sum())

    def _if_raised(self, public: PublicState, other: int, hand: int, reach: Floats) -> float:
        """What we win after a bet: at once if the opponent folds, else checked down."""
        folds = reach * self.opponent.range_strategy(public).get("fold", 0.0)
        stays = reach - folds
        lost = folds @ self._pairings.payoffs(public.child("fold"), other, hand)
        lost += stays @ self._pairings.checked_down(public, other, hand)
        return -float(lost / reach.sum())

    def _considered(self, public: PublicState) -> tuple[Sequence[str], Sequence[str]]:
        """Fold and call, and the raises that are considered, by their labels."""
        labels, state = public.actions, betting_of(public)
        assert state is not None
        totals = raises_of(public)
        num_stays = len(labels) - len(totals)
        stays = labels[:num_stays]
        if self.actions == "fc" or not totals:
            return stays, ()
        opposite = float(state.put[1 - state.player])
        if self.actions == "fcpa":
            pot = getattr(self.game, "pot", 0) + 2 * opposite
            wanted = [opposite + pot, float(totals[-1])]
        else:
            least, most = (float(totals[end]) - opposite for end in (0, -1))
            wanted = (opposite + np.geomspace(least, most, NUM_BETS)).tolist()
        places = sorted({_place_of_nearest(totals, total) for total in wanted})
        return stays, [labels[num_stays + place] for place in places]

    def _opponent_range(self, public: PublicState, seat: int, hand: int) -> Floats:
        """[hands] How likely the opponent holds each hand here, up to a factor."""
        steps = steps_of(public.public_history)
        walked = self._walked
        if walked is None or not walked.leads_to(steps, seat, hand):
            reach = self._pairings.dealt(1 - seat, hand)
            walked = _Walked(self.game.public(), [], seat, hand, reach)
        for step in steps[len(walked.steps) :]:
            walked = self._after(walked, step)
        self._walked = walked
        return walked.reach

    def _after(self, walked: _Walked, step: str) -> _Walked:
        public, seat, hand, reach = walked.public, walked.seat, walked.hand, walked.reach
        if public.player == CHANCE:
            reach = reach * self._pairings.revealed(public, step, 1 - seat, hand)
        elif public.player == 1 - seat:
            likely = reach * self.opponent.range_strategy(public).get(step, 0.0)
            # Somebody else may sit there: what is never done says nothing about his hand.
            reach = likely if likely.any() else reach
        return _Walked(public.child(step), [*walked.steps, step], seat, hand, reach)


class _Walked:
    """How far a hand was followed, and what the opponent may hold there."""

    def __init__(
        self, public: PublicState, steps: list[str], seat: int, hand: int, reach: Floats
    ) -> None:
        self.public = public
        self.steps = steps
        self.seat = seat
        self.hand = hand
        self.reach = reach

    def leads_to(self, steps: list[str], seat: int, hand: int) -> bool:
        """Whether a place is further on in the same hand."""
        is_same = (seat, hand) == (self.seat, self.hand)
        return is_same and steps[: len(self.steps)] == self.steps


def steps_of(public_history: str) -> list[str]:
    """The actions and cards of a public history of poker, in order.

    >>> steps_of("call,check/8d7h2c:check,bet 100")
    ['call', 'check', '8d7h2c', 'check', 'bet 100']
    """
    steps = []
    for number, street in enumerate(public_history.split("/")):
        cards, _, actions = street.rpartition(":")
        steps += [cards] if number else []
        steps += actions.split(",") if actions else []
    return steps


def _place_of_nearest(totals: Sequence[float], wanted: float) -> int:
    """Which of some ascending totals is nearest; of two, the smaller."""
    if isinstance(totals, range):
        return round(min(max(wanted, totals[0]), totals[-1])) - totals[0]
    return min(range(len(totals)), key=lambda place: abs(float(totals[place]) - wanted))
