"""A game in public form: betting, hands and boards, as the vector engine asks for them.

A hand holds two cards. (Where a player is dealt a single card, as in Kuhn poker, it holds that card
and a shadow of it which nothing else holds: two such hands share both cards or none.) Betting
is the same on every board; boards say which cards have come, and on the last street how strong each
hand is there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.cards import HAND_FIRST, HAND_SECOND, NUM_CARDS, strengths
from infoset.forms.betting_tree import BettingTree, NodeKind
from infoset.forms.boards import Boards, hands_renamed, runouts_of
from infoset.games.holdem.betting import RIVER
from infoset.games.holdem.payoffs import terminal_payoffs

__all__ = ["Deals", "Form", "form_of_spot"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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
    chance: float
    """How likely each card is, given the hands of both players."""
    deal_board: Ints
    """[deals] For every card that can come: the board that is played for it. The first deal of a
    board is the card it has itself."""
    deal_names: Ints
    """[deals] Which of `names` says what hands are called there."""
    names: tuple[tuple[Ints, Ints], ...]
    """Per player: [hands] the hand that plays for each hand."""
    strength: tuple[Ints, Ints]
    """Per player: [boards, hands] on the last street, else empty."""


@dataclass(frozen=True, eq=False)
class Form:
    """A game in public form."""

    node_kind: NDArray[np.int8]
    """[n] A `NodeKind`; parents come before children, and streets one after the other."""
    node_player: NDArray[np.int8]
    """[n] Who decides; at a fold, who folded."""
    node_child_begin: NDArray[np.int32]
    node_child_end: NDArray[np.int32]
    street_begin: tuple[int, ...]
    """[streets + 1] The nodes of each street."""
    worth: Floats
    """[n, player, 3] Where the game ends: what the player gets if he wins, ties, loses."""
    cards: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    """Per player: [hands, 2]"""
    weights: tuple[Floats, Floats]
    """Per player: [hands] how likely each hand is, up to a factor."""
    streets: tuple[Deals, ...]

    @property
    def num_streets(self) -> int:
        """How many streets there are."""
        return len(self.streets)

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player gets is what the other does not."""
        return bool((self.worth[:, 0] == -self.worth[:, 1, ::-1]).all())

    def num_pairs(self) -> float:
        """The weight of all pairs of hands that can be held together."""
        meets = np.ones((len(self.cards[0]), len(self.cards[1])), bool)
        for i in (0, 1):
            for j in (0, 1):
                meets &= self.cards[0][:, None, i] != self.cards[1][None, :, j]
        return float(self.weights[0] @ meets @ self.weights[1])


def form_of_spot(tree: BettingTree, runouts: tuple[Boards, ...] | None = None) -> Form:
    """A spot in public form. What a player gets is relative to half the pot."""
    spot = tree.spot
    runouts = runouts_of(spot) if runouts is None else runouts
    held = spot.ranges
    numbers = np.flatnonzero(held[0].weights), np.flatnonzero(held[1].weights)
    return Form(
        node_kind=tree.node_kind,
        node_player=tree.node_player,
        node_child_begin=tree.node_child_begin,
        node_child_end=tree.node_child_end,
        street_begin=tuple(tree.street_begin[spot.street :].tolist()),
        worth=_worth(tree),
        cards=(_cards(numbers[0]), _cards(numbers[1])),
        # Up to a factor; with the largest at 1, single precision has room for the others.
        weights=(
            held[0].weights[numbers[0]] / held[0].weights.max(),
            held[1].weights[numbers[1]] / held[1].weights.max(),
        ),
        streets=tuple(
            _deals(runouts[street], street, street - spot.street, numbers)
            for street in range(spot.street, RIVER + 1)
        ),
    )


def _cards(numbers: Ints) -> NDArray[np.uint8]:
    return np.stack([HAND_FIRST[numbers], HAND_SECOND[numbers]], axis=1).astype(np.uint8)


def _worth(tree: BettingTree) -> Floats:
    spot = tree.spot
    worth = np.zeros((tree.num_nodes, 2, 3))
    chips, which = np.unique(tree.node_put.min(axis=1), return_inverse=True)
    payoffs = np.array([terminal_payoffs(n, spot.pot, spot.rake) for n in chips.tolist()], float)
    is_showdown = tree.node_kind == NodeKind.SHOWDOWN
    worth[is_showdown] = payoffs[which[is_showdown], None, :]
    nodes = np.flatnonzero(tree.node_kind == NodeKind.FOLD)
    folder, (win, _, lose) = tree.node_player[nodes], payoffs[which[nodes]].T
    worth[nodes, folder] = lose[:, None]
    worth[nodes, 1 - folder] = win[:, None]
    return worth


def _deals(boards: Boards, street: int, num_new: int, numbers: tuple[Ints, Ints]) -> Deals:
    suits, deal_names = np.unique(boards.deal_suits, axis=0, return_inverse=True)
    names = []
    for renaming in suits:
        renamed = hands_renamed(renaming)
        pair = []
        for own in numbers:
            place = np.zeros(len(HAND_FIRST), np.int64)
            place[own] = np.arange(len(own))
            pair.append(place[renamed[own]])
        names.append((pair[0], pair[1]))
    is_last = street == RIVER
    strength = np.array([strengths(board) for board in boards.board_cards] if is_last else [])
    return Deals(
        cards=boards.board_cards,
        num_new=num_new,
        parent=boards.board_parent.astype(np.int64),
        chance=1.0 / (NUM_CARDS - (street + 1) - 4) if num_new else 1.0,
        deal_board=boards.deal_board.astype(np.int64),
        deal_names=deal_names.reshape(-1).astype(np.int64),
        names=tuple(names),
        strength=tuple(
            strength[:, own].astype(np.int64) if is_last else np.zeros((0, 0), np.int64)
            for own in numbers
        ),  # type: ignore[arg-type]
    )
