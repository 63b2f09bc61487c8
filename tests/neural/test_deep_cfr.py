"""Deep CFR and Single Deep CFR: tabular twins, sums of kept networks, runs that go on, refusals."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

pytest.importorskip("torch")

import infoset
from infoset.errors import BadInputError, FileFormatError
from infoset.forms import compile_game
from infoset.games import make
from infoset.neural import encode, neural_solver
from infoset.neural.fitting import Training
from infoset.neural.memories import Reservoir
from infoset.neural.networks import Shape
from infoset.neural.regret_memory import RegretMemory
from infoset.neural.regrets import match
from infoset.solvers import SampledSolver, find_algorithm, find_recipe

SMALL = "b=10,steps=3,embedding=8"


def solver_of(text: str, game: str = "kuhn", seed: int = 1):
    rules = make(game)
    recipe = find_algorithm(text).neural
    return neural_solver(compile_game(rules), rules, recipe, seed=seed)


def encoding_of(game: str = "kuhn"):
    rules = make(game)
    return encode(rules, compile_game(rules))


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize("alternating", ["true", "false"])
def test_with_networks_that_make_no_error_it_is_linear_cfr(game, alternating, monkeypatch):
    """Same samples, same seeds: means times weights are the table's cumulative regrets.

    The table holds ``sum(s r_s) / u`` where ``u`` is the last iteration that came to an infoset; it
    keeps the logarithm of ``1 / u`` at the infoset's first sequence.
    """

    def say_the_means(memory, player):
        classes, means, _ = memory.targets(player)
        memory._rows[classes] = means

    monkeypatch.setattr(RegretMemory, "_evaluate", say_the_means)
    common = f"b=20,gamma=1,alternating={alternating}"
    ours = solver_of(
        f"deep-cfr({common},suits=true,otherwise=uniform,steps=1,embedding=4,average=table)", game
    )
    theirs = SampledSolver(
        compile_game(make(game)), find_recipe(f"es-mccfr({common},regrets=linear)"), seed=1
    )
    encoding = ours.encoding
    actions = encoding.sequence_slot >= 0
    first = np.flatnonzero(np.diff(encoding.sequence_class, prepend=-2) != 0)
    place = np.repeat(first, np.diff(first, append=len(actions)))
    for _ in range(10):
        ours.run(1)
        theirs.run(1)
        sums = np.zeros(encoding.legal.shape)
        for player, memory in enumerate(ours.regrets.memories):
            assert memory.seen == len(memory) < memory.capacity
            classes, means, weights = ours.regrets.targets(player)
            sums[classes] = means * weights[:, None]
        table = theirs.table("regrets") * np.exp(-theirs.table("log_kept")[0][place])
        mine = encoding.by_sequence(sums)[actions]
        np.testing.assert_allclose(mine, table[actions], rtol=1e-5, atol=1e-5)
        averages = encoding.by_sequence(ours.average._sums)[actions], theirs.table("average")
        mine, other = averages[0], averages[1][actions]
        np.testing.assert_allclose(mine / mine.sum(), other / other.sum(), rtol=1e-5, atol=1e-7)
    assert ours.nodes_touched == theirs.nodes_touched


def test_the_network_learns_the_means():
    """Enough steps on everything: what it says is proportional to the means."""
    solver = solver_of("deep-cfr(b=50,steps=1000,rate=0.003,patience=0,average=table)")
    solver.run(2)
    for player in (0, 1):
        classes, means, _ = solver.regrets.targets(player)
        legal = solver.encoding.legal[classes]
        said = solver.regrets.rows()[classes][legal]
        known = means[legal]
        scale = (said @ known) / (known @ known)
        assert np.abs(said - scale * known).max() < 1e-3 * np.abs(said).max()


def test_samples_weigh_as_their_iterations():
    """Two samples of a class, of iterations 1 and 3: the mean is (1 a + 3 b) / 4."""
    encoding = encoding_of()
    memory = RegretMemory(encoding, Shape("mlp", 4), Training(epochs=1), capacity=100, seed=0)
    own = np.flatnonzero(encoding.class_player == 1)[0]
    for iteration, regret in ((1, 8.0), (2, 0.0), (3, -4.0)):
        new = np.zeros(encoding.legal.shape)
        new[own] = np.where(encoding.legal[own], regret, 0.0)
        memory.learn(memory.rows(), new, iteration, seed=0)
    assert len(memory.memories[0]) == 0
    assert not memory.rows()[encoding.class_player == 0].any()
    classes, means, weights = memory.targets(1)
    assert (classes.tolist(), weights.tolist()) == ([own], [4.0])
    np.testing.assert_allclose(means[0][encoding.legal[own]], (1 * 8 - 3 * 4) / 4)


def test_where_nothing_is_positive_the_best_is_played():
    encoding = encoding_of()
    rows = np.where(encoding.legal, -2.0, 9.0)
    first = encoding.legal.argmax(axis=1)
    rows[np.arange(len(rows)), first] = -1.0
    np.testing.assert_array_equal(match(rows, encoding, "best"), np.eye(encoding.num_slots)[first])
    np.testing.assert_array_equal(match(rows, encoding, "uniform"), encoding.uniform)
    for otherwise in ("best", "uniform"):
        nothing = np.zeros_like(rows)
        np.testing.assert_array_equal(match(nothing, encoding, otherwise), encoding.uniform)
        rows[np.arange(len(rows)), first] = 3.0
        np.testing.assert_array_equal(
            match(rows, encoding, otherwise), np.eye(encoding.num_slots)[first]
        )


def naive_average(form, weighted_strategies):
    """The average of strategies by own reach, infoset by infoset.

    ``weighted_strategies`` are (player, weight, probabilities by sequence of both). Returns, per
    player, ``{key: {action: sum of weighted reach}}``.
    """
    sums = defaultdict(float), defaultdict(float)
    split = form.treeplexes[0].num_sequences
    for player, weight, probabilities in weighted_strategies:
        treeplex = form.treeplexes[player]
        own = probabilities[:split] if player == 0 else probabilities[split:]

        def reach(sequence, treeplex=treeplex, own=own):
            owner = int(treeplex.sequence_infoset[sequence])
            if owner < 0:
                return 1.0
            return float(own[sequence]) * reach(int(treeplex.infoset_parent[owner]))

        for number, key in enumerate(treeplex.keys):
            begin = int(treeplex.infoset_begin[number])
            for action, label in enumerate(treeplex.labels[number]):
                sums[player][key, label] += weight * reach(begin + action)
    return sums


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize(
    "parts",
    [
        "",
        ",alternating=false",
        ",gamma=2,suits=true,network=gru",
        ",averaging=biased",
        ",regrets=network,warm=true",
    ],
)
def test_the_average_is_the_sum_of_the_plans_of_all_networks(game, parts, monkeypatch):
    solver = solver_of(f"sd-cfr({SMALL}{parts})", game)
    played, sample = [], solver.walks.sample

    def remember(number, regrets):
        samples = sample(number, regrets)
        played.append(samples.strategy)
        return samples

    monkeypatch.setattr(solver.walks, "sample", remember)
    solver.run(3)
    solver.exploitability()  # a part of the sum is now known
    solver.run(4)
    form, encoding = solver.form, solver.encoding
    alternating, gamma = solver.recipe.alternating, solver.recipe.gamma
    stored = [
        (
            player,
            weight,
            np.concatenate(solver.average.strategy_of(players, networks).probabilities),
        )
        for players, weight, networks in solver.average.kept
        for player in players
    ]
    turns = 2 if alternating else 1
    own = solver.recipe.averaging == "biased"
    as_played = [
        (player, float(number // turns + 1) ** gamma, encoding.by_sequence(strategy))
        for number, strategy in enumerate(played)
        for player in ((number % 2 if own else 1 - number % 2,) if alternating else (0, 1))
    ]
    average, plans = solver.strategy(), solver.plans()
    for strategies, tolerance in ((stored, 1e-9), (as_played, 1e-5)):
        assert [each[:2] for each in strategies] == [each[:2] for each in as_played]
        for player, sums in enumerate(naive_average(form, strategies)):
            total = sum(weight for who, weight, _ in strategies if who == player)
            treeplex = form.treeplexes[player]
            plan = form.lanes.collect(player, plans[player])
            for number, key in enumerate(treeplex.keys):
                begin = int(treeplex.infoset_begin[number])
                reach = [sums[key, label] for label in treeplex.labels[number]]
                ours = list(average[player, key].values())
                assert plan[begin : begin + len(reach)] == pytest.approx(
                    [each / total for each in reach], abs=tolerance
                )
                shares = [each / sum(reach) if sum(reach) else 1 / len(reach) for each in reach]
                assert ours == pytest.approx(shares, abs=tolerance)


def test_alike_infosets_have_the_average_of_their_class():
    """Infosets that are the same but for suits are reached alike, so classes say the same."""
    solver = solver_of(f"sd-cfr({SMALL})", "leduc")
    solver.run(5)
    by_class = solver.encoding.by_sequence(solver.average_rows())
    np.testing.assert_allclose(by_class, solver.probabilities(), atol=1e-12)


def test_before_the_first_iteration_the_average_is_uniform():
    for text in ("deep-cfr", "sd-cfr"):
        solver = solver_of(text)
        for player, probabilities in enumerate(solver.strategy().probabilities):
            np.testing.assert_array_equal(probabilities, solver.form.treeplexes[player].uniform())


def test_all_that_is_kept_is_counted():
    solver = solver_of("sd-cfr(b=10,steps=1,embedding=8)")
    before = solver.kept_bytes
    solver.run(6)
    networks = sum(weights.nbytes for _, _, weights in solver.average.kept)
    assert networks == 4 * 2 * 6 * solver.regrets.learners[0].network.num_parameters
    memories = sum(memory.nbytes for memory in solver.regrets.memories)
    assert memories > 0
    assert solver.kept_bytes == before + networks + memories


PARTS = (
    f"deep-cfr({SMALL},average_steps=3,average_every=5)",
    f"deep-cfr({SMALL},average_steps=3,average_every=2,warm=true,batch=16,memory=100)",
    f"deep-cfr({SMALL},average=incremental,average_steps=3,average_every=1)",
    f"deep-cfr({SMALL},average=table,alternating=false,network=lstm,attention=true)",
    f"sd-cfr({SMALL})",
    f"sd-cfr({SMALL},alternating=false,memory=200,otherwise=uniform)",
    f"sd-cfr({SMALL},regrets=network,warm=true,floored=true)",
)


@pytest.mark.parametrize("text", PARTS)
def test_a_run_that_goes_on_is_one_that_never_stopped(text, tmp_path):
    file = tmp_path / "run.checkpoint"
    whole = infoset.solve("leduc", text, iterations=12, seed=3)
    infoset.solve("leduc", text, iterations=5, seed=3, checkpoint=file)
    gone_on = infoset.solve("leduc", text, iterations=12, resume=file)
    for mine, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    assert gone_on.nodes_touched == whole.nodes_touched
    assert gone_on.exploitability == whole.exploitability


def test_checkpoints_are_those_of_a_run_that_was_never_evaluated():
    """The sum of plans is not part of a checkpoint: evaluating changes nothing in it."""
    seen, unseen = (solver_of(f"sd-cfr({SMALL})") for _ in range(2))
    for solver in (seen, unseen):
        for _ in range(4):
            solver.run(1)
            if solver is seen:
                solver.exploitability()
    for name, array in seen.state().items():
        np.testing.assert_array_equal(array, unseen.state()[name])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", ["deep-cfr", "sd-cfr"])
def test_it_learns_kuhn(text, seed):
    solution = infoset.solve("kuhn", text, iterations=20, seed=seed)
    assert solution.exploitability < 0.05
    assert solution.exploitability == pytest.approx(
        infoset.exploitability("kuhn", solution.strategy), abs=1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", ["deep-cfr", "sd-cfr"])
def test_it_learns_leduc(text):
    """In a minute at most; uniform play has 2.37 chips."""
    solution = infoset.solve("leduc", text, iterations=60, seed=0)
    assert solution.exploitability < 0.2


def test_the_seed_decides_and_threads_do_not():
    runs = [
        infoset.solve("leduc", f"sd-cfr({SMALL})", iterations=5, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    first, same, other = (run.strategy.probabilities[0] for run in runs)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def not_finite(array):
    """The same array with a number that is none at its end."""
    broken = array.copy()
    if array.dtype == np.uint8:
        broken[-4:] = np.frombuffer(np.float32("nan").tobytes(), dtype=np.uint8)
    else:
        broken[-1] = np.nan
    return broken


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            f"deep-cfr({SMALL},average_steps=1)",
            (
                *("regrets.player0.weights", "regrets.player1.moments"),
                *("regrets.memory0.rows", "regrets.memory1.weights"),
                *("average.memory.rows", "average.memory.weights"),
            ),
        ),
        (f"sd-cfr({SMALL})", ("average.memory.networks", "average.memory.counts")),
    ],
)
def test_numbers_that_are_not_finite_are_refused(text, names):
    solver = solver_of(text)
    solver.run(2)
    state = solver.state()
    solver.restore(state, 2)
    for name in names:
        broken = {**state, name: not_finite(state[name])}
        assert solver.accepts(broken)
        with pytest.raises(FileFormatError):
            solver.restore(broken, 2)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("memory.networks", lambda a: a[:-1]),
        ("memory.counts", lambda a: a[:-1]),
        ("memory.counts", lambda a: -a),
        ("memory.players", lambda a: a + 2),
        ("memory.players", lambda a: a[:0]),
    ],
)
def test_networks_that_do_not_fit_are_refused(name, change):
    solver = solver_of(f"sd-cfr({SMALL})")
    solver.run(2)
    state = solver.state()
    name = f"average.{name}"
    broken = {**state, name: change(state[name])}
    assert solver.accepts(broken)
    with pytest.raises(FileFormatError):
        solver.restore(broken, 2)


def test_a_memory_of_weights_below_zero_is_refused():
    memory = Reservoir(10, 1)
    rng = np.random.default_rng(0)
    memory.add(np.arange(3), np.ones((3, 1)), np.ones(3), rng)
    state = memory.state()
    Reservoir(10, 1).restore(state, 3)
    with pytest.raises(FileFormatError, match="impossible"):
        Reservoir(10, 1).restore({**state, "weights": -state["weights"]}, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sd-cfr(regrets=table)", "average=networks keeps the networks of regrets"),
        ("deep-cfr(floored=true)", "no sum is ever floored"),
        ("dncfr(regrets=memory)", "no sum is ever floored"),
        ("deep-cfr(everywhere=true)", "leave one of the two out"),
        ("deep-cfr(otherwise=worst)", "otherwise must be"),
        ("deep-cfr(memory=0)", "memory must be"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(BadInputError, match=words):
        find_algorithm(text)
