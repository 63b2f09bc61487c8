"""Partial pruning of spots: no bit changes, and what nobody reaches is not read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.pruning import find_pruning
from spots_for_tests import spot_solver

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s,76s", "99,AKo:0.25,J8s,65s,33", 100, 250)
TURN = Spot(
    "Td9d6hQc",
    "QQ:0.5,JTs,AA,87s,55",
    "99,AcJc,8d7d:0.75,KK,T9s",
    97,
    131,
    bet_sizes={"bet": "37%, a", "raise": "a"},
)
LOCKED = replace(TURN, locks=(Lock("", {"check": "QQ,JTs"}),))
SPOTS = {"river": RIVER, "turn": TURN, "locked": LOCKED}
RECIPES = ("dcfr", "cfr+", "pcfr+", "icfr+", "idcfr+", "hedge", "cfr(alternating=false)")
PARTIAL = find_pruning("partial")


def solvers_of(spot, text, **options):
    """Without pruning, and with it."""
    recipe = find_recipe(text)
    pruned = replace(recipe, pruning=PARTIAL)
    return spot_solver(spot, recipe, 100), spot_solver(spot, pruned, 100, **options)


def assert_same_bits(first, second):
    assert first.state().keys() == second.state().keys()
    for name, array in first.state().items():
        assert array.tobytes() == second.state()[name].tobytes(), name


@pytest.mark.parametrize("name", SPOTS)
@pytest.mark.parametrize("text", RECIPES)
@pytest.mark.parametrize(("bits", "threads"), [(32, 1), (32, 2), (16, 1), (16, 2)])
def test_no_bit_changes(name, text, bits, threads):
    recipe = find_recipe(text)
    plain = spot_solver(SPOTS[name], recipe, 100, bits=bits)
    pruned = replace(recipe, pruning=PARTIAL)
    skipping = spot_solver(SPOTS[name], pruned, 100, bits=bits, threads=threads)
    for solver in (plain, skipping):
        solver.run(40)
    assert_same_bits(plain, skipping)
    assert plain.exploitability() == skipping.exploitability()


@pytest.mark.parametrize("bits", [16, 32])
def test_a_restored_run_goes_on_as_before(bits):
    recipe = find_recipe("dcfr(pruning=partial)")
    whole, first, second = (spot_solver(TURN, recipe, 100, bits=bits) for _ in range(3))
    whole.run(40)
    first.run(25)
    second.restore({name: array.copy() for name, array in first.state().items()}, 25)
    second.run(15)
    assert_same_bits(whole, second)


def test_regrets_that_no_hand_of_a_block_reaches_are_not_read():
    """Infinite regrets would make a plan that is not a number: infinity times a reach of zero."""
    plain, pruned = solvers_of(TURN, "dcfr")
    for solver in (plain, pruned):
        solver.run(40)
    num_dead = 0
    for street, player in np.ndindex(plain.layout.num_streets, 2):
        betting = plain.layout.bettings[street][player]
        plans = plain._current_plans()[street][player].data
        plans = plans.reshape(-1, betting.num_sequences, 16)
        for begin, actions in zip(
            betting.node_slot - betting.num_lines, betting.node_actions, strict=True
        ):
            is_dead = (plans[:, begin : begin + actions] == 0.0).all(axis=(1, 2))
            num_dead += int(is_dead.sum())
            for solver in (plain, pruned):
                regrets = solver.tables[street][player].regrets.data
                table = regrets.reshape(-1, betting.num_sequences, 16)
                table[is_dead, begin : begin + actions] = np.inf
    assert num_dead > 0
    for solver, is_number in ((plain, False), (pruned, True)):
        pairs = solver._current_plans()
        finite = all(np.isfinite(plan.data).all() for pair in pairs for plan in pair)
        assert finite == is_number
