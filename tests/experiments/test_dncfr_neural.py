"""The neural experiments of double neural CFR, at their small scale."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

import infoset
from infoset.errors import BadInputError
from infoset.experiments import find_experiment
from infoset.experiments.curves import Curve
from infoset.experiments.dncfr_fig4a import LEDUC
from infoset.experiments.dncfr_fig4b import ATTENTION, NETWORKS, architecture_claims
from infoset.experiments.dncfr_fig4c import parameter_claims, size_claims
from infoset.experiments.dncfr_fig4d import BATCHES, INFOSETS, batch_claims, observed_claims
from infoset.experiments.dncfr_fig5a import AVERAGE, BOTH, REGRETS, TABLES, hybrid_claims
from infoset.experiments.dncfr_fig5b import COLD, STARTS, samples_of, start_claims
from infoset.experiments.dncfr_fig5c import CUT_SHORT, DNCFR, node_claims, nodes_to
from infoset.experiments.dncfr_fig5d import larger_claims
from infoset.experiments.dncfr_fig6 import Cost, costs, relative_costs, slope, trade_claims
from infoset.experiments.dncfr_parameters import parameters, table_claims
from infoset.experiments.dncfr_table1 import PAPER as PERCENT
from infoset.experiments.dncfr_table1 import STATES
from infoset.experiments.neural_figures import (
    OURS,
    PAPERS,
    Reading,
    farthest,
    neural_report,
    scale_of,
)
from infoset.experiments.neural_runs import (
    Measured,
    Sample,
    is_silent,
    measure,
    measured_of,
    solver_of,
    trace,
)
from infoset.experiments.registry import Claim
from infoset.solvers import find_algorithm

FASTEST = "dncfr-fig5c"
SLOWER = [f"dncfr-{figure}" for figure in ("fig4b", "fig4c", "fig4d", "fig5a", "fig5d", "fig6")]
START = "dncfr-fig5b"
NAMES = [FASTEST, *SLOWER, START]
OURS_READING = Reading(OURS, "dncfr", {}, 100, True)
PAPERS_READING = Reading(PAPERS, "dncfr-paper", {"steps": 3}, 100, False)


def quiet(share, text):
    """Progress that nobody looks at."""


def check_report(name, reports):
    report, steps, folder = reports[name]
    assert report.rows
    assert report.verdict != "reproduced"
    assert all(math.isfinite(number) for number in report.numbers.values())
    assert "olds: " in report.note or "not hold: " in report.note
    json.dumps(report.summary(), allow_nan=False)
    assert steps == sorted(steps)
    assert 0.0 <= steps[0] < 0.5
    assert steps[-1] == 1.0
    data = "points" if name == "dncfr-fig6" else "curves"
    drawn = {f"{name}.svg", f"{name}.png"}
    assert {path.name for path in report.figures} == drawn
    assert {path.name for path in folder.iterdir()} == drawn | {f"{name}-{data}.json"}
    for path in report.figures:
        assert 0 < path.stat().st_size < 300_000
    return json.loads((folder / f"{name}-{data}.json").read_text())


def check_curves(written):
    for runs in written.values():
        for curve in runs.values():
            assert len({len(points) for points in curve.values()}) == 1
            assert curve["nodes"] == sorted(curve["nodes"])
            assert curve["seconds"] == sorted(curve["seconds"])
            assert all(at > 0 for at in curve["exploitability"])


def test_quick_run_gives_a_whole_report(reports):
    check_curves(check_report(FASTEST, reports))


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOWER)
def test_slower_quick_run_gives_a_whole_report(name, reports):
    written = check_report(name, reports)
    if name == "dncfr-fig6":
        assert {row["b"] for row in written} == {25, 100}
        assert all(row["relative time"] > 1 for row in written)
    else:
        check_curves(written)


@pytest.mark.slow
def test_warm_start_goes_on_from_tables(reports):
    check_curves(check_report(START, reports))
    given = [row for row in reports[START][0].rows if row["start"] != COLD]
    assert [row["iterations"] for row in given] == [30] * 4


@pytest.mark.parametrize("name", NAMES)
def test_default_is_smaller_than_the_papers_scale(name):
    assert find_experiment(name).has_full


def test_what_has_one_scale_only_is_not_made_in_full():
    assert not find_experiment("dncfr-fig4a").has_full
    with pytest.raises(BadInputError, match="full"):
        find_experiment("dncfr-fig4a").at_full_scale()


# What is run


def test_scales_differ_in_what_is_cut_short():
    quick, default, full = (
        scale_of(quick=quick, full=full, ours=300, paper=150)
        for quick, full in ((True, False), (False, False), (False, True))
    )
    assert [reading.iterations for reading in default.readings] == [300, 150]
    assert [reading.iterations for reading in full.readings] == [1000, 1000]
    assert (quick.smaller, default.smaller, full.smaller) == (True, True, False)
    steps = [find_algorithm(scale.readings[1].asks()).neural.steps for scale in (default, full)]
    assert steps == [10, 2000]
    assert [reading.decides for reading in default.readings] == [True, False]
    assert [reading.decides for reading in full.readings] == [True, True]


@pytest.mark.parametrize("reading", [OURS_READING, PAPERS_READING])
def test_tables_of_a_reading_make_its_samples(reading):
    recipe, twin = (
        find_algorithm(text).neural for text in (reading.asks(b=50), reading.tabular(b=50))
    )
    assert (twin.regrets, twin.average, twin.num_networks) == ("table", "table", 0)
    assert recipe.num_networks == 2
    assert (twin.k, twin.b, twin.suits, twin.gamma) == (
        *(recipe.k, 50, recipe.suits, recipe.gamma),
    )


def test_every_architecture_can_be_asked_for():
    for reading in (OURS_READING, PAPERS_READING):
        recipes = [
            find_algorithm(reading.asks(embedding=16, **network)).neural
            for network in NETWORKS.values()
        ]
        assert len({(recipe.network, recipe.attention) for recipe in recipes}) == 5


def test_measured_runs_are_those_of_solve():
    text = "dncfr(steps=2,average_steps=2,b=10)"
    measured = measure("kuhn", text, [10, 20], 2, quiet)
    solution = infoset.solve("kuhn", text, iterations=20, seed=1)
    assert measured.curve.runs[1, -1] == pytest.approx(solution.exploitability, rel=1e-12)
    assert measured.curve.nodes[1, -1] == solution.nodes_touched
    assert set(measured.news) == {"loss of regrets", "loss of the average", "observed"}
    assert 0.0 < measured.mean("observed") <= 1.0


def test_what_was_told_is_averaged_over_all_iterations():
    told = iter([0.4, 0.2, 0.2, 0.0])

    def samples(losses):
        return [
            Sample(point, 1.0, 10, 1.0, {"observed": next(told), **loss})
            for point, loss in zip((10, 40), losses, strict=True)
        ]

    measured = measured_of([samples([{}, {"loss": 2.0}]), samples([{}, {"loss": 4.0}])])
    # Ten iterations of 0.4 and 0.2, thirty of 0.2 and 0.0.
    assert measured.mean("observed") == pytest.approx((0.3 * 10 + 0.1 * 30) / 40)
    assert measured.last("loss") == 3.0
    assert math.isnan(measured.mean("nothing"))
    assert measured.points()["loss"] == [None, 3.0]


def test_tables_are_traced_without_news():
    *_, last = trace("kuhn", "cfr", [10, 100], 0)
    assert last.news == {}
    assert last.exploitability == infoset.solve("kuhn", "cfr", iterations=100).exploitability
    assert last.kept_bytes > 0


def test_a_network_that_says_nothing_is_told():
    text = "dncfr(steps=2,average_steps=2,b=10,network=lstm,embedding=4,attention=true)"
    solver = solver_of("kuhn", text, 0, 10)
    solver.run(10)
    assert not is_silent(solver)
    *_, last = trace("kuhn", text, [10], 0)
    assert not last.is_silent
    for learner in (solver.regrets.learner, solver.average.learner):
        kept = [parameter.detach().clone() for parameter in learner.network.parameters()]
        with torch.no_grad():
            learner.network.output.weight.zero_()
        assert is_silent(solver)
        with torch.no_grad():
            for parameter, before in zip(learner.network.parameters(), kept, strict=True):
                parameter.copy_(before)
    assert not is_silent(solver)
    runs = [[Sample(10, 1.0, 10, 1.0, {}, is_silent=silent)] for silent in (True, False, True)]
    assert measured_of(runs).silent == 2


# Claims


def held(claims):
    return [claim.holds for claim in claims]


def line(*levels, points=(10, 50, 100), nodes=1000.0, observed=0.1):
    """Three runs that hardly differ, at these levels."""
    factor = np.array([[1.0], [1.001], [1.002]])
    levels = levels if len(levels) > 1 else levels * len(points)
    runs = factor * np.array([levels])
    curve = Curve(np.array(points), runs, np.full(runs.shape, nodes) * np.array(points))
    return Measured(curve, np.ones(runs.shape), {"observed": np.full(runs.shape, observed)})


def test_architectures_are_similar_or_not():
    runs = {label: line(0.5) for label in NETWORKS} | {ATTENTION: line(0.45)}
    assert held(architecture_claims(OURS_READING, runs)) == [True, True]
    assert held(architecture_claims(OURS_READING, {**runs, "GRU": line(0.9)})) == [False, True]
    assert held(architecture_claims(OURS_READING, {**runs, "GRU": line(0.4)})) == [True, False]
    early = {**runs, ATTENTION: line(0.1, 0.6, 0.6)}
    assert held(architecture_claims(OURS_READING, early)) == [True, False]


def test_farthest_names_the_best_and_the_worst():
    curves = {label: line(level).curve for label, level in (("a", 2.0), ("b", 1.0), ("c", 3.0))}
    apart, which = farthest(curves, 1)
    assert apart == pytest.approx(3.0)
    assert which == "b beside c"


def test_networks_are_as_large_as_printed_or_not():
    assert held(parameter_claims({8: 1048, 16: 2608}, 9360)) == [True, True, True]
    assert held(parameter_claims({8: 1048, 16: 2609}, 9360)) == [True, False, True]
    assert held(parameter_claims({8: 1048, 16: 2608}, 5000)) == [True, True, False]
    assert held(table_claims({5: 2608, 10: 7424, 15: 1})) == [True, True, False]
    rules, form = infoset.game(LEDUC), infoset.compile(LEDUC)
    assert [parameters(rules, form, size) for size in (8, 16)] == [1048, 2608]


def test_sizes_converge_or_not():
    runs = {"embedding 8": line(0.9, 0.5, 0.3), "embedding 16": line(0.9, 0.8, 0.7)}
    assert held(size_claims(OURS_READING, runs)) == [True, False]
    assert held(larger_claims(OURS_READING, runs)) == [True, False]


def test_mini_batches_come_low_and_beat_tables_or_not():
    runs = {f"b = {b}": line(0.3, 0.1, 0.05) for b in BATCHES}
    runs |= {f"b = {b}, tables": line(0.3, 0.2, 0.1) for b in BATCHES}
    assert held(batch_claims(OURS_READING, runs)) == [True] * 6
    runs["b = 50"] = line(0.3, 0.21, 0.2)
    assert held(batch_claims(OURS_READING, runs)) == [False, True, True, False, True, True]
    assert len(batch_claims(PAPERS_READING, runs)) == 9


def test_shares_observed_are_those_printed_or_not():
    shares = {b: PERCENT[5, b] / 100 * STATES[5] / INFOSETS for b in BATCHES}
    assert held(observed_claims(shares)) == [True] * 3
    assert held(observed_claims({**shares, 100: 0.8 * shares[100]})) == [True, False, True]


def test_one_network_is_slightly_better_or_not():
    runs = {BOTH: line(0.2), REGRETS: line(0.18), AVERAGE: line(0.15), TABLES: line(0.1)}
    assert held(hybrid_claims(OURS_READING, runs)) == [True] * 4
    assert held(hybrid_claims(OURS_READING, {**runs, REGRETS: line(0.3)}))[:2] == [False, True]
    assert held(hybrid_claims(OURS_READING, {**runs, AVERAGE: line(0.1)}))[2:] == [True, False]


def test_warm_starts_go_on_improving_or_not():
    given = dict.fromkeys(STARTS, 0.5)
    runs = {label: line(0.6, 0.3, 0.2) for label in STARTS}
    assert held(start_claims(runs, given)) == [True, True]
    runs["after cfr"] = line(0.9, 0.8, 0.6)
    assert held(start_claims(runs, given)) == [False, True]
    for ends in ((0.2, 0.3), (0.3, 0.295)):
        runs["after cfr"] = line(0.4, *ends)
        assert held(start_claims(runs, given)) == [False, True]


def test_warm_start_counts_what_came_before():
    first = infoset.solve("kuhn", "cfr", iterations=10)
    later = infoset.solve("kuhn", "cfr", iterations=20)
    sample = samples_of(later, first)[-1]
    assert sample.iteration == 30
    assert sample.nodes == first.nodes_touched + later.nodes_touched
    assert samples_of(later, None)[-1].iteration == 20


def by_nodes(levels, nodes):
    """A curve that is at these levels after these numbers of nodes, in two runs."""
    runs = np.array([levels, levels], dtype=float)
    return Curve(np.arange(1, len(nodes) + 1), runs, np.array([nodes, nodes], dtype=float))


def test_nodes_to_a_level_are_read_off_between_points():
    curve = by_nodes([1.0, 0.01], [1e4, 1e6])
    assert nodes_to(curve, 0.1) == pytest.approx(1e5)
    assert nodes_to(curve, 1.0) == pytest.approx(1e4)
    assert nodes_to(curve, 0.001) == math.inf


def test_numbers_of_nodes_are_those_printed_or_not():
    dncfr = by_nodes([1.0, 0.06], [1e4, 8e5])
    xfp, nfsp = by_nodes([1.0, 0.06], [1e5, 1.2e7]), by_nodes([1.0, 0.06], [1e5, 9e8])
    right = {DNCFR: dncfr, CUT_SHORT: dncfr, "XFP": xfp, "NFSP": nfsp}
    assert held(node_claims(right)) == [True] * 5
    slow = by_nodes([1.0, 0.06], [1e4, 2e7])
    assert held(node_claims({**right, DNCFR: slow})) == [False, True, False, True, True]
    assert held(node_claims({**right, "XFP": by_nodes([1.0, 0.06], [1e5, 1e8])}))[1] is False
    # What was not given enough nodes is only found not to get there.
    short = by_nodes([1.0, 0.5], [1e5, 1e6])
    assert held(node_claims({**right, "NFSP": short}))[3:] == [True, True]
    fast = by_nodes([1.0, 0.05], [1e4, 1e6])
    assert held(node_claims({**right, "NFSP": fast}))[3] is False
    shorter = by_nodes([1.0, 0.5], [1e4, 1e5])
    assert held(node_claims({**right, "NFSP": shorter}))[4] is False


def test_costs_are_those_of_the_first_time_at_a_level():
    def sample(iteration, level, seconds):
        return Sample(iteration, level, 0, seconds, {"observed": 1 / iteration}, 0.5, 8)

    samples = [sample(1, 1.5, 1.0), sample(2, 0.9, 2.0), sample(10, 0.4, 9.0), sample(20, 0.3, 20)]
    found = costs(iter(samples), (1.0, 0.5))
    # The average is not due at 2, so it had to be trained: half a second.
    assert found[1.0] == Cost(2.5, (1 + 0.5) / 2, 8.0)
    assert found[0.5].seconds == 9.0
    assert found[0.5].sampled == pytest.approx((1 + 0.5 + 8 * 0.1) / 10)
    assert costs(iter(samples), (0.01,)) == {}


def trade(steepness):
    """Costs of three mini-batches at two levels, whose slope is given."""
    return {
        (level, b): Cost(shift * time, shift * time**steepness, 1.0)
        for level, shift in ((1.0, 1.0), (0.5, 7.0))
        for b, time in ((400, 2.0), (100, 3.0), (25, 5.0))
    }


def test_trade_is_as_good_as_printed_or_not():
    assert slope(trade(-3)) == pytest.approx(-3)
    assert slope(trade(-3), apart=False) != pytest.approx(-3)
    assert held(trade_claims(trade(-5))) == [True, True, True]
    assert held(trade_claims(trade(-3))) == [True, True, False]
    assert held(trade_claims(trade(-0.5))) == [True, False, False]
    assert held(trade_claims(trade(0.5))) == [False, False, False]
    assert held(trade_claims({})) == [False, False, False]


def test_only_what_every_seed_reached_is_compared():
    tables = {1.0: Cost(0.5, 1.0, 4.0), 0.5: Cost(1.0, 1.0, 4.0)}
    cost = Cost(2.0, 0.1, 8.0)
    runs = {25: [{1.0: cost}, {1.0: cost, 0.5: cost}]}
    relative = relative_costs(runs, tables)
    assert [*relative] == [(1.0, 25)]
    assert relative[1.0, 25] == pytest.approx((4.0, 0.1, 2.0))


def test_training_that_is_cut_short_does_not_decide(tmp_path):
    scale = scale_of(quick=True, full=False, ours=1, paper=1)
    results = {reading.name: {"line": line(0.5)} for reading in scale.readings}

    def verdict(fails):
        def claims(reading, runs):
            return [Claim("it is so", reading.name != fails, "a half")]

        return neural_report("name", tmp_path, scale, results, claims, head="line")

    assert verdict(PAPERS).verdict == "reproduced at a smaller scale"
    assert "does not hold: it is so" in verdict(PAPERS).note
    assert verdict(OURS).verdict == "not reproduced"
