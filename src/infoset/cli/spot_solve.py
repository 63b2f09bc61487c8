"""Solve a spot."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.app import FAILED, command
from infoset.cli.figures import check_figure
from infoset.cli.options import (
    CheckpointOption,
    EveryOption,
    IterationsOption,
    JsonOption,
    QuietOption,
    ResumeOption,
    SaveOption,
    SecondsOption,
    ThreadsOption,
)
from infoset.cli.output import duration, print_table, printable, table, write_json
from infoset.cli.progress import KERNELS, LiveLine, Outlook
from infoset.cli.running import problems_of, warnings_as_sentences
from infoset.cli.spot import NameOption, SpotArgument, find_spot, spot_file, spots
from infoset.cli.spot_views import NAMES, chips, class_rows, print_classes, print_grid, print_ranges
from infoset.cli.streams import complain
from infoset.cli.targets import check_apart, check_readable, check_writable
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.explore.node_view import NodeView
    from infoset.solvers.loop import Progress
    from infoset.solvers.vector.solution import SpotSolution

__all__ = ["solve"]

DEFAULT_EVERY = 30.0
"""Seconds between two checkpoints."""

MOST_CLASSES = 20
"""Classes of hands that are shown at the end."""


@command(example="infoset spot solve examples/turn.toml -e 0.5% --save turn.infoset", group=spots)
def solve(
    spot: SpotArgument,
    name: NameOption = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="A",
            help="See: infoset algorithms. Default: dcfr(gamma=3).",
        ),
    ] = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability",
            "-e",
            metavar="E",
            help="Stop at this exploitability: 0.5% of the pot, 3c (chips), or 20mbb "
            "(thousandths of a big blind).",
        ),
    ] = None,
    threads: ThreadsOption = None,
    bits: Annotated[
        int | None,
        typer.Option("--bits", metavar="B", help="32, or 16 for half the memory. Default: 32."),
    ] = None,
    save: SaveOption = None,
    checkpoint: CheckpointOption = None,
    every: EveryOption = None,
    resume: ResumeOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the first decision as a grid of hands; FILE ends in .svg, .pdf or .png.",
        ),
    ] = None,
    convergence: Annotated[
        Path | None,
        typer.Option("--convergence", metavar="FILE", help="Draw the convergence."),
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find an equilibrium of a spot.

    The first limit that is reached ends the run; without a limit, that is an exploitability of 0.1%
    of the pot. Ctrl-C stops cleanly: what there is then is saved and shown.
    """
    if every is not None and checkpoint is None:
        raise BadInputError("--every says how often to save, so it needs --checkpoint FILE")
    if resume is not None:
        check_readable(resume)
    written = {
        "--save": save,
        "--checkpoint": checkpoint,
        "--plot": plot,
        "--convergence": convergence,
    }
    check_apart(written, read={"--resume": resume, "SPOT": spot_file(spot)})
    for option, path in written.items():
        check_writable(option, path)
    check_figure(plot)
    check_figure(convergence)
    found = find_spot(spot, name)

    from infoset import api
    from infoset.solvers.solution import UnsavedError
    from infoset.solvers.vector.running import DEFAULT_EXPLOITABILITY, chips_of_target

    wanted = exploitability
    if iterations is None and seconds is None and wanted is None:
        wanted = DEFAULT_EXPLOITABILITY
    target = None if wanted is None else chips_of_target(wanted, found)
    problems: list[str] = []
    title = printable(found.name or Path(spot).name)
    with LiveLine(title, quiet=quiet) as line, warnings_as_sentences():
        line.announce(KERNELS)
        try:
            solution = api.solve_spot(
                found,
                algorithm,
                iterations=iterations,
                seconds=seconds,
                exploitability=exploitability,
                threads=threads,
                bits=bits,
                checkpoint=checkpoint,
                every=DEFAULT_EVERY if every is None else every,
                resume=resume,
                progress=_follow(line, target, found.pot),
                return_on_interrupt=True,
            )
        except UnsavedError as error:
            solution = error.solution
            problems.append(str(error.__cause__))
    # Files before text: a closed pipe must not cost them.
    if save is not None:
        problems += problems_of(lambda: solution.save(save))
    if convergence is not None:
        problems += problems_of(lambda: _draw_convergence(convergence, solution))
    first = None
    if plot is not None:
        first = _first_view(solution, title, quiet=quiet)
        problems += problems_of(partial(_draw_grid, plot, first))
    if json:
        write_json(solution.summary())
    else:
        _print_run(solution)
        _print_first(first or _first_view(solution, title, quiet=quiet), save)
    for problem in problems:
        complain(problem)
    interrupted = solution.stopped_by == "interrupt"
    if interrupted and not quiet and not problems:
        limits = {"-n": iterations, "-s": seconds, "-e": exploitability}
        limits |= {"--threads": threads, "--bits": bits}
        words = [spot] if name is None else [spot, "--name", name]
        again = {option: path for option, path in written.items() if option != "--checkpoint"}
        limits |= {option: str(path) for option, path in again.items() if path is not None}
        complain(_how_to_go_on(words, solution, limits, checkpoint))
    if problems or interrupted:
        raise typer.Exit(FAILED)


def _follow(line: LiveLine, target: float | None, pot: int) -> Callable[[Progress], None]:
    """What the solver calls as it goes, to have its progress shown."""
    outlook = Outlook(target)

    def show(progress: Progress) -> None:
        line.show(progress.share, spot_line(progress, outlook.seconds_left(progress), pot))

    return show


def spot_line(progress: Progress, left: float | None, pot: int) -> str:
    """What there is to say about a run on a spot.

    >>> from infoset.solvers.loop import Progress
    >>> spot_line(Progress(40, 2.0, 0.5, None), 7.2, pot=200)
    '40 iterations  50 ms each  exploitability 0.25% of the pot  7 s left'
    """
    parts = [f"{progress.iteration:,} iterations"]
    if progress.iteration:
        parts.append(f"{duration(progress.seconds / progress.iteration)} each")
    if progress.exploitability is not None:
        parts.append(f"exploitability {100 * progress.exploitability / pot:.3g}% of the pot")
    if left is not None and left > 0:
        parts.append(f"{duration(max(1, round(left)))} left")
    return "  ".join(parts)


def _draw_grid(path: Path, view: NodeView) -> None:
    from infoset.explore.spot_figures import draw_range_grid

    draw_range_grid(path, view)


def _draw_convergence(path: Path, solution: SpotSolution) -> None:
    from infoset.explore.spot_figures import draw_spot_convergence

    draw_spot_convergence(path, [solution])


def _first_view(solution: SpotSolution, title: str, *, quiet: bool) -> NodeView:
    """The first decision, which takes seconds on a flop."""
    sys.stdout.flush()
    with LiveLine(title, quiet=quiet) as line, heard_interrupts():
        line.announce("working out what each hand is worth")
        return solution.view()


def _print_run(solution: SpotSolution) -> None:
    from infoset.cards import format_cards
    from infoset.games.holdem.menus import STREETS
    from infoset.machine.memory import format_bytes

    spot, space = solution.spot, solution.space
    reached = (
        "interrupted"
        if solution.stopped_by == "interrupt"
        else f"stopped by the limit on {solution.stopped_by}"
    )
    values = ", ".join(
        f"{NAMES[player]} {chips(value)}" for player, value in enumerate(solution.values)
    )
    hands = " and ".join(f"{count:,}" for count in spot.num_hands)
    each = solution.seconds / max(solution.iterations, 1)
    shown = table("", "")
    for row in (
        ("spot", printable(spot.name) or STREETS[spot.street]),
        ("board", f"{format_cards(spot.board)}, pot {spot.pot:,}, stack {spot.stack:,}"),
        ("hands", f"{hands} (OOP and IP)"),
        ("algorithm", solution.algorithm),
        ("exploitability", _exploitability(solution)),
        ("EV", f"{values} chips"),
        ("iterations", f"{solution.iterations:,} ({reached}), {duration(each)} each"),
        ("time", f"{duration(solution.seconds)} (without compiling and evaluating)"),
        (
            "memory",
            f"kept {format_bytes(space.kept)}, solver {format_bytes(space.solver)}, "
            f"game {format_bytes(space.game)}",
        ),
    ):
        shown.add_row(*row)
    print_table(shown)


def _print_first(view: NodeView, save: Path | None) -> None:
    print_ranges(view)
    print_grid(view)
    assert view.player is not None
    rows = class_rows(view, view.player)
    print_classes(view, sorted(rows, key=lambda row: -row.amount)[:MOST_CLASSES])
    if len(rows) > MOST_CLASSES:
        print(f"These are the {MOST_CLASSES} most frequent of {len(rows)} classes.")
    file = "FILE" if save is None else shlex.quote(str(save))
    before = "To see more, solve with --save FILE, then" if save is None else "More"
    print(f'{before}: infoset spot show {file} --path "{view.actions[0]}"')


def _exploitability(solution: SpotSolution) -> str:
    return (
        f"{100 * solution.exploitability_share:.3g}% of the pot = "
        f"{solution.exploitability:.3g} chips = {solution.exploitability_mbb:.3g} mbb"
    )


def _how_to_go_on(
    words: list[str],
    solution: SpotSolution,
    limits: dict[str, int | float | str | None],
    checkpoint: Path | None,
) -> str:
    """The command that continues an interrupted run."""
    stopped = f"interrupted after {solution.iterations:,} iterations"
    if checkpoint is None:
        return f"{stopped}; to be able to go on after Ctrl-C, solve with --checkpoint FILE"
    typed = ["infoset", "spot", "solve", *words, "-a", solution.algorithm]
    for option, limit in limits.items():
        if limit is not None:
            typed += [option, str(limit)]
    typed += ["--checkpoint", str(checkpoint), "--resume", str(checkpoint)]
    return f"{stopped}; go on with: {shlex.join(typed)}"
