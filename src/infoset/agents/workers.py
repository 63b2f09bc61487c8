"""Hands of a match on all cores, by processes; the order in which they come out is that of hands.

Workers are new processes, not copies of this one: a copy made while threads run may wait forever
for a lock that one of them held. They get the plan of the match and make their own agents. A worker
that vanishes costs nothing but time: its hands are played again by the others, or here.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from infoset.agents.hands import Hand
from infoset.agents.referee import MatchPlan, Played, Referee
from infoset.errors import AgentError, BadInputError
from infoset.machine.interrupts import Interrupt
from infoset.machine.memory import SHARE, available_bytes, resident_bytes

PATIENCE = 2.0
"""Seconds of playing here before others are started: they take about one to be ready."""
WORTHWHILE = 4.0
"""Seconds of hands left from which others are started."""
CHUNK_SECONDS = 0.25
"""How long a worker plays before it reports."""
LARGEST_CHUNK = 4096
AHEAD = 8
"""Chunks a worker that may be done before those in front of them are."""

Span = tuple[int, int]
"""Numbers of hands: begin and end."""


def play_in_order(
    plan: MatchPlan, referee: Referee, span: Span, threads: int, interrupt: Interrupt
) -> Generator[Played]:
    """Play hands one after the other, here and, if it takes long, in other processes.

    It ends early if Ctrl-C was pressed.
    """
    number, end = span
    begin, started = number, time.monotonic()
    threads = threads if plan.makes_all else 1
    while number < end and not interrupt.requested:
        taken = time.monotonic() - started
        if threads > 1 and number > begin and taken > PATIENCE:
            each = taken / (number - begin)
            if each * (end - number) < WORTHWHILE:
                threads = 1
                continue
            size = min(max(1, int(CHUNK_SECONDS / each)), LARGEST_CHUNK)
            for played in _play_elsewhere(plan, (number, end), size, threads, interrupt):
                yield played
                number += 1
            threads = 1  # what is left, if anything, is played here
            continue
        yield referee.play(number)
        number += 1


def workers_that_fit(threads: int) -> int:
    """How many workers there is memory for, if each takes as much as this process has."""
    free, own = available_bytes(), resident_bytes()
    return threads if free is None or not own else min(threads, int(SHARE * free / own))


def _play_elsewhere(
    plan: MatchPlan, span: Span, size: int, threads: int, interrupt: Interrupt
) -> Iterator[Played]:
    first, end = span
    threads = min(workers_that_fit(threads), -(-(end - first) // size))
    if threads < 2:
        return
    crew = _Crew(plan, span, size)
    try:
        if not crew.start(threads):
            return
        for number in range(first, end, size):
            while number not in crew.done:
                if interrupt.requested or not crew.work_on(number):
                    return
            played, failure = crew.done.pop(number)
            yield from played
            if failure is not None:
                raise failure
    finally:
        crew.stop()


Report = tuple[list[Played], Exception | None]
"""The hands of a chunk; those before a failure, and the failure."""


@dataclass
class _Worker:
    pipe: Connection
    chunks: list[Span] = field(default_factory=list)
    """What it was asked for and has not answered."""


@dataclass
class _Crew:
    """The workers, what they are at, and what they have done."""

    plan: MatchPlan
    span: Span
    size: int
    done: dict[int, Report] = field(default_factory=dict)
    workers: list[_Worker] = field(default_factory=list)
    again: list[Span] = field(default_factory=list)
    """Chunks of workers that vanished."""
    processes: list[BaseProcess] = field(default_factory=list)
    """All that were started."""

    def start(self, threads: int) -> bool:
        """Start workers; `False` if the plan cannot be sent to other processes."""
        self._next = self.span[0]
        context = multiprocessing.get_context("spawn")
        with _no_interrupts():
            for _ in range(threads):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, self.plan), daemon=True)
                try:
                    process.start()
                except OSError:  # the system has no more processes
                    ours.close()
                    break
                except RuntimeError:  # a script that starts again in its own workers
                    raise
                except Exception:  # whatever an object raises that cannot be sent
                    ours.close()
                    return False
                finally:
                    theirs.close()
                self.processes.append(process)
                self.workers.append(_Worker(ours))
        return bool(self.workers)

    def work_on(self, wanted: int) -> bool:
        """Give work to who has none and wait a moment for reports; `False` if all have vanished."""
        horizon = wanted + AHEAD * len(self.workers) * self.size
        for worker in list(self.workers):
            while len(worker.chunks) < 2 and (chunk := self._chunk(horizon)) is not None:
                worker.chunks.append(chunk)
                if not self._safely(worker, lambda w=worker, c=chunk: w.pipe.send(c)):
                    break
        by_pipe = {worker.pipe: worker for worker in self.workers}
        for pipe in wait(list(by_pipe), timeout=0.1):
            worker = by_pipe[pipe]  # type: ignore[index]
            self._safely(worker, lambda w=worker: self._take(w))
        return bool(self.workers)

    def _chunk(self, horizon: int) -> Span | None:
        if self.again:
            return self.again.pop(0)
        begin, end = self._next, self.span[1]
        if begin >= min(end, horizon):
            return None
        self._next = min(begin + self.size, end)
        return begin, self._next

    def _take(self, worker: _Worker) -> None:
        begin, hands, failure = worker.pipe.recv()
        worker.chunks = [chunk for chunk in worker.chunks if chunk[0] != begin]
        played = [Played(Hand(steps, payoff), x) for steps, payoff, x in hands]
        self.done[begin] = played, None if failure is None else _error(*failure)

    def _safely(self, worker: _Worker, do: Any) -> bool:
        """Do something with a worker, who may have vanished."""
        try:
            do()
        except (EOFError, OSError):
            warnings.warn(
                "a worker process of the match has vanished; its hands are played again",
                RuntimeWarning,
                stacklevel=2,
            )
            self.again += worker.chunks
            self.again.sort()
            self.workers.remove(worker)
            worker.pipe.close()
            return False
        return True

    def stop(self) -> None:
        """End all workers, whatever they are at."""
        for worker in self.workers:
            worker.pipe.close()
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.join(2.0)
            if process.is_alive():
                process.kill()
                process.join()


def _error(is_bad_input: bool, message: str) -> Exception:
    return AgentError(message) if is_bad_input else RuntimeError(message)


def _work(pipe: Connection, plan: MatchPlan) -> None:
    """What a worker does: play the hands it is asked for, until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        referee = plan.referee()
        while True:
            begin, end = pipe.recv()
            hands, failure = [], None
            try:
                for number in range(begin, end):
                    hand, corrected = referee.play(number)
                    hands.append((hand.steps, hand.payoff, corrected))
            except BadInputError as error:
                failure = True, str(error)
            except Exception as error:
                trace = "".join(traceback.format_exception(error)[-3:])
                failure = False, f"an agent failed in a worker process:\n{trace}"
            pipe.send((begin, hands, failure))


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C never reaches: it is for this one, which ends them."""
    if sys.platform == "win32":
        yield
        return
    # Started with the first worker otherwise, and that would let Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
