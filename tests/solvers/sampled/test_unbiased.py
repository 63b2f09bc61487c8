"""Sampled regrets of the kernels are right on average: over every outcome, and by statistics."""

from __future__ import annotations

import functools
import math
import random

import numpy as np
import pytest
from scipy.stats import t as student

import naive
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.sampled.kernels.walks import sample_action
from infoset.solvers.sampled.reference_walker import Stream
from infoset.solvers.sampled.reference_walker import sample_action as by_rules
from naive_sampling import replay
from sampled_for_tests import (
    by_infoset,
    by_sequence,
    bytes_of,
    dense_of,
    saved,
    sparse_like,
    split,
    twin_of,
)

TOLERANCE = 1e-12


@functools.cache
def compiled(name):
    game = make(name)
    return game, compile_game(game), naive.Histories(game)


# --- one draw -----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1])
def test_an_action_of_probability_zero_is_never_drawn(place):
    """Not even by the largest random number, where rounding leaves the sum below one."""
    strategy = [0.0, 0.5, 0.5 - 2.0**-52, 0.0][place : place + 3]
    largest_number = 1.0 - 2.0**-53
    assert sum(strategy) <= largest_number
    drawn = sample_action(np.array(strategy), 0, 3, largest_number)
    assert drawn == by_rules(strategy, largest_number)
    assert strategy[drawn] > 0


# --- a solver that has been somewhere -----------------------------------------------------------


def interior(histories):
    """A strategy with nothing even about it, and nothing rare."""
    rng = random.Random("interior")
    return {
        key: naive.match({a: rng.uniform(0.4, 1.0) for a in histories.actions(key)})
        for key in histories.infosets
    }


def with_zeros(histories):
    """A strategy that is pure at about half of the infosets."""
    rng = random.Random("zeros")
    out = interior(histories)
    for key, row in out.items():
        if rng.random() < 0.5:
            taken = rng.choice(list(row))
            out[key] = {a: float(a == taken) for a in row}
    return out


def even(histories):
    return histories.uniform()


def start_of(name, text, strategy):
    """The state of a solver that plays a strategy next, with uneven averages and baselines."""
    _, tree, histories = compiled(name)
    solver = dense_of(tree, f"{text[:-1]},alternating=false)")
    state = saved(solver)
    state["regrets"][:] = by_sequence(tree, strategy)
    rng = np.random.default_rng(20)
    if text.startswith("as-mccfr"):
        # Nothing was ever played at some infosets: 0 / 0.
        sums = {
            key: dict.fromkeys(row, 0.0)
            if rng.random() < 0.3
            else {a: rng.uniform(0.5, 2.0) for a in row}
            for key, row in histories.uniform().items()
        }
        state["average"][:] = by_sequence(tree, sums)
    if "baseline" in state:
        state["baseline"][:] = rng.uniform(-2.0, 2.0, len(state["baseline"]))
    return solver, state


def gains(solver, state, seed):
    """What one iteration adds to the regrets."""
    state["random"][:] = np.array([seed, 0], np.uint64).view(np.int64)
    solver.restore(state, 0)
    solver.run(1)
    return solver.table("regrets") - state["regrets"]


def exact_regrets(tree, histories, strategy):
    return by_sequence(tree, naive.counterfactual_regrets(histories, strategy))


# --- every outcome ------------------------------------------------------------------------------

METHODS = [
    "es-mccfr(b=1)",
    "rs-mccfr(b=1,k=1)",
    "rs-mccfr(b=1,k=2)",
    "os-mccfr(b=1,epsilon=0.4)",
    "os-mccfr(b=1,epsilon=1)",
    "as-mccfr(b=1,tau=1,beta=0.5,epsilon=0.4)",
    "as-mccfr(b=1,tau=1,beta=0,k=1)",
    "chance-cfr(b=1)",
]
WITH_BASELINES = [
    *METHODS,
    *(f"{text[:-1]},baseline=0.5)" for text in METHODS if not text.startswith("chance")),
]
MOST_SEEDS = 40_000


def probability_of(twin, player, record):
    """How likely a block is to sample what it did."""
    likely = []
    follow = replay(record)

    def choose(history, options):
        likely.append(dict(options)[follow(history, options)])
        return follow(history, options)

    twin.block(player, choose)
    return math.prod(likely)


@pytest.mark.parametrize("strategy", [interior, with_zeros], ids=lambda make: make.__name__)
@pytest.mark.parametrize("text", WITH_BASELINES)
def test_over_every_outcome_the_kernels_regrets_are_the_counterfactual_ones(text, strategy):
    """Kuhn poker: seeds are tried until every outcome of a block was met, for both players."""
    game, tree, histories = compiled("kuhn")
    strategy = strategy(histories)
    solver, state = start_of("kuhn", text, strategy)
    solver.restore(state, 0)
    assert by_infoset(tree, solver.table("strategy")) == {
        key: pytest.approx(row) for key, row in strategy.items()
    }
    by_rules = sparse_like(solver, game)
    twin = twin_of(histories, solver.recipe)
    twin.strategy = by_infoset(tree, solver.table("strategy"))
    twin.averages = by_infoset(tree, solver.table("average"))
    if solver.recipe.baseline:
        twin.baselines = by_infoset(tree, solver.table("baseline"))

    exact = split(tree, exact_regrets(tree, histories, strategy))
    total = [0.0, 0.0]
    mean = [np.zeros(len(part)) for part in exact]
    met = set(), set()
    seed = 0
    while min(total) < 1 - TOLERANCE:
        assert seed < MOST_SEEDS, f"outcomes of probability {total} were met"
        for player in (0, 1):
            if total[player] >= 1 - TOLERANCE:
                continue
            by_rules.walker.walk(player, Stream(seed, 0, player))
            record = by_rules.game.records[-1]
            outcome = frozenset(record.items())
            if outcome in met[player]:
                continue
            met[player].add(outcome)
            likely = probability_of(twin, player, record)
            total[player] += likely
            mean[player] += likely * split(tree, gains(solver, state, seed))[player]
        seed += 1
    assert total == pytest.approx([1.0, 1.0], abs=TOLERANCE)
    for player in (0, 1):
        assert mean[player] == pytest.approx(exact[player], abs=TOLERANCE)


def test_the_printed_algorithm_is_noticed():
    """Algorithm 4 of Li et al. (2020) leaves regrets out, and the sum above tells."""
    with pytest.raises(AssertionError, match="comparison failed"):
        test_over_every_outcome_the_kernels_regrets_are_the_counterfactual_ones(
            "rs-mccfr(b=1,k=1,unsampled=left)", interior
        )


# --- mini-batches -------------------------------------------------------------------------------

BY_RULES = [
    "es-mccfr(b=1)",
    "rs-mccfr(b=1,k=1)",
    "rs-mccfr(b=1,k=2)",
    "os-mccfr(b=1)",
    "as-mccfr(b=1,tau=1,beta=0.5,epsilon=0.3)",
    "chance-cfr(b=1)",
    "vr-mccfr(b=1)",
    "es-mccfr(b=1,baseline=0.5)",
]


@pytest.mark.parametrize("text", BY_RULES)
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_mini_batch_is_the_mean_of_its_blocks(text, name):
    """Each of three blocks is walked by itself too, by the rules; so a mini-batch is unbiased.

    Of public-chance sampling, which needs the compiled game, the twin tells the same.
    """
    game, tree, histories = compiled(name)
    solver, state = start_of(name, text.replace("b=1", "b=3"), with_zeros(histories))
    solver.restore(state, 0)
    walker = sparse_like(solver, game).walker
    differ = 0
    for seed in range(20):
        found = split(tree, gains(solver, state, seed))
        for player in (0, 1):
            blocks = np.zeros((3, len(found[player])))
            for j in range(3):
                for at, row, _ in walker.walk(player, Stream(seed, 0, 3 * player + j)).visits:
                    blocks[j, at : at + len(row)] += row
            assert found[player] == pytest.approx(blocks.mean(axis=0), abs=TOLERANCE)
            differ += not np.array_equal(blocks[0], blocks[1])
    assert differ > 10


@pytest.mark.parametrize("b", [1, 7])
@pytest.mark.parametrize(
    "options", ["", ",baseline=0.5", ",regrets=discounted", ",averaging=biased"]
)
def test_robust_sampling_of_all_actions_is_external_sampling_to_the_bit(b, options):
    """Eq. 12 of Li et al. (2020)."""
    _, tree, _ = compiled("leduc")
    for seed in range(10):
        external, robust, more = (
            dense_of(tree, f"{text},b={b}{options})", iterations=20, seed=seed)
            for text in ("es-mccfr(skip=0", "rs-mccfr(k=3", "rs-mccfr(k=100")
        )
        for solver in (external, robust, more):
            solver.run(20)
        assert bytes_of(external) == bytes_of(robust) == bytes_of(more)


# --- statistics ---------------------------------------------------------------------------------

BATCHES = 40
BLOCKS = {
    "es-mccfr": 8000,
    "rs-mccfr": 20_000,
    "as-mccfr": 20_000,
    "os-mccfr": 50_000,
    "vr-mccfr": 50_000,
    "chance-cfr": 2000,
    "pcs-mccfr": 60,
}
"""In a batch: enough for every action of the game to be met in most of them."""
FALSE_ALARM = 1e-3


def deviations(text, strategy):
    """Of the mean of many batches from the exact regrets of Leduc poker, in standard errors."""
    _, tree, histories = compiled("leduc")
    strategy = strategy(histories)
    blocks = BLOCKS[text.partition("(")[0]]
    solver, state = start_of("leduc", text.replace("b=1", f"b={blocks}"), strategy)
    found = np.array([gains(solver, state, seed) for seed in range(BATCHES)])
    off = found.mean(axis=0) - exact_regrets(tree, histories, strategy)
    error = found.std(axis=0, ddof=1) / math.sqrt(BATCHES)
    varies = error > 0
    assert varies.sum() == 2184  # all but the two empty sequences
    assert not off[~varies].any()
    assert ((found != 0).sum(axis=0)[varies] >= BATCHES / 2).all()
    return off[varies] / error[varies]


@pytest.mark.parametrize("strategy", [even, interior], ids=lambda make: make.__name__)
@pytest.mark.parametrize("text", [*BY_RULES, "pcs-mccfr(b=1)"])
def test_means_of_many_batches(text, strategy):
    """All 2184 actions of Leduc poker: off by no more than a few standard errors.

    As many comparisons are made, so the bound is that of Student's distribution with 39 degrees
    for a false alarm at any of them in one of a thousand seeds: 6.04 standard errors. Of smaller
    errors everywhere, the mean of their squares tells: about 39/37 if all is well.
    """
    found = deviations(text, strategy)
    assert np.abs(found).max() < student.isf(FALSE_ALARM / 2 / len(found), BATCHES - 1)
    assert np.mean(found**2) < 1.4


def test_the_statistics_notice_the_printed_algorithm():
    found = deviations("rs-mccfr(b=1,k=2,unsampled=left)", interior)
    assert np.abs(found).max() > 20
    assert np.mean(found**2) > 10
