"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "CheckpointOption",
    "EveryOption",
    "ExploitabilityOption",
    "GameArgument",
    "IterationsOption",
    "JsonOption",
    "PlotOption",
    "QuietOption",
    "ResumeOption",
    "SaveOption",
    "SecondsOption",
    "SeedOption",
    "SolutionArgument",
    "ThreadsOption",
]

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A built-in game, as in 'nolimit_leduc(stack=10)' (see: infoset games); "
        "open_spiel:NAME; or the path of an .efg file.",
        show_default=False,
    ),
]
SolutionArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="What infoset solve --save wrote.", show_default=False),
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
    float | None,
    typer.Option(
        "--exploitability", "-e", metavar="E", help="Stop at this exploitability, in chips."
    ),
]
SaveOption = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="Write the solution here.")
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option("--checkpoint", metavar="FILE", help="Keep the state of the run here."),
]
EveryOption = Annotated[
    float | None,
    typer.Option("--every", metavar="S", help="Seconds between checkpoints. Default: 30."),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option("--resume", metavar="FILE", help="Go on from this checkpoint."),
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
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", help="Draw the convergence; FILE ends in .svg, .pdf or .png."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")
]
