"""How an iteration goes through the game: in full, or along samples of it.

A *sampled* traversal walks histories for one player, the traverser, again and again, and follows
only a sample of the actions and chance outcomes. Importance weights make its regrets unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from infoset.calls import Between
from infoset.errors import BadInputError
from infoset.solvers.limits import check_count, check_share

Averaging = Literal["opponent", "stochastic", "biased"]
"""Where a walk adds to the average strategy, and with what weight.

- ``opponent``: at the nodes of the player who is not the traverser. He plays his own strategy, so
  a visit is as likely as his reach makes it, and what counts is only how likely the traverser's
  sampled actions led here. Unbiased, little variance.
- ``stochastic``: at the traverser's nodes, his reach divided by the probability that the choices
  of both players on the way were sampled (Lanctot 2013). Unbiased only where the opponent may come
  to every history of the infoset: those behind an action that he never takes are never sampled.
- ``biased``: at the traverser's nodes, his reach alone (Li et al. 2020, Algorithm 4). Infosets
  that the opponent's strategy leads to count more; it is right only where nothing but chance is
  sampled.
"""

Unsampled = Literal["counted", "left"]
"""Actions of the traverser that were not sampled: their value counts as zero, so their regret is
minus that of the node (Li et al. 2020, appendix D.2: unbiased), or they are left as they are
(Algorithm 4: biased)."""


@dataclass(frozen=True)
class FullWidth:
    """Every history, every iteration."""


@dataclass(frozen=True)
class ChanceSampling:
    """Sample chance; walk all actions of both players (Zinkevich et al. 2007; the essay)."""


@dataclass(frozen=True)
class PublicChanceSampling:
    """Sample what chance shows to both; walk all hands and actions (Johanson et al. 2012)."""


@dataclass(frozen=True)
class ExternalSampling:
    """Sample chance and the opponent; walk all of the traverser's actions (Lanctot 2009)."""


@dataclass(frozen=True)
class OutcomeSampling:
    """Sample a single history (Lanctot 2009)."""

    epsilon: Annotated[float, Between(0, 1), "share of uniform choices; above 0"] = 0.6
    """Share of the traverser's choices that are uniform; the others follow his strategy."""

    def __post_init__(self) -> None:
        check_share("epsilon", self.epsilon)


@dataclass(frozen=True)
class RobustSampling:
    """Sample chance and the opponent, and some of the traverser's actions (Li et al. 2020)."""

    k: Annotated[int, Between(1, 10**9), "actions that are followed from an infoset"] = 3
    """How many actions, all different, each as likely as the other."""
    unsampled: Annotated[Unsampled, "actions not followed: a regret of -v, or none"] = "counted"

    def __post_init__(self) -> None:
        check_count("k", self.k)


@dataclass(frozen=True)
class AverageStrategySampling:
    """As robust sampling, each action by itself, with a probability that follows the average.

    That is ``max(epsilon, (beta + tau s(a)) / (beta + sum of s))`` where ``s`` is the sum of the
    strategies so far (Gibson et al. 2012), and at most one. Their settings are the defaults.
    """

    epsilon: float = 0.05
    tau: float = 1000.0
    beta: float = 1e6
    k: int | None = None
    """If given, ``epsilon`` is ``k`` divided by the number of actions, as in Li et al. (2020)."""

    def __post_init__(self) -> None:
        check_share("epsilon", self.epsilon)
        for name in ("tau", "beta"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise BadInputError(
                    f"{name} must be at least 0 and finite, not {getattr(self, name)}"
                )
        if self.k is not None:
            check_count("k", self.k)


Sampled = (
    ChanceSampling
    | PublicChanceSampling
    | ExternalSampling
    | OutcomeSampling
    | RobustSampling
    | AverageStrategySampling
)
Traversal = FullWidth | Sampled
