"""Sampled regret minimisation on a compiled game, with numbers for every sequence."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.evaluation import plan_in_lanes
from infoset.forms import SequenceForm
from infoset.machine.aligned import zeros
from infoset.solvers.contract import State
from infoset.solvers.limits import check_count
from infoset.solvers.recipe import Recipe
from infoset.solvers.sampled.buffers import make_log, make_split
from infoset.solvers.sampled.kernels.batches import (
    ARRIVALS,
    NEEDS_ENTRIES,
    NEEDS_LOG,
    STOP_REQUESTED,
    STOPPED,
    Batches,
    match_all_regrets,
    run_batches,
)
from infoset.solvers.sampled.kernels.structures import Tables
from infoset.solvers.sampled.nodes import pack_nodes
from infoset.solvers.sampled.reference_walker import key_of
from infoset.solvers.sampled.sampled_run import SampledRun, normalise
from infoset.solvers.sequence.plan_solver import PlanSolver, refuse_values
from infoset.strategy import SequenceStrategy

Floats = NDArray[np.float64]

FIRST_CAPACITY = 1 << 12
"""Entries, and visits, that the log of a thread holds at first; doubled when a walk needs more."""

NODES_PER_WALK = 100
"""About as many nodes as a walk touches. An evaluation touches all nodes of the game, so with this
stride evaluations cost less than the iterations between them."""


class SampledSolver(SampledRun, PlanSolver):
    """MCCFR in all its forms. Results depend on the seed, not on the number of threads."""

    def __init__(
        self,
        form: SequenceForm,
        recipe: Recipe,
        horizon: int | None = None,
        *,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        super().__init__(recipe, horizon, seed)
        check_count("threads", threads)
        refuse_values(form, "sampling")
        self.form = form
        self.nodes, self._layout = pack_nodes(form, public=self.method.public_chance)
        size = self._layout.size
        self.tables = Tables(
            strategy=zeros(size, np.float64),
            regrets=zeros(size, np.float64),
            average=zeros(size, np.float64),
            log_kept=np.zeros((2, size if self.weights.discounts else 0)),
            baseline=zeros(size if recipe.baseline else 0, np.float64),
            degree=np.zeros(size, np.int32),
            pending=zeros(size, np.uint8),
        )
        first, second = form.treeplexes
        begin = np.append(first.infoset_begin[:-1], first.num_sequences + second.infoset_begin[:-1])
        self._degree = np.append(first.infoset_num_actions, second.infoset_num_actions)
        self._begin = self._layout.place[begin]
        self.tables.strategy[:] = 1.0
        self.tables.degree[self._begin] = self._degree
        match_all_regrets(self.tables, self._begin, self._degree)
        walks = recipe.batch if recipe.alternating else 2 * recipe.batch
        self.threads = min(threads, walks)
        # Also for one thread if a mini-batch may take long: the main thread must see Ctrl-C.
        self._pool = ThreadPoolExecutor(self.threads) if walks > 1 else None
        self._counters = np.zeros(32, np.int64)
        self._counts = np.zeros((self.threads, 32), np.int64)
        self._split = make_split(self._layout.hand_probability, self.threads, walks)
        self._make_log = functools.partial(
            make_log, form, recipe, self.method, self._split, self._counts
        )
        visits = max(1, FIRST_CAPACITY // self.threads)
        self._log = self._make_log(entries=FIRST_CAPACITY, visits=visits)
        self.evaluation_stride = max(1, form.history.num_nodes // (NODES_PER_WALK * recipe.batch))

    def stop(self) -> None:
        """Make `run` return soon; from another thread or a signal handler."""
        self._counters[STOP_REQUESTED] = 1

    def run(self, iterations: int) -> None:
        """Do some iterations; fewer if `stop` is called."""
        try:
            self._run_to(self.batches_per_iteration * (self.iteration + iterations))
        finally:
            self._counters[STOP_REQUESTED] = 0

    def _run_to(self, end: int) -> None:
        """Run mini-batches up to number ``end``, and enlarge the log where a walk needs it."""
        per = self.batches_per_iteration
        while self._batches < end and not self._counters[STOP_REQUESTED]:
            first = self._batches // per + 1
            schedule, scale = self.weights.batch(first, -(-end // per) - first + 1)
            if scale != 1.0:
                self.tables.average[:] /= scale
            last = min(end, per * (first - 1 + len(schedule.weight)))
            batches = Batches(
                np.uint64(key_of(self.seed)),
                self._batches,
                last - self._batches,
                self.recipe.batch,
                1.0 / self.recipe.batch,
                self.recipe.alternating,
                schedule.log_kept,
                schedule.floor,
                schedule.weight / self.recipe.batch,
            )
            try:
                self._run_batches(batches)
            finally:
                self.iteration = self._batches // per
                self.weights.advance(self.iteration)
            self._enlarge_log()

    def walk_once(self, number: int, strategy: Floats) -> tuple[Floats, Floats]:
        """Walk mini-batch ``number`` by a given strategy, for who keeps regrets elsewhere.

        ``strategy`` is by sequence, player 0's first. Returns, by sequence, the mean over walks of
        the sampled regrets, and of what they add to the average. The tables serve as work space;
        the random numbers are those of mini-batch ``number`` of a run with the same seed.
        """
        tables, place, walks = self.tables, self._layout.place, self.recipe.batch
        batches = Batches(
            *(np.uint64(key_of(self.seed)), number, 1, walks, 1.0 / walks),
            self.recipe.alternating,
            log_kept=np.zeros((2, 1)),
            floor=-np.inf,
            weight=np.full(1, 1.0 / walks),
        )
        done = self._batches
        while self._batches == done:
            tables.regrets[:] = 0.0
            tables.average[:] = 0.0
            tables.strategy[place] = strategy
            self._run_batches(batches)
            self._enlarge_log()
        return tables.regrets[place], tables.average[place]

    def _enlarge_log(self) -> None:
        """Make room where a walk needed more."""
        entries, visits = self._log.entries.shape[1], self._log.visits.shape[1]
        if self._counters[NEEDS_ENTRIES]:
            self._log = self._make_log(entries=2 * entries, visits=visits)
        elif self._counters[NEEDS_LOG]:
            self._log = self._make_log(entries=entries, visits=2 * visits)

    def _run_batches(self, batches: Batches) -> None:
        """Run mini-batches on all threads, and count those that were completed."""
        self._counters[ARRIVALS] = 0
        self._counters[STOPPED : NEEDS_LOG + 1] = 0
        address = self._counters.ctypes.data

        def work(thread: int) -> int:
            arrays = self.nodes, self.tables, self.method, self._log, self._split, batches
            return int(run_batches(*arrays, address, thread, self.threads))

        if self._pool is None:
            self._batches += work(0)
            return
        jobs = [self._pool.submit(work, thread) for thread in range(self.threads)]
        try:
            wait(jobs)
        finally:
            # If Ctrl-C broke out of the waiting, the threads are still at work.
            if not all(job.done() for job in jobs):
                self.stop()
                wait(jobs)
            self._batches += min(job.result() for job in jobs)

    def table(self, name: str) -> Floats:
        """A copy of a table by sequence: player 0's, then player 1's."""
        table: Floats = getattr(self.tables, name)
        return table[..., self._layout.place] if table.size else table.copy()

    def _by_player(self, name: str) -> tuple[Floats, Floats]:
        split = self.form.treeplexes[0].num_sequences
        table = self.table(name)
        return table[:split], table[split:]

    def strategy(self) -> SequenceStrategy:
        """The average strategy: what converges to an equilibrium."""
        begins = (treeplex.infoset_begin for treeplex in self.form.treeplexes)
        first, second = map(normalise, self._by_player("average"), begins)
        return SequenceStrategy(self.form, (first, second))

    def current(self) -> SequenceStrategy:
        """The strategy of the next iteration."""
        return SequenceStrategy(self.form, self._by_player("strategy"))

    def plans(self) -> tuple[Floats, Floats]:
        """The plans of the average strategy, in lanes."""
        strategy = self.strategy()
        return plan_in_lanes(strategy, 0), plan_in_lanes(strategy, 1)

    @property
    def kept_bytes(self) -> int:
        """Bytes that must survive from one iteration to the next: what a checkpoint holds."""
        return sum(array.nbytes for array in self.state().values())

    @property
    def working_bytes(self) -> int:
        """Bytes of all arrays that the solver allocated: its tables and the log of walks."""
        return sum(array.nbytes for array in (*self.tables, *self._log, *self._split))

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as walks read it."""
        arrays = (*self.nodes, *self.nodes.public)
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def state(self) -> dict[str, NDArray[Any]]:
        """The tables by sequence, and what `run_state` gives."""
        names = ("regrets", "average", "log_kept", "baseline")
        tables = {name: self.table(name).reshape(-1) for name in names}
        return {name: table for name, table in tables.items() if len(table)} | self.run_state()

    def _restore_tables(self, state: State) -> None:
        place = self._layout.place
        for name in state.keys() & set(Tables._fields):
            table = getattr(self.tables, name)
            table[..., place] = np.reshape(state[name], (*table.shape[:-1], len(place)))
        match_all_regrets(self.tables, self._begin, self._degree)
