"""What can go wrong, as types: every error of the library derives from `InfosetError`.

A message says what was wrong, where, and what to do about it. The command line prints it as it
is and exits with 2 for bad input (`BadInputError`), with 130 for Ctrl-C, with 1 for anything else.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InfosetError(Exception):
    """Anything the library refuses or fails to do."""


class BadInputError(InfosetError, ValueError):
    """A name, parameter or combination of options that makes no sense."""


class GameError(BadInputError):
    """Rules that are not a finite two-player zero-sum game with perfect recall."""


class AgentError(BadInputError):
    """An agent that cannot play a game, or answered with something that is no action of it."""


class TooLargeError(GameError):
    """A game that would not fit the limits given for it."""

    def __init__(
        self, message: str, *, num_histories: int | None = None, num_bytes: int | None = None
    ) -> None:
        super().__init__(message)
        self.num_histories = num_histories
        """How many histories it has at least, if they were counted."""
        self.num_bytes = num_bytes
        """The memory that it would take at least, if that was estimated."""


class FileFormatError(BadInputError):
    """A file that is not what it should be: truncated, altered, foreign, older or newer."""


class MissingExtraError(InfosetError, ImportError):
    """An optional dependency that is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'infoset[{extra}]'"
        )


class StorageError(InfosetError, OSError):
    """A file that could not be read or written: a full disk, a missing right, a bad path."""


MOST_NAMED = 40
"""Known words are listed up to this many; beyond, a list helps nobody."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, as the end of a sentence.

    >>> nearest("ledcu", ["kuhn", "leduc"])
    "; did you mean 'leduc'? Known: kuhn, leduc"
    >>> nearest("xyz", ["kuhn", "leduc"])
    '. Known: kuhn, leduc'
    """
    names = sorted(known)
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.55)
    meant = f"; did you mean '{folded[close[0]]}'?" if close else "."
    return f"{meant} Known: {', '.join(names)}" if len(names) <= MOST_NAMED else meant


def shorten(text: str, most: int = 60) -> str:
    """Quote a text for a message, its middle left out if it is long.

    >>> shorten("abcdefghij", most=7)
    "'ab...ij'"
    """
    if len(text) > most:
        keep = (most - 3) // 2
        text = f"{text[:keep]}...{text[-keep:]}"
    return repr(text)
