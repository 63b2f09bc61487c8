"""Sampled regret minimisation by the rules of a game: only what was visited is held.

For games that are too large to be compiled, or that only another program knows. It finds the same
numbers as `SampledSolver`, many times more slowly, and on one core: rules are plain Python.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, FileFormatError, TooLargeError
from infoset.evaluation.evaluation import Bound, Evaluation
from infoset.forms import visited_tree
from infoset.games.rules import Game
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.bound import sampled_bound
from infoset.solvers.sampled.dense import method_of
from infoset.solvers.sampled.rules_walk import Record, Stream, Walk, WalkedBlock
from infoset.solvers.sampled.visited import VisitedInfosets, match
from infoset.solvers.sampled.weights import SampleWeights
from infoset.strategy import SequenceStrategy

__all__ = ["SparseSolver", "name_of", "rules_fingerprint"]

LOOK_WALKS = 400
"""Walks between two looks at least: they then cost about as much as a look."""
LOOK_SHARE, LEAST_LOOK = 16, 20_000
LAST_SHARE, LEAST_LAST = 4, 100_000
MOST_LOOK = 1_000_000
"""A look visits a share of the nodes that the run has visited so far, within limits."""


def name_of(game: Game) -> str:
    """What a game is called."""
    return str(getattr(game, "name", type(game).__name__))


def rules_fingerprint(game: Game) -> str:
    """Tells runs of different games apart, as far as their names do."""
    return hashlib.sha256(f"rules of {name_of(game)}".encode()).hexdigest()


class SparseSolver:
    """MCCFR that walks the rules themselves."""

    is_exact = False

    def __init__(
        self, game: Game, recipe: Recipe, horizon: int | None = None, *, seed: int = 0
    ) -> None:
        recipe.check(horizon)
        self.method = method_of(recipe)
        if self.method.public:
            raise BadInputError(
                "public-chance sampling walks all hands, so it needs the compiled game: choose "
                "another traversal, or store='dense'"
            )
        self.game = game
        self.recipe = recipe
        self.seed = seed
        self.iteration = 0
        self.nodes_touched = 0
        self.infosets_updated = 0
        self.weights = SampleWeights(recipe, horizon)
        self.tables = [
            VisitedInfosets(
                p, has_base=recipe.baseline is not None, discounts=self.weights.discounts
            )
            for p in (0, 1)
        ]
        self.walk = Walk(game.root, self.method, self.tables)
        self.records: dict[tuple[int, int, int], Record] | None = None
        """If it is a dictionary, what is sampled is written there, by iteration, player, block."""
        self._walks = 0
        self._asked = False
        self.evaluation_stride = max(1, LOOK_WALKS // recipe.batch)

    def stop(self) -> None:
        """Have a running `run` return soon."""
        self._asked = True

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` was called."""
        self._asked = False
        per = 2 if self.recipe.alternating else 1
        end = per * (self.iteration + iterations)
        while self._walks < end and not self._asked:
            t = self._walks // per + 1
            schedule, scale = self.weights.batch(t, 1)
            if scale != 1.0:
                for table in self.tables:
                    for s, number in enumerate(table.average):
                        table.average[s] = number / scale
            players = (self._walks % 2,) if self.recipe.alternating else (0, 1)
            found = self._walk_batch(players)
            if found is None:
                break
            self._learn(found, schedule.kept[:, 0], schedule.floor, float(schedule.weight[0]))
            self._walks += 1
            self.weights.advance(self._walks // per)
        self.iteration = self._walks // per

    def _walk_batch(self, players: tuple[int, ...]) -> list[tuple[int, WalkedBlock]] | None:
        blocks = self.recipe.batch
        found = []
        for player in players:
            for block in range(blocks):
                if self._asked:
                    return None
                if self.records is not None:
                    self.walk.record = self.records[self.iteration_at_hand, player, block] = {}
                stream = Stream(self.seed, self._walks, block + player * blocks)
                found.append((player, self.walk.block(player, stream)))
        return found

    @property
    def iteration_at_hand(self) -> int:
        """The number of the iteration that is next or under way."""
        return self._walks // (2 if self.recipe.alternating else 1) + 1

    def _learn(
        self,
        found: list[tuple[int, WalkedBlock]],
        kept: NDArray[np.float64],
        floor: float,
        weight: float,
    ) -> None:
        share, weight = 1.0 / self.recipe.batch, weight / self.recipe.batch
        touched: dict[tuple[int, int], int] = {}
        for player, block in found:
            table = self.tables[player]
            for at, gains, added in block.visits:
                if self.weights.discounts:
                    _settle(table, kept, at, len(gains))
                for s, gain in enumerate(gains, at):
                    table.regrets[s] += share * gain
                for s, more in enumerate(added, at):
                    table.average[s] += weight * more
                touched[player, at] = len(gains)
            other = self.tables[1 - player]
            if weight > 0.0:
                for at, degree, part in block.means:
                    more = weight * part
                    for s in range(at, at + degree):
                        other.average[s] += more * other.strategy[s]
            self.nodes_touched += block.nodes
        for (player, at), degree in touched.items():
            match(self.tables[player], at, degree, floor)
        self.infosets_updated += len(touched)
        rate = self.method.rate
        for _, block in found:
            for player, s, value in block.bases:
                base = self.tables[player].base
                base[s] += rate * (value - base[s])

    def bound(self, *, last: bool = False) -> Bound:
        """How exploitable the average is at least; more precise the longer the run was.

        The last look at a run may take longer than those on the way.
        """
        share, least = (LAST_SHARE, LEAST_LAST) if last else (LOOK_SHARE, LEAST_LOOK)
        nodes = min(max(least, self.nodes_touched // share), MOST_LOOK)
        return sampled_bound(self.game, self.tables, self.method, self.seed + self.iteration, nodes)

    def exploitability(self) -> float:
        """The lower end of a sampled bound."""
        return self.bound().lower

    def evaluate(self) -> Evaluation:
        """What is known at the end of a run: a bound that took longer."""
        bound = self.bound(last=True)
        return Evaluation(bound.lower, (bound.value, -bound.value), bound)

    def counterfactual_values(self, player: int, *, best: bool = False) -> NDArray[np.float64]:
        """Not known: they need every history."""
        raise TooLargeError(
            f"{name_of(self.game)} is sampled by its rules, so counterfactual values, which need "
            "every history, are not known"
        )

    @property
    def form_bytes(self) -> int:
        """There is no form: the rules are walked."""
        return 0

    def accepts(self, state: Mapping[str, NDArray[Any]]) -> bool:
        """Whether a saved state looks like one of this solver; `restore` looks closer."""
        return set(state) == set(self.state())

    def strategy(self) -> SequenceStrategy:
        """The average strategy at the infosets that were visited."""
        first, second = self.tables
        tree = visited_tree(name_of(self.game), (first.treeplex(), second.treeplex()))
        return SequenceStrategy(tree, (first.probabilities(), second.probabilities()))

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next, keys and dictionaries too."""
        return self.working_bytes

    @property
    def working_bytes(self) -> int:
        """Bytes of everything that is held for visited infosets."""
        return sum(table.nbytes for table in self.tables)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on."""
        out: dict[str, NDArray[Any]] = {}
        for table in self.tables:
            out |= table.state()
        out["weights"] = self.weights.running
        out["random"] = np.array([self.seed % 2**64, self._walks], np.uint64).view(np.int64)
        out["counts"] = np.array([self.nodes_touched, self.infosets_updated], np.int64)
        return out

    def restore(self, state: Mapping[str, NDArray[Any]], iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        per = 2 if self.recipe.alternating else 1
        try:
            for table in self.tables:
                table.restore(state)
                for at, labels in table.labels.items():
                    match(table, at, len(labels), -math.inf)
            self.weights.running[:] = state["weights"]
            self.seed, self._walks = state["random"].view(np.uint64).tolist()
            self.nodes_touched, self.infosets_updated = (int(n) for n in state["counts"])
            if self._walks // per != iteration:
                raise ValueError("the number of walks is not that of the iterations")
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise FileFormatError(
                f"the checkpoint does not hold what sampling {name_of(self.game)!r} by its rules "
                f"needs to go on ({error}); it was written by another store, or altered"
            ) from error
        self.iteration = iteration


def _settle(table: VisitedInfosets, kept: NDArray[np.float64], at: int, degree: int) -> None:
    more, less = (math.exp(now - then[at]) for now, then in zip(kept, table.kept, strict=True))
    for s in range(at, at + degree):
        table.regrets[s] *= more if table.regrets[s] > 0.0 else less
    for now, then in zip(kept, table.kept, strict=True):
        then[at] = float(now)
