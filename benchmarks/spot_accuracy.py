"""How many iterations, and how long, a spot takes to be solved to an accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from benchmarks.contestants import INFOSET
from benchmarks.report import NOTHING, Section, Table, seconds, verdict
from benchmarks.spot_games import ACCURACIES, PEER, PEER_NOTE, REFERENCES, Reference
from benchmarks.timing import FULL, QUICK, Taken, best_times

if TYPE_CHECKING:
    from infoset.forms import SpotForm
    from infoset.solvers import Recipe

ALGORITHMS = ("dcfr", "dcfr(gamma=3)", "idcfr+", "icfr+", "pcfr+")
QUICK_ALGORITHMS = ("dcfr(gamma=3)", "idcfr+")

EVERY = 10
"""Iterations between two looks at the exploitability, as the peer was measured."""

MOST_ITERATIONS = {1: 250, 2: 2000, 3: 5000}
"""Before a run is given up, on flop, turn and river."""

Reached = dict[float, int | None]
"""Accuracy (percent of the pot): the iterations that it took."""


class Solver(Protocol):
    """What is asked of a solver here."""

    iteration: int

    def run(self, iterations: int) -> None: ...

    def exploitability(self) -> float: ...


def recipe_of(algorithm: str) -> Recipe:
    """The recipe that an algorithm's name stands for."""
    from infoset.solvers import find_recipe

    return find_recipe(algorithm)


def algorithms(*, quick: bool) -> tuple[str, ...]:
    """What is compared: the default first."""
    from infoset.solvers import SPOT_ALGORITHM

    compared = QUICK_ALGORITHMS if quick else ALGORITHMS
    return tuple(dict.fromkeys((SPOT_ALGORITHM, *compared)))


def iterations_to(solver: Solver, pot: float, accuracies: Iterable[float], most: int) -> Reached:
    """Iterations after which an exploitability was first seen at or below each accuracy."""
    reached: Reached = dict.fromkeys(accuracies)
    while None in reached.values() and solver.iteration + EVERY <= most:
        solver.run(EVERY)
        percent = 100.0 * solver.exploitability() / pot
        for accuracy, iterations in reached.items():
            if iterations is None and percent <= accuracy:
                reached[accuracy] = solver.iteration
    return reached


def measure(section: Section, found: dict[str, dict[str, Reached]], *, quick: bool) -> None:
    """The three spots beside the peer; what was reached also goes into `found`."""
    from infoset.forms import form_of_spot

    bars = Table(
        "Hold'em: time to an accuracy with the default algorithm, one thread",
        ("spot", "accuracy", f"{PEER} †", INFOSET, "iterations", "times faster", "bar", "met"),
        num_words=2,
        notes=[
            "Accuracy is exploitability in percent of the pot. Time is CPU time: iterations to the "
            f"accuracy, looked at every {EVERY}, times the best milliseconds of an iteration. "
            "Evaluating is not counted, for neither program.",
            PEER_NOTE,
        ],
    )
    detail = Table(
        "Hold'em: iterations and CPU time to an accuracy, by algorithm, one thread",
        ("spot", "algorithm", "ms (wall)", "1%", "0.5%", "0.1%", "0.01%"),
        num_words=2,
        notes=[
            "Iterations, their CPU time, and how many times faster that is than "
            f"{PEER}'s †. Milliseconds are of one iteration: CPU time, then wall time."
        ],
    )
    compared = algorithms(quick=quick)
    for reference in REFERENCES:
        if quick and not reference.is_quick:
            continue
        form = form_of_spot(reference.spot)
        reached = {a: reached_on(form, a, reference.accuracies) for a in compared}
        found[reference.name] = reached
        times = dict(zip(compared, times_on(form, compared, quick=quick), strict=True))
        for algorithm in compared:
            section.record(
                reference.name,
                algorithm,
                INFOSET,
                part="accuracy",
                cpu_milliseconds=1e3 * times[algorithm].cpu,
                wall_milliseconds=1e3 * times[algorithm].wall,
                iterations={str(a): count for a, count in reached[algorithm].items()},
            )
        _add_bars(bars, reference, reached[compared[0]], times[compared[0]])
        _add_detail(detail, reference, reached, times)
    section.tables += [bars, detail]


def reached_on(form: SpotForm, algorithm: str, accuracies: Iterable[float]) -> Reached:
    """Iterations to accuracies; all threads work, since they do not change a bit of the result."""
    from infoset.machine.threads import num_threads
    from infoset.solvers import VectorSolver

    spot = form.spot
    solver = VectorSolver(form, recipe_of(algorithm), threads=num_threads())
    return iterations_to(solver, spot.pot, accuracies, MOST_ITERATIONS[spot.street])


def times_on(form: SpotForm, compared: Sequence[str], *, quick: bool) -> list[Taken]:
    """What one iteration of each algorithm takes on one thread."""
    from infoset.solvers import VectorSolver

    solvers = [VectorSolver(form, recipe_of(algorithm)) for algorithm in compared]
    return best_times([solver.run for solver in solvers], QUICK if quick else FULL)


def _add_bars(table: Table, reference: Reference, reached: Reached, time: Taken) -> None:
    for accuracy in reference.accuracies:
        theirs, iterations = reference.seconds(accuracy), reached[accuracy]
        assert theirs is not None
        row = [reference.name, f"{accuracy:g}%", seconds(theirs)]
        if iterations is None:
            row += [NOTHING, NOTHING, NOTHING, f"{reference.bar:g}", "no"]
        else:
            factor = theirs / (iterations * time.cpu)
            met = verdict(factor / reference.bar)
            row += [seconds(iterations * time.cpu), str(iterations), f"{factor:.1f}"]
            row += [f"{reference.bar:g}", met]
        table.rows.append(row)


def _add_detail(
    table: Table,
    reference: Reference,
    reached: Mapping[str, Reached],
    times: Mapping[str, Taken],
) -> None:
    theirs = [
        NOTHING if count is None else f"{count}: {seconds(count * reference.milliseconds / 1e3)}"
        for count in reference.iterations
    ]
    head = (reference.name, f"{PEER} †", f"{reference.milliseconds:.3g}")
    table.rows.append((*head, *theirs))
    for algorithm, of_algorithm in reached.items():
        time = times[algorithm]
        cells = []
        for accuracy, iterations in of_algorithm.items():
            if iterations is None:
                cells.append(f"> {MOST_ITERATIONS[reference.spot.street]}")
                continue
            peer = reference.seconds(accuracy)
            assert peer is not None
            taken = iterations * time.cpu
            cells.append(f"{iterations}: {seconds(taken)}, {peer / taken:.1f}×")
        cells += [NOTHING] * (len(ACCURACIES) - len(cells))
        each = f"{1e3 * time.cpu:.3g} ({1e3 * time.wall:.3g})"
        table.rows.append((reference.name, algorithm, each, *cells))
