"""Probabilities of hands that are dealt from the ranges of both players."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, Range


class RangeDeal:
    """The deal of two ranges: a pair of hands is as likely as the product of its weights.

    Hands that share a card are not dealt together. The hands of both players are numbered together,
    in the order of `infoset.cards`. Weights are taken as the exact numbers that they are in binary,
    so that probabilities sum to exactly 1.

    >>> deal = RangeDeal(Range.parse("AsAh,KsKh"), Range.parse("AsKs,KcKd,QdQc:0.5"))
    >>> deal.hand_cards
    ((41, 40), (45, 44), (47, 46), (51, 47), (51, 50))
    >>> deal.outcomes(None), deal.outcomes(2)
    ([(2, Fraction(1, 2)), (4, Fraction(1, 2))], [(0, Fraction(1, 3)), (1, Fraction(2, 3))])
    >>> deal.num_pairs
    4
    """

    def __init__(self, range0: Range, range1: Range) -> None:
        numbers = np.flatnonzero((range0.weights > 0) | (range1.weights > 0)).tolist()
        self.hand_cards = tuple((int(HAND_FIRST[n]), int(HAND_SECOND[n])) for n in numbers)
        weights0, weights1 = (
            _integers(held.weights[numbers].tolist()) for held in (range0, range1)
        )
        against = self._compatible(weights1)
        self._weights0 = [weight * total for weight, total in zip(weights0, against, strict=True)]
        """[hand] How likely player 0 gets it, up to a factor."""
        self._weights1 = weights1
        counts = self._compatible([int(weight > 0) for weight in weights1])
        self.num_pairs = sum(
            count for count, weight in zip(counts, weights0, strict=True) if weight
        )
        """Pairs of hands that can be dealt."""
        self._cumulative: dict[int | None, tuple[list[int], list[int]]] = {}

    def _compatible(self, weights: Sequence[int]) -> list[int]:
        """[hand] The total weight of the hands with which it shares no card."""
        by_card = [0] * NUM_CARDS
        for (first, second), weight in zip(self.hand_cards, weights, strict=True):
            by_card[first] += weight
            by_card[second] += weight
        total = sum(weights)
        # The hand itself was taken away twice, once for each of its cards.
        return [
            total - by_card[first] - by_card[second] + weights[hand]
            for hand, (first, second) in enumerate(self.hand_cards)
        ]

    def can_deal(self, hand0: int | None, hand: int) -> bool:
        """Whether player 0 can get a hand; given his, whether player 1 can."""
        if hand0 is None:
            return self._weights0[hand] > 0
        is_taken = not set(self.hand_cards[hand0]).isdisjoint(self.hand_cards[hand])
        return self._weights1[hand] > 0 and not is_taken

    def outcomes(self, hand0: int | None) -> list[tuple[int, Fraction]]:
        """The hands player 0 may get and their probabilities; given his, those of player 1."""
        weights = self._weights0 if hand0 is None else self._weights1
        hands = [hand for hand in range(len(weights)) if self.can_deal(hand0, hand)]
        total = sum(weights[hand] for hand in hands)
        return [(hand, Fraction(weights[hand], total)) for hand in hands]

    def hand_at(self, hand0: int | None, number: float) -> int:
        """The hand at a share, from 0 to 1, of `outcomes`."""
        if hand0 not in self._cumulative:
            weights = self._weights0 if hand0 is None else self._weights1
            hands = [hand for hand in range(len(weights)) if self.can_deal(hand0, hand)]
            self._cumulative[hand0] = hands, list(accumulate(weights[hand] for hand in hands))
        hands, sums = self._cumulative[hand0]
        return hands[bisect_right(sums, Fraction(number) * sums[-1])]


def _integers(weights: list[float]) -> list[int]:
    """Whole numbers in the same proportions."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    largest = max(denominator for _, denominator in ratios)
    return [numerator * (largest // denominator) for numerator, denominator in ratios]
