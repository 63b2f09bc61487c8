"""The application, and the guard that every command runs under."""

from __future__ import annotations

import functools
import io
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, NoReturn, ParamSpec

import typer

from infoset.cli.streams import complain, mute_stdout
from infoset.errors import BadInputError, InfosetError
from infoset.version import __version__

__all__ = ["BAD_INPUT", "FAILED", "INTERRUPTED", "app", "command", "has_begun"]

P = ParamSpec("P")

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
"""Exit codes; 0 is done."""

_begun: list[str] = []


def has_begun() -> bool:
    """Whether a command has begun, which then says itself what became of it."""
    return bool(_begun)


app = typer.Typer(
    name="infoset",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: infoset solve leduc -a idcfr+ -e 1e-3",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"infoset {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _infoset(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Find, measure and look at equilibria of two-player zero-sum games."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def command(*, example: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Add a command whose help ends with an example, and which never shows a traceback."""

    def decorate(function: Callable[P, None]) -> Callable[P, None]:
        @app.command(epilog=f"Example: {example}")
        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            _begun.append(function.__name__)
            if isinstance(sys.stdout, io.TextIOWrapper):
                # Names of infosets may hold letters that the terminal's encoding lacks.
                sys.stdout.reconfigure(errors="backslashreplace")
            try:
                function(*args, **kwargs)
                sys.stdout.flush()
            except typer.Exit:
                raise
            except BrokenPipeError:
                # `| head` has seen enough, which is no failure.
                mute_stdout()
                raise typer.Exit(0) from None
            except (Exception, KeyboardInterrupt) as error:
                _fail(error)

        return guarded

    return decorate


def _fail(error: BaseException) -> NoReturn:
    """End with one sentence and the exit code that belongs to an error."""
    if isinstance(error, BadInputError):
        complain(error)
        raise typer.Exit(BAD_INPUT) from None
    if isinstance(error, KeyboardInterrupt):
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    if isinstance(error, InfosetError):
        complain(error)
    elif isinstance(error, MemoryError):
        complain("there is not enough memory for this; see what it takes with: infoset tree")
    elif isinstance(error, OSError):
        mute_stdout()
        complain(f"the system refused: {error}")
    else:
        complain(f"this is a bug in infoset, please report it: {type(error).__name__}: {error}")
        if os.environ.get("INFOSET_DEBUG") == "1":
            traceback.print_exception(error)
        else:
            complain("for details, run the command again with INFOSET_DEBUG=1")
    raise typer.Exit(FAILED) from None
