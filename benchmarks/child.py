"""Measurements that need a process of their own, for its peak memory: JSON on the last line."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from typing import Any

from benchmarks.contestants import load_our_kernels, our_solver
from benchmarks.timing import Effort, best_rates, peak_bytes


def kernels() -> dict[str, Any]:
    """Seconds to import the package and to have the kernels ready, cache on disk included."""
    begin = time.perf_counter()
    import infoset.api  # noqa: F401

    imported = time.perf_counter()
    load_our_kernels()
    return {
        "import_seconds": imported - begin,
        "kernel_seconds": time.perf_counter() - imported,
    }


def scaling(name: str, seconds: str, repetitions: str) -> dict[str, Any]:
    """Compile a game, run CFR+, and say what both cost."""
    load_our_kernels()
    from infoset.forms import compile_game
    from infoset.games import make

    bytes_before = peak_bytes()
    begin = time.perf_counter()
    tree = compile_game(make(name))
    walked = time.perf_counter()
    entries = len(tree.payoff.entries)
    lanes = tree.lanes
    laid_out = time.perf_counter()
    solver = our_solver(tree, "cfr+")
    [rate] = best_rates([solver.run], Effort(float(seconds), int(repetitions)))
    return {
        "infosets": tree.num_infosets,
        "sequences": tree.num_sequences,
        "histories": tree.history.num_nodes,
        "payoff_entries": entries,
        "walk_seconds": walked - begin,
        "layout_seconds": laid_out - walked,
        "iterations_per_second": rate,
        "nanoseconds_per_entry": 1e9 / rate / entries,
        "layout_bytes": lanes.nbytes,
        "solver_bytes": solver.working_bytes,
        "bytes_before": bytes_before,
        "peak_bytes": peak_bytes(),
    }


def linear_program(name: str) -> dict[str, Any]:
    """Solve a game exactly with our linear program."""
    load_our_kernels()
    from infoset.evaluation import plan_exploitability, plan_values
    from infoset.forms import compile_game
    from infoset.games import make
    from infoset.solvers import LinearProgramSolver

    bytes_before = peak_bytes()
    begin = time.perf_counter()
    tree = compile_game(make(name))
    _ = tree.lanes
    compiled = time.perf_counter()
    solver = LinearProgramSolver(tree)
    solver.run(1)
    solved = time.perf_counter()
    plans = solver.plans()
    return {
        "compile_seconds": compiled - begin,
        "seconds": solved - compiled,
        "value": plan_values(tree, plans)[0],
        "exploitability": plan_exploitability(tree, plans),
        "bytes_before": bytes_before,
        "peak_bytes": peak_bytes(),
    }


def open_spiel_linear_program(name: str) -> dict[str, Any]:
    """Solve a game exactly with OpenSpiel's sequence-form linear program."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import sequence_form_lp

    game = pyspiel.load_game(name)
    bytes_before = peak_bytes()
    begin = time.perf_counter()
    value, _, policy0, policy1 = sequence_form_lp.solve_zero_sum_game(game)
    seconds = time.perf_counter() - begin
    peak = peak_bytes()
    table = {}
    for player, policy in enumerate((policy0, policy1)):
        for key in policy.states_per_player[player]:
            mask = policy.legal_actions_mask[policy.state_lookup[key]]
            # An interior-point solver leaves probabilities a little below zero.
            row = np.maximum(policy.policy_for_key(key), 0.0) * mask
            table[key] = [(a, p / row.sum()) for a, p in enumerate(row) if mask[a]]
    return {
        "seconds": seconds,
        "value": float(value),
        "exploitability": float(pyspiel.exploitability(game, pyspiel.TabularPolicy(table))),
        "bytes_before": bytes_before,
        "peak_bytes": peak,
    }


def spot_kernels() -> dict[str, Any]:
    """Seconds to have all kernels of spots ready."""
    from benchmarks.spot_games import find
    from infoset.forms import form_of_spot
    from infoset.solvers import Recipe, VectorSolver

    begin, worked = time.perf_counter(), time.process_time()
    for street in range(1, 4):
        for bits in (32, 16):
            solver = VectorSolver(form_of_spot(find(f"tiny {street}")), Recipe(), bits=bits)
            solver.run(1)
            solver.exploitability()
    return {
        "kernel_seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - worked,
    }


def spot_memory(name: str, algorithm: str, bits: str) -> dict[str, Any]:
    """Solve a spot a little, and say what memory that took."""
    from benchmarks.spot_accuracy import recipe_of
    from benchmarks.spot_games import find
    from infoset.forms import form_of_spot
    from infoset.solvers import VectorSolver

    solver = VectorSolver(form_of_spot(find(name)), recipe_of(algorithm), bits=int(bits))
    solver.run(2)
    solver.exploitability()
    return {
        "table_bytes": solver.kept_bytes,
        "array_bytes": solver.working_bytes + solver.layout.nbytes,
        "peak_bytes": peak_bytes(),
    }


def spot_command(*arguments: str) -> dict[str, Any]:
    """Run the command, and say when the first iteration of its spot was done."""
    from infoset.cli import main
    from infoset.solvers import VectorSolver

    done: list[tuple[float, float]] = []
    run = VectorSolver.run

    def run_and_look(solver: VectorSolver, iterations: int) -> None:
        run(solver, iterations)
        # The kernels are made ready on a spot of a few hands.
        if min(solver.spot.num_hands) > 100:
            done.append((time.monotonic(), time.process_time()))

    VectorSolver.run = run_and_look  # type: ignore[assignment, method-assign]
    sys.argv = ["infoset", *arguments]
    with contextlib.suppress(SystemExit):
        main()
    first_iteration, cpu_seconds = done[0]
    return {"first_iteration": first_iteration, "cpu_seconds": cpu_seconds}


def sampling_accuracy(asked: str) -> dict[str, Any]:
    """Run samplers on a game to an exploitability."""
    from benchmarks.sampling_accuracy import measure_game

    return measure_game(asked)


def neural_large(name: str, text: str, iterations: str) -> dict[str, Any]:
    """Run a neural solver on a large game."""
    load_our_kernels()
    from infoset.forms import compile_game
    from infoset.games import make
    from infoset.neural import neural_solver
    from infoset.solvers import find_algorithm

    game = make(name)
    form = compile_game(game)
    recipe = find_algorithm(text).neural
    assert recipe is not None
    solver = neural_solver(form, game, recipe, seed=101)
    begin = time.process_time()
    solver.run(int(iterations))
    spent = time.process_time() - begin
    return {
        "exploitability": solver.exploitability(),
        "seconds": spent,
        "nodes": solver.nodes_touched,
        "peak_bytes": peak_bytes(),
    }


TASKS = {
    task.__name__: task
    for task in (
        kernels,
        scaling,
        linear_program,
        open_spiel_linear_program,
        spot_kernels,
        spot_memory,
        spot_command,
        sampling_accuracy,
        neural_large,
    )
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
