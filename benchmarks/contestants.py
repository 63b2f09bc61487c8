"""The programs behind one small interface, each called the way its own documentation does.

All of them run the same algorithms: after three iterations their averages have the same NashConv,
which `benchmarks.speed` checks before it times anything.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks.games import Entry, load_form

INFOSET, OPEN_SPIEL, LITE_EFG = "infoset", "OpenSpiel", "LiteEFG"
SIMULTANEOUS = "cfr(alternating=false)"
FAMILIES = (("cfr", SIMULTANEOUS), ("cfr+",), ("dcfr",))
"""Algorithms that are timed in turns with each other."""
ALGORITHMS = tuple(algorithm for family in FAMILIES for algorithm in family)


class Facts(NamedTuple):
    """What tells one game from another: its infosets, and how uniform play fares."""

    infosets: int
    value: float
    nash_conv: float


class Contestant(Protocol):
    """One program, one game, one algorithm."""

    program: str
    algorithm: str
    form: str
    load_seconds: float

    def run(self, iterations: int) -> None:
        """Do some iterations."""

    def evaluation(self) -> Callable[[], float]:
        """A call that works out the NashConv of the average strategy so far."""

    def facts(self) -> Facts:
        """Of the game; asked before the first iteration."""


class Ours:
    """`infoset`: `RegretSolver.run`."""

    program = INFOSET
    form = "built in"

    def __init__(self, entry: Entry, algorithm: str) -> None:
        from infoset.forms import compile_game
        from infoset.games import make

        self.algorithm = algorithm
        begin = time.perf_counter()
        self.tree = compile_game(make(entry.ours))
        self.solver = our_solver(self.tree, algorithm)
        self.load_seconds = time.perf_counter() - begin
        self.run = self.solver.run

    def evaluation(self) -> Callable[[], float]:
        from infoset.evaluation import exploitability

        strategy = self.solver.strategy()
        return lambda: 2.0 * exploitability(strategy)

    def facts(self) -> Facts:
        from infoset.evaluation import expected_value, exploitability
        from infoset.strategy import Strategy

        uniform = Strategy.uniform(self.tree)
        nash_conv = 2.0 * exploitability(uniform)
        return Facts(self.tree.num_infosets, expected_value(uniform), nash_conv)


class OpenSpiel:
    """OpenSpiel's C++ solvers: `evaluate_and_update_policy`."""

    program = OPEN_SPIEL

    def __init__(self, entry: Entry, algorithm: str, form: str, folder: Path) -> None:
        import pyspiel

        solvers = {"cfr": pyspiel.CFRSolver, "cfr+": pyspiel.CFRPlusSolver}
        self.algorithm, self.form = algorithm, form
        begin = time.perf_counter()
        self.game = load_form(entry, form, folder)
        self.solver = solvers[algorithm](self.game)
        self.load_seconds = time.perf_counter() - begin

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.solver.evaluate_and_update_policy()

    def evaluation(self) -> Callable[[], float]:
        import pyspiel

        policy = self.solver.tabular_average_policy()
        return lambda: pyspiel.nash_conv(self.game, policy)

    def facts(self) -> Facts:
        import pyspiel

        uniform = pyspiel.UniformRandomPolicy(self.game)
        value, _ = pyspiel.expected_returns(self.game.new_initial_state(), uniform, -1, True)
        infosets = len(self.solver.tabular_average_policy().policy_table())
        return Facts(infosets, value, pyspiel.nash_conv(self.game, uniform))


class LiteEfg:
    """LiteEFG's baselines on its `OpenSpielEnv`: `update_graph` and `update_strategy`.

    Its examples average after the update, so that iteration t averages the strategy of t + 1.
    Here the same two calls come the other way round: they cost the same, and the average is then
    the one of the papers. DCFR averages inside `update_graph`, so there is no second call.
    """

    program = LITE_EFG

    def __init__(self, entry: Entry, algorithm: str, form: str, folder: Path) -> None:
        import LiteEFG
        from LiteEFG.baselines import CFR, DCFR, CFRplus

        LiteEFG.set_threads(1)
        baselines = {SIMULTANEOUS: CFR, "cfr+": CFRplus, "dcfr": DCFR}
        self.algorithm, self.form = algorithm, form
        game = load_form(entry, form, folder)
        begin = time.perf_counter()
        with _quiet_and_at_home(folder):
            self.env = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate")
            self.graph = baselines[algorithm].graph()
            self.env.set_graph(self.graph)
        self.load_seconds = time.perf_counter() - begin
        self.strategy_of = LiteEFG.FileEnv.get_strategy
        self.is_averaging_itself = algorithm == "dcfr"
        self.average = "linear-avg-iterate" if algorithm == "cfr+" else "avg-iterate"

    def run(self, iterations: int) -> None:
        graph, env = self.graph, self.env
        strategy = graph.current_strategy()
        if self.is_averaging_itself:
            for _ in range(iterations):
                graph.update_graph(env)
            return
        for _ in range(iterations):
            env.update_strategy(strategy)
            graph.update_graph(env)

    def evaluation(self) -> Callable[[], float]:
        if self.is_averaging_itself:
            average = self.graph.current_strategy("average-iterate")
            return lambda: sum(self.env.exploitability(average))
        current = self.graph.current_strategy()
        return lambda: sum(self.env.exploitability(current, self.average))

    def facts(self) -> Facts:
        uniform = self.graph.current_strategy()
        infosets = sum(len(self.strategy_of(self.env, p, uniform)) for p in (1, 2))
        value, _ = self.env.utility(uniform)
        return Facts(infosets, value, sum(self.env.exploitability(uniform)))


@contextlib.contextmanager
def _quiet_and_at_home(folder: Path) -> Iterator[None]:
    """LiteEFG prints banners and keeps games in ``~/game_instances``: not in this home."""
    home = os.environ.get("HOME")
    os.environ["HOME"] = str(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        if home is None:
            del os.environ["HOME"]
        else:
            os.environ["HOME"] = home


PEERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    OPEN_SPIEL: (OpenSpiel, ("cfr", "cfr+")),
    LITE_EFG: (LiteEfg, (SIMULTANEOUS, "cfr+", "dcfr")),
}


def absent_peers() -> dict[str, str]:
    """Peers that cannot be measured here, and why."""
    out = {}
    for program, module in ((OPEN_SPIEL, "pyspiel"), (LITE_EFG, "LiteEFG")):
        try:
            __import__(module)
        except ImportError as error:
            out[program] = f"{program} is not measured: {error}. Install `infoset[peers]`."
    return out


def contestants(
    entry: Entry, family: tuple[str, ...], folder: Path, absent: Mapping[str, str]
) -> list[Contestant]:
    """Ours, and every peer that has an algorithm of the family, in every form of the game."""
    out: list[Contestant] = []
    for algorithm in family:
        out.append(Ours(entry, algorithm))
        for program, (build, algorithms) in PEERS.items():
            if program not in absent and algorithm in algorithms:
                out.extend(build(entry, algorithm, form, folder) for form in entry.open_spiel)
    return out


def our_solver(tree: Any, algorithm: str) -> Any:
    """A solver of ours by the name of its preset."""
    from infoset.calls import parse_call
    from infoset.solvers import PRESETS, RegretSolver

    call = parse_call(algorithm)
    return RegretSolver(tree, PRESETS[call.name].recipe(call)[0])


def load_our_kernels() -> None:
    """Have every kernel compiled, or read from disk, before anything is timed."""
    from infoset.evaluation import exploitability
    from infoset.forms import compile_game
    from infoset.games import make

    # The second game has no public form, so it is walked state by state.
    for name in ("kuhn", "goofspiel(cards=3)"):
        tree = compile_game(make(name))
        for algorithm in ALGORITHMS:
            solver = our_solver(tree, algorithm)
            solver.run(2)
            exploitability(solver.strategy())
