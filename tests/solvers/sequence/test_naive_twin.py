"""Every preset, iteration by iteration, against the naive twin."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from games_for_tests import CORNERS, games, generic_payoff, random_game, small_random_games
from infoset.calls import parse_call
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.local_rules import REGRET_MATCHING
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted, floored, polynomial, summed, weighted
from infoset.solvers.sequence.regret import RegretSolver
from presets_for_tests import FULL_WIDTH

HORIZON = 10
TOLERANCE = 1e-12

GAMES = {
    "kuhn": lambda: make("kuhn"),
    "leduc by rank": lambda: make("leduc(by_rank=true)"),
    "a game with a deal": lambda: random_game(21, deal=True),
    **{name: lambda name=name: CORNERS[name] for name in CORNERS},
    **{name: lambda name=name: small_random_games()[name] for name in small_random_games()},
}


@functools.cache
def compiled(name):
    game = GAMES[name]()
    return compile_game(game), naive.Histories(game)


def by_infoset(tree, pair):
    """Arrays over the sequences of both players as ``{(player, infoset): {action: number}}``."""
    out = {}
    for player, treeplex in enumerate(tree.treeplexes):
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i : i + 2]
            out[player, key] = dict(zip(labels, pair[player][begin:end].tolist(), strict=True))
    return out


def twins_rule(rule):
    """What the twin does in place of a local rule that comes with the package."""
    if rule is REGRET_MATCHING:
        return {}
    assert rule.name == "hedge"
    return {"strategy_of": lambda regrets, t: naive.hedge(regrets, rule.sharpness(t))}


class SideBySide:
    """The solver and its twin, moved on together and compared after every iteration."""

    def __init__(self, tree, histories, recipe, horizon=HORIZON):
        self.solver = RegretSolver(tree, recipe, horizon)
        self.twin = naive.Cfr(
            histories,
            alternating=recipe.alternating,
            instant=recipe.instant,
            predictive=recipe.predictive,
            tie_breaker=self.solvers_regrets,
            **twins_rule(recipe.rule),
        )
        self.recipe, self.horizon, self.t = recipe, horizon, 0

    def tables(self, what):
        state = self.solver.state()
        in_chips = self.solver.form.lanes.unit.in_chips
        arrays = [state[f"{what}{p}"] for p in (0, 1)]
        if what != "average":
            arrays = [in_chips(array) for array in arrays]
        return by_infoset(self.solver.form, tuple(arrays))

    def solvers_regrets(self, key):
        regrets = self.tables("regrets")[key]
        return regrets, self.tables("prediction")[key] if self.recipe.predictive else None

    def step(self):
        self.t += 1
        # Scalars, where the solver asks for arrays.
        now = self.recipe.regrets(self.t, self.horizon)
        then = self.recipe.regrets(self.t + 1, self.horizon)
        step = naive.Step(
            keep_positive=now.keep_positive,
            keep_negative=now.keep_negative,
            keep_positive_next=then.keep_positive,
            floor=now.floor,
            decay=self.recipe.average(self.t, self.horizon),
            weight=float(self.t > self.recipe.skipped(self.horizon)),
        )
        self.solver.run(1)
        self.twin.iterate(step)
        self.compare()

    def compare(self):
        twin = self.twin
        self.agree("regrets", self.tables("regrets"), twin.regrets)
        self.agree("sum of plans", self.tables("average"), twin.averages)
        if self.recipe.predictive:
            self.agree("predictions", self.tables("prediction"), twin.gains)
        current = by_infoset(self.solver.form, self.solver.current().probabilities)
        # Below that, reach is the rounding error of regrets that cancel: see `naive.Cfr`.
        reached = [
            key
            for player in (0, 1)
            for key, pi in naive.own_reach(twin.histories, twin.strategy, player).items()
            if pi > 1e-9
        ]
        self.agree("current strategy", current, twin.strategy, keys=reached)
        average = by_infoset(self.solver.form, self.solver.strategy().probabilities)
        if self.t > self.recipe.skipped(self.horizon):
            visited = [key for key, sums in twin.averages.items() if sum(sums.values()) > 1e-9]
            self.agree("average strategy", average, twin.average_strategy(), keys=visited)
        else:
            self.agree("strategy before any average", average, twin.strategy, keys=reached)

    def agree(self, what, ours, theirs, keys=None):
        assert ours.keys() == theirs.keys()
        for key in theirs if keys is None else keys:
            assert ours[key].keys() == theirs[key].keys()
            for action, number in theirs[key].items():
                off = abs(ours[key][action] - number)
                assert off <= TOLERANCE, f"{what} of {key} {action} in iteration {self.t}: {off}"


def recipe_of(text):
    call = parse_call(text)
    return PRESETS[call.name].recipe(call)[0]


@pytest.mark.parametrize("skip", ["0", "3", "0.5"])
@pytest.mark.parametrize("alternating", ["true", "false"])
@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_kuhn(preset, alternating, skip):
    recipe = recipe_of(f"{preset}(alternating={alternating},skip={skip})")
    pair = SideBySide(*compiled("kuhn"), recipe)
    for _ in range(10):
        pair.step()


@pytest.mark.parametrize("alternating", ["true", "false"])
@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_leduc_by_rank(preset, alternating):
    pair = SideBySide(
        *compiled("leduc by rank"), recipe_of(f"{preset}(alternating={alternating},skip=1)")
    )
    for _ in range(3):
        pair.step()


@pytest.mark.parametrize("alternating", ["true", "false"])
@pytest.mark.parametrize("game", [*small_random_games(), *CORNERS])
@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_random_and_odd_games(preset, game, alternating):
    skip = len(game) % 4  # some skip, some do not
    recipe = recipe_of(f"{preset}(alternating={alternating},skip={skip})")
    pair = SideBySide(*compiled(game), recipe)
    for _ in range(10):
        pair.step()


RECIPES = st.builds(
    Recipe,
    regrets=st.sampled_from(
        [summed(), floored(), discounted(1.2, 0.3), discounted(2.0, -1.0, floor=-0.5)]
    ),
    average=st.floats(0, 6).map(polynomial),
    alternating=st.booleans(),
    instant=st.booleans(),
    skip=st.integers(0, 4),
)
PREDICTIVE = st.builds(
    Recipe,
    regrets=st.floats(0.5, 3).map(lambda alpha: discounted(alpha, float("-inf"), floor=0.0)),
    alternating=st.booleans(),
    instant=st.booleans(),
    predictive=st.just(True),
)


@settings(max_examples=60, deadline=None)
@given(game=games(pay=generic_payoff), recipe=RECIPES | PREDICTIVE)
def test_any_recipe_on_any_game(game, recipe):
    """Combinations that no preset has, too."""
    pair = SideBySide(compile_game(game), naive.Histories(game), recipe)
    for _ in range(6):
        pair.step()


@pytest.mark.parametrize("floor", [-0.02, -0.1])
@pytest.mark.parametrize("instant", [False, True])
@pytest.mark.parametrize("alternating", [False, True])
@pytest.mark.parametrize(("game", "iterations"), [("kuhn", 10), ("leduc by rank", 4)])
def test_a_floor_is_in_chips(game, iterations, alternating, instant, floor):
    """Kuhn poker is held in sixths of a chip: a floor that is not converted is another one."""
    tree, histories = compiled(game)
    assert tree.lanes.unit.of_chips(1.0) > 2
    schedule = discounted(2.0, 1.0, floor=floor)
    recipe = Recipe(schedule, alternating=alternating, instant=instant)
    pair = SideBySide(tree, histories, recipe)
    for _ in range(iterations):
        pair.step()
    regrets = [r for row in pair.twin.regrets.values() for r in row.values()]
    assert min(regrets) == floor


def test_any_weights_of_the_average():
    """Also where the weight of an iteration before the first would be infinite, or negative."""
    for weight in (lambda t: 1 / t, lambda t: t - 0.5, lambda t: 1 / np.sqrt(t)):
        pair = SideBySide(*compiled("kuhn"), Recipe(average=weighted(weight)))
        for _ in range(10):
            pair.step()


@pytest.mark.parametrize("preset", FULL_WIDTH)
def test_current_strategy_where_the_player_does_not_go(preset):
    pair = SideBySide(*compiled("a game with a deal"), recipe_of(preset))
    for _ in range(10):
        pair.step()
        current = by_infoset(pair.solver.form, pair.solver.current().probabilities)
        pair.agree("current strategy", current, pair.twin.strategy)


def test_uniform_where_nobody_ever_went():
    solver = RegretSolver(compiled("player 0 alone")[0], recipe_of("cfr(skip=8)"), HORIZON)
    solver.run(HORIZON)
    sums = by_infoset(solver.form, [solver.state()[f"average{p}"] for p in (0, 1)])
    average = by_infoset(solver.form, solver.strategy().probabilities)
    unvisited = [key for key, actions in sums.items() if not any(actions.values())]
    assert unvisited
    for key in unvisited:
        assert set(average[key].values()) == {1 / len(average[key])}


def test_the_comparison_notices_a_missing_own_reach():
    """The slip this file is there to catch: an average that forgets the player's own reach."""

    class Forgetful(naive.Cfr):
        def _add_to_average(self, player, strategy, step):
            for key in self.averages:
                if key[0] == player:
                    for action, probability in strategy[key].items():
                        self.averages[key][action] *= step.decay
                        self.averages[key][action] += step.weight * probability

    pair = SideBySide(*compiled("kuhn"), recipe_of("cfr+"))
    pair.twin = Forgetful(pair.twin.histories, alternating=True, instant=False, predictive=False)
    with pytest.raises(AssertionError, match="sum of plans"):
        pair.step()


def test_plans_are_distributions_at_every_infoset():
    for preset in FULL_WIDTH:
        solver = RegretSolver(compiled("leduc by rank")[0], recipe_of(preset), HORIZON)
        solver.run(HORIZON)
        for strategy in (solver.strategy(), solver.current()):
            for player, treeplex in enumerate(solver.form.treeplexes):
                chances = strategy.probabilities[player]
                assert chances[0] == 1
                assert (chances >= 0).all()
                sums = np.add.reduceat(chances, treeplex.infoset_begin[:-1])
                assert sums == pytest.approx(np.ones(treeplex.num_infosets), abs=1e-14)
