"""Subgames re-solved in sequence form: against the twin, and as the theorems of the papers say."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import infoset
import naive
import naive_resolving as twin
import resolving_for_tests as helpers
from games_for_tests import CORNERS, End, Luck, TreeGame, games, random_dealt_game, turn
from infoset.errors import BadInputError
from infoset.evaluation import best_response, expected_value, exploitability
from infoset.forms import compile_game
from infoset.forms.subgame_forms import cell_keys
from infoset.games import make
from infoset.resolving import SequenceParts, Trunk, cell_values, cut_form, resolving_form
from infoset.solvers import Limits, build_solver, find_algorithm
from infoset.strategy import SequenceStrategy

SAFE = ("gadget", "max-margin", "reach")
METHODS = (*SAFE, "unsafe")
CUTS = ["depth=1", "depth=2", "depth=3", "round=2", "round=3", "public"]


def twins(strategy):
    return helpers.by_infoset(strategy.form, strategy.probabilities)


def best_values(strategy):
    """What a best response of each player wins in the whole game."""
    return np.array([best_response(strategy, player).value for player in (0, 1)])


# --- the twin -----------------------------------------------------------------------------------

PAIRS = {
    "leduc": (lambda: make("leduc"), "round=2"),
    "leduc public": (lambda: make("leduc"), "public"),
    "leduc by rank": (lambda: make("leduc(by_rank=true)"), "round=2"),
    "leduc by rank, public": (lambda: make("leduc(by_rank=true)"), "public"),
    **{
        f"dealt {seed} {cut}": (lambda seed=seed: random_dealt_game(seed, 6), cut)
        for seed, cut in ((5, "round=2"), (36, "round=2"), (49, "public"), (43, "depth=1"))
    },
}
COMPARED = {"leduc": [3], "leduc public": [7], "leduc by rank": [1, 2, 4]}
"""Subgames that are compared; of other games, every third."""


@functools.cache
def pair_of(name):
    game, text = PAIRS[name][0](), PAIRS[name][1]
    cut = cut_form(compile_game(game), text)
    strategy = helpers.random_strategy(cut.form, name)
    subgames = helpers.twins_subgames(cut, helpers.twins_split(game, text))
    chosen = COMPARED.get(name, range(0, len(subgames), 3))
    return Trunk.of(cut, strategy), strategy, {number: subgames[number] for number in chosen}


def in_twins_words(form, arrays, subgame, opponent, method):
    """Numbers of a re-solving game, those of the first choice under the names of the twin."""
    tables = helpers.by_infoset(form, arrays)
    cells = {" ".join(cell) or "start": cell for cell in subgame.cells(opponent)}
    if method == "gadget":
        for name, cell in cells.items():
            choice = tables.pop((opponent, f"{name}?"))
            tables[opponent, cell] = {"T": choice["take"], "F": choice["play"]}
    elif method == "max-margin":
        choice = tables.pop((opponent, "which?"))
        assert choice.keys() == cells.keys()
        tables[opponent, twin.CHOICE] = {cells[name]: p for name, p in choice.items()}
    return tables


def twins_game(subgame, strategy, player, values, method, **options):
    if method == "unsafe":
        return twin.unsafe(subgame, strategy, **options)
    build = twin.gadget if method == "gadget" else twin.max_margin
    return build(subgame, strategy, player, values, **options)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("method", ["gadget", "max-margin", "unsafe"])
@pytest.mark.parametrize("algorithm", ["cfr", "cfr+"])
def test_ten_iterations_are_those_of_the_twin(name, method, algorithm):
    trunk, strategy, subgames = pair_of(name)
    for number, subgame in subgames.items():
        for player in (0, 1) if method != "unsafe" else (0,):
            compare(trunk, twins(strategy), number, subgame, player, method, algorithm)


def compare(trunk, strategy, number, subgame, player, method, algorithm):
    form = resolving_form(trunk, number, player, method)
    solver = build_solver(form, find_algorithm(algorithm), Limits(10))

    def words(arrays):
        return in_twins_words(form, arrays, subgame, 1 - player, method)

    def solvers_regrets(key):
        state = solver.state()
        return words((state["regrets0"], state["regrets1"]))[key]

    values = twin.best_response_values(subgame, strategy, 1 - player)
    plus = algorithm == "cfr+"
    cfr = twins_game(
        subgame, strategy, player, values, method, plus=plus, tie_breaker=solvers_regrets
    )
    for _ in range(10):
        solver.run(1)
        cfr.iterate()
        ours = words(solver.strategy().probabilities)
        assert_same(ours, cfr.average_strategy(), cfr.averages)


def assert_same(ours, theirs, sums):
    """All average strategies; where a sum is but rounding, its shares are anything."""
    assert ours.keys() == theirs.keys()
    for key, actions in theirs.items():
        assert ours[key].keys() == actions.keys()
        if sum(sums[key].values()) > 1e-9:
            off = max(abs(ours[key][action] - p) for action, p in actions.items())
            assert off <= 1e-12, (key, off)


@pytest.mark.parametrize("name", ["leduc by rank"])
@pytest.mark.parametrize("method", ["gadget", "max-margin"])
def test_parts_are_put_together_as_by_the_twin(name, method):
    """Both players re-solved in every subgame by ten iterations."""
    game, text = PAIRS[name][0](), PAIRS[name][1]
    trunk, strategy, _ = pair_of(name)
    parts = helpers.twins_split(game, text)
    probabilities = twins(strategy)
    values = [
        {player: twin.best_response_values(subgame, probabilities, player) for player in (0, 1)}
        for subgame in parts.subgames
    ]
    build = twin.gadget if method == "gadget" else twin.max_margin
    theirs = twin.resolved(parts, probabilities, values, 10, build, plus=True)
    ours, errors = helpers.resolved(trunk.cut, strategy, method, find_algorithm("cfr+"), 10)
    assert (errors > 0).all()
    for key, actions in twins(ours).items():
        assert actions == pytest.approx(theirs[key], abs=1e-12), key
    assert exploitability(ours) == pytest.approx(
        naive.exploitability(parts.histories, theirs), abs=1e-12
    )


def test_the_games_have_the_values_that_the_papers_give_them():
    """By optimal play: gadget, the sum of what may be taken; unsafe, what the roots are worth."""
    trunk, _, subgames = pair_of("leduc by rank")
    for number in subgames:
        for player, sign in ((0, -1), (1, 1)):
            opponent = 1 - player
            here = trunk.cut.cells[opponent].of(number)
            form = resolving_form(trunk, number, player, "gadget")
            solver = build_solver(form, find_algorithm("lp"), Limits(1))
            solver.run(1)
            taken = sign * trunk.values[opponent][here].sum()
            assert expected_value(solver.strategy()) == pytest.approx(taken, abs=1e-9)
            always = SequenceStrategy.uniform(form)
            for key in form.treeplexes[opponent].keys[: here.stop - here.start]:
                begin = form.treeplexes[opponent].infoset_begin[
                    form.treeplexes[opponent].infoset_of_key[key]
                ]
                always.probabilities[opponent][begin : begin + 2] = (1.0, 0.0)
            assert expected_value(always) == pytest.approx(taken, abs=1e-12)


def test_a_game_of_one_subgame_is_worth_what_it_is_worth_in_the_whole():
    """Unsafe payoffs are in chips of the whole game: they carry the reach of the roots."""
    trunk, strategy, _ = pair_of("leduc by rank")
    cut, total = trunk.cut, 0.0
    for number in range(cut.num_subgames):
        form = resolving_form(trunk, number, 0, "unsafe")
        chances = []
        for player in (0, 1):
            sequences = cut.sequences(player, number)
            chances.append(np.append(1.0, strategy.probabilities[player][sequences]))
        value = expected_value(SequenceStrategy(form, (chances[0], chances[1])))
        here = cut.cells[0].of(number)
        own = trunk.reach[0][here] @ cell_values(cut, strategy, 0)[here]
        assert value == pytest.approx(own, abs=1e-12)
        total += value
    assert total != 0


# --- theorems -----------------------------------------------------------------------------------


def drawn_cut(game, text):
    """The game, cut; draws that cannot be cut there, or into too many parts, are thrown away."""
    form = compile_game(game)
    try:
        cut = cut_form(form, text)
    except BadInputError:
        cut = None
    assume(cut is not None and cut.num_subgames <= 8)
    return cut


ANY_GAME = games() | st.builds(random_dealt_game, st.integers(0, 500), st.just(4))


@settings(max_examples=40, deadline=None)
@given(
    ANY_GAME,
    st.sampled_from(CUTS),
    st.sampled_from(SAFE),
    st.integers(0, 99),
    st.sampled_from([0.0, 0.3, 0.7]),
)
def test_safe_re_solving_never_helps_the_opponent(game, text, method, seed, zeros):
    """Theorem 1, of any strategy: no cell of an opponent, and no best response, wins more."""
    cut = drawn_cut(game, text)
    strategy = helpers.random_strategy(cut.form, seed, zeros)
    trunk, before = Trunk.of(cut, strategy), best_values(strategy)
    scale = 1 + np.abs(cut.form.history.node_payoff).max()
    after, errors = helpers.resolved(cut, strategy, method, find_algorithm("lp"))
    assert (np.abs(errors) < 1e-9 * scale).all()
    assert (best_values(after) <= before + 1e-9 * scale).all()
    values = Trunk.of(cut, after).values
    for player in (0, 1):
        assert (values[player] <= most_of(trunk, player, method) + 1e-9 * scale).all()
        outside = cut.sequences(player, -1)  # nothing but the subgames changes
        np.testing.assert_array_equal(
            after.probabilities[player][outside], strategy.probabilities[player][outside]
        )


def most_of(trunk, player, method):
    """What a player's cells may be worth once the opponent was re-solved."""
    return trunk.values[player] + (trunk.slack[player] if method == "reach" else 0.0)


@settings(max_examples=25, deadline=None)
@given(
    ANY_GAME,
    st.sampled_from(CUTS),
    st.integers(0, 99),
    st.integers(1, 20),
)
def test_what_is_not_solved_to_the_end_costs_no_more_than_that(game, text, seed, iterations):
    """Theorem 3: exploitability rises by no more than that of the gadget games, in total."""
    cut = drawn_cut(game, text)
    strategy = helpers.random_strategy(cut.form, seed, 0.2)
    before = exploitability(strategy)
    trunk = Trunk.of(cut, strategy)
    after, errors = helpers.resolved(cut, strategy, "gadget", find_algorithm("cfr"), iterations)
    assert (errors > -1e-12).all()
    assert exploitability(after) <= before + errors.sum() + 1e-9
    # Of max-margin it is each cell of an opponent that may win so much more.
    for method in ("max-margin", "reach"):
        after, errors = helpers.resolved(cut, strategy, method, find_algorithm("cfr"), iterations)
        values = Trunk.of(cut, after).values
        for player in (0, 1):
            error = 2 * errors[cut.cells[player].subgame]
            assert (values[player] <= most_of(trunk, player, method) + error + 1e-9).all()


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("leduc", "round=2"),
        ("leduc(by_rank=true)", "public"),
        ("leduc(by_rank=true)", "check"),
        ("kuhn", "depth=1"),
        ("nolimit_leduc(stack=3,by_rank=true)", "round=2"),
    ],
)
@pytest.mark.parametrize("method", SAFE)
def test_an_equilibrium_stays_one(game, text, method):
    solution = infoset.solve(game, "lp")
    cut = cut_form(solution.strategy.form, text)
    after, _ = helpers.resolved(cut, solution.strategy, method, find_algorithm("lp"))
    assert exploitability(solution.strategy) < 1e-9
    assert exploitability(after) < 1e-9
    assert (
        any(
            np.abs(ours - theirs).max(initial=0) > 0.01
            for ours, theirs in zip(
                after.probabilities, solution.strategy.probabilities, strict=True
            )
        )
        or game == "kuhn"
    )


@pytest.mark.parametrize("seed", [5, 36, 43, 49])
@pytest.mark.parametrize("method", SAFE)
def test_an_equilibrium_of_a_random_game_stays_one(seed, method):
    game = random_dealt_game(seed, 6)
    solver = build_solver(compile_game(game), find_algorithm("lp"), Limits(1))
    solver.run(1)
    strategy = solver.strategy()
    after, _ = helpers.resolved(
        cut_form(strategy.form, "round=2"), strategy, method, find_algorithm("lp")
    )
    np.testing.assert_allclose(best_values(after), best_values(strategy), rtol=0, atol=1e-9)
    assert exploitability(after) < 1e-9


def test_unsafe_re_solving_of_an_equilibrium_is_exploitable():
    solution = infoset.solve("leduc", "lp")
    cut = cut_form(solution.strategy.form, "round=2")
    after, errors = helpers.resolved(cut, solution.strategy, "unsafe", find_algorithm("lp"))
    assert (errors < 1e-9).all()
    assert exploitability(after) > 0.02


def test_max_margin_has_the_larger_smallest_margin():
    """And reach the larger one still, counted from what it may give away."""
    cut = cut_form(compile_game(make("leduc(by_rank=true)")), "round=2")
    strategy = helpers.random_strategy(cut.form, 8)
    trunk = Trunk.of(cut, strategy)
    afters = {
        method: Trunk.of(cut, helpers.resolved(cut, strategy, method, find_algorithm("lp"))[0])
        for method in SAFE
    }
    strictly = {"max-margin": 0, "reach": 0}
    for number in range(cut.num_subgames):
        for player in (0, 1):
            here = cut.cells[player].of(number)
            smallest = {
                method: (trunk.values[player] - after.values[player])[here].min()
                for method, after in afters.items()
            }
            assert smallest["max-margin"] > smallest["gadget"] - 1e-9
            assert smallest["max-margin"] > smallest["reach"] - 1e-9
            offered = trunk.values[player] + trunk.slack[player]
            of_reach, of_margin = (
                (offered - afters[method].values[player])[here].min()
                for method in ("reach", "max-margin")
            )
            assert of_reach > of_margin - 1e-9
            strictly["max-margin"] += smallest["max-margin"] > smallest["gadget"] + 1e-6
            strictly["reach"] += of_reach > of_margin + 1e-6
    assert min(strictly.values()) > cut.num_subgames // 2


# --- how much cells may rise --------------------------------------------------------------------


def end_for_1(value):
    return End(-value)


def test_slack_is_what_was_given_up_on_the_way():
    """Player 1 wins 5 by stopping; going on is worth 2 to him, so it may be worth 3 more."""
    last = turn(0, "end", l=end_for_1(2), r=end_for_1(9))
    form = compile_game(TreeGame(turn(1, "first", stop=end_for_1(5), go=last)))
    cut = cut_form(form, "go")
    strategy = SequenceStrategy.from_tables(form, ({"end": {"l": 1.0}}, {}))
    trunk = Trunk.of(cut, strategy)
    assert trunk.values[1].tolist() == [2.0]
    assert trunk.slack[1].tolist() == [3.0]
    assert trunk.slack[0].tolist() == [0.0]


def test_slack_is_inherited_and_shared_out():
    """At first 4 is given up; then half of the way 1 more, while the other half gives up none.

    Player 0 goes left or right with 1/4 and 3/4, unless player 1 stops for 10 at once. On the left
    player 1 may take 8 or go on, which is worth 4 (times 1/4: he gives up 1). On the right he goes
    on for 16/3 (times 3/4). Going on is worth 2 + 4 = 6, so 4 are given up: 1 of it is shared to
    the left, which may rise by 1 + 1 in total, and 3 to the right.
    """
    left = turn(1, "left", take=end_for_1(8), on=turn(0, "l", a=end_for_1(4), b=end_for_1(0)))
    right = turn(1, "right", on=turn(0, "r", a=end_for_1(16 / 3), b=end_for_1(0)))
    top = turn(1, "top", stop=end_for_1(10), go=turn(0, "way", left=left, right=right))
    form = compile_game(TreeGame(top))
    cut = cut_form(form, "depth=3")
    strategy = SequenceStrategy.from_tables(
        form,
        ({"way": {"left": 0.25, "right": 0.75}, "l": {"a": 1.0}, "r": {"a": 1.0}}, {}),
    )
    trunk = Trunk.of(cut, strategy)
    by_key = dict(zip(cell_names(cut, 1), trunk.slack[1].tolist(), strict=True))
    assert by_key == pytest.approx({("left", "on"): 2.0, ("right", "on"): 3.0})
    risen = Trunk.of(cut, strategy).values[1] + trunk.slack[1]
    assert risen.sum() == pytest.approx(1 + 4 + 2 + 3)


def cell_names(cut, player):
    return [
        cell for number in range(cut.num_subgames) for cell in helpers.cells_of(cut, player, number)
    ]


@settings(max_examples=50, deadline=None)
@given(ANY_GAME, st.sampled_from(CUTS), st.integers(0, 99))
def test_nobody_wins_more_if_all_cells_rise_by_their_slack(game, text, seed):
    """Bottom up over the trunk, with cells worth so much more: the start is worth the same."""
    cut = drawn_cut(game, text)
    strategy = helpers.random_strategy(cut.form, seed, 0.2)
    trunk, before = Trunk.of(cut, strategy), best_values(strategy)
    plans = [reach_of_sequences(strategy, player) for player in (0, 1)]
    for player in (0, 1):
        assert (trunk.slack[player] >= 0).all()
        raised = value_of_trunk(cut, trunk.values[player] + trunk.slack[player], plans, player)
        as_is = value_of_trunk(cut, trunk.values[player], plans, player)
        assert as_is == pytest.approx(before[player], abs=1e-9)
        assert raised == pytest.approx(before[player], abs=1e-9)


def reach_of_sequences(strategy, player):
    treeplex = strategy.form.treeplexes[player]
    plan = np.ones(treeplex.num_sequences)
    for i in range(treeplex.num_infosets):
        own = slice(*treeplex.infoset_begin[i : i + 2])
        plan[own] = plan[treeplex.infoset_parent[i]] * strategy.probabilities[player][own]
    return plan


def value_of_trunk(cut, cells, plans, player):
    """What a best response in the trunk wins, given what cells are worth."""
    form = cut.form
    treeplex, history = form.treeplexes[player], form.history
    worth = np.zeros(treeplex.num_sequences)
    ends = (history.node_degree == 0) & (cut.node_subgame < 0)
    won = cut.node_chance * history.node_payoff * plans[1 - player][cut.node_sequence[1 - player]]
    np.add.at(worth, cut.node_sequence[player][ends], (won if player == 0 else -won)[ends])
    np.add.at(worth, cut.cells[player].sequence, cells)
    for i in cut.infosets(player, -1)[::-1]:
        own = slice(*treeplex.infoset_begin[i : i + 2])
        worth[treeplex.infoset_parent[i]] += worth[own].max()
    return worth[0]


# --- rock-paper-scissors, the example of the paper ----------------------------------------------


def shapes(strategy):
    return list(strategy[1, "player1"].values())


@pytest.fixture
def rps():
    """The trunk plays every shape alike; so does the strategy that is thrown away."""
    form = infoset.compile("rps")
    return cut_form(form, "depth=1"), SequenceStrategy.uniform(form)


def test_always_rock_solves_the_unsafe_game(rps):
    """Against a trunk that plays every shape alike, nothing is wrong with always playing rock."""
    cut, uniform = rps
    form = resolving_form(Trunk.of(cut, uniform), 0, 0, "unsafe")
    always_rock = SequenceStrategy.from_tables(form, ({}, {"player1": {"rock": 1.0}}))
    assert exploitability(always_rock) == pytest.approx(0, abs=1e-15)
    whole = SequenceStrategy.from_tables(cut.form, ({}, {"player1": {"rock": 1.0}}))
    assert exploitability(whole) == pytest.approx(1 / 2)


@pytest.mark.parametrize("method", SAFE)
@pytest.mark.parametrize(
    ("algorithm", "iterations", "tolerance"),
    [("lp", 1, 1e-9), ("cfr", 4000, 0.02), ("cfr+", 1000, 0.01)],
)
def test_safe_re_solving_plays_all_shapes_alike(rps, method, algorithm, iterations, tolerance):
    cut, uniform = rps
    after, _ = helpers.resolved(cut, uniform, method, find_algorithm(algorithm), iterations)
    assert shapes(after) == pytest.approx([1 / 3] * 3, abs=tolerance)
    assert exploitability(after) < tolerance + 1e-12


@pytest.mark.parametrize("method", ["gadget", "max-margin"])
def test_always_rock_does_not_solve_the_safe_games(rps, method):
    cut, uniform = rps
    form = resolving_form(Trunk.of(cut, uniform), 0, 1, method)
    always_rock = SequenceStrategy.from_tables(form, ({}, {"player1": {"rock": 1.0}}))
    assert best_response(always_rock, 0).value > 0.99


# --- corners ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["player 0 alone", "player 1 alone"])
def test_one_player_alone(name, method):
    cut = cut_form(compile_game(CORNERS[name]), "depth=1")
    strategy = helpers.random_strategy(cut.form, 4)
    after, errors = helpers.resolved(cut, strategy, method, find_algorithm("lp"))
    assert (np.abs(errors) < 1e-9).all()
    assert (best_values(after) <= best_values(strategy) + 1e-9).all()
    mover = 0 if name == "player 0 alone" else 1
    values = [cell_sum(cut, s, mover) for s in (after, strategy)]
    assert values[0] >= values[1] - 1e-9


def cell_sum(cut, strategy, player):
    return float(cell_values(cut, strategy, player).sum())


@pytest.mark.parametrize("method", METHODS)
def test_a_player_who_never_goes_there_keeps_his_strategy(method):
    cut = cut_form(infoset.compile("leduc(by_rank=true)"), "check,check")
    tables = ({}, {})
    for (player, key), actions in twins(helpers.random_strategy(cut.form, 9)).items():
        never_checks = player == 0 and key.endswith(":") and "/" not in key
        tables[player][key] = {"bet": 1.0} if never_checks else actions
    strategy = SequenceStrategy.from_tables(cut.form, tables)
    trunk = Trunk.of(cut, strategy)
    assert resolving_form(trunk, 0, 0, method) is None
    assert (resolving_form(trunk, 0, 1, method) is None) == (method == "unsafe")
    parts = SequenceParts(trunk, strategy)
    parts.resolve(0, method, find_algorithm("cfr+"), 20)
    after = parts.strategy()
    np.testing.assert_array_equal(after.probabilities[0], strategy.probabilities[0])
    changed = (after.probabilities[1] != strategy.probabilities[1]).any()
    assert changed == (method != "unsafe")


def game_with_a_cell_nobody_comes_to():
    """Player 1 goes on with a queen only, and against it player 0 never has the A."""

    def deal(own, other, sign):
        bet = turn(1, f"{other} bet", call=End(3 * sign), fold=End(1))
        then = turn(0, f"{own} go", bet=bet, check=End(sign))
        return turn(0, own, **{"in": turn(1, other, go=then, stop=End(2)), "out": End(-1)})

    deals = [deal("A", "J", 1), deal("B", "J", -1), deal("B", "Q", 2)]
    odds = zip(("AJ", "BJ", "BQ"), (0.3, 0.3, 0.4), deals, strict=True)
    return compile_game(TreeGame(Luck(tuple(odds))))


@pytest.mark.parametrize("method", SAFE)
@pytest.mark.parametrize(("algorithm", "iterations"), [("lp", 1), ("cfr+", 300)])
def test_a_cell_that_the_player_never_comes_to(method, algorithm, iterations):
    """It is worth nothing, and cannot be chosen; the others are re-solved as they should be."""
    form = game_with_a_cell_nobody_comes_to()
    strategy = SequenceStrategy.from_tables(form, ({}, {"J": {"stop": 1.0}, "Q": {"go": 1.0}}))
    cut = cut_form(form, "depth=2")
    assert cut.num_subgames == 1
    assert cell_names(cut, 0) == [("A", "in"), ("B", "in")]
    trunk = Trunk.of(cut, strategy)
    assert trunk.values[0][0] == 0
    keys = resolving_form(trunk, 0, 1, method).treeplexes[0].keys
    labels = resolving_form(trunk, 0, 1, method).treeplexes[0].labels
    if method == "gadget":
        assert keys[:2] == ["A in?", "B in?"]
    else:
        assert (keys[0], labels[0]) == ("which?", ("B in",))
    after, errors = helpers.resolved(cut, strategy, method, find_algorithm(algorithm), iterations)
    assert np.isfinite(errors).all()
    assert (best_values(after) <= best_values(strategy) + 2 * errors.sum() + 1e-9).all()
    if method != "gadget":  # which is content with what it had
        assert after[1, "Q bet"]["fold"] == pytest.approx(1.0, abs=0.02)


def test_strategies_that_were_taken_do_not_change_any_more():
    trunk, strategy, _ = pair_of("leduc by rank")
    given_ = [array.copy() for array in strategy.probabilities]
    parts = SequenceParts(trunk, strategy)
    assert len(parts) == 5
    before = parts.strategy()
    parts.resolve(0, "gadget", find_algorithm("cfr+"), 5)
    for player in (0, 1):
        np.testing.assert_array_equal(before.probabilities[player], given_[player])
        np.testing.assert_array_equal(strategy.probabilities[player], given_[player])
        changed = np.flatnonzero(parts.strategy().probabilities[player] != given_[player])
        assert len(changed)
        assert np.isin(changed, trunk.cut.sequences(player, 0)).all()


@pytest.mark.parametrize("method", ["maxmargin", "Gadget", "", None])
def test_methods_that_nobody_knows_are_refused(method):
    trunk, strategy, _ = pair_of("leduc by rank")
    parts = SequenceParts(trunk, strategy)
    with pytest.raises(BadInputError, match="there is no method"):
        parts.resolve(0, method, find_algorithm("cfr"), 1)


# --- other solvers ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_sampled_solvers_re_solve(method):
    """External sampling gets as close as its walks allow, and repeats itself with its seed."""
    trunk, strategy, _ = pair_of("leduc by rank")
    algorithm = find_algorithm("es-mccfr")
    runs = []
    for seed, iterations in ((1, 5000), (1, 5000), (2, 5000), (1, 50)):
        parts = SequenceParts(trunk, strategy, seed=seed)
        error = parts.resolve(1, method, algorithm, iterations)
        runs.append((error, parts.strategy().probabilities[1]))
    assert runs[0][0] == runs[1][0]
    np.testing.assert_array_equal(runs[0][1], runs[1][1])
    assert (runs[0][1] != runs[2][1]).any()
    assert 0 < runs[0][0] < runs[3][0] / 2


def test_hands_that_cannot_be_chosen_do_not_shift_the_others():
    """Player 0 checks with one jack alone, so player 1 never comes to the draw with that one."""
    form = infoset.compile("leduc")
    keys = [f"{rank}{suit}:" for rank in "JQK" for suit in "sh"]
    first = {key: {"check": float(key == "Jh:"), "bet": float(key != "Jh:")} for key in keys}
    trunk = Trunk.of(cut_form(form, "round=2"), SequenceStrategy.from_tables(form, (first, {})))
    cells = cell_keys(trunk.cut, 1, 0)
    assert cells[0] == "Jh:check check"
    margin = resolving_form(trunk, 0, 0, "max-margin")
    treeplex = margin.treeplexes[1]
    assert treeplex.labels[0] == tuple(cells[1:])
    first_ones = np.flatnonzero(np.isin(treeplex.infoset_parent, range(1, 6)))
    assert len(first_ones) == 5 * 5 * 2  # each hand on each board, after a check and after a bet
    for infoset_ in first_ones:
        chosen = treeplex.labels[0][treeplex.infoset_parent[infoset_] - 1]
        assert chosen.partition(":")[0] == treeplex.keys[infoset_].partition(":")[0]


def test_the_exploitability_in_parts_is_that_of_the_worst():
    solution = infoset.solve("leduc(by_rank=true)", "cfr+", iterations=20)
    assert isinstance(solution.strategy, SequenceStrategy)
    trunk = Trunk.of(cut_form(solution.strategy.form, "round=2"), solution.strategy)
    parts = SequenceParts(trunk, solution.strategy)
    each = [parts.resolve(n, "gadget", find_algorithm("cfr+"), 10) for n in range(len(parts))]
    assert each[-1] < max(each)
    again = infoset.resolve(solution, "round=2", algorithm="cfr+", iterations=10)
    assert again.exploitability_in_parts == max(each)
