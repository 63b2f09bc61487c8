"""Matches: two agents, many hands, seats swapped after every hand, and what A wins."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from infoset.agents.compiled_match import CompiledMatch, compiled_match
from infoset.agents.match_log import (
    LogHeader,
    LogReader,
    LogWriter,
    Record,
    hand_text,
    new_log,
    resumed_log,
)
from infoset.agents.match_result import (
    ROUNDING,
    MatchProgress,
    MatchResult,
    Tallies,
    Tally,
    big_blind_of,
)
from infoset.agents.referee import (
    AgentLike,
    CorrectionLike,
    MatchPlan,
    Referee,
    title_of,
    won_by_a,
)
from infoset.agents.replay import check_hand
from infoset.agents.workers import play_in_order
from infoset.errors import AgentError, BadInputError
from infoset.games import Game, name_of
from infoset.machine.interrupts import Interrupt, deferred_interrupt
from infoset.machine.threads import num_threads

MOST_HANDS = 10**12
SHOWN = 0.1
"""Seconds between two reports of progress."""

Watch = Callable[[MatchProgress], None]


def play_match(
    game: Game,
    a: AgentLike,
    b: AgentLike,
    *,
    hands: int,
    seed: int = 0,
    duplicate: bool = False,
    aivat: CorrectionLike | None = None,
    threads: int | None = None,
    log: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    progress: Watch | None = None,
    names: tuple[str, str] | None = None,
    compiled: bool | None = None,
) -> MatchResult:
    """Play hands between A and B and say what A wins per hand, with a 95 % interval.

    In hand ``i`` A sits in seat ``i % 2``. With ``duplicate``, hands ``2k`` and ``2k + 1`` have the
    same cards, so each player gets what the other had; the pair is then what statistics count.
    ``aivat`` is an object with ``value(hand, seat)``, what A won corrected for luck; the plain
    figures stand beside it.

    A hand depends on its number and the seed alone. So the result is the same whatever ``threads``
    is (all processors, by default). Agents that are objects play in this process; to use several,
    give a class or a function that makes each, which other processes can import.

    Two agents that play strategies from tables of one compiled game play on that (see
    `infoset.agents.compiled_match`): millions of hands a second, but other hands than by the rules
    for the same seed. ``compiled`` insists on it, or on the rules.

    ``log`` is a new file for every hand. ``resume`` is the log of the same match to go on with, as
    if it had never stopped. On Ctrl-C the result is that of the hands played so far, with
    ``stopped_by`` "interrupt".

    >>> from infoset.agents import Passive, Uniform
    >>> from infoset.games import make
    >>> result = play_match(make("leduc"), Uniform(), Passive(), hands=400, seed=1)
    >>> result.low < 0 < result.high, result.hands
    (True, 400)
    """
    hands = _whole("hands", hands, 1, MOST_HANDS)
    seed = _whole("seed", seed, 0, (1 << 63) - 1)
    threads = num_threads(threads)
    if duplicate and hands % 2:
        raise BadInputError(
            f"a duplicate match is played in pairs of hands, so {hands:,} cannot be: play "
            f"{hands + 1:,}"
        )
    if log is not None and resume is not None and not _is_same(log, resume):
        raise BadInputError("a match that is resumed goes on in its own log: give no other one")
    plan = MatchPlan(game, a, b, aivat, seed, duplicate)
    referee = plan.referee()
    tables = None if compiled is False else compiled_match(game, referee)
    if compiled and tables is None:
        raise AgentError(
            "only strategies of one game in sequence form, for the whole game, can play on the "
            "compiled game"
        )
    correction = referee.correction
    header = LogHeader(
        game=name_of(game),
        agents=names or (title_of(referee.agents[0]), title_of(referee.agents[1])),
        seed=seed,
        duplicate=duplicate,
        aivat=None if correction is None else title_of(correction),
        is_compiled=tables is not None,
    )
    with deferred_interrupt() as interrupt, _opened(log, resume, header) as files:
        match = _Match(header, hands, interrupt, progress, files)
        if tables is None:
            match.play_by_rules(plan, referee, threads)
        else:
            match.play_compiled(tables, threads)
        return match.result(big_blind_of(game))


@dataclass
class _Files:
    """The log of a match, if there is one, and the hands in it when it is resumed."""

    writer: LogWriter | None = None
    records: Iterator[Record] = field(default_factory=lambda: iter(()))
    reader: LogReader | None = None


@contextlib.contextmanager
def _opened(
    log: str | os.PathLike[str] | None,
    resume: str | os.PathLike[str] | None,
    header: LogHeader,
) -> Iterator[_Files]:
    if resume is not None:
        with resumed_log(resume, header) as (writer, records, reader):
            yield _Files(writer, records, reader)
    elif log is not None:
        with new_log(log, header) as writer:
            yield _Files(writer)
    else:
        yield _Files()


@dataclass
class _Match:
    """A match that is being played."""

    header: LogHeader
    wanted: int
    interrupt: Interrupt
    watch: Watch | None
    files: _Files
    begin: float = field(default_factory=time.monotonic)
    due: float = 0.0
    resumed: int = 0
    """Hands that were in the log."""

    def __post_init__(self) -> None:
        has_aivat = self.header.aivat is not None
        self.tallies = Tallies(
            self.header.duplicate, corrected=Tally(ROUNDING) if has_aivat else None
        )

    def play_by_rules(self, plan: MatchPlan, referee: Referee, threads: int) -> None:
        """Check what was played before, then play the rest."""
        record = None
        for record in self._records():
            self._check(record, lambda r: check_hand(plan.game, self.header, r))
            self.tallies.add(won_by_a(record.hand, record.number), record.corrected)
            self.resumed += 1
            self._show()
        if record is not None and referee.correction is not None:
            self._check(record, lambda r: _check_correction(referee, r))
        begin = self.resumed
        hands = play_in_order(plan, referee, (begin, self.wanted), threads, self.interrupt)
        with contextlib.closing(hands):
            for number, (hand, corrected) in enumerate(hands, begin):
                if self.files.writer is not None:
                    self.files.writer.write(number, hand_text(hand, corrected))
                self.tallies.add(won_by_a(hand, number), corrected)
                self._show()

    def play_compiled(self, tables: CompiledMatch, threads: int) -> None:
        """Play all hands, and compare those that were played before with what is in the log."""
        records = self._records()
        chunks = tables.chunks(self.wanted, threads)
        with contextlib.closing(chunks):
            for chunk in chunks:
                if self.files.writer is not None:
                    lines = tables.lines(chunk)
                    there = self._compare(tables, records, lines)
                    if there < len(lines):
                        self.files.writer.write_lines(b"".join(lines[there:]))
                self.tallies.won.add_many(chunk.won)
                if self.tallies.corrected is not None:
                    assert chunk.corrected is not None
                    self.tallies.corrected.add_many(chunk.corrected)
                self._show()
                if self.interrupt.requested:
                    return
        next(records, None)  # which refuses a log of more hands than were asked for

    def _compare(self, tables: CompiledMatch, records: Iterator[Record], lines: list[bytes]) -> int:
        """How many of these hands are in the log; refuses those that are not as there."""
        for there, line in enumerate(lines):
            record = next(records, None)
            if record is None:
                return there
            self._check(record, lambda r, line=line: tables.check(r, line))  # type: ignore[misc]
            self.resumed += 1
        return len(lines)

    def result(self, big_blind: int | None) -> MatchResult:
        """What came out so far."""
        played = self.tallies.won.hands
        self._show(now=True)
        return MatchResult(
            game=self.header.game,
            agents=self.header.agents,
            hands=played,
            wanted=self.wanted,
            seed=self.header.seed,
            figures=self.tallies.figures,
            big_blind=big_blind,
            is_compiled=self.header.is_compiled,
            seconds=time.monotonic() - self.begin,
            stopped_by="hands" if played == self.wanted else "interrupt",
        )

    def _records(self) -> Iterator[Record]:
        """The hands that were played before."""
        for record in self.files.records:
            if self.interrupt.requested:
                raise KeyboardInterrupt
            if record.number >= self.wanted:
                raise BadInputError(
                    f"the log holds more than the {self.wanted:,} hands that are asked for: ask "
                    "for more, or replay it"
                )
            yield record

    def _check(self, record: Record, check: Callable[[Record], None]) -> None:
        try:
            check(record)
        except BadInputError as error:
            assert self.files.reader is not None
            raise self.files.reader.wrong(record.line, str(error)) from None

    def _show(self, *, now: bool = False) -> None:
        seconds = time.monotonic() - self.begin
        if self.watch is None or (seconds < self.due and not now):
            return
        self.due = seconds + SHOWN
        played = self.tallies.won.hands
        self.watch(
            MatchProgress(played, self.wanted, seconds, played - self.resumed, self.tallies.figures)
        )


def _check_correction(referee: Referee, record: Record) -> None:
    """The last value in a log must be what the correction says now, or both would be mixed."""
    assert referee.correction is not None
    assert record.corrected is not None
    now = float(referee.correction.value(record.hand, record.number % 2))
    if abs(now - record.corrected) > 1e-9 * max(1.0, abs(now)):
        raise BadInputError(
            f"aivat is {record.corrected:.9g} in the log, but {now:.9g} with the agents and the "
            "heuristic of this match"
        )


def _whole(name: str, given: object, least: int, most: int) -> int:
    is_whole = isinstance(given, int) and not isinstance(given, bool)
    if isinstance(given, int) and is_whole and least <= given <= most:
        return given
    told = repr(given)[:40]
    raise BadInputError(f"{name} must be a whole number from {least} to {most:,}, not {told}")


def _is_same(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
