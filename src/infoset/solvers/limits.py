"""Limits of numbers that are given, and of runs."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.errors import BadInputError

MAX_ITERATIONS = 10**15
"""More than any machine does; schedules are exact up to here."""


def check_count(name: str, value: object) -> None:
    """Refuse what is no whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadInputError(f"{name} must be a whole number of at least 1, not {value!r}")


def check_share(name: str, value: float) -> None:
    """Refuse what is no share above 0."""
    if not 0 < value <= 1:
        raise BadInputError(f"{name} must be above 0 and at most 1, not {value}")


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
