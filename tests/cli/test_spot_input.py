"""Spots as they are typed: trees before anything is solved, and whatever is wrong with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from infoset.solvers.vector.spot_solver import SpotSolver

from infoset.forms.betting_tree import build_betting_tree
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot_files import parse_spot, read_spot
from infoset.solvers.recipe import Recipe

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
SEVERAL = ROOT / "tests" / "spots" / "spots.json"

GOOD = {
    "board": "Ks9h7d4c2s",
    "range_oop": "QQ+",
    "range_ip": "TT+",
    "pot": 100,
    "stack": 60,
    "bet_sizes": {"bet": "50%", "raise": "a"},
}


def write(folder: Path, **changes: object) -> Path:
    """A spot file with some settings changed; those that are `None` are left out."""
    settings = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    path = folder / "spot.json"
    path.write_text(json.dumps(settings))
    return path


def test_tree_is_the_picture(typed, tmp_path):
    answer = typed("spot", "tree", write(tmp_path))
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "river Ks9h7d4c2s: pot 100, stack 60 (0.6 times the pot)"
    assert "      OOP all-in 60 (5%)" in lines
    assert "memory: 19.8 kB in 32 bits, 18.5 kB in 16 bits (15 and 27 hands)" in lines
    assert lines[-1].startswith("free memory: ")


def test_tree_as_json(typed, tmp_path):
    found = typed("spot", "tree", write(tmp_path), "--json").json
    assert (found["board"], found["pot"], found["hands"]) == ("Ks9h7d4c2s", 100, [15, 27])
    # QQ+ are 18 hands, three of them with the king of the board; TT+ are 30.
    assert found["combos"] == [15.0, 27.0]
    assert found["streets"] == [
        {"street": "river", "boards": 1, "decisions": 6, "folds": 4, "showdowns": 5}
    ]
    for bits in (32, 16):
        solver = SpotSolver(read_spot("spot.json"), Recipe(), bits=bits)
        taken = solver.working_bytes + solver.layout.nbytes
        assert found["memory_bytes"][str(bits)] == pytest.approx(taken, rel=0.01)
    assert parse_spot(found["toml"]) == read_spot("spot.json")
    assert "tree" not in found
    tree = typed("spot", "tree", "spot.json", "--json", "--full").json["tree"]
    assert len(tree) == found["nodes"] == 6 + 9
    assert tree[0]["path"] == ""
    paths = {node["path"]: node for node in tree}
    end = paths["check, bet 50, all-in 60, call 60"]
    assert (end["kind"], end["player"], end["pot"], end["put"]) == ("showdown", None, 220, [60, 60])
    assert paths["bet 50"]["player"] == "ip"


def test_full_draws_every_action(typed):
    spot = EXAMPLES[0]
    size = build_betting_tree(read_spot(spot)).num_nodes
    drawn = typed("spot", "tree", spot, "--full").out
    short = typed("spot", "tree", spot).out
    # Deals have no line of their own.
    assert drawn.count(" OOP ") + drawn.count(" IP ") > short.count(" OOP ") + short.count(" IP ")
    assert len(drawn.splitlines()) > size / 2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_spots_that_fit_a_small_machine(typed, path):
    spot = read_spot(path)
    assert typed("spot", "tree", path, "--json").json["name"] == spot.name == path.stem
    assert cost_of(spot).num_bytes() < 500_000_000


def test_examples_are_found():
    assert [path.name for path in EXAMPLES] == ["flop.toml", "river.toml", "turn.toml"]


def test_random_situations(typed):
    found = typed("spot", "tree", "Turn(5k, seed=3)", "--json").json
    spot = random_situation("Turn(5k)", seed=3)
    assert parse_spot(found["toml"]).board == spot.board
    assert (found["pot"], found["stack"], found["name"]) == (5000, 17500, "Turn(5k) #3")
    assert typed("spot", "tree", "river", "--json").json["street"] == "river"


def test_a_file_named_like_a_situation_is_the_file(typed, tmp_path):
    write(tmp_path).rename(tmp_path / "river")
    assert typed("spot", "tree", "river", "--json").json["pot"] == 100


def test_one_of_several(typed, refused):
    assert typed("spot", "tree", SEVERAL, "--name", "turn_small", "--json").json["pot"] == 200
    sentence = refused("spot", "tree", SEVERAL)
    assert "turn_small" in sentence
    assert "--name" in sentence
    assert "did you mean 'turn_small'" in refused("spot", "tree", SEVERAL, "--name", "turn_smal")
    assert "has no name, so 'x'" in refused("spot", "tree", "River(5k)", "--name", "x")


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
    ({"bet_sizes": {"preflop": {}}}, "no key 'preflop'"),
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
def test_bad_spots_are_refused_in_a_sentence(refused, tmp_path, command, changes, reason):
    sentence = refused("spot", command, write(tmp_path, **changes))
    assert reason in sentence
    assert sentence.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["spot.json"]


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_files_that_are_no_spots(refused, tmp_path, kuhn_file, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "half.json").write_text('{"board": ')
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    for name, reason in (
        ("none.toml", "there is no file"),
        ("none", "no spot file 'none', and it is no random situation"),
        ("n" * 5000, "no spot file 'nnn"),
        ("folder", "is a directory"),
        ("binary.toml", "no text in UTF-8"),
        ("list.json", "not an object"),
        ("half.json", "not JSON"),
        ("empty.toml", "needs its board"),
        ("huge.toml", "larger than"),
        ("", "is a directory"),
        ("River(5kk)", "not a kind of situation"),
        ("River(7)", "even number"),
        ("Turn(", "not a kind of situation"),
        (str(kuhn_file), "no text in UTF-8"),
    ):
        assert reason in refused("spot", command, name), name


@pytest.mark.parametrize("command", ["tree", "solve"])
def test_a_tree_of_too_many_actions_is_refused(refused, tmp_path, command):
    sizes = ", ".join(f"{percent}%" for percent in range(5, 100, 5))
    menu = {"bet": sizes, "raise": sizes}
    path = write(tmp_path, board="Ks9h7d", stack=1_000_000, bet_sizes=menu)
    assert "nodes" in refused("spot", command, path)


def test_help_has_examples(typed):
    for words in (["spot"], ["spot", "-h"]):
        answer = typed(*words)
        assert answer.code == 0
        for name in ("tree", "solve", "show"):
            assert f"  {name} " in answer.out
        assert "..." not in answer.out.partition("Commands:")[2], "a description was cut short"
    for name in ("tree", "solve", "show"):
        assert f"Example: infoset spot {name} " in typed("spot", name, "--help").out


@pytest.mark.parametrize("words", [["spot"], ["spot", "solve", "-h"], ["spot", "show", "-h"]])
def test_help_imports_nothing_heavy(words):
    script = (
        "import sys, atexit\n"
        "heavy = ('numpy', 'numba', 'matplotlib', 'infoset.api', 'infoset.games.holdem')\n"
        "atexit.register(lambda: print([n for n in heavy if n in sys.modules], file=sys.stderr))\n"
        "from infoset.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
