"""Double neural CFR (Li et al. 2020) and Deep CFR: regrets and average strategy in networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import FileFormatError
from infoset.forms import Reaches, SequenceForm
from infoset.neural.average_networks import AverageNetworks
from infoset.neural.averages import (
    Average,
    AverageMemory,
    AverageNetwork,
    AverageTable,
    Sampled,
)
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.fitting import Training
from infoset.neural.game_encoding import encode
from infoset.neural.networks import Shape
from infoset.neural.neural_solver import NeuralSolver
from infoset.neural.regret_memory import RegretMemory
from infoset.neural.regrets import NetworkRegrets, Players, RegretNetwork, Regrets, RegretTable
from infoset.neural.state import Arrays, one_thread, prefixed, unprefixed
from infoset.neural.trajectories import trajectories_of
from infoset.neural.walks import Sampler, Walks, WalksByLevel
from infoset.solvers import NeuralCFR, Start, State, TrajectoryCFR


class NeuralCFRSolver(NeuralSolver):
    """Algorithm 2: sample a mini-batch by the strategies of the regrets, learn regrets and average.

    With tables in place of both networks it is ``rs-mccfr`` (or ``+``), sample for sample, but that
    infosets which look alike share what is sampled.
    """

    def __init__(
        self,
        form: SequenceForm,
        rules: Any,
        recipe: NeuralCFR,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        encoding = encode(rules, form, suits=recipe.suits)
        super().__init__(form, encoding, seed)
        self.recipe = recipe
        self.regrets = _regrets(encoding, recipe, seed)
        self.average = _average(form, encoding, recipe, self.regrets, seed)
        self.walks = _walks(form, rules, recipe, encoding, seed=seed, threads=threads)
        self.evaluation_stride = self.average.stride
        self._observed = 0.0
        self._started = 0
        """Iterations that a warm start stands for."""

    def iterate(self, iteration: int) -> None:
        """One mini-batch for both players, or one each after the other."""
        observed = 0
        turns = (0, 1) if self.recipe.alternating else (0,)
        time = iteration + self._started
        for turn in turns:
            samples = self.walks.sample(len(turns) * (iteration - 1) + turn, self.regrets)
            weight, seed = float(time) ** self.recipe.gamma, 2 * self.seed + turn
            found, players = (samples.strategy, samples.visits), self._averaged(turn)
            self.average.add(Sampled(*found, weight, iteration, seed, players))
            self.regrets.learn(samples.rows, samples.regrets, time, seed)
            observed += int(np.count_nonzero(samples.regrets.any(axis=1)))
        self._observed = observed / self.encoding.num_classes

    def _averaged(self, turn: int) -> Players:
        """The players whose strategy a mini-batch adds to the average."""
        if not self.recipe.alternating:
            return (0, 1)
        return (1 - turn,) if self.recipe.averaging == "opponent" else (turn,)

    def begin_from(self, start: Start) -> None:
        """Behaviour cloning (Li et al. 2020, section 3.4): networks that say what tables would."""
        unit, gamma, iterations = self.form.lanes.unit, self.recipe.gamma, start.iterations
        reaches = Reaches(self.form)
        visits = []
        for player, treeplex in enumerate(self.form.treeplexes):
            # A walk comes to an infoset as often as chance and the owner's plan lead there.
            often = np.append(1.0, np.repeat(reaches.most(player), treeplex.infoset_num_actions))
            visits.append(often * start.averages[player] * float(iterations) ** gamma)
        regrets = unit.in_chips(np.concatenate(start.regrets))
        weight = float((np.arange(1, iterations + 1, dtype=np.float64) ** gamma).sum())
        with one_thread():
            totals = self.encoding.totals
            self.average.clone(totals(np.concatenate(visits)), weight, self.recipe.cloning)
            self.regrets.clone(totals(regrets), iterations, self.recipe.cloning)
        self._started = iterations

    def average_rows(self) -> Rows:
        """The average strategy."""
        return self.average.rows()

    def probabilities(self) -> NDArray[np.float64]:
        """The average strategy by sequence."""
        return self.average.by_sequence()

    @property
    def news(self) -> Mapping[str, float]:
        """Losses, and the share of infosets that the last iteration observed."""
        told = {
            "loss of regrets": self.regrets.loss,
            "loss of the average": self.average.loss,
            "loss of values": self.walks.loss,
            "observed": self._observed,
        }
        return {name: value for name, value in told.items() if value == value}

    @property
    def num_parameters(self) -> int:
        """Of all networks; tables are none."""
        networks = self.regrets, self.average, self.walks
        return sum(part.num_parameters for part in networks)

    def parts(self) -> Arrays:
        """Regrets, average and what the walks keep."""
        return (
            prefixed("regrets", self.regrets.state())
            | prefixed("average", self.average.state())
            | prefixed("walks", self.walks.state())
            | {"started": np.array([self._started])}
        )

    def restore_parts(self, state: State) -> None:
        """Go on from saved parts."""
        self.regrets.restore(unprefixed("regrets", state))
        self.average.restore(unprefixed("average", state))
        self.walks.restore(unprefixed("walks", state))
        started = int(state["started"][0])
        if started < 0:
            raise FileFormatError("a warm start stands for no number of iterations below zero")
        self._started = started

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far."""
        return self.walks.nodes_touched

    def set_nodes_touched(self, count: int) -> None:
        """Go on counting nodes from here."""
        self.walks.nodes_touched = count

    @property
    def kept_bytes(self) -> int:
        """Bytes of networks with what trains them, memories and tables."""
        return self.regrets.nbytes + self.average.nbytes + self.walks.kept_bytes

    @property
    def working_bytes(self) -> int:
        """The same, with the walks' work space and the encoding."""
        return self.kept_bytes + self.walks.nbytes + self.encoding.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        return self.walks.form_bytes


def _walks(
    form: SequenceForm,
    rules: Any,
    recipe: NeuralCFR,
    encoding: Encoding,
    *,
    seed: int,
    threads: int,
) -> Sampler:
    if isinstance(recipe, TrajectoryCFR):
        return trajectories_of(form, rules, recipe, encoding, seed=seed)
    parts = form, recipe.walks(), encoding, recipe.otherwise
    if recipe.asks_by_level(encoding.num_classes):
        return WalksByLevel(*parts, seed=seed)
    return Walks(*parts, seed=seed, threads=threads)


def _shape(recipe: NeuralCFR) -> Shape:
    return Shape(recipe.network, recipe.embedding, recipe.layers, recipe.attention)


def _training(recipe: NeuralCFR, *, epochs: int, enough: float) -> Training:
    return Training(
        epochs=epochs,
        batch=recipe.batch,
        rate=recipe.rate,
        cooling=recipe.cooling,
        clip=recipe.clip,
        patience=recipe.patience,
        factor=recipe.factor,
        restart=recipe.restart,
        enough=enough,
        keep_best=recipe.keep_best,
        keep_moments=recipe.keep_moments,
        warm=recipe.warm,
    )


def _regrets(encoding: Encoding, recipe: NeuralCFR, seed: int) -> Regrets:
    if recipe.regrets == "table":
        return RegretTable(encoding, floored=recipe.floored)
    training = _training(recipe, epochs=recipe.steps, enough=recipe.enough)
    if recipe.regrets == "memory":
        capacity = recipe.memory
        return RegretMemory(encoding, _shape(recipe), training, capacity=capacity, seed=2 * seed)
    return RegretNetwork(
        encoding,
        _shape(recipe),
        training,
        floored=recipe.floored,
        everywhere=recipe.everywhere,
        seed=2 * seed,
    )


def _average(
    form: SequenceForm, encoding: Encoding, recipe: NeuralCFR, regrets: Regrets, seed: int
) -> Average:
    if recipe.average == "table":
        return AverageTable(encoding)
    if recipe.average == "networks":
        assert isinstance(regrets, NetworkRegrets)
        return AverageNetworks(encoding, form, regrets, recipe.otherwise)
    epochs = recipe.average_steps
    training = _training(recipe, epochs=epochs, enough=recipe.average_enough)
    if recipe.average == "incremental":
        return AverageNetwork(
            encoding,
            _shape(recipe),
            training,
            every=recipe.average_every,
            everywhere=recipe.everywhere,
            seed=2 * seed + 1,
        )
    return AverageMemory(
        encoding,
        _shape(recipe),
        training,
        every=recipe.average_every,
        capacity=recipe.memory,
        seed=2 * seed + 1,
    )
