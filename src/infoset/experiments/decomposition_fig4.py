"""Figure 4 of the decomposition paper: CFR-D by the iterations of its trunk and its subgames."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from infoset.experiments.curves import RANGE, Curve, Curves, drawing, rounded, write_curves
from infoset.experiments.decomposition_fig3 import CUT, DECOMPOSITION, GAME
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLUE, GREEN, ORANGE, PURPLE, RED
from infoset.games import make
from infoset.resolving import CfrDSolver, Nest, Subgames, nest_of, parse_cut
from infoset.solvers import find_algorithm, find_recipe

TRUNKS = (500, 2000, 8000, 32_000)
SUBGAMES = (100, 200, 400, 800, 1600, 3200, 6400, 12_800)
"""The paper's iterations of the trunk, and of a subgame in each of them."""
FEWER = (50,)
"""Ours: a hundred iterations of full-width CFR already solve a subgame well."""
MOST = {500: 1600, 2000: 1600, 8000: 1600}
"""Subgame iterations by trunk iterations, in the default run; the full grid has the rest."""
RESOLVING = "cfr", 200_000
"""How subgames are re-solved to measure the whole, as in the paper."""

CFR = "cfr"
OTHERS = ("cfr+", "dcfr")
"""Ours: in trunk and subgames."""

FLAT = 1.1
"""A line is on its plateau where twice the subgame iterations lower it by less than this factor."""
COLOURS = dict(zip(TRUNKS, (RED, ORANGE, GREEN, BLUE), strict=True))
SMALL_COLOUR = PURPLE

Grid = Mapping[tuple[int, int], float]
"""Exploitability by trunk iterations and subgame iterations."""


class Column(NamedTuple):
    """One run of CFR-D, measured at several trunk iterations."""

    algorithm: str
    """Of the trunk and of the subgames."""
    subgame: int
    """Iterations of each subgame in each iteration of the trunk."""
    trunks: Sequence[int]
    """Iterations of the trunk after which the whole is measured."""

    @property
    def cost(self) -> float:
        """About how long it takes: setting up subgames costs as much as 200 iterations."""
        return self.trunks[-1] * (self.subgame + 200.0)


def columns_of(algorithm: str, most: Mapping[int, int], subgames: Sequence[int]) -> list[Column]:
    """Runs that give a line for each number of trunk iterations, up to ``most`` subgame iterations.

    >>> for column in columns_of("cfr", {10: 5, 40: 1}, [1, 5]):
    ...     print(column.subgame, column.trunks)
    1 [10, 40]
    5 [10]
    """
    columns = []
    for subgame in subgames:
        trunks = [trunk for trunk, last in most.items() if subgame <= last]
        columns += [Column(algorithm, subgame, trunks)] if trunks else []
    return columns


class Measured(NamedTuple):
    """What was run, for one algorithm in trunk and subgames each."""

    grids: Mapping[str, Grid]
    closer: tuple[float, float]
    """The lowest point of CFR, with the usual and with four times the re-solving iterations."""


@experiment(
    "decomposition-fig4",
    paper=DECOMPOSITION,
    artifact="Figure 4",
    claim="CFR-D on Leduc: exploitability falls with the iterations of the subgames, to a plateau "
    "that more iterations of the trunk lower",
)
def decomposition_fig4(out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
    """The part of the paper's grid that takes minutes, and two other algorithms.

    In full every point of the paper's grid, re-solved with as many iterations: hours of all cores.
    """
    if quick:
        most, few, compared = {50: 80, 200: 80}, [10, 20, 40, 80], [80]
    elif full:
        most, few = dict.fromkeys(TRUNKS, SUBGAMES[-1]), [*FEWER, *SUBGAMES]
        compared = [100, 400, 1600]
    else:
        most, few, compared = MOST, [*FEWER, *SUBGAMES], [100]
    columns = columns_of(CFR, most, few)
    for other in OTHERS:
        columns += columns_of(other, most if full else dict([*most.items()][:2]), compared)
    resolving = RESOLVING[0], 2000 if quick else RESOLVING[1]
    measured = measure(columns, resolving, progress)
    progress(1.0, "drawing")
    lines = {algorithm: lines_of(grid) for algorithm, grid in measured.grids.items()}
    write_curves(out / "decomposition-fig4-curves.json", lines)
    usual, closer = measured.closer
    return report(
        grid_claims(measured.grids[CFR]),
        f"{GAME} cut at {CUT}: five subgames, each solved anew in every iteration of the trunk and "
        "for each player, who take turns. Trunk, subgames and re-solving by full-width CFR.",
        f"The whole is measured with all subgames re-solved by {resolving[1]:,} iterations of "
        f"{resolving[0]}. The lowest point is {usual:.5f} with them, and {closer:.5f} with four "
        "times as many: what re-solving adds.",
        "A run of the trunk is measured at several iterations: shorter runs are its beginnings.",
        rows=_rows(measured.grids),
        numbers={
            "lowest": rounded(usual),
            "lowest_with_four_times_the_resolving": rounded(closer),
            "resolving_iterations": resolving[1],
        },
        figures=_draw(lines, out),
        smaller=not full,
    )


# Measuring.


def measure(columns: Sequence[Column], resolving: tuple[str, int], progress: Step) -> Measured:
    """Run CFR-D for each column, as many at a time as there are cores."""
    nest = nest_of(make(GAME), parse_cut(CUT), by_rules=True)
    stop = threading.Event()
    total, done = sum(column.cost for column in columns), 0.0
    progress(0.0, "CFR-D")
    grids: dict[str, dict[tuple[int, int], float]] = {c.algorithm: {} for c in columns}
    last: list[tuple[float, CfrDSolver]] = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        longest_first = sorted(columns, key=lambda column: -column.cost)
        tasks = {pool.submit(_run, nest, c, resolving, stop): c for c in longest_first}
        try:
            for task in as_completed(tasks):
                column = tasks[task]
                points, solver = task.result()
                for trunk, found in points.items():
                    grids[column.algorithm][trunk, column.subgame] = found
                if column.algorithm == CFR:
                    last.append((points[column.trunks[-1]], solver))
                done += column.cost
                progress(done / total, f"{column.algorithm}, {column.subgame} subgame iterations")
        finally:
            # After Ctrl-C: what waits is dropped, what runs ends soon.
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    usual, solver = min(last, key=lambda pair: pair[0])
    solver.resolving = find_algorithm(resolving[0]), 4 * resolving[1]
    closer = solver.evaluate().exploitability
    return Measured({a: dict(sorted(grid.items())) for a, grid in grids.items()}, (usual, closer))


def _run(
    nest: Nest, column: Column, resolving: tuple[str, int], stop: threading.Event
) -> tuple[dict[int, float], CfrDSolver]:
    """Exploitability by trunk iterations, and the solver at the end."""
    recipe = find_recipe(column.algorithm)
    subgames = Subgames(nest, recipe, column.subgame)
    solver = CfrDSolver(nest, recipe, subgames, (find_algorithm(resolving[0]), resolving[1]))
    points = {}
    for trunk in column.trunks:
        while solver.iteration < trunk and not stop.is_set():
            solver.run(min(10, trunk - solver.iteration))
        points[trunk] = solver.evaluate().exploitability if not stop.is_set() else np.nan
    return points, solver


# Reporting.


def lines_of(grid: Grid) -> dict[str, Curve]:
    """A line for each number of trunk iterations, over subgame iterations."""
    lines = {}
    for trunk in sorted({trunk for trunk, _ in grid}):
        subgames = sorted(subgame for t, subgame in grid if t == trunk)
        found = np.array([[grid[trunk, subgame] for subgame in subgames]])
        lines[str(trunk)] = Curve(np.array(subgames), found, np.zeros_like(found), RANGE)
    return lines


def grid_claims(grid: Grid) -> list[Claim]:
    """The paper's sentences about the lines, and about one line beside the next."""
    lines = lines_of(grid)
    long = {trunk: line for trunk, line in lines.items() if len(line.iterations) > 2}
    falls = {trunk: float(line.typical[0] / line.typical[-1]) for trunk, line in long.items()}
    steps = {trunk: float(line.typical[-2] / line.typical[-1]) for trunk, line in long.items()}
    trunks = sorted({trunk for trunk, _ in grid})
    lower = [
        (subgame, few, many, grid[few, subgame] / grid[many, subgame])
        for few, many in pairwise(trunks)
        for subgame in sorted(s for t, s in grid if t == many and (few, s) in grid)
    ]
    least = min(lower, key=lambda step: step[-1])
    return [
        Claim(
            "each line falls from the fewest subgame iterations to the most",
            all(fall > 1 for fall in falls.values()),
            _listed(falls, "times lower at the end"),
        ),
        Claim(
            f"each line ends on a plateau (the last doubling changes it by less than {FLAT} times)",
            all(1 / FLAT < step < FLAT for step in steps.values()),
            _listed(steps, "times lower by the last doubling"),
        ),
        Claim(
            "more trunk iterations lower the plateau",
            all(step[-1] > 1 for step in lower),
            f"in all {len(lower)} pairs of neighbours, the least by {least[-1]:.2f} times (from "
            f"{least[1]:,} to {least[2]:,} at {least[0]:,} subgame iterations)"
            if least[-1] > 1
            else f"not from {least[1]:,} to {least[2]:,} at {least[0]:,} subgame iterations: "
            f"{least[-1]:.2f} times",
        ),
    ]


def _listed(numbers: Mapping[str, float], what: str) -> str:
    texts = [f"{number:.2f} with {int(trunk):,}" for trunk, number in numbers.items()]
    return f"{', '.join(texts)} trunk iterations ({what})"


def _rows(grids: Mapping[str, Grid]) -> list[dict[str, Cell]]:
    """A row for each line, a column for each number of subgame iterations."""
    subgames = sorted({subgame for grid in grids.values() for _, subgame in grid})
    return [
        {
            "algorithm": algorithm,
            "trunk iterations": int(trunk),
            **{
                f"{subgame:,}": rounded(grid[int(trunk), subgame])
                for subgame in subgames
                if (int(trunk), subgame) in grid
            },
        }
        for algorithm, grid in grids.items()
        for trunk in lines_of(grid)
    ]


def _draw(lines: Mapping[str, Curves], out: Path) -> Sequence[Path]:
    """The paper's axes, one panel; other algorithms dashed and dotted."""
    styles: dict[str, Any] = {CFR: ("-", "o"), "cfr+": ("--", "s"), "dcfr": (":", "^")}
    title, legend = f"CFR-D on {GAME}, by trunk iterations", {"ncols": 2}
    with drawing(out, "decomposition-fig4", size=(6.4, 5.2), title=title, legend=legend) as figure:
        axes = figure.panels[0]
        for algorithm, of_it in lines.items():
            dashes, marker = styles[algorithm]
            for trunk, curve in of_it.items():
                axes.plot(
                    *(curve.iterations, curve.typical),
                    color=COLOURS.get(int(trunk), SMALL_COLOUR),
                    linestyle=dashes,
                    marker=marker,
                    markersize=4,
                    label=f"{algorithm}, {int(trunk):,} trunk iterations",
                )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("subgame iterations")
    return figure.files
