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
    from infoset.forms import Tree
    from infoset.games.holdem.locks import Lock
    from infoset.games.holdem.spot import Spot
    from infoset.games.holdem.spot_files import read_spot
    from infoset.interop import from_open_spiel, read_efg, write_efg
    from infoset.solvers.recipe import Recipe
    from infoset.solvers.solution import Solution
    from infoset.strategy import Strategy

__all__ = [
    "BestResponse",
    "InfosetError",
    "Lock",
    "Recipe",
    "Solution",
    "Spot",
    "Strategy",
    "Tree",
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

# Loaded when first asked for: the compiler behind the kernels takes half a second to import, and
# `infoset --help` has no use for it.
_HOME = {
    "BestResponse": "evaluation",
    "Lock": "games.holdem",
    "Recipe": "solvers.recipe",
    "Solution": "solvers.solution",
    "Spot": "games.holdem",
    "Strategy": "strategy",
    "Tree": "forms",
    "best_response": "api",
    "compile": "api",
    "expected_value": "api",
    "exploitability": "api",
    "from_open_spiel": "interop",
    "game": "api",
    "load": "api",
    "read_efg": "interop",
    "read_spot": "games.holdem",
    "solve": "api",
    "uniform": "api",
    "view": "api",
    "write_efg": "interop",
}
_PACKAGES = (
    *("cards", "evaluation", "experiments", "explore", "forms", "games"),
    *("interop", "machine", "solvers", "strategy"),
)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return importlib.import_module(f"infoset.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'infoset' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"infoset.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
