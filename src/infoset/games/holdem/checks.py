"""Values of settings, checked: a function returns the value or says what is wrong with it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from fractions import Fraction

from infoset.errors import BadInputError, nearest, shorten

MAX_CHIPS = 1_000_000_000
"""Most chips of a size, a pot or a stack."""


def check_number(what: str, given: object) -> Fraction:
    """A finite number of any type."""
    if isinstance(given, numbers.Rational) and not isinstance(given, bool):
        return Fraction(int(given.numerator), int(given.denominator))
    if isinstance(given, numbers.Real) and not isinstance(given, bool) and math.isfinite(given):
        return Fraction(float(given))
    raise BadInputError(f"{what} must be a number, not {shown(given)}")


def check_chips(what: str, given: object, *, can_be_zero: bool = False) -> int:
    """A pot, a stack or a blind: whole chips.

    >>> check_chips("pot", 6.5)
    Traceback (most recent call last):
    infoset.errors.BadInputError: the pot must be whole chips, not 6.5; count in smaller units \
(650 instead of 6.5)
    """
    number = check_number(what, given)
    if number < 0 or (number == 0 and not can_be_zero):
        least = "at least zero" if can_be_zero else "above zero"
        raise BadInputError(f"the {what} must be {least}, not {shown(given)}")
    if number > MAX_CHIPS:
        raise BadInputError(
            f"the {what} of {shown(given)} is huge; at most {MAX_CHIPS:,} chips are possible"
        )
    if number.denominator != 1:
        raise BadInputError(
            f"the {what} must be whole chips, not {shown(given)}; count in smaller units "
            "(650 instead of 6.5)"
        )
    return int(number)


def check_line(what: str, owner: str, given: object, longest: int) -> str:
    """One line of text."""
    if not isinstance(given, str):
        raise BadInputError(f"the {what} of {owner} must be text, not {kind_of(given)}")
    if len(given) > longest or not given.isprintable():
        raise BadInputError(
            f"the {what} {shorten(given)} of {owner} must be one line of at most {longest:,} "
            "characters"
        )
    return given


def unknown_key(problem: str, key: object, known: Iterable[str]) -> BadInputError:
    """The error about a key that is not known, with the one that was probably meant."""
    name = key if isinstance(key, str) else repr(key)
    return BadInputError(f"{problem} {shorten(name)}{nearest(name, known)}")


def shown(given: object) -> str:
    """A value as it would be typed, or its beginning if it is very long."""
    if isinstance(given, str):
        return shorten(given)
    try:
        text = str(given)
    except ValueError:  # Python refuses to write integers of more than 4,300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 30 else f"{text[:27]}..."


def kind_of(given: object) -> str:
    """What was given instead, in words that fit a file as well as Python."""
    if given is None:
        return "nothing"
    if isinstance(given, bool):
        return "true or false"
    if isinstance(given, int | float):
        return "a number"
    if isinstance(given, str):
        return f"the text {shorten(given)}"
    if isinstance(given, list | tuple):
        return "a list"
    return "a table" if isinstance(given, Mapping) else type(given).__name__
