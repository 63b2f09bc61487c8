"""Re-solve the parts of a solution below a cut, and put trunk and parts together again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from infoset.errors import BadInputError
from infoset.evaluation import PublicEvaluation, expected_value, exploitability
from infoset.forms import SpotForm, form_of_spot
from infoset.games import Game
from infoset.games.holdem import BetSizes, Spot
from infoset.machine.interrupts import deferred_interrupt, heard_interrupts
from infoset.machine.threads import num_threads
from infoset.resolving.cuts import Cut, cut_form, parse_cut
from infoset.resolving.methods import Method, check_method
from infoset.resolving.opened import NestParts, parts_of
from infoset.resolving.public_resolving import PublicParts, retarget
from infoset.resolving.public_trunk import PublicTrunk, roots_of
from infoset.resolving.sequence_parts import SequenceParts
from infoset.resolving.trunk import Trunk
from infoset.solvers import (
    DEFAULT_ALGORITHM,
    SPOT_ALGORITHM,
    Algorithm,
    Limits,
    Recipe,
    Solution,
    find_algorithm,
)
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

GAME_ITERATIONS = 1000
SPOT_ITERATIONS = 300
"""Of each part, if nothing is said."""


@dataclass(frozen=True)
class PartProgress:
    """How far re-solving is."""

    parts_done: int
    num_parts: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Resolved:
    """A solution whose parts below a cut were solved again."""

    solution: Solution
    """Trunk and parts together, measured as a whole."""
    cut: Cut
    method: Method
    algorithm: str
    iterations: int
    """Of each part."""
    num_parts: int
    parts_done: int
    """As many parts were re-solved; fewer if Ctrl-C was pressed. The others are as they were."""
    exploitability_before: float
    """NashConv / 2 in chips, of the solution that was given, in its own game."""
    exploitability_in_parts: float
    """The largest exploitability in the games that were solved for one part."""
    seconds: float
    """Spent on re-solving, without measuring."""

    @property
    def exploitability_after(self) -> float:
        """NashConv / 2 in chips, of trunk and parts together, in the whole game."""
        return self.solution.exploitability

    def summary(self) -> dict[str, Any]:
        """What was done, ready for JSON."""
        spot = self.solution.spot
        pot = None if spot is None else spot.starting_pot
        before, after = self.exploitability_before, self.exploitability_after
        return {
            "game": self.solution.game,
            "cut": str(self.cut),
            "method": self.method,
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            "parts": self.num_parts,
            "parts_done": self.parts_done,
            "exploitability_before": before,
            "exploitability_after": after,
            "exploitability_before_share_of_pot": None if pot is None else before / pot,
            "exploitability_after_share_of_pot": None if pot is None else after / pot,
            "exploitability_in_parts": self.exploitability_in_parts,
            "value": self.solution.value,
            "seconds": self.seconds,
            "stopped_by": self.solution.stopped_by,
        }


class Parts(Protocol):
    """Parts of a game that are re-solved one by one."""

    def __len__(self) -> int: ...

    def resolve(self, number: int, method: Method, algorithm: Algorithm, iterations: int) -> float:
        """Re-solve a part; return the exploitability in the games that were solved."""

    def strategy(self) -> Strategy:
        """Trunk and parts together."""


def resolve(
    solution: Solution,
    at: str | Cut | None = None,
    *,
    rules: Game | None = None,
    method: Method = "gadget",
    algorithm: str | Recipe | None = None,
    iterations: int | None = None,
    sizes: BetSizes | Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[PartProgress], None] | None = None,
    return_on_interrupt: bool = False,
) -> Resolved:
    """Solve again all that is below a cut of a solution, keeping what is above.

    ``at`` is a cut: see `infoset.resolving.cuts`. A trimmed solution is re-solved below the cut at
    which it was trimmed, and that of a game needs its ``rules``. With a safe ``method`` (all but
    ``unsafe``) the whole is never more exploitable than before, but for what the solutions of the
    parts lack. ``sizes`` are other bet sizes for the streets below the cut of a spot.

    >>> import infoset
    >>> solution = infoset.solve("leduc", "cfr+", iterations=50)
    >>> again = resolve(solution, "round=2", iterations=500)
    >>> again.num_parts, again.exploitability_after < again.exploitability_before
    (5, True)
    """
    method, cut = check_method(method), _cut_of(solution, at)
    is_public = isinstance(solution.strategy, PublicStrategy)
    usual = SPOT_ALGORITHM if is_public else DEFAULT_ALGORITHM
    chosen = find_algorithm(usual if algorithm is None else algorithm)
    count = SPOT_ITERATIONS if is_public else GAME_ITERATIONS
    limits = Limits(iterations=count if iterations is None else iterations)
    count = 1 if chosen.is_exact else limits.iterations or 1
    chosen.check(count)
    if chosen.nested is not None:
        raise BadInputError("cfr-d itself does not re-solve subgames: give another algorithm")
    if sizes is not None and (not is_public or solution.below is not None):
        raise BadInputError(
            "other bet sizes are for whole solutions of hold'em spots in public form"
        )
    with heard_interrupts():
        spot = solution.spot
        parts: Parts
        if solution.below is not None:
            before = solution.exploitability
            parts = parts_of(solution, rules, seed=seed, threads=num_threads(threads))
        elif is_public:
            before, spot, parts = _public_parts(solution, cut, chosen, sizes, threads)
        else:
            before, parts = _sequence_parts(solution, cut, seed)
    done, worst = 0, 0.0
    begin = time.perf_counter()
    with deferred_interrupt() as interrupt:
        while done < len(parts) and not interrupt.requested:
            worst = max(worst, parts.resolve(done, method, chosen, count))
            done += 1
            if progress is not None:
                progress(PartProgress(done, len(parts), time.perf_counter() - begin))
    seconds = time.perf_counter() - begin
    if interrupt.requested and not return_on_interrupt:
        raise KeyboardInterrupt
    strategy = parts.strategy()
    if strategy is solution.strategy and isinstance(parts, NestParts):
        # Too large to be put together: it stays as it was, and is measured part by part.
        again = replace(solution, exploitability=parts.exploitability())
    else:
        again = _measured(replace(solution, below=None), strategy, spot, seconds)
    name = f"{chosen.name} x {count:,} below {cut} ({method}), {solution.algorithm} above"
    stopped_by = "interrupt" if interrupt.requested else "iterations"
    return Resolved(
        solution=replace(again, algorithm=name, stopped_by=stopped_by),
        cut=cut,
        method=method,
        algorithm=chosen.name,
        iterations=count,
        num_parts=len(parts),
        parts_done=done,
        exploitability_before=before,
        exploitability_in_parts=worst,
        seconds=seconds,
    )


def _cut_of(solution: Solution, at: str | Cut | None) -> Cut:
    """Where to re-solve; of a trimmed solution, where it was trimmed."""
    below = solution.below
    if below is None:
        if at is None:
            raise BadInputError("say below which cut to re-solve, as in round=2 or river")
        return parse_cut(at)
    if at is not None and parse_cut(at) != parse_cut(below.cut):
        raise BadInputError(
            f"the solution was trimmed at {below.cut} and holds nothing below; it can be re-solved "
            f"there, not at {parse_cut(at)}"
        )
    return parse_cut(below.cut)


def _sequence_parts(solution: Solution, cut: Cut, seed: int) -> tuple[float, Parts]:
    strategy = solution.strategy
    assert isinstance(strategy, SequenceStrategy)
    if not strategy.form.is_whole:
        raise BadInputError(
            f"{solution.game!r} was sampled by its rules and never enumerated: what is below a cut "
            "is not known"
        )
    trunk = Trunk.of(cut_form(strategy.form, cut), strategy)
    return exploitability(strategy), SequenceParts(trunk, strategy, seed=seed)


def _public_parts(
    solution: Solution,
    cut: Cut,
    algorithm: Algorithm,
    sizes: BetSizes | Any,
    threads: int | None,
) -> tuple[float, Spot, Parts]:
    strategy = solution.strategy
    assert isinstance(strategy, PublicStrategy)
    form = strategy.form
    if not isinstance(form, SpotForm):
        raise BadInputError(
            f"{solution.game!r} was solved in public form; games other than spots are re-solved in "
            "sequence form: solve it with form='sequence'"
        )
    if algorithm.recipe is None or algorithm.is_sampled:
        raise BadInputError(f"{algorithm.name!r} does not work in public form, nor in its parts")
    before = PublicEvaluation.of(strategy, threads=num_threads(threads)).exploitability()
    trunk = PublicTrunk.of(form, roots_of(form, cut), strategy)
    parts = PublicParts.of(trunk, strategy, threads=num_threads(threads))
    if sizes is None:
        return before, form.spot, parts
    spot = with_sizes_below(form.spot, trunk.roots[0].street, sizes)
    return before, spot, retarget(parts, form_of_spot(spot))


def with_sizes_below(spot: Spot, street: int, sizes: BetSizes | Any) -> Spot:
    """The spot with other bet sizes from a street on, counted from its first."""
    given = sizes if isinstance(sizes, BetSizes) else BetSizes(sizes)
    first = spot.street + street
    if street == 0:
        raise BadInputError(
            "other bet sizes begin where a street does: cut at turn, river or round=2"
        )
    old = spot.bet_sizes
    menus = (*old.menus[:first], *given.menus[first:])
    donk = (*old.donk[:first], *given.donk[first:])
    return replace_sizes(spot, replace(old, menus=menus, donk=donk))


def replace_sizes(spot: Spot, sizes: BetSizes) -> Spot:
    """The spot with other bet sizes."""
    return Spot(
        *(spot.board, spot.range_oop, spot.range_ip, spot.pot, spot.stack, sizes),
        rake=spot.rake,
        blinds=spot.blinds,
        name=spot.name,
        big_blind=spot.big_blind,
        locks=spot.locks,
    )


def _measured(
    solution: Solution, strategy: Strategy, spot: Spot | None, seconds: float
) -> Solution:
    """The solution with another strategy, which is measured."""
    if isinstance(strategy, PublicStrategy):
        assert spot is not None
        evaluation = PublicEvaluation.of(strategy, threads=solution.threads)
        first, second = evaluation.values()
        half, found = spot.pot / 2, evaluation.exploitability()
        values = half + first, half + second
    else:
        assert isinstance(strategy, SequenceStrategy)
        found, value = exploitability(strategy), expected_value(strategy)
        half = 0.0 if solution.spot is None else solution.spot.pot / 2
        values = half + value, half - value
    spot = solution.spot if spot is None else spot
    return replace(
        solution,
        strategy=strategy,
        values=(float(np.float64(values[0])), float(np.float64(values[1]))),
        exploitability=float(found),
        seconds=solution.seconds + seconds,
        curve=[],
        spot=spot,
    )
