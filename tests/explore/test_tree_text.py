"""Pictures: every line says what the tree holds, and large trees are counted instead of drawn."""

from __future__ import annotations

import pytest

from infoset.errors import BadInputError
from infoset.explore.tree_text import betting_tree_text, settings_text, spot_text
from infoset.forms.betting_tree import NodeKind, build_betting_tree
from infoset.games.holdem.bet_sizes import BetSizes
from infoset.games.holdem.betting import RIVER, TURN
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.situations import random_situation
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import read_spot
from reference_spots import SPOTS


def test_a_small_tree_is_drawn_whole():
    tree = build_betting_tree(read_spot(SPOTS, "turn_small"))
    lines = betting_tree_text(tree).splitlines()
    assert lines[0] == "turn, pot 200, 900 behind"
    # One line an action: deals have none.
    assert len(lines) == tree.num_nodes - tree.count(NodeKind.CHANCE, TURN)
    assert "    IP check: river, pot 200, 900 behind" in lines
    assert "        IP call 384: river, pot 968, 516 behind" in lines
    assert "          OOP call 900: all-in, board dealt out, pot 2000" in lines
    assert sum("showdown" in line for line in lines) == tree.count(NodeKind.SHOWDOWN, RIVER)
    assert sum(" fold: " in line for line in lines) == 8 + 24


def test_who_wins_the_pot_when_the_other_folds():
    tree = build_betting_tree(Spot("Ks9h7d4c2s", "AA", "QQ", 200, 900, {"bet": "60%"}))
    lines = [line.strip() for line in betting_tree_text(tree).splitlines()]
    assert "IP fold: pot 200 to OOP" in lines
    # The bet of 120 is called, the raise on top of it is not.
    assert "IP raise to 384 (60%)" in lines
    assert "OOP fold: pot 440 to IP" in lines


def test_large_trees_are_drawn_by_street():
    tree = build_betting_tree(read_spot(SPOTS, "flop_small"))
    by_turn = betting_tree_text(tree, max_lines=100)
    assert "    IP check: turn, pot 180, 360 behind\n" in by_turn
    assert "        IP check: river, pot 180, 360 behind (21 nodes)\n" in by_turn
    assert "showdown" not in by_turn
    by_flop = betting_tree_text(tree, max_lines=20)
    assert "    IP check: turn, pot 180, 360 behind (78 nodes)\n" in by_flop
    assert "river" not in by_flop
    whole = betting_tree_text(tree, max_lines=1000)
    assert whole.count("showdown") == 47
    cut = betting_tree_text(tree, max_lines=5).splitlines()
    assert len(cut) == 6
    assert cut[-1] == "... and 10 actions more on the flop"
    with pytest.raises(BadInputError, match="at least one line, not 0"):
        betting_tree_text(tree, max_lines=0)


def test_settings():
    spot = Spot(
        "Td9d6hQc",
        "QQ+,AKs:0.5",
        "TT+",
        200,
        900,
        BetSizes(
            {"bet": "50%", "river": {"ip": {"bet": "", "raise": "2x"}}},
            donk={"river": "25%"},
            opening=["33%"],
            add_allin_threshold=1.5,
            merging_threshold=0.1,
        ),
        rake=Rake(0.05, cap=30),
        name="a test",
        big_blind=50,
    )
    assert settings_text(spot).splitlines() == [
        "a test, turn Td9d6hQc: pot 200, stack 900 (4.5 times the pot)",
        "OOP: 19 hands (17 combos)",
        "IP:  24 hands (24 combos)",
        "action 1: 33%",
        "turn: bet 50%; raise 60%, a",
        "river OOP: bet 50%; raise 60%, a; donk 25%",
        "river IP: bet none; raise 2x",
        "thresholds: all-in added up to 1.5, sizes merged within 0.1",
        "rake: 5%, at most 30",
        "big blind: 50",
    ]


def test_the_whole_text_says_what_it_will_take():
    text = spot_text(read_spot(SPOTS, "flop_small"))
    assert text.endswith(
        "street    boards  decisions       ends\n"
        "flop           1          6          4\n"
        "turn          36        648        432\n"
        "river      1,429     80,024    132,897\n"
        "total                80,678    133,333\n"
        "memory: 394 MB in 32 bits, 211 MB in 16 bits (225 and 310 hands)"
    )
    assert "action 2: 50%, 100%, 200%, a" in spot_text(random_situation("River(500)"))
