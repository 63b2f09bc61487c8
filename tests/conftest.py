"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Hear Ctrl-C, which a shell has its background jobs ignore: many tests press it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
