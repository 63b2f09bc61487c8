"""Equity and its kernels: against slow, obvious twins, and against published numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import (
    HAND_CLASS,
    HAND_FIRST,
    HAND_MASK,
    HAND_SECOND,
    Range,
    evaluate_cards,
    format_cards,
    format_hand,
    hand_of,
    parse_cards,
    range_equity,
    strengths,
)
from infoset.cards.kernels.equity import complete_board_into
from infoset.cards.kernels.showdown import showdown_into, sort_by_strength_into
from infoset.errors import BadInputError

phevaluator = pytest.importorskip("phevaluator")


def equity_by_hand(range0, range1, board):
    """Every pair of hands on every board, each counted by phevaluator; None if hands never meet."""
    rank = phevaluator.evaluate_cards  # smaller is better
    board = parse_cards(board)
    won, met = {}, {}
    for hand0, hand1 in itertools.product(range0.hands.tolist(), range1.hands.tolist()):
        cards0, cards1 = parse_cards(format_hand(hand0)), parse_cards(format_hand(hand1))
        known = {*cards0, *cards1, *board}
        if len(known) < 4 + len(board):
            continue
        left = [card for card in range(52) if card not in known]
        weight = range0.weight(hand0) * range1.weight(hand1)
        for rest in itertools.combinations(left, 5 - len(board)):
            rank0, rank1 = rank(*cards0, *board, *rest), rank(*cards1, *board, *rest)
            share = 1.0 if rank0 < rank1 else 0.5 if rank0 == rank1 else 0.0
            for key, part in (((0, hand0), share), ((1, hand1), 1.0 - share), (None, share)):
                won[key] = won.get(key, 0.0) + weight * part
                met[key] = met.get(key, 0.0) + weight
    return {key: won[key] / met[key] for key in met}


def assert_same(result, by_hand):
    assert result.is_exact
    assert result.equity == pytest.approx(by_hand[None], abs=1e-12)
    for player in (0, 1):
        known = {hand: share for (p, hand), share in _but_total(by_hand) if p == player}
        found = result.hand_equity[player]
        assert np.flatnonzero(~np.isnan(found)).tolist() == sorted(known)
        for hand, share in known.items():
            assert found[hand] == pytest.approx(share, abs=1e-12)


def _but_total(by_hand):
    return [(key, share) for key, share in by_hand.items() if key is not None]


@pytest.mark.parametrize(
    ("text0", "text1", "board"),
    [
        ("AA,KQs,7h6h:0.3", "AKs:0.7,77,QsJs", "Ks9h7d4c2s"),
        ("AA,KQs,7h6h:0.3", "AKs:0.7,77,QsJs", "Ks9s7s4s2s"),
        ("T9s,2d2c:0.1", "AKo:0.5,T8s", "QhJd8s7c"),
        ("AsAh,AsKs:0.1,6d5d", "QhQd,AhKh:0.9,7h7d", "Kd9h7d"),
        ("AsAh,8c8d", "AsKs,AhKh", "8s8h2d"),
        # Neither range, nor the board, tells any suits apart, or only some.
        ("AsAh,AsAd,AhAd", "KsKh,KsKd,KhKd", "QsQhQd"),
        ("AcKc", "QsQh,QsQd,QhQd", "Js9s2s"),
    ],
)
def test_every_pair_of_hands_by_hand(text0, text1, board):
    range0, range1 = Range.parse(text0), Range.parse(text1)
    assert_same(range_equity(range0, range1, board), equity_by_hand(range0, range1, board))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_small_ranges_by_hand(data):
    cards = data.draw(st.permutations(range(52)))
    board = format_cards(cards[: data.draw(st.sampled_from([4, 5]))])
    made = []
    for _ in range(2):
        weights = np.zeros(1326)
        for hand in data.draw(st.lists(st.integers(0, 1325), min_size=1, max_size=8)):
            weights[hand] = data.draw(st.sampled_from([0.1, 1 / 3, 1.0]))
        made.append(Range(weights))
    by_hand = equity_by_hand(*[given_range.without(board) for given_range in made], board)
    if by_hand:
        assert_same(range_equity(*made, board), by_hand)
    else:
        with pytest.raises(BadInputError, match="share"):
            range_equity(*made, board)


# Published by many equity calculators, to the digits they give.
@pytest.mark.parametrize(
    ("text0", "text1", "percent"),
    [("AA", "KK", 81.95), ("AKs", "QQ", 46.05), ("22", "AKo", 52.65), ("AA", "72o", 88.20)],
)
def test_published_equities_before_the_flop(text0, text1, percent):
    result = range_equity(text0, text1)
    assert result.is_exact
    assert result.num_boards == math.comb(52, 5)
    assert 100 * result.equity == pytest.approx(percent, abs=0.006)
    values = result.hand_equity[0][Range.parse(text0).hands]
    assert values == pytest.approx([result.equity] * len(values), abs=1e-12)


def test_hand_against_hand_before_the_flop():
    hand0, hand1 = parse_cards("AsKd"), parse_cards("QhQc")
    left = [card for card in range(52) if card not in {*hand0, *hand1}]
    flat = itertools.chain.from_iterable(itertools.combinations(left, 5))
    boards = np.fromiter(flat, np.uint8).reshape(-1, 5)
    strength0, strength1 = (
        evaluate_cards(np.hstack([boards, np.tile(np.uint8(hand), (len(boards), 1))]))
        for hand in (hand0, hand1)
    )
    share = np.mean(strength0 > strength1) + np.mean(strength0 == strength1) / 2
    result = range_equity("AsKd", "QhQc")
    assert result.num_boards == len(boards)
    assert result.equity == pytest.approx(share, abs=1e-12)


@pytest.mark.slow
def test_aces_against_anything():
    # 85.20%, in every table of hands against a random one.
    result = range_equity("AA", "random")
    assert result.is_exact
    assert result.equity == pytest.approx(0.8520, abs=5e-5)
    deuces = result.hand_equity[1][hand_of("7d2c")]
    assert deuces == pytest.approx(1 - range_equity("AA", "7d2c").equity, abs=1e-12)


@pytest.mark.parametrize(
    ("text0", "board"),
    [
        ("TT", ""),
        ("TT,A9s,54o", "QsQhQd"),
        ("TT,A9s,54o", "Qs9s2s"),
        ("TT,A9s,54o", "Qs9h2d"),
        ("TT,A9s,54o", "Qs9h2h5h"),
        ("TT,A9s,54o", "Qs9h2h5h5d"),
    ],
)
def test_boards_that_are_alike_are_dealt_once(text0, board):
    text1 = "QJs,KK:0.5"
    # Nearly the same range, but one that tells all suits apart.
    weights = Range.parse(text1).weights.copy()
    for place, hand in enumerate(("QsJs", "QhJh", "QdJd")):
        weights[hand_of(hand)] *= 1.0 - 1e-13 * (place + 1)
    alike, apart = range_equity(text0, text1, board), range_equity(text0, Range(weights), board)
    assert alike.is_exact
    assert apart.is_exact
    assert (
        alike.num_boards == apart.num_boards == math.comb(52 - len(board) // 2, 5 - len(board) // 2)
    )
    assert alike.equity == pytest.approx(apart.equity, abs=1e-9)
    for one, other in zip(alike.hand_equity, apart.hand_equity, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("board", ["Ks9h7d4c2s", "Ks9h7d4c", "Ks9h7d"])
def test_what_one_wins_the_other_loses(board):
    range0 = Range(np.random.default_rng(1).random(1326))
    range1 = Range(np.random.default_rng(2).random(169)[HAND_CLASS])
    result, mirrored = range_equity(range0, range1, board), range_equity(range1, range0, board)
    assert result.equity + mirrored.equity == pytest.approx(1.0, abs=1e-12)
    for player in (0, 1):
        np.testing.assert_allclose(
            result.hand_equity[player], mirrored.hand_equity[1 - player], rtol=0, atol=1e-12
        )
    assert range_equity("random", "random", board).equity == pytest.approx(0.5, abs=1e-12)


def test_mean_of_hands_is_the_equity_of_the_range():
    text0, text1, board = "AA,KQs:0.5,98o", "TT+,AKs:0.5", "Kd9h7d"
    range0, range1 = Range.parse(text0).without(board), Range.parse(text1).without(board)
    result = range_equity(text0, text1, board)
    met = ((HAND_MASK[:, None] & HAND_MASK) == 0) @ range1.weights
    share = np.nansum(range0.weights * met * result.hand_equity[0]) / (range0.weights @ met)
    assert result.equity == pytest.approx(share, abs=1e-12)


def test_the_same_hand_in_both_ranges_and_one_other():
    """Aces cannot meet themselves; what is left of the other range is kings, and only them."""
    alone = range_equity("AsAh", "KsKh", "Kd9h7d")
    for ranges in (("AsAh", "AsAh,KsKh"), ("AsAh,QsQh", "AsAh,KsKh")):
        both = range_equity(*ranges, "Kd9h7d")
        assert both.hand_equity[0][hand_of("AsAh")] == pytest.approx(
            alone.hand_equity[0][hand_of("AsAh")], abs=1e-12
        )
    turned = range_equity("AsAh,KsKh", "AsAh", "Kd9h7d")
    assert turned.hand_equity[1][hand_of("AsAh")] == pytest.approx(alone.equity, abs=1e-12)


def test_hands_that_meet_nothing_have_no_equity():
    result = range_equity("AsAh,KsKh", "AsAd,AhAd", "Qs7d3c")
    nan = np.isnan(result.hand_equity[0])
    assert nan[hand_of("AsAh")]
    assert not nan[hand_of("KsKh")]
    assert np.count_nonzero(~nan) == 1


def test_sampling():
    exact = range_equity("TT+,AQs+", "99-22,KQs")
    assert exact.is_exact
    assert exact.standard_error == 0.0
    sampled = range_equity("TT+,AQs+", "99-22,KQs", samples=20_000, seed=5)
    assert not sampled.is_exact
    assert sampled.num_boards == 20_000
    assert 0.0001 < sampled.standard_error < 0.001
    assert abs(sampled.equity - exact.equity) < 4 * sampled.standard_error
    again = range_equity("TT+,AQs+", "99-22,KQs", samples=20_000, seed=5)
    assert again.equity == sampled.equity
    assert range_equity("TT+,AQs+", "99-22,KQs", samples=20_000, seed=6).equity != sampled.equity


@pytest.mark.parametrize(
    ("text0", "text1", "board"),
    [
        ("AKs,55", "QQ,T9s:0.5", "9s8d2c"),
        # How many hands meet depends on the board as much as who wins: the error of a ratio.
        ("AhAd,KhKd", "AsKs,QsQd", "Ac9h7d"),
    ],
)
def test_standard_error_is_what_estimates_scatter_by(text0, text1, board):
    exact = range_equity(text0, text1, board).equity
    runs = [range_equity(text0, text1, board, samples=200, seed=seed) for seed in range(400)]
    errors = np.array([(run.equity - exact) / run.standard_error for run in runs])
    # 400 draws: the scatter is known within 3.5%, the mean within 0.05; four of each is allowed.
    assert abs(errors.std() - 1.0) < 0.14
    assert abs(errors.mean()) < 0.2


def test_boards_are_sampled_where_dealing_all_takes_long():
    result = range_equity("random,AsKs:0.5", "random")
    assert not result.is_exact
    assert abs(result.equity - 0.5) < 1e-3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("AA", "KK", "Ks9h"), "has 2 cards"),
        (("AA", "AA", "AsAhKd"), "all share cards"),  # one pair of aces is left, for both
        (("AsAh", "KK", "AsKhQd"), "every hand of the first range shares a card with the board"),
        (("AA", "KsKh", "AsKhQd"), "every hand of the second range shares a card with the board"),
        (("AsAh", "AsKd"), "no hand of one range can meet a hand of the other"),
        (("AA", ""), "the range is empty"),
        ((Range(np.zeros(1326)), "AA"), "the first range is empty"),
    ],
)
def test_ranges_that_cannot_meet(arguments, problem):
    with pytest.raises(BadInputError, match=problem):
        range_equity(*arguments)


@pytest.mark.parametrize("samples", [0, 1, -3, 10**9, 2.5])
def test_impossible_numbers_of_samples(samples):
    with pytest.raises(BadInputError, match="samples must be a whole number from 2"):
        range_equity("AA", "KK", samples=samples)


@pytest.mark.parametrize("seed", [-1, 0.5])
def test_impossible_seeds(seed):
    with pytest.raises(BadInputError, match="the seed must be a whole number"):
        range_equity("AA", "KK", samples=10, seed=seed)


def test_samples_that_never_fit_the_hands():
    # Both rivers that are drawn hold a card of either hand in one of 144 cases.
    messages = []
    for seed in range(1500):
        try:
            range_equity("AsKs,AsKs:0.1", "QhQd:0.3", "7c6c2d3h", samples=2, seed=seed)
        except BadInputError as error:
            messages.append(str(error))
    assert 1 <= len(messages) <= 30
    assert all("no board that was sampled" in message for message in messages)


def test_weights_that_vanish_beside_others():
    with pytest.raises(BadInputError, match="too little weight"):
        range_equity("AsAh", "AsKs,AhKh,2d2c:1e-20", "Qs7d3c")
    tiny = range_equity("AsAh", "KdKh,2d2c:1e-20", "Qs7d3c")
    assert tiny.equity == pytest.approx(range_equity("AsAh", "KdKh", "Qs7d3c").equity, abs=1e-12)


# How many boards differ by more than the names of suits, by Burnside's lemma: the 1,755 flops, as
# many fours as there are Omaha hands, and as many fives as there are hands of draw poker.
@pytest.mark.parametrize(("num_cards", "number"), [(3, 1_755), (4, 16_432), (5, 134_459)])
def test_boards_up_to_suits(num_cards, number):
    suits = np.array(list(itertools.permutations(range(4))), np.int64)
    no_card, none_dead = np.empty(0, np.uint8), np.uint64(0)
    boards, weight = np.empty((0, num_cards), np.uint8), np.empty(0)
    assert complete_board_into(boards, weight, no_card, none_dead, suits) == number
    boards, weight = np.empty((number, num_cards), np.uint8), np.empty(number)
    complete_board_into(boards, weight, no_card, none_dead, suits)
    assert weight.sum() == math.comb(52, num_cards)
    assert len({tuple(sorted(board)) for board in boards.tolist()}) == number


def every_hand():
    return (
        np.arange(1326, dtype=np.uint16),
        HAND_FIRST.astype(np.uint8),
        HAND_SECOND.astype(np.uint8),
    )


def sorted_hands(strength):
    order, spare = np.empty((2, len(strength)), np.uint16)
    return order[: sort_by_strength_into(order, strength, spare)]


@pytest.mark.parametrize("board", ["Ks9h7d4c2s", "AsKsQsJsTs", "Ks9h7d", "7s5h4d"])
def test_sorting_by_strength(board):
    """On the last board 3-2 is the weakest hand that there is, of strength 1."""
    strength = strengths(board)
    assert (strength == 1).any() == (board == "7s5h4d")
    order = sorted_hands(strength)
    expected = np.argsort(strength, kind="stable")
    assert order.tolist() == expected[strength[expected] > 0].tolist()


@pytest.mark.parametrize("board", ["Ks9h7d4c2s", "AsKsQsJsTs", "Ks9s7s4s2s", "KsKhKdKc2s"])
def test_showdown_and_fold_against_every_pair(board):
    random = np.random.default_rng(3)
    reach = random.random(1326) * (random.random(1326) < 0.7)
    strength = strengths(board)
    _, first, second = every_hand()
    order = sorted_hands(strength)
    won, met = np.full((2, 1326), 7.0)
    showdown_into(won, met, reach, order, strength, first, second)

    is_live = strength > 0
    meets = (HAND_MASK[:, None] & HAND_MASK) == 0
    meets &= is_live[:, None] & is_live
    above = strength[:, None] > strength
    equal = strength[:, None] == strength
    share = np.where(above, 1.0, np.where(equal, 0.5, 0.0)) * meets
    np.testing.assert_allclose(won[is_live], (share @ reach)[is_live], rtol=0, atol=1e-10)
    np.testing.assert_allclose(met[is_live], (meets @ reach)[is_live], rtol=0, atol=1e-10)
    assert (won[~is_live] == 7.0).all()
    assert (met[~is_live] == 7.0).all()
