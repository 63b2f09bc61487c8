"""The sampling experiments of double neural CFR, at their small scale."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import infoset
from infoset.experiments.curves import Curve, spaced
from infoset.experiments.dncfr_fig4a import (
    LEDUC,
    OUTCOMES,
    PRINTED,
    VARIANTS,
    claims_of,
    sampled,
)
from infoset.experiments.dncfr_fig8 import (
    AVERAGE,
    BATCHES,
    KEPT,
    PAPER,
    ROBUST,
    batch_claims,
    ends_off_by,
    versus_claims,
)
from infoset.experiments.dncfr_table1 import PAPER as SHARES
from infoset.experiments.dncfr_table1 import Observed, observe, share_claims
from infoset.experiments.measurer import with_seeds
from infoset.solvers.algorithms import find_algorithm, find_recipe

NAMES = ["dncfr-fig4a", "dncfr-fig8a", "dncfr-fig8b", "dncfr-table1"]


def quiet(share, text):
    """Progress that nobody looks at."""


def flat(level, points=(10, 100), nodes=1000.0):
    """A curve that stays near a level, in three runs that hardly differ."""
    runs = level * np.array([[1.0], [1.001], [1.002]]) * np.ones(len(points))
    return Curve(np.array(points), runs, np.full(runs.shape, nodes) * np.array(points))


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
    for path in report.figures:
        assert path.parent == folder
        assert 0 < path.stat().st_size < 300_000


@pytest.mark.parametrize("name", NAMES[:3])
def test_points_behind_a_figure_are_written(name, reports):
    _, _, folder = reports[name]
    curves = json.loads((folder / f"{name}-curves.json").read_text())
    for of_game in curves.values():
        for curve in of_game.values():
            assert len({len(points) for points in curve.values()}) == 1
            assert curve["nodes"] == sorted(curve["nodes"])
            for low, mean, high in zip(
                curve["low"], curve["exploitability"], curve["high"], strict=True
            ):
                assert 0 < low <= mean <= high


def test_following_all_actions_is_external_sampling(reports):
    first, *others = (row for row in reports["dncfr-fig4a"][0].rows if "external" in row)
    # At most five actions here, to the last bit; six in the second game.
    assert first["k = 5"] == first["k = max"] == first["external"]
    second = next(row for row in others if "ante" in str(row["game or variant"]))
    assert second["k = 5"] != second["k = max"] == second["external"]


def test_tables_have_the_papers_numbers(reports):
    printed = reports["dncfr-fig8b"][0].rows[0]
    assert printed["regrets"] == "the paper"
    assert {key: printed[f"{key[0]}, k = {key[1]}"] for key in PAPER} == PAPER
    rows = reports["dncfr-table1"][0].rows
    shares = {(int(row["game"][6:-1]), row["b"]): row["% in the paper"] for row in rows}
    assert shares == {key: share for key, share in SHARES.items() if key[0] < 15}


def test_measured_curve_is_that_of_solve_and_other_seeds_differ():
    text = sampled("rs-mccfr", k=1, b=10, **PRINTED)
    curve = with_seeds("leduc", 3).curve(text, [5, 20], quiet)
    assert curve.runs.shape == curve.nodes.shape == (3, 2)
    solution = infoset.solve("leduc", text, iterations=20, seed=2)
    assert curve.runs[2, -1] == pytest.approx(solution.exploitability, rel=1e-12)
    assert curve.nodes[2, -1] == solution.nodes_touched
    assert len(set(curve.runs[:, -1])) == 3


def test_curve_at_so_many_nodes_lies_between_its_points():
    runs = np.array([[4.0, 1.0], [9.0, 1.0]])
    curve = Curve(np.array([1, 100]), runs, np.array([[10.0, 1000.0], [10.0, 1000.0]]))
    found = curve.at_nodes(100)
    # Halfway on logarithmic axes: the geometric mean.
    assert found.runs[:, 0] == pytest.approx([2.0, 3.0])
    assert curve.between(2, 100).iterations.tolist() == [100]
    assert curve.at([1]).runs[:, 0].tolist() == [4.0, 9.0]
    assert len(curve.points(by_nodes=True)["nodes"]) == 2


def sampling_curves(outcome=0.5, one=0.4, three=0.22, five=0.21, most=0.2):
    levels = {"outcome": outcome, "k = 1": one, "k = 3": three, "k = 5": five, "k = max": most}
    return {name: flat(level) for name, level in levels.items()}


def held(claims):
    return [claim.holds for claim in claims]


def test_claims_of_figure_4a_hold_or_fail_by_the_numbers():
    assert held(claims_of(sampling_curves(), 10)) == [True] * 4
    assert held(claims_of(sampling_curves(outcome=0.09), 10)) == [False, False, True, True]
    assert held(claims_of(sampling_curves(one=0.6), 10)) == [True, False, True, True]
    assert held(claims_of(sampling_curves(five=0.25), 10)) == [True, True, False, True]
    assert held(claims_of(sampling_curves(most=0.1), 10)) == [True, True, True, False]


def test_claim_of_figure_8a_holds_or_fails_by_the_numbers():
    levels = dict(zip(BATCHES, (0.9, 0.5, 0.3, 0.2, 0.1), strict=True))
    curves = {f"b = {b}": flat(level, spaced(50)) for b, level in levels.items()}
    assert held(batch_claims(curves, 50)) == [True]
    curves["b = 500"] = flat(0.2, spaced(50))
    assert held(batch_claims(curves, 50)) == [False]


def test_claims_of_figure_8b_hold_or_fail_by_the_numbers():
    ends = {key: flat(paper / 1.001) for key, paper in PAPER.items()}
    assert held(versus_claims(ends, ends)) == [True, True, True]
    assert ends_off_by(ends) == pytest.approx(1.0, abs=1e-3)
    turned = {**ends, (ROBUST, 2): flat(2 * PAPER[AVERAGE, 2])}
    assert held(versus_claims(turned, turned)) == [True, False, False]
    assert held(versus_claims(ends, turned)) == [True, True, False]
    doubled = {key: flat(2 * paper) for key, paper in PAPER.items()}
    assert ends_off_by(doubled) == pytest.approx(2.0, rel=2e-3)


def test_claims_of_table_1_hold_or_fail_by_the_numbers():
    def seen(percent):
        return Observed((percent * 100.0,), 1.0, decisions=3000, states=10_000)

    right = {key: seen(share) for key, share in SHARES.items()}
    assert held(share_claims(right)) == [True] * 5
    wrong = {**right, (10, 500): seen(0.8 * SHARES[10, 500])}
    assert held(share_claims(wrong)) == [True, True, True, False, True]


def test_many_blocks_observe_every_infoset_of_kuhn_at_first():
    observed = observe(
        infoset.compile("kuhn"), "es-mccfr(b=500,alternating=false)", 20, 2, states=12
    )
    assert observed.first == 12
    assert observed.decisions == 12
    assert 0 < observed.mean <= 12
    assert observed.percent == pytest.approx(100 * observed.mean / 12)


def test_every_variant_is_what_it_says():
    recipe = find_recipe(sampled("rs-mccfr", **PRINTED))
    assert (recipe.averaging, recipe.alternating, recipe.batch) == ("biased", False, 100)
    for variants in ([PRINTED, *VARIANTS.values()], KEPT.values()):
        names = {find_algorithm(sampled("rs-mccfr", **given)).name for given in variants}
        assert len(names) == len(variants)
    for parameters in OUTCOMES.values():
        find_recipe(sampled("os-mccfr", **{**PRINTED, **parameters}))


def test_game_has_the_size_in_the_table():
    tree = infoset.compile(LEDUC)
    assert sum(treeplex.num_infosets for treeplex in tree.treeplexes) == 3648
