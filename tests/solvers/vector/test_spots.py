"""Spots in public form against the sequence form, and against values from another solver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infoset.calls import parse_call
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import read_spot
from infoset.solvers.presets import PRESETS
from presets_for_tests import FULL_WIDTH
from reference_spots import SPOTS
from spots_for_tests import spot_solver

HERE = Path(__file__).parent

RIVER = (["Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s,76s", "99,AKo:0.25,J8s,65s,33", 100, 250], {})
# Odd amounts: with round ones regrets tie, and rounding decides what is played.
TURN = (
    ["Td9d6hQc", "QQ:0.5,JTs", "99,AcJc,8d7d:0.75", 97, 131],
    {"bet_sizes": {"bet": "37%, a", "raise": "a"}},
)
FLOP = (
    ["QsJh2h", "AcAd,KsTs", "JcJd,AhTh:0.5", 60, 45],
    {"bet_sizes": {"bet": "a", "raise": "a"}},
)


# Suits that are alike, so that one board is played for several. Hearts and spades here,
TWO_ALIKE = (
    ["Td9d6cQc", "AhAs,KhJs:0.5,KsJh:0.5,QdTh,QdTs", "QhTs,QsTh,8h7h:0.75,8s7s:0.75", 97, 131],
    {"bet_sizes": {"bet": "37%, a", "raise": "a"}},
)
# and all but hearts here: becoming a club, a spade makes clubs diamonds, and diamonds spades.
THREE_ALIKE = (
    ["Qh9h6h4h", "AcKc,AdKd,AsKs,8c7d,8c7s,8d7c,8d7s,8s7c,8s7d", "QcTc,QdTd,QsTs,AhJh", 97, 131],
    {"bet_sizes": {"bet": "37%, a", "raise": "a"}},
)

VARIANTS = ["dcfr(skip=3)", "pdcfr+(alternating=false)", "idcfr+(alternating=false)"]


def compare(spot, algorithms, iterations=6, threads=1):
    """Run both engines, and return what `compare_spots.py` finds."""
    arguments = {
        "spot": spot[0],
        "options": spot[1],
        "algorithms": algorithms,
        "iterations": iterations,
        "threads": threads,
    }
    done = subprocess.run(
        [sys.executable, str(HERE / "compare_spots.py"), json.dumps(arguments)],
        capture_output=True,
        text=True,
        check=False,
        # The same package as here, wherever that is.
        env={
            **os.environ,
            "INFOSET_DOUBLE": "1",
            "PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), *sys.path]),
        },
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["runs"]) == algorithms
    return found


def assert_no_gaps(found):
    gaps = {
        (algorithm, name): gap
        for algorithm, run in found["runs"].items()
        for name, gap in run.items()
    }
    assert len(gaps) == 4 * len(found["runs"]) > 0
    assert {which: gap for which, gap in gaps.items() if not gap < 1e-9} == {}


def test_rivers_agree_with_the_sequence_form():
    """With every algorithm that there is, but one that depends on the scale of regrets.

    Hedge is one: in sequence form a regret has the weight of the hand itself in it, in public form
    it has not. So it agrees where all weights are the same.
    """
    found = compare(RIVER, [name for name in [*FULL_WIDTH, *VARIANTS] if name != "hedge"])
    assert found["infosets"] > 100
    assert_no_gaps(found)
    (board, *_), options = RIVER
    even = [board, "AA,QJs,T8s,76s", "99,AKo,J8s,65s,33", 100, 250], options
    assert_no_gaps(compare(even, ["hedge", "hedge(eta=0.5,skip=3)", "hedge(alternating=false)"]))


@pytest.mark.parametrize(("algorithm", "iterations"), [("dcfr", 4), ("icfr+", 1)])
def test_turns_agree_with_the_sequence_form(algorithm, iterations):
    """Would catch a card dealt with probability 1/46 or 1/48 instead of 1/44.

    Instant updates meet a tie in iteration 2, where rounding decides what is played.
    """
    assert_no_gaps(compare(TURN, [algorithm], iterations, threads=2))


@pytest.mark.parametrize(
    ("spot", "rivers"), [(TWO_ALIKE, 22 + 13), (THREE_ALIKE, 9 + 13)], ids=["two", "three"]
)
def test_one_board_for_all_that_are_alike_agrees_with_the_sequence_form(spot, rivers):
    """The sequence form deals all 48 rivers."""
    found = compare(spot, ["dcfr", "cfr+"], 3)
    assert found["boards"] == [1, rivers]
    assert_no_gaps(found)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_flops_agree_with_the_sequence_form(algorithm):
    assert_no_gaps(compare(FLOP, [algorithm], iterations=3))


def solver_of(spot, algorithm, **options):
    call = parse_call(algorithm)
    return spot_solver(spot, PRESETS[call.name].recipe(call)[0], **options)


def test_a_turn_has_the_value_that_another_solver_found():
    """turn_small of the reference spots: postflop-solver gives 92.7566 at 0.004% of the pot."""
    spot = Spot(
        "Td9d6hQc",
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
        200,
        900,
        bet_sizes={"bet": "60%, a", "raise": "60%"},
    )
    values = []
    for bits in (32, 16):
        solver = solver_of(spot, "dcfr(gamma=3)", bits=bits)
        solver.run(300)
        exploitability = solver.exploitability()
        assert 0 < exploitability < 0.0006 * spot.pot
        values.append(solver.evaluate().values[0] + 100)
        assert abs(values[-1] - 92.75660705566406) < exploitability + 0.0001 * spot.pot
    # What 16 bits add to the error is small beside what is there.
    assert abs(values[0] - values[1]) < exploitability / 2


@pytest.mark.parametrize(
    ("name", "iterations"),
    [
        ("river_deepstack", 500),
        ("turn_small", 300),
        pytest.param("flop_small", 60, marks=pytest.mark.slow),
    ],
)
def test_reference_spots_are_worth_what_another_solver_found(name, iterations):
    """Within the exploitabilities of both, which are small beside the pot."""
    spot = read_spot(SPOTS, name)
    (reference,) = (
        s["reference"] for s in json.loads(SPOTS.read_text())["spots"] if s["name"] == name
    )
    solver = solver_of(spot, "dcfr(gamma=3)", threads=2)
    solver.run(iterations)
    exploitability = solver.exploitability()
    theirs = reference["exploitability_pct_pot"] / 100 * spot.pot
    assert 0 < exploitability < 0.006 * spot.pot
    for value, player in zip(solver.evaluate().values, ("oop", "ip"), strict=True):
        assert abs(value + spot.pot / 2 - reference[f"root_ev_{player}"]) < exploitability + theirs


def test_threads_change_nothing():
    spot = Spot(*TURN[0], **TURN[1])
    one, two = solver_of(spot, "dcfr"), solver_of(spot, "dcfr", threads=2)
    one.run(20)
    two.run(20)
    for street in range(2):
        for player in (0, 1):
            ours, theirs = one.tables[street][player].arrays, two.tables[street][player].arrays
            assert ours.keys() == theirs.keys() >= {"regrets", "average"}
            for name, array in ours.items():
                assert array.tobytes() == theirs[name].tobytes()
