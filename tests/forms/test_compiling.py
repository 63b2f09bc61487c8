"""Which games are remembered as compiled, and that no other is."""

from __future__ import annotations

import pytest

import infoset
from infoset.forms import sequence_form_of
from infoset.games import CHANCE, TERMINAL, make


class Coin:
    """Heads wins ``stake``, whatever anybody does; the stake may change."""

    name = "coin"

    def __init__(self, stake):
        self.stake = stake

    def root(self):
        return CoinState(self, ())


class CoinState:
    def __init__(self, game, steps):
        self.game, self.steps = game, steps
        self.player = (CHANCE, 0, TERMINAL)[len(steps)]
        self.chance = [("heads", 0.5), ("tails", 0.5)]
        self.actions = ("stay", "leave")
        self.infoset = "unseen"

    @property
    def payoff(self):
        return self.game.stake if self.steps[0] == "heads" else 0

    def child(self, action):
        return CoinState(self.game, (*self.steps, action))


class Alike(Coin):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


def value(game):
    return infoset.expected_value(game, infoset.uniform(game))


@pytest.mark.parametrize("kind", [Coin, Alike])
def test_a_game_that_changed_is_compiled_again(kind):
    game = kind(2)
    assert value(game) == 1.0
    game.stake = 6
    assert value(game) == 3.0


def test_games_that_say_they_are_equal_are_told_apart():
    assert [value(Alike(stake)) for stake in (2, 4)] == [1.0, 2.0]


def test_built_in_games_are_remembered_by_value():
    assert sequence_form_of(make("kuhn")) is sequence_form_of(make("kuhn"))
    assert sequence_form_of(make("kuhn")) is not sequence_form_of(make("leduc"))
