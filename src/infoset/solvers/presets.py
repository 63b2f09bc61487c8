"""The algorithms by name: a line and a citation each.

A preset added here is known, with no further change, to `infoset.solve`, to the command line, to
the test against the naive twin, and to the table in the documentation.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

from infoset.calls import Between, Call, Parameter, Value, bind, format_call, parameters_of
from infoset.solvers.local_rules import hedge
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import (
    RegretSchedule,
    discounted,
    floored,
    polynomial,
    ramp,
    summed,
)
from infoset.solvers.traversals import (
    AverageStrategySampling,
    Averaging,
    ChanceSampling,
    ExternalSampling,
    OutcomeSampling,
    PublicChanceSampling,
    RobustSampling,
    Sampled,
    Unsampled,
)

__all__ = ["PRESETS", "Preset"]

Alpha = Annotated[float, "exponent that keeps positive regrets; inf keeps all"]
Beta = Annotated[float, "exponent that keeps negative regrets; -inf keeps none"]
Gamma = Annotated[float, Between(0, 1000), "iteration t counts t**gamma in the average"]
Skip = Annotated[
    int | float | Fraction, Between(0), "iterations left out of the average, or a share of the run"
]


@dataclass(frozen=True)
class Common:
    """Parameters that every preset takes."""

    skip: Skip = 0
    alternating: Annotated[bool, "update the players in turn"] = True


_REGRETS: dict[str, Callable[[], RegretSchedule]] = {
    "summed": summed,
    "floored": floored,
    "linear": lambda: discounted(1.0, 1.0),
    "discounted": discounted,
}
"""What becomes of sampled regrets: regret matching, regret matching+, LCFR's and DCFR's weights."""


@dataclass(frozen=True)
class Sampling:
    """Parameters that every sampled preset takes."""

    b: Annotated[int, Between(1, 10**9), "samples per player and iteration (the mini-batch)"] = 1
    regrets: Annotated[
        Literal["summed", "floored", "linear", "discounted"], "what is kept of past regrets"
    ] = "summed"
    gamma: Annotated[float, Between(0, 100), "iteration t counts t**gamma in the average"] = 0.0
    averaging: Annotated[Averaging, "where samples add to the average"] = "opponent"
    baseline: Annotated[float, Between(0, 1), "how fast baselines learn; 0 has none"] = 0.0

    def recipe(self, traversal: Sampled) -> Recipe:
        """The recipe of a traversal with these parameters."""
        return Recipe(
            _REGRETS[self.regrets](),
            polynomial(self.gamma),
            traversal=traversal,
            batch=self.b,
            averaging=self.averaging,
            baseline=self.baseline or None,
        )


@dataclass(frozen=True)
class Preset:
    """A named algorithm."""

    make: Callable[..., Recipe] | Callable[..., Sampled]
    """A recipe, or the traversal of one that samples."""
    formula: str
    """What becomes of the regrets ``R`` when iteration ``t = s + 1`` brings ``r``; the weight of
    the iteration in the average. Of a traversal: what it samples."""
    citation: str
    use: str
    """When to choose it, in a few words."""
    defaults: Mapping[str, Value] = field(default_factory=dict)
    """Of parameters that it shares with others, where they are its own."""
    is_sampled: bool = False

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters, then those it shares."""
        shared = (*(parameters_of(Sampling) if self.is_sampled else ()), *parameters_of(Common))
        return (
            *parameters_of(self.make),
            *(dataclasses.replace(p, default=self.defaults.get(p.name, p.default)) for p in shared),
        )

    def recipe(self, call: Call) -> tuple[Recipe, str]:
        """The recipe that a text asks for, and the text in canonical form."""
        bound: dict[str, Any] = bind(call, self.parameters)
        defaults = {p.name: p.default for p in self.parameters if p.default is not None}
        name = format_call(Call(call.name, bound), leave_out=defaults)
        own = {p.name: bound.pop(p.name) for p in parameters_of(self.make)}
        common = {p.name: bound.pop(p.name) for p in parameters_of(Common)}
        made = self.make(**own)
        recipe = made if isinstance(made, Recipe) else Sampling(**bound).recipe(made)
        return dataclasses.replace(recipe, **common), name


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


def _hedge(
    *,
    eta: Annotated[float, Between(0, 1e9), "sharpness of the first iteration, per chip"] = 20.0,
    gamma: Gamma = 0.0,
) -> Recipe:
    return Recipe(summed(), polynomial(gamma), rule=hedge(eta))


Epsilon = Annotated[float, Between(0, 1), "share of uniform choices; above 0"]
Sample = Annotated[int, Between(1, 10**9), "actions that are followed from an infoset"]


def _outcome(*, epsilon: Epsilon = 0.6) -> OutcomeSampling:
    return OutcomeSampling(epsilon)


def _robust(
    *,
    k: Sample = 3,
    unsampled: Annotated[Unsampled, "actions not followed: a regret of -v, or none"] = "counted",
) -> RobustSampling:
    return RobustSampling(k, unsampled)


def _average_strategy(
    *,
    epsilon: Annotated[float, Between(0, 1), "least probability of an action; above 0"] = 0.05,
    tau: Annotated[float, Between(0, 1e300), "how much the average counts"] = 1000.0,
    beta: Annotated[float, Between(0, 1e300), "how long all actions are followed"] = 1e6,
    k: Annotated[int, Between(0, 10**9), "if not 0, epsilon is k / number of actions"] = 0,
) -> AverageStrategySampling:
    return AverageStrategySampling(epsilon, tau, beta, k or None)


_LI = "Li, Hu, Qi & Song 2019, Efficient CFR with Instant Updates"
_BROWN = "Brown & Sandholm 2019, Solving Imperfect-Information Games via Discounted Regret"
_XU = "Xu et al. 2024, Minimizing Weighted Counterfactual Regret with Optimistic OMD"
_ZHANG = "Zhang, McAleer & Sandholm 2024, Faster Game Solving via Hyperparameter Schedules"

_LANCTOT = "Lanctot, Waugh, Zinkevich & Bowling 2009, Monte Carlo Sampling for Regret Minimization"
_LI_2020 = "Li, Hu, Zhang, Qi & Song 2020, Double Neural Counterfactual Regret Minimization"

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
        "R' = max(R + r, 0); strategy from R' + r; average t^gamma",
        "Farina, Kroer & Sandholm 2021, Faster Game Solving via Predictive Blackwell",
        "high precision; strong outside poker",
    ),
    "pdcfr+": Preset(
        _predictive_discounted,
        "R' as in dcfr+; strategy from R' + r; average t^gamma",
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
        "max(R + r, 0); average 1; simultaneous updates",
        "Moravcik et al. 2017, DeepStack (supplement)",
        "DeepStack's method; use with skip, as in skip=0.5",
        defaults={"alternating": False},
    ),
    "hedge": Preset(
        _hedge,
        "R + r; weights exp(eta R / sqrt(t)); average t^gamma",
        "Freund & Schapire 1997, A Decision-Theoretic Generalization of On-Line Learning",
        "comparison; every action keeps a probability above zero",
    ),
    "chance-cfr": Preset(
        lambda: ChanceSampling(),
        "one outcome of chance; all actions of both players",
        "Zinkevich et al. 2007; Algorithm 1 of the CFR essay",
        "teaching; games with many chance outcomes and few actions",
        defaults={"alternating": False, "averaging": "stochastic"},
        is_sampled=True,
    ),
    "es-mccfr": Preset(
        lambda: ExternalSampling(),
        "one outcome of chance and one action of the opponent; all of the traverser's",
        _LANCTOT,
        "large games: the first sampled method to try",
        is_sampled=True,
    ),
    "os-mccfr": Preset(
        _outcome,
        "one history; the traverser's actions by (1-epsilon) strategy + epsilon uniform",
        _LANCTOT,
        "games with very many actions; learning from play",
        is_sampled=True,
    ),
    "rs-mccfr": Preset(
        _robust,
        "as es-mccfr, but k of the traverser's actions, uniformly without replacement",
        _LI_2020,
        "many actions; mini-batches on all cores",
        defaults={"b": 100},
        is_sampled=True,
    ),
    "rs-mccfr+": Preset(
        _robust,
        "as rs-mccfr; max(R + r, 0); average t^gamma",
        _LI_2020,
        "the baseline of double neural CFR",
        defaults={"b": 100, "regrets": "floored", "gamma": 1.0},
        is_sampled=True,
    ),
    "as-mccfr": Preset(
        _average_strategy,
        "as es-mccfr, but each action with probability max(epsilon, (beta + tau s(a)) / "
        "(beta + sum s))",
        "Gibson, Burch, Lanctot & Szafron 2012, Efficient Monte Carlo CFR in Games with Many "
        "Player Actions",
        "many actions of which few matter",
        is_sampled=True,
    ),
    "pcs-mccfr": Preset(
        lambda: PublicChanceSampling(),
        "one outcome of public chance; all hands and actions",
        "Johanson et al. 2012, Efficient Nash Equilibrium Approximation through Monte Carlo CFR",
        "games with public cards and few hands",
        defaults={"averaging": "stochastic"},
        is_sampled=True,
    ),
    "vr-mccfr": Preset(
        _outcome,
        "as os-mccfr, with baselines as control variates: less variance, same expectation",
        "Schmid et al. 2019, Variance Reduction in Monte Carlo CFR using Baselines",
        "where outcome sampling is too noisy",
        defaults={"baseline": 0.5},
        is_sampled=True,
    ),
}
