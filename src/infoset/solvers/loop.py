"""The loop around every solver: when to stop, when to evaluate, when to save."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from infoset.errors import FileFormatError, StorageError
from infoset.machine.interrupts import Cancel, deferred_interrupt
from infoset.solvers.contract import Solver
from infoset.solvers.limits import Limits
from infoset.solvers.outcome import Outcome, Point
from infoset.solvers.solution import Solution, UnsavedError
from infoset.solvers.solution_files import Checkpoint, Saving, write_checkpoint

BATCH_SECONDS = 0.05
"""How long a solver runs between two readings of the clock: short enough for Ctrl-C and a smooth
progress line, long enough that checking costs nothing."""
FEW, FEW_SECONDS = 4, 0.5
"""Where iterations take longer, a few go together if that is still short: to begin has its cost."""

CURVE_POINTS = 30
CURVE_GROWTH = 1.2
"""Ratio between two points of a curve whose end is not known; such a curve is thinned later."""
CHECK_GROWTH = 1.05
"""Ratio between two tests whether the wanted exploitability is reached."""


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    iteration: int
    seconds: float
    exploitability: float | None
    """As last measured."""
    share: float | None
    """How much of the run is done, by the limit that looks nearest; `None` if nothing tells."""
    news: Mapping[str, float] = field(default_factory=dict)
    """Losses and samples, of solvers that train networks."""


def restore(solver: Solver, checkpoint: Checkpoint) -> None:
    """Put a solver where a checkpoint was taken, if it is one of such a solver."""
    state = checkpoint.state
    is_finite = all(np.isfinite(a).all() for a in state.values() if a.dtype.kind == "f")
    if not is_finite or not solver.accepts(state):
        raise FileFormatError(
            f"the checkpoint does not hold what {checkpoint.algorithm!r} needs to go on with "
            f"{checkpoint.game!r}; it was not written by infoset, or altered"
        )
    solver.restore(state, checkpoint.iteration)


def _next_evaluation(iteration: int, growth: float, stride: int) -> int:
    """The first iteration after one in a fixed series, each about ``growth`` times the last.

    All are multiples of ``stride``. Fixed, so that a resumed run is evaluated, and stops, where it
    would have been if never stopped before.

    >>> [_next_evaluation(iteration, 1.2, 7) for iteration in (0, 6, 7, 42, 56)]
    [7, 7, 14, 56, 63]
    """
    due = 1
    while (multiple := -(-due // stride) * stride) <= iteration:
        due = max(due + 1, round(due * growth))
    return multiple


class _Run:
    """A run in progress: the solver, the clock, and the curve so far."""

    def __init__(self, solver: Solver, limits: Limits, start: Checkpoint) -> None:
        self.solver = solver
        self.limits = limits
        self.seconds = start.seconds
        self.curve = list(start.curve)
        self.exploitability: float | None = None
        self._measured_at = -1
        self._speed = 0.0
        # From the present one on: a resumed run may have arrived already.
        self._next_point = self._point_after(solver.iteration - 1)
        self._next_check = self._check_after(solver.iteration - 1)

    def _point_after(self, iteration: int) -> int:
        end, stride = self.limits.iterations, self.solver.evaluation_stride
        if end is None:
            return _next_evaluation(iteration, CURVE_GROWTH, stride)
        # Spread from the first multiple to the end: all before the first fall onto it.
        growth = max(end / stride, 2) ** (1.0 / (CURVE_POINTS - 1))
        return min(end, _next_evaluation(iteration, growth, stride))

    def _check_after(self, iteration: int) -> int:
        return _next_evaluation(iteration, CHECK_GROWTH, self.solver.evaluation_stride)

    def step(self) -> None:
        """Iterate until the next evaluation is due, but not for long."""
        due = self._next_point
        if self.limits.exploitability is not None:
            due = min(due, self._next_check)
        most = due - self.solver.iteration
        if most <= 0:
            return
        few = min(FEW, int(self._speed * FEW_SECONDS))
        batch = max(1, min(most, max(few, int(self._speed * BATCH_SECONDS))))
        begin = time.perf_counter()
        self.solver.run(batch)
        spent = time.perf_counter() - begin
        self.seconds += spent
        self._speed = batch / max(spent, 1e-9)

    def evaluate(self) -> None:
        """Measure the strategy so far, once per iteration at most."""
        if self._measured_at != self.solver.iteration:
            self.exploitability = self.solver.exploitability()
            self._measured_at = self.solver.iteration

    def evaluate_if_due(self) -> None:
        """Measure for the curve or for the exploitability that was asked for."""
        iteration = self.solver.iteration
        if self.limits.exploitability is not None and iteration >= self._next_check:
            self.evaluate()
            self._next_check = self._check_after(iteration)
        if iteration >= self._next_point:
            self.add_point()
            self._next_point = self._point_after(iteration)

    def add_point(self) -> None:
        """Put the present onto the curve."""
        self.evaluate()
        iteration = self.solver.iteration
        if not self.curve or self.curve[-1].iteration < iteration:
            assert self.exploitability is not None
            nodes = self.solver.nodes_touched
            news = self.solver.news
            self.curve.append(Point(iteration, self.seconds, self.exploitability, nodes, news))

    def stopped_by(self) -> str | None:
        """Which limit has been reached, if any."""
        limits, iteration = self.limits, self.solver.iteration
        if self.solver.is_exact and iteration > 0:
            return "exact"
        if limits.exploitability is not None and self._measured_at == iteration:
            assert self.exploitability is not None
            if self.exploitability <= limits.exploitability:
                return "exploitability"
        if limits.iterations is not None and iteration >= limits.iterations:
            return "iterations"
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return "seconds"
        return None

    def progress(self) -> Progress:
        """How far the run is."""
        limits, iteration = self.limits, self.solver.iteration
        done = (iteration, limits.iterations), (self.seconds, limits.seconds)
        shares = [value / limit for value, limit in done if limit is not None]
        share = min(1.0, max(shares)) if shares else None
        return Progress(iteration, self.seconds, self.exploitability, share, self.solver.news)


def _thinned(curve: list[Point]) -> list[Point]:
    """About `CURVE_POINTS` points: every other one goes, the last stays, until they are few."""
    while len(curve) > 1.5 * CURVE_POINTS:
        curve = [*curve[:-1:2], curve[-1]]
    return curve


def iterate(
    solver: Solver,
    limits: Limits,
    start: Checkpoint,
    finish: Callable[[Outcome], Solution],
    *,
    saving: Saving | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: Cancel | None = None,
) -> Solution:
    """Have a solver iterate until a limit is reached, Ctrl-C is pressed, or `cancel` says so.

    ``finish`` makes the solution of how the run went. ``start`` says what is run, and holds the
    seconds and the curve up to where the solver is now.

    A checkpoint that cannot be written (a full disk, say) costs a warning, and is tried again
    when the next one is due. Only if the last one fails too is that an error, `UnsavedError`,
    which has the solution. If ``progress`` raises, a checkpoint is written before that is passed
    on; `KeyboardInterrupt` is taken for Ctrl-C.
    """
    cancel = Cancel() if cancel is None else cancel
    job = _Run(solver, limits, start)

    def save() -> StorageError | None:
        """Write a checkpoint, if one is wanted; return what went wrong."""
        if saving is None:
            return None
        checkpoint = replace(
            start,
            horizon=limits.iterations,
            iteration=solver.iteration,
            seconds=job.seconds,
            curve=job.curve,
            state=solver.state(),
        )
        try:
            write_checkpoint(saving.path, checkpoint)
        except StorageError as error:
            return error
        return None

    def tell() -> None:
        """Report progress."""
        if progress is None:
            return
        try:
            progress(job.progress())
        except KeyboardInterrupt:
            if interrupt.requested:  # the second Ctrl-C
                raise
            interrupt.requested = True
        except BaseException:
            save()
            raise

    # An exact solver has nothing to show before it is done, so it is interrupted at once.
    with (
        deferred_interrupt(active=not solver.is_exact, then=solver.stop) as interrupt,
        cancel.heard_by(solver.stop),
    ):
        saved_at = time.monotonic()
        job.evaluate_if_due()
        stopped_by = job.stopped_by() if solver.iteration else None
        while stopped_by is None:
            job.step()
            job.evaluate_if_due()
            tell()
            is_stopped = interrupt.requested or cancel.requested
            stopped_by = job.stopped_by() or ("interrupt" if is_stopped else None)
            waited = time.monotonic() - saved_at
            if saving is not None and waited >= saving.every and stopped_by is None:
                problem = save()
                if problem is not None:
                    again = f"The run goes on, and tries again in {saving.every:g} seconds."
                    warnings.warn(f"{problem} {again}", RuntimeWarning, stacklevel=3)
                saved_at = time.monotonic()
        # Before the last point is added, which a run that goes on from here would not have.
        problem = save()
        job.add_point()
    assert job.exploitability is not None
    solution = finish(
        Outcome(
            iterations=solver.iteration,
            seconds=job.seconds,
            exploitability=job.exploitability,
            curve=_thinned(job.curve),
            # Also if Ctrl-C came as the run ended by itself: it was meant to stop the caller.
            stopped_by="interrupt" if interrupt.requested or cancel.requested else stopped_by,
            nodes_touched=solver.nodes_touched,
        )
    )
    if problem is not None:
        raise UnsavedError(problem, solution) from problem
    return solution
