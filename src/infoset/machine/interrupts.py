"""Ctrl-C, deferred to the end of the current iterations, and never lost; the same from a thread."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether Ctrl-C was pressed."""

    requested = False


class Cancel:
    """A way to stop a run as Ctrl-C would, from any thread.

    >>> import threading, infoset
    >>> cancel = infoset.Cancel()
    >>> timer = threading.Timer(0.1, cancel.now)
    >>> timer.start()
    >>> infoset.solve("kuhn", iterations=10**9, cancel=cancel, return_on_interrupt=True).stopped_by
    'interrupt'
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    def now(self) -> None:
        """Stop what was given this; once said, it stays so, also for later runs."""
        with self._lock:
            self._event.set()
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    @property
    def requested(self) -> bool:
        """Whether `now` was called."""
        return self._event.is_set()

    @contextmanager
    def heard_by(self, listener: Callable[[], None]) -> Iterator[None]:
        """Have a function called by `now`, at once if that has been."""
        with self._lock:
            self._listeners.append(listener)
            is_late = self._event.is_set()
        if is_late:
            listener()
        try:
            yield
        finally:
            with self._lock:
                self._listeners.remove(listener)


@contextmanager
def deferred_interrupt(
    *, active: bool = True, then: Callable[[], None] | None = None
) -> Iterator[Interrupt]:
    """Have the first Ctrl-C only set `Interrupt.requested`; a second one interrupts as usual.

    It also calls ``then``, if that is given. Outside the main thread, where Python delivers no
    signals, and unless ``active``, it does nothing.
    """
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    is_heard = before is not None and before != signal.SIG_IGN
    if not active or not is_heard or threading.current_thread() is not threading.main_thread():
        yield interrupt
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        interrupt.requested = True
        signal.signal(signal.SIGINT, before)
        if then is not None:
            then()

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)


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
