"""Probabilities of the hands that are dealt to both players."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from infoset.cards import NUM_CARDS, mask_of


class HandDeal:
    """A deal of two hands: a pair is as likely as the product of the weights of its hands.

    Hands that share a card are not dealt together. The hands of both players are numbered together,
    and `weights0` and `weights1` have a weight for each. Weights are taken as the exact numbers
    that they are in binary, so that probabilities sum to exactly 1.

    >>> deal = HandDeal([(41, 40), (45, 44), (51, 47), (51, 50)], [0, 1, 0, 1], [0.5, 1, 1, 0])
    >>> deal.outcomes(None), deal.outcomes(3)
    ([(1, Fraction(1, 2)), (3, Fraction(1, 2))], [(0, Fraction(1, 3)), (1, Fraction(2, 3))])
    >>> deal.num_pairs
    4
    """

    def __init__(
        self,
        hand_cards: Sequence[tuple[int, ...]],
        weights0: Sequence[float],
        weights1: Sequence[float],
    ) -> None:
        self._cards = hand_cards
        self._masks = [mask_of(cards) for cards in hand_cards]
        integers0, self._weights1 = _integers(weights0), _integers(weights1)
        against = self._compatible(self._weights1)
        self._weights0 = [weight * total for weight, total in zip(integers0, against, strict=True)]
        """[hand] How likely player 0 gets it, up to a factor."""
        counts = self._compatible([int(weight > 0) for weight in self._weights1])
        self.num_pairs = sum(
            count for count, weight in zip(counts, integers0, strict=True) if weight
        )
        """Pairs of hands that can be dealt."""
        self._cumulative: dict[int | None, list[int]] = {}

    def _compatible(self, weights: Sequence[int]) -> list[int]:
        """[hand] The total weight of the hands with which it shares no card."""
        by_card = [0] * NUM_CARDS
        for (first, second), weight in zip(self._cards, weights, strict=True):
            by_card[first] += weight
            by_card[second] += weight
        total = sum(weights)
        # The hand itself was taken away twice, once for each of its cards.
        return [
            total - by_card[first] - by_card[second] + weights[hand]
            for hand, (first, second) in enumerate(self._cards)
        ]

    def _weights(self, hand0: int | None) -> list[int]:
        """[hand] How likely player 0 gets it or, given his, player 1, up to a factor."""
        if hand0 is None:
            return self._weights0
        taken = self._masks[hand0]
        pairs = zip(self._weights1, self._masks, strict=True)
        return [0 if mask & taken else weight for weight, mask in pairs]

    def can_deal(self, hand0: int | None, hand: int) -> bool:
        """Whether player 0 can get a hand; given his, whether player 1 can."""
        if hand0 is None:
            return self._weights0[hand] > 0
        return self._weights1[hand] > 0 and not self._masks[hand0] & self._masks[hand]

    def outcomes(self, hand0: int | None) -> list[tuple[int, Fraction]]:
        """The hands player 0 may get and their probabilities; given his, those of player 1."""
        weights = self._weights(hand0)
        total = sum(weights)
        return [(hand, Fraction(weight, total)) for hand, weight in enumerate(weights) if weight]

    def hand_at(self, hand0: int | None, number: float) -> int:
        """The hand at a share, from 0 to 1, of `outcomes`."""
        if hand0 not in self._cumulative:
            self._cumulative[hand0] = list(accumulate(self._weights(hand0)))
        sums = self._cumulative[hand0]
        # The sums are whole numbers, so those above the exact share are above its whole part.
        numerator, denominator = number.as_integer_ratio()
        return bisect_right(sums, numerator * sums[-1] // denominator)


def _integers(weights: Sequence[float]) -> list[int]:
    """Whole numbers in the same proportions."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    largest = max(denominator for _, denominator in ratios)
    return [numerator * (largest // denominator) for numerator, denominator in ratios]
