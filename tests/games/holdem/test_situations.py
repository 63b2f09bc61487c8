"""Random situations: reproducible, of the right shape, and random in the right way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from infoset.cards import HAND_MASK, mask_of, range_equity, strengths
from infoset.errors import BadInputError
from infoset.forms.betting_tree import build_betting_tree
from infoset.games.holdem.betting import RIVER, TURN
from infoset.games.holdem.situations import (
    COMMITMENTS,
    STACK,
    _weakest_first,
    draw_range,
    random_situation,
)
from infoset.games.holdem.spot_files import format_spot, parse_spot


@pytest.mark.parametrize(
    ("kind", "pot", "stack", "num_cards"),
    [
        ("River(500)", 500, 19_750, 5),
        ("River(5k)", 5000, 17_500, 5),
        ("Turn(5k)", 5000, 17_500, 4),
        (" turn ( 5K ) ", 5000, 17_500, 4),
        ("Flop(100)", 100, 19_950, 3),
    ],
)
def test_kinds(kind, pot, stack, num_cards):
    spot = random_situation(kind, seed=7)
    assert (spot.pot, spot.stack, len(spot.board)) == (pot, stack, num_cards)
    assert spot.name == f"{kind.strip()} #7"
    num_hands = math.comb(52 - num_cards, 2)
    assert spot.num_hands == (num_hands, num_hands)
    for held in spot.ranges:
        assert held.num_combos == pytest.approx(1.0, abs=1e-12)
    assert spot.range_oop != spot.range_ip


def test_the_seed_decides():
    one, same, other = (random_situation("River(5k)", seed) for seed in (1, 1, 2))
    assert one == same
    assert one.board != other.board
    assert one.range_oop != other.range_oop


def test_the_seed_may_be_part_of_the_text():
    assert random_situation("River(5k, seed=3)") == random_situation("River(5k)", 3)
    assert random_situation(" River ( seed = 12 ) ") == random_situation("River", 12)
    assert random_situation("River( 5k , seed=3 )").name == "River( 5k) #3"
    with pytest.raises(BadInputError, match=r"given twice: 1, and in 'River\(5k, seed=3\)'"):
        random_situation("River(5k, seed=3)", 1)


def test_a_situation_survives_its_file():
    spot = random_situation("River(5k)", 3)
    text = format_spot(spot)
    assert parse_spot(text) == spot


def test_actions_are_those_of_the_lookahead():
    """PAPERS.md: river F C P/2 P 2P A twice, then F C P A; turn F C P/2 P A, then F C P A."""
    river = build_betting_tree(random_situation("River(5k)"))
    bets = [river.node_amount[node] for node in range(1, 6)]
    assert bets == [0, 2500, 5000, 10_000, 17_500]
    # One line down the tree: bet half the pot, raise by the pot, and so on.
    assert "bet 2500, raise to 12500" in [river.path(node) for node in range(river.num_nodes)]
    third = [
        river.action_text(node)
        for node in range(river.num_nodes)
        if river.path(node).startswith("check, bet 2500, ") and river.path(node).count(",") == 2
    ]
    assert third == ["fold", "call 2500", "raise to 12500", "all-in 17500"]
    turn = build_betting_tree(random_situation("Turn(5k)"))
    of_root = range(turn.node_child_begin[0], turn.node_child_end[0])
    assert [turn.action_text(node) for node in of_root] == [
        "check",
        "bet 2500",
        "bet 5000",
        "all-in 17500",
    ]


def naive_masses(length, random):
    """The generator as it is described, recursively: one mass a hand."""
    if length == 1:
        return [1.0]
    middle = length // 2
    if length % 2:
        middle += int(random.integers(2))
    share = random.random()
    weak = [share * mass for mass in naive_masses(middle, random)]
    strong = [(1.0 - share) * mass for mass in naive_masses(length - middle, random)]
    return weak + strong


@pytest.mark.parametrize("length", [1, 2, 3, 7, 100, 1081])
def test_ranges_are_drawn_as_described(length):
    hands = np.random.default_rng(5).permutation(1326)[:length]
    drawn = draw_range(hands, np.random.default_rng(9)).weights
    expected = naive_masses(length, np.random.default_rng(9))
    np.testing.assert_allclose(drawn[hands], expected, rtol=1e-12)
    assert np.count_nonzero(drawn) == length


def test_the_mass_of_the_weaker_half_is_uniform():
    """Kolmogorov-Smirnov at 500 draws: the largest gap stays below 1.63 / sqrt(500) 99 in 100."""
    random = np.random.default_rng(0)
    hands = np.arange(64)
    masses = sorted(float(draw_range(hands, random).weights[:32].sum()) for _ in range(500))
    gap = max(abs(mass - (n + 0.5) / 500) for n, mass in enumerate(masses))
    assert gap < 1.63 / math.sqrt(500)


def test_an_odd_middle_hand_falls_to_either_side():
    """Of three hands, the middle one shares its half with the first or the last."""
    random = np.random.default_rng(0)
    shares = [draw_range(np.arange(3), random).weights[:3] for _ in range(2000)]
    # The lone hand of the three holds a uniform share, 1/2 on average; the others half of the rest.
    mean = np.mean(shares, axis=0)
    np.testing.assert_allclose(mean, [3 / 8, 1 / 4, 3 / 8], atol=0.02)


def test_hands_are_ordered_by_strength_on_the_river():
    board = random_situation("River(5k)", 4).board
    order = _weakest_first(board)
    strength = strengths(board)[order]
    assert (np.diff(strength) >= 0).all()
    assert len(set(order.tolist())) == 1081
    assert not (HAND_MASK[order] & np.uint64(mask_of(board))).any()


def test_hands_are_ordered_by_equity_on_the_turn():
    board = random_situation("Turn(5k)", 4).board
    order = _weakest_first(board)
    equity = range_equity("random", "random", board).hand_equity[0][order]
    assert len(order) == 1128
    assert (np.diff(equity) > -1e-8).all()


def test_boards_and_pots_are_spread():
    spots = [random_situation("River", seed) for seed in range(200)]
    cards = np.bincount([card for spot in spots for card in spot.board], minlength=52)
    # 1000 cards, 19.2 of each on average: 52 times a chance of 1e-6 to be outside.
    assert cards.min() >= 2
    assert cards.max() <= 45
    # PAPERS.md, "Training data": what is drawn is what each player has put in, half of the pot.
    assert COMMITMENTS == ((100, 101), (200, 400), (400, 2000), (2000, 6000), (6000, 19_951))
    halves = [spot.pot / 2 for spot in spots]
    for low, high in COMMITMENTS:
        assert sum(low <= half < high for half in halves) >= 20
    assert all(any(low <= half < high for low, high in COMMITMENTS) for half in halves)
    # Read as totals, no situation would leave less than 0.6 of a pot.
    assert min(spot.stack_to_pot for spot in spots) < 0.1
    assert any(half % 2 for half in halves)
    for spot in spots:
        assert spot.stack == STACK - spot.pot // 2
    assert spots[0].street == RIVER == TURN + 1


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("Preflop(5k)", "not a kind of situation; write it as in River"),
        ("River(5m)", "not a kind"),
        ("River(", "not a kind"),
        ("", "not a kind"),
        (5, "int is not a kind"),
        ("River(501)", "even number"),
        ("River(0)", "even number from 2 to 39,998"),
        ("River(40k)", "even number"),
        ("River(5k, seed=x)", "not a kind"),
        ("River(, seed=1)", "not a kind"),
        ("River(5k, seed=1, seed=2)", "not a kind"),
    ],
)
def test_kinds_that_are_none(kind, message):
    with pytest.raises(BadInputError, match=message):
        random_situation(kind)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_seeds_that_are_none(seed):
    with pytest.raises(BadInputError, match="the seed must be a whole number"):
        random_situation("River(5k)", seed)
