"""Look at a node of a solved spot."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.calls import shorten
from infoset.cli.app import FAILED, command
from infoset.cli.figures import check_figure
from infoset.cli.options import JsonOption, QuietOption
from infoset.cli.output import print_table, printable, table, write_json
from infoset.cli.progress import LiveLine
from infoset.cli.running import problems_of
from infoset.cli.spot import spots
from infoset.cli.spot_views import NAMES, hand_rows, print_grid, print_hands, print_ranges
from infoset.cli.streams import complain
from infoset.cli.targets import check_apart, check_readable, check_writable
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.explore.node_view import NodeView
    from infoset.solvers.vector.solution import SpotSolution

__all__ = ["show"]

MOST_ROWS = 40
"""Hands that are shown unless all are asked for."""


@command(example='infoset spot show turn.infoset --path "check, bet 50%"', group=spots)
def show(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="What infoset spot solve --save wrote.", show_default=False
        ),
    ],
    path: Annotated[
        str,
        typer.Option(
            "--path",
            "-p",
            metavar="ACTIONS",
            help='What was done so far, as in "check, bet 50%, call, 7h"; at first nothing.',
        ),
    ] = "",
    hand: Annotated[
        str | None, typer.Option("--hand", metavar="CARDS", help="Only this hand, as in AsKd.")
    ] = None,
    hand_class: Annotated[
        str | None, typer.Option("--class", metavar="CLASS", help="Only these, as in AKs.")
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="oop|ip", help="Whose hands; at first, who acts."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"All hands, not only {MOST_ROWS}.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the grid of hands, as .svg, .pdf or .png."
        ),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option("--values", metavar="FILE", help="Draw what the hands are worth."),
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show what a solution does at one point.

    How often each hand takes each action there, and what it is worth.
    """
    if hand is not None and hand_class is not None:
        raise BadInputError("--hand and --class exclude each other: choose one")
    check_readable(file)
    written = {"--plot": plot, "--values": values}
    check_apart(written, read={"FILE": file})
    for option, drawn in written.items():
        check_writable(option, drawn)
        check_figure(drawn)

    whose = _player(player)
    wanted = _hands(hand, hand_class)
    with LiveLine(printable(str(file)), quiet=quiet) as line, heard_interrupts():
        line.announce("reading the solution")
        solution = _load(file)
        line.announce("working out what each hand is worth")
        view = solution.view(path)
    if whose is None:
        whose = 0 if view.player is None else view.player
    shown = view if wanted is None else _only(view, whose, wanted)
    if len(shown.hands[whose]) == 0:
        raise BadInputError(
            f"{NAMES[whose]} never has {hand or hand_class} there; see the hands with: --all"
        )
    problems = _drawn(view, whose, plot, values)
    if json:
        write_json(_document(solution, view, shown))
    else:
        _print(solution, view)
        _print_hands(shown, whose, everything=everything or wanted is not None)
    for problem in problems:
        complain(problem)
    if problems:
        raise typer.Exit(FAILED)


def _player(typed: str | None) -> int | None:
    if typed is None:
        return None
    if typed.lower() not in ("oop", "ip"):
        raise BadInputError(f"--player is oop or ip, not {shorten(typed)}")
    return ("oop", "ip").index(typed.lower())


def _hands(hand: str | None, hand_class: str | None) -> set[int] | None:
    """The hands that are asked for; `None` is all."""
    if hand is None and hand_class is None:
        return None
    from infoset.cards import CLASS_NAMES, HAND_CLASS, NUM_HANDS, hand_of

    if hand is not None:
        return {hand_of(hand)}
    assert hand_class is not None
    folded = {name.lower(): name for name in CLASS_NAMES}
    if hand_class.lower() not in folded:
        raise BadInputError(
            f"there is no class of hands {shorten(hand_class)}; write it as in AKs, AKo or 77"
        )
    number = CLASS_NAMES.index(folded[hand_class.lower()])
    return {n for n in range(NUM_HANDS) if HAND_CLASS[n] == number}


def _only(view: NodeView, player: int, wanted: set[int]) -> NodeView:
    """A view with some hands of a player alone."""
    rows = [i for i, hand in enumerate(view.hands[player].tolist()) if hand in wanted]

    def cut(pair: tuple[Any, Any]) -> tuple[Any, Any]:
        return (pair[0][rows], pair[1]) if player == 0 else (pair[0], pair[1][rows])

    decides = view.player == player
    return replace(
        view,
        hands=cut(view.hands),
        reach=cut(view.reach),
        weights=cut(view.weights),
        values=cut(view.values),
        equities=cut(view.equities),
        strategy=view.strategy[:, rows] if decides else view.strategy,
        action_values=view.action_values[:, rows] if decides else view.action_values,
    )


def _load(file: Path) -> SpotSolution:
    from infoset import api
    from infoset.solvers.vector.solution import SpotSolution

    solution = api.load(file)
    if not isinstance(solution, SpotSolution):
        raise BadInputError(
            f"'{file}' is a solution of the game {solution.game!r}, not of a spot; look at it "
            "with: infoset strategy"
        )
    return solution


def _drawn(view: NodeView, player: int, plot: Path | None, values: Path | None) -> list[str]:
    problems: list[str] = []
    if plot is None and values is None:
        return problems
    from infoset.explore.spot_figures import draw_range_grid, draw_values

    if plot is not None:
        problems += problems_of(lambda: draw_range_grid(plot, view, player))
    if values is not None:
        problems += problems_of(lambda: draw_values(values, view))
    return problems


def _document(solution: SpotSolution, view: NodeView, shown: NodeView) -> dict[str, Any]:
    """What the tables show, for programs; means are over the whole ranges."""

    def number(value: float) -> float | None:
        return None if math.isnan(value) else value

    frequencies = [] if view.player is None else view.frequencies.tolist()
    return {
        "spot": solution.spot.name,
        "next": _next(solution, view),
        "locked": _num_locked(solution, view),
        "frequencies": [number(frequency) for frequency in frequencies],
        "value": [number(view.value(player)) for player in (0, 1)],
        "equity": [number(view.equity(player)) for player in (0, 1)],
        **shown.as_dict(),
    }


def _print(solution: SpotSolution, view: NodeView) -> None:
    from infoset.cards import format_cards

    shown = table("", "")
    put = ", ".join(f"{name} {chips:,}" for name, chips in zip(NAMES, view.put, strict=True))
    for row in (
        ("spot", printable(solution.spot.name) or "-"),
        ("path", view.path or "(start)"),
        ("board", format_cards(view.board)),
        ("pot", f"{view.pot:,} (put in since the start: {put})"),
        ("next", _next(solution, view)),
    ):
        shown.add_row(*row)
    if num_locked := _num_locked(solution, view):
        shown.add_row("locked", f"{num_locked:,} hand{'s' * (num_locked > 1)}")
    print_table(shown)
    print_ranges(view)
    print_grid(view)


def _num_locked(solution: SpotSolution, view: NodeView) -> int:
    """How many hands can do nothing else than they do at a node."""
    from infoset.forms.paths import find_node

    place = find_node(solution.tree, view.path)
    locked = [
        len(lock.hands)
        for lock in solution.solver.locks
        if (lock.node, lock.cards) == (place.node, place.cards)
    ]
    return sum(locked)


def _print_hands(view: NodeView, player: int, *, everything: bool) -> None:
    rows = hand_rows(view, player)
    if not everything:
        rows = [row for row in rows if row.amount > 0]
    if not rows:
        print(f"No hand of {NAMES[player]} comes here.")
        return
    print_hands(view, rows if everything else rows[:MOST_ROWS], player)
    if not everything and len(rows) > MOST_ROWS:
        print(f"These are {MOST_ROWS} of {len(rows):,} hands; all of them: --all")


def _next(solution: SpotSolution, view: NodeView) -> str:
    """What happens at a node."""
    from infoset.forms.betting_tree import NodeKind
    from infoset.forms.paths import find_node
    from infoset.games.holdem.betting import STREETS

    tree = solution.tree
    node = find_node(tree, view.path).node
    match tree.node_kind[node]:
        case NodeKind.FOLD:
            player = int(tree.node_player[node])
            return f"the hand is over: {NAMES[player]} folded, {NAMES[1 - player]} wins the pot"
        case NodeKind.SHOWDOWN:
            is_dealt = len(view.board) == 5
            return f"the hand is over: showdown{'' if is_dealt else ', once the board is dealt'}"
        case NodeKind.CHANCE:
            street = STREETS[int(tree.node_street[node]) + 1]
            return f"the {street} is dealt; add a card to the path to go on"
    assert view.player is not None
    return f"{NAMES[view.player]} acts"
