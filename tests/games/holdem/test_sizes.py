"""Bet sizes: what is written, what it means in chips, what is refused."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import BadInputError
from infoset.games.holdem.sizes import (
    AllIn,
    Chips,
    Geometric,
    PotShare,
    PreviousBet,
    SizingContext,
    format_sizes,
    parse_sizes,
)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", ()),
        (" ", ()),
        ("50%", (PotShare(Fraction(50)),)),
        ("33.3%", (PotShare(Fraction(333, 10)),)),
        (".5 %", (PotShare(Fraction(1, 2)),)),
        ("300c", (Chips(300),)),
        ("e", (Geometric(),)),
        ("2e", (Geometric(2),)),
        ("3e200%", (Geometric(3, Fraction(200)),)),
        ("e150%", (Geometric(None, Fraction(150)),)),
        ("a", (AllIn(),)),
        ("50%,100% ,  A", (PotShare(Fraction(50)), PotShare(Fraction(100)), AllIn())),
        ("a,", (AllIn(),)),
    ],
)
def test_what_can_be_written(text, sizes):
    assert parse_sizes(text) == sizes
    assert parse_sizes(format_sizes(sizes)) == sizes


def test_only_raises_are_multiples_of_a_bet():
    assert parse_sizes("2.5x, 3X", for_raises=True) == (
        PreviousBet(Fraction(5, 2)),
        PreviousBet(Fraction(3)),
    )
    with pytest.raises(BadInputError, match="only a raise can have this size"):
        parse_sizes("2.5x")


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("50", 1, "50 of what"),
        ("50%, 75", 6, "75 of what"),
        ("50%, ,a", 6, "expected a size, found nothing"),
        ("50%; 75%", 1, "expected a size, found '50%; 75%'"),
        ("pot", 1, "expected a size, found 'pot'"),
        ("-50%", 1, "'-50%' is negative"),
        ("50%,-a", 5, "is negative"),
        ("0%", 1, "0% is not above zero"),
        ("0c", 1, "0c is not above zero"),
        ("100001%", 1, "is huge; at most 100,000 is possible"),
        ("2000000000c", 1, "is huge"),
        ("9" * 40 + "%", 1, "too many digits"),
        ("2.5c", 1, "not a whole number of chips"),
        ("0e", 1, "for 0 streets"),
        ("11e", 1, "for 11 streets"),
        ("3e0%", 1, "not above zero"),
        ("0.0000001%", 1, "more decimals"),
        ("٥٠%", 1, "expected a size"),
    ],
)
def test_what_is_refused(text, at, message):
    with pytest.raises(BadInputError) as error:
        parse_sizes(text)
    assert f"at character {at}: " in str(error.value)
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["1x", "0.5x", "1001x"])
def test_multiples_that_are_no_raise(text):
    with pytest.raises(BadInputError, match=r"no raise|huge"):
        parse_sizes(text, for_raises=True)


def test_what_is_no_list_of_sizes():
    with pytest.raises(BadInputError, match="expected sizes as text, got int"):
        parse_sizes(50)
    with pytest.raises(BadInputError, match="1,002 characters"):
        parse_sizes("50%, " * 200 + "a,")
    with pytest.raises(BadInputError, match="at character 41: at most 20 sizes"):
        parse_sizes("a," * 21)


numbers = st.integers(1, 10**8).map(lambda n: Fraction(n, 10**6))
sizes = st.one_of(
    numbers.map(PotShare),
    numbers.map(lambda n: PreviousBet(n + 1)),
    st.integers(1, 10**9).map(Chips),
    st.builds(Geometric, st.none() | st.integers(1, 10), st.none() | numbers),
    st.just(AllIn()),
)


@given(st.lists(sizes, max_size=20).map(tuple))
def test_every_size_is_written_and_read_back(chosen):
    assert parse_sizes(format_sizes(chosen), for_raises=True) == chosen


@given(st.text() | st.text("0123456789.%xcea,- "))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(BadInputError):
        parse_sizes(text, for_raises=True)


@pytest.mark.parametrize(
    ("size", "moment", "total"),
    [
        # spots.json: bet X% = round(X * pot); raise X% = to the bet + round(X * pot after a call).
        ("60%", SizingContext(200, 0, 900, 2), 120),
        ("60%", SizingContext(440, 120, 900, 2, 0), 384),
        ("33%", SizingContext(50, 0, 900, 1), 17),  # 16.5: halves go up
        ("14.5%", SizingContext(100, 0, 900, 1), 15),  # exactly 14.5, which 0.145 * 100 is not
        ("50%", SizingContext(1, 0, 900, 1), 1),
        ("1%", SizingContext(10, 0, 900, 1), 0),
        # postflop-solver's documented example: 2.5x of a bet of 120 is a raise to 300.
        ("2.5x", SizingContext(440, 120, 900, 2), 300),
        ("2.5x", SizingContext(13, 3, 900, 2), 8),
        ("300c", SizingContext(200, 0, 900, 2), 300),
        ("300c", SizingContext(440, 120, 900, 2), 420),
        ("a", SizingContext(440, 120, 900, 2), 900),
        # The same example: e on a turn of pot 200 and stack 900 is 216.
        ("e", SizingContext(200, 0, 900, 2), 216),
        ("2e", SizingContext(200, 0, 900, 1), 216),
        ("e", SizingContext(200, 0, 900, 1), 900),
        ("e100%", SizingContext(200, 0, 900, 2), 200),
        ("e500%", SizingContext(200, 0, 900, 2), 216),
        ("e50%", SizingContext(101, 0, 900, 2), 51),  # 50.5: halves go up, as those of any share
        ("e50%", SizingContext(103, 0, 900, 2), 52),
        # As a raise it counts from the call on, one street less for each raise before.
        ("2e", SizingContext(440, 120, 900, 2, 0), 120 + 249),
        ("2e", SizingContext(440, 120, 900, 2, 1), 900),
        ("2e", SizingContext(440, 120, 900, 2, 7), 900),
    ],
)
def test_what_sizes_mean_in_chips(size, moment, total):
    (parsed,) = parse_sizes(size, for_raises=True)
    assert parsed.total(moment) == total


@given(st.integers(1, 10**5), st.integers(1, 10**7), st.integers(1, 3))
def test_geometric_bets_put_the_last_chip_in_on_the_last_street(pot, stack, num_streets):
    behind = stack
    for left in range(num_streets, 0, -1):
        bet = Geometric().total(SizingContext(pot, 0, behind, left))
        assert 0 <= bet <= behind
        pot, behind = pot + 2 * bet, behind - bet
    assert behind == 0
