"""Two threads against one, where an iteration is a mini-batch of walks."""

from __future__ import annotations

from typing import Any

from benchmarks.contestants import INFOSET
from benchmarks.cores import exchange_seconds
from benchmarks.report import Section, Table, seconds
from benchmarks.sampling_contestants import load_samplers, sampler
from benchmarks.timing import MANY, QUICK, Taken, best_times

ALGORITHMS = (
    "es-mccfr(b=100)",
    "rs-mccfr(k=3,b=100)",
    "rs-mccfr(k=3,b=1000)",
    "os-mccfr(b=100)",
    "os-mccfr(b=1000)",
)
GAMES = ("leduc", "liars_dice(faces=6)", "nolimit_leduc(stack=5)", "nolimit_leduc(stack=10)")
OTHERS = (
    ("leduc", "rs-mccfr+(k=3,b=100)"),
    ("leduc", "chance-cfr(b=100)"),
    ("leduc", "as-mccfr(b=100)"),
    ("leduc", "pcs-mccfr(b=100)"),
    ("leduc", "vr-mccfr(b=100)"),
    ("leduc", "vr-mccfr(b=1000)"),
    ("goofspiel(cards=4)", "es-mccfr(b=100)"),
    ("kuhn", "es-mccfr(b=100)"),
    ("kuhn", "es-mccfr(b=1000)"),
)
"""What else is told: other traversals, a game without hands, and a very small one."""

BAR = 1.7
"""How many times faster two threads are to be than one."""

ROUNDS, QUICK_ROUNDS = 4, 1
WALKS_COMPARED = 20_000
"""Walks of a player after which one and two threads are compared byte for byte."""


def measure(section: Section, *, quick: bool) -> None:
    """Time mini-batches with one and two threads."""
    from infoset.forms import compile_game
    from infoset.games import make

    rows = [(game, algorithm) for game in GAMES for algorithm in ALGORITHMS]
    rows = [row for row in rows if row[0] != GAMES[-1]] if quick else [*rows, *OTHERS]
    load_samplers({algorithm for _, algorithm in rows})
    trees = {game: compile_game(make(game)) for game, _ in rows}
    pairs = {}
    for game, algorithm in rows:
        pairs[game, algorithm] = [
            sampler(trees[game], algorithm, threads=threads) for threads in (1, 2)
        ]
        same_bytes(game, algorithm, pairs[game, algorithm])
    exchanges: list[float] = []
    best: dict[tuple[str, str], list[Taken]] = {}
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        for row, solvers in pairs.items():
            exchanges.append(exchange_seconds())
            found = best_times([solver.run for solver in solvers], QUICK if quick else MANY)
            old = best.get(row, found)
            best[row] = [
                Taken(min(a.wall, b.wall), min(a.cpu, b.cpu))
                for a, b in zip(old, found, strict=True)
            ]
    table = Table(
        "Sampling: two threads against one, an iteration of a mini-batch",
        ("game", "algorithm", "1 thread", "2 threads", "times faster", "bar", "met"),
        num_words=2,
        notes=[
            "Wall time of an iteration (a mini-batch for either player), the best of "
            f"{ROUNDS * MANY.repetitions} repetitions in {ROUNDS} rounds over all rows, in which "
            "both take turns. Before that, "
            f"{WALKS_COMPARED:,} walks for either player have left the same bytes with one thread "
            "and with two, or the run would have stopped.",
            "How fast cores hear of each other changes while a rented machine runs. Between the "
            "rows, a core changed 64 cache lines and the other read them in "
            f"{seconds(min(exchanges))} to {seconds(max(exchanges))}, half of the times in "
            f"{seconds(sorted(exchanges)[len(exchanges) // 2])} or less.",
        ],
    )
    section.record("-", "exchange", INFOSET, part="cores", seconds=sorted(exchanges))
    for (game, algorithm), (one, two) in best.items():
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
