"""Runs on spots: what solutions tell, and weights that are small."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.evaluation.public import PublicEvaluation
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_algorithm, find_recipe
from infoset.solvers.recipe import Recipe
from infoset.strategy import PublicStrategy
from spots_for_tests import RIVER, TURN, evaluated, spot_solver


def test_what_a_solution_tells():
    spot = replace(RIVER, rake=0.0, big_blind=2, name="a river")
    solution = infoset.solve(spot, "dcfr", iterations=200, threads=2)
    assert isinstance(solution, infoset.Solution)
    assert (solution.iterations, solution.stopped_by) == (200, "iterations")
    assert (solution.algorithm, solution.threads) == ("dcfr", 2)
    best = evaluated(solution).best_response_values()
    assert solution.exploitability == pytest.approx(sum(best) / 2, abs=1e-9)
    assert solution.exploitability_share == solution.exploitability / 100
    assert solution.exploitability_mbb == solution.exploitability * 500
    assert sum(solution.values) == pytest.approx(spot.pot, abs=1e-3)
    # A best response of each is worth at least the value.
    for value, at_most in zip(solution.values, best, strict=True):
        assert value <= at_most + 50 + 1e-3
    assert [point.iteration for point in solution.curve][-1] == 200
    assert solution.curve[-1].exploitability == solution.exploitability
    assert f"'a river' by 'dcfr': value {solution.values[0]:.6g}, exploitability" in repr(solution)
    assert "after 200 iterations" in repr(solution)


def test_a_summary_is_ready_for_json():
    solution = infoset.solve(RIVER, iterations=5)
    told = json.loads(json.dumps(solution.summary(), allow_nan=False))
    assert infoset.games.holdem.parse_spot(told["spot"]) == RIVER
    assert (told["game"], told["form"], told["bits"]) == ("river Ks9h7d4c2s", "public", 32)
    assert (told["algorithm"], told["iterations"]) == ("dcfr(gamma=3.0)", 5)
    assert told["exploitability"] == solution.exploitability
    assert told["exploitability_share_of_pot"] == told["exploitability"] / 100
    assert told["exploitability_mbb"] == told["exploitability"] * 10
    assert told["values"] == list(solution.values)
    assert told["infosets"] == len(solution.strategy)
    assert told["boards"] == [1]
    assert told["hands"] == list(RIVER.num_hands)
    assert told["curve"][-1]["iteration"] == 5


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_the_average_is_what_views_show(spot):
    """Two roads to the tables: by node and board, and whole streets with hands in order."""
    solution = infoset.solve(spot, iterations=30)
    view = infoset.view(solution)
    chances = solution.strategy.probabilities(0, 0)
    hands = solution.strategy.form.hand_numbers[0]
    assert view.hands[0].tolist() == hands.tolist()
    np.testing.assert_allclose(chances[0, : len(view.actions)], view.strategy, atol=1e-6)
    after = infoset.view(solution, "check")
    chances = solution.strategy.probabilities(0, 1)
    np.testing.assert_allclose(chances[0, : len(after.actions)], after.strategy, atol=1e-6)


def test_without_iterations_all_actions_are_alike():
    solver = spot_solver(TURN, Recipe())
    chances = solver.strategy().probabilities(0, 0)
    assert chances.shape == (1, solver.form.tree.count_actions(TURN.street, 0), 6 + 3 + 1 - 4)
    view_of_root = chances[0, :3].sum(axis=0)
    np.testing.assert_allclose(view_of_root, 1.0, atol=1e-6)
    np.testing.assert_allclose(chances[0, :3], 1 / 3, atol=1e-6)


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "hedge"])
def test_what_is_shown_before_there_is_an_average_is_what_was_measured(algorithm):
    """As in games that are trees, where both are the current strategy."""
    recipe = find_algorithm(f"{algorithm}(skip=1000)").recipe
    solver = spot_solver(RIVER, recipe)
    solver.run(5)
    strategy = solver.strategy()
    tables = {(0, player): strategy.probabilities(0, player) for player in (0, 1)}
    shown = PublicEvaluation.of(PublicStrategy.from_probabilities(solver.form, tables))
    assert shown.exploitability() == pytest.approx(solver.exploitability(), abs=1e-3)


@pytest.mark.parametrize("weight", ["1", "1e-5", "1e-20"])
def test_weights_count_only_relative_to_each_other(weight):
    """A polarised river: half of the range is beaten, and half of that bluffs."""
    range_oop = f"AsAh:{weight},7c5c:{weight}" if weight != "1" else "AsAh,7c5c"
    range_ip = f"KsKh:{weight}" if weight != "1" else "KsKh"
    spot = Spot("2c3d4h9sTs", range_oop, range_ip, 100, 100, {"bet": "a", "raise": ""})
    solution = infoset.solve(spot, iterations=1000)
    assert solution.values[0] == pytest.approx(75, abs=0.1)
    assert solution.exploitability < 0.05


def test_ranges_that_hardly_meet_are_refused():
    with pytest.raises(BadInputError, match="the ranges hardly meet"):
        Spot("2c3d4h9sTs", "AsAh,KcKd:1e-9", "AsAh,QcQd:1e-9,AsKd", 100, 100)


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "cfr(alternating=false)"])
def test_a_run_walk_by_walk_is_a_run(algorithm):
    whole, pieces = (spot_solver(TURN, find_algorithm(algorithm).recipe) for _ in range(2))
    walks = []
    whole.run(5)
    pieces.run_by_walk(5, lambda t, player: walks.append((t, player)))
    assert walks == [(t, player) for t in range(5) for player in (0, 1)]
    assert pieces.iteration == 5
    for name, array in whole.state().items():
        assert array.tobytes() == pieces.state()[name].tobytes(), name


@pytest.mark.parametrize("bits", [16, 32])
def test_what_is_evaluated_is_the_present(bits):
    """An evaluation is kept from one measurement to the next; the averages go on, and may move."""

    def fresh(iterations):
        solver = spot_solver(TURN, find_recipe("dcfr(skip=3)"), 50, bits=bits)
        solver.run(iterations)
        return solver, solver.exploitability(), solver.evaluate().values

    solver, *before = fresh(2)  # nothing has been averaged: what is played next is measured
    assert [solver.exploitability(), solver.evaluate().values] == before
    solver.run(6)
    at_8 = fresh(8)[1:]
    assert (solver.exploitability(), solver.evaluate().values) == at_8
    strategy = solver.strategy()  # takes the tables with it when the solver goes on
    solver.run(7)
    at_15 = fresh(15)[1:]
    assert (solver.exploitability(), solver.evaluate().values) == at_15
    assert PublicEvaluation.of(strategy).exploitability() == at_8[0]
    other = fresh(8)[0]
    saved = {name: array.copy() for name, array in other.state().items()}
    solver.restore(saved, 8)
    assert (solver.exploitability(), solver.evaluate().values) == at_8
    assert len({before[0], at_8[0], at_15[0]}) == 3
