"""Help, version, games and algorithms."""

from __future__ import annotations

import csv
import io

import pytest

from infoset.games import known_games
from infoset.solvers.neural_presets import NEURAL
from infoset.solvers.presets import PRESETS
from infoset.version import __version__

COMMANDS = ["games", "algorithms", "tree", "solve", "show", "evaluate", "compare", "reproduce"]


def test_alone_it_shows_its_help(typed):
    alone, asked = typed(), typed("--help")
    assert alone.code == asked.code == 0
    assert alone.out.strip() == asked.out.strip()
    for command in COMMANDS:
        assert f"\n  {command} " in alone.out
    assert "..." not in alone.out.partition("Commands:")[2], "a description was cut short"


def test_version(typed):
    assert typed("--version").out == f"infoset {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_ends_with_an_example_and_offers_json(typed, command):
    answer = typed(command, "--help")
    assert answer.code == 0
    last = answer.out.strip().splitlines()[-1].strip()
    assert last.startswith(f"Example: infoset {command}")
    assert "--json" in answer.out
    assert "--csv" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def test_games_as_text(typed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = typed("games").out
    for game in known_games():
        assert game.name in text
        assert game.summary in text
    assert "stack=5  chips of each player (a whole number from 2 to 1000)" in text
    assert "open_spiel:NAME" in text
    assert ".efg" in text
    assert ".toml" in text


def test_games_as_json(typed):
    games = {game["name"]: game for game in typed("games", "--json").json["games"]}
    assert list(games) == [game.name for game in known_games()]
    stack = next(p for p in games["nolimit_leduc"]["parameters"] if p["name"] == "stack")
    assert (stack["default"], stack["low"], stack["high"]) == (5, 2, 1000)


def test_games_and_algorithms_as_csv(typed):
    rows = list(csv.DictReader(io.StringIO(typed("games", "--csv").out)))
    assert {row["game"] for row in rows} == {game.name for game in known_games()}
    (stack,) = [r for r in rows if (r["game"], r["parameter"]) == ("nolimit_leduc", "stack")]
    assert (stack["default"], stack["accepts"]) == ("5", "a whole number from 2 to 1000")
    rows = list(csv.DictReader(io.StringIO(typed("algorithms", "--csv").out)))
    assert list(dict.fromkeys(row["algorithm"] for row in rows)) == [
        *PRESETS,
        "cfr-d",
        "xfp",
        "lp",
        *NEURAL,
    ]


def test_algorithms(typed, monkeypatch):
    listed = typed("algorithms", "--json").json["algorithms"]
    assert [algorithm["name"] for algorithm in listed] == [*PRESETS, "cfr-d", "xfp", "lp", *NEURAL]
    monkeypatch.setenv("COLUMNS", "200")
    text = typed("algorithms").out
    for algorithm in listed:
        assert algorithm["citation"] in text
        assert algorithm["use"] in text


def test_lines_are_not_padded_and_fold_to_narrow_terminals(typed, monkeypatch):
    for command in ("games", "algorithms", "reproduce"):
        lines = typed(command).out.splitlines()
        assert not any(line.endswith(" ") for line in lines)
        assert max(map(len, lines[:-1])) <= 80
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, typed("games").out.splitlines()[:-1])) <= 50


@pytest.mark.parametrize(
    "arguments", [["slove"], ["spot"], ["strategy"], ["solve"], ["games", "x"], ["--nope"]]
)
def test_usage_errors(refused, arguments):
    assert "Error" in refused(*arguments)
