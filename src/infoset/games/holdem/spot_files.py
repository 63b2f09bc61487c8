"""Spots in files: TOML or JSON, one spot or several.

A file with one spot has its settings at the top::

    board = "Td9d6hQc"
    range_oop = "66+,A8s+,A5s-A4s,AJo+,KQo"
    range_ip = "QQ-22,AQs-A2s,ATo+"
    pot = 200                       # what lies in the middle
    stack = 900                     # what each player has behind

    [bet_sizes]                     # all that follows may be left out
    turn = { bet = "60%, a", raise = "60%" }
    river = { oop = { bet = "60%, a", raise = "2.5x" }, ip = { bet = "75%" } }

    [donk]
    river = "50%"

    [[lock]]                        # any number of them
    path = "check"
    [lock.strategy]
    "bet 50%" = "AA,KK:0.5"

`Spot`, `BetSizes` and `Rake` say what all settings mean, and `infoset.games.holdem.bet_sizes` how
sizes are laid out. A spot that begins before the flop has ``board = ""`` and
``blinds = [50, 100]``. A file with several spots has them in a list ``spots``, each with a
``name``. The settings may also be called ``starting_pot`` and ``effective_stack``; ``note``,
``reference``, ``about`` and ``conventions`` are for the reader and mean nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infoset.cards import format_cards
from infoset.errors import BadInputError, FileFormatError, InfosetError, nearest, shorten
from infoset.games.holdem.bet_sizes import BetSizes, Menu
from infoset.games.holdem.betting import RIVER, STREETS
from infoset.games.holdem.checks import unknown_key
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.sizes import format_sizes
from infoset.games.holdem.spot import BIG_BLIND, Spot
from infoset.machine.storage import read_text, refuse_constant, write_atomically
from infoset.machine.toml import parse_toml, why_unread

MAX_BYTES = 1_000_000
"""Largest file that is read."""

THRESHOLDS = ("add_allin_threshold", "force_allin_threshold", "merging_threshold")
OF_BET_SIZES = ("menus", "donk", "opening", *THRESHOLDS)
OF_RAKE = ("share", "cap")

NEEDED = ("board", "range_oop", "range_ip", "pot", "stack")
SAME_NAME = (*NEEDED, "blinds", "donk", "opening", *THRESHOLDS, "big_blind", "name")
OTHER_NAME = {
    "starting_pot": "pot",
    "effective_stack": "stack",
    "bet_sizes": "menus",
    "rake": "share",
    "rake_cap": "cap",
    "lock": "locks",
}
SETTINGS = {name: name for name in SAME_NAME} | OTHER_NAME
"""What a setting is called in a file, and in `Spot`, `BetSizes` or `Rake`."""

IGNORED = ("note", "reference", "about", "conventions")


class AmbiguousSpotError(BadInputError):
    """A file has several spots, and none was chosen; `names` has theirs."""

    def __init__(self, names: Sequence[str], shown: str = "") -> None:
        self.names = tuple(names)
        listed = ", ".join(shorten(name)[1:-1] for name in names[:20])
        more = ", ..." if len(names) > 20 else ""
        where = f"{shown}: " if shown else ""
        super().__init__(f"{where}there are {len(names)} spots; choose one: {listed}{more}")


def read_spot(path: str | os.PathLike[str], name: str | None = None) -> Spot:
    """Read a spot from a file; by its name if the file has several."""
    text = read_text(path, max_bytes=MAX_BYTES)
    is_json = Path(path).suffix.lower() == ".json" or text.lstrip().startswith("{")
    return parse_spot(text, name, is_json=is_json, shown=f"'{os.fspath(path)}'")


def parse_spot(
    text: str, name: str | None = None, *, is_json: bool = False, shown: str = "the text"
) -> Spot:
    """Read a spot from the text of a TOML or JSON file; `shown` is what messages call it.

    >>> spot = parse_spot('board = "Ks9h7d4c2s"\\nrange_oop = "AA"\\nrange_ip = "KK"\\n\
pot = 10\\nstack = 95')
    >>> spot.pot, spot.num_hands
    (10, (6, 3))
    >>> parse_spot('boards = "Ks9h7d4c2s"')
    Traceback (most recent call last):
    infoset.errors.BadInputError: the text: a spot has no setting 'boards'; did you mean 'board'? \
Known: add_allin_threshold, bet_sizes, big_blind, blinds, board, donk, effective_stack, \
force_allin_threshold, lock, merging_threshold, name, note, opening, pot, rake, rake_cap, \
range_ip, range_oop, reference, stack, starting_pot
    """
    top = _json(text, shown) if is_json else parse_toml(text, shown)
    try:
        return spot_of(_chosen(top, name))
    except AmbiguousSpotError as error:
        raise AmbiguousSpotError(error.names, shown) from None
    except InfosetError as error:
        raise BadInputError(f"{shown}: {error}") from error


def spot_of(settings: Mapping[str, Any]) -> Spot:
    """A spot from its settings, as a file has them.

    >>> spot_of({"board": "Ks9h7d4c2s", "range_oop": "AA", "range_ip": "KK", "pot": 10})
    Traceback (most recent call last):
    infoset.errors.BadInputError: a spot needs its stack
    """
    given: dict[str, Any] = {}
    for key, value in settings.items():
        if key in ("note", "reference"):
            continue
        if key not in SETTINGS:
            raise unknown_key("a spot has no setting", key, [*SETTINGS, "note", "reference"])
        setting = SETTINGS[key]
        if setting in given:
            raise BadInputError(f"the {setting} is given twice, also as {key}")
        given[setting] = value
    for setting in NEEDED:
        if setting not in given:
            raise BadInputError(f"a spot needs its {setting}")
    if not isinstance(given["board"], str):
        raise BadInputError('the board must be text, such as "Ks9h7d4c2s"')
    sizes = {setting: given.pop(setting) for setting in OF_BET_SIZES if setting in given}
    rake = {setting: given.pop(setting) for setting in OF_RAKE if setting in given}
    return Spot(**given, bet_sizes=BetSizes(**sizes), rake=Rake(**rake))


def _chosen(top: Mapping[str, Any], name: str | None) -> Mapping[str, Any]:
    """The settings of one spot in a file."""
    if "spots" not in top:
        if name is not None and top.get("name") != name:
            raise BadInputError(f"this is one spot, and it is not named {shorten(name)}")
        return {key: value for key, value in top.items() if key not in ("about", "conventions")}
    for key in top:
        if key != "spots" and key not in IGNORED:
            what = "beside a list of spots is no place for"
            raise unknown_key(what, key, ["spots", *IGNORED])
    spots = top["spots"]
    if not isinstance(spots, list) or not all(isinstance(spot, dict) for spot in spots):
        raise BadInputError("spots must be a list of spots")
    names = [str(spot.get("name", "")) for spot in spots]
    if not spots:
        raise BadInputError("the list of spots is empty")
    if name is None:
        if len(spots) == 1:
            return dict(spots[0])
        raise AmbiguousSpotError(names)
    chosen = [spot for spot, its_name in zip(spots, names, strict=True) if its_name == name]
    if len(chosen) > 1:
        raise BadInputError(f"{len(chosen)} spots are named {shorten(name)}")
    if not chosen:
        raise BadInputError(f"no spot is named {shorten(name)}{nearest(name, names)}")
    return dict(chosen[0])


def _json(text: str, shown: str) -> dict[str, Any]:
    try:
        top = json.loads(text, parse_constant=refuse_constant, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{shown} is not JSON: {why_unread(error)}") from None
    if not isinstance(top, dict):
        raise FileFormatError(f"{shown} is JSON, but not an object with the settings of a spot")
    return top


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key, value in pairs:
        if key in settings:
            raise ValueError(f"the key {shorten(key)} is there twice")
        settings[key] = value
    return settings


def format_spot(spot: Spot) -> str:
    """A spot as the text of a TOML file, which `parse_spot` reads back as an equal spot.

    >>> print(format_spot(Spot("Ks9h7d4c2s", "AA", "KK", 10, 95, {"bet": "50%"}, rake=0.05)))
    board = "Ks9h7d4c2s"
    range_oop = "AA"
    range_ip = "KK"
    pot = 10
    stack = 95
    rake = 0.05
    <BLANKLINE>
    [bet_sizes]
    river = { bet = "50%", raise = "60%, a" }
    <BLANKLINE>
    """
    lines = [f"name = {_quoted(spot.name)}"] if spot.name else []
    lines += [
        f"board = {_quoted(format_cards(spot.board))}",
        f"range_oop = {_quoted(str(spot.range_oop))}",
        f"range_ip = {_quoted(str(spot.range_ip))}",
        f"pot = {spot.pot}",
        f"stack = {spot.stack}",
    ]
    sizes = spot.bet_sizes
    if spot.blinds is not None:
        lines.append(f"blinds = [{', '.join(map(str, spot.blinds))}]")
    if sizes.opening:
        lines.append(f"opening = [{', '.join(_quoted(format_sizes(s)) for s in sizes.opening)}]")
    for setting in THRESHOLDS:
        if value := getattr(sizes, setting):
            lines.append(f"{setting} = {value!r}")
    if spot.rake:
        lines.append(f"rake = {spot.rake.share!r}")
    if spot.rake.cap is not None:
        lines.append(f"rake_cap = {spot.rake.cap!r}")
    if spot.big_blind != (spot.blinds[1] if spot.blinds else BIG_BLIND):
        lines.append(f"big_blind = {spot.big_blind}")
    lines += ["", "[bet_sizes]", *_menu_lines(spot)]
    donks = [
        f"{street} = {_quoted(format_sizes(donk))}"
        for street, donk in zip(STREETS, sizes.donk, strict=True)
        if donk is not None
    ]
    if donks:
        lines += ["", "[donk]", *donks]
    for lock in spot.locks:
        lines += ["", "[[lock]]", f"path = {_quoted(lock.path)}", "[lock.strategy]"]
        lines += [f"{_quoted(action)} = {_quoted(str(held))}" for action, held in lock.strategy]
    return "\n".join(lines) + "\n"


def write_spot(path: str | os.PathLike[str], spot: Spot) -> None:
    """Write a spot as a TOML file, in one step: the file is whole or not there."""
    write_atomically(path, format_spot(spot).encode())


def _menu_lines(spot: Spot) -> list[str]:
    lines = []
    for street in range(spot.street, RIVER + 1):
        oop, ip = map(_menu, spot.bet_sizes.menus[street])
        both = oop if oop == ip else f"{{ oop = {oop}, ip = {ip} }}"
        lines.append(f"{STREETS[street]} = {both}")
    return lines


def _menu(menu: Menu) -> str:
    bets, raises = _quoted(format_sizes(menu.bets)), _quoted(format_sizes(menu.raises))
    return f"{{ bet = {bets}, raise = {raises} }}"


def _quoted(text: str) -> str:
    # JSON's escapes are also TOML's, and whatever is printable needs no other.
    return json.dumps(text, ensure_ascii=False)
