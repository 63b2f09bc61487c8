"""From what was typed to runs of solvers that can be watched."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from infoset.cli.progress import LiveLine, Outlook, run_line
from infoset.cli.streams import complain
from infoset.errors import BadInputError, InfosetError

if TYPE_CHECKING:
    from infoset.games import Game
    from infoset.games.holdem import Spot
    from infoset.solvers import Request, Solution

__all__ = [
    "RunOptions",
    "attempt",
    "find_target",
    "run_watched",
    "warnings_as_sentences",
    "was_interrupted",
]


@dataclass(frozen=True)
class RunOptions:
    """What may be typed about a run, whichever command it is for."""

    target: str
    name: str | None = None
    iterations: int | None = None
    seconds: float | None = None
    exploitability: str | None = None
    form: str = "auto"
    seed: int | None = None
    threads: int | None = None
    bits: int | None = None
    memory: str | None = None

    def request(self, algorithm: str | None, **files: Any) -> Request:
        """The run that is asked for; ``files`` are those of `make_request`."""
        from infoset.machine.memory import parse_bytes
        from infoset.solvers import make_request

        return make_request(
            find_target(self.target, self.name),
            algorithm,
            iterations=self.iterations,
            seconds=self.seconds,
            exploitability=_number_or_text(self.exploitability),
            form=self.form,  # type: ignore[arg-type]  # checked there
            seed=self.seed,
            threads=self.threads,
            bits=self.bits,
            max_memory=None if self.memory is None else parse_bytes(self.memory),
            **files,
        )

    def words(self, algorithm: str) -> list[str]:
        """What is typed to ask for the same run again."""
        named = {
            "--name": self.name,
            "-a": algorithm,
            "-n": self.iterations,
            "-s": self.seconds,
            "-e": self.exploitability,
            "--form": None if self.form == "auto" else self.form,
            "--threads": self.threads,
            "--bits": self.bits,
            "--memory": self.memory,
        }
        words = [self.target]
        for option, value in named.items():
            words += [] if value is None else [option, str(value)]
        return words


def find_target(target: str, name: str | None) -> Game | Spot:
    """The rules that a target names."""
    from infoset.games.holdem import AmbiguousSpotError
    from infoset.interop import find_rules

    try:
        return find_rules(target, name)
    except AmbiguousSpotError as error:
        raise BadInputError(f"{error} (with --name NAME)") from None


def _number_or_text(typed: str | None) -> float | str | None:
    if typed is None:
        return None
    try:
        return float(typed)
    except ValueError:
        return typed


def run_watched(request: Request, line: LiveLine) -> Solution:
    """Run a request and show on a line how far it is."""
    from infoset.forms import SpotForm
    from infoset.games.holdem import Spot
    from infoset.solvers import run

    rules = request.rules
    spot = rules.spot if isinstance(rules, SpotForm) else rules
    pot = spot.pot if isinstance(spot, Spot) else None
    outlook = Outlook(request.limits.exploitability)

    def show(progress: Any) -> None:
        left = outlook.seconds_left(progress)
        line.show(progress.share, run_line(progress, left, pot))

    return run(replace(request, progress=show, announce=line.announce))


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


def attempt(step: Callable[[], None]) -> list[str]:
    """Do one of the last steps, and tell what went wrong instead of raising it.

    Whatever it is, a full disk or a font that matplotlib cannot read, it must not cost the
    answer, which is still to be printed.
    """
    try:
        step()
    except InfosetError as error:
        return [str(error)]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
    return []
