"""The ways to re-solve a subgame, and what they need."""

from __future__ import annotations

from typing import Literal, get_args

from infoset.errors import BadInputError, nearest

Method = Literal["gadget", "unsafe", "max-margin", "reach"]
"""How a subgame is re-solved for a player:

- ``gadget``: the opponent may take, for each cell, what he could win there before, or play on
  (Burch, Johanson & Bowling 2014). Never more exploitable than before.
- ``max-margin``: he chooses the cell, and what he wins counts from what he could win there before:
  the smallest gain on him, over all cells, is made as large as it can be (Moravcik et al. 2016).
- ``reach``: as ``max-margin``, but a cell may be worth as much more as he gave up on his way there
  (Brown & Sandholm 2017).
- ``unsafe``: both players' ranges are taken for granted, and nothing keeps the result from being
  exploitable (Ganzfried & Sandholm 2013).
"""

METHODS: tuple[Method, ...] = get_args(Method)


def check_method(method: str) -> Method:
    """A method by its name."""
    if method not in METHODS:
        raise BadInputError(f"there is no method {method!r}{nearest(str(method), METHODS)}")
    return method
