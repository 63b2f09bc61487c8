"""Files are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from infoset.errors import StorageError
from infoset.machine.storage import write_atomically


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("data", [b"all", bytearray(b"all"), [b"a", b"ll"], iter([b"al", b"l"])])
def test_writes_and_replaces(data, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    write_atomically(path, data)
    assert path.read_bytes() == b"all"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_whatever_stops_it_the_old_file_stays(stop: type[BaseException], tmp_path: Path) -> None:
    def pieces():
        yield b"new"
        raise stop

    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(stop):
        write_atomically(path, pieces())
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_is_said_and_leaves_nothing(step: str, tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(StorageError, match=r"Could not write '.*file': the disk is full\."):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_bad_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        write_atomically(tmp_path / "nowhere" / "file", b"")
    with pytest.raises(StorageError, match="is a directory"):
        write_atomically(tmp_path, b"")
    with pytest.raises(StorageError, match="is a directory"):
        write_atomically("", b"")
    with pytest.raises(StorageError, match="null byte"):
        write_atomically("a\0b", b"")
    with pytest.raises(StorageError, match="name too long"):
        write_atomically(tmp_path / ("x" * 400), b"")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="not a regular file"):
        write_atomically(tmp_path / "pipe", b"")
    assert names(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        write_atomically(tmp_path / "file", b"")


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_killed_process_never_leaves_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    program = textwrap.dedent(
        """
        import sys
        from infoset.machine.storage import write_atomically
        count = 0
        while True:
            count += 1
            data = str(count).encode() * 200_000
            write_atomically(sys.argv[1], data)
            print(count, flush=True)
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for kills in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", program, path], env=environment, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(kills + 1):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        text = path.read_bytes()
        first = text[: len(text) // 200_000]
        assert text == first * 200_000
