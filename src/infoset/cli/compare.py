"""Run several algorithms on one game or spot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import option
from infoset.cli.output import Column, Table, chips, duration, labels, number, printable, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine, run_watched, was_interrupted
from infoset.cli.streams import attempt, end
from infoset.errors import BadInputError, nearest, shorten
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.games.holdem import Spot
    from infoset.solvers import Request, Solution

FOR_GAMES = ("cfr", "cfr+", "dcfr", "idcfr+", "pcfr+")
FOR_SPOTS = ("cfr+", "dcfr", "dcfr(gamma=3)", "idcfr+", "pcfr+")
DEFAULT = f"{', '.join(FOR_GAMES)}; on a spot {', '.join(FOR_SPOTS)}"


@command(example="infoset compare leduc -a cfr+ -a idcfr+ --plot leduc.svg")
def compare(
    *,
    algorithm: list[str] | None = option(
        "--algorithm -a A", f"An algorithm; give it several times. Default: {DEFAULT}."
    ),
    run: options.Run,
    plot: Path | None = option(
        "--plot FILE", "Draw the convergence; FILE ends in .svg, .pdf or .png."
    ),
    by: str = option(
        "--by iterations|seconds|nodes", "What the figure's axis counts.", default="iterations"
    ),
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Run several algorithms on a game or a spot and compare them.

    Each runs until the first limit that it reaches. Without a limit, a game gets a thousand
    iterations, and a spot is solved to 0.1% of its pot. After Ctrl-C, what was measured is shown.
    """
    check_files(read={"TARGET": target_file(run.target)}, drawn={"--plot": plot})

    from infoset.explore import By, draw_convergence
    from infoset.games.holdem import Spot

    if by not in [*By]:
        raise BadInputError(f"--by has no choice {shorten(by)}{nearest(by, [*By])}")
    rules = options.find_target(run.target, run.name)
    spot = rules if isinstance(rules, Spot) else None
    names = algorithm or [*(FOR_GAMES if spot is None else FOR_SPOTS)]
    requests = [run.request(each) for each in names]
    with LiveLine(printable(run.target), quiet=quiet) as line, heard_interrupts():
        line.announce("building the game")
        requests = _with_forms(requests)
    solutions: list[Solution] = []
    for each, request in zip(names, requests, strict=True):
        with LiveLine(f"{each:{max(map(len, names))}}", quiet=quiet) as line:
            solutions.append(_with_the_pot(run_watched(request, line), spot))
        if was_interrupted(solutions[-1]):
            break
    interrupted = was_interrupted(solutions[-1])
    problems = attempt(plot, lambda path: draw_convergence(path, solutions, By(by)))
    if problems:
        plot = None
    if json:
        runs = [solution.summary() for solution in solutions]
        write_json(
            {
                **{key: runs[0][key] for key in ("game", "infosets", "sequences")},
                "interrupted": interrupted,
                "plot": None if plot is None else str(plot),
                "runs": runs,
            }
        )
    elif csv:
        _table(solutions).write_csv()
    else:
        print(_title(solutions[0]), end="\n\n")
        _table(solutions).print()
        if plot is not None:
            print(f"The figure is in {plot}")
    where = "" if quiet else f"interrupted in run {len(solutions)} of {len(names)}"
    end(problems, where if interrupted else None)


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


def _with_the_pot(solution: Solution, spot: Spot | None) -> Solution:
    """A run on a form that was made of a spot before does not know of it; values count the pot."""
    if spot is None or solution.spot is not None:
        return solution
    first, second = (spot.pot / 2 + value for value in solution.values)
    return replace(solution, spot=spot, values=(first, second))


def _title(solution: Solution) -> str:
    summary = solution.summary()
    size = f"{summary['infosets']:,} infosets, {summary['sequences']:,} sequences"
    visited = " visited" if solution.form == "rules" else ""
    unit = "chips (NashConv / 2)" if solution.spot is None else "% of the pot"
    return f"{printable(solution.game)}: {size}{visited}\nexploitability in {unit}"


def _table(solutions: list[Solution]) -> Table:
    names = [s.algorithm + " (interrupted)" * was_interrupted(s) for s in solutions]
    if solutions[0].spot is not None:
        share = Column("exploitability_share_of_pot", "exploitability", _shown_share)
        exploitability = share, [s.exploitability_share for s in solutions]
        value = Column("value", "EV of OOP", chips)
    else:
        chip = Column("exploitability", "exploitability", number)
        exploitability = chip, [s.exploitability for s in solutions]
        value = Column("value", "value", number)
    return Table.of(
        (labels("algorithm"), names),
        exploitability,
        (value, [s.value for s in solutions]),
        (Column("iterations", "iterations", "{:,}".format), [s.iterations for s in solutions]),
        (Column("nodes_touched", "nodes", "{:.2e}".format), [s.nodes_touched for s in solutions]),
        (Column("seconds", "time", duration), [s.seconds for s in solutions]),
    )


def _shown_share(share: float) -> str:
    return f"{100 * share:.4g}%"
