"""A process that forks children in order to kill them: run by test_kill.py, never imported.

It pays once for Python, the compiled kernels and the compiled game; each child is a fork of it.
(The less it has imported, the faster it forks, so nothing is imported that a task has no use for.)
The tasks come as JSON on the command line; what happened goes as JSON to stdout.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

INTERRUPTED = 7


def fork(action: Callable[[], None]) -> int:
    """Do something in a child process; its number.

    Ctrl-C waits until the child can catch it: in the middle of a fork Python would lose it, or
    the child would wake up in its parent's code.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        return pid
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        action()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        os._exit(0)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def end_of(pid: int) -> str:
    """How a child ended: killed, interrupted or done. Anything else is a failure."""
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return "killed"
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, INTERRUPTED), f"a child ended with {code}"
    return "done" if code == 0 else "interrupted"


def leftovers(path: Path) -> list[Path]:
    return list(path.parent.glob(f".{path.name}.*.tmp"))


def stop_runs_at_random(
    path: Path,
    stops: int,
    seed: int,
    mean_seconds: float,
    signals: list[int],
    solve: dict[str, Any],
) -> dict[str, Any]:
    """Stop a run at random moments, look at its file, and resume it; at last let it end."""
    import infoset
    from infoset.solvers import loop
    from infoset.solvers.solution_files import read_checkpoint

    # Save after every batch, and have many of them: half of the time then goes into saving.
    loop.BATCH_SECONDS = 0.001
    rng = random.Random(seed)
    seen = mmap.mmap(-1, 16)
    counts = {"killed": 0, "interrupted": 0, "done": 0, "rounds": 0, "leftovers": 0}
    best = 0

    def follow(progress: Any) -> None:
        # When a batch is reported, the one before it has been saved.
        before = seen[8:16]
        seen[0:8] = before
        seen[8:16] = struct.pack("q", progress.iteration)

    def go_on() -> Any:
        resume = path if path.exists() else None
        return infoset.solve(**solve, checkpoint=path, every=1e-9, resume=resume, progress=follow)

    infoset.solve(
        solve["target"], solve["algorithm"], iterations=2
    )  # compiled before the first fork
    while counts["killed"] + counts["interrupted"] < stops:
        seen[0:16] = struct.pack("qq", best, best)
        pid = fork(lambda: go_on() and None)
        time.sleep(rng.expovariate(1 / mean_seconds))
        stop = rng.choice(signals)
        os.kill(pid, stop)
        end = end_of(pid)
        counts[end] += 1
        found = leftovers(path)
        assert not found or end == "killed", f"{end}, but {found} are left"
        counts["leftovers"] += len(found)
        for file in found:
            file.unlink()
        saved, last = struct.unpack("qq", seen[0:16])
        if path.exists():
            checkpoint = read_checkpoint(path)
            assert checkpoint.iteration >= saved, "a checkpoint was lost"
            assert checkpoint.iteration >= last or end == "killed", "Ctrl-C lost something"
            best = checkpoint.iteration
        else:
            assert saved == 0, "the checkpoint is gone"
        if end == "done" and counts["killed"] + counts["interrupted"] < stops:
            check_same(go_on(), solve)
            path.unlink()
            counts["rounds"] += 1
            best = 0
    check_same(go_on(), solve)
    counts["rounds"] += 1
    return counts


def check_same(solution: Any, solve: dict[str, Any]) -> None:
    """The run that was stopped again and again is the run that was never stopped."""
    import infoset

    whole = infoset.solve(**solve)
    for mine, its in zip(
        solution.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        assert mine.tobytes() == its.tobytes(), "the strategies differ"
    assert (solution.iterations, solution.value) == (whole.iterations, whole.value)
    assert [(p.iteration, p.exploitability) for p in solution.curve] == [
        (p.iteration, p.exploitability) for p in whole.curve
    ]


def kill_at_every_step(path: Path) -> dict[str, Any]:
    """Kill a child before the first, second, ... call it makes to C while it writes a file."""
    import numpy as np

    from infoset.machine.storage import read_archive, write_archive

    old, new = {"age": "old"}, {"age": "new", "more": "x" * 500}
    arrays = {"a": np.arange(100.0), "b": np.arange(3, dtype=np.int32)}
    counts = {"old": 0, "new": 0, "leftovers": 0}
    end = ""
    write_archive(path, "test", old, arrays)
    while end != "done":
        step = counts["old"] + counts["new"] + 1

        def write(step: int = step) -> None:
            calls = 0

            def count(frame: Any, event: str, argument: Any) -> None:
                nonlocal calls
                calls += event == "c_call"
                if calls == step:
                    os.kill(os.getpid(), signal.SIGKILL)

            sys.setprofile(count)
            write_archive(path, "test", new, arrays)

        end = end_of(fork(write))
        header, read = read_archive(path, "test")
        age = header["age"]
        assert header == {"old": old, "new": new}[age]
        assert all(read[name].tobytes() == array.tobytes() for name, array in arrays.items())
        if end == "killed":
            counts[age] += 1
            assert age == "new" or not counts["new"], "the new file came and went"
        # A minute later the next to write the file clears up after the dead.
        for file in leftovers(path):
            counts["leftovers"] += 1
            os.utime(file, (time.time() - 60,) * 2)
        write_archive(path, "test", old, arrays)
        assert not leftovers(path)
    return counts


if __name__ == "__main__":
    actions = {"random": stop_runs_at_random, "steps": kill_at_every_step}
    print(
        json.dumps(
            {
                name: actions[task.pop("action")](Path(path), **task)
                for name, (path, task) in json.loads(sys.argv[1]).items()
            }
        )
    )
