"""Seconds to an exploitability, with regret-based pruning and without it, in one run."""

from __future__ import annotations

import time
from typing import Any

from benchmarks.report import Section, Table, seconds
from infoset.forms import SequenceForm, compile_game
from infoset.games import make
from infoset.solvers import find_recipe, regret_solver

GAMES = ("leduc", "nolimit_leduc(stack=5)", "nolimit_leduc(stack=8)", "nolimit_leduc(stack=10)")
LARGE = ("leduc5", "nolimit_leduc(stack=12)")
ALGORITHMS = ("idcfr+", "dcfr(gamma=3)", "cfr+", "cfr")
PRUNING = "total"
MOST = {"cfr": 3_000}
"""Iterations at most; of CFR fewer than it needs to the end."""
LONGEST = 6_000
TARGETS = (1e-2, 1e-3, 1e-4, 1e-5)


def measure(*, quick: bool) -> Section:
    """Run each algorithm twice on each game."""
    table = Table(
        "Total pruning, thrifty: seconds to an exploitability",
        ("game", "algorithm", "chips", "without", "with", "ratio", "live", "checks", "layouts"),
        num_words=2,
        notes=[
            "Seconds of the iterations, checks and layouts alone, one thread; best of "
            f"{1 if quick else 2}, taking turns. Live: the share of sequences at the end of the "
            "run. Pruning that never pays does nothing but keep its sums."
        ],
    )
    section = Section([table])
    for game in GAMES[:2] if quick else (*GAMES, *LARGE):
        form = compile_game(make(game))
        _ = form.lanes
        for algorithm in ALGORITHMS:
            if game == LARGE[-1] and algorithm != "cfr+":
                continue
            _compare(section, table, game, form, algorithm, 1 if quick else 2)
    return section


def _compare(
    section: Section, table: Table, game: str, form: SequenceForm, algorithm: str, times: int
) -> None:
    pruned = f"{algorithm[:-1]},pruning={PRUNING})" if "(" in algorithm else None
    texts = algorithm, pruned or f"{algorithm}(pruning={PRUNING})"
    runs = [[_run(form, text) for text in texts] for _ in range(times)]
    for target in TARGETS:
        both = [[run[i]["reached"].get(target) for run in runs] for i in (0, 1)]
        if any(None in found for found in both):
            continue
        plain, with_pruning = (min(found) for found in both)
        solver = runs[0][1]
        section.record(
            game,
            algorithm,
            PRUNING,
            target=target,
            plain=plain,
            pruned=with_pruning,
            **solver["how"],
        )
        how = solver["how"]
        table.rows.append(
            (
                *(game, algorithm, f"{target:g}", seconds(plain), seconds(with_pruning)),
                *(f"{plain / with_pruning:.2f}", f"{how['live_share']:.2f}"),
                *(str(how["checks"]), str(how["layouts"])),
            )
        )


def _run(form: SequenceForm, text: str) -> dict[str, Any]:
    """Seconds until each target; evaluated every twentieth of the iterations so far."""
    _warm_up(text)
    solver = regret_solver(form, find_recipe(text), None)
    assert solver.kept_bytes > 0  # the tables of all are made before the clock starts
    spent, left, reached = 0.0, list(TARGETS), {}
    most = MOST.get(text.split("(")[0], LONGEST)
    while left and solver.iteration < most:
        begin = time.perf_counter()
        solver.run(max(1, solver.iteration // 20))
        spent += time.perf_counter() - begin
        exploitability = solver.exploitability()
        while left and exploitability <= left[0]:
            reached[left.pop(0)] = spent
    # What was left as it is has none of these.
    usual = {"live_share": 1.0, "checks": 0, "layouts": 0}
    how = {name: getattr(solver, name, value) for name, value in usual.items()}
    return {"reached": reached, "how": how}


def _warm_up(text: str) -> None:
    eager = text.replace("pruning=total", "pruning=total(every=1,thrifty=false)")
    for each in (text, eager):
        solver = regret_solver(compile_game(make("kuhn")), find_recipe(each), None)
        solver.run(3)
        solver.exploitability()
