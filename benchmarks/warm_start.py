"""Runs that start from a strategy: how they go on, and how fast from that of a smaller game."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import infoset
from benchmarks.report import NOTHING, Section, Table, seconds
from infoset.forms import SequenceForm, compile_game
from infoset.games import Game, make
from infoset.games.holdem import BettingState
from infoset.games.poker import OneCardPoker
from infoset.solvers import find_recipe, regret_solver, warm_start
from infoset.strategy import SequenceStrategy, translate

ALGORITHMS = ("cfr", "cfr+", "dcfr(gamma=3)", "idcfr+")
FIRST = 100
LATER = (100, 300)
STACKS = (8, 10)
SMALL_ALGORITHM, SMALL_TARGET = "idcfr+", 1e-3
TARGETS = (1e-2, 1e-3, 1e-4)
LONGEST = 3_000
PRUNED = "cfr+(pruning=total)", "cfr+(pruning=total(every=0.1,thrifty=false))"


@dataclass(frozen=True)
class FewSizes(OneCardPoker):
    """No-limit Leduc with three sizes: the smallest, the pot, and all-in."""

    def _raise_totals(self, state: BettingState, smallest: int) -> Sequence[int]:
        assert self.stack is not None
        opponent = state.put[1 - state.player]
        pot = opponent + 2 * opponent
        return sorted({min(max(total, smallest), self.stack) for total in (smallest, pot, 1000)})


def measure(*, quick: bool) -> Section:
    """Go on from a strategy of the same game, then start from those of smaller ones."""
    section = Section()
    games = ("leduc",) if quick else ("leduc", "nolimit_leduc(stack=5)", "leduc5")
    _go_on(section, games)
    stacks = (5,) if quick else STACKS
    _from_smaller(section, stacks)
    _with_pruning(section, stacks)
    return section


def _go_on(section: Section, games: Sequence[str]) -> None:
    table = Table(
        f"Going on from the average of {FIRST} iterations: exploitability",
        (
            *("game", "algorithm", "more", "start", "never stopped"),
            *("proportional", "substitute", "no weight", "from zero"),
        ),
        num_words=2,
        notes=[
            "Of the average after so many more iterations, in chips. The start stands for "
            f"{FIRST} iterations. No weight: proportional, without the start in the average. From "
            "zero: a run of that many iterations."
        ],
    )
    for game in games:
        form = compile_game(make(game))
        for algorithm in ALGORITHMS:
            recipe = find_recipe(algorithm)
            first = regret_solver(form, recipe, None)
            first.run(FIRST)
            strategy, begun = first.strategy(), first.exploitability()
            assert isinstance(strategy, SequenceStrategy)
            starts = [
                warm_start(strategy, recipe, iterations=FIRST, method=method)
                for method in ("proportional", "substitute")
            ]
            bare = starts[0]._replace(averages=tuple(0 * each for each in starts[0].averages))
            runs = [first, *(regret_solver(form, recipe, None) for _ in range(4))]
            for run, start in zip(runs[1:], [*starts, bare], strict=False):
                run.begin_from(start)
            for more in LATER:
                first.run(FIRST + more - first.iteration)
                for run in runs[1:]:
                    run.run(more - run.iteration)
                figures = [run.exploitability() for run in runs]
                section.record(game, algorithm, "warm start", more=more, figures=figures)
                row = [f"{figure:.2e}" for figure in (begun, *figures)]
                table.rows.append((game, algorithm, str(more), *row))
    section.tables.append(table)


def _smaller(stack: int) -> Iterator[tuple[str, Game]]:
    """Smaller games, by what is smaller about them."""
    yield "by rank", make(f"nolimit_leduc(stack={stack},by_rank=true)")
    yield f"stack {stack - 2}", make(f"nolimit_leduc(stack={stack - 2})")
    whole: Any = make(f"nolimit_leduc(stack={stack})")
    yield "three sizes", FewSizes(f"three_sizes({stack})", whole.deck, whole.rounds, stack=stack)


def _found(game: Game, form: SequenceForm) -> tuple[SequenceStrategy, float, float]:
    """The strategy of a smaller game in a larger, seconds to solve it, and to translate it."""
    small = infoset.solve(game, SMALL_ALGORITHM, exploitability=SMALL_TARGET)
    begin = time.perf_counter()
    tables = small.strategy.table(0), small.strategy.table(1)
    strategy = translate(tables, form).strategy
    return strategy, small.seconds, time.perf_counter() - begin


def _from_smaller(section: Section, stacks: Sequence[int]) -> None:
    table = Table(
        "From a smaller game: seconds to an exploitability",
        (
            *("game", "from", "algorithm", "start", "T", "chips"),
            *("cold", "warm", "cold s", "warm s", "before s"),
        ),
        num_words=3,
        notes=[
            f"The smaller game is solved by {SMALL_ALGORITHM} to {SMALL_TARGET:g} chips. Start: "
            "the exploitability of its strategy in the larger game; T: the iterations that it "
            "stands for. Cold and warm: iterations, and seconds of them alone, one thread, at the "
            "time of an iteration in the fastest of the game's runs of the algorithm: all cost the "
            "same. Before: seconds to solve the smaller game, to translate its strategy, and to "
            "make regrets of it. Three sizes: smallest, pot, all-in."
        ],
    )
    for stack in stacks:
        name = f"nolimit_leduc(stack={stack})"
        form = compile_game(make(name))
        _ = form.lanes
        cold = {algorithm: _run(form, algorithm, None) for algorithm in ALGORITHMS}
        each = {algorithm: run["each"] for algorithm, run in cold.items()}
        found = []
        for label, game in _smaller(stack):
            strategy, solved, translated = _found(game, form)
            begun = infoset.exploitability(form, strategy)
            for algorithm in ALGORITHMS:
                warm = _run(form, algorithm, strategy)
                each[algorithm] = min(each[algorithm], warm["each"])
                found.append((label, algorithm, begun, solved + translated + warm["began"], warm))
        for label, algorithm, begun, before, warm in found:
            section.record(
                *(name, algorithm, label),
                start=begun,
                iterations=warm["T"],
                before=before,
                each=each[algorithm],
                cold=cold[algorithm]["reached"],
                warm=warm["reached"],
            )
            for target in TARGETS:
                pair = [run["reached"].get(target) for run in (cold[algorithm], warm)]
                if pair == [None, None]:
                    continue
                table.rows.append(
                    (
                        *(name, label, algorithm, f"{begun:.2e}", str(warm["T"]), f"{target:g}"),
                        *(NOTHING if at is None else str(at[0]) for at in pair),
                        *(
                            NOTHING if at is None else seconds(at[0] * each[algorithm])
                            for at in pair
                        ),
                        seconds(before),
                    )
                )
    section.tables.append(table)


def _with_pruning(section: Section, stacks: Sequence[int]) -> None:
    table = Table(
        "With pruning=total: peak bytes and seconds",
        (
            *("game", "from", "algorithm", "first live", "live", "peak MB", "checks", "layouts"),
            *(f"{target:g}: s" for target in TARGETS[:2]),
        ),
        num_words=3,
        notes=[
            "From nothing is a cold run. First live: the share of sequences in the first layout. "
            "Live: at the end. Peak: bytes of the solver, checks and the start included, without "
            "the form. Seconds: iterations, checks, layouts and the making of regrets."
        ],
    )
    for stack in stacks:
        name = f"nolimit_leduc(stack={stack})"
        form = compile_game(make(name))
        starts: list[tuple[str, SequenceStrategy | None]] = [("nothing", None)]
        starts += [(label, _found(game, form)[0]) for label, game in _smaller(stack)]
        for algorithm in PRUNED:
            for label, strategy in starts:
                run = _run(form, algorithm, strategy, TARGETS[:2])
                found = [run["reached"].get(target) for target in TARGETS[:2]]
                section.record(name, algorithm, label, **run)
                table.rows.append(
                    (
                        *(name, label, algorithm),
                        *(f"{run['first_live']:.2f}", f"{run['live']:.2f}"),
                        *(f"{run['peak'] / 1e6:.1f}", str(run["checks"]), str(run["layouts"])),
                        *(
                            NOTHING if each is None else seconds(each[1] + run["began"])
                            for each in found
                        ),
                    )
                )
    section.tables.append(table)


def _run(
    form: SequenceForm,
    algorithm: str,
    strategy: SequenceStrategy | None,
    targets: Sequence[float] = TARGETS,
) -> dict[str, Any]:
    """Iterations and seconds until each target; evaluated every twentieth of those so far."""
    _warm_up(algorithm)
    recipe = find_recipe(algorithm)
    solver: Any = regret_solver(form, recipe, None)
    begin, stands_for = time.perf_counter(), 0
    if strategy is not None:
        start = warm_start(strategy, recipe)
        stands_for = start.iterations
        solver.begin_from(start)
        del start
    began = time.perf_counter() - begin
    first_live = getattr(solver, "live_share", 1.0)
    peak, spent = solver.working_bytes, 0.0
    left, reached = list(targets), {}
    while left and solver.iteration < LONGEST:
        begin = time.perf_counter()
        solver.run(max(1, solver.iteration // 20))
        spent += time.perf_counter() - begin
        peak = max(peak, solver.working_bytes, getattr(solver, "peak_bytes", 0))
        exploitability = solver.exploitability()
        while left and exploitability <= left[0]:
            reached[left.pop(0)] = solver.iteration, spent
    return {
        "each": spent / solver.iteration,
        **{"T": stands_for, "began": began, "reached": reached, "first_live": first_live},
        **{"live": getattr(solver, "live_share", 1.0), "peak": peak},
        **{name: getattr(solver, name, 0) for name in ("checks", "layouts")},
    }


def _warm_up(algorithm: str) -> None:
    form = compile_game(make("kuhn"))
    for text in (algorithm, algorithm.replace("=total)", "=total(every=1,thrifty=false))")):
        recipe = find_recipe(text)
        solver: Any = regret_solver(form, recipe, None)
        solver.begin_from(warm_start(SequenceStrategy.uniform(form), recipe))
        solver.run(3)
        solver.exploitability()
