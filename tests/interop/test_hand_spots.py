"""Spots from hands: the same pot, stacks and bets, by hand and by what the rules pay; and rooms."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.cards import parse_cards
from infoset.errors import BadInputError, InfosetError, MissingExtraError
from infoset.forms import find_node, form_of_spot
from infoset.games import CHANCE, TERMINAL, make
from infoset.games.holdem import STREETS, format_sizes
from infoset.interop import (
    HandHistory,
    choose_hand,
    parse_phh,
    parse_room_hands,
    read_hands,
    spot_from_hand,
    spot_text,
)

HANDS = Path(__file__).with_name("hands")
HEADS_UP, SIX_PLAYERS = ((HANDS / name).read_text() for name in ("heads_up.txt", "six_players.txt"))


def menus_of(spot, street):
    return [
        [format_sizes(sizes) for sizes in menu]
        for menu in spot.bet_sizes.menus[STREETS.index(street)]
    ]


def from_room(text, street, **options):
    pytest.importorskip("pokerkit")
    (hand,) = parse_room_hands(text)
    return spot_from_hand(hand, street, **options)


def test_a_hand_of_two_players_on_the_turn():
    """Both put 2.50 and 3.25 into the pot; stacks were 112.40 and 100."""
    made = from_room(HEADS_UP, "turn", bets="50%", raises="")
    spot = made.spot
    assert (spot.board, spot.pot, spot.stack) == (parse_cards("8d7h2cQd"), 1150, 9425)
    assert (made.names, made.hands) == (("Alice", "Bob B."), ("9s8h", "AdQc"))
    assert (made.number, made.chip, spot.big_blind) == (174088855475, Fraction(1, 100), 100)
    assert ", ".join(made.played) == ("check, bet 800, raise to 2400, all-in 9425, call 9425, 3s")
    assert made.path == "check, bet 800, raise to 2400, all-in 9425, call 9425"
    assert find_node(form_of_spot(made.spot).tree, made.path).text == made.path
    # 8 of 11.50; then 16 more after a call of 8 makes it 27.50 in the middle.
    assert menus_of(spot, "turn") == [["50%", "58.18%"], ["50%, 69.6%", "a"]]
    assert menus_of(spot, "river") == [["50%", ""], ["50%", ""]]


def test_a_hand_of_six_of_whom_two_are_left():
    """The small blind folded 0.50; the big blind and the button put in 2.50 each."""
    made = from_room(SIX_PLAYERS, "flop")
    assert (made.spot.pot, made.spot.stack) == (550, 10290)
    assert (made.names, made.hands) == (("Big: One", "Hero"), ("", "AcKc"))
    assert ", ".join(made.played) == "check, bet 340, call 340, Qd, check, bet 800, fold"
    turn = from_room(SIX_PLAYERS, "turn")
    assert (turn.spot.pot, turn.spot.stack) == (1230, 9950)
    assert turn.played == ("check", "bet 800", "fold")


def test_a_hand_that_television_made_famous():
    """Dwan and Ivey in 2009, as the PHH specification has it: three players, antes, a straddle."""
    text = """
    variant = "NT"
    antes = [500, 500, 500]
    blinds_or_straddles = [1000, 2000, 0]
    min_bet = 2000
    starting_stacks = [1125600, 2000000, 553500]
    actions = ["d dh p1 Ac2d", "d dh p2 ????", "d dh p3 7h6h", "p3 cbr 7000", "p1 cbr 23000",
      "p2 f", "p3 cc", "d db Jc3d5c", "p1 cbr 35000", "p3 cc", "d db 4h", "p1 cbr 90000",
      "p3 cbr 232600", "p1 cbr 1067100", "p3 cc", "p1 sm Ac2d", "p3 sm 7h6h", "d db Jh"]
    players = ["Phil Ivey", "Patrik Antonius", "Tom Dwan"]
    """
    made = spot_from_hand(*parse_phh(text), "turn")
    # Antes and the blind of 2,000 are dead; then 23,000 and 35,000 each.
    assert made.spot.pot == 1500 + 2000 + 2 * 58_000
    assert made.spot.stack == 553_500 - 500 - 58_000
    assert made.names == ("Phil Ivey", "Tom Dwan")
    assert made.played == (*("bet 90000", "raise to 232600", "all-in 495000", "call 495000", "Jh"),)
    with pytest.raises(BadInputError, match="a player is all-in before the river"):
        spot_from_hand(*parse_phh(text), "river")


def test_before_the_flop():
    made = spot_from_hand(HandHistory.of_steps(make("holdem"), STEPS), "preflop", raises="a")
    spot = made.spot
    assert (spot.pot, spot.stack, spot.blinds, spot.board) == (0, 20_000, (50, 100), ())
    assert made.played[:2] == ("raise to 300", "call 300")


STEPS = (
    *("9s8h", "JdTc", "raise300", "call", "8d7h2c", "check", "raise750", "raise1700", "call"),
    *("Qd", "raise2000", "call", "3s", "raise4567", "fold"),
)


def test_the_spot_is_solved_and_the_hand_is_in_it(tmp_path):
    """What is written is read, solved, and the decisions of the hand are looked up in it."""
    hand = HandHistory.of_steps(make("holdem"), STEPS, number=3)
    options = {"range_oop": "99-22,98s", "range_ip": "JTs,JTo,AA", "bets": "50%", "raises": "a"}
    made = spot_from_hand(hand, "turn", **options)
    path = tmp_path / "spot.toml"
    path.write_text(spot_text(made, "a log"))
    assert infoset.read_spot(path) == made.spot
    assert made.spot.pot == 3400
    solution = infoset.solve(path, iterations=20, threads=1)
    public = made.spot.public()
    for step in made.played:
        if public.player >= 0:
            actions, _ = solution.strategy.hand_probabilities(public.public_history)
            assert step in actions
        public = public.child(step)
    assert public.player == TERMINAL
    view = infoset.view(solution, ", ".join(made.played[:-1]), threads=1)
    assert view.actions == ("fold", "call 2567", "all-in 18000")


def random_hand(seed):
    """A hand of any stack whose raises are of any size."""
    rng = random.Random(seed)
    stack = rng.choice([500, 3000, 20_000])
    game = make(f"holdem(stack={stack})")
    state, steps = game.root(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            step = state.outcome_at(rng.random())
        else:
            step = rng.choice([a for a in state.actions[:2] if a != "fold" or rng.random() < 0.2])
            if rng.random() < 0.4 and state.public.raises:
                raises = state.public.raises
                step = state.public.raise_label(raises[int(len(raises) * rng.random() ** 6)])
        steps.append(step)
        state = state.child(step)
    return HandHistory.of_steps(game, steps)


def states_of(hand):
    states = [hand.game.public()]
    for step in hand.steps:
        states.append(states[-1].child(step))
    return states


@pytest.mark.parametrize("street", STREETS)
def test_what_is_won_from_there_on_is_what_the_hand_paid(street):
    """By the rules of the spot, the hand ends as it did, but for what was put in before."""
    made_of = 0
    for seed in range(60):
        hand = random_hand(seed)
        is_played = [
            s
            for s in states_of(hand)
            if s.betting.street == STREETS.index(street) and s.player >= 0
        ]
        if not is_played:
            with pytest.raises(BadInputError, match="so there is no"):
                spot_from_hand(hand, street)
            continue
        made = spot_from_hand(hand, street)
        state = made.spot.root()
        for step in (*hand.hands, *made.played):
            state = state.child(step)
        # A tie in an odd pot, and what lay in the middle, is half a pot each way.
        assert state.payoff == hand.payoff
        form = form_of_spot(made.spot) if street == "river" else None
        if form is not None:
            assert find_node(form.tree, ", ".join(made.played)).node > 0
        made_of += 1
    assert made_of > 10


def test_small_chips_are_cut_finer():
    """With a big blind of two chips, half of a pot of three would be one or two."""
    game = make("holdem(stack=200,small_blind=1,big_blind=2)")
    steps = "9s8h", "JdTc", "raise5", "call", "8d7h2c", "check", "raise8", "fold"
    made = spot_from_hand(HandHistory.of_steps(game, steps), "flop", bets="33%")
    assert (made.spot.pot, made.spot.big_blind, made.chip) == (500, 100, Fraction(1, 50))
    assert made.played == ("check", "bet 150", "fold")
    assert menus_of(made.spot, "flop")[1][0] == "30%, 33%"


def test_the_text_says_where_it_comes_from():
    hand = HandHistory.of_steps(make("holdem"), STEPS, names=("Alice", ""), number=3)
    text = spot_text(spot_from_hand(hand, "river", range_ip="AA"), "the log")
    assert text.splitlines()[:5] == [
        "# From hand 3 of the log: the river.",
        "# Out of position: Alice, who had 9s8h.",
        "# In position: unknown, who had JdTc.",
        "# Played from here on: bet 2567, fold.",
        "# Nobody knows what could be held: all hands out of position.",
    ]


@pytest.mark.parametrize(
    ("game", "steps", "street", "why"),
    [
        ("holdem", STEPS, "showdown", "there is no street 'showdown'"),
        ("holdem", STEPS[:4], "turn", "is known only as far as it was played before the flop"),
        ("holdem", (*STEPS[:2], "fold"), "flop", "ended with a fold before the flop"),
        ("holdem(stack=300)", STEPS[:4], "flop", "all-in before the flop"),
        ("holdem(stack=100)", (*STEPS[:2], "call"), "flop", "all-in before the flop"),
        ("holdem(betting=limit)", (*STEPS[:2], "raise"), "preflop", "one of limit hold'em"),
        ("holdem(streets=2)", STEPS[:4], "preflop", "spots are of whole hold'em"),
    ],
)
def test_where_there_is_no_spot(game, steps, street, why):
    with pytest.raises(BadInputError) as caught:
        spot_from_hand(HandHistory.of_steps(make(game), steps), street)
    assert why in str(caught.value)


MANY = {
    "antes": "[0, 0, 0]",
    "blinds_or_straddles": "[50, 100, 0]",
    "starting_stacks": "[1000, 1000, 1000]",
}
CALLED = '"p3 cc", "p1 cc", "p2 cc", "d db 8d7h2c"'


@pytest.mark.parametrize(
    ("changes", "street", "why"),
    [
        ({"actions": f"[{CALLED}]"}, "preflop", "before the flop the hand has 3 players"),
        ({"actions": f"[{CALLED}]"}, "flop", "3 players are in the hand, and a spot has two"),
        ({"actions": f"[{CALLED}]"}, "river", "ended on the flop, or is known no further"),
        ({"actions": '["p3 f", "p3 cc"]'}, "flop", "'p3 cc': p3 has folded"),
        ({"actions": '["p1 f", "p2 f", "p3 f"]'}, "flop", "nobody is left"),
        ({"actions": '["p3 cbr 2000"]'}, "flop", "p3 has only 1000 chips left"),
        ({"actions": '["p3 cbr 100"]'}, "flop", "100 chips are bet already"),
        ({"actions": '["p3 cc", "d db 8d7h2c"]'}, "flop", "before everybody has called"),
        ({"actions": '["p3 f", "p1 cc", "d db 8d7h"]'}, "flop", "three cards are a flop"),
        ({"actions": '["p3 f", "p1 cc", "d db ????2c"]'}, "flop", "must be known"),
        (
            {"actions": '["p3 f", "p1 cc", "d db 8d7h2c", "p3 cc"]'},
            "flop",
            "p3 is not in the hand",
        ),
        (
            {"actions": '["p3 f", "p1 cc", "d db 8d7h2c", "p2 cbr 10"]'},
            "flop",
            "'an action in position' is not possible at the start",
        ),
        (
            {"actions": '["p3 f", "p1 cc", "d db 8d7h2c", "p1 cbr 100", "p2 cbr 101"]'},
            "flop",
            "on the flop, in position: a bet that makes it 101 chips is against the rules",
        ),
        (
            {"actions": '["p3 f", "p1 cbr 1000", "p2 cc", "d db 8d7h2c"]'},
            "flop",
            "a player is all-in before the flop",
        ),
        (
            {
                "actions": '["p3 f", "p1 cc", "d db 8d7h2c"]',
                "starting_stacks": "[inf, inf, 1000]",
            },
            "flop",
            "the stacks of both players are unknown",
        ),
        ({"antes": "[0, 2000, 0]", "actions": "[]"}, "flop", "less than his ante"),
    ],
)
def test_hands_of_many_that_make_no_spot(changes, street, why):
    fields = {"variant": '"NT"', "min_bet": "100", **MANY, **changes}
    (hand,) = parse_phh("".join(f"{key} = {value}\n" for key, value in fields.items()))
    with pytest.raises(BadInputError) as caught:
        spot_from_hand(hand, street)
    assert why in str(caught.value)


# --- what rooms write ---------------------------------------------------------------------------


def test_several_hands_of_a_room(tmp_path):
    pytest.importorskip("pokerkit")
    path = tmp_path / "session.txt"
    path.write_text("\ufeff" + (HEADS_UP + SIX_PLAYERS).replace("\n", "\r\n"))
    hands = read_hands(path)
    assert [len(hand.stacks) for hand in hands] == [2, 6]
    assert choose_hand(hands, 174088855476, "it") is hands[1]
    with pytest.raises(BadInputError, match="it has 2 hands; choose one by its number: 17408885"):
        choose_hand(hands, None, "it")
    with pytest.raises(BadInputError, match="it has no hand 7; there are 174088855475"):
        choose_hand(hands, 7, "it")
    with pytest.raises(BadInputError, match="2 hands of number 174088855476"):
        choose_hand([*hands, hands[1]], 174088855476, "it")
    with pytest.raises(BadInputError, match="it has no hand"):
        choose_hand([], None, "it")


def test_pokerkit_is_an_extra():
    with patch.dict("sys.modules", {"pokerkit": None}), pytest.raises(MissingExtraError) as caught:
        parse_room_hands(HEADS_UP)
    assert "pip install 'infoset[hands]'" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "is not of a poker room that PokerKit reads"),
        (HEADS_UP.replace("Hold'em No Limit", "Omaha Pot Limit"), "PokerKit cannot read it"),
        (HEADS_UP + "x" * 1001, "is too large"),
        (HEADS_UP.replace("posts big blind $1", "posts big blind $one"), "hand 1"),
        ("Stage #1", "has no whole hand of absolute_poker|cannot read it"),
    ],
)
def test_what_rooms_do_not_write(text, why, capfd):
    pytest.importorskip("pokerkit")
    with pytest.raises(BadInputError, match=why):
        parse_room_hands(text)
    assert capfd.readouterr().err == ""


@settings(max_examples=100)
@given(st.data())
def test_fuzz_of_what_rooms_write(data):
    """PokerKit fails in many ways; each becomes a sentence."""
    pytest.importorskip("pokerkit")
    lines = data.draw(st.sampled_from([HEADS_UP, SIX_PLAYERS])).splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        n = data.draw(st.integers(0, len(lines) - 1))
        other = data.draw(st.integers(0, len(lines) - 1))
        lines[n] = data.draw(
            st.sampled_from([lines[other], "", lines[n][: other + 1], lines[n].replace("$", "-")])
        )
    try:
        hands = parse_room_hands("\n".join(lines))
        spots = [spot_from_hand(hand, "flop", bets="a", raises="a").spot for hand in hands]
    except InfosetError:
        return
    assert all(spot.stack > 0 for spot in spots)
