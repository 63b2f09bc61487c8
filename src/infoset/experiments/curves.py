"""Exploitability over time in repeated runs: to compare, tabulate, write and draw."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from infoset.experiments.registry import Cell
from infoset.explore import panels, save
from infoset.machine.storage import write_atomically

Floats = NDArray[np.float64]

CLEAR = 3.0
"""Standard errors between two means that are told apart."""
CONFIDENCE = 0.95
BIG_BLIND = 100
CHIPS = "exploitability (chips, NashConv / 2)"


class Comparison(NamedTuple):
    """One curve set beside another.

    >>> print(Comparison("better", 1.234, 1.1, 1.4, 1.15, 1.3))
    1.23 times lower (1.15 to 1.3, better)
    """

    word: str
    """``better``, ``worse``, or ``unclear`` if the difference may be chance."""
    times: float
    """How many times lower the exploitability is, in the mean over the repetitions."""
    least: float
    most: float
    low: float
    """The 95 % interval of the mean, with `high`."""
    high: float

    def __str__(self) -> str:
        times, low, high = map(rounded, (self.times, self.low, self.high))
        return f"{times:g} times lower ({low:g} to {high:g}, {self.word})"


class Band(NamedTuple):
    """What is drawn around a curve."""

    low: str
    """What its lower end is called."""
    high: str
    ends: Callable[[Curve], tuple[Floats, Floats]]
    """[points] and [points]"""

    def last(self, curve: Curve) -> dict[str, float]:
        """The band where a curve ends, by name."""
        low, high = self.ends(curve)
        return {self.low: rounded(low[-1]), self.high: rounded(high[-1])}


def _standard_error(samples: Floats) -> Floats:
    """[...] of the mean of samples [repetitions, ...]."""
    return np.asarray(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))


def _half_interval(samples: Floats) -> Floats:
    """[...] Half the 95 % interval of the mean of samples [repetitions, ...], by Student's t."""
    return np.asarray(stdtrit(len(samples) - 1, (1 + CONFIDENCE) / 2) * _standard_error(samples))


def _interval(curve: Curve) -> tuple[Floats, Floats]:
    """The 95 % confidence interval of the geometric mean."""
    logs = np.log(curve.runs)
    mean, half = logs.mean(axis=0), _half_interval(logs)
    return np.exp(mean - half), np.exp(mean + half)


RANGE = Band("least", "most", lambda curve: (curve.runs.min(axis=0), curve.runs.max(axis=0)))
"""All repetitions, where they differ in rounding only."""
INTERVAL = Band("low", "high", _interval)
"""95 % for the mean, where repetitions are drawn at random."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Exploitability of an algorithm's average strategy, in chips."""

    iterations: NDArray[np.int64]
    """[points]"""
    runs: Floats
    """[repetitions, points]"""
    nodes: Floats
    """[repetitions, points] Nodes that each run had touched."""
    band: Band = INTERVAL
    """What is shown of the differences between the repetitions."""

    @property
    def typical(self) -> Floats:
        """[points] The geometric mean of the repetitions."""
        return np.asarray(np.exp(np.log(self.runs).mean(axis=0)))

    @property
    def last_mean(self) -> tuple[float, float]:
        """The arithmetic mean of what runs end with, and half its 95 % interval."""
        ends = self.runs[:, -1]
        return float(ends.mean()), float(_half_interval(ends))

    @property
    def last(self) -> float:
        """What a run typically ends with."""
        return float(self.typical[-1])

    @property
    def mean_nodes(self) -> Floats:
        """[points] Nodes that a run has touched, in the mean."""
        return np.asarray(self.nodes.mean(axis=0))

    @property
    def last_nodes(self) -> float:
        """Nodes that a whole run touches, in the mean."""
        return float(self.nodes[:, -1].mean())

    @property
    def last_band(self) -> dict[str, float]:
        """The band where the curve ends, by name."""
        return self.band.last(self)

    def points(self, *, by_nodes: bool) -> dict[str, list[float]]:
        """What is drawn, point by point, ready for JSON; with the nodes touched, or without."""
        low, high = self.band.ends(self)
        points = {
            "iterations": self.iterations.tolist(),
            "exploitability": [*map(rounded, self.typical)],
            self.band.low: [*map(rounded, low)],
            self.band.high: [*map(rounded, high)],
        }
        return points | ({"nodes": [*map(rounded, self.mean_nodes)]} if by_nodes else {})

    def since(self, begin: int) -> Curve:
        """The part of the curve from an iteration on."""
        return self.between(begin, int(self.iterations[-1]))

    def between(self, begin: int, end: int) -> Curve:
        """The part of the curve from one iteration to another."""
        return self.at([t for t in self.iterations.tolist() if begin <= t <= end])

    def at(self, iterations: Sequence[int]) -> Curve:
        """The points at these iterations, all of which were measured."""
        points = np.searchsorted(self.iterations, iterations)
        return Curve(
            self.iterations[points], self.runs[:, points], self.nodes[:, points], self.band
        )

    def at_nodes(self, nodes: float) -> Curve:
        """Where the runs are when they have touched so many nodes: a curve of one point."""
        logs = [
            [np.interp(np.log(nodes), np.log(touched), np.log(run))]
            for touched, run in zip(self.nodes, self.runs, strict=True)
        ]
        at = np.interp(nodes, self.mean_nodes, self.iterations)
        return Curve(np.array([round(at)]), np.exp(logs), np.full((len(logs), 1), nodes), self.band)

    def against(self, other: Curve, begin: int) -> Comparison:
        """How much lower this curve is than another from an iteration on.

        The geometric mean over the points, which are spaced evenly on a logarithmic axis: a
        single point would be a matter of luck.
        """
        late = self.iterations >= begin
        logs = np.log(other.runs / self.runs)[:, late].mean(axis=1)
        mean, half = logs.mean(), _half_interval(logs)
        word = "unclear"
        if abs(mean) > CLEAR * _standard_error(logs):
            word = "better" if mean > 0 else "worse"
        factors = np.exp([mean, logs.min(), logs.max(), mean - half, mean + half])
        return Comparison(word, *map(float, factors))


Curves = Mapping[str, Curve]
"""By the name of an algorithm."""


def rounded(number: float) -> float:
    """Three digits are more than rounding leaves meaning in.

    >>> rounded(0.000123456)
    0.000123
    """
    return float(f"{number:.3g}")


def in_mbb(chips: float) -> float:
    """Thousandths of a big blind.

    >>> in_mbb(0.5)
    5.0
    """
    return rounded(1000 * chips / BIG_BLIND)


def spaced(end: int, points: int = 60) -> list[int]:
    """Iterations 1 to ``end``, evenly on a logarithmic axis.

    >>> spaced(100, points=7)
    [1, 2, 5, 10, 22, 46, 100]
    """
    return [int(t) for t in np.unique(np.geomspace(1, end, points).round())]


def end_rows(head: str, label: str, curves: Curves) -> list[dict[str, Cell]]:
    """Three rows of a table, a column for each curve: where it ends, and both ends of its band."""
    ends = {name: {label: rounded(curve.last), **curve.last_band} for name, curve in curves.items()}
    return [
        {head: "  " * (n > 0) + row, **{name: cells[row] for name, cells in ends.items()}}
        for n, row in enumerate(next(iter(ends.values())))
    ]


def write_curves(path: Path, curves: Mapping[str, Curves], *, by_nodes: bool = False) -> None:
    """Write the points behind a figure as JSON: ``{game: {algorithm: {...}}}``."""
    document = {
        game: {algorithm: curve.points(by_nodes=by_nodes) for algorithm, curve in of_game.items()}
        for game, of_game in curves.items()
    }
    write_text(path, json.dumps(document, allow_nan=False).replace("}, ", "},\n"))


def write_text(path: Path, text: str) -> None:
    """Write a file of an experiment, in a folder that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, f"{text}\n".encode())


class Line(NamedTuple):
    """How a curve is drawn."""

    curve: Curve
    colour: str
    dashes: Any = "-"


def draw_curves(
    axes: Any, lines: Mapping[str, Line], *, shade: float, by_nodes: bool = False
) -> None:
    """Curves with their bands, by label, on logarithmic axes."""
    for label, (curve, colour, dashes) in lines.items():
        x = curve.mean_nodes if by_nodes else curve.iterations
        axes.plot(x, curve.typical, color=colour, linestyle=dashes, label=label)
        axes.fill_between(x, *curve.band.ends(curve), color=colour, alpha=shade, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")


class Drawing(NamedTuple):
    """A figure that is being drawn."""

    panels: Sequence[Any]
    """Axes, row by row."""
    files: list[Path]
    """What was written, once it was."""


@contextmanager
def drawing(
    out: Path,
    name: str,
    rows: int = 1,
    columns: int = 1,
    *,
    size: tuple[float, float],
    title: str = "",
    ylabel: str = CHIPS,
    order: Callable[[str], int] = lambda label: 0,
    legend: Mapping[str, Any],
) -> Iterator[Drawing]:
    """Panels to draw in; then the figure is written, with all that is labelled in the first panel.

    The axes have the usual labels, unless others are set. The legend is sorted by ``order``, if it
    is given. Panels that are left empty are hidden.
    """
    with panels(rows, columns, width=size[0], height=size[1]) as (figure, grid):
        for axes in grid[-1]:
            axes.set_xlabel("iterations")
        for axes in grid[:, 0]:
            axes.set_ylabel(ylabel)
        drawn = Drawing([*grid.flat], [])
        yield drawn
        for axes in grid.flat:
            axes.set_visible(axes.has_data())
        named = dict(zip(*grid[0, 0].get_legend_handles_labels()[::-1], strict=True))
        labels = sorted(named, key=order)
        at = {"loc": "outside lower center", **legend}
        figure.legend([named[label] for label in labels], labels, **at)
        if title:
            figure.suptitle(title, fontsize=11)
        drawn.files.extend(save(figure, out, name))
