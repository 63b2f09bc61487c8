"""A game that the free memory has no room for is refused before it takes any."""

import pytest

from infoset.errors import TooLargeError
from infoset.forms import compile_game
from infoset.games import make
from infoset.machine import memory


def test_what_is_free_is_known_on_linux():
    free = memory.available_bytes()
    assert free is None or 2**20 < free < 2**50


def test_too_little_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000)
    assert memory.histories_that_fit(1000) == 900
    with pytest.raises(TooLargeError, match=r"goofspiel.* the limit is 2,250"):
        compile_game(make("goofspiel(cards=5)"))
    with pytest.raises(TooLargeError, match=r"leduc has at least .* the limit is 6,428"):
        compile_game(make("leduc"))
    # Who sets a limit means it.
    assert compile_game(make("leduc"), max_histories=10_000).num_infosets == 936


def test_no_limit_known(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    assert memory.histories_that_fit(1000) is None
    assert compile_game(make("kuhn")).num_infosets == 12


def test_what_just_fits_fits(monkeypatch):
    memory.check_fits(1000, "the spot", "give less", limit=1000)
    with pytest.raises(TooLargeError, match=r"the spot needs 1.0 kB of memory, .* are allowed"):
        memory.check_fits(1001, "the spot", "give less", limit=1000)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    memory.check_fits(900, "the spot", "give less")
    with pytest.raises(TooLargeError, match=r"the spot needs 901 B of memory, and 1.0 kB are free"):
        memory.check_fits(901, "the spot", "give less")
