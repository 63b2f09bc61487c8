"""What holds for every test."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The first example may compile a kernel on a busy machine: no test asserts a time.
settings.register_profile("infoset", deadline=None)
settings.load_profile("infoset")


def pytest_configure() -> None:
    """Hear Ctrl-C, which a shell has its background jobs ignore: many tests press it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """A directory in memory, if there is one: a disk takes its time to sync thousands of files."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)
