"""Algorithms that train networks, by name: what `infoset.neural` makes, of the extra ``neural``."""

from __future__ import annotations

from infoset.solvers.neural_recipes import NeuralCFR, NeuralFictitiousPlay
from infoset.solvers.presets import Preset

_DOUBLE_NEURAL = "Li et al. 2020, Double Neural Counterfactual Regret Minimization"

NEURAL = {
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
