"""From a request to a solution: the form, the solver, the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from infoset.errors import BadInputError, TooLargeError
from infoset.forms import (
    PublicForm,
    SequenceForm,
    SpotForm,
    compile_game,
    cost_of,
    form_of_spot,
    public_form_of,
    sequence_form_of,
)
from infoset.games import Game, make, name_of
from infoset.games.holdem import Spot
from infoset.machine.interrupts import heard_interrupts
from infoset.machine.memory import BYTES_PER_HISTORY, check_fits
from infoset.solvers.algorithms import Algorithm, find_algorithm
from infoset.solvers.contract import Solver
from infoset.solvers.limits import Limits
from infoset.solvers.local_rules import REGRET_MATCHING
from infoset.solvers.loop import iterate, restore
from infoset.solvers.outcome import Outcome, Space, Started, instant_cfr_space
from infoset.solvers.recipe import Recipe
from infoset.solvers.request import Request
from infoset.solvers.sampled.dense import SampledSolver
from infoset.solvers.sampled.sparse import SparseSolver, rules_fingerprint
from infoset.solvers.sequence.costs import is_too_small
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver
from infoset.solvers.sequence.interval import IntervalSolver
from infoset.solvers.sequence.pruned import without_pruning
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.sequence.total import TotalSolver
from infoset.solvers.solution import Solution
from infoset.solvers.solution_files import Checkpoint
from infoset.solvers.start import begin
from infoset.solvers.vector.solver import VectorSolver
from infoset.strategy import SequenceStrategy

Form = SequenceForm | PublicForm | Game
"""A sequence form, a public form, or rules that are walked."""

KERNELS = "preparing kernels (compiled once, then cached)"
BUILDING = "building the game"


Made = tuple[Form, Solver]


def make_solver(request: Request) -> Made:
    """The form that a request is solved in, and its solver."""
    form = find_form(request)
    request.announce(KERNELS)
    warm_up(request.form, request.algorithm, request.bits)
    solver = build_solver(
        *(form, request.algorithm, request.limits),
        seed=request.seed or 0,
        threads=request.threads,
        bits=request.bits,
    )
    return form, solver


def run(request: Request, make: Callable[[Request], Made] = make_solver) -> Solution:
    """Solve what is asked for, until a limit is reached or Ctrl-C is pressed."""
    started = None
    with heard_interrupts():
        request.announce(BUILDING)
        form, solver = make(request)
        if request.start is not None:
            request.announce("starting from a strategy")
            limit = request.limits.iterations
            started = begin(solver, form, request.start, request.algorithm, limit)
    start = _start(form, request)
    if request.resumed is not None:
        restore(solver, request.resumed)
    request.announce("solving")

    def finish(outcome: Outcome) -> Solution:
        return _solution(form, solver, request, outcome, started)

    return iterate(
        *(solver, request.limits, start, finish),
        saving=request.saving,
        progress=request.progress,
        cancel=request.cancel,
    )


def find_form(request: Request) -> Form:
    """The form that a request is solved in; refused if it does not fit into memory."""
    rules, limit = request.rules, request.max_memory
    if isinstance(rules, PublicForm) or request.form == "public":
        form = rules if isinstance(rules, PublicForm) else public_form_of(rules)  # type: ignore[arg-type]
        if isinstance(form, SpotForm):
            assert request.algorithm.recipe is not None
            needed = predicted_bytes(form, request.algorithm.recipe, request.threads, request.bits)
            half = ", or store numbers in 16 bits (half of it)" if request.bits == 32 else ""
            check_fits(
                needed,
                "the spot",
                f"give fewer bet sizes or smaller ranges, begin on a later street{half}",
                limit,
            )
        return form
    if isinstance(rules, SequenceForm) or request.form == "rules":
        return rules
    max_histories = None if limit is None else limit // BYTES_PER_HISTORY
    try:
        return sequence_form_of(rules, max_histories=max_histories)
    except TooLargeError as error:
        if not request.may_walk_rules:
            hint = "" if request.algorithm.is_sampled else " To sample it: algorithm 'es-mccfr'."
            raise TooLargeError(f"{error}{hint}") from None
        if request.limits.exploitability is not None:
            raise TooLargeError(
                f"{error} Walking its rules, a sampler has no exact exploitability to stop at: "
                "give iterations or seconds"
            ) from None
        return rules


def predicted_bytes(form: SpotForm, recipe: Recipe, threads: int, bits: int = 32) -> int:
    """What solving a spot takes by a recipe: tables, buffers of all threads, and layout.

    >>> spot = Spot("Ks9h7d4c2s", "random", "random", pot=5000, stack=17500)
    >>> 0.7e6 < predicted_bytes(form_of_spot(spot), Recipe(), threads=1) < 0.8e6
    True
    """
    return cost_of(form.spot, form.tree, form.runouts).num_bytes(
        bits=bits,
        num_tables=3 if recipe.predictive else 2,
        threads=threads,
        alternating=recipe.alternating,
    )


def build_solver(
    form: Form,
    algorithm: Algorithm,
    limits: Limits,
    *,
    seed: int = 0,
    threads: int = 1,
    bits: int = 32,
) -> Solver:
    """The solver of an algorithm on a form, at its start."""
    recipe, horizon = algorithm.recipe, limits.iterations
    if algorithm.nested is not None:
        raise BadInputError("cfr-d is put together by infoset.resolving: use infoset.solve")
    if algorithm.neural is not None:
        raise BadInputError(f"{algorithm.name!r} is made by infoset.neural: use infoset.solve")
    if isinstance(form, PublicForm):
        if recipe is None or recipe.is_sampled:
            raise BadInputError(f"{algorithm.name!r} does not work in public form")
        return VectorSolver(form, recipe, horizon, threads=threads, bits=bits)
    if not isinstance(form, SequenceForm):
        if recipe is None or not recipe.is_sampled:
            raise BadInputError(f"{algorithm.name!r} needs the whole game, not its rules alone")
        return SparseSolver(form, recipe, horizon, seed=seed)
    if recipe is not None and recipe.is_sampled:
        return SampledSolver(form, recipe, horizon, seed=seed, threads=threads)
    if recipe is not None:
        return regret_solver(form, recipe, horizon)
    if algorithm.is_exact:
        # Imported here: HiGHS is loaded only by those who use it.
        from infoset.solvers.exact.linear_program import LinearProgramSolver

        return LinearProgramSolver(form, seconds=limits.seconds)
    return FictitiousPlaySolver(form, alternating=algorithm.alternating)


def regret_solver(form: SequenceForm, recipe: Recipe, horizon: int | None) -> Solver:
    """The regret minimiser of a recipe in sequence form, at its start."""
    if recipe.pruning is None or recipe.pruning.kind == "partial":
        return RegretSolver(form, recipe, horizon)
    if recipe.pruning.thrifty and is_too_small(form):
        return RegretSolver(form, without_pruning(recipe), horizon)
    make = TotalSolver if recipe.pruning.kind == "total" else IntervalSolver
    return make(form, recipe, horizon)


def _start(form: Form, request: Request) -> Checkpoint:
    """What the run is; a checkpoint that is resumed must be one of it."""
    if isinstance(form, SequenceForm | PublicForm):
        name, fingerprint = form.name, form.fingerprint
        kind = "sequence" if isinstance(form, SequenceForm) else "public"
    else:
        name, fingerprint, kind = name_of(form), rules_fingerprint(form), "rules"
    start = Checkpoint(
        *(name, fingerprint, request.algorithm.name),
        form=kind,
        bits=request.bits,
        seed=request.seed,
    )
    resumed = request.resumed
    if resumed is None:
        return start
    if (resumed.fingerprint, resumed.form) != (fingerprint, kind):
        alike = (resumed.game, resumed.form) == (name, kind)
        raise BadInputError(
            f"the checkpoint is a run of {resumed.game!r} in {_in_words(resumed.form)}, which is "
            f"not {name!r} in {_in_words(kind)}" + (": their rules differ" if alike else "")
        )
    return replace(start, seconds=resumed.seconds, curve=resumed.curve)


def _in_words(form: str) -> str:
    return "samples of its rules" if form == "rules" else f"{form} form"


def _solution(
    form: Form, solver: Solver, request: Request, outcome: Outcome, started: Started | None
) -> Solution:
    evaluation = solver.evaluate()
    first, second = evaluation.values
    rules = request.rules
    spot = rules if isinstance(rules, Spot) else rules.spot if isinstance(rules, SpotForm) else None
    half = 0.0 if spot is None else spot.pot / 2
    if evaluation.bound is not None:
        outcome = outcome._replace(exploitability=evaluation.exploitability)
    strategy = solver.strategy()
    recipe = request.algorithm.recipe
    bound = None
    if isinstance(strategy, SequenceStrategy) and request.algorithm.neural is None:
        alternating = recipe is None or recipe.alternating
        bound = instant_cfr_space(strategy.form, alternating=alternating)
    return Solution(
        **outcome._asdict(),
        strategy=strategy,
        algorithm=request.algorithm.name,
        values=(half + first, half + second),
        space=Space(solver.kept_bytes, solver.working_bytes, solver.form_bytes, bound),
        seed=request.seed,
        threads=request.threads,
        bits=request.bits,
        bound=evaluation.bound,
        spot=spot,
        start=started,
    )


_warm: set[tuple[str, bool, str, int, str]] = set()


def warm_up(form: str, algorithm: Algorithm, bits: int = 32) -> None:
    """Have the kernels compiled (or loaded from the cache) before anything is timed."""
    rule = REGRET_MATCHING if algorithm.recipe is None else algorithm.recipe.rule
    pruning = None if algorithm.recipe is None else algorithm.recipe.pruning
    kind = "" if pruning is None else pruning.kind
    key = form, algorithm.is_sampled, rule.compiled.key, bits, kind
    if form == "rules" or key in _warm:
        return
    _warm.add(key)
    once = Limits(iterations=1)
    if form == "public":
        sizes = {"bet": "a", "raise": ""}
        small: Form = form_of_spot(Spot("Ks9s7s4s2s", "55", "66", 2, 1, bet_sizes=sizes))
    else:
        small = compile_game(make("rps"))
    algorithms = [Algorithm("any", Recipe(rule=rule))]
    if algorithm.is_sampled:
        algorithms = [find_algorithm("es-mccfr")]
    elif form == "sequence":
        algorithms += [find_algorithm("pcfr+"), find_algorithm("xfp")]
        if kind in ("total", "interval"):
            algorithms += [find_algorithm(f"cfr+(pruning={kind}(every=1,thrifty=false))")]
    for each in algorithms:
        solver = build_solver(small, each, once, bits=bits)
        solver.run(2 if kind else 1)
        solver.evaluate()
        solver.strategy()
