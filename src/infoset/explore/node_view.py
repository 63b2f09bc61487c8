"""One node of a solved spot: reach, strategy, values and equity, hand by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.cards import CLASS_NAMES, HAND_CLASS, Range, format_cards, format_hand

NAMES = ("OOP", "IP")

PAIRS = ("hands", "reach", "weights", "values", "equities")
"""Fields of a view with an array for each player."""

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class ClassTable:
    """A player's range at a node as the usual 13 x 13 grid.

    Rows and columns are ranks from ace down to two, suited hands above the diagonal and offsuit
    hands below it, in the order of `infoset.cards.CLASS_NAMES`. Means are over the hands of a
    class by their weights, and NaN where no hand of the class counts.
    """

    weight: Floats
    """[13, 13] The sum of the hands' weights."""
    reach: Floats
    """[13, 13] The mean reach of the hands that the board allows, from 0 to 1; 0 where it allows
    none."""
    value: Floats
    """[13, 13] Mean expected value in chips."""
    equity: Floats
    """[13, 13] Mean equity."""
    strategy: Floats
    """[actions, 13, 13] How often each action is taken; no actions unless the player decides."""

    @property
    def share(self) -> Floats:
        """[13, 13] The part of the range that each class is; 0 if nothing comes here."""
        total = self.weight.sum()
        return self.weight / total if total > 0 else self.weight


@dataclass(frozen=True, eq=False)
class NodeView:
    """One node on one board, when both players play the solution.

    Values count a player's share of the pot: at the root, those of both sum to the pot (without
    rake). What was put in on the way to the node is gone: a hand that folds at once is worth 0.
    """

    path: str
    """What led here, as `infoset.forms.paths` writes it; empty at the root."""
    board: tuple[int, ...]
    """The cards that lie there now."""
    player: int | None
    """Who decides; `None` where the hand is over or a card is dealt next."""
    pot: int
    """Chips in the middle."""
    put: tuple[int, int]
    """What each player has put in since the spot began."""
    actions: tuple[str, ...]
    """What may be done, in words."""
    hands: tuple[Ints, Ints]
    """Per player: which of the 1,326 hands each row below is; only those that the board allows."""
    reach: tuple[Floats, Floats]
    """Per player: [rows] the weight of the hand in the range times the chance that it plays to
    here."""
    weights: tuple[Floats, Floats]
    """Per player: [rows] reach times the opponent's reach of hands that it can meet: how much a
    hand counts in averages over the range."""
    values: tuple[Floats, Floats]
    """Per player: [rows] expected value in chips; NaN where the opponent has no hand to meet."""
    equities: tuple[Floats, Floats]
    """Per player: [rows] share of the pot if the rest of the board were dealt without betting;
    NaN as above."""
    strategy: Floats
    """[actions, rows of `player`] How often each hand takes each action; no rows if nobody does."""
    action_values: Floats
    """[actions, rows of `player`] What each action is worth to each hand, in chips."""
    next_step: str = ""
    """What happens here, in words."""
    num_locked: int = 0
    """Hands whose strategy is locked here."""

    @property
    def frequencies(self) -> Floats:
        """[actions] How often each action is taken, over the whole range."""
        assert self.player is not None
        return np.array([self.mean(self.player, row) for row in self.strategy])

    def mean(self, player: int, numbers: Floats) -> float:
        """The mean of a number per hand over a player's range; NaN if nothing comes here."""
        weights = self.weights[player]
        counts = weights > 0
        if not counts.any():
            return float("nan")
        return float(np.average(numbers[counts], weights=weights[counts]))

    def value(self, player: int) -> float:
        """What a player's whole range is worth here, in chips."""
        return self.mean(player, self.values[player])

    def equity(self, player: int) -> float:
        """The equity of a player's whole range here."""
        return self.mean(player, self.equities[player])

    def only(self, player: int, rows: Any) -> NodeView:
        """The view with some of a player's rows alone, and all of the opponent's."""
        columns: dict[str, Any] = {}
        for name in PAIRS:
            pair = getattr(self, name)
            columns[name] = tuple(pair[p][rows] if p == player else pair[p] for p in (0, 1))
        if player == self.player:
            columns |= {
                name: getattr(self, name)[:, rows] for name in ("strategy", "action_values")
            }
        return replace(self, **columns)

    def by_class(self, player: int) -> ClassTable:
        """A player's hands taken together by class: ``AA``, ``AKs``, ``AKo`` and so on."""
        classes = HAND_CLASS[self.hands[player]]
        weights = self.weights[player]

        def sums(numbers: Floats) -> Floats:
            total = np.zeros(len(CLASS_NAMES))
            np.add.at(total, classes, numbers)
            return total.reshape(13, 13)

        weight = sums(weights)

        def means(numbers: Floats) -> Floats:
            # What does not count may be NaN.
            counted = sums(np.where(weights > 0, weights * numbers, 0.0))
            mean = np.full((13, 13), np.nan)
            np.divide(counted, weight, out=mean, where=weight > 0)
            return mean

        possible = Range.random().without(self.board).hands
        num_hands = np.bincount(HAND_CLASS[possible], minlength=len(CLASS_NAMES)).reshape(13, 13)
        rows = self.strategy if player == self.player else self.strategy[:0]
        return ClassTable(
            weight=weight,
            reach=sums(self.reach[player]) / np.maximum(num_hands, 1),
            value=means(self.values[player]),
            equity=means(self.equities[player]),
            strategy=np.array([means(row) for row in rows]).reshape(-1, 13, 13),
        )

    def as_dict(self) -> dict[str, Any]:
        """All of it in lists and text, as JSON has them; `None` for NaN."""
        return {
            "path": self.path,
            "board": format_cards(self.board),
            "player": self.player,
            "pot": self.pot,
            "put": list(self.put),
            "actions": list(self.actions),
            "players": [
                {
                    "hands": [format_hand(int(hand)) for hand in self.hands[p]],
                    **{name: _listed(getattr(self, name)[p]) for name in PAIRS[1:]},
                }
                for p in (0, 1)
            ],
            "strategy": [_listed(row) for row in self.strategy],
            "action_values": [_listed(row) for row in self.action_values],
        }


def _listed(numbers: Floats) -> list[float | None]:
    return [None if np.isnan(number) else float(number) for number in numbers]
