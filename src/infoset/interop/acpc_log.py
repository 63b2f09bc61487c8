"""Logs of ACPC matches: a comment that says what was played, a line a hand, and the score.

The dealer of the competition writes them, and so does `infoset.agents.AcpcDealer`, by `LogWriter`::

    # name/game/hands/seed match1 holdem.limit.2p.reverse_blinds.game 1000 7
    #--t_response 600000
    #--t_hand 600000
    #--t_per_hand 7000
    STATE:0:cc/crc/cc/cc:5d5c|9hQd/8dAs8s/4h/6d:20|-20:p1|p2
    SCORE:20|-20:p1|p2

Game files of the competition are read as the games they define; any other game is written by its
name here, as in ``holdem(stack=1000)``. A match that did not end has no score.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import IO, NamedTuple

from infoset.errors import BadInputError, FileFormatError, StorageError, shorten
from infoset.games import make, name_of
from infoset.games.holdem import HoldemGame
from infoset.interop.acpc import (
    LoggedHand,
    Score,
    format_log_line,
    format_score,
    read_log_line,
)
from infoset.machine.storage import check_writable, read_text

MAX_BYTES = 1 << 30
"""Largest log that is read: about five million hands."""

GAME_FILES = {
    "holdem": "holdem.nolimit.2p.reverse_blinds.game",
    "holdem(betting=limit)": "holdem.limit.2p.reverse_blinds.game",
}
"""By our name for it: the file in which the competition defines the game."""

_START = "# name/game/hands/seed "


class Header(NamedTuple):
    """What the first line of a log says."""

    name: str
    """What the match is called."""
    game: str
    """Our name of the game."""
    hands: int
    """How many were to be played."""
    seed: int

    def __str__(self) -> str:
        file = GAME_FILES.get(self.game, self.game)
        return f"{_START}{self.name} {file} {self.hands} {self.seed}"


class AcpcLog(NamedTuple):
    """A match, as its log has it."""

    header: Header | None
    game: HoldemGame
    hands: list[LoggedHand]
    score: Score | None
    """`None` if the match did not end."""


class LogWriter:
    """Writes a log, line by line: what was written is in the file, whatever happens next.

    A file that is there is never written over. The new one is made when its first line is written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._shown = f"'{os.fspath(path)}'"
        self._path = path
        self._file: IO[str] | None = None
        if os.path.lexists(path):
            raise self._exists()
        check_writable(path)

    def _exists(self) -> BadInputError:
        return BadInputError(f"the log {self._shown} exists; give another name, or remove it")

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError as failure:
            # Closing tries once more to write the line that failed, and that error came first.
            if error is None:
                raise self._failed(failure) from failure

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(f"cannot write {self._shown}: {error.strerror}")

    def write(self, line: str) -> None:
        """Write a line as it is."""
        try:
            if self._file is None:
                self._file = open(self._path, "x", encoding="utf-8", newline="\n")  # noqa: SIM115
            self._file.write(line.replace("\n", " ") + "\n")
            self._file.flush()
        except FileExistsError:
            raise self._exists() from None
        except OSError as error:
            raise self._failed(error) from error

    def begin(self, header: Header, *, response: float, hand: float, mean: float) -> None:
        """Write what is played, and the limits of time in seconds."""
        self.write(str(header))
        for name, seconds in (("response", response), ("hand", hand), ("per_hand", mean)):
            self.write(f"#--t_{name} {round(1000 * seconds)}")

    def hand(self, logged: LoggedHand) -> None:
        """Write a hand that is over."""
        self.write(format_log_line(logged))

    def comment(self, text: str) -> None:
        """Write a remark."""
        self.write(f"# {text}")

    def score(self, score: Score) -> None:
        """Write the end of a match that was played to its last hand."""
        self.write(format_score(score))


def read_header(line: str) -> Header | None:
    """The match that a comment describes; `None` for other comments.

    >>> read_header("# name/game/hands/seed m holdem.limit.2p.reverse_blinds.game 1000 7")
    Header(name='m', game='holdem(betting=limit)', hands=1000, seed=7)
    """
    words = line.removeprefix(_START).split()
    numbers = [word for word in words[2:] if word.isascii() and word.isdigit() and len(word) < 20]
    if not line.startswith(_START) or len(words) != 4 or len(numbers) != 2:
        return None
    name, file = words[:2]
    ours = {theirs: game for game, theirs in GAME_FILES.items()}
    return Header(name, ours.get(os.path.basename(file), file), int(numbers[0]), int(numbers[1]))


def read_log(path: str | os.PathLike[str], game: HoldemGame | None = None) -> AcpcLog:
    """Read a log, and check every hand by the rules; by default of the game that it names."""
    shown = f"'{os.fspath(path)}'"
    text = read_text(path, max_bytes=MAX_BYTES)
    header: Header | None = None
    hands: list[LoggedHand] = []
    score: Score | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            header = header or read_header(line)
            if not line.strip() or line[0] in "#;":
                continue
            if game is None:
                game = _game_of(header)
            if score is not None:
                raise BadInputError("nothing can follow the score")
            read = read_log_line(line, game)
        except BadInputError as error:
            # What was being written when the power went has no line break after it.
            cut = "the line is truncated: " if number == 1 + text.count("\n") else ""
            raise FileFormatError(f"{shown}, line {number}: {cut}{error}") from error
        if isinstance(read, LoggedHand):
            hands.append(read)
        elif isinstance(read, Score):
            score = read
    if game is None:
        if header is None:
            raise FileFormatError(f"{shown} is no log of an ACPC match: there is no hand in it")
        game = _game_of(header)
    if score is not None:
        _check_score(score, hands, shown)
    return AcpcLog(header, game, hands, score)


def _game_of(header: Header | None) -> HoldemGame:
    if header is None:
        raise BadInputError("no comment before this says which game was played; give the game")
    game = make(header.game)
    if not isinstance(game, HoldemGame):
        raise BadInputError(f"{name_of(game)} is no game of hold'em")
    return game


def _check_score(score: Score, hands: list[LoggedHand], shown: str) -> None:
    """Check that the score is the sum of the hands; those who play themselves cannot be told."""
    if score.names[0] == score.names[1]:
        return
    totals = dict.fromkeys(score.names, 0)
    for hand in hands:
        for name, won in zip(hand.names, (hand.payoff, -hand.payoff), strict=True):
            if name not in totals:
                raise FileFormatError(
                    f"{shown}: {shorten(name)} played hand {hand.number}, but the score is that of "
                    f"{' and '.join(map(shorten, score.names))}"
                )
            totals[name] += won
    for name, total in zip(score.names, score.totals, strict=True):
        if totals[name] != total:
            raise FileFormatError(
                f"{shown}: the hands sum to {totals[name]} for {shorten(name)}, but the score "
                f"says {total:g}"
            )
