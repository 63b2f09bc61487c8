"""DREAM: baselines leave the expectation of regrets as it is, and lower their variance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

pytest.importorskip("torch")

from infoset.errors import BadInputError, FileFormatError
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import encode
from infoset.neural.history_encoding import encode_histories
from infoset.neural.history_tree import sequence_of_node, tree_of
from infoset.neural.history_values import Transitions
from infoset.neural.kernels.trajectories import (
    corrected_regrets_into,
    sample_paths_into,
    transitions_into,
)
from infoset.solvers import find_algorithm
from trajectories_for_tests import (
    all_paths,
    exact_regrets,
    learnt_values,
    node_values,
    random_strategy,
    solver_of,
    values_of,
)

GAMES = (
    *("rps", "kuhn", "one_card(cards=5)", "leduc", "leduc(by_rank=true)"),
    *("nolimit_leduc(stack=5)", "goofspiel(cards=4)", "liars_dice(faces=4)"),
    "nolimit_leduc(stack=5,ante_in_stack=false)",
)


def corrected(form, strategy, values, player, epsilon, path, length):
    """Regrets and visits of one trajectory."""
    explore = np.zeros(2)
    explore[player] = epsilon
    regrets, visits = np.zeros(len(strategy)), np.zeros(len(strategy))
    corrected_regrets_into(
        *(regrets, visits, np.zeros(len(path)), path[None], np.array([length], dtype=np.int32)),
        *(tree_of(form), strategy, values, player, explore),
    )
    return regrets, visits


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", ["kuhn", "goofspiel(cards=3)"])
def test_regrets_are_right_on_average_whatever_the_baselines(game, player, epsilon, seed):
    """All trajectories with their probabilities: equal to the exact counterfactual regrets."""
    form = compile_game(make(game))
    strategy = random_strategy(form, seed, pure=0.3)
    values = np.random.default_rng(seed).normal(0.0, 10.0, form.history.num_nodes)
    explore = np.zeros(2)
    explore[player] = epsilon
    paths, lengths, probability = all_paths(form, strategy, explore)
    assert probability.sum() == pytest.approx(1.0, abs=1e-12)
    mean, mean_visits = np.zeros(len(strategy)), np.zeros(len(strategy))
    for path, length, p in zip(paths, lengths, probability, strict=True):
        regrets, visits = corrected(form, strategy, values, player, epsilon, path, length)
        mean += p * regrets
        mean_visits += p * visits
    expected, expected_visits = exact_regrets(form, strategy, player)
    assert np.abs(expected).max() > 0.05
    np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(mean_visits, expected_visits, rtol=0, atol=1e-10)


def variance(form, strategy, values, player):
    paths, lengths, probability = all_paths(form, strategy, [0.5 * (p == player) for p in (0, 1)])
    squares, mean = np.zeros(len(strategy)), np.zeros(len(strategy))
    for path, length, p in zip(paths, lengths, probability, strict=True):
        regrets, _ = corrected(form, strategy, values, player, 0.5, path, length)
        squares += p * regrets**2
        mean += p * regrets
    return float((squares - mean**2).sum())


def test_true_values_are_better_baselines_than_none():
    form = compile_game(make("kuhn"))
    for seed in range(3):
        strategy = random_strategy(form, seed)
        exact, none = node_values(form, strategy), np.zeros(form.history.num_nodes)
        for player in (0, 1):
            with_values = variance(form, strategy, exact, player)
            assert with_values < 0.6 * variance(form, strategy, none, player)


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_trajectories_come_with_the_probabilities_of_the_strategies(game):
    """Frequencies of 200,000, within five standard errors; and the same for the same seed."""
    form = compile_game(make(game))
    tree, explore = tree_of(form), np.array([0.5, 0.0])
    strategy = random_strategy(form, 1, pure=0.2)
    expected = dict.fromkeys(range(form.history.num_nodes), 0.0)
    all_of_them, ends, probability = all_paths(form, strategy, explore)
    for path, end, p in zip(all_of_them, ends, probability, strict=True):
        expected[int(path[end - 1])] += p

    def sampled(seed):
        paths = np.zeros((200_000, all_of_them.shape[1]), dtype=np.int32)
        lengths = np.zeros(200_000, dtype=np.int32)
        visited = sample_paths_into(paths, lengths, tree, strategy, explore, np.uint64(seed), 3)
        assert visited == lengths.sum()
        return paths[np.arange(len(paths)), lengths - 1]

    first = sampled(5)
    np.testing.assert_array_equal(first, sampled(5))
    assert not np.array_equal(first, sampled(6))
    p = np.array(list(expected.values()))
    seen = np.bincount(first, minlength=len(p)) / 200_000
    assert (seen[p == 0.0] == 0.0).all()
    error = np.sqrt(p * (1 - p) / 200_000)
    assert (np.abs(seen - p) <= 5 * error + 1e-4).all()


@pytest.mark.parametrize("name", GAMES)
def test_no_two_histories_look_alike(name):
    rules = make(name)
    form = compile_game(rules)
    infosets = encode(rules, form)
    histories = encode_histories(rules, form, infosets)
    moves = form.history.node_player >= 0
    assert histories.num_classes == np.count_nonzero(moves)
    assert len(np.unique(histories.infoset_class[moves])) == np.count_nonzero(moves)
    inputs = histories.flat(np.arange(histories.num_classes))
    assert len(np.unique(inputs, axis=0)) == histories.num_classes
    # Every action has an output of its own, the one that it has at the infoset.
    degree = form.history.node_degree[moves]
    assert (histories.legal.sum(axis=1)[histories.infoset_class[moves]] == degree).all()
    sequence = sequence_of_node(form)
    acted = sequence >= 0
    assert (histories.sequence_slot[acted] == infosets.sequence_slot[sequence[acted]]).all()


@pytest.mark.parametrize("name", ["leduc", "nolimit_leduc(stack=5)"])
def test_without_suits_histories_are_those_of_the_game_by_rank(name):
    def classes(rules, **changes):
        form = compile_game(rules)
        return encode_histories(rules, form, encode(rules, form, **changes)).num_classes

    by_rank = make(name[:-1] + ",by_rank=true)" if "(" in name else name + "(by_rank=true)")
    assert classes(make(name), suits=False) == classes(by_rank)


def test_transitions_are_what_actions_led_to():
    """On Leduc's longest path: next moves, past the board card; or the end of the game."""
    form = compile_game(make("leduc"))
    tree = tree_of(form)
    paths, lengths, _ = all_paths(form, random_strategy(form, 0), [1.0, 1.0])
    row = int(lengths.argmax())
    path, length = paths[row : row + 1], lengths[row : row + 1]
    steps = [int(node) for node in path[0, : length[0]]]
    for to_the_end in (False, True):
        taken, after = np.zeros(99, dtype=np.int32), np.zeros(99, dtype=np.int32)
        count = transitions_into(taken, after, path, length, tree, to_the_end)
        expected = []
        for before, node in itertools.pairwise(steps):
            if tree.player[before] < 0:
                continue
            later = steps[steps.index(node) :]
            moved = [n for n in later if tree.player[n] != -1]
            expected.append((node, steps[-1] if to_the_end else moved[0]))
        got = list(zip(taken[:count].tolist(), after[:count].tolist(), strict=True))
        assert got == expected[::-1]


@pytest.mark.parametrize("suits", [True, False])
def test_targets_of_true_values_are_true_values(suits):
    """Expected SARSA's fixed point: every transition once, weighted by chance, returns q."""
    form, values = values_of("leduc", suits=suits)
    strategy = np.concatenate([t.uniform() for t in form.treeplexes])
    exact = node_values(form, strategy)
    rows = values.histories.totals(np.where(sequence_of_node(form) >= 0, exact, 0.0))
    rows /= np.maximum(values.histories.totals((sequence_of_node(form) >= 0) * 1.0), 1.0)
    values.learner.all_rows = lambda: (rows / values.unit).astype(np.float32)
    values._is_trained = True
    tree = tree_of(form)
    # Uniform chance: each transition as often as it has followers of equal probability.
    taken, after = [], []
    for node in np.flatnonzero(sequence_of_node(form) >= 0).tolist():
        below = [node]
        if tree.player[node] == -1:
            below = range(tree.child[node], tree.child[node] + tree.degree[node])
        taken += [node] * len(below)
        after += below
    values.memory.add(np.array(taken, dtype=np.int32), np.array(after, dtype=np.int32))
    target, counts = values.targets(strategy)
    assert (counts[values.histories.legal] > 0).all()
    np.testing.assert_allclose(target, rows, rtol=0, atol=1e-5)


def test_it_learns_the_values_of_a_strategy():
    """Expected SARSA on uniform play, towards another strategy than the one that is played."""
    form = compile_game(make("kuhn"))
    strategy, played = random_strategy(form, 3), random_strategy(form, 4)
    learnt, _ = learnt_values(strategy, played=played, explore=0.5, num_paths=20_000)
    acted = sequence_of_node(form) >= 0
    exact = node_values(form, strategy)[acted]
    error = np.abs(learnt[acted] - exact)
    assert error.max() < 0.15
    assert error.mean() < 0.02
    assert np.abs(exact).max() > 1.5


def test_a_circular_memory_keeps_the_newest():
    memory = Transitions(10)
    kept: list[int] = []
    for begin in range(0, 60, 7):
        new = np.arange(begin, begin + 7, dtype=np.int32)
        memory.add(new, new + 1)
        kept = [*kept, *new.tolist()][-10:]
        assert sorted(memory.held()[0].tolist()) == kept
        assert (memory.held()[1] == memory.held()[0] + 1).all()
    memory.add(np.arange(100, 125, dtype=np.int32), np.arange(100, 125, dtype=np.int32))
    assert sorted(memory.held()[0].tolist()) == list(range(115, 125))


def test_a_solver_of_another_seed_goes_on_alike():
    text = "dream(b=20,regrets=table,average=table,value_steps=2)"
    whole, other = solver_of(text, seed=1), solver_of(text, seed=2)
    whole.run(3)
    state = {name: array.copy() for name, array in whole.state().items()}
    whole.run(3)
    other.restore(state, 3)
    other.run(3)
    assert other.iteration == 6
    np.testing.assert_array_equal(other.average_rows(), whole.average_rows())


def test_every_history_counts_as_touched():
    solver = solver_of("dream(b=30,regrets=table,average=table,value_steps=1)")
    solver.run(3)
    # Two deals, two to three moves of players, and the end: with the root, five or six nodes.
    assert 3 * 2 * 30 * 5 <= solver.nodes_touched <= 3 * 2 * 30 * 6
    # Each action of a player is a transition: all nodes but the root, two deals.
    assert solver.walks.values.memory.seen == solver.nodes_touched - 3 * 2 * 30 * 3


def test_what_cannot_have_been_saved_is_refused():
    solver = solver_of("dream(b=10,steps=1,value_steps=1,average=table)")
    solver.run(2)
    state = solver.state()
    moments = state["walks.moments"].copy()
    moments[0] = np.inf
    with pytest.raises(FileFormatError, match="not possible"):
        solver.restore({**state, "walks.moments": moments}, 2)
    for name, wrong in (("taken", -1), ("taken", 1), ("after", 10**6)):
        nodes = state[f"walks.memory.{name}"].copy()
        nodes[0] = wrong
        with pytest.raises(FileFormatError, match="does not fit"):
            solver.restore({**state, f"walks.memory.{name}": nodes}, 2)
    short = {**state, "walks.memory.after": state["walks.memory.after"][:-1]}
    assert solver.accepts(short)  # memories may be of any length
    with pytest.raises(FileFormatError, match="does not fit"):
        solver.restore(short, 2)
    solver.restore(state, 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dream(epsilon=0)", "epsilon must be"),
        ("dream(epsilon=1.5)", "epsilon must be"),
        ("dream(k=3)", "k"),
        ("dream(value_rate=0)", "value_rate must be"),
        ("dream(transitions=0)", "transitions must be"),
        ("dream(attention=true)", "recurrent"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(BadInputError, match=words):
        find_algorithm(text)
