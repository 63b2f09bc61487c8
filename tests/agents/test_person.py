"""What a person may type, and what it means."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.agents import Menu, Passive, Person, play_hand
from infoset.errors import BadInputError

SPOT = ["fold", "call 100", "raise to 340", "raise to 500", "all-in 900"]
HOLDEM = ["fold", "call", *(f"raise{total}" for total in range(200, 20_001))]
BIDS = ["1-1", "1-2", "2-1", "liar"]


@pytest.mark.parametrize(
    ("actions", "typed", "expected"),
    [
        (["check", "bet"], "check", "check"),
        (["check", "bet"], " CHECK ", "check"),
        (["check", "bet"], "2", "bet"),
        (["fold", "call", "raise"], "r", "raise"),
        (SPOT, "call", "call 100"),
        (SPOT, "100", "call 100"),
        (SPOT, "raise 340", "raise to 340"),
        (SPOT, "r340", "raise to 340"),
        (SPOT, "raise to 500", "raise to 500"),
        (SPOT, "all in", None),
        (SPOT, "all-in", "all-in 900"),
        (SPOT, "a", "all-in 900"),
        (SPOT, "5", "all-in 900"),
        (SPOT, "6", None),
        (SPOT, "raise 3", None),
        (HOLDEM, "raise 1,234", "raise1234"),
        (HOLDEM, "1234", "raise1234"),
        (HOLDEM, "R 20000", "raise20000"),
        (HOLDEM, "f", "fold"),
        (HOLDEM, "2", None),
        (HOLDEM, "199", None),
        (BIDS, "2-1", "2-1"),
        (BIDS, "2", "1-2"),
        (BIDS, "l", "liar"),
        (["1", "2", "4"], "4", "4"),
        (["1", "2", "4"], "3", None),
        (["player1.5", "bet1.5"], "b1.5", "bet1.5"),
        (["check", "bet"], "٢", None),
        (["check", "bet"], "9" * 5000, None),
    ],
)
def test_what_is_meant(actions, typed, expected):
    if expected is None:
        with pytest.raises(BadInputError, match="is no action here: there are"):
            Menu(actions).find(typed)
    else:
        assert Menu(actions).find(typed) == expected


@pytest.mark.parametrize(
    ("actions", "typed", "sentence"),
    [
        (SPOT, "raise", "'raise' may be raise to 340 or raise to 500: say which"),
        (HOLDEM, "r", "'r' may be raise200, raise201, ... or raise20000: say which"),
        (HOLDEM, "x", "'x' is no action here: there are fold, call and raise200 to raise20000"),
        (["check", "bet"], "", "say what to do: check and bet"),
        (["fold 5", "call 5"], "5", "'5' may be fold 5 or call 5: say which"),
    ],
)
def test_what_is_said_otherwise(actions, typed, sentence):
    with pytest.raises(BadInputError) as refusal:
        Menu(actions).find(typed)
    assert str(refusal.value) == sentence


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=30, unique=True), st.text())
def test_whatever_is_typed_is_an_action_or_refused(actions, typed):
    with contextlib.suppress(BadInputError):
        assert Menu(actions).find(typed) in actions


@given(st.sampled_from([SPOT, HOLDEM, BIDS]), st.data())
def test_an_action_as_it_is_called_is_that_action(actions, data):
    action = data.draw(st.sampled_from(actions))
    assert Menu(actions).find(action) == action


def test_many_actions_are_not_listed_one_by_one():
    assert Menu(HOLDEM).parts == ["fold", "call", "raise200 to raise20000"]
    bids = [f"{count}-{face}" for count in (1, 2, 3, 4) for face in range(1, 7)]
    assert Menu([*bids, "liar"]).text == "1-1 to 1-6   2-1 to 2-6   3-1 to 3-6   4-1 to 4-6   liar"
    assert not Menu(["1", "2"]).is_numbered


def test_a_person_is_asked_until_he_says_an_action():
    asked, told = [], []
    typed = iter(["hello", "", "bet", "2"])

    def ask(seen):
        asked.append(seen.infoset)
        return next(typed)

    game = infoset.game("leduc")
    hand = play_hand(game, [Passive(), Person(ask, told.append)], seed=1, hand=0)
    own = hand.steps[1]
    assert asked[:3] == [f"{own}:check"] * 3
    assert told == [
        "'hello' is no action here: there are check and bet",
        "say what to do: check and bet",
    ]
    board = hand.steps[5]
    assert hand.steps[2:] == ("check", "bet", "call", board, "check", "bet", "call")


def test_what_ask_raises_ends_the_game():
    def leave(seen):
        raise EOFError

    with pytest.raises(EOFError):
        play_hand(infoset.game("kuhn"), [Person(leave, print), Passive()], seed=1, hand=0)
