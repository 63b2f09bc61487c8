"""Run several algorithms on one game or spot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.cli.app import FAILED, INTERRUPTED, command
from infoset.cli.options import (
    BitsOption,
    CsvOption,
    ExploitabilityOption,
    FormOption,
    IterationsOption,
    JsonOption,
    MemoryOption,
    NameOption,
    QuietOption,
    SecondsOption,
    SeedOption,
    TargetArgument,
    ThreadsOption,
    check_output,
)
from infoset.cli.output import (
    Column,
    Table,
    chips,
    duration,
    labels,
    number,
    printable,
    write_json,
)
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.cli.runs import RunOptions, attempt, find_target, run_watched, was_interrupted
from infoset.cli.streams import complain
from infoset.errors import BadInputError, nearest, shorten
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.solvers import Request, Solution

__all__ = ["compare"]

FOR_GAMES = ("cfr", "cfr+", "dcfr", "idcfr+", "pcfr+")
FOR_SPOTS = ("cfr+", "dcfr", "dcfr(gamma=3)", "idcfr+", "pcfr+")


@command(example="infoset compare leduc -a cfr+ -a idcfr+ --plot leduc.svg")
def compare(
    target: TargetArgument,
    name: NameOption = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="A",
            help=f"An algorithm; give it several times. Default: {', '.join(FOR_GAMES)}; on a "
            f"spot {', '.join(FOR_SPOTS)}.",
            show_default=False,
        ),
    ] = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    exploitability: ExploitabilityOption = None,
    form: FormOption = "auto",
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    bits: BitsOption = None,
    memory: MemoryOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the convergence; FILE ends in .svg, .pdf or .png."
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="iterations|seconds|nodes", help="What the figure's axis counts."
        ),
    ] = "iterations",
    json: JsonOption = False,
    csv: CsvOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run several algorithms on a game or a spot and compare them.

    Each runs until the first limit that it reaches. Without a limit, a game gets a thousand
    iterations, and a spot is solved to 0.1% of its pot. After Ctrl-C, what was measured is shown.
    """
    check_output(json=json, csv=csv)
    check_files(read={"TARGET": target_file(target)}, drawn={"--plot": plot})
    _check_axis(by)
    options = RunOptions(
        *(target, name, iterations, seconds, exploitability),
        *(form, seed, threads, bits, memory),
    )
    names = algorithm or _default_algorithms(options)
    requests = [options.request(each) for each in names]
    with LiveLine(printable(target), quiet=quiet) as line, heard_interrupts():
        line.announce("building the game")
        requests = _with_forms(requests)
    solutions: list[Solution] = []
    for each, request in zip(names, requests, strict=True):
        with LiveLine(f"{each:{max(map(len, names))}}", quiet=quiet) as line:
            solutions.append(run_watched(request, line))
        if was_interrupted(solutions[-1]):
            break
    interrupted = was_interrupted(solutions[-1])
    problems = _draw(plot, solutions, by)
    if json:
        write_json(_document(solutions, None if problems else plot))
    elif csv:
        _table(solutions).write_csv()
    else:
        print(_title(solutions[0]))
        print()
        _table(solutions).print()
        if plot is not None and not problems:
            print(f"The figure is in {plot}")
    for problem in problems:
        complain(problem)
    if interrupted and not quiet:
        complain(f"interrupted in run {len(solutions)} of {len(names)}")
    if problems or interrupted:
        raise typer.Exit(FAILED if problems else INTERRUPTED)


def _check_axis(typed: str) -> None:
    from infoset.explore import By

    if typed not in [*By]:
        raise BadInputError(f"--by has no choice {shorten(typed)}{nearest(typed, [*By])}")


def _draw(path: Path | None, solutions: list[Solution], by: str) -> list[str]:
    if path is None:
        return []
    from infoset.explore import By, draw_convergence

    return attempt(lambda: draw_convergence(path, solutions, By(by)))


def _default_algorithms(options: RunOptions) -> list[str]:
    from infoset.games.holdem import Spot

    is_spot = isinstance(find_target(options.target, options.name), Spot)
    return [*(FOR_SPOTS if is_spot else FOR_GAMES)]


def _with_forms(requests: list[Request]) -> list[Request]:
    """The requests with their forms, each form made once and before anything is run.

    Those that need the whole game come first: if it is too large for one, none is run.
    """
    from infoset.forms import PublicForm, SequenceForm
    from infoset.solvers import find_form

    forms: dict[str, Any] = {}
    for request in sorted(requests, key=lambda request: request.may_walk_rules):
        if request.form not in forms:
            forms[request.form] = find_form(request)
    made = []
    for request in requests:
        form = forms[request.form]
        is_form = isinstance(form, SequenceForm | PublicForm)
        made.append(replace(request, rules=form, form=request.form if is_form else "rules"))
    return made


def _title(solution: Solution) -> str:
    summary = solution.summary()
    size = f"{summary['infosets']:,} infosets, {summary['sequences']:,} sequences"
    visited = " visited" if solution.form == "rules" else ""
    unit = "chips (NashConv / 2)" if solution.spot is None else "% of the pot"
    return f"{printable(solution.game)}: {size}{visited}\nexploitability in {unit}"


def _table(solutions: list[Solution]) -> Table:
    is_spot = solutions[0].spot is not None
    columns = [
        labels("algorithm"),
        (
            Column("exploitability_share_of_pot", "exploitability", _shown_share)
            if is_spot
            else Column("exploitability", "exploitability", number)
        ),
        Column("value", "EV of OOP" if is_spot else "value", chips if is_spot else number),
        Column("iterations", "iterations", "{:,}".format),
        Column("nodes_touched", "nodes", "{:.2e}".format),
        Column("seconds", "time", duration),
    ]
    rows = [
        (
            f"{solution.algorithm}{' (interrupted)' if was_interrupted(solution) else ''}",
            solution.exploitability_share if is_spot else solution.exploitability,
            solution.value,
            solution.iterations,
            solution.nodes_touched,
            solution.seconds,
        )
        for solution in solutions
    ]
    return Table(columns, rows)


def _shown_share(share: float) -> str:
    return f"{100 * share:.4g}%"


def _document(solutions: list[Solution], plot: Path | None) -> dict[str, Any]:
    runs = [solution.summary() for solution in solutions]
    return {
        "game": runs[0]["game"],
        "infosets": runs[0]["infosets"],
        "sequences": runs[0]["sequences"],
        "interrupted": was_interrupted(solutions[-1]),
        "plot": None if plot is None else str(plot),
        "runs": runs,
    }
