"""The live line of a long job, on stderr: how far it is, how good, how long it will take."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from infoset.cli.output import duration

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from infoset.solvers import Progress, Request, Solution

PATIENCE = 1.0
"""Seconds before a silent step is explained."""
REDRAWN = 0.1
"""Seconds between two redrawings."""
LOGGED = 10.0
"""Seconds between the first lines where there is no terminal; later, a tenth of the time so far."""
SLOW = 100.0
"""Fewer iterations per second than this are told as the time that each takes."""


def _bars() -> Bars:
    """The line as rich draws it; imported here, since most commands draw none."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, Task, TextColumn
    from rich.progress_bar import ProgressBar

    class Bar(BarColumn):
        """A bar only where it is known how much there is to do."""

        def render(self, task: Task) -> ProgressBar:
            bar = super().render(task)
            bar.width = 0 if task.total is None else self.bar_width
            return bar

    return Progress(
        TextColumn("{task.description}"),
        Bar(bar_width=12),
        TextColumn("{task.fields[state]}"),
        console=Console(stderr=True, markup=False, highlight=False, emoji=False),
    )


class LiveLine:
    """A line that is redrawn on a terminal, and now and then logged where there is none.

    A stderr that went away (``2>&1 | head``) ends the display, never the job.
    """

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        self._title = title
        self._off = quiet
        self._begin = time.monotonic()
        self._timer: threading.Timer | None = None
        self._bars: Bars | None = None
        self._last: tuple[float | None, str] | None = None
        if not quiet and sys.stderr.isatty():
            self._bars = _bars()
            self._task = self._bars.add_task(title, total=None, state="")
        # Where lines stay, a short job needs none.
        self._due = self._begin + (LOGGED if self._bars is None else 0.0)

    def __enter__(self) -> LiveLine:
        if self._bars is not None:
            self._safely(self._bars.start)
        return self

    def __exit__(self, *error: object) -> None:
        self._stop_waiting()
        if self._bars is not None:
            if self._last is not None:
                self._draw(*self._last)
            self._safely(self._bars.stop)

    def announce(self, step: str) -> None:
        """Name a step that may be long and silent; it is shown only if it is long."""
        self._stop_waiting()
        if self._off:
            return
        self._timer = threading.Timer(PATIENCE, self._draw, (None, step))
        self._timer.daemon = True
        self._timer.start()

    def show(self, share: float | None, state: str) -> None:
        """Tell how much is done, if that is known, and what there is to say about it."""
        self._stop_waiting()
        if self._off:
            return
        self._last = share, state
        now = time.monotonic()
        if now >= self._due:
            on_terminal = self._bars is not None
            self._due = now + (REDRAWN if on_terminal else max(LOGGED, (now - self._begin) / 10))
            self._draw(share, state)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _draw(self, share: float | None, state: str) -> None:
        bars = self._bars
        if bars is None:
            line = f"{self._title}: {state}"
            self._safely(lambda: print(line, file=sys.stderr, flush=True))
        else:
            total = None if share is None else 1.0
            self._safely(lambda: bars.update(self._task, total=total, completed=share, state=state))

    def _safely(self, draw: Callable[[], object]) -> None:
        if self._off:
            return
        try:
            draw()
        except OSError:
            self._off = True


class Outlook:
    """How long a run will take, from how it has gone so far."""

    def __init__(self, target: float | None) -> None:
        self._target = target
        self._measured: list[tuple[float, float]] = []

    def seconds_left(self, progress: Progress) -> float | None:
        """By the share that is done; else by where the exploitability will meet its target.

        Convergence is close to a straight line on log-log paper, so the line through now and a
        quarter of the way to now is followed.

        >>> from infoset.solvers.loop import Progress
        >>> outlook = Outlook(target=0.01)
        >>> for t in (1.0, 2.0, 4.0, 8.0):  # exploitability 1 / t
        ...     left = outlook.seconds_left(Progress(int(t), t, 1 / t, None))
        >>> round(left)
        92
        """
        if progress.share:
            return progress.seconds * (1.0 / progress.share - 1.0)
        now = progress.exploitability
        if self._target is None or not now or now <= self._target or progress.seconds <= 0.0:
            return None
        if not self._measured or self._measured[-1][1] != now:
            self._measured.append((progress.seconds, now))
        then = next(at for at in self._measured if at[0] >= progress.seconds / 4)
        if then[0] >= progress.seconds or then[1] <= now:
            return None
        slope = math.log(then[1] / now) / math.log(progress.seconds / then[0])
        doublings = math.log(now / self._target) / slope
        return progress.seconds * (math.exp(doublings) - 1.0) if doublings < 20 else None


def run_line(progress: Progress, left: float | None, pot: int | None = None) -> str:
    """What there is to say about a run; of a spot, with its pot, in shares of it.

    >>> from infoset.solvers.loop import Progress
    >>> run_line(Progress(4000, 2.0, 0.5, None), 75.2)
    '4,000 iterations  2,000/s  exploitability 0.5  1 min 15 s left'
    >>> run_line(Progress(40, 2.0, 0.5, None), 7.2, pot=200)
    '40 iterations  50 ms each  exploitability 0.25% of the pot  7 s left'
    >>> run_line(Progress(40, 2.0, 0.5, None, {"loss of regrets": 0.01234}), None)
    '40 iterations  50 ms each  exploitability 0.5  loss of regrets 0.0123'
    """
    parts = [f"{progress.iteration:,} iterations"]
    if progress.iteration and progress.seconds > 0:
        speed = progress.iteration / progress.seconds
        parts.append(f"{speed:,.0f}/s" if speed >= SLOW else f"{duration(1 / speed)} each")
    if progress.exploitability is not None:
        amount = f"{progress.exploitability:.3g}"
        if pot is not None:
            amount = f"{100 * progress.exploitability / pot:.3g}% of the pot"
        parts.append(f"exploitability {amount}")
    parts += [f"{name} {value:.3g}" for name, value in progress.news.items()]
    if left is not None and left > 0:
        parts.append(f"{duration(max(1, round(left)))} left")
    return "  ".join(parts)


def run_watched(request: Request, line: LiveLine) -> Solution:
    """Run a request and show on a line how far it is."""
    from infoset.forms import SpotForm
    from infoset.games.holdem import Spot
    from infoset.neural import run

    rules = request.rules
    spot = rules.spot if isinstance(rules, SpotForm) else rules
    pot = spot.starting_pot if isinstance(spot, Spot) else None
    outlook = Outlook(request.limits.exploitability)

    def show(progress: Progress) -> None:
        left = outlook.seconds_left(progress)
        line.show(progress.share, run_line(progress, left, pot))

    return run(replace(request, progress=show, announce=line.announce))


def was_interrupted(solution: Solution) -> bool:
    """Whether Ctrl-C ended the run."""
    return solution.stopped_by == "interrupt"


def has_nodes(solution: Solution) -> bool:
    """Whether there are nodes to look at, hand by hand: a spot that was solved in public form."""
    return solution.spot is not None and solution.form == "public" and solution.below is None
