"""Ctrl-C: the run stops between two iterations, saved; a second one breaks out at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import infoset
from games_for_tests import End, TreeGame, Turn
from infoset.api import solve
from infoset.machine.storage import check_writable, read_archive, write_archive
from infoset.solvers.loop import Progress
from infoset.solvers.solution_files import read_checkpoint

SOURCES = Path(__file__).parents[2] / "src"


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def pressing(at: int, times: int = 1) -> Callable[[Progress], None]:
    """Press Ctrl-C in the first batch that ends at or after an iteration."""

    def follow(progress: Progress) -> None:
        nonlocal times
        while progress.iteration >= at and times > 0:
            times -= 1
            press()

    return follow


@pytest.fixture(autouse=True)
def _handler_is_restored():
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_stops_saves_and_is_passed_on(quick_path: Path) -> None:
    path = quick_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        infoset.solve("leduc", "pcfr+", iterations=3000, checkpoint=path, progress=pressing(100))
    stopped = read_checkpoint(path)
    assert 100 <= stopped.iteration < 3000
    resumed = infoset.solve("leduc", "pcfr+", iterations=3000, resume=path)
    whole = infoset.solve("leduc", "pcfr+", iterations=3000)
    for mine, its in zip(resumed.strategy.probabilities, whole.strategy.probabilities, strict=True):
        assert mine.tobytes() == its.tobytes()
    assert [point.iteration for point in resumed.curve] == [p.iteration for p in whole.curve]


def test_what_there_is_at_ctrl_c_is_a_solution_to_those_who_ask_for_it() -> None:
    stopped = solve(
        "kuhn", "cfr+", iterations=10**9, progress=pressing(100), return_on_interrupt=True
    )
    assert stopped.stopped_by == "interrupt"
    measured = infoset.exploitability("kuhn", stopped)
    assert stopped.exploitability == pytest.approx(measured, abs=1e-12)


def test_a_second_ctrl_c_breaks_out(quick_path: Path) -> None:
    path = quick_path / "checkpoint"
    with pytest.raises(KeyboardInterrupt):
        infoset.solve("kuhn", iterations=10**9, checkpoint=path, progress=pressing(100, times=2))
    assert not list(quick_path.iterdir())


def test_a_second_ctrl_c_while_saving_keeps_the_old_file(quick_path: Path, monkeypatch) -> None:
    path = quick_path / "checkpoint"
    infoset.solve("kuhn", iterations=5, checkpoint=path)
    old = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: press())
    with pytest.raises(KeyboardInterrupt):
        infoset.solve("kuhn", iterations=10**9, checkpoint=path, progress=pressing(100))
    assert path.read_bytes() == old
    assert list(quick_path.iterdir()) == [path]


def test_ctrl_c_in_the_last_moment_is_not_lost(quick_path: Path, monkeypatch) -> None:
    path = quick_path / "checkpoint"
    sync = os.fsync
    pressed = iter([True])

    def press_once_and_sync(descriptor: int) -> None:
        if next(pressed, False):
            press()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", press_once_and_sync)
    with pytest.raises(KeyboardInterrupt):
        infoset.solve("kuhn", iterations=50, checkpoint=path)
    assert read_checkpoint(path).iteration == 50


def test_cancel_from_a_thread_does_as_ctrl_c(quick_path: Path) -> None:
    path, cancel = quick_path / "checkpoint", infoset.Cancel()

    def follow(progress: Progress) -> None:
        if progress.iteration >= 100:
            thread = threading.Thread(target=cancel.now)
            thread.start()
            thread.join()

    with pytest.raises(KeyboardInterrupt):
        solve("leduc", "pcfr+", iterations=3000, checkpoint=path, progress=follow, cancel=cancel)
    assert 100 <= read_checkpoint(path).iteration < 3000
    resumed = solve("leduc", "pcfr+", iterations=3000, resume=path)
    whole = solve("leduc", "pcfr+", iterations=3000)
    for mine, its in zip(resumed.strategy.probabilities, whole.strategy.probabilities, strict=True):
        assert mine.tobytes() == its.tobytes()


@pytest.mark.parametrize("algorithm", ["cfr+", "es-mccfr", "xfp", "cfr+(pruning=total)"])
def test_cancel_works_in_any_thread_and_gives_what_there_is(algorithm: str) -> None:
    cancel, found = infoset.Cancel(), []

    def work() -> None:
        found.append(
            solve("kuhn", algorithm, iterations=10**9, cancel=cancel, return_on_interrupt=True)
        )

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.2)
    cancel.now()
    thread.join(60)
    assert not thread.is_alive()
    assert found[0].stopped_by == "interrupt"
    assert cancel.requested


def test_cancelled_before_it_begins_a_run_stops_at_once() -> None:
    cancel = infoset.Cancel()
    cancel.now()
    for target in ("kuhn", "examples/river.toml"):
        stopped = solve(target, iterations=10**9, cancel=cancel, return_on_interrupt=True)
        assert stopped.stopped_by == "interrupt"
        assert stopped.iterations < 1000


def test_only_a_token_cancels() -> None:
    with pytest.raises(infoset.errors.BadInputError, match=r"must be an infoset\.Cancel, not bool"):
        solve("kuhn", cancel=True)


def test_what_progress_raises_costs_nothing_that_was_done(quick_path: Path) -> None:
    path = quick_path / "checkpoint"

    class BrokenError(Exception):
        pass

    def follow(progress: Progress) -> None:
        if progress.iteration >= 100:
            raise BrokenError

    with pytest.raises(BrokenError):
        solve("kuhn", iterations=10**9, checkpoint=path, progress=follow)
    assert read_checkpoint(path).iteration >= 100


def test_keyboard_interrupt_in_progress_is_ctrl_c(quick_path: Path) -> None:
    path = quick_path / "checkpoint"

    def follow(progress: Progress) -> None:
        if progress.iteration >= 100:
            raise KeyboardInterrupt

    stopped = solve(
        *("kuhn", "cfr+"),
        iterations=10**9,
        checkpoint=path,
        progress=follow,
        return_on_interrupt=True,
    )
    assert stopped.stopped_by == "interrupt"
    assert read_checkpoint(path).iteration == stopped.iterations >= 100


def test_a_handler_of_ones_own_comes_back(quick_path: Path) -> None:
    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: calls.append(number))
    try:
        mine = signal.getsignal(signal.SIGINT)
        # The first stops the run, the second is the caller's.
        with pytest.raises(KeyboardInterrupt):
            infoset.solve("kuhn", iterations=10**9, progress=pressing(100, times=2))
        assert calls == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        solution = infoset.solve("kuhn", iterations=200, progress=pressing(10))
        assert solution.stopped_by == "iterations"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_the_callback_restores_the_handler() -> None:
    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        infoset.solve("kuhn", iterations=10, progress=fail)


def test_in_another_thread_it_runs_and_ctrl_c_is_the_main_thread_s(quick_path: Path) -> None:
    path = quick_path / "checkpoint"
    is_running, solutions = threading.Event(), []

    def follow(_: Progress) -> None:
        is_running.set()

    def work() -> None:
        solutions.append(
            infoset.solve("kuhn", "cfr+", seconds=0.2, checkpoint=path, progress=follow)
        )

    thread = threading.Thread(target=work)
    thread.start()
    assert is_running.wait(30)
    with pytest.raises(KeyboardInterrupt):
        press()
    thread.join()
    assert solutions[0].stopped_by == "seconds"
    assert read_checkpoint(path).iteration == solutions[0].iterations


def test_ctrl_c_while_compiling_leaves_nothing(quick_path: Path) -> None:
    class Slow(Turn):
        def child(self, action):
            press()
            return End(1)

    game = TreeGame(Slow(0, "i", (("a", None), ("b", None))), "slow")
    with pytest.raises(KeyboardInterrupt):
        infoset.solve(game, iterations=10, checkpoint=quick_path / "checkpoint")
    assert not list(quick_path.iterdir())


def test_ctrl_c_while_the_place_is_tried_leaves_nothing(quick_path: Path, monkeypatch) -> None:
    real_open = open

    def open_and_press(*arguments):
        file = real_open(*arguments)
        press()
        return file

    monkeypatch.setattr("builtins.open", open_and_press)
    with pytest.raises(KeyboardInterrupt):
        check_writable(quick_path / "checkpoint")
    assert not list(quick_path.iterdir())


def test_an_exact_solver_is_interrupted_at_once(monkeypatch) -> None:
    from infoset.solvers.exact.linear_program import LinearProgramSolver

    monkeypatch.setattr(LinearProgramSolver, "run", lambda *_: (press(), time.sleep(60)))
    with pytest.raises(KeyboardInterrupt):
        infoset.solve("kuhn", "lp")


# Python's own: a ZipFile interrupted as it is made is collected with a complaint.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_at_any_step_of_writing_leaves_a_whole_file_and_nothing_else(
    quick_path: Path,
) -> None:
    path = quick_path / "file"
    array = {"a": np.arange(50.0)}
    seen = {"old": 0, "new": 0}
    is_written = False
    while not is_written:
        write_archive(path, "test", {"age": "old"}, array)
        calls, step = 0, seen["old"] + seen["new"] + 1

        def count(frame, event: str, argument, step: int = step) -> None:
            nonlocal calls
            calls += event == "c_call" and frame.f_code.co_filename != __file__
            if calls == step:
                calls += 1
                raise KeyboardInterrupt

        try:
            sys.setprofile(count)
            write_archive(path, "test", {"age": "new"}, array)
            is_written = True
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        seen[read_archive(path, "test")[0]["age"]] += 1
        assert [entry.name for entry in quick_path.iterdir()] == ["file"]
    assert seen["old"] > 100
    assert seen["new"] > 3


def test_a_process_that_gets_ctrl_c_ends_saved(quick_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys, infoset
        infoset.solve("kuhn", "cfr+", iterations=10**9, checkpoint=sys.argv[1],
                      progress=lambda progress: print(progress.iteration, flush=True))
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, quick_path / "checkpoint"],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert read_checkpoint(quick_path / "checkpoint").iteration == int((first + out).split()[-1])
    assert [entry.name for entry in quick_path.iterdir()] == ["checkpoint"]
