"""Hands as poker rooms write them: PokerStars and others, read by PokerKit.

PokerKit is an extra: ``pip install 'infoset[hands]'``. It reads no-limit hold'em.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from typing import Any

from infoset.errors import BadInputError, FileFormatError, MissingExtraError, shorten
from infoset.interop.phh import PhhHand, phh_of

MAX_LETTERS = 4_000_000
MAX_LINE = 1000

ROOMS = {
    "pokerstars": r"PokerStars ",
    "full_tilt_poker": r"Full Tilt Poker Game #",
    "absolute_poker": r"Stage #",
    "ongame_network": r"\*\*\*\*\* History for hand ",
    "ipoker_network": r"<game gamecode=",
    "partypoker": r"Game #",
}
"""By what PokerKit calls a room: how the first line of a hand begins."""

FIELDS = (
    *("variant", "antes", "blinds_or_straddles", "min_bet", "starting_stacks", "actions"),
    *("players", "hand"),
)


def room_of(text: str) -> str | None:
    """The room that wrote a text, if one did.

    >>> room_of("PokerStars Hand #1:  Hold'em No Limit"), room_of('variant = "NT"')
    ('pokerstars', None)
    """
    for room, begin in ROOMS.items():
        if re.search(f"^{begin}", text, re.MULTILINE):
            return room
    return None


def parse_room_hands(text: str, *, shown: str = "the text") -> list[PhhHand]:
    """Read the hands of a room's text."""
    room = room_of(text)
    if room is None:
        raise FileFormatError(f"{shown} is not of a poker room that PokerKit reads")
    if len(text) > MAX_LETTERS or any(len(line) > MAX_LINE for line in text.splitlines()):
        raise FileFormatError(
            f"{shown} is too large: at most {MAX_LETTERS:,} letters are read, in lines of at most "
            f"{MAX_LINE:,}"
        )
    try:
        from pokerkit import HandHistory
    except ImportError:
        raise MissingExtraError("pokerkit", "hands", f"Reading hands of {room}") from None
    # A hand ends with two empty lines, and names of players may end with blanks.
    plain = text.lstrip("\ufeff").replace("\r\n", "\n").rstrip("\n") + "\n\n\n\n"
    hands: list[PhhHand] = []
    try:
        # What it cannot read, it says on stderr; what it finds odd, with a warning.
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for read in getattr(HandHistory, f"from_{room}")(plain, error_status=True):
                hands.append(phh_of({field: getattr(read, field) for field in FIELDS}))
    except BadInputError as error:
        raise BadInputError(f"{shown}, hand {len(hands) + 1}: {error}") from error
    except Exception as error:  # PokerKit says in many ways that a text makes no sense
        raise FileFormatError(
            f"{shown}, hand {len(hands) + 1}: PokerKit cannot read it as no-limit hold'em of "
            f"{room}{_reason(error)}"
        ) from None
    if not hands:
        raise FileFormatError(f"{shown} has no whole hand of {room}")
    return hands


def _reason(error: BaseException) -> str:
    """What PokerKit stumbled on, if it says so in a few words."""
    cause: Any = error.__context__ or error
    said = str(cause).strip().rstrip(".")
    return f": {type(cause).__name__}, {shorten(said, 100)}" if said else ""
