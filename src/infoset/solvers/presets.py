"""The algorithms by name: a line and a citation each.

A preset added here is known, with no further change, to `infoset.solve`, to the command line, to
the test against the naive twin, and to the table in the documentation.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

from infoset.calls import Between, Call, Parameter, Value, bind, format_call, parameters_of
from infoset.solvers.local_rules import hedge
from infoset.solvers.pruning import find_pruning
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted, floored, polynomial, ramp, summed
from infoset.solvers.traversals import (
    AverageStrategySampling,
    Averaging,
    ChanceSampling,
    ExternalSampling,
    OutcomeSampling,
    PublicChanceSampling,
    RobustSampling,
    Sampled,
)

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


@dataclass(frozen=True)
class Walking:
    """Parameters that every preset takes which walks the whole game."""

    pruning: Annotated[str, "what an iteration leaves out: none, partial, interval or total"] = (
        "none"
    )


_REGRETS = {
    "summed": summed(),
    "floored": floored(),
    "linear": discounted(1.0, 1.0),
    "discounted": discounted(),
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
            _REGRETS[self.regrets],
            polynomial(self.gamma),
            traversal=traversal,
            batch=self.b,
            averaging=self.averaging,
            baseline=self.baseline or None,
        )


@dataclass(frozen=True)
class Preset:
    """A named algorithm."""

    make: Callable[..., Any]
    """A recipe, or the traversal of one that samples."""
    formula: str
    """What becomes of the regrets ``R`` when iteration ``t = s + 1`` brings ``r``; the weight of
    the iteration in the average. Of a traversal: what it samples."""
    citation: str
    use: str
    """When to choose it, in a few words."""
    defaults: Mapping[str, Value] = field(default_factory=dict)
    """Of parameters whose defaults are its own."""
    parts: Mapping[str, bool] = field(default_factory=dict)
    """Parts of the recipe that `make` leaves as they are."""
    shared: tuple[Callable[..., Any], ...] = (Common, Walking)
    """The parameters that it shares with others."""

    @property
    def is_sampled(self) -> bool:
        """Whether it walks samples of the game."""
        return Sampling in self.shared

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its own parameters, then those it shares."""
        return tuple(
            dataclasses.replace(p, default=self.defaults.get(p.name, p.default))
            for source in (self.make, *self.shared)
            for p in parameters_of(source)
        )

    def bind(self, call: Call) -> tuple[dict[str, Any], str]:
        """The parameters that a text asks for, and the text in canonical form."""
        bound = bind(call, self.parameters)
        defaults = {p.name: p.default for p in self.parameters if p.default is not None}
        return dict(bound), format_call(Call(call.name, bound), leave_out=defaults)

    def recipe(self, call: Call) -> tuple[Recipe, str]:
        """The recipe that a text asks for, and the text in canonical form."""
        bound, name = self.bind(call)
        own = {p.name: bound.pop(p.name) for p in parameters_of(self.make)}
        common = {p.name: bound.pop(p.name) for p in parameters_of(Common)}
        made = self.make(**own)
        if self.is_sampled:
            recipe = Sampling(**bound).recipe(made)
        else:
            recipe = dataclasses.replace(made, pruning=find_pruning(bound["pruning"]))
        changes: dict[str, Any] = {**common, **self.parts}
        return dataclasses.replace(recipe, **changes), name


_sampled = functools.partial(Preset, shared=(Sampling, Common))
"""A preset whose `make` is the traversal."""


# Signatures, for typed parameters; the presets below are then one line each.


def _discounted(*, alpha: Alpha = 1.5, beta: Beta = 0.0, gamma: Gamma = 2.0) -> Recipe:
    return Recipe(discounted(alpha, beta), polynomial(gamma))


def _discounted_floored(*, alpha: Alpha = 1.5, gamma: Gamma = 2.0) -> Recipe:
    return Recipe(discounted(alpha, -math.inf, floor=0.0), polynomial(gamma))


def _floored(*, gamma: Gamma = 1.0) -> Recipe:
    return Recipe(floored(), polynomial(gamma))


def _scheduled(*, gamma: Gamma = 30.0) -> Recipe:
    return Recipe(discounted(ramp(1, 4), ramp(-1, -3)), polynomial(ramp(gamma, gamma - 5)))


def _scheduled_floored(*, gamma: Gamma = 30.0) -> Recipe:
    return Recipe(floored(), polynomial(ramp(gamma, gamma - 5)))


def _hedge(
    *,
    eta: Annotated[float, Between(0, 1e9), "sharpness of the first iteration, per chip"] = 20.0,
    gamma: Gamma = 0.0,
) -> Recipe:
    return Recipe(summed(), polynomial(gamma), rule=hedge(eta))


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
        _floored,
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
        defaults={"gamma": 4.0},
    ),
    "icfr": Preset(
        lambda: Recipe(),
        "as cfr; parents see the new strategy",
        _LI,
        "the effect of instant updates alone",
        parts={"instant": True},
    ),
    "icfr+": Preset(
        lambda: _floored(),
        "as cfr+; parents see the new strategy",
        _LI,
        "instant updates on CFR+",
        parts={"instant": True},
    ),
    "idcfr": Preset(
        _discounted,
        "as dcfr; parents see the new strategy",
        _LI,
        "instant updates on DCFR",
        parts={"instant": True},
    ),
    "idcfr+": Preset(
        _discounted_floored,
        "as dcfr+ with gamma 2; parents see the new strategy",
        _LI,
        "the fastest here in many poker games; try it first",
        parts={"instant": True},
    ),
    "pcfr+": Preset(
        _floored,
        "R' = max(R + r, 0); strategy from R' + r; average t^gamma",
        "Farina, Kroer & Sandholm 2021, Faster Game Solving via Predictive Blackwell",
        "high precision; strong outside poker",
        defaults={"gamma": 2.0},
        parts={"predictive": True},
    ),
    "pdcfr+": Preset(
        _discounted_floored,
        "R' as in dcfr+; strategy from R' + r; average t^gamma",
        _XU,
        "high precision in long runs",
        defaults={"alpha": 2.3, "gamma": 5.0},
        parts={"predictive": True},
    ),
    "hs-dcfr": Preset(
        _scheduled,
        "dcfr; alpha 1 to 4, beta -1 to -3, gamma to gamma-5 over the run",
        _ZHANG,
        "a run of known length",
    ),
    "hs-pcfr+": Preset(
        _scheduled_floored,
        "pcfr+; gamma to gamma-5 over the run",
        _ZHANG,
        "a run of known length, outside poker",
        parts={"predictive": True},
    ),
    "hybrid-cfr+": Preset(
        lambda: _floored(gamma=0.0),
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
    "chance-cfr": _sampled(
        ChanceSampling,
        "one outcome of chance; all actions of both players",
        "Zinkevich et al. 2007; Algorithm 1 of the CFR essay",
        "teaching; games with many chance outcomes and few actions",
        defaults={"alternating": False, "averaging": "stochastic"},
    ),
    "es-mccfr": _sampled(
        ExternalSampling,
        "one outcome of chance and one action of the opponent; all of the traverser's",
        _LANCTOT,
        "large games: the first sampled method to try",
    ),
    "os-mccfr": _sampled(
        OutcomeSampling,
        "one history; the traverser's actions by (1-epsilon) strategy + epsilon uniform",
        _LANCTOT,
        "games with very many actions; learning from play",
    ),
    "rs-mccfr": _sampled(
        RobustSampling,
        "as es-mccfr, but k of the traverser's actions, uniformly without replacement",
        _LI_2020,
        "many actions; mini-batches on all cores",
        defaults={"b": 100},
    ),
    "rs-mccfr+": _sampled(
        RobustSampling,
        "as rs-mccfr; max(R + r, 0); average t^gamma",
        _LI_2020,
        "the baseline of double neural CFR",
        defaults={"b": 100, "regrets": "floored", "gamma": 1.0},
    ),
    "as-mccfr": _sampled(
        _average_strategy,
        "as es-mccfr, but each action with probability max(epsilon, (beta + tau s(a)) / "
        "(beta + sum s))",
        "Gibson, Burch, Lanctot & Szafron 2012, Efficient Monte Carlo CFR in Games with Many "
        "Player Actions",
        "many actions of which few matter",
    ),
    "pcs-mccfr": _sampled(
        PublicChanceSampling,
        "one outcome of public chance; all hands and actions",
        "Johanson et al. 2012, Efficient Nash Equilibrium Approximation through Monte Carlo CFR",
        "games with public cards and few hands",
        defaults={"averaging": "stochastic"},
    ),
    "vr-mccfr": _sampled(
        OutcomeSampling,
        "as os-mccfr, with baselines as control variates: less variance, same expectation",
        "Schmid et al. 2019, Variance Reduction in Monte Carlo CFR using Baselines",
        "where outcome sampling is too noisy",
        defaults={"baseline": 0.5},
    ),
}
