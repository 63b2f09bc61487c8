"""What an iteration may leave out: the ``pruning=`` part of a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from infoset.calls import bind, parameters_of, parse_call
from infoset.errors import BadInputError, nearest, shorten

PruningKind = Literal["partial", "interval", "total"]


@dataclass(frozen=True)
class Pruning:
    """How work is saved, and how much caution that takes."""

    kind: PruningKind
    """``partial`` skips what the opponent does not reach, and changes no bit; ``interval`` (Brown &
    Sandholm 2015) and ``total`` (Brown & Sandholm 2017) also skip actions of bad regret."""


def _partial() -> Pruning:
    return Pruning("partial")


_KINDS = {"partial": _partial}


def find_pruning(text: str) -> Pruning | None:
    """The pruning that a text names; nothing for ``none``.

    >>> find_pruning("partial").kind
    'partial'
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
    return make(**bound)
