"""When runs on spots stop, and what is refused before they begin."""

from __future__ import annotations

from dataclasses import replace

import pytest

import infoset
from infoset.errors import BadInputError
from infoset.machine.threads import num_threads
from infoset.solvers.request import chips_of
from spots_for_tests import RIVER


def test_the_first_limit_ends_a_run():
    reached = infoset.solve(RIVER, exploitability="1%", iterations=10_000)
    assert reached.stopped_by == "exploitability"
    assert 0 <= reached.exploitability <= 1.0
    again = infoset.solve(RIVER, exploitability=1.0)
    assert again.iterations == reached.iterations
    assert infoset.solve(RIVER, exploitability="1%", iterations=2).stopped_by == "iterations"
    assert infoset.solve(RIVER, seconds=1e-4).stopped_by == "seconds"


def test_without_limits_it_is_a_thousandth_of_the_pot():
    solution = infoset.solve(RIVER)
    assert solution.algorithm == "dcfr(gamma=3.0)"
    assert solution.stopped_by == "exploitability"
    assert solution.exploitability <= 0.1 < solution.curve[0].exploitability


@pytest.mark.parametrize(
    ("text", "chips"),
    [("0.1%", 0.2), ("5c", 5.0), (" 5 ", 5.0), ("20mbb", 1.0), ("1e-2 %", 0.02), (3, 3)],
)
def test_exploitabilities_as_text(text, chips):
    spot = replace(RIVER, pot=200, big_blind=50)
    assert chips_of(text, spot) == pytest.approx(chips, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "%", "0%", "-1%", "1 %%", "five", "nan", "1e999", "5bb", "٣%"]
)
def test_exploitabilities_that_are_none(text):
    with pytest.raises(BadInputError, match=r"is not an exploitability; write it as in 0\.1%"):
        infoset.solve(RIVER, exploitability=text)


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
        (
            {"algorithm": "lp", "form": "public"},
            r"'lp' does .*; these work: cfr, cfr\+, ",
        ),
        ({"algorithm": "xfp", "form": "public"}, "'xfp' does not work in public form"),
        ({"algorithm": "dfcr"}, "there is no algorithm 'dfcr'; did you mean 'dcfr'"),
        ({"bits": 8}, "16 or 32 bits, not 8"),
        ({"bits": True}, "16 or 32 bits, not True"),
        ({"algorithm": "hs-dcfr", "seconds": 1}, "length"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(given, message):
    with pytest.raises(BadInputError, match=message):
        infoset.solve(RIVER, **given)


def test_threads_are_the_cores_that_may_be_used(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert num_threads() == 3
    assert num_threads(7) == 7
