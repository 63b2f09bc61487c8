"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from infoset.errors import BadInputError

__all__ = [
    "BitsOption",
    "CsvOption",
    "ExploitabilityOption",
    "FormOption",
    "GameOption",
    "IterationsOption",
    "JsonOption",
    "MemoryOption",
    "NameOption",
    "QuietOption",
    "SecondsOption",
    "SeedOption",
    "SolutionArgument",
    "TargetArgument",
    "ThreadsOption",
    "check_output",
]

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A built-in game, as in 'nolimit_leduc(stack=10)' (see: infoset games); "
        "open_spiel:NAME; the path of an .efg file; a hold'em spot in a .toml or .json file; or a "
        "random situation, as in 'River(5k, seed=1)'.",
        show_default=False,
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which spot, if the file has several."),
]
SolutionArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="What infoset solve --save wrote.", show_default=False),
]
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="GAME", help="The game, if its name in the file no longer finds it."
    ),
]
IterationsOption = Annotated[
    int | None,
    typer.Option("--iterations", "-n", metavar="N", help="Stop after so many iterations."),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", "-s", metavar="S", help="Stop after so many seconds of iterating."),
]
ExploitabilityOption = Annotated[
    str | None,
    typer.Option(
        "--exploitability",
        "-e",
        metavar="E",
        help="Stop at this exploitability: 1e-3 chips; of a spot also 0.5% of the pot, 3c (chips) "
        "or 20mbb (thousandths of a big blind).",
    ),
]
FormOption = Annotated[
    str,
    typer.Option(
        "--form",
        metavar="auto|sequence|public|rules",
        help="Which form to solve in: sequence for any game, public for spots and small card "
        "games, rules for algorithms that sample a game too large for either.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Seed of what is random.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="How many processors to use, where several can be. Default: all.",
    ),
]
BitsOption = Annotated[
    int | None,
    typer.Option(
        "--bits",
        metavar="B",
        help="How numbers are stored in public form: 32, or 16 for half the memory. Default: 32.",
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="M", help="Refuse what takes more, as in 2GB. Default: what is free."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text.")
]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")
]


def check_output(*, json: bool, csv: bool) -> None:
    """Refuse two kinds of output at once."""
    if json and csv:
        raise BadInputError("--json and --csv exclude each other: choose one")
