"""Algorithms that train networks, by name: what `infoset.neural` makes, of the extra ``neural``."""

from __future__ import annotations

from infoset.calls import Value
from infoset.solvers.neural_recipes import NeuralCFR, NeuralFictitiousPlay
from infoset.solvers.presets import Preset

_DOUBLE_NEURAL = "Li et al. 2020, Double Neural Counterfactual Regret Minimization"

_DEEP_CFR: dict[str, Value] = {
    "b": 500,
    "embedding": 64,
    "layers": 2,
    "regrets": "memory",
    "otherwise": "best",
    "floored": False,
    "gamma": 1.0,
    "alternating": True,
    "steps": 100,
    "rate": 1e-2,
    "cooling": float("inf"),
    "patience": 3,
    "warm": False,
    "average_steps": 200,
}
"""External sampling in turns, linear weights, squared error, a network from scratch for the player
who walked. What differs from Brown et al. (2019):

1. A memory has one sample per class of infosets and iteration, not one per visit.
2. Networks are trained on the means of the samples by class: 100 steps of Adam over all of them, at
   1e-2 that is halved where the loss no longer falls. The paper takes 4,000 steps at 1e-3 on random
   batches of 10,000 samples.
3. The network of the average is trained by cross-entropy, not squared error, and also during a run.
4. Networks are fully connected, with two layers of 64 units.
"""

NEURAL = {
    "deep-cfr": Preset(
        NeuralCFR,
        "walks as es-mccfr; a network per player trained from scratch on a memory of regrets, "
        "another on a memory of strategies",
        "Brown, Lerer, Gross & Sandholm 2019, Deep Counterfactual Regret Minimization",
        "the baseline that dncfr is compared with",
        defaults=_DEEP_CFR,
        shared=(),
    ),
    "sd-cfr": Preset(
        NeuralCFR,
        "deep-cfr, whose average is that of the networks of all iterations, exactly",
        "Steinberger 2019, Single Deep Counterfactual Regret Minimization",
        "comparison with deep-cfr; no second memory, and no error of a second network",
        defaults={**_DEEP_CFR, "average": "networks"},
        shared=(),
    ),
    "dncfr": Preset(
        NeuralCFR,
        "walks as rs-mccfr+; regrets in one network, the average in another",
        _DOUBLE_NEURAL,
        "games too large for tables; small networks in place of them",
        shared=(),
    ),
    "dncfr-paper": Preset(
        NeuralCFR,
        "dncfr with the settings of the paper; slow",
        _DOUBLE_NEURAL,
        "comparison with the paper",
        defaults={
            "k": 3,
            "network": "lstm",
            "embedding": 16,
            "attention": True,
            "suits": True,
            "average": "incremental",
            "gamma": 1.0,
            "averaging": "biased",
            "steps": 2000,
            "batch": 256,
            "cooling": float("inf"),
            "patience": 10,
            "restart": 50,
            "enough": 1e-4,
            "keep_best": True,
            "keep_moments": False,
            "average_steps": 2000,
            "average_every": 1,
            "average_enough": 1e-5,
        },
        shared=(),
    ),
    "nfsp": Preset(
        NeuralFictitiousPlay,
        "episodes by both averages, now and then by what Q-learning finds best; the average of the "
        "latter in a network",
        "Heinrich & Silver 2016, Deep Reinforcement Learning from Self-Play in "
        "Imperfect-Information Games",
        "comparison; slow to converge",
        shared=(),
    ),
}
