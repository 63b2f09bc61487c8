"""With one thread, one core is used: no thread that was not asked for runs."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

import infoset
from infoset.cards import range_equity

TASKS = Path("/proc/self/task")


def cpu_seconds():
    """(of this thread, of all other threads of the process), as the kernel counts them."""
    own, others = 0.0, 0.0
    for task in TASKS.iterdir():
        try:
            seconds = int((task / "schedstat").read_text().split()[0]) / 1e9
        except FileNotFoundError:  # a thread that has just ended
            continue
        if int(task.name) == threading.get_native_id():
            own = seconds
        else:
            others += seconds
    return own, others


@pytest.mark.skipif(not TASKS.exists(), reason="CPU time by thread is read from Linux's /proc")
@pytest.mark.parametrize(
    "work",
    [
        lambda: infoset.solve("River(5k, seed=1)", iterations=50, threads=1),
        lambda: infoset.solve("River(5k, seed=1)", iterations=50, threads=1, bits=16),
        lambda: infoset.solve("examples/turn.toml", iterations=3, threads=1),
        lambda: range_equity("22+, A2s+", "KQo, T9s", samples=20_000),
    ],
    ids=["river", "river in 16 bits", "turn", "equity"],
)
def test_other_threads_do_not_run(work, monkeypatch):
    """A threaded BLAS call spins for 30 ms: a third of the time that the work itself takes."""
    monkeypatch.chdir(Path(__file__).parents[2])
    work()  # compile
    time.sleep(0.3)  # until threads that a test before this one woke have gone to sleep
    own_before, others_before = cpu_seconds()
    for _ in range(3):
        work()
    own, others = cpu_seconds()
    assert own - own_before > 0.01, "too little work to say anything"
    assert others - others_before < 0.1 * (own - own_before)
