"""The three streams, which may be closed, full or gone at any time, and how a program ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from infoset.errors import BadInputError, InfosetError

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes; 0 is done."""


class End(SystemExit):
    """The end of a command that has said itself what became of it."""


def complain(problem: object) -> None:
    """Say on stderr what is wrong, in a sentence."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"infoset: {problem}\n")
        sys.stderr.flush()


def end_politely() -> None:
    """Take SIGTERM for Ctrl-C: a run saves its work, then the program ends."""
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))


def open_missing() -> None:
    """Give streams that were closed by the caller (``>&-``) somewhere to write to."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """End with one sentence and an exit code, whatever goes wrong inside; never a traceback."""
    code: str | int | None = 0
    try:
        try:
            yield
        except SystemExit as end:
            # Ctrl-C before a command has begun: typer exits without a word.
            if end.code == INTERRUPTED and not isinstance(end, End):
                raise KeyboardInterrupt from None
            code = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        # `| head` has seen enough, which is no failure.
        _mute_stdout()
    except (Exception, KeyboardInterrupt) as error:
        code = _explain(error)
    if code:
        raise End(code)


def _mute_stdout() -> None:
    """Let what is still buffered go nowhere, or Python would complain again as it exits."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _explain(error: BaseException) -> int:
    """Say what an error means in a sentence; the exit code that belongs to it."""
    if isinstance(error, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    if isinstance(error, InfosetError):
        complain(error)
        return BAD_INPUT if isinstance(error, BadInputError) else FAILED
    if isinstance(error, MemoryError):
        complain("there is not enough memory for this; see what it takes with: infoset tree")
    elif isinstance(error, OSError):
        _mute_stdout()
        complain(f"the system refused: {error}")
    else:
        complain(f"this is a bug in infoset, please report it: {type(error).__name__}: {error}")
        if os.environ.get("INFOSET_DEBUG") == "1":
            traceback.print_exception(error)
        else:
            complain("for details, run the command again with INFOSET_DEBUG=1")
    return FAILED


@contextlib.contextmanager
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
