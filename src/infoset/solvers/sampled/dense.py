"""Sampled regret minimisation on a compiled game, with a number for every sequence."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms import Tree
from infoset.forms.kernels.passes import multiply_down
from infoset.machine.aligned import zeros
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.kernels.sampling import (
    ASKED,
    LONG_WALK,
    MANY_NOTES,
    MEETINGS,
    NODES,
    STOPPED,
    UPDATES,
    Batches,
    match_all,
    sample,
)
from infoset.solvers.sampled.kernels.sampling_data import (
    BIASED,
    EACH,
    EVERY,
    ONE,
    OPPONENT,
    SOME,
    STOCHASTIC,
    Method,
    Notes,
    Tables,
)
from infoset.solvers.sampled.nodes import pack_nodes
from infoset.solvers.sampled.room import make_notes, make_shares
from infoset.solvers.sampled.rules_walk import key_of
from infoset.solvers.sampled.weights import SampleWeights
from infoset.solvers.sequence.plan_solver import PlanSolver
from infoset.solvers.traversals import (
    AverageStrategySampling,
    OutcomeSampling,
    PublicChanceSampling,
    RobustSampling,
)
from infoset.strategy import SequenceStrategy

__all__ = ["SampledSolver", "method_of"]

Floats = NDArray[np.float64]

FIRST_ROOM = 1 << 12
"""Entries that a thread has room for at first; it is doubled where a walk needs more."""

LOOK_NODES = 100
"""About as many nodes as a walk touches: with it, looks cost less than what lies between them."""


def method_of(recipe: Recipe) -> Method:
    """The traversal as kernels take it."""
    traversal = recipe.traversal
    fields: dict[str, Any] = {"follow": EVERY, "k": 0, "epsilon": 0.0, "tau": 0.0, "beta": 0.0}
    if isinstance(traversal, RobustSampling):
        fields |= {"follow": SOME, "k": traversal.k}
    elif isinstance(traversal, OutcomeSampling):
        fields |= {"follow": ONE, "epsilon": traversal.epsilon}
    elif isinstance(traversal, AverageStrategySampling):
        fields |= {"follow": EACH, "k": traversal.k or 0}
        fields |= {name: getattr(traversal, name) for name in ("epsilon", "tau", "beta")}
    return Method(
        **fields,
        wide=not recipe.samples_opponent,
        public=isinstance(traversal, PublicChanceSampling),
        counted=getattr(traversal, "unsampled", "counted") == "counted",
        averaging={"opponent": OPPONENT, "stochastic": STOCHASTIC, "biased": BIASED}[
            recipe.averages_at
        ],
        rate=recipe.baseline or 0.0,
    )


class SampledSolver(PlanSolver):
    """MCCFR in all its forms. What it finds depends on the seed, not on the number of threads."""

    is_exact = False

    def __init__(
        self,
        tree: Tree,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        recipe.check(horizon)
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise BadInputError(f"threads must be a whole number of at least 1, not {threads!r}")
        self.tree = tree
        self.recipe = recipe
        self.seed = seed
        self.iteration = 0
        self.method = method_of(recipe)
        self.nodes, self._layout = pack_nodes(tree, public=self.method.public)
        self.weights = SampleWeights(recipe, horizon)
        size = self._layout.size
        self.tables = Tables(
            strategy=zeros(size, np.float64),
            regrets=zeros(size, np.float64),
            average=zeros(size, np.float64),
            kept=np.zeros((2, size if self.weights.discounts else 0)),
            base=zeros(size if recipe.baseline else 0, np.float64),
            degree=np.zeros(size, np.int32),
            touched=zeros(size, np.uint8),
        )
        begin, self._degree = _infosets(tree)
        self._begin = self._layout.place[begin]
        self.tables.strategy[:] = 1.0
        self.tables.degree[self._begin] = self._degree
        match_all(self.tables, self._begin, self._degree)
        blocks = recipe.batch if recipe.alternating else 2 * recipe.batch
        self.threads = min(threads, blocks)
        # Also for one thread, where a batch may take long: the main one must hear Ctrl-C.
        self._pool = ThreadPoolExecutor(self.threads) if blocks > 1 else None
        self._walks = 0
        """Walks done: two an iteration where updates alternate, else one."""
        self._counters = np.zeros(32, np.int64)
        self._counts = np.zeros((self.threads, 32), np.int64)
        self._shares = make_shares(self._layout.odds, self.threads, blocks)
        self._notes = self._make_room(FIRST_ROOM, max(1, FIRST_ROOM // self.threads))
        self.evaluation_stride = max(1, tree.history.num_nodes // (LOOK_NODES * recipe.batch))

    def _make_room(self, entries: int, noted: int) -> Notes:
        """Room for walks of that many entries, and for what a thread's blocks find."""
        depths = [treeplex.infoset_depth for treeplex in self.tree.treeplexes]
        return make_notes(
            self.method,
            self._counts,
            entries=entries,
            noted=noted,
            blocks=self._shares.counter.shape[1],
            infosets=self.tree.num_infosets,
            longest_line=1 + max((int(depth.max()) for depth in depths if len(depth)), default=0),
            most_actions=int(self._degree.max(initial=0)),
            has_base=self.recipe.baseline is not None,
            pieces=self._shares.cuts.shape[1] - 1,
            what=f"what {self.recipe.batch:,} samples find in {self.tree.name}",
        )

    @property
    def nodes_touched(self) -> int:
        """Histories visited so far, chance and terminal ones included."""
        return int(self._counts[:, NODES].sum())

    @property
    def infosets_updated(self) -> int:
        """Infosets that got a new strategy, summed over all iterations."""
        return int(self._counts[:, UPDATES].sum())

    def stop(self) -> None:
        """Have `run` return soon, from another thread or a signal handler."""
        self._counters[ASKED] = 1

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` was called."""
        per = 2 if self.recipe.alternating else 1
        end = per * (self.iteration + iterations)
        while self._walks < end and not self._counters[ASKED]:
            first = self._walks // per + 1
            schedule, scale = self.weights.batch(first, -(-end // per) - first + 1)
            if scale != 1.0:
                self.tables.average[:] /= scale
            last = min(end, per * (first - 1 + len(schedule.weight)))
            batches = Batches(
                np.uint64(key_of(self.seed)),
                self._walks,
                last - self._walks,
                self.recipe.batch,
                1.0 / self.recipe.batch,
                self.recipe.alternating,
                schedule.kept,
                schedule.floor,
                schedule.weight / self.recipe.batch,
            )
            try:
                self._sample(batches)
            finally:
                self.weights.advance(self._walks // per)
                self.iteration = self._walks // per
            entries, noted = self._notes.entries.shape[1], self._notes.visits.shape[1]
            if self._counters[LONG_WALK]:
                self._notes = self._make_room(2 * entries, noted)
            elif self._counters[MANY_NOTES]:
                self._notes = self._make_room(entries, 2 * noted)
        self._counters[ASKED] = 0

    def _sample(self, batches: Batches) -> None:
        """Have all threads walk, and count the walks that were done."""
        self._counters[MEETINGS] = 0
        self._counters[STOPPED : MANY_NOTES + 1] = 0
        address = self._counters.ctypes.data

        def work(thread: int) -> int:
            return int(
                sample(
                    self.nodes,
                    self.tables,
                    self.method,
                    self._notes,
                    self._shares,
                    batches,
                    address,
                    thread,
                    self.threads,
                )
            )

        if self._pool is None:
            self._walks += work(0)
            return
        jobs = [self._pool.submit(work, thread) for thread in range(self.threads)]
        try:
            wait(jobs)
        finally:
            # If Ctrl-C broke out of the waiting, the threads are still at work.
            if not all(job.done() for job in jobs):
                self.stop()
                wait(jobs)
            self._walks += min(job.result() for job in jobs)

    def numbers(self, name: str) -> Floats:
        """A copy of a table by sequence: player 0's, then player 1's."""
        table: Floats = getattr(self.tables, name)
        return table[..., self._layout.place] if table.size else table.copy()

    def _by_player(self, name: str) -> tuple[Floats, Floats]:
        split = self.tree.treeplexes[0].num_sequences
        numbers = self.numbers(name)
        return numbers[:split], numbers[split:]

    def strategy(self) -> SequenceStrategy:
        """The average strategy: what converges to an equilibrium."""
        found = []
        for treeplex, average in zip(self.tree.treeplexes, self._by_player("average"), strict=True):
            out = treeplex.uniform()
            totals = np.add.reduceat(average, treeplex.infoset_begin[:-1])
            each = np.repeat(totals, treeplex.infoset_num_actions)
            np.divide(average[1:], each, out=out[1:], where=each > 0.0)
            found.append(out)
        return SequenceStrategy(self.tree, (found[0], found[1]))

    def current(self) -> SequenceStrategy:
        """The strategy of the next iteration."""
        return SequenceStrategy(self.tree, self._by_player("strategy"))

    def plans(self) -> tuple[Floats, Floats]:
        """The plans of the average strategy, in lanes."""
        lanes = self.tree.lanes
        plans = []
        for p, chances in enumerate(self.strategy().probabilities):
            plan = lanes.spread(p, chances)
            multiply_down(plan, lanes.groups[p])
            plans.append(plan)
        return plans[0], plans[1]

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next: what a checkpoint holds."""
        return sum(array.nbytes for array in self.state().values())

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays the solver allocated: tables and room for walks."""
        return sum(array.nbytes for array in (*self.tables, *self._notes, *self._shares))

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        arrays = (*self.nodes, *self.nodes.public)
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next iteration depends on. The random state is the seed and the walk."""
        names = ["regrets", "average"]
        if self.weights.discounts:
            names.append("kept")
        if self.recipe.baseline:
            names.append("base")
        out: dict[str, NDArray[Any]] = {name: self.numbers(name).reshape(-1) for name in names}
        out["weights"] = self.weights.running
        out["random"] = np.array([self.seed % 2**64, self._walks], np.uint64).view(np.int64)
        out["counts"] = np.array([self.nodes_touched, self.infosets_updated], np.int64)
        return out

    def restore(self, state: Mapping[str, NDArray[Any]], iteration: int) -> None:
        """Go on from a saved state as if nothing had happened."""
        place = self._layout.place
        for name in ("regrets", "average", "kept", "base"):
            if name in state:
                table = getattr(self.tables, name)
                table[..., place] = np.reshape(state[name], (*table.shape[:-1], len(place)))
        self.weights.running[:] = state["weights"]
        self.seed, self._walks = state["random"].view(np.uint64).tolist()
        self.iteration = iteration
        self._counts[:] = 0
        self._counts[0, NODES], self._counts[0, UPDATES] = state["counts"]
        match_all(self.tables, self._begin, self._degree)


def _infosets(tree: Tree) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of all infosets, the first sequence and the number of actions."""
    first, second = tree.treeplexes
    begin = np.append(first.infoset_begin[:-1], first.num_sequences + second.infoset_begin[:-1])
    return begin, np.append(first.infoset_num_actions, second.infoset_num_actions)
