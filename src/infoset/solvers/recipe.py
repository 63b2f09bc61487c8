"""A recipe: the orthogonal parts of a regret minimiser. It knows no game."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, shorten
from infoset.solvers.limits import check_count, check_share
from infoset.solvers.local_rules import REGRET_MATCHING, LocalRule
from infoset.solvers.pruning import Pruning
from infoset.solvers.schedules import (
    AverageSchedule,
    RegretSchedule,
    RegretWeights,
    Times,
    polynomial,
    summed,
)
from infoset.solvers.traversals import (
    AverageStrategySampling,
    Averaging,
    ChanceSampling,
    FullWidth,
    PublicChanceSampling,
    Traversal,
)


class Weights(NamedTuple):
    """A recipe's schedules as arrays, one entry per iteration of a batch."""

    keep_positive: NDArray[np.float64]
    """[n + 1] What positive regrets of the past are multiplied with; the next batch's first too."""
    keep_negative: NDArray[np.float64]
    """[n + 1]"""
    floor: float
    """No regret is left below it, in chips."""
    sharpness: NDArray[np.float64]
    """[n + 1] What the local rule is given, per chip of regret; the next batch's first too."""
    decay: NDArray[np.float64]
    """[n + 1] What the average so far is multiplied with before the iteration adds to it."""
    weight: NDArray[np.float64]
    """[n + 1] How much the iteration's plan adds."""

    @property
    def num_iterations(self) -> int:
        """``n``, the iterations of the batch."""
        return len(self.decay) - 1


@dataclass(frozen=True)
class Recipe:
    """How to minimise regret. Every combination of the parts is an algorithm.

    >>> from infoset.solvers.schedules import floored, polynomial
    >>> cfr_plus = Recipe(regrets=floored(), average=polynomial(1))
    """

    regrets: RegretSchedule = field(default_factory=summed)
    """How much of past positive and negative regret is kept, and the floor."""
    average: AverageSchedule = field(default_factory=lambda: polynomial(0))
    """How much the average so far weighs against a new plan."""
    alternating: bool = True
    """Player 1 answers player 0's new strategy; else both answer the last iteration."""
    instant: bool = False
    """Parents see a child's new strategy at once (Li et al. 2019)."""
    predictive: bool = False
    """Match the regrets expected next, not only those seen (Farina et al. 2021)."""
    skip: int | float | Fraction = 0
    """Iterations left out of the average: a number of them, or a share of the run below 1."""
    traversal: Traversal = field(default_factory=FullWidth)
    """How an iteration goes through the game: in full, or along samples."""
    batch: int = 1
    """Samples per player and iteration; their regrets are averaged (Li et al. 2020, 4.2)."""
    averaging: Averaging | None = None
    """Where samples add to the average; `None` leaves it to the traversal."""
    baseline: float | None = None
    """How fast baselines follow what was sampled (Schmid et al. 2019); `None` uses none."""
    rule: LocalRule = REGRET_MATCHING
    """What an infoset does with its regrets."""
    pruning: Pruning | None = None
    """What an iteration leaves out."""
    start: int = 0
    """Iterations that count as done before the first one: those that a warm start stands for."""

    def __post_init__(self) -> None:
        if isinstance(self.skip, bool) or not 0 <= self.skip < float("inf"):
            raise BadInputError(f"skip must be a number of iterations or a share, not {self.skip}")
        if self.skip > 1 and self.skip != int(self.skip):
            raise BadInputError(
                f"skip={self.skip} is neither a whole number of iterations nor a share below 1"
            )
        if isinstance(self.start, bool) or not isinstance(self.start, int) or self.start < 0:
            raise BadInputError(f"start must be a number of iterations, not {self.start!r}")
        if self.pruning is not None and self.pruning.kind != "partial":
            self._check_pruning(self.pruning.kind)
        if self.is_sampled:
            self._check_sampling()
        elif self.batch != 1 or self.averaging is not None or self.baseline is not None:
            raise BadInputError(
                "batch, averaging and baseline are for sampling, and this recipe walks the whole "
                "game: give it a traversal, such as ExternalSampling()"
            )

    def _check_pruning(self, kind: str) -> None:
        if self.predictive:
            raise BadInputError(
                f"nobody has defined pruning={kind} for predictive recipes: what is predicted for "
                "an action that is not looked at? Use another recipe, such as 'cfr+'"
            )
        if self.rule is not REGRET_MATCHING:
            raise BadInputError(
                f"pruning={kind} is for regret matching, which does not play actions of negative "
                f"regret; {self.rule.name} may"
            )

    def _check_sampling(self) -> None:
        kind = type(self.traversal).__name__
        if self.rule is not REGRET_MATCHING:
            raise BadInputError(
                f"sampled regrets ({kind}) are for regret matching, not for {self.rule.name}"
            )
        if self.instant or self.predictive:
            what = "instant updates" if self.instant else "predictions"
            raise BadInputError(f"nobody has defined {what} for sampled regrets ({kind})")
        if self.pruning is not None:
            raise BadInputError(
                f"pruning is for recipes that walk the whole game, and {kind} walks samples of it"
            )
        check_count("the mini-batch", self.batch)
        if self.averaging not in (None, *get_args(Averaging)):
            raise BadInputError(
                f"averaging must be {', '.join(get_args(Averaging))}, not {self.averaging!r}"
            )
        if self.baseline is not None:
            check_share("baseline", self.baseline)
            if not self.samples_opponent:
                raise BadInputError(
                    f"baselines make up for sampled actions, and {kind} samples none"
                )
        if isinstance(self.traversal, AverageStrategySampling) and self.averages_at != "opponent":
            raise BadInputError(
                "average-strategy sampling follows the average, so it must be kept where the "
                "opponent moves: averaging='opponent'"
            )

    @property
    def is_sampled(self) -> bool:
        """Whether an iteration sees only samples of the game."""
        return not isinstance(self.traversal, FullWidth)

    @property
    def samples_opponent(self) -> bool:
        """Whether only one of the opponent's actions is followed."""
        walks_all = FullWidth | ChanceSampling | PublicChanceSampling
        return not isinstance(self.traversal, walks_all)

    @property
    def averages_at(self) -> Averaging:
        """Where samples add to the average."""
        return self.averaging or ("opponent" if self.samples_opponent else "stochastic")

    def skipped(self, horizon: int | None) -> int:
        """How many iterations are left out of the average in a run of that length.

        >>> Recipe(skip=500).skipped(None), Recipe(skip=0.5).skipped(2000)
        (500, 1000)
        """
        if self.skip >= 1 or self.skip == 0:
            return int(self.skip)
        if horizon is None:
            raise BadInputError(
                f"skip={self.skip} is a share of the run, so its length must be known: give a "
                "number of iterations, or skip a number of them (skip=500)"
            )
        return min(round(float(self.skip) * horizon), horizon - 1)

    def check(self, horizon: int | None) -> None:
        """Raise now what `weights` would raise in the middle of a run."""
        self.weights(1, 1, horizon)
        if horizon is not None and self.skipped(horizon) >= horizon > 0:
            raise BadInputError(
                f"skip={self.skip} leaves none of the {horizon} iterations to average"
            )

    def weights(self, begin: int, count: int, horizon: int | None) -> Weights:
        """The schedules of iterations ``begin, ..., begin + count - 1`` as arrays.

        After a warm start, those of as many later ones, in a run that is longer by as many.
        """
        t = np.arange(begin + self.start, begin + self.start + count + 1, dtype=np.float64)
        horizon = None if horizon is None else horizon + self.start
        kept = _asked("regrets", self.regrets, t, horizon)
        if not isinstance(kept, RegretWeights):
            raise BadInputError(
                "the regret schedule of the recipe must return RegretWeights(keep_positive, "
                f"keep_negative, floor), not {type(kept).__name__}"
            )
        return Weights(
            keep_positive=_spread("keep_positive", kept.keep_positive, t, most=1.0),
            keep_negative=_spread("keep_negative", kept.keep_negative, t, most=1.0),
            floor=_floor(kept.floor),
            sharpness=_spread("sharpness", _asked("rule", self.rule.sharpness, t), t),
            decay=_spread("weight of the average", _asked("average", self.average, t, horizon), t),
            weight=(t > self.skipped(horizon)).astype(np.float64),
        )


def _asked(part: str, schedule: Callable[..., Any], *given: Any) -> Any:
    """What a schedule answers; what goes wrong inside is told as a sentence."""
    try:
        return schedule(*given)
    except BadInputError:
        raise
    except Exception as error:
        raise BadInputError(
            f"the recipe's {part} cannot be asked for its weights ({type(error).__name__}: "
            f"{error}); it is a function of the iteration, a number or an array of numbers, and "
            "of the length of the run (see docs/your-own-recipe.md)"
        ) from error


def check_average(total: NDArray[np.floating[Any]] | float) -> None:
    """Refuse an average whose sums have overflowed; ``total`` are those that are largest."""
    if not np.isfinite(total).all():
        raise BadInputError(
            "the sums of the average are too large for a number: the recipe weighs late iterations "
            "by so much less than early ones. Let its average schedule fall more slowly"
        )


def _spread(
    what: str, weights: Times, t: NDArray[np.float64], most: float = math.inf
) -> NDArray[np.float64]:
    """Weights as an array of their own, also if they are one number for all times."""
    spread = np.empty(len(t))
    try:
        spread[:] = weights
    except (TypeError, ValueError):
        raise BadInputError(
            f"{what} must be a number, or one for each iteration, not {shorten(str(weights))}"
        ) from None
    most = min(most, sys.float_info.max)
    if not (spread.min() >= 0.0 and spread.max() <= most):
        first = int(np.argmin((spread >= 0.0) & (spread <= most)))
        limits = f"from 0 to {most:g}" if most < sys.float_info.max else "finite and not negative"
        raise BadInputError(
            f"{what} is {spread[first]:g} at iteration {t[first]:g} of this recipe; it must be "
            f"{limits}"
        )
    return spread


def _floor(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given < math.inf:
        raise BadInputError(f"the floor of regrets must be a number or -inf, not {given!r}")
    return float(given)
