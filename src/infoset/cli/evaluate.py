"""Measure a saved solution: how good it is, and where it could gain most."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.node_tables import NAMES
from infoset.cli.options import option
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
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.evaluation import ActionGain, HandGain, Measurement
    from infoset.games.holdem import Spot
    from infoset.solvers import Solution
    from infoset.strategy import Strategy


@command(example="infoset evaluate leduc.infoset")
def evaluate(
    file: Path = options.SOLVED,
    game: str | None = options.GAME,
    threshold: float | None = option(
        "--threshold P", "Drop actions of a lower probability first, and show what that costs."
    ),
    purify: bool = option("--purify", "Keep only the likeliest action of each infoset first."),
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    csv: bool = options.CSV,
    quiet: bool = options.QUIET,
) -> None:
    """Measure a saved solution exactly.

    Shows its value, the best responses to it, its exploitability, and where it errs most. With
    --csv, the measurements are one line.
    """
    if purify and threshold is not None:
        raise BadInputError("--threshold and --purify exclude each other: choose one")
    check_files(read={"FILE": file, "--game": target_file(game)})

    from infoset import api
    from infoset.evaluation import largest_gains, measure_strategy
    from infoset.machine.threads import num_threads

    processors = num_threads(threads)
    with LiveLine(printable(str(file)), quiet=quiet) as line, heard_interrupts():
        line.announce("building the game and measuring")
        solution = api.load(file, game)
        if solution.below is not None:
            raise BadInputError(
                f"'{file}' was trimmed at {solution.below.cut}: what is below is needed to measure "
                "it. Re-solve it: infoset resolve FILE --save WHOLE"
            )
        strategy = _processed(solution.strategy, threshold, purify=purify)
        measured = _with_the_pot(solution, measure_strategy(strategy, threads=processors))
        gains = largest_gains(strategy, threads=processors)
        document = {"file": str(file), **_document(solution, measured)}
        if strategy is not solution.strategy:
            before = measure_strategy(solution.strategy, threads=processors).exploitability
            document |= {
                "post_processing": "purify" if purify else f"threshold({threshold:g})",
                "exploitability_before": before,
            }
    if json:
        write_json({**document, "largest_gains": [gain._asdict() for gain in gains]})
    elif csv:
        flat = _flat(document)
        write_csv([*flat], [[*flat.values()]])
    else:
        print_facts(_facts(document, solution.spot))
        print(f"Where it errs most: {_MEANINGS[solution.form]}\n")
        _gains_table(gains, is_spot=solution.spot is not None).print()


def _processed(strategy: Strategy, threshold: float | None, *, purify: bool) -> Strategy:
    from infoset import strategy as strategies

    if purify:
        return strategies.purify(strategy)
    return strategy if threshold is None else strategies.threshold(strategy, threshold)


_MEANINGS = {
    "sequence": "what always taking the action there would gain",
    "public": "what a best response would gain with the hand",
}


def _with_the_pot(solution: Solution, measured: Measurement) -> Measurement:
    """Values of a spot count the pot; in sequence form they are those of a zero-sum game."""
    if solution.spot is None or solution.form == "public":
        return measured
    half = solution.spot.pot / 2
    first, second = measured.values
    best, other_best = measured.best_response_values
    return measured._replace(
        values=(half + first, half + second), best_response_values=(half + best, half + other_best)
    )


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
        "exploitability_share_of_pot": None if spot is None else exploitability / spot.starting_pot,
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


def _facts(document: dict[str, Any], spot: Spot | None) -> list[tuple[str, str]]:
    amount: Callable[[float], str]
    if spot is None:
        names, amount = ("player 0", "player 1"), number
        value = ("value", f"{number(document['value'])} chips for player 0")
        exploitability = f"{number(document['exploitability'])} chips (NashConv / 2)"
    else:
        names, amount = NAMES, chips
        oop, ip = map(chips, document["values"])
        value = ("EV", f"OOP {oop}, IP {ip} chips, with the pot of {spot.pot:,}")
        exploitability = (
            f"{document['exploitability']:.4g} chips (NashConv / 2) = "
            f"{100 * document['exploitability_share_of_pot']:.3g}% of the pot = "
            f"{document['exploitability_mbb']:.3g} mbb"
        )
    changed = []
    if "post_processing" in document:
        changed = [
            ("changed by", document["post_processing"]),
            ("exploitability before", f"{number(document['exploitability_before'])} chips"),
        ]
    return [
        ("game" if spot is None else "spot", printable(document["game"])),
        ("solved by", f"{document['algorithm']}, {document['iterations']:,} iterations"),
        *changed,
        value,
        *(
            (f"best response of {name}", f"wins {amount(best)} chips")
            for name, best in zip(names, document["best_response_values"], strict=True)
        ),
        ("NashConv", f"{number(document['nash_conv'])} chips"),
        ("exploitability", exploitability),
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
