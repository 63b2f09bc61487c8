"""What neural solvers are made of, without a network: `infoset.neural` makes them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from infoset.calls import Between
from infoset.errors import BadInputError
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted, floored, polynomial, summed
from infoset.solvers.traversals import Averaging, ExternalSampling, RobustSampling

NetworkKind = Literal["mlp", "lstm", "gru", "rnn"]
Otherwise = Literal["uniform", "best"]
"""What is played where no regret is positive: every action alike, or the one of the highest."""

K = Annotated[int | str, Between(1, 10**9), "actions of the traverser that are followed, or max"]
B = Annotated[int, Between(1, 10**9), "walks per player and iteration (the mini-batch)"]
Embedding = Annotated[int, Between(1, 65536), "units of a layer, or numbers in an embedding"]
Steps = Annotated[int, Between(1, 10**9), "epochs of training in an iteration, at most"]
Rate = Annotated[float, Between(0, 10), "learning rate of Adam"]


MANY = 100
"""So many times the walks of a mini-batch are many infosets."""


@dataclass(frozen=True)
class NeuralCFR:
    """Double neural CFR (Li et al. 2020), whose defaults are what measured best here; with other
    choices for regrets and average, Deep CFR (Brown et al. 2019) and Single Deep CFR.

    >>> NeuralCFR(k=0)
    Traceback (most recent call last):
    infoset.errors.BadInputError: k must be a whole number above 0, or max, not 0
    """

    k: K = "max"
    b: B = 100
    network: Annotated[NetworkKind, "architecture of both networks"] = "mlp"
    embedding: Embedding = 128
    layers: Annotated[int, Between(1, 64), "of fully connected networks"] = 3
    attention: Annotated[bool, "over the steps, in recurrent networks"] = False
    suits: Annotated[bool, "tell infosets apart that differ in suits only"] = False
    asking: Annotated[
        Literal["auto", "at-once", "by-level"],
        "when networks are asked: for all infosets before a mini-batch, or for those that its "
        "walks meet, level by level; auto is by level where infosets are many",
    ] = "auto"
    regrets: Annotated[
        Literal["network", "memory", "table"],
        "where regrets are held: a network that follows step by step (Equation 7), a network per "
        "player trained on a memory of samples (Deep CFR), or a table",
    ] = "network"
    otherwise: Annotated[Otherwise, "what is played where no regret is positive"] = "uniform"
    average: Annotated[
        Literal["memory", "incremental", "networks", "table"],
        "where the average is held: a network trained on a memory of strategies, one that follows "
        "step by step (Equation 8), all regret networks (Single Deep CFR), or a table",
    ] = "memory"
    floored: Annotated[bool, "regret matching+"] = True
    gamma: Annotated[float, Between(0, 100), "iteration t counts t**gamma in the average"] = 2.0
    averaging: Annotated[Averaging, "where walks add to the average"] = "opponent"
    alternating: Annotated[bool, "update the players in turn"] = False
    steps: Steps = 20
    batch: Annotated[int, Between(0, 10**9), "samples of a step of training; 0 is all"] = 0
    rate: Rate = 1e-3
    cooling: Annotated[
        float, Between(0.001), "the learning rate falls as 1 / sqrt(1 + t / cooling)"
    ] = 40.0
    clip: Annotated[float, Between(0), "largest norm of a gradient; 0 is any"] = 1.0
    patience: Annotated[
        int, Between(0), "epochs without progress until the rate is lowered; 0 is never"
    ] = 0
    factor: Annotated[float, Between(0, 1), "by which the rate is then lowered"] = 0.5
    restart: Annotated[
        int, Between(0), "epochs without progress until the rate is raised again; 0 is never"
    ] = 0
    enough: Annotated[float, Between(0), "a loss at which training stops"] = 0.0
    keep_best: Annotated[bool, "end training with the best weights, not the last"] = False
    keep_moments: Annotated[bool, "Adam goes on from the last iteration"] = True
    warm: Annotated[bool, "networks begin with the weights of the last iteration"] = True
    everywhere: Annotated[bool, "train also where nothing was sampled (Equation 7 in full)"] = False
    average_steps: Steps = 30
    average_every: Annotated[
        int, Between(1, 10**6), "iterations between two trainings of the average"
    ] = 10
    average_enough: Annotated[float, Between(0), "as enough, for the average"] = 0.0
    cloning: Annotated[
        int,
        Between(1, 10**9),
        "epochs of training to begin with, where a run starts from a strategy",
    ] = 1000
    memory: Annotated[
        int, Between(1, 10**9), "samples that each memory keeps: the average's, either player's"
    ] = 1_000_000

    def __post_init__(self) -> None:
        if isinstance(self.k, str) and self.k != "max":
            raise BadInputError(f"k must be a whole number above 0, or max, not {self.k!r}")
        if not isinstance(self.k, str) and self.k < 1:
            raise BadInputError(f"k must be a whole number above 0, or max, not {self.k}")
        if self.attention and self.network == "mlp":
            raise BadInputError(
                "attention is over the steps of a recurrent network: give network=lstm, gru or rnn"
            )
        if self.regrets == "memory" and self.floored:
            raise BadInputError(
                "a memory holds every sample of regret, so no sum is ever floored: give "
                "floored=false with regrets=memory"
            )
        if self.regrets == "memory" and self.everywhere:
            raise BadInputError(
                "everywhere keeps what a network said before, and regrets=memory trains it on all "
                "samples so far: leave one of the two out"
            )
        if self.average == "networks" and self.regrets == "table":
            raise BadInputError(
                "average=networks keeps the networks of regrets, and regrets=table has none: give "
                "regrets=memory or regrets=network, or average=table"
            )
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise BadInputError(f"rate must be above 0, not {self.rate}")

    def in_tables(self) -> Recipe:
        """The full-width recipe whose regrets and averages the networks hold."""
        kept = floored() if self.floored else summed()
        if self.regrets == "memory":
            kept = discounted(1.0, 1.0)
        return Recipe(kept, polynomial(self.gamma), alternating=self.alternating)

    def asks_by_level(self, num_classes: int) -> bool:
        """Whether walks ask for the strategies of the infosets that they meet, and of no others.

        Of (classes of) infosets, a walk of external sampling meets a dozen.
        """
        if self.everywhere or self.asking == "at-once":
            return False
        return self.asking == "by-level" or num_classes > MANY * self.b

    @property
    def num_networks(self) -> int:
        """How many networks it trains."""
        of_regrets = {"table": 0, "network": 1, "memory": 2}[self.regrets]
        return of_regrets + (self.average in ("memory", "incremental"))

    def walks(self) -> Recipe:
        """The sampling of the tabular solver that it follows."""
        traversal: Any = ExternalSampling() if self.k == "max" else RobustSampling(k=int(self.k))
        return Recipe(
            traversal=traversal,
            batch=self.b,
            alternating=self.alternating,
            averaging=self.averaging,
        )


@dataclass(frozen=True)
class NeuralFictitiousPlay:
    """Neural fictitious self-play (Heinrich & Silver 2016). The defaults are theirs on Leduc.

    Where their text is silent, the defaults are those of the program that they published
    (github.com/Johannes-H/nfsp-leduc): ``updates``, ``decay``, ``warmup``, and rewards divided by
    the difference between the largest and the smallest payoff.

    >>> NeuralFictitiousPlay().epsilon_at(10_000)
    0.03
    """

    b: Annotated[
        int,
        Between(0, 10**6),
        "episodes of an iteration; 0 is as many as make about 128 decisions of both players",
    ] = 0
    anticipatory: Annotated[
        float, Between(0, 1), "probability that a player responds in an episode"
    ] = 0.1
    epsilon: Annotated[float, Between(0, 1), "share of random actions in the first responses"] = (
        0.06
    )
    decay: Annotated[float, Between(0), "epsilon falls as 1 / (1 + decay sqrt(t))"] = 0.01
    embedding: Embedding = 64
    layers: Annotated[int, Between(1, 64), "of the networks"] = 1
    suits: Annotated[bool, "tell infosets apart that differ in suits only"] = False
    optimiser: Annotated[Literal["sgd", "adam"], "what trains the networks"] = "sgd"
    rate: Annotated[float, Between(0, 10), "learning rate of the values of actions"] = 0.1
    average_rate: Annotated[float, Between(0, 10), "learning rate of the average"] = 0.005
    clip: Annotated[float, Between(0), "largest norm of a gradient; 0 is any"] = 0.0
    updates: Annotated[int, Between(1, 10**6), "steps of training in an iteration"] = 2
    batch: Annotated[int, Between(1, 10**6), "samples of a step of training"] = 128
    memory: Annotated[int, Between(1, 10**9), "last transitions that are kept"] = 200_000
    average_memory: Annotated[int, Between(1, 10**9), "samples of the average that are kept"] = (
        2_000_000
    )
    warmup: Annotated[
        int, Between(1, 10**9), "samples in a memory before a network is trained on it"
    ] = 1000
    refresh: Annotated[
        int, Between(1, 10**9), "steps of training between two copies of the target network"
    ] = 300

    def __post_init__(self) -> None:
        for name in ("rate", "average_rate"):
            rate = getattr(self, name)
            if not (rate > 0 and math.isfinite(rate)):
                raise BadInputError(f"{name} must be above 0, not {rate}")
        if not math.isfinite(self.decay):
            raise BadInputError("decay must be finite: give epsilon=0 for no random actions at all")
        for name in ("memory", "average_memory"):
            if getattr(self, name) < self.warmup:
                raise BadInputError(
                    f"{name} must be at least warmup ({self.warmup}), or nothing is ever learnt, "
                    f"not {getattr(self, name)}"
                )

    def epsilon_at(self, iteration: int) -> float:
        """The share of random actions in the responses of iteration ``t``."""
        return self.epsilon / (1.0 + self.decay * math.sqrt(iteration))


NeuralRecipe = NeuralCFR | NeuralFictitiousPlay
