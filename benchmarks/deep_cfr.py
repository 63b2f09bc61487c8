"""Deep CFR beside OpenSpiel's: seconds to an exploitability. By hand: ``-m benchmarks.deep_cfr``.

OpenSpiel's needs the package ``dm-tree``, which it does not install. Both programs learn one
average network for every evaluation. Seconds are those of the iterations and of the one training
that gave the evaluated strategy; measuring how good it is does not count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from rich.console import Console

from benchmarks.contestants import INFOSET, OPEN_SPIEL
from benchmarks.report import (
    DEEP_CFR,
    NOTHING,
    RESULTS,
    Section,
    Table,
    append_records,
    circumstances,
    seconds,
    write_summary,
)
from infoset.evaluation import exploitability
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import neural_solver
from infoset.solvers import find_algorithm

COMMAND = "python -m benchmarks.deep_cfr"
TARGETS = {"kuhn": (0.1, 0.05, 0.02), "leduc": (1.0, 0.5, 0.2, 0.1, 0.05)}
"""Exploitability in chips."""
CAPS = {"kuhn": 45.0, "leduc": 120.0}
"""Seconds of iterations after which a run ends."""
QUICK_CAP = 20.0
GROWTH = 1.25
"""A run is evaluated when its seconds have grown by this factor, and by those that the last
training of an average took: OpenSpiel's takes up to half a minute."""
SEEDS = {"kuhn": (1, 2), "leduc": (1,)}
OURS = ("deep-cfr", "deep-cfr(warm=true)", "sd-cfr")

# What its example `deep_cfr_pytorch.py` runs on Kuhn, and what the same file recommends.
_EXAMPLE = {
    "policy_network_layers": (64,),
    "advantage_network_layers": (64,),
    "num_traversals": 375,
    "batch_size_advantage": 256,
    "batch_size_strategy": 256,
    "policy_network_train_steps": 2500,
    "advantage_network_train_steps": 375,
}
_RECOMMENDED = {
    "policy_network_layers": (64, 64, 64),
    "advantage_network_layers": (64, 64, 64),
    "num_traversals": 1500,
    "batch_size_advantage": 2048,
    "batch_size_strategy": 2048,
    "policy_network_train_steps": 5000,
    "advantage_network_train_steps": 750,
}
# Less work in an iteration, for an earlier start.
_LIGHT = {
    **_EXAMPLE,
    "num_traversals": 100,
    "policy_network_train_steps": 1000,
    "advantage_network_train_steps": 100,
}
THEIRS = {
    "kuhn": {"its example": _EXAMPLE, "fewer walks and steps": _LIGHT},
    "leduc": {"its recommended": _RECOMMENDED, "its example": _EXAMPLE},
}


class Runner(Protocol):
    """A program at work on a game."""

    def iterate(self) -> None:
        """One iteration of both players."""

    def average(self) -> Callable[[], float]:
        """Make the average strategy ready; how exploitable it is, is what the result says."""


class OurRunner:
    """A neural solver."""

    def __init__(self, game: str, algorithm: str, seed: int) -> None:
        rules = make(game)
        recipe = find_algorithm(algorithm).neural
        assert recipe is not None
        self._solver = neural_solver(compile_game(rules), rules, recipe, seed=seed)

    def iterate(self) -> None:
        """One iteration of both players."""
        self._solver.run(1)

    def average(self) -> Callable[[], float]:
        """The average strategy, whose network is trained if it has not seen all iterations."""
        strategy = self._solver.strategy()
        return lambda: exploitability(strategy)


class OpenSpielRunner:
    """What `DeepCFRSolver.solve` does, step by step."""

    def __init__(self, game: str, settings: dict[str, Any], seed: int) -> None:
        import pyspiel
        from open_spiel.python.pytorch.deep_cfr import DeepCFRSolver

        self._game = pyspiel.load_game(f"{game}_poker")
        common = {"learning_rate": 1e-3, "memory_capacity": 10**6, "seed": seed}
        self._solver: Any = DeepCFRSolver(self._game, **common, **settings)
        self._num_walks = settings["num_traversals"]

    def iterate(self) -> None:
        """One iteration of both players."""
        solver = self._solver
        for player in (0, 1):
            for _ in range(self._num_walks):
                solver._traverse_game_tree(solver._root_node, player)
            solver._reinitialize_advantage_network(player)
            solver._learn_advantage_network(player)
        solver._iteration += 1

    def average(self) -> Callable[[], float]:
        """Train a new network on the memory of strategies."""
        self._solver._reinitialize_policy_network()
        self._solver._learn_strategy_network()
        return self._exploitability

    def _exploitability(self) -> float:
        from open_spiel.python import policy
        from open_spiel.python.algorithms.exploitability import nash_conv

        table = policy.tabular_policy_from_callable(self._game, self._solver.action_probabilities)
        return float(nash_conv(self._game, table)) / 2


@dataclass
class Curve:
    """How a run went."""

    points: list[tuple[int, float, float]]
    """Iterations, seconds, exploitability."""

    def reached(self, target: float) -> float | None:
        """Seconds until an evaluation was at most ``target``."""
        return next((spent for _, spent, found in self.points if found <= target), None)

    @property
    def best(self) -> float:
        """The least exploitability of all evaluations."""
        return min(found for _, _, found in self.points)


def follow(runner: Runner, *, cap: float, enough: float) -> Curve:
    """Iterate for so many seconds, or until an exploitability is reached."""
    spent, due, iteration = 0.0, 0.0, 0
    curve = Curve([])
    while spent < cap:
        begin = time.perf_counter()
        runner.iterate()
        spent += time.perf_counter() - begin
        iteration += 1
        if spent < min(due, cap):
            continue
        begin = time.perf_counter()
        measure_it = runner.average()
        training = time.perf_counter() - begin
        due = max(GROWTH * spent, spent + training)
        curve.points.append((iteration, spent + training, measure_it()))
        if curve.points[-1][2] <= enough:
            break
    return curve


def measure(*, quick: bool) -> Section:
    """Run both programs on both games, taking turns."""
    tables = []
    section = Section(tables)
    for game, targets in TARGETS.items():
        for text in OURS:  # compile, and load libraries, before anything is timed
            _ = follow(OurRunner(game, text, 0), cap=0.1, enough=0.0)
        cap = min(CAPS[game], QUICK_CAP) if quick else CAPS[game]
        runners: dict[tuple[str, str], Callable[[int], Runner]] = {}
        for how, settings in THEIRS[game].items():
            runners[OPEN_SPIEL, how] = lambda seed, game=game, settings=settings: OpenSpielRunner(
                game, settings, seed
            )
        for text in OURS:
            runners[INFOSET, text] = lambda seed, game=game, text=text: OurRunner(game, text, seed)
        table = Table(
            f"Deep CFR on {game}: seconds to an exploitability, one thread",
            (
                *("program", "settings", "seed"),
                *(f"{target:g} chips" for target in targets),
                *("best", "iterations", "seconds"),
            ),
            num_words=3,
            notes=[
                f"Runs end below {targets[-1]:g} chips, or after {cap:g} s of iterations. They are "
                f"evaluated whenever their seconds have grown by a factor of {GROWTH:g}, and by "
                "those of the last training of an average. Exploitability is NashConv / 2. Best, "
                "iterations and seconds are of the whole run."
            ],
        )
        tables.append(table)
        for seed in SEEDS[game][:1] if quick else SEEDS[game]:
            for (program, how), make_runner in runners.items():
                curve = follow(make_runner(seed), cap=cap, enough=targets[-1])
                reached = {target: curve.reached(target) for target in targets}
                iterations, spent, _ = curve.points[-1]
                table.rows.append(
                    (
                        *(program, how, str(seed)),
                        *(seconds(each) if each else NOTHING for each in reached.values()),
                        *(f"{curve.best:.3f}", str(iterations), f"{spent:.1f}"),
                    )
                )
                print(*table.rows[-1], sep="  ", flush=True)
                section.record(
                    game,
                    how if program == INFOSET else "deep-cfr",
                    program,
                    settings=how,
                    seed=seed,
                    reached={f"{target:g}": each for target, each in reached.items()},
                    best=curve.best,
                    points=curve.points,
                )
    return section


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed, 20 seconds a run")
    options = parser.parse_args()
    torch.set_num_threads(1)
    around = {**circumstances(), "quick": options.quick}
    section = measure(quick=options.quick)
    append_records(around, "deep_cfr", section.records)
    console = Console(width=None if Console().is_terminal else 140)
    for table in section.tables:
        table.show(console)
    console.print(f"Figures were added to {RESULTS}.")
    if not options.quick:
        write_summary(DEEP_CFR, around, section.tables, command=COMMAND)
        console.print(f"Tables were written to {DEEP_CFR}.")


if __name__ == "__main__":
    main()
