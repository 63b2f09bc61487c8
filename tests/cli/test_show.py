"""Looking at saved solutions: nodes of spots, strategies of games."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import infoset

# Games.


def test_strategy_as_text(typed, kuhn_file):
    lines = typed("show", kuhn_file).out.splitlines()
    assert len(lines) == 13
    assert lines[0].split() == ["player", "infoset", "strategy"]
    assert any(line.split()[:2] == ["1", "K:bet"] for line in lines)


def test_strategy_as_csv_and_json_is_the_strategy(typed, kuhn_file):
    strategy = infoset.load(kuhn_file).strategy
    table = list(csv.DictReader(io.StringIO(typed("show", kuhn_file, "--csv").out)))
    assert len(table) == 24
    for row in table:
        expected = strategy[int(row["player"]), row["infoset"]][row["action"]]
        assert float(row["probability"]) == expected
    for row in typed("show", kuhn_file, "--json").json["infosets"]:
        assert row["probabilities"] == strategy[row["player"], row["infoset"]]


def test_one_infoset_or_one_player(typed, kuhn_file):
    found = typed("show", kuhn_file, "--infoset", "K:bet", "--json").json["infosets"]
    assert [(row["player"], row["infoset"]) for row in found] == [(1, "K:bet")]
    players = {
        row["player"] for row in typed("show", kuhn_file, "--player", 1, "--json").json["infosets"]
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
    found = typed("show", "s", "--infoset", "here", "--json").json["infosets"]
    assert [row["player"] for row in found] == [0, 1]
    found = typed("show", "s", "--infoset", "here", "--player", 1, "--json").json["infosets"]
    assert [row["player"] for row in found] == [1]


def test_names_with_line_breaks_stay_on_their_line_and_can_be_typed(typed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    game = "open_spiel:goofspiel(num_cards=2,imp_info=True,points_order=descending)"
    pytest.importorskip("pyspiel")
    assert typed("solve", game, "-n", "9", "--save", "s").code == 0
    lines = typed("show", "s", "--all").out.splitlines()
    assert len(lines) == 1 + len(infoset.load("s").strategy)
    shown = typed("show", "s", "--json").json["infosets"][0]["infoset"]
    assert "\n" in shown
    escaped = shown.replace("\n", r"\n")
    found = typed("show", "s", "--infoset", escaped, "--json").json["infosets"]
    assert [row["infoset"] for row in found] == [shown]


def test_looking_at_a_strategy_does_not_build_its_game(typed, kuhn_file, monkeypatch):
    monkeypatch.setattr("infoset.api.compile", None)
    assert typed("show", kuhn_file).code == 0


def test_bad_choices(refused, kuhn_file):
    reason = refused("show", kuhn_file, "--infoset", "K:bett")
    assert "did you mean 'K:bet'" in reason
    assert "did you mean" in refused("show", kuhn_file, "--infoset", "K:bet", "--player", 0)
    assert "--player" in refused("show", kuhn_file, "--player", 2)
    assert "exclude" in refused("show", kuhn_file, "--json", "--csv")
    assert "exclude" in refused("show", kuhn_file, "--infoset", "K:bet", "--path", "bet")
    assert "exclude" in refused("show", kuhn_file, "--infoset", "K:bet", "--hand", "K")
    assert "did you mean 'check,bet'" in refused("show", kuhn_file, "--path", "check, bett")
    assert "has no hand 'A'. Known: J, K, Q" in refused("show", kuhn_file, "--hand", "A")
    assert "is for spots" in refused("show", kuhn_file, "--class", "AKs")
    assert "is for spots" in refused("show", kuhn_file, "--values", "v.svg")
    assert ".svg" in refused("show", kuhn_file, "--plot", "v.jpg")


def test_infosets_after_a_path_or_with_a_hand(typed, refused):
    infoset.solve("leduc", iterations=5).save("s")
    shown = typed("show", "s", "--path", "check, bet", "--json").json["infosets"]
    assert [row["infoset"] for row in shown] == [
        f"{card}:check,bet" for card in ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
    ]
    shown = typed("show", "s", "--path", "check,check / Qs: bet", "--json").json["infosets"]
    assert {row["infoset"].partition(":")[2] for row in shown} == {"check,check/Qs:bet"}
    assert len(shown) == 5, "all hands but the queen on the board"
    words = ("--hand", "Ks", "--path", "check,bet", "--player", "oop")
    assert [row["infoset"] for row in typed("show", "s", *words, "--json").json["infosets"]] == [
        "Ks:check,bet"
    ]
    everywhere = typed("show", "s", "--hand", "Ks", "--json").json["infosets"]
    assert len(everywhere) == 936 / 6
    first = typed("show", "s", "--path", "", "--json").json["infosets"]
    assert {row["player"] for row in first} == {0}
    assert "no infoset of leduc" in refused(
        "show", "s", "--path", "check,check/Qs:bet", "--hand", "Qs"
    )


def test_a_large_strategy_is_cut_unless_all_is_asked_for(typed):
    infoset.solve("leduc", iterations=5).save("s")
    lines = typed("show", "s").out.splitlines()
    assert lines[-1] == "These are 40 of 936 infosets; all of them: --all"
    assert len(lines) == 42
    assert max(map(len, lines)) <= 80
    every = typed("show", "s", "--all").out.splitlines()
    assert sum(line[0] in "01" for line in every) == 936
    assert max(map(len, every)) <= 80
    assert len(typed("show", "s", "--player", "1").out.splitlines()) == 42
    assert len(typed("show", "s", "--csv").out.splitlines()) == 1 + 2184


def test_actions_that_do_not_fit_go_to_the_next_line(typed, monkeypatch):
    infoset.solve("leduc5", iterations=2).save("s")
    lines = typed("show", "s", "--infoset", "Js:").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) == 3
    monkeypatch.setenv("COLUMNS", "300")
    (_, line) = typed("show", "s", "--infoset", "Js:").out.splitlines()
    assert [word for part in lines[1:] for word in part.split()] == line.split()


def test_the_likeliest_of_many_actions_are_shown(typed):
    game = "nolimit_leduc(stack=60)"
    infoset.solve(game, "os-mccfr", iterations=3, seed=1, form="rules").save("s")
    for command in (["show", "s"], ["solve", game, "-a", "os-mccfr", "-n", "3", "--form", "rules"]):
        lines = typed(*command).out.splitlines()
        assert any("less likely actions" in line for line in lines)
        assert max(map(len, lines)) <= 80
        assert len(lines) < 400
    assert "less likely" not in typed("show", "s", "--all").out


def test_a_game_that_was_solved_in_public_form(typed):
    infoset.solve("leduc", "cfr+", iterations=20, form="public").save("s")
    strategy = infoset.load("s").strategy
    shown = typed("show", "s", "--infoset", "Ks:check,bet", "--json").json["infosets"]
    assert [row["probabilities"] for row in shown] == [strategy["Ks:check,bet"]]
    assert len(typed("show", "s", "--csv").out.splitlines()) == 1 + 2184


def test_the_figure_of_a_game_is_its_convergence(typed, tmp_path, kuhn_file):
    assert typed("show", kuhn_file, "--plot", "k.svg").code == 0
    assert "Convergence on kuhn" in (tmp_path / "k.svg").read_text()


# Spots.


def test_show_as_json_is_the_view(typed, solved):
    found = typed("show", solved, "--path", "check, bet 50%", "--json").json
    view = infoset.view(infoset.load(solved), "check, bet 50")
    assert found["path"] == "check, bet 50"
    assert (found["player"], found["pot"], found["actions"][:2]) == (0, 150, ["fold", "call 50"])
    assert {**found, **view.as_dict()} == found
    assert found["frequencies"] == view.frequencies.tolist()
    assert found["next"] == "OOP acts"


def test_show_says_what_every_hand_does_and_is_worth(typed, solved):
    found = typed("show", solved, "--json").json
    assert (found["path"], found["player"], found["put"]) == ("", 0, [0, 0])
    strategy = np.array(found["strategy"])
    assert strategy.shape == (3, 9)
    assert strategy.sum(axis=0) == pytest.approx(np.ones(9), abs=1e-5)
    answer = typed("show", solved, "--path", "check, all-in")
    assert answer.code == 0
    rows = {line.split()[0]: line.split() for line in answer.out.splitlines() if line.strip()}
    # Six high beats nothing: a call costs all 100 chips.
    _, _, fold, _, _, equity, fold_value, call_value = rows["6h5h"]
    assert fold in ("100", ">99.9")
    assert (fold_value, call_value, equity) == ("0.00", "-100.00", "0")
    # Aces that call play for 300 chips, of which 100 are their own.
    found = typed("show", solved, "--path", "check, a", "--class", "AA", "--json").json
    called = np.array(found["action_values"][1])
    equities = np.array(found["players"][0]["equities"])
    assert called == pytest.approx(300 * equities - 100, abs=1e-2)
    assert len(called) == 6


def test_show_one_hand_or_class(typed, solved):
    found = typed("show", solved, "--hand", "AhAs", "--json").json
    whole = typed("show", solved, "--json").json
    assert found["players"][0]["hands"] == ["AsAh"]
    # Not the first one: a wrong row would show.
    row = whole["players"][0]["hands"].index("AsAh")
    assert whole["strategy"][0][row] != whole["strategy"][0][0]
    assert [of[0] for of in found["strategy"]] == [of[row] for of in whole["strategy"]]
    assert found["players"][0]["values"] == [whole["players"][0]["values"][row]]
    # Means are of the whole range all the same.
    assert found["frequencies"] == whole["frequencies"]
    assert found["players"][1] == whole["players"][1]
    aces = typed("show", solved, "--class", "aa", "--json").json["players"][0]["hands"]
    assert len(aces) == 6
    text = typed("show", solved, "--class", "65s").out
    assert [line.split()[0] for line in text.splitlines() if "5" in line.split("  ")[0]][-3:] == [
        "6h5h",
        "6d5d",
        "6c5c",
    ]
    theirs = typed("show", solved, "--player", "ip", "--hand", "QsQh", "--json").json
    assert theirs["players"][1]["hands"] == ["QsQh"]


def test_an_infoset_of_a_spot_is_a_hand_at_a_node(typed, refused, solved, solved_turn):
    found = typed("show", solved, "--infoset", "AhAs:check, bet 50%", "--json").json
    same = typed("show", solved, "--path", "check, bet 50", "--hand", "AsAh", "--json").json
    assert found == same
    assert found["players"][0]["hands"] == ["AsAh"]
    assert found["path"] == "check, bet 50"
    strategy = infoset.load(solved).strategy["AhAs:check,bet 50"]
    assert [row[0] for row in found["strategy"]] == pytest.approx(list(strategy.values()))
    later = typed("show", solved_turn, "--infoset", "AsAh:check,check/2c:check", "--json")
    assert later.code == 2, "it is the other player's turn"
    later = typed("show", solved_turn, "--infoset", "QsQh:check,check/2c:check", "--json").json
    assert (later["path"], later["player"]) == ("check, check, 2c, check", 1)
    assert "never holds" in refused("show", solved, "--infoset", "2c2d:check")
    assert "infoset" in refused("show", solved, "--infoset", "check")
    assert "player 1, not 0" in refused("show", solved, "--infoset", "QsQh:check", "--player", 0)


def test_hands_as_csv(typed, solved):
    rows = list(csv.DictReader(io.StringIO(typed("show", solved, "--csv").out)))
    view = infoset.view(infoset.load(solved))
    assert len(rows) == 9
    names = [
        "hand",
        "reach",
        *view.actions,
        "value",
        "equity",
        *(f"value {a}" for a in view.actions),
    ]
    assert list(rows[0]) == names
    by_hand = {row["hand"]: row for row in rows}
    document = typed("show", solved, "--json").json
    for i, hand in enumerate(document["players"][0]["hands"]):
        assert float(by_hand[hand]["check"]) == document["strategy"][0][i]
        assert float(by_hand[hand]["value"]) == document["players"][0]["values"][i]


def test_tables_of_many_actions_are_parted_to_fit_the_page(typed, monkeypatch):
    infoset.solve("River(5k, seed=1)", iterations=2).save("s")
    words = ("show", "s", "--path", "check", "--class", "AA")
    lines = typed(*words).out.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.startswith("IP:")]
    assert len(heads) > 2
    monkeypatch.setenv("COLUMNS", "200")
    wide = [line for line in typed(*words).out.splitlines() if line.startswith("IP:")]
    assert len(wide) == 2, "the actions, and the hands"
    assert [word for head in heads[1:] for word in head.split()[1:]] == wide[1].split()[1:]


def test_show_limits_its_rows_unless_asked(typed, monkeypatch):
    typed("solve", "River(5k)", "-n", "2", "--save", "s")
    monkeypatch.setenv("COLUMNS", "200")
    short, long = (typed("show", "s", *more).out.splitlines() for more in ([], ["--all"]))
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
    answer = typed("show", solved_turn, "--path", path, "--quiet")
    assert (answer.code, answer.err) == (0, "")
    lines = [line.strip() for line in answer.out.splitlines()]
    assert [line.removeprefix("next").strip() for line in lines if line.startswith("next")] == [
        following
    ]
    found = typed("show", solved_turn, "--path", path, "--json").json
    # Without rake, what is in the middle is shared.
    assert sum(found["value"]) == pytest.approx(found["pot"], rel=1e-3)


def test_show_leaves_out_hands_with_a_dealt_card(typed, refused, solved_turn):
    path = ("--path", "check, check, As")
    assert "never has AsAh there" in refused("show", solved_turn, *path, "--hand", "AsAh")
    hands = typed("show", solved_turn, *path, "--json").json["players"][0]["hands"]
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
        (["--player", "me"], "0 (oop) or 1 (ip)"),
        (["--plot", "f.jpg"], ".svg"),
        (["--values", "no/f.svg"], "there is no directory"),
        (["--plot", "f.svg", "--values", "f.svg"], "same file"),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["text", "json"])
def test_bad_questions(refused, tmp_path, solved, arguments, reason, as_json):
    assert reason in refused("show", solved, *arguments, *as_json)
    assert list(tmp_path.iterdir()) == []


def test_locked_hands_do_as_they_must(typed, locked_file):
    assert typed("solve", locked_file, "-n", "50", "--save", "s", "--quiet").code == 0
    shown = typed("show", "s", "--path", "check", "--json").json
    assert shown["locked"] == 13
    hands = shown["players"][1]["hands"]
    strategy = np.array(shown["strategy"])
    assert strategy[:, hands.index("KhKd")].tolist() == [0.0, 1.0, 0.0]
    assert strategy[:, hands.index("QsQh")].tolist() == [1.0, 0.0, 0.0]
    assert "locked  13 hands" in typed("show", "s", "--path", "check").out
    assert typed("show", "s", "--json").json["locked"] == 0
    assert "locked" not in typed("show", "s").out
