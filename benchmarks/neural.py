"""Neural solvers: how low, how fast, how small; beside tables and beside each other."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from benchmarks.contestants import load_our_kernels
from benchmarks.report import NOTHING, Section, Table, mebibytes, rate, seconds
from benchmarks.timing import Effort, best_rates, in_child
from infoset.forms import SequenceForm, compile_game
from infoset.games import make
from infoset.neural import neural_solver
from infoset.neural.fitting import squared_above_zero
from infoset.neural.state import one_thread
from infoset.solvers import SampledSolver, find_algorithm
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver

GAME = "nolimit_leduc(stack=5)"
SEEDS = (101, 102, 103)
"""Not those that anything was tuned with."""
POINTS = (100, 300, 1000)

RECIPES = {
    "tables, by suit": ("rs-mccfr+(k=3)", "es-mccfr(b=100,regrets=floored,gamma=1)"),
    "tables, suits alike": (
        "dncfr(k=3,regrets=table,average=table)",
        "dncfr(regrets=table,average=table)",
    ),
    "regrets in a network": ("dncfr(k=3,average=table)", "dncfr(average=table)"),
    "average in a network": ("dncfr(k=3,regrets=table)", "dncfr(regrets=table)"),
    "average by Equation (8)": (
        "dncfr(k=3,regrets=table,average=incremental)",
        "dncfr(regrets=table,average=incremental)",
    ),
    "the same, every 200 iterations": (
        "dncfr(k=3,regrets=table,average=incremental,everywhere=true,average_every=200,"
        "average_steps=600)",
        "dncfr(regrets=table,average=incremental,everywhere=true,average_every=200,"
        "average_steps=600)",
    ),
    "both in networks: `dncfr`": ("dncfr(k=3)", "dncfr"),
    "16 units a layer": ("dncfr(k=3,embedding=16)", "dncfr(embedding=16)"),
    "LSTM, embedding 16": (
        "dncfr(k=3,network=lstm,embedding=16)",
        "dncfr(network=lstm,embedding=16)",
    ),
    "LSTM, 16, attention": (
        "dncfr(k=3,network=lstm,embedding=16,attention=true)",
        "dncfr(network=lstm,embedding=16,attention=true)",
    ),
    "mini-batches of 50": ("dncfr(k=3,b=50)", "dncfr(b=50)"),
    "mini-batches of 500": ("dncfr(k=3,b=500)", "dncfr(b=500)"),
}
"""By name: with three actions of the traverser, and with all."""

BY_NODES = (
    *("dncfr", "dncfr(k=3)", "dncfr(b=50)", "dncfr(b=30,rate=0.002,steps=30)"),
    *("deep-cfr", "sd-cfr", "dream", "escher", "nfsp"),
    *("es-mccfr(b=100,regrets=floored,gamma=1)", "rs-mccfr+", "xfp"),
)
NODES = (100_000, 300_000, 1_000_000)
LONGEST = 600.0
"""Seconds after which a run by nodes ends, wherever it is."""

LARGE = (("nolimit_leduc(stack=10)", "dncfr(b=500)", 300), ("nolimit_leduc(stack=15)", "dncfr", 20))


class Run(NamedTuple):
    """One run of a recipe."""

    exploitability: tuple[float, ...]
    """At `POINTS`."""
    seconds: float
    nodes: int
    parameters: int
    kept: int


def measure(*, quick: bool) -> Section:
    """All tables."""
    load_our_kernels()
    section = Section()
    form = compile_game(make(GAME))
    section.tables.append(_recipes(section, form, SEEDS[:1] if quick else SEEDS, quick=quick))
    section.tables.append(_by_nodes(section, form, SEEDS[:1] if quick else SEEDS, quick=quick))
    section.tables.append(_speed(section, form, Effort(0.2, 3) if quick else Effort(0.5, 7)))
    if not quick:
        section.tables.append(_large(section))
    return section


def _solver(form: SequenceForm, text: str, seed: int) -> Any:
    algorithm = find_algorithm(text)
    if algorithm.neural is not None:
        return neural_solver(form, make(GAME), algorithm.neural, seed=seed)
    if algorithm.recipe is None:
        return FictitiousPlaySolver(form, alternating=algorithm.alternating)
    return SampledSolver(form, algorithm.recipe, seed=seed)


def _run(form: SequenceForm, text: str, seed: int, points: Sequence[int]) -> Run:
    solver = _solver(form, text, seed)
    found, spent = [], 0.0
    for point in points:
        begin = time.process_time()
        solver.run(point - solver.iteration)
        spent += time.process_time() - begin
        found.append(solver.exploitability())
    parameters = getattr(solver, "num_parameters", 0)
    return Run(tuple(found), spent, solver.nodes_touched, parameters, solver.kept_bytes)


def _recipes(section: Section, form: SequenceForm, seeds: Sequence[int], *, quick: bool) -> Table:
    points = (10, 20, 30) if quick else POINTS
    table = Table(
        f"{GAME}: exploitability by recipe",
        (
            *("recipe", "actions", *(f"{point:,} it" for point in points), "worst"),
            *("s", "nodes", "parameters", "kept"),
        ),
        num_words=2,
        notes=[
            f"Chips, means over seeds {', '.join(map(str, seeds))}; worst: of them, at the end. b "
            "= 100 but where it says otherwise. Seconds of CPU for all iterations, without "
            "evaluations, one thread. Parameters of all networks; the tables have "
            f"{2 * (form.num_sequences - 2):,} entries, regrets and averages. Kept: bytes that a "
            "run goes on with, which for networks are weights, gradients and moments, and memories "
            "of samples."
        ],
    )
    for name, texts in RECIPES.items():
        for actions, text in zip(("3", "all"), texts, strict=True):
            runs = [_run(form, text, seed, points) for seed in seeds]
            means = [statistics.fmean(run.exploitability[i] for run in runs) for i in range(3)]
            worst = max(run.exploitability[-1] for run in runs)
            spent = statistics.fmean(run.seconds for run in runs)
            first = runs[0]
            figures: dict[str, Any] = {"means": means, "worst": worst, "seconds": spent}
            figures |= {"nodes": first.nodes, "parameters": first.parameters, "kept": first.kept}
            section.record(GAME, text, "infoset", **figures)
            table.rows.append(
                (
                    *(name, actions, *(f"{mean:.3f}" for mean in means), f"{worst:.3f}"),
                    *(seconds(spent), f"{first.nodes / 1e6:.2f} million"),
                    f"{first.parameters:,}" if first.parameters else NOTHING,
                    mebibytes(first.kept),
                )
            )
    return table


def _by_nodes(section: Section, form: SequenceForm, seeds: Sequence[int], *, quick: bool) -> Table:
    nodes = NODES[:1] if quick else NODES
    table = Table(
        f"{GAME}: exploitability by nodes touched",
        ("algorithm", *(f"{count:,}" for count in nodes), "s", "parameters", "kept"),
        notes=[
            "Chips, means over seeds; every algorithm as it is by default. Nodes: histories that "
            "any walk visits. Measured at the first evaluation after as many. Seconds of CPU to "
            f"the last column that was reached; a run ends after {LONGEST:.0f}."
        ],
    )
    for text in BY_NODES:
        own = seeds if text != "xfp" else seeds[:1]
        runs = [_to_nodes(form, text, seed, nodes) for seed in own]
        means = [
            statistics.fmean(run["found"][i] for run in runs)
            for i in range(min(len(run["found"]) for run in runs))
        ]
        first = runs[0]
        section.record(GAME, text, "infoset", nodes=nodes, means=means, **first)
        cells = [f"{mean:.3f}" for mean in means] + [NOTHING] * (len(nodes) - len(means))
        parameters = first["parameters"]
        table.rows.append(
            (
                *(text, *cells, seconds(first["seconds"])),
                f"{parameters:,}" if parameters else NOTHING,
                mebibytes(first["kept"]),
            )
        )
    return table


def _to_nodes(form: SequenceForm, text: str, seed: int, nodes: Sequence[int]) -> dict[str, Any]:
    solver = _solver(form, text, seed)
    found: list[float] = []
    spent, step = 0.0, solver.evaluation_stride
    for count in nodes:
        while solver.nodes_touched < count and spent < LONGEST:
            begin = time.process_time()
            solver.run(step)
            spent += time.process_time() - begin
        if solver.nodes_touched < count:
            break
        found.append(solver.exploitability())
    parameters = getattr(solver, "num_parameters", 0)
    return {
        "found": found,
        "seconds": spent,
        "parameters": parameters,
        "kept": solver.kept_bytes,
    }


def _speed(section: Section, form: SequenceForm, effort: Effort) -> Table:
    """Steps of training beside a plain loop, and how long sampling takes."""
    table = Table(
        f"{GAME}: a step of training, and the share of sampling",
        ("network", "samples", "plain torch", "infoset", "ratio", "sampling"),
        notes=[
            "Steps a second on so many samples at once, best of several, taking turns. Plain: "
            "the same network, zero_grad, loss, backward, clip, Adam. Sampling: CPU time of walks "
            "as a share of an iteration of `dncfr` with that network."
        ],
    )
    for text in ("dncfr", "dncfr(embedding=16)", "dncfr(network=lstm,embedding=16)"):
        solver = _solver(form, text, 1)
        solver.run(20)
        other, ours = _steps(solver.regrets.learner, effort)
        share = _sampling_share(solver)
        section.record(GAME, text, "infoset", plain=other, ours=ours, sampling=share)
        table.rows.append(
            (
                *(text, f"{solver.encoding.num_classes:,}", rate(other), rate(ours)),
                *(f"{ours / other:.2f}", f"{share:.1%}"),
            )
        )
    return table


def _steps(learner: Any, effort: Effort) -> list[float]:
    """Steps a second on all infosets: of a plain loop, and ours."""
    encoding, network = learner.encoding, learner.network
    target = torch.rand(encoding.num_classes, encoding.num_slots)
    weight = learner.legal
    batch = learner.read(torch.arange(encoding.num_classes).numpy())
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-5)

    def plain(count: int) -> None:
        for _ in range(count):
            optimiser.zero_grad()
            loss = squared_above_zero(network(batch), target, weight)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()

    def own(count: int) -> None:
        for _ in range(count):
            learner.step(batch, target, weight, squared_above_zero, 1e-5)

    with one_thread():
        return best_rates([plain, own], effort)


def _sampling_share(solver: Any) -> float:
    """CPU time of the walks, of that of the iterations."""
    walks, sample, spent = solver.walks, solver.walks._solver.walk_once, [0.0]

    def timed(*arguments: Any) -> Any:
        begin = time.process_time()
        try:
            return sample(*arguments)
        finally:
            spent[0] += time.process_time() - begin

    walks._solver.walk_once = timed
    begin = time.process_time()
    solver.run(100)
    whole = time.process_time() - begin
    return spent[0] / whole


def _large(section: Section) -> Table:
    table = Table(
        "Larger games, each in a process of its own",
        ("game", "algorithm", "iterations", "exploitability", "s", "s an iteration", "peak"),
        num_words=2,
        notes=["Chips. Seconds of CPU, evaluations not counted. Peak: memory of the process."],
    )
    for game, text, iterations in LARGE:
        found = in_child("neural_large", game, text, str(iterations))
        section.record(game, text, "infoset", **found)
        table.rows.append(
            (
                *(game, text, f"{iterations:,}", f"{found['exploitability']:.3f}"),
                *(seconds(found["seconds"]), seconds(found["seconds"] / iterations)),
                mebibytes(found["peak_bytes"]),
            )
        )
    return table
