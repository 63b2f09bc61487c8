"""From the text of an algorithm to a solver on a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from infoset.calls import Call, Parameter, bind, format_call, parameters_of, parse_call
from infoset.errors import BadInputError, nearest, shorten
from infoset.forms import Tree
from infoset.solvers.iterates import Iterates
from infoset.solvers.limits import Limits
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.dense import SampledSolver
from infoset.solvers.sequence.regret import RegretSolver
from infoset.strategy import Strategy

__all__ = ["CUSTOM", "Algorithm", "Solver", "find_algorithm", "known_algorithms"]

Floats = NDArray[np.float64]

CUSTOM = "custom recipe"
"""What a recipe without a name is called in results and files."""


class Solver(Iterates, Protocol):
    """What a run on a tree asks of a solver, whatever it does inside."""

    tree: Tree

    def plans(self) -> tuple[Floats, Floats]:
        """The plans so far, in lanes."""

    def strategy(self) -> Strategy:
        """The strategy so far."""

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next."""

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays of the solver."""


class Build(Protocol):
    """Puts an algorithm on a tree; only samplers care for the seed and the threads."""

    def __call__(self, tree: Tree, limits: Limits, *, seed: int = 0, threads: int = 1) -> Solver:
        """The solver, at its start."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with its parameters settled, ready to be put on any tree."""

    name: str
    """The text that asks for it, in canonical form."""
    build: Build
    check: Callable[[int | None], None]
    """Raises what is wrong with a run of that length, before any game is compiled."""
    recipe: Recipe | None = None
    """Of a regret minimiser."""

    @property
    def is_sampled(self) -> bool:
        """Whether it walks samples of the game, so that a seed makes a difference."""
        return self.recipe is not None and self.recipe.is_sampled

    @property
    def depends_on_length(self) -> bool:
        """Whether the first iterations of a run depend on how long it will be."""
        try:
            self.check(None)
        except BadInputError:
            return True
        return False


@dataclass(frozen=True)
class KnownAlgorithm:
    """A line of the table of algorithms."""

    name: str
    parameters: tuple[Parameter, ...]
    formula: str
    citation: str
    use: str
    is_sampled: bool = False


def _xfp(*, alternating: bool = False) -> None:
    """Parameters of extensive-form fictitious play."""


_OTHERS = {
    "xfp": KnownAlgorithm(
        "xfp",
        parameters_of(_xfp),
        "average + (best response - average) / (t + 1)",
        "Heinrich, Lanctot & Silver 2015, Fictitious Self-Play in Extensive-Form Games",
        "comparison; best responses only, slow to converge",
    ),
    "lp": KnownAlgorithm(
        "lp",
        (),
        "maximise the value of a plan against its best response",
        "Koller, Megiddo & von Stengel 1996, Efficient Computation of Equilibria",
        "an exact equilibrium of a game with up to some ten thousand sequences",
    ),
}


def known_algorithms() -> tuple[KnownAlgorithm, ...]:
    """Everything `find_algorithm` knows, presets first."""
    presets = [
        KnownAlgorithm(
            name,
            preset.parameters,
            preset.formula,
            preset.citation,
            preset.use,
            preset.is_sampled,
        )
        for name, preset in PRESETS.items()
    ]
    return (*presets, *_OTHERS.values())


def find_algorithm(algorithm: str | Recipe) -> Algorithm:
    """The algorithm that a text names, or that a recipe of one's own describes.

    >>> find_algorithm("dcfr(alpha=1.5, beta=-inf)").name
    'dcfr(beta=-inf)'
    >>> find_algorithm("drcf")
    Traceback (most recent call last):
    infoset.errors.BadInputError: there is no algorithm 'drcf'; did you mean 'dcfr'? Known: \
as-mccfr, cfr, cfr+, chance-cfr, dcfr, dcfr+, es-mccfr, hs-dcfr, hs-pcfr+, hybrid-cfr+, icfr, \
icfr+, idcfr, idcfr+, lcfr, lp, os-mccfr, pcfr+, pcs-mccfr, pdcfr+, rs-mccfr, rs-mccfr+, vr-mccfr, \
xfp
    """
    if isinstance(algorithm, Recipe):
        return _from_recipe(algorithm, CUSTOM)
    call = parse_call(algorithm)
    if call.name in PRESETS:
        return _from_recipe(*PRESETS[call.name].recipe(call))
    if call.name not in _OTHERS:
        known = [*PRESETS, *_OTHERS]
        raise BadInputError(
            f"there is no algorithm {shorten(call.name)}{nearest(call.name, known)}"
        )
    known_other = _OTHERS[call.name]
    bound = bind(call, known_other.parameters)
    defaults = {p.name: p.default for p in known_other.parameters if p.default is not None}
    name = format_call(Call(call.name, bound), leave_out=defaults)
    if call.name == "lp":
        return Algorithm(name, _build_lp, lambda _: None)
    return Algorithm(name, partial(_build_xfp, bool(bound["alternating"])), lambda _: None)


def _build_lp(tree: Tree, limits: Limits, *, seed: int = 0, threads: int = 1) -> Solver:
    # Imported here: HiGHS is loaded only by those who use it.
    from infoset.solvers.exact.linear_program import LinearProgramSolver

    return LinearProgramSolver(tree, seconds=limits.seconds)


def _build_xfp(
    alternating: bool, tree: Tree, limits: Limits, *, seed: int = 0, threads: int = 1
) -> Solver:
    from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver

    return FictitiousPlaySolver(tree, alternating=alternating)


def _from_recipe(recipe: Recipe, name: str) -> Algorithm:
    def build(tree: Tree, limits: Limits, *, seed: int = 0, threads: int = 1) -> Solver:
        if recipe.is_sampled:
            return SampledSolver(tree, recipe, limits.iterations, seed=seed, threads=threads)
        return RegretSolver(tree, recipe, limits.iterations)

    return Algorithm(name, build, recipe.check, recipe)
