"""From a request to a solution, for every algorithm: also those that train networks."""

from __future__ import annotations

import importlib.util
from typing import Any

from infoset import resolving, solvers
from infoset.errors import BadInputError, MissingExtraError
from infoset.forms import SequenceForm, compile_game
from infoset.games import make
from infoset.solvers import (
    Made,
    NeuralFictitiousPlay,
    NeuralRecipe,
    Request,
    Solution,
    Solver,
    find_algorithm,
)


def run(request: Request) -> Solution:
    """Solve what is asked for, until a limit is reached or Ctrl-C is pressed."""
    if request.algorithm.neural is None:
        return resolving.run(request)
    for package in ("torch", "safetensors"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, "neural", f"{request.algorithm.name!r}")
    return solvers.run(request, _make)


def _make(request: Request) -> Made:
    """The form that a request is solved in, and its solver."""
    form = solvers.find_form(request)
    if not isinstance(form, SequenceForm):
        raise BadInputError(
            f"{request.algorithm.name!r} needs the game in sequence form, and {request.rules!r} is "
            "solved in another"
        )
    assert request.algorithm.neural is not None
    request.announce(solvers.KERNELS)
    _warm_up(request.algorithm.neural)
    request.announce("preparing networks")
    seed, threads = request.seed or 0, request.threads
    return form, neural_solver(
        form, request.rules, request.algorithm.neural, seed=seed, threads=threads
    )


def _warm_up(recipe: NeuralRecipe) -> None:
    """Have the kernels compiled (or loaded from the cache) before anything is timed."""
    if isinstance(recipe, NeuralFictitiousPlay):
        rules = make("rps")
        small = neural_solver(compile_game(rules), rules, NeuralFictitiousPlay(b=1))
        small.run(1)
        small.evaluate()
    else:
        solvers.warm_up("sequence", find_algorithm("es-mccfr"))


def neural_solver(
    form: SequenceForm, rules: Any, recipe: NeuralRecipe, *, seed: int = 0, threads: int = 1
) -> Solver:
    """The solver of a neural recipe, at its start; ``rules`` are what the form was made of."""
    # Imported here: torch takes seconds, and is an extra.
    from infoset.neural.fictitious_play import NeuralFictitiousPlaySolver
    from infoset.neural.neural_cfr import NeuralCFRSolver

    seed %= 2**62
    if isinstance(recipe, NeuralFictitiousPlay):
        return NeuralFictitiousPlaySolver(form, rules, recipe, seed=seed)
    return NeuralCFRSolver(form, rules, recipe, seed=seed, threads=threads)
