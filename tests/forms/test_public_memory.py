"""How large a spot is, against the figures of the reference solver in issue 3."""

from __future__ import annotations

import pytest

from infoset.errors import BadInputError
from infoset.forms.betting_tree import build_betting_tree
from infoset.forms.boards import runouts_of
from infoset.forms.public_layout import layout_of
from infoset.forms.public_memory import cost_of
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import read_spot
from infoset.machine.memory import format_bytes
from reference_spots import SPOTS


@pytest.mark.parametrize(
    ("name", "num_hands", "num_terminals", "megabytes"),
    [
        # 8 folds on the turn; 24 folds, 29 showdowns and 4 of an all-in on each of 48 rivers.
        ("turn_small", (167, 250), 8 + 48 * (24 + 29 + 4), 7.1),
        ("river_deepstack", (1081, 1081), 53, 0.84),
        # Issue 3 says 133,000. 4 folds on the flop, 12 on each of 36 turns; 38 folds, 47 showdowns
        # and 8 of an all-in on each of 1,429 rivers.
        ("flop_small", (225, 310), 4 + 36 * 12 + 1429 * (38 + 47 + 8), 421),
    ],
)
def test_reference_spots(name, num_hands, num_terminals, megabytes):
    cost = cost_of(read_spot(SPOTS, name))
    assert cost.num_hands == num_hands
    assert cost.num_terminals == num_terminals
    # The reference also stores values of the player in position, and hands that a board excludes;
    # work space and layout are not in its figures.
    tables = 2 * 4 * sum(sum(street.num_entries) for street in cost.streets)
    assert 0.7 < tables / (megabytes * 1e6) < 1.0
    assert 0 < cost.num_bytes() - tables < 0.06 * megabytes * 1e6 + 1e6


def test_known_counts():
    assert cost_of(read_spot(SPOTS, "turn_small")).num_terminals == 2744
    assert cost_of(read_spot(SPOTS, "flop_small")).num_terminals == 133_333


def test_bytes_are_counted_by_hand():
    """Check, bet all-in; fold, call: four actions OOP, four IP, on each of 48 rivers and before."""
    spot = Spot("Td9d6hQc", "AA", "KK,QQ", 100, 50, {"bet": "a", "raise": ""})
    cost = cost_of(spot)
    assert cost.num_hands == (6, 9)
    per_street = 4 * 6 + 4 * 9
    boards = [len(boards) for boards in runouts_of(spot)]
    assert boards == [0, 0, 1, 48]
    assert cost.num_numbers == per_street * (1 + 48)
    turn, river = cost.streets
    # Hands are stored in blocks of 16.
    assert turn.num_entries == (4 * 16, 4 * 16)
    assert river.num_entries == (48 * 4 * 16, 48 * 4 * 16)
    # Two decisions each, and one block.
    assert river.num_scales == (48 * 2, 48 * 2)
    num_entries = 2 * 4 * 16 * 49
    third = cost.num_bytes(num_tables=3) - cost.num_bytes()
    assert third == 4 * num_entries
    third = cost.num_bytes(bits=16, num_tables=3) - cost.num_bytes(bits=16)
    assert third == 2 * num_entries + 4 * 2 * 2 * 49
    assert cost.num_bytes(alternating=False) - cost.num_bytes() == 2 * 4 * num_entries // 2
    assert (turn.num_decisions, turn.num_folds, turn.num_showdowns) == (4, 2, 0)
    # On each river: two folds, two called all-ins and a check through; and the turn's two all-ins.
    assert (river.num_decisions, river.num_folds) == (4 * 48, 2 * 48)
    assert river.num_showdowns == 48 * (3 + 2)
    assert cost.num_decisions == 4 * 49
    assert cost == cost_of(spot, build_betting_tree(spot), runouts_of(spot))


def test_a_thread_has_at_least_a_board():
    spot = Spot("Td9d6hQc", "AA", "KK,QQ", 100, 50)
    sizes = [cost_of(spot).num_bytes(threads=threads) for threads in (1, 2, 3, 48, 49, 1000)]
    assert sizes[1] - sizes[0] == sizes[2] - sizes[1] > 0
    assert sizes[2] < sizes[3] == sizes[4] == sizes[5]
    river = cost_of(Spot("Td9d6hQc2s", "AA", "KK", 100, 50))
    assert river.num_bytes(threads=8) == river.num_bytes()


def test_bits():
    cost = cost_of(Spot("Td9d6hQc2s", "AA", "KK", 100, 50))
    with pytest.raises(BadInputError, match="16 or 32 bits, not 8"):
        cost.num_bytes(bits=8)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (2400, "2.4 kB"),
        (99_949, "99.9 kB"),
        (99_951, "100 kB"),
        (999_499, "999 kB"),
        (999_501, "1.0 MB"),
        (6_608_616, "6.6 MB"),
        (406_929_560, "407 MB"),
        (26_000_000_000, "26.0 GB"),
        (1_234_000_000_000_000, "1,234 TB"),
    ],
)
def test_bytes_as_text(number, text):
    assert format_bytes(number) == text


def test_hands_that_two_cards_take_away_are_not_counted_twice():
    """Of 48 hands, all with two of three ranks, some flops and rivers leave one above a block."""
    spot = Spot("Td9d6h", "AK,AQ,KQ", "QQ", 100, 50, {"bet": "a", "raise": ""})
    layout = layout_of(form_of_spot(spot))
    for street, cost in enumerate(cost_of(spot).streets):
        for player in (0, 1):
            taken = layout.table_size(street, player), layout.num_scales(street, player)
            assert (cost.num_entries[player], cost.num_scales[player]) == taken


def test_folds_share_the_terminals_of_showdowns():
    """13 of 53 terminals are folds beside a call that is a showdown: three vectors, not four."""
    spot = read_spot(SPOTS, "river_deepstack")
    for betting in layout_of(form_of_spot(spot)).bettings[0]:
        is_used = betting.terminal_own >= 0
        assert (is_used.sum(), betting.num_shared, betting.num_vectors) == (40, 13, 3)
        is_shared = betting.fold_own >= 0
        assert is_shared.sum() == 13
        # They are never the same slots, and a shared fold costs something.
        assert not set(betting.fold_own[is_shared]) & set(betting.terminal_own)
        assert (betting.fold_payoffs[is_shared] < 0).all()
        assert (betting.fold_payoffs[~is_shared] == 0).all()
    assert cost_of(spot).num_bytes() < 1.02e6
