"""The algorithms by name: a line and a citation each.

A preset added here is known, with no further change, to `infoset.solve`, to the command line, to
the test against the naive twin, and to the table in the documentation.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from infoset.calls import Between, Call, Parameter, bind, format_call, parameters_of
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted, floored, polynomial, ramp, summed

__all__ = ["PRESETS", "Preset"]

Alpha = Annotated[float, "exponent that keeps positive regrets; inf keeps all"]
Beta = Annotated[float, "exponent that keeps negative regrets; -inf keeps none"]
Gamma = Annotated[float, Between(0, 1000), "iteration t counts t**gamma in the average"]
Skip = Annotated[
    int | float | Fraction, Between(0), "iterations left out of the average, or a share of the run"
]


def _common(
    *,
    skip: Skip = 0,
    alternating: Annotated[bool, "update the players in turn"] = True,
) -> None:
    """Parameters that every preset takes."""


@dataclass(frozen=True)
class Preset:
    """A named algorithm."""

    make: Callable[..., Recipe]
    formula: str
    """What becomes of the regrets ``R`` when iteration ``t = s + 1`` brings ``r``; the weight of
    the iteration in the average."""
    citation: str
    use: str
    """When to choose it, in a few words."""
    alternating: bool = True

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters, then those every preset takes."""
        skip, alternating = parameters_of(_common)
        own = parameters_of(self.make)
        return (*own, skip, dataclasses.replace(alternating, default=self.alternating))

    def recipe(self, call: Call) -> tuple[Recipe, str]:
        """The recipe that a text asks for, and the text in canonical form."""
        bound: dict[str, Any] = bind(call, self.parameters)
        common = {name: bound.pop(name) for name in ("skip", "alternating")}
        recipe = dataclasses.replace(self.make(**bound), **common)
        defaults = {p.name: p.default for p in self.parameters if p.default is not None}
        return recipe, format_call(Call(call.name, {**bound, **common}), leave_out=defaults)


# Signatures, for typed parameters; the presets below are then one line each.


def _discounted(*, alpha: Alpha = 1.5, beta: Beta = 0.0, gamma: Gamma = 2.0) -> Recipe:
    return Recipe(discounted(alpha, beta), polynomial(gamma))


def _discounted_floored(*, alpha: Alpha = 1.5, gamma: Gamma = 4.0) -> Recipe:
    return Recipe(discounted(alpha, -math.inf, floor=0.0), polynomial(gamma))


def _instant_discounted(*, alpha: Alpha = 1.5, beta: Beta = 0.0, gamma: Gamma = 2.0) -> Recipe:
    return dataclasses.replace(_discounted(alpha=alpha, beta=beta, gamma=gamma), instant=True)


def _instant_floored(*, alpha: Alpha = 1.5, gamma: Gamma = 2.0) -> Recipe:
    return dataclasses.replace(_discounted_floored(alpha=alpha, gamma=gamma), instant=True)


def _predictive(*, gamma: Gamma = 2.0) -> Recipe:
    return Recipe(floored(), polynomial(gamma), predictive=True)


def _predictive_discounted(*, alpha: Alpha = 2.3, gamma: Gamma = 5.0) -> Recipe:
    return Recipe(discounted(alpha, -math.inf, 0.0), polynomial(gamma), predictive=True)


def _scheduled(*, gamma: Gamma = 30.0) -> Recipe:
    return Recipe(discounted(ramp(1, 4), ramp(-1, -3)), polynomial(ramp(gamma, gamma - 5)))


def _scheduled_predictive(*, gamma: Gamma = 30.0) -> Recipe:
    return Recipe(floored(), polynomial(ramp(gamma, gamma - 5)), predictive=True)


def _linear(*, gamma: Gamma = 1.0) -> Recipe:
    return Recipe(floored(), polynomial(gamma))


_LI = "Li, Hu, Qi & Song 2019, Efficient CFR with Instant Updates"
_BROWN = "Brown & Sandholm 2019, Solving Imperfect-Information Games via Discounted Regret"
_XU = "Xu et al. 2024, Minimizing Weighted Counterfactual Regret with Optimistic OMD"
_ZHANG = "Zhang, McAleer & Sandholm 2024, Faster Game Solving via Hyperparameter Schedules"

PRESETS: dict[str, Preset] = {
    "cfr": Preset(
        lambda: Recipe(),
        "R + r; average 1",
        "Zinkevich et al. 2007, Regret Minimization in Games with Incomplete Information",
        "the baseline; alternating=false is the original",
    ),
    "cfr+": Preset(
        _linear,
        "max(R + r, 0); average t^gamma",
        "Tammelin 2014, Solving Large Imperfect Information Games Using CFR+",
        "robust in every game",
    ),
    "lcfr": Preset(
        lambda: Recipe(discounted(1.0, 1.0), polynomial(1)),
        "R s/(s+1) + r; average t",
        _BROWN,
        "games with a few very costly mistakes",
    ),
    "dcfr": Preset(
        _discounted,
        "R+ s^alpha/(s^alpha+1) + R- s^beta/(s^beta+1) + r; average t^gamma",
        _BROWN,
        "a good default for poker",
    ),
    "dcfr+": Preset(
        _discounted_floored,
        "max(R s^alpha/(s^alpha+1) + r, 0); average t^gamma",
        _XU,
        "discounting with regret matching+",
    ),
    "icfr": Preset(
        lambda: Recipe(summed(), polynomial(0), instant=True),
        "as cfr; parents see the new strategy",
        _LI,
        "the effect of instant updates alone",
    ),
    "icfr+": Preset(
        lambda: Recipe(floored(), polynomial(1), instant=True),
        "as cfr+; parents see the new strategy",
        _LI,
        "instant updates on CFR+",
    ),
    "idcfr": Preset(
        _instant_discounted,
        "as dcfr; parents see the new strategy",
        _LI,
        "instant updates on DCFR",
    ),
    "idcfr+": Preset(
        _instant_floored,
        "as dcfr+ with gamma 2; parents see the new strategy",
        _LI,
        "the fastest here in many poker games; try it first",
    ),
    "pcfr+": Preset(
        _predictive,
        "max(R + r, 0), matched after one more r; average t^gamma",
        "Farina, Kroer & Sandholm 2021, Faster Game Solving via Predictive Blackwell",
        "high precision; strong outside poker",
    ),
    "pdcfr+": Preset(
        _predictive_discounted,
        "as dcfr+, matched after one more r; average t^gamma",
        _XU,
        "high precision in long runs",
    ),
    "hs-dcfr": Preset(
        _scheduled,
        "dcfr; alpha 1 to 4, beta -1 to -3, gamma to gamma-5 over the run",
        _ZHANG,
        "a run of known length",
    ),
    "hs-pcfr+": Preset(
        _scheduled_predictive,
        "pcfr+; gamma to gamma-5 over the run",
        _ZHANG,
        "a run of known length, outside poker",
    ),
    "hybrid-cfr+": Preset(
        lambda: Recipe(floored(), polynomial(0)),
        "max(R + r, 0); average 1; both players at once",
        "Moravcik et al. 2017, DeepStack (supplement)",
        "what DeepStack ran; give it a skip, as in skip=0.5",
        alternating=False,
    ),
}
