"""An exact equilibrium: one linear program over the sequences of both players."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csc_array

from infoset.errors import BadInputError, InfosetError
from infoset.evaluation import plan_exploitability
from infoset.forms import SequenceForm, Treeplex
from infoset.forms.kernels.passes import multiply_down, normalise
from infoset.solvers.sequence.plan_solver import LaneSolver, refuse_values

Floats = NDArray[np.float64]
Plans = tuple[Floats, Floats]

METHODS = ("simplex", "ipm")
"""Dual simplex was the faster of the two on every game tried, by up to four times in the larger
ones; an interior point with crossover is the second opinion."""

TOLERANCE = 1e-10
"""The tightest that HiGHS knows. With its default, 1e-7, it calls plans optimal that lose 5e-8."""

EXACT = 1e-9
"""A solution may lose this much to a best response, as a share of the largest payoff entry."""

BYTES_PER_ENTRY = 170
BYTES_PER_LINE = 700
"""What HiGHS was seen to take per matrix entry, and per row or column, rounded up."""


class LinearProgramSolver(LaneSolver):
    """The sequence-form linear program (Koller, Megiddo & von Stengel 1996), solved by HiGHS.

    Player 0 looks for the plan ``x`` that wins the most against a best response. By duality, what
    a best response leaves him is the largest value ``v[0]`` of player 1's root such that no
    sequence of player 1 concedes less than his infosets are valued at:

        maximise    v[0]
        such that   E x = e,  x >= 0         (x is a plan)
                    A' x - F' v >= 0         (one row per sequence of player 1)

    with the payoff matrix ``A`` and the plan constraints ``E x = e`` and ``F y = f`` of the two
    players. The multipliers of the last rows are player 1's optimal plan, so one program gives
    both strategies. Infosets that a player's own plan avoids are left open by it and play
    uniformly: the result is a Nash equilibrium, not a sequential one.

    There is one iteration: it solves the game, or raises `InfosetError` and says why not, among
    other things if it took more than ``seconds``. Its result is measured before it is accepted.

    >>> from infoset.evaluation import expected_value
    >>> from infoset.games import make
    >>> from infoset.forms import compile_game
    >>> solver = LinearProgramSolver(compile_game(make("kuhn")))
    >>> solver.run()
    >>> round(18 * expected_value(solver.strategy()), 12)
    -1.0
    """

    is_exact = True

    def __init__(self, form: SequenceForm, *, seconds: float | None = None) -> None:
        if seconds is not None and not 0 < seconds < float("inf"):
            raise BadInputError(f"seconds must be a number above 0, not {seconds!r}")
        super().__init__(form)
        refuse_values(form, "the linear program")
        self.seconds = seconds
        self._plans = self._from_positive(
            (form.treeplexes[0].uniform(), form.treeplexes[1].uniform())
        )

    def run(self, iterations: int = 1) -> None:
        """Solve the game; once that is done there is nothing more to do."""
        if self.iteration > 0 or iterations < 1:
            return
        begin = time.monotonic()
        program, exponent = _program(self.form)
        said = []
        for method in METHODS:
            left = None if self.seconds is None else begin + self.seconds - time.monotonic()
            highs = _solve(program, method, left)
            status = highs.getModelStatus()
            if status == highspy.HighsModelStatus.kTimeLimit:
                raise InfosetError(
                    f"{self.form.name}: the linear program was not solved within {self.seconds:g} "
                    "seconds. Give it more, or use an iterative algorithm, which has a strategy "
                    "to show at any time"
                )
            if status != highspy.HighsModelStatus.kOptimal:
                said.append(f"{method} ended with '{highs.modelStatusToString(status)}'")
                continue
            plans = self._plans_of(highs)
            lost = plan_exploitability(self.form, plans)
            if lost <= np.ldexp(EXACT, exponent):
                self._plans = plans
                self.iteration = 1
                return
            said.append(f"{method} found a strategy of exploitability {lost:.2g}")
        raise InfosetError(
            f"{self.form.name}: HiGHS could not solve the linear program: {', '.join(said)}. "
            "Payoffs or probabilities of very different size may be the cause; "
            "an iterative algorithm does not mind them"
        )

    def _plans_of(self, highs: highspy.Highs) -> Plans:
        """Both players' plans, freed from the rounding of the linear program."""
        first, _ = self.form.treeplexes
        solution = highs.getSolution()
        own = np.array(solution.col_value)[: first.num_sequences]
        multipliers = np.array(solution.row_dual)[first.num_infosets + 1 :]
        return self._from_positive((np.maximum(own, 0.0), np.maximum(multipliers, 0.0)))

    def _from_positive(self, weights: Plans) -> Plans:
        """The plans that play in proportion to some weights of the sequences, in lanes."""
        lanes = self.form.lanes
        plans = lanes.spread(0, weights[0]), lanes.spread(1, weights[1])
        for plan, groups in zip(plans, lanes.groups, strict=True):
            normalise(plan, groups)
            multiply_down(plan, groups)
        return plans

    def plans(self) -> Plans:
        """The optimal plans in lanes; uniform ones before `run`."""
        return self._plans[0].copy(), self._plans[1].copy()

    @property
    def nodes_touched(self) -> int:
        """Histories that were read to write the program down, each once; none before `run`."""
        return self.iteration * self.form.history.num_nodes

    @property
    def working_bytes(self) -> int:
        """Bytes of the plans and, estimated, of HiGHS while it solves."""
        plexes = self.form.treeplexes
        num_lines = sum(t.num_infosets + 1 + t.num_sequences for t in plexes)
        num_entries = len(self.form.payoff.entries) + num_lines
        highs = BYTES_PER_ENTRY * num_entries + BYTES_PER_LINE * num_lines
        return highs + sum(plan.nbytes for plan in self._plans)

    def _kept(self) -> dict[str, Floats]:
        return {"plan0": self._plans[0], "plan1": self._plans[1]}


def _plan_constraints(treeplex: Treeplex) -> coo_array:
    """Row 0: the empty sequence has reach 1. Row ``1 + i``: infoset ``i`` passes on its reach."""
    infosets = np.arange(treeplex.num_infosets)
    sequences = np.arange(1, treeplex.num_sequences)
    rows = np.concatenate(([0], 1 + infosets, 1 + treeplex.sequence_infoset[1:]))
    columns = np.concatenate(([0], treeplex.infoset_parent, sequences))
    entries = np.concatenate(([1.0], np.full(len(infosets), -1.0), np.ones(len(sequences))))
    shape = treeplex.num_infosets + 1, treeplex.num_sequences
    return coo_array((entries, (rows, columns)), shape=shape)


def _program(form: SequenceForm) -> tuple[highspy.HighsLp, int]:
    """The linear program, and the exponent of two its payoffs were divided by.

    Scaled like this, by a power of two so that nothing is rounded, the largest payoff is near 1:
    HiGHS has absolute tolerances and takes very small entries for zeros.
    """
    first, second = form.treeplexes
    kept = np.flatnonzero(form.payoff.entries)
    entries = form.payoff.entries[kept]
    exponent = int(np.frexp(np.abs(entries).max(initial=0.0))[1])
    where = form.payoff.rows[kept], form.payoff.columns[kept]
    payoff = coo_array(
        (np.ldexp(entries, -exponent), where), shape=(first.num_sequences, second.num_sequences)
    )
    own, opponent = _plan_constraints(first), _plan_constraints(second)
    matrix = csc_array(block_array([[own, None], [payoff.T, -opponent.T]], format="csc"))

    program = highspy.HighsLp()
    num_rows, num_columns = matrix.shape
    num_own_rows, num_own_columns = own.shape
    program.num_row_, program.num_col_ = num_rows, num_columns
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = matrix.indptr
    program.a_matrix_.index_ = matrix.indices
    program.a_matrix_.value_ = matrix.data
    # Minimise the negative: the multipliers of the rows `>= 0` are then not negative either.
    program.col_cost_ = np.where(np.arange(num_columns) == num_own_columns, -1.0, 0.0)
    program.col_lower_ = np.where(np.arange(num_columns) < num_own_columns, 0.0, -np.inf)
    program.col_upper_ = np.full(num_columns, np.inf)
    program.row_lower_ = np.where(np.arange(num_rows) == 0, 1.0, 0.0)
    program.row_upper_ = np.where(np.arange(num_rows) < num_own_rows, program.row_lower_, np.inf)
    return program, exponent


def _solve(program: highspy.HighsLp, method: str, seconds: float | None) -> highspy.Highs:
    """Run HiGHS, silently and on one processor, until it is done or Ctrl-C is pressed."""
    highs = highspy.Highs()
    highs.silent()
    options = {
        "solver": method,
        "threads": 1,
        "parallel": "off",
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "small_matrix_value": 1e-12,
        "time_limit": float("inf") if seconds is None else max(seconds, 0.0),
    }
    for name, value in options.items():
        if highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            raise InfosetError(f"this version of HiGHS has no option {name}={value}")
    highs.HandleUserInterrupt = True
    if highs.passModel(program) == highspy.HighsStatus.kError:
        raise InfosetError("HiGHS did not accept the linear program")

    # In a thread of its own, so that Ctrl-C is heard while HiGHS works, and so that a number of
    # threads that was set elsewhere in the process, which HiGHS keeps per thread, is no hindrance.
    with ThreadPoolExecutor(1, "highs") as pool:
        try:
            running = pool.submit(highs.run)
            # Not one long wait: on Windows that could not be interrupted.
            while not wait([running], timeout=0.1).done:
                pass
        except BaseException:
            highs.cancelSolve()
            raise
        running.result()
    return highs
