"""Walks by level: as the dense solver where nothing is left to chance, else right on average."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from infoset.errors import BadInputError
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers import LevelWalks, SampledSolver, find_recipe


def strategy_of(form, seed, *, pure=False):
    """By sequence, player 0's first."""
    rng = np.random.default_rng(seed)
    parts = []
    for treeplex in form.treeplexes:
        counts = treeplex.infoset_num_actions
        row = rng.random(int(counts.sum())) + 0.05
        begin = np.cumsum(counts) - counts
        if pure:
            best = np.maximum.reduceat(row, begin)
            row = (row == np.repeat(best, counts)).astype(float)
        row /= np.repeat(np.add.reduceat(row, begin), counts)
        parts += [np.ones(1), row]
    return np.concatenate(parts)


def sampled_by_level(form, recipe, strategy, number, seed):
    walks = LevelWalks(form, recipe, seed=seed)
    asked = []

    def ask(sequences):
        asked.append(sequences)
        return strategy[sequences]

    sums = walks.sample(number, ask)
    everything = np.concatenate(asked)
    assert len(np.unique(everything)) == len(everything), "asked twice"
    np.testing.assert_array_equal(np.sort(everything), sums.sequences)
    regrets, visits = np.zeros_like(strategy), np.zeros_like(strategy)
    regrets[sums.sequences], visits[sums.sequences] = sums.regrets, sums.visits
    return regrets, visits, walks


@pytest.mark.parametrize("game", ["kuhn", "one_card(cards=5)", "liars_dice(faces=3)"])
@pytest.mark.parametrize("averaging", ["opponent", "stochastic", "biased"])
@pytest.mark.parametrize("alternating", [True, False])
def test_pure_opponents_leave_nothing_to_chance(game, averaging, alternating):
    """The deal is drawn from the same numbers, and nothing else is drawn."""
    form = compile_game(make(game))
    if form.history.public is None:
        pytest.fail("the deal of this game is not drawn first")
    text = f"es-mccfr(b=30,averaging={averaging},alternating={str(alternating).lower()})"
    recipe = find_recipe(text)
    strategy = strategy_of(form, 3, pure=True)
    for number in (0, 1):
        regrets, visits, walks = sampled_by_level(form, recipe, strategy, number, seed=5)
        dense = SampledSolver(form, recipe, seed=5)
        expected = dense.walk_once(number, strategy)
        np.testing.assert_allclose(regrets, expected[0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(visits, expected[1], rtol=1e-12, atol=1e-12)
        assert walks.nodes_touched == dense.nodes_touched > 0


@pytest.mark.parametrize("game", ["leduc", "goofspiel(cards=4)"])
@pytest.mark.parametrize(
    "text",
    [
        "es-mccfr(b=2000)",
        "rs-mccfr(k=2,b=2000)",
        "rs-mccfr(k=1,b=2000,averaging=stochastic)",
        "rs-mccfr(k=2,b=2000,unsampled=left,averaging=biased)",
    ],
)
def test_means_are_those_of_the_dense_solver(game, text):
    """40 mini-batches of each: Welch's test on every action that most of them came to."""
    form, recipe = compile_game(make(game)), find_recipe(text)
    strategy = strategy_of(form, 4)
    dense = SampledSolver(form, recipe, seed=1)
    walks = LevelWalks(form, recipe, seed=2)
    ours, theirs = [], []
    for number in range(80):
        sums = walks.sample(number, strategy.__getitem__)
        table = np.zeros((2, len(strategy)))
        table[:, sums.sequences] = sums.regrets, sums.visits
        ours.append(table)
        theirs.append(np.stack(dense.walk_once(number, strategy)))
    for parity in (0, 1):
        a, b = np.array(ours[parity::2]), np.array(theirs[parity::2])
        n = len(a)
        error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / n)
        difference = np.abs(a.mean(axis=0) - b.mean(axis=0))
        moved = ((a != 0).mean(axis=0) > 0.8) & ((b != 0).mean(axis=0) > 0.8) & (error > 0)
        limit = student.ppf(1 - 1e-4 / moved.sum() / 2, n - 1)
        assert (difference[moved] < limit * error[moved] + 1e-12).all()
        assert moved.sum() > 50


def test_the_log_grows_where_a_mini_batch_needs_it():
    form, recipe = compile_game(make("leduc")), find_recipe("es-mccfr(b=3000)")
    strategy = strategy_of(form, 6)
    small, large = LevelWalks(form, recipe, seed=3), LevelWalks(form, recipe, seed=3)
    small._make_space(16)
    large._make_space(1 << 18)
    for number in (0, 1):
        one, other = (walks.sample(number, strategy.__getitem__) for walks in (small, large))
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert small.nodes_touched == large.nodes_touched


def test_only_external_and_robust_sampling():
    form = compile_game(make("kuhn"))
    with pytest.raises(BadInputError, match="external and robust sampling"):
        LevelWalks(form, find_recipe("os-mccfr"), seed=0)
