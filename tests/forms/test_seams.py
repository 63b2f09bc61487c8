"""Public forms that end early, and forms whose root may be declined."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from infoset.errors import BadInputError
from infoset.evaluation.public import PublicEvaluation
from infoset.forms.betting_tree import NodeKind
from infoset.forms.dealt_form import form_of_dealt
from infoset.forms.public_layout import layout_of
from infoset.forms.public_tables import numbers_for
from infoset.forms.seams import (
    with_hand_alternative,
    with_leaves,
)
from infoset.forms.spot_form import form_of_spot
from infoset.games import make
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.vector.solver import VectorSolver
from leaves_for_tests import payoffs_at, terminal_leaves, terminals_of, values_against
from spots_for_tests import TURN

HERE = Path(__file__).parent
SIZES = {"bet": "50%, a", "raise": "a"}
RIVER = Spot(
    "Ks9h7d4c2s", "AsAh,AdAc,KhQh:0.5,QdJd,Tc8c,7c6c", "99,4h4d,KcQc:0.5,Jh8h,6h5h", 96, 131, SIZES
)

# --- leaves that are asked ----------------------------------------------------------------------

TRAJECTORIES = [
    # Of those that meet no tie, where rounding decides what is played.
    *(("kuhn", a, 8) for a in ("cfr+", "pcfr+(alternating=false)", "idcfr+", "hedge")),
    *(("river", a, 6) for a in ("cfr+", "idcfr+", "hybrid-cfr+", "hedge(eta=1)", "dcfr(skip=3)")),
    ("folds", "dcfr", 4),
    ("raked", "dcfr", 4),
    ("leduc", "dcfr", 3),
    ("turn", "dcfr", 3),
    ("due", "dcfr", 4),
]


def test_leaves_that_are_asked_give_the_trajectory_of_the_whole_form():
    """Values are worked out pair by pair from the reaches; in double precision."""
    done = subprocess.run(
        [sys.executable, str(HERE / "compare_leaves.py"), json.dumps(TRAJECTORIES)],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "INFOSET_DOUBLE": "1",
            "PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path]),
        },
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == len(TRAJECTORIES)
    gaps = {
        (*which[:2], name): gap
        for which, run in zip(TRAJECTORIES, found, strict=True)
        for name, gap in run.items()
    }
    assert {which: gap for which, gap in gaps.items() if not gap < 1e-9} == {}


@pytest.mark.parametrize("bits", [32, 16])
def test_leaves_that_are_asked_in_single_precision(bits):
    form = form_of_spot(RIVER)
    nodes = terminals_of(form)
    cut = with_leaves(form, nodes, terminal_leaves(form, nodes))
    solvers = [VectorSolver(f, find_recipe("dcfr"), bits=bits) for f in (cut, form)]
    for solver in solvers:
        solver.run(200)
    ours, theirs = (solver.evaluate() for solver in solvers)
    assert not cut.is_zero_sum  # nothing says so of values that are asked for
    assert ours.exploitability == pytest.approx(theirs.exploitability, abs=0.02)
    assert ours.exploitability < 0.5
    assert ours.values == pytest.approx(theirs.values, abs=0.1)
    row = solvers[0].strategy()["AsAh:check, bet 50%"]
    assert row == pytest.approx(solvers[1].strategy()["AsAh:check, bet 50%"], abs=0.05)


def test_a_leaf_in_place_of_a_decision_that_is_locked():
    """What follows the leaf is played in a fixed way; the rest learns as where that is locked."""
    played = {"fold": "KcQc:0.75,6h5h:0.5,4h4d,Jh8h", "call 131": "99,KcQc:0.25,6h5h:0.5"}
    spot = replace(RIVER, locks=[Lock("all-in", played)])
    locked = form_of_spot(spot)
    ((board, node, played),) = locked.locked(0, 1)
    assert (board, (played >= 0).all()) == (0, True)
    fold, call = range(locked.node_child_begin[node], locked.node_child_end[node])
    assert [locked.node_kind[n] for n in (fold, call)] == [NodeKind.FOLD, NodeKind.SHOWDOWN]

    def ask(street, reach):
        first, second = np.zeros_like(reach[0]), np.zeros_like(reach[1])
        for action, child in enumerate((fold, call)):
            pays = payoffs_at(locked, street, 0, child)
            at = reach[0][0, 0], reach[1][0, 0] * played[action]
            mine, his = values_against(locked, street, 0, pays, at)
            first[0, 0] += mine
            second[0, 0] += his * played[action]
        return first, second

    cut = with_leaves(form_of_spot(replace(spot, locks=[])), [node], ask)
    solvers = [VectorSolver(form, find_recipe("dcfr")) for form in (cut, locked)]
    for iteration in range(6):
        for solver in solvers:
            solver.run(1)
        ours, theirs = (solver.evaluate() for solver in solvers)
        assert ours.values == pytest.approx(theirs.values, abs=1e-3), iteration
        # Who answers the bet can only do so as he must; that is what both evaluations know.
        assert ours.exploitability == pytest.approx(theirs.exploitability, abs=1e-3), iteration


def test_asked_with_the_reach_of_both_players():
    """The weight in the range times all that a hand itself has done."""
    form = form_of_spot(RIVER)
    after_bet = int(form.node_child_begin[0]) + 1
    asked = []

    def ask(street, reach):
        asked.append((street, reach[0].copy(), reach[1].copy()))
        return np.zeros_like(reach[0]), np.zeros_like(reach[1])

    cut = with_leaves(form, [after_bet], ask)
    solver = VectorSolver(cut, find_recipe("cfr"))
    assert asked == []
    solver.run(1)
    assert len(asked) == 2  # before the update of each player
    street, first, second = asked[0]
    assert (street, first.shape, second.shape) == (0, (1, 1, 6), (1, 1, 7))
    assert first[0, 0] == pytest.approx(form.weights[0] / 3)  # one of three actions
    assert second[0, 0] == pytest.approx(form.weights[1])
    # The second time, player 0 plays by his new regrets: a leaf of nothing may be a good thing.
    rows = solver.layout.rows[0][0].hand[:6]
    regrets = np.maximum(solver.numbers("regrets", 0, 0, 0, 0)[:, :6], 0.0)
    total = regrets.sum(axis=0)
    played = np.where(total > 0, regrets / np.where(total > 0, total, 1.0), 1 / 3)
    expected = np.zeros(6)
    expected[rows] = played[1]
    assert asked[1][1][0, 0] == pytest.approx(form.weights[0] * expected, abs=1e-5)


@pytest.mark.parametrize("player", [0, 1])
def test_an_evaluation_asks_with_the_reach_of_both_players(player):
    """Of averages that are still empty, by which all actions are alike; whoever is measured."""
    form = form_of_spot(RIVER)
    after_bet = int(form.node_child_begin[0]) + 1
    asked = []

    def ask(street, reach):
        asked.append((reach[0].copy(), reach[1].copy()))
        return np.zeros_like(reach[0]), np.zeros_like(reach[1])

    layout = layout_of(with_leaves(form, [after_bet], ask))
    averages = ((numbers_for(layout, 0, 0), numbers_for(layout, 0, 1)),)
    PublicEvaluation(layout, averages).hand_values(player)
    ((first, second),) = asked
    assert first[0, 0] == pytest.approx(form.weights[0] / 3)  # one of three actions
    assert second[0, 0] == pytest.approx(form.weights[1])


# --- leaves that are given ----------------------------------------------------------------------


def test_fixed_leaves_by_hand():
    """Player 0 chooses between three leaves; player 1 gets the sum of his."""
    form = form_of_spot(RIVER)
    children = range(form.node_child_begin[0], form.node_child_end[0])
    rng = np.random.default_rng(3)
    first = rng.normal(size=(3, 1, 6)) * 50
    second = rng.normal(size=(3, 1, 7)) * 50
    cut = with_leaves(form, children, {0: (first, second)})
    assert (cut.num_streets, len(cut.node_kind)) == (1, len(form.node_kind))
    solver = VectorSolver(cut, find_recipe("cfr+"))
    before = solver.evaluate()
    pairs = form.num_pairs
    uniform = (form.weights[0] * first[:, 0].mean(axis=0)).sum() / pairs
    best = (form.weights[0] * first[:, 0].max(axis=0)).sum() / pairs
    given = (form.weights[1] * second[:, 0].sum(axis=0)).sum() / pairs
    assert before.values == pytest.approx((uniform, given), abs=1e-5)
    assert before.exploitability == pytest.approx((best - uniform) / 2, abs=1e-5)
    assert solver.counterfactual_values(0, best=True) == pytest.approx(
        first[:, 0].max(axis=0), abs=1e-4
    )
    assert solver.counterfactual_values(1) == pytest.approx(second[:, 0].sum(axis=0), abs=1e-4)
    solver.run(500)
    after = solver.evaluate()
    assert after.values == pytest.approx((best, given), abs=1e-2)
    assert after.exploitability < 5e-3
    strategy = solver.strategy()
    probabilities = strategy.probabilities(0, 0)[0][:3]
    assert probabilities.argmax(axis=0).tolist() == first[:, 0].argmax(axis=0).tolist()
    assert PublicEvaluation.of(strategy).values() == pytest.approx(after.values, abs=1e-4)


def test_fixed_leaves_of_one_number_broadcast():
    form = form_of_dealt(make("kuhn"))
    children = range(form.node_child_begin[0], form.node_child_end[0])
    cut = with_leaves(form, children, {0: (np.array(6.0), np.array(-3.0))})
    solver = VectorSolver(cut, find_recipe("cfr"))
    solver.run(3)
    # 6 for each of three hands, of six deals; -3 at each of two leaves.
    assert solver.evaluate().values == pytest.approx((3.0, -3.0), abs=1e-6)
    assert solver.exploitability() == pytest.approx(0.0, abs=1e-6)


def test_streets_that_nothing_leads_to_are_cut_off():
    form = form_of_spot(TURN)
    dues = np.flatnonzero(form.node_kind == NodeKind.CHANCE).tolist()
    early = [
        node for node in range(form.street_begin[1]) if form.node_kind[node] == NodeKind.SHOWDOWN
    ]
    assert early
    fixed = {}
    assert with_leaves(form, dues, fixed).num_streets == 2  # an all-in still waits for the river
    cut = with_leaves(form, [*dues, *early], fixed)
    assert cut.num_streets == len(cut.street_begin) - 1 == 1
    solver = VectorSolver(cut, find_recipe("cfr"))
    solver.run(2)
    assert np.isfinite(solver.evaluate().values).all()


def test_leaves_are_in_the_order_of_nodes_however_they_are_named():
    form = form_of_dealt(make("kuhn"))
    values = {0: (np.array([[[6.0]], [[2.0]]]), np.array([[[-3.0]], [[-1.0]]]))}
    cuts = [with_leaves(form, nodes, values) for nodes in ([1, 2], [2, 1], (2, 1, 2, 1))]
    assert len({cut.fingerprint for cut in cuts}) == 1
    for cut in cuts:
        solver = VectorSolver(cut, find_recipe("cfr"))
        # Uniform: each of three hands takes either leaf half of the time, of six deals.
        assert solver.evaluate().values == pytest.approx((3 * 4 / 6, -3 * 4 / 6), abs=1e-6)


@pytest.mark.parametrize("nodes", [[], [-1], [10**6]])
def test_leaves_that_are_no_nodes(nodes):
    with pytest.raises(BadInputError, match="leaves must be nodes of the form"):
        with_leaves(form_of_dealt(make("kuhn")), nodes, {})


def test_forms_with_leaves_are_other_forms():
    form = form_of_dealt(make("kuhn"))
    first, second = (with_leaves(form, [n], {}) for n in (1, 2))
    assert len({form.fingerprint, first.fingerprint, second.fingerprint}) == 3
    assert (form.node_kind == NodeKind.LEAF).sum() == 0  # and the form itself is as it was


# --- a root that may be declined ----------------------------------------------------------------

FORMS = {
    "kuhn": lambda: form_of_dealt(make("kuhn")),
    "leduc": lambda: form_of_dealt(make("leduc")),
    "river": lambda: form_of_spot(RIVER),
    "turn": lambda: form_of_spot(TURN),
}


def taken(solver, player):
    """[hands] How often each hand takes what it is given."""
    numbers = solver.numbers("average", 0, player, 0, 0)
    rows = solver.layout.rows[0][player]
    live = int(rows.num_live[0])
    out = np.zeros(solver.form.num_hands[player])
    numbers = numbers[:, :live]
    out[rows.hand[:live]] = numbers[0] / numbers.sum(axis=0)
    return out


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", FORMS)
def test_what_is_worth_more_than_playing_is_taken(name, player):
    form = FORMS[name]()
    most = form.num_pairs * np.abs(form.terminal_payoffs).max()
    rng = np.random.default_rng(1)
    values = [np.zeros(count) for count in form.num_hands]
    values[player] = most * rng.uniform(2, 3, form.num_hands[player])
    gadget = with_hand_alternative(form, player, (values[0], values[1]))
    assert gadget.node_kind[:3].tolist() == [NodeKind.DECISION, NodeKind.LEAF, form.node_kind[0]]
    assert gadget.num_pairs == form.num_pairs
    solver = VectorSolver(gadget, find_recipe("cfr+"))
    solver.run(200)
    mean = (form.weights[player] * values[player]).sum() / form.num_pairs
    assert taken(solver, player).min() > 0.999
    assert solver.evaluate().values[player] == pytest.approx(mean, rel=2e-3)
    assert solver.counterfactual_values(player, best=True) == pytest.approx(
        values[player], rel=1e-5
    )


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", FORMS)
def test_what_is_worth_less_than_playing_never_is(name, player):
    form = FORMS[name]()
    most = form.num_pairs * np.abs(form.terminal_payoffs).max()
    values = [np.zeros(count) for count in form.num_hands]
    values[player] -= 2 * most
    gadget = with_hand_alternative(form, player, (values[0], values[1]))
    solver, plain = (VectorSolver(f, find_recipe("cfr+")) for f in (gadget, form))
    iterations = 300 if name != "turn" else 100
    for each in (solver, plain):
        each.run(iterations)
    assert taken(solver, player).max() < 1e-3
    largest = np.abs(form.terminal_payoffs).max()
    gap = solver.exploitability() + plain.exploitability()
    assert gap < 0.02 * largest
    for ours, theirs in zip(solver.evaluate().values, plain.evaluate().values, strict=True):
        assert abs(ours - theirs) < gap + 1e-3 * largest


def test_each_hand_decides_for_itself():
    """Kuhn poker: a jack is paid to leave, a king would have to pay."""
    form = form_of_dealt(make("kuhn"))
    first = np.array([60.0, 0.0, -60.0])
    assert form.hands == ("J", "Q", "K")
    solver = VectorSolver(with_hand_alternative(form, 0, (first, np.zeros(3))), find_recipe("cfr+"))
    solver.run(500)
    took = taken(solver, 0)
    assert took[0] > 0.999
    assert took[2] < 1e-3


def test_what_the_opponent_gets_is_added():
    """He gets it where the other takes, whatever he does: it changes nothing but his value."""
    form = form_of_dealt(make("kuhn"))
    plain, paid = (
        VectorSolver(
            with_hand_alternative(form, 0, (np.zeros(3), np.full(3, given))), find_recipe("dcfr")
        )
        for given in (0.0, 12.0)
    )
    for solver in (plain, paid):
        solver.run(20)
    assert taken(plain, 0) == pytest.approx(taken(paid, 0), abs=1e-6)
    ours, theirs = paid.evaluate(), plain.evaluate()
    assert ours.values[0] == pytest.approx(theirs.values[0], abs=1e-5)
    assert ours.values[1] == pytest.approx(theirs.values[1] + 12.0 * 3 / 6, abs=1e-5)
    assert ours.exploitability == pytest.approx(theirs.exploitability, abs=1e-5)


def test_an_alternative_and_leaves():
    form = form_of_dealt(make("kuhn"))
    zeros = np.zeros(3), np.zeros(3)
    with pytest.raises(BadInputError, match="there is no player 2"):
        with_hand_alternative(form, 2, zeros)
    with pytest.raises(BadInputError, match=r"one for each hand, \(3, 3\), not \(\(2,\), \(3,\)\)"):
        with_hand_alternative(form, 0, (np.zeros(2), np.zeros(3)))
    cut = with_leaves(form, [1], {})
    with pytest.raises(BadInputError, match="has leaves already"):
        with_hand_alternative(cut, 0, zeros)


def test_a_form_without_names_has_no_strategy_to_look_up():
    form = form_of_dealt(make("kuhn"))
    solver = VectorSolver(with_hand_alternative(form, 0, (np.zeros(3),) * 2), find_recipe("cfr"))
    with pytest.raises(BadInputError, match="does not say what its infosets are called"):
        solver.strategy()


@pytest.mark.parametrize(
    "values", [{0: (np.zeros((5, 1, 3)), 0.0)}, lambda street, reach: (0, [1, 2])]
)
def test_values_of_another_shape_are_refused(values):
    cut = with_leaves(form_of_dealt(make("kuhn")), [1, 2], values)
    with pytest.raises(BadInputError, match="does not fit"):
        VectorSolver(cut, find_recipe("cfr")).run(1)
