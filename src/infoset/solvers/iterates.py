"""What the loop asks of a solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

__all__ = ["Iterates"]


class Iterates(Protocol):
    """What the loop asks of a solver, of games and of spots alike."""

    iteration: int
    is_exact: bool
    """One call of `run` solves the game, and there is nothing to go on with."""
    evaluation_stride: int
    """Looks at the exploitability are at multiples of it: more often would cost more than the
    iterations between them."""

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far."""

    def run(self, iterations: int) -> None:
        """Do some iterations."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""

    def restore(self, state: Mapping[str, NDArray[Any]], iteration: int) -> None:
        """Go on from a saved state."""
