"""Samplers of both programs behind one small interface, and proof that they do the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from benchmarks.contestants import INFOSET, OPEN_SPIEL
from benchmarks.games import Entry, load_form

EXTERNAL, OUTCOME = "es-mccfr", "os-mccfr"
OWN_NODES = "os-mccfr(averaging=stochastic)"
"""Outcome sampling as OpenSpiel has it: it averages at the traverser's own nodes."""

SEEDS_TRIED = 60
"""Enough for every player of Kuhn to meet each infoset, whatever the algorithm samples."""

OPENINGS: dict[str, tuple[set[int], set[int]]] = {
    EXTERNAL: ({0}, {0, 1}),
    OUTCOME: ({0}, {0, 1}),
    OWN_NODES: (set(), {0, 1}),
}
"""Players whose average may be uneven after one iteration, and after two.

An average at the opponent's nodes sees, when player 1 walks, what player 0 has just learnt. One at
the traverser's own nodes is of the strategy before the walk, so the first iteration leaves it even.
Player 1's is uneven after two iterations only if each of them updates both players.
"""


class Sampler(Protocol):
    """One program, one game, one algorithm, one seed."""

    program: str
    algorithm: str
    form: str

    def run(self, iterations: int) -> None:
        """Do some iterations, each a walk for either player."""

    def exploitability(self) -> float:
        """Of the average strategy so far."""


class OurSampler:
    """`infoset`: `SampledSolver.run`, one compiled call for all iterations."""

    program = INFOSET
    form = "built in"

    def __init__(self, tree: Any, algorithm: str, seed: int = 1) -> None:
        self.algorithm = algorithm
        self.solver = sampler(tree, algorithm, seed=seed)
        self.run = self.solver.run

    def exploitability(self) -> float:
        from infoset.evaluation import exploitability

        return exploitability(self.solver.strategy())


class OpenSpielSampler:
    """OpenSpiel's C++ solvers with their own defaults: `run_iteration` in a Python loop."""

    program = OPEN_SPIEL

    def __init__(self, game: Any, algorithm: str, form: str, seed: int = 1) -> None:
        import pyspiel

        self.algorithm, self.form, self.game = algorithm, form, game
        if algorithm == EXTERNAL:
            self.solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed)
        else:
            self.solver = pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed)

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.solver.run_iteration()

    def exploitability(self) -> float:
        import pyspiel

        # Its policy is asked by state: one by the text of an infoset is not to be had.
        return pyspiel.nash_conv(self.game, self.solver.average_policy(), True) / 2.0


def sampler(tree: Any, algorithm: str, *, seed: int = 1, threads: int = 1) -> Any:
    """A solver of ours, sampled or not, for a run of open length."""
    from infoset.solvers import Limits, build_solver, find_algorithm

    return build_solver(
        tree, find_algorithm(algorithm), Limits(seconds=1e6), seed=seed, threads=threads
    )


def load_samplers(algorithms: Iterable[str]) -> None:
    """Have the kernels of these algorithms ready before anything is timed."""
    from infoset.evaluation import exploitability
    from infoset.forms import compile_game
    from infoset.games import make

    tree = compile_game(make("kuhn"))
    for algorithm in algorithms:
        for threads in (1, 2):
            solver = sampler(tree, algorithm, threads=threads)
            solver.run(2)
            exploitability(solver.strategy())


def open_spiel_games(entry: Entry, folder: Path) -> dict[str, Any]:
    """The game as OpenSpiel gets it, by form."""
    return {form: load_form(entry, form, folder) for form in entry.open_spiel}


def check_openings() -> None:
    """See on Kuhn that an iteration updates both players, and where programs average.

    An error if a program does not do what `OPENINGS` has.
    """
    import pyspiel

    from infoset.forms import compile_game
    from infoset.games import make

    tree, game = compile_game(make("kuhn")), pyspiel.load_game("kuhn_poker")
    for algorithm, expected in OPENINGS.items():
        found = {INFOSET: _openings(lambda s, a=algorithm: _our_uneven(OurSampler(tree, a, s)))}
        if algorithm != OUTCOME:
            found[OPEN_SPIEL] = _openings(
                lambda s, a=algorithm: _their_uneven(OpenSpielSampler(game, a, "kuhn_poker", s))
            )
        for program, seen in found.items():
            if seen != expected:
                raise RuntimeError(
                    f"{program}'s {algorithm} is another algorithm: players with an uneven average "
                    f"after one and two iterations are {seen}, not {expected}"
                )


def _openings(start: Callable[[int], Callable[[], set[int]]]) -> tuple[set[int], set[int]]:
    """Players whose average is uneven after one and two iterations, for any of many seeds."""
    once: set[int] = set()
    twice: set[int] = set()
    for seed in range(SEEDS_TRIED):
        step = start(seed)
        once |= step()
        twice |= step()
    return once, twice


UNEVEN = 0.001
"""OpenSpiel starts averages at a millionth, so what is not even differs by more than rounding."""


def _our_uneven(one: OurSampler) -> Callable[[], set[int]]:
    """A call that does an iteration and says whose average is uneven."""

    def step() -> set[int]:
        one.run(1)
        strategy = one.solver.strategy()
        return {
            p
            for p, treeplex in enumerate(strategy.form.treeplexes)
            if (abs(strategy.probabilities[p] - treeplex.uniform()) > UNEVEN).any()
        }

    return step


def _their_uneven(one: OpenSpielSampler) -> Callable[[], set[int]]:
    """The same of OpenSpiel."""

    def step() -> set[int]:
        one.run(1)
        policy, out = one.solver.average_policy(), set()
        waiting = [one.game.new_initial_state()]
        while waiting:
            state = waiting.pop()
            if state.is_terminal():
                continue
            if not state.is_chance_node():
                chances = policy.action_probabilities(state).values()
                if max(chances) - min(chances) > UNEVEN:
                    out.add(state.current_player())
            waiting += [state.child(action) for action in state.legal_actions()]
        return out

    return step
