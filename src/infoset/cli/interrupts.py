"""Ctrl-C that cannot get lost while kernels are loaded."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["heard_interrupts"]


@contextmanager
def heard_interrupts() -> Iterator[None]:
    """Have Ctrl-C interrupt as usual, and once more at the end if nobody heard it.

    The compiler calls back into Python while it loads kernels. A `KeyboardInterrupt` raised in
    such a callback is printed and dropped by Python, and the program would go on.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed = False

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    report = sys.unraisablehook

    def report_others(dropped: sys.UnraisableHookArgs) -> None:
        if dropped.exc_type is not KeyboardInterrupt:
            report(dropped)

    signal.signal(signal.SIGINT, press)
    sys.unraisablehook = report_others
    try:
        yield
    finally:
        sys.unraisablehook = report
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
