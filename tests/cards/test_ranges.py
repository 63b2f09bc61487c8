"""Ranges: what players write, what it means, how it is written back, what is refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.cards import CLASS_NAMES, HAND_CLASS, Range, format_hand
from infoset.errors import BadInputError


def classes(text):
    """The classes of a range, all of whose hands must have weight one or zero."""
    weights = Range.parse(text).class_weights()
    assert set(weights.tolist()) <= {0.0, 1.0}
    return {name for name, weight in zip(CLASS_NAMES, weights, strict=True) if weight}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("77", "77"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKs AKo"),
        ("JJ+", "JJ QQ KK AA"),
        ("AA+", "AA"),
        ("55-22", "55 44 33 22"),
        ("22-55", "55 44 33 22"),
        ("ATo+", "ATo AJo AQo AKo"),
        ("AT+", "ATo AJo AQo AKo ATs AJs AQs AKs"),
        ("K5s+", "K5s K6s K7s K8s K9s KTs KJs KQs"),
        ("96s+", "96s 97s 98s"),
        ("64s+", "64s 65s"),
        ("T9s+", "T9s JTs QJs KQs AKs"),
        ("AKs+", "AKs"),
        ("32o+", "32o 43o 54o 65o 76o 87o 98o T9o JTo QJo KQo AKo"),
        ("A5s-A4s", "A5s A4s"),
        ("A2s-A5s", "A5s A4s A3s A2s"),
        ("76s-54s", "76s 65s 54s"),
        ("AQo-86o", "AQo KJo QTo J9o T8o 97o 86o"),
        ("K5-K4", "K5s K4s K5o K4o"),
        ("77-77", "77"),
        ("a10S, 9c9D+", None),
    ],
)
def test_entries(text, meaning):
    if meaning is None:
        pairs = [f"{rank}d{rank}c" for rank in "9TJQKA"]
        assert Range.parse(text) == Range.parse("ATs," + ",".join(pairs))
    else:
        assert classes(text) == set(meaning.split())


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("AsKd", "KdAs"),
        ("8s8h+", "8s8h,9s9h,TsTh,JsJh,QsQh,KsKh,AsAh"),
        ("9d8d-6d5d", "9d8d,8d7d,7d6d,6d5d"),
        # The two cards of a pair may stand in any order, and not the same on both sides.
        ("8h8s-6s6h", "8s8h,7s7h,6s6h"),
        ("6s6h-8h8s", "8s8h,7s7h,6s6h"),
        ("8h8s+", "8s8h+"),
        ("5d6d-9d8d", "9d8d,8d7d,7d6d,6d5d"),
        ("5s6d-7d6s", "7d6s,6d5s"),
        ("As5s+", "As5s,As6s,As7s,As8s,As9s,AsTs,AsJs,AsQs,AsKs"),
        ("Ah5s-Ah4s", "Ah5s,Ah4s"),
        (" QQ + , AKs ", "QQ+,AKs"),
        ("QQ\n-\n22 : 0.5\n", "QQ-22:0.5"),
        ("AA KK\nQQ\tJJ", "JJ+"),
        ("AA:.5 KK:1. QQ:1", "AA:0.5,KK,QQ"),
        ("AK,", "AK"),
        ("AK:1e-1", "AK:0.1"),
        ("RANDOM", "any"),
        ("A♠K♦", "AsKd"),
        # Of entries that overlap, the later counts.
        ("22+,AA:0.5", "KK-22,AA:0.5"),
        ("AA:0.5,22+", "22+"),
        ("AK:0.5,AsKs", "AKo:0.5,AhKh:0.5,AdKd:0.5,AcKc:0.5,AsKs"),
        ("22+,77:0", "88+,66-22"),
    ],
)
def test_ways_to_write_the_same_range(text, same):
    assert Range.parse(text) == Range.parse(same)


# The ranges and numbers of hands of two of the reference spots of postflop-solver.
TURN_RANGES = {
    "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s": 167,
    "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+": 250,
}


@pytest.mark.parametrize(("text", "num_hands"), TURN_RANGES.items())
def test_ranges_of_a_reference_spot(text, num_hands):
    parsed = Range.parse(text)
    assert len(parsed.without("Td9d6hQc")) == num_hands
    assert str(parsed) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("AA,KK", "KK+"),
        ("KK,QQ", "KK-QQ"),
        ("66-22,TT+", "TT+,66-22"),
        ("AA:0.5, KK:1.0, QQ:1.0, JJ:0.5", "AA:0.5,KK-QQ,JJ:0.5"),
        ("AK,AQ,AJs", "AJs+,AQo+"),
        ("KQ,KT,K9,K8,K6,K5", "KQ,KT-K8,K6-K5"),
        ("T9s+", "AKs,KQs,QJs,JTs,T9s"),
        ("KsJh,KQ", "KQ,KsJh"),
        ("2d2c,AhAs", "AsAh,2d2c"),
        ("random", "random"),
        ("any:.25", "random:0.25"),
        ("A2+,K2+,Q2+,22+", "22+,A2+,K2+,Q2+"),
        ("AK:0.00001", "AK:1e-05"),
    ],
)
def test_shortest_text(text, written):
    assert str(Range.parse(text)) == written
    assert repr(Range.parse(text)) == f"Range({written!r})"


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("", 1, "the range is empty"),
        (" \n", 3, "the range is empty"),
        ("QQ+,AKx", 7, "expected s, o, '+', '-', ':' or ',' after AK, found 'x'"),
        ("AKQ", 3, "found 'Q'"),
        ("77x", 3, "expected '+', '-', ':' or ',' after 77, found 'x'"),
        ("KA", 1, "the higher card comes first: AK"),
        ("AAs", 3, "a pair is neither suited nor offsuit, found 's'"),
        ("AA,AsAs", 4, "the same card twice"),
        ("As", 3, "expected the second card of the hand"),
        ("AsK", 4, "expected a suit (c, d, h or s), found the end"),
        ("A", 2, "expected a rank (2 to 9, T, J, Q, K or A) or a suit (c, d, h or s)"),
        ("AKs-AJo", 5, "AKs and AJo differ in their suits"),
        ("AhKh-QsJs", 6, "AhKh and QsJs differ in their suits"),
        ("A5-KQ", 4, "A5 and KQ have neither"),
        ("AA-AK", 4, "of AA and AK one is a pair and one is not"),
        ("QQ-", 4, "expected a hand such as AKs, 77 or AsKd, found the end"),
        ("AK:", 4, "expected a weight from 0 to 1, found the end"),
        ("AK:2", 4, "the weight 2 is above 1"),
        ("AK:1.0001", 4, "the weight 1.0001 is above 1"),
        ("AK:-0.1", 4, "expected a weight from 0 to 1, found '-'"),
        ("AK:nan", 4, "expected a weight from 0 to 1, found 'n'"),
        ("AK:50%", 6, "not a percentage"),
        ("AK:" + "9" * 400, 4, "is above 1"),
        ("AK,,QQ", 4, "found ','"),
        (",AK", 1, "found ','"),
        ("66++", 4, "expected ',' before the next entry, found '+'"),
        ("AKsQQ", 4, "expected ',' before the next entry, found 'Q'"),
        ("AK:0.5QQ", 7, "expected ',' before the next entry, found 'Q'"),
        ("randomly", 1, "found 'r'"),
        ("ſ", 1, "found 'ſ'"),
    ],
)
def test_unreadable_ranges(text, where, problem):
    with pytest.raises(BadInputError) as caught:
        Range.parse(text)
    assert f"at character {where}: " in str(caught.value)
    assert problem in str(caught.value)


def test_a_range_of_zero_weights_is_refused():
    with pytest.raises(BadInputError, match="every weight is zero"):
        Range.parse("AA:0,KK:0.0")


def test_what_is_no_text():
    with pytest.raises(BadInputError, match="got NoneType"):
        Range.parse(None)
    with pytest.raises(BadInputError, match="100,000 are read"):
        Range.parse("AA," * 50_000)


@settings(max_examples=300)
@given(st.text(alphabet="AKQ72sohd+-:,. \n01.5e%random♠", max_size=40))
def test_any_text_is_a_range_or_refused(text):
    try:
        parsed = Range.parse(text)
    except BadInputError:
        return
    assert len(parsed) > 0
    assert Range.parse(str(parsed)) == parsed


@given(st.text(max_size=20))
def test_no_other_error_whatever_the_text(text):
    with contextlib.suppress(BadInputError):
        Range.parse(text)


@st.composite
def ranges(draw):
    """Whole classes and single hands, with few and with odd weights."""
    weight = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0))
    by_class = draw(st.lists(weight, min_size=169, max_size=169))
    weights = np.array(by_class)[HAND_CLASS]
    for hand in draw(st.lists(st.integers(0, 1325), max_size=10)):
        weights[hand] = draw(weight)
    return Range(weights)


@settings(max_examples=50, deadline=None)
@given(ranges())
def test_ranges_come_back(given_range):
    if not given_range:
        assert str(given_range) == ""
        return
    assert Range.parse(str(given_range)) == given_range
    assert hash(Range.parse(str(given_range))) == hash(given_range)


def test_every_class_by_name():
    for number, name in enumerate(CLASS_NAMES):
        assert (Range.parse(name).hands == np.flatnonzero(number == HAND_CLASS)).all()
        assert str(Range.parse(name)) == name


def test_every_hand_by_name():
    for hand in range(1326):
        assert Range.parse(format_hand(hand)).hands.tolist() == [hand]


def test_counting():
    mixed = Range.parse("AA,KK:0.5,AsKs:0.25")
    assert len(mixed) == 13
    assert mixed.num_combos == 9.25
    assert mixed.weight("KdKc") == 0.5
    assert mixed.weight("2d2c") == mixed.weight(0) == 0.0
    assert len(Range.random()) == Range.random().num_combos == 1326


def test_without():
    assert len(Range.parse("AA").without("As")) == 3
    assert len(Range.parse("AsKs").without("As")) == 0
    assert Range.parse("QQ").without("As") == Range.parse("QQ")
    assert str(Range.parse("AA").without([51])) == "AhAd,AhAc,AdAc"


def test_ranges_do_not_change():
    weights = np.zeros(1326)
    made = Range(weights)
    weights[3] = 1.0
    assert len(made) == 0
    with pytest.raises(ValueError, match="read-only"):
        made.weights[0] = 1.0
    with pytest.raises(AttributeError):
        made.weights = weights
    assert made != "AA"
    assert Range(-np.zeros(1326)) == made
    assert hash(Range(-np.zeros(1326))) == hash(made)


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        (np.ones(1325), "1326 weights, not shape"),
        (np.full(1326, 1.5), "the weight of 2d2c is 1.5; weights are from 0 to 1"),
        (np.full(1326, np.nan), "the weight of 2d2c is nan"),
        (np.eye(1, 1326, 1325)[0] * -0.1, "the weight of AsAh is -0.1"),
        (["x"] * 1326, "must be numbers"),
    ],
)
def test_weights_that_make_no_sense(weights, problem):
    with pytest.raises(BadInputError) as caught:
        Range(weights)
    assert problem in str(caught.value)


@pytest.mark.parametrize("hand", ["As", "AsAs", 1326, -1])
def test_no_weight_of_what_is_no_hand(hand):
    with pytest.raises(BadInputError):
        Range.random().weight(hand)
