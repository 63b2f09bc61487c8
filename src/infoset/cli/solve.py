"""Solve one game."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.app import FAILED, command, complain
from infoset.cli.figures import check_figure, draw_convergence
from infoset.cli.listing import JsonOption
from infoset.cli.output import (
    duration,
    memory,
    number,
    print_table,
    printable,
    strategy_lines,
    table,
    write_json,
)
from infoset.cli.progress import BUILDING, KERNELS, LiveLine, Outlook, run_line
from infoset.cli.targets import check_apart, check_game, check_readable, check_writable
from infoset.errors import BadInputError, InfosetError

if TYPE_CHECKING:
    from infoset.solvers.loop import Progress
    from infoset.solvers.solution import Solution

__all__ = [
    "ExploitabilityOption",
    "GameArgument",
    "IterationsOption",
    "QuietOption",
    "SecondsOption",
    "SeedOption",
    "follow",
    "solve",
]

SMALL = 40
"""Infosets up to which a strategy is printed without being asked for."""

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A built-in game, as in 'nolimit_leduc(stack=10)' (see: infoset games), "
        "open_spiel:NAME, or the path of an .efg file.",
        show_default=False,
    ),
]
IterationsOption = Annotated[
    int | None, typer.Option("--iterations", "-n", help="Stop after so many iterations.")
]
SecondsOption = Annotated[
    float | None, typer.Option("--seconds", "-s", help="Stop after so many seconds of iterating.")
]
ExploitabilityOption = Annotated[
    float | None,
    typer.Option("--exploitability", "-e", help="Stop at this exploitability, in chips."),
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Seed of what is random.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")
]


@command(example="infoset solve leduc -a idcfr+ -e 1e-3 --save leduc.infoset")
def solve(
    game: GameArgument,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            help="As in 'dcfr(alpha=1.5,beta=0)'; see: infoset algorithms. Default: dcfr.",
        ),
    ] = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    exploitability: ExploitabilityOption = None,
    save: Annotated[Path | None, typer.Option(help="Write the solution to this file.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep the state of the run in this file.")
    ] = None,
    every: Annotated[
        float | None,
        typer.Option(help="Seconds between two checkpoints. Default: 30.", show_default=False),
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on from this checkpoint.")] = None,
    seed: SeedOption = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the convergence: .svg, .pdf or .png.")
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find an equilibrium of a game; stop at the first limit that is reached.

    Without a limit, a thousand iterations are done. Ctrl-C stops cleanly: what there is then is
    saved and shown.
    """
    if every is not None and checkpoint is None:
        raise BadInputError("--every says how often to save, so it needs --checkpoint FILE")
    check_game(game)
    if resume is not None:
        check_readable(resume)
    written = {"--save": save, "--checkpoint": checkpoint, "--plot": plot}
    check_apart(written, read={"--resume": resume, "the game": Path(game)})
    for option, path in written.items():
        check_writable(option, path)
    check_figure(plot)

    from infoset import api
    from infoset.solvers.algorithms import find_algorithm
    from infoset.solvers.loop import warm_up

    rules = api.game(game)
    if algorithm is not None:
        find_algorithm(algorithm)
    api.check_limits(iterations, seconds, exploitability)
    with LiveLine(f"{game} by {algorithm or api.DEFAULT_ALGORITHM}", quiet=quiet) as line:
        line.announce(KERNELS)
        warm_up()
        line.announce(BUILDING)
        tree = api.compile(rules)
        line.announce("solving")
        solution = api.solve_or_stop(
            tree,
            algorithm,
            iterations=iterations,
            seconds=seconds,
            exploitability=exploitability,
            seed=seed,
            checkpoint=checkpoint,
            every=30.0 if every is None else every,
            resume=resume,
            progress=follow(line, exploitability),
        )
    # Files first: a closed pipe must not cost them. A disk that is full by now must not cost
    # the answer either, so what goes wrong here is told after it.
    failures = []
    if save is not None:
        failures += _trying(lambda: solution.save(save))
    if plot is not None:
        failures += _trying(lambda: draw_convergence(plot, [solution]))
    if json:
        write_json(solution.summary())
    else:
        _print(solution, save)
    for failure in failures:
        complain(failure)
    interrupted = solution.stopped_by == "interrupt"
    if interrupted and not quiet:
        _say_how_to_go_on(game, solution, iterations, seconds, exploitability, checkpoint)
    if failures or interrupted:
        raise typer.Exit(FAILED)
