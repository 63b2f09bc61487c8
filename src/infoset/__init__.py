"""Find, measure and play equilibria of two-player zero-sum games of imperfect information.

>>> import infoset
>>> game = infoset.game("leduc")
>>> solution = infoset.solve(game, "idcfr+", iterations=200)
>>> solution.strategy["Ks:"]["bet"] > 0.2
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from infoset.doors import door
from infoset.errors import InfosetError
from infoset.version import __version__

if TYPE_CHECKING:
    from infoset.api import (
        best_response,
        compile,
        expected_value,
        exploitability,
        game,
        load,
        solve,
        uniform,
        view,
    )
    from infoset.evaluation import BestResponse
    from infoset.forms import SequenceForm
    from infoset.games.holdem import BetSizes, Lock, Rake, Spot, read_spot
    from infoset.interop import from_open_spiel, read_efg, write_efg
    from infoset.solvers import LocalRule, Recipe, Solution
    from infoset.strategy import Strategy

__all__ = [
    "BestResponse",
    "BetSizes",
    "InfosetError",
    "LocalRule",
    "Lock",
    "Rake",
    "Recipe",
    "SequenceForm",
    "Solution",
    "Spot",
    "Strategy",
    "__version__",
    "best_response",
    "compile",
    "expected_value",
    "exploitability",
    "from_open_spiel",
    "game",
    "load",
    "read_efg",
    "read_spot",
    "solve",
    "uniform",
    "view",
    "write_efg",
]

_PACKAGES = (
    *("cards", "evaluation", "experiments", "explore", "forms", "games"),
    *("interop", "machine", "solvers", "strategy"),
)

_load = door(
    __name__,
    {
        "api": (
            *("best_response", "compile", "expected_value", "exploitability", "game", "load"),
            *("solve", "uniform", "view"),
        ),
        "evaluation": ("BestResponse",),
        "forms": ("SequenceForm",),
        "games.holdem": ("BetSizes", "Lock", "Rake", "Spot", "read_spot"),
        "interop": ("from_open_spiel", "read_efg", "write_efg"),
        "solvers": ("LocalRule", "Recipe", "Solution"),
        "strategy": ("Strategy",),
    },
)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"infoset.{name}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
