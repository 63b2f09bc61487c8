"""Cards and boards: how they are numbered, read and written. Rules of games need no more.

A card is a number from 0 to 51, ``4 * rank + suit``: ranks 2 to ace are 0 to 12, suits clubs,
diamonds, hearts and spades are 0 to 3. So ``2c`` is 0 and ``As`` is 51.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable

from infoset.cursor import Cursor
from infoset.errors import BadInputError

RANKS = "23456789TJQKA"
"""The letter of each rank."""

SUITS = "cdhs"
"""The letter of each suit."""

NUM_CARDS = 52

RANKS_IN_WORDS = "2 to 9, T, J, Q, K or A"
SUITS_IN_WORDS = "c, d, h or s"

MAX_LENGTH = 1000
"""Longest text that is read as cards, in characters."""

BOARD_SIZES = (0, 3, 4, 5)
"""How many cards a board can have: none yet, flop, turn, river."""

# Written out instead of `upper()`, which would also accept letters of other alphabets.
_RANK_OF = {
    letter: rank for letters in (RANKS, RANKS.lower()) for rank, letter in enumerate(letters)
} | {"10": RANKS.index("T")}
SUIT_OF = {
    letter: suit
    for letters in (SUITS, SUITS.upper(), "♣♦♥♠", "♧♢♡♤")
    for suit, letter in enumerate(letters)
}
"""The suit of every letter and sign that stands for one."""

_RANK = re.compile("|".join(_RANK_OF))
_SUIT = re.compile("|".join(SUIT_OF))


def read_rank(cursor: Cursor, expected: str = f"a rank ({RANKS_IN_WORDS})") -> int:
    """Read a rank; ``10`` is a way to write ``T``."""
    return _RANK_OF[cursor.expect(_RANK, expected)]


def read_suit(cursor: Cursor) -> int:
    """Read a suit."""
    return SUIT_OF[cursor.expect(_SUIT, f"a suit ({SUITS_IN_WORDS})")]


def parse_cards(text: str) -> tuple[int, ...]:
    """Read cards, all different: a rank and a suit each, with or without spaces or commas between.

    Small and capital letters are the same, ``10`` is ``T``, and suits may be drawn (``A♠``).

    >>> parse_cards("AsKd"), parse_cards("as, 10h 2c")
    ((51, 45), (51, 34, 0))
    >>> parse_cards("AsKx")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the cards 'AsKx' at character 4: expected a suit \
(c, d, h or s), found 'x'
    >>> parse_cards("AsKdAs")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the cards 'AsKdAs' at character 5: As is there twice
    """
    cursor = Cursor(text, "cards", longest=MAX_LENGTH)
    cards: list[int] = []
    cursor.skip_blanks()
    while not cursor.is_at_end:
        begin = cursor.at
        card = 4 * read_rank(cursor) + read_suit(cursor)
        if card in cards:
            raise cursor.error(f"{format_cards([card])} is there twice", begin)
        cards.append(card)
        cursor.skip_blanks()
        if cursor.take(","):
            cursor.skip_blanks()
    return tuple(cards)


def cards_of(cards: str | Iterable[int]) -> tuple[int, ...]:
    """Cards given as text or as numbers, checked.

    >>> cards_of("AsKd"), cards_of([51, 45])
    ((51, 45), (51, 45))
    >>> cards_of([51, 52])
    Traceback (most recent call last):
    infoset.errors.BadInputError: 52 is not a card; cards are whole numbers from 0 (2c) to 51 (As)
    """
    if isinstance(cards, str):
        return parse_cards(cards)
    numbers: list[int] = []
    try:
        given = list(cards)
    except TypeError:
        raise BadInputError(f"expected cards such as 'AsKd', got {type(cards).__name__}") from None
    for card in given:
        number = _number_of(card)
        if not 0 <= number < NUM_CARDS:
            raise BadInputError(
                f"{card} is not a card; cards are whole numbers from 0 (2c) to 51 (As)"
            )
        if number in numbers:
            raise BadInputError(f"the card {format_cards([number])} is given twice")
        numbers.append(number)
    return tuple(numbers)


def _number_of(card: object) -> int:
    """A whole number of any type; -1 for what is none."""
    try:
        return operator.index(card)  # type: ignore[arg-type]
    except TypeError:
        return -1


def board_of(board: str | Iterable[int]) -> tuple[int, ...]:
    """A board given as text or as numbers: no card yet, or three, four or five.

    >>> format_cards(board_of("Ks 9h 7d"))
    'Ks9h7d'
    >>> board_of("Ks9h")
    Traceback (most recent call last):
    infoset.errors.BadInputError: the board Ks9h has 2 cards; a board has none, 3 (flop), 4 (turn) \
or 5 (river)
    """
    cards = cards_of(board)
    if len(cards) not in BOARD_SIZES:
        number = "1 card" if len(cards) == 1 else f"{len(cards)} cards"
        raise BadInputError(
            f"the board {format_cards(cards)} has {number}; "
            "a board has none, 3 (flop), 4 (turn) or 5 (river)"
        )
    return cards


def format_cards(cards: Iterable[int]) -> str:
    """Write cards so that `parse_cards` reads them back.

    >>> format_cards([51, 45, 0])
    'AsKd2c'
    """
    return "".join(RANKS[card // 4] + SUITS[card % 4] for card in cards)


def mask_of(cards: Iterable[int]) -> int:
    """Cards as bits of one number.

    >>> mask_of([0, 3])
    9
    """
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask
