"""Solve one game."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.app import FAILED, command
from infoset.cli.figures import check_figure, draw_convergence
from infoset.cli.options import (
    CheckpointOption,
    EveryOption,
    ExploitabilityOption,
    GameArgument,
    IterationsOption,
    JsonOption,
    PlotOption,
    QuietOption,
    ResumeOption,
    SaveOption,
    SecondsOption,
    SeedOption,
    ThreadsOption,
)
from infoset.cli.output import (
    Infosets,
    duration,
    number,
    print_table,
    printable,
    strategy_lines,
    table,
    write_json,
)
from infoset.cli.progress import LiveLine
from infoset.cli.running import (
    Limited,
    build,
    check_run,
    follow,
    problems_of,
    warnings_as_sentences,
    was_interrupted,
)
from infoset.cli.streams import complain
from infoset.cli.targets import check_apart, check_readable, check_writable, game_file
from infoset.errors import BadInputError
from infoset.machine.memory import format_bytes

if TYPE_CHECKING:
    from infoset.forms import Treeplex
    from infoset.solvers.solution import Solution, Space

__all__ = ["solve"]

DEFAULT_EVERY = 30.0
"""Seconds between two checkpoints."""

SMALL = 40
"""Infosets up to which a strategy is printed without being asked for."""


class Held(StrEnum):
    """Where a solver that samples holds its numbers."""

    auto = "auto"
    dense = "dense"
    sparse = "sparse"


OPENINGS = 6
"""Infosets of each player that are shown of a larger one."""


@command(example="infoset solve leduc -a idcfr+ -e 1e-3 --save leduc.infoset")
def solve(
    game: GameArgument,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="A",
            help="As in 'dcfr(alpha=1.5,beta=0)'; see: infoset algorithms. Default: dcfr.",
        ),
    ] = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    exploitability: ExploitabilityOption = None,
    save: SaveOption = None,
    checkpoint: CheckpointOption = None,
    every: EveryOption = None,
    resume: ResumeOption = None,
    seed: SeedOption = None,
    threads: ThreadsOption = None,
    store: Annotated[
        Held,
        typer.Option(
            "--store",
            help="For algorithms that sample: compile the game (dense), or walk its rules and hold "
            "only what was visited (sparse); auto compiles what fits.",
        ),
    ] = Held.auto,
    plot: PlotOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find an equilibrium of a game.

    The first limit that is reached ends the run; without a limit, a thousand iterations are done.
    Ctrl-C stops cleanly: what there is then is saved and shown.
    """
    if every is not None and checkpoint is None:
        raise BadInputError("--every says how often to save, so it needs --checkpoint FILE")
    if resume is not None:
        check_readable(resume)
    written = {"--save": save, "--checkpoint": checkpoint, "--plot": plot}
    check_apart(written, read={"--resume": resume, "GAME": game_file(game)})
    for option, path in written.items():
        check_writable(option, path)
    check_figure(plot)

    from infoset import api
    from infoset.forms import SequenceForm
    from infoset.solvers.solution import UnsavedError
    from infoset.solvers.solution_files import Saving

    limited = Limited(iterations, seconds, exploitability)
    if resume is not None:
        algorithm, limited = _resumed(resume, algorithm, limited)
    check_run([algorithm or api.DEFAULT_ALGORITHM], limited)
    every = DEFAULT_EVERY if every is None else every
    if checkpoint is not None:
        Saving(checkpoint, every)
    rules = api.game(game)
    problems: list[str] = []
    with LiveLine(printable(game), quiet=quiet) as line, warnings_as_sentences():
        try:
            solution = api.solve(
                found := build(rules, line, algorithm or api.DEFAULT_ALGORITHM, store.value),
                algorithm,
                iterations=limited.iterations,
                seconds=limited.seconds,
                exploitability=limited.exploitability,
                seed=seed,
                threads=threads,
                store=store.value if isinstance(found, SequenceForm) else "sparse",
                checkpoint=checkpoint,
                every=every,
                resume=resume,
                progress=follow(line, exploitability),
                return_on_interrupt=True,
            )
        except UnsavedError as error:
            solution = error.solution
            problems.append(str(error.__cause__))
    # Files before text: a closed pipe must not cost them.
    if save is not None:
        problems += problems_of(lambda: solution.save(save))
    if plot is not None:
        problems += problems_of(lambda: draw_convergence(plot, [solution]))
    if json:
        write_json(solution.summary())
    else:
        _print(solution, save)
    for problem in problems:
        complain(problem)
    interrupted = was_interrupted(solution)
    if interrupted and not quiet and not problems:
        complain(_how_to_go_on(game, solution, limited, checkpoint, threads))
    if problems or interrupted:
        raise typer.Exit(FAILED)


def _resumed(path: Path, algorithm: str | None, limited: Limited) -> tuple[str | None, Limited]:
    """What is not said of a resumed run is as it was: its algorithm, and its iterations."""
    from infoset.solvers.solution_files import read_checkpoint

    before = read_checkpoint(path)
    if limited.is_empty:
        if before.horizon is None:
            raise BadInputError(
                f"the run in '{path}' had no limit on iterations: say when to stop, with "
                "--iterations, --seconds or --exploitability"
            )
        limited = limited._replace(iterations=before.horizon)
    return algorithm or before.algorithm, limited


def _print(solution: Solution, save: Path | None) -> None:
    tree, space = solution.strategy.form, solution.space
    size = f"{tree.num_infosets:,} infosets, {tree.num_sequences:,} sequences"
    reached = {"interrupt": "interrupted", "exact": "exact solution"}.get(
        solution.stopped_by, f"stopped by the limit on {solution.stopped_by}"
    )
    shown = table("", "")
    for row in (
        ("game", f"{printable(solution.game)} ({size}{'' if tree.is_whole else ' visited'})"),
        ("algorithm", solution.algorithm),
        *_measured(solution),
        ("iterations", f"{solution.iterations:,} ({reached})"),
        ("speed", f"{solution.iterations_per_second:,.0f} iterations/s"),
        ("time", f"{duration(solution.seconds)} (without compiling and evaluating)"),
        *([("seed", str(solution.seed))] if solution.seed is not None else []),
        (
            "memory",
            _memory(space) if tree.is_whole else f"{format_bytes(space.solver)} (what was visited)",
        ),
    ):
        shown.add_row(*row)
    print_table(shown)
    is_small = tree.num_infosets <= SMALL
    openings = {p: _openings(treeplex) for p, treeplex in enumerate(tree.treeplexes)}
    wanted = {0: None, 1: None} if is_small else openings
    for line in strategy_lines(Infosets(solution.strategy, wanted)):
        print(line)
    if is_small:
        return
    shown_infosets = sum(map(len, openings.values()))
    print(f"These are {shown_infosets} of {tree.num_infosets:,} infosets.", end=" ")
    if save is not None:
        print(f"All of them: infoset strategy {shlex.quote(str(save))}")
    else:
        print("To see all, solve with --save FILE, then: infoset strategy FILE")


def _measured(solution: Solution) -> list[tuple[str, str]]:
    """Value and exploitability, or what is known of them."""
    from infoset.evaluation.evaluation import CONFIDENCE

    bound = solution.bound
    if bound is None:
        return [
            ("value", f"{number(solution.value)} chips for player 0"),
            ("exploitability", f"{number(solution.exploitability)} chips (NashConv / 2)"),
        ]
    error, value_error = f"{bound.error:.2g}", f"{bound.value_error:.2g}"
    return [
        ("value", f"{number(bound.value)} ± {value_error} chips for player 0 (sampled)"),
        (
            "exploitability",
            f"at least {number(bound.lower)} chips, a sampled bound of {CONFIDENCE:.0%} confidence "
            f"(learnt responses won {number(bound.estimate)} ± {error} in {bound.plays:,} plays)",
        ),
    ]


def _memory(space: Space) -> str:
    return (
        f"kept {format_bytes(space.kept)} ({_bound(space)}), "
        f"solver {format_bytes(space.solver)}, game {format_bytes(space.game)}"
    )


def _bound(space: Space) -> str:
    """What instant CFR's theorem says of the bytes kept; it knows regrets and averages only."""
    text = f"bound of Theorem 4: {format_bytes(space.bound)}"
    return text if space.kept <= space.bound else f"{text} for regrets and averages alone"


def _openings(treeplex: Treeplex) -> list[int]:
    """Some infosets at which a player has not moved before."""
    return [i for i, parent in enumerate(treeplex.infoset_parent.tolist()) if not parent][:OPENINGS]


def _how_to_go_on(
    game: str,
    solution: Solution,
    limited: Limited,
    checkpoint: Path | None,
    threads: int | None,
) -> str:
    """The command that continues an interrupted run."""
    stopped = f"interrupted after {solution.iterations:,} iterations"
    if checkpoint is None:
        return f"{stopped}; to be able to go on after Ctrl-C, solve with --checkpoint FILE"
    words = ["infoset", "solve", game, "-a", solution.algorithm]
    for option, limit in zip(("-n", "-s", "-e"), limited, strict=True):
        if limit is not None:
            words += [option, str(limit)]
    if threads is not None:
        words += ["--threads", str(threads)]
    if not solution.strategy.form.is_whole:
        words += ["--store", "sparse"]
    words += ["--checkpoint", str(checkpoint), "--resume", str(checkpoint)]
    return f"{stopped}; go on with: {shlex.join(words)}"
