"""Strategies of abstract games, played in the full ones."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from games_for_tests import CORNERS, End, Luck, TreeGame, Turn, games
from infoset.errors import BadInputError
from infoset.evaluation import expected_value, exploitability
from infoset.forms import abstract_form, compile_game
from infoset.games import make, merge_of
from infoset.strategy import SequenceStrategy, lift
from merges_for_tests import random_merge, random_strategy, textured

LEDUC = compile_game(make("leduc"))


def value_of(form):
    return infoset.solve(form, "lp").values[0]


@given(games(), st.integers(0, 2**32 - 1))
def test_a_lifted_strategy_plays_alike(game, seed):
    """Values are those of the abstract game; a best response in the full game can only do more."""
    full = compile_game(game)
    merged = random_merge(full, seed)
    abstraction = abstract_form(full, merged)
    strategy = random_strategy(abstraction.abstract, seed)
    lifted = lift(abstraction, strategy)
    assert lifted.form is full
    assert expected_value(lifted) == pytest.approx(expected_value(strategy), abs=1e-12)
    assert exploitability(lifted) >= exploitability(strategy) - 1e-12
    for player, key in lifted:
        assert lifted[player, key] == strategy[player, merged(player, key)]


def prefixed(node, told, prefix):
    """The tree with a prefix before the infosets of the players who were told it."""
    if isinstance(node, End):
        return node
    if isinstance(node, Luck):
        return Luck(tuple((m, p, prefixed(child, told, prefix)) for m, p, child in node.branches))
    key = f"{prefix} {node.infoset}" if node.player in told else node.infoset
    branches = tuple((label, prefixed(child, told, prefix)) for label, child in node.branches)
    return Turn(node.player, key, branches)


@given(
    games(depth=4),
    st.sampled_from([(0,), (1,), (0, 1)]),
    st.sampled_from([(0,), (1,), (0, 1)]),
    st.integers(1, 9),
)
def test_what_does_not_matter_can_be_merged(game, told, forgetful, tenths):
    """A coin that changes nothing is tossed first: who forgets it loses nothing by it."""
    copies = (
        ("heads", Fraction(tenths, 10), prefixed(game.top, told, "heads")),
        ("tails", Fraction(10 - tenths, 10), prefixed(game.top, told, "tails")),
    )
    full = compile_game(TreeGame(Luck(copies)))

    def merged(player, key):
        return re.sub("^(heads|tails) ", "", key) if player in forgetful else key

    abstraction = abstract_form(full, merged)
    solution = infoset.solve(abstraction.abstract, "lp")
    assert solution.values[0] == pytest.approx(value_of(compile_game(game)), abs=1e-9)
    assert solution.values[0] == pytest.approx(value_of(full), abs=1e-9)
    if set(told) <= set(forgetful):
        # Nobody is left who could use the coin against the other.
        assert exploitability(lift(abstraction, solution.strategy)) < 1e-9


def test_a_strategy_of_another_game_is_not_lifted():
    abstraction = textured("leduc")
    for other in (LEDUC, compile_game(make("kuhn")), textured("leduc(by_rank=true)").abstract):
        with pytest.raises(BadInputError, match="cannot be lifted to leduc"):
            lift(abstraction, SequenceStrategy.uniform(other))


def test_a_strategy_from_a_file_is_lifted(tmp_path):
    abstraction = textured("leduc")
    solution = infoset.solve(abstraction.abstract, "dcfr", iterations=10)
    solution.save(tmp_path / "texture.sol")
    loaded = infoset.load(tmp_path / "texture.sol")
    value = expected_value(lift(abstraction, loaded.strategy))
    assert value == pytest.approx(solution.values[0], abs=1e-12)
    # The game is not one that a name makes, so it is given where payoffs are needed.
    loaded = infoset.load(tmp_path / "texture.sol", abstraction.abstract)
    assert exploitability(loaded.strategy) == pytest.approx(solution.exploitability, abs=1e-12)


def test_an_abstraction_made_twice_is_the_same():
    abstraction = textured("leduc")
    again = abstract_form(LEDUC, merge_of("texture", make("leduc")))
    assert again.abstract.fingerprint == abstraction.abstract.fingerprint
    lifted = lift(abstraction, SequenceStrategy.uniform(again.abstract))
    assert lifted["Js:"] == {"check": 0.5, "bet": 0.5}


@pytest.mark.parametrize("name", sorted(CORNERS))
def test_games_at_the_edge(name):
    full = compile_game(CORNERS[name])
    abstraction = abstract_form(full, random_merge(full, 0))
    strategy = random_strategy(abstraction.abstract, 0)
    lifted = lift(abstraction, strategy)
    assert expected_value(lifted) == pytest.approx(expected_value(strategy), abs=1e-12)
