"""Ctrl-C, deferred to the end of the current iterations, and never lost."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class DeferredInterrupt:
    """While open, the first Ctrl-C only sets `requested`; a second one interrupts as usual.

    It also calls ``then``, if that is given. Outside the main thread, where Python delivers no
    signals, and unless ``active``, it does nothing.
    """

    def __init__(self, *, active: bool = True, then: Callable[[], None] | None = None) -> None:
        self._active = active
        self._then = then
        self.requested = False
        self._before: Any = None
        self._installed = False

    def __enter__(self) -> DeferredInterrupt:
        if self._active and threading.current_thread() is threading.main_thread():
            self._before = signal.getsignal(signal.SIGINT)
            if self._before is not None and self._before != signal.SIG_IGN:
                self._installed = True
                signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._before)
            self._installed = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self._restore()
        if self._then is not None:
            self._then()


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
