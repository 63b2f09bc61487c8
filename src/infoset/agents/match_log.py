r"""The log of a match: a header, then every hand on a line of its own, as JSON.

::

    {"infoset_match": 1, "package": "0.1.0", "game": "kuhn", "agents": ["uniform", "call"],
     "seed": 0, "duplicate": false, "aivat": null, "is_compiled": false}
    {"hand": 0, "steps": ["K", "Q", "bet", "call"], "payoff": 2}

``steps`` are all deals, actions and cards from the root on, ``payoff`` is what player 0 won; A sat
in seat ``hand % 2``. With AIVAT, ``aivat`` is what A won, with luck corrected. A payoff that no
binary number is equal to is a text: ``"1/3"``.

A line is written as soon as its hand is over. A process that is killed leaves whole lines, and
maybe the beginning of one more, which is dropped when the match is resumed. Whatever else is wrong
with a log is refused, with the number of the line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from infoset.agents.hands import Hand
from infoset.errors import BadInputError, FileFormatError, StorageError, shorten
from infoset.games import Number
from infoset.machine.appending import GrowingFile, whole_lines
from infoset.machine.storage import failure_to, refuse_constant
from infoset.version import __version__

FORMAT = 1
"""Version of the logs written here; others are refused by name."""

LONGEST_LINE = 1 << 20
"""Bytes of a line."""
MOST_STEPS = 10_000
"""Steps of a hand."""

_FRACTION = re.compile(r"-?[0-9]{1,30}/[1-9][0-9]{0,29}", re.ASCII)


@dataclass(frozen=True)
class LogHeader:
    """What all hands of a log have in common."""

    game: str
    agents: tuple[str, str]
    seed: int
    duplicate: bool
    aivat: str | None
    """What corrects winnings, if anything does."""
    is_compiled: bool

    def line(self) -> bytes:
        """As the first line of a log."""
        top = {"infoset_match": FORMAT, "package": __version__, **asdict(self)}
        return json.dumps(top).encode() + b"\n"


class Record(NamedTuple):
    """A hand in a log."""

    line: int
    number: int
    hand: Hand
    corrected: float | None


def hand_text(hand: Hand, corrected: float | None) -> str:
    """All of a hand's line but its number."""
    content: dict[str, Any] = {"steps": hand.steps, "payoff": written(hand.payoff)}
    if corrected is not None:
        content["aivat"] = corrected
    return json.dumps(content, allow_nan=False)[1:-1]


def hand_line(number: int, text: str) -> bytes:
    """The line of a hand."""
    return f'{{"hand": {number}, {text}}}\n'.encode()


class LogReader:
    """Reads a log line by line; `header` first, then `records`."""

    def __init__(self, lines: Iterator[bytes], shown: str) -> None:
        self._lines = lines
        self._shown = shown
        first = next(lines, None)
        self.first_line = first
        """As it stands there; `None` if there is no whole line."""
        if first is None:
            return
        top = self._object(1, first)
        version = top.get("infoset_match")
        if version != FORMAT or isinstance(version, bool):
            if "infoset_match" not in top:
                raise self.wrong(1, "this is not the log of a match")
            raise self.wrong(
                1,
                f"the log has format {shorten(str(version))}, and this version of infoset reads "
                f"{FORMAT}; use the one that wrote it ({shorten(str(top.get('package')))})",
            )
        self.header = self._header(top)

    def records(self) -> Iterator[Record]:
        """Every hand, checked for form but not against the rules."""
        for number, line in enumerate(self._lines):
            yield self._record(number + 2, number, line)

    def wrong(self, line: int, what: str) -> FileFormatError:
        """The error that says what is wrong with a line."""
        return FileFormatError(f"'{self._shown}', line {line}: {what}")

    def _object(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise self.wrong(number, f"this is no JSON ({shorten(str(error), 80)})") from None
        if not isinstance(found, dict):
            raise self.wrong(number, "this is no JSON object")
        return found

    def _header(self, top: dict[str, Any]) -> LogHeader:
        names = {field.name for field in fields(LogHeader)}
        if top.keys() != {"infoset_match", "package", *names}:
            raise self.wrong(1, f"the header must have {', '.join(sorted(names))}, and no more")
        agents, seed, aivat = top["agents"], top["seed"], top["aivat"]
        is_good = (
            isinstance(top["game"], str)
            and (isinstance(agents, list) and len(agents) == 2)
            and all(isinstance(name, str) for name in agents)
            and (isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 1 << 63)
            and (aivat is None or isinstance(aivat, str))
            and isinstance(top["duplicate"], bool)
            and isinstance(top["is_compiled"], bool)
        )
        if not is_good:
            raise self.wrong(1, "something in the header is not of its kind")
        return LogHeader(
            top["game"],
            (agents[0], agents[1]),
            seed,
            top["duplicate"],
            aivat,
            top["is_compiled"],
        )

    def _record(self, line_number: int, number: int, line: bytes) -> Record:
        found = self._object(line_number, line)
        keys = {"hand", "steps", "payoff"}
        if self.header.aivat is not None:
            keys.add("aivat")
        if found.keys() != keys:
            raise self.wrong(line_number, f"a hand has {', '.join(sorted(keys))}, and no more")
        if found["hand"] != number or isinstance(found["hand"], bool):
            told = shorten(str(found["hand"]))
            raise self.wrong(line_number, f"this is hand {told}, but hand {number} comes next")
        steps = found["steps"]
        if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
            raise self.wrong(line_number, "steps are not a list of labels")
        if len(steps) > MOST_STEPS:
            raise self.wrong(line_number, f"there are more than {MOST_STEPS:,} steps")
        payoff = number_of(found["payoff"])
        corrected = number_of(found["aivat"]) if "aivat" in found else None
        if payoff is None or ("aivat" in found and corrected is None):
            raise self.wrong(line_number, "payoff and aivat are numbers of chips")
        hand = Hand(tuple(steps), payoff)
        return Record(line_number, number, hand, None if corrected is None else float(corrected))


@contextmanager
def read_log(path: str | os.PathLike[str]) -> Iterator[LogReader]:
    """Open a log to read, its header first."""
    try:
        file = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise BadInputError(str(failure_to("read", path, error))) from error
    with file:
        reader = LogReader(whole_lines(file, LONGEST_LINE, os.fspath(path)), os.fspath(path))
        if reader.first_line is None:
            raise FileFormatError(f"'{os.fspath(path)}' is not the log of a match: it has no line")
        yield reader


class LogWriter:
    """Appends hands to a log."""

    def __init__(self, file: GrowingFile, header: LogHeader | None) -> None:
        self._file = file
        # Written with the first hand: a match that could not begin leaves no log.
        self._header = b"" if header is None else header.line()

    def write(self, number: int, text: str) -> None:
        """Write one hand."""
        self.write_lines(hand_line(number, text))

    def write_lines(self, lines: bytes) -> None:
        """Write lines that are ready."""
        if len(lines) > LONGEST_LINE and lines.count(b"\n") == 1:
            raise StorageError(f"a hand is too long for the log: {len(lines):,} bytes")
        self._file.append(self._header + lines)
        self._header = b""


@contextmanager
def new_log(path: str | os.PathLike[str], header: LogHeader) -> Iterator[LogWriter]:
    """A log to write, where there is none yet."""
    with GrowingFile(path, new=True) as file:
        yield LogWriter(file, header)


@contextmanager
def resumed_log(
    path: str | os.PathLike[str], header: LogHeader
) -> Iterator[tuple[LogWriter, Iterator[Record], LogReader]]:
    """A log to go on with: its writer, and the hands in it, to be read to the end before that."""
    shown = os.fspath(path)
    with GrowingFile(path) as file:
        reader = LogReader(file.lines(LONGEST_LINE), shown)
        if reader.first_line is None:
            # Killed before its first line was whole, or no log at all.
            if not header.line().startswith(Path(path).read_bytes()):
                raise FileFormatError(f"'{shown}' is not the log of a match: it has no line")
            yield LogWriter(file, header), iter(()), reader
        else:
            check_header(reader, header)
            yield LogWriter(file, None), reader.records(), reader


def check_header(reader: LogReader, wanted: LogHeader) -> None:
    """Refuse to go on with the log of another match, and say what differs."""
    for field in fields(LogHeader):
        there, here = (getattr(header, field.name) for header in (reader.header, wanted))
        if there != here:
            raise reader.wrong(
                1,
                f"{field.name} of the log is {shorten(str(there))}, of this match "
                f"{shorten(str(here))}; a match is resumed as it was begun",
            )


def written(payoff: Number) -> int | float | str:
    """A payoff as JSON has it, exactly."""
    if isinstance(payoff, int):
        return int(payoff)
    if isinstance(payoff, Fraction):
        if payoff.denominator == 1:
            return int(payoff)
        is_exact = Fraction(float(payoff)) == payoff
        return float(payoff) if is_exact else f"{payoff.numerator}/{payoff.denominator}"
    return float(payoff)


def number_of(found: object) -> Number | None:
    """A payoff as it was written; `None` if it is none."""
    if isinstance(found, str) and _FRACTION.fullmatch(found):
        return Fraction(found)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    # Not `isfinite`, which fails on whole numbers that no float can hold.
    return found if abs(found) <= sys.float_info.max else None
