"""Look at a saved solution: how good it is, and what it does."""

from __future__ import annotations

import csv
import heapq
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from infoset.cli.app import command
from infoset.cli.options import JsonOption, SolutionArgument
from infoset.cli.output import (
    Infosets,
    number,
    print_table,
    printable,
    strategy_lines,
    table,
    write_json,
)
from infoset.cli.progress import BUILDING, LiveLine
from infoset.cli.targets import check_readable, game_file
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.solvers.solution import Solution
    from infoset.strategy import Strategy

__all__ = ["evaluate", "strategy"]

TOP = 10
"""How many of the largest regrets are shown."""


@command(example="infoset evaluate leduc.infoset")
def evaluate(
    file: SolutionArgument,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game, if its name in the file no longer finds it."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure a saved strategy exactly.

    Shows its value, the best responses to it, its exploitability, and where it errs most.
    """
    check_readable(file)
    if game is not None:
        game_file(game)

    from infoset.evaluation import best_response, expected_value

    with LiveLine(printable(str(file))) as line, heard_interrupts():
        solution = _load(file, game)
        line.announce(f"{BUILDING} and measuring")
        measured = solution.strategy
        value = expected_value(measured)
        best = [best_response(measured, player).value for player in (0, 1)]
        worst = _worst_slips(measured)
    nash_conv = sum(best)
    if json:
        write_json(
            {
                "file": str(file),
                "game": solution.game,
                "algorithm": solution.algorithm,
                "iterations": solution.iterations,
                "value": value,
                "best_response_values": best,
                "nash_conv": nash_conv,
                "exploitability": nash_conv / 2,
                "largest_regrets": [slip._asdict() for slip in worst],
            }
        )
        return
    shown = table("", "")
    shown.add_row("game", printable(solution.game))
    shown.add_row("solved by", f"{solution.algorithm}, {solution.iterations:,} iterations")
    shown.add_row("value", f"{number(value)} chips for player 0")
    for player in (0, 1):
        shown.add_row(f"best response of player {player}", f"wins {number(best[player])} chips")
    shown.add_row("NashConv", f"{number(nash_conv)} chips")
    shown.add_row("exploitability", f"{number(nash_conv / 2)} chips (NashConv / 2)")
    print_table(shown)
    print("Where it errs most: what always taking the action there would gain, in chips a game")
    heads = ("gain", "regret", "own reach")
    errors = table("player", "infoset", "action", *heads, numbers=heads)
    for slip in worst:
        where = str(slip.player), printable(slip.infoset), printable(slip.action)
        errors.add_row(*where, number(slip.gain), number(slip.regret), number(slip.own_reach))
    print_table(errors)


def _load(file: Path, game: str | None = None) -> Solution:
    """The solution of a game in a file."""
    from infoset import api
    from infoset.solvers.solution import Solution

    solution = api.load(file, game)
    if not isinstance(solution, Solution):
        raise BadInputError(f"'{file}' is a solution of a spot; look at it with: infoset spot show")
    return solution


class Slip(NamedTuple):
    """What always taking one action at an infoset would gain, all else as it is."""

    player: int
    infoset: str
    action: str
    gain: float
    """In chips a game: `regret` times `own_reach`."""
    regret: float
    """The counterfactual regret of the action: as if the player made for this infoset."""
    own_reach: float
    """How likely the player's own actions lead here."""


def _worst_slips(measured: Strategy) -> list[Slip]:
    """The best action of the infosets where it would gain most, largest gain first."""
    from infoset.evaluation import infoset_regrets
    from infoset.evaluation.measure import plan_in_lanes

    def slips() -> Iterator[Slip]:
        tree = measured.form
        for player, by_infoset in enumerate(infoset_regrets(measured)):
            plan = tree.lanes.collect(player, plan_in_lanes(measured, player))
            reach = plan[tree.treeplexes[player].infoset_parent].tolist()
            for own, (key, by_action) in zip(reach, by_infoset.items(), strict=True):
                action = max(by_action, key=by_action.__getitem__)
                regret = by_action[action]
                yield Slip(player, key, action, regret * own, regret, own)

    return heapq.nlargest(TOP, slips(), key=lambda slip: slip.gain)


@command(example="infoset strategy leduc.infoset --infoset 'Ks:bet'")
def strategy(
    file: SolutionArgument,
    infoset: Annotated[
        str | None, typer.Option("--infoset", metavar="KEY", help="Only this infoset.")
    ] = None,
    player: Annotated[
        int | None, typer.Option("--player", metavar="0|1", min=0, max=1, help="Only this player.")
    ] = None,
    json: JsonOption = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print comma-separated values, one action a line.")
    ] = False,
) -> None:
    """Show what a saved strategy does, everywhere or at one infoset."""
    if json and as_csv:
        raise BadInputError("--json and --csv exclude each other: choose one")
    check_readable(file)

    solution = _load(file)
    players = (0, 1) if player is None else (player,)
    if infoset is None:
        chosen = Infosets(solution.strategy, dict.fromkeys(players))
    else:
        chosen = Infosets(solution.strategy, _find(solution.strategy, infoset, players))
    if json:
        write_json(
            {
                "game": solution.game,
                "algorithm": solution.algorithm,
                "iterations": solution.iterations,
                "value": solution.value,
                "exploitability": solution.exploitability,
                "infosets": [
                    {"player": p, "infoset": key, "probabilities": actions}
                    for p, key, actions in chosen
                ],
            },
            indent=2 if infoset is not None else None,
        )
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["player", "infoset", "action", "probability"])
        for p, key, actions in chosen:
            writer.writerows([p, key, action, chance] for action, chance in actions.items())
    else:
        for line in strategy_lines(chosen):
            print(line)


def _find(shown: Strategy, key: str, players: tuple[int, ...]) -> dict[int, list[int]]:
    """The infosets with that key, which both players may have."""
    plexes = shown.form.treeplexes
    found = {p: [plexes[p].infoset_of_key[key]] for p in players if key in plexes[p].infoset_of_key}
    if not found:
        # As it is printed: a key with line breaks in it is shown, and may be typed, on one line.
        found = {
            p: same
            for p in players
            if (same := [i for i, k in enumerate(plexes[p].keys) if printable(k) == key])
        }
    if not found:
        # There is none, which the strategy says best, with the nearest that there is.
        shown[(players[0], key) if len(players) == 1 else key]
    return found
