"""What a solver found, and how it got there."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from infoset.errors import StorageError
from infoset.evaluation.bounds import CONFIDENCE, Bound
from infoset.forms import Tree
from infoset.strategy import Strategy

__all__ = ["Outcome", "Point", "Solution", "Space", "UnsavedError", "instant_cfr_space"]


class Point(NamedTuple):
    """One point of a convergence curve."""

    iteration: int
    seconds: float
    """Time spent iterating, without compilation and without evaluation."""
    exploitability: float
    nodes_touched: int = 0
    """Histories visited so far; 0 in files from before they were counted."""


class Outcome(NamedTuple):
    """A run that is over, as every solution tells it."""

    iterations: int
    seconds: float
    exploitability: float
    curve: list[Point]
    stopped_by: str
    nodes_touched: int


class Space(NamedTuple):
    """Bytes, by what they are for."""

    kept: int
    """What must survive from one iteration to the next: regrets and averages."""
    solver: int
    """All arrays of the solver, work space and padding included."""
    game: int
    """The compiled game as the solver reads it."""
    bound: int
    """Theorem 4 of Li et al. (2019): regrets, averages and one path."""


def instant_cfr_space(tree: Tree, *, alternating: bool) -> int:
    """The bound of Theorem 4 of instant CFR, in bytes of doubles.

    Two numbers per action of the game, and one (alternating updates; else two) per action on the
    longest path of a player.
    """
    longest = 0
    for treeplex in tree.treeplexes:
        on_path = [0] * (treeplex.num_infosets + 1)
        owner = treeplex.sequence_infoset
        for i, (parent, actions) in enumerate(
            zip(
                treeplex.infoset_parent.tolist(), treeplex.infoset_num_actions.tolist(), strict=True
            )
        ):
            on_path[i] = actions + (on_path[owner[parent]] if parent else 0)
        longest = max(longest, max(on_path))
    return 8 * (2 * tree.num_sequences + (1 if alternating else 2) * longest)


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy with its measurements.

    >>> import infoset
    >>> solution = infoset.solve("kuhn", "cfr+", iterations=1000)
    >>> round(solution.value, 3), solution.exploitability < 1e-3
    (-0.056, True)
    """

    strategy: Strategy
    algorithm: str
    iterations: int
    value: float
    """What player 0 wins, in chips."""
    exploitability: float
    """NashConv / 2, in chips."""
    seconds: float
    """Time spent iterating, without compilation and without evaluation."""
    space: Space
    curve: list[Point] = field(default_factory=list)
    stopped_by: str = "iterations"
    """``iterations``, ``seconds``, ``exploitability``, ``exact`` or ``interrupt``."""
    seed: int | None = None
    nodes_touched: int = 0
    """Histories visited, or that a walk would have visited: see docs/engine.md."""
    bound: Bound | None = None
    """If the game was sampled by its rules: what is known of exploitability and value. The
    exploitability is then a lower bound, and the value a sample mean."""

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.strategy.tree.name

    @property
    def iterations_per_second(self) -> float:
        """Speed, without compilation and without evaluation."""
        return self.iterations / self.seconds if self.seconds > 0 else 0.0

    def summary(self) -> dict[str, Any]:
        """Everything but the strategy, ready for JSON."""
        tree = self.strategy.tree
        return {
            "game": self.game,
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            "nodes_touched": self.nodes_touched,
            "value": self.value,
            "exploitability": self.exploitability,
            "exploitability_is": "exact" if self.bound is None else "sampled lower bound",
            "bound": None
            if self.bound is None
            else {**self.bound._asdict(), "confidence": CONFIDENCE},
            "store": "dense" if self.strategy.tree.is_whole else "sparse",
            "seconds": self.seconds,
            "iterations_per_second": self.iterations_per_second,
            "stopped_by": self.stopped_by,
            "infosets": tree.num_infosets,
            "sequences": tree.num_sequences,
            "memory_bytes": self.space.game + self.space.solver,
            "space": self.space._asdict(),
            "seed": self.seed,
            "curve": [point._asdict() for point in self.curve],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solution to a file, for `infoset.load`; see docs/files.md."""
        from infoset.solvers.files import write_solution

        write_solution(path, self)

    def __repr__(self) -> str:
        return (
            f"Solution({self.game!r} by {self.algorithm!r}: value {self.value:.6g}, "
            f"exploitability {self.exploitability:.3g} after {self.iterations:,} iterations)"
        )


class UnsavedError(StorageError):
    """A run that is over, but whose last checkpoint could not be written; nothing else is lost."""

    def __init__(self, problem: StorageError, solution: Any) -> None:
        super().__init__(
            f"{problem} The run ended after {solution.iterations:,} iterations; "
            "what it found is the attribute 'solution' of this error."
        )
        self.solution = solution
        """A `Solution`, or whatever else the run was to find."""
