"""The average strategy of Single Deep CFR: all networks are kept, and their plans are summed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, FileFormatError
from infoset.evaluation import plan_in_lanes
from infoset.forms import SequenceForm
from infoset.neural.averages import Average, Sampled
from infoset.neural.encoding import Encoding, Rows
from infoset.neural.regrets import NetworkRegrets, Players, match
from infoset.neural.state import Arrays
from infoset.solvers import Otherwise, State
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]


class AverageNetworks(Average):
    """The regret networks of all iterations, and the sum of their plans (Steinberger 2019).

    A plan is weighted by its own reach, so the average is exact: nothing is learnt, and no visit is
    sampled. The paper draws one network for a whole game in place of the sum, which is the same
    strategy and needs no table. The sum follows from the networks and is not saved with them; it is
    brought up to date when it is asked for.
    """

    def __init__(
        self,
        encoding: Encoding,
        form: SequenceForm,
        regrets: NetworkRegrets,
        otherwise: Otherwise,
    ) -> None:
        super().__init__(encoding)
        self.form = form
        self.regrets = regrets
        self.otherwise = otherwise
        self.kept: list[tuple[Players, float, NDArray[np.float32]]] = []
        """Whose networks they are, the weight in the average, and the weights of the networks."""
        self._begin_sums()

    def _begin_sums(self) -> None:
        sizes = self.form.lanes.sizes
        self._sums = np.zeros(sizes[0]), np.zeros(sizes[1])
        self._num_summed = 0

    def plans(self) -> tuple[Floats, Floats]:
        """The sums of all plans, in lanes; of uniform play before anything was added."""
        for players, weight, networks in self.kept[self._num_summed :]:
            strategy = self.strategy_of(players, networks)
            for player in players:
                self._sums[player][:] += weight * plan_in_lanes(strategy, player)
        self._num_summed = len(self.kept)
        return self._sums

    def strategy_of(self, players: Players, networks: NDArray[np.float32]) -> SequenceStrategy:
        """What some players did who followed networks of such weights; the others do not count."""
        # In float64, so that probabilities sum to one as closely as those of tables do.
        rows = self.regrets.rows_with(networks, players).astype(np.float64)
        by_sequence = self.encoding.by_sequence(match(rows, self.encoding, self.otherwise))
        split = self.form.treeplexes[0].num_sequences
        return SequenceStrategy(self.form, (by_sequence[:split], by_sequence[split:]))

    def by_sequence(self) -> Floats:
        """The sums, normalised at every infoset."""
        strategy = SequenceStrategy.from_plans(self.form, self.plans())
        return np.concatenate(strategy.probabilities)

    def rows(self) -> Rows:
        """The sums over infosets that look alike, normalised."""
        lanes, plans = self.form.lanes, self.plans()
        reach = np.concatenate([lanes.collect(player, plans[player]) for player in (0, 1)])
        return match(self.encoding.totals(reach), self.encoding)

    def add(self, new: Sampled) -> None:
        """Keep the networks that the players follow."""
        self.kept.append((new.players, new.weight, self.regrets.weights(new.players)))

    def clone(self, sums: Rows, weight: float, epochs: int) -> None:
        """There is no network whose plan these sums are."""
        raise BadInputError(
            "average=networks is the average of networks that were trained, so a run of it cannot "
            "start from a strategy: give average=memory, incremental or table"
        )

    def state(self) -> Arrays:
        """All networks, and how much each counts."""
        masks = [sum(1 << player for player in players) for players, _, _ in self.kept]
        networks = [np.zeros(0, dtype=np.float32), *(each for _, _, each in self.kept)]
        return {
            "memory.players": np.array(masks, dtype=np.int64),
            "memory.counts": np.array([weight for _, weight, _ in self.kept], dtype=np.float64),
            "memory.networks": np.concatenate(networks),
        }

    def restore(self, state: State) -> None:
        """Go on from saved networks."""
        masks, weights = state["memory.players"].tolist(), state["memory.counts"].tolist()
        networks = state["memory.networks"]
        sound = np.isfinite(networks).all() and all(0.0 < w < np.inf for w in weights)
        if not sound or not all(mask in (1, 2, 3) for mask in masks):
            raise FileFormatError("the networks of a checkpoint hold impossible numbers")
        owners = [tuple(p for p in (0, 1) if mask >> p & 1) for mask in masks]
        sizes = [len(self.regrets.weights(players)) for players in owners]
        if len(weights) != len(owners) or sum(sizes) != len(networks):
            raise FileFormatError("the networks of a checkpoint do not fit this run")
        parts = np.split(networks, np.cumsum(sizes)[:-1]) if sizes else []
        self.kept = [
            (players, weight, part.copy())
            for players, weight, part in zip(owners, weights, parts, strict=True)
        ]
        self._begin_sums()

    @property
    def num_parameters(self) -> int:
        """Of all networks that are kept."""
        return sum(len(networks) for _, _, networks in self.kept)

    @property
    def nbytes(self) -> int:
        """Bytes of all networks that are kept."""
        return sum(networks.nbytes for _, _, networks in self.kept)
