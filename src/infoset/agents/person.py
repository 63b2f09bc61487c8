"""A person: asked at the keyboard, on a page or in a test, in words that people type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from infoset.agents.agent import Agent, Answer, Seen
from infoset.errors import BadInputError, shorten

MOST_LISTED = 20
"""Actions up to which each has a number; of more, sizes are told from the least to the most."""

_SIZED = re.compile(r"(.*?)\s*([0-9]+(?:\.[0-9]+)?)")
_DIGITS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9]),(?=[0-9])")


class Person(Agent):
    """Somebody who decides; asked again as long as he says what is no action.

    ``ask`` gets what he sees, shows it and returns what he types; it ends the game by raising an
    exception of its own. ``tell`` gets the sentence that says why something is no action.

    >>> from infoset.games import make
    >>> typed = iter(["raise", "b"])
    >>> person = Person(ask=lambda seen: next(typed), tell=print)
    >>> person.act(Seen(make("kuhn").root().child("K").child("J")))
    'raise' is no action here: there are check and bet
    'bet'
    """

    def __init__(self, ask: Callable[[Seen], str], tell: Callable[[str], None]) -> None:
        self.ask = ask
        self.tell = tell

    def act(self, seen: Seen) -> Answer:
        """What he decides."""
        menu = Menu(seen.actions)
        while True:
            try:
                return menu.find(self.ask(seen))
            except BadInputError as error:
                self.tell(str(error))


class Sizes(NamedTuple):
    """Actions that differ in their size only, too many to be listed."""

    first: str
    last: str
    number: int


class Menu:
    """The actions of a decision as a person is shown them, and what he may type for each.

    An action is typed as it is called, or as a beginning of that, or as its number. ``bet 100`` is
    also ``b 100`` or, if nothing else has that size, ``100``.

    >>> menu = Menu(["check", "bet 50", "bet 100", "all-in 900"])
    >>> menu.text
    '1 check   2 bet 50   3 bet 100   4 all-in 900'
    >>> [menu.find(typed) for typed in ("c", "2", "b 100", "b100", "100", "All")]
    ['check', 'bet 50', 'bet 100', 'bet 100', 'bet 100', 'all-in 900']
    >>> menu.find("bet")
    Traceback (most recent call last):
    infoset.errors.BadInputError: 'bet' may be bet 50 or bet 100: say which
    >>> Menu(["fold", "call", *(f"raise{total}" for total in range(200, 20_001))]).text
    'fold   call   raise200 to raise20000'
    """

    def __init__(self, actions: Sequence[str]) -> None:
        self.actions = actions
        self._squeezed: dict[str, str] = {}
        for action in actions:
            self._squeezed.setdefault(_squeezed(action), action)
        self.is_numbered = len(actions) <= MOST_LISTED and not any(
            _DIGITS.fullmatch(action) for action in actions
        )
        """Whether a number stands for an action by its place."""

    @property
    def entries(self) -> list[str | Sizes]:
        """All actions, those that differ in size only together if there are many."""
        if len(self.actions) <= MOST_LISTED:
            return list(self.actions)
        out: list[str | Sizes] = []
        for word, group in groupby(self.actions, lambda action: _split(action)[0]):
            alike = list(group)
            if len(alike) > 2 and word is not None:
                out.append(Sizes(alike[0], alike[-1], len(alike)))
            else:
                out += alike
        return out

    @property
    def text(self) -> str:
        """All of it on a line."""
        return "   ".join(self.parts)

    @property
    def parts(self) -> list[str]:
        """Each entry as it is shown."""
        if self.is_numbered:
            return [f"{place} {action}" for place, action in enumerate(self.actions, 1)]
        return [
            f"{entry.first} to {entry.last}" if isinstance(entry, Sizes) else entry
            for entry in self.entries
        ]

    def find(self, typed: str) -> str:
        """The one action that was meant."""
        word = _squeezed(typed)
        if not word:
            raise BadInputError(f"say what to do: {self._possible}")
        if word in self._squeezed:
            return self._squeezed[word]
        if self.is_numbered and word.isascii() and word.isdecimal():
            place = int(word[:9])
            if 1 <= place <= len(self.actions):
                return self.actions[place - 1]
        meant = [*dict.fromkeys(self._meant(word))]
        if len(meant) == 1:
            return meant[0]
        shown = shorten(typed.strip(), 30)
        if not meant:
            raise BadInputError(f"{shown} is no action here: there are {self._possible}")
        few = meant if len(meant) <= 4 else [*meant[:2], "...", meant[-1]]
        raise BadInputError(f"{shown} may be {_listed(few, 'or')}: say which")

    def _meant(self, word: str) -> Iterator[str]:
        """The actions that a word may stand for: its size alone, or a beginning and a size."""
        sized = _SIZED.fullmatch(word)
        for squeezed, action in self._squeezed.items():
            if sized is None:
                if squeezed.startswith(word):
                    yield action
                continue
            begin, size = sized.groups()
            its_word, its_size = _split(squeezed)
            if its_size == size and its_word is not None and its_word.startswith(begin):
                yield action

    @property
    def _possible(self) -> str:
        parts = [
            f"{entry.first} to {entry.last}" if isinstance(entry, Sizes) else entry
            for entry in self.entries
        ]
        return _listed(parts, "and")


def _squeezed(text: str) -> str:
    """A text without what makes no difference: capitals, blanks, commas in numbers."""
    return _BETWEEN_DIGITS.sub("", "".join(text.casefold().split()))


def _split(action: str) -> tuple[str | None, str]:
    """The word and the size of an action; no word if there is no size."""
    sized = _SIZED.fullmatch(action)
    return (sized[1], sized[2]) if sized is not None and sized[1] else (None, "")


def _listed(parts: Sequence[str], last: str) -> str:
    """Words as a sentence lists them: ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
