"""Measurements of a strategy: exact, or a sampled bound where exact ones are impossible."""

from __future__ import annotations

from typing import NamedTuple

CONFIDENCE = 0.95


class Bound(NamedTuple):
    """A sampled lower bound on exploitability, in chips."""

    lower: float
    """The exploitability is at least this, with `CONFIDENCE`."""
    estimate: float
    """What the responses won, on average over the two seats."""
    error: float
    """Standard error of the estimate."""
    value: float
    """What player 0 won when the strategies themselves met."""
    value_error: float
    plays: int
    """How often each response was played."""

    def summary(self) -> dict[str, float]:
        """Ready for JSON."""
        return {**self._asdict(), "confidence": CONFIDENCE}


class Evaluation(NamedTuple):
    """How good a strategy is, in chips."""

    exploitability: float
    """NashConv / 2; where there is a `bound`, its lower end."""
    values: tuple[float, float]
    """What each player wins."""
    bound: Bound | None = None
    """What is known if the game could only be sampled; `None` if the figures are exact."""
