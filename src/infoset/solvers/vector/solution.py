"""What was found for a spot, and how."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from infoset.cards import format_cards
from infoset.explore.node_view import NodeView
from infoset.forms.betting_tree import BettingTree
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import format_spot
from infoset.solvers.solution import Point
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["SpotSolution", "SpotSpace"]


class SpotSpace(NamedTuple):
    """Bytes, by what they are for."""

    kept: int
    """What must survive from one iteration to the next: regrets and averages."""
    solver: int
    """All arrays of the solver, work space and padding included."""
    game: int
    """The spot as the solver reads it: betting, hands and boards in flat arrays."""


@dataclass(frozen=True, eq=False)
class SpotSolution:
    """A strategy for a spot with its measurements.

    >>> import infoset
    >>> spot = infoset.Spot("Ks9h7d4c2s", "QQ+", "TT+", pot=100, stack=100)
    >>> solution = infoset.solve_spot(spot, exploitability="0.1%")
    >>> solution.stopped_by, solution.exploitability < 0.1, round(sum(solution.values), 3)
    ('exploitability', True, 100.0)
    """

    solver: SpotSolver
    """It holds the strategy: its average. That of a solution from a file has nothing to go on
    with, and no recipe of its own."""
    algorithm: str
    iterations: int
    exploitability: float
    """NashConv / 2, in chips."""
    values: tuple[float, float]
    """What the spot is worth to each player's range, in chips; with the pot, so that both sum to
    it (without rake)."""
    seconds: float
    """Time spent iterating, without compilation and without evaluation."""
    space: SpotSpace
    curve: list[Point] = field(default_factory=list)
    stopped_by: str = "iterations"
    """``iterations``, ``seconds``, ``exploitability`` or ``interrupt``."""
    threads: int = 1
    nodes_touched: int = 0
    """Public nodes visited, times the hands they were visited with: see docs/engine.md."""

    @property
    def spot(self) -> Spot:
        """What was solved."""
        return self.solver.spot

    @property
    def tree(self) -> BettingTree:
        """The betting tree of the spot."""
        return self.solver.tree

    @property
    def exploitability_share(self) -> float:
        """The exploitability as a share of the pot that the spot begins with."""
        return self.exploitability / self.spot.pot

    @property
    def exploitability_mbb(self) -> float:
        """The exploitability in thousandths of a big blind."""
        return 1000.0 * self.exploitability / self.spot.big_blind

    def view(self, path: str = "") -> NodeView:
        """The node at the end of a path, hand by hand; see `infoset.forms.paths`."""
        from infoset.explore.views import view_node

        return view_node(self.solver, path)

    def summary(self) -> dict[str, Any]:
        """Everything but the strategy, ready for JSON."""
        spot = self.spot
        cost = cost_of(spot, self.tree)
        return {
            "spot": format_spot(spot),
            "name": spot.name,
            "board": format_cards(spot.board),
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            "nodes_touched": self.nodes_touched,
            "exploitability": {
                "chips": self.exploitability,
                "share_of_pot": self.exploitability_share,
                "mbb": self.exploitability_mbb,
            },
            "values": list(self.values),
            "seconds": self.seconds,
            "ms_per_iteration": 1000.0 * self.seconds / max(self.iterations, 1),
            "stopped_by": self.stopped_by,
            "threads": self.threads,
            "bits": self.solver.bits,
            "hands": list(spot.num_hands),
            "decisions": cost.num_decisions,
            "terminals": cost.num_terminals,
            "memory_bytes": self.space.game + self.space.solver,
            "space": self.space._asdict(),
            "curve": [point._asdict() for point in self.curve],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solution to a file, for `infoset.load`; see docs/files.md."""
        from infoset.solvers.vector.files import write_spot_solution

        write_spot_solution(path, self)

    def __repr__(self) -> str:
        name = self.spot.name or format_cards(self.spot.board)
        oop, ip = self.values
        return (
            f"SpotSolution({name!r} by {self.algorithm!r}: values {oop:.6g} and {ip:.6g}, "
            f"exploitability {100 * self.exploitability_share:.3g}% of the pot after "
            f"{self.iterations:,} iterations)"
        )
