"""``infoset match --aivat``: luck is taken out, of tables, of ranges, in one process or several."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.agents import replay_match, workers


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Two solutions of Leduc, a good one and a poor one."""
    folder = tmp_path_factory.mktemp("saved")
    for name, iterations in (("good", 100), ("poor", 3)):
        infoset.solve("leduc", "cfr+", iterations=iterations).save(folder / name)
    return folder / "good", folder / "poor"


def exact_value(first, second):
    """What the first solution wins per hand, seats alternating."""
    one, other = (infoset.load(path).strategy for path in (first, second))
    both = [
        type(p)(p.form, (p.probabilities[0], q.probabilities[1]))
        for p, q in ((one, other), (other, one))
    ]
    return (infoset.expected_value("leduc", both[0]) - infoset.expected_value("leduc", both[1])) / 2


@pytest.mark.parametrize("duplicate", [(), ("--duplicate",)])
def test_two_known_tables_leave_no_luck(duplicate, typed, files):
    good, poor = files
    truth = exact_value(good, poor)
    arguments = ("match", "leduc", good, poor, "--hands", 2000, "--aivat", *duplicate)
    found = typed(*arguments, "--json").json
    assert found["is_compiled"]
    assert found["way"] == "aivat"
    assert found["mean"] == found["aivat"]["mean"] == pytest.approx(truth, abs=1e-9)
    assert found["low"] <= truth <= found["high"]
    assert found["plain"]["low"] <= truth <= found["plain"]["high"]
    assert "AIVAT" in typed(*arguments).out
    itself = typed("match", "leduc", good, good, "--hands", 500, "--aivat", "--json").json
    assert itself["low"] <= 0.0 <= itself["high"]


def test_a_known_agent_against_one_that_is_not(typed, files):
    """By the rules, with the table of one: less luck, and the same truth."""
    good, _ = files
    words = ("match", "leduc", good, f"resolve({good},iterations=5)", "--hands", 60, "--aivat")
    found = typed(*words, "--json").json
    assert not found["is_compiled"]
    assert found["aivat"]["standard_error"] < found["plain"]["standard_error"] / 1.5
    assert found["aivat"]["low"] < found["plain"]["high"]
    assert found["plain"]["low"] < found["aivat"]["high"]


def test_players_without_a_plan_are_known(typed):
    """Their ranges are enough; nobody bets any more is what is expected."""
    found = typed("match", "leduc", "uniform", "call", "--hands", 400, "--aivat", "--json").json
    assert found["aivat"]["standard_error"] < found["plain"]["standard_error"] / 1.5
    assert found["aivat"]["hands_needed"] < found["plain"]["hands_needed"]


def test_a_match_with_aivat_is_resumed(typed, files, tmp_path):
    good, poor = files
    for words in (("leduc", good, poor), ("leduc", "uniform", "call")):
        arguments = ("match", *words, "--aivat", "--duplicate", "--json", "--hands")
        typed(*arguments, 40, "--log", "log")
        longer = typed(*arguments, 100, "--resume", "log").json
        whole = typed(*arguments, 100, "--log", "whole").json
        assert {**longer, "seconds": 0} == {**whole, "seconds": 0}
        assert (tmp_path / "log").read_bytes() == (tmp_path / "whole").read_bytes()
        replayed = replay_match(tmp_path / "log").figures
        assert replayed.aivat.mean == pytest.approx(longer["mean"], abs=1e-12)
        for name in ("log", "whole"):
            (tmp_path / name).unlink()


def test_other_processes_make_the_same_corrections(typed, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 0.0)
    monkeypatch.setattr(workers, "WORTHWHILE", 0.0)
    monkeypatch.setattr(workers, "LARGEST_CHUNK", 11)
    words = ("match", "leduc", "uniform", "call", "--hands", 90, "--aivat", "--json")
    one, two = (typed(*words, "--threads", threads).json for threads in (1, 2))
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


def test_the_page_shows_what_is_printed(typed):
    """docs/matches.md: the figures of its example."""
    page = (Path(__file__).parents[2] / "docs" / "matches.md").read_text()
    shown = page.partition("game    leduc\n")[2].partition("```")[0]
    typed("solve", "leduc", "-a", "cfr+", "-n", 1000, "--save", "leduc.infoset")
    agents = ("leduc.infoset", "resolve(leduc.infoset,iterations=5)")
    out = typed("match", "leduc", *agents, "--hands", 300, "--duplicate", "--aivat").out
    lines = [line for line in shown.splitlines() if line and not line.startswith("hands")]
    assert len(lines) == 9
    for line in lines:
        assert line in out.splitlines()


def test_nobody_known_is_refused(refused):
    said = refused("match", "rps", "uniform", "uniform", "--aivat")
    assert "--aivat" in said
    assert "solution's file" in said
