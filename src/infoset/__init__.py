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
        solve_spot,
        uniform,
    )
    from infoset.evaluation import BestResponse
    from infoset.interop import from_open_spiel, read_efg, write_efg
    from infoset.solvers.recipe import Recipe
    from infoset.solvers.solution import Solution
    from infoset.spots import Lock, Spot, read_spot
    from infoset.strategy import Strategy
    from infoset.trees import Tree
    from infoset.vector.solution import SpotSolution

__all__ = [
    "BestResponse",
    "InfosetError",
    "Lock",
    "Recipe",
    "Solution",
    "Spot",
    "SpotSolution",
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
    "solve_spot",
    "uniform",
    "write_efg",
]

# Loaded when first asked for: the compiler behind the kernels takes half a second to import, and
# `infoset --help` has no use for it.
_HOME = {
    "BestResponse": "evaluation",
    "Lock": "spots",
    "Recipe": "solvers.recipe",
    "Solution": "solvers.solution",
    "Spot": "spots",
    "SpotSolution": "vector.solution",
    "Strategy": "strategy",
    "Tree": "trees",
    "best_response": "api",
    "compile": "api",
    "expected_value": "api",
    "exploitability": "api",
    "from_open_spiel": "interop",
    "game": "api",
    "load": "api",
    "read_efg": "interop",
    "read_spot": "spots",
    "solve": "api",
    "solve_spot": "api",
    "uniform": "api",
    "write_efg": "interop",
}
_PACKAGES = ("evaluation", "experiments", "games", "interop", "solvers", "spots", "trees", "vector")


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
