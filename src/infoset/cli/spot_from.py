"""Make a spot that can be solved from a hand that was played."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import argument, option
from infoset.cli.output import printable, write_json
from infoset.cli.paths import check_files
from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.interop import HandHistory


@command(example="infoset spot-from hand.phh --street turn > spot.toml")
def spot_from(
    file: Path = argument(
        "FILE",
        "A hand, or several: PHH, an ACPC log, the log of infoset match, or the text of PokerStars "
        "and other rooms.",
    ),
    street: str | None = option(
        "--street STREET", "Where the spot begins: preflop, flop, turn or river."
    ),
    hand: int | None = option(
        "--hand N", "The number of the hand; where hands have none, they are counted from 1."
    ),
    oop: str = option(
        "--oop RANGE",
        "What the player out of position may hold. Default: all hands.",
        default="random",
    ),
    ip: str = option(
        "--ip RANGE", "What the player in position may hold. Default: all hands.", default="random"
    ),
    bets: str | None = option(
        "--bets SIZES", "Sizes of bets besides those of the hand. Default: '50%, 100%, a'."
    ),
    raises: str | None = option(
        "--raises SIZES", "Sizes of raises besides those of the hand. Default: '60%, a'."
    ),
    game: str | None = option(
        "--game GAME", "The game of an ACPC log that does not name it, as in holdem."
    ),
    json: bool = options.JSON,
) -> None:
    """Write a spot to solve from a hand that was played.

    It begins where the street does: with the same board, pot and stacks. What was bet in the hand
    is among the bet sizes.
    """
    if street is None:
        raise BadInputError("say where the spot begins: --street flop, turn or river")
    check_files(read={"FILE": file})

    from infoset.agents import is_match_log
    from infoset.games import make, name_of
    from infoset.games.holdem import HoldemGame, format_spot
    from infoset.interop import choose_hand, read_hands, spot_from_hand, spot_text

    of_log = None if game is None else make(game)
    if of_log is not None and not isinstance(of_log, HoldemGame):
        raise BadInputError(f"--game: {name_of(of_log)} is no game of hold'em")
    shown = f"'{file}'"
    chosen = (
        _of_match(file, hand)
        if is_match_log(file)
        else choose_hand(read_hands(file, of_log), hand, shown)
    )
    try:
        made = spot_from_hand(chosen, street, range_oop=oop, range_ip=ip, bets=bets, raises=raises)
    except BadInputError as error:
        raise BadInputError(f"{shown}: {error}") from error
    if not json:
        sys.stdout.write(spot_text(made, printable(file.name)))
        return
    spot = made.spot
    write_json(
        {
            "file": str(file),
            "hand": made.number,
            "street": made.street,
            "spot": format_spot(spot),
            "pot": spot.pot,
            "stack": spot.stack,
            "big_blind": spot.big_blind,
            "chip": float(made.chip),
            "players": dict(zip(("oop", "ip"), made.names, strict=True)),
            "hands": dict(zip(("oop", "ip"), made.hands, strict=True)),
            "path": made.path,
        }
    )


def _of_match(file: Path, number: int | None) -> HandHistory:
    """A hand of a log of ours, which may be very long; the others are not kept."""
    from infoset.agents import read_match_hands

    if number is None:
        raise BadInputError(f"'{file}' is the log of a match; choose a hand: --hand 0")
    for hand in read_match_hands(file):
        if hand.number == number:
            return hand
    raise BadInputError(f"'{file}' has no hand {number}")
