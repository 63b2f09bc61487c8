"""Neural solvers that sample single trajectories and learn what the actions of histories are worth.

All that `infoset.solvers.neural_recipes.NeuralCFR` is made of but its walks they share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from infoset.calls import Between
from infoset.solvers.neural_recipes import B, K, NeuralCFR, Steps
from infoset.solvers.traversals import Averaging

Transitions = Annotated[
    int, Between(1, 10**9), "actions that are remembered to train the values, the newest"
]


@dataclass(frozen=True)
class TrajectoryCFR(NeuralCFR):
    """What both have: a network that says the value of every action of a history.

    The defaults are from a small search, on Leduc with 300,000 nodes touched and one or two seeds.
    """

    b: B = 200
    k: K = field(init=False, default="max")
    averaging: Averaging = field(init=False, default="opponent")
    value_steps: Steps = 50
    value_batch: Annotated[
        int, Between(0, 10**9), "histories of a step of training the values; 0 is all"
    ] = 0
    value_rate: Annotated[float, Between(1e-9, 10), "learning rate of the values"] = 1e-3
    value_embedding: Annotated[int, Between(1, 65536), "as embedding, for the values"] = 128
    value_warm: Annotated[bool, "the values begin with the weights of the last iteration"] = True
    transitions: Transitions = 200_000


@dataclass(frozen=True)
class BaselineCFR(TrajectoryCFR):
    """Outcome sampling with the values as baselines (Steinberger, Lerer & Brown 2020, DREAM).

    >>> BaselineCFR().epsilon
    0.5
    """

    epsilon: Annotated[
        float, Between(1e-9, 1), "how much of the uniform strategy the traverser samples by"
    ] = 0.5


@dataclass(frozen=True)
class ValuedCFR(TrajectoryCFR):
    """Regrets from the values alone (McAleer, Farina, Lanctot & Sandholm 2023, ESCHER).

    The traverser samples by the uniform strategy.

    >>> ValuedCFR().rollouts
    50
    """

    rollouts: Annotated[
        int, Between(1, 10**9), "games played in an iteration to learn the values"
    ] = 50
    explore: Annotated[
        float, Between(0, 1), "how much of the uniform strategy both players play by in them"
    ] = 0.5
    bootstrapped: Annotated[
        bool, "values are learnt from the next ones, not from outcomes of the last rollouts"
    ] = True
