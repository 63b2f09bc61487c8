"""What spots take in memory is known, and refused, before it is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

import infoset
from infoset.errors import TooLargeError
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.situations import random_situation
from infoset.machine import memory
from infoset.solvers import solving
from infoset.solvers.recipe import Recipe
from infoset.solvers.solving import predicted_bytes
from spots_for_tests import TURN, spot_solver


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("predictive", [False, True])
@pytest.mark.parametrize(
    "spot",
    [
        random_situation("River(5k)"),
        TURN,
        replace(TURN, range_oop="random"),
        replace(TURN, range_oop="random", locks=[Lock("", {"check": "AA"})]),
    ],
    ids=["river", "turn", "one wide range", "locked"],
)
def test_memory_is_known_before_it_is_taken(spot, predictive, alternating, threads, bits):
    recipe = Recipe(predictive=predictive, alternating=alternating)
    solver = spot_solver(spot, recipe, threads=threads, bits=bits)
    taken = solver.working_bytes + solver.layout.nbytes
    assert solver.kept_bytes < solver.working_bytes
    assert 0.99 < predicted_bytes(solver.form, recipe, threads, bits) / taken < 1.01


def test_what_does_not_fit_is_refused_before_it_is_built(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 500_000)
    monkeypatch.setattr(solving, "VectorSolver", None)
    with pytest.raises(
        TooLargeError, match=r"needs .* of memory, and 500 kB are free: give fewer bet sizes"
    ):
        infoset.solve("River(5k)", iterations=1)
