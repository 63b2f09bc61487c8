"""When a run stops."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import BadInputError

__all__ = ["Limits"]

MAX_ITERATIONS = 10**15
"""More than any machine does; schedules are exact up to here."""


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first limit that is reached."""

    iterations: int | None = None
    seconds: float | None = None
    exploitability: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is None and self.seconds is None and self.exploitability is None:
            raise BadInputError(
                "nothing says when to stop: give iterations, seconds or exploitability"
            )
        if self.iterations is not None:
            is_whole = isinstance(self.iterations, int) and not isinstance(self.iterations, bool)
            if not is_whole or not 1 <= self.iterations <= MAX_ITERATIONS:
                raise BadInputError(
                    f"iterations must be a whole number of at least 1 and at most "
                    f"{MAX_ITERATIONS:,}, not {repr(self.iterations)[:40]}"
                )
        for name in ("seconds", "exploitability"):
            limit = getattr(self, name)
            is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not (is_number and 0 < limit < float("inf")):
                raise BadInputError(f"{name} must be a finite number above 0, not {limit!r}")
