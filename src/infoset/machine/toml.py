"""Reading TOML from anybody: Python's reader, with what makes it slow or fall over refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

from infoset.errors import FileFormatError

MAX_DOTS = 100
"""Most dots in one line of TOML outside of quotes: Python's reader takes a minute for a dotted key
of 100 kB."""

_TEXT = re.compile(
    r"""
    \"{3} (?: \\. | [^"\\] | \"{1,2}(?!") )*+ (?:\"{3,5})?
    | '{3} (?: [^'] | '{1,2}(?!') )*+ (?:'{3,5})?
    | \" (?: \\[^\n] | [^"\\\n] )*+ \"?
    | ' [^'\n]*+ '?
    | \# [^\n]*+
    """,
    re.DOTALL | re.VERBOSE,
)
"""Strings of all four kinds and comments, in linear time. What is not closed goes on to where
Python's reader would give up."""


def parse_toml(
    text: str, shown: str, *, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """The tables of a TOML text; `shown` is what messages call it.

    >>> parse_toml("board = 'Ks'", "the text")
    {'board': 'Ks'}
    >>> parse_toml("board = Ks", "the text")
    Traceback (most recent call last):
    infoset.errors.FileFormatError: the text is not TOML: Invalid value (at line 1, column 9)
    """
    if any(line.count(".") > MAX_DOTS for line in _TEXT.sub("", text).splitlines()):
        raise FileFormatError(
            f"{shown} has a line with more than {MAX_DOTS} dots outside of quotes"
        )
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{shown} is not TOML: {error}") from None
    except (ValueError, RecursionError, OverflowError) as error:
        raise FileFormatError(f"{shown} is not TOML: {why_unread(error)}") from None


def why_unread(error: Exception) -> str:
    """Why Python's readers of TOML and JSON gave up, in words."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "a number has thousands of digits" if "int_max_str" in str(error) else str(error)
