"""Replay the log of a match: check every hand, and say again what was won."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.match import print_result
from infoset.cli.options import argument, option
from infoset.cli.output import number, print_facts, printable, write_json
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.errors import BadInputError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.games import Game


@command(example="infoset replay match.log --hand 17")
def replay(
    log: Path = argument("LOG", "What infoset match --log wrote."),
    game: str | None = option("--game GAME", "The game, if its name in the log does not find it."),
    name: str | None = options.NAME,
    hand: int | None = option("--hand N", "Show this hand; the first is hand 0."),
    json: bool = options.JSON,
    quiet: bool = options.QUIET,
) -> None:
    """Replay the log of a match by the rules.

    Every step must be possible, every card must be what the seed deals, every payoff what the rules
    say; the first line that is wrong is named. Then it is told what was won.
    """
    check_files(read={"LOG": log, "--game": target_file(game)})

    from infoset.agents import replay_match

    rules: Game | None = None if game is None else options.find_played(game, name)
    with LiveLine(printable(str(log)), quiet=quiet) as line, heard_interrupts():
        line.announce("replaying")
        if hand is not None:
            _show_hand(log, rules, hand, json=json)
            return
        result = replay_match(
            log, rules, watch=lambda hands: line.show(None, f"{hands:,} hands replayed")
        )
    if json:
        write_json(result.as_dict())
        return
    if not result.hands:
        raise BadInputError(f"'{log}' has no hand yet")
    print_result(result)
    print("All hands follow the rules, and all payoffs are right.")


def _show_hand(log: Path, game: Game | None, wanted: int, *, json: bool) -> None:
    from infoset.agents import check_logged_hand, read_log, won_by_a

    with read_log(log) as reader:
        record = next((each for each in reader.records() if each.number == wanted), None)
        if record is None:
            raise BadInputError(f"'{log}' has no hand {wanted}; hands are counted from 0")
        check_logged_hand(reader, record, game)
        header = reader.header
    seats = header.agents if wanted % 2 == 0 else header.agents[::-1]
    won = won_by_a(record.hand, wanted)
    if json:
        document = {
            "hand": wanted,
            "seats": list(seats),
            "steps": list(record.hand.steps),
            "payoff": float(record.hand.payoff),
            "won_by_a": won,
            "aivat": record.corrected,
        }
        write_json(document)
        return
    facts = [
        ("game", printable(header.game)),
        ("player 0", printable(seats[0])),
        ("player 1", printable(seats[1])),
        ("steps", printable(", ".join(record.hand.steps))),
        ("A wins", f"{number(won)} chips"),
    ]
    if record.corrected is not None:
        facts.append(("with AIVAT", f"{number(record.corrected)} chips"))
    print_facts(facts)
