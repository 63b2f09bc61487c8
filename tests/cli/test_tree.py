"""Games and spots before they are solved: size, memory and tree."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import infoset
from infoset.explore.tree_text import cost_text
from infoset.forms.betting_tree import build_betting_tree
from infoset.forms.public_memory import cost_of
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.spot_files import parse_spot, read_spot
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.solver import VectorSolver

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))


def test_a_spot_as_text(typed, write_spot):
    answer = typed("tree", write_spot())
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "river Ks9h7d4c2s: pot 100, stack 60 (0.6 times the pot)"
    assert "      OOP all-in 60 (5%)" in lines
    memory = cost_text(cost_of(read_spot("spot.json"))).splitlines()[-1]
    assert memory in lines
    assert memory.startswith("memory: ")
    assert memory.endswith("(15 and 27 hands)")
    assert lines[-1].startswith("free memory: ")


def test_a_spot_as_json(typed, write_spot):
    found = typed("tree", write_spot(), "--json").json
    assert (found["board"], found["pot"], found["hands"]) == ("Ks9h7d4c2s", 100, [15, 27])
    # QQ+ are 18 hands, three of them with the king of the board; TT+ are 30.
    assert found["combos"] == [15.0, 27.0]
    assert found["streets"] == [
        {"street": "river", "boards": 1, "decisions": 6, "folds": 4, "showdowns": 5}
    ]
    for bits in (32, 16):
        solver = VectorSolver(form_of_spot(read_spot("spot.json")), Recipe(), None, bits=bits)
        taken = solver.working_bytes + solver.form_bytes
        assert found["memory_bytes"][str(bits)] == pytest.approx(taken, rel=0.01)
    assert parse_spot(found["toml"]) == read_spot("spot.json")
    assert "tree" not in found
    tree = typed("tree", "spot.json", "--json", "--full").json["tree"]
    assert len(tree) == found["nodes"] == 6 + 9
    assert tree[0]["path"] == ""
    paths = {node["path"]: node for node in tree}
    end = paths["check, bet 50, all-in 60, call 60"]
    assert (end["kind"], end["player"], end["pot"], end["put"]) == ("showdown", None, 220, [60, 60])
    assert paths["bet 50"]["player"] == "ip"


def test_full_draws_every_action(typed):
    spot = EXAMPLES[0]
    size = build_betting_tree(read_spot(spot)).num_nodes
    drawn = typed("tree", spot, "--full").out
    short = typed("tree", spot).out
    # Deals have no line of their own.
    assert drawn.count(" OOP ") + drawn.count(" IP ") > short.count(" OOP ") + short.count(" IP ")
    assert len(drawn.splitlines()) > size / 2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_spots_that_fit_a_small_machine(typed, path):
    spot = read_spot(path)
    assert typed("tree", path, "--json").json["name"] == spot.name == path.stem
    assert cost_of(spot).num_bytes() < 500_000_000


def test_examples_are_found():
    assert [path.name for path in EXAMPLES] == ["flop.toml", "river.toml", "turn.toml"]


def test_the_nodes_of_a_spot_as_csv(typed, write_spot):
    rows = list(csv.DictReader(io.StringIO(typed("tree", write_spot(), "--csv").out)))
    assert len(rows) == 6 + 9
    tree = typed("tree", "spot.json", "--json", "--full").json["tree"]
    assert [row["path"] for row in rows] == [node["path"] for node in tree]
    assert [[int(row["put_oop"]), int(row["put_ip"])] for row in rows] == [n["put"] for n in tree]


def test_the_tree_counts_locks(typed, locked_file, spot_file):
    assert "locked: 1 decision\n" in typed("tree", locked_file).out
    assert typed("tree", locked_file, "--json").json["locks"] == 1
    assert typed("tree", spot_file, "--json").json["locks"] == 0
    assert "locked" not in typed("tree", spot_file).out


def test_a_game_as_text(typed):
    answer = typed("tree", "kuhn", "--full", "-q")
    assert (answer.code, answer.err) == (0, "")
    facts, _, drawn = answer.out.partition("\n\n")
    assert "histories    58 (30 terminal, 4 of chance)" in facts
    assert "infosets     12 (6 of player 0, 6 of player 1)" in facts
    assert "sequences    24 (12 of player 0, 12 of player 1)" in facts
    assert "public form  yes: 1 street, 3 hands" in facts
    for word in ("memory", "kept", "free memory"):
        assert word in facts
    lines = drawn.splitlines()
    assert len(lines) == 58
    assert lines[:4] == [
        "chance",
        "  J (1/3): chance",
        "    Q (1/2): player 0 at 'J:'",
        "      check: player 1 at 'Q:check'",
    ]
    assert drawn.count("player 0 wins") == 30


@pytest.mark.parametrize(
    "game", ["kuhn", "leduc", "leduc5", "goofspiel", "liars_dice", "one_card", "holdem"]
)
def test_the_tree_of_a_game_is_cut_to_fit(typed, game):
    answer = typed("tree", game, "-q")
    assert answer.code == 0
    lines = answer.out.partition("\n\n")[2].splitlines()
    assert 8 < len(lines) <= 40
    assert any("more outcome" in line or "actions)" in line for line in lines)
    assert max(map(len, answer.out.splitlines())) <= 80


def test_a_game_as_json_has_the_numbers_of_its_forms(typed):
    found = typed("tree", "leduc", "--json").json
    form = infoset.compile("leduc")
    assert found["infosets"] == [468, 468]
    assert sum(found["sequences"]) == form.num_sequences == 2184
    assert found["histories"] == form.history.num_nodes
    assert found["public_form"]
    solution = infoset.solve("leduc", "dcfr", iterations=1)
    assert found["memory_bytes"]["kept"] == solution.space.kept
    assert found["memory_bytes"]["solver"] == solution.space.solver
    assert found["memory_bytes"]["form"] == solution.space.form
    assert not typed("tree", "goofspiel(cards=3)", "--json").json["public_form"]


def test_the_histories_of_a_game_as_json_and_csv(typed):
    tree = typed("tree", "kuhn", "--json", "--full").json["tree"]
    rows = list(csv.DictReader(io.StringIO(typed("tree", "kuhn", "--csv", "--full").out)))
    assert len(tree) == len(rows) == 58
    by_path = {node["path"]: node for node in tree}
    assert list(by_path) == [row["path"] for row in rows]
    end = by_path["J, Q, check, bet, fold"]
    assert (end["player"], end["payoff"], end["children"]) == ("terminal", -1.0, 0)
    assert by_path["J, Q"] == {
        "path": "J, Q",
        "player": 0,
        "infoset": "J:",
        "probability": 0.5,
        "payoff": None,
        "children": 2,
    }


def test_a_game_too_large_to_compile_says_so_and_shows_how_it_begins(typed):
    answer = typed("tree", "holdem", "-q")
    assert answer.code == 0
    assert "too large to compile: holdem has at least" in answer.out
    assert "es-mccfr" in answer.out
    assert "2d2c (1/1326): chance" in answer.out
    assert "more actions" in answer.out
    found = typed("tree", "holdem", "--json").json
    assert not found["compiles"]
    assert found["histories_at_least"] > 10**12
    assert found["memory_bytes_at_least"] > 10**12


def test_games_in_files(typed):
    infoset.write_efg(infoset.game("kuhn"), "kuhn.efg")
    found = typed("tree", "kuhn.efg", "--json").json
    assert (found["infosets"], found["public_form"]) == ([6, 6], False)


def test_one_kind_of_output(refused):
    assert "exclude each other" in refused("tree", "kuhn", "--json", "--csv")


def test_a_spot_before_the_flop_has_a_tree_but_no_size_yet(typed, write_spot):
    sizes = {"bet": "50%", "raise": "a"}
    spot = write_spot(board="", pot=0, stack=2000, blinds=[50, 100], bet_sizes=sizes)
    answer = typed("tree", spot)
    assert answer.code == 0
    assert "a spot before the flop has no public form yet" in answer.out
    found = typed("tree", spot, "--json").json
    assert (found["street"], found["stack"]) == ("preflop", 2000)
    assert "has no public form yet" in found["reason"]
