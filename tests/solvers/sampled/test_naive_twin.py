"""Every sampled preset, iteration by iteration, against the naive twin.

Three programs find the same: the kernels on the compiled game, the walks by the rules (equal to
the bit), and the twin, which is told what those sampled.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from games_for_tests import (
    CORNERS,
    games,
    generic_payoff,
    matrix_game,
    random_dealt_game,
    random_game,
)
from infoset.forms import compile_game
from infoset.games import make
from infoset.games.poker import BettingRound, Card, OneCardPoker
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.schedules import discounted
from infoset.solvers.traversals import (
    AverageStrategySampling,
    ChanceSampling,
    ExternalSampling,
    OutcomeSampling,
)
from naive_sampling import replay
from presets_for_tests import SAMPLED
from sampled_for_tests import (
    PublicDraws,
    by_infoset,
    by_sequence,
    dense_of,
    recipe_of,
    sparse_of,
    stream_of,
    twin_of,
)

HORIZON = 10
TOLERANCE = 1e-12

MINI_LEDUC = OneCardPoker(
    "mini leduc",
    # A board of X can come with any hands, one of Y or Z only if nobody holds it.
    (Card("X", 0, count=3), Card("Y", 1), Card("Z", 2)),
    (BettingRound((2,), max_bets=1), BettingRound((4,), max_bets=1)),
)

GAMES = {
    "kuhn": lambda: make("kuhn"),
    "leduc": lambda: make("leduc(by_rank=true)"),
    # Neither sees what the other plays: the opponent's infosets are met several times in a walk.
    "goofspiel": lambda: make("goofspiel(cards=3)"),
    # Chance with uneven odds, moves that nobody sees, infosets with a single action.
    "random 5": lambda: random_game(5, deal=True),
    "random 11": lambda: random_game(11, depth=6),
    "random 21": lambda: random_game(21, depth=6, deal=True),
    "wide": lambda: matrix_game([[math.sin(7 * i + 3 * j) for j in range(5)] for i in range(4)]),
    "mini leduc": lambda: MINI_LEDUC,
    **{f"dealt {seed}": lambda seed=seed: random_dealt_game(seed) for seed in (2, 17, 27)},
}

PRESETS_AND_VARIANTS = [
    *(f"{name}(b={b})" for name in SAMPLED for b in (1, 2, 5)),
    "rs-mccfr(k=1,b=2)",
    "rs-mccfr(k=2,b=3)",
    "rs-mccfr(k=10,b=2)",
    "rs-mccfr(k=1,b=2,unsampled=left,averaging=biased)",
    "rs-mccfr(k=2,b=3,unsampled=left,averaging=biased,alternating=false)",
    "rs-mccfr(k=2,b=2,unsampled=left,baseline=0.5)",
    "rs-mccfr(k=2,b=2,unsampled=left,averaging=stochastic)",
    "rs-mccfr(k=2,b=2,averaging=biased)",
    "rs-mccfr(k=2,b=2,averaging=stochastic)",
    "rs-mccfr(k=2,b=2,baseline=0.3,averaging=stochastic,alternating=false)",
    "rs-mccfr(k=1,b=5,baseline=0.9)",
    "rs-mccfr+(k=2,b=2,gamma=0)",
    "rs-mccfr+(k=1,b=3,gamma=2,alternating=false)",
    "es-mccfr(b=2,averaging=stochastic)",
    "es-mccfr(b=2,averaging=biased)",
    "es-mccfr(b=2,alternating=false)",
    "es-mccfr(baseline=0.5)",
    "es-mccfr(b=3,baseline=1)",
    "es-mccfr(b=3,baseline=0.3,alternating=false)",
    "es-mccfr(regrets=floored,gamma=0)",
    "es-mccfr(regrets=floored,gamma=1,b=2)",
    "es-mccfr(regrets=linear,gamma=1)",
    "es-mccfr(regrets=linear,gamma=2,alternating=false,b=2)",
    "es-mccfr(regrets=discounted,gamma=0,b=2)",
    "es-mccfr(regrets=discounted,gamma=1,alternating=false)",
    "es-mccfr(regrets=discounted,gamma=2,b=2,skip=3)",
    "es-mccfr(regrets=discounted,gamma=30,b=2)",
    "rs-mccfr(k=1,b=2,gamma=100)",
    "os-mccfr(epsilon=1)",
    "os-mccfr(averaging=stochastic)",
    "os-mccfr(averaging=biased,regrets=floored,gamma=1,skip=3)",
    "os-mccfr(averaging=stochastic,regrets=discounted,gamma=2)",
    "os-mccfr(alternating=false)",
    "os-mccfr(epsilon=0.05,b=3,averaging=stochastic)",
    "os-mccfr(regrets=discounted,gamma=2)",
    "os-mccfr(regrets=discounted,baseline=0.5,b=2,alternating=false)",
    "vr-mccfr(regrets=floored,gamma=1,b=2)",
    "vr-mccfr(alternating=false,b=2,baseline=0.1)",
    "as-mccfr(k=1,tau=0,beta=0,b=2)",
    "as-mccfr(k=2,tau=1,beta=0,b=3)",
    "as-mccfr(k=10,tau=0,beta=0)",
    "as-mccfr(tau=1,beta=0.5,epsilon=0.1)",
    "as-mccfr(tau=0.3,beta=0,epsilon=0.2,b=2,alternating=false)",
    "as-mccfr(tau=0.5,beta=0.1,epsilon=0.2,b=2,baseline=0.5)",
    "as-mccfr(tau=0.5,beta=0.1,epsilon=0.2,alternating=false,baseline=0.5,regrets=floored)",
    "as-mccfr(tau=0.5,beta=0.1,epsilon=0.2,gamma=2,regrets=linear)",
    "chance-cfr(averaging=opponent)",
    "chance-cfr(averaging=biased,alternating=true)",
    "chance-cfr(alternating=true,b=2,regrets=discounted,gamma=2)",
    "pcs-mccfr(averaging=opponent,b=2)",
    "pcs-mccfr(averaging=biased,alternating=false)",
    "pcs-mccfr(alternating=false,b=2,regrets=discounted,gamma=2)",
]
BY_RULES = [text for text in PRESETS_AND_VARIANTS if not text.startswith("pcs")]
PUBLIC = [text for text in PRESETS_AND_VARIANTS if text.startswith("pcs")]


@functools.cache
def compiled(name):
    game = GAMES[name]()
    return game, compile_game(game), naive.Histories(game)


class SideBySide:
    """The solvers and their twin, moved on together and compared after every iteration."""

    def __init__(self, game, tree, histories, text, seed):
        self.recipe, self.seed, self.t = recipe_of(text), seed, 0
        self.tree = tree
        self.dense = dense_of(tree, text, iterations=HORIZON, seed=seed)
        if self.dense.method.public_chance:
            self.sparse, self.draws = None, PublicDraws(tree, game, histories)
        else:
            self.sparse = sparse_of(game, text, iterations=HORIZON, seed=seed)
        self.growth = 1.0
        self.twin = twin_of(
            histories, self.recipe, steps=self.step_at, tie_breaker=self.solvers_regrets
        )
        # Where sampling follows the average, its size matters: the twin then weighs as solvers do.
        self.weighs_up = isinstance(self.recipe.traversal, AverageStrategySampling)

    def step_at(self, t):
        """What the schedules say. Solvers weigh new iterations up, the twin old ones down."""
        now = self.recipe.regrets(t, HORIZON)
        decay = self.recipe.average(t, HORIZON) if t > 1 else 1.0
        weight = float(t > self.recipe.skipped(HORIZON))
        self.growth /= decay
        if self.weighs_up:
            decay, weight = 1.0, weight * self.growth
        kept = now.keep_positive, now.keep_negative
        return naive.Step(*kept, 1.0, now.floor, decay, weight)

    def solvers_regrets(self, key):
        return self.regrets[key]

    def record(self, player, block):
        if self.sparse is not None:
            return self.sparse.game.record(self.recipe, self.t, player, block)
        return self.draws.record(stream_of(self.recipe, self.seed, self.t, player, block))

    def step(self):
        self.t += 1
        self.dense.run(1)
        self.regrets = by_infoset(self.tree, self.dense.table("regrets"))
        if self.sparse is not None:
            self.sparse.run(1)
            self.compare_stores()
        self.twin.iteration(
            {
                (player, block): replay(self.record(player, block))
                for player in (0, 1)
                for block in range(self.recipe.batch)
            }
        )
        self.compare()

    def steps(self, number):
        for _ in range(number):
            self.step()

    def compare_stores(self):
        """To the bit, and nothing but zeros where the rules were not walked."""
        dense, sparse = self.dense, self.sparse
        assert dense.nodes_touched == sparse.nodes_touched
        assert dense.infosets_updated == sparse.infosets_updated
        assert dense.iteration == sparse.iteration == self.t
        first = self.tree.treeplexes[0].num_sequences
        uniform = np.concatenate([treeplex.uniform() for treeplex in self.tree.treeplexes])
        for name in ("strategy", "regrets", "average", "baseline"):
            ours = dense.table(name)
            theirs = uniform.copy() if name == "strategy" else np.zeros(len(ours))
            for player, table in enumerate(sparse.tables if len(ours) else ()):
                treeplex = self.tree.treeplexes[player]
                for key, at in table.begin_of.items():
                    begin = player * first + treeplex.infoset_begin[treeplex.infoset_of_key[key]]
                    count = len(table.labels[at])
                    theirs[begin : begin + count] = getattr(table, name)[at : at + count]
            assert np.array_equal(ours, theirs), f"{name} in iteration {self.t}"
        assert np.array_equal(dense.weights.running, sparse.weights.running)

    def present_regrets(self):
        """The solver's regrets, those that wait for their next visit brought to the present."""
        now = self.dense.weights.running[:2]
        regrets = self.dense.table("regrets")
        if not self.dense.weights.discounts:
            return regrets
        begin = 0
        for treeplex in self.tree.treeplexes:
            rows = begin + treeplex.infoset_begin[:-1][treeplex.sequence_infoset[1:]]
            mine = slice(begin + 1, begin + treeplex.num_sequences)
            more, less = np.exp(now[:, None] - self.dense.table("log_kept")[:, rows])
            regrets[mine] *= np.where(regrets[mine] > 0, more, less)
            begin += treeplex.num_sequences
        return regrets

    def compare(self):
        dense, twin = self.dense, self.twin
        self.agree("regrets", self.present_regrets(), twin.regrets)
        scale = 1.0 if self.weighs_up else self.growth
        scale /= math.exp(dense.weights.running[3])  # what would be too large is scaled down
        self.agree("averages", dense.table("average") / scale, twin.averages)
        self.agree("strategies", dense.table("strategy"), twin.strategy)
        if self.recipe.baseline:
            self.agree("baselines", dense.table("baseline"), twin.baselines)
        found = np.concatenate(dense.strategy().probabilities)
        self.agree("average strategies", found, twin.average_strategy())

    def agree(self, what, ours, rows):
        theirs = by_sequence(self.tree, rows)
        off = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
        off[[0, self.tree.treeplexes[0].num_sequences]] = 0.0  # the empty sequences
        if not (off <= TOLERANCE).all():
            rows = by_infoset(self.tree, off)
            where = {key: row for key, row in rows.items() if not max(row.values()) <= TOLERANCE}
            raise AssertionError(f"{what} in iteration {self.t} are off by {where}")


def compare_on(name, text, seed=1, iterations=HORIZON):
    SideBySide(*compiled(name), text, seed).steps(iterations)


def test_all_presets_are_here():
    names = {text.partition("(")[0] for text in PRESETS_AND_VARIANTS}
    assert names == {name for name, preset in PRESETS.items() if preset.is_sampled}


@pytest.mark.parametrize("game", ["kuhn", "goofspiel", "random 5", "random 21", "wide"])
@pytest.mark.parametrize("text", BY_RULES)
def test_small_games(text, game):
    compare_on(game, text)


@pytest.mark.parametrize("text", BY_RULES)
def test_leduc_by_rank(text):
    compare_on("leduc", text)


@pytest.mark.parametrize("name", SAMPLED)
def test_presets_as_they_are(name):
    """With mini-batches of their own size: 100 walks in robust sampling."""
    compare_on("goofspiel" if name != "pcs-mccfr" else "mini leduc", name, iterations=5)


@pytest.mark.parametrize("name", [name for name in CORNERS if name != "chance of probability zero"])
@pytest.mark.parametrize(
    "text",
    ["vr-mccfr(b=2)", "rs-mccfr(k=2,b=2,regrets=discounted)", "as-mccfr(k=1)", "chance-cfr(b=2)"],
)
def test_odd_games(text, name):
    if (text, name) == ("as-mccfr(k=1)", "more rows than a vector"):
        return  # the twin would list all 2**19 sets of rows; "wide" above has 2**4
    game = CORNERS[name]
    SideBySide(game, compile_game(game), naive.Histories(game), text, 3).steps(HORIZON)


@pytest.mark.parametrize("game", ["mini leduc", "dealt 2", "dealt 17", "dealt 27", "kuhn"])
@pytest.mark.parametrize("text", PUBLIC)
def test_public_chance(text, game):
    """The twin is told what the random numbers say, by the rules for them alone."""
    compare_on(game, text)


@pytest.mark.parametrize("text", PUBLIC)
def test_public_chance_on_leduc_by_rank(text):
    compare_on("leduc", text, iterations=4)


@pytest.mark.parametrize("game", ["kuhn", "random 21"])
@pytest.mark.parametrize(
    ("traversal", "batch"),
    [
        (ExternalSampling(), 1),
        (ExternalSampling(), 3),
        (OutcomeSampling(0.5), 1),
        (ChanceSampling(), 2),
    ],
)
@pytest.mark.parametrize("regrets", [(2.0, 0.5), (math.inf, 0.5), (math.inf, math.inf)])
def test_a_floor_below_zero_is_in_chips(regrets, traversal, batch, game):
    """Compiled games are held in units of their own, Kuhn poker in sixths; samples in chips."""
    floor = -0.3
    recipe = Recipe(discounted(*regrets, floor=floor), traversal=traversal, batch=batch)
    pair = SideBySide(*compiled(game), recipe, 1)
    least = 0.0
    for _ in range(HORIZON):
        pair.step()
        least = min(least, min(r for row in pair.twin.regrets.values() for r in row.values()))
    assert least == floor


@settings(max_examples=150, deadline=None)
@given(
    game=games(pay=generic_payoff, depth=6),
    text=st.sampled_from(BY_RULES),
    seed=st.integers(0, 2**64 - 1),
)
def test_any_game(game, text, seed):
    SideBySide(game, compile_game(game), naive.Histories(game), text, seed).steps(6)


# --- the comparison itself ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "text", "slip"),
    [
        ("regrets", "rs-mccfr(k=1)", {"unsampled": "left"}),
        ("averages", "rs-mccfr(k=1)", {"averaging": "stochastic"}),
        ("averages", "es-mccfr(averaging=stochastic)", {"averaging": "biased"}),
        ("baselines", "es-mccfr(baseline=0.5)", {"baseline": 0.4}),
        ("regrets", "es-mccfr(b=3)", {"b": 2}),
    ],
)
def test_the_comparison_notices_another_method(what, text, slip):
    pair = SideBySide(*compiled("kuhn"), text, 1)
    for name, value in slip.items():
        setattr(pair.twin, name, value)
    with pytest.raises(AssertionError, match=what):
        pair.steps(HORIZON)


def test_the_comparison_notices_who_moves_first():
    pair = SideBySide(*compiled("kuhn"), "es-mccfr(b=5)", 1)
    pair.twin.alternating = False
    # The twin plays other strategies, so it may be told to do what it would never do.
    with pytest.raises(AssertionError):
        pair.steps(HORIZON)
