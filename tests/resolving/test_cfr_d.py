"""CFR-D: against the naive twin, by rules and by the whole game, on games and on spots."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import infoset
import naive_resolving as twin
from games_for_tests import random_dealt_game
from infoset.errors import BadInputError, TooLargeError
from infoset.evaluation import PublicEvaluation
from infoset.games import make
from infoset.resolving import CfrDSolver, Subgames, nest_of, parse_cut, resolve, run
from infoset.solvers import find_algorithm, find_recipe, make_request
from resolving_for_tests import twins_split

RESOLVING = find_algorithm("cfr+"), 200


def solver_of(rules, cut, trunk, subgame, k, iterations=None, *, by_rules=True, threads=1):
    nest = nest_of(rules, parse_cut(cut), by_rules=by_rules)
    subgames = Subgames(nest, find_recipe(subgame), k)
    recipe = find_recipe(trunk)
    return CfrDSolver(nest, recipe, subgames, RESOLVING, iterations, threads=threads)


def cells_of(solver):
    """Per player: what all cells after a sequence of the trunk are worth, as the twin names it."""
    out = []
    for player, values in enumerate(solver.cell_values()):
        treeplex = solver.nest.trunk.treeplexes[player]
        sequences = np.concatenate([leaf.sequences[player] for leaf in solver.nest.leaves])
        found = Counter()
        for sequence, value in zip(sequences.tolist(), values.tolist(), strict=True):
            infoset_ = int(treeplex.sequence_infoset[sequence])
            key = ()
            if infoset_ >= 0:
                slot = sequence - int(treeplex.infoset_begin[infoset_])
                key = treeplex.keys[infoset_], treeplex.labels[infoset_][slot]
            found[key] += value
        out.append(found)
    return out


TWINS = {
    "5 subgames": (lambda: random_dealt_game(0, 4), "depth=1"),
    "4 subgames": (lambda: random_dealt_game(12, 4), "depth=1"),
    "10 subgames": (lambda: random_dealt_game(15, 4), "depth=1"),
    "12 subgames": (lambda: random_dealt_game(21, 4), "depth=2"),
    # In these player 0 moves in the trunk, so that player 1 answers what has just changed.
    "both in the trunk": (lambda: random_dealt_game(31, 4), "depth=2"),
    "player 0 first": (lambda: random_dealt_game(44, 4), "depth=1"),
}
"""Games in which nothing is left open: no exact ties, and no hands that meet only hands which never
come. Against those the twin plays uniformly, and the package as if they came very rarely."""


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("plus", [False, True])
@pytest.mark.parametrize("alternating", [False, True])
def test_first_iterations_as_the_twin(name, plus, alternating):
    """Trunk averages and average values of cells, for ten iterations, on games without ties."""
    make_game, cut = TWINS[name]
    game = make_game()
    parts = twins_split(game, cut)
    trunk = f"{'cfr+' if plus else 'cfr'}(alternating={'true' if alternating else 'false'})"
    subgame = "cfr+" if plus else "cfr"
    solver = solver_of(game, cut, trunk, subgame, 4, by_rules=False)
    results = twin.cfr_d(parts, 10, 4, plus=plus, alternating=alternating, subgame_plus=plus)
    for theirs in results:
        solver.run(1)
        ours = solver.strategy()
        for (player, key), actions in theirs.strategy.items():
            assert ours[player, key] == pytest.approx(actions, abs=1e-12)
        for player in (0, 1):
            found = Counter()
            for number in range(len(parts.subgames)):
                found.update(theirs.values[number][player])
            mine = cells_of(solver)[player]
            assert mine.keys() == found.keys()
            for cell, value in found.items():
                assert mine[cell] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("cut", ["round=2", "public", "depth=1", "depth=2"])
def test_by_rules_as_by_the_whole_game(cut):
    """A game that is never compiled whole comes to the same numbers; threads change nothing."""
    game = make("leduc(by_rank=true)")
    every = [
        solver_of(game, cut, "cfr", "cfr", 10, by_rules=by_rules, threads=threads)
        for by_rules, threads in ((True, 1), (False, 1), (True, 2))
    ]
    for solver in every:
        solver.run(4)
    first, second, third = (solver.strategy() for solver in every)
    for player in (0, 1):
        np.testing.assert_array_equal(first.probabilities[player], third.probabilities[player])
        for key, actions in first.infosets(player):
            assert second[player, key] == pytest.approx(actions, abs=1e-9)


def test_exploitability_is_that_of_trunk_and_subgames_put_together():
    solution = run(make_request("leduc(by_rank=true)", "cfr-d(trunk=dcfr,k=50)", iterations=30))
    again = resolve(solution, rules=make("leduc(by_rank=true)"), algorithm="cfr+", iterations=2000)
    assert again.exploitability_after == pytest.approx(solution.exploitability, rel=1e-6)
    assert again.exploitability_after == pytest.approx(
        infoset.exploitability("leduc(by_rank=true)", again.solution), abs=1e-12
    )


def test_the_value_is_the_middle_of_what_both_players_averages_say():
    """Each player's own: what the trunk pays, and what his cells were worth, by his own reach."""
    solver = solver_of(make("leduc(by_rank=true)"), "round=2", "cfr", "cfr", 5)
    solver.run(4)
    trunk = solver.nest.trunk
    reach = [np.ones(treeplex.num_sequences) for treeplex in trunk.treeplexes]
    for player, treeplex in enumerate(trunk.treeplexes):
        probabilities = solver.strategy().probabilities[player]
        for infoset_, parent in enumerate(treeplex.infoset_parent.tolist()):
            actions = slice(*treeplex.infoset_begin[infoset_ : infoset_ + 2])
            reach[player][actions] = reach[player][parent] * probabilities[actions]
    rows, columns, entries = trunk.payoff
    paid = float((entries * reach[0][rows] * reach[1][columns]).sum())
    won = [paid, -paid]
    for player, values in enumerate(solver.cell_values()):
        sequences = np.concatenate([leaf.sequences[player] for leaf in solver.nest.leaves])
        won[player] += float(values @ reach[player][sequences])
    assert abs(won[0] + won[1]) > 1e-3  # averages of values are not values of averages
    middle = (won[0] - won[1]) / 2
    assert solver.evaluate().values == pytest.approx((middle, -middle), abs=1e-12)


def test_more_iterations_of_both_are_better():
    found = [
        run(make_request("leduc(by_rank=true)", f"cfr-d(k={k})", iterations=n)).exploitability
        for n, k in ((10, 20), (100, 20), (400, 200))
    ]
    assert found[0] > found[1] > found[2]
    assert found[2] < 0.01


@pytest.mark.parametrize("seed", range(4))
def test_random_games(seed):
    """The value by CFR-D is that of the linear program."""
    game = random_dealt_game(seed, 4)
    solver = solver_of(game, "depth=1", "cfr+", "cfr+", 300)
    solver.run(300)
    exact = infoset.solve(game, "lp").value
    assert solver.evaluate().values[0] == pytest.approx(exact, abs=0.02)
    assert solver.evaluate().exploitability < 0.03


def test_a_budget_is_kept_or_refused():
    request = {"iterations": 3, "threads": 1}
    text = "nolimit_leduc(stack=6,by_rank=true)"
    free = run(make_request(text, "cfr-d(k=5)", **request))
    needed = free.space.solver + free.space.form
    small = run(make_request(text, "cfr-d(k=5)", max_memory=int(0.9 * needed), **request))
    assert small.space.solver + small.space.form <= 0.9 * needed
    for player in (0, 1):
        first, second = (each.strategy.probabilities[player] for each in (free, small))
        np.testing.assert_array_equal(first, second)
    with pytest.raises(TooLargeError, match="too few for cfr-d"):
        run(make_request(text, "cfr-d(k=5)", max_memory=10_000, **request))


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run"
    whole = infoset.solve("leduc(by_rank=true)", "cfr-d(k=10)", iterations=6)
    infoset.solve("leduc(by_rank=true)", "cfr-d(k=10)", iterations=3, checkpoint=path)
    again = infoset.solve("leduc(by_rank=true)", "cfr-d(k=10)", iterations=6, resume=path)
    for player in (0, 1):
        first, second = (each.strategy.probabilities[player] for each in (whole, again))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(whole.below.values[player], again.below.values[player])


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        ("cfr-d(trunk=es-mccfr)", "do not sample"),
        ("cfr-d(at='round=9')", "cannot be cut at round=9"),
        ("cfr-d(at='depth=99')", "cannot be cut at depth=99"),
        ("cfr-d(k=0)", "k"),
    ],
)
def test_what_cannot_be(algorithm, message):
    with pytest.raises(BadInputError, match=message):
        infoset.solve("leduc", algorithm, iterations=1)


def test_exploitability_is_no_limit():
    with pytest.raises(BadInputError, match="measured once, at the end"):
        infoset.solve("leduc", "cfr-d", exploitability=0.1)


TURN = {
    "board": "Ks9h7d4c",
    "range_oop": "AA,QJs,T9s",
    "range_ip": "QQ,AQs,98s",
    "pot": 100,
    "stack": 150,
    "bet_sizes": {"bet": "50%", "raise": "a"},
}


def test_a_spot():
    """CFR-D on a turn, its rivers solved anew in every iteration, comes near its equilibrium."""
    spot = infoset.Spot(**TURN)
    exact = infoset.solve(spot, exploitability="0.05%", threads=1)
    algorithm = "cfr-d(trunk=dcfr(gamma=3),subgame=dcfr(gamma=3),k=40)"
    found = infoset.solve(spot, algorithm, iterations=40, threads=1)
    assert found.value == pytest.approx(exact.value, abs=0.5)
    assert found.exploitability < 0.8  # of a pot of 100; after 10 iterations of 10, above 2
    assert found.below.cut == "round=2"
    again = resolve(found, iterations=200)
    assert again.exploitability_after == pytest.approx(found.exploitability, abs=2e-3)
    whole = PublicEvaluation.of(again.solution.strategy).exploitability()
    assert whole == pytest.approx(again.exploitability_after, abs=1e-6)
    with pytest.raises(TooLargeError, match="too few for cfr-d"):
        infoset.solve(spot, algorithm, iterations=1, max_memory=1000)


def test_a_river_has_nothing_to_cut_off():
    with pytest.raises(BadInputError, match="one street only"):
        infoset.solve("River(500, seed=1)", "cfr-d", iterations=1)
