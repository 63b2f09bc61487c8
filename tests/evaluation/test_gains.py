"""What hands could gain, against a river in which all pairs of hands are dealt one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import infoset
from infoset.cards import HAND_FIRST, HAND_SECOND, format_hand
from infoset.evaluation import largest_gains, measure_strategy
from infoset.forms import compile_game
from infoset.forms.sequence_seams import with_infoset_alternative
from infoset.games import make
from infoset.strategy import SequenceStrategy
from spots_for_tests import RIVER


def test_gains_of_hands_are_by_the_probability_of_each():
    """Weights differ and hands block each other, so no two probabilities need be the same."""
    strategy = infoset.solve(RIVER, "dcfr", iterations=5).strategy
    probabilities = {}
    for first, second in product(*(np.flatnonzero(held.weights) for held in RIVER.ranges)):
        if {HAND_FIRST[first], HAND_SECOND[first]} & {HAND_FIRST[second], HAND_SECOND[second]}:
            continue
        weight = RIVER.ranges[0].weights[first] * RIVER.ranges[1].weights[second]
        for place in ((0, format_hand(int(first))), (1, format_hand(int(second)))):
            probabilities[place] = probabilities.get(place, 0.0) + weight
    total = sum(weight for (player, _), weight in probabilities.items() if player == 0)
    gains = largest_gains(strategy, 10**6)
    assert {(gain.player, gain.hand) for gain in gains} >= probabilities.keys()
    assert [gain.gain for gain in gains] == sorted((gain.gain for gain in gains), reverse=True)
    for gain in gains:
        probability = probabilities.get((gain.player, gain.hand), 0.0) / total
        assert gain.probability == pytest.approx(probability, abs=1e-12)
        assert gain.gain_with_hand * probability == pytest.approx(gain.gain, abs=1e-9)
    measured = measure_strategy(strategy)
    assert sum(gain.gain for gain in gains) == pytest.approx(measured.nash_conv, abs=1e-4)


def test_a_game_with_given_values_is_not_zero_sum():
    """By hand: who plays uniformly takes half of the time, and always would be best.

    Taking is worth 0.5 to player 0 and nothing to player 1, and rock, paper, scissors is worth
    nothing to both, whatever is played against a uniform strategy.
    """
    form = with_infoset_alternative(compile_game(make("rps")), 0, {"player0": 0.5})
    measured = measure_strategy(SequenceStrategy.uniform(form))
    assert measured.values == pytest.approx((0.25, 0.0), abs=1e-15)
    assert measured.best_response_values == pytest.approx((0.5, 0.0), abs=1e-15)
    assert measured.nash_conv == pytest.approx(0.25, abs=1e-15)
