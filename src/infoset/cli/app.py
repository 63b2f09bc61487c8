"""The application, and what all commands have in common."""

from __future__ import annotations

import functools
import inspect
import io
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Annotated, Any

import typer

from infoset.cli.streams import guarded, warnings_as_sentences
from infoset.errors import BadInputError
from infoset.version import __version__

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
    """Find, measure and play equilibria of two-player zero-sum games."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def command(
    *, example: str, to: typer.Typer = app
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a command whose help ends with an example, and which never shows a traceback.

    It is added to the application, or to a group of commands in it. A parameter that is a
    dataclass stands for its fields, each an option of its own.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        parameters: list[inspect.Parameter] = []
        groups: dict[str, tuple[Any, list[str]]] = {}
        for parameter in inspect.signature(function, eval_str=True).parameters.values():
            group: Any = parameter.annotation
            if isinstance(group, type) and is_dataclass(group):
                fields = inspect.signature(group, eval_str=True).parameters
                groups[parameter.name] = group, [*fields]
                parameters += fields.values()
            else:
                parameters.append(parameter)

        @functools.wraps(function)
        def run(**typed: Any) -> None:
            with guarded(), warnings_as_sentences():
                if isinstance(sys.stdout, io.TextIOWrapper):
                    # Names of infosets may hold letters that the terminal's encoding lacks.
                    sys.stdout.reconfigure(errors="backslashreplace")
                if typed.get("json") and typed.get("csv"):
                    raise BadInputError("--json and --csv exclude each other: choose one")
                for name, (group, fields) in groups.items():
                    typed[name] = group(**{field: typed.pop(field) for field in fields})
                function(**typed)

        options = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        return to.command(epilog=f"Example: {example}")(run)

    return decorate
