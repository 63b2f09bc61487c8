"""What a paper says of an artifact, sentence by sentence, and whether it held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from infoset.experiments.registry import Verdict

__all__ = ["Claim", "note", "verdict"]


class Claim(NamedTuple):
    """One sentence of a paper beside our measurement."""

    text: str
    holds: bool
    measured: str


def verdict(claims: Sequence[Claim], *, smaller: bool) -> Verdict:
    """An artifact is reproduced when every claim about it holds.

    >>> verdict([Claim("it is fast", True, "1 s"), Claim("it is small", False, "1 GB")],
    ...         smaller=False)
    'not reproduced'
    """
    if not all(claim.holds for claim in claims):
        return "not reproduced"
    return "reproduced at a smaller scale" if smaller else "reproduced"


def note(claims: Sequence[Claim], *remarks: str) -> str:
    """The claims, a line each, then remarks."""
    lines = [
        f"{'Holds' if claim.holds else 'Does not hold'}: {claim.text}. Measured: {claim.measured}."
        for claim in claims
    ]
    return "\n".join([*lines, *remarks])
