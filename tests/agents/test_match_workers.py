"""Matches in several processes: the same hands in the same order, whatever happens to a worker."""

from __future__ import annotations

import os
import threading
import time

import pytest

from agents.matches_for_tests import Fragile, Halved, Liar, Moody, Slow, Vanishing
from infoset.agents import Passive, Uniform, play_match, workers
from infoset.errors import AgentError
from infoset.games import make
from infoset.machine import memory

KUHN, LEDUC = make("kuhn"), make("leduc")


@pytest.fixture
def at_once(monkeypatch):
    """Start workers with the second hand, for few hands at a time."""
    monkeypatch.setattr(workers, "PATIENCE", 0.0)
    monkeypatch.setattr(workers, "WORTHWHILE", 0.0)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 7)


@pytest.fixture
def started(monkeypatch):
    """How many workers were started."""
    numbers = []
    start = workers._Crew.start

    def counted(crew, threads):
        numbers.append(threads)
        return start(crew, threads)

    monkeypatch.setattr(workers._Crew, "start", counted)
    return numbers


def test_one_and_two_workers_play_the_same_match(at_once, started, tmp_path):
    logs, results = [], []
    for threads in (1, 2):
        log = tmp_path / str(threads)
        found = play_match(
            LEDUC,
            Moody,
            Uniform,
            hands=600,
            seed=4,
            aivat=Halved,
            duplicate=True,
            threads=threads,
            log=log,
        )
        logs.append(log.read_bytes())
        results.append(found.figures)
    assert started == [2]
    assert logs[0] == logs[1]
    assert results[0] == results[1]


def test_agents_that_are_objects_stay_in_this_process(at_once, started):
    found = play_match(KUHN, Moody(), Uniform, hands=50, threads=2)
    assert started == []
    assert found.figures == play_match(KUHN, Moody, Uniform, hands=50, threads=1).figures


def test_what_cannot_be_sent_is_played_here(at_once, started):
    found = play_match(KUHN, lambda: Moody(), Uniform, hands=50, threads=2)
    assert started == [2]
    assert found.figures == play_match(KUHN, Moody, Uniform, hands=50, threads=1).figures


def test_short_matches_start_no_processes(started):
    play_match(KUHN, Moody, Uniform, hands=50, threads=2)
    assert started == []


def test_little_memory_starts_no_processes(at_once, started, monkeypatch):
    monkeypatch.setattr(workers, "available_bytes", lambda: memory.resident_bytes())
    assert play_match(KUHN, Moody, Uniform, hands=50, threads=2).hands == 50
    assert started == []


@pytest.mark.parametrize("kind", [Liar, Fragile])
def test_an_error_in_a_worker_is_that_of_the_hand(kind, at_once, started, tmp_path):
    """The hands before it are in the log, as if one process had played."""
    logs = []
    for threads in (1, 2):
        log = tmp_path / str(threads)
        # In hand 0 of this seed nobody has a king.
        with pytest.raises(Exception, match=r"all my chips|no kings") as caught:
            play_match(KUHN, kind, Passive, hands=200, seed=2, threads=threads, log=log)
        if kind is Liar:
            assert caught.type is AgentError
        logs.append(log.read_bytes())
    assert started == [2]
    assert logs[0] == logs[1]


def test_workers_that_vanish_cost_nothing_but_time(at_once, started, monkeypatch):
    monkeypatch.setenv("VANISH_UNLESS", str(os.getpid()))
    with pytest.warns(RuntimeWarning, match="has vanished"):
        found = play_match(LEDUC, Vanishing, Uniform, hands=300, seed=1, threads=2)
    assert started == [2]
    assert found.figures == play_match(LEDUC, Passive, Uniform, hands=300, seed=1).figures


def test_a_worker_that_is_killed_is_replaced_by_the_others(at_once, monkeypatch):
    crews = []
    start = workers._Crew.start

    def seen(crew, threads):
        crews.append(crew)
        return start(crew, threads)

    monkeypatch.setattr(workers._Crew, "start", seen)

    def kill():
        while not (crews and crews[0].done):
            time.sleep(0.01)
        os.kill(crews[0].processes[0].pid, 9)

    threading.Thread(target=kill, daemon=True).start()
    with pytest.warns(RuntimeWarning, match="has vanished"):
        found = play_match(LEDUC, Slow, Uniform, hands=1500, seed=1, threads=2)
    assert found.figures == play_match(LEDUC, Passive, Uniform, hands=1500, seed=1).figures
    assert not any(process.is_alive() for process in crews[0].processes)
