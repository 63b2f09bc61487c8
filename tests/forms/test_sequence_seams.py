"""Sequence forms with values beside the payoff, and with a root that may be declined."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import BadInputError
from infoset.evaluation import best_response
from infoset.evaluation.measure import infoset_regrets, infoset_values
from infoset.forms import Payoff, compile_game
from infoset.forms.sequence_seams import with_infoset_alternative, with_values
from infoset.games import make
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.sampled.dense import SampledSolver
from infoset.solvers.sequence.fictitious_play import FictitiousPlaySolver
from infoset.solvers.sequence.regret import RegretSolver

GAMES = ["kuhn", "leduc(by_rank=true)"]
ALGORITHMS = ["cfr", "cfr+(skip=2)", "icfr+", "pcfr+(alternating=false)", "hedge"]


@functools.cache
def form_of(game):
    return compile_game(make(game))


def in_chips(solver, name):
    """Per player: [num_sequences] the numbers of a solver, regrets in chips."""
    unit = solver.form.lanes.unit
    arrays = [solver.state()[f"{name}{player}"][1:] for player in (0, 1)]
    return [unit.in_chips(array) if name == "regrets" else array for array in arrays]


class NaiveCfr:
    """CFR on two treeplexes and a payoff matrix, with values of sequences beside it.

    Loops and dense arrays; ``values(plans)`` is what sequences are worth beside the payoff.
    """

    def __init__(self, form, values):
        self.treeplexes, self.values = form.treeplexes, values
        self.payoff = np.zeros(tuple(t.num_sequences for t in form.treeplexes))
        np.add.at(self.payoff, (form.payoff.rows, form.payoff.columns), form.payoff.entries)
        self.regrets = [np.zeros(t.num_sequences) for t in form.treeplexes]
        self.average = [np.zeros(t.num_sequences) for t in form.treeplexes]

    def infosets(self, player):
        treeplex = self.treeplexes[player]
        begins = treeplex.infoset_begin.tolist()
        parents = treeplex.infoset_parent.tolist()
        return list(zip(parents, begins[:-1], begins[1:], strict=True))

    def strategy(self, player):
        out = np.ones(self.treeplexes[player].num_sequences)
        for _, begin, end in self.infosets(player):
            positive = np.maximum(self.regrets[player][begin:end], 0.0)
            out[begin:end] = positive / positive.sum() if positive.sum() else 1 / (end - begin)
        return out

    def plan(self, player):
        plan = self.strategy(player)
        for parent, begin, end in self.infosets(player):
            plan[begin:end] *= plan[parent]
        return plan

    def gradient(self, player, plans):
        payoff = self.payoff if player == 0 else -self.payoff.T
        return payoff @ plans[1 - player] + self.values(plans)[player]

    def iterate(self):
        for player in (0, 1):
            plans = self.plan(0), self.plan(1)
            self.average[player] += plans[player]
            values, strategy = self.gradient(player, plans), self.strategy(player)
            for parent, begin, end in reversed(self.infosets(player)):
                mean = values[begin:end] @ strategy[begin:end]
                self.regrets[player][begin:end] += values[begin:end] - mean
                values[parent] += mean

    def best(self, player, plans):
        values = self.gradient(player, plans)
        for parent, begin, end in reversed(self.infosets(player)):
            values[parent] += values[begin:end].max()
        return values[0]


# --- values that are given ----------------------------------------------------------------------


def drawn_values(form, seed=0):
    """A number for every sequence of both players; some on every infoset's way."""
    rng = np.random.default_rng(seed)
    first, second = (rng.normal(size=t.num_sequences) * 0.1 for t in form.treeplexes)
    return first, second


@pytest.mark.parametrize("game", GAMES)
def test_given_values_against_a_naive_computation(game):
    form = form_of(game)
    given = drawn_values(form)
    solver = RegretSolver(with_values(form, given), find_recipe("cfr"))
    twin = NaiveCfr(form, lambda plans: given)
    for _ in range(10):
        solver.run(1)
        twin.iterate()
        for ours, theirs in zip(in_chips(solver, "regrets"), twin.regrets, strict=True):
            np.testing.assert_allclose(ours, theirs[1:], rtol=0, atol=1e-12)
        for ours, theirs in zip(in_chips(solver, "average"), twin.average, strict=True):
            np.testing.assert_allclose(ours, theirs[1:], rtol=0, atol=1e-12)
    averages = [average / average[0] for average in twin.average]
    won = [
        averages[0] @ twin.payoff @ averages[1] * sign + averages[player] @ given[player]
        for player, sign in ((0, 1), (1, -1))
    ]
    evaluation = solver.evaluate()
    assert evaluation.values == pytest.approx(won, abs=1e-12)
    best = [twin.best(player, averages) for player in (0, 1)]
    assert evaluation.exploitability == pytest.approx((sum(best) - sum(won)) / 2, abs=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_values_of_nothing_change_nothing(algorithm):
    form = form_of("kuhn")
    zeros = tuple(np.zeros(t.num_sequences) for t in form.treeplexes)
    solvers = [
        RegretSolver(f, find_recipe(algorithm), 10) for f in (form, with_values(form, zeros))
    ]
    for solver in solvers:
        solver.run(10)
    for name, array in solvers[0].state().items():
        np.testing.assert_allclose(array, solvers[1].state()[name], rtol=0, atol=1e-13)
    ours, theirs = (solver.evaluate() for solver in solvers)
    assert ours.exploitability == pytest.approx(theirs.exploitability, abs=1e-13)


def test_best_responses_regrets_and_values_count_them():
    """At the start, where both play uniformly, by hand: a jack is given 1 to bet at first."""
    form = form_of("kuhn")
    bet = int(form.treeplexes[0].infoset_begin[form.treeplexes[0].infoset_of_key["J:"]]) + 1
    given = tuple(np.zeros(t.num_sequences) for t in form.treeplexes)
    given[0][bet] = 1.0
    changed = with_values(form, given)
    plain, paid = (RegretSolver(f, find_recipe("cfr")).strategy() for f in (form, changed))
    for best, more in ((False, 0.5), (True, 1.0)):
        ours, theirs = (infoset_values(s, 0, best=best) for s in (paid, plain))
        at = form.treeplexes[0].infoset_of_key["J:"]
        expected = theirs.copy()
        expected[at] += more if not best else 0.0
        if best:
            # The jack bets now: 1, and what a bet wins against uniform play.
            expected[at] = 1.0 + (-2 / 6 * 0.5 + 1 / 6 * 0.5) * 2
        assert ours == pytest.approx(expected, abs=1e-12)
    assert best_response(paid, 0).value == pytest.approx(
        infoset_values(paid, 0, best=True)[[form.treeplexes[0].infoset_of_key[k] for k in
                                            ("J:", "Q:", "K:")]].sum(), abs=1e-12,
    )  # fmt: skip
    regrets = [infoset_regrets(s)[0]["J:"]["bet"] for s in (paid, plain)]
    assert regrets[0] - regrets[1] == pytest.approx(0.5, abs=1e-12)


# --- values that are asked for ------------------------------------------------------------------


def cut_off(form, share, seed=0):
    """The form without some of its payoffs, and what answers for those."""
    rng = np.random.default_rng(seed)
    rows, columns, entries = form.payoff
    kept = rng.random(len(entries)) >= share
    rest = Payoff(rows[kept], columns[kept], entries[kept])
    asked = []

    def ask(plans):
        asked.append(tuple(plan.copy() for plan in plans))
        first, second = (np.zeros(t.num_sequences) for t in form.treeplexes)
        for i, j, entry in zip(rows[~kept], columns[~kept], entries[~kept], strict=True):
            first[i] += entry * plans[1][j]
            second[j] -= entry * plans[0][i]
        return first, second

    return with_values(replace(form, own_payoff=rest), ask), asked


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("game", GAMES)
def test_payoffs_that_are_asked_for_give_the_same_trajectory(game, algorithm, share):
    form = form_of(game)
    cut, asked = cut_off(form, share)
    whole, part = (RegretSolver(f, find_recipe(algorithm), 10) for f in (form, cut))
    for t in range(5 if game != "kuhn" else 10):
        whole.run(1)
        part.run(1)
        for name in ("regrets", "average"):
            for ours, theirs in zip(in_chips(part, name), in_chips(whole, name), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10, err_msg=f"{name} {t}")
        ours, theirs = part.evaluate(), whole.evaluate()
        assert ours.values == pytest.approx(theirs.values, abs=1e-10)
        assert ours.exploitability == pytest.approx(theirs.exploitability, abs=1e-10)
        for player in (0, 1):
            for best in (False, True):
                mine, its = (s.counterfactual_values(player, best=best) for s in (part, whole))
                np.testing.assert_allclose(mine, its, rtol=0, atol=1e-10)
    assert asked


@pytest.mark.parametrize("alternating", [True, False])
def test_asked_with_both_plans_before_each_update(alternating):
    form = form_of("kuhn")
    cut, asked = cut_off(form, 1.0)
    recipe = find_recipe(f"cfr(alternating={str(alternating).lower()})")
    solver, plain = RegretSolver(cut, recipe), RegretSolver(form, recipe)
    asked.clear()
    solver.run(1)
    uniform = [t.uniform() for t in form.treeplexes]
    for plan, treeplex in zip(uniform, form.treeplexes, strict=True):
        for i, parent in enumerate(treeplex.infoset_parent):
            plan[treeplex.infoset_begin[i] : treeplex.infoset_begin[i + 1]] *= plan[parent]
    # Where both move at once, one answer serves both.
    assert len(asked) == (2 if alternating else 1)
    for player in (0, 1):
        np.testing.assert_allclose(asked[0][player], uniform[player], rtol=0, atol=1e-15)
    plain.run(1)
    new = plain.current().probabilities[0]
    treeplex = form.treeplexes[0]
    plan = new.copy()
    for i, parent in enumerate(treeplex.infoset_parent):
        plan[treeplex.infoset_begin[i] : treeplex.infoset_begin[i + 1]] *= plan[parent]
    # Player 1 answers the new strategy of player 0, or the old one.
    seen = plan if alternating else uniform[0]
    np.testing.assert_allclose(asked[-1][0], seen, rtol=0, atol=1e-12)


# --- a root that may be declined ----------------------------------------------------------------


def first_keys(form, player):
    treeplex = form.treeplexes[player]
    return [
        key
        for key, parent in zip(treeplex.keys, treeplex.infoset_parent, strict=True)
        if not parent
    ]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_what_is_worth_more_than_playing_is_taken(game, player):
    form = form_of(game)
    rng = np.random.default_rng(2)
    values = {key: float(rng.uniform(20, 30)) for key in first_keys(form, player)}
    gadget = with_infoset_alternative(form, player, values)
    assert gadget.num_infosets == form.num_infosets + len(values)
    solver = RegretSolver(gadget, find_recipe("cfr+"))
    solver.run(300)
    strategy = solver.strategy()
    for key in values:
        row = strategy[player, f"{key}?"]
        assert list(row) == ["take", "play"]
        assert row["take"] > 0.999
    assert solver.evaluate().values[player] == pytest.approx(sum(values.values()), rel=1e-3)
    # The naive twin on the new treeplex finds the same.
    twin = NaiveCfr(gadget, lambda plans: gadget.sequence_values)
    naive_solver = RegretSolver(gadget, find_recipe("cfr"))
    for _ in range(5):
        twin.iterate()
        naive_solver.run(1)
    for ours, theirs in zip(in_chips(naive_solver, "regrets"), twin.regrets, strict=True):
        np.testing.assert_allclose(ours, theirs[1:], rtol=0, atol=1e-10)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(("game", "value"), [("kuhn", -1 / 18), (GAMES[1], -0.085606424)])
def test_what_is_worth_less_than_playing_never_is(game, value, player):
    form = form_of(game)
    values = dict.fromkeys(first_keys(form, player), -30.0)
    solver = RegretSolver(with_infoset_alternative(form, player, values), find_recipe("cfr+"))
    solver.run(1000)
    strategy = solver.strategy()
    assert max(strategy[player, f"{key}?"]["take"] for key in values) < 1e-4
    evaluation = solver.evaluate()
    assert evaluation.exploitability < 1e-2
    assert evaluation.values[0] == pytest.approx(value, abs=2e-2)
    # What is left of the strategy is one for the game itself.
    tables = [
        {key: row for key, row in strategy.table(p).items() if not key.endswith("?")}
        for p in (0, 1)
    ]
    assert infoset.exploitability(game, tuple(tables)) < 1e-2


def test_only_where_something_is_offered():
    form = form_of("kuhn")
    gadget = with_infoset_alternative(form, 0, {"J:": 0.0})
    assert gadget.treeplexes[0].keys[:2] == ["J:?", form.treeplexes[0].keys[0]]
    assert "Q:?" not in gadget.treeplexes[0].infoset_of_key
    solver = RegretSolver(gadget, find_recipe("cfr+"))
    solver.run(1000)
    assert solver.strategy()["J:?"]["take"] > 0.99  # a jack loses a third of a chip else


@pytest.mark.parametrize(
    ("player", "values", "message"),
    [
        (2, {}, "there is no player 2"),
        (0, {"J": 1.0}, "'J' is no first infoset"),
        (0, {"J:check,bet": 1.0}, "'J:check,bet' is no first infoset"),
        (1, {"J:": 1.0}, "'J:' is no first infoset"),
    ],
)
def test_alternatives_that_make_no_sense(player, values, message):
    with pytest.raises(BadInputError, match=message):
        with_infoset_alternative(form_of("kuhn"), player, values)


def test_values_that_make_no_sense():
    form = form_of("kuhn")
    with pytest.raises(BadInputError, match=r"one for each of 13 sequences, not \(3,\)"):
        with_values(form, (np.zeros(3), np.zeros(13)))
    given = with_values(form, drawn_values(form))
    for again in (lambda: with_values(given, drawn_values(form)),
                  lambda: with_infoset_alternative(given, 0, {"J:": 1.0})):  # fmt: skip
        with pytest.raises(BadInputError, match="has values beside its payoff already"):
            again()


def test_solvers_that_cannot_take_values_say_so():
    given = with_values(form_of("kuhn"), drawn_values(form_of("kuhn")))
    for build in (
        lambda: LinearProgramSolver(given),
        lambda: FictitiousPlaySolver(given),
        lambda: SampledSolver(given, find_recipe("es-mccfr")),
        lambda: infoset.solve(given, "lp"),
        lambda: infoset.solve(given, "es-mccfr", iterations=5),
    ):
        with pytest.raises(BadInputError, match="this form has values beside them"):
            build()
    assert infoset.solve(given, "dcfr", iterations=5).iterations == 5


@pytest.mark.parametrize("player", [0, 1])
def test_the_payoff_is_still_sorted_by_row(player):
    """As that of every form, with the same entries; there are new sequences without any."""
    form = compile_game(make("leduc"))
    first = [
        key
        for key, parent in zip(
            form.treeplexes[player].keys, form.treeplexes[player].infoset_parent, strict=True
        )
        if parent == 0
    ]
    payoff = with_infoset_alternative(form, player, dict.fromkeys(first, 0.0)).payoff
    places = list(zip(payoff.rows.tolist(), payoff.columns.tolist(), strict=True))
    assert places == sorted(set(places))
    assert sorted(payoff.entries.tolist()) == sorted(form.payoff.entries.tolist())
