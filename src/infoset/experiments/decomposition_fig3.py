"""Figure 3 of the decomposition paper: subgames of an equilibrium, thrown away and re-solved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from infoset.api import compile, solve
from infoset.evaluation import exploitability
from infoset.experiments.curves import (
    RANGE,
    Curve,
    Line,
    draw_curves,
    drawing,
    rounded,
    write_curves,
)
from infoset.experiments.measurer import parts
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED
from infoset.resolving import Method, SequenceParts, Trunk, cut_form
from infoset.solvers import find_algorithm
from infoset.strategy import SequenceStrategy

DECOMPOSITION = (
    "Burch, Johanson & Bowling 2014, Solving Imperfect Information Games Using Decomposition"
)
GAME, CUT = "leduc", "round=2"
SAFE: Method = "gadget"
UNSAFE: Method = "unsafe"

PAPER_UNSAFE = 0.080
"""Chips: where the paper's unsafe line ends."""
NEAR = 1.25
"""Less than this many times from it is near it."""
CLEARLY = 2.0
"""So many times above a line that goes to zero is not on the way there."""
ROOT = -0.45
"""The slope of 1 / sqrt(T) on logarithmic axes, with a tenth allowed for the fit."""

EXACT = "lp"
STARTS = ("cfr+", "pcfr+", "pdcfr+")
"""Other ways to the equilibrium whose subgames are thrown away."""
SAMPLED = "chance-cfr"
"""The nearest to what the paper ran, which samples public chance."""
FULL_WIDTH = ("cfr", "cfr(alternating=false)", "cfr+", "dcfr")
SEEDS = 2
"""Runs of the sampled algorithm from each start."""
COLOURS = dict(zip((*FULL_WIDTH, SAMPLED), (BLUE, PURPLE, RED, GREEN, ORANGE), strict=True))


class Start(NamedTuple):
    """A strategy of the whole game, and what is left of it without its subgames."""

    strategy: SequenceStrategy
    trunk: Trunk

    @classmethod
    def of(cls, strategy: SequenceStrategy) -> Start:
        """Throw away the subgames of a strategy."""
        return cls(strategy, Trunk.of(cut_form(strategy.form, CUT), strategy))

    def resolved(
        self, method: Method, algorithm: str, iterations: int, *, seed: int = 0
    ) -> SequenceStrategy:
        """The trunk with every subgame re-solved."""
        subgames = SequenceParts(self.trunk, self.strategy, seed=seed)
        for number in range(len(subgames)):
            subgames.resolve(number, method, find_algorithm(algorithm), iterations)
        return subgames.strategy()


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    start_iterations: int
    starts: Sequence[str]
    points: Sequence[int]
    """Re-solving iterations at full width."""
    sampled_points: Sequence[int]

    @classmethod
    def of(cls, *, quick: bool) -> Scale:
        """Seconds, or some minutes."""
        if quick:
            return cls(5000, STARTS[:1], doubled(100, 1600, 4), doubled(200, 12_800, 8))
        return cls(100_000, STARTS, doubled(100, 102_400, 2), doubled(200, 819_200, 4))


def doubled(begin: int, end: int, times: int) -> list[int]:
    """Iterations, each so many times the one before.

    >>> doubled(100, 1600, 4)
    [100, 400, 1600]
    """
    points = [begin]
    while points[-1] * times <= end:
        points.append(points[-1] * times)
    return points


Key = tuple[str, Method]
"""Algorithm and method."""


@experiment(
    "decomposition-fig3",
    paper=DECOMPOSITION,
    artifact="Figure 3",
    claim="subgames of a Leduc equilibrium re-solved with T iterations: safely the whole goes to "
    "an equilibrium as 1/sqrt(T), unsafely it stays exploitable by about 0.080",
)
def decomposition_fig3(out: Path, *, quick: bool, progress: Step) -> Report:
    """Four algorithms re-solve the subgames of four equilibria, safely and unsafely."""
    scale = Scale.of(quick=quick)
    first, second = parts(progress, (1, 20))
    starts = {name: Start.of(found) for name, found in _equilibria(scale, first)}
    curves = _curves([*starts.values()], scale, second)
    exact = {
        name: {method: exploitability(start.resolved(method, EXACT, 1)) for method in _METHODS}
        for name, start in starts.items()
    }
    progress(1.0, "drawing")
    drawn = {
        _WORDS[method]: {a: curve for (a, m), curve in curves.items() if m == method}
        for method in _METHODS
    }
    write_curves(out / "decomposition-fig3-curves.json", drawn)
    unsafe = [of_start[UNSAFE] for of_start in exact.values()]
    return report(
        resolving_claims(curves),
        f"{GAME} cut at {CUT}: five subgames. Values are geometric means over {len(starts)} "
        f"equilibria to start from ({', '.join(starts)}) and ranges over them; {SAMPLED} with "
        f"{SEEDS} seeds from each.",
        f"The paper samples public chance only. {SAMPLED} samples all of chance, private cards "
        "too; the other algorithms do not sample.",
        f"Subgames that are solved exactly ({EXACT}) unsafely: {min(unsafe):.3f} to "
        f"{max(unsafe):.3f}, by the equilibrium one starts from.",
        rows=_rows(curves, starts, exact),
        numbers={
            f"slope_{_WORDS[method]}_{algorithm}": rounded(slope(curve))
            for (algorithm, method), curve in curves.items()
        },
        figures=_draw(curves, out),
        smaller=quick,
    )


_METHODS: tuple[Method, ...] = (SAFE, UNSAFE)
_WORDS: Mapping[Method, str] = {SAFE: "safe", UNSAFE: "unsafe"}


def _equilibria(scale: Scale, progress: Step) -> Iterator[tuple[str, SequenceStrategy]]:
    form = compile(GAME)
    for n, name in enumerate((EXACT, *scale.starts)):
        progress(n / (1 + len(scale.starts)), f"an equilibrium by {name}")
        iterations = None if name == EXACT else scale.start_iterations
        strategy = solve(form, name, iterations=iterations).strategy
        assert isinstance(strategy, SequenceStrategy)
        yield name, strategy


def _curves(starts: Sequence[Start], scale: Scale, progress: Step) -> dict[Key, Curve]:
    """By algorithm and method: exploitability from all starts."""
    jobs: dict[Key, Sequence[int]] = {
        (algorithm, method): scale.sampled_points if algorithm == SAMPLED else scale.points
        for algorithm in (*FULL_WIDTH, SAMPLED)
        for method in _METHODS
    }
    steps = parts(progress, [points[-1] for points in jobs.values()])
    curves = {}
    for ((algorithm, method), points), step in zip(jobs.items(), steps, strict=True):
        step(0.0, f"{algorithm}, {_WORDS[method]}")
        seeds = range(SEEDS) if algorithm == SAMPLED else range(1)
        runs = np.array(
            [
                [exploitability(start.resolved(method, algorithm, t, seed=seed)) for t in points]
                for start in starts
                for seed in seeds
            ]
        )
        curves[algorithm, method] = Curve(np.array(points), runs, np.zeros_like(runs), RANGE)
    return curves


def slope(curve: Curve) -> float:
    """The power of T that a curve falls with: of a line fitted on logarithmic axes.

    >>> points = np.array([100, 400, 1600])
    >>> round(slope(Curve(points, 3 / np.sqrt(points)[None], np.zeros((1, 3)))), 12)
    -0.5
    """
    return float(np.polyfit(np.log(curve.iterations), np.log(curve.typical), 1)[0])


def resolving_claims(curves: Mapping[Key, Curve]) -> list[Claim]:
    """The paper's sentences about both lines."""
    slopes = {a: slope(curve) for (a, method), curve in curves.items() if method == SAFE}
    unsafe = {a: curve for (a, method), curve in curves.items() if method == UNSAFE}
    times = {
        a: float(curve.runs[:, -1].min() / curves[a, SAFE].runs[:, -1].max())
        for a, curve in unsafe.items()
    }
    ends = {a: (curve.last, *curve.last_band.values()) for a, curve in unsafe.items()}
    return [
        Claim(
            "safe re-solving goes to zero as 1/sqrt(T) or faster, with every algorithm",
            all(found <= ROOT for found in slopes.values()),
            "falls as " + ", ".join(f"T^{found:.2f} with {a}" for a, found in slopes.items()),
        ),
        Claim(
            "unsafe re-solving does not approach an equilibrium",
            all(ratio > CLEARLY for ratio in times.values()),
            "at the end the lowest unsafe run is above the highest safe one by "
            + ", ".join(f"{ratio:,.3g} times with {a}" for a, ratio in times.items()),
        ),
        Claim(
            f"unsafe re-solving ends near {PAPER_UNSAFE:.3f}, with every algorithm",
            all(PAPER_UNSAFE / NEAR < end < PAPER_UNSAFE * NEAR for end, _, _ in ends.values()),
            ", ".join(
                f"{end:.3f} ({low:.3f} to {high:.3f}) with {a}"
                for a, (end, low, high) in ends.items()
            ),
        ),
    ]


def _rows(
    curves: Mapping[Key, Curve],
    starts: Mapping[str, Start],
    exact: Mapping[str, Mapping[Method, float]],
) -> list[dict[str, Cell]]:
    """A row for each algorithm, then one for each start with its subgames solved exactly."""
    rows: list[dict[str, Cell]] = []
    for algorithm in (*FULL_WIDTH, SAMPLED):
        row: dict[str, Cell] = {
            "re-solved by": algorithm,
            "iterations": int(curves[algorithm, SAFE].iterations[-1]),
            "from": "all",
        }
        for method in _METHODS:
            curve, word = curves[algorithm, method], _WORDS[method]
            band = {f"{word}, {end}": number for end, number in curve.last_band.items()}
            row |= {word: rounded(curve.last), **band}
        rows.append({**row, "slope of safe": rounded(slope(curves[algorithm, SAFE]))})
    for name, start in starts.items():
        before = rounded(exploitability(start.strategy))
        ends = {_WORDS[method]: rounded(found) for method, found in exact[name].items()}
        rows.append({"re-solved by": EXACT, "from": name, "before": before, **ends})
    return rows


def _draw(curves: Mapping[Key, Curve], out: Path) -> Sequence[Path]:
    title = "Solid: safe. Dashed: unsafe. Bands: all equilibria and seeds."
    name, legend = "decomposition-fig3", {"ncols": 2}
    with drawing(out, name, size=(6.8, 5.6), title=title, legend=legend) as figure:
        axes = figure.panels[0]
        lines = {
            f"{algorithm}, {_WORDS[method]}": Line(
                curve, COLOURS[algorithm], "-" if method == SAFE else "--"
            )
            for (algorithm, method), curve in curves.items()
        }
        draw_curves(axes, lines, shade=0.15)
        dots = {"color": BLACK, "linewidth": 0.9, "linestyle": (0, (1, 2))}
        axes.axhline(PAPER_UNSAFE, **dots, label="the paper's unsafe line ends here")
        ends = np.array([100, max(c.iterations[-1] for c in curves.values())])
        axes.plot(ends, 10 / np.sqrt(ends), color=BLACK, linewidth=0.9, label="1/sqrt(T)")
        axes.set_xlabel("iterations of re-solving")
    return figure.files
