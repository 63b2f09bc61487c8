"""Figure 5 of the decomposition paper: an abstract strategy improved by re-solving subgames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from infoset.api import compile, solve
from infoset.evaluation import expected_value, exploitability
from infoset.experiments.curves import RANGE, Curve, drawing, rounded, write_curves
from infoset.experiments.decomposition_fig3 import (
    DECOMPOSITION,
    EXACT,
    GAME,
    SAFE,
    SAMPLED,
    UNSAFE,
    Start,
)
from infoset.experiments.measurer import parts
from infoset.experiments.registry import Cell, Claim, Report, Step, experiment, report
from infoset.explore import BLACK, BLUE, GREEN, PURPLE, RED
from infoset.forms import abstract_form
from infoset.games import make, merge_of
from infoset.resolving import METHODS, Method
from infoset.strategy import SequenceStrategy, lift

Floats = NDArray[np.float64]

ABSTRACTION = "texture"
STARTS = ("cfr+", "dcfr", "pcfr+", "pdcfr+")
"""By which the abstract game is solved."""
CFR = "cfr"
ALGORITHMS = (CFR, "cfr+", "dcfr", SAMPLED)
POINTS = (25, 50, 100, 200, 400, 800, 1000, 2000, 4000, 6250, 12_500, 25_000)

PAPER_START = 0.382
"""Chips: what the paper's abstract strategy is exploitable for."""
SOON, LATE, LAST = 200, 2000, 6250
"""Iterations at which the paper gives numbers."""
AT_SOON, LATE_LOW, LATE_HIGH = 0.33, 0.23, 0.29
UNSAFE_LAST = 0.39
NEAR = 0.015
"""Chips: so near to a number of the paper is what it says."""
ENTRIES: Mapping[Method, str] = {
    SAFE: "safe (gadget)",
    UNSAFE: "unsafe",
    "max-margin": "max-margin (ours)",
    "reach": "reach (ours)",
}
COLOURS: Mapping[Method, str] = {SAFE: BLUE, UNSAFE: RED, "max-margin": GREEN, "reach": PURPLE}

Key = tuple[str, Method]
"""Algorithm and method."""


@dataclass(frozen=True, eq=False)
class Improved:
    """What re-solving by one algorithm and method does to the abstract strategies."""

    curve: Curve
    """Exploitability, a run for each abstract strategy."""
    edges: Floats
    """[runs, points] Chips won from the abstract strategy, in the mean over both seats."""

    def at(self, iterations: int) -> Floats:
        """[runs] Exploitability after so many iterations."""
        return np.asarray(self.curve.at([iterations]).runs[:, 0])

    @property
    def last_edge(self) -> float:
        """What is won at the end, in the mean."""
        return float(self.edges[:, -1].mean())


@experiment(
    "decomposition-fig5",
    paper=DECOMPOSITION,
    artifact="Figure 5",
    claim="an abstract strategy of Leduc is exploitable by 0.382; with its subgames re-solved "
    "safely by 0.33 after 200 iterations and 0.23 to 0.29 after 2,000, unsafely by 0.39; unsafe "
    "wins about 0.004 more from the original",
)
def decomposition_fig5(out: Path, *, quick: bool, progress: Step) -> Report:
    """Four algorithms re-solve the subgames of four abstract strategies in four ways."""
    points = [t for t in POINTS if t <= LAST or not quick]
    names = STARTS[:2] if quick else STARTS
    first, second = parts(progress, (1, 10))
    starts = _abstract_strategies(names, 2000 if quick else 10_000, first)
    before = [exploitability(start.strategy) for start in starts]
    measured = _measure(starts, ALGORITHMS[: 1 if quick else None], points, second)
    progress(1.0, "drawing")
    curves = {
        algorithm: {str(method): m.curve for (a, method), m in measured.items() if a == algorithm}
        for algorithm in dict.fromkeys(a for a, _ in measured)
    }
    write_curves(out / "decomposition-fig5-curves.json", curves)
    exact = {
        method: [exploitability(start.resolved(method, EXACT, 1)) for start in starts]
        for method in METHODS
    }
    return report(
        abstract_claims(before, measured),
        f"{GAME} with the abstraction {ABSTRACTION!r}, solved by {', '.join(names)}; values are "
        "means over these strategies and ranges over them. Claims are judged by full-width CFR; "
        "the paper samples public chance.",
        "The gadget has many solutions, which differ in exploitability. Solved exactly (lp): "
        + ", ".join(f"{method} {min(e):.3f} to {max(e):.3f}" for method, e in exact.items())
        + ".",
        rows=_rows(measured),
        numbers={
            "abstract_strategy_least": rounded(min(before)),
            "abstract_strategy_most": rounded(max(before)),
            **{
                f"edge_{method}_{algorithm}": rounded(found.last_edge)
                for (algorithm, method), found in measured.items()
            },
        },
        figures=_draw(measured, float(np.mean(before)), out),
        smaller=quick,
    )


def _abstract_strategies(names: Sequence[str], iterations: int, progress: Step) -> list[Start]:
    abstraction = abstract_form(compile(GAME), merge_of(ABSTRACTION, make(GAME)))
    starts = []
    for n, name in enumerate(names):
        progress(n / len(names), f"an abstract strategy by {name}")
        strategy = solve(abstraction.abstract, name, iterations=iterations).strategy
        assert isinstance(strategy, SequenceStrategy)
        starts.append(Start.of(lift(abstraction, strategy)))
    return starts


def _measure(
    starts: Sequence[Start], algorithms: Sequence[str], points: Sequence[int], progress: Step
) -> dict[Key, Improved]:
    keys: list[Key] = [(algorithm, method) for algorithm in algorithms for method in METHODS]
    measured = {}
    for (algorithm, method), step in zip(keys, parts(progress, [1] * len(keys)), strict=True):
        step(0.0, f"{algorithm}, {method}")
        runs, edges = np.zeros((2, len(starts), len(points)))
        for n, start in enumerate(starts):
            for point, iterations in enumerate(points):
                again = start.resolved(method, algorithm, iterations, seed=n)
                runs[n, point] = exploitability(again)
                edges[n, point] = edge(again, start.strategy)
        curve = Curve(np.array(points), runs, np.zeros_like(runs), RANGE)
        measured[algorithm, method] = Improved(curve, edges)
    return measured


def edge(ours: SequenceStrategy, theirs: SequenceStrategy) -> float:
    """Chips that a strategy wins from another, in the mean over both seats."""
    first = SequenceStrategy(ours.form, (ours.probabilities[0], theirs.probabilities[1]))
    second = SequenceStrategy(ours.form, (theirs.probabilities[0], ours.probabilities[1]))
    return (expected_value(first) - expected_value(second)) / 2


def abstract_claims(before: Sequence[float], measured: Mapping[Key, Improved]) -> list[Claim]:
    """The paper's numbers, beside those of full-width CFR."""
    safe, unsafe = measured[CFR, SAFE], measured[CFR, UNSAFE]
    soon, late, last = safe.at(SOON), safe.curve.since(LATE).runs, unsafe.at(LAST)
    more = unsafe.last_edge - safe.last_edge
    return [
        Claim(
            f"the abstract strategy is exploitable by {PAPER_START}",
            all(round(found, 3) == PAPER_START for found in before),
            f"{min(before):.4f} to {max(before):.4f}",
        ),
        Claim(
            f"safe: at most {AT_SOON} within {SOON} iterations",
            bool(soon.max() <= AT_SOON),
            _between(soon),
        ),
        Claim(
            f"safe: {LATE_LOW} to {LATE_HIGH} from {LATE:,} iterations on",
            round(late.min(), 2) >= LATE_LOW and round(late.max(), 2) <= LATE_HIGH,
            _between(late),
        ),
        Claim(
            f"unsafe: {UNSAFE_LAST} after {LAST:,} iterations",
            bool((abs(last - UNSAFE_LAST) <= NEAR).all()),
            _between(last),
        ),
        Claim(
            "both win from the original strategy, unsafe a little more than safe (about 0.004)",
            0 < safe.last_edge < unsafe.last_edge and more < 2 * 0.004,
            f"safe {safe.last_edge:.4f}, unsafe {unsafe.last_edge:.4f}: {more:.4f} more",
        ),
    ]


def _between(numbers: Floats) -> str:
    return f"{numbers.min():.3f} to {numbers.max():.3f}"


def _rows(measured: Mapping[Key, Improved]) -> list[dict[str, Cell]]:
    """Exploitability where the paper gives numbers, and the edge at the end."""
    return [
        {
            "re-solved by": algorithm,
            "method": method,
            f"at {SOON}": rounded(float(found.at(SOON).mean())),
            f"at {LATE:,}": rounded(float(found.at(LATE).mean())),
            f"at {LAST:,}": rounded(float(found.at(LAST).mean())),
            "at the end": rounded(found.curve.last),
            **found.curve.last_band,
            "edge at the end": rounded(found.last_edge),
        }
        for (algorithm, method), found in measured.items()
    ]


def _draw(measured: Mapping[Key, Improved], before: float, out: Path) -> Sequence[Path]:
    """As in the paper, a column for each algorithm: the edge above, exploitability below."""
    algorithms = list(dict.fromkeys(algorithm for algorithm, _ in measured))
    legend, size = {"ncols": 3}, (3.4 + 2.6 * (len(algorithms) - 1), 6.6)
    title = "" if len(algorithms) == 1 else "Bands: all abstract strategies"
    shape = 2, len(algorithms)
    with drawing(
        out, "decomposition-fig5", *shape, size=size, title=title, legend=legend
    ) as figure:
        above, below = figure.panels[: shape[1]], figure.panels[shape[1] :]
        for top, bottom, algorithm in zip(above, below, algorithms, strict=True):
            for method in METHODS:
                found, colour = measured[algorithm, method], COLOURS[method]
                t = found.curve.iterations
                for axes, runs in ((top, found.edges), (bottom, found.curve.runs)):
                    axes.plot(t, runs.mean(axis=0), color=colour, label=ENTRIES[method])
                    ends = runs.min(axis=0), runs.max(axis=0)
                    axes.fill_between(t, *ends, color=colour, alpha=0.15, linewidth=0)
                    axes.set_xscale("log")
            dots = {"color": BLACK, "linewidth": 0.9, "linestyle": (0, (1, 2))}
            top.axhline(0, **dots, label="the abstract strategy")
            bottom.axhline(before, **dots)
            top.set_ylim(-0.06, 0.06)
            bottom.set_ylim(0.2, 0.5)
            top.set_title(algorithm)
        above[0].set_ylabel("chips won from the original")
        below[0].set_ylabel("exploitability (chips)")
    return figure.files
