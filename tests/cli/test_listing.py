"""Help, version, games and algorithms."""

from __future__ import annotations

import pytest

from infoset.games import known_games
from infoset.solvers.presets import PRESETS
from infoset.version import __version__

COMMANDS = ["games", "algorithms", "solve", "evaluate", "strategy", "compare", "reproduce"]


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


def test_games_as_text(typed):
    text = typed("games").out
    for game in known_games():
        assert game.name in text
        assert game.summary in text
    assert "stack=5  chips of each player (a whole number from 2 to 1000)" in text
    assert "open_spiel:NAME" in text
    assert ".efg" in text


def test_games_as_json(typed):
    games = {game["name"]: game for game in typed("games", "--json").json["games"]}
    assert list(games) == [game.name for game in known_games()]
    stack = next(p for p in games["nolimit_leduc"]["parameters"] if p["name"] == "stack")
    assert (stack["default"], stack["low"], stack["high"]) == (5, 2, 1000)


def test_algorithms(typed):
    listed = typed("algorithms", "--json").json["algorithms"]
    assert [algorithm["name"] for algorithm in listed] == [*PRESETS, "xfp", "lp"]
    text = typed("algorithms").out
    for algorithm in listed:
        assert algorithm["citation"] in text
        assert algorithm["use"] in text


def test_lines_are_not_padded_and_fold_to_narrow_terminals(typed, monkeypatch):
    assert not any(line.endswith(" ") for line in typed("games").out.splitlines())
    monkeypatch.setenv("COLUMNS", "50")
    assert max(map(len, typed("games").out.splitlines()[:-1])) <= 50


@pytest.mark.parametrize("arguments", [["slove"], ["solve"], ["games", "x"], ["--nope"]])
def test_usage_errors(refused, arguments):
    assert "Error" in refused(*arguments)
