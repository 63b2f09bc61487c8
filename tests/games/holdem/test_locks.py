"""Locks: what is read, what is refused, how they are written, and which suits they tell apart."""

from __future__ import annotations

import contextlib
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import Range, format_hand, hand_of
from infoset.errors import BadInputError, InfosetError
from infoset.explore.tree_text import spot_text
from infoset.forms.betting_tree import build_betting_tree
from infoset.forms.boards import runouts_of
from infoset.forms.locked_nodes import locked_nodes
from infoset.forms.public_memory import cost_of
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.games.holdem.spot_files import format_spot, parse_spot, spot_of

SIZES = {"bet": "50%, a", "raise": "a"}
RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs", "99,AKo:0.25,J8s", 100, 200, SIZES)
TURN = Spot("Td9d6cQc", "AA,87s", "QQ,JJ", 100, 120, SIZES)


def found(spot, *locks):
    return locked_nodes(build_betting_tree(replace(spot, locks=locks)))


def chances(lock, hand):
    return lock.strategy[:, lock.hands.tolist().index(hand_of(hand))].tolist()


def test_where_a_lock_lies_and_what_it_says():
    lock, other = found(
        RIVER,
        Lock("x", {"x": "99:0.25", "Bet 50%": "99:0.75,J8s", "all-in": "A4"}),
        Lock("", {"bet a": "AA"}),
    )
    assert (lock.node, lock.cards, lock.player) == (1, (), 1)
    # Ace and four are not in the range, and the hands of the board are nobody's.
    assert {format_hand(hand) for hand in lock.hands} == {
        *("9s9d", "9s9c", "9d9c"),
        *("Js8s", "Jh8h", "Jd8d", "Jc8c"),
    }
    assert chances(lock, "9s9d") == [0.25, 0.75, 0.0]
    assert chances(lock, "Jh8h") == [0.0, 1.0, 0.0]
    assert (other.node, other.player, other.strategy.tolist()) == (
        0,
        0,
        [[0.0] * 6, [0.0] * 6, [1.0] * 6],
    )


def test_the_only_action_that_is_left_takes_the_rest():
    (lock,) = found(RIVER, Lock("x", {"bet 50%": "99:0.3,J8s", "x": "AKo:0.5"}))
    assert chances(lock, "9s9d") == pytest.approx([0.0, 0.3, 0.7])
    assert chances(lock, "Jh8h") == [0.0, 1.0, 0.0]
    assert chances(lock, "AsKd") == [0.5, 0.0, 0.5]
    (lock,) = found(RIVER, Lock("bet 50%, a", {"call": "AA:0.125"}))
    assert chances(lock, "AsAh") == [0.875, 0.125]


@pytest.mark.parametrize("off", [-4e-7, 0.0, 4e-7])
def test_a_rest_that_is_rounding_is_nothing(off):
    """Never a tiny chance, and never a negative one."""
    shares = {"bet 50%": f"99:{0.5 + off}", "x": "99:0.5"}
    (lock,) = found(RIVER, Lock("x", shares))
    assert lock.strategy[2].tolist() == [0.0] * len(lock.hands)
    assert lock.strategy.sum(axis=0).tolist() == pytest.approx([1.0] * len(lock.hands), abs=1e-15)


def test_cards_on_the_way():
    lock, other = found(
        TURN, Lock("x, x, Ah", {"check": "AA,87s"}), Lock("x, x, Ac", {"check": "AA"})
    )
    assert lock.node == other.node
    assert (lock.cards, other.cards) == ((50,), (48,))
    assert len(lock.hands) == 3 + 4
    assert not any("Ah" in format_hand(hand) for hand in lock.hands)


def test_shares_are_scaled_to_one():
    (lock,) = found(RIVER, Lock("bet 50%, a", {"call": "AA:0.3333333", "fold": "AA:0.6666666"}))
    assert lock.strategy.sum(axis=0).tolist() == pytest.approx([1.0] * 6, abs=1e-15)


@pytest.mark.parametrize(
    ("path", "strategy", "message"),
    [
        ("", {"call": "AA"}, r"the lock of the first decision: 'call' is no action there: there a"),
        ("x", {"bet 75%": "99"}, r"the lock of 'x': 'bet 75%' is no action there: there are check"),
        ("x", {"bet": "99"}, r"'bet' is no action there: it could be any of bet 50 \(50%\), all-"),
        ("x", {"bet 50%, x": "99"}, r"'bet 50%, x' is no action there: there are check, bet 50"),
        ("x", {"": "99"}, r"'' is no action there: there are check"),
        ("x", {"check": "99", "x": "J8s"}, r"the lock of 'x': 'x' is an action named before"),
        ("y", {"check": "99"}, r"the lock of 'y': step 1 of the path, 'y', is not possible: there"),
        ("x, x", {"check": "99"}, r"the lock of 'x, x' leads to no decision: it is over there"),
        ("x", {"check": "AA"}, r"the lock of 'x' names no hand that the range ip can have there"),
        ("x", {"check": "KsKh"}, r"the lock of 'x' names no hand that the range ip can have"),
        ("x", {"check": "99:0.5"}, r"the shares of 9d9c sum to 0.5, and must sum to 1 \(there are"),
        ("x", {"check": "99", "bet 50%": "99:0.5"}, r"9d9c sum to 1.5, and must sum to at most 1"),
        (
            "x",
            {"check": "99:0.5", "bet 50%": "99:0.25", "a": "99:0.2499"},
            r"the shares of 9d9c sum to 0.9999, and must sum to 1 ",
        ),
    ],
)
def test_what_does_not_fit_the_tree(path, strategy, message):
    spot = replace(RIVER, locks=[Lock(path, strategy)])
    for refused in (
        lambda: locked_nodes(build_betting_tree(spot)),
        lambda: runouts_of(spot),
        lambda: cost_of(spot),
        lambda: spot_text(spot),
    ):
        with pytest.raises(BadInputError, match=message):
            refused()


def test_where_a_card_is_due():
    with pytest.raises(BadInputError, match=r"'x, x' leads to no decision: a card is due there"):
        found(TURN, Lock("x, x", {"check": "AA"}))
    with pytest.raises(BadInputError, match=r"step 3 of the path, 'Td' after 'check, check'"):
        found(TURN, Lock("x, x, Td", {"check": "AA"}))


def test_one_decision_is_locked_once():
    with pytest.raises(BadInputError, match=r"the lock of 'check': the same decision is locked tw"):
        found(RIVER, Lock("x", {"x": "99"}), Lock("check", {"x": "J8s"}))
    assert len(found(TURN, *(Lock(f"x, x, 2{suit}", {"x": "AA"}) for suit in "cdhs"))) == 4


@pytest.mark.parametrize(
    ("locks", "message"),
    [
        ("check", "locks must be a list of locks, not the text 'check'"),
        ({"path": ""}, "locks must be a list of locks, not a table"),
        (3, "locks must be a list of locks, not a number"),
        (["check"], "a lock must be a table with the keys path and strategy, not the text 'chec"),
        ([{"path": "x"}], "a lock needs its strategy"),
        ([{"strategy": {"x": "AA"}}], "a lock needs its path"),
        ([{"path": "x", "strateg": {}}], "a lock has no key 'strateg'; did you mean 'strategy'?"),
        ([{"path": 3, "strategy": {}}], "the path of a lock must be text, not a number"),
        ([{"path": "x\n", "strategy": {}}], "of a lock must be one line of at most 10,000"),
        ([{"path": "x", "strategy": {}}], "the lock of 'x' needs a range for an action, as in"),
        ([{"path": "x", "strategy": "AA"}], "the lock of 'x' needs ranges for actions, as in"),
        ([{"path": "x", "strategy": {3: "AA"}}], "the lock of 'x' names actions by text, not by a"),
        ([{"path": "x", "strategy": {"b\t": "AA"}}], r"the lock of 'x': 'b\\t' is no action"),
        ([{"path": "x", "strategy": {"x": 1}}], "the hands that x must be a range as text, not a"),
        ([{"path": "x", "strategy": {"x": "AX"}}], "the lock of 'x': x: cannot read the range"),
        (
            [{"path": "", "strategy": {"x": Range(np.zeros(1326))}}],
            "the lock of the first decision: the range of 'x' is empty; leave it out",
        ),
        (
            [{"path": "x", "strategy": {f"bet {n}": "AA" for n in range(26)}}],
            "the lock of 'x' names 26 actions; at most 25 are possible",
        ),
        ([Lock("x", {"x": "AA"})] * 2501, "there are 2,501 locks; at most 2,500 are possible"),
    ],
)
def test_what_is_no_lock(locks, message):
    with pytest.raises(BadInputError, match=message):
        replace(RIVER, locks=locks)


def test_locks_are_values():
    lock = Lock("x", {"x": "99", "bet 50%": Range.parse("J8s")})
    assert replace(lock, path="") == Lock("", {"x": "99", "bet 50%": "J8s"})
    assert replace(RIVER, locks=[lock]) == replace(
        RIVER, locks=({"path": "x", "strategy": {"x": "99", "bet 50%": "J8s"}},)
    )
    assert replace(RIVER, locks=[lock]) != RIVER
    assert hash(lock) == hash(Lock("x", {"x": "99", "bet 50%": "J8s"}))
    assert pickle.loads(pickle.dumps(lock)) == lock


# Files.

TOML = """
board = "Ks9h7d4c2s"
range_oop = "AA,KK"
range_ip = "99,J8s"
pot = 100
stack = 200

[bet_sizes]
bet = "50%"

[[lock]]
path = "check"
[lock.strategy]
check = "99:0.25"
"bet 50%" = "99:0.75"

[[lock]]
path = ""
strategy = { check = "AA" }
"""


def test_a_file_with_locks():
    spot = parse_spot(TOML)
    assert spot.locks == (
        Lock("check", {"check": "99:0.25", "bet 50%": "99:0.75"}),
        Lock("", {"check": "AA"}),
    )
    assert parse_spot(format_spot(spot)) == spot
    assert "locked: 2 decisions" in spot_text(spot)
    assert "locked" not in spot_text(replace(spot, locks=()))


def test_a_list_of_spots_with_locks():
    text = TOML.replace("[[lock]]", "[[spots.lock]]").replace("[lock.", "[spots.lock.")
    text = text.replace("[bet_sizes]", "[spots.bet_sizes]")
    assert parse_spot("[[spots]]" + text) == parse_spot(TOML)


def test_unknown_keys_of_a_lock_in_a_file():
    with pytest.raises(BadInputError, match="the text: a lock has no key 'note'"):
        parse_spot(TOML.replace('path = "check"', 'path = "check"\nnote = "why"'))
    with pytest.raises(BadInputError, match="a spot has no setting 'locks'; did you mean 'lock'"):
        parse_spot(TOML.replace("[[lock]]", "[[locks]]").replace("[lock.", "[locks."))


words = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=12)
ranges = st.sampled_from(["AA", "99:0.25", "AsKd:0.333,QJs", "random:0.1", "22+,A2s+:1e-3"])


shares = st.dictionaries(words, ranges, min_size=1, max_size=3)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.builds(Lock, words, shares), max_size=3))
def test_every_lock_is_written_and_read_back(locks):
    spot = replace(RIVER, locks=locks)
    assert parse_spot(format_spot(spot)) == spot


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | ranges,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("x"), inner, max_size=3)
    ),
    max_leaves=8,
)
actions = st.sampled_from(["x", "fold", "call", "a", "bet 50%"])
tables = st.fixed_dictionaries(
    {},
    optional={
        "path": anything | st.sampled_from(["", "x", "check, bet 50%", "bet a", "x, x"]),
        "strategy": anything | st.dictionaries(actions, ranges | anything),
        "more": anything,
    },
)


@settings(max_examples=200, deadline=None)
@given(anything | st.lists(tables | anything, max_size=3))
def test_any_locks_are_taken_or_refused(locks):
    settings_given = {"board": "Ks9h7d4c2s", "range_oop": "AA", "range_ip": "99,QJs"}
    with contextlib.suppress(InfosetError):
        spot = spot_of(settings_given | {"pot": 100, "stack": 200, "lock": locks})
        for lock in locked_nodes(build_betting_tree(spot)):
            assert lock.strategy.sum(axis=0) == pytest.approx(np.ones(len(lock.hands)))
            assert (lock.strategy >= 0).all()


@settings(deadline=None)
@given(st.data())
def test_a_file_with_something_changed_is_read_or_refused(data):
    at = data.draw(st.integers(0, len(TOML)))
    end = data.draw(st.integers(at, min(len(TOML), at + 8)))
    text = TOML[:at] + data.draw(st.text(max_size=5)) + TOML[end:]
    with contextlib.suppress(InfosetError):
        spot = parse_spot(text)
        assert parse_spot(format_spot(spot)) == spot
        locked_nodes(build_betting_tree(spot))


def test_json():
    settings_given = {
        "board": "Ks9h7d4c2s",
        **{"range_oop": "AA", "range_ip": "99", "pot": 100, "stack": 200},
        "lock": [{"path": "", "strategy": {"check": "AA"}}],
    }
    spot = parse_spot(json.dumps(settings_given), is_json=True)
    assert spot.locks == (Lock("", {"check": "AA"}),)


# Suits that are alike: hearts and spades on this board.


@pytest.mark.parametrize(
    ("locks", "num_boards"),
    [
        ((), 35),
        ([Lock("", {"check": "AA,87s:0.5", "bet 50%": "87s:0.5"})], 35),
        ([Lock("", {"check": "AhAd"})], 48),
        ([Lock("", {"check": "AhAd,AsAd"})], 35),
        ([Lock("", {"check": "AhAd,AsAd:0.5", "bet 50%": "AsAd:0.5"})], 48),
        # What nobody can hold tells nothing apart.
        ([Lock("", {"check": "AA,KhKd"})], 35),
        ([Lock("check, check, 2c", {"check": "AA"})], 35),
        ([Lock("check, check, 2c", {"check": "AhAd"})], 48),
        ([Lock("check, check, 2h", {"check": "AA"})], 48),
        ([Lock("check, check, 2h", {"check": "AA"}), Lock("x, x, 2s", {"x": "AA"})], 35),
        ([Lock("check, check, 2h", {"check": "AA"}), Lock("x, x, 3s", {"x": "AA"})], 48),
        ([Lock("x, x, 2h", {"x": "AhAd"}), Lock("x, x, 2s", {"x": "AsAd"})], 35),
        ([Lock("x, x, 2h", {"x": "AhAd"}), Lock("x, x, 2s", {"x": "AhAd"})], 48),
        ([Lock("x, x, 2h", {"x": "AA"}), Lock("x, x, 2s, x", {"x": "QQ"})], 48),
    ],
)
def test_suits_that_locks_tell_apart(locks, num_boards):
    spot = replace(TURN, locks=locks)
    assert len(runouts_of(spot)[-1]) == num_boards
    assert len(runouts_of(spot, build_betting_tree(spot))[-1]) == num_boards
