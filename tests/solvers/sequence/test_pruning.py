"""Pruning in sequence form: what it must not change, what it promises, what it gives back."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games_for_tests
import naive
import naive_pruning
from games_for_tests import matrix_game, random_game, rps_and_a_bad_row
from infoset.errors import BadInputError, InfosetError
from infoset.evaluation.kernels.sequence_values import gradient_and_given
from infoset.forms import compile_game
from infoset.forms.live import live_form
from infoset.forms.surroundings import Ends, Histories
from infoset.games import make
from infoset.solvers.algorithms import find_algorithm, find_recipe
from infoset.solvers.pruning import Pruning, find_pruning
from infoset.solvers.recipe import Recipe
from infoset.solvers.sequence import costs, pruned
from infoset.solvers.sequence.regret import RegretSolver
from infoset.solvers.solving import regret_solver

RECIPES = ("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "icfr", "idcfr+", "cfr(alternating=false)")
EAGER = "every=10,caution=1,drift=0,slack=1,thrifty=false"


def with_pruning(text, pruning):
    recipe = find_recipe(text)
    return dataclasses.replace(recipe, pruning=find_pruning(pruning))


def solver_of(game, text, pruning):
    return regret_solver(compile_game(game), with_pruning(text, pruning), None)


def assert_same_state(first, second):
    assert first.state().keys() == second.state().keys()
    for name, array in first.state().items():
        assert array.tobytes() == second.state()[name].tobytes(), name


# --- partial ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*RECIPES, "pcfr+", "hedge"])
def test_partial_pruning_changes_no_bit(text):
    form = compile_game(make("leduc"))
    plain, partial = (
        RegretSolver(form, find_recipe(text)),
        RegretSolver(form, with_pruning(text, "partial")),
    )
    for solver in (plain, partial):
        solver.run(60)
    for name, array in plain.state().items():
        assert array.tobytes() == partial.state()[name].tobytes()
    assert plain.exploitability() == partial.exploitability()


@pytest.mark.parametrize("text", ["cfr", "cfr+"])
def test_partial_pruning_counts_the_nodes_of_its_naive_twin(text):
    game = random_game(3, 4, deal=True)  # no ties, which rounding would decide
    solver = solver_of(game, text, "partial")
    twin = naive_pruning.Plain(game, plus=text == "cfr+")
    for _ in range(30):
        solver.run(1)
        twin.iterate()
        assert solver.nodes_touched == twin.nodes_touched


def test_partial_pruning_counts_on_after_a_restore():
    whole, first, second = (solver_of(make("leduc"), "cfr+", "partial") for _ in range(3))
    whole.run(50)
    first.run(20)
    second.restore(first.state(), 20)
    second.run(30)
    assert whole.nodes_touched == second.nodes_touched
    assert_same_state(whole, second)


# --- interval and total -------------------------------------------------------------------------


@pytest.mark.parametrize("text", RECIPES)
@pytest.mark.parametrize("kind", ["interval", "total"])
@pytest.mark.parametrize("cut", [13, 40, 47])
def test_a_restored_run_goes_on_to_the_same_bits(kind, text, cut):
    pruning = f"{kind}(every=8,caution=0.3,drift=1,slack=1,thrifty=false)"
    whole, first, second = (solver_of(make("leduc"), text, pruning) for _ in range(3))
    whole.run(90)
    first.run(cut)
    saved = {name: array.copy() for name, array in first.state().items()}
    assert second.accepts(saved)
    second.restore(saved, cut)
    assert_same_state(first, second)
    second.run(50 - cut if cut < 50 else 0)
    second.run(90 - second.iteration)
    assert_same_state(whole, second)
    assert whole.exploitability() == second.exploitability()
    assert whole.nodes_touched == second.nodes_touched
    assert whole.layouts > 0


@pytest.mark.parametrize("kind", ["interval", "total"])
def test_it_does_not_matter_where_runs_are_cut(kind):
    pruning = f"{kind}(every=0.2,caution=0.3,thrifty=false)"
    whole, pieces = (solver_of(make("leduc"), "dcfr", pruning) for _ in range(2))
    whole.run(100)
    for count in (1, 2, 30, 7, 60):
        pieces.run(count)
    assert_same_state(whole, pieces)


@pytest.mark.parametrize(("kind", "text"), [("interval", "cfr"), ("total", "cfr+")])
def test_pruning_does_nothing_before_its_first_check(kind, text):
    pruning = f"{kind}(every=1000,thrifty=false)"
    plain, pruned = solver_of(make("leduc"), text, "none"), solver_of(make("leduc"), text, pruning)
    for solver in (plain, pruned):
        solver.run(300)
    for name, array in plain.state().items():
        assert array.tobytes() == pruned.state()[name].tobytes()
    assert pruned.live_share == 1.0


@pytest.mark.parametrize("text", ["cfr", "cfr+", "dcfr", "idcfr+"])
@pytest.mark.parametrize("kind", ["interval", "total"])
def test_it_converges_about_as_fast(kind, text):
    plain, pruned = (
        solver_of(make("leduc"), text, "none"),
        solver_of(make("leduc"), text, f"{kind}({EAGER})"),
    )
    for solver in (plain, pruned):
        solver.run(2000)
    assert pruned.exploitability() < 2.5 * plain.exploitability()
    assert pruned.live_share < 0.95
    assert pruned.nodes_touched < 0.8 * plain.nodes_touched


@given(
    game=games_for_tests.games(),
    text=st.sampled_from(RECIPES),
    pruning=st.sampled_from(
        [
            f"{kind}(every={every},caution={caution},drift={drift},slack=1,thrifty=false)"
            for kind in ("interval", "total")
            for every, caution, drift in ((1, 0, 0), (3, 1, 0), (2, 0.1, 2), (2, "inf", 0))
        ]
        + ["total(every=2,caution=0.1,drift=0,threshold=0.3,thrifty=false)"]
    ),
)
@settings(max_examples=60, deadline=None)
def test_any_game_can_be_pruned(game, text, pruning):
    solver = solver_of(game, text, pruning)
    solver.run(25)
    strategy = solver.strategy()
    for player in (0, 1):
        for actions in strategy.table(player).values():
            assert min(actions.values()) >= 0.0
            assert sum(actions.values()) == pytest.approx(1.0)
    assert solver.exploitability() >= -1e-9
    assert solver.nodes_touched > 0
    assert 0 < solver.kept_bytes <= solver.working_bytes


# --- Theorem 1 ----------------------------------------------------------------------------------


def excess_of_what_is_asleep(solver, log):
    """The regret of actions asleep against all that was faced, by trying every way to go on."""
    form = solver.form
    worst = -np.inf
    for player, treeplex in enumerate(form.treeplexes):
        awake = solver._awake[player]
        for i, key in enumerate(treeplex.keys):
            begin, end = treeplex.infoset_begin[i], treeplex.infoset_begin[i + 1]
            if not awake[begin:end].any():
                continue
            for s in np.flatnonzero(~awake[begin:end]) + begin:
                best, played = log.compare(player, (player, key), treeplex.labels[i][s - begin])
                worst = max(worst, best - played)
    return worst


class Log:
    """What both players have been faced with, for one-shot games: an infoset each."""

    def __init__(self, histories):
        self.histories = histories
        self.faced = [[], []]

    def compare(self, player, key, action):
        best = played = 0.0
        for strategy in self.faced[player]:
            reach = naive.reach_of_others(self.histories, strategy, player)
            for h in self.histories.infosets[key]:
                played += reach[h] * naive.utility(h, strategy, player)
                best += reach[h] * naive.utility(h.children[action], strategy, player)
        return best, played


def current(solver):
    """The strategy that is played next, by infoset and action."""
    out = {}
    for player, treeplex in enumerate(solver.form.treeplexes):
        plan = np.zeros(treeplex.num_sequences)
        plan[solver._live.sequences[player]] = solver._inner.plan_of(player)
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i], treeplex.infoset_begin[i + 1]
            out[player, key] = dict(zip(labels, plan[begin:end].tolist(), strict=True))
    return out


@given(
    rows=st.integers(2, 4),
    columns=st.integers(2, 4),
    seed=st.integers(0, 10_000),
    plus=st.booleans(),
    every=st.sampled_from([1, 3]),
)
@settings(max_examples=40, deadline=None)
def test_with_certain_bounds_nothing_asleep_has_positive_regret(rows, columns, seed, plus, every):
    """Theorem 1, after every iteration. Both players move once, so that plans are strategies."""
    numbers = np.random.default_rng(seed).integers(-5, 6, (rows, columns)).tolist()
    game = matrix_game(numbers)
    pruning = f"total(every={every},caution=inf,drift=0,slack=1,thrifty=false)"
    solver = solver_of(game, "cfr+" if plus else "cfr", pruning)
    log = Log(naive.Histories(game))
    for t in range(1, 31):
        weight = t if plus else 1
        before = current(solver)
        solver._next_check, due = t + 1, t % every == 0  # made by hand below
        solver.run(1)
        after = current(solver)
        log.faced[0] += [before] * weight
        # Player 1 answers the new strategy, with his old one; its weight is that of the next.
        log.faced[1] += [{**before, **{k: v for k, v in after.items() if k[0] == 0}}] * (
            t + 1 if plus else 1
        )
        if t == 1:
            log.faced[1] += [before]
        if due:
            solver._next_check = t + every
            solver._check()
        assert excess_of_what_is_asleep(solver, log) <= 1e-6


def test_theorem_1_is_tested_on_actions_asleep():
    solver = solver_of(
        matrix_game([[3, 1], [-4, -5]]),
        "cfr",
        "total(every=1,caution=inf,drift=0,slack=1,thrifty=false)",
    )
    solver.run(30)
    assert not solver._awake[0][sequence_of(solver, 0, "row", "r1")]


# --- games made for it --------------------------------------------------------------------------


def sequence_of(solver, player, key, label):
    treeplex = solver.form.treeplexes[player]
    i = treeplex.infoset_of_key[key]
    return treeplex.infoset_begin[i] + treeplex.labels[i].index(label)


@pytest.mark.parametrize("text", ["cfr", "cfr+", "dcfr", "idcfr+"])
def test_an_action_in_no_best_response_is_asleep_for_good(text):
    solver = solver_of(rps_and_a_bad_row(), text, f"total({EAGER},threshold=0.5)")
    solver.run(100)
    bad = sequence_of(solver, 0, "row", "bad")
    below = sequence_of(solver, 0, "bad0", "keep")
    for _ in range(40):
        solver.run(10)
        assert not solver._masks[0][bad]
        assert not solver._masks[0][below]
    # Of 31 actions, the bad row and six below it are in no array of the live part.
    regrets, averages = solver.actions_held
    assert regrets <= 31 - 7
    assert averages <= 31 - 7
    assert solver.strategy()["row"]["bad"] == 0.0


@pytest.mark.parametrize("text", ["cfr", "cfr+"])
@pytest.mark.parametrize("kind", ["interval", "total"])
def test_an_action_asleep_that_becomes_good_is_found(kind, text):
    """The second row is bad against uniform play (-4.5 to 1), and played 4/15 in equilibrium."""
    pruning = f"{kind}(every=1,caution=0,drift=0,slack=1,thrifty=false)"
    solver = solver_of(matrix_game([[3, -1], [-10, 1]]), text, pruning)
    second = sequence_of(solver, 0, "row", "r1")
    was_asleep = False
    for _ in range(20):
        solver.run(1)
        was_asleep |= not solver._masks[0][second]
    assert was_asleep
    solver.run(1500)
    assert solver.strategy()["row"]["r1"] == pytest.approx(4 / 15, abs=0.03)
    assert solver.exploitability() < 0.1


# --- memory -------------------------------------------------------------------------------------


def test_what_is_asleep_is_given_back():
    plain = solver_of(make("nolimit_leduc(stack=5)"), "cfr+", "none")
    pruned = solver_of(make("nolimit_leduc(stack=5)"), "cfr+", f"total({EAGER},threshold=0.1)")
    whole = pruned.kept_bytes, pruned._inner.working_bytes
    pruned.run(1000)
    assert pruned.live_share < 0.5
    assert pruned._inner.working_bytes < 0.55 * whole[1]
    assert pruned._inner.kept_bytes < 0.55 * plain.kept_bytes
    assert pruned.peak_bytes > pruned.working_bytes
    # What is reported is what the arrays take.
    players = pruned._inner._players
    arrays = {id(a): a.nbytes for player in players for a in (player.regrets, player.average)}
    assert sum(arrays.values()) < pruned._inner.working_bytes
    assert pruned.actions_held[0] < pruned.form.num_sequences


def arrays_below(thing, seen, found):
    """All arrays that an object holds, by the memory they lie in."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        base = thing.base if isinstance(thing.base, np.ndarray) else thing
        found[id(base)] = base.nbytes
    elif isinstance(thing, dict):
        for each in thing.values():
            arrays_below(each, seen, found)
    elif isinstance(thing, list | tuple):
        for each in thing:
            arrays_below(each, seen, found)
    elif type(thing).__module__.startswith("infoset") and hasattr(thing, "__dict__"):
        arrays_below(vars(thing), seen, found)


@pytest.mark.parametrize("kind", ["interval", "total"])
def test_the_bytes_that_are_reported_are_those_that_are_held(kind):
    solver = solver_of(make("nolimit_leduc(stack=5)"), "cfr+", f"{kind}({EAGER})")
    solver.run(400)
    assert solver.live_share < 0.8
    held, shared = {}, {}
    arrays_below([solver.form, solver._whole.surroundings, solver.recipe], set(), shared)
    arrays_below(vars(solver), set(), held)
    own = sum(size for at, size in held.items() if at not in shared)
    assert solver.working_bytes == pytest.approx(own, rel=0.03)


def some_of(treeplex, rng, share):
    """A mask that has the parent of each of its sequences."""
    mask = rng.random(treeplex.num_sequences) < share
    mask[: treeplex.num_roots] = True
    for i in range(treeplex.num_infosets):
        mask[slice(*treeplex.infoset_begin[i : i + 2])] &= mask[treeplex.infoset_parent[i]]
    return mask


LIVE_GAMES = (
    "kuhn",
    "nolimit_leduc(stack=3,by_rank=true)",
    "leduc(by_rank=true)",
    "liars_dice(faces=3)",
    "goofspiel(cards=4)",
)


def matrix_of(form, player):
    """The payoff of a form in its units, as its kernels multiply with it, column by column."""
    lanes = form.lanes
    sizes = [treeplex.num_sequences for treeplex in form.treeplexes]
    out = np.empty((sizes[player], sizes[1 - player]))
    values = np.zeros(lanes.sizes[player])
    for s in range(sizes[1 - player]):
        plan = np.zeros(sizes[1 - player])
        plan[s] = 1.0
        spread = lanes.spread(1 - player, plan)
        gradient_and_given(values, lanes.panels[player], np.zeros(0), spread)
        out[:, s] = lanes.collect(player, values)
        values[lanes.positions[player]] = 0.0
        assert not values.any()  # nothing is written where no sequence is
    return out


@pytest.mark.parametrize("game", LIVE_GAMES)
@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_a_live_form_is_the_game_without_what_is_asleep(game, share):
    form = compile_game(make(game))
    rng = np.random.default_rng(7)
    first, second = (some_of(treeplex, rng, share) for treeplex in form.treeplexes)
    masks = Ends(form).reached((first, second))
    small = live_form(form, masks)
    assert [part.tolist() for part in small.sequences] == [
        np.flatnonzero(mask).tolist() for mask in masks
    ]
    assert small.form.lanes.unit == form.lanes.unit
    payoff = form.payoff
    for p, treeplex in enumerate(small.form.treeplexes):
        whole, sequences, infosets = form.treeplexes[p], small.sequences[p], small.infosets[p]
        assert np.array_equal(sequences[treeplex.infoset_parent], whole.infoset_parent[infosets])
        owners = whole.sequence_infoset[sequences[treeplex.num_roots :]]
        own = treeplex.sequence_infoset[treeplex.num_roots :]
        assert np.array_equal(owners, infosets[own])
        assert np.array_equal(np.unique(owners), infosets)
        # Every sequence has a position, every infoset a lane of its group, below its parent.
        lanes = small.form.lanes
        positions, lane = lanes.positions[p], lanes.infoset_lane[p]
        assert len(set(positions.tolist())) == treeplex.num_sequences
        assert positions.max() < lanes.sizes[p] - 8
        assert np.array_equal(lanes.groups[p].parent[lane], positions[treeplex.infoset_parent])
        group = np.searchsorted(lanes.groups[p].first, lane, "right") - 1
        assert np.array_equal(lanes.groups[p].actions[group], treeplex.infoset_num_actions)
        begin = treeplex.infoset_begin[:-1]
        for a in range(int(treeplex.infoset_num_actions.max(initial=0))):
            has = treeplex.infoset_num_actions > a
            groups = lanes.groups[p]
            at = groups.begin[group] + a * groups.lanes[group] + lane - groups.first[group]
            assert np.array_equal(positions[begin[has] + a], at[has])
        # The payoff is that of the whole between live sequences.
        dense = np.zeros([t.num_sequences for t in form.treeplexes])
        units = form.lanes.unit.of_chips(1.0)
        dense[payoff.rows, payoff.columns] = payoff.entries * units * (1 if p == 0 else -1)
        dense = dense if p == 0 else dense.T
        expected = dense[np.ix_(sequences, small.sequences[1 - p])]
        assert matrix_of(small.form, p) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("game", LIVE_GAMES)
def test_what_is_all_live_is_iterated_as_the_whole(game):
    """Laid out as a live part, everything has the lanes of the whole, and payoffs to a rounding."""
    form = compile_game(make(game))
    first, second = (np.ones(t.num_sequences, dtype=bool) for t in form.treeplexes)
    live = live_form(form, (first, second))
    for p in (0, 1):
        for ours, theirs in zip(live.form.lanes.groups[p], form.lanes.groups[p], strict=True):
            assert np.array_equal(ours, theirs)
    whole, part = (RegretSolver(each, find_recipe("cfr")) for each in (form, live.form))
    for solver in (whole, part):
        solver.run(5)
    for name, array in whole.state().items():
        assert part.state()[name] == pytest.approx(array, rel=1e-10, abs=1e-12 * array.max())


@pytest.mark.parametrize("game", ["kuhn", "leduc", "liars_dice(faces=3)"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, 1.0])
def test_what_still_ends_is_found(game, share):
    """Against the definition: a sequence is reached if a terminal between two awake is below it."""
    form = compile_game(make(game))
    rng = np.random.default_rng(3)
    first, second = (some_of(treeplex, rng, share) for treeplex in form.treeplexes)
    payoff = form.payoff
    alive = first[payoff.rows] & second[payoff.columns]
    reached = Ends(form).reached((first, second))
    for mask, found, treeplex, ends in zip(
        (first, second), reached, form.treeplexes, (payoff.rows, payoff.columns), strict=True
    ):
        infosets = set()
        for s in set(ends[alive].tolist()):
            while s >= treeplex.num_roots:
                infosets.add(int(treeplex.sequence_infoset[s]))
                s = treeplex.infoset_parent[treeplex.sequence_infoset[s]]
        expected = [
            mask[s] and (s < treeplex.num_roots or treeplex.sequence_infoset[s] in infosets)
            for s in range(treeplex.num_sequences)
        ]
        assert found.tolist() == expected


def test_histories_between_live_sequences_are_counted():
    form = compile_game(make("leduc"))
    rng = np.random.default_rng(5)
    masks = tuple(some_of(treeplex, rng, 0.7) for treeplex in form.treeplexes)
    histories = Histories(form)
    assert 0 < histories.of_both(masks) == histories.visits(0, masks[0])[masks[1]].sum()
    assert histories.of_both(masks) < form.history.num_nodes


def test_histories_are_counted_by_their_last_sequences():
    form = compile_game(make("leduc"))
    visits = Histories(form).of_whole_walks()
    assert [v.sum() for v in visits] == [form.history.num_nodes] * 2


# --- words --------------------------------------------------------------------------------------


def test_thrifty_pruning_leaves_small_games_as_they_are():
    solver = solver_of(make("leduc"), "cfr+", "total")
    plain = solver_of(make("leduc"), "cfr+", "none")
    assert type(solver) is type(plain)
    assert costs.is_too_small(compile_game(make("nolimit_leduc(stack=5)")))
    large = compile_game(make("nolimit_leduc(stack=8)"))
    assert isinstance(
        regret_solver(large, with_pruning("cfr+", "total"), None), pruned.PrunedSolver
    )
    solver.run(100)
    plain.run(100)
    assert_same_state(solver, plain)


def test_thrifty_pruning_waits_until_it_can_pay(monkeypatch):
    monkeypatch.setattr(costs, "LEAST", 0)
    solver = solver_of(make("leduc"), "cfr+", "total")
    solver.run(100)
    assert solver.checks == 0
    plain = solver_of(make("leduc"), "cfr+", "none")
    plain.run(100)
    assert solver.exploitability() == plain.exploitability()
    assert solver.nodes_touched == plain.nodes_touched


@pytest.fixture
def bold(monkeypatch):
    """Thrifty runs that can afford to check, and often go back to the whole game."""
    monkeypatch.setattr(costs, "LEAST", 0)
    monkeypatch.setattr(costs, "MOST", 1e6)
    monkeypatch.setattr(pruned, "FEW", 0.9)
    monkeypatch.setattr(pruned, "MANY", 0.4)


@pytest.mark.usefixtures("bold")
@pytest.mark.parametrize("text", ["cfr", "cfr+", "dcfr"])
@pytest.mark.parametrize("kind", ["interval", "total"])
def test_a_thrifty_run_goes_back_to_the_whole_game(kind, text):
    pruning = f"{kind}(every=5,caution=0.1,drift=0,slack=1)"
    whole, first, second = (solver_of(make("leduc"), text, pruning) for _ in range(3))
    shares = []
    for _ in range(30):
        whole.run(5)
        shares.append(whole.live_share)
    back = [b for a, b in itertools.pairwise(shares) if a < 1.0]
    assert 1.0 in back
    assert min(shares) < 0.9
    first.run(73)
    second.restore(first.state(), 73)
    second.run(77)
    assert_same_state(whole, second)
    plain = solver_of(make("leduc"), text, "none")
    for solver in (plain, whole):
        solver.run(1000)
    assert whole.exploitability() < 4 * plain.exploitability()


@pytest.mark.usefixtures("bold")
def test_what_is_asleep_is_looked_at_again_whatever_it_costs(monkeypatch):
    solver = solver_of(make("leduc"), "cfr+", "total(every=5,caution=0.1,drift=0,slack=1)")
    while solver.live_share == 1.0:
        solver.run(5)
    checks, iteration = solver.checks, solver.iteration
    monkeypatch.setattr(costs, "MOST", -1e6)
    solver.run(2 * iteration)
    assert checks < solver.checks <= checks + 2


@pytest.mark.parametrize(
    "text",
    [
        "cfr(pruning=totl)",
        "cfr(pruning=total(every=0))",
        "cfr(pruning=total(every=2.5))",
        "cfr(pruning=total(caution=-1))",
        "cfr(pruning=total(slack=0.5))",
        "cfr(pruning=interval(threshold=0.1))",
        "cfr(pruning=partial(every=3))",
        "pcfr+(pruning=total)",
        "hedge(pruning=interval)",
        "es-mccfr(pruning=total)",
        "cfr-d(trunk=cfr+(pruning=total))",
    ],
)
def test_what_makes_no_sense_is_refused(text):
    from infoset.api import solve

    with pytest.raises(BadInputError):
        solve("leduc", text, iterations=2)


def test_a_recipe_that_cannot_be_pruned_is_refused_when_it_is_built():
    with pytest.raises(BadInputError, match="predictive"):
        Recipe(predictive=True, pruning=Pruning("total"))


@given(st.text(alphabet="totalinerv(),=.0123456789e-+ caution", max_size=60))
@settings(max_examples=300)
def test_any_text_is_a_pruning_or_refused(text):
    try:
        found = find_pruning(text)
    except InfosetError:
        return
    assert found is None or isinstance(found, Pruning)


@pytest.mark.parametrize(
    ("every", "series"), [(1, [1, 2, 3]), (7, [7, 14, 21]), (0.01, [1, 2, 3]), (1 / 2, [1, 2, 3])]
)
def test_checks_come_in_a_fixed_series(every, series):
    pruning, found = Pruning("total", every=every), [0]
    for _ in range(200):
        found.append(pruning.check_after(found[-1]))
    assert found[1:4] == series
    steps = np.diff(found)
    assert (steps >= 1).all()
    if every < 1:
        assert found[-1] / found[-2] == pytest.approx(1 + every, rel=0.01)
    else:
        assert (steps == every).all()


def test_names_are_canonical():
    name = "cfr+(pruning='total(every=10,threshold=0.1)')"
    assert find_algorithm("cfr+(pruning=total(every=10, threshold=0.1))").name == name
    assert find_algorithm(name).name == name


def test_random_games_are_solved_as_without_pruning():
    for seed in range(6):
        game = random_game(seed, 4, deal=True)
        plain, pruned = solver_of(game, "cfr+", "none"), solver_of(game, "cfr+", f"total({EAGER})")
        for solver in (plain, pruned):
            solver.run(2000)
        assert pruned.exploitability() < max(3 * plain.exploitability(), 1e-6)


@pytest.mark.parametrize("kind", ["interval", "total"])
def test_a_live_part_that_cannot_be_is_refused(kind):
    solver = solver_of(make("leduc"), "cfr+", f"{kind}({EAGER})")
    solver.run(50)
    state = solver.state()
    assert solver.accepts(state)
    for at, value in ((0, 0), (0, 2), (-1, 1)):
        wrong = {name: array.copy() for name, array in state.items()}
        wrong["live0"][at] = value
        assert not solver.accepts(wrong)
    wrong = {name: array.copy() for name, array in state.items()}
    first = solver.form.treeplexes[0].infoset_begin[0]
    wrong["live0"][first : first + 2] = 0  # and what follows is live as before
    assert not solver.accepts(wrong)
