"""Solving spots from the command line, and looking at what was found."""

from __future__ import annotations

import errno
import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.games.holdem.spot_files import read_spot

ROOT = Path(__file__).parents[2]
TURN = ROOT / "examples" / "turn.toml"

# Half of the pot and all-in, a street, aces and air against kings: solved by hand below.
SPOT = {
    "name": "aces or air",
    "board": "Ks9h7d4c2s",
    "range_oop": "AA,6h5h,6d5d,6c5c",
    "range_ip": "KhKd,QQ,JJ",
    "pot": 100,
    "stack": 100,
    "bet_sizes": {"bet": "50%, a", "raise": "a"},
}


@pytest.fixture(scope="session")
def spot_file(tmp_path_factory):
    """A spot of one street, as a file."""
    path = tmp_path_factory.mktemp("spots") / "river.json"
    path.write_text(json.dumps(SPOT))
    return path


@pytest.fixture(scope="session")
def turn_file(tmp_path_factory):
    """A small spot of two streets, as a file."""
    path = tmp_path_factory.mktemp("spots") / "turn.json"
    changes = {"board": "Ks9h7d4c", "bet_sizes": {"bet": "50%", "raise": "a"}, "name": "turn"}
    path.write_text(json.dumps({**SPOT, **changes}))
    return path


@pytest.fixture(scope="session")
def solved(spot_file, tmp_path_factory):
    """What `--save` writes for the spot of one street."""
    path = tmp_path_factory.mktemp("saved") / "river.infoset"
    infoset.solve_spot(read_spot(spot_file), iterations=500).save(path)
    return path


@pytest.fixture(scope="session")
def solved_turn(turn_file, tmp_path_factory):
    """What `--save` writes for the spot of two streets."""
    path = tmp_path_factory.mktemp("saved") / "turn.infoset"
    infoset.solve_spot(read_spot(turn_file), iterations=100).save(path)
    return path


def test_json_is_one_document_with_what_programs_need(typed, spot_file):
    answer = typed("spot", "solve", spot_file, "-a", "idcfr+", "-n", "200", "--json", "--quiet")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert (found["algorithm"], found["iterations"]) == ("idcfr+", 200)
    assert found["stopped_by"] == "iterations"
    # Without rake, the two share the pot.
    assert sum(found["values"]) == pytest.approx(100, abs=1e-3)
    regret = found["exploitability"]
    assert regret["share_of_pot"] == pytest.approx(regret["chips"] / 100)
    assert regret["mbb"] == pytest.approx(regret["chips"] * 10)  # a big blind is 100 chips
    assert found["curve"][-1]["iteration"] == 200


def test_the_answer_is_the_one_python_gives(typed, spot_file):
    typed_in = typed("spot", "solve", spot_file, "-a", "dcfr", "-n", "50", "--json").json
    called = infoset.solve_spot(read_spot(spot_file), "dcfr", iterations=50)
    assert typed_in["exploitability"]["chips"] == called.exploitability
    assert typed_in["values"] == list(called.values)


def test_text_shows_the_run_and_the_first_decision(typed, spot_file):
    answer = typed("spot", "solve", spot_file, "-n", "100")
    assert answer.code == 0
    for word in ("aces or air", "Ks9h7d4c2s", "9 and 13", "% of the pot", "mbb", "EV", "ms each"):
        assert word in answer.out
    lines = [line.split() for line in answer.out.splitlines()]
    assert ["class", "range", "%", "check", "%", "bet", "50", "%"] in [line[:8] for line in lines]
    assert {"AA", "65s"} <= {line[0] for line in lines if line}
    assert "infoset spot show FILE" in answer.out
    assert "\x1b" not in answer.out + answer.err


def test_exploitability_may_be_a_share_of_the_pot_or_chips(typed, spot_file):
    by_share = typed("spot", "solve", spot_file, "-e", "0.5%", "--json").json
    by_chips = typed("spot", "solve", spot_file, "-e", "0.5c", "--json").json
    assert by_share["stopped_by"] == by_chips["stopped_by"] == "exploitability"
    assert by_share["exploitability"]["chips"] <= 0.5
    assert by_share["iterations"] == by_chips["iterations"]
    # A big blind is 100 chips.
    by_blinds = typed("spot", "solve", spot_file, "-e", "5mbb", "--json").json
    assert by_blinds["iterations"] == by_share["iterations"]


def test_resumed_run_ends_as_if_never_stopped(typed, spot_file):
    typed("spot", "solve", spot_file, "-a", "cfr+", "-n", "40", "--checkpoint", "run")
    resumed = typed("spot", "solve", spot_file, "-n", "100", "--resume", "run", "--json").json
    whole = typed("spot", "solve", spot_file, "-a", "cfr+", "-n", "100", "--json").json
    for key in ("algorithm", "iterations", "values", "exploitability"):
        assert resumed[key] == whole[key]


def test_figures(typed, spot_file, tmp_path):
    words = ("--plot", "grid.svg", "--convergence", "curve.png", "--save", "s", "--json")
    assert typed("spot", "solve", spot_file, "-n", "50", *words).code == 0
    assert (tmp_path / "grid.svg").read_text().lstrip().startswith("<?xml")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    shown = typed("spot", "show", "s", "--plot", "node.pdf", "--values", "values.svg", "-q")
    assert (shown.code, shown.err) == (0, "")
    assert (tmp_path / "node.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (tmp_path / "values.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-a", "drcf"], "did you mean 'dcfr'"),
        (["-a", "lp"], "lp"),
        (["-a", "xfp"], "xfp"),
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
def test_bad_input(refused, monkeypatch, tmp_path, spot_file, arguments, reason, as_json):
    """All of it before kernels are compiled."""
    monkeypatch.setattr("infoset.solvers.vector.running._warm_up", None)
    assert reason in refused("spot", "solve", spot_file, *arguments, *as_json)
    assert list(tmp_path.iterdir()) == []


def test_a_spot_file_is_never_written_over(refused, spot_file):
    before = spot_file.read_bytes()
    assert "same file" in refused("spot", "solve", spot_file, "--save", spot_file)
    assert spot_file.read_bytes() == before


def test_what_does_not_fit_is_refused_before_it_is_allocated(refused, monkeypatch, turn_file):
    def never(*_: object, **__: object) -> None:
        raise AssertionError("nothing may be laid out for this")

    monkeypatch.setattr("infoset.solvers.vector.memory.available_bytes", lambda: 10_000)
    # Where they are called, and kernels too: neither is reached.
    monkeypatch.setattr("infoset.solvers.vector.spot_solver.lay_out", never)
    monkeypatch.setattr("infoset.solvers.vector.running._warm_up", never)
    assert "memory" in refused("spot", "solve", turn_file)


def test_checkpoints_of_another_run_are_refused(typed, refused, spot_file, turn_file, solved):
    typed("spot", "solve", spot_file, "-a", "dcfr", "-n", "5", "--checkpoint", "c")
    typed("solve", "kuhn", "-n", "5", "--checkpoint", "kuhn")
    assert "another spot" in refused("spot", "solve", turn_file, "-n", "9", "--resume", "c")
    assert "dcfr" in refused("spot", "solve", spot_file, "-a", "cfr+", "-n", "9", "--resume", "c")
    assert refused("spot", "solve", spot_file, "-n", "9", "--resume", "kuhn")
    assert refused("spot", "solve", spot_file, "-n", "9", "--resume", solved)
    assert refused("solve", "kuhn", "-n", "9", "--resume", "c")


@pytest.mark.parametrize("option", ["--save", "--checkpoint", "--plot"])
def test_full_disk_at_the_end_does_not_cost_the_answer(typed, monkeypatch, spot_file, option):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("infoset.machine.storage.os.fsync", full)
    answer = typed("spot", "solve", spot_file, "-n", "20", option, "f.svg", "--json")
    assert answer.code == 1
    assert answer.json["iterations"] == 20
    assert "the disk is full" in answer.err


def test_interrupted_run_saves_prints_and_says_how_to_go_on(start, tmp_path):
    files = ("--checkpoint", "run", "--every", "0.1", "--save", "solution")
    process = start("spot", "solve", TURN, "-e", "1e-6%", *files, "--json")
    for _ in range(1200):
        if (tmp_path / "run").exists():
            break
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["stopped_by"] == "interrupt"
    assert f"go on with: infoset spot solve {TURN} -a " in err
    assert "-e 1e-6% --save solution --checkpoint run --resume run" in err
    assert infoset.load(tmp_path / "solution").iterations == found["iterations"]


def test_ctrl_c_after_the_run_costs_nothing_that_is_saved_or_printed(typed, monkeypatch, spot_file):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("infoset.solvers.vector.solution.SpotSolution.view", interrupted)
    answer = typed("spot", "solve", spot_file, "-n", "20", "--save", "s")
    assert answer.code == 1
    assert "exploitability" in answer.out
    assert "Traceback" not in answer.err
    assert infoset.load("s").iterations == 20
    assert typed("spot", "show", "s").code == 1


def test_show_as_json_is_the_view(typed, solved):
    found = typed("spot", "show", solved, "--path", "check, bet 50%", "--json").json
    view = infoset.load(solved).view("check, bet 50")
    assert found["path"] == "check, bet 50"
    assert (found["player"], found["pot"], found["actions"][:2]) == (0, 150, ["fold", "call 50"])
    assert {**found, **view.as_dict()} == found
    assert found["frequencies"] == view.frequencies.tolist()
    assert found["next"] == "OOP acts"


def test_show_says_what_every_hand_does_and_is_worth(typed, solved):
    found = typed("spot", "show", solved, "--json").json
    assert (found["path"], found["player"], found["put"]) == ("", 0, [0, 0])
    strategy = np.array(found["strategy"])
    assert strategy.shape == (3, 9)
    assert strategy.sum(axis=0) == pytest.approx(np.ones(9), abs=1e-5)
    answer = typed("spot", "show", solved, "--path", "check, all-in")
    assert answer.code == 0
    rows = {line.split()[0]: line.split() for line in answer.out.splitlines() if line.strip()}
    # Six high beats nothing: a call costs all 100 chips.
    _, _, fold, _, _, fold_value, call_value, equity = rows["6h5h"]
    assert fold in ("100", ">99.9")
    assert (fold_value, call_value, equity) == ("0.00", "-100.00", "0")
    # Aces that call play for 300 chips, of which 100 are their own.
    found = typed("spot", "show", solved, "--path", "check, a", "--class", "AA", "--json").json
    called = np.array(found["action_values"][1])
    equities = np.array(found["players"][0]["equities"])
    assert called == pytest.approx(300 * equities - 100, abs=1e-2)
    assert len(called) == 6


def test_show_one_hand_or_class(typed, solved):
    found = typed("spot", "show", solved, "--hand", "AhAs", "--json").json
    whole = typed("spot", "show", solved, "--json").json
    assert found["players"][0]["hands"] == ["AsAh"]
    # Not the first one: a wrong row would show.
    row = whole["players"][0]["hands"].index("AsAh")
    assert whole["strategy"][0][row] != whole["strategy"][0][0]
    assert [of[0] for of in found["strategy"]] == [of[row] for of in whole["strategy"]]
    assert found["players"][0]["values"] == [whole["players"][0]["values"][row]]
    # Means are of the whole range all the same.
    assert found["frequencies"] == whole["frequencies"]
    assert found["players"][1] == whole["players"][1]
    aces = typed("spot", "show", solved, "--class", "aa", "--json").json["players"][0]["hands"]
    assert len(aces) == 6
    text = typed("spot", "show", solved, "--class", "65s").out
    assert [line.split()[0] for line in text.splitlines() if "5" in line.split("  ")[0]][-3:] == [
        "6h5h",
        "6d5d",
        "6c5c",
    ]
    theirs = typed("spot", "show", solved, "--player", "ip", "--hand", "QsQh", "--json").json
    assert theirs["players"][1]["hands"] == ["QsQh"]


def test_show_limits_its_rows_unless_asked(typed, tmp_path):
    typed("spot", "solve", "River(5k)", "-n", "2", "--save", "s")
    short, long = (typed("spot", "show", "s", *more).out.splitlines() for more in ([], ["--all"]))
    assert "40 of 1,081 hands" in short[-1]
    assert len(long) > 1081
    assert len(short) < 100


@pytest.mark.parametrize(
    ("path", "following"),
    [
        ("", "OOP acts"),
        ("check", "IP acts"),
        ("check, check", "the river is dealt; add a card to the path to go on"),
        ("check, check, 2h", "OOP acts"),
        ("bet, fold", "the hand is over: IP folded, OOP wins the pot"),
        ("bet, raise a, call", "the hand is over: showdown, once the board is dealt"),
        ("check, check, 2h, check, check", "the hand is over: showdown"),
    ],
)
def test_show_says_what_happens_next(typed, solved_turn, path, following):
    answer = typed("spot", "show", solved_turn, "--path", path, "--quiet")
    assert (answer.code, answer.err) == (0, "")
    lines = [line.strip() for line in answer.out.splitlines()]
    assert [line.removeprefix("next").strip() for line in lines if line.startswith("next")] == [
        following
    ]
    found = typed("spot", "show", solved_turn, "--path", path, "--json").json
    # Without rake, what is in the middle is shared.
    assert sum(found["value"]) == pytest.approx(found["pot"], rel=1e-3)


def test_show_leaves_out_hands_with_a_dealt_card(typed, refused, solved_turn):
    path = ("--path", "check, check, As")
    assert "never has AsAh there" in refused("spot", "show", solved_turn, *path, "--hand", "AsAh")
    hands = typed("spot", "show", solved_turn, *path, "--json").json["players"][0]["hands"]
    assert sorted(hands) == ["6c5c", "6d5d", "6h5h", "AdAc", "AhAc", "AhAd"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--path", "raise"], "step 1"),
        (["--path", "check, bet 77%"], "step 2"),
        (["--path", "check, check, 2h"], "over"),
        (["--path", "check,, check"], "step 2"),
        (["--hand", "AsKx"], "suit"),
        (["--hand", "As"], "two"),
        (["--hand", "AsAs"], "twice"),
        (["--hand", "2c2d"], "never has 2c2d"),
        (["--hand", "KsAs"], "never has"),
        (["--class", "AKx"], "AKs, AKo or 77"),
        (["--class", "KK"], "never has KK"),
        (["--hand", "AsAh", "--class", "AA"], "exclude each other"),
        (["--player", "me"], "oop or ip"),
        (["--plot", "f.jpg"], ".svg"),
        (["--values", "no/f.svg"], "there is no directory"),
        (["--plot", "f.svg", "--values", "f.svg"], "same file"),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_bad_questions(refused, tmp_path, solved, arguments, reason, as_json):
    assert reason in refused("spot", "show", solved, *arguments, *as_json)
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_wrong_kind(typed, refused, tmp_path, kuhn_file, solved, spot_file):
    (tmp_path / "cut").write_bytes(solved.read_bytes()[:-100])
    (tmp_path / "text").write_text("nothing")
    assert "'kuhn'" in refused("spot", "show", kuhn_file)
    assert "not a file of infoset" in refused("spot", "show", "text")
    assert "not a file of infoset" in refused("spot", "show", spot_file)
    assert refused("spot", "show", "cut")
    assert "there is no file" in refused("spot", "show", "none")
    assert "is a directory" in refused("spot", "show", ".")
    typed("spot", "solve", spot_file, "-n", "2", "--checkpoint", "run")
    assert "checkpoint" in refused("spot", "show", "run")
    for command in ("strategy", "evaluate"):
        assert "infoset spot show" in refused(command, solved)


@pytest.fixture(scope="session")
def locked_file(tmp_path_factory):
    """The spot of one street, with a lock."""
    path = tmp_path_factory.mktemp("spots") / "locked.json"
    lock = {"path": "check", "strategy": {"check": "QQ,JJ", "bet 50%": "KhKd"}}
    path.write_text(json.dumps({**SPOT, "lock": [lock]}))
    return path


def test_locked_hands_do_as_they_must(typed, locked_file):
    assert typed("spot", "solve", locked_file, "-n", "50", "--save", "s", "--quiet").code == 0
    shown = typed("spot", "show", "s", "--path", "check", "--json").json
    assert shown["locked"] == 13
    hands = shown["players"][1]["hands"]
    strategy = np.array(shown["strategy"])
    assert strategy[:, hands.index("KhKd")].tolist() == [0.0, 1.0, 0.0]
    assert strategy[:, hands.index("QsQh")].tolist() == [1.0, 0.0, 0.0]
    assert "locked   13 hands" in typed("spot", "show", "s", "--path", "check").out
    assert typed("spot", "show", "s", "--json").json["locked"] == 0
    assert "locked" not in typed("spot", "show", "s").out


def test_the_tree_counts_locks(typed, locked_file, spot_file):
    assert "locked: 1 decision\n" in typed("spot", "tree", locked_file).out
    assert typed("spot", "tree", locked_file, "--json").json["locks"] == 1
    assert typed("spot", "tree", spot_file, "--json").json["locks"] == 0
    assert "locked" not in typed("spot", "tree", spot_file).out


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_a_lock_that_does_not_fit_is_refused(refused, tmp_path, command):
    path = tmp_path / "spot.json"
    lock = {"path": "check", "strategy": {"bet 75%": "QQ"}}
    path.write_text(json.dumps({**SPOT, "lock": [lock]}))
    message = refused("spot", command, path)
    assert "the lock of 'check': 'bet 75%' is no action there: there are check, bet 50" in message
