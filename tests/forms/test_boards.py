"""Boards that can come, one for all that are alike: counts by hand, and all deals accounted for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from infoset.cards import Range, format_cards, hand_of, parse_cards
from infoset.forms.boards import hands_renamed, runouts_of
from infoset.games.holdem.betting import FLOP, RIVER, TURN
from infoset.games.holdem.spot import Spot


def num_boards(board, oop="random", ip="random"):
    """On flop, turn and river."""
    return [len(boards) for boards in runouts_of(Spot(board, oop, ip, 100, 100))][FLOP:]


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        # Nothing left to come.
        ("Ks9h7d4c2s", [0, 0, 1]),
        # turn_small's board: every suit is different.
        ("Td9d6hQc", [0, 1, 48]),
        # Hearts and spades are missing on it alike: 13 of their 26 cards stand for all.
        ("Td9d6cQc", [0, 1, 22 + 13]),
        # Two tones: clubs and diamonds are alike until one of them comes.
        # 23 turns of the other suits leave 22 + 13 rivers, 13 turns of these two leave 48.
        ("QsJh2h", [1, 36, 23 * 35 + 13 * 48]),
        # One tone: three suits are alike. Of the 10 hearts, each leaves 9 hearts and 13 others. Of
        # the 13 others, each leaves 10 hearts, 12 of its own suit, and 13 of the other two.
        ("QhJh2h", [1, 10 + 13, 10 * (9 + 13) + 13 * (10 + 12 + 13)]),
        # Three of a kind: the three suits of the board are alike, the fourth is not. Of its 13
        # cards, each leaves 12 of its own and 12 others. Of the 12 others, each leaves 13 of the
        # fourth suit, 11 of its own, and 12 of the other two.
        ("7h7c7d", [1, 13 + 12, 13 * (12 + 12) + 12 * (13 + 11 + 12)]),
        # All four suits have something of their own: a rank each, or none.
        ("AsKh2c", [1, 49, 49 * 48]),
    ],
)
def test_counts(board, expected):
    assert num_boards(board) == expected


def test_ranges_that_tell_suits_apart():
    assert num_boards("QsJh2h", "random", "AA,KK,AcKc") == [1, 49, 49 * 48]
    assert num_boards("QsJh2h", "random", "AA,KK,AcKc,AdKd") == [1, 36, 23 * 35 + 13 * 48]
    # On the board of one tone, a hand of spades leaves clubs and diamonds alike.
    assert num_boards("QhJh2h", "random", "AA,KsQs")[1] == 10 + 13 + 13
    # A hand that the board makes impossible tells nothing apart.
    assert num_boards("QhJh2c", "random", "AA,QhJs") == num_boards("QhJh2c")


def test_suits_that_are_only_alike_in_pairs():
    """Clubs may become diamonds if hearts become spades at the same time, but not alone."""
    oop = "AcKh,AdKs,AhKc,AsKd"
    river = runouts_of(Spot("7c7d7h7s", oop, "QQ", 100, 100))[RIVER]
    assert len(river) == 12
    assert river.board_weight.tolist() == [4] * 12
    weights = Range.parse(oop).weights
    for suits in river.deal_suits:
        assert np.array_equal(weights[hands_renamed(suits)], weights)


@pytest.mark.parametrize("board", ["QsJh2h", "QhJh2h", "7h7c7d", "AsKh2c", "Td9d6cQc"])
def test_every_deal_is_accounted_for(board):
    spot = Spot(board, "22+,A2s+", "random", 100, 100)
    streets = runouts_of(spot)
    for street in range(spot.street + 1, RIVER + 1):
        before, after = streets[street - 1], streets[street]
        deals = list(zip(after.deal_parent.tolist(), after.deal_card.tolist(), strict=True))
        possible = [
            (number, card)
            for number, cards in enumerate(before.board_cards.tolist())
            for card in range(52)
            if card not in cards
        ]
        assert deals == possible
        assert np.bincount(after.deal_board).tolist() == after.board_weight.tolist()
        assert after.board_weight.sum() == len(before) * (52 - 1 - street)
        for parent, card, number, suits in zip(
            after.deal_parent, after.deal_card, after.deal_board, after.deal_suits, strict=True
        ):
            *old, new = after.board_cards[number].tolist()
            assert after.board_parent[number] == parent
            assert old == before.board_cards[parent].tolist()
            assert sorted(suits) == [0, 1, 2, 3]
            assert new == 4 * (card // 4) + suits[card % 4]
            dealt = old[len(spot.board) :]
            assert [4 * (c // 4) + suits[c % 4] for c in dealt] == dealt
            assert {4 * (c // 4) + suits[c % 4] for c in spot.board} == set(spot.board)


def test_the_first_card_of_a_kind_stands_for_it():
    boards = runouts_of(Spot("QsJh2h", "random", "random", 100, 100))
    first, second = (boards[TURN].board_cards[n].tolist() for n in (0, 1))
    assert format_cards(first) == "QsJh2h2c"
    assert format_cards(second) == "QsJh2h2s"
    assert boards[FLOP].board_parent.tolist() == [-1]
    assert boards[TURN].board_weight[:2].tolist() == [2, 1]


def test_hands_with_other_names():
    for suits in itertools.permutations(range(4)):
        renamed = hands_renamed(suits)
        assert sorted(renamed.tolist()) == list(range(1326))
        for first, second in [("As", "Kd"), ("2c", "2h")]:
            a, b = parse_cards(first + second)
            cards = [4 * (card // 4) + suits[card % 4] for card in (a, b)]
            assert renamed[hand_of([a, b])] == hand_of(cards)
