"""Algorithms that train networks, by name: what `infoset.neural` makes, of the extra ``neural``."""

from __future__ import annotations

from infoset.calls import Value
from infoset.solvers.neural_recipes import NeuralCFR, NeuralFictitiousPlay
from infoset.solvers.presets import Preset
from infoset.solvers.trajectory_recipes import BaselineCFR, ValuedCFR

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
    # What differs from Steinberger, Lerer & Brown (2020):
    # 1. Baselines are trained before the walks of an iteration, towards the values of the current
    #    strategies; the authors train them after the walks, towards the strategies played in them.
    # 2. Transitions are averaged by action of a history, and an iteration takes 50 steps of Adam
    #    over all averages; the authors take 1,000 on random batches of 512.
    # 3. A sampled regret is multiplied by 1 / the traverser's own sampling reach; the authors have
    #    that factor in the loss. Cumulative regrets are the same, up to a factor of the infoset.
    # 4. Regrets and average are held as in sd-cfr, with its training.
    "dream": Preset(
        BaselineCFR,
        "as os-mccfr, with a network's values of histories as baselines; the rest as in sd-cfr",
        "Steinberger, Lerer & Brown 2020, DREAM: Deep Regret Minimization with Advantage Baselines "
        "and Model-Free Learning",
        "comparison; learning from play alone, one action at a time",
        defaults={**_DEEP_CFR, "average": "networks", "b": 400},
        shared=(),
    ),
    # What differs from McAleer, Farina, Lanctot & Sandholm (2023):
    # 1. The values are trained by expected SARSA on the rollouts and walks of all iterations, and
    #    go on from their weights; the authors train a network from scratch on the outcomes of an
    #    iteration's rollouts. bootstrapped=false learns from outcomes: about twice as exploitable
    #    on Leduc after 300,000 nodes.
    # 2. Rollouts mix in half of the uniform strategy, since actions never played would have no
    #    values; the authors' mix in one percent, and weigh outcomes by importance.
    # 3. Regrets and average are held as in sd-cfr.
    "escher": Preset(
        ValuedCFR,
        "one history, the traverser's actions at random; regrets from a network's values of "
        "histories, without importance weights",
        "McAleer, Farina, Lanctot & Sandholm 2023, ESCHER: Eschewing Importance Sampling in Games "
        "by Computing a History Value Function to Estimate Regret",
        "comparison; as dream, where importance weights would be large",
        defaults={**_DEEP_CFR, "average": "networks", "b": 400, "rollouts": 100},
        shared=(),
    ),
}
