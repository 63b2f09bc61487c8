"""The strategy of a trunk with what its subgames are worth: any of them is re-solved on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.evaluation import (
    best_response_values,
    exploitability,
    plans_in_lanes,
    sequence_values,
)
from infoset.forms import Decomposition, with_values
from infoset.resolving.batches import run_in_batches
from infoset.resolving.methods import Method
from infoset.resolving.nested import Nest
from infoset.resolving.sequence_parts import resolving_form
from infoset.resolving.trunk import Trunk
from infoset.solvers import Algorithm, Limits, build_solver
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


class ResolvedLeaf(NamedTuple):
    """A subgame that was re-solved."""

    strategies: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]
    """Per player: his infosets in the subgame, by key."""
    best: Pair
    """Per player: [cells] what a best response to the opponent wins there."""
    exploitability: float
    """In the games that were solved, of both players together."""


@dataclass(frozen=True, eq=False)
class NestStrategy:
    """A trunk's strategy, and per player what each cell of all leaves is worth, leaf by leaf."""

    nest: Nest
    strategy: SequenceStrategy
    values: Pair

    def __post_init__(self) -> None:
        for player, values in enumerate(self.values):
            if len(values) != self.begin(player)[-1]:
                raise BadInputError(
                    f"there are {len(values):,} values for player {player}, and the cut has "
                    f"{self.begin(player)[-1]:,} cells: they are of another game or cut"
                )

    def begin(self, player: int) -> NDArray[np.int64]:
        """[leaves + 1] Where the cells of each leaf begin among all."""
        return first_cells(self.nest, player)

    def resolve(
        self, leaf: int, method: Method, algorithm: Algorithm, iterations: int, *, seed: int = 0
    ) -> ResolvedLeaf:
        """Re-solve a subgame for both players, by a safe method."""
        if method not in ("gadget", "max-margin"):
            raise BadInputError(
                f"{method!r} needs more of a strategy than the values at the roots of its "
                "subgames: re-solve by gadget or max-margin"
            )
        place = self.nest.leaves[leaf]
        cut, subgame = place.load()
        trunk = self._trunk(leaf, cut, subgame)
        strategies: list[dict[str, dict[str, float]]] = [{}, {}]
        best: list[Floats] = [np.zeros(0), np.zeros(0)]
        total = 0.0
        for player in (0, 1):
            opponent = 1 - player
            here = cut.cells[opponent].of(subgame)
            best[opponent] = np.zeros(here.stop - here.start)
            form = resolving_form(trunk, subgame, player, method)
            if form is None:
                continue
            solver = build_solver(form, algorithm, Limits(iterations), seed=seed)
            run_in_batches(solver, iterations)
            strategy = solver.strategy()
            assert isinstance(strategy, SequenceStrategy)
            total += exploitability(strategy)
            keys = {cut.form.treeplexes[player].keys[i] for i in cut.infosets(player, subgame)}
            strategies[player] = {k: v for k, v in strategy.infosets(player) if k in keys}
            worth = sequence_values(strategy, opponent, best=True)
            if method == "gadget":  # behind the choice to play on, one for each cell
                best[opponent] = place.scale * worth[2 + 2 * np.arange(len(best[opponent]))]
            else:
                weight = _cell_weights(trunk, opponent)[here]
                kept = trunk.values[opponent][here]
                best[opponent][weight > 0] = worth[1 : 1 + np.count_nonzero(weight > 0)]
                best[opponent] = place.scale * np.where(weight > 0, best[opponent] + kept, 0.0)
        return ResolvedLeaf((strategies[0], strategies[1]), (best[0], best[1]), total)

    def _trunk(self, leaf: int, cut: Decomposition, subgame: int) -> Trunk:
        """How both players come to the cells of a leaf, and what they are worth."""
        place = self.nest.leaves[leaf]
        reach, values = [], []
        for player in (0, 1):
            plan = self.plans[player]
            count, here = len(cut.cells[player].sequence), cut.cells[player].of(subgame)
            begin, end = self.begin(player)[leaf : leaf + 2]
            reach.append(np.zeros(count))
            values.append(np.zeros(count))
            reach[player][here] = plan[place.sequences[player]]
            values[player][here] = self.values[player][begin:end] / place.scale
        nothing = np.zeros_like(values[0]), np.zeros_like(values[1])
        return Trunk(cut, (reach[0], reach[1]), (values[0], values[1]), nothing)

    @cached_property
    def plans(self) -> Pair:
        """Per player: [num_sequences of the trunk] the reach of each."""
        lanes = self.nest.trunk.lanes
        first, second = plans_in_lanes(
            SequenceStrategy(self.nest.trunk, self.strategy.probabilities)
        )
        return lanes.collect(0, first), lanes.collect(1, second)

    def exploitability(self, best: Iterable[Pair]) -> float:
        """NashConv / 2 in chips, given what best responses win in each leaf as it was re-solved."""
        found = list(best)
        first, second = (np.concatenate([pair[p] for pair in found]) for p in (0, 1))
        form = with_values(self.nest.trunk, at_sequences(self.nest, (first, second)))
        strategy = SequenceStrategy(self.nest.trunk, self.strategy.probabilities)
        return sum(best_response_values(form, plans_in_lanes(strategy))) / 2


def _cell_weights(trunk: Trunk, player: int) -> Floats:
    """[cells] How likely chance and the opponent lead to each cell of a player."""
    cut = trunk.cut
    weights = cut.node_chance[cut.roots] * trunk.reach[1 - player][cut.cells[1 - player].of_root]
    of_root, count = cut.cells[player].of_root, len(cut.cells[player].sequence)
    return np.bincount(of_root, weights, count).astype(np.float64)


def first_cells(nest: Nest, player: int) -> NDArray[np.int64]:
    """[leaves + 1] Where the cells of each leaf begin among all of a player."""
    return np.append(0, np.cumsum([len(leaf.sequences[player]) for leaf in nest.leaves]))


def at_sequences(nest: Nest, values: Pair) -> Pair:
    """Values of all cells, added up by the sequences of the trunk that lead to them."""
    out = []
    for player, of_cells in enumerate(values):
        sequences = np.concatenate([leaf.sequences[player] for leaf in nest.leaves])
        size = nest.trunk.treeplexes[player].num_sequences
        out.append(np.bincount(sequences, of_cells, size).astype(np.float64))
    return out[0], out[1]


def each_leaf(nest: Nest, work: Callable[[int], Any], threads: int) -> list[Any]:
    """A result for each leaf, in their order, by some threads."""
    leaves = range(len(nest.leaves))
    if threads == 1:
        return [work(leaf) for leaf in leaves]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, leaves))
