"""Solve again what is below a cut of a saved solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import option
from infoset.cli.output import duration, number, print_facts, printable, write_csv, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.cli.streams import attempt, end
from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.resolving import OpenedPart, PartProgress, Resolved
    from infoset.solvers import Solution

MOST_SHOWN = 12
"""Infosets of an opened part that are printed."""


@command(example="infoset resolve leduc.infoset --at round=2 -n 1000 --save better.infoset")
def resolve(
    file: Path = options.SOLVED,
    at: str | None = option(
        "--at CUT",
        "Where to cut: round=2, depth=3, public, of a spot turn or river, or a path such as "
        '"check, bet 50%". Of a trimmed solution: nothing for all of it, or a path to open one '
        "part.",
    ),
    method: str = option(
        "--method gadget|unsafe|max-margin|reach",
        "How: gadget, max-margin and reach never make the whole more exploitable.",
        default="gadget",
    ),
    algorithm: str | None = option(
        "--algorithm -a A", "What solves each part. Default: dcfr; of a spot, dcfr(gamma=3)."
    ),
    iterations: int | None = option(
        "--iterations -n N", "Of each part. Default: 1000; of a spot, 300."
    ),
    sizes: str | None = option(
        "--sizes SIZES",
        'Of a spot: other bet sizes below the cut, as in "33%,75%,a", or bets and raises as in '
        '"33%,75%,a / 60%,a".',
    ),
    seed: int = option("--seed N", "Seed of an algorithm that samples.", default=0),
    threads: int | None = options.THREADS,
    save: Path | None = option("--save FILE", "Write trunk and parts, as one solution."),
    game: str | None = options.GAME,
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Solve again all that is below a cut, and measure the whole.

    What is above the cut stays as it is. Exploitability is given before and after, exactly, in the
    whole game. Ctrl-C stops cleanly: parts that were not reached stay as they were.
    """
    check_files(read={"FILE": file, "--game": target_file(game)}, written={"--save": save})

    from infoset import api
    from infoset.resolving import check_method

    check_method(method)
    with LiveLine(printable(str(file)), quiet=quiet) as line:
        line.announce("reading the solution")
        solution = api.load(file, game)
        if _is_one_part(solution, at):
            line.announce("re-solving one part")
            assert at is not None
            if save is not None or sizes is not None:
                raise BadInputError(
                    "one part is opened to be looked at: without --save and --sizes"
                )
            opened = api.open_spot(
                *(solution, at), iterations=iterations or 200, threads=threads or 1
            )
            _show_part(opened, at, json=json, csv=csv)
            return
        line.announce("cutting the game and measuring")

        def show(progress: PartProgress) -> None:
            share = progress.parts_done / progress.num_parts
            left = progress.seconds * (1 / share - 1)
            text = f"part {progress.parts_done:,} of {progress.num_parts:,}, {duration(left)} left"
            line.show(share, text)

        resolved = api.resolve(
            *(solution, at),
            game=game,
            method=check_method(method),
            algorithm=algorithm,
            iterations=iterations,
            sizes=None if sizes is None else _sizes(sizes),
            seed=seed,
            threads=threads,
            progress=show,
            return_on_interrupt=True,
        )
    problems = attempt(save, resolved.solution.save)
    summary = {"file": str(file), **resolved.summary()}
    if json:
        write_json(summary)
    elif csv:
        write_csv([*summary], [[*summary.values()]])
    else:
        print_facts(_facts(resolved))
    stopped = f"interrupted after {resolved.parts_done:,} of {resolved.num_parts:,} parts"
    end(problems, stopped if resolved.solution.stopped_by == "interrupt" else None)


def _is_one_part(solution: Solution, at: str | None) -> bool:
    """Whether a path into a trimmed spot was given."""
    from infoset.resolving import parse_cut

    is_trimmed_spot = solution.below is not None and solution.spot is not None
    return is_trimmed_spot and at is not None and parse_cut(at).kind == "path"


def _sizes(text: str) -> dict[str, object]:
    bets, slash, raises = text.partition("/")
    return {"bet": bets.strip(), **({"raise": raises.strip()} if slash else {})}


def _facts(resolved: Resolved) -> list[tuple[str, str]]:
    spot = resolved.solution.spot

    def amount(exploitability: float) -> str:
        if spot is None:
            return f"{number(exploitability)} chips (NashConv / 2)"
        share = 100 * exploitability / spot.starting_pot
        return f"{number(exploitability)} chips (NashConv / 2) = {share:.3g}% of the pot"

    done = f"{resolved.parts_done:,}"
    if resolved.parts_done < resolved.num_parts:
        done += f" of {resolved.num_parts:,}"
    return [
        ("game" if spot is None else "spot", printable(resolved.solution.game)),
        ("cut", f"{resolved.cut}: {done} part{'s' * (resolved.num_parts != 1)} re-solved"),
        ("by", f"{resolved.method}, {resolved.algorithm}, {resolved.iterations:,} iterations each"),
        ("exploitability before", amount(resolved.exploitability_before)),
        ("exploitability after", amount(resolved.exploitability_after)),
        ("time", duration(resolved.seconds)),
    ]


def _show_part(opened: OpenedPart, path: str, *, json: bool, csv: bool) -> None:
    """What both players do in a part, from its first decision on."""
    if json:
        write_json({"path": path, "strategy": dict(opened)})
        return
    if csv:
        rows = [[key, action, p] for key, acts in opened.items() for action, p in acts.items()]
        write_csv(["infoset", "action", "probability"], rows)
        return
    for shown, (key, actions) in enumerate(opened.items()):
        if shown == MOST_SHOWN:
            print("More: --json or --csv")
            break
        print(f"{key}  " + "  ".join(f"{action} {100 * p:.1f}%" for action, p in actions.items()))
