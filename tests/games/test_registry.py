"""Games by name: every one can be made, named and made again; the rest is refused politely."""

from __future__ import annotations

from typing import Annotated

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from infoset.calls import Between
from infoset.errors import BadInputError
from infoset.games import CHANCE, Game, known_games, make, register, registry
from infoset.games.liars_dice import liars_dice
from infoset.games.poker import leduc, nolimit_leduc
from infoset.games.rps import rps

NAMES = [
    "goofspiel(cards=4)",
    "holdem",
    "kuhn",
    "leduc",
    "leduc5",
    "liars_dice(dice=1,faces=6)",
    "nolimit_leduc(stack=5)",
    "one_card(cards=13)",
    "rps",
]


def test_known_games_describe_themselves():
    known = known_games()
    assert [make(game.name).name for game in known] == NAMES
    for game in known:
        assert game.summary.endswith(".")
        assert isinstance(game.build(), Game)
        for parameter in game.parameters:
            assert parameter.default is not None
            assert parameter.meaning
            assert parameter.accepts


@given(st.data())
@settings(deadline=None)
def test_names_make_the_same_game_again(data):
    known = data.draw(st.sampled_from(known_games()))
    given_values = {}
    for parameter in known.parameters:
        if parameter.choices:
            drawn = st.sampled_from(parameter.choices)
        elif bool in parameter.kinds:
            drawn = st.booleans()
        else:
            drawn = st.integers(parameter.limits.low, parameter.limits.high)
        given_values[parameter.name] = data.draw(drawn)
    try:
        game = known.build(**given_values)
    except BadInputError:
        reject()  # parameters that do not go together
    again = make(game.name)
    assert again == game
    assert hash(again) == hash(game)
    assert again.name == game.name
    assert again.root().player in (CHANCE, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ledcu", "there is no game 'ledcu'; did you mean 'leduc'?"),
        ("Kuhn", "did you mean 'kuhn'?"),
        ("chess", "there is no game 'chess'. Known: goofspiel, holdem, kuhn"),
        ("kuhn(cards=3)", "kuhn takes no parameters"),
        ("leduc(byrank=true)", "leduc has no parameter 'byrank'; did you mean 'by_rank'?"),
        ("leduc(by_rank=yes)", "by_rank must be true or false, not 'yes'"),
        ("one_card(cards=1)", "cards must be a whole number from 2 to 1000, not 1"),
        ("one_card(cards=1000000000)", "not 1000000000"),
        ("nolimit_leduc(stack=1)", "stack must be a whole number from 2 to 1000"),
        ("nolimit_leduc(stack=5.5)", "not 5.5"),
        ("liars_dice(faces=1)", "faces must be a whole number from 2 to 20"),
        ("liars_dice(dice=0)", "dice must be a whole number from 1 to 5"),
        ("liars_dice(6)", "'6' has no key"),
        ("goofspiel(cards=99)", "cards must be a whole number from 2 to 13"),
        ("goofspiel(points_order=up)", "points_order must be descending or ascending or random"),
        ("goofspiel(returns_type=total_points)", "must be win_loss or point_difference"),
        ("", "expected a name"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(BadInputError) as refused:
        make(text)
    assert message in str(refused.value)


@given(st.text(max_size=30) | st.sampled_from(NAMES).flatmap(lambda n: st.text(n, max_size=30)))
@settings(deadline=None)
def test_any_text_makes_a_game_or_is_refused(text):
    try:
        game = make(text)
    except BadInputError:
        return
    assert make(game.name) == game


def test_python_calls_are_checked_too():
    assert leduc(by_rank=True) == make("leduc(by_rank=true)")
    assert liars_dice(faces=4).name == "liars_dice(dice=1,faces=4)"
    with pytest.raises(BadInputError, match="stack must be a whole number"):
        nolimit_leduc(stack=0)
    with pytest.raises(BadInputError, match="did you mean 'stack'"):
        nolimit_leduc(stak=5)
    with pytest.raises(BadInputError, match="by keyword, not by position"):
        nolimit_leduc(5)


def test_a_new_game_needs_one_function(monkeypatch):
    monkeypatch.setattr(registry, "_known", dict(registry._known))

    def matching(*, sides: Annotated[int, Between(2, 9), "sides of a penny"] = 2):
        """Matching pennies, here played as something else."""
        return rps()

    register(matching)
    register(matching)  # a notebook cell run twice
    assert make("matching(sides=3)") == rps()
    assert "matching" in [game.name for game in known_games()]
    with pytest.raises(BadInputError, match="sides must be a whole number from 2 to 9, not 1"):
        make("matching(sides=1)")

    def kuhn():
        """Not Kuhn poker."""

    with pytest.raises(BadInputError, match="already is a game named 'kuhn'"):
        register(kuhn)


@pytest.mark.parametrize("mine", ["rock", "paper", "scissors"])
@pytest.mark.parametrize("yours", ["rock", "paper", "scissors"])
def test_rps(mine, yours):
    wins = {("rock", "scissors"), ("paper", "rock"), ("scissors", "paper")}
    expected = ((mine, yours) in wins) - ((yours, mine) in wins)
    root = make("rps").root()
    assert root.child(mine).child(yours).payoff == expected
    assert (root.infoset, root.child(mine).infoset) == ("player0", "player1")
