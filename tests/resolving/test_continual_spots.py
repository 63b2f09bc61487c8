"""Continual re-solving in public form: the same as in sequence form, on hands and boards."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.evaluation import PublicEvaluation
from infoset.forms import PartRoot, public_form_of
from infoset.games import make
from infoset.games.holdem import Spot
from infoset.resolving.continual import ContinualResolver
from infoset.resolving.continual_spots import SolvedPart, SpotResolver, as_public_strategy
from infoset.resolving.public_trunk import best_values

RIVER = Spot("Ks9h7d4c2s", "AA,QQ,JTs,87s", "KQs,JJ,T8s", 100, 300)
TURN = Spot("Ks9s7s4s", "AA,QQ,JTs", "KQs,JJ,88", 100, 50, {"bet": "a", "raise": ""})


def measured(spot, **options):
    both = [SpotResolver(spot, seat, algorithm="cfr+", **options) for seat in (0, 1)]
    return PublicEvaluation.of(as_public_strategy(*both)).exploitability()


# --- exploitability -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("iterations", "most"),
    [(100, 0.6), (1000, 0.02)],  # chips of a pot of 100; measured: 0.47 and 0.012
)
def test_a_river_is_played_well(iterations, most):
    assert measured(RIVER, iterations=iterations) < most


MUTANTS = {
    "range is forgotten": ("reach_at", lambda solved, root: np.ones_like(solved.reach)),
    "values are those before our action": ("values_at", lambda solved, root: solved.values),
    "values are ours": ("values_at", lambda solved, root: -VALUES_AT(solved, root)),
}
VALUES_AT = SolvedPart.values_at


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_carried_wrongly_is_exploitable(name, monkeypatch):
    monkeypatch.setattr(SolvedPart, *MUTANTS[name])
    assert measured(RIVER, iterations=300) > 1.0  # 0.045 if nothing is wrong


def test_a_turn_is_played_well_on_all_its_boards():
    assert measured(TURN, iterations=300) < 0.02  # measured: 0.008; the spot as a whole: 0.006


def test_a_trunk_is_not_made_worse():
    poor = infoset.solve(RIVER, "cfr+", iterations=20)
    assert measured(RIVER, iterations=300, trunk=poor) < poor.exploitability  # 3.34 and 3.48


def test_values_at_the_start_are_enough():
    trunk = infoset.solve(RIVER, "cfr+", iterations=2000)
    both = []
    for seat in (0, 1):
        of_trunk = SpotResolver(RIVER, seat, trunk=trunk)
        values = of_trunk._solve_whole().values.tolist()
        names = [of_trunk.form.hand_name(1 - seat, hand) for hand in range(len(values))]
        given = dict(zip(names, values, strict=True))
        both.append(SpotResolver(RIVER, seat, algorithm="cfr+", iterations=1000, values=given))
    assert PublicEvaluation.of(as_public_strategy(*both)).exploitability() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(("iterations", "most"), [(100, 0.4), (1000, 0.006)])
def test_a_turn_with_raises_is_played_well(iterations, most):
    turn = Spot("Ks9h7d4c", "AA,QQ,J8s", "KQs,JJ,T8s", 100, 150)
    assert measured(turn, iterations=iterations) < most  # measured: 0.27 and 0.0036


@pytest.mark.slow
@pytest.mark.parametrize(("iterations", "most"), [(100, 0.025), (1000, 8e-4)])
def test_leduc_is_played_as_well_as_in_sequence_form(iterations, most):
    assert measured(public_form_of(make("leduc")), iterations=iterations) < most


# --- what is carried ----------------------------------------------------------------------------


def test_what_is_carried_is_that_of_the_sequence_form():
    # Later the first solves differ: Kuhn has regrets that are zero but for rounding.
    options = {"algorithm": "cfr+", "iterations": 3}
    public = SpotResolver(public_form_of(make("kuhn")), 0, **options).carried_at("Q:check,bet")
    other = ContinualResolver(infoset.compile("kuhn"), 0, **options).carried_at("Q:check,bet")
    for hand in "JQK":
        assert public.range[hand] == pytest.approx(other.range[f"{hand}: check"], abs=1e-5)
        # There are six deals, each with a weight of 1 here.
        value = 6 * other.opponent_values[f"{hand}:check bet"]
        assert public.opponent_values[hand] == pytest.approx(value, abs=1e-5)
        assert set(public.strategy[hand]) == {"fold", "call"}


def test_after_the_opponents_action_nothing_changes():
    player = SpotResolver(RIVER, 1, iterations=50)
    before = player._solve_whole().values
    assert np.abs(before).max() > 1.0
    for done in ("check", "bet 50%", "bet 300"):
        carried = player.carried_at(f"JhJd:{done}")
        assert list(carried.opponent_values.values()) == pytest.approx(before.tolist(), abs=1e-3)
        assert set(carried.range.values()) == {1.0}


def test_after_our_action_the_range_is_updated():
    player = SpotResolver(RIVER, 1, iterations=50)
    first = player.carried_at("JhJd:check").strategy
    later = player.carried_at("JhJd:check,bet 50%,raise 300")
    bets = {hand: actions["bet 50"] for hand, actions in first.items()}
    assert later.range == pytest.approx(bets)
    assert 0.0 < sum(bets.values()) < len(bets)


def test_after_a_card_values_are_those_of_the_card():
    form = public_form_of(make("leduc"))
    player = SpotResolver(form, 0, algorithm="cfr+", iterations=50)
    place = form.find_infoset("Qs:check,check/Js:")
    above = player._solve_whole()
    boards = range(len(form.streets[1].cards))
    each = np.array([above.values_at(PartRoot(place.node, 1, board)) for board in boards])
    is_above = (form.node_child_begin <= place.node) & (place.node < form.node_child_end)
    dealing = PartRoot(int(np.flatnonzero(is_above)[0]), 0, 0)
    reach = above.reach_at(dealing), np.ones(form.num_hands[1])
    together = best_values(above.strategy, dealing, reach)[1]
    # All cards together are worth what there is before they are dealt.
    assert form.streets[1].probability * each.sum(axis=0) == pytest.approx(together, abs=1e-4)
    assert len(np.unique(each.round(3), axis=0)) == len(boards)
    by_key = player.carried_at("Qs:check,check/Js:").opponent_values
    assert "Js" not in by_key  # it is on the board
    assert by_key["Ks"] == pytest.approx(each[place.board][form.hands.index("Ks")], abs=1e-5)


def test_boards_that_differ_in_suits_are_one():
    player = SpotResolver(TURN, 1, iterations=20)
    assert player.strategy_at("JhJd:check,check/2h:check") == pytest.approx(
        player.strategy_at("JdJc:check,check/2d:check")
    )


# --- questions ----------------------------------------------------------------------------------


def test_answers_do_not_depend_on_the_order_of_questions():
    keys = ["JhJd:check,bet 50,raise to 300", "JhJd:check", "KhQh:bet 50%"]
    one, other = (SpotResolver(RIVER, 1, iterations=30) for _ in range(2))
    answers = {key: one.strategy_at(key) for key in keys}
    assert answers == {key: other.strategy_at(key) for key in reversed(keys)}
    assert one.num_solved == 4
    one.reset()
    assert one.num_solved == 0
    assert one.strategy_at(keys[0]) == answers[keys[0]]
    assert one.num_solved == 3


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: SpotResolver(RIVER, 1).strategy_at("JhJd:check,fold"), "not possible"),
        (lambda: SpotResolver(RIVER, 1).strategy_at("JhJd:"), "infoset of player 0|never holds"),
        (lambda: SpotResolver(RIVER, 1).strategy_at("AhAd:"), "infoset of player 0, not 1"),
        (lambda: SpotResolver(RIVER, 1).strategy_at("2h2d:check"), "never holds"),
        (lambda: SpotResolver(RIVER, 2), "no player 2"),
        (lambda: SpotResolver(RIVER, 0, method="max-margin"), "'gadget' only"),
        (lambda: SpotResolver(RIVER, 0, algorithm="lp"), "public form"),
        (lambda: SpotResolver(RIVER, 0, values={"AhAd": 1.0}), "each hand of the opponent"),
        (lambda: SpotResolver(RIVER, 0, trunk=infoset.uniform("kuhn")), "public form"),
        (lambda: as_public_strategy(*[SpotResolver(RIVER, 1)] * 2), "both resolvers play seat 1"),
        (
            lambda: as_public_strategy(SpotResolver(RIVER, 1), SpotResolver(TURN, 0)),
            "different spots",
        ),
    ],
)
def test_refusals(ask, words):
    with pytest.raises(BadInputError, match=words):
        ask()
