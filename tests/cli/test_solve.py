"""Solving from the command line."""

from __future__ import annotations

import errno
import os
import time

import pytest

import infoset
from infoset.cli.progress import LiveLine
from infoset.solvers import loop

REQUIRED = {
    "game",
    "algorithm",
    "iterations",
    "value",
    "exploitability",
    "seconds",
    "iterations_per_second",
    "infosets",
    "sequences",
    "memory_bytes",
    "curve",
    "stopped_by",
}


def test_json_is_one_document_with_what_programs_need(typed):
    answer = typed("solve", "kuhn", "-a", "cfr+", "-n", "1000", "--json")
    assert answer.code == 0
    found = answer.json
    assert set(found) >= REQUIRED
    assert (found["game"], found["algorithm"], found["iterations"]) == ("kuhn", "cfr+", 1000)
    assert (found["infosets"], found["sequences"]) == (12, 24)
    assert found["value"] == pytest.approx(-1 / 18, abs=1e-3)  # Kuhn (1950)
    last = found["curve"][-1]
    assert last["iteration"] == 1000
    assert last["exploitability"] == found["exploitability"] < 1e-3
    assert found["stopped_by"] == "iterations"


def test_the_answer_is_the_one_python_gives(typed):
    typed_in = typed("solve", "leduc", "-a", "dcfr(beta=0.5)", "-n", "50", "--json").json
    called = infoset.solve("leduc", "dcfr(beta=0.5)", iterations=50)
    assert typed_in["value"] == called.value
    assert typed_in["exploitability"] == called.exploitability


def test_text_shows_summary_and_strategy_of_a_small_game(typed):
    answer = typed("solve", "kuhn", "-n", "100")
    assert answer.code == 0
    for word in ("value", "exploitability", "iterations", "speed", "time", "Theorem 4"):
        assert word in answer.out
    assert "K:bet" in answer.out
    assert "\x1b" not in answer.out + answer.err


def test_text_says_how_to_look_at_the_strategy_of_a_larger_game(typed):
    assert "--save FILE" in typed("solve", "leduc", "-n", "5").out
    answer = typed("solve", "leduc", "-n", "5", "--save", "a b.infoset")
    assert "infoset strategy 'a b.infoset'" in answer.out
    assert infoset.load("a b.infoset").iterations == 5


def test_limits(typed):
    assert typed("solve", "kuhn", "--json").json["iterations"] == 1000
    by_quality = typed("solve", "kuhn", "-e", "1e-3", "--json").json
    assert by_quality["stopped_by"] == "exploitability"
    assert by_quality["exploitability"] <= 1e-3
    by_time = typed("solve", "kuhn", "-s", "0.05", "--json").json
    assert by_time["stopped_by"] == "seconds"
    assert by_time["seconds"] >= 0.05
    assert typed("solve", "rps", "-a", "lp", "--json").json["stopped_by"] == "exact"


def test_resumed_run_ends_as_if_never_stopped(typed):
    typed("solve", "leduc", "-a", "pcfr+", "-n", "40", "--checkpoint", "run")
    resumed = typed("solve", "leduc", "-n", "100", "--resume", "run", "--json").json
    whole = typed("solve", "leduc", "-a", "pcfr+", "-n", "100", "--json").json
    for key in ("algorithm", "iterations", "value", "exploitability"):
        assert resumed[key] == whole[key]


def test_resumed_run_without_a_limit_keeps_its_own(typed, refused):
    typed("solve", "leduc", "-a", "hs-dcfr", "-n", "60", "--checkpoint", "run")
    assert typed("solve", "leduc", "--resume", "run", "--json").json["iterations"] == 60
    typed("solve", "leduc", "-e", "0.5", "--checkpoint", "run")
    assert "say when to stop" in refused("solve", "leduc", "--resume", "run")


def test_seed_is_reported(typed):
    assert typed("solve", "kuhn", "-n", "5", "--seed", "7", "--json").json["seed"] == 7


def test_plot(typed, tmp_path):
    answer = typed("solve", "kuhn", "-n", "100", "--plot", "k.svg", "--json")
    assert answer.json["iterations"] == 100
    drawn = (tmp_path / "k.svg").read_text()
    assert drawn.lstrip().startswith("<?xml")
    assert "exploitability" in drawn
    assert "kuhn" in drawn


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ledcu"], "did you mean 'leduc'"),
        (["leduc", "-a", "drcf"], "did you mean 'dcfr'"),
        (["nolimit_leduc(stak=5)"], "did you mean 'stack'"),
        (["nolimit_leduc(stack=0)"], "from 2 to 1000"),
        (["kuhn", "-a", "dcfr(alhpa=1)"], "did you mean 'alpha'"),
        (["kuhn", "-a", "cfr(skip=2000)"], "skip"),
        (["kuhn", "-a", "hs-dcfr", "-s", "1"], "iterations"),
        (["kuhn("], "cannot read"),
        ([""], "cannot read"),
        (["kuhn", "-n", "0"], "at least 1"),
        (["kuhn", "-n", "-1"], "at least 1"),
        (["kuhn", "-n", "abc"], "--iterations"),
        (["kuhn", "-s", "nan"], "seconds"),
        (["kuhn", "-s", "0"], "seconds"),
        (["kuhn", "-e", "-1"], "exploitability"),
        (["kuhn", "-e", "inf"], "exploitability"),
        (["kuhn", "--seed", "x"], "--seed"),
        (["kuhn", "--every", "5"], "--checkpoint"),
        (["kuhn", "--checkpoint", "c", "--every", "nan"], "every"),
        (["no.efg"], "there is no file"),
        (["open_spiel:no_such_game"], "no_such_game"),
        (["kuhn", "--save", "no/such/dir/f"], "there is no directory"),
        (["kuhn", "--save", "."], "directory"),
        (["kuhn", "--save", "/dev/null"], "not a regular file"),
        (["kuhn", "--checkpoint", "no/f"], "there is no directory"),
        (["kuhn", "--plot", "no/f.svg"], "there is no directory"),
        (["kuhn", "--plot", "f.jpg"], ".svg"),
        (["kuhn", "--save", "f", "--checkpoint", "./f"], "same file"),
        (["kuhn", "--resume", "no"], "there is no file"),
        (["kuhn", "--resume", "."], "is a directory"),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_bad_input(refused, tmp_path, arguments, reason, as_json):
    assert reason in refused("solve", *arguments, *as_json)
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_wrong_kind_are_refused(refused, kuhn_file, tmp_path):
    (tmp_path / "text").write_text("EFG 2 R")
    (tmp_path / "broken.efg").write_text("EFG 2 R {")
    assert "'solution' file" in refused("solve", "kuhn", "--resume", kuhn_file)
    assert "not a file of infoset" in refused("solve", "kuhn", "--resume", "text")
    assert "broken.efg" in refused("solve", "broken.efg")


def test_a_checkpoint_of_another_run_is_refused(typed, refused):
    typed("solve", "kuhn", "-a", "cfr", "-n", "5", "--checkpoint", "c")
    assert "'kuhn'" in refused("solve", "leduc", "-n", "9", "--resume", "c")
    assert "'cfr'" in refused("solve", "kuhn", "-a", "dcfr", "-n", "9", "--resume", "c")


def test_a_game_file_is_never_written_over(typed, refused, tmp_path):
    infoset.write_efg(infoset.game("kuhn"), "kuhn.efg")
    before = (tmp_path / "kuhn.efg").read_bytes()
    assert "same file" in refused("solve", "kuhn.efg", "--save", "kuhn.efg")
    assert (tmp_path / "kuhn.efg").read_bytes() == before
    assert typed("solve", "kuhn.efg", "-n", "9", "--save", "x", "--json").code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_directory_is_refused_before_solving(refused, tmp_path):
    (tmp_path / "shut").mkdir(mode=0o500)
    assert "Permission denied" in refused("solve", "kuhn", "--save", "shut/f")


@pytest.mark.parametrize("option", ["--save", "--checkpoint", "--plot"])
def test_full_disk_at_the_end_does_not_cost_the_answer(typed, monkeypatch, tmp_path, option):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("infoset.machine.storage.os.fsync", full)
    answer = typed("solve", "kuhn", "-n", "100", option, "f.svg", "--json")
    assert answer.code == 1
    assert answer.json["iterations"] == 100
    assert "the disk is full" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_missing_matplotlib_is_told_before_solving(typed, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    answer = typed("solve", "kuhn", "--plot", "k.svg")
    assert (answer.code, answer.out) == (1, "")
    assert "pip install 'infoset[plots]'" in answer.err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "not enough memory"),
        (KeyboardInterrupt(), "interrupted"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ZeroDivisionError("division by zero"), "this is a bug in infoset"),
    ],
)
def test_what_goes_wrong_inside_is_one_sentence(typed, monkeypatch, error, sentence):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("infoset.api.compile", fail)
    answer = typed("solve", "kuhn", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err


def test_slow_steps_are_explained(capsys, monkeypatch):
    monkeypatch.setattr("infoset.cli.progress.PATIENCE", 0.01)
    with LiveLine("leduc") as line:
        line.announce("preparing kernels (compiled once, then cached)")
        time.sleep(0.1)
    assert capsys.readouterr().err == "leduc: preparing kernels (compiled once, then cached)\n"


def test_progress_is_logged_now_and_then_where_there_is_no_terminal(typed, monkeypatch):
    monkeypatch.setattr("infoset.cli.progress.LOGGED", 0.0)
    noisy = typed("solve", "kuhn", "-n", "50", "--json")
    assert "exploitability" in noisy.err
    assert noisy.json["iterations"] == 50
    assert typed("solve", "kuhn", "-n", "50", "--quiet").err == ""


def test_failing_checkpoints_are_told_and_the_run_goes_on(typed, monkeypatch):
    real, failed = loop.write_checkpoint, []

    def fail_at_first(*arguments: object) -> None:
        if not failed:
            failed.append(1)
            raise infoset.errors.StorageError("Could not write 'c': the disk is full.")
        real(*arguments)

    monkeypatch.setattr(loop, "write_checkpoint", fail_at_first)
    answer = typed("solve", "leduc", "-s", "0.3", "--checkpoint", "c", "--every", "0.05", "--json")
    assert answer.code == 0
    assert "the disk is full" in answer.err
    assert answer.json["stopped_by"] == "seconds"
