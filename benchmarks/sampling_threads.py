"""Two threads against one, where an iteration is a mini-batch of walks."""

from __future__ import annotations

from typing import Any

from benchmarks.contestants import INFOSET
from benchmarks.report import Section, Table, seconds
from benchmarks.sampling_contestants import load_samplers, sampler
from benchmarks.timing import FULL, QUICK, best_times

ALGORITHMS = (
    "es-mccfr(b=100)",
    "rs-mccfr(k=3,b=100)",
    "rs-mccfr(k=3,b=1000)",
    "os-mccfr(b=1000)",
)
GAMES = ("leduc", "nolimit_leduc(stack=5)", "nolimit_leduc(stack=10)")
BAR = 1.7
"""How many times faster two threads are to be than one."""

WALKS_COMPARED = 20_000
"""Walks of a player after which one and two threads are compared byte for byte."""


def measure(section: Section, *, quick: bool) -> None:
    """Time mini-batches with one and two threads."""
    from infoset.games import make
    from infoset.trees import compile_game

    table = Table(
        "Sampling: two threads against one, an iteration of a mini-batch",
        ("game", "algorithm", "1 thread", "2 threads", "times faster", "bar", "met"),
        num_words=2,
        notes=[
            "Wall time of an iteration, the best of several repetitions in which both take turns. "
            f"Before that, {WALKS_COMPARED:,} walks for either player have left the same bytes "
            "with one thread and with two, or the run would have stopped."
        ],
    )
    load_samplers(ALGORITHMS)
    effort = QUICK if quick else FULL
    for game in GAMES[:2] if quick else GAMES:
        tree = compile_game(make(game))
        for algorithm in ALGORITHMS:
            solvers = [sampler(tree, algorithm, threads=threads) for threads in (1, 2)]
            same_bytes(game, algorithm, solvers)
            one, two = best_times([solver.run for solver in solvers], effort)
            for threads, taken in ((1, one), (2, two)):
                section.record(
                    game,
                    algorithm,
                    INFOSET,
                    part="threads",
                    threads=threads,
                    wall_seconds=taken.wall,
                    cpu_seconds=taken.cpu,
                    bar=BAR,
                )
            times = one.wall / two.wall
            walls = seconds(one.wall), seconds(two.wall)
            met = "yes" if times >= BAR else "no"
            table.rows.append((game, algorithm, *walls, f"{times:.2f}", f"{BAR}", met))
    section.tables.append(table)


def same_bytes(game: str, algorithm: str, solvers: list[Any]) -> None:
    """Run all solvers equally far; an error unless their states are the same to the last bit."""
    states = []
    for solver in solvers:
        solver.run(WALKS_COMPARED // solver.recipe.batch)
        states.append({name: array.tobytes() for name, array in solver.state().items()})
    for state in states[1:]:
        if differing := [name for name, held in state.items() if held != states[0][name]]:
            raise RuntimeError(
                f"{algorithm} on {game} depends on the number of threads: {', '.join(differing)}"
            )
