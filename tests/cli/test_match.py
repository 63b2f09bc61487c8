"""Matches on the command line: what is printed, what is refused, and what survives any end."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

import infoset
from infoset.agents import StrategyAgent, Uniform, play_match, replay_match
from infoset.cli.progress import LiveLine
from infoset.games import make
from infoset.strategy import purify


@pytest.fixture(scope="session")
def leduc_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "leduc.infoset"
    infoset.solve("leduc", "cfr+", iterations=30).save(path)
    return path


def test_json_is_the_result(typed, leduc_file):
    answer = typed("match", "leduc", leduc_file, "uniform", "--hands", 5000, "--seed", 3, "--json")
    assert answer.code == 0
    found = answer.json
    agent = StrategyAgent(make("leduc"), infoset.load(leduc_file).strategy)
    same = play_match(make("leduc"), agent, Uniform(), hands=5000, seed=3)
    for name in ("mean", "standard_error", "low", "high"):
        assert found[name] == getattr(same, name)
    assert found["hands"] == found["wanted"] == 5000
    assert found["agents"] == [str(leduc_file), "uniform"]
    assert found["is_compiled"]
    assert found["way"] == "plain"
    assert found["stopped_by"] == "hands"
    assert found["duplicate"] is None


def test_the_file_of_a_solution_is_a_game(typed, leduc_file):
    words = ("--hands", 100, "--json")
    answers = [
        typed("match", game, leduc_file, "uniform", *words).json for game in (leduc_file, "leduc")
    ]
    assert answers[0]["game"] == "leduc"
    assert answers[0]["plain"] == answers[1]["plain"]


def test_what_is_exploitable_is_told_beside_what_is_won(typed, leduc_file):
    words = ("leduc", f"purify({leduc_file})", leduc_file, "--hands", 100)
    strategy = infoset.load(leduc_file).strategy
    exact = [infoset.exploitability("leduc", each) for each in (purify(strategy), strategy)]
    assert typed("match", *words, "--json").json["exploitability"] == exact
    assert f"(exploitability {exact[0]:.6g} chips)" in typed("match", *words).out
    words = ("leduc", "call", leduc_file, "--hands", 100, "--json")
    assert typed("match", *words).json["exploitability"] == [None, exact[1]]


def test_text_has_every_way_side_by_side(typed, leduc_file):
    arguments = ("match", "leduc", leduc_file, "call", "--hands", 4000, "--duplicate")
    out = typed(*arguments).out
    for words in ("A wins", "plain", "duplicate", "hands needed", "95% from", "A is ahead"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80
    found = typed(*arguments, "--json").json
    assert found["mean"] == found["duplicate"]["mean"] == pytest.approx(found["plain"]["mean"])
    assert found["duplicate"]["hands_needed"] == 4000
    assert found["plain"]["hands_needed"] > 4000


def test_big_blinds_are_told(typed):
    arguments = ("match", "holdem(stack=1000,raises=pot)", "fold", "call", "--hands", 60)
    found = typed(*arguments, "--json").json
    assert found["big_blind"] == 100
    assert found["mean_mbb"] == pytest.approx(10 * found["mean"])
    assert "mbb" in typed(*arguments).out


def test_a_file_is_read_anew(typed):
    """By every command, even in one process and by the same name."""
    found = []
    for iterations in (1, 200):
        infoset.solve("leduc", "cfr+", iterations=iterations).save("mine")
        found.append(typed("match", "leduc", "mine", "uniform", "--hands", 2000, "--json").json)
    assert found[0]["mean"] != found[1]["mean"]


def test_games_of_any_kind(typed, write_spot, leduc_file):
    for target in ("rps", "liars_dice(faces=2)", "goofspiel(cards=3)", write_spot()):
        found = typed("match", target, "uniform", "uniform", "--hands", 50, "--json").json
        assert found["hands"] == 50


def test_a_log_is_written_and_resumed(typed, leduc_file, tmp_path):
    words = ("match", "leduc", leduc_file, "call", "--duplicate", "--json")
    typed(*words, "--hands", 100, "--log", "log")
    longer = typed(*words, "--hands", 300, "--resume", "log").json
    whole = typed(*words, "--hands", 300, "--log", "whole").json
    assert {**longer, "seconds": 0} == {**whole, "seconds": 0}
    assert (tmp_path / "log").read_bytes() == (tmp_path / "whole").read_bytes()
    assert replay_match(tmp_path / "log").figures.plain.num == 300


def test_the_live_line_has_the_running_interval(typed, monkeypatch):
    shown = []
    monkeypatch.setattr(LiveLine, "show", lambda line, share, state: shown.append((share, state)))
    assert typed("match", "kuhn", "uniform", "call", "--hands", 300).code == 0
    share, state = shown[-1]
    assert share == 1.0
    assert state.startswith("300 of 300 hands")
    assert "A wins" in state
    assert "±" in state


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("kuhn", "uniform", "call", "--hands", 0), "hands must be a whole number from 1"),
        (("kuhn", "uniform", "call", "--hands", -3), "hands must be"),
        (("kuhn", "uniform", "call", "--hands", 9, "--duplicate"), "9 cannot be: play 10"),
        (("kuhn", "uniform", "call", "--seed", -1), "seed must be"),
        (("kuhn", "uniform", "call", "--threads", 0), "threads must be"),
        (("kuhn", "unifrom", "call"), "did you mean 'uniform'"),
        (("kuhn", "uniform", ""), "B is empty"),
        (("ledcu", "uniform", "call"), "did you mean 'leduc'"),
        (("rps", "uniform", "call"), "it plays poker"),
        (("kuhn", "uniform", "nothing.infoset"), "nothing.infoset"),
        (("kuhn", "uniform", "call", "--log", "no/log"), "there is no directory"),
        (("kuhn", "uniform", "call", "--log", "."), "--log"),
        (("kuhn", "uniform", "call", "--resume", "nothing"), "there is no file 'nothing'"),
        (("kuhn", "uniform", "call", "--resume", "text"), "line 1: this is no JSON"),
        (("kuhn", "uniform", "call", "--resume", "cut"), "not the log of a match"),
        (("kuhn", "uniform", "call", "--log", "text"), "is there already"),
        (("kuhn", "uniform", "call", "--log", "a", "--resume", "text"), "in its own log"),
    ],
)
def test_bad_input_is_refused(arguments, words, refused, tmp_path):
    (tmp_path / "text").write_text("a shopping list\n")
    (tmp_path / "cut").write_text('{"infoset": 1')
    assert words in refused("match", *arguments)


def test_an_agent_for_another_game_is_refused(refused, leduc_file):
    said = refused("match", "kuhn", leduc_file, "uniform")
    assert "'leduc'" in said
    assert "kuhn" in said


def test_a_forged_log_is_refused_with_its_line(typed, refused, tmp_path):
    words = ("match", "kuhn", "uniform", "call")
    typed(*words, "--hands", 20, "--log", "log")
    text = (tmp_path / "log").read_text().replace('"hand": 7,', '"hand": 8,')
    (tmp_path / "log").write_text(text)
    said = refused(*words, "--hands", 30, "--resume", "log")
    assert "'log', line 9: this is hand '8', but hand 7 comes next" in said
    assert (tmp_path / "log").read_text() == text
    assert "seed of the log is '0'" in refused(*words, "--seed", 1, "--resume", "log")


LONG = ("match", "kuhn", "uniform", "call", "--hands", 10**7, "--log", "log")


def wait_until(condition, process):
    for _ in range(1200):
        if condition():
            return
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("it never came to that")


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def children(process):
    """The processes that a process has started."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def is_there(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def check_resumed(typed, tmp_path):
    """What was played is there, and going on equals a match that was never stopped."""
    log = tmp_path / "log"
    played = log.read_bytes().count(b"\n") - 1
    hands = played + 300
    resumed = typed("match", "kuhn", "uniform", "call", "--hands", hands, "--resume", "log", "-q")
    assert resumed.code == 0
    typed("match", "kuhn", "uniform", "call", "--hands", hands, "--log", "whole", "-q")
    assert log.read_bytes() == (tmp_path / "whole").read_bytes()
    return played


@pytest.mark.parametrize("threads", [1, 2])
def test_kill_loses_nothing(start, typed, tmp_path, threads):
    process = start(*LONG, "--threads", threads)
    log = tmp_path / "log"
    others: list[int] = []
    if threads == 1:
        wait_until(lambda: size(log) > 100_000, process)
    else:
        wait_until(lambda: len(children(process)) > threads, process)
        before = size(log)
        wait_until(lambda: size(log) > before + 10_000, process)
        others = children(process)
    process.kill()
    process.communicate(timeout=60)
    for _ in range(200):
        if not any(map(is_there, others)):
            break
        time.sleep(0.05)
    assert not any(map(is_there, others))
    assert check_resumed(typed, tmp_path) > 500


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_counts_what_was_played(start, typed, tmp_path, threads):
    """Pressed in a terminal, it reaches workers as well, which say nothing."""
    process = start(*LONG, "--threads", threads, "--json", start_new_session=True)
    wait_until(lambda: size(tmp_path / "log") > 20_000, process)
    if threads > 1:
        wait_until(lambda: len(children(process)) > threads, process)
        before = size(tmp_path / "log")
        wait_until(lambda: size(tmp_path / "log") > before + 50_000, process)
        # Ignored by the workers, whatever the first one does: there is time to hear of it.
        for worker in children(process):
            os.kill(worker, signal.SIGINT)
        time.sleep(0.5)
        assert len(children(process)) > threads
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "vanished" not in err
    found = json.loads(out)
    assert found["stopped_by"] == "interrupt"
    assert 0 < found["hands"] < found["wanted"] == 10**7
    assert f"interrupted after {found['hands']:,} of 10,000,000 hands; go on with: " in err
    assert "--resume log" in err
    assert check_resumed(typed, tmp_path) == found["hands"]


def test_ctrl_c_on_the_compiled_game(start, leduc_file):
    process = start(
        "match", "leduc", leduc_file, "uniform", "--hands", 10**11, "--json", ready="go"
    )
    assert process.stdout.readline() == "go\n"
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    if out:  # else it was still being built
        assert json.loads(out)["hands"] > 1000


def test_replay_says_again_what_was_won(typed, leduc_file):
    words = ("match", "leduc", leduc_file, "call", "--hands", 200, "--duplicate", "--log", "log")
    played = typed(*words, "--json").json
    found = typed("replay", "log", "--json").json
    same = ("game", "agents", "hands", "seed", "way", "is_compiled", "stopped_by")
    assert {name: found[name] for name in same} == {name: played[name] for name in same}
    for name in ("mean", "standard_error", "low", "high"):
        assert found[name] == pytest.approx(played[name], abs=1e-12)
    out = typed("replay", "log").out
    assert "all payoffs are right" in out
    assert "duplicate" in out


def test_replay_shows_a_hand(typed, write_spot):
    spot = write_spot()
    typed("match", spot, "uniform", "uniform", "--hands", 4, "--log", "log")
    found = typed("replay", "log", "--game", spot, "--hand", 3, "--json").json
    assert found["hand"] == 3
    assert found["seats"] == ["uniform", "uniform"]
    assert found["won_by_a"] == -found["payoff"]
    assert ", ".join(found["steps"][:2]) in typed("replay", "log", "--game", spot, "--hand", 3).out


def test_the_file_of_a_solution_is_the_game_of_a_log(typed, write_spot):
    typed("solve", write_spot(), "-n", 5, "--threads", 1, "--save", "solution")
    played = typed("match", "solution", "solution", "call", "--hands", 4, "--log", "log", "--json")
    found = typed("replay", "log", "--game", "solution", "--json")
    assert found.json["mean"] == played.json["mean"]


def test_what_cannot_be_replayed_is_refused(typed, refused, write_spot, tmp_path):
    typed("match", "kuhn", "uniform", "call", "--hands", 9, "--log", "log")
    assert "has no hand 9" in refused("replay", "log", "--hand", 9)
    assert "has no hand -1" in refused("replay", "log", "--hand", -1)
    assert f"has no hand {10**30}" in refused("replay", "log", "--hand", 10**30)
    assert "not of 'leduc'" in refused("replay", "log", "--game", "leduc")
    assert "there is no file" in refused("replay", "nothing")
    (tmp_path / "log").write_text(
        (tmp_path / "log").read_text().replace('"payoff": 1', '"payoff": 9')
    )
    assert "by the rules player 0 won 1" in refused("replay", "log")
    typed("match", write_spot(), "uniform", "uniform", "--hands", 4, "--log", "spot")
    assert "its game is needed to replay it: give --game" in refused("replay", "spot")
