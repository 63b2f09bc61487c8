"""Neural solvers that start from a strategy say what the tables would say."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.evaluation import plan_in_lanes
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import neural_solver
from infoset.solvers import find_algorithm, warm_start

SMALL = "b=10,suits=true,cloning=300,steps=2,average_steps=2,embedding=32"


def started(text, game="kuhn", iterations=25):
    rules = make(game)
    form = compile_game(rules)
    recipe = find_algorithm(text).neural
    strategy = infoset.solve(form, "cfr+", iterations=20).strategy
    solver = neural_solver(form, rules, recipe, seed=1)
    start = warm_start(strategy, recipe.in_tables(), iterations=iterations)
    solver.begin_from(start)
    return solver, start, form


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_tables_hold_what_the_warm_start_has(game):
    solver, start, form = started(f"dncfr({SMALL},regrets=table,average=table)", game)
    actions = solver.encoding.sequence_slot >= 0
    regrets = form.lanes.unit.in_chips(np.concatenate(start.regrets))
    ours = solver.encoding.by_sequence(solver.regrets.rows())
    np.testing.assert_allclose(ours[actions], regrets[actions], rtol=1e-12, atol=1e-12)
    for player in (0, 1):
        np.testing.assert_allclose(
            solver.plans()[player], plan_in_lanes(start.strategy, player), atol=1e-9
        )


def test_a_visit_weighs_what_walks_would_have_brought():
    """The average begins as if T iterations had walked under the strategy: on Kuhn, exactly known.

    Every infoset of Kuhn has a card, dealt a third of the time, so a walk that follows all of the
    opponent's actions comes there with a third of the owner's reach.
    """
    solver, start, form = started(f"dncfr({SMALL},regrets=table,average=table,gamma=2)")
    first = solver.encoding.by_sequence(solver.average._sums)[: form.treeplexes[0].num_sequences]
    weights = np.arange(1, 26) ** 2.0
    plan = form.lanes.collect(0, plan_in_lanes(start.strategy, 0))
    expected = plan * weights.sum() / 3
    np.testing.assert_allclose(first[1:], expected[1:], rtol=1e-9)


@pytest.mark.parametrize(
    "parts",
    ["", ",average=incremental", ",regrets=memory,floored=false", ",network=lstm"],
)
def test_networks_say_nearly_what_tables_do(parts):
    solver, start, _ = started(f"dncfr({SMALL}{parts})")
    tables = np.concatenate(start.strategy.probabilities)
    actions = solver.encoding.sequence_slot >= 0
    said = np.concatenate(solver.strategy().probabilities)
    assert np.abs(said - tables)[actions].mean() < 0.02


@pytest.mark.parametrize("text", [f"dncfr({SMALL})", f"dream({SMALL},average=memory)"])
def test_a_run_that_started_goes_on_as_if_never_stopped(text, tmp_path):
    strategy = infoset.solve("kuhn", "cfr+", iterations=20)
    file = tmp_path / "run.checkpoint"
    whole = infoset.solve("kuhn", text, iterations=7, seed=3, start_from=strategy)
    infoset.solve("kuhn", text, iterations=3, seed=3, start_from=strategy, checkpoint=file)
    gone_on = infoset.solve("kuhn", text, iterations=7, resume=file)
    for one, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(one, other)
    cold = infoset.solve("kuhn", text, iterations=7, seed=3)
    assert not np.array_equal(cold.strategy.probabilities[0], whole.strategy.probabilities[0])


def test_samples_stand_for_more_iterations_than_full_passes():
    strategy = infoset.solve("kuhn", "cfr+", iterations=50)
    full = infoset.solve("kuhn", "cfr+", iterations=1, start_from=strategy)
    sampled = infoset.solve("kuhn", f"dncfr({SMALL})", iterations=1, seed=1, start_from=strategy)
    assert sampled.start.iterations == full.start.iterations**2 > 100
    assert sampled.exploitability < 0.1


@pytest.mark.parametrize(
    ("text", "words"),
    [("sd-cfr", "cannot start from a strategy"), ("nfsp", "cannot be started from a strategy")],
)
def test_refusals(text, words):
    strategy = infoset.solve("kuhn", "cfr+", iterations=5)
    with pytest.raises(BadInputError, match=words):
        infoset.solve("kuhn", text, iterations=1, seed=1, start_from=strategy)
