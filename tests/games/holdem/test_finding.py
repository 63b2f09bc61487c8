"""Which spot is meant: a spot, a file, or a random situation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import infoset
from infoset.errors import BadInputError, StorageError
from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot_files import write_spot
from infoset.interop import find_rules
from spots_for_tests import RIVER


def test_a_spot_is_given_as_it_is_as_a_file_or_as_a_situation(tmp_path):
    write_spot(tmp_path / "spot.toml", RIVER)
    for path in (tmp_path / "spot.toml", str(tmp_path / "spot.toml")):
        assert infoset.solve(path, iterations=1).spot == RIVER
    solution = infoset.solve("river(5k, seed=3)", iterations=1)
    assert solution.spot == random_situation("river(5k)", 3)


def test_a_file_named_like_a_situation_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_rules("River(5k)").pot == 5000
    write_spot("River(5k)", RIVER)
    assert find_rules("River(5k)") == RIVER


def test_one_of_several_is_chosen_by_name(tmp_path):
    path = tmp_path / "spots.json"
    path.write_text(
        json.dumps(
            {
                "spots": [
                    {"name": name, "board": "Ks9h7d4c2s", "range_oop": "AA", "range_ip": "KK"}
                    | {"pot": pot, "stack": 50}
                    for name, pot in (("small", 10), ("large", 90))
                ]
            }
        )
    )
    assert find_rules(path, "large").pot == find_rules(str(path), "large").pot == 90
    with pytest.raises(BadInputError, match="choose one: small, large"):
        find_rules(path)
    with pytest.raises(BadInputError, match="a random situation has no name, so 'large'"):
        find_rules("River(5k)", "large")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("nothing.toml", StorageError, "nothing.toml.*No such file"),
        ("River(5k", BadInputError, "'River\\(5k' is not a kind of situation"),
        ("Rivr(5k)", BadInputError, "cannot read the name 'Rivr\\(5k\\)'"),
        ("a\0b", BadInputError, "cannot read the name"),
        (5, BadInputError, "int is not a game: a game is a name, a path"),
        (Path("."), StorageError, "Is a directory"),
    ],
)
def test_what_is_no_spot(given, error, message):
    with pytest.raises(error, match=message):
        find_rules(given)
