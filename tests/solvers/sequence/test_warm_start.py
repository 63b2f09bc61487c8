"""Warm starts: against their naive twin, by the paper's condition, and in runs."""

from __future__ import annotations

import functools
import math
import random

import numpy as np
import pytest

import infoset
import naive
import naive_warm_start
from games_for_tests import random_game
from infoset.errors import BadInputError, FileFormatError
from infoset.forms import compile_game
from infoset.games import make
from infoset.solvers.algorithms import find_algorithm, find_recipe
from infoset.solvers.loop import restore
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.sequence.total import TotalSolver
from infoset.solvers.sequence.warm_start import Judged, iterations_of, warm_start
from infoset.solvers.solution_files import Checkpoint
from infoset.solvers.solving import regret_solver
from infoset.solvers.start import find_start
from infoset.strategy import SequenceStrategy

GAMES = {
    "kuhn": lambda: make("kuhn"),
    "leduc by rank": lambda: make("leduc(by_rank=true)"),
    "a deal": lambda: random_game(21, deal=True),
    **{f"random {seed}": functools.partial(random_game, seed, 4) for seed in (2, 6, 7, 12, 24)},
}
SIZES = {"bet": "50%, a", "raise": "a"}
games = pytest.mark.parametrize("name", GAMES)
methods = pytest.mark.parametrize("method", ["proportional", "substitute"])


@functools.cache
def compiled(name):
    game = GAMES[name]()
    return compile_game(game), naive.Histories(game)


def some_strategy(form, seed):
    """Random, with actions that are never played, and some that are hardly played."""
    rng = random.Random(seed)
    pair = []
    for treeplex in form.treeplexes:
        probabilities = np.ones(treeplex.num_sequences)
        begin = treeplex.infoset_begin.tolist()
        for i in range(treeplex.num_infosets):
            row = [rng.choice((0.0, 1e-3, rng.random())) for _ in range(begin[i + 1] - begin[i])]
            row[rng.randrange(len(row))] += 0.5
            probabilities[begin[i] : begin[i + 1]] = np.array(row) / sum(row)
        pair.append(probabilities)
    return SequenceStrategy(form, (pair[0], pair[1]))


def as_table(form, pair):
    out = {}
    for player, treeplex in enumerate(form.treeplexes):
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i : i + 2]
            out[player, key] = dict(zip(labels, pair[player][begin:end].tolist(), strict=True))
    return out


def twin_of(name, strategy):
    form, histories = compiled(name)
    return naive_warm_start.WarmStart(histories, as_table(form, strategy.probabilities))


def in_chips(form, pair):
    return as_table(form, [form.lanes.unit.in_chips(array) for array in pair])


def agree(ours, theirs, scale=1.0):
    assert ours.keys() == theirs.keys()
    for key, row in theirs.items():
        for action, number in row.items():
            assert abs(ours[key][action] - number) <= 1e-12 * max(1.0, scale), (key, action)


# --- the twin -----------------------------------------------------------------------------------


@games
@pytest.mark.parametrize("share", [0.0, 1e-6, 1e-3, 0.5])
def test_substitute_values_are_those_of_the_twin(name, share):
    form, _ = compiled(name)
    strategy = some_strategy(form, name)
    total, excess = Judged(strategy).excess(share)
    expected, theirs = twin_of(name, strategy).excess(share)
    agree(in_chips(form, excess), theirs)
    assert form.lanes.unit.in_chips(total) == pytest.approx(expected, abs=1e-11)


@games
@pytest.mark.parametrize("iterations", [1, 30, 5000])
def test_proportional_regrets_are_those_of_the_twin(name, iterations):
    form, _ = compiled(name)
    strategy = some_strategy(form, name)
    start = warm_start(strategy, find_recipe("cfr"), iterations=iterations)
    agree(in_chips(form, start.regrets), twin_of(name, strategy).proportional(iterations), 10.0)


@games
@methods
@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr"])
def test_five_iterations_after_it_are_those_of_the_twin(name, method, algorithm):
    form, histories = compiled(name)
    recipe, count = find_recipe(algorithm), 20
    strategy = some_strategy(form, name)
    start = warm_start(strategy, recipe, iterations=count, method=method)
    solver = RegretSolver(form, recipe)
    solver.begin_from(start)

    steps = [step_of(recipe, t) for t in range(1, count + 6)]
    weight, kept = 0.0, [0.0, 0.0]
    for step in steps[:count]:
        weight = weight * step.decay + step.weight
        kept = [kept[0] * step.keep_positive + 1, kept[1] * step.keep_negative + 1]
    judged = twin_of(name, strategy)
    if method == "substitute":
        _, excess = judged.excess(Judged(strategy).least_share())
        regrets = {
            key: {a: max(e * kept[e < 0], steps[0].floor) for a, e in row.items()}
            for key, row in excess.items()
        }
    else:
        regrets = judged.proportional(count)

    def tables(what):
        pair = [solver.state()[f"{what}{p}"] for p in (0, 1)]
        return as_table(form, pair) if what == "average" else in_chips(form, pair)

    twin = naive.Cfr(
        histories,
        alternating=True,
        instant=False,
        predictive=False,
        tie_breaker=lambda key: (tables("regrets")[key], None),
    )
    naive_warm_start.begin(twin, judged.strategy, regrets, weight)
    agree(tables("regrets"), twin.regrets, 100.0)
    for step in steps[count:]:
        solver.run(1)
        twin.iterate(step)
        agree(tables("regrets"), twin.regrets, 100.0)
        agree(tables("average"), twin.averages, 100.0)


def step_of(recipe, t):
    now, then = recipe.regrets(t, None), recipe.regrets(t + 1, None)
    return naive.Step(
        keep_positive=now.keep_positive,
        keep_negative=now.keep_negative,
        keep_positive_next=then.keep_positive,
        floor=now.floor,
        decay=recipe.average(t, None),
        weight=1.0,
    )


# --- what the paper asks for --------------------------------------------------------------------


@games
def test_regrets_are_as_small_as_those_of_so_many_iterations(name):
    """sum (R+)**2 <= lambda pi**2 D**2 |A| T with lambda <= 1, and with equality."""
    form, _ = compiled(name)
    strategy = some_strategy(form, name)
    judged = Judged(strategy)
    start = warm_start(strategy, find_recipe("cfr"), method="substitute")
    share = judged.least_share()
    constant = share * start.iterations
    assert 0.0 < constant <= 1.0 or start.iterations == 1
    for p, treeplex in enumerate(form.treeplexes):
        squares = np.maximum(start.regrets[p], 0.0) ** 2
        sums = np.add.reduceat(squares, treeplex.infoset_begin[:-1])
        room = constant * judged.rooms[p] * start.iterations
        np.testing.assert_allclose(sums, room, rtol=1e-6, atol=1e-12 * room.max())
        lengths = np.add.reduceat(
            np.maximum(warm_start(strategy, find_recipe("cfr"), iterations=50).regrets[p], 0) ** 2,
            treeplex.infoset_begin[:-1],
        )
        reached = judged.rooms[p] >= judged.scales[p] ** 2 * (1 - 1e-9)
        assert (lengths[reached] <= 50 * judged.rooms[p][reached] + 1e-12).all()


@games
def test_substitute_plays_win_nothing_together_and_hardly_less(name):
    judged = Judged(some_strategy(compiled(name)[0], name))
    share = judged.least_share()
    assert judged.excess(share)[0] <= 0.0
    assert judged.excess(0.99 * share)[0] > 0.0


def test_the_better_the_strategy_the_more_iterations_it_stands_for():
    counts = []
    for iterations in (10, 100, 1000):
        strategy = infoset.solve("leduc", "cfr+", iterations=iterations).strategy
        counts.append(warm_start(strategy, find_recipe("cfr+")).iterations)
    assert counts == pytest.approx([10, 113, 1568], abs=1)
    assert iterations_of(0.0) == 100_000


# --- runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr", "idcfr+", "pcfr+"])
def test_a_run_from_an_equilibrium_stays_there(algorithm):
    exact = infoset.solve("leduc(by_rank=true)", "lp")
    warm = infoset.solve("leduc", algorithm, iterations=100, start_from=exact)
    assert warm.start.exploitability < 1e-9
    assert warm.exploitability < 1e-4


def test_a_run_goes_on_about_where_the_other_was():
    """CFR+: 100 iterations, then 100 from their average; the bounds are 1.5 times what they are."""
    first = infoset.solve("leduc", "cfr+", iterations=100)
    whole = infoset.solve("leduc", "cfr+", iterations=200)
    warm = infoset.solve("leduc", "cfr+", iterations=100, start_from=first, start_iterations=100)
    assert first.exploitability == pytest.approx(0.01342, abs=1e-5)
    assert whole.exploitability < warm.exploitability < 1.5 * whole.exploitability


def test_the_papers_claim_holds_for_cfr():
    """Substitute regrets of 100 iterations: 0.0503 after 100 more, and 0.0538 without stopping."""
    first = infoset.solve("leduc", "cfr", iterations=100)
    whole = infoset.solve("leduc", "cfr", iterations=200)
    warm = infoset.solve(
        *("leduc", "cfr"),
        iterations=100,
        start_from=first,
        start_iterations=100,
        start_method="substitute",
    )
    assert warm.exploitability == pytest.approx(whole.exploitability, rel=0.15)


PRUNED = [
    "cfr+(pruning=total(every=5,thrifty=false))",
    "cfr+(pruning=total)",
    "cfr(pruning=interval(every=5,thrifty=false))",
    "cfr(pruning=total(every=0.1,threshold=0.1,thrifty=false))",
]


@pytest.mark.parametrize(
    ("algorithm", "method"),
    [
        ("cfr", "substitute"),
        ("dcfr+", "substitute"),
        *[(name, "proportional") for name in ("cfr+", "dcfr", "idcfr+", "pcfr+", "hs-dcfr")],
        *[(name, "proportional") for name in PRUNED],
    ],
)
def test_a_resumed_run_is_the_run_that_was_never_stopped(quick_path, algorithm, method):
    path = quick_path / "run"
    small = infoset.solve("leduc(by_rank=true)", "cfr+", iterations=200)
    how = {"start_from": small, "start_method": method}
    length = 60 if algorithm == "hs-dcfr" else None
    whole = infoset.solve("leduc", algorithm, iterations=60, **how)
    infoset.solve("leduc", algorithm, iterations=length or 23, **how, checkpoint=path)
    resumed = infoset.solve("leduc", iterations=60, resume=path)
    for mine, its in zip(resumed.strategy.probabilities, whole.strategy.probabilities, strict=True):
        assert mine.tobytes() == its.tobytes()
    assert resumed.nodes_touched == whole.nodes_touched


@pytest.mark.parametrize("algorithm", ["cfr+", *PRUNED])
def test_a_saved_start_that_cannot_be_is_refused(algorithm):
    form = compile_game(make("kuhn"))
    solver = regret_solver(form, find_recipe(algorithm), None)
    strategy = some_strategy(form, 1)
    solver.begin_from(warm_start(strategy, find_recipe(algorithm), iterations=3))
    solver.run(2)
    state = solver.state()
    fresh = regret_solver(form, find_recipe(algorithm), None)
    assert fresh.accepts(state)
    for bad in (np.array([0]), np.array([1.0]), np.array([1, 2])):
        checkpoint = Checkpoint("kuhn", "", algorithm, state={**state, "started": bad})
        with pytest.raises(FileFormatError):
            restore(fresh, checkpoint)


@pytest.mark.parametrize(
    ("algorithm", "pruning", "most"),
    [("cfr", "total", 0.4), ("cfr+", "total(thrifty=false)", 0.7)],
)
def test_pruning_begins_with_actions_asleep(algorithm, pruning, most):
    """The first layout is the live part: no solver of the whole game is ever made."""
    small = infoset.solve("nolimit_leduc(stack=8,by_rank=true)", "cfr+", iterations=2000)
    form = infoset.compile("nolimit_leduc(stack=8)")
    recipe = find_recipe(f"{algorithm}(pruning={pruning})")
    asked = find_start(small, None, "proportional", find_algorithm("cfr+"))
    strategy = asked.on(form).strategy
    solver = TotalSolver(form, recipe)
    solver.begin_from(warm_start(strategy, recipe))
    assert solver.live_share < most
    assert solver._made.form is not form
    assert (solver.checks, solver.layouts, solver.iteration) == (1, 1, 0)
    solver.run(100)
    plain = RegretSolver(form, find_recipe(algorithm))
    plain.begin_from(warm_start(strategy, find_recipe(algorithm)))
    plain.run(100)
    assert solver.exploitability() < 1.2 * plain.exploitability() < 3e-4


@pytest.mark.parametrize("algorithm", PRUNED)
def test_pruned_runs_converge_from_a_start(algorithm):
    small = infoset.solve("nolimit_leduc(stack=3)", "cfr+", iterations=300)
    warm = infoset.solve("nolimit_leduc(stack=5)", algorithm, iterations=3000, start_from=small)
    assert warm.exploitability < (1e-3 if "+" in algorithm else 2e-2)


# --- what is refused ----------------------------------------------------------------------------


def refused(match, target="leduc", algorithm="cfr+", **options):
    with pytest.raises(BadInputError, match=match):
        infoset.solve(target, algorithm, iterations=5, **options)


def test_what_cannot_be_started_is_refused(quick_path):
    start = infoset.uniform("leduc")
    refused("walk the whole game", algorithm="es-mccfr", start_from=start)
    refused("walk the whole game", algorithm="xfp", start_from=start)
    refused("walk the whole game", algorithm="lp", start_from=start)
    refused("only regret matching", algorithm="hedge", start_from=start)
    refused("in sequence form only", form="public", start_from=start)
    pruned = {"algorithm": "cfr+(pruning=total)", "start_method": "substitute"}
    refused("leave too much out", start_from=start, **pruned)
    refused("needs start_from", start_iterations=5)
    refused("start_method must be", start_from=start, start_method="magic")
    refused("start_iterations must be a whole number", start_from=start, start_iterations=0)
    refused("at most 100,000", start_from=start, start_iterations=10**6)
    infoset.solve("leduc", "cfr+", iterations=5, checkpoint=quick_path / "run")
    refused("leave one of the two out", start_from=start, resume=quick_path / "run")


def test_what_is_no_strategy_is_refused():
    refused("nothing to start from", start_from=3)
    refused("nothing to start from", start_from={"Js:": 3})
    refused("no infoset in common", start_from=infoset.uniform("rps"))
    refused("sum to 1", start_from={"Js:": {"check": 0.5, "bet": 0.6}})
    refused("at least 0", start_from={"Js:": {"check": -0.5, "bet": 1.5}})
    refused("sum to 1", start_from={"Js:": {"check": math.nan, "bet": 1.0}})
    refused("sum to 1", start_from={"Js:": {}})


def test_a_small_spot_starts_in_sequence_form():
    spot = infoset.Spot("Ks9h7d4c2s", "AA,QQ", "KcKd,JJ", 100, 100, bet_sizes=SIZES)
    first = infoset.solve(spot, exploitability="0.1%")
    warm = infoset.solve(spot, "cfr+", iterations=3, form="sequence", start_from=first)
    assert warm.start.same == len(warm.strategy)
    assert warm.exploitability < 0.5
    refused("in sequence form only", target=spot, start_from=first)


def test_tables_may_be_given_for_a_few_infosets():
    warm = infoset.solve("kuhn", "cfr+", iterations=1, start_from={"J:": {"bet": 1.0}})
    assert warm.start[3:6] == (1, 0, 11)
    strategy = infoset.solve("kuhn", "cfr+", iterations=300).strategy
    pair = strategy.table(0), strategy.table(1)
    assert infoset.solve("kuhn", "cfr+", iterations=1, start_from=pair).start.same == 12
