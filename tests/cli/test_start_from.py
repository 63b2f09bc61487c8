"""Runs that start from the file of another solution."""

from __future__ import annotations

import pytest

import infoset


@pytest.fixture
def small_file(tmp_path):
    path = tmp_path / "small.infoset"
    infoset.solve("leduc(by_rank=true)", "cfr+", iterations=300).save(path)
    return path


def test_a_larger_game_starts_from_the_file_of_a_smaller_one(typed, small_file):
    words = ("solve", "leduc", "-a", "cfr+", "-n", "1", "--start-from", small_file)
    found = typed(*words, "--json").json
    assert found["exploitability"] < 3e-3
    assert found["iterations"] == 1
    start = found["start"]
    assert start["game"] == "leduc(by_rank=true)"
    assert (start["same"], start["similar"], start["unknown"]) == (0, 936, 0)
    assert start["method"] == "proportional"
    assert start["exploitability"] == pytest.approx(0.00232, abs=1e-5)
    text = typed(*words).out
    assert "0 infosets as there, 936 alike, 0 uniform" in text


def test_how_it_starts_may_be_said(typed, small_file):
    words = ("solve", "leduc", "-a", "cfr", "-n", "2", "--start-from", small_file, "--json")
    found = typed(*words, "--start-iterations", "7", "--start-method", "substitute").json
    assert (found["start"]["iterations"], found["start"]["method"]) == (7, "substitute")
    cold = typed("solve", "leduc", "-a", "cfr", "-n", "2", "--json").json
    assert "start" not in cold
    assert found["exploitability"] < cold["exploitability"]


def test_a_saved_solution_knows_nothing_of_its_start(typed, small_file, tmp_path):
    typed("solve", "leduc", "-n", "3", "--start-from", small_file, "--save", "large")
    assert infoset.load(tmp_path / "large").start is None


def test_a_started_run_is_resumed(typed, refused, small_file):
    start = ("--start-from", small_file)
    typed("solve", "leduc", "-a", "dcfr", "-n", "40", "--checkpoint", "run", *start)
    resumed = typed("solve", "leduc", "-n", "100", "--resume", "run", "--json").json
    whole = typed("solve", "leduc", "-a", "dcfr", "-n", "100", "--json", *start).json
    assert resumed["exploitability"] == whole["exploitability"]
    assert "leave one" in refused("solve", "leduc", "-n", "100", "--resume", "run", *start)


@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["rps", "--start-from", "small.infoset"], "no infoset in common"),
        (["leduc", "--start-from", "no"], "there is no file"),
        (["leduc", "--start-from", "."], "is a directory"),
        (["leduc", "--start-from", "text"], "not a file of infoset"),
        (["leduc", "--start-from", "small.infoset", "--save", "small.infoset"], "same file"),
        (["leduc", "-a", "lp", "--start-from", "small.infoset"], "walk the whole game"),
        (["leduc", "-a", "es-mccfr", "--start-from", "small.infoset"], "walk the whole game"),
        (["leduc", "-a", "cfr-d", "--start-from", "small.infoset"], "walk the whole game"),
        (["leduc", "-a", "hedge", "--start-from", "small.infoset"], "only regret matching"),
        (["leduc", "--form", "public", "--start-from", "small.infoset"], "in sequence form only"),
        (["River(5k)", "--start-from", "small.infoset"], "in sequence form only"),
        (["leduc", "--start-iterations", "3"], "needs start_from"),
        (["leduc", "--start-from", "small.infoset", "--start-iterations", "0"], "at least 1"),
        (["leduc", "--start-from", "small.infoset", "--start-method", "best"], "proportional or"),
    ],
)
def test_what_cannot_start_is_refused(refused, small_file, tmp_path, arguments, reason, as_json):
    (tmp_path / "text").write_text("no solution")
    assert reason in refused("solve", *arguments, *as_json)
