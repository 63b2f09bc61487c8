"""What the papers prove about sampling, by going through every sample: `naive_sampling` obeys.

The twin of the solvers that sample is only worth something if it is right itself. In small games
every outcome of a block can be listed with its probability, so expectations are exact.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest

import naive
import naive_sampling as sampling
from games_for_tests import End, TreeGame, matrix_game, random_dealt_game, turn
from infoset.games import CHANCE, make
from infoset.games.poker import BettingRound, Card, OneCardPoker

TOLERANCE = 1e-12

KUHN = naive.Histories(make("kuhn"))

MINI_LEDUC = naive.Histories(
    OneCardPoker(
        "mini leduc",
        # A board of X can come with any hands, one of Y or Z only if nobody holds it.
        (Card("X", 0, count=3), Card("Y", 1), Card("Z", 2)),
        (BettingRound((2,), max_bets=1), BettingRound((4,), max_bets=1)),
    )
)

METHODS = [
    sampling.external(),
    sampling.robust(1),
    sampling.robust(2),
    sampling.outcome(0.3),
    sampling.average_strategy(None, 1.0, 0.5, k=1),
    sampling.average_strategy(0.2, 1.0, 0.5),
    sampling.average_strategy(0.05, 0.1, 0.0),
    sampling.chance(),
]
# Baselines stand in for an opponent who is sampled.
WITH_BASELINES = [method for method in METHODS if method.samples_opponent]


def named(methods):
    return pytest.mark.parametrize("method", methods, ids=lambda method: method.name)


def table(histories, number):
    """``number()`` for every action."""
    return {key: {a: number() for a in histories.actions(key)} for key in histories.infosets}


def interior(histories, seed=1):
    """A strategy with nothing even about it."""
    rng = random.Random(f"{seed} interior")
    rows = table(histories, lambda: rng.uniform(0.1, 1.0))
    return {key: naive.match(row) for key, row in rows.items()}


def with_zeros(histories):
    """A strategy that is pure at about half of the infosets."""
    rng = random.Random("zeros")
    strategy = interior(histories, seed=2)
    for key, row in strategy.items():
        if rng.random() < 0.5:
            taken = rng.choice(list(row))
            strategy[key] = {a: float(a == taken) for a in row}
    return strategy


each_strategy = pytest.mark.parametrize("strategy", [interior, with_zeros])


def solver_at(histories, strategy, method, **options):
    """A solver that has been somewhere: uneven averages, and baselines if it has any."""
    rng = random.Random("tables")
    solver = sampling.SampledCfr(histories, method, **options)
    solver.strategy = {key: dict(row) for key, row in strategy.items()}
    if "average_strategy" in method.name:
        # Nothing was ever played at some infosets: 0 / 0.
        sums = table(histories, lambda: rng.uniform(0.0, 2.0))
        solver.averages = {
            key: dict.fromkeys(row, 0.0) if rng.random() < 0.3 else row for key, row in sums.items()
        }
    if solver.baseline is not None:
        solver.baselines = table(histories, lambda: rng.uniform(-2.0, 2.0))
    return solver


def expected(walk, what, keys):
    """Expectation of a table of blocks, over every outcome."""
    sums = {key: dict.fromkeys(actions, 0.0) for key, actions in keys.items()}
    total = 0.0
    for probability, result in sampling.every_outcome(walk):
        total += probability
        for key, row in getattr(result, what).items():
            for a, x in row.items():
                sums[key][a] += probability * x
    assert total == pytest.approx(1, abs=TOLERANCE)
    return sums


def keys_of(histories, player):
    return {key: histories.actions(key) for key in histories.infosets if key[0] == player}


def expected_of_block(solver, player, what="regrets"):
    owner = 1 - player if (what, solver.averaging) == ("averages", "opponent") else player
    keys = keys_of(solver.histories, owner)
    return expected(lambda choose: solver.block(player, choose), what, keys)


def assert_equal(ours, theirs, keys=None):
    for key in ours if keys is None else keys:
        assert ours[key] == pytest.approx(theirs[key], abs=TOLERANCE), key


def distance(ours, theirs):
    return max(abs(x - theirs[key][a]) for key, row in ours.items() for a, x in row.items())


def chance_reach(histories, among=None):
    """The sum of pi_c(h) over the histories of each infoset, or over those `among` some."""
    luck = naive.reach_of_others(histories, table(histories, lambda: 1.0), 0)
    return {
        key: sum(luck[h] for h in nodes if among is None or h in among)
        for key, nodes in histories.infosets.items()
    }


def plan(histories, strategy, player):
    """Own reach times strategy: what an average is made of."""
    reach = naive.own_reach(histories, strategy, player)
    return {key: {a: pi * p for a, p in strategy[key].items()} for key, pi in reach.items()}


def scaled(rows, factors):
    return {key: {a: factors[key] * x for a, x in row.items()} for key, row in rows.items()}


# --- how often an action is taken ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "sums", "xi"),
    [
        (sampling.external(), (0, 0, 0), (1, 1, 1)),
        (sampling.robust(1), (0, 0, 0), (1 / 3, 1 / 3, 1 / 3)),
        (sampling.robust(2), (0, 0, 0), (2 / 3, 2 / 3, 2 / 3)),
        (sampling.robust(5), (0, 0, 0), (1, 1, 1)),
        (sampling.outcome(0.3), (0, 0, 0), (0.8, 0.1, 0.1)),
        (sampling.average_strategy(0.2, 1.0, 0.5), (3, 0.5, 0), (3.5 / 4, 1 / 4, 0.2)),
        (sampling.average_strategy(0.2, 9.0, 0.5), (3, 0.5, 0), (1, 1, 0.2)),
        (sampling.average_strategy(0.2, 1.0, 0.0), (0, 0, 0), (0.2, 0.2, 0.2)),
        (sampling.average_strategy(0.2, 1.0, 0.5), (0, 0, 0), (1, 1, 1)),
        (sampling.average_strategy(None, 1.0, 0.0, k=1), (3, 1, 0), (3 / 4, 1 / 3, 1 / 3)),
        (sampling.average_strategy(None, 1.0, 0.0, k=4), (3, 1, 0), (1, 1, 1)),
    ],
)
def test_inclusion_probabilities(method, sums, xi):
    """Regrets are unbiased whatever they are, so this is a test of its own."""
    sets = method.sets({"a": 1.0, "b": 0.0, "c": 0.0}, dict(zip("abc", sums, strict=True)))
    assert sum(p for _, p in sets) == pytest.approx(1)
    found = [sum(p for taken, p in sets if action in taken) for action in "abc"]
    assert found == pytest.approx(xi)


def test_what_the_oracle_is_asked():
    """All but what is walked in full; somebody who plays one action only is asked all the same."""
    solver = sampling.SampledCfr(KUHN, sampling.robust(1))
    solver.strategy[1, "Q:check"] = {"check": 0.0, "bet": 1.0}
    asked = {}

    def last(history, options):
        asked[history] = options
        return options[-1][0] if len(history) < 2 else options[0][0]

    solver.block(0, last)
    assert asked == {
        (): [(("J",), 1 / 3), (("Q",), 1 / 3), (("K",), 1 / 3)],
        ("K",): [(("J",), 0.5), (("Q",), 0.5)],
        ("K", "Q"): [(("check",), 0.5), (("bet",), 0.5)],
        ("K", "Q", "check"): [(("bet",), 1.0)],
        ("K", "Q", "check", "bet"): [(("fold",), 0.5), (("call",), 0.5)],
    }
    asked.clear()
    sampling.SampledCfr(KUHN, sampling.external()).block(0, last)
    assert asked.keys() == {(), ("K",), ("K", "Q", "check"), ("K", "Q", "bet")}


def test_public_odds_are_those_of_a_card_when_no_hand_is_known():
    odds = sampling.public_odds(MINI_LEDUC)
    assert odds.keys() == {("check", "check"), ("bet", "call"), ("check", "bet", "call")}
    for row in odds.values():
        assert row == pytest.approx({"X": 3 / 5, "Y": 1 / 5, "Z": 1 / 5})


# --- regrets are unbiased -----------------------------------------------------------------------


@named(METHODS)
@each_strategy
def test_sampled_regrets_average_to_the_counterfactual_ones(method, strategy):
    """Lemma 1 of Lanctot et al. (2009); with baselines, Schmid et al. (2019)."""
    for baseline in (None, 0.5) if method in WITH_BASELINES else (None,):
        solver = solver_at(KUHN, strategy(KUHN), method, baseline=baseline)
        exact = naive.counterfactual_regrets(KUHN, solver.strategy)
        for player in (0, 1):
            assert_equal(expected_of_block(solver, player), exact)


def batches():
    """Every method, with baselines and without."""
    for method in METHODS:
        for baseline in (None, 0.5) if method in WITH_BASELINES else (None,):
            yield pytest.param(method, baseline, id=f"{method.name}, {baseline}")


@pytest.mark.parametrize(("method", "baseline"), list(batches()))
@pytest.mark.parametrize("player", [0, 1])
def test_the_regrets_of_a_mini_batch_do_too(method, baseline, player):
    """Theorem 1 of Li et al. (2020), over all pairs of blocks."""
    assert_batch_is_unbiased(KUHN, method, player, baseline)


def assert_batch_is_unbiased(histories, method, player, baseline=None):
    strategy = interior(histories)
    exact = naive.counterfactual_regrets(histories, strategy)

    def iterate(choose):
        solver = solver_at(histories, strategy, method, b=2, alternating=False, baseline=baseline)
        solver.iteration({(i, j): choose if i == player else first for i in (0, 1) for j in (0, 1)})
        return solver

    keys = {key: histories.actions(key) for key in histories.infosets}
    assert_equal(expected(iterate, "regrets", keys), exact, keys_of(histories, player))


def first(history, options):
    return options[0][0]


def test_algorithm_4_as_printed_is_biased():
    """Regrets for sampled actions only; appendix D.2 has -v(h) for the others."""
    strategy = interior(KUHN)
    exact = naive.counterfactual_regrets(KUHN, strategy)
    left, counted = (
        expected_of_block(solver_at(KUHN, strategy, sampling.robust(1), unsampled=unsampled), 0)
        for unsampled in ("left", "counted")
    )
    assert distance(counted, exact) < TOLERANCE
    assert distance(left, exact) > 0.05
    # Where nothing is left out, the two are one.
    solver = solver_at(KUHN, strategy, sampling.external(), unsampled="left")
    assert_equal(expected_of_block(solver, 0), exact)


# --- averages -----------------------------------------------------------------------------------


@named(METHODS)
@each_strategy
def test_unbiased_averages_are_in_proportion_to_own_reach_times_strategy(method, strategy):
    """At the opponent's nodes the factor is always pi_c: one that he avoids has no weight anyway.

    At the traverser's it lacks the histories that a sampled opponent never plays to, and changes
    with his strategy. So the stochastic average is unbiased only while the opponent plays
    everything, which he does not after regret matching.
    """
    strategy = strategy(KUHN)
    for player in (0, 1):
        solver = solver_at(KUHN, strategy, method)
        exact = scaled(plan(KUHN, strategy, 1 - player), chance_reach(KUHN))
        assert_equal(expected_of_block(solver, player, "averages"), exact)

        solver = solver_at(KUHN, strategy, method, averaging="stochastic")
        others = naive.reach_of_others(KUHN, strategy, player)
        met = {h for h, pi in others.items() if pi > 0 or not method.samples_opponent}
        exact = scaled(plan(KUHN, strategy, player), chance_reach(KUHN, met))
        assert_equal(expected_of_block(solver, player, "averages"), exact)


@named([sampling.external(), sampling.robust(1), sampling.chance()])
@pytest.mark.parametrize("averaging", ["opponent", "stochastic", "biased"])
def test_only_the_biased_average_of_two_strategies_is_off(method, averaging):
    """It weighs an iteration by how likely the opponent was to let the walk come by."""
    strategies = interior(KUHN, seed=3), interior(KUHN, seed=4)
    solvers = [solver_at(KUHN, strategy, method, averaging=averaging) for strategy in strategies]
    for player in (0, 1):
        found = average(expected_of_block(solver, player, "averages") for solver in solvers)
        owner = 1 - player if averaging == "opponent" else player
        exact = average(plan(KUHN, strategy, owner) for strategy in strategies)
        if averaging == "biased" and method.samples_opponent:
            assert distance(found, exact) > 0.01
        else:
            assert distance(found, exact) < TOLERANCE


def average(two):
    one, other = two
    return {
        key: naive.match({a: x + other[key][a] for a, x in row.items()}) for key, row in one.items()
    }


# --- methods that are one another ---------------------------------------------------------------


@pytest.mark.parametrize("histories", [KUHN, MINI_LEDUC], ids=["kuhn", "mini leduc"])
@pytest.mark.parametrize("player", [0, 1])
def test_robust_sampling_of_all_actions_is_external_sampling(histories, player):
    """Eq. 12 of Li et al. (2020): outcome by outcome, and without asking anything else."""
    strategy = interior(histories)
    external, robust = (
        solver_at(histories, strategy, method, baseline=0.5)
        for method in (sampling.external(), sampling.robust(2))
    )

    def walk(choose):
        block, taken = noted(external, player, choose)
        return block, robust.block(player, sampling.replay(taken))

    assert all(one == other for _, (one, other) in sampling.every_outcome(walk))


def noted(solver, player, choose):
    """A block, and all that was chosen for it."""
    taken = {}

    def note(history, options):
        taken[history] = choose(history, options)
        return taken[history]

    return solver.block(player, note), taken


def trajectory(solver, player, choose):
    """A block of one terminal: the nodes on its way and the labels taken, and its payoff."""
    block, taken = noted(solver, player, choose)
    node, history, path = solver.histories.root, (), []
    while node.children:
        (label,) = taken[history]
        path.append((node, label))
        node, history = node.children[label], (*history, label)
    return block, path, node.payoff if player == 0 else -node.payoff


def product(path, player, strategy):
    return math.prod(strategy[node.key][a] for node, a in path if node.player == player)


@pytest.mark.parametrize(
    ("method", "epsilon"),
    [(sampling.outcome(epsilon), epsilon) for epsilon in (0, 0.3, 1)] + [(sampling.robust(1), 1)],
    ids=lambda x: getattr(x, "name", ""),
)
@pytest.mark.parametrize("player", [0, 1])
def test_outcome_sampling_is_lanctots_formula(method, epsilon, player):
    """r(a) = W (pi_i(ha, z) - pi_i(h, z)) with W = u(z) pi_-i(z) / q(z), and -W pi_i(h, z) else.

    So it is robust sampling of one action by the player's own strategy, as D.2 says (Eq. 13); and
    robust sampling of one action by a fair die is outcome sampling that only explores (Eq. 14).
    """
    strategy = interior(KUHN)
    mixed = {
        key: {a: epsilon / len(row) + (1 - epsilon) * p for a, p in row.items()}
        for key, row in strategy.items()
    }

    def walk(choose):
        return trajectory(solver_at(KUHN, strategy, method), player, choose)

    for probability, (block, path, payoff) in sampling.every_outcome(walk):
        luck = math.prod(node.odds[o] for node, o in path if node.player == CHANCE)
        others = luck * product(path, 1 - player, strategy)
        q = others * product(path, player, mixed)
        assert probability == pytest.approx(q, abs=TOLERANCE)
        for depth, (node, taken) in enumerate(path):
            if node.player == player:
                w = payoff * others / q
                from_h = product(path[depth:], player, strategy)
                from_ha = product(path[depth + 1 :], player, strategy)
                exact = {a: w * (from_ha * (a == taken) - from_h) for a in node.children}
                assert block.regrets[node.key] == pytest.approx(exact, abs=TOLERANCE)
                if epsilon == 0:
                    to_ha = product(path[: depth + 1], player, strategy)
                    eq13 = (1 - strategy[node.key][taken]) * payoff / to_ha
                    assert exact[taken] == pytest.approx(eq13, abs=TOLERANCE)


# --- public chance ------------------------------------------------------------------------------


PUBLIC_GAMES = {
    "mini leduc": MINI_LEDUC,
    **{f"random {seed}": naive.Histories(random_dealt_game(seed)) for seed in (2, 17, 27)},
}
each_public_game = pytest.mark.parametrize("name", PUBLIC_GAMES)


@each_public_game
@each_strategy
def test_public_chance_sampling_is_unbiased(name, strategy):
    histories = PUBLIC_GAMES[name]
    strategy = strategy(histories)
    exact = naive.counterfactual_regrets(histories, strategy)
    for player, averaging in itertools.product((0, 1), ("opponent", "stochastic")):
        owner = 1 - player if averaging == "opponent" else player
        solver = solver_at(histories, strategy, sampling.public_chance(), averaging=averaging)
        assert_equal(expected_of_block(solver, player), exact)
        averages = scaled(plan(histories, strategy, owner), chance_reach(histories))
        assert_equal(expected_of_block(solver, player, "averages"), averages)
    assert any(len(odds) > 1 for odds in solver.public_odds.values())


@each_public_game
@pytest.mark.parametrize("player", [0, 1])
def test_public_chance_sampling_in_mini_batches_is_too(name, player):
    assert_batch_is_unbiased(PUBLIC_GAMES[name], sampling.public_chance(), player)


@named([sampling.chance(), sampling.external()])
@each_public_game
def test_other_methods_are_unbiased_where_chance_moves_in_public(method, name):
    solver = solver_at(PUBLIC_GAMES[name], interior(PUBLIC_GAMES[name]), method)
    exact = naive.counterfactual_regrets(solver.histories, solver.strategy)
    for player in (0, 1):
        assert_equal(expected_of_block(solver, player), exact)


# --- baselines ----------------------------------------------------------------------------------


OPEN_GAME = naive.Histories(
    TreeGame(
        turn(
            0,
            "a",
            x=turn(1, "b", y=turn(0, "c", u=End(3), v=End(-1)), z=End(-2)),
            w=turn(1, "d", y=End(5), z=turn(0, "e", u=End(-4), v=End(1), t=End(2))),
        )
    )
)


@named(WITH_BASELINES)
@pytest.mark.parametrize("player", [0, 1])
def test_perfect_baselines_leave_nothing_to_luck(method, player):
    """With nothing hidden, every sampled value is the exact one: for both players alike."""
    strategy = interior(OPEN_GAME)
    solver = solver_at(OPEN_GAME, strategy, method, baseline=0.5)
    for key, (node,) in OPEN_GAME.infosets.items():
        for a, child in node.children.items():
            solver.baselines[key][a] = naive.utility(child, strategy, 0)
    for _, block in sampling.every_outcome(lambda choose: solver.block(player, choose)):
        for _, key, a, value in block.values:
            assert value == pytest.approx(solver.baselines[key][a], abs=TOLERANCE)
        for key in block.regrets.keys() & {(0, "a"), (1, "b"), (1, "d")}:  # a player's first
            (node,) = OPEN_GAME.infosets[key]
            now = naive.utility(node, strategy, player)
            exact = {a: naive.utility(h, strategy, player) - now for a, h in node.children.items()}
            assert block.regrets[key] == pytest.approx(exact, abs=TOLERANCE)


def test_baselines_move_towards_what_was_sampled():
    """One iteration with king against jack, worked by hand."""
    solver = sampling.SampledCfr(KUHN, sampling.external(), baseline=0.5)
    deal = {(): ("K",), ("K",): ("J",)}
    zero = sampling.replay({**deal, ("K", "J", "bet"): ("fold",), ("K", "J", "check"): ("check",)})
    one = sampling.replay({**deal, ("K", "J"): ("check",), ("K", "J", "check", "bet"): ("call",)})
    solver.iteration({(0, 0): zero, (1, 0): one})
    # Player 0 walks: a bet wins 1, and so does a check. Player 1 walks after a check: to check
    # as well loses 1, to bet loses 2, the call being sampled; on average, the check wins 1.5.
    assert solver.baselines[0, "K:"] == {"bet": 0.5, "check": 0.5 + 0.5 * (1.5 - 0.5)}
    assert solver.baselines[1, "J:check"] == {"check": 0.75, "bet": 1.0}
    assert solver.baselines[1, "J:bet"] == {"fold": 0.5, "call": 0.0}
    assert solver.baselines[0, "K:check,bet"] == {"fold": 0.0, "call": 1.0}


# --- the loop -----------------------------------------------------------------------------------


def discounted(t):
    """Also without the first iteration in the average, and twice the others."""
    return naive.Step(0.9 - 0.5 / t, 0.5, 1.0, -0.2, (t - 1) / t, 2.0 * (t > 1))


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("steps", [sampling.plain, discounted])
@pytest.mark.parametrize(
    ("game", "method"),
    [
        (make("kuhn"), sampling.public_chance()),  # which has no public chance
        (matrix_game([[1.1, -2, 0.3], [-1, 3, 0.7]]), sampling.chance()),
    ],
    ids=["deal in full", "no chance"],
)
def test_where_nothing_is_sampled_it_is_cfr(game, method, steps, alternating):
    """Iteration by iteration: discounts, floor, weights of the average, order of the players."""
    twin = naive.Cfr(game, alternating=alternating, instant=False, predictive=False)
    solver = sampling.SampledCfr(
        twin.histories, method, b=2, averaging="stochastic", alternating=alternating, steps=steps
    )
    factors = chance_reach(twin.histories)
    nobody = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)])
    for t in range(1, 8):
        solver.iteration(nobody)
        twin.iterate(steps(t))
        assert_equal(solver.regrets, twin.regrets)
        assert_equal(solver.strategy, twin.strategy)
        assert_equal(solver.averages, scaled(twin.averages, factors))


def exploited_after(iterations, method, **options):
    solver = sampling.SampledCfr(KUHN, method, b=2, **options)
    choosers = {(i, j): sampling.Random(f"{i} {j}") for i in (0, 1) for j in (0, 1)}
    for _ in range(iterations):
        solver.iteration(choosers)
    return naive.exploitability(KUHN, solver.average_strategy())


@named([sampling.external(), sampling.robust(1), sampling.outcome(0.6), sampling.chance()])
def test_play_gets_better(method):
    """Kuhn poker, where uniform play loses 0.458 to best responses."""
    assert exploited_after(2000, method) < 0.07


def test_algorithm_4_as_printed_does_not_converge():
    """The bias matters: 0.2 to 0.4 with four seeds, after 500 iterations as after 8,000."""
    assert exploited_after(2000, sampling.robust(1), unsampled="left") > 0.15


# --- statistics, where outcomes are too many to list --------------------------------------------


@pytest.mark.parametrize(
    ("game", "method"),
    [
        ("leduc", sampling.external()),
        ("leduc", sampling.robust(2)),
        # In Leduc poker three actions are all actions; here there are up to five.
        ("nolimit_leduc(stack=5,by_rank=true)", sampling.robust(3)),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_means_of_many_blocks(game, method):
    """The mean is within five standard errors, at infosets met in a hundredth of the blocks."""
    histories = naive.Histories(make(game))
    strategy = interior(histories)
    solver = solver_at(histories, strategy, method)
    exact = naive.counterfactual_regrets(histories, strategy)
    choose, blocks = sampling.Random(2020), 2000
    for player in (0, 1):
        found = [solver.block(player, choose).regrets for _ in range(blocks)]
        often = [
            key
            for key in keys_of(histories, player)
            if sum(key in regrets for regrets in found) >= blocks / 100
        ]
        assert len(often) >= 10
        for key in often:
            for a in histories.actions(key):
                sample = [regrets[key][a] if key in regrets else 0.0 for regrets in found]
                error = statistics.stdev(sample) / math.sqrt(blocks)
                assert abs(statistics.fmean(sample) - exact[key][a]) < 5 * error, (key, a)
