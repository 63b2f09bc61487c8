"""Measurements of a strategy on either form, and the infosets where it could gain most."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from infoset.evaluation.measure import (
    best_response_values,
    infoset_regrets,
    plan_in_lanes,
    plan_values,
    plans_in_lanes,
)
from infoset.evaluation.public import PublicEvaluation
from infoset.forms import SpotForm
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

NUM_LARGEST = 10


class Measurement(NamedTuple):
    """How good a strategy is, in chips; of a spot, values count the pot."""

    values: tuple[float, float]
    """What each player wins."""
    best_response_values: tuple[float, float]
    """What each player wins with a best response to the other."""
    nash_conv: float
    """What both best responses gain together."""

    @property
    def exploitability(self) -> float:
        """NashConv / 2."""
        return self.nash_conv / 2


class ActionGain(NamedTuple):
    """What always taking one action at an infoset would gain, all else as it is."""

    player: int
    infoset: str
    action: str
    gain: float
    """In chips a game: `regret` times `own_reach`."""
    regret: float
    """The counterfactual regret of the action: as if the player's own actions led there."""
    own_reach: float
    """The probability that the player's own actions lead there."""


class HandGain(NamedTuple):
    """What a best response would gain with one hand."""

    player: int
    hand: str
    gain: float
    """In chips a game, whatever hands are dealt; those of all hands sum to what a best response
    gains."""
    probability: float
    """Of the hand."""
    gain_with_hand: float
    """In chips, when the hand is dealt: `gain` over `probability`."""


def measure_strategy(strategy: Strategy, *, threads: int = 1) -> Measurement:
    """Measure a strategy exactly; the game must be known as a whole.

    >>> import infoset
    >>> measured = measure_strategy(infoset.uniform("kuhn"))
    >>> measured.values, round(measured.nash_conv, 6)
    ((0.125, -0.125), 0.916667)
    """
    if isinstance(strategy, PublicStrategy):
        evaluation = PublicEvaluation.of(strategy, threads=threads)
        half = strategy.form.spot.pot / 2 if isinstance(strategy.form, SpotForm) else 0.0
        won, best = evaluation.values(), evaluation.best_response_values()
        gained = sum(best) - (0.0 if strategy.form.is_zero_sum else sum(won))
        return Measurement(
            values=(half + won[0], half + won[1]),
            best_response_values=(half + best[0], half + best[1]),
            nash_conv=max(0.0, gained),  # rounding may take an equilibrium below zero
        )
    assert isinstance(strategy, SequenceStrategy)
    plans = plans_in_lanes(strategy)
    won, best = plan_values(strategy.form, plans), best_response_values(strategy.form, plans)
    gained = sum(best) - (0.0 if strategy.form.sequence_values is None else sum(won))
    return Measurement(won, best, gained)


def largest_gains(
    strategy: Strategy, number: int = NUM_LARGEST, *, threads: int = 1
) -> list[ActionGain] | list[HandGain]:
    """Where a strategy errs most, the largest gain first.

    In sequence form the best action of the infosets where it would gain most; in public form the
    hands with which a best response gains most.

    >>> import infoset
    >>> largest_gains(infoset.uniform("kuhn"), 1)
    [ActionGain(player=1, infoset='K:bet', action='call', gain=0.25, regret=0.25, own_reach=1.0)]
    """
    if isinstance(strategy, PublicStrategy):
        by_hand = _hand_gains(strategy, threads)
        return heapq.nlargest(number, by_hand, key=lambda gain: gain.gain)
    assert isinstance(strategy, SequenceStrategy)
    return heapq.nlargest(number, _action_gains(strategy), key=lambda gain: gain.gain)


def _action_gains(strategy: SequenceStrategy) -> Iterator[ActionGain]:
    tree = strategy.form
    for player, by_infoset in enumerate(infoset_regrets(strategy)):
        plan = tree.lanes.collect(player, plan_in_lanes(strategy, player))
        reach = plan[tree.treeplexes[player].infoset_parent].tolist()
        for own, (key, by_action) in zip(reach, by_infoset.items(), strict=True):
            action = max(by_action, key=by_action.__getitem__)
            regret = by_action[action]
            yield ActionGain(player, key, action, regret * own, regret, own)


def _hand_gains(strategy: PublicStrategy, threads: int) -> Iterator[HandGain]:
    evaluation = PublicEvaluation.of(strategy, threads=threads)
    form = strategy.form
    for player in (0, 1):
        rows = strategy.layout.rows[0][player]
        live = int(rows.num_live[0])
        hands = rows.hand[:live].tolist()
        best, own = (
            evaluation.hand_values(player, best=best)[:live].astype(np.float64)
            for best in (True, False)
        )
        reach = evaluation.walker.root_reach(player)[:live].astype(np.float64)
        gains = (best - own) * reach
        probabilities = form.hand_probabilities(player)[hands]
        for hand, gain, probability in zip(
            hands, gains.tolist(), probabilities.tolist(), strict=True
        ):
            with_hand = gain / probability if probability > 0 else 0.0
            yield HandGain(player, form.hand_name(player, hand), gain, probability, with_hand)
