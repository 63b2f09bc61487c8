"""Solve a game that is a tree: from an algorithm and its limits to a solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from infoset.evaluation.measure import plan_exploitability, plan_value
from infoset.games import make
from infoset.interrupts import heard_interrupts
from infoset.solvers.algorithms import Algorithm, find_algorithm
from infoset.solvers.files import Checkpoint, Saving
from infoset.solvers.limits import Limits
from infoset.solvers.loop import Progress, iterate, restore
from infoset.solvers.solution import Outcome, Solution, Space, instant_cfr_space
from infoset.trees import Tree, compile_game

__all__ = ["run", "warm_up"]


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
                game=getattr(solver, "game_bytes", tree.lanes.nbytes),
                bound=instant_cfr_space(tree, alternating=recipe is None or recipe.alternating),
            ),
            seed=seed,
        )

    def measure() -> float:
        return plan_exploitability(tree.lanes, solver.plans())

    return iterate(solver, measure, limits, start, finish, saving=saving, progress=progress)
