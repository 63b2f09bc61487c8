"""The three streams, which may be closed, full or gone at any time."""

from __future__ import annotations

import contextlib
import os
import sys

__all__ = ["complain", "mute_stdout", "open_missing"]


def complain(problem: object) -> None:
    """Say on stderr what is wrong, in a sentence."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"infoset: {problem}\n")
        sys.stderr.flush()


def mute_stdout() -> None:
    """Let what is still buffered go nowhere, or Python would complain again as it exits."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def open_missing() -> None:
    """Give streams that were closed by the caller (``>&-``) somewhere to write to."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
