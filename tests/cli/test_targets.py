"""Targets as they are typed, and whatever is wrong with them, for `tree` and `solve` alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot_files import parse_spot

ROOT = Path(__file__).parents[2]
SEVERAL = ROOT / "tests" / "reference_spots.json"


def test_random_situations(typed):
    found = typed("tree", "Turn(5k, seed=3)", "--json").json
    spot = random_situation("Turn(5k)", seed=3)
    assert parse_spot(found["toml"]).board == spot.board
    assert (found["pot"], found["stack"], found["name"]) == (5000, 17500, "Turn(5k) #3")
    assert typed("tree", "river", "--json").json["street"] == "river"


def test_a_file_named_like_a_situation_is_the_file(typed, tmp_path, write_spot):
    write_spot().rename(tmp_path / "river")
    assert typed("tree", "river", "--json").json["pot"] == 100


def test_one_of_several(typed, refused):
    assert typed("tree", SEVERAL, "--name", "turn_small", "--json").json["pot"] == 200
    sentence = refused("tree", SEVERAL)
    assert "turn_small" in sentence
    assert "--name" in sentence
    assert "did you mean 'turn_small'" in refused("tree", SEVERAL, "--name", "turn_smal")
    assert "has no name, so 'x'" in refused("tree", "River(5k)", "--name", "x")


def test_a_file_named_like_a_game_is_not_meant(typed, tmp_path):
    (tmp_path / "kuhn").write_bytes(bytes(range(256)))
    (tmp_path / "leduc").mkdir()
    assert typed("solve", "kuhn", "-n", "2", "--save", "kuhn", "--json").json["iterations"] == 2
    assert typed("solve", "kuhn", "-n", "3", "--save", "kuhn", "--json").json["iterations"] == 3
    assert typed("tree", "leduc", "--json").json["histories"] == 9457


def test_a_pipe_is_not_waited_for(refused, tmp_path):
    for name in ("pipe.toml", "pipe.efg"):
        os.mkfifo(tmp_path / name)
        assert "not a regular file" in refused("tree", name)
        assert "not a regular file" in refused("solve", name)


BAD = [
    ({"board": "Ks9h7d4cKs"}, "Ks is there twice"),
    ({"board": "Ks9h"}, "2 cards"),
    ({"board": "Ks9h7d4c2s3s"}, "6 cards"),
    ({"board": ""}, "board"),
    ({"board": "Ks9h7x"}, "expected a suit"),
    ({"board": 7}, "the board must be text"),
    ({"range_oop": ""}, "range"),
    ({"range_oop": "AA:0"}, "empty"),
    ({"range_oop": "KsKh"}, "shares a card with the board"),
    ({"range_oop": "AsAh", "range_ip": "AsAd"}, "conflict"),
    ({"range_ip": "AKx"}, "character 3"),
    ({"range_ip": None}, "range_ip"),
    ({"stack": 0}, "stack must be above zero"),
    ({"stack": -5}, "stack must be above zero"),
    ({"pot": 0}, "pot must be above zero"),
    ({"pot": 6.5}, "whole chips"),
    ({"pot": 10**12}, "huge"),
    ({"pot": "many"}, "must be a number"),
    ({"bet_sizes": {"bet": "-50%"}}, "bet_sizes.bet"),
    ({"bet_sizes": {"bet": "9999999%"}}, "bet_sizes.bet"),
    ({"bet_sizes": {"bet": "2x"}}, "raise"),
    ({"bet_sizes": {"postflop": {}}}, "no key 'postflop'"),
    ({"bet_sizes": "50%"}, "table"),
    ({"donk": {"flop": "50%"}}, "flop"),
    ({"opening": "50%"}, "list of sizes"),
    ({"rake": 1.5}, "more than the whole pot"),
    ({"rake": -0.1}, "rake"),
    ({"rake_cap": -1}, "rake_cap"),
    ({"big_blind": 0}, "big blind"),
    ({"add_allin_threshold": -1}, "add_allin_threshold"),
    ({"bords": "x"}, "no setting 'bords'; did you mean 'board'"),
]


@pytest.mark.parametrize("command", ["tree", "solve"])
@pytest.mark.parametrize(("changes", "reason"), BAD, ids=lambda given: str(given)[:40])
def test_bad_spots_are_refused_in_a_sentence(
    refused, tmp_path, write_spot, command, changes, reason
):
    sentence = refused(command, write_spot(**changes))
    assert reason in sentence
    assert sentence.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["spot.json"]


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_files_that_are_no_spots(refused, tmp_path, kuhn_file, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "half.json").write_text('{"board": ')
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    for name, reason in (
        ("none.toml", "there is no file"),
        ("none", "there is no game 'none'"),
        ("n" * 5000, "at most 1,000 are read"),
        ("folder", "there is no game 'folder'"),
        ("folder.toml", "is a directory"),
        ("binary.toml", "no text in UTF-8"),
        ("list.json", "not an object"),
        ("half.json", "not JSON"),
        ("empty.toml", "needs its board"),
        ("huge.toml", "larger than"),
        ("", "cannot read"),
        ("River(5kk)", "not a kind of situation"),
        ("River(7)", "even number"),
        ("Turn(", "not a kind of situation"),
        (str(kuhn_file), "no text in UTF-8"),
    ):
        assert reason in refused(command, name), name[:40]


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_a_tree_of_too_many_actions_is_refused(refused, write_spot, command):
    sizes = ", ".join(f"{percent}%" for percent in range(5, 100, 5))
    menu = {"bet": sizes, "raise": sizes}
    path = write_spot(board="Ks9h7d", stack=1_000_000, bet_sizes=menu)
    assert "nodes" in refused(command, path)


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_a_lock_that_does_not_fit_is_refused(refused, write_spot, command):
    lock = {"path": "check", "strategy": {"bet 75%": "QQ"}}
    message = refused(command, write_spot(lock=[lock]))
    assert "the lock of 'check': 'bet 75%' is no action there: there are check, bet 50" in message
