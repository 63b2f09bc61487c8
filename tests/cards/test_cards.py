"""Cards, hands and boards: numbering, text in, text out, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_FIRST,
    HAND_INDEX,
    HAND_MASK,
    HAND_SECOND,
    RANKS,
    SUITS,
    board_of,
    cards_of,
    format_cards,
    format_hand,
    hand_of,
    mask_of,
    parse_cards,
)
from infoset.errors import BadInputError


def test_every_card_is_its_rank_and_suit():
    for rank, suit in itertools.product(range(13), range(4)):
        text = RANKS[rank] + SUITS[suit]
        assert parse_cards(text) == (4 * rank + suit,)
        assert format_cards([4 * rank + suit]) == text


@pytest.mark.parametrize(
    "text",
    ["AsTh2c", "As Th 2c", "as,10h,2c", " AS\n10H\t2C ", "A♠T♥2♣", "A♤ 10♡, 2♧", "As,Th,2c,"],
)
def test_ways_to_write_the_same_cards(text):
    assert parse_cards(text) == (51, 34, 0)


def test_no_cards():
    assert parse_cards("") == parse_cards("  ") == ()


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("Ax", 2, "expected a suit (c, d, h or s), found 'x'"),
        ("A", 2, "expected a suit (c, d, h or s), found the end"),
        ("1s", 1, "expected a rank (2 to 9, T, J, Q, K or A), found '1'"),
        ("0s", 1, "expected a rank (2 to 9, T, J, Q, K or A), found '0'"),
        ("A s", 2, "found ' '"),
        ("As,,Kd", 4, "found ','"),
        ("As-Kd", 3, "found '-'"),
        ("10", 3, "expected a suit"),
        ("AsKdas", 5, "As is there twice"),
        ("Th 10h", 4, "Th is there twice"),
        ("Aſ", 2, "expected a suit"),  # a long s, which `upper` would turn into S
        ("٣s", 1, "expected a rank"),  # an Arabic three
    ],
)
def test_unreadable_cards(text, where, problem):
    with pytest.raises(BadInputError) as caught:
        parse_cards(text)
    assert f"at character {where}: " in str(caught.value)
    assert problem in str(caught.value)


@given(st.lists(st.integers(0, 51), unique=True))
def test_cards_come_back(cards):
    assert list(parse_cards(format_cards(cards))) == cards


@given(st.text(alphabet="AKT10 sdhc♠,x9\nſ"))
def test_any_text_is_cards_or_refused(text):
    try:
        cards = parse_cards(text)
    except BadInputError:
        return
    assert len(set(cards)) == len(cards)


def test_long_text_is_refused_at_once():
    with pytest.raises(BadInputError, match="1,000 are read"):
        parse_cards("As" * 100_000)


@pytest.mark.parametrize(
    ("given_cards", "problem"),
    [
        ([52], "52 is not a card"),
        ([-1], "-1 is not a card"),
        ([1.5], "1.5 is not a card"),
        (["As"], "As is not a card"),
        ([3, 3], "2s is given twice"),
        (7, "expected cards such as 'AsKd', got int"),
    ],
)
def test_numbers_that_are_not_cards(given_cards, problem):
    with pytest.raises(BadInputError) as caught:
        cards_of(given_cards)
    assert problem in str(caught.value)


def test_cards_of_any_whole_number_type():
    assert cards_of(np.array([51, 0], np.uint8)) == (51, 0)
    assert all(type(card) is int for card in cards_of(np.array([51, 0], np.uint8)))


@pytest.mark.parametrize(
    ("board", "number"), [("As", "1 card;"), ("AsKd", "2 cards;"), ("AsKdQhJc2s3s", "6 cards;")]
)
def test_impossible_boards(board, number):
    with pytest.raises(BadInputError, match=f"has {number} a board has none, 3"):
        board_of(board)


def test_boards():
    assert [len(board_of(text)) for text in ("", "AsKdQh", "AsKdQhJc", "AsKdQhJc2s")] == [
        0,
        3,
        4,
        5,
    ]


def test_hands_are_all_pairs_of_cards_once():
    pairs = set(zip(HAND_FIRST.tolist(), HAND_SECOND.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(52) for b in range(a)}
    for hand in range(1326):
        first, second = int(HAND_FIRST[hand]), int(HAND_SECOND[hand])
        assert hand == first * (first - 1) // 2 + second
        assert HAND_INDEX[first, second] == HAND_INDEX[second, first] == hand
        assert int(HAND_MASK[hand]) == mask_of([first, second])
        assert hand_of(format_hand(hand)) == hand
    assert (HAND_INDEX.diagonal() == -1).all()


def test_hand_tables_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        HAND_FIRST[0] = 3


@pytest.mark.parametrize("hand", [-1, 1326])
def test_no_such_hand(hand):
    with pytest.raises(BadInputError, match="from 0 to 1325"):
        format_hand(hand)


@pytest.mark.parametrize("text", ["", "As", "AsKdQh"])
def test_a_hand_is_two_cards(text):
    with pytest.raises(BadInputError, match="a hand is two cards, not"):
        hand_of(text)


def test_classes_are_the_usual_grid():
    grid = np.array(CLASS_NAMES).reshape(13, 13)
    assert " ".join(grid[0]) == "AA AKs AQs AJs ATs A9s A8s A7s A6s A5s A4s A3s A2s"
    assert grid[:3, 0].tolist() == ["AA", "AKo", "AQo"]
    assert grid.diagonal().tolist() == [letter * 2 for letter in RANKS[::-1]]
    for hand in range(1326):
        text = format_hand(hand)
        ending = "" if text[0] == text[2] else "s" if text[1] == text[3] else "o"
        assert CLASS_NAMES[HAND_CLASS[hand]] == text[0] + text[2] + ending
    sizes = np.bincount(HAND_CLASS, minlength=169)
    assert sorted(set(sizes.tolist())) == [4, 6, 12]
