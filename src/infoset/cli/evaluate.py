"""Measure a saved solution: how good it is, and where it could gain most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.node_tables import NAMES
from infoset.cli.output import (
    Column,
    Table,
    chips,
    labels,
    number,
    percent,
    print_facts,
    printable,
    write_csv,
    write_json,
)
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.evaluation import ActionGain, HandGain, Measurement
    from infoset.solvers import Solution

__all__ = ["evaluate"]


@command(example="infoset evaluate leduc.infoset")
def evaluate(
    file: options.Solved,
    game: options.GameName = None,
    threads: options.Threads = None,
    json: options.Json = False,
    csv: options.Csv = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure a saved solution exactly.

    Shows its value, the best responses to it, its exploitability, and where it errs most. With
    --csv, the measurements are one line.
    """
    check_files(read={"FILE": file, "--game": target_file(game)})

    from infoset import api
    from infoset.evaluation import largest_gains, measure_strategy
    from infoset.machine.threads import num_threads

    processors = num_threads(threads)
    with LiveLine(printable(str(file)), quiet=quiet) as line, heard_interrupts():
        line.announce("building the game and measuring")
        solution = api.load(file, game)
        measured = measure_strategy(solution.strategy, threads=processors)
        gains = largest_gains(solution.strategy, threads=processors)
    document = {"file": str(file), **_document(solution, measured)}
    if json:
        write_json({**document, "largest_gains": [gain._asdict() for gain in gains]})
        return
    if csv:
        flat = _flat(document)
        write_csv([*flat], [[*flat.values()]])
        return
    print_facts(_facts(solution, measured))
    print(f"Where it errs most: {_MEANINGS[solution.form]}\n")
    _gains_table(gains, is_spot=solution.spot is not None).print()


_MEANINGS = {
    "sequence": "what always taking the action there would gain",
    "public": "what a best response would gain with the hand",
}


def _document(solution: Solution, measured: Measurement) -> dict[str, Any]:
    spot, exploitability = solution.spot, measured.exploitability
    return {
        "game": solution.game,
        "form": solution.form,
        "algorithm": solution.algorithm,
        "iterations": solution.iterations,
        "value": measured.values[0],
        "values": list(measured.values),
        "best_response_values": list(measured.best_response_values),
        "nash_conv": measured.nash_conv,
        "exploitability": exploitability,
        "exploitability_share_of_pot": None if spot is None else exploitability / spot.pot,
        "exploitability_mbb": None if spot is None else 1000 * exploitability / spot.big_blind,
    }


def _flat(document: dict[str, Any]) -> dict[str, Any]:
    """A document with a column for each player instead of a pair."""
    flat: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, list):
            flat |= {f"{key}_{player}": of_player for player, of_player in enumerate(value)}
        else:
            flat[key] = value
    return flat


def _facts(solution: Solution, measured: Measurement) -> list[tuple[str, str]]:
    spot, exploitability = solution.spot, measured.exploitability
    facts = [
        ("game" if spot is None else "spot", printable(solution.game)),
        ("solved by", f"{solution.algorithm}, {solution.iterations:,} iterations"),
    ]
    if spot is None:
        names = "player 0", "player 1"
        facts.append(("value", f"{number(measured.values[0])} chips for player 0"))
        in_words = f"{number(exploitability)} chips (NashConv / 2)"
    else:
        names = NAMES
        oop, ip = map(chips, measured.values)
        facts.append(("EV", f"OOP {oop}, IP {ip} chips, with the pot of {spot.pot:,}"))
        in_words = (
            f"{exploitability:.4g} chips (NashConv / 2) = {100 * exploitability / spot.pot:.3g}% "
            f"of the pot = {1000 * exploitability / spot.big_blind:.3g} mbb"
        )
    for name, best in zip(names, measured.best_response_values, strict=True):
        facts.append(
            (
                f"best response of {name}",
                f"wins {number(best) if spot is None else chips(best)} chips",
            )
        )
    return [
        *facts,
        ("NashConv", f"{number(measured.nash_conv)} chips"),
        ("exploitability", in_words),
    ]


def _gains_table(gains: list[ActionGain] | list[HandGain], *, is_spot: bool) -> Table:
    from infoset.evaluation import HandGain

    gain = Column("gain", "gain, chips a game", number)
    if gains and isinstance(gains[0], HandGain):
        columns = [
            labels("player"),
            labels("hand"),
            gain,
            Column("probability", "probability %", percent),
            Column("gain_with_hand", "chips with the hand", number),
        ]
    else:
        columns = [
            *map(labels, ("player", "infoset", "action")),
            gain,
            Column("regret", "regret", number),
            Column("own_reach", "own reach", number),
        ]
    rows = [(NAMES[player] if is_spot else player, *rest) for player, *rest in gains]
    return Table(columns, rows)
