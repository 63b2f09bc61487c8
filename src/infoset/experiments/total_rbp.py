"""What both figures of the Total RBP paper share: measured runs, and how they are compared."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from infoset.api import compile
from infoset.experiments.curves import RANGE, Curve, Floats, drawing, rounded, spaced, write_text
from infoset.experiments.measurer import in_units, parts
from infoset.experiments.registry import Step
from infoset.forms import SequenceForm
from infoset.solvers import find_recipe, regret_solver

TOTAL_RBP = (
    "Brown & Sandholm 2017, Reduced Space and Faster Convergence in Imperfect-Information Games "
    "via Regret-Based Pruning"
)
CFR, PLUS = "cfr", "cfr+"
SMALL, LARGE = "leduc", "leduc5"
NAMES: Mapping[str, str] = {CFR: "CFR", PLUS: "CFR+", SMALL: "Leduc", LARGE: "Leduc-5"}

CHECKS = "every=10,caution=1,drift=0,slack=1,thrifty=false"
"""A check every ten iterations, whatever it costs, by the paper's conditions (5) and (9); what (9)
sums over iterations to come is taken from those so far."""
NEAR = 1.25
"""Less than this many times apart is alike; a factor is about another if it is so near."""
LATE = 4.0
"""Runs are compared from so many times their lowest common exploitability down to it."""
NUM_LEVELS = 20
FIRST_DRAWN = 10

Texts = Mapping[str, str]
"""Algorithms, by what their lines are called."""


class Panel(NamedTuple):
    """A game and an algorithm that is pruned."""

    game: str
    algorithm: str

    @property
    def title(self) -> str:
        """As the paper writes it.

        >>> Panel("leduc5", "cfr+").title
        'Leduc-5, CFR+'
        """
        return f"{NAMES[self.game]}, {NAMES[self.algorithm]}"


PANELS = tuple(Panel(game, algorithm) for game in (SMALL, LARGE) for algorithm in (CFR, PLUS))


class Scale(NamedTuple):
    """How much is run."""

    iterations: Mapping[Panel, int]
    repetitions: int
    """Runs on the small game, with a chip counted as other numbers of units."""
    points: int
    """Where exploitability is measured, evenly on a logarithmic axis."""
    large: str = LARGE
    """What is run as the large game."""

    @classmethod
    def of(cls, small: int, large: int, large_plus: int, repetitions: int, points: int) -> Scale:
        """By iterations on the small game, and of both algorithms on the large one."""
        ends = (small, small, large, large_plus)
        return cls(dict(zip(PANELS, ends, strict=True)), repetitions, points)


@dataclass(frozen=True, eq=False)
class Run:
    """An algorithm on a game: repeated runs, measured at the same iterations."""

    curve: Curve
    """As it is drawn: for CFR+ with total or interval pruning, the lowest exploitability so far."""
    measured: Floats
    """[repetitions, points] Exploitability at these iterations, in chips."""
    seconds: Floats
    """[repetitions, points] Processor time in iterations and checks, not in measuring."""
    regrets: Floats
    """[repetitions, points] Actions that hold a regret, as a share of all."""
    averages: Floats
    """[repetitions, points] Actions that hold an average, as a share of all."""
    live: Floats
    """[repetitions, points] Actions that iterations go through, as a share of all."""
    num_bytes: Floats
    """[repetitions, points] All that survives from one iteration to the next."""

    @property
    def both(self) -> Floats:
        """[repetitions, points] Regrets and averages held, as a share of both."""
        return (self.regrets + self.averages) / 2

    @property
    def mean_seconds(self) -> Floats:
        """[points]"""
        return np.asarray(self.seconds.mean(axis=0))

    @property
    def end_regrets(self) -> float:
        """The share of regrets that is held at the end."""
        return float(self.regrets[:, -1].mean())

    @property
    def end_both(self) -> float:
        """The share of regrets and averages that is held at the end."""
        return float(self.both[:, -1].mean())

    @property
    def end_live(self) -> float:
        """The share of actions that the last iterations go through."""
        return float(self.live[:, -1].mean())

    @property
    def lowest(self) -> float:
        """The lowest exploitability of the run."""
        return float(self.curve.typical.min())

    def points(self) -> dict[str, list[float]]:
        """What is drawn, point by point, ready for JSON."""
        means = {
            "measured": np.exp(np.log(self.measured).mean(axis=0)),
            "seconds": self.mean_seconds,
            "regrets": self.regrets.mean(axis=0),
            "averages": self.averages.mean(axis=0),
            "live": self.live.mean(axis=0),
            "bytes": self.num_bytes.mean(axis=0),
        }
        more = {name: [*map(rounded, array)] for name, array in means.items()}
        return self.curve.points(by_nodes=True) | more


Runs = Mapping[str, Run]
"""By what the line is called."""
Figure = Mapping[Panel, Runs]


# Measuring.


def measure(
    scale: Scale, texts: Callable[[str], Texts], progress: Step
) -> dict[Panel, dict[str, Run]]:
    """Run everything of a figure: ``texts`` gives the lines of an algorithm."""
    units = {
        SMALL: _in_units(SMALL, scale.repetitions),
        LARGE: _in_units(scale.large, 1),
    }
    jobs = [
        (panel, label, text)
        for panel in scale.iterations
        for label, text in texts(panel.algorithm).items()
    ]
    costs = [_cost(text, units[panel.game]) * scale.iterations[panel] for panel, _, text in jobs]
    figure: dict[Panel, dict[str, Run]] = {panel: {} for panel in scale.iterations}
    for (panel, label, text), step in zip(jobs, parts(progress, costs), strict=True):
        points = spaced(scale.iterations[panel], scale.points)
        words = f"{panel.title}: {label}"
        figure[panel][label] = measure_run(text, units[panel.game], points, words, step)
    return figure


Unit = tuple[SequenceForm, int]
"""A game, and how many units a chip is counted as."""


def _in_units(game: str, repetitions: int) -> list[Unit]:
    found = in_units(game, repetitions).repetitions
    return [(form, unit) for form, unit, _ in found if isinstance(form, SequenceForm)]


def _cost(text: str, units: Sequence[Unit]) -> float:
    """About how long an iteration takes: one with checks, five times as long."""
    return (5.0 if CHECKS in text else 1.0) * sum(form.num_sequences for form, _ in units)


def measure_run(
    text: str, units: Sequence[Unit], iterations: Sequence[int], words: str, progress: Step
) -> Run:
    """Run an algorithm in each unit, and stop at these iterations to measure it."""
    recipe = find_recipe(text)
    regret_solver(compile("kuhn"), recipe, None).run(
        50
    )  # Kernels are loaded before the clock runs.
    numbers = np.empty((7, len(units), len(iterations)))
    for n, (form, unit) in enumerate(units):
        solver = regret_solver(form, recipe, None)
        size, seconds = form.num_sequences, 0.0
        for point, iteration in enumerate(iterations):
            progress((n + solver.iteration / iterations[-1]) / len(units), words)
            before = time.process_time()
            solver.run(iteration - solver.iteration)
            seconds += time.process_time() - before
            held = getattr(solver, "actions_held", (size, size))
            numbers[:, n, point] = (
                *(solver.exploitability() / unit, solver.nodes_touched, seconds),
                *(held[0] / size, held[1] / size, getattr(solver, "live_share", 1.0)),
                solver.kept_bytes,
            )
    measured, nodes = numbers[:2]
    drawn = measured
    if CHECKS in text and recipe.weights(1, 1, None).floor == 0.0:
        drawn = np.minimum.accumulate(measured, axis=1)
    return Run(Curve(np.array(iterations), drawn, nodes, RANGE), measured, *numbers[2:])


# Comparing.


def spent_until(spent: Floats, exploitability: Floats, level: float) -> float:
    """What has been spent when a curve first is as low as a level, which it reaches.

    >>> spent_until(np.array([1.0, 100.0]), np.array([1.0, 0.01]), 0.1)
    10.0
    """
    low = np.minimum.accumulate(exploitability)
    n = int(np.argmax(low <= level))
    if low[n] > level:
        raise ValueError(f"no point of the curve is as low as {level:g}")
    if n == 0:
        return float(spent[0])
    share = np.log(low[n - 1] / level) / np.log(low[n - 1] / low[n])
    return round(float(np.exp(np.log(spent[n - 1]) * (1 - share) + np.log(spent[n]) * share)), 9)


class Saving(NamedTuple):
    """What one run needs less than another to be as low."""

    times: float
    """How many times less, in the geometric mean over levels of exploitability."""
    least: float
    most: float
    at_end: float
    """At the lowest exploitability that both come to."""
    lowest: float
    """That exploitability, in chips."""

    def __str__(self) -> str:
        times, least, most, end = map(rounded, self[:4])
        return f"{times:g} times ({least:g} to {most:g}; {end:g} at {self.lowest:.2g} chips)"


def saving(run: Run, other: Run, *, by_seconds: bool = False, level: float = 0.0) -> Saving:
    """How many times fewer nodes (or seconds) a run needs than another.

    Compared at twenty levels from four times the lowest common exploitability (but not below
    ``level``) down to it: a single level would be a matter of luck.
    """
    lowest = max(level, run.lowest, other.lowest)
    levels = np.geomspace(LATE, 1.0, NUM_LEVELS) * lowest
    times = ratios(run, other, levels.tolist(), by_seconds=by_seconds)
    mean = float(np.exp(np.log(times).mean()))
    return Saving(mean, float(times.min()), float(times.max()), float(times[-1]), lowest)


def ratios(run: Run, other: Run, levels: Sequence[float], *, by_seconds: bool = False) -> Floats:
    """[levels] How many times more another run has spent than a run when both are as low."""

    def spent(one: Run, level: float) -> float:
        x = one.mean_seconds if by_seconds else one.curve.mean_nodes
        return spent_until(x, one.curve.typical, level)

    return np.array([spent(other, level) / spent(run, level) for level in levels])


# Writing and drawing.


def write_points(path: Path, figure: Figure) -> None:
    """Write the points behind a figure as JSON: ``{"Leduc, CFR": {line: {...}}}``."""
    document = {
        panel.title: {label: run.points() for label, run in runs.items()}
        for panel, runs in figure.items()
    }
    write_text(path, json.dumps(document, allow_nan=False).replace("}, ", "},\n"))


class Row(NamedTuple):
    """What one row of panels shows."""

    x: Callable[[Run], Any]
    """[points]"""
    xlabel: str
    y: Callable[[Run], Floats]
    """[repetitions, points]"""
    ylabel: str
    is_share: bool = False


def exploitability_of(run: Run) -> Floats:
    """[repetitions, points] As it is drawn."""
    return run.curve.runs


BY_NODES, BY_ITERATIONS, BY_SECONDS = (
    (lambda run: run.curve.mean_nodes, "nodes touched"),
    (lambda run: run.curve.iterations, "iterations"),
    (lambda run: run.mean_seconds, "processor seconds"),
)


def draw(
    out: Path,
    name: str,
    figure: Figure,
    rows: Sequence[Row],
    styles: Mapping[str, tuple[str, Any]],
    title: str,
) -> Sequence[Path]:
    """Rows of panels, a column for each game and algorithm; ``styles`` are colours and dashes."""
    size = 3.3 * len(figure), 0.9 + 2.9 * len(rows)
    legend = {"ncols": len(styles)}
    with drawing(out, name, len(rows), len(figure), size=size, title=title, legend=legend) as drawn:
        for n, axes in enumerate(drawn.panels):
            row = rows[n // len(figure)]
            panel, runs = [*figure.items()][n % len(figure)]
            for label, run in runs.items():
                _draw_run(axes, row, run, label, *styles[label])
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter("")  # Labels within a decade would overlap.
            axes.set_xlabel(row.xlabel)
            axes.set_title(panel.title)
            if row.is_share:
                axes.set_ylim(0.0, 1.03)
            else:
                axes.set_yscale("log")
            if n % len(figure) == 0:
                axes.set_ylabel(row.ylabel)
    return drawn.files


def _draw_run(axes: Any, row: Row, run: Run, label: str, colour: str, dashes: Any) -> None:
    late = run.curve.iterations >= FIRST_DRAWN
    x, y = np.asarray(row.x(run))[late], row.y(run)[:, late]
    mean = y.mean(axis=0) if row.is_share else np.exp(np.log(y).mean(axis=0))
    axes.plot(x, mean, color=colour, linestyle=dashes, label=label)
    if len(y) > 1:
        ends = y.min(axis=0), y.max(axis=0)
        axes.fill_between(x, *ends, color=colour, alpha=0.15, linewidth=0)
