"""Sampled regret minimisation by the rules of a game, which keeps only visited infosets.

For games that are too large to compile, or that only another program knows. Results are those of
`SampledSolver` to the bit. It is many times slower, and uses one core: rules are plain Python.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, TooLargeError
from infoset.evaluation import Bound, Evaluation
from infoset.forms import visited_tree
from infoset.games import Game, name_of
from infoset.solvers.contract import State
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.bound import sampled_bound
from infoset.solvers.sampled.kernels.batches import NODES, UPDATES
from infoset.solvers.sampled.reference_walker import FinishedWalk, Stream, Walker
from infoset.solvers.sampled.sampled_run import SampledRun
from infoset.solvers.sampled.visited import VisitedInfosets, match_regrets
from infoset.solvers.sampled.weights import Schedule
from infoset.strategy import SequenceStrategy

WALKS_PER_EVALUATION = 400
"""Fewest walks between two evaluations: they then take about as long as an evaluation."""
EVALUATION_SHARE, MIN_EVALUATION = 16, 20_000
FINAL_SHARE, MIN_FINAL = 4, 100_000
MAX_EVALUATION = 1_000_000
"""An evaluation visits one in ``SHARE`` as many nodes as the run so far, within these limits."""


def rules_fingerprint(game: Game) -> str:
    """Identifies the game of a run, by its name only."""
    return hashlib.sha256(f"rules of {name_of(game)}".encode()).hexdigest()


class SparseSolver(SampledRun):
    """MCCFR that walks the rules themselves."""

    form_bytes = 0

    def __init__(
        self, game: Game, recipe: Recipe, horizon: int | None = None, *, seed: int = 0
    ) -> None:
        super().__init__(recipe, horizon, seed)
        if self.method.public_chance:
            raise BadInputError(
                "public-chance sampling walks all hands, so it needs the compiled game: choose "
                "another traversal, or form='sequence'"
            )
        self.game = game
        has_baselines = recipe.baseline is not None
        self.tables = [
            VisitedInfosets(p, has_baselines=has_baselines, discounts=self.weights.discounts)
            for p in (0, 1)
        ]
        self.walker = Walker(game.root, self.method, self.tables)
        self._is_stopping = False
        self.evaluation_stride = max(1, WALKS_PER_EVALUATION // recipe.batch)

    def stop(self) -> None:
        """Make `run` return soon."""
        self._is_stopping = True

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` is called."""
        per = self.batches_per_iteration
        end = per * (self.iteration + iterations)
        while self._batches < end and not self._is_stopping:
            schedule, scale = self.weights.batch(self._batches // per + 1, 1)
            if scale != 1.0:
                for table in self.tables:
                    for s, number in enumerate(table.average):
                        table.average[s] = number / scale
            walks = self._walk_batch()
            if walks is None:
                break
            self._update(walks, schedule)
            self._batches += 1
            self.weights.advance(self._batches // per)
        self.iteration = self._batches // per
        self._is_stopping = False

    def _walk_batch(self) -> list[tuple[int, FinishedWalk]] | None:
        """The walks of a mini-batch, each with its traverser; `None` if stopped."""
        walks = []
        for player in (self._batches % 2,) if self.recipe.alternating else (0, 1):
            for number in range(self.recipe.batch):
                if self._is_stopping:
                    return None
                stream = Stream(self.seed, self._batches, number + player * self.recipe.batch)
                walks.append((player, self.walker.walk(player, stream)))
        return walks

    def _update(self, walks: list[tuple[int, FinishedWalk]], schedule: Schedule) -> None:
        """Update the tables from the walks of a mini-batch."""
        scale, weight = 1.0 / self.recipe.batch, float(schedule.weight[0]) / self.recipe.batch
        changed: dict[tuple[int, int], int] = {}
        for player, walk in walks:
            table = self.tables[player]
            for begin, regrets, increments in walk.visits:
                if self.weights.discounts:
                    _discount_regrets(table, schedule.log_kept[:, 0], begin, len(regrets))
                for s, regret in enumerate(regrets, begin):
                    table.regrets[s] += scale * regret
                for s, increment in enumerate(increments, begin):
                    table.average[s] += weight * increment
                changed[player, begin] = len(regrets)
            other = self.tables[1 - player]
            if weight > 0.0:
                for begin, degree, average_weight in walk.averages:
                    scaled = weight * average_weight
                    for s in range(begin, begin + degree):
                        other.average[s] += scaled * other.strategy[s]
            self._counts[0, NODES] += walk.nodes
        for (player, begin), degree in changed.items():
            match_regrets(self.tables[player], begin, degree, schedule.floor)
        self._counts[0, UPDATES] += len(changed)
        rate = self.method.baseline_rate
        for _, walk in walks:
            for player, s, value in walk.baselines:
                baseline = self.tables[player].baseline
                baseline[s] += rate * (value - baseline[s])

    def bound(self, *, last: bool = False) -> Bound:
        """A lower bound on the exploitability of the average, more precise the longer the run was.

        The last evaluation of a run may take longer than others.
        """
        share, least = (FINAL_SHARE, MIN_FINAL) if last else (EVALUATION_SHARE, MIN_EVALUATION)
        nodes = min(max(least, self.nodes_touched // share), MAX_EVALUATION)
        return sampled_bound(self.game, self.tables, self.method, self.seed + self.iteration, nodes)

    def strategy(self) -> SequenceStrategy:
        """The average strategy at the visited infosets."""
        first, second = self.tables
        form = visited_tree(name_of(self.game), (first.treeplex(), second.treeplex()))
        return SequenceStrategy(form, (first.probabilities(), second.probabilities()))

    def exploitability(self) -> float:
        """The lower end of a sampled bound."""
        return self.bound().lower

    def evaluate(self) -> Evaluation:
        """A sampled bound, more precise than those on the way."""
        bound = self.bound(last=True)
        return Evaluation(bound.lower, (bound.value, -bound.value), bound)

    def counterfactual_values(self, player: int, *, best: bool = False) -> NDArray[np.float64]:
        """Not known: they need every history."""
        raise TooLargeError(
            f"{name_of(self.game)} is sampled by its rules, so counterfactual values, which need "
            "every history, are not known"
        )

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, keys and dictionaries too."""
        return self.working_bytes

    @property
    def working_bytes(self) -> int:
        """Bytes of everything that is held for visited infosets."""
        return sum(table.nbytes for table in self.tables)

    def state(self) -> dict[str, NDArray[Any]]:
        """The visited infosets with their numbers, and what `run_state` gives."""
        first, second = self.tables
        return first.state() | second.state() | self.run_state()

    def accepts(self, state: State) -> bool:
        """Whether a saved state has the names and types of this solver's; `restore` checks more."""
        own = {name: array.dtype for name, array in self.state().items()}
        return own == {name: array.dtype for name, array in state.items()}

    def _restore_tables(self, state: State) -> None:
        self.tables[:] = [table.restored(state) for table in self.tables]


def _discount_regrets(
    table: VisitedInfosets, log_kept: NDArray[np.float64], begin: int, degree: int
) -> None:
    """Apply the discounts since an infoset's last update to its regrets."""
    keep_positive, keep_negative = (
        math.exp(now - then[begin]) for now, then in zip(log_kept, table.log_kept, strict=True)
    )
    for s in range(begin, begin + degree):
        table.regrets[s] *= keep_positive if table.regrets[s] > 0.0 else keep_negative
    for now, then in zip(log_kept, table.log_kept, strict=True):
        then[begin] = float(now)
