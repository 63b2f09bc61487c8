"""Files of hands, whichever kind: PHH, ACPC logs, and what poker rooms write."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from infoset.errors import BadInputError
from infoset.games.holdem import HoldemGame, acpc
from infoset.interop.acpc_log import read_log
from infoset.interop.hand_history import HandHistory
from infoset.interop.phh import PhhHand, parse_phh
from infoset.interop.room_hands import parse_room_hands, room_of
from infoset.machine.storage import read_text

MAX_BYTES = 64_000_000
"""Largest file that is read."""

_ACPC = re.compile(r"^(?:STATE:|SCORE:|# name/game/hands/seed )", re.MULTILINE)

Played = HandHistory | PhhHand
"""A hand of two players that was checked by the rules, or what a file says about any."""


def read_hands(path: str | os.PathLike[str], game: HoldemGame | None = None) -> list[Played]:
    """All hands of a file; `game` is that of an ACPC log which does not name it."""
    text = read_text(path, max_bytes=MAX_BYTES)
    shown = f"'{os.fspath(path)}'"
    if _ACPC.search(text):
        log = read_log(path, game)
        if not isinstance(log.game, acpc.Holdem):
            raise BadInputError(f"{shown}: a log of hold'em is needed")
        return [HandHistory.of_logged(log.game, hand) for hand in log.hands]
    hands = parse_room_hands(text, shown=shown) if room_of(text) else parse_phh(text, shown=shown)
    return [*hands]


def choose_hand(hands: Sequence[Played], number: int | None, shown: str) -> Played:
    """The hand of a number; where hands have none, they are counted from 1.

    A number may be left out if there is only one hand.
    """
    if not hands:
        raise BadInputError(f"{shown} has no hand")
    numbers = [n if hand.number is None else hand.number for n, hand in enumerate(hands, start=1)]
    if number is None:
        if len(hands) == 1:
            return hands[0]
        few = ", ".join(map(str, numbers[:5])) + (", ..." if len(hands) > 5 else "")
        raise BadInputError(f"{shown} has {len(hands):,} hands; choose one by its number: {few}")
    if number not in numbers:
        few = ", ".join(map(str, numbers[:5])) + (", ..." if len(hands) > 5 else "")
        raise BadInputError(f"{shown} has no hand {number}; there are {few}")
    if numbers.count(number) > 1:
        raise BadInputError(f"{shown} has {numbers.count(number)} hands of number {number}")
    return hands[numbers.index(number)]
