"""Hands in the poker hand history format (PHH): TOML files, as PokerKit reads and writes them.

A file has one hand, or several in tables::

    variant = "NT"                              # no-limit Texas hold'em; "FT" is limit
    antes = [0, 0]
    blinds_or_straddles = [50, 100]             # reversed if there are two players, as antes are:
    min_bet = 100                               # p1 posts the big blind, p2 has the button
    starting_stacks = [20000, 20000]
    actions = [
      "d dh p1 9s8h", "d dh p2 ????",           # hands, here one that nobody saw
      "p2 cbr 300", "p1 cc",                    # cbr: a bet or raise to so much on the street
      "d db 8d7h2c", "p1 cc", "p2 cbr 450", "p1 f",
    ]
    players = ["Alice", "Bob"]                  # this and more may be left out

The format is that of Kim (2023), "Recording and Describing Poker Hands". Here is what a file says,
in whole chips: `infoset.interop.hand_history` checks hands of two players by the rules. Amounts
may have decimals there; a chip is then worth a hundredth or less of the money (`PhhHand.unit`).
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from infoset.cards import parse_cards
from infoset.errors import BadInputError, FileFormatError, nearest, shorten
from infoset.machine.storage import read_text
from infoset.machine.toml import parse_toml

MAX_BYTES = 16_000_000
"""Largest file that is read."""

MAX_HANDS = 100_000
MAX_PLAYERS = 10
MAX_ACTIONS = 1000
MAX_CHIPS = 1_000_000_000
MAX_NAME = 1000

NO_LIMIT, LIMIT = "NT", "FT"
VARIANTS = {
    NO_LIMIT: "no-limit Texas hold'em",
    LIMIT: "limit Texas hold'em",
    "NS": "short-deck hold'em",
    "PO": "Omaha",
    "FO/8": "Omaha eight or better",
    "F7S": "seven card stud",
    "F7S/8": "seven card stud eight or better",
    "FR": "razz",
    "N2L1D": "deuce-to-seven single draw",
    "F2L3D": "deuce-to-seven triple draw",
    "FB": "badugi",
}
"""What the codes of variants mean; hands of the first two are read."""

_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_PLAYER = re.compile(r"p([1-9][0-9]?)")
_CARDS = re.compile(r"(?:[2-9TJQKA?][cdhs?]){1,5}")

FOLD, STAY, RAISE, BOARD, HAND, SHOW = "f", "cc", "cbr", "db", "dh", "sm"


class PhhAction(NamedTuple):
    """Something that happens in a hand."""

    kind: str
    """`FOLD`, `STAY`, `RAISE`, `BOARD`, `HAND` or `SHOW`."""
    player: int
    """Whose action or cards it is, from 0; of the board -1."""
    amount: int
    """Of a raise: the chips that its player has then put in on the street."""
    cards: str
    shown: str
    """What messages call it."""


@dataclass(frozen=True)
class PhhHand:
    """What a file says about a hand of hold'em, in whole chips; players are numbered from 0."""

    variant: str
    antes: tuple[int, ...]
    """By player, as they are posted: no more reversed."""
    blinds: tuple[int, ...]
    """By player, as they are posted."""
    bets: tuple[int, ...]
    """The smallest bet or, in limit hold'em, the small and the big one."""
    stacks: tuple[int | None, ...]
    """Before anything was posted; `None` where it is not known."""
    actions: tuple[PhhAction, ...]
    names: tuple[str, ...]
    number: int | None = None
    unit: Fraction = Fraction(1)
    """What a chip is worth in the money of the file."""


def read_phh(path: str | os.PathLike[str]) -> list[PhhHand]:
    """Read the hands of a file."""
    return parse_phh(read_text(path, max_bytes=MAX_BYTES), shown=f"'{os.fspath(path)}'")


def parse_phh(text: str, *, shown: str = "the text") -> list[PhhHand]:
    """Read a text with one hand, or with several in tables.

    >>> (hand,) = parse_phh('variant = "NT"\\nantes = [0, 0]\\nblinds_or_straddles = [0.5, 1]\\n\
min_bet = 1\\nstarting_stacks = [100, 120.25]\\nactions = ["p2 cbr 2.50", "p1 f"]')
    >>> hand.blinds, hand.stacks, hand.unit, hand.actions[0].amount
    ((100, 50), (10000, 12025), Fraction(1, 100), 250)
    >>> parse_phh('variant = "PO"')
    Traceback (most recent call last):
    infoset.errors.BadInputError: the text: variant 'PO' is Omaha; only hold'em is read, 'NT' and \
'FT'
    """
    top = parse_toml(text, shown, parse_float=_float)
    if "variant" in top:
        tables: Iterable[tuple[str, Any]] = [("", top)]
    else:
        if not top or not all(isinstance(table, dict) for table in top.values()):
            raise FileFormatError(f'{shown} is no PHH: a hand has a variant, such as "NT"')
        if len(top) > MAX_HANDS:
            raise FileFormatError(f"{shown} has more than {MAX_HANDS:,} hands")
        tables = top.items()
    hands = []
    for name, table in tables:
        try:
            hands.append(phh_of(table))
        except BadInputError as error:
            where = f", hand {shorten(name)[1:-1]}" if name else ""
            raise BadInputError(f"{shown}{where}: {error}") from error
    return hands


def phh_of(fields: Mapping[str, Any]) -> PhhHand:
    """A hand from its fields, as a file or PokerKit has them."""
    variant = fields.get("variant")
    if variant not in (NO_LIMIT, LIMIT):
        if isinstance(variant, str) and variant in VARIANTS:
            raise BadInputError(
                f"variant {variant!r} is {VARIANTS[variant]}; only hold'em is read, 'NT' and 'FT'"
            )
        given = shorten(variant) if isinstance(variant, str) else type(variant).__name__
        hint = nearest(variant, VARIANTS) if isinstance(variant, str) else ""
        raise BadInputError(f"there is no variant {given}{hint}")
    of_bets = ("min_bet",) if variant == NO_LIMIT else ("small_bet", "big_bet")
    for key in ("antes", "blinds_or_straddles", *of_bets, "starting_stacks", "actions"):
        if fields.get(key) is None:
            raise BadInputError(f"a hand of variant {variant!r} needs its {key}")
    stacks = _list(fields, "starting_stacks")
    num_players = len(stacks)
    if not 2 <= num_players <= MAX_PLAYERS:
        raise BadInputError(
            f"starting_stacks has {num_players} entries; 2 to {MAX_PLAYERS} players can play"
        )
    texts = _list(fields, "actions")
    if len(texts) > MAX_ACTIONS:
        raise BadInputError(f"a hand has at most {MAX_ACTIONS:,} actions, not {len(texts):,}")
    read = [_read_action(text, n, num_players) for n, text in enumerate(texts, start=1)]
    steps = [each for each in read if each is not None]
    antes, blinds = (
        [_amount(n, key) for n in _list(fields, key, num_players)]
        for key in ("antes", "blinds_or_straddles")
    )
    if num_players == 2:
        antes.reverse()
        blinds.reverse()
    bets = [_amount(fields[key], key) for key in of_bets]
    if min(bets) == 0:
        raise BadInputError(f"{' and '.join(of_bets)}: a bet of nothing is none")
    known = [None if n == math.inf else _amount(n, "starting_stacks") for n in stacks]
    raised = [amount for _, amount in steps]
    scale = _scale([*antes, *blinds, *bets, *raised, *(n for n in known if n is not None)])
    return PhhHand(
        variant=variant,
        antes=tuple(int(n * scale) for n in antes),
        blinds=tuple(int(n * scale) for n in blinds),
        bets=tuple(int(n * scale) for n in bets),
        stacks=tuple(None if n is None else int(n * scale) for n in known),
        actions=tuple(action._replace(amount=int(n * scale)) for action, n in steps),
        names=_names(fields, num_players),
        number=_number(fields.get("hand")),
        unit=Fraction(1, scale),
    )


def _float(written: str) -> Decimal | float:
    """Money as it was written, not the nearest binary fraction; what is none stays a float."""
    plain = written.replace("_", "")
    return Decimal(plain) if _AMOUNT.fullmatch(plain) else float(plain)


def _amount(given: object, what: str) -> Fraction:
    """Money, as a number or as text."""
    is_number = isinstance(given, int | float | Decimal | str) and not isinstance(given, bool)
    text = str(given) if is_number else ""
    if not _AMOUNT.fullmatch(text):
        shown = shorten(text) if is_number else type(given).__name__
        raise BadInputError(
            f"{what}: {shown} is no amount; amounts have at most 12 digits and 6 decimals, and no "
            "sign"
        )
    return Fraction(text)


def _scale(amounts: Sequence[Fraction]) -> int:
    """How many chips one of the money is: 1 if all amounts are whole, else 100 or more."""
    if max(amounts) > MAX_CHIPS:
        raise BadInputError(f"there are more than {MAX_CHIPS:,} chips")
    if all(n.denominator == 1 for n in amounts):
        return 1
    digits = next(d for d in range(2, 7) if all((n * 10**d).denominator == 1 for n in amounts))
    return int(10**digits)


def _list(fields: Mapping[str, Any], key: str, length: int | None = None) -> list[Any]:
    """A field that is a list, of one entry for each player if a length is given."""
    given = fields[key]
    if not isinstance(given, list | tuple):
        raise BadInputError(f"{key} must be a list, not {type(given).__name__}")
    if length is not None and len(given) != length:
        raise BadInputError(f"{key} has {len(given)} entries, but there are {length} players")
    return list(given)


def _names(fields: Mapping[str, Any], num_players: int) -> tuple[str, ...]:
    if fields.get("players") is None:
        return ("",) * num_players
    names = _list(fields, "players", num_players)
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_NAME or not name.isprintable():
            given = shorten(name) if isinstance(name, str) else type(name).__name__
            raise BadInputError(
                f"players: {given} is no name of one line and at most {MAX_NAME} letters"
            )
    return tuple(names)


def _number(given: object) -> int | None:
    """The number of a hand; a name is none."""
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 20:
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _read_action(text: object, number: int, num_players: int) -> tuple[PhhAction, Fraction] | None:
    """An action and the money that it names; `None` for a comment."""
    if not isinstance(text, str):
        raise BadInputError(f"action {number} must be text, not {type(text).__name__}")
    shown = f"action {number}, {shorten(text)}"
    amount = Fraction(0)
    match text.partition("#")[0].split():
        case []:
            return None
        case ["d", "db", cards]:
            action = PhhAction(BOARD, -1, 0, _cards(cards, shown), shown)
        case ["d", "dh", player, cards]:
            index = _player(player, num_players, shown)
            action = PhhAction(HAND, index, 0, _cards(cards, shown), shown)
        case [player, ("f" | "cc") as kind]:
            action = PhhAction(kind, _player(player, num_players, shown), 0, "", shown)
        case [player, "cbr", money]:
            action = PhhAction(RAISE, _player(player, num_players, shown), 0, "", shown)
            amount = _amount(money, shown)
        case [player, "sm", *cards] if len(cards) <= 1:
            seen = _cards(cards[0], shown) if cards and cards != ["-"] else ""
            action = PhhAction(SHOW, _player(player, num_players, shown), 0, seen, shown)
        case _:
            raise BadInputError(
                f"{shown} is nothing that happens in hold'em: write 'd dh p1 AcAd', 'd db 8d7h2c', "
                "'p1 f', 'p1 cc', 'p1 cbr 300' or 'p1 sm AcAd'"
            )
    return action, amount


def _player(text: str, num_players: int, shown: str) -> int:
    match = _PLAYER.fullmatch(text)
    if match is None or int(match[1]) > num_players:
        raise BadInputError(f"{shown}: players are p1 to p{num_players}, not {shorten(text)}")
    return int(match[1]) - 1


def _cards(text: str, shown: str) -> str:
    """Cards, of which some may be unknown; none may be there twice."""
    if not _CARDS.fullmatch(text):
        raise BadInputError(f"{shown}: expected cards such as 8d7h2c, found {shorten(text)}")
    try:
        parse_cards("".join(_known(text)))
    except BadInputError as error:
        raise BadInputError(f"{shown}: {error}") from None
    return text


def _known(cards: str) -> list[str]:
    """The cards of some that are known.

    >>> _known("Ac??")
    ['Ac']
    """
    pairs = (cards[n : n + 2] for n in range(0, len(cards), 2))
    return [card for card in pairs if "?" not in card]
