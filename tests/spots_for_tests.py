"""What tests of solved spots share."""

from __future__ import annotations

from infoset.evaluation.public import PublicEvaluation
from infoset.forms.spot_form import form_of_spot
from infoset.solvers.vector.solver import VectorSolver


def spot_solver(spot, recipe, horizon=None, **options):
    """A solver of a spot in public form, at its start."""
    return VectorSolver(form_of_spot(spot), recipe, horizon, **options)


def evaluated(solved):
    """The evaluation of a solver's strategy, or of a solution's."""
    strategy = solved.strategy
    return PublicEvaluation.of(strategy() if callable(strategy) else strategy)
