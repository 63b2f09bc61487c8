"""Runs on spots that are stopped, saved and gone on with."""

from __future__ import annotations

import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import BadInputError, FileFormatError, StorageError
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.payoffs import Rake
from infoset.solvers import loop, solving
from infoset.solvers.recipe import Recipe
from infoset.solvers.solution import UnsavedError
from infoset.solvers.solution_files import read_checkpoint, write_checkpoint
from spots_for_tests import RIVER, TURN, assert_same_run, solved_with_solver


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
        pieces = solved_with_solver(
            RIVER, algorithm, iterations=max(stop, 11), checkpoint=path, resume=resume
        )
    assert_same_run(pieces, solved_with_solver(RIVER, algorithm, iterations=41))


def test_a_turn_goes_on_with_another_number_of_threads(tmp_path):
    path = tmp_path / "turn"
    infoset.solve(TURN, "pcfr+", iterations=7, checkpoint=path, threads=2)
    resumed = solved_with_solver(TURN, iterations=15, resume=path, threads=1)
    whole = solved_with_solver(TURN, "pcfr+", iterations=15, threads=2)
    assert_same_run(resumed, whole)
    assert [point.iteration for point in resumed[0].curve][-1] == 15


def test_a_run_in_16_bits_goes_on_in_16_bits(tmp_path):
    path = tmp_path / "turn"
    infoset.solve(TURN, "dcfr", iterations=7, checkpoint=path, bits=16)
    resumed = solved_with_solver(TURN, iterations=15, resume=path, threads=1)
    assert (resumed[0].bits, resumed[1].bits) == (16, 16)
    assert_same_run(resumed, solved_with_solver(TURN, "dcfr", iterations=15, bits=16))
    with pytest.raises(BadInputError, match="not a run in 32 bits"):
        infoset.solve(TURN, iterations=15, resume=path, bits=32)
    infoset.solve(TURN, "dcfr", iterations=7, checkpoint=path, bits=32)
    with pytest.raises(BadInputError, match="not a run in 16 bits"):
        infoset.solve(TURN, iterations=15, resume=path, bits=16)


def test_a_run_without_new_limits_ends_where_it_was_to_end(tmp_path):
    """With those of its checkpoint; a spot also stops at 0.1% of the pot."""
    path = tmp_path / "river"
    infoset.solve(RIVER, iterations=7, checkpoint=path)
    resumed = infoset.solve(RIVER, resume=path)
    assert (resumed.stopped_by, resumed.iterations) == ("iterations", 7)


def test_where_a_run_ends_does_not_depend_on_where_it_was_cut(tmp_path):
    path = tmp_path / "cut"
    whole = solved_with_solver(RIVER, exploitability="0.5%")
    last = whole[0].iterations
    for cut in (1, last // 2, last - 1):
        infoset.solve(RIVER, iterations=cut, checkpoint=path)
        assert_same_run(solved_with_solver(RIVER, exploitability="0.5%", resume=path), whole)


def test_a_checkpoint_goes_on_only_with_what_it_was_made_for(tmp_path):
    path = tmp_path / "checkpoint"
    infoset.solve(RIVER, "dcfr", iterations=5, checkpoint=path)
    for spot, algorithm, message in (
        (
            replace(RIVER, stack=251),
            None,
            "a run of 'river .*' in public form, which is not 'river .*: their rules differ",
        ),
        (RIVER, "cfr+", r"a run of 'dcfr', not of 'cfr\+'"),
    ):
        with pytest.raises(BadInputError, match=message):
            infoset.solve(spot, algorithm, iterations=9, resume=path)
    renamed = replace(RIVER, name="the same", big_blind=7)
    assert infoset.solve(renamed, iterations=9, resume=path).iterations == 9
    with pytest.raises(BadInputError, match="in public form, which is not 'kuhn' in seq"):
        infoset.solve("kuhn", iterations=9, resume=path)
    infoset.solve("kuhn", "dcfr", iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="'kuhn' in sequence form, which is not"):
        infoset.solve(RIVER, iterations=9, resume=path)
    infoset.solve(RIVER, "hs-dcfr", iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="go on with iterations=5"):
        infoset.solve(RIVER, iterations=9, resume=path)
    assert infoset.solve(RIVER, resume=path).iterations == 5
    infoset.solve(RIVER, Recipe(), iterations=5, checkpoint=path)
    with pytest.raises(BadInputError, match="a recipe of your own: give it again"):
        infoset.solve(RIVER, iterations=9, resume=path)


def test_whatever_changes_the_game_makes_it_another_spot(tmp_path):
    path = tmp_path / "checkpoint"
    infoset.solve(TURN, "dcfr", iterations=1, checkpoint=path)
    changes = {
        "board": "Td9d6hQs",
        "range_oop": "QQ:0.5,JTs:0.9",
        "range_ip": "99,AcJc,8d7d",
        "pot": 98,
        "stack": 130,
        "rake": 0.05,
        "locks": [Lock("", {"check": "QQ"})],
    }
    sizes = {
        "menus": {"bet": "38%, a", "raise": "a"},
        "donk": "50%",
        "opening": ["50%"],
        "add_allin_threshold": 1.5,
        "force_allin_threshold": 0.5,
        "merging_threshold": 0.1,
    }
    changed = [replace(TURN.bet_sizes, **{name: change}) for name, change in sizes.items()]
    others = [
        *(replace(TURN, **{name: change}) for name, change in changes.items()),
        *(replace(TURN, bet_sizes=bet_sizes) for bet_sizes in changed),
    ]
    assert len(others) == 13
    for other in others:
        with pytest.raises(BadInputError, match=r"is a run of .*, which is not"):
            infoset.solve(other, iterations=2, resume=path)
    raked = replace(TURN, rake=0.05)
    infoset.solve(raked, "dcfr", iterations=1, checkpoint=path)
    with pytest.raises(BadInputError, match=r"is a run of .*, which is not"):
        infoset.solve(replace(raked, rake=Rake(0.05, cap=3)), iterations=2, resume=path)
    assert infoset.solve(raked, iterations=2, resume=path).iterations == 2


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
    infoset.solve(RIVER, iterations=5, checkpoint=path)
    saved = read_checkpoint(path)
    write_checkpoint(path, replace(saved, state=change(dict(saved.state))))
    with pytest.raises(FileFormatError, match="does not hold what 'dcfr"):
        infoset.solve(RIVER, iterations=9, resume=path)


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
        infoset.solve(RIVER, iterations=10**6, checkpoint=path, progress=press_at(50))
    assert signal.getsignal(signal.SIGINT) is before
    stopped = read_checkpoint(path).iteration
    assert 50 <= stopped < 10**6
    goal = stopped + 10
    resumed = solved_with_solver(RIVER, iterations=goal, resume=path)
    assert_same_run(resumed, solved_with_solver(RIVER, iterations=goal))


def test_what_there_is_at_ctrl_c_is_a_solution_to_those_who_ask():
    solution, solver = solved_with_solver(
        RIVER, iterations=10**6, progress=press_at(20), return_on_interrupt=True
    )
    assert solution.stopped_by == "interrupt"
    assert solution.exploitability == solver.exploitability()


def test_a_last_checkpoint_that_fails_costs_nothing_else(tmp_path, monkeypatch):
    def fail(*_):
        raise StorageError("Could not write 'c': the disk is full.")

    monkeypatch.setattr(loop, "write_checkpoint", fail)
    with pytest.raises(UnsavedError, match=r"the disk is full\. The run ended after 9") as caught:
        infoset.solve(RIVER, iterations=9, checkpoint=tmp_path / "c")
    assert isinstance(caught.value.solution, infoset.Solution)
    found, (whole, _) = caught.value.solution, solved_with_solver(RIVER, iterations=9)
    assert (found.iterations, found.exploitability) == (9, whole.exploitability)
    assert found.values == whole.values
    for player in (0, 1):
        ours, its = (each.strategy.averages[0][player].data for each in (found, whole))
        assert ours.tobytes() == its.tobytes()


def test_a_place_that_is_none_is_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(solving, "VectorSolver", None)
    with pytest.raises(StorageError, match="Could not write"):
        infoset.solve(RIVER, iterations=9, checkpoint=tmp_path / "none" / "c")
