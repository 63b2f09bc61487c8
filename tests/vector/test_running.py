"""Runs on spots: limits, checkpoints, Ctrl-C, memory, and what is refused."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from infoset.solvers.files import read_checkpoint, write_checkpoint
from infoset.solvers.vector.memory import predicted_bytes
from infoset.solvers.vector.running import chips_of_target, num_threads
from infoset.solvers.vector.spot_solver import SpotSolver

import infoset
from infoset.errors import BadInputError, FileFormatError, StorageError, TooLargeError
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.finding import find_spot
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import write_spot
from infoset.solvers import loop
from infoset.solvers.recipe import Recipe
from infoset.solvers.solution import UnsavedError
from infoset.solvers.vector import memory, running

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s,76s", "99,AKo:0.25,J8s,65s,33", 100, 250)
TURN = Spot(
    "Td9d6hQc",
    "QQ:0.5,JTs",
    "99,AcJc,8d7d:0.75",
    97,
    131,
    bet_sizes={"bet": "37%, a", "raise": "a"},
)


def assert_same_run(one, other):
    assert (one.iterations, one.exploitability, one.values) == (
        other.iterations,
        other.exploitability,
        other.values,
    )
    mine, its = one.solver.state(), other.solver.state()
    assert mine.keys() == its.keys()
    for name, array in mine.items():
        assert array.tobytes() == its[name].tobytes(), name


# --- what a run tells ---------------------------------------------------------------------------


def test_what_a_solution_tells():
    spot = replace(RIVER, rake=0.0, big_blind=2, name="a river")
    solution = infoset.solve_spot(spot, "dcfr", iterations=200, threads=2)
    assert isinstance(solution, infoset.SpotSolution)
    assert (solution.iterations, solution.stopped_by) == (200, "iterations")
    assert (solution.algorithm, solution.threads) == ("dcfr", 2)
    best = solution.solver.best_response_values()
    assert solution.exploitability == pytest.approx(sum(best) / 2, abs=1e-9)
    assert solution.exploitability_share == solution.exploitability / 100
    assert solution.exploitability_mbb == solution.exploitability * 500
    assert sum(solution.values) == pytest.approx(spot.pot, abs=1e-3)
    # A best response of each is worth at least the value.
    for value, at_most in zip(solution.values, best, strict=True):
        assert value <= at_most + 50 + 1e-3
    assert [point.iteration for point in solution.curve][-1] == 200
    assert solution.curve[-1].exploitability == solution.exploitability
    assert "'a river' by 'dcfr': values" in repr(solution)
    assert "% of the pot after 200 iterations" in repr(solution)


def test_a_summary_is_ready_for_json():
    solution = infoset.solve_spot(RIVER, iterations=5)
    told = json.loads(json.dumps(solution.summary(), allow_nan=False))
    cost = cost_of(RIVER)
    assert infoset.games.holdem.parse_spot(told["spot"]) == RIVER
    assert told["board"] == "Ks9h7d4c2s"
    assert (told["algorithm"], told["iterations"]) == ("dcfr(gamma=3.0)", 5)
    assert told["exploitability"]["share_of_pot"] == told["exploitability"]["chips"] / 100
    assert (told["decisions"], told["terminals"]) == (cost.num_decisions, cost.num_terminals)
    assert told["hands"] == list(RIVER.num_hands)
    assert told["curve"][-1]["iteration"] == 5


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_the_average_is_what_views_show(spot):
    """Two roads to the tables: by node and board, and whole streets with hands in order."""
    solution = infoset.solve_spot(spot, iterations=30)
    view = solution.view()
    chances = solution.solver.probabilities(0, 0)
    hands = solution.solver.hand_numbers[0]
    assert view.hands[0].tolist() == hands.tolist()
    np.testing.assert_allclose(chances[0, : len(view.actions)], view.strategy, atol=1e-6)
    after = solution.view("check")
    chances = solution.solver.probabilities(0, 1)
    np.testing.assert_allclose(chances[0, : len(after.actions)], after.strategy, atol=1e-6)


def test_without_iterations_all_actions_are_alike():
    solver = SpotSolver(TURN, Recipe())
    chances = solver.probabilities(0, 0)
    assert chances.shape == (1, solver.tree.count_actions(TURN.street, 0), 6 + 3 + 1 - 4)
    view_of_root = chances[0, :3].sum(axis=0)
    np.testing.assert_allclose(view_of_root, 1.0, atol=1e-6)
    np.testing.assert_allclose(chances[0, :3], 1 / 3, atol=1e-6)


# --- limits -------------------------------------------------------------------------------------


def test_the_first_limit_ends_a_run():
    reached = infoset.solve_spot(RIVER, exploitability="1%", iterations=10_000)
    assert reached.stopped_by == "exploitability"
    assert 0 <= reached.exploitability <= 1.0
    again = infoset.solve_spot(RIVER, exploitability=1.0)
    assert again.iterations == reached.iterations
    assert infoset.solve_spot(RIVER, exploitability="1%", iterations=2).stopped_by == "iterations"
    assert infoset.solve_spot(RIVER, seconds=1e-4).stopped_by == "seconds"


def test_without_limits_it_is_a_thousandth_of_the_pot():
    solution = infoset.solve_spot(RIVER)
    assert solution.algorithm == "dcfr(gamma=3.0)"
    assert solution.stopped_by == "exploitability"
    assert solution.exploitability <= 0.1 < solution.curve[0].exploitability


@pytest.mark.parametrize(
    ("text", "chips"),
    [("0.1%", 0.2), ("5c", 5.0), (" 5 ", 5.0), ("20mbb", 1.0), ("1e-2 %", 0.02), (3, 3)],
)
def test_exploitabilities_as_text(text, chips):
    spot = replace(RIVER, pot=200, big_blind=50)
    assert chips_of_target(text, spot) == pytest.approx(chips, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "%", "0%", "-1%", "1 %%", "five", "nan", "1e999", "5bb", "٣%"]
)
def test_exploitabilities_that_are_none(text):
    with pytest.raises(BadInputError, match=r"is not an exploitability; write it as in 0\.1%"):
        infoset.solve_spot(RIVER, exploitability=text)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"iterations": 0}, "iterations must be a whole number of at least 1"),
        ({"iterations": 2.5}, "iterations must be a whole number"),
        ({"seconds": -1}, "seconds must be a finite number above 0"),
        ({"exploitability": float("nan")}, "exploitability must be a finite number above 0"),
        ({"exploitability": [1]}, "exploitability must be a finite number above 0"),
        ({"threads": 0}, "threads must be a whole number from 1 to 1,024, not 0"),
        ({"threads": 1.5}, "threads must be a whole number"),
        ({"threads": True}, "threads must be a whole number"),
        ({"threads": 10**9}, "threads must be a whole number"),
        ({"checkpoint": "x", "every": 0}, "every must be a number of seconds above 0"),
        ({"algorithm": "lp"}, r"'lp' does not work on spots; these work: cfr, cfr\+, "),
        ({"algorithm": "xfp"}, "'xfp' does not work on spots"),
        ({"algorithm": "dfcr"}, "there is no algorithm 'dfcr'; did you mean 'dcfr'"),
        ({"bits": 8}, "16 or 32 bits, not 8"),
        ({"bits": True}, "16 or 32 bits, not True"),
        ({"algorithm": "hs-dcfr", "seconds": 1}, "length"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(given, message):
    with pytest.raises(BadInputError, match=message):
        infoset.solve_spot(RIVER, **given)


def test_threads_are_the_cores_that_may_be_used(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert num_threads() == 3
    assert num_threads(7) == 7


# --- which spot ---------------------------------------------------------------------------------


def test_a_spot_is_given_as_it_is_as_a_file_or_as_a_situation(tmp_path):
    write_spot(tmp_path / "spot.toml", RIVER)
    for path in (tmp_path / "spot.toml", str(tmp_path / "spot.toml")):
        assert infoset.solve_spot(path, iterations=1).spot == RIVER
    solution = infoset.solve_spot("river(5k, seed=3)", iterations=1)
    assert solution.spot == random_situation("river(5k)", 3)


def test_a_file_named_like_a_situation_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_spot("River(5k)").pot == 5000
    write_spot("River(5k)", RIVER)
    assert find_spot("River(5k)") == RIVER


def test_one_of_several_is_chosen_by_name(tmp_path):
    path = tmp_path / "spots.json"
    path.write_text(
        json.dumps(
            {
                "spots": [
                    {"name": name, "board": "Ks9h7d4c2s", "range_oop": "AA", "range_ip": "KK"}
                    | {"pot": pot, "stack": 50}
                    for name, pot in (("small", 10), ("large", 90))
                ]
            }
        )
    )
    assert find_spot(path, "large").pot == find_spot(str(path), "large").pot == 90
    with pytest.raises(BadInputError, match="choose one: small, large"):
        find_spot(path)
    with pytest.raises(BadInputError, match="a random situation has no name, so 'large'"):
        find_spot("River(5k)", "large")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("nothing.toml", BadInputError, "no spot file 'nothing.toml', and it is no random situ"),
        ("River(5k", BadInputError, "'River\\(5k' is not a kind of situation"),
        ("Rivr(5k)", BadInputError, "no spot file 'Rivr\\(5k\\)'.*write it as in River\\(500\\)"),
        ("a\0b", BadInputError, "no spot file"),
        (5, BadInputError, "int is not a spot: give a Spot, the path"),
        (".", StorageError, "Is a directory"),
    ],
)
def test_what_is_no_spot(given, error, message):
    with pytest.raises(error, match=message):
        infoset.solve_spot(given)


# --- checkpoints --------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["idcfr+", "pcfr+", "dcfr(skip=10)"])
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=8
)
@given(stops=st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True))
def test_a_run_in_pieces_is_the_same_run(tmp_path, algorithm, stops):
    path = tmp_path / "pieces"
    path.unlink(missing_ok=True)
    for stop in (*sorted(stops), 41):
        resume = path if path.exists() else None
        pieces = infoset.solve_spot(
            RIVER, algorithm, iterations=max(stop, 11), checkpoint=path, resume=resume
        )
    assert_same_run(pieces, infoset.solve_spot(RIVER, algorithm, iterations=41))


def test_a_turn_goes_on_with_another_number_of_threads(tmp_path):
    path = tmp_path / "turn"
    infoset.solve_spot(TURN, "pcfr+", iterations=7, checkpoint=path, threads=2)
    resumed = infoset.solve_spot(TURN, iterations=15, resume=path, threads=1)
    whole = infoset.solve_spot(TURN, "pcfr+", iterations=15, threads=2)
    assert_same_run(resumed, whole)
    assert [point.iteration for point in resumed.curve][-1] == 15


def test_a_run_in_16_bits_goes_on_in_16_bits(tmp_path):
    path = tmp_path / "turn"
    infoset.solve_spot(TURN, "dcfr", iterations=7, checkpoint=path, bits=16)
    resumed = infoset.solve_spot(TURN, iterations=15, resume=path, threads=1)
    assert resumed.solver.bits == 16
    assert_same_run(resumed, infoset.solve_spot(TURN, "dcfr", iterations=15, bits=16))
    with pytest.raises(BadInputError, match="not a run in 32 bits"):
        infoset.solve_spot(TURN, iterations=15, resume=path, bits=32)


def test_where_a_run_ends_does_not_depend_on_where_it_was_cut(tmp_path):
    path = tmp_path / "cut"
    whole = infoset.solve_spot(RIVER, exploitability="0.5%")
    for cut in (1, whole.iterations // 2, whole.iterations - 1):
        infoset.solve_spot(RIVER, iterations=cut, checkpoint=path)
        assert_same_run(infoset.solve_spot(RIVER, exploitability="0.5%", resume=path), whole)


def test_a_checkpoint_goes_on_only_with_what_it_was_made_for(tmp_path):
    path = tmp_path / "checkpoint"
    infoset.solve_spot(RIVER, "dcfr", iterations=5, checkpoint=path)
    for spot, algorithm, message in (
        (replace(RIVER, stack=251), None, "a run of another spot, not of this spot"),
        (RIVER, "cfr+", r"a run of 'dcfr', not of 'cfr\+'"),
    ):
        with pytest.raises(BadInputError, match=message):
            infoset.solve_spot(spot, algorithm, iterations=9, resume=path)
    renamed = replace(RIVER, name="the same", big_blind=7)
    assert infoset.solve_spot(renamed, iterations=9, resume=path).iterations == 9
    with pytest.raises(BadInputError, match="a run of 'spot', which is not the game 'kuhn'"):
        infoset.solve("kuhn", iterations=9, resume=path)
    infoset.solve("kuhn", "dcfr", iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="a run of 'kuhn', not of this spot"):
        infoset.solve_spot(RIVER, iterations=9, resume=path)
    infoset.solve_spot(RIVER, "hs-dcfr", iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="go on with iterations=5"):
        infoset.solve_spot(RIVER, iterations=9, resume=path)
    assert infoset.solve_spot(RIVER, resume=path).iterations == 5
    infoset.solve_spot(RIVER, Recipe(), iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="a recipe of your own: give it again"):
        infoset.solve_spot(RIVER, iterations=9, resume=path)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: {name: array for name, array in state.items() if name != "regrets_0_1"},
        lambda state: {**state, "extra": np.zeros(3, np.float32)},
        lambda state: {**state, "regrets_0_0": state["regrets_0_0"][:-1]},
        lambda state: {**state, "regrets_0_0": state["regrets_0_0"].astype(np.float64)},
    ],
    ids=["missing", "extra", "short", "double"],
)
def test_a_state_that_does_not_fit_is_refused(tmp_path, change):
    path = tmp_path / "checkpoint"
    infoset.solve_spot(RIVER, iterations=5, checkpoint=path)
    saved = read_checkpoint(path)
    write_checkpoint(path, replace(saved, state=change(dict(saved.state))))
    with pytest.raises(FileFormatError, match="does not hold what 'dcfr"):
        infoset.solve_spot(RIVER, iterations=9, resume=path)


def press_at(iteration):
    pressed = []

    def follow(progress):
        if progress.iteration >= iteration and not pressed:
            pressed.append(progress)
            signal.raise_signal(signal.SIGINT)

    return follow


def test_ctrl_c_stops_saves_and_is_passed_on(tmp_path):
    path = tmp_path / "checkpoint"
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        infoset.solve_spot(RIVER, iterations=10**6, checkpoint=path, progress=press_at(50))
    assert signal.getsignal(signal.SIGINT) is before
    stopped = read_checkpoint(path).iteration
    assert 50 <= stopped < 10**6
    goal = stopped + 10
    resumed = infoset.solve_spot(RIVER, iterations=goal, resume=path)
    assert_same_run(resumed, infoset.solve_spot(RIVER, iterations=goal))


def test_what_there_is_at_ctrl_c_is_a_solution_to_those_who_ask():
    solution = infoset.solve_spot(
        RIVER, iterations=10**6, progress=press_at(20), return_on_interrupt=True
    )
    assert solution.stopped_by == "interrupt"
    assert solution.exploitability == solution.solver.exploitability()


def test_a_last_checkpoint_that_fails_costs_nothing_else(tmp_path, monkeypatch):
    def fail(*_):
        raise StorageError("Could not write 'c': the disk is full.")

    monkeypatch.setattr(loop, "write_checkpoint", fail)
    with pytest.raises(UnsavedError, match=r"the disk is full\. The run ended after 9") as caught:
        infoset.solve_spot(RIVER, iterations=9, checkpoint=tmp_path / "c")
    assert isinstance(caught.value.solution, infoset.SpotSolution)
    assert_same_run(caught.value.solution, infoset.solve_spot(RIVER, iterations=9))


def test_a_place_that_is_none_is_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "SpotSolver", None)
    with pytest.raises(StorageError, match="Could not write"):
        infoset.solve_spot(RIVER, iterations=9, checkpoint=tmp_path / "none" / "c")


# --- small weights ------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", ["1", "1e-5", "1e-20"])
def test_weights_count_only_relative_to_each_other(weight):
    """A polarised river: half of the range is beaten, and half of that bluffs."""
    range_oop = f"AsAh:{weight},7c5c:{weight}" if weight != "1" else "AsAh,7c5c"
    range_ip = f"KsKh:{weight}" if weight != "1" else "KsKh"
    spot = Spot("2c3d4h9sTs", range_oop, range_ip, 100, 100, {"bet": "a", "raise": ""})
    solution = infoset.solve_spot(spot, iterations=1000)
    assert solution.values[0] == pytest.approx(75, abs=0.1)
    assert solution.exploitability < 0.05


def test_ranges_that_hardly_meet_are_refused():
    with pytest.raises(BadInputError, match="the ranges hardly meet"):
        Spot("2c3d4h9sTs", "AsAh,KcKd:1e-9", "AsAh,QcQd:1e-9,AsKd", 100, 100)


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize(
    "spot",
    [
        random_situation("River(5k)"),
        TURN,
        replace(TURN, range_oop="random"),
        replace(TURN, range_oop="random", locks=[Lock("", {"check": "AA"})]),
    ],
    ids=["river", "turn", "one wide range", "locked"],
)
def test_memory_is_known_before_it_is_taken(spot, predictive, alternating, threads, bits):
    recipe = Recipe(predictive=predictive, alternating=alternating)
    solver = SpotSolver(spot, recipe, threads=threads, bits=bits)
    taken = solver.working_bytes + solver.layout.nbytes
    assert solver.kept_bytes < solver.working_bytes
    assert 0.99 < predicted_bytes(spot, recipe, threads, bits) / taken < 1.01


def test_what_does_not_fit_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 500_000)
    monkeypatch.setattr(running, "SpotSolver", None)
    with pytest.raises(
        TooLargeError, match=r"needs .* of memory, and 500 kB are free: give fewer bet sizes"
    ):
        infoset.solve_spot("River(5k)", iterations=1)
