"""Spots: what they hold, what is said for what is not given, what is refused."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest

from infoset.cards import NUM_HANDS, Range, parse_cards
from infoset.errors import BadInputError
from infoset.games.holdem.bet_sizes import BetSizes, Menu
from infoset.games.holdem.betting import FLOP, IP, OOP, RIVER, TURN
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.sizes import format_sizes, parse_sizes
from infoset.games.holdem.spot import Spot

BOARD = "Td9d6hQc"
SIZES = [field.name for field in dataclasses.fields(BetSizes)][1:]


def spot(**changes):
    """A spot; settings of bet sizes and rake are those of a spot file."""
    settings = {"board": BOARD, "range_oop": "QQ+", "range_ip": "TT+", "pot": 200, "stack": 900}
    settings |= changes
    sizes = {name: settings.pop(name) for name in list(settings) if name in SIZES}
    if sizes:
        settings["bet_sizes"] = BetSizes(settings.pop("bet_sizes", None), **sizes)
    if "rake_cap" in settings:
        settings["rake"] = Rake(settings.pop("rake", 0.0), settings.pop("rake_cap"))
    return Spot(**settings)


def menus(made, street):
    """``bets | raises`` of both players."""
    return [
        f"{format_sizes(m.bets)} | {format_sizes(m.raises)}" for m in made.bet_sizes.menus[street]
    ]


def test_defaults():
    made = spot()
    assert menus(made, TURN) == menus(made, RIVER) == ["50%, 100%, a | 60%, a"] * 2
    assert made.bet_sizes == BetSizes()
    assert dataclasses.astuple(made.bet_sizes)[1:] == ((None,) * 4, (), 0.0, 0.0, 0.0)
    assert (made.rake, made.blinds, made.name) == (Rake(0.0, cap=None), None, "")
    assert made.big_blind == 100


def test_cards_and_ranges_as_text_or_as_they_are():
    same = spot(
        board=parse_cards(BOARD), range_oop=Range.parse("QQ+"), pot=np.int64(200), stack=900.0
    )
    assert same == spot()
    assert hash(same) == hash(spot())
    assert (type(same.pot), type(same.stack)) == (int, int)
    assert spot(stack=901) != spot()


def test_hands_that_the_board_allows():
    made = spot()
    assert made.num_hands == (3 + 6 + 6, 3 + 6 + 3 + 6 + 6)
    assert [held.weight("QcQd") for held in made.ranges] == [0.0, 0.0]
    assert made.range_oop.weight("QcQd") == 1.0
    assert spot(board="Td9d6h").street == FLOP
    assert spot(board="Td9d6hQc2s").street == RIVER


def test_sizes_for_all_for_a_street_for_a_player():
    given = {
        "bet": "50%",
        "ip": {"raise": "a"},
        "river": {"bet": "75%", "oop": {"bet": "", "raise": "2.5x"}},
    }
    made = spot(bet_sizes=given)
    assert menus(made, TURN) == ["50% | 60%, a", "50% | a"]
    assert menus(made, RIVER) == [" | 2.5x", "75% | a"]


def test_menus_built_in_python():
    menu = Menu(parse_sizes("50%"), parse_sizes("2x", for_raises=True))
    pair = menu, menu
    assert spot(bet_sizes=(pair,) * 4).bet_sizes.menus[RIVER][IP] == menu
    wrong = Menu(menu.raises, menu.raises)
    with pytest.raises(BadInputError, match=r"bet_sizes.river.oop.bet: only raises can be"):
        spot(bet_sizes=(pair, pair, pair, (wrong, menu)))
    with pytest.raises(BadInputError, match="a pair of Menu for each"):
        spot(bet_sizes=(pair, pair))


def test_what_is_over_makes_no_difference():
    made = spot(bet_sizes={"flop": {"bet": "33%"}})
    assert made == spot()
    flop = dataclasses.replace(made, board="Td9d6h")
    assert menus(flop, FLOP) == ["50%, 100%, a | 60%, a"] * 2


@pytest.mark.parametrize(
    ("given", "turn", "river"),
    [
        (None, None, None),
        ("same as bet sizes", None, None),
        ("50%", "50%", "50%"),
        ({"river": "50%, a"}, None, "50%, a"),
        ({"turn": "same as bet sizes", "river": ""}, None, ""),
        ((None, None, None, parse_sizes("a")), None, "a"),
    ],
)
def test_donk_sizes(given, turn, river):
    made = spot(donk=given)
    assert made.bet_sizes.donk[:TURN] == (None, None)
    shown = [None if s is None else format_sizes(s) for s in made.bet_sizes.donk[TURN:]]
    assert shown == [turn, river]


def test_rake():
    assert spot().rake.taken(1000) == 0.0
    assert spot(rake=0.05).rake.taken(1000) == 50.0
    assert spot(rake=Rake(Fraction(1, 20), cap=30.5)).rake.taken(1000) == 30.5
    assert spot(rake=Rake(0.05, cap=50)).rake.taken(1000) == 50.0
    assert spot(rake=Rake(0.05, cap=0)).rake.taken(1000) == 0.0  # a cap of nothing is a cap


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # boards
        ({"board": "Td9d"}, r"has 2 cards; a board has none, 3 \(flop\), 4 \(turn\) or 5"),
        ({"board": "Td9d6hQc2s3s"}, "has 6 cards"),
        ({"board": ""}, "a spot needs a board of 3"),
        ({"board": "Td9d6hTd"}, "Td is there twice"),
        ({"board": [1, 2, 99]}, "99 is not a card"),
        ({"board": 5}, "expected cards"),
        # ranges
        ({"range_oop": "QQ+,AKx"}, "range_oop: cannot read the range"),
        ({"range_ip": ""}, "range_ip: .* the range is empty"),
        ({"range_ip": "AA:0"}, "range_ip: .* every weight is zero"),
        ({"range_ip": Range(np.zeros(NUM_HANDS))}, "the range in position is empty"),
        ({"range_ip": None}, "range_ip: expected a range as text"),
        ({"range_ip": "QcQd,Td9d"}, "every hand of the range in position shares a card with the"),
        (
            {"range_oop": "AsKs", "range_ip": "AsAh,KsKd"},
            "the ranges conflict: every hand of one shares a card with every hand of the other",
        ),
        ({"range_oop": "AsKs", "range_ip": "AsKs"}, "the ranges conflict"),
        # chips
        ({"pot": 0}, "the pot must be above zero, not 0"),
        ({"pot": -5}, "the pot must be above zero, not -5"),
        ({"stack": 0}, "the stack must be above zero, not 0"),
        ({"stack": -900}, "the stack must be above zero"),
        ({"stack": 6.5}, r"whole chips, not 6.5; count in smaller units"),
        ({"stack": 10**10}, "the stack of 10000000000 is huge"),
        ({"pot": 10**5000}, "the pot of a number of thousands of digits is huge"),
        ({"pot": math.inf}, "pot must be a number, not inf"),
        ({"pot": math.nan}, "pot must be a number, not nan"),
        ({"pot": "200"}, "pot must be a number, not '200'"),
        ({"pot": True}, "pot must be a number, not True"),
        ({"pot": None}, "pot must be a number, not None"),
        ({"big_blind": 0}, "the big blind must be above zero, not 0"),
        ({"big_blind": 0.5}, "the big blind must be whole chips, not 0.5"),
        ({"big_blind": "2"}, "big blind must be a number, not '2'"),
        # sizes
        ({"bet_sizes": {"bet": "-50%"}}, "bet_sizes.bet: cannot read the sizes .* is negative"),
        ({"bet_sizes": {"turn": {"ip": {"raise": "50"}}}}, "bet_sizes.turn.ip.raise: .*50 of what"),
        ({"bet_sizes": {"bet": "2x"}}, "only a raise"),
        ({"bet_sizes": {"trun": {}}}, "bet_sizes has no key 'trun'; did you mean 'turn'"),
        ({"bet_sizes": {"turn": {"bte": "a"}}}, "bet_sizes.turn has no key 'bte'; did you .*'bet'"),
        ({"bet_sizes": {"turn": {"river": {}}}}, "bet_sizes.turn has no key 'river'"),
        ({"bet_sizes": {"oop": {"ip": {}}}}, "bet_sizes.oop has no key 'ip'"),
        ({"bet_sizes": {"turn": "50%"}}, "bet_sizes.turn must be a table .* not the text '50%'"),
        ({"bet_sizes": "50%"}, "bet_sizes must be a table"),
        ({"bet_sizes": {"bet": 50}}, "bet_sizes.bet must be sizes such as '50%, a', not a number"),
        ({"bet_sizes": {3: "a"}}, "bet_sizes has no key '3'"),
        ({"donk": {"flop": "50%"}}, "donk has no sizes for the flop"),
        ({"donk": {"rivr": "50%"}}, "donk has no key 'rivr'; did you mean 'river'"),
        ({"donk": {"river": "2x"}}, "donk.river: .*only a raise"),
        ({"donk": 5}, "donk must be sizes, .* not a number"),
        ({"donk": (None, parse_sizes("a"), None, None)}, "of which the first two are None"),
        ({"opening": "50%"}, "opening must be a list of sizes"),
        ({"opening": [50]}, "opening 1 must be sizes"),
        ({"opening": ["a", "3x"]}, "opening 2: .*only a raise"),
        ({"opening": ["a"] * 11}, "opening has 11 entries"),
        # thresholds and rake
        (
            {"add_allin_threshold": -1},
            "add_allin_threshold must be a number from 0 to 1000, not -1",
        ),
        ({"force_allin_threshold": 1e9}, "force_allin_threshold must be a number from 0 to 1000"),
        ({"merging_threshold": "10%"}, "merging_threshold must be a number, not '10%'"),
        ({"rake": 1.5}, "the rake of 1.5 is more than the whole pot; .*so 5% is 0.05"),
        ({"rake": 5}, "the rake of 5 is more than the whole pot"),
        ({"rake": -0.1}, "the rake must be a share from 0 to 1, not -0.1"),
        ({"rake_cap": -1}, "rake_cap must be a number of chips of at least 0"),
        ({"rake_cap": 1e12}, "the rake_cap of 1000000000000.0 is huge"),
        ({"name": "two\nlines"}, "must be one line"),
        ({"name": "x" * 201}, "at most 200 characters"),
        ({"name": 5}, "the name of a spot must be text, not a number"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(BadInputError, match=message):
        spot(**changes)


def test_one_pair_of_hands_that_can_meet_is_enough():
    made = spot(range_oop="AsKs,AhKh", range_ip="AsAh,AsKd")
    assert made.num_hands == (2, 2)
    assert len(made.ranges[OOP]) == 2
