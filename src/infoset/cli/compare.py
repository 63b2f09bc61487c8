"""Run several algorithms on one game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.app import FAILED, command
from infoset.cli.figures import By, check_figure, draw_convergence
from infoset.cli.options import (
    ExploitabilityOption,
    GameArgument,
    IterationsOption,
    JsonOption,
    PlotOption,
    QuietOption,
    SecondsOption,
    SeedOption,
)
from infoset.cli.output import duration, number, print_table, printable, table, write_json
from infoset.cli.progress import LiveLine
from infoset.cli.running import Limited, build, check_run, follow, problems_of, was_interrupted
from infoset.cli.streams import complain
from infoset.cli.targets import check_apart, check_writable, game_file

if TYPE_CHECKING:
    from infoset.solvers.solution import Solution

__all__ = ["compare"]

DEFAULT_ALGORITHMS = ("cfr", "cfr+", "dcfr", "idcfr+", "pcfr+")


@command(example="infoset compare leduc -a cfr+ -a idcfr+ --plot leduc.svg")
def compare(
    game: GameArgument,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="A",
            help=f"An algorithm; give it several times. Default: {', '.join(DEFAULT_ALGORITHMS)}.",
            show_default=False,
        ),
    ] = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    exploitability: ExploitabilityOption = None,
    seed: SeedOption = None,
    plot: PlotOption = None,
    by: Annotated[By, typer.Option("--by", help="What the figure's axis counts.")] = By.iterations,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run several algorithms on a game and compare them.

    Each runs until the first limit that it reaches; without a limit, for a thousand iterations.
    After Ctrl-C, what was measured is shown.
    """
    names = algorithm or list(DEFAULT_ALGORITHMS)
    check_apart({"--plot": plot}, read={"GAME": game_file(game)})
    check_writable("--plot", plot)
    check_figure(plot)

    from infoset import api
    from infoset.forms import SequenceForm

    limited = Limited(iterations, seconds, exploitability)
    rules = api.game(game)
    check_run(names, limited)
    solutions: list[Solution] = []
    found = None
    for name in names:
        with LiveLine(f"{name:{max(map(len, names))}}", quiet=quiet) as line:
            found = build(rules, line, name) if found is None else found
            solution = api.solve(
                found,
                name,
                iterations=iterations,
                seconds=seconds,
                exploitability=exploitability,
                seed=seed,
                store="auto" if isinstance(found, SequenceForm) else "sparse",
                progress=follow(line, exploitability),
                return_on_interrupt=True,
            )
        solutions.append(solution)
        if was_interrupted(solution):
            break
    interrupted = was_interrupted(solutions[-1])
    problems: list[str] = []
    if plot is not None:
        problems += problems_of(lambda: draw_convergence(plot, solutions, by))
    if json:
        tree = solutions[0].strategy.form
        write_json(
            {
                "game": tree.name,
                "infosets": tree.num_infosets,
                "sequences": tree.num_sequences,
                "interrupted": interrupted,
                "plot": None if plot is None or problems else str(plot),
                "runs": [solution.summary() for solution in solutions],
            }
        )
    else:
        _print(solutions, None if problems else plot)
    for problem in problems:
        complain(problem)
    if interrupted and not quiet:
        complain(f"interrupted in run {len(solutions)} of {len(names)}")
    if problems or interrupted:
        raise typer.Exit(FAILED)


def _print(solutions: list[Solution], plot: Path | None) -> None:
    tree = solutions[0].strategy.form
    print(
        f"{printable(tree.name)}: {tree.num_infosets:,} infosets, "
        f"{tree.num_sequences:,} sequences; exploitability in chips (NashConv / 2)"
    )
    heads = ("exploitability", "value", "iterations", "nodes", "per second", "time")
    shown = table("algorithm", *heads, numbers=heads)
    for solution in solutions:
        shown.add_row(
            f"{solution.algorithm}{' (interrupted)' if was_interrupted(solution) else ''}",
            number(solution.exploitability),
            number(solution.value),
            f"{solution.iterations:,}",
            f"{solution.nodes_touched:.2e}",
            f"{solution.iterations_per_second:,.0f}",
            duration(solution.seconds),
        )
    print_table(shown)
    if plot is not None:
        print(f"The figure is in {plot}")
