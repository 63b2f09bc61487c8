"""From what was typed to runs of solvers that can be watched."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from infoset.cli.progress import BUILDING, KERNELS, LiveLine, Outlook, run_line
from infoset.cli.streams import complain
from infoset.errors import InfosetError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.api import Store
    from infoset.forms import SequenceForm
    from infoset.games import Game
    from infoset.solvers.loop import Progress
    from infoset.solvers.solution import Solution

__all__ = [
    "Limited",
    "build",
    "check_run",
    "follow",
    "problems_of",
    "warnings_as_sentences",
    "was_interrupted",
]


class Limited(NamedTuple):
    """The limits as they were typed."""

    iterations: int | None
    seconds: float | None
    exploitability: float | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing says when to stop."""
        return all(limit is None for limit in self)


def check_run(algorithms: Iterable[str], limited: Limited) -> None:
    """Refuse limits and algorithms before a game is built for them."""
    from infoset.api import DEFAULT_ITERATIONS
    from infoset.solvers.algorithms import find_algorithm
    from infoset.solvers.limits import Limits

    if limited.is_empty:
        limited = Limited(DEFAULT_ITERATIONS, None, None)
    limits = Limits(*limited)
    for algorithm in algorithms:
        find_algorithm(algorithm).check(limits.iterations)


def build(
    rules: Game, line: LiveLine, algorithm: str, store: Store = "auto"
) -> SequenceForm | Game:
    """Compile kernels and game, and say so if it takes long; the rules, if they are sampled."""
    from infoset import api
    from infoset.solvers.algorithms import find_algorithm
    from infoset.solvers.running import warm_up

    chosen = find_algorithm(algorithm)
    with heard_interrupts():
        line.announce(KERNELS)
        warm_up(sampled=chosen.is_sampled)
        line.announce(BUILDING)
        found = api.prepare(rules, chosen, store)
    line.announce("solving")
    return found


def follow(line: LiveLine, target: float | None) -> Callable[[Progress], None]:
    """What a solver calls as it goes, to have its progress shown."""
    outlook = Outlook(target)

    def show(progress: Progress) -> None:
        left = outlook.seconds_left(progress)
        line.show(progress.share, run_line(progress, left))

    return show


def was_interrupted(solution: Solution) -> bool:
    """Whether Ctrl-C ended the run."""
    return solution.stopped_by == "interrupt"


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show what the library warns of, such as a checkpoint that failed, without lines of code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        complain(message)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=RuntimeWarning, module="infoset")
        warnings.showwarning = show
        yield


def problems_of(save: Callable[[], None]) -> list[str]:
    """Do one of the last steps, and tell what went wrong instead of raising it.

    Whatever it is, a full disk or a font that matplotlib cannot read, it must not cost the
    answer, which is still to be printed.
    """
    try:
        save()
    except InfosetError as error:
        return [str(error)]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return []
