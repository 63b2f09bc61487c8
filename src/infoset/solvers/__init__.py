"""Solvers: the contract, recipes and presets, the loop, solutions; one folder for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infoset.doors import door

if TYPE_CHECKING:
    from infoset.solvers.algorithms import (
        Algorithm,
        find_algorithm,
        find_recipe,
        known_algorithms,
    )
    from infoset.solvers.contract import Solver
    from infoset.solvers.limits import Limits
    from infoset.solvers.local_rules import REGRET_MATCHING, LocalRule, hedge
    from infoset.solvers.loop import Progress
    from infoset.solvers.recipe import Recipe
    from infoset.solvers.request import Request, make_request
    from infoset.solvers.solution import Solution, UnsavedError
    from infoset.solvers.solving import build_solver, run

__all__ = [
    "REGRET_MATCHING",
    "Algorithm",
    "Limits",
    "LocalRule",
    "Progress",
    "Recipe",
    "Request",
    "Solution",
    "Solver",
    "UnsavedError",
    "build_solver",
    "find_algorithm",
    "find_recipe",
    "hedge",
    "known_algorithms",
    "make_request",
    "run",
]

__getattr__ = door(
    __name__,
    {
        "algorithms": ("Algorithm", "find_algorithm", "find_recipe", "known_algorithms"),
        "contract": ("Solver",),
        "limits": ("Limits",),
        "local_rules": ("REGRET_MATCHING", "LocalRule", "hedge"),
        "loop": ("Progress",),
        "recipe": ("Recipe",),
        "request": ("Request", "make_request"),
        "solution": ("Solution", "UnsavedError"),
        "solving": ("build_solver", "run"),
    },
)
