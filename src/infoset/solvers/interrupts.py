"""Ctrl-C between iterations instead of in the middle of one."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["DeferredInterrupt"]


class DeferredInterrupt:
    """While open, the first Ctrl-C only sets `requested`; a second one interrupts as usual.

    Outside the main thread, where Python delivers no signals, and unless ``active``, it does
    nothing.
    """

    def __init__(self, *, active: bool = True) -> None:
        self._active = active
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
