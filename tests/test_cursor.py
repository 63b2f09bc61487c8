"""Notations are read in time linear in their length, and errors say where they went wrong."""

from __future__ import annotations

import re
import time

import pytest

from infoset.calls import parse_call
from infoset.cards import Range, parse_cards
from infoset.cursor import Cursor
from infoset.errors import BadInputError, FileFormatError
from infoset.games.holdem.sizes import parse_sizes
from infoset.games.holdem.spot_files import parse_spot


def test_a_cursor_moves_only_past_what_it_takes():
    cursor = Cursor("ab\u2003c", "letters", longest=4)
    assert (cursor.take("b"), cursor.take(re.compile("[0-9]")), cursor.at) == (None, None, 0)
    assert (cursor.take(re.compile("[ab]+")), cursor.at) == ("ab", 2)
    assert cursor.skip_blanks()
    assert not cursor.skip_blanks()
    assert cursor.expect("c", "the letter c") == "c"
    assert cursor.is_at_end
    assert (cursor.next, cursor.take("c"), cursor.take("")) == ("", None, "")
    with pytest.raises(
        BadInputError, match=r"the letters .* at character 5: expected the letter d"
    ):
        cursor.expect("d", "the letter d")


@pytest.mark.parametrize(
    "read", [parse_call, parse_cards, Range.parse, parse_sizes], ids=lambda read: read.__qualname__
)
def test_what_is_no_text_or_too_long_is_refused(read):
    with pytest.raises(BadInputError, match=r"expected .* as text, got float"):
        read(0.5)
    with pytest.raises(
        BadInputError, match=r"has 1,000,000 characters, at most 1(00)?,000 are read"
    ):
        read("A" * 1_000_000)


def seconds(read, number):
    """Processor time of the fastest of three tries."""
    tries = []
    for _ in range(3):
        begin = time.process_time()
        read(number)
        tries.append(time.process_time() - begin)
    return min(tries)


def refuse_doubled_key(number):
    keys = [f'"key {n}": 0' for n in range(number)]
    with pytest.raises(FileFormatError, match="'key 0' is there twice"):
        parse_spot("{" + ", ".join([*keys, keys[0]]) + "}", is_json=True)


@pytest.mark.parametrize(
    ("read", "number"),
    [
        (lambda number: Range.parse("22+," * number), 6_000),
        (lambda number: Range.parse("AsKd:0.5 " * number), 2_500),
        (lambda number: Range.parse("random," * number), 3_000),
        (refuse_doubled_key, 8_000),
    ],
    ids=["22+", "AsKd:0.5", "random", "JSON"],
)
def test_four_times_the_text_takes_about_four_times_as_long(read, number):
    read(number)
    assert seconds(read, 4 * number) < 9 * seconds(read, number)


def test_an_entry_of_many_hands_takes_no_longer_than_one_of_few():
    """The hands of ``22+`` are cached: they are not worked out for each entry anew."""
    many = seconds(lambda number: Range.parse("22+," * number), 5_000)
    few = seconds(lambda number: Range.parse("AA, " * number), 5_000)
    assert many < 4 * few
