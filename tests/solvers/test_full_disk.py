"""Full disks, read-only disks, places that are none: said in a sentence, and nothing is lost."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.errors import StorageError
from infoset.machine.storage import (
    check_writable,
    read_archive,
    replacing,
    write_archive,
    write_atomically,
)
from infoset.solvers.loop import Progress
from infoset.solvers.solution import Solution, UnsavedError
from infoset.solvers.solution_files import read_checkpoint

DISK_BYTES = 256 << 10


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB, where tests may mount one."""
    try:
        mount("-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", tmp_path)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no right to mount a disk")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def fill(disk: Path) -> Path:
    """Leave not one byte free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert os.statvfs(disk).f_bfree == 0
    return filler


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def assert_same_strategy(one: Solution, other: Solution) -> None:
    for mine, its in zip(one.strategy.probabilities, other.strategy.probabilities, strict=True):
        assert mine.tobytes() == its.tobytes()


# --- a disk that is full ------------------------------------------------------------------------


def test_a_full_disk_keeps_the_old_file(disk: Path) -> None:
    path = disk / "file"
    write_archive(path, "test", {"age": "old"}, {"a": np.arange(3.0)})
    with pytest.raises(StorageError, match=r"^Could not write '.*file': the disk is full\.$"):
        write_archive(path, "test", {"age": "new"}, {"a": np.zeros(DISK_BYTES)})
    assert read_archive(path, "test")[0] == {"age": "old"}
    assert names(disk) == ["file"]


def test_wherever_the_disk_ends_the_file_is_old_or_new(disk: Path) -> None:
    path, filler = disk / "file", disk / "filler"
    ages = set()
    for free in range(4, 100, 4):
        filler.unlink(missing_ok=True)
        write_archive(path, "test", {"age": "old"}, {})
        filler.write_bytes(bytes(DISK_BYTES - 4096 - (free << 10)))
        with contextlib.suppress(StorageError):
            write_archive(path, "test", {"age": "new"}, {"a": np.zeros(64 << 7)})
        ages.add(read_archive(path, "test")[0]["age"])
        assert names(disk) == ["file", "filler"]
    assert ages == {"old", "new"}


def test_a_solution_on_a_full_disk_is_still_in_the_hand(disk: Path) -> None:
    solution = infoset.solve("kuhn", iterations=10)
    filler = fill(disk)
    with pytest.raises(StorageError, match="the disk is full"):
        solution.save(disk / "solution")
    assert names(disk) == ["filler"]
    filler.unlink()
    solution.save(disk / "solution")
    assert_same_strategy(infoset.load(disk / "solution"), solution)


def test_a_disk_that_is_full_for_a_while_costs_a_warning(disk: Path, monkeypatch) -> None:
    monkeypatch.setattr("infoset.solvers.loop.BATCH_SECONDS", 0.001)
    path = disk / "checkpoint"
    saved: list[int] = []

    def follow(progress: Progress) -> None:
        if 100 <= progress.iteration < 1000 and not (disk / "filler").exists():
            fill(disk)
        if progress.iteration >= 1000:
            (disk / "filler").unlink(missing_ok=True)
        if path.exists():
            saved.append(read_checkpoint(path).iteration)

    run = {"target": "leduc", "algorithm": "cfr+", "iterations": 2000}
    with pytest.warns(RuntimeWarning, match=r"disk is full\. The run goes on, and tries again in"):
        solution = infoset.solve(**run, checkpoint=path, every=1e-9, progress=follow)
    assert_same_strategy(solution, infoset.solve(**run))
    assert any(iteration >= 1000 for iteration in saved), "it never tried again"
    assert read_checkpoint(path).iteration == 2000
    assert names(disk) == ["checkpoint"]


def test_a_disk_that_is_full_at_the_end_loses_nothing_but_the_file(disk: Path) -> None:
    path = disk / "checkpoint"
    run = {"target": "kuhn", "algorithm": "cfr+", "iterations": 200}
    infoset.solve(**{**run, "iterations": 10}, checkpoint=path)
    with pytest.raises(UnsavedError, match=r"the disk is full\..* after 200 iterations") as caught:
        infoset.solve(**run, resume=path, checkpoint=path, progress=lambda _: fill(disk) and None)
    assert_same_strategy(caught.value.solution, infoset.solve(**run))
    assert read_checkpoint(path).iteration == 10
    assert names(disk) == ["checkpoint", "filler"]


def test_what_killed_processes_left_is_cleared_before_it_fills_the_disk(disk: Path) -> None:
    path = disk / "file"
    for i in range(30):
        leftover = disk / f".file.{i:016x}.tmp"
        leftover.write_bytes(bytes(6000))
        os.utime(leftover, (time.time() - 60,) * 2)
    write_archive(path, "test", {}, {"a": np.zeros(20_000)})
    assert names(disk) == ["file"]


# --- what is cleared, and what is not -----------------------------------------------------------


def test_only_what_nobody_writes_any_more_is_cleared(quick_path: Path) -> None:
    path = quick_path / "file"
    long_ago = (time.time() - 3600,) * 2
    kept = [
        ".file.0123456789abcdef.tmp",  # young
        ".file.0123.tmp",  # not named by us
        ".file2.0123456789abcdef.tmp",  # of another file
        "file.0123456789abcdef.tmp",
    ]
    for name in kept:
        (quick_path / name).write_bytes(b"")
    for name in kept[1:]:
        os.utime(quick_path / name, long_ago)
    (quick_path / ".file.00000000000000aa.tmp").mkdir()
    (quick_path / ".file.00000000000000bb.tmp").symlink_to(quick_path / kept[2])
    stale = quick_path / ".file.fedcba9876543210.tmp"
    stale.write_bytes(b"")
    os.utime(stale, long_ago)
    with replacing(path) as slow:
        # A writer that has been at it for an hour, while another writes the same file.
        (own,) = set(names(quick_path)) - {
            *kept,
            *(".file.00000000000000aa.tmp", ".file.00000000000000bb.tmp"),
        }
        assert not stale.exists()
        os.utime(quick_path / own, long_ago)
        write_atomically(path, b"fast")
        assert (quick_path / own).exists()
        assert path.read_bytes() == b"fast"
        slow.write(b"slow")
    assert path.read_bytes() == b"slow"
    assert set(kept) < set(names(quick_path))


def test_names_are_not_patterns(quick_path: Path) -> None:
    other = quick_path / ".fileX.0123456789abcdef.tmp"
    other.write_bytes(b"")
    os.utime(other, (time.time() - 3600,) * 2)
    write_atomically(quick_path / "file.", b"")
    write_atomically(quick_path / "[a-z]*", b"")
    assert other.exists()


# --- places where nothing can be written --------------------------------------------------------


def test_a_read_only_disk_is_said_before_any_work(disk: Path, monkeypatch) -> None:
    path = disk / "checkpoint"
    infoset.solve("kuhn", iterations=10, checkpoint=path)
    old = path.read_bytes()
    solution = infoset.solve("kuhn", iterations=10)
    mount("-o", "remount,ro", disk)
    with pytest.raises(StorageError, match=r"Could not write '.*': Read-only file system\."):
        solution.save(path)
    monkeypatch.setattr("infoset.api.run", lambda *_: pytest.fail("too late"))
    with pytest.raises(StorageError, match=r"Could not write '.*': Read-only file system\."):
        infoset.solve("kuhn", iterations=10, checkpoint=path)
    assert path.read_bytes() == old
    assert names(disk) == ["checkpoint"]


def test_a_place_that_is_none_is_said_before_any_work(quick_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("infoset.api.run", lambda *_: pytest.fail("too late"))
    (quick_path / "file").write_bytes(b"")
    os.mkfifo(quick_path / "pipe")
    for place, message in {
        quick_path / "nowhere" / "checkpoint": "No such file or directory",
        quick_path / "file" / "checkpoint": "Not a directory",
        quick_path: "is a directory",
        quick_path / "pipe": "not a regular file",
        "/dev/full": "not a regular file",
        "/proc/checkpoint": "No such file or directory|Permission denied",
        quick_path / ("x" * 300): "name too long",
        "a\0b": "null byte",
        "": "is a directory",
    }.items():
        with pytest.raises(StorageError, match=rf"Could not write '.*': .*({message})"):
            infoset.solve("kuhn", iterations=10, checkpoint=place)
        with pytest.raises(StorageError, match=rf"Could not write '.*': .*({message})"):
            check_writable(place)
    assert names(quick_path) == ["file", "pipe"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO, errno.EDQUOT])
def test_what_the_system_refuses_is_said(number: int, quick_path: Path, monkeypatch) -> None:
    path = quick_path / "solution"
    solution = infoset.solve("kuhn", iterations=10)
    solution.save(path)
    old = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    reason = "the disk is full" if number == errno.EDQUOT else os.strerror(number)
    for step in ("os.replace", "os.fsync", "builtins.open"):
        with monkeypatch.context() as patch:
            patch.setattr(step, refuse)
            with pytest.raises(StorageError, match=rf"^Could not write '.*solution': {reason}\.$"):
                solution.save(path)
        assert path.read_bytes() == old
        assert names(quick_path) == ["solution"]


def test_a_checkpoint_that_fails_in_between_is_no_end(quick_path: Path, monkeypatch) -> None:
    """As on a full disk, where no disk can be mounted."""
    monkeypatch.setattr("infoset.solvers.loop.BATCH_SECONDS", 0.001)
    rename, fails = os.replace, [False]

    def follow(progress: Progress) -> None:
        fails[0] = 10 <= progress.iteration < 1000

    def refuse(source, target) -> None:
        if fails[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    path = quick_path / "checkpoint"
    run = {"target": "kuhn", "algorithm": "pcfr+"}
    with pytest.warns(RuntimeWarning, match="the disk is full"):
        solution = infoset.solve(
            **run, iterations=2000, checkpoint=path, every=1e-9, progress=follow
        )
    assert read_checkpoint(path).iteration == 2000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same_strategy(solution, infoset.solve(**run, iterations=2000))
        with pytest.raises(UnsavedError, match="the disk is full") as caught:
            infoset.solve(**run, iterations=50, checkpoint=path, progress=follow)
    assert caught.value.solution.iterations == 50
    assert names(quick_path) == ["checkpoint"]
