"""The words of Gambit's ``.efg`` files: tokens with their places, numbers, and labels.

Where the format leaves something open, this module follows what Gambit 16 and OpenSpiel 2 read. A
backslash escapes a double quote and nothing else. Labels are printable ASCII without outer or
double spaces (Gambit) and without escaped quotes (OpenSpiel). Other labels are written
percent-encoded, and the comment of the file says so; reading the file gives the same labels back.
"""

from __future__ import annotations

import decimal
import math
import re
import string
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from urllib.parse import quote, unquote

from infoset.errors import FileFormatError, GameError
from infoset.games import Number

ENCODED_COMMENT = "Written by infoset. Labels are percent-encoded."

SUM_TOLERANCE = 1e-9
LONGEST_NUMBER = 400
LARGEST_NUMBER = 10**300
SIMPLE_DENOMINATOR = 1_000_000

TEXT, WORD, OPEN, CLOSE, END = "a quoted text", "a word or number", "'{'", "'}'", "the end"

# Commas are white space, as they are to Gambit. Quantifiers are possessive, so that a missing
# quote costs one pass over the text and not one for each of its characters.
_BLANK = " \t\r\n,"
_TOKEN = re.compile(r'[\s,]*+(?:"((?:[^"\\]++|\\"?)*+)"|([^\s,{}"]++)|(\{)|(\})|(")|\Z)')
_KINDS = ("", TEXT, WORD, OPEN, CLOSE)

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")

_PLAIN = "".join(set(string.punctuation + " ") - set('"\\%'))  # besides letters and digits
_OUTER_SPACE = re.compile("^ | $")


@lru_cache(maxsize=4096)
def _exact(word: str) -> Fraction:
    """The number a word stands for; files repeat few of them very often."""
    return Fraction(word)


class Tokens:
    """The tokens of a text, one at a time.

    The current one has a `kind` (`TEXT`, `WORD`, `OPEN`, `CLOSE` or `END`), a `value` without
    quotes, and a place, from `begin` to `end`. The methods that take a token check it, return
    it, and go on.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.kind = END
        self.value = ""
        self.begin = 0
        self.end = 0
        self.advance()

    def advance(self) -> None:
        """Go on to the next token."""
        match = _TOKEN.match(self.text, self.end)
        assert match is not None  # white space, then any character or the end: one always fits
        group = match.lastindex
        self.end = match.end()
        if group is None:
            self.kind, self.value, self.begin = END, "", len(self.text)
            return
        self.begin = match.start(group)
        if group == 5:
            raise self.error("this text has no closing quote")
        self.kind = _KINDS[group]
        self.value = match[group]
        if group == 1:
            self.begin -= 1
            if "\\" in self.value:
                self.value = self.value.replace('\\"', '"')

    def take(self, kind: str, purpose: str) -> str:
        """Take a token of one kind."""
        value = self.take_if(kind)
        if value is None:
            raise self.expected(purpose)
        return value

    def take_if(self, kind: str) -> str | None:
        """Take a token of one kind, if the next one is."""
        if self.kind is not kind:
            return None
        value = self.value
        self.advance()
        return value

    def since(self, begin: int) -> str:
        """The tokens from a place up to the current one, as they are spelled."""
        return self.text[begin : self.begin].rstrip(_BLANK)

    def skip(self, same: str) -> bool:
        """Go past whole tokens, starting with the current one, if they read just so."""
        if not self.text.startswith(same, self.begin):
            return False
        self.end = self.begin + len(same)
        self.advance()
        return True

    def take_integer(self, purpose: str) -> int:
        """Take a whole number."""
        if self.kind is not WORD or not _INTEGER.fullmatch(self.value):
            raise self.expected(purpose)
        value = int(self.value)
        self.advance()
        return value

    def take_number(self, purpose: str) -> Fraction:
        """Take a whole, decimal or rational number, exactly as it is written."""
        word = self.value
        if self.kind is not WORD:
            raise self.expected(purpose)
        if len(word) > LONGEST_NUMBER:
            raise self.error(f"a number has at most {LONGEST_NUMBER} characters")
        if not (_DECIMAL.fullmatch(word) or _FRACTION.fullmatch(word)):
            raise self.expected(purpose)
        try:
            value = _exact(word)
        except ZeroDivisionError:
            raise self.error(f"'{word}' divides by zero") from None
        if abs(value) > LARGEST_NUMBER:
            raise self.error(f"'{word}' is too large for a payoff or a probability")
        self.advance()
        return value

    def line(self, begin: int) -> int:
        """The line a token stands on, counted from 1."""
        return self.text.count("\n", 0, begin) + 1

    def place(self, begin: int) -> str:
        """Where a token stands, as a person finds it."""
        column = begin - (self.text.rfind("\n", 0, begin) + 1) + 1
        return f"{self.name}, line {self.line(begin)}, column {column}"

    def error(self, message: str, begin: int | None = None) -> FileFormatError:
        """What is wrong at the current token, or at an earlier one."""
        place = self.place(self.begin if begin is None else begin)
        return FileFormatError(f"{place}: {message}.")

    def expected(self, purpose: str) -> FileFormatError:
        """The current token is not what should stand here."""
        if self.kind is END:
            return self.error(f"the file ends where {purpose} should stand")
        shown = self.value if len(self.value) <= 40 else f"{self.value[:40]}..."
        return self.error(f"expected {purpose}, found {shown!r}")


def encode_label(label: str) -> str:
    """Write a label with the characters that both Gambit and OpenSpiel can read.

    >>> encode_label("hand: 1 2 \\n")
    'hand: 1 2 %0A'
    >>> encode_label("")
    '%'
    """
    quoted = quote(label, safe=_PLAIN, errors="surrogatepass")
    return _OUTER_SPACE.sub("%20", quoted).replace("  ", " %20") or "%"


def decode_label(label: str) -> str:
    """Undo `encode_label`."""
    return "" if label == "%" else unquote(label, errors="surrogatepass")


def format_number(value: Number) -> str:
    """Write a number exactly: whole and rational ones as they are, floats as decimals.

    >>> format_number(Fraction(-3, 6)), format_number(2.0), format_number(1e-7)
    ('-1/2', '2', '0.0000001')
    """
    if isinstance(value, Rational):
        return str(Fraction(value))
    value = float(value)
    if not math.isfinite(value):
        raise GameError(f"The game has a payoff of {value}.")
    return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")


def format_probabilities(values: Sequence[Number]) -> list[str]:
    """Write probabilities so that they sum to one exactly, as Gambit demands.

    Rational ones are written as they are. Floats become simple fractions if that is what they
    were rounded from; otherwise decimals, the largest of which takes up what rounding left over.

    >>> format_probabilities([1 / 3, 2 / 3])
    ['1/3', '2/3']
    >>> format_probabilities([0.1234567, 0.8765433])
    ['0.1234567', '0.8765433']
    """
    if not all(value > 0 and math.isfinite(value) for value in values):
        raise GameError(f"Chance has outcomes whose probabilities are not positive: {values}.")
    exact = [Fraction(v if isinstance(v, Rational) else float(v)) for v in values]
    total = sum(exact, Fraction(0))
    if abs(total - 1) > SUM_TOLERANCE:
        raise GameError(f"The probabilities of a chance event sum to {float(total)}, not to one.")
    if total == 1 and all(isinstance(value, Rational) for value in values):
        return [str(value) for value in exact]
    simple = [value.limit_denominator(SIMPLE_DENOMINATOR) for value in exact]
    pairs = zip(simple, exact, strict=True)
    if sum(simple) == 1 and all(math.isclose(s, v, rel_tol=1e-14) for s, v in pairs):
        return [str(value) for value in simple]
    # The digits of the smallest float, 5e-324, and of its sum with 1.
    with decimal.localcontext(prec=1100):
        decimals = [Decimal(repr(float(v))) for v in values]
        largest = decimals.index(max(decimals))
        decimals[largest] += 1 - sum(decimals)
        return [format(d, "f") for d in decimals]
