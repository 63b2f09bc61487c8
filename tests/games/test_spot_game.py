"""Spots as games: the deal, the states, what they win, and what is refused."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hands_for_tests import drawn
from infoset.cards import HAND_FIRST, HAND_SECOND, format_hand
from infoset.errors import BadInputError, GameError, TooLargeError
from infoset.evaluation import expected_value
from infoset.forms import compile_game
from infoset.forms.betting_tree import NodeKind, build_betting_tree
from infoset.forms.spot_form import form_of_spot
from infoset.forms.walk_states import walk_states
from infoset.games import CHANCE, TERMINAL, DealtGame, Game
from infoset.games.holdem import BetSizes, Lock, Rake, Spot, random_situation
from infoset.games.holdem.payoffs import terminal_payoffs
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.recipe import Recipe
from infoset.solvers.vector.solver import VectorSolver

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,9c9d", "99,AKo:0.25,J8s", 101, 250, {"bet": "50%, a"})
TURN = Spot("Td9d6hQc", "QQ:0.5,JcTc", "9c9s,JcTc,8d7d:0.75", 97, 131, {"bet": "a", "raise": ""})


def states_of(spot):
    """Every state below the root, by walking the rules."""
    stack = [spot.root()]
    while stack:
        state = stack.pop()
        yield state
        if state.player == CHANCE:
            stack += [state.child(label) for label, _ in state.chance]
        elif state.player != TERMINAL:
            stack += [state.child(action) for action in state.actions]


def test_a_spot_is_a_game():
    assert isinstance(RIVER, Game)
    assert isinstance(RIVER, DealtGame)


@pytest.mark.parametrize("spot", [RIVER, TURN, random_situation("River(5k)", 1)])
def test_hands_are_dealt_by_the_weights_of_the_ranges(spot):
    oop, ip = spot.ranges
    numbers = np.flatnonzero((oop.weights > 0) | (ip.weights > 0))
    assert spot.hands == tuple(format_hand(int(number)) for number in numbers)
    cards = np.stack([HAND_FIRST[numbers], HAND_SECOND[numbers]], axis=1)
    meets = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
    joint = np.where(meets, np.outer(oop.weights[numbers], ip.weights[numbers]), 0.0)
    joint /= joint.sum()
    first = spot.deal(None)
    assert sum(p for _, p in first) == 1
    assert all(type(p) is Fraction and p > 0 for _, p in first)
    dealt = np.zeros_like(joint)
    for hand0, p in first:
        second = spot.deal(hand0)
        assert sum(q for _, q in second) == 1
        for hand1, q in second:
            dealt[hand0, hand1] = p * q
    np.testing.assert_allclose(dealt, joint, rtol=1e-12, atol=1e-300)


def test_hands_are_drawn_as_often_as_they_are_dealt():
    spot, rng, counts = RIVER, np.random.default_rng(5), Counter()
    for _ in range(4000):
        state = drawn(drawn(spot.root(), rng), rng)
        counts[state.hand0] += 1
        assert state.hand1 in [hand for hand, _ in spot.deal(state.hand0)]
    for hand, p in spot.deal(None):
        expected = 4000 * float(p)
        assert abs(counts[hand] - expected) < 5 * np.sqrt(expected)
    for hand0 in (None, spot.deal(None)[0][0]):
        sums = np.cumsum([float(p) for _, p in spot.deal(hand0)])
        for number in (0.0, 0.25, 0.5, 0.9999):
            hand = spot.deal(hand0)[int(np.searchsorted(sums, number, side="right"))][0]
            assert spot.dealing.hand_at(hand0, number) == hand


def test_states_are_those_of_the_betting_tree():
    """All public histories and actions; a showdown before the river deals the rest of the board."""
    tree = build_betting_tree(TURN)
    public_histories = {}
    for state in states_of(TURN):
        if state.player in (0, 1):
            public_histories.setdefault(state.public.public_history, tuple(state.actions))
    by_path = {}
    for node in np.flatnonzero(tree.node_kind == NodeKind.DECISION).tolist():
        children = range(tree.node_child_begin[node], tree.node_child_end[node])
        by_path[tree.path(node)] = tuple(tree.action_text(child) for child in children)
    seen = set()
    for public_history, actions in public_histories.items():
        before, _, after = public_history.partition("/")
        card, _, later = after.partition(":")
        steps = [*filter(None, before.split(",")), *(["deal"] if card else [])]
        path = ", ".join([*steps, *filter(None, later.split(","))])
        assert by_path[path] == actions
        seen.add(path)
    assert seen == set(by_path)


def test_payoffs_are_relative_to_half_the_pot():
    state = RIVER.root().child("AsAh").child("9s9d")
    half = Fraction(101, 2)
    assert state.child("check").child("check").payoff == -half
    folded = state.child("bet 51").child("fold")
    assert folded.payoff == half
    assert state.child("bet 51").child("call 51").payoff == -half - 51
    assert state.child("all-in 250").child("call 250").payoff == -half - 250
    assert state.child("check").child("bet 51").infoset == "AsAh:check,bet 51"
    tie = Spot("AsKsQsJsTs", "22", "33", 100, 100).root().child("2c2d").child("3c3d")
    assert tie.child("check").child("check").payoff == 0


def test_terminal_payoffs_by_hand():
    # A pot of 100 and 50 each: 200 chips, of which the house takes 5%.
    assert terminal_payoffs(50, 100, Rake(0.05)) == (90, -5, -100)
    assert terminal_payoffs(50, 100, Rake(0.05, cap=3)) == (97, -1.5, -100)
    assert terminal_payoffs(50, 101) == (Fraction(201, 2), 0, -Fraction(201, 2))
    win, tie, lose = terminal_payoffs(300)
    assert {type(win), type(tie), type(lose)} == {int}


@pytest.mark.parametrize("rake", [Rake(), Rake(0.05), Rake(0.1, cap=7)])
def test_the_public_form_has_the_same_payoffs(rake):
    """Winner and loser share the pot but for the rake; a tie splits it."""
    form = form_of_spot(replace(RIVER, rake=rake))
    for node in range(len(form.node_kind)):
        chips = int(form.tree.node_put[node].min())
        win, tie, lose = map(float, terminal_payoffs(chips, 101, rake))
        assert win + lose == pytest.approx(-rake.taken(101 + 2 * chips))
        payoffs = form.terminal_payoffs[node]
        if form.node_kind[node] == NodeKind.SHOWDOWN:
            assert payoffs.tolist() == [[win, tie, lose]] * 2
        elif form.node_kind[node] == NodeKind.FOLD:
            folder = form.node_player[node]
            assert payoffs[folder].tolist() == [lose] * 3
            assert payoffs[1 - folder].tolist() == [win] * 3
        else:
            assert not payoffs.any()


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
def test_both_forms_have_the_same_value(spot):
    exact = LinearProgramSolver(compile_game(spot))
    exact.run()
    value = expected_value(exact.strategy())
    solver = VectorSolver(form_of_spot(spot), Recipe())
    solver.run(500)
    evaluation = solver.evaluate()
    assert evaluation.exploitability < 0.01 * spot.pot
    assert abs(evaluation.values[0] - value) <= 2 * evaluation.exploitability + 1e-4
    best = [solver.counterfactual_values(player, best=True) for player in (0, 1)]
    low, high = (
        float(best[player] @ solver.form.weights[player]) / solver.form.num_pairs
        for player in (1, 0)
    )
    assert -low - 1e-4 <= value <= high + 1e-4


def test_public_states_and_plain_states_compile_to_the_same_game():
    tree = compile_game(TURN)
    history, treeplexes = walk_states(TURN, "plain", 10**7)
    assert [set(t.keys) for t in treeplexes] == [set(t.keys) for t in tree.treeplexes]
    assert len(history.node_parent) == len(tree.history.node_parent)


def test_how_many_histories_there_are_at_least():
    """On the river all but the deal is counted; before it, later streets are checked down."""
    num_histories = len(compile_game(RIVER).history.node_parent)
    num_first = 1 + len(RIVER.deal(None))
    assert RIVER.least_histories == num_histories - num_first
    assert 0 < TURN.least_histories < len(compile_game(TURN).history.node_parent)


def test_what_is_too_large_is_refused_at_once():
    begin = time.perf_counter()
    with pytest.raises(TooLargeError, match="a flop has at least 37,794,440,880 histories"):
        compile_game(Spot("QsJh2h", "random", "random", 180, 360, name="a flop"))
    endless = Spot("QsJh2h", "AA", "KK", 1, 10**9, {"bet": "1c", "raise": "1c"})
    assert endless.least_histories > 10**6
    assert time.perf_counter() - begin < 5


def test_rake_and_locks_have_no_sequence_form():
    for spot, why in (
        (replace(RIVER, rake=0.05), "has rake, so what one player wins is not what the other"),
        (replace(RIVER, locks=[Lock("", {"check": "AA"})]), "has locks, and a lock binds some"),
    ):
        for use in (compile_game, Spot.root, Spot.public):
            with pytest.raises(GameError, match=f"{why}.*Its public form handles"):
                use(spot)
        assert compile_game(replace(spot, rake=0, locks=())).num_infosets > 0


@pytest.mark.parametrize(
    ("labels", "wrong", "message"),
    [
        ([], "7c2d", "'7c2d' cannot be dealt: a hand is one of the player's range"),
        ([], "9s9d", "cannot be dealt"),  # a hand of the other player
        (["AsAh"], "AsKd", "cannot be dealt"),
        (["AsAh", "9s9d"], "call", "'call' is not possible at the start: there are check, bet 51"),
        (["AsAh", "9s9d", "check", "check"], "check", "the hand is over"),
    ],
)
def test_what_cannot_be_is_refused(labels, wrong, message):
    state = RIVER.root()
    for label in labels:
        state = state.child(label)
    with pytest.raises(BadInputError, match=message):
        state.child(wrong)


def test_spots_compare_by_what_they_say():
    """Walking the rules leaves no trace."""
    fresh = Spot(
        "Ks9h7d4c2s", "AA,KK:0.5,QJs,9c9d", "99,AKo:0.25,J8s", 101, 250, BetSizes({"bet": "50%, a"})
    )
    assert compile_game(fresh).num_infosets
    assert fresh == RIVER
    assert hash(fresh) == hash(RIVER)
    assert replace(fresh, pot=102) != RIVER
