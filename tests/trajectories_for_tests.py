"""What tests of DREAM and ESCHER share.

Every trajectory of a game with its probability and exact values, by plain recursion; and solvers.
"""

from __future__ import annotations

import numpy as np

from infoset.forms import SequenceForm, compile_game
from infoset.games import make
from infoset.neural import encode, neural_solver
from infoset.neural.fitting import Training
from infoset.neural.history_encoding import encode_histories
from infoset.neural.history_tree import sequence_of_node, tree_of
from infoset.neural.history_values import HistoryValues
from infoset.neural.kernels.trajectories import sample_paths_into, transitions_into
from infoset.neural.networks import Shape
from infoset.solvers import find_algorithm


def solver_of(text: str, game: str = "kuhn", seed: int = 1):
    """The solver of an algorithm with networks, at its start."""
    rules = make(game)
    return neural_solver(compile_game(rules), rules, find_algorithm(text).neural, seed=seed)


def values_of(game="kuhn", *, suits=True, **changes):
    """A game's form, and a network that can learn what histories of it are worth."""
    rules = make(game)
    form = compile_game(rules)
    histories = encode_histories(rules, form, encode(rules, form, suits=suits))
    settings = {"epochs": 300, "rate": 3e-3} | changes
    how = Training(**settings)
    return form, HistoryValues(form, histories, Shape("mlp", 64), how, capacity=10**6, seed=0)


def learnt_values(strategy, *, played, explore, num_paths, to_the_end=False):
    """What a network learns of Kuhn's actions under a strategy, from games that another played.

    The values, and how often each history was the outcome of an action.
    """
    form, values = values_of(epochs=150)
    tree = tree_of(form)
    paths = np.zeros((num_paths, 8), dtype=np.int32)
    lengths = np.zeros(num_paths, dtype=np.int32)
    sample_paths_into(paths, lengths, tree, played, np.full(2, explore), np.uint64(0), 0)
    taken, after = np.zeros(8 * num_paths, np.int32), np.zeros(8 * num_paths, np.int32)
    count = transitions_into(taken, after, paths, lengths, tree, to_the_end)
    values.memory.add(taken[:count], after[:count])
    for iteration in range(1, 9):
        values.learn(strategy, iteration, np.random.default_rng(0))
    return values.of_actions(), np.bincount(taken[:count], minlength=len(tree.player))


def random_strategy(form: SequenceForm, seed: int, *, pure: float = 0.0) -> np.ndarray:
    """By sequence, player 0's first; ``pure`` of the actions are never played."""
    rng = np.random.default_rng(seed)
    parts = []
    for treeplex in form.treeplexes:
        parts.append(np.ones(treeplex.num_roots))
        for degree in treeplex.infoset_num_actions:
            weights = rng.random(degree) * (rng.random(degree) >= pure)
            weights[rng.integers(degree)] += 0.1
            parts.append(weights / weights.sum())
    return np.concatenate(parts)


def all_paths(form, strategy, explore):
    """Every trajectory that can be sampled, and its probability."""
    tree = tree_of(form)
    found = []

    def go(path, probability):
        node = path[-1]
        degree = tree.degree[node]
        if not degree:
            found.append((path, probability))
        for slot in range(degree):
            child, player = tree.child[node] + slot, tree.player[node]
            if player < 0:
                step = tree.chance[child]
            else:
                share = explore[player]
                step = share / degree + (1 - share) * strategy[tree.begin[node] + slot]
            if step > 0.0:
                go([*path, child], probability * step)

    go([0], 1.0)
    longest = max(len(path) for path, _ in found)
    paths = np.zeros((len(found), longest), dtype=np.int32)
    for row, (path, _) in zip(paths, found, strict=True):
        row[: len(path)] = path
    lengths = np.array([len(path) for path, _ in found], dtype=np.int32)
    return paths, lengths, np.array([probability for _, probability in found])


def node_values(form, strategy):
    """[num_nodes] What player 0 wins on average from a node on."""
    tree, sequence = tree_of(form), sequence_of_node(form)
    values = np.zeros(len(tree.player))

    def go(node):
        total = tree.payoff[node]
        for child in range(tree.child[node], tree.child[node] + tree.degree[node]):
            step = tree.chance[child] if sequence[child] < 0 else strategy[sequence[child]]
            total += step * go(child)
        values[node] = total
        return total

    go(0)
    return values


def reach_of_sequences(form, strategy):
    """By sequence: how likely it is played, by chance and both players."""
    tree, sequence = tree_of(form), sequence_of_node(form)
    out = np.zeros(len(strategy))

    def go(node, reach):
        for child in range(tree.child[node], tree.child[node] + tree.degree[node]):
            s = sequence[child]
            step = reach * (tree.chance[child] if s < 0 else strategy[s])
            if s >= 0:
                out[s] += step
            go(child, step)

    go(0, 1.0)
    return out


def exact_regrets(form, strategy, player):
    """By sequence: a player's counterfactual regrets; and his opponent's sequences, by how likely
    they are played by chance and himself."""
    tree, sequence = tree_of(form), sequence_of_node(form)
    values = node_values(form, strategy)
    sign = 1.0 if player == 0 else -1.0
    regrets, visits = np.zeros(len(strategy)), np.zeros(len(strategy))

    def go(node, others):
        for child in range(tree.child[node], tree.child[node] + tree.degree[node]):
            s = sequence[child]
            if s < 0:
                go(child, others * tree.chance[child])
            elif tree.player[node] == player:
                regrets[s] += others * sign * (values[child] - values[node])
                go(child, others)
            else:
                visits[s] += others * strategy[s]
                go(child, others * strategy[s])

    go(0, 1.0)
    return regrets, visits
