"""Algorithms that train networks, by name: what `infoset.neural` makes, of the extra ``neural``."""

from __future__ import annotations

from infoset.solvers.neural_recipes import NeuralCFR
from infoset.solvers.presets import Preset
from infoset.solvers.trajectory_recipes import BaselineCFR, ValuedCFR

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
    # What differs from Steinberger, Lerer & Brown (2020):
    # 1. Baselines are trained before the walks of an iteration, towards the values of the current
    #    strategies; the authors train them after the walks, towards the strategies played in them.
    # 2. Transitions are averaged by action of a history, and an iteration takes 50 steps of Adam
    #    over all averages; the authors take 1,000 on random batches of 512.
    # 3. A sampled regret is multiplied by 1 / the traverser's own sampling reach; the authors have
    #    that factor in the loss. Cumulative regrets are the same, up to a factor of the infoset.
    # 4. Regrets and average are held as in dncfr, not in memories and in networks from scratch.
    "dream": Preset(
        BaselineCFR,
        "as os-mccfr, with a network's values of histories as baselines; regrets in a network",
        "Steinberger, Lerer & Brown 2020, DREAM: Deep Regret Minimization with Advantage Baselines "
        "and Model-Free Learning",
        "comparison; learning from play alone, one action at a time",
        shared=(),
    ),
    # What differs from McAleer, Farina, Lanctot & Sandholm (2023):
    # 1. The values are trained by expected SARSA on the rollouts and walks of all iterations, and
    #    go on from their weights; the authors train a network from scratch on the outcomes of an
    #    iteration's rollouts. bootstrapped=false learns from outcomes: about twice as exploitable
    #    on Leduc after 300,000 nodes.
    # 2. Rollouts mix in half of the uniform strategy, since actions never played would have no
    #    values; the authors' mix in one percent, and weigh outcomes by importance.
    # 3. Regrets and average are held as in dncfr, as above.
    "escher": Preset(
        ValuedCFR,
        "one history, the traverser's actions at random; regrets from a network's values of "
        "histories, without importance weights",
        "McAleer, Farina, Lanctot & Sandholm 2023, ESCHER: Eschewing Importance Sampling in Games "
        "by Computing a History Value Function to Estimate Regret",
        "comparison; as dream, where importance weights would be large",
        shared=(),
    ),
}
