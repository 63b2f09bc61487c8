"""What an iteration may leave out: the ``pruning=`` part of a recipe."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from infoset.calls import Between, bind, parameters_of, parse_call
from infoset.errors import BadInputError, nearest, shorten

PruningKind = Literal["partial", "interval", "total"]

Every = Annotated[
    int | float,
    Between(0, 10**9),
    "iterations between two checks; below 1 a share of those done so far",
]
Caution = Annotated[
    float,
    Between(0, math.inf),
    "how much of the regret that an action may gain until the next check is expected; inf is "
    "Equation (6), which is certain",
]
Drift = Annotated[
    float, Between(0, 1000), "how often the change since the last check is expected again"
]
Slack = Annotated[
    float, Between(1, 1000), "for how many checks an action must be safe before it is left out"
]
Thrifty = Annotated[bool, "check only where the time it saves pays for it"]


@dataclass(frozen=True)
class Pruning:
    """How work is saved, and how much caution that takes."""

    kind: PruningKind
    """``partial`` skips what the opponent does not reach, and changes no bit; ``interval`` (Brown &
    Sandholm 2015) and ``total`` (Brown & Sandholm 2017) also leave out actions of bad regret."""
    every: int | float = 0.05
    caution: float = 0.3
    drift: float = 1.0
    slack: float = 1.5
    threshold: float = 0.0
    """``C``: of an average, what is left out may be forgotten if it is below ``C / sqrt(t)``."""
    thrifty: bool = True

    def check_after(self, check: int) -> int:
        """The check that follows one, or the first one after 0.

        >>> Pruning("total", every=10).check_after(20), Pruning("total", every=0.1).check_after(30)
        (30, 33)
        """
        if self.every >= 1:
            return check + int(self.every)
        return max(check + 1, math.ceil(check * (1 + self.every)))


def _partial() -> Pruning:
    return Pruning("partial")


def _interval(
    *,
    every: Every = 0.05,
    caution: Caution = 0.3,
    drift: Drift = 1.0,
    slack: Slack = 1.5,
    thrifty: Thrifty = True,
) -> Pruning:
    return Pruning("interval", every, caution, drift, slack, thrifty=thrifty)


def _total(
    *,
    every: Every = 0.05,
    caution: Caution = 0.3,
    drift: Drift = 1.0,
    slack: Slack = 1.5,
    threshold: Annotated[
        float, Between(0, 1000), "C: averages below C / sqrt(t) of what is left out are forgotten"
    ] = 0.0,
    thrifty: Thrifty = True,
) -> Pruning:
    return Pruning("total", every, caution, drift, slack, threshold, thrifty)


_KINDS = {"partial": _partial, "interval": _interval, "total": _total}


def find_pruning(text: str) -> Pruning | None:
    """The pruning that a text names; nothing for ``none``.

    >>> find_pruning("partial").kind
    'partial'
    >>> find_pruning("total(every=10, threshold=0.1)").every
    10
    """
    call = parse_call(text)
    if call.name == "none" and not call.parameters:
        return None
    if call.name not in _KINDS:
        raise BadInputError(
            f"there is no pruning {shorten(call.name)}{nearest(call.name, ('none', *_KINDS))}"
        )
    make = _KINDS[call.name]
    bound: dict[str, Any] = dict(bind(call, parameters_of(make)))
    pruning = make(**bound)
    if pruning.every >= 1 and pruning.every != int(pruning.every):
        raise BadInputError(
            f"every={pruning.every} is neither a whole number of iterations nor a share below 1"
        )
    if pruning.every == 0:
        raise BadInputError("every=0 leaves no iteration between two checks; give 1 or more")
    return pruning
