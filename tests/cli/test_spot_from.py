"""Making spots from hands, as typed."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.agents import read_match_hands
from infoset.games import make
from infoset.interop import (
    HandHistory,
    LoggedHand,
    format_log_line,
    format_phhs,
    parse_phh,
    write_phh,
)

STEPS = (
    *("9s8h", "JdTc", "raise300", "call", "8d7h2c", "check", "raise750", "call"),
    *("Qd", "check", "raise2000", "fold"),
)


def hand(number=None):
    return HandHistory.of_steps(make("holdem"), STEPS, names=("Alice", "Bob"), number=number)


@pytest.fixture
def hand_file(tmp_path):
    path = tmp_path / "hand.phh"
    write_phh(path, hand())
    return path


def test_a_hand_becomes_a_spot_that_is_solved(typed, hand_file):
    answer = typed("spot-from", hand_file, "--street", "turn", "--oop", "99-22", "--ip", "AA,JTs")
    assert (answer.code, answer.err) == (0, "")
    Path("spot.toml").write_text(answer.out)
    assert answer.out.startswith("# From a hand of hand.phh: the turn.\n")
    spot = infoset.read_spot("spot.toml")
    assert (spot.pot, spot.stack, spot.big_blind) == (1500, 19_250, 100)
    solved = typed("solve", "spot.toml", "-n", "10", "--threads", "1", "--json", "-q")
    assert solved.code == 0
    assert typed("solve", "spot.toml", "-n", "5", "--threads", "1", "--save", "s").code == 0
    shown = typed("show", "s", "--path", "check, bet 1250")
    assert "call 1250" in shown.out


def test_as_json(typed, hand_file):
    found = typed("spot-from", hand_file, "--street", "flop", "--bets", "a", "--json").json
    assert found["path"] == "check, bet 450, call 450, Qd, check, bet 1250, fold"
    assert found["players"] == {"oop": "Alice", "ip": "Bob"}
    assert found["hands"] == {"oop": "9s8h", "ip": "JdTc"}
    assert (found["pot"], found["stack"], found["chip"], found["hand"]) == (600, 19_700, 1.0, None)
    assert infoset.games.holdem.parse_spot(found["spot"]).pot == 600


def test_one_of_several(typed, refused, tmp_path):
    write_phh(tmp_path / "all.phhs", [hand(7), hand(8)])
    assert "turn of hand 8" in typed("spot-from", "all.phhs", "--street", "turn", "--hand", 8).out
    assert "choose one by its number: 7, 8" in refused("spot-from", "all.phhs", "--street", "turn")


def test_acpc_logs(typed, refused, tmp_path):
    line = format_log_line(LoggedHand(3, STEPS, 750, ("Alice", "Bob"))).replace(
        "750|-750", "-750|750"
    )
    Path("match.log").write_text(f"# name/game/hands/seed m holdem 1 7\n{line}\n")
    assert typed("spot-from", "match.log", "--street", "turn", "--json").json["hand"] == 3
    Path("bare.log").write_text(f"{line}\n")
    assert "give the game" in refused("spot-from", "bare.log", "--street", "turn")
    answer = typed("spot-from", "bare.log", "--street", "turn", "--game", "holdem", "--json")
    assert answer.json["pot"] == 1500
    assert "leduc is no game of hold'em" in refused(
        *("spot-from", "bare.log", "--street", "turn", "--game", "leduc")
    )


def test_logs_of_matches(typed, refused, write_spot, tmp_path):
    options = "--hands", 6, "--log", "match.log", "-q"
    assert typed("match", "holdem", "call", "uniform", *options).code == 0
    hands = list(read_match_hands("match.log"))
    assert [hand.number for hand in hands] == [*range(6)]
    assert [hand.names for hand in hands[:2]] == [("call", "uniform"), ("uniform", "call")]
    again = parse_phh(format_phhs(hands))
    assert [HandHistory.of_phh(hand).payoff for hand in again] == [hand.payoff for hand in hands]
    flop = next(hand.number for hand in hands if len(hand.steps) > 6)
    found = typed("spot-from", "match.log", "--street", "flop", "--hand", flop, "--json").json
    assert found["hand"] == flop
    assert "choose a hand: --hand 0" in refused("spot-from", "match.log", "--street", "flop")
    assert "has no hand 6" in refused("spot-from", "match.log", "--street", "flop", "--hand", 6)
    assert typed("match", "kuhn", "call", "uniform", "--hands", 2, "--log", "k.log", "-q").code == 0
    typed("match", write_spot(), "call", "call", "--hands", 2, "--log", "spot.log")
    assert "'spot.log', line 1: the match was one of " in refused(
        "spot-from", "spot.log", "--street", "river", "--hand", 0
    )
    assert "one of kuhn, not of hold'em" in refused(
        *("spot-from", "k.log", "--street", "flop", "--hand", 0)
    )


def test_what_is_refused(refused, hand_file):
    assert "say where the spot begins" in refused("spot-from", hand_file)
    assert "there is no file" in refused("spot-from", "gone.phh", "--street", "turn")
    assert "there is no street 'trun'" in refused("spot-from", hand_file, "--street", "trun")
    assert "hand.phh': the hand ended with a fold on the turn, so there is no river" in refused(
        "spot-from", hand_file, "--street", "river"
    )
    assert "range_oop: cannot read the range 'xx'" in refused(
        *("spot-from", hand_file, "--street", "turn", "--oop", "xx")
    )
    assert "bet_sizes.bet: cannot read the sizes '75'" in refused(
        *("spot-from", hand_file, "--street", "turn", "--bets", "75")
    )
    Path("not.phh").write_text("variant = ")
    assert "is not TOML" in refused("spot-from", "not.phh", "--street", "turn")
    Path("bytes.phh").write_bytes(b"\xff\x00")
    assert "'bytes.phh'" in refused("spot-from", "bytes.phh", "--street", "turn")
