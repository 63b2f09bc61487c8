"""Solve a game that is a tree: from an algorithm and its limits to a solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from infoset.errors import BadInputError
from infoset.evaluation.measure import plan_exploitability, plan_value
from infoset.forms import Tree, compile_game
from infoset.games import Game, make
from infoset.machine.interrupts import heard_interrupts
from infoset.solvers.algorithms import Algorithm, find_algorithm
from infoset.solvers.files import Checkpoint, Saving
from infoset.solvers.limits import Limits
from infoset.solvers.loop import Progress, iterate, restore
from infoset.solvers.sampled.sparse import SparseSolver, name_of, rules_fingerprint
from infoset.solvers.solution import Outcome, Solution, Space, instant_cfr_space

__all__ = ["run", "sample_rules", "warm_up"]


@cache
def warm_up(*, sampled: bool = False) -> None:
    """Have the kernels compiled (or loaded from the cache) before anything is timed."""
    tree = compile_game(make("rps"))
    for algorithm in ("es-mccfr",) if sampled else ("cfr", "pcfr+", "xfp"):
        solver = find_algorithm(algorithm).build(tree, Limits(iterations=1))
        solver.run(1)
        plan_value(tree.lanes, solver.plans())
        plan_exploitability(tree.lanes, solver.plans())
        solver.strategy()


def run(
    tree: Tree,
    algorithm: Algorithm,
    limits: Limits,
    *,
    seed: int | None = None,
    threads: int = 1,
    saving: Saving | None = None,
    resumed: Checkpoint | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Solution:
    """Solve a game until a limit is reached or Ctrl-C is pressed; see `infoset.solvers.loop`."""
    with heard_interrupts():
        warm_up(sampled=algorithm.is_sampled)
    solver = algorithm.build(tree, limits, seed=seed or 0, threads=threads)
    start = Checkpoint(tree.name, tree.fingerprint, algorithm.name, seed=seed)
    if resumed is not None:
        restore(solver, resumed)
        start = replace(start, seconds=resumed.seconds, curve=resumed.curve)

    def finish(outcome: Outcome) -> Solution:
        recipe = getattr(solver, "recipe", None)
        return Solution(
            **outcome._asdict(),
            strategy=solver.strategy(),
            algorithm=algorithm.name,
            value=plan_value(tree.lanes, solver.plans()),
            space=Space(
                kept=solver.kept_bytes,
                solver=solver.working_bytes,
                game=getattr(solver, "form_bytes", tree.lanes.nbytes),
                bound=instant_cfr_space(tree, alternating=recipe is None or recipe.alternating),
            ),
            seed=seed,
        )

    def measure() -> float:
        return plan_exploitability(tree.lanes, solver.plans())

    return iterate(solver, measure, limits, start, finish, saving=saving, progress=progress)


def sample_rules(
    game: Game,
    algorithm: Algorithm,
    limits: Limits,
    *,
    seed: int,
    saving: Saving | None = None,
    resumed: Checkpoint | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Solution:
    """As `run`, on a game that is not compiled: see `infoset.solvers.sampled.sparse`."""
    if algorithm.recipe is None or not algorithm.is_sampled:
        raise BadInputError(
            f"{algorithm.name!r} needs the whole game; only algorithms that sample, such as "
            "'es-mccfr', can walk its rules (store='sparse')"
        )
    if limits.exploitability is not None:
        raise BadInputError(
            "a game that is sampled by its rules has no exact exploitability, only a lower bound, "
            "and that it is low proves nothing: stop after iterations or seconds"
        )
    solver = SparseSolver(game, algorithm.recipe, limits.iterations, seed=seed)
    start = Checkpoint(name_of(game), rules_fingerprint(game), algorithm.name, seed=seed)
    if resumed is not None:
        restore(solver, resumed)
        start = replace(start, seconds=resumed.seconds, curve=resumed.curve)

    def finish(outcome: Outcome) -> Solution:
        strategy, final = solver.strategy(), solver.bound(last=True)
        return Solution(
            **outcome._replace(exploitability=final.lower)._asdict(),
            strategy=strategy,
            algorithm=algorithm.name,
            value=final.value,
            space=Space(
                kept=solver.kept_bytes,
                solver=solver.working_bytes,
                game=0,
                bound=instant_cfr_space(strategy.tree, alternating=solver.recipe.alternating),
            ),
            seed=seed,
            bound=final,
        )

    return iterate(
        solver,
        lambda: solver.bound().lower,
        limits,
        start,
        finish,
        saving=saving,
        progress=progress,
    )
