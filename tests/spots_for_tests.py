"""What tests of solved spots share."""

from __future__ import annotations

from unittest.mock import patch

import infoset
from infoset.evaluation.public import PublicEvaluation
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.spot import Spot
from infoset.solvers import solving
from infoset.solvers.vector.solver import VectorSolver

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s,76s", "99,AKo:0.25,J8s,65s,33", 100, 250)
TURN = Spot(
    "Td9d6hQc",
    "QQ:0.5,JTs",
    "99,AcJc,8d7d:0.75",
    97,
    131,
    bet_sizes={"bet": "37%, a", "raise": "a"},
)


def spot_solver(spot, recipe, horizon=None, **options):
    """A solver of a spot in public form, at its start."""
    return VectorSolver(form_of_spot(spot), recipe, horizon, **options)


def evaluated(solved):
    """The evaluation of a solver's strategy, or of a solution's."""
    strategy = solved.strategy
    return PublicEvaluation.of(strategy() if callable(strategy) else strategy)


def solved_with_solver(*arguments, **options):
    """What `infoset.solve` returns, and the solver that was behind it."""
    solvers = []
    build = solving.build_solver

    def build_and_keep(*given, **more):
        solvers.append(build(*given, **more))
        return solvers[-1]

    with patch.object(solving, "build_solver", build_and_keep):
        solution = infoset.solve(*arguments, **options)
    return solution, solvers[-1]


def assert_same_run(one, other):
    """Of two pairs of a solution and its solver: nothing differs, to the bit."""
    assert (one[0].iterations, one[0].exploitability, one[0].values) == (
        other[0].iterations,
        other[0].exploitability,
        other[0].values,
    )
    mine, its = one[1].state(), other[1].state()
    assert mine.keys() == its.keys()
    for name, array in mine.items():
        assert array.tobytes() == its[name].tobytes(), name
