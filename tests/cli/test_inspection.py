"""Looking at saved solutions."""

from __future__ import annotations

import csv
import io

import pytest

import infoset


def test_evaluate(typed, kuhn_file):
    answer = typed("evaluate", kuhn_file, "--json")
    assert answer.code == 0
    found = answer.json
    solution = infoset.load(kuhn_file)
    assert found["value"] == pytest.approx(solution.value, abs=1e-12)
    assert found["exploitability"] == pytest.approx(solution.exploitability, abs=1e-12)
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
    assert found["best_response_values"] == [
        infoset.best_response("kuhn", solution, player).value for player in (0, 1)
    ]
    text = typed("evaluate", kuhn_file).out
    for word in ("value", "best response of player 1", "NashConv", "exploitability", "own reach"):
        assert word in text


def test_evaluate_names_what_would_gain_most(typed, tmp_path):
    """Uniform Kuhn: with a jack, calling a bet always loses, and folding saves a chip of it."""
    infoset.solve("kuhn", "cfr(alternating=false)", iterations=1).save("uniform")
    worst = typed("evaluate", "uniform", "--json").json["largest_regrets"]
    assert len(worst) == 10
    gains = [slip["gain"] for slip in worst]
    assert gains == sorted(gains, reverse=True)
    for slip in worst:
        assert slip["gain"] == pytest.approx(slip["regret"] * slip["own_reach"])
    by_infoset = {(slip["player"], slip["infoset"]): slip for slip in worst}
    # The opponent bets half of his two hands in three: 1/3; half of the time a chip is saved.
    assert by_infoset[1, "J:bet"]["action"] == "fold"
    assert by_infoset[1, "J:bet"]["gain"] == pytest.approx(1 / 3 / 2 * 0.5)


def test_evaluate_with_the_game_given(typed, refused, tmp_path):
    infoset.write_efg(infoset.game("kuhn"), "kuhn.efg")
    typed("solve", "kuhn.efg", "-n", "50", "--save", "s")
    (tmp_path / "kuhn.efg").rename(tmp_path / "moved.efg")
    assert typed("evaluate", "s", "--game", "moved.efg", "--json").json["iterations"] == 50
    assert "now has other infosets" in refused("evaluate", "s", "--game", "leduc")
    assert "there is no file" in refused("evaluate", "s", "--game", "gone.efg")


def test_strategy_as_text(typed, kuhn_file):
    lines = typed("strategy", kuhn_file).out.splitlines()
    assert len(lines) == 13
    assert lines[0].split() == ["player", "infoset", "strategy"]
    assert any(line.split()[:2] == ["1", "K:bet"] for line in lines)


def test_strategy_as_csv_and_json_is_the_strategy(typed, kuhn_file):
    strategy = infoset.load(kuhn_file).strategy
    table = list(csv.DictReader(io.StringIO(typed("strategy", kuhn_file, "--csv").out)))
    assert len(table) == 24
    for row in table:
        expected = strategy[int(row["player"]), row["infoset"]][row["action"]]
        assert float(row["probability"]) == expected
    for row in typed("strategy", kuhn_file, "--json").json["infosets"]:
        assert row["probabilities"] == strategy[row["player"], row["infoset"]]


def test_one_infoset_or_one_player(typed, kuhn_file):
    found = typed("strategy", kuhn_file, "--infoset", "K:bet", "--json").json["infosets"]
    assert [(row["player"], row["infoset"]) for row in found] == [(1, "K:bet")]
    players = {
        row["player"]
        for row in typed("strategy", kuhn_file, "--player", 1, "--json").json["infosets"]
    }
    assert players == {1}


def test_an_infoset_that_both_players_have_is_shown_for_both(typed, tmp_path):
    game = """EFG 2 R "same names" { "A" "B" }
p "" 1 1 "here" { "l" "r" } 0
p "" 2 1 "here" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "here" { "l" "r" } 0
t "" 3 "" { -1, 1 }
t "" 4 "" { 1, -1 }
"""
    (tmp_path / "same.efg").write_text(game)
    assert typed("solve", "same.efg", "-n", "9", "--save", "s").code == 0
    found = typed("strategy", "s", "--infoset", "here", "--json").json["infosets"]
    assert [row["player"] for row in found] == [0, 1]
    found = typed("strategy", "s", "--infoset", "here", "--player", 1, "--json").json["infosets"]
    assert [row["player"] for row in found] == [1]


def test_names_with_line_breaks_stay_on_their_line_and_can_be_typed(typed):
    game = "open_spiel:goofspiel(num_cards=2,imp_info=True,points_order=descending)"
    pytest.importorskip("pyspiel")
    assert typed("solve", game, "-n", "9", "--save", "s").code == 0
    lines = typed("strategy", "s").out.splitlines()
    assert len(lines) == 1 + len(infoset.load("s").strategy)
    shown = typed("strategy", "s", "--json").json["infosets"][0]["infoset"]
    assert "\n" in shown
    escaped = shown.replace("\n", r"\n")
    found = typed("strategy", "s", "--infoset", escaped, "--json").json["infosets"]
    assert [row["infoset"] for row in found] == [shown]


def test_looking_at_a_strategy_does_not_build_its_game(typed, kuhn_file, monkeypatch):
    monkeypatch.setattr("infoset.api.compile", None)
    assert typed("strategy", kuhn_file).code == 0


@pytest.mark.parametrize("command", ["evaluate", "strategy"])
def test_bad_files(refused, kuhn_file, tmp_path, command):
    whole = kuhn_file.read_bytes()
    (tmp_path / "truncated").write_bytes(whole[: len(whole) // 2])
    altered = bytearray(whole)
    altered[len(altered) // 2] ^= 0xFF
    (tmp_path / "altered").write_bytes(altered)
    (tmp_path / "empty").touch()
    (tmp_path / "game.efg").write_text("EFG 2 R")
    for name in ("truncated", "altered", "empty", "game.efg"):
        assert name in refused(command, name)
    assert "there is no file" in refused(command, "missing")
    assert "is a directory" in refused(command, ".")
    infoset.solve("kuhn", iterations=3, checkpoint="c")
    assert "'checkpoint' file" in refused(command, "c")


def test_bad_choices(refused, kuhn_file):
    reason = refused("strategy", kuhn_file, "--infoset", "K:bett")
    assert "did you mean 'K:bet'" in reason
    assert "did you mean" in refused("strategy", kuhn_file, "--infoset", "K:bet", "--player", 0)
    assert "--player" in refused("strategy", kuhn_file, "--player", 2)
    assert "exclude" in refused("strategy", kuhn_file, "--json", "--csv")
