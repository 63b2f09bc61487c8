"""Double neural CFR: its tabular twin, its targets in closed form, runs that go on."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

import infoset
from infoset.errors import BadInputError, FileFormatError, MissingExtraError, TooLargeError
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import encode, neural_solver
from infoset.neural.averages import AverageMemory, AverageTable, Sampled
from infoset.neural.fitting import Learner, Training, squared, squared_above_zero
from infoset.neural.memories import Reservoir
from infoset.neural.networks import Shape, count_parameters, make_network
from infoset.neural.regrets import RegretNetwork, RegretTable
from infoset.solvers import SampledSolver, find_algorithm, find_recipe


def solver_of(text: str, game: str = "kuhn", seed: int = 1):
    rules = make(game)
    recipe = find_algorithm(text).neural
    return neural_solver(compile_game(rules), rules, recipe, seed=seed)


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize(
    ("neural", "tabular"),
    [
        ("k=3,floored=true,gamma=1", "rs-mccfr+(k=3,b=20,alternating=false)"),
        ("k=1,floored=true,gamma=1,alternating=true", "rs-mccfr+(k=1,b=20)"),
        ("k=2,floored=false,gamma=0", "rs-mccfr(k=2,b=20,alternating=false)"),
        (
            "floored=false,gamma=0,averaging=biased",
            "es-mccfr(b=20,averaging=biased,alternating=false)",
        ),
    ],
)
def test_with_tables_it_is_the_tabular_solver(game, neural, tabular):
    """Same samples, same seeds: regrets and averages agree after every iteration."""
    ours = solver_of(f"dncfr({neural},b=20,suits=true,regrets=table,average=table)", game, seed=7)
    theirs = SampledSolver(compile_game(make(game)), find_recipe(tabular), seed=7)
    actions = ours.encoding.sequence_slot >= 0
    for _ in range(10):
        ours.run(1)
        theirs.run(1)
        for mine, name in ((ours.regrets._rows, "regrets"), (ours.average._sums, "average")):
            mine, other = ours.encoding.by_sequence(mine)[actions], theirs.table(name)[actions]
            if name == "average":  # a tabular average is known up to a factor
                mine, other = mine / mine.sum(), other / other.sum()
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
    assert ours.nodes_touched == theirs.nodes_touched


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_asking_by_level_is_asking_at_once(game):
    """Where the walks are the same, so is all the rest: here as long as opponents are pure."""
    text = "dncfr(k=3,b=40,suits=true,average=table,steps=3,embedding=8,asking={})"
    whole, by_level = (
        solver_of(text.format("at-once"), game),
        solver_of(text.format("by-level"), game),
    )
    strategy = np.zeros_like(whole.encoding.legal, dtype=float)
    strategy[np.arange(len(strategy)), whole.encoding.legal.argmax(axis=1)] = 1.0
    whole.regrets.rows = lambda: strategy
    by_level.regrets.rows_of = lambda classes: strategy[classes]
    one, other = whole.walks.sample(0, whole.regrets), by_level.walks.sample(0, by_level.regrets)
    met = other.strategy.any(axis=1)
    assert met.sum() > 0
    np.testing.assert_array_equal(one.strategy[met], other.strategy[met])
    if game == "kuhn":  # on Leduc, chance and the choice of actions are drawn from other numbers
        np.testing.assert_allclose(one.regrets, other.regrets, atol=1e-12)
        np.testing.assert_allclose(one.visits, other.visits, atol=1e-12)
    for solver in (solver_of(text.format("by-level"), game) for _ in range(2)):
        solver.run(5)
        one, other = other, solver.average_rows()
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_a_network_that_can_memorise_follows_the_table(game):
    """Same samples as long as strategies agree; they part by what the network misses."""
    steps = {"kuhn": 400, "leduc": 150}[game]
    bound = {"kuhn": 0.03, "leduc": 0.12}[game]
    common = "b=200,floored=true,alternating=false,gamma=1"
    network = solver_of(
        f"dncfr({common},embedding=128,steps={steps},rate=0.003,everywhere=true,average=table)",
        game,
    )
    table = solver_of(f"dncfr({common},regrets=table,average=table)", game)
    for _ in range(8):
        network.run(1)
        table.run(1)
    difference = np.abs(network.average_rows() - table.average_rows())[table.encoding.legal]
    assert difference.mean() < bound
    # What it would be with strategies that have nothing to do with each other:
    other = solver_of(f"dncfr({common},regrets=table,average=table)", game, seed=2)
    shuffled = np.roll(table.average_rows(), 7, axis=0)
    other.run(8)
    assert np.abs(shuffled - other.average_rows())[table.encoding.legal].mean() > 2 * bound


def network_of(game="kuhn", **changes):
    rules = make(game)
    encoding = encode(rules, compile_game(rules))
    settings = {"floored": True, "everywhere": False, "seed": 0} | changes
    return encoding, RegretNetwork(encoding, Shape("mlp", 32), Training(epochs=5), **settings)


def test_targets_are_sums_over_the_root_of_time():
    """Regrets r in every iteration: after t of them the target is scale * t r / sqrt(t)."""
    encoding, network = network_of(floored=False)
    network.scale = 3.0
    brought = np.where(encoding.legal, 0.25, 0.0)
    rows = np.zeros_like(brought)
    for t in range(1, 20):
        rows = network.targets(rows, brought, t)
        np.testing.assert_allclose(rows[encoding.legal], 3.0 * 0.25 * math.sqrt(t), rtol=1e-12)


def test_floored_targets_forget_what_is_below_zero():
    encoding, network = network_of()
    network.scale = 1.0
    old = np.where(encoding.legal, -5.0, 0.0)
    new = np.where(encoding.legal, 2.0, 0.0)
    np.testing.assert_allclose(network.targets(old, new, 4)[encoding.legal], 1.0)
    np.testing.assert_allclose(network.targets(old, -new, 4), 0.0)


def test_an_output_below_zero_still_learns_what_is_above():
    """A rectified output would be silent: its gradient is zero wherever it says nothing."""
    outputs = torch.full((1, 2), -1.0, requires_grad=True)
    target, weight = torch.tensor([[0.5, 0.0]]), torch.ones(1, 2)
    loss = squared_above_zero(outputs, target, weight)
    loss.backward()
    assert float(loss.detach()) == pytest.approx(1.5**2 / 2)
    assert outputs.grad.tolist() == [[-1.5, 0.0]]
    assert float(squared(outputs, target, weight).detach()) == pytest.approx((1.5**2 + 1) / 2)


def test_training_lowers_the_loss_and_early_stopping_ends_it():
    encoding, _ = network_of("leduc")
    rng = np.random.default_rng(0)
    target = rng.random((50, encoding.num_slots)) * encoding.legal[:50]
    learner = Learner(encoding, Shape("mlp", 64), Training(epochs=1), seed=0)
    learner.fit(np.arange(50), target, squared, iteration=1, rng=rng)
    first = learner.loss
    learner.training = Training(epochs=400, enough=first / 10)
    learner.fit(np.arange(50), target, squared, iteration=1, rng=rng)
    assert first / 20 < learner.loss < first / 10


@pytest.mark.parametrize(
    "how",
    [
        Training(epochs=40, batch=16, rate=0.3, keep_best=True),
        Training(epochs=40, batch=16, rate=0.3, patience=2, restart=5, keep_best=True),
        Training(epochs=40, batch=16, rate=0.3, warm=False, keep_moments=False, keep_best=True),
    ],
)
def test_the_best_weights_are_kept(how):
    """Algorithm 3 as the text has it. A rate that is too high makes the last weights worse."""
    encoding, _ = network_of("leduc")
    rng = np.random.default_rng(1)
    target = rng.random((64, encoding.num_slots)) * encoding.legal[:64]

    def trained(epochs, *, keep_best):
        settings = {**vars(how), "epochs": epochs, "keep_best": keep_best}
        learner = Learner(encoding, Shape("mlp", 16), Training(**settings), seed=0)
        shuffle = np.random.default_rng(2)
        learner.fit(np.arange(64), target, squared, iteration=1, rng=shuffle)
        return learner.loss, learner.rows_of(np.arange(64))

    runs = [trained(epochs, keep_best=False) for epochs in range(1, how.epochs + 1)]
    best = int(np.argmin([loss for loss, _ in runs]))
    assert best < how.epochs - 1
    np.testing.assert_array_equal(trained(how.epochs, keep_best=True)[1], runs[best][1])


def test_a_reservoir_keeps_every_sample_alike():
    """5,000 times 10 of 40: each is kept a quarter of the time, within five standard errors."""
    kept = np.zeros(40)
    for seed in range(5000):
        memory = Reservoir(10, 1)
        rng = np.random.default_rng(seed)
        for part in np.split(np.arange(40), 8):
            memory.add(part, np.zeros((5, 1)), np.ones(5), rng)
        kept[memory.draw(1000, rng)[0]] += 0  # drawing changes nothing
        kept[np.unique(memory.state()["classes"])] += 1
    error = math.sqrt(0.25 * 0.75 / 5000)
    assert np.abs(kept / 5000 - 0.25).max() < 5 * error


def test_a_memory_of_everything_holds_what_the_table_does():
    rules = make("leduc")
    encoding = encode(rules, compile_game(rules), suits=False)
    table = AverageTable(encoding)
    memory = AverageMemory(
        encoding, Shape("mlp", 8), Training(epochs=1), every=5, capacity=10**6, seed=0
    )
    rng = np.random.default_rng(0)
    for t in range(1, 6):
        strategy = np.where(encoding.legal, rng.random(encoding.legal.shape), 0.0)
        strategy /= strategy.sum(axis=1, keepdims=True)
        visits = strategy * (rng.random((encoding.num_classes, 1)) > 0.5)
        for average in (table, memory):
            average.add(Sampled(strategy, visits, float(t), t, 0))
    sums = memory.memory.totals(encoding.num_classes)
    np.testing.assert_allclose(sums, table._sums, rtol=1e-5, atol=1e-6)


PARTS = (
    "steps=3,average_steps=3,average_every=2,b=10,embedding=8",
    "steps=3,average=incremental,average_steps=3,b=10,embedding=8,alternating=true",
    "steps=3,average=incremental,average_steps=3,average_every=3,b=10,embedding=8",
    "steps=2,network=lstm,attention=true,embedding=4,batch=16,average=table,b=10,k=1",
    "steps=2,average_steps=3,average_every=2,b=10,embedding=8,asking=by-level",
    "regrets=table,average=memory,memory=64,average_steps=3,average_every=2,b=10,embedding=8",
)


@pytest.mark.parametrize("parts", PARTS)
def test_a_run_that_goes_on_is_one_that_never_stopped(parts, tmp_path):
    text, file = f"dncfr({parts})", tmp_path / "run.checkpoint"
    whole = infoset.solve("leduc", text, iterations=12, seed=3)
    infoset.solve("leduc", text, iterations=5, seed=3, checkpoint=file)
    gone_on = infoset.solve("leduc", text, iterations=12, resume=file)
    for mine, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    assert gone_on.nodes_touched == whole.nodes_touched
    assert gone_on.exploitability == whole.exploitability


def test_the_seed_decides_and_threads_do_not():
    text = "dncfr(steps=3,average_steps=3,b=50,embedding=8)"
    runs = [
        infoset.solve("leduc", text, iterations=6, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    first, same, other = (run.strategy.probabilities[0] for run in runs)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("seed", range(3))
def test_it_learns_kuhn(seed):
    solution = infoset.solve("kuhn", "dncfr(b=200)", iterations=300, seed=seed)
    assert solution.exploitability < 0.03
    assert solution.exploitability == pytest.approx(
        infoset.exploitability("kuhn", solution.strategy), abs=1e-12
    )


def test_a_trained_strategy_is_saved_and_loaded(tmp_path):
    solution = infoset.solve("kuhn", "dncfr(b=20,steps=2)", iterations=10, seed=0)
    solution.save(tmp_path / "kuhn.infoset")
    again = infoset.load(tmp_path / "kuhn.infoset")
    assert again.algorithm == "dncfr(b=20,steps=2)"
    assert infoset.exploitability("kuhn", again) == pytest.approx(solution.exploitability)


def test_weights_that_are_not_finite_are_refused():
    solver = solver_of("dncfr(b=10,steps=1,average_every=1,average_steps=1)")
    solver.run(2)
    state = solver.state()
    for name in ("regrets.weights", "average.weights"):
        broken = dict(state)
        weights = broken[name].copy()
        weights[-4:] = np.frombuffer(np.float32("nan").tobytes(), dtype=np.uint8)
        broken[name] = weights
        assert solver.accepts(broken)
        with pytest.raises(FileFormatError, match="not finite"):
            solver.restore(broken, 2)
    broken = {**state, "regrets.weights": state["regrets.weights"][:-1]}
    assert not solver.accepts(broken)


def test_scales_do_not_matter_to_tables():
    """Payoffs of other size: what a network is trained on is the same."""
    for scale in (1.0, 1000.0):
        encoding, network = network_of()
        new = np.where(
            encoding.legal, np.linspace(-1, 2, encoding.legal.size).reshape(encoding.legal.shape), 0
        )
        network.learn(network.rows(), scale * new, 1, 0)
        if scale == 1.0:
            expected = network.rows()
    np.testing.assert_allclose(network.rows(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dncfr(k=0)", "k must be"),
        ("dncfr(k=most)", "k must be"),
        ("dncfr(attention=true)", "recurrent"),
        ("dncfr(rate=0)", "rate must be above 0"),
        ("dncfr(network=transformer)", "network must be"),
        ("dncfr(average_every=0)", "average_every must be"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(BadInputError, match=words):
        find_algorithm(text)


@pytest.mark.parametrize("shape", ["layers=64", "network=lstm", "network=gru,attention=true"])
def test_networks_that_do_not_fit_are_refused_before_they_are_made(shape):
    with pytest.raises(TooLargeError, match="choose a smaller embedding"):
        infoset.solve("kuhn", f"dncfr(embedding=65536,{shape})", iterations=1, seed=1)


@pytest.mark.parametrize("kind", ["mlp", "lstm", "gru", "rnn"])
@pytest.mark.parametrize("attention", [False, True])
def test_parameters_are_counted_before_a_network_is_made(kind, attention):
    rules = make("leduc")
    encoding = encode(rules, compile_game(rules))
    shape = Shape(kind, 12, 2, attention and kind != "mlp")
    counted = count_parameters(shape, encoding, 5)
    assert make_network(shape, encoding, 0, outputs=5).num_parameters == counted


def test_only_the_sequence_form():
    with pytest.raises(BadInputError, match="does not work in public form"):
        infoset.solve("leduc", "dncfr", form="public", iterations=1)
    with pytest.raises(BadInputError, match="needs the whole game"):
        infoset.solve("leduc", "dncfr", form="rules", iterations=1)


def test_without_torch_it_says_what_to_install(monkeypatch):
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else find(name)
    )
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[neural\]'"):
        infoset.solve("kuhn", "dncfr", iterations=1)


def test_regret_tables_hold_what_they_are_given():
    rules = make("kuhn")
    encoding = encode(rules, compile_game(rules))
    table = RegretTable(encoding, floored=True)
    table.learn(table.rows(), np.where(encoding.legal, -1.0, 0.0), 1, 0)
    assert (table.rows() == 0).all()
    assert table.nbytes == 8 * int(encoding.legal.sum())
