"""A position in a text, for the parsers of small notations, with errors that name the place.

Calls (``dcfr(alpha=1.5)``), cards, ranges and bet sizes are all parsed with a `Cursor`.
"""

from __future__ import annotations

import re

from infoset.errors import BadInputError, shorten

_BLANKS = re.compile(r"\s*")


def check_text(text: object, what: str, *, longest: int, example: str = "") -> None:
    """Refuse what is no text, or more than `longest` characters of it.

    >>> check_text(5, "a range", longest=1000, example="write it as in 66+,A8s+")
    Traceback (most recent call last):
    infoset.errors.BadInputError: expected a range as text, got int; write it as in 66+,A8s+
    """
    if not isinstance(text, str):
        raise _error(f"expected {what} as text, got {type(text).__name__}", example)
    if len(text) > longest:
        raise BadInputError(
            f"cannot read {_the(what)} {shorten(text)}: the text has {len(text):,} characters, "
            f"at most {longest:,} are read"
        )


def _the(what: str) -> str:
    return f"the {what.removeprefix('a ').removeprefix('an ')}"


def _error(problem: str, example: str) -> BadInputError:
    return BadInputError(f"{problem}; {example}" if example else problem)


class Cursor:
    """A text, and `at`, how many of its characters have been read.

    `what` says in errors what the text is (``"a range"``, ``"cards"``), `example` how to write it.

    >>> cursor = Cursor("bet 100", "a path", longest=1000, example="write it as in bet 50")
    >>> cursor.take("bet"), cursor.skip_blanks(), cursor.take("to"), cursor.next
    ('bet', True, None, '1')
    >>> cursor.expect(re.compile("[0-9]+%"), "a percentage")
    Traceback (most recent call last):
    infoset.errors.BadInputError: cannot read the path 'bet 100' at character 5: expected a \
percentage, found '1'; write it as in bet 50
    """

    def __init__(self, text: str, what: str, *, longest: int, example: str = "") -> None:
        check_text(text, what, longest=longest, example=example)
        self.text = text
        self.at = 0
        self._what = what
        self._example = example

    @property
    def next(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    @property
    def is_at_end(self) -> bool:
        """Whether all has been read."""
        return self.at == len(self.text)

    def skip_blanks(self) -> bool:
        """Go past white space, and say whether there was any."""
        return bool(self.take(_BLANKS))

    def take(self, wanted: str | re.Pattern[str]) -> str | None:
        """Read what is wanted, a text or a pattern, if it comes next; else `None`."""
        if isinstance(wanted, str):
            taken = wanted if self.text.startswith(wanted, self.at) else None
        else:
            match = wanted.match(self.text, self.at)
            taken = match and match.group()
        self.at += len(taken or "")
        return taken

    def expect(self, wanted: str | re.Pattern[str], expected: str) -> str:
        """Read what is wanted, which must come next."""
        taken = self.take(wanted)
        if taken is None:
            raise self.expected(expected)
        return taken

    def expected(self, expected: str) -> BadInputError:
        """What should come next, and what comes instead."""
        found = "the end" if self.is_at_end else repr(self.next)
        return self.error(f"expected {expected}, found {found}")

    def error(self, problem: str, at: int | None = None) -> BadInputError:
        """What is wrong at the next character, or at an earlier one."""
        place = (self.at if at is None else at) + 1
        where = f"cannot read {_the(self._what)} {shorten(self.text)} at character {place}"
        return _error(f"{where}: {problem}", self._example)
