"""Equity against one hand: the same as with ranges, and as dealing every board."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from infoset.cards import (
    HAND_FIRST,
    HAND_MASK,
    HAND_SECOND,
    NUM_HANDS,
    Range,
    equity_against,
    evaluate_cards,
    format_hand,
    hand_of,
    mask_of,
    parse_cards,
    preflop_row,
    range_equity,
)
from infoset.cards.preflop import NUM_BOARDS, REPRESENTATIVES, _table, count_all
from infoset.errors import BadInputError


@pytest.mark.parametrize("board", ["Ks9h7d", "2c2d2h", "QsJsTs9d", "Ah7h6h5d2c"])
@pytest.mark.parametrize("own", ["AsAd", "8h8c", "4s3d"])
def test_after_the_flop_as_with_ranges(own, board):
    held = np.zeros(NUM_HANDS)
    held[hand_of(own)] = 1.0
    expected = range_equity(Range.random(), Range(held), board).hand_equity[0]
    row = equity_against(parse_cards(own), parse_cards(board))
    is_live = HAND_MASK & np.uint64(mask_of(parse_cards(own + board))) == 0
    assert row[is_live] == pytest.approx(expected[is_live], abs=1e-12)
    assert (row[~is_live] == 0).all()


@pytest.mark.parametrize(("own", "other"), [("AsAh", "KsKh"), ("AsAh", "7c2d"), ("JsTs", "2c2d")])
def test_before_the_flop_as_with_ranges(own, other):
    expected = range_equity(own, other)
    assert expected.is_exact
    row = equity_against(parse_cards(other))
    assert row[hand_of(own)] == pytest.approx(expected.equity, abs=1e-12)
    assert preflop_row(hand_of(own))[hand_of(other)] == pytest.approx(1 - expected.equity)


def test_every_pair_before_the_flop_shares_one_pot():
    for hand in random.Random(1).sample(range(NUM_HANDS), 40):
        row = preflop_row(hand)
        can_meet = HAND_MASK & HAND_MASK[hand] == 0
        assert (row[~can_meet] == 0).all()
        back = np.array([preflop_row(other)[hand] for other in np.flatnonzero(can_meet)])
        assert row[can_meet] + back == pytest.approx(1.0, abs=1e-15)


def test_small_deck_and_short_board():
    deck = parse_cards("AsAhKsKhQsQhJsJh")
    own, board_size = parse_cards("AhKs"), 3
    row = equity_against(own, deck=mask_of(deck), board_size=board_size)
    for hand in range(NUM_HANDS):
        cards = int(HAND_FIRST[hand]), int(HAND_SECOND[hand])
        if set(cards) - set(deck) or set(cards) & set(own):
            assert row[hand] == 0
            continue
        left = [card for card in deck if card not in own + cards]
        shares = []
        for board in itertools.combinations(left, board_size):
            ours, theirs = evaluate_cards([(*cards, *board), (*own, *board)])
            shares.append((ours > theirs) + 0.5 * (ours == theirs))
        assert row[hand] == pytest.approx(np.mean(shares), abs=1e-15), format_hand(hand)


@pytest.mark.parametrize(
    ("own", "board", "options", "match"),
    [
        ("AsAh", "AsKd2c", {}, "the hand AsAh and the board AsKd2c must be different"),
        ("As", "", {}, "two of them in the hand"),
        ("AsAh", "", {"deck": 7}, "cards of the deck"),
        ("AsAh", "", {"board_size": 6}, "a board of 0 cards cannot go on to 6"),
        ("AsAh", "KsQsJsTs", {"board_size": 3}, "a board of 4 cards cannot go on to 3"),
    ],
)
def test_refusals(own, board, options, match):
    with pytest.raises(BadInputError, match=match):
        equity_against(parse_cards(own), parse_cards(board), **options)


@pytest.mark.slow
def test_the_file_is_what_is_counted():
    assert np.array_equal(count_all()[REPRESENTATIVES], _table())
    assert _table().max() <= 2 * NUM_BOARDS
