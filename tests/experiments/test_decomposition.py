"""The experiments of the decomposition paper, at their small scale."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import infoset
from infoset.evaluation import expected_value, exploitability
from infoset.experiments.curves import RANGE, Curve
from infoset.experiments.decomposition_fig3 import (
    EXACT,
    FULL_WIDTH,
    GAME,
    SAFE,
    SAMPLED,
    UNSAFE,
    Start,
    resolving_claims,
    slope,
)
from infoset.experiments.decomposition_fig4 import (
    FEWER,
    MOST,
    SUBGAMES,
    TRUNKS,
    Column,
    columns_of,
    grid_claims,
    measure,
)
from infoset.experiments.decomposition_fig5 import Improved, abstract_claims, edge
from infoset.strategy import SequenceStrategy

NAMES = [f"decomposition-{name}" for name in ("fig3", "fig4", "fig5")]


def quiet(share, text):
    """Progress that nobody looks at."""


def held(claims):
    return [claim.holds for claim in claims]


@pytest.mark.parametrize("name", NAMES)
def test_quick_run_gives_a_whole_report(name, reports):
    report, steps, folder = reports[name]
    assert report.rows
    assert all(math.isfinite(number) for number in report.numbers.values())
    assert "olds: " in report.note or "not hold: " in report.note
    json.dumps(report.summary(), allow_nan=False)
    assert steps == sorted(steps)
    assert 0.0 <= steps[0] < 0.5
    assert steps[-1] == 1.0
    assert report.figures
    for path in report.figures:
        assert path.parent == folder
        assert 0 < path.stat().st_size < 300_000


@pytest.mark.parametrize("name", NAMES)
def test_points_behind_a_figure_are_written(name, reports):
    _, _, folder = reports[name]
    groups = json.loads((folder / f"{name}-curves.json").read_text())
    for curves in groups.values():
        for curve in curves.values():
            assert len({len(points) for points in curve.values()}) == 1
            for low, mean, high in zip(
                curve["least"], curve["exploitability"], curve["most"], strict=True
            ):
                assert 0 < low <= mean <= high


def test_quick_figure_5_is_what_the_paper_says(reports):
    assert reports["decomposition-fig5"][0].verdict == "reproduced at a smaller scale"


# Figure 3.


def falling(power, end=0.1, points=(100, 400, 1600)):
    """A curve of two runs that falls as a power of the iterations."""
    t = np.array(points)
    runs = end * (t / t[-1]) ** power * np.array([[1.0], [1.01]])
    return Curve(t, runs, np.zeros_like(runs), RANGE)


def lines(safe=-0.5, safe_end=0.001, unsafe_end=0.08, **unsafe_ends):
    """By algorithm and method, all alike but for some unsafe ends."""
    curves = {}
    for algorithm in (*FULL_WIDTH, SAMPLED):
        curves[algorithm, SAFE] = falling(safe, safe_end)
        curves[algorithm, UNSAFE] = falling(0.0, unsafe_ends.get(algorithm, unsafe_end))
    return curves


def test_claims_of_figure_3_hold_or_fail_by_the_numbers():
    assert held(resolving_claims(lines())) == [True] * 3
    assert held(resolving_claims(lines(safe=-0.4))) == [False, True, True]
    assert held(resolving_claims(lines(safe_end=0.05))) == [True, False, True]
    assert held(resolving_claims(lines(unsafe_end=0.2))) == [True, True, False]
    # One algorithm that ends elsewhere is enough.
    assert held(resolving_claims(lines(dcfr=0.05))) == [True, True, False]


def test_slope_is_the_power():
    assert slope(falling(-0.75)) == pytest.approx(-0.75)


def test_exact_resolving_is_safe_and_keeps_the_trunk():
    start = Start.of(infoset.solve(GAME, EXACT).strategy)
    safe, unsafe = (start.resolved(method, EXACT, 1) for method in (SAFE, UNSAFE))
    assert exploitability(safe) < 1e-9
    assert exploitability(unsafe) > 0.01
    assert safe["Js:"] == unsafe["Js:"] == start.strategy["Js:"]


# Figure 4.


def grid(lines):
    """By trunk and subgame iterations, from a list for each number of trunk iterations."""
    subgames = (100, 200, 400)
    return {
        (trunk, subgame): found
        for trunk, line in lines.items()
        for subgame, found in zip(subgames, line, strict=False)
    }


def test_claims_of_figure_4_hold_or_fail_by_the_numbers():
    good = {500: [0.05, 0.03, 0.029], 2000: [0.04, 0.02, 0.019]}
    assert held(grid_claims(grid(good))) == [True] * 3
    rising = {**good, 500: [0.028, 0.03, 0.029]}
    assert held(grid_claims(grid({**rising, 2000: [0.027, 0.02, 0.019]}))) == [False, True, True]
    steep = {**good, 2000: [0.04, 0.02, 0.01]}
    assert held(grid_claims(grid(steep))) == [True, False, True]
    crossed = {**good, 2000: [0.06, 0.02, 0.019]}
    assert held(grid_claims(grid(crossed))) == [True, True, False]
    # Two points are no line, but are compared with the other lines.
    assert held(grid_claims(grid({**good, 8000: [0.03, 0.01]}))) == [True] * 3


def test_grids_of_figure_4():
    whole = columns_of("cfr", dict.fromkeys(TRUNKS, SUBGAMES[-1]), SUBGAMES)
    assert sum(len(column.trunks) for column in whole) == len(TRUNKS) * len(SUBGAMES) == 32
    part = columns_of("cfr", MOST, FEWER + SUBGAMES)
    assert {(t, c.subgame) for c in part for t in c.trunks} == {
        (t, k) for t, most in MOST.items() for k in FEWER + SUBGAMES if k <= most
    }


def test_shorter_runs_are_the_beginnings_of_longer_ones():
    resolving = "cfr", 500
    together = measure([Column("cfr", 10, [5, 20])], resolving, quiet).grids["cfr"]
    alone = measure([Column("cfr", 10, [5])], resolving, quiet).grids["cfr"]
    assert together[5, 10] == alone[5, 10]
    assert together[20, 10] < together[5, 10]


# Figure 5.


def improved(level, won, points=(200, 2000, 6250)):
    runs = np.full((2, len(points)), level)
    curve = Curve(np.array(points), runs, np.zeros_like(runs), RANGE)
    return Improved(curve, np.full(runs.shape, won))


def test_claims_of_figure_5_hold_or_fail_by_the_numbers():
    def claims(before=0.3823, safe=0.25, unsafe=0.39, won=0.027, unsafe_won=0.031):
        found = {("cfr", SAFE): improved(safe, won), ("cfr", UNSAFE): improved(unsafe, unsafe_won)}
        return held(abstract_claims([before], found))

    assert claims() == [True] * 5
    assert claims(before=0.39) == [False, True, True, True, True]
    assert claims(safe=0.34) == [True, False, False, True, True]
    assert claims(safe=0.31) == [True, True, False, True, True]
    assert claims(safe=0.2) == [True, True, False, True, True]
    assert claims(unsafe=0.3) == [True, True, True, False, True]
    assert claims(unsafe_won=0.02) == [True, True, True, True, False]
    assert claims(won=-0.01) == [True, True, True, True, False]


def test_edge_is_won_from_the_other_in_both_seats():
    form = infoset.compile("kuhn")
    strong = infoset.solve(form, EXACT).strategy
    weak = SequenceStrategy.uniform(form)
    assert edge(strong, strong) == pytest.approx(0.0, abs=1e-12)
    assert edge(strong, weak) == pytest.approx(-edge(weak, strong))
    assert edge(strong, weak) > 0
    first = SequenceStrategy(form, (strong.probabilities[0], weak.probabilities[1]))
    second = SequenceStrategy(form, (weak.probabilities[0], strong.probabilities[1]))
    assert edge(strong, weak) == pytest.approx((expected_value(first) - expected_value(second)) / 2)
