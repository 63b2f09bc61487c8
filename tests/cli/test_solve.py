"""Solving from the command line."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import signal
import time
from pathlib import Path

import pytest

import infoset
from infoset.cli.progress import LiveLine
from infoset.solvers import loop

TURN = Path(__file__).parents[2] / "examples" / "turn.toml"

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
    assert "infoset show 'a b.infoset' --all" in answer.out
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


@pytest.mark.parametrize("option", ["--plot", "--convergence"])
def test_both_figures_of_a_game_are_its_convergence(typed, tmp_path, option):
    answer = typed("solve", "kuhn", "-n", "100", option, "k.svg", "--json")
    assert answer.json["iterations"] == 100
    drawn = (tmp_path / "k.svg").read_text()
    assert drawn.lstrip().startswith("<?xml")
    assert "exploitability" in drawn
    assert "kuhn" in drawn


def test_a_game_may_be_solved_in_public_form(typed):
    words = ("solve", "leduc", "-a", "cfr+", "-n", "50", "--form", "public", "--json")
    found = typed(*words).json
    assert (found["form"], found["bits"], found["infosets"]) == ("public", 32, 936)
    whole = infoset.solve("leduc", "cfr+", iterations=50)
    assert found["exploitability"] == pytest.approx(whole.exploitability, rel=1e-4)
    assert "infoset show FILE --all" in typed("solve", "leduc", "-n", "5", "--form", "public").out


def test_long_lines_are_folded_to_the_page(typed, monkeypatch):
    words = ("solve", "leduc5", "-n", "2")
    lines = typed(*words).out.splitlines()
    assert max(map(len, lines)) <= 80
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, typed(*words).out.splitlines()[:-1])) <= 60, "the last line is a command"


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
        (["kuhn", "-e", "nan"], "exploitability"),
        (["kuhn", "-e", "much"], "exploitability"),
        (["kuhn", "-e", "1%"], "no pot"),
        (["kuhn", "--form", "matrix"], "form must be auto, sequence, public, rules"),
        (["goofspiel", "--form", "public"], "no public form"),
        (["kuhn", "--bits", "16"], "bits"),
        (["kuhn", "--memory", "much"], "as in 500MB or 2GB"),
        (["kuhn", "--name", "x"], "no spot"),
        (["leduc", "--memory", "10kB"], "the limit is"),
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
        (["kuhn", "--convergence", "f"], ".svg"),
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

    monkeypatch.setattr("infoset.solvers.solving.find_form", fail)
    answer = typed("solve", "kuhn", "--json")
    assert (answer.code, answer.out) == (130 if isinstance(error, KeyboardInterrupt) else 1, "")
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


# Spots.


def test_a_spot_as_json(typed, spot_file):
    answer = typed("solve", spot_file, "-a", "idcfr+", "-n", "200", "--json", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert (found["algorithm"], found["iterations"]) == ("idcfr+", 200)
    assert found["stopped_by"] == "iterations"
    # Without rake, the two share the pot.
    assert sum(found["values"]) == pytest.approx(100, abs=1e-3)
    regret = found["exploitability"]
    assert found["exploitability_share_of_pot"] == pytest.approx(regret / 100)
    assert found["exploitability_mbb"] == pytest.approx(regret * 10)  # a big blind is 100 chips
    assert found["curve"][-1]["iteration"] == 200


def test_the_answer_on_a_spot_is_the_one_python_gives(typed, spot_file):
    typed_in = typed("solve", spot_file, "-a", "dcfr", "-n", "50", "--json").json
    called = infoset.solve(spot_file, "dcfr", iterations=50)
    assert typed_in["exploitability"] == called.exploitability
    assert typed_in["values"] == list(called.values)


def test_text_shows_the_run_on_a_spot_and_the_first_decision(typed, spot_file):
    answer = typed("solve", spot_file, "-n", "100")
    assert answer.code == 0
    for word in ("aces or air", "Ks9h7d4c2s", "9 and 13", "% of the pot", "mbb", "EV", "ms each"):
        assert word in answer.out
    lines = [line.split() for line in answer.out.splitlines()]
    assert ["class", "range", "%", "check", "%", "bet", "50", "%"] in [line[:8] for line in lines]
    assert {"AA", "65s"} <= {line[0] for line in lines if line}
    assert "infoset show FILE" in answer.out
    assert "\x1b" not in answer.out + answer.err


def test_exploitability_may_be_a_share_of_the_pot_or_chips(typed, spot_file):
    by_share = typed("solve", spot_file, "-e", "0.5%", "--json").json
    by_chips = typed("solve", spot_file, "-e", "0.5c", "--json").json
    assert by_share["stopped_by"] == by_chips["stopped_by"] == "exploitability"
    assert by_share["exploitability"] <= 0.5
    assert by_share["iterations"] == by_chips["iterations"]
    # A big blind is 100 chips.
    by_blinds = typed("solve", spot_file, "-e", "5mbb", "--json").json
    assert by_blinds["iterations"] == by_share["iterations"]


def test_a_small_spot_may_be_solved_in_sequence_form(typed, spot_file):
    words = ("-a", "cfr+", "-n", "60", "--json")
    by_hands, by_sequences = (
        typed("solve", spot_file, *words, "--form", form).json for form in ("public", "sequence")
    )
    assert (by_hands["form"], by_sequences["form"]) == ("public", "sequence")
    assert by_sequences["exploitability"] == pytest.approx(by_hands["exploitability"], rel=1e-3)


def test_a_spot_in_sequence_form_is_shown_by_infosets_and_measured_with_its_pot(typed, spot_file):
    words = ("-a", "cfr+", "-n", "60", "--form", "sequence", "--quiet")
    answer = typed("solve", spot_file, *words, "--save", "s", "--plot", "f.svg")
    assert (answer.code, answer.err) == (0, "")
    assert "% of the pot" in answer.out
    assert "infoset show s --all" in answer.out
    assert len(typed("show", "s", "--infoset", "AsAh:").out.splitlines()) == 2
    whole = typed("solve", spot_file, *words, "--json").json
    measured = typed("evaluate", "s", "--json").json
    assert measured["values"] == pytest.approx(whole["values"])
    assert measured["exploitability"] == pytest.approx(whole["exploitability"])
    (compared,) = typed("compare", spot_file, *words, "--json").json["runs"]
    assert compared["values"] == pytest.approx(whole["values"])
    assert compared["exploitability_share_of_pot"] == whole["exploitability_share_of_pot"]


def _cells(text: str) -> dict[tuple[int, str, str], float]:
    """Numbers by line and column; words are part of the key."""
    cells = {}
    for i, row in enumerate(csv.DictReader(io.StringIO(text))):
        for name, cell in row.items():
            is_word = name in ("hand", "infoset", "action")
            cells[i, name, cell if is_word else ""] = 0.0 if is_word else float(cell or "nan")
    return cells


@pytest.mark.parametrize("target", ["kuhn", "spot"])
def test_csv_is_that_of_show(typed, spot_file, target):
    words = (spot_file if target == "spot" else target, "-n", "20", "--save", "s", "--csv")
    solved = typed("solve", *words)
    assert solved.code == 0
    assert _cells(solved.out) == pytest.approx(_cells(typed("show", "s", "--csv").out), abs=1e-4)
    assert "exclude" in typed("solve", *words, "--json").err


def test_resumed_run_on_a_spot_ends_as_if_never_stopped(typed, spot_file):
    typed("solve", spot_file, "-a", "cfr+", "-n", "40", "--checkpoint", "run")
    resumed = typed("solve", spot_file, "-n", "100", "--resume", "run", "--json").json
    whole = typed("solve", spot_file, "-a", "cfr+", "-n", "100", "--json").json
    for key in ("algorithm", "iterations", "values", "exploitability"):
        assert resumed[key] == whole[key]


def test_figures_of_a_spot(typed, spot_file, tmp_path):
    words = ("--plot", "grid.svg", "--convergence", "curve.png", "--save", "s", "--json")
    assert typed("solve", spot_file, "-n", "50", *words).code == 0
    assert (tmp_path / "grid.svg").read_text().lstrip().startswith("<?xml")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    shown = typed("show", "s", "--plot", "node.pdf", "--values", "values.svg", "-q")
    assert (shown.code, shown.err) == (0, "")
    assert (tmp_path / "node.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (tmp_path / "values.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-a", "drcf"], "did you mean 'dcfr'"),
        (["-a", "lp", "--form", "public"], "lp"),
        (["-a", "es-mccfr", "--form", "public"], "es-mccfr"),
        (["--bits", "8"], "bits"),
        (["-a", "hs-dcfr", "-s", "1"], "iterations"),
        (["-n", "0"], "at least 1"),
        (["-n", "x"], "--iterations"),
        (["-s", "nan"], "seconds"),
        (["-e", "-1%"], "exploitability"),
        (["-e", "0%"], "exploitability"),
        (["-e", "nan"], "exploitability"),
        (["-e", "abc"], "exploitability"),
        (["-e", ""], "exploitability"),
        (["--threads", "0"], "threads"),
        (["--threads", "-3"], "threads"),
        (["--threads", "1000000"], "threads"),
        (["--every", "5"], "--checkpoint"),
        (["--checkpoint", "c", "--every", "0"], "every"),
        (["--save", "no/such/dir/f"], "there is no directory"),
        (["--save", "."], "directory"),
        (["--plot", "f.jpg"], ".svg"),
        (["--convergence", "f"], ".svg"),
        (["--plot", "f.svg", "--convergence", "./f.svg"], "same file"),
        (["--resume", "none"], "there is no file"),
        (["--resume", "."], "is a directory"),
        (["--name", "other"], "not named 'other'"),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_bad_input_with_a_spot(
    refused, monkeypatch, tmp_path, spot_file, arguments, reason, as_json
):
    """All of it before kernels are compiled."""
    monkeypatch.setattr("infoset.solvers.solving.warm_up", None)
    assert reason in refused("solve", spot_file, *arguments, *as_json)
    assert list(tmp_path.iterdir()) == []


def test_a_spot_file_is_never_written_over(refused, spot_file):
    before = spot_file.read_bytes()
    assert "same file" in refused("solve", spot_file, "--save", spot_file)
    assert spot_file.read_bytes() == before


def test_what_does_not_fit_is_refused_before_it_is_allocated(refused, monkeypatch, turn_file):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("nothing may be laid out for this")

    # Where they are called, and kernels too: neither is reached.
    monkeypatch.setattr("infoset.solvers.solving.build_solver", never)
    monkeypatch.setattr("infoset.solvers.solving.warm_up", never)
    assert "are allowed" in refused("solve", turn_file, "--memory", "10kB")
    monkeypatch.setattr("infoset.machine.memory.available_bytes", lambda: 10_000)
    assert "are free" in refused("solve", turn_file)


def test_checkpoints_of_another_spot_are_refused(typed, refused, spot_file, turn_file, solved):
    typed("solve", spot_file, "-a", "dcfr", "-n", "5", "--checkpoint", "c")
    typed("solve", "kuhn", "-n", "5", "--checkpoint", "kuhn")
    assert "aces or air" in refused("solve", turn_file, "-n", "9", "--resume", "c")
    assert "dcfr" in refused("solve", spot_file, "-a", "cfr+", "-n", "9", "--resume", "c")
    assert refused("solve", spot_file, "-n", "9", "--resume", "kuhn")
    assert refused("solve", spot_file, "-n", "9", "--resume", solved)
    assert refused("solve", "kuhn", "-n", "9", "--resume", "c")


@pytest.mark.parametrize("option", ["--save", "--checkpoint", "--plot", "--convergence"])
def test_full_disk_does_not_cost_the_answer_on_a_spot(typed, monkeypatch, spot_file, option):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("infoset.machine.storage.os.fsync", full)
    answer = typed("solve", spot_file, "-n", "20", option, "f.svg", "--json")
    assert answer.code == 1
    assert answer.json["iterations"] == 20
    assert "the disk is full" in answer.err


def test_interrupted_run_on_a_spot_saves_prints_and_says_how_to_go_on(start, tmp_path):
    files = ("--checkpoint", "run", "--every", "0.1", "--save", "solution")
    process = start("solve", TURN, "-e", "1e-6%", *files, "--json")
    for _ in range(1200):
        if (tmp_path / "run").exists():
            break
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["stopped_by"] == "interrupt"
    assert f"go on with: infoset solve {TURN} -a " in err
    assert "-e 1e-6% --save solution --checkpoint run --every 0.1 --resume run" in err
    assert infoset.load(tmp_path / "solution").iterations == found["iterations"]


def test_ctrl_c_after_the_run_costs_nothing_that_is_saved_or_printed(typed, monkeypatch, spot_file):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("infoset.api.view_node", interrupted)
    answer = typed("solve", spot_file, "-n", "20", "--save", "s")
    assert answer.code == 130
    assert "exploitability" in answer.out
    assert "Traceback" not in answer.err
    assert infoset.load("s").iterations == 20
    assert typed("show", "s").code == 130
