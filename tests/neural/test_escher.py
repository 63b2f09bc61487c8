"""ESCHER: regrets from true values are counterfactual regrets times a constant of the infoset."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import infoset
from infoset.errors import BadInputError, FileFormatError
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import encode, neural_solver
from infoset.neural.fitting import Training
from infoset.neural.history_encoding import encode_histories
from infoset.neural.history_tree import sequence_of_node, tree_of
from infoset.neural.history_values import HistoryValues
from infoset.neural.kernels.trajectories import (
    sample_paths_into,
    transitions_into,
    valued_regrets_into,
)
from infoset.neural.networks import Shape
from infoset.solvers import find_algorithm
from trajectories_for_tests import (
    all_paths,
    exact_regrets,
    node_values,
    random_strategy,
    reach_of_sequences,
)


def solver_of(text: str, game: str = "kuhn", seed: int = 1):
    rules = make(game)
    return neural_solver(compile_game(rules), rules, find_algorithm(text).neural, seed=seed)


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
    rules = make("kuhn")
    form = compile_game(rules)
    histories = encode_histories(rules, form, encode(rules, form))
    how = Training(epochs=150, rate=3e-3)
    values = HistoryValues(form, histories, Shape("mlp", 64), how, capacity=10**6, seed=0)
    strategy, tree = random_strategy(form, 5), tree_of(form)
    paths = np.zeros((100_000, 8), dtype=np.int32)
    lengths = np.zeros(100_000, dtype=np.int32)
    sample_paths_into(paths, lengths, tree, strategy, np.zeros(2), np.uint64(0), 0)
    taken, after = np.zeros(800_000, dtype=np.int32), np.zeros(800_000, dtype=np.int32)
    count = transitions_into(taken, after, paths, lengths, tree, not bootstrapped)
    values.memory.add(taken[:count], after[:count])
    for iteration in range(1, 9):
        values.learn(strategy, iteration, np.random.default_rng(0))
    # Where it has seen more than a few games: outcomes are random.
    seen = np.bincount(taken[:count], minlength=len(tree.player)) > 500
    seen &= sequence_of_node(form) >= 0
    assert np.count_nonzero(seen) > 35
    error = np.abs(values.of_actions() - node_values(form, strategy))[seen]
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


@pytest.mark.parametrize("seed", range(3))
def test_it_learns_kuhn(seed):
    solution = infoset.solve("kuhn", "escher", iterations=100, seed=seed)
    assert solution.exploitability < 0.05


PARTS = (
    "b=20,rollouts=10,steps=3,value_steps=3,average_steps=3,average_every=2,embedding=8",
    "b=20,rollouts=10,regrets=table,average=table,value_steps=3,bootstrapped=false",
    "b=20,rollouts=10,network=lstm,embedding=4,value_embedding=4,steps=2,value_steps=2,"
    "value_batch=16,average=table,alternating=true,transitions=64",
)


@pytest.mark.parametrize("parts", PARTS)
def test_a_run_that_goes_on_is_one_that_never_stopped(parts, tmp_path):
    text, file = f"escher({parts})", tmp_path / "run.checkpoint"
    whole = infoset.solve("leduc", text, iterations=8, seed=3)
    infoset.solve("leduc", text, iterations=3, seed=3, checkpoint=file)
    gone_on = infoset.solve("leduc", text, iterations=8, resume=file)
    for mine, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    assert gone_on.nodes_touched == whole.nodes_touched


def test_the_seed_decides():
    text = "escher(b=20,rollouts=10,steps=2,value_steps=2,average_steps=2,embedding=8)"
    runs = [infoset.solve("leduc", text, iterations=4, seed=seed) for seed in (1, 1, 2)]
    first, same, other = (run.strategy.probabilities[0] for run in runs)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("game", ["rps", "goofspiel(cards=3)", "liars_dice(faces=2)"])
def test_games_without_an_encoding_of_their_own_are_played_too(game):
    for name in ("dream", "escher"):
        solver = solver_of(f"{name}(b=50,regrets=table,average=table)", game)
        before = solver.exploitability()
        solver.run(30)
        assert solver.exploitability() < 0.5 * before or before < 1e-9


def test_rollouts_count_as_touched():
    counts = []
    for rollouts in (1, 101):
        text = f"b=10,rollouts={rollouts},regrets=table,average=table,value_steps=1"
        solver = solver_of(f"escher({text},alternating=false)")
        solver.run(1)
        counts.append(solver.nodes_touched)
    # The root, two deals, two or three moves of players: five or six nodes a game.
    assert 100 * 5 <= counts[1] - counts[0] <= 100 * 6


def test_what_cannot_have_been_saved_is_refused():
    solver = solver_of("escher(b=10,steps=1,value_steps=1,average=table)")
    solver.run(2)
    state = solver.state()
    weights = state["walks.weights"].copy()
    weights[-4:] = np.frombuffer(np.float32("inf").tobytes(), dtype=np.uint8)
    with pytest.raises(FileFormatError, match="not finite"):
        solver.restore({**state, "walks.weights": weights}, 2)
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
