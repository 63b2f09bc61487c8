"""Strengths: in the order of phevaluator, an independent evaluator, hand by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.cards import (
    HAND_FIRST,
    HAND_SECOND,
    NUM_STRENGTHS,
    describe,
    evaluate_cards,
    format_cards,
    parse_cards,
    strengths,
)
from infoset.errors import BadInputError

phevaluator = pytest.importorskip("phevaluator")


def by_phevaluator(rows):
    """It ranks hands from 1, the best, to 7462, and numbers cards as we do."""
    evaluate = phevaluator.evaluate_cards
    return np.array([NUM_STRENGTHS + 1 - evaluate(*row) for row in rows.tolist()])


def random_rows(num_rows, num_cards, seed):
    random = np.random.default_rng(seed)
    order = random.random((num_rows, 52)).argpartition(num_cards, axis=1)
    return order[:, :num_cards].astype(np.uint8)


def all_five_cards():
    flat = itertools.chain.from_iterable(itertools.combinations(range(52), 5))
    return np.fromiter(flat, np.uint8).reshape(-1, 5)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_random_hands(num_cards):
    rows = random_rows(100_000, num_cards, seed=num_cards)
    assert (evaluate_cards(rows) == by_phevaluator(rows)).all()


@pytest.mark.slow
@pytest.mark.parametrize("num_cards", [6, 7])
def test_millions_of_random_hands(num_cards):
    for seed in range(10):
        rows = random_rows(200_000, num_cards, seed=100 + seed)
        assert (evaluate_cards(rows) == by_phevaluator(rows)).all()


@pytest.mark.slow
def test_every_five_cards():
    rows = all_five_cards()
    assert len(rows) == 2_598_960
    assert (evaluate_cards(rows) == by_phevaluator(rows)).all()


def test_every_five_cards_by_category():
    # How many of the 2,598,960 hands are in each category: any textbook.
    counts = np.bincount(evaluate_cards(all_five_cards()), minlength=NUM_STRENGTHS + 1)
    assert (counts[1:] > 0).all()
    totals = {}
    for strength in range(1, NUM_STRENGTHS + 1):
        category = describe(strength).split(",")[0].split()
        name = "straight flush" if category == ["royal", "flush"] else " ".join(category)
        name = {"four": "quads", "three": "trips", "pair": "pair"}.get(category[0], name)
        totals[name] = totals.get(name, 0) + int(counts[strength])
    assert totals == {
        "straight flush": 40,
        "quads": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "trips": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "high card": 1_302_540,
    }


@given(st.lists(st.integers(0, 51), min_size=6, max_size=7, unique=True), st.randoms())
def test_best_five_in_any_order_and_any_suits(cards, random):
    (strength,) = evaluate_cards([cards])
    assert strength == evaluate_cards(list(itertools.combinations(cards, 5))).max()
    suits = random.sample(range(4), 4)
    renamed = [4 * (card // 4) + suits[card % 4] for card in cards]
    random.shuffle(renamed)
    assert evaluate_cards(renamed) == strength


@pytest.mark.parametrize(
    "board",
    [
        "Ks9h7d",
        "KsKhKd",
        "Ks9s7s",
        "Ks9h7d4c",
        "Ks9s7s4s",
        "KsKhKdKc",
        "Ks9h7d4c2s",
        "KsKhKdKc2c",
        "AsAhAdAcKc",
        "8s8h8d8c2c",
        "2s2h2d2c3c",
        "Ks9s7s4c2s",
        "AsKsQsJsTs",
        "5s4s3s2sAd",
    ],
)
def test_all_hands_of_one_board(board):
    cards = parse_cards(board)
    hands = [[*cards, int(a), int(b)] for a, b in zip(HAND_FIRST, HAND_SECOND, strict=True)]
    is_free = np.array([len(set(row)) == len(row) for row in hands])
    found = strengths(board)
    assert (found[~is_free] == 0).all()
    assert (found[is_free] == by_phevaluator(np.array(hands)[is_free])).all()
    some = np.array([1325, 7, 300, 7])
    assert (strengths(board, some) == found[some]).all()


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("AsKsQsJsTs", "royal flush"),
        ("5s4s3s2sAs", "straight flush, five high"),
        ("7s7h7d7c2c", "four sevens, two kicker"),
        ("6s6h6d2s2c", "full house, sixes over twos"),
        ("AsKsQsJs9s", "flush, A-K-Q-J-9"),
        ("5s4s3s2sAd", "straight, five high"),
        ("QsQhQdAs2c", "three queens, A-2 kickers"),
        ("QsQhJdJs2c", "two pair, queens and jacks, two kicker"),
        ("QsQhAd3s2c", "pair of queens, A-3-2 kickers"),
        ("7s5h4d3s2c", "high card, 7-5-4-3-2"),
    ],
)
def test_in_words(cards, words):
    assert describe(int(evaluate_cards(parse_cards(cards)))) == words


def test_every_strength_has_words_of_its_own():
    assert len({describe(strength) for strength in range(1, NUM_STRENGTHS + 1)}) == NUM_STRENGTHS


def test_shapes():
    cards = np.arange(2 * 3 * 7).reshape(2, 3, 7)
    assert evaluate_cards(cards).shape == (2, 3)
    assert evaluate_cards(cards[0, 0]).shape == ()
    assert evaluate_cards(np.empty((0, 5), int)).shape == (0,)
    assert (evaluate_cards(cards[:, :, ::-1]) == evaluate_cards(cards)).all()


@pytest.mark.parametrize(
    ("cards", "problem"),
    [
        (np.zeros((2, 4), int), "shape (2, 4)"),
        (np.zeros((2, 8), int), "shape (2, 8)"),
        (3, "shape ()"),
        ([[0, 1, 2, 3, 52]], "52 is not a card"),
        ([[0, 1, 2, 3, -1]], "-1 is not a card"),
        ([[0, 1, 2, 3, 300]], "300 is not a card"),
        ([[0.0, 1.0, 2.0, 3.0, 4.0]], "not of type float64"),
        ([[0, 1, 2, 3, 4], [9, 1, 2, 3, 9]], "row 1 of the cards holds the same card twice"),
    ],
)
def test_what_is_not_a_hand(cards, problem):
    with pytest.raises(BadInputError) as caught:
        evaluate_cards(cards)
    assert problem in str(caught.value)


@pytest.mark.parametrize("hands", [[1326], [-1], [0.5], [[1, 2]]])
def test_hands_that_do_not_exist(hands):
    with pytest.raises(BadInputError):
        strengths("Ks9h7d", np.array(hands))


def test_strengths_need_a_board():
    with pytest.raises(BadInputError, match="this one has none"):
        strengths("")


@pytest.mark.parametrize("strength", [0, 7463, -5])
def test_no_such_strength(strength):
    with pytest.raises(BadInputError, match="from 1 to 7462"):
        describe(strength)


def test_text_of_cards_is_in_the_message():
    with pytest.raises(BadInputError, match=format_cards([5, 5])):
        evaluate_cards([[5, 5, 0, 1, 2]])
