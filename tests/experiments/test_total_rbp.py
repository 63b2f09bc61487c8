"""The experiments of the Total RBP paper, at a scale far below their quick one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from infoset.experiments import find_experiment, total_rbp_fig1, total_rbp_fig2
from infoset.experiments.curves import RANGE, Curve
from infoset.experiments.total_rbp import (
    CFR,
    LARGE,
    PANELS,
    PLUS,
    SMALL,
    Panel,
    Run,
    Scale,
    ratios,
    saving,
    spent_until,
)
from infoset.experiments.total_rbp_fig1 import LABELS, run_fig1, space_claims
from infoset.experiments.total_rbp_fig2 import (
    INTERVAL,
    NONE,
    PARTIAL,
    TOTAL,
    run_fig2,
    speed_claims,
)

NAMES = "total-rbp-fig1", "total-rbp-fig2"
TINY = Scale.of(60, 30, 30, repetitions=2, points=8)._replace(large=SMALL)
"""Leduc in the place of Leduc-5, too, which takes seconds to set up."""
LINES = {NAMES[0]: [*LABELS.values()], NAMES[1]: [NONE, PARTIAL, INTERVAL, TOTAL]}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """By name: the report of a tiny run, the progress, the folder and the points written there."""
    found = {}
    for name, run in zip(NAMES, (run_fig1, run_fig2), strict=True):
        steps: list[float] = []
        folder = tmp_path_factory.mktemp(name)
        report = run(folder, TINY, lambda share, text, s=steps: s.append(share), smaller=True)
        points = json.loads((folder / f"{name}-curves.json").read_text())
        found[name] = report, steps, folder, points
    return found


@pytest.mark.parametrize("name", NAMES)
def test_run_gives_a_whole_report(name, tiny):
    report, steps, folder, _ = tiny[name]
    assert len(report.rows) == len(PANELS) * len(LINES[name])
    assert all(math.isfinite(number) for number in report.numbers.values())
    assert "olds: " in report.note or "not hold: " in report.note
    json.dumps(report.summary(), allow_nan=False)
    assert steps == sorted(steps)
    assert 0.0 <= steps[0] < 0.5
    assert steps[-1] == 1.0
    assert len(report.figures) == 2
    for path in report.figures:
        assert path.parent == folder
        assert 0 < path.stat().st_size < 400_000


@pytest.mark.parametrize("name", NAMES)
def test_points_behind_a_figure_are_written(name, tiny):
    points = tiny[name][3]
    assert [*points] == [panel.title for panel in PANELS]
    for lines in points.values():
        assert [*lines] == LINES[name]
        for line in lines.values():
            assert len({len(numbers) for numbers in line.values()}) == 1
            for column in ("iterations", "nodes", "seconds"):
                assert line[column] == sorted(line[column])
            assert all(
                0 < share <= 1 for share in line["regrets"] + line["averages"] + line["live"]
            )
            for low, mean, high in zip(
                line["least"], line["exploitability"], line["most"], strict=True
            ):
                assert 0 < low <= mean <= high


def test_partial_pruning_changes_the_nodes_alone(tiny):
    for lines in tiny["total-rbp-fig2"][3].values():
        assert lines[PARTIAL]["exploitability"] == lines[NONE]["exploitability"]
        assert lines[PARTIAL]["nodes"][-1] < lines[NONE]["nodes"][-1]
        assert {*lines[NONE]["regrets"], *lines[PARTIAL]["averages"]} == {1.0}


def test_only_pruned_cfr_plus_shows_the_lowest_so_far(tiny):
    for title, lines in tiny["total-rbp-fig2"][3].items():
        for label, line in lines.items():
            if title.endswith("CFR+") and label in (INTERVAL, TOTAL):
                assert line["exploitability"] == sorted(line["exploitability"], reverse=True)
            else:
                assert line["exploitability"] == line["measured"]


def test_quick_runs_are_known():
    for name, module in zip(NAMES, (total_rbp_fig1, total_rbp_fig2), strict=True):
        assert find_experiment(name).run.__module__ == module.__name__


# Comparing.

NODES = np.geomspace(1e3, 1e7, 41)


def falling(power=-1.0, factor=1.0, nodes=NODES, *, regrets=0.5, averages=1.0):
    """A run that falls as a power of its nodes; what it holds falls to where it ends."""
    exploitability = factor * (nodes / nodes[0]) ** power
    shares = [np.linspace(1.0, end, len(nodes))[None] for end in (regrets, averages)]
    measured = exploitability[None]
    curve = Curve(np.arange(10, 10 + len(nodes)), measured, nodes[None], RANGE)
    return Run(curve, measured, nodes[None] / 1e6, *shares, shares[0], np.ones_like(measured))


def test_spending_is_counted_to_where_a_level_is_first_reached():
    exploitability = np.array([1.0, 0.1, 0.5, 0.01])
    spent = np.array([1.0, 10.0, 20.0, 200.0])
    assert spent_until(spent, exploitability, 2.0) == 1.0
    assert spent_until(spent, exploitability, 0.1) == 10.0
    # From the second point, the lowest so far, at the third; the last is the next lower one.
    assert spent_until(spent, exploitability, math.sqrt(0.1 * 0.01)) == pytest.approx(
        math.sqrt(20.0 * 200.0)
    )
    with pytest.raises(ValueError, match="no point"):
        spent_until(spent, exploitability, 0.001)


def test_a_run_twice_as_low_saves_half():
    found = saving(falling(), falling(factor=2.0))
    assert found.times == pytest.approx(2.0)
    assert found.least == pytest.approx(found.most)
    assert found.at_end == pytest.approx(2.0)
    assert found.lowest == pytest.approx(2e-4)
    assert saving(falling(), falling(factor=2.0), by_seconds=True).times == pytest.approx(2.0)
    assert saving(falling(factor=2.0), falling()).times == pytest.approx(0.5)
    assert ratios(falling(power=-2.0), falling(), [0.01]) == pytest.approx([10.0])
    assert str(found) == "2 times (2 to 2; 2 at 0.0002 chips)"


# The claims.


def held(claims):
    return [claim.holds for claim in claims]


def space(
    small=0.5, plus=0.1, cfr=0.14, small_high=None, factors=(1.0, 1.0, 1.02), averages=(1, 0.9, 0.7)
):
    """Figure 1 from shares of regrets held at the end, and what thresholds cost and save."""
    ends = {
        Panel(SMALL, CFR): small,
        Panel(SMALL, PLUS): small,
        Panel(LARGE, CFR): cfr,
        Panel(LARGE, PLUS): plus,
    }
    figure = {
        panel: {
            label: falling(factor=factor, regrets=end, averages=average)
            for label, factor, average in zip(LABELS.values(), factors, averages, strict=True)
        }
        for panel, end in ends.items()
    }
    if small_high is not None:
        figure[Panel(SMALL, PLUS)]["C = 0.1"] = falling(regrets=small_high, averages=0.7)
    return held(space_claims(figure))


def test_claims_of_figure_1_hold_or_fail_by_the_numbers():
    assert space() == [True] * 5
    # One line on Leduc that holds more is enough.
    assert space(small_high=0.6) == [False, True, True, True, True]
    assert space(plus=0.13) == [True, False, True, True, True]
    assert space(cfr=0.19) == [True, True, False, True, True]
    assert space(cfr=0.99) == [True, True, False, False, True]
    # The higher threshold must cost something, and save something.
    assert space(factors=(1.0, 1.02, 1.0)) == [True, True, True, True, False]
    assert space(averages=(1, 0.7, 0.9)) == [True, True, True, True, False]


def speed(small=1.0, small_plus=1.5, large=2.0, partial=4.0, crossing=(1.5, 0.8), power=-1.0):
    """Figure 2 from how many times the nodes of total others need.

    On Leduc-5 with CFR+, interval needs ``crossing`` times as many first and last.
    """
    total = falling(power)
    by_panel = {
        Panel(SMALL, CFR): small,
        Panel(SMALL, PLUS): 1 / small_plus,
        Panel(LARGE, CFR): large,
        Panel(LARGE, PLUS): 1.0,
    }
    figure = {
        panel: {
            NONE: falling(power, nodes=10 * NODES),
            PARTIAL: falling(power, nodes=partial * NODES),
            INTERVAL: falling(power, nodes=times * NODES),
            TOTAL: total,
        }
        for panel, times in by_panel.items()
    }
    first, last = crossing
    nodes = NODES * np.geomspace(first, last, len(NODES))
    exploitability = (NODES / NODES[0]) ** power
    slower = falling(power, nodes=nodes)
    slower.curve.runs[:] = exploitability
    figure[Panel(LARGE, PLUS)][INTERVAL] = slower
    return speed_claims({panel: figure[panel] for panel in PANELS})


def test_claims_of_figure_2_hold_or_fail_by_the_numbers():
    assert held(speed()) == [True] * 6
    assert held(speed(small=1.4)) == [False, True, True, True, True, True]
    assert held(speed(small=0.7)) == [False, True, True, True, True, True]
    assert held(speed(small_plus=1.1)) == [True, False, True, True, True, True]
    assert held(speed(large=1.5)) == [True, True, False, True, True, True]
    # Never better, and never overtaken.
    assert held(speed(crossing=(1.0, 0.8))) == [True, True, True, False, True, True]
    assert held(speed(crossing=(1.5, 1.1))) == [True, True, True, False, True, True]
    assert held(speed(partial=3.0)) == [True, True, True, True, False, False]


def test_a_level_that_is_not_reached_is_said():
    assert "as low as both come" in speed(power=-0.5)[-1].measured
    assert "as low as both come" not in speed()[-1].measured
    assert "from 1" not in speed(crossing=(1.5, 1.1))[3].measured
    assert "nowhere" in speed(crossing=(1.5, 1.1))[3].measured
