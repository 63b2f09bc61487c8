"""Runs of solvers that can be watched, and how they end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.cli.progress import LiveLine, Outlook, run_line
from infoset.cli.streams import FAILED, INTERRUPTED, End, complain
from infoset.errors import InfosetError

if TYPE_CHECKING:
    from infoset.solvers import Request, Solution


def run_watched(request: Request, line: LiveLine) -> Solution:
    """Run a request and show on a line how far it is."""
    from infoset.forms import SpotForm
    from infoset.games.holdem import Spot
    from infoset.solvers import run

    rules = request.rules
    spot = rules.spot if isinstance(rules, SpotForm) else rules
    pot = spot.starting_pot if isinstance(spot, Spot) else None
    outlook = Outlook(request.limits.exploitability)

    def show(progress: Any) -> None:
        left = outlook.seconds_left(progress)
        line.show(progress.share, run_line(progress, left, pot))

    return run(replace(request, progress=show, announce=line.announce))


def was_interrupted(solution: Solution) -> bool:
    """Whether Ctrl-C ended the run."""
    return solution.stopped_by == "interrupt"


def has_nodes(solution: Solution) -> bool:
    """Whether there are nodes to look at, hand by hand: a spot that was solved in public form."""
    return solution.spot is not None and solution.form == "public"


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show what the library warns of, such as a checkpoint that failed, without lines of code."""

    def show(message: Warning | str, *_: object, **__: object) -> None:
        complain(message)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=RuntimeWarning, module="infoset")
        warnings.showwarning = show
        yield


def attempt(path: Path | None, write: Callable[[Path], object]) -> list[str]:
    """Write one of the last files, if it is asked for, and tell what went wrong.

    Whatever it is, a full disk or a font that matplotlib cannot read, it must not cost the
    answer, which is still to be printed.
    """
    try:
        if path is not None:
            write(path)
    except InfosetError as error:
        return [str(error)]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def end(problems: Iterable[str] = (), interrupted: str | None = None) -> None:
    """Tell what went wrong at the end of a command, and end it with the code that says so.

    ``interrupted`` is what to say after Ctrl-C; an empty text says nothing.
    """
    problems = [*problems]
    for problem in [*problems, *([interrupted] if interrupted else [])]:
        complain(problem)
    if problems or interrupted is not None:
        raise End(FAILED if problems else INTERRUPTED)
