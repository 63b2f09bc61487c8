"""The payoff matrix of the sequence form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Payoff"]


class Payoff(NamedTuple):
    """The payoff matrix, one entry per pair of sequences that ends the game, sorted by row."""

    rows: NDArray[np.int32]
    """Sequences of player 0."""
    columns: NDArray[np.int32]
    """Sequences of player 1."""
    entries: NDArray[np.float64]
    """What player 0 wins there, times the probability of chance."""
