"""Neural fictitious self-play: episodes and their twin, memories, targets, runs that go on."""

from __future__ import annotations

import math
from collections import Counter, deque

import numpy as np
import pytest

pytest.importorskip("torch")
import torch

import infoset
from infoset.errors import BadInputError, FileFormatError
from infoset.evaluation import best_response, expected_value
from infoset.forms import compile_game
from infoset.games import CHANCE, TERMINAL, make
from infoset.neural import encode, neural_solver
from infoset.neural.episodes import Episodes
from infoset.neural.fitting import Learner, Training, squared
from infoset.neural.memories import CircularBuffer, Reservoir, Steps
from infoset.neural.networks import Shape
from infoset.neural.responder import Responder, half_squared
from infoset.neural.state import moments_of
from infoset.solvers import NeuralFictitiousPlay, find_algorithm
from infoset.solvers.sampled.reference_walker import Stream
from infoset.strategy import SequenceStrategy

LEARNS_KUHN = "nfsp(b=500,optimiser=adam,rate=0.003,average_rate=0.003,memory=20000)"


def solver_of(text="nfsp", game="kuhn", seed=1):
    rules = make(game)
    return neural_solver(compile_game(rules), rules, find_algorithm(text).neural, seed=seed)


def random_strategies(form, seed):
    """A strategy for every infoset of both players, by sequence; now and then an action is left
    out."""
    rng = np.random.default_rng(seed)
    out = []
    for treeplex in form.treeplexes:
        values = rng.random(treeplex.num_sequences) * (rng.random(treeplex.num_sequences) > 0.2)
        values[: treeplex.num_roots] = 1.0
        for begin, end in zip(treeplex.infoset_begin, treeplex.infoset_begin[1:], strict=False):
            if not values[begin:end].any():
                values[begin] = 1.0
            values[begin:end] /= values[begin:end].sum()
        out.append(values)
    return np.concatenate(out)


def naive_draw(probabilities, numbers):
    """The slot that a random number belongs to; none is drawn where there is nothing to choose."""
    if len(probabilities) == 1:
        return 0
    number, total = numbers.number(), 0.0
    for slot, probability in enumerate(probabilities):
        total += probability
        if number < total:
            return slot
    return max(slot for slot, probability in enumerate(probabilities) if probability > 0)


def naive_episode(game, form, average, response, anticipatory, numbers):
    """An episode by the rules: each player's [sequence, following, reward, responded]; visits."""
    responds = [numbers.number() < anticipatory for _ in (0, 1)]
    transitions = [], []
    state, visits = game.root(), 1
    while state.player != TERMINAL:
        visits += 1
        if state.player == CHANCE:
            outcomes = list(state.chance)
            slot = naive_draw([float(probability) for _, probability in outcomes], numbers)
            state = state.child(outcomes[slot][0])
            continue
        player = state.player
        treeplex = form.treeplexes[player]
        begin = int(treeplex.infoset_begin[treeplex.infoset_of_key[state.infoset]])
        begin += player * form.treeplexes[0].num_sequences
        actions = list(state.actions)
        strategy = response if responds[player] else average
        slot = naive_draw(strategy[begin : begin + len(actions)].tolist(), numbers)
        if transitions[player]:
            transitions[player][-1][1] = begin
        transitions[player].append([begin + slot, -1, 0.0, responds[player]])
        state = state.child(actions[slot])
    for player, sign in ((0, 1), (1, -1)):
        if transitions[player]:
            transitions[player][-1][2] = sign * float(state.payoff)
    return transitions, visits


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc", "liars_dice(faces=3)", "goofspiel(cards=3)", "nolimit_leduc(stack=5)"]
)
def test_episodes_are_those_of_a_naive_walker(name):
    """Same random numbers: every transition and every visit agrees, and rewards are payoffs."""
    game = make(name)
    form = compile_game(game)
    average, response = random_strategies(form, 1), random_strategies(form, 2)
    episodes = Episodes(form, 40)
    visits = 0
    for number in (1, 2, 7):
        played = episodes.play(number, average, response, anticipatory=0.3, seed=9)
        expected = [], []
        for walk in range(40):
            numbers = Stream(9, number, walk)
            transitions, visited = naive_episode(game, form, average, response, 0.3, numbers)
            visits += visited
            for player in (0, 1):
                expected[player].extend(transitions[player])
        for player in (0, 1):
            found = [list(row) for row in zip(*(c.tolist() for c in played[player]), strict=True)]
            assert found == expected[player]
    assert episodes.nodes_touched == visits


def exact_ends(game, form, mixture):
    """How likely an episode ends after each (last sequence of player 0, of player 1, payoff).

    ``mixture`` are the (share, strategy) pairs that each player draws from for a whole episode.
    """
    ends = Counter()

    def walk(state, chance, reach, last):
        if state.player == TERMINAL:
            played = math.prod(
                sum(share * r for (share, _), r in zip(mixture, of, strict=True)) for of in reach
            )
            ends[(*last, float(state.payoff))] += chance * played
            return
        if state.player == CHANCE:
            for label, probability in state.chance:
                walk(state.child(label), chance * float(probability), reach, last)
            return
        player = state.player
        treeplex = form.treeplexes[player]
        begin = int(treeplex.infoset_begin[treeplex.infoset_of_key[state.infoset]])
        begin += player * form.treeplexes[0].num_sequences
        for slot, action in enumerate(state.actions):
            s = begin + slot
            own = tuple(
                r * strategy[s] for r, (_, strategy) in zip(reach[player], mixture, strict=True)
            )
            after = (own, reach[1]) if player == 0 else (reach[0], own)
            moved = (s, last[1]) if player == 0 else (last[0], s)
            walk(state.child(action), chance, after, moved)

    walk(game.root(), 1.0, ((1.0, 1.0), (1.0, 1.0)), (-1, -1))
    return ends


def test_terminals_are_as_frequent_as_the_mixture_says():
    """60,000 episodes of Kuhn: each end within five standard errors of its exact probability."""
    game = make("kuhn")
    form = compile_game(game)
    average, response, share, count = random_strategies(form, 3), random_strategies(form, 4), 0.3, 0
    episodes = Episodes(form, 20_000)
    found = Counter()
    for number in range(3):
        first, second = episodes.play(number, average, response, anticipatory=share, seed=5)
        # Every episode of Kuhn has a last decision of each player, in order.
        last = [t.following < 0 for t in (first, second)]
        assert (first.reward[last[0]] == -second.reward[last[1]]).all()
        ends = (first.sequence[last[0]], second.sequence[last[1]], first.reward[last[0]])
        found.update(zip(*(column.tolist() for column in ends), strict=True))
        count += 20_000
    exact = exact_ends(game, form, ((1 - share, average), (share, response)))
    assert math.isclose(sum(exact.values()), 1.0)
    assert set(found) <= set(exact)
    for end, probability in exact.items():
        error = math.sqrt(probability * (1 - probability) / count)
        assert abs(found[end] / count - probability) <= 5 * error + 1e-12
    # The bound is tight enough to tell the mixture from one that is drawn anew at every move.
    wrong = exact_ends(game, form, ((1.0, average), (0.0, response)))
    assert any(
        abs(found[end] / count - p) > 10 * math.sqrt(p * (1 - p) / count + 1e-12)
        for end, p in wrong.items()
    )


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_each_player_responds_in_so_many_episodes(share):
    """Drawn once an episode, for each player: within five standard errors."""
    form = compile_game(make("kuhn"))
    uniform = np.concatenate(SequenceStrategy.uniform(form).probabilities)
    first, second = Episodes(form, 20_000).play(1, uniform, uniform, anticipatory=share, seed=2)
    both = []
    for played in (first, second):
        begins = np.concatenate([[True], played.following[:-1] < 0])
        number = np.cumsum(begins) - 1
        responded = played.is_response[begins]
        assert (played.is_response == responded[number]).all()
        assert len(responded) == 20_000
        assert abs(responded.mean() - share) <= 5 * math.sqrt(share * (1 - share) / 20_000)
        both.append(responded)
    together = share**2
    error = math.sqrt(together * (1 - together) / 20_000)
    assert abs((both[0] & both[1]).mean() - together) <= 5 * error


def test_a_mini_batch_has_about_128_decisions():
    """Under uniform strategies, in expectation; Kuhn has 2.25 decisions an episode."""
    assert Episodes(compile_game(make("kuhn"))).episodes == round(128 / 2.25)
    form = compile_game(make("leduc"))
    episodes = Episodes(form)
    uniform = np.concatenate(SequenceStrategy.uniform(form).probabilities)
    decisions = [
        sum(len(t.sequence) for t in episodes.play(n, uniform, uniform, anticipatory=0.1, seed=0))
        for n in range(400)
    ]
    assert np.mean(decisions) == pytest.approx(128, abs=3)
    assert episodes.nodes_touched / 400 == pytest.approx(episodes.nodes_per_batch, rel=0.02)


def steps_from(numbers):
    numbers = np.asarray(numbers)
    return Steps(
        (numbers % 4).astype(np.int32),
        (numbers % 3).astype(np.int32),
        numbers.astype(np.float32),
        (numbers % 5 - 1).astype(np.int32),
    )


@pytest.mark.parametrize("capacity", [1, 5, 17, 3000])
def test_a_circular_buffer_holds_the_last_steps(capacity):
    memory, twin = CircularBuffer(capacity), deque(maxlen=capacity)
    rng = np.random.default_rng(0)
    begin = 0
    for count in (0, 1, 3, 20, 2, 0, 1500, 7, 2000):
        new = np.arange(begin, begin + count)
        memory.add(steps_from(new))
        twin.extend(new.tolist())
        begin += count
        assert len(memory) == len(twin)
        assert sorted(memory.state()["rewards"].tolist()) == list(twin)
    drawn = memory.draw(5000, rng)
    for column, expected in zip(drawn, steps_from(drawn.rewards), strict=True):
        np.testing.assert_array_equal(column, expected)
    assert set(drawn.rewards.tolist()) <= set(twin)
    if capacity <= 17:
        assert set(drawn.rewards.tolist()) == set(twin)
    legal = np.ones((4, 3), dtype=bool)
    again = CircularBuffer(capacity)
    again.restore(memory.state(), legal)
    for each in (memory, again):
        each.add(steps_from(np.arange(7)))
    for name, column in memory.state().items():
        np.testing.assert_array_equal(again.state()[name], column)


def test_a_circular_buffer_refuses_what_does_not_fit():
    memory = CircularBuffer(10)
    memory.add(steps_from(np.arange(12)))
    legal, state = np.ones((4, 3), dtype=bool), memory.state()
    barred = legal.copy()
    barred[state["classes"][0], state["slots"][0]] = False
    with pytest.raises(FileFormatError, match="does not fit"):
        CircularBuffer(10).restore(state, barred)
    for name, column in (
        ("classes", state["classes"] + 4),
        ("slots", state["slots"] - 3),
        ("following", state["following"] + 4),
        ("following", state["following"] - 4),
        ("rewards", state["rewards"][:-1]),
        ("seen", np.array([9])),
        ("seen", np.array([-1])),
    ):
        with pytest.raises(FileFormatError, match="does not fit"):
            CircularBuffer(10).restore({**state, name: column}, legal)
    with pytest.raises(FileFormatError, match="not finite"):
        CircularBuffer(10).restore({**state, "rewards": state["rewards"] * np.nan}, legal)


def responder_of(game="kuhn", player=0, **settings):
    rules = make(game)
    encoding = encode(rules, compile_game(rules), suits=False)
    recipe = NeuralFictitiousPlay(**settings)
    return Responder(encoding.of_player(player), recipe, 4.0, seed=3)


def test_targets_are_the_reward_and_the_best_value_that_follows():
    player = responder_of()
    player._best = np.array([10, 20, 30, 40, 50, 60], dtype=np.float32)
    steps = Steps(
        np.array([0, 1, 2], np.int32),
        np.array([0, 1, 0], np.int32),
        np.array([0.5, -0.25, 0.0], np.float32),
        np.array([-1, 3, 0], np.int32),
    )
    assert player.targets(steps).tolist() == [0.5, 39.75, 10.0]


@pytest.mark.parametrize("player", [0, 1])
def test_the_best_action_is_one_that_there_is(player):
    """An output that speaks of no action says the most, and is heard nowhere."""
    of = responder_of("leduc", player)
    with torch.no_grad():
        last = of.values.network.layers[-1]
        last.bias.copy_(torch.arange(len(last.bias), 0, -1) * 100.0)
    outputs, legal = of.values.all_rows(), of.encoding.legal
    assert (outputs.argmax(axis=1) == 0).all()
    assert not legal[:, 0].all()
    expected = [row[there].max() for row, there in zip(outputs, legal, strict=True)]
    np.testing.assert_array_equal(of._best_values(), expected)
    rows = of.response_rows(0.25)
    assert (rows[~legal] == 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    for row, there, out in zip(rows, legal, outputs, strict=True):
        best = np.flatnonzero(there)[out[there].argmax()]
        np.testing.assert_allclose(
            row[there], 0.25 / there.sum() + 0.75 * (there.nonzero()[0] == best)
        )


def test_the_target_network_is_copied_every_so_many_steps():
    player = responder_of(refresh=3, warmup=1, batch=4, updates=1)
    player.transitions.add(Steps(*(np.zeros(4, t) for t in (np.int32, np.int32, "f4", np.int32))))
    rng = np.random.default_rng(0)
    before = []
    for _ in range(7):
        said = player._best_values()
        player.learn(rng)
        before.append((said == player._best).all())
    assert before == [True, False, False, True, False, False, True]


def test_one_step_of_training_is_gradient_descent():
    """By hand: the output bias moves by rate times the mean difference, half the square's slope."""
    encoding = encode(make("kuhn"), compile_game(make("kuhn")))
    learner = Learner(encoding, Shape("mlp", 4, 1), Training(clip=0.0, optimiser="sgd"), seed=0)
    classes = np.array([0, 1])
    target = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], dtype=np.float32)
    weight = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], dtype=np.float32)
    said = learner.rows_of(classes)
    bias = learner.network.layers[-1].bias.detach().numpy().copy()
    batch = learner.read(classes)
    learner.step(batch, torch.from_numpy(target), torch.from_numpy(weight), half_squared, 0.1)
    moved = bias - 0.1 * (weight * (said - target)).sum(axis=0) / 2
    np.testing.assert_allclose(learner.network.layers[-1].bias.detach().numpy(), moved, rtol=1e-5)


def test_gradient_descent_has_nothing_to_remember():
    encoding = encode(make("kuhn"), compile_game(make("kuhn")))
    target = encoding.uniform.astype(np.float32)
    made = [
        Learner(encoding, Shape("mlp", 4), Training(optimiser=name, rate=0.01), seed=0)
        for name in ("sgd", "adam")
    ]
    for learner in made:
        learner.fit(np.arange(12), target, squared, iteration=1, rng=np.random.default_rng(0))
    descent, adam = (learner.state() for learner in made)
    assert moments_of(made[0].optimiser).shape == (2, 0)
    assert set(descent) == {"weights"}
    made[0].restore(descent)
    np.testing.assert_array_equal(made[0].state()["weights"], descent["weights"])
    with pytest.raises(FileFormatError, match="remembers nothing"):
        made[0].restore(adam)
    with pytest.raises((FileFormatError, RuntimeError)):
        made[1].restore(descent)
    assert made[0].nbytes < made[1].nbytes


def test_epsilon_falls_as_in_the_published_program():
    recipe = NeuralFictitiousPlay()
    for t in (1, 4, 100, 10**6):
        assert recipe.epsilon_at(t) == pytest.approx(0.06 / (1 + 0.01 * t**0.5), rel=1e-12)
    assert NeuralFictitiousPlay(decay=0.0).epsilon_at(10**6) == 0.06
    assert solver_of("nfsp(epsilon=0)").news == {"epsilon": 0.0}


def test_memories_hold_what_was_done():
    """All transitions by class, in units; of actions only those of responses."""
    rules = make("leduc")
    form = compile_game(rules)
    encoding = encode(rules, form, suits=False)
    uniform = np.concatenate(SequenceStrategy.uniform(form).probabilities)
    played = Episodes(form, 200).play(1, uniform, uniform, anticipatory=0.4, seed=1)
    for player in (0, 1):
        of = responder_of("leduc", player)
        of.remember(played[player], np.random.default_rng(0))
        own = np.flatnonzero(encoding.class_player == player)
        new, kept = played[player], of.transitions.state()
        np.testing.assert_array_equal(own[kept["classes"]], encoding.sequence_class[new.sequence])
        np.testing.assert_array_equal(kept["slots"], encoding.sequence_slot[new.sequence])
        np.testing.assert_allclose(kept["rewards"], new.reward / 4.0)
        goes_on = new.following >= 0
        assert 0.1 < goes_on.mean() < 0.9
        np.testing.assert_array_equal(kept["following"] >= 0, goes_on)
        following = encoding.sequence_class[new.following[goes_on]]
        np.testing.assert_array_equal(own[kept["following"][goes_on]], following)
        done = of.actions.state()
        np.testing.assert_array_equal(done["classes"], kept["classes"][new.is_response])
        rows = done["rows"].reshape(-1, encoding.num_slots)
        np.testing.assert_array_equal(rows.argmax(axis=1), kept["slots"][new.is_response])
        assert (rows.sum(axis=1) == 1).all()
        assert (done["weights"] == 1).all()


def test_encodings_of_players_are_parts_of_that_of_both():
    rules = make("leduc")
    whole = encode(rules, compile_game(rules), suits=False)
    rows = np.random.default_rng(0).random(whole.legal.shape)
    product = 1.0
    for player in (0, 1):
        part, own = whole.of_player(player), whole.class_player == player
        np.testing.assert_array_equal(part.legal, whole.legal[own])
        np.testing.assert_array_equal(
            part.flat(np.arange(part.num_classes)), whole.flat(np.flatnonzero(own))
        )
        product = product * part.by_sequence(rows[own])
    np.testing.assert_array_equal(product, whole.by_sequence(rows))


def test_responses_become_best_responses_to_a_fixed_average():
    """Nobody responds, so averages stay random networks: Q-learning alone has to find what beats
    them, on Kuhn within 0.03 chips of the most that can be won."""
    solver = solver_of(
        "nfsp(b=400,anticipatory=0,optimiser=adam,rate=0.003,updates=8,refresh=100,warmup=100)"
    )
    solver.run(250)
    average = solver.strategy()
    assert len(solver.players[0].actions) == 0
    split = solver.form.treeplexes[0].num_sequences
    for player, sign in ((0, 1), (1, -1)):
        response = solver.players[player].response(0.0)
        parts = list(average.probabilities)
        parts[player] = response[:split] if player == 0 else response[split:]
        won = sign * expected_value(SequenceStrategy(solver.form, tuple(parts)))
        best = best_response(average, player).value
        assert best - 0.03 < won <= best + 1e-9
        assert best - sign * expected_value(average) > 0.1


SMALL = "b=60,warmup=20,batch=16,embedding=8,refresh=7,memory=500,average_memory=64"


@pytest.mark.parametrize("more", ["", ",optimiser=adam,rate=0.01,clip=1", ",layers=2,updates=3"])
def test_a_run_that_goes_on_is_one_that_never_stopped(more, tmp_path):
    text, file = f"nfsp({SMALL}{more})", tmp_path / "run.checkpoint"
    whole = infoset.solve("leduc", text, iterations=12, seed=3)
    infoset.solve("leduc", text, iterations=5, seed=3, checkpoint=file)
    gone_on = infoset.solve("leduc", text, iterations=12, resume=file)
    for mine, other in zip(
        gone_on.strategy.probabilities, whole.strategy.probabilities, strict=True
    ):
        np.testing.assert_array_equal(mine, other)
    assert gone_on.nodes_touched == whole.nodes_touched
    assert gone_on.exploitability == whole.exploitability


def test_a_restored_state_is_the_saved_one_to_the_bit():
    solver, other = solver_of(f"nfsp({SMALL})", "leduc"), solver_of(f"nfsp({SMALL})", "leduc", 8)
    solver.run(9)
    state = solver.state()
    assert other.accepts(state)
    other.restore(state, 9)
    for each in (solver, other):
        each.run(4)
    assert solver.state().keys() == other.state().keys()
    for name, array in solver.state().items():
        np.testing.assert_array_equal(other.state()[name], array, err_msg=name)


def test_the_seed_decides_and_threads_do_not():
    text = f"nfsp({SMALL})"
    runs = [
        infoset.solve("leduc", text, iterations=8, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 2), (2, 1))
    ]
    first, same, other = (run.strategy.probabilities[0] for run in runs)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_nothing_is_learnt_before_memories_hold_enough():
    solver = solver_of("nfsp(b=10,warmup=1000)")
    before = solver.state()
    solver.run(20)
    after = solver.state()
    for name in before:
        if name.endswith("weights") and "memory" not in name:
            np.testing.assert_array_equal(after[name], before[name])
    assert set(solver.news) == {"epsilon"}
    assert len(solver.players[0].transitions) > 200


def test_parameters_are_those_of_four_networks():
    """Of Leduc without suits: 111 inputs, 64 units, 3 outputs, each with a bias but the inputs."""
    assert solver_of(game="leduc").num_parameters == 4 * (111 * 64 + 64 + 64 * 3 + 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_it_learns_kuhn(seed):
    solution = infoset.solve("kuhn", LEARNS_KUHN, iterations=1500, seed=seed)
    assert solution.exploitability < 0.05
    assert solution.exploitability == pytest.approx(
        infoset.exploitability("kuhn", solution.strategy), abs=1e-12
    )


def test_a_trained_strategy_is_saved_and_loaded(tmp_path):
    solution = infoset.solve("kuhn", "nfsp(b=20,warmup=10)", iterations=10, seed=0)
    solution.save(tmp_path / "kuhn.infoset")
    again = infoset.load(tmp_path / "kuhn.infoset")
    assert again.algorithm == "nfsp(b=20,warmup=10)"
    assert infoset.exploitability("kuhn", again) == pytest.approx(solution.exploitability)


def test_states_that_are_not_finite_are_refused():
    solver = solver_of(f"nfsp({SMALL})")
    solver.run(8)
    state = solver.state()
    nan = np.frombuffer(np.float32("nan").tobytes(), dtype=np.uint8)
    for name in ("values.weights", "strategy.weights"):
        weights = state[f"player1.{name}"].copy()
        weights[-4:] = nan
        broken = {**state, f"player1.{name}": weights}
        assert solver.accepts(broken)
        with pytest.raises(FileFormatError, match="not finite"):
            solver.restore(broken, 8)
    for name in ("transition_memory.rewards", "action_memory.rows", "action_memory.weights"):
        numbers = state[f"player0.{name}"].copy()
        numbers[-1] = np.inf
        with pytest.raises(FileFormatError, match="not finite"):
            solver.restore({**state, f"player0.{name}": numbers}, 8)
    target = np.full_like(state["player0.target"], np.nan)
    with pytest.raises(FileFormatError, match="not possible"):
        solver.restore({**state, "player0.target": target}, 8)
    assert not solver.accepts({**state, "player0.target": target[:-1]})


def test_a_reservoir_that_is_not_finite_is_refused():
    memory = Reservoir(4, 2)
    memory.add(np.arange(3), np.ones((3, 2)), np.ones(3), np.random.default_rng(0))
    state = memory.state()
    with pytest.raises(FileFormatError, match="not finite"):
        Reservoir(4, 2).restore({**state, "weights": state["weights"] * np.nan}, 3)


def test_networks_that_run_away_are_told():
    with pytest.raises(BadInputError, match="choose smaller rates"):
        infoset.solve("leduc", "nfsp(rate=10,warmup=100,updates=50)", iterations=100, seed=0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nfsp(b=-1)", "b must be"),
        ("nfsp(anticipatory=1.5)", "anticipatory must be a number from 0 to 1"),
        ("nfsp(epsilon=-0.1)", "epsilon must be"),
        ("nfsp(decay=inf)", "decay must be finite"),
        ("nfsp(rate=0)", "rate must be above 0"),
        ("nfsp(average_rate=0)", "average_rate must be above 0"),
        ("nfsp(optimiser=rmsprop)", "optimiser must be sgd or adam"),
        ("nfsp(memory=999)", "memory must be at least warmup"),
        ("nfsp(average_memory=10,warmup=11)", "average_memory must be at least warmup"),
        ("nfsp(refresh=0)", "refresh must be"),
        ("nfsp(updates=0)", "updates must be"),
        ("nfsp(k=3)", "no parameter 'k'"),
    ],
)
def test_refusals(text, words):
    with pytest.raises(BadInputError, match=words):
        find_algorithm(text)


def test_only_the_sequence_form():
    with pytest.raises(BadInputError, match="does not work in public form"):
        infoset.solve("leduc", "nfsp", form="public", iterations=1)
