"""Measuring saved solutions."""

from __future__ import annotations

import csv
import io

import pytest

import infoset
from infoset.evaluation import largest_gains, measure_strategy
from infoset.strategy import purify, threshold


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
    worst = typed("evaluate", "uniform", "--json").json["largest_gains"]
    assert len(worst) == 10
    gains = [gain["gain"] for gain in worst]
    assert gains == sorted(gains, reverse=True)
    for gain in worst:
        assert gain["gain"] == pytest.approx(gain["regret"] * gain["own_reach"])
    by_infoset = {(gain["player"], gain["infoset"]): gain for gain in worst}
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


def test_measurements_as_csv_are_one_line(typed, kuhn_file):
    (row,) = csv.DictReader(io.StringIO(typed("evaluate", kuhn_file, "--csv").out))
    found = typed("evaluate", kuhn_file, "--json").json
    assert float(row["exploitability"]) == found["exploitability"]
    assert float(row["best_response_values_1"]) == found["best_response_values"][1]
    assert (row["game"], row["exploitability_mbb"]) == ("kuhn", "")


def test_evaluate_a_spot(typed, solved):
    found = typed("evaluate", solved, "--json").json
    solution = infoset.load(solved)
    assert found["values"] == pytest.approx(solution.values, abs=1e-3)
    assert sum(found["values"]) == pytest.approx(100, abs=1e-3)
    assert found["exploitability"] == pytest.approx(solution.exploitability, abs=1e-4)
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
    assert found["exploitability_share_of_pot"] == pytest.approx(found["exploitability"] / 100)
    assert found["exploitability_mbb"] == pytest.approx(10 * found["exploitability"])
    gained = sum(found["best_response_values"]) - sum(found["values"])
    assert found["nash_conv"] == pytest.approx(gained, abs=1e-4)
    text = typed("evaluate", solved).out
    for word in ("aces or air", "OOP", "best response of IP", "NashConv", "% of the pot", "mbb"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_gains_of_all_hands_sum_to_that_of_the_best_response(spot_file):
    strategy = infoset.solve(spot_file, "cfr+", iterations=5).strategy
    measured = measure_strategy(strategy)
    gains = largest_gains(strategy, 100)
    assert len(gains) == 9 + 13
    for player in (0, 1):
        own = [gain for gain in gains if gain.player == player]
        gained = measured.best_response_values[player] - measured.values[player]
        assert sum(gain.gain for gain in own) == pytest.approx(gained, abs=1e-4)
        assert sum(gain.probability for gain in own) == pytest.approx(1.0)
        assert all(gain.gain >= -1e-6 for gain in own)
        for gain in own:
            assert gain.gain == pytest.approx(gain.gain_with_hand * gain.probability)


def test_both_forms_of_a_game_measure_the_same(typed):
    for form in ("public", "sequence"):
        infoset.solve("leduc", "cfr+", iterations=50, form=form).save(form)
    public, sequence = (typed("evaluate", form, "--json").json for form in ("public", "sequence"))
    assert public["values"] == pytest.approx(sequence["values"], abs=1e-5)
    assert public["exploitability"] == pytest.approx(sequence["exploitability"], abs=1e-5)
    assert {gain["hand"] for gain in public["largest_gains"]} <= {
        "Js",
        "Jh",
        "Qs",
        "Qh",
        "Ks",
        "Kh",
    }


def test_what_was_only_sampled_cannot_be_measured(refused):
    infoset.solve("kuhn", "es-mccfr", iterations=50, seed=1, form="rules").save("s")
    assert "never enumerated" in refused("evaluate", "s")


@pytest.mark.parametrize("command", ["evaluate", "show"])
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


@pytest.mark.parametrize("command", ["evaluate", "show"])
def test_files_of_the_wrong_kind(typed, refused, tmp_path, solved, spot_file, command):
    (tmp_path / "cut").write_bytes(solved.read_bytes()[:-100])
    (tmp_path / "text").write_text("nothing")
    assert "not a file of infoset" in refused(command, "text")
    assert "not a file of infoset" in refused(command, spot_file)
    assert refused(command, "cut")
    typed("solve", spot_file, "-n", "2", "--checkpoint", "run")
    assert "checkpoint" in refused(command, "run")


def test_evaluate_what_is_left_after_post_processing(typed, refused, kuhn_file, solved):
    before = typed("evaluate", kuhn_file, "--json").json
    pure = typed("evaluate", kuhn_file, "--purify", "--json").json
    strategy = purify(infoset.load(kuhn_file).strategy)
    assert pure["exploitability"] == pytest.approx(infoset.exploitability("kuhn", strategy))
    assert pure["exploitability"] > 0.01 > pure["exploitability_before"]
    assert pure["exploitability_before"] == before["exploitability"]
    assert (pure["post_processing"], "post_processing" in before) == ("purify", False)
    cut = typed("evaluate", solved, "--threshold", "0.1", "--json").json
    measured = measure_strategy(threshold(infoset.load(solved).strategy, 0.1))
    assert cut["exploitability"] == pytest.approx(measured.exploitability, abs=1e-4)
    assert cut["post_processing"] == "threshold(0.1)"
    text = typed("evaluate", solved, "--threshold", "0.1").out
    assert "changed by" in text
    assert "exploitability before" in text
    assert "exclude each other" in refused("evaluate", solved, "--purify", "--threshold", "0.1")
    assert "from 0 to 1, such as 0.1, not 7" in refused("evaluate", solved, "--threshold", "7")
