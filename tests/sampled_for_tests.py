"""What tests of the solvers that sample share: their twin's settings, their tables, their draws."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np

import naive_sampling as sampling
from infoset.games import CHANCE, TERMINAL, name_of
from infoset.solvers.algorithms import find_algorithm
from infoset.solvers.sampled.dense import SampledSolver
from infoset.solvers.sampled.reference_walker import Stream, scramble
from infoset.solvers.sampled.sparse import SparseSolver
from infoset.solvers.traversals import (
    AverageStrategySampling,
    ChanceSampling,
    ExternalSampling,
    OutcomeSampling,
    PublicChanceSampling,
    RobustSampling,
)

STEP = 0x9E3779B97F4A7C15
SECOND = 0x94D049BB133111EB
MASK = 2**64 - 1


def recipe_of(text):
    return find_algorithm(text).recipe


def dense_of(form, text, *, iterations=10, seed=0, threads=1):
    """A solver on the compiled game."""
    return SampledSolver(form, recipe_of(text), iterations, seed=seed, threads=threads)


def sparse_of(game, text, *, iterations=10, seed=0):
    """A solver that walks the rules, and writes down what it samples."""
    return SparseSolver(RecordedGame(game), recipe_of(text), iterations, seed=seed)


class RecordedGame:
    """A game that writes down the labels that were followed, by history: a record a walk."""

    def __init__(self, game):
        self.game = game
        self.name = name_of(game)
        self.records = []

    def root(self):
        self.records.append({})
        return RecordedState(self.game.root(), self.records[-1], ())

    def record(self, recipe, iteration, player, block):
        """What a walk of a run sampled; walks are made in order."""
        return self.records[(2 * (iteration - 1) + player) * recipe.batch + block]


class RecordedState:
    def __init__(self, state, record, history):
        self._state, self._record, self._history = state, record, history
        if state.player != TERMINAL:
            record[history] = ()

    def __getattr__(self, name):
        return getattr(self._state, name)

    def child(self, label):
        self._record[self._history] += (label,)
        return RecordedState(self._state.child(label), self._record, (*self._history, label))


# --- the twin's settings ------------------------------------------------------------------------


def twins_method(traversal):
    """A traversal as the twin calls it."""
    match traversal:
        case ChanceSampling():
            return sampling.chance()
        case PublicChanceSampling():
            return sampling.public_chance()
        case ExternalSampling():
            return sampling.external()
        case OutcomeSampling(epsilon):
            return sampling.outcome(epsilon)
        case RobustSampling(k):
            return sampling.robust(k)
        case AverageStrategySampling(epsilon, tau, beta, k):
            return sampling.average_strategy(epsilon, tau, beta, k=k)
    raise AssertionError(traversal)


def twin_of(histories, recipe, **options):
    """The naive solver that does what a recipe says."""
    return sampling.SampledCfr(
        histories,
        twins_method(recipe.traversal),
        b=recipe.batch,
        averaging=recipe.averages_at,
        baseline=recipe.baseline,
        unsampled=getattr(recipe.traversal, "unsampled", "counted"),
        alternating=recipe.alternating,
        **options,
    )


# --- tables -------------------------------------------------------------------------------------


def split(tree, array):
    """Numbers of all sequences by player."""
    first = tree.treeplexes[0].num_sequences
    return array[:first], array[first:]


def by_infoset(tree, array):
    """Numbers of all sequences as ``{(player, infoset): {action: number}}``."""
    out = {}
    for player, (treeplex, part) in enumerate(
        zip(tree.treeplexes, split(tree, array), strict=True)
    ):
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i : i + 2]
            out[player, key] = dict(zip(labels, part[begin:end].tolist(), strict=True))
    return out


def by_sequence(tree, rows):
    """The other way round; nothing for the empty sequences."""
    out = []
    for player, treeplex in enumerate(tree.treeplexes):
        out.append(0.0)
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            out += [rows[player, key][label] for label in labels]
    return np.array(out)


def saved(solver):
    """A state that stays as it is when the solver goes on."""
    return {name: array.copy() for name, array in solver.state().items()}


def bytes_of(solver):
    return {name: array.tobytes() for name, array in solver.state().items()}


def sparse_like(dense, game):
    """A solver that walks the rules and knows all infosets, with the numbers of another."""
    out = SparseSolver(RecordedGame(game), dense.recipe, seed=dense.seed)
    for player, (treeplex, table) in enumerate(zip(dense.form.treeplexes, out.tables, strict=True)):
        parents = treeplex.infoset_parent.tolist()
        for key, labels, parent in zip(treeplex.keys, treeplex.labels, parents, strict=True):
            table.visit(key, labels, parent)
        # All visited in the order of the treeplex, so sequences have the same numbers.
        for name in ("strategy", "regrets", "average", "baseline"):
            mine = getattr(table, name)
            if len(mine):
                mine[:] = type(mine)("d", split(dense.form, dense.table(name))[player].tolist())
    return out


# --- draws --------------------------------------------------------------------------------------


def stream_of(recipe, seed, iteration, player, block):
    """The random numbers of a block."""
    walk = 2 * (iteration - 1) + player if recipe.alternating else iteration - 1
    return Stream(seed, walk, block + player * recipe.batch)


class PublicDraws:
    """What public-chance sampling shows in a block, by the rules for random numbers alone."""

    def __init__(self, tree, game, histories):
        self.state_of = {}
        self.outcomes = {}
        self._read(tree.history, game.root(), 0, ())
        self.odds = sampling.public_odds(histories)

    def _read(self, history, state, node, labels):
        """Which number a public state has: the rules and the compiled game, walked in step."""
        assert history.node_player[node] == state.player
        if state.player == TERMINAL:
            return
        is_shown = state.player == CHANCE and len(labels) >= 2
        steps = [o for o, _ in state.chance] if state.player == CHANCE else list(state.actions)
        assert len(steps) == history.node_degree[node]
        for child, label in enumerate(steps, int(history.node_child[node])):
            if is_shown:
                public_history = labels[2:]
                number = int(history.node_public[node])
                assert self.state_of.setdefault(public_history, number) == number
                shown = self.outcomes.setdefault(public_history, {})
                number = int(history.node_public[child])
                assert shown.setdefault(label, number) == number
            self._read(history, state.child(label), child, (*labels, label))

    def record(self, stream):
        """``{("public", *public_history): (outcome,)}`` for every public state, met or not."""
        out = {}
        for public_history, state in self.state_of.items():
            number = (scramble((stream.counter + STEP * (state + 1)) & MASK) >> 11) * 2.0**-53
            # Outcomes in the order of the states that they lead to.
            labels = sorted(
                self.outcomes[public_history], key=self.outcomes[public_history].__getitem__
            )
            ends = list(accumulate(self.odds[public_history][label] for label in labels))
            assert math.isclose(ends[-1], 1.0)
            slot = next((i for i, end in enumerate(ends[:-1]) if number < end), len(ends) - 1)
            out["public", *public_history] = (labels[slot],)
        return out
