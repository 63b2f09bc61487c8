"""What a run is asked to start from: a strategy of the same game, or of a smaller one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from infoset.errors import BadInputError, StorageError
from infoset.evaluation import exploitability
from infoset.forms import SequenceForm, Treeplex
from infoset.interop import find_rules
from infoset.solvers.algorithms import Algorithm
from infoset.solvers.contract import Solver
from infoset.solvers.limits import check_count
from infoset.solvers.neural_recipes import NeuralCFR
from infoset.solvers.outcome import Started
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence.warm_start import (
    MOST,
    Method,
    Startable,
    check_recipe,
    usual_iterations,
    warm_start,
)
from infoset.solvers.solution import Solution, read_solution
from infoset.strategy import SequenceStrategy, Strategy, Table, Translation, translate

PathLike = str | os.PathLike[str]
StartLike = Strategy | Solution | Table | tuple[Table, Table] | PathLike
"""A strategy, a solution or the path of its file, or ``{infoset: {action: probability}}``, one for
both players or one for each."""


@dataclass(frozen=True, eq=False)
class StartFrom:
    """A strategy to start from, before it is known on which form."""

    strategy: Strategy | tuple[Table, Table]
    name: str
    """Of its game, or of the file."""
    iterations: int | None
    """How many iterations it is to stand for; `None` leaves that to its quality."""
    method: Method

    def on(self, form: SequenceForm) -> Translation:
        """The strategy in the game that is solved."""
        given = self.strategy
        if isinstance(given, SequenceStrategy) and given.form.is_whole:
            pairs = zip(given.form.treeplexes, form.treeplexes, strict=True)
            if given.form is form or all(Treeplex.is_same_as(one, other) for one, other in pairs):
                strategy = SequenceStrategy(form, given.probabilities)
                return Translation(strategy, form.num_infosets, 0, 0)
        tables = (given.table(0), given.table(1)) if isinstance(given, Strategy) else given
        return translate(tables, form, self.name)


def find_start(
    given: StartLike | None, iterations: int | None, method: str, algorithm: Algorithm
) -> StartFrom | None:
    """What a run starts from, if from anything; refused if its algorithm cannot."""
    if given is None:
        if iterations is not None:
            raise BadInputError(
                "start_iterations says what the strategy of start_from stands for, so it needs "
                "start_from"
            )
        return None
    if method not in get_args(Method):
        known = " or ".join(get_args(Method))
        raise BadInputError(f"start_method must be {known}, not {method!r}")
    check_recipe(algorithm.name, stands_for(algorithm), method)
    if iterations is not None:
        check_count("start_iterations", iterations)
        if iterations > MOST:
            raise BadInputError(f"start_iterations must be at most {MOST:,}, not {iterations:,}")
    name, strategy = _strategy(given)
    return StartFrom(strategy, name, iterations, method)  # type: ignore[arg-type]  # checked above


def _strategy(given: Any) -> tuple[str, Strategy | tuple[Table, Table]]:
    if isinstance(given, str | os.PathLike):
        given = read_solution(given, lambda name: _rules(os.fspath(given), name))
    if isinstance(given, Solution):
        given = given.strategy
    if isinstance(given, Strategy):
        return given.name, given
    tables = (given, given) if isinstance(given, Mapping) else given
    is_pair = isinstance(tables, tuple | list) and len(tables) == 2
    if not is_pair or not all(
        isinstance(table, Mapping) and all(isinstance(row, Mapping) for row in table.values())
        for table in tables
    ):
        raise BadInputError(
            f"{type(given).__name__} is nothing to start from: give a Strategy, a Solution or the "
            "path of its file, or {infoset: {action: probability}}, one for both players or a pair"
        )
    return "a table", (tables[0], tables[1])


def _rules(path: str, name: str) -> Any:
    try:
        return find_rules(name)
    except (BadInputError, StorageError) as error:
        raise BadInputError(
            f"'{path}' holds a strategy for {name!r}, whose rules were not found ({error}); load "
            "it with infoset.load(path, game=...) and start from the solution"
        ) from error


def stands_for(algorithm: Algorithm) -> Recipe | None:
    """The recipe whose regrets and averages an algorithm would have after some iterations."""
    if isinstance(algorithm.neural, NeuralCFR):
        return algorithm.neural.in_tables()
    return algorithm.recipe


def begin(
    solver: Solver, form: object, start: StartFrom, algorithm: Algorithm, horizon: int | None
) -> Started:
    """Have a solver begin from a strategy; returns what it began from."""
    if not isinstance(form, SequenceForm) or not isinstance(solver, Startable):
        raise BadInputError(
            "runs in public form, and by the rules alone, cannot be started from a strategy; a "
            "small game or spot can in sequence form: form='sequence'"
        )
    recipe = stands_for(algorithm)
    assert recipe is not None
    found, iterations = start.on(form), start.iterations
    if iterations is None and algorithm.is_sampled:
        # What full passes reach as 1 / T, samples reach as 1 / sqrt(T).
        iterations = min(MOST, usual_iterations(found.strategy) ** 2)
    made = warm_start(
        *(found.strategy, recipe),
        horizon=horizon,
        iterations=iterations,
        method=start.method,
    )
    solver.begin_from(made)
    return Started(
        *(start.name, start.method, made.iterations, found.same, found.similar, found.unknown),
        exploitability(found.strategy),
    )
