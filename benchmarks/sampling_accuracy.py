"""Time, nodes and memory of samplers to an exploitability, with a full-width method beside them."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table, mebibytes, seconds
from benchmarks.sampling_contestants import load_samplers, sampler
from benchmarks.timing import in_child, peak_bytes

FULL_WIDTH = "dcfr"
SAMPLED = ("es-mccfr", "rs-mccfr(b=100)", "rs-mccfr+(b=100)")
MORE = ("es-mccfr(regrets=linear,gamma=1)", "as-mccfr")
"""Compared too where that is cheap."""

TARGETS = (0.1, 0.05)

GROWTH = 0.1
"""A look whenever a run has become longer by this share."""
FIRST_WALKS = 1000
"""Walks of a player before the first look at a sampled run."""
HOPELESS = 0.5, 0.25
"""A run above this exploitability after this share of its seconds is given up."""


@dataclass(frozen=True)
class Trial:
    """A game, and how much is tried on it."""

    stack: int
    most_seconds: float
    """Iterating may take so long; then an algorithm is given up."""
    seeds: tuple[int, ...] = (1,)
    algorithms: tuple[str, ...] = (FULL_WIDTH, *SAMPLED, *MORE)

    @property
    def game(self) -> str:
        """Its name."""
        return f"nolimit_leduc(stack={self.stack})"


TRIALS = (
    Trial(5, 20.0, seeds=(1, 2, 3)),
    Trial(10, 25.0),
    Trial(15, 120.0, algorithms=(FULL_WIDTH, *SAMPLED)),
)
QUICK_TRIALS = (Trial(5, 5.0, algorithms=(FULL_WIDTH, *SAMPLED)),)


def measure(section: Section, *, quick: bool) -> None:
    """Run every algorithm on every game, a process for each game."""
    trials = QUICK_TRIALS if quick else TRIALS
    table = Table(
        "Sampling: time and nodes to an exploitability, no-limit Leduc, one thread",
        (
            "stack",
            "algorithm",
            *(f"time to {target:g}" for target in TARGETS),
            *(f"nodes to {target:g}" for target in TARGETS),
            "tables",
            "game",
        ),
        num_words=2,
        notes=[
            "Seconds of iterating, by the clock, without compiling and without looking at the "
            f"exploitability, which happens whenever a run is {GROWTH:.0%} longer. Nodes are "
            "histories visited; a full-width iteration visits each of them for either player. "
            "After > a run was given up, with the exploitability that it had in brackets: after "
            + ", ".join(f"{t.most_seconds:g} s with stack {t.stack}" for t in trials)
            + f", and after {HOPELESS[1]:.0%} of that if still above {HOPELESS[0]:g}.",
            "Stacks with several seeds have the median: "
            + ", ".join(f"{t.stack}: {len(t.seeds)}" for t in trials)
            + f". The seed makes no difference to {FULL_WIDTH}.",
            "Tables are all arrays of the solver; game is what it reads the game from: for "
            "sampling the histories as walks need them, for full width the lanes.",
        ],
    )
    games = Table(
        "Sampling: the games of the table above, and the memory of their processes",
        ("stack", "histories", "infosets", "compile", "after compiling", "peak"),
        notes=[
            "Peak resident memory of the process, libraries and kernels included: once the game "
            "is compiled, lanes for evaluation included, and at the end, all algorithms having "
            "been run one after the other."
        ],
    )
    for trial in trials:
        asked = json.dumps([trial.game, trial.most_seconds, trial.seeds, trial.algorithms])
        found = in_child("sampling_accuracy", asked)
        if "error" in found:
            table.notes.append(f"{trial.game}: {found['error']}")
            section.record(trial.game, "-", INFOSET, part="accuracy", **found)
            continue
        runs = found.pop("runs")
        section.record(trial.game, "-", INFOSET, part="accuracy", **found)
        for algorithm in trial.algorithms:
            for run in runs[algorithm]:
                section.record(trial.game, algorithm, INFOSET, part="accuracy", **run)
            table.rows.append((str(trial.stack), algorithm, *_cells(runs[algorithm])))
        games.rows.append(
            (
                str(trial.stack),
                f"{found['histories']:,}",
                f"{found['infosets']:,}",
                seconds(found["compile_seconds"]),
                mebibytes(found["compiled_peak_bytes"]),
                mebibytes(found["peak_bytes"]),
            )
        )
    section.tables += [table, games]


def _cells(runs: list[dict[str, Any]]) -> tuple[str, ...]:
    """The row of one algorithm: medians over seeds."""
    times, nodes = [], []
    for target in TARGETS:
        reached = [run["reached"].get(f"{target:g}") for run in runs]
        if any(one is None for one in reached):
            given_up = statistics.median(run["seconds"] for run in runs)
            left = statistics.median(run["exploitability"] for run in runs)
            times.append(f"> {seconds(given_up)} ({left:.2g})")
            nodes.append(NOTHING)
            continue
        times.append(seconds(statistics.median(one["seconds"] for one in reached)))
        nodes.append(millions(statistics.median(one["nodes"] for one in reached)))
    sizes = mebibytes(runs[0]["working_bytes"]), mebibytes(runs[0]["form_bytes"])
    return *times, *nodes, *sizes


def millions(count: float) -> str:
    """A large count: ``3.47 M``.

    >>> millions(3_474_837), millions(928_417_099)
    ('3.47 M', '928 M')
    """
    shown = float(f"{count / 1e6:.3g}")
    return f"{shown:,.0f} M" if shown >= 100 else f"{shown:.3g} M"


def measure_game(asked: str) -> dict[str, Any]:
    """Run all algorithms on a game, in the process that has it."""
    from infoset.forms import compile_game
    from infoset.games import make

    game, most_seconds, seeds, algorithms = json.loads(asked)
    load_samplers(algorithms)
    begin = time.perf_counter()
    tree = compile_game(make(game))
    _ = tree.lanes
    found: dict[str, Any] = {
        "compile_seconds": time.perf_counter() - begin,
        "histories": tree.history.num_nodes,
        "infosets": tree.num_infosets,
        "compiled_peak_bytes": peak_bytes(),
        "runs": {},
    }
    for algorithm in algorithms:
        runs = found["runs"][algorithm] = []
        for seed in seeds[:1] if algorithm == FULL_WIDTH else seeds:
            solver = sampler(tree, algorithm, seed=seed)
            run = _run_to_targets(solver, most_seconds)
            memory = {"working_bytes": solver.working_bytes, "form_bytes": solver.form_bytes}
            runs.append({"seed": seed, **run, **memory})
            del solver
    return {**found, "peak_bytes": peak_bytes()}


def _run_to_targets(solver: Any, most_seconds: float) -> dict[str, Any]:
    """When a run first was at or below each target, by every measure."""
    from infoset.evaluation import exploitability

    too_high, patience = HOPELESS
    first = max(1, FIRST_WALKS // solver.recipe.batch) if solver.recipe.is_sampled else 1
    reached: dict[str, dict[str, float]] = {}
    spent = worked = 0.0
    while True:
        count = max(first - solver.iteration, int(GROWTH * solver.iteration), 1)
        begin, cpu = time.perf_counter(), time.process_time()
        solver.run(count)
        spent += time.perf_counter() - begin
        worked += time.process_time() - cpu
        left = exploitability(solver.strategy())
        now = {
            "seconds": spent,
            "cpu_seconds": worked,
            "iterations": solver.iteration,
            "nodes": solver.nodes_touched,
        }
        for target in TARGETS:
            if left <= target:
                reached.setdefault(f"{target:g}", now)
        is_hopeless = left > too_high and spent > patience * most_seconds
        if len(reached) == len(TARGETS) or spent > most_seconds or is_hopeless:
            return {"reached": reached, "exploitability": left, **now}
