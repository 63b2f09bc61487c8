"""What holds for DREAM and for ESCHER: they learn, go on as if never stopped, and refuse."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import infoset
from infoset.errors import FileFormatError
from trajectories_for_tests import solver_of

RUNS = (
    "dream(b=20,steps=3,value_steps=3,average_steps=3,average_every=2,embedding=8)",
    "dream(b=20,regrets=table,average=table,value_steps=3,transitions=50,value_warm=false)",
    "dream(b=20,network=gru,embedding=4,value_embedding=4,steps=2,value_steps=2,value_batch=16,"
    "average=table,alternating=true,epsilon=1)",
    "escher(b=20,rollouts=10,steps=3,value_steps=3,average_steps=3,average_every=2,embedding=8)",
    "escher(b=20,rollouts=10,regrets=table,average=table,value_steps=3,bootstrapped=false)",
    "escher(b=20,rollouts=10,network=lstm,embedding=4,value_embedding=4,steps=2,value_steps=2,"
    "value_batch=16,average=table,alternating=true,transitions=64)",
)

both = pytest.mark.parametrize("name", ["dream", "escher"])


@pytest.mark.parametrize("seed", range(3))
@both
def test_it_learns_kuhn(name, seed):
    solution = infoset.solve("kuhn", name, iterations=100, seed=seed)
    assert solution.exploitability < 0.05


@pytest.mark.parametrize("text", RUNS)
def test_a_run_that_goes_on_is_one_that_never_stopped(text, tmp_path):
    file = tmp_path / "run.checkpoint"
    whole = infoset.solve("leduc", text, iterations=8, seed=3)
    infoset.solve("leduc", text, iterations=3, seed=3, checkpoint=file)
    gone_on = infoset.solve("leduc", text, iterations=8, resume=file)
    for mine, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    assert gone_on.nodes_touched == whole.nodes_touched


@pytest.mark.parametrize("name", ["dream(", "escher(rollouts=10,"])
def test_the_seed_decides(name):
    text = f"{name}b=20,steps=2,value_steps=2,average_steps=2,embedding=8)"
    runs = [infoset.solve("leduc", text, iterations=4, seed=seed) for seed in (1, 1, 2)]
    first, same, other = (run.strategy.probabilities[0] for run in runs)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@both
@pytest.mark.parametrize("game", ["rps", "goofspiel(cards=3)", "liars_dice(faces=2)"])
def test_games_without_an_encoding_of_their_own_are_played_too(game, name):
    solver = solver_of(f"{name}(b=50,regrets=table,average=table)", game)
    before = solver.exploitability()
    solver.run(30)
    assert solver.exploitability() < 0.5 * before or before < 1e-9


@both
@pytest.mark.parametrize("wrong", ["nan", "inf"])
def test_weights_that_are_not_finite_are_refused(name, wrong):
    solver = solver_of(f"{name}(b=10,steps=1,value_steps=1,average=table)")
    solver.run(2)
    state = solver.state()
    weights = state["walks.weights"].copy()
    weights[-4:] = np.frombuffer(np.float32(wrong).tobytes(), dtype=np.uint8)
    with pytest.raises(FileFormatError, match="not finite"):
        solver.restore({**state, "walks.weights": weights}, 2)
    solver.restore(state, 2)
