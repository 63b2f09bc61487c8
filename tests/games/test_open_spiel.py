"""Our rules and OpenSpiel's, walked in lock step: the same tree, chance, payoffs and infosets."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest

from infoset.games import CHANCE, TERMINAL, make

pyspiel = pytest.importorskip("pyspiel")


class LockStep:
    """Two trees side by side; their infosets are paired with ours, one to one."""

    def __init__(self):
        self.num_histories = 0
        self.ours = {}
        self.theirs = {}

    def visit(self, ours, theirs):
        self.num_histories += 1
        if theirs.is_terminal():
            assert ours.player == TERMINAL
            assert [ours.payoff, -ours.payoff] == theirs.returns()
            return
        if theirs.is_chance_node():
            assert ours.player == CHANCE
            outcomes = theirs.chance_outcomes()
            assert len(ours.chance) == len(outcomes)
            for (label, p), (outcome, q) in zip(ours.chance, outcomes, strict=True):
                assert float(p) == pytest.approx(q, rel=1e-12)
                self.visit(ours.child(label), theirs.child(outcome))
            return
        assert ours.player == theirs.current_player()
        key = (ours.player, ours.infoset)
        string = (ours.player, theirs.information_state_string())
        assert self.ours.setdefault(key, string) == string
        assert self.theirs.setdefault(string, key) == key
        legal = theirs.legal_actions()
        assert len(ours.actions) == len(legal)
        for label, action in zip(ours.actions, legal, strict=True):
            self.visit(ours.child(label), theirs.child(action))


SAME_ORDER = [
    ("kuhn", "kuhn_poker"),
    ("leduc", "leduc_poker"),
    ("liars_dice(dice=1,faces=2)", "liars_dice(numdice=1,dice_sides=2)"),
    ("liars_dice(dice=1,faces=3)", "liars_dice(numdice=1,dice_sides=3)"),
    ("liars_dice(dice=1,faces=4)", "liars_dice(numdice=1,dice_sides=4)"),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME_ORDER)
def test_same_tree(ours, theirs):
    walk = LockStep()
    walk.visit(make(ours).root(), pyspiel.load_game(theirs).new_initial_state())
    assert walk.num_histories > 50


@pytest.mark.parametrize("points_order", ["descending", "ascending", "random"])
@pytest.mark.parametrize("returns_type", ["win_loss", "point_difference"])
@pytest.mark.parametrize("cards", [2, 3, 4])
def test_same_goofspiel(cards, points_order, returns_type):
    options = f"points_order={points_order},returns_type={returns_type}"
    theirs = pyspiel.convert_to_turn_based(
        pyspiel.load_game(f"goofspiel(imp_info=True,num_cards={cards},{options})")
    )
    walk = LockStep()
    walk.visit(make(f"goofspiel(cards={cards},{options})").root(), theirs.new_initial_state())
    if (cards, points_order) == (4, "descending"):
        assert len(walk.theirs) == 162


@pytest.mark.parametrize("faces", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_same_liars_dice_with_two_dice(faces):
    """OpenSpiel rolls die by die; we roll what a player then sees, his dice in order."""
    game = make(f"liars_dice(dice=2,faces={faces})")
    theirs = pyspiel.load_game(f"liars_dice(numdice=2,dice_sides={faces})")
    walk = LockStep()
    num_ways = Counter()
    for dice in itertools.product(range(faces), repeat=4):
        state = theirs.new_initial_state()
        for die in dice:
            state.apply_action(die)
        hands = ["".join(str(die + 1) for die in sorted(roll)) for roll in (dice[:2], dice[2:])]
        num_ways[hands[0]] += Fraction(1, faces**4)
        walk.visit(game.root().child(hands[0]).child(hands[1]), state)
    assert dict(game.root().chance) == num_ways
    assert dict(game.root().child("12").chance) == num_ways


def test_bids_read_as_in_open_spiel():
    state = pyspiel.load_game("liars_dice(numdice=2,dice_sides=3)").new_initial_state()
    for _ in range(4):
        state.apply_action(0)
    theirs = [state.action_to_string(action) for action in state.legal_actions()]
    assert list(make("liars_dice(dice=2,faces=3)").public().actions) == theirs
