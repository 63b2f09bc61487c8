"""Tables of 16 bits: what they hold of numbers of either sign, and what rounding does over time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.cards import format_hand
from infoset.forms.public_tables import board_numbers, write_board
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_algorithm
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted
from spots_for_tests import spot_solver

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s,76s", "99,AKo:0.25,J8s,65s,33", 100, 250)
TURN = Spot(
    "Td9d6hQc",
    "QQ:0.5,JTs",
    "99,AcJc,8d7d:0.75",
    97,
    131,
    bet_sizes={"bet": "37%, a", "raise": "a"},
)


def pair_of(spot, recipe):
    """A solver in 32 bits and one in 16."""
    recipe = find_algorithm(recipe).recipe if isinstance(recipe, str) else recipe
    return spot_solver(spot, recipe, 100), spot_solver(spot, recipe, 100, bits=16)


def decisions(solver):
    for street, pair in enumerate(solver.layout.bettings):
        for player, betting in enumerate(pair):
            for board in range(len(solver.layout.rows[street][player].num_live)):
                for node in betting.nodes:
                    yield street, player, board, node


def steps_of(solver, name, street, player, board, node):
    """[blocks] What one is worth at a decision."""
    layout = solver.layout
    nodes, begin = layout.bettings[street][player].nodes, layout.rows[street][player].begin
    scale = getattr(solver.tables[street][player], name).scale.reshape(-1, len(nodes))
    return scale[begin[board] // 16 : begin[board + 1] // 16, nodes.index(node)]


def numbers_of(exact, short, name):
    """Per block of 16 hands at a decision: exact numbers, shorts times their scale, the scale."""
    for place in decisions(exact):
        steps = steps_of(short, name, *place)
        wide, narrow = exact.numbers(name, *place), short.numbers(name, *place)
        for block, step in enumerate(steps):
            hands = slice(16 * block, 16 * block + 16)
            yield wide[:, hands], narrow[:, hands], step


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("name", ["regrets", "average", "prediction"])
def test_one_iteration_is_right_to_one_step(spot, name):
    """Both players answer to uniform play, so numbers differ by what rounding does once."""
    exact, short = pair_of(spot, Recipe(predictive=True, alternating=False))
    for solver in (exact, short):
        solver.run(1)
    found = list(numbers_of(exact, short, name))
    signs = set()
    for wide, narrow, step in found:
        largest = np.abs(wide).max()
        assert step == pytest.approx(max(largest, 1e-30) / 32766, rel=1e-6)
        assert (np.abs(wide - narrow) <= 1.01 * step).all()
        if largest > 1e-20:
            signs.add(np.sign(wide.flat[np.abs(wide).argmax()]))
    # Blocks whose largest number is negative are there, too.
    assert signs == ({1.0} if name == "average" else {-1.0, 1.0})


@pytest.mark.parametrize("floor", [-0.05, -0.01])
def test_a_floor_below_zero(floor):
    exact, short = pair_of(RIVER, Recipe(discounted(1.5, 0.5, floor=floor)))
    least = {32: 0.0, 16: 0.0}
    for solver in (exact, short):
        solver.run(20)
    for wide, narrow, step in numbers_of(exact, short, "regrets"):
        least[32] = min(least[32], wide.min())
        least[16] = min(least[16], narrow.min())
        assert narrow.min() >= np.float32(floor) - 1.01 * step
    assert least[32] == np.float32(floor)
    assert least[16] == pytest.approx(floor, rel=0.02)


def test_rounding_does_not_add_up():
    """Numbers are cut off to the next step below, but 100 times a step of 1/2 would be 50 steps.

    Where nothing is to be decided, regrets are sums of the same number again and again.
    """
    # Out of position has the best hand, and only checks; in position folds, calls or checks.
    menu = {"oop": {"bet": "a"}, "ip": {"bet": "", "raise": ""}}
    exact, short = pair_of(Spot("Ks9h7d4c2s", "KdKh", "QcQd,JcJd", 100, 250, menu), "cfr")
    for solver in (exact, short):
        solver.run(100)
    drifts = [
        (narrow - wide)[wide != 0] / step
        for wide, narrow, step in numbers_of(exact, short, "regrets")
    ]
    assert max(np.abs(drift).max(initial=0.0) for drift in drifts) < 5
    assert sum(drift.size for drift in drifts) >= 4


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr", "cfr+", "pcfr+", "icfr"])
def test_both_precisions_find_the_same(algorithm):
    """Regrets of cfr, dcfr and icfr are negative in many places, and must be to be right."""
    exact, short = pair_of(RIVER, algorithm)
    for solver in (exact, short):
        solver.run(100)
    if algorithm in ("cfr", "dcfr", "icfr"):
        regrets = np.concatenate([w.ravel() for w, _, _ in numbers_of(exact, short, "regrets")])
        assert (regrets < 0).sum() > 100
    assert short.evaluate().values[0] == pytest.approx(exact.evaluate().values[0], abs=0.05)
    assert short.exploitability() == pytest.approx(exact.exploitability(), rel=0.1, abs=0.02)


def test_strategies_come_back():
    """What is written to a table of shorts is read to half a step."""
    short = pair_of(TURN, "cfr")[1]
    rng = np.random.default_rng(0)
    layout, numbers = short.layout, short.tables[1][0].average
    for board in (0, 7, 47):
        old = board_numbers(layout, 1, 0, board, numbers)
        new = rng.uniform(0, 1, old.shape).astype(np.float32)
        new.flat[:3] = 0.0, 1.0, 0.5
        write_board(layout, 1, 0, board, numbers, new)
        back = board_numbers(layout, 1, 0, board, numbers)
        assert np.abs(back - new).max() <= 0.501 / 32766
        assert back.flat[:2].tolist() == [0.0, 1.0]
    untouched = [b for b in range(48) if b not in (0, 7, 47)]
    assert not any(board_numbers(layout, 1, 0, board, numbers).any() for board in untouched)


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+", "hybrid-cfr+", "idcfr+(skip=3)"])
def test_where_a_run_is_cut_does_not_matter(algorithm, bits):
    """To the bit: also how 16-bit numbers are rounded depends on the iteration alone."""
    recipe = find_algorithm(algorithm).recipe
    states = []
    for pieces in ([9], [4, 5], [1] * 9):
        solver = spot_solver(TURN, recipe, 9, bits=bits)
        for iterations in pieces:
            solver.run(iterations)
        states.append({name: array.tobytes() for name, array in solver.state().items()})
    assert states[0] == states[1] == states[2]


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("bits", [16, 32])
def test_rows_without_a_hand_hold_zeros(bits, spot):
    """Rows come in sixteens. Like locked hands, those left over must take no precision."""
    solver = spot_solver(spot, Recipe(predictive=True), bits=bits)
    solver.run(5)
    num_left_over = 0
    for street, player, board, node in decisions(solver):
        num_live = solver.layout.rows[street][player].num_live[board]
        for table in ("regrets", "average", "prediction"):
            numbers = solver.numbers(table, street, player, board, node)
            assert (numbers[:, num_live:] == 0).all()
            num_left_over += numbers[:, num_live:].size
    assert num_left_over > 0


@pytest.mark.parametrize("bits", [16, 32])
def test_locked_hands_have_no_regrets(bits):
    """They would share a scale with those of free hands, and take precision from them."""
    spot = replace(RIVER, locks=[Lock("", {"check": "AA"})])
    solver = spot_solver(spot, find_algorithm("pcfr+").recipe, bits=bits)
    solver.run(5)
    rows = solver.layout.rows[0][0]
    names = [format_hand(int(solver.form.hand_numbers[0][hand])) for hand in rows.hand if hand >= 0]
    is_locked = np.array([name[0] == name[2] == "A" for name in names])
    assert is_locked.sum() == 6
    for table in ("regrets", "prediction"):
        numbers = solver.numbers(table, 0, 0, 0, 0)[:, : len(names)]
        assert (numbers[:, is_locked] == 0).all()
        assert np.abs(numbers[:, ~is_locked]).max() > 0
