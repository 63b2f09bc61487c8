"""Memory limits: free memory, bytes per history, and bytes as text."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from infoset.errors import BadInputError, TooLargeError, shorten

BYTES_PER_HISTORY = 400
"""Peak bytes a history costs when states are walked one by one and few share an infoset; measured
on a binary tree without chance, rounded up."""

BYTES_PER_PUBLIC_HISTORY = 140
"""The same where public states are walked for all hands together; measured on no-limit
Leduc(15), solving included, rounded up."""

_UNITS = {"": 1, "b": 1} | {
    f"{prefix}{unit}b": base**power
    for power, prefix in enumerate("kmgt", 1)
    for unit, base in (("", 1000), ("i", 1024))
}
_AMOUNT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{0,9})?) ?((?:[kmgt]i?)?b|)", re.ASCII | re.IGNORECASE)

SHARE = 0.9
"""How much of what is free a game may take."""


def available_bytes() -> int | None:
    """Memory this process can still get, by the tightest limit that is known; `None` if none is."""
    known: list[int] = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                known.append(int(line.split()[1]) * 1024)
    with contextlib.suppress(OSError, ValueError):
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        if most != "max":
            known.append(int(most) - used)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            known.append(limit - pages * resource.getpagesize())
    return max(min(known), 0) if known else None


def resident_bytes() -> int | None:
    """Memory that this process has now; `None` if nothing tells."""
    with contextlib.suppress(ImportError, OSError, ValueError, IndexError):
        import resource

        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    return None


def histories_that_fit(bytes_each: int) -> int | None:
    """How many histories the memory has room for; `None` if nothing tells."""
    free = available_bytes()
    return None if free is None else int(SHARE * free) // bytes_each


def format_bytes(number: int) -> str:
    """A number of bytes in decimal units, as other solvers state their memory: 1 MB is 10**6 bytes.

    >>> [format_bytes(number) for number in (512, 37_800, 691_840, 421_000_000, 12_300_000_000)]
    ['512 B', '37.8 kB', '692 kB', '421 MB', '12.3 GB']
    """
    if number < 1000:
        return f"{number} B"
    size, unit = number / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if size >= 999.5:  # it would be rounded to 1000
            size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if size < 99.95 else f"{size:,.0f} {unit}"


def parse_bytes(text: str) -> int:
    """An amount of memory as people write it, in bytes.

    >>> parse_bytes("2GB"), parse_bytes("1.5 MB"), parse_bytes("1GiB")
    (2000000000, 1500000, 1073741824)
    """
    match = _AMOUNT.fullmatch(text.strip())
    number = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if number < 1:
        raise BadInputError(
            f"{shorten(text)} is not an amount of memory; write it as in 500MB or 2GB"
        )
    return number


def check_fits(needed: int, what: str, remedy: str, limit: int | None = None) -> None:
    """Refuse what would not fit into the memory that is free, or allowed."""
    free = available_bytes()
    allowed = limit if limit is not None else None if free is None else int(SHARE * free)
    if allowed is not None and needed > allowed:
        room = f"{format_bytes(allowed)} are allowed"
        if limit is None and free is not None:
            room = f"{format_bytes(free)} are free"
        raise TooLargeError(
            f"{what} needs {format_bytes(needed)} of memory, and {room}: {remedy}", num_bytes=needed
        )
