"""One call of the essay's Algorithm 1: what it is given, and what it works out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from infoset.experiments.essay_rps import Vector, match_regrets

__all__ = ["Visit"]


@dataclass(frozen=True)
class Visit:
    """What Algorithm 1 finds at one history: its arguments, and what it works out there."""

    history: str
    player: int
    reach: tuple[Fraction, Fraction]
    """The arguments pi_1 and pi_2."""
    value: Fraction
    """v_sigma, or the payoff where the game has ended."""
    infoset: str = ""
    action_values: Vector = ()
    regrets: Vector = ()
    """What line 25 adds; empty where player 1 does not act."""
    strategy_sums: Vector = ()
    """What line 26 adds."""

    @property
    def next_strategy(self) -> Vector:
        """Lines 28 to 34, with the sum over positive regrets only."""
        return match_regrets(self.regrets)
