"""ESCHER: regrets from true values are counterfactual regrets times a constant of the infoset."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural.history_tree import sequence_of_node, tree_of
from infoset.neural.kernels.trajectories import valued_regrets_into
from infoset.solvers import find_algorithm
from trajectories_for_tests import (
    all_paths,
    exact_regrets,
    learnt_values,
    node_values,
    random_strategy,
    reach_of_sequences,
    solver_of,
)


def sampling_reach(form, player):
    """By sequence: how likely a uniform player comes to its infoset by his own actions."""
    treeplex = form.treeplexes[player]
    uniform, reach = treeplex.uniform(), np.ones(treeplex.num_sequences)
    out = np.ones(sum(t.num_sequences for t in form.treeplexes))
    shift = 0 if player == 0 else form.treeplexes[0].num_sequences
    for i in range(treeplex.num_infosets):
        own = slice(treeplex.infoset_begin[i], treeplex.infoset_begin[i + 1])
        before = reach[treeplex.infoset_parent[i]]
        reach[own] = before * uniform[own]
        out[shift + own.start : shift + own.stop] = before
    return out


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", ["kuhn", "goofspiel(cards=3)"])
def test_true_values_give_regrets_times_the_sampling_reach(game, player, seed):
    """All trajectories with their probabilities, under a uniform traverser."""
    form = compile_game(make(game))
    strategy = random_strategy(form, seed, pure=0.3)
    values = node_values(form, strategy)
    explore = np.zeros(2)
    explore[player] = 1.0
    paths, lengths, probability = all_paths(form, strategy, explore)
    mean, mean_visits = np.zeros(len(strategy)), np.zeros(len(strategy))
    for row, p in enumerate(probability):
        regrets, visits = np.zeros(len(strategy)), np.zeros(len(strategy))
        one = slice(row, row + 1)
        valued_regrets_into(
            *(regrets, visits, paths[one], lengths[one], tree_of(form)),
            *(strategy, values, player),
        )
        mean += p * regrets
        mean_visits += p * visits
    expected, _ = exact_regrets(form, strategy, player)
    reach = sampling_reach(form, player)
    assert reach.min() < 0.51 or (game, player) == ("kuhn", 1)  # not one everywhere
    np.testing.assert_allclose(mean, reach * expected, rtol=0, atol=1e-10)
    # The opponent's strategy comes with his own reach, times what a uniform traverser and chance
    # add: the same in every iteration, so it averages as in CFR.
    split = form.treeplexes[0].num_sequences
    own = slice(None, split) if player == 0 else slice(split, None)
    mixed = strategy.copy()
    mixed[own] = form.treeplexes[player].uniform()
    expected_visits = reach_of_sequences(form, mixed)
    expected_visits[own] = 0.0
    np.testing.assert_allclose(mean_visits, expected_visits, rtol=0, atol=1e-10)


@pytest.mark.parametrize("bootstrapped", [True, False])
def test_it_learns_the_values_of_the_strategy_that_is_played(bootstrapped):
    form = compile_game(make("kuhn"))
    strategy = random_strategy(form, 5)
    learnt, times = learnt_values(
        strategy, played=strategy, explore=0.0, num_paths=100_000, to_the_end=not bootstrapped
    )
    # Where it has seen more than a few games: outcomes are random.
    seen = (times > 500) & (sequence_of_node(form) >= 0)
    assert np.count_nonzero(seen) > 35
    error = np.abs(learnt - node_values(form, strategy))[seen]
    assert error.max() < 0.25
    assert error.mean() < 0.05


def test_outcomes_are_those_of_the_last_rollouts():
    """Without bootstrapping the memory holds one iteration's rollouts, each action to its end."""
    solver = solver_of(
        "escher(b=10,rollouts=40,bootstrapped=false,value_steps=1,regrets=table,average=table)"
    )
    solver.run(3)
    taken, after = solver.walks.values.memory.held()
    assert 40 * 2 <= len(taken) <= 40 * 3
    assert (solver.form.history.node_degree[after] == 0).all()
    target, counts = solver.walks.values.targets(np.zeros(99))
    payoffs = solver.form.history.node_payoff
    assert counts.sum() == len(taken)
    assert (target * counts).sum() == pytest.approx(payoffs[after].sum())


def test_rollouts_count_as_touched():
    counts = []
    for rollouts in (1, 101):
        text = f"b=10,rollouts={rollouts},regrets=table,average=table,value_steps=1"
        solver = solver_of(f"escher({text},alternating=false)")
        solver.run(1)
        counts.append(solver.nodes_touched)
    # The root, two deals, two or three moves of players: five or six nodes a game.
    assert 100 * 5 <= counts[1] - counts[0] <= 100 * 6


def test_a_state_says_whether_values_were_trained():
    solver = solver_of("escher(b=10,steps=1,value_steps=1,average=table)")
    solver.run(2)
    state = solver.state()
    assert solver.accepts(state)
    assert not solver.accepts({k: v for k, v in state.items() if k != "walks.trained"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("escher(rollouts=0)", "rollouts must be"),
        ("escher(explore=2)", "explore must be"),
        ("escher(epsilon=0.5)", "epsilon"),
        ("escher(averaging=biased)", "averaging"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(BadInputError, match=words):
        find_algorithm(text)
