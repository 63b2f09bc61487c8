"""Find the algorithm that a text names: a recipe, or one without a recipe (``xfp``, ``lp``)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from infoset.calls import Between, parse_call
from infoset.errors import BadInputError, nearest, shorten
from infoset.solvers.neural_presets import NEURAL
from infoset.solvers.neural_recipes import NeuralRecipe
from infoset.solvers.presets import PRESETS, Preset
from infoset.solvers.recipe import Recipe

CUSTOM = "custom recipe"
"""What a recipe without a name is called in results and files."""


@dataclass(frozen=True)
class Nested:
    """What CFR-D is made of (see `infoset.resolving`)."""

    trunk: Recipe
    subgame: Recipe
    iterations: int
    """Of every subgame, in every iteration of the trunk."""
    at: str
    """Where the game is cut; nothing is where its last round begins."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with its parameters, ready to be put on any form that it fits."""

    name: str
    """The text that asks for it, in canonical form."""
    recipe: Recipe | None = None
    """Of a regret minimiser."""
    alternating: bool = False
    """Of fictitious play."""
    nested: Nested | None = None
    """Of CFR-D."""
    neural: NeuralRecipe | None = None
    """Of a solver that trains networks (see `infoset.neural`)."""

    @property
    def is_exact(self) -> bool:
        """Whether it is the linear program."""
        return self.name == "lp"

    @property
    def is_sampled(self) -> bool:
        """Whether it walks samples of the game, so that a seed makes a difference."""
        return self.neural is not None or (self.recipe is not None and self.recipe.is_sampled)

    def check(self, horizon: int | None) -> None:
        """Raise what is wrong with a run of that length, before any form is made."""
        recipe = self.recipe if self.nested is None else self.nested.trunk
        if recipe is not None:
            recipe.check(horizon)

    @property
    def depends_on_length(self) -> bool:
        """Whether the first iterations of a run depend on how long it will be."""
        try:
            self.check(None)
        except BadInputError:
            return True
        return False


def _fictitious_play(*, alternating: bool = False) -> Algorithm:
    return Algorithm("xfp", alternating=alternating)


def _cfr_d(
    *,
    trunk: Annotated[str, "the algorithm of the trunk"] = "cfr+",
    subgame: Annotated[str, "the algorithm of the subgames"] = "cfr+",
    k: Annotated[int, Between(1, 10**9), "iterations of every subgame in each of the trunk"] = 100,
    at: Annotated[str, "where to cut, as in 'round=2' or 'depth=1'; its last round if empty"] = "",
) -> Algorithm:
    recipes = find_recipe(trunk), find_recipe(subgame)
    for recipe in recipes:
        if recipe.is_sampled:
            raise BadInputError("cfr-d needs algorithms that do not sample, such as 'cfr+'")
    recipes[1].check(k)
    return Algorithm("cfr-d", nested=Nested(*recipes, k, at))


_OTHERS = {
    "cfr-d": Preset(
        _cfr_d,
        "a trunk whose leaves are subgames, solved anew in every iteration and thrown away",
        "Burch, Johanson & Bowling 2014, Solving Imperfect Information Games Using Decomposition",
        "games whose tables do not fit into memory; far slower where they do",
        shared=(),
    ),
    "xfp": Preset(
        _fictitious_play,
        "average + (best response - average) / (t + 1)",
        "Heinrich, Lanctot & Silver 2015, Fictitious Self-Play in Extensive-Form Games",
        "comparison; best responses only, slow to converge",
        shared=(),
    ),
    "lp": Preset(
        lambda: Algorithm("lp"),
        "maximise the value of a plan against its best response",
        "Koller, Megiddo & von Stengel 1996, Efficient Computation of Equilibria",
        "an exact equilibrium of a game with up to some ten thousand sequences",
        shared=(),
    ),
}
"""Algorithms without a recipe."""


def known_algorithms() -> dict[str, Preset]:
    """Everything `find_algorithm` knows, presets first."""
    return PRESETS | _OTHERS | NEURAL


def find_algorithm(algorithm: str | Recipe) -> Algorithm:
    """The algorithm that a text names, or that a recipe of one's own describes.

    >>> find_algorithm("dcfr(alpha=1.5, beta=-inf)").name
    'dcfr(beta=-inf)'
    >>> find_algorithm("drcf")
    Traceback (most recent call last):
    infoset.errors.BadInputError: there is no algorithm 'drcf'; did you mean 'dcfr'? Known: \
as-mccfr, cfr, cfr+, cfr-d, chance-cfr, dcfr, dcfr+, deep-cfr, dncfr, dncfr-paper, dream, \
es-mccfr, escher, hedge, hs-dcfr, hs-pcfr+, hybrid-cfr+, icfr, icfr+, idcfr, idcfr+, lcfr, lp, \
nfsp, os-mccfr, pcfr+, pcs-mccfr, pdcfr+, rs-mccfr, rs-mccfr+, sd-cfr, vr-mccfr, xfp
    """
    if isinstance(algorithm, Recipe):
        return Algorithm(CUSTOM, algorithm)
    call = parse_call(algorithm)
    known = known_algorithms()
    if call.name not in known:
        raise BadInputError(
            f"there is no algorithm {shorten(call.name)}{nearest(call.name, known)}"
        )
    if call.name in PRESETS:
        recipe, name = PRESETS[call.name].recipe(call)
        return Algorithm(name, recipe)
    parameters, name = known[call.name].bind(call)
    made = known[call.name].make(**parameters)
    if call.name in NEURAL:
        return Algorithm(name, neural=made)
    other: Algorithm = replace(made, name=name)
    return other


def find_recipe(algorithm: str) -> Recipe:
    """The recipe of a preset, with its parameters.

    >>> find_recipe("cfr+").alternating
    True
    """
    recipe = find_algorithm(algorithm).recipe
    if recipe is None:
        raise BadInputError(f"{shorten(algorithm)} is no regret minimiser, so it has no recipe")
    return recipe
