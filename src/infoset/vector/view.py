"""What there is to see at one node of a solved spot, hand by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NodeView"]

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class NodeView:
    """One node on one board, when both players play the solution.

    Values count a player's share of the pot: at the root, those of both sum to the pot (without
    rake). What was put in on the way to the node is gone: a hand that folds at once is worth 0.
    """

    path: str
    """What led here, as `infoset.spots.paths` writes it; empty at the root."""
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
