"""Solve anything: a game or a spot."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.node_tables import (
    class_order,
    class_table,
    hand_order,
    hand_table,
    print_node,
)
from infoset.cli.options import option
from infoset.cli.output import chips, duration, number, print_facts, printable, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine, has_nodes, run_watched, was_interrupted
from infoset.cli.strategy_rows import (
    MOST_ACTIONS,
    Infosets,
    openings,
    strategy_lines,
    write_infosets,
)
from infoset.cli.streams import attempt, end
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.explore import NodeView
    from infoset.games.holdem import Spot
    from infoset.solvers import Solution, Started

DEFAULT_EVERY = 30.0
"""Seconds between two checkpoints."""

SMALL = 40
"""Infosets up to which a strategy is printed without being asked for."""

MOST_CLASSES = 20
"""Classes of hands that are shown of a spot."""


@command(example="infoset solve leduc -a idcfr+ -e 1e-3 --save leduc.infoset")
def solve(
    *,
    algorithm: str | None = option(
        "--algorithm -a A",
        "As in 'dcfr(alpha=1.5,beta=0)'; see: infoset algorithms. Default: dcfr; of a spot, "
        "dcfr(gamma=3).",
    ),
    run: options.Run,
    save: Path | None = option("--save FILE", "Write the solution here."),
    checkpoint: Path | None = option("--checkpoint FILE", "Keep the state of the run here."),
    every: float | None = option("--every S", "Seconds between checkpoints. Default: 30."),
    resume: Path | None = option("--resume FILE", "Go on from this checkpoint."),
    start_from: Path | None = option(
        "--start-from FILE",
        "Start from the strategy of this solution, of the same game or of a smaller one.",
    ),
    start_iterations: int | None = option(
        "--start-iterations T",
        "How many iterations that strategy stands for. Default: by its quality.",
    ),
    start_method: str = option(
        "--start-method proportional|substitute",
        "How regrets are made of that strategy.",
        default="proportional",
    ),
    plot: Path | None = option(
        "--plot FILE",
        "Draw the first decision of a spot as a grid of hands, or the convergence on a game; FILE "
        "ends in .svg, .pdf or .png.",
    ),
    convergence: Path | None = option("--convergence FILE", "Draw the convergence."),
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Find an equilibrium of a game or a spot.

    The first limit that is reached ends the run. Without a limit, a game gets a thousand
    iterations, and a spot is solved to an exploitability of 0.1% of its pot. Ctrl-C stops cleanly:
    what there is then is saved and shown. With --csv, the lines are those of infoset show --csv.
    """
    if every is not None and checkpoint is None:
        raise BadInputError("--every says how often to save, so it needs --checkpoint FILE")
    check_files(
        read={
            "TARGET": target_file(run.target),
            "--resume": resume,
            "--start-from": start_from,
        },
        written={"--save": save, "--checkpoint": checkpoint},
        drawn={"--plot": plot, "--convergence": convergence},
    )
    request = run.request(
        algorithm,
        checkpoint=checkpoint,
        every=DEFAULT_EVERY if every is None else every,
        resume=resume,
        start_from=start_from,
        start_iterations=start_iterations,
        start_method=start_method,
    )

    from infoset import explore
    from infoset.solvers import UnsavedError

    problems: list[str] = []
    title = printable(run.target)
    with LiveLine(title, quiet=quiet) as line:
        try:
            solution = run_watched(request, line)
        except UnsavedError as error:
            solution = error.solution
            problems.append(str(error.__cause__))
    # Files before text: a closed pipe must not cost them.
    problems += attempt(save, solution.save)
    has_grid = has_nodes(solution)
    for path in (convergence, None if has_grid else plot):
        problems += attempt(path, lambda path: explore.draw_convergence(path, [solution]))
    view = None
    if has_grid and plot is not None:
        view = _first_view(solution, title, quiet=quiet)
        problems += attempt(plot, lambda path: explore.draw_range_grid(path, view))
    if json:
        write_json(solution.summary())
    else:
        if not csv:
            print_facts(_facts(solution))
        if has_grid:
            _show_first(view or _first_view(solution, title, quiet=quiet), save, csv=csv)
        elif csv:
            write_infosets(Infosets(solution.strategy))
        else:
            _print_strategy(solution, save)
    interrupted = None
    if was_interrupted(solution):
        files = {"--save": save, "--plot": plot, "--convergence": convergence}
        how_often = None if every is None else f"{every:g}"
        more = {**files, "--checkpoint": checkpoint, "--every": how_often}
        is_silent = quiet or problems
        interrupted = "" if is_silent else _how_to_go_on(run, solution, checkpoint, more)
    end(problems, interrupted)


def _first_view(solution: Solution, title: str, *, quiet: bool) -> NodeView:
    """The first decision, which takes seconds on a flop."""
    from infoset import api

    sys.stdout.flush()
    with LiveLine(title, quiet=quiet) as line, heard_interrupts():
        line.announce("working out what each hand is worth")
        return api.view(solution, threads=solution.threads)


def _facts(solution: Solution) -> list[tuple[str, str]]:
    """What was solved, how well, and what it took."""
    iterations = f"{solution.iterations:,} ({_why_it_stopped(solution)})"
    if solution.spot is None:
        size = solution.summary()
        visited = " visited" if solution.form == "rules" else ""
        counted = f"{size['infosets']:,} infosets, {size['sequences']:,} sequences{visited}"
        head = [("game", f"{printable(solution.game)} ({counted})")]
        speed = f"{solution.iterations_per_second:,.0f} iterations/s"
        work = [("iterations", iterations), ("speed", speed)]
    else:
        head = _spot_facts(solution.spot)
        each = duration(solution.seconds / max(solution.iterations, 1))
        work = [("iterations", f"{iterations}, {each} each")]
    return [
        *head,
        ("algorithm", solution.algorithm),
        *([] if solution.start is None else [("start", _start(solution.start))]),
        *_measured(solution),
        *work,
        ("time", f"{duration(solution.seconds)} (without compiling and evaluating)"),
        *([("seed", str(solution.seed))] if solution.seed is not None else []),
        ("memory", _memory(solution)),
    ]


def _start(start: Started) -> str:
    known = f"{start.same:,} infosets as there, {start.similar:,} alike, {start.unknown:,} uniform"
    return (
        f"{printable(start.game)}: {known}; {number(start.exploitability)} chips; for "
        f"{start.iterations:,} iterations ({start.method})"
    )


def _spot_facts(spot: Spot) -> list[tuple[str, str]]:
    from infoset.cards import format_cards
    from infoset.games.holdem import STREETS

    hands = " and ".join(f"{count:,}" for count in spot.num_hands)
    return [
        ("spot", printable(spot.name) or STREETS[spot.street]),
        ("board", f"{format_cards(spot.board)}, pot {spot.pot:,}, stack {spot.stack:,}"),
        ("hands", f"{hands} (OOP and IP)"),
    ]


def _measured(solution: Solution) -> list[tuple[str, str]]:
    """Value and exploitability, or what is known of them."""
    from infoset.evaluation import CONFIDENCE

    bound = solution.bound
    if bound is not None:
        error, value_error = f"{bound.error:.2g}", f"{bound.value_error:.2g}"
        value = f"{number(solution.value)} ± {value_error} chips for player 0 (sampled)"
        exploitability = (
            f"at least {number(bound.lower)} chips, a sampled bound of {CONFIDENCE:.0%} confidence "
            f"(learnt responses won {number(bound.estimate)} ± {error} in {bound.plays:,} plays)"
        )
    elif solution.exploitability_share is None:
        value = f"{number(solution.value)} chips for player 0"
        exploitability = f"{number(solution.exploitability)} chips (NashConv / 2)"
    else:
        exploitability = (
            f"{100 * solution.exploitability_share:.3g}% of the pot = "
            f"{solution.exploitability:.3g} chips = {solution.exploitability_mbb:.3g} mbb"
        )
        oop, ip = map(chips, solution.values)
        return [("exploitability", exploitability), ("EV", f"OOP {oop}, IP {ip} chips")]
    return [("value", value), ("exploitability", exploitability)]


def _why_it_stopped(solution: Solution) -> str:
    return {"interrupt": "interrupted", "exact": "exact solution"}.get(
        solution.stopped_by, f"stopped by the limit on {solution.stopped_by}"
    )


def _memory(solution: Solution) -> str:
    from infoset.machine.memory import format_bytes

    space = solution.space
    if solution.form == "rules":
        return f"{format_bytes(space.solver)} (what was visited)"
    kept = f"kept {format_bytes(space.kept)}"
    if space.bound is not None:
        # What the theorem on instant CFR says of the bytes kept; it knows no other tables.
        more = "" if space.kept <= space.bound else " for regrets and averages alone"
        kept += f" (Theorem 4: {format_bytes(space.bound)}{more})"
    return f"{kept}, solver {format_bytes(space.solver)}, game {format_bytes(space.form)}"


def _print_strategy(solution: Solution, save: Path | None) -> None:
    """A small strategy, or how a larger one begins."""
    strategy = solution.strategy
    is_small = len(strategy) <= SMALL
    infosets = Infosets(strategy) if is_small else openings(strategy)
    for line in strategy_lines(infosets, MOST_ACTIONS):
        print(line)
    if is_small:
        return
    shown = sum(1 for _ in infosets)
    print(f"These are {shown} of {len(strategy):,} infosets.")
    if save is not None:
        print(f"All of them: infoset show {shlex.quote(str(save))} --all")
    else:
        print("To see all, solve with --save FILE, then: infoset show FILE --all")


def _show_first(view: NodeView, save: Path | None, *, csv: bool) -> None:
    """The first decision of a spot."""
    player = view.player
    assert player is not None
    if csv:
        hand_table(view, player, hand_order(view, player)).write_csv()
        return
    print_node(view)
    classes = class_order(view, player)
    class_table(view, player, classes[:MOST_CLASSES]).print()
    if len(classes) > MOST_CLASSES:
        print(f"These are the {MOST_CLASSES} most frequent of {len(classes)} classes.")
    file = "FILE" if save is None else shlex.quote(str(save))
    before = "To see more, solve with --save FILE, then" if save is None else "More"
    print(f'{before}: infoset show {file} --path "{view.actions[0]}"')


def _how_to_go_on(
    run: options.Run, solution: Solution, checkpoint: Path | None, more: dict[str, Any]
) -> str:
    """The command that continues an interrupted run; ``more`` are its other options."""
    stopped = f"interrupted after {solution.iterations:,} iterations"
    if checkpoint is None:
        return f"{stopped}; to be able to go on after Ctrl-C, solve with --checkpoint FILE"
    words = ["infoset", "solve", *run.words(solution.algorithm)]
    if solution.form == "rules" and run.form == "auto":
        words += ["--form", "rules"]
    words += options.option_words({**more, "--resume": checkpoint})
    return f"{stopped}; go on with: {shlex.join(words)}"
