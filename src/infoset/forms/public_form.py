"""The public form: a game as a public tree times private hands.

What both players see (betting and boards) is one tree; every node of it stands for all pairs of
hands that are possible there. A hand holds two cards. (Where a player is dealt a single card, as in
Kuhn poker, the second is a *shadow*, a card that no other hand and no board has: two such hands
share both cards or none.) Betting is the same on every board; boards say which cards have come, and
on the last street how strong each hand is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms.betting_tree import NodeKind

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


LeafValues = Mapping[int, Pair] | Callable[[int, Pair], Pair]
"""What hands are worth at the leaves of a form, where it ends before the game does: given once, by
street, or asked for in each iteration with the street and both players' reaches.

Values are counterfactual, per player: [leaves of the street, boards, hands]. That of a hand is what
it wins in chips, summed over the opponent's hands by their reach. Given ones need only broadcast to
that shape, and streets without any have zeros. The reach of a hand, in the same shape, is how often
it comes to a leaf: its weight in the range, times its own probabilities, times the probability of
the cards that were dealt."""


@dataclass(frozen=True, eq=False)
class Deals:
    """The boards of one street, and the deals that lead to them."""

    cards: NDArray[np.int8]
    """[boards, any number] All cards of each board."""
    num_new: int
    """How many of them, at the end, were dealt since the game began."""
    parent: Ints
    """[boards] The board of the street before; in order, so that the boards after one follow each
    other."""
    probability: float
    """How likely each card is, given the hands of both players."""
    deal_board: Ints
    """[deals] For every card that can come: the board that is played for it. The first deal of a
    board is the card it has itself."""
    deal_renaming: Ints
    """[deals] Which of `renamings` says what hands are called there."""
    renamings: tuple[tuple[Ints, Ints], ...]
    """Per player: [hands] the hand that plays for each hand."""
    strength: tuple[Ints, Ints]
    """Per player: [boards, hands] on the last street, else empty."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PublicForm:
    """A game in public form. Payoffs are chips relative to an even split of what is in the pot."""

    name: str
    fingerprint: str
    """The same for forms of the same game."""
    node_kind: NDArray[np.int8]
    """[n] A `NodeKind`; parents come before children, and streets one after the other."""
    node_player: NDArray[np.int8]
    """[n] Who decides; at a fold, who folded."""
    node_child_begin: NDArray[np.int32]
    node_child_end: NDArray[np.int32]
    street_begin: tuple[int, ...]
    """[streets + 1] The nodes of each street."""
    terminal_payoffs: Floats
    """[n, player, 3] Where the game ends: what the player gets if he wins, ties, loses."""
    cards: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    """Per player: [hands, 2]"""
    weights: Pair
    """Per player: [hands] how likely each hand is, up to a factor."""
    streets: tuple[Deals, ...]
    leaf_values: LeafValues | None = None
    """What the leaves are worth, if there are any."""

    @property
    def num_streets(self) -> int:
        """How many streets there are."""
        return len(self.streets)

    @property
    def num_hands(self) -> tuple[int, int]:
        """How many hands each player may have."""
        return len(self.cards[0]), len(self.cards[1])

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether what one player gets is what the other does not."""
        payoffs = self.terminal_payoffs
        is_zero_sum = bool((payoffs[:, 0] == -payoffs[:, 1, ::-1]).all())
        return is_zero_sum and not (self.node_kind == NodeKind.LEAF).any()

    @cached_property
    def num_pairs(self) -> float:
        """The weight of all pairs of hands that can be held together."""
        return float((self.weights[0] * self._compatible_weights(0)).sum())

    def hand_probabilities(self, player: int) -> Floats:
        """[hands] How likely a player is dealt each hand."""
        return self.weights[player] * self._compatible_weights(player) / self.num_pairs

    def _compatible_weights(self, player: int) -> Floats:
        """[hands] The weight of the opponent's hands that share no card with each hand."""
        own, other = self.cards[player], self.cards[1 - player]
        weights = self.weights[1 - player]
        by_card = np.zeros(256)
        for column in (0, 1):
            np.add.at(by_card, other[:, column], weights)
        same = {tuple(cards): w for cards, w in zip(other.tolist(), weights, strict=True)}
        held_twice = np.array([same.get(tuple(cards), 0.0) for cards in own.tolist()])
        compatible: Floats = weights.sum() - by_card[own].sum(axis=1) + held_twice
        return compatible

    def locked(self, street: int, player: int) -> Iterator[tuple[int, int, Floats]]:
        """Decisions at which hands are locked: board, node, [actions, hands] probabilities.

        A hand that stays free has -1.
        """
        return iter(())


class Decision(NamedTuple):
    """Where a public history leads to in a public form, if a player decides there."""

    player: int
    street: int
    """Counted from the first street of the form."""
    board: int
    """The one that is played for the board of the history."""
    node: int
    names: Ints
    """[the player's hands] The hand that plays for each on that board."""


class Place(NamedTuple):
    """Where an infoset is in a public form."""

    player: int
    street: int
    """Counted from the first street of the form."""
    board: int
    node: int
    hand: int
