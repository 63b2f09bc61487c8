"""A solution: a strategy with its measurements; one class for games and spots."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Any

from infoset.errors import StorageError
from infoset.evaluation import Bound
from infoset.games.holdem import Spot, format_spot, parse_spot
from infoset.solvers.outcome import Below, Point, Space, Started
from infoset.solvers.solution_files import (
    Rules,
    read_header,
    read_strategy,
    reading,
    write_strategy,
)
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy with its measurements, of a game or of a spot.

    >>> import infoset
    >>> solution = infoset.solve("kuhn", "cfr+", iterations=1000)
    >>> round(solution.value, 3), solution.exploitability < 1e-3
    (-0.056, True)
    """

    strategy: Strategy
    algorithm: str
    iterations: int
    values: tuple[float, float]
    """What each player wins, in chips. Of a spot: what it is worth to each range, with the pot, so
    that both sum to the pot (without rake)."""
    exploitability: float
    """NashConv / 2, in chips."""
    seconds: float
    """Time spent iterating, without compilation and without evaluation."""
    space: Space
    curve: list[Point] = field(default_factory=list)
    stopped_by: str = "iterations"
    """``iterations``, ``seconds``, ``exploitability``, ``exact`` or ``interrupt``."""
    seed: int | None = None
    threads: int = 1
    bits: int = 64
    """How numbers were stored: in 64 bits, or in public form in 32 or 16."""
    nodes_touched: int = 0
    """Histories visited, or that a walk would have visited: see docs/sequence-form.md."""
    bound: Bound | None = None
    """If the game was sampled by its rules: what is known of exploitability and value. The
    exploitability is then a lower bound, and the values are sample means."""
    spot: Spot | None = None
    """The spot, if one was solved."""
    below: Below | None = None
    """If the strategy is that of a trunk alone: what is known of the parts below it. The
    exploitability is then that of the whole that the parts belong to, or of the parts re-solved."""
    start: Started | None = None
    """What the run was started from, if from anything. It is not saved."""

    @property
    def game(self) -> str:
        """The name of the game, or of the spot."""
        return self.strategy.name

    @property
    def value(self) -> float:
        """What player 0 wins, in chips."""
        return self.values[0]

    @property
    def exploitability_share(self) -> float | None:
        """The exploitability as a share of the pot that a spot begins with."""
        return None if self.spot is None else self.exploitability / self.spot.starting_pot

    @property
    def exploitability_mbb(self) -> float | None:
        """The exploitability in thousandths of a spot's big blind."""
        return None if self.spot is None else 1000.0 * self.exploitability / self.spot.big_blind

    @property
    def form(self) -> str:
        """The form it was solved in: ``sequence``, ``public``, or ``rules`` if only sampled."""
        if isinstance(self.strategy, PublicStrategy):
            return "public"
        assert isinstance(self.strategy, SequenceStrategy)
        is_whole = self.strategy.form.is_whole or self.below is not None
        return "sequence" if is_whole else "rules"

    @property
    def iterations_per_second(self) -> float:
        """Speed, without compilation and without evaluation."""
        return self.iterations / self.seconds if self.seconds > 0 else 0.0

    def summary(self) -> dict[str, Any]:
        """Everything but the strategy, ready for JSON."""
        return {
            "game": self.game,
            "form": self.form,
            **_size(self.strategy),
            **({} if self.spot is None else {"spot": format_spot(self.spot)}),
            **({} if self.below is None else {"cut": self.below.cut}),
            "algorithm": self.algorithm,
            **({} if self.start is None else {"start": self.start._asdict()}),
            "iterations": self.iterations,
            "nodes_touched": self.nodes_touched,
            "value": self.value,
            "values": list(self.values),
            "exploitability": self.exploitability,
            "exploitability_is": "exact" if self.bound is None else "sampled lower bound",
            "exploitability_share_of_pot": self.exploitability_share,
            "exploitability_mbb": self.exploitability_mbb,
            "bound": None if self.bound is None else self.bound.summary(),
            "seconds": self.seconds,
            "iterations_per_second": self.iterations_per_second,
            "stopped_by": self.stopped_by,
            "memory_bytes": self.space.form + self.space.solver,
            "space": self.space._asdict(),
            "threads": self.threads,
            "bits": self.bits,
            "seed": self.seed,
            "curve": [point.summary() for point in self.curve],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the solution to a file, for `infoset.load`; see docs/files.md."""
        write_strategy(path, {**self.summary(), "curve": self.curve}, self.strategy, self.below)

    def __repr__(self) -> str:
        return (
            f"Solution({self.game!r} by {self.algorithm!r}: value {self.value:.6g}, "
            f"exploitability {self.exploitability:.3g} after {self.iterations:,} iterations)"
        )


def _size(strategy: Strategy) -> dict[str, Any]:
    """How large what was solved is."""
    if isinstance(strategy, SequenceStrategy):
        tree = strategy.form
        return {"infosets": tree.num_infosets, "sequences": tree.num_sequences}
    assert isinstance(strategy, PublicStrategy)
    layout, form = strategy.layout, strategy.form
    places = [(street, player) for street in range(layout.num_streets) for player in (0, 1)]
    live = {(s, p): int(layout.rows[s][p].num_live.sum()) for s, p in places}
    size: dict[str, Any] = {
        "infosets": len(strategy),
        "sequences": sum(layout.bettings[s][p].num_sequences * live[s, p] for s, p in places),
        "hands": list(form.num_hands),
        "boards": [len(boards) for boards in layout.boards],
    }
    return size


def read_solution(path: str | os.PathLike[str], rules: Rules) -> Solution:
    """Read what `Solution.save` wrote; ``rules`` finds a game by its name where it is needed."""
    header, strategy, below = read_strategy(path, rules)
    others = "strategy", "spot", "below", "start"
    names = [each.name for each in fields(Solution) if each.name not in others]
    with reading(path):
        spot = parse_spot(header["spot"]) if "spot" in header else None
        return Solution(strategy=strategy, spot=spot, below=below, **read_header(header, names))


class UnsavedError(StorageError):
    """A run that is over, but whose last checkpoint could not be written; nothing else is lost."""

    def __init__(self, problem: StorageError, solution: Solution) -> None:
        super().__init__(
            f"{problem} The run ended after {solution.iterations:,} iterations; "
            "what it found is the attribute 'solution' of this error."
        )
        self.solution = solution
        """What the run has found."""
