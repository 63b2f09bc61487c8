"""Re-solving spots by ``max-margin`` and ``reach``: both forms agree, and nobody loses by it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import infoset
from infoset.cards import hand_of, parse_cards
from infoset.evaluation import PublicEvaluation, expected_value
from infoset.forms import (
    PartRoot,
    SpotForm,
    compile_game,
    form_of_spot,
    layout_of,
    numbers_for,
    part_below,
    with_leaves,
)
from infoset.forms.subgame_forms import cell_keys
from infoset.games.holdem import Spot
from infoset.resolving.cuts import cut_form
from infoset.resolving.parts import resolve, with_sizes_below
from infoset.resolving.public_margin import MarginSolver
from infoset.resolving.public_resolving import PublicParts, retarget, safe_form
from infoset.resolving.public_trunk import PublicTrunk, _least, roots_of, tables_of
from infoset.resolving.sequence_parts import resolving_form
from infoset.resolving.trunk import Trunk
from infoset.solvers import Recipe, VectorSolver, find_algorithm
from infoset.solvers.exact.linear_program import LinearProgramSolver
from infoset.solvers.schedules import discounted
from infoset.strategy import PublicStrategy, SequenceStrategy

DEEP = Spot("Ts9s6h2h", "KK:0.5,AsJs", "JcJd,8s7s", 100, 2000, {"bet": "50%", "raise": ""})
"""Nobody can be all-in on the turn; clubs and diamonds are alike."""
SHALLOW = Spot("Ts9s6h2h", "KK:0.5,AsJs", "JcJd,8s7s", 100, 150, {"bet": "50%, a", "raise": "a"})
SMALL_RIVER = Spot("Ks9h7d4c2s", "AA,KQs,J8s", "QQ,99:0.5,T8s", 100, 150)
MARGINS = ("max-margin", "reach")
RECIPE = find_algorithm("dcfr").recipe


class BothForms:
    """A strategy of a spot that is far from an equilibrium, cut at the river in both forms."""

    def __init__(self, spot: Spot, iterations: int = 6) -> None:
        solver = VectorSolver(form_of_spot(spot), find_algorithm("cfr").recipe)
        solver.run(iterations)
        self.strategy = solver.strategy()
        self.form = self.strategy.form
        assert isinstance(self.form, SpotForm)
        self.trunk = PublicTrunk.of(self.form, roots_of(self.form, "river"), self.strategy)
        sequence_form = compile_game(spot)
        tables = [
            {key: self.strategy[player, key] for key in treeplex.keys}
            for player, treeplex in enumerate(sequence_form.treeplexes)
        ]
        cut = cut_form(sequence_form, "public")
        self.sequence = Trunk.of(cut, SequenceStrategy.from_tables(sequence_form, tables))
        self.scale = self.form.streets[1].probability / self.form.num_pairs

    def places(self):
        """For each subgame: its root, and what hands are called there [1326]."""
        cut = self.sequence.cut
        for subgame in range(cut.num_subgames):
            keys = [cut.form.treeplexes[0].keys[i] for i in cut.infosets(0, subgame)]
            key = min(keys, key=len)
            card = parse_cards(key.rpartition("/")[2].partition(":")[0])
            place = self.form.find_infoset(key)
            board, names = self.form.played_board(tuple(card))
            number = self.trunk.roots.index(PartRoot(place.node, 1, board))
            yield subgame, number, names

    def hands(self, subgame, player, names):
        """[cells] The hand of the public form that plays for each cell."""
        keys = cell_keys(self.sequence.cut, player, subgame)
        numbers = [names[hand_of(key.partition(":")[0])] for key in keys]
        return np.searchsorted(self.form.hand_numbers[player], numbers)

    def by_cell(self, pair, player, number, hands):
        """[cells] Numbers of the public trunk, in the units of the sequence form."""
        return pair[player][number][hands] * self.form.weights[player][hands] * self.scale


@pytest.fixture(scope="module")
def deep():
    return BothForms(DEEP)


@pytest.fixture(scope="module")
def shallow():
    return BothForms(SHALLOW)


def test_slack_is_that_of_the_sequence_form(deep):
    """Also on boards that are played for others."""
    seen, largest = set(), 0.0
    for subgame, number, names in deep.places():
        seen.add(number)
        for player in (0, 1):
            here = deep.sequence.cut.cells[player].of(subgame)
            hands = deep.hands(subgame, player, names)
            for ours, expected in (
                (deep.trunk.values, deep.sequence.values),
                (deep.trunk.slack, deep.sequence.slack),
            ):
                np.testing.assert_allclose(
                    deep.by_cell(ours, player, number, hands),
                    expected[player][here],
                    atol=1e-6,
                    rtol=1e-4,
                )
            largest = max(largest, deep.sequence.slack[player][here].max())
    assert seen == set(range(len(deep.trunk.roots)))
    assert deep.sequence.cut.num_subgames > len(deep.trunk.roots)
    assert largest > 0.01


def test_slack_is_not_wasted_on_decisions_without_parts(shallow):
    """The sequence form gives a share to those who face an all-in; here, parts get it."""
    is_more = False
    for subgame, number, names in shallow.places():
        for player in (0, 1):
            here = shallow.sequence.cut.cells[player].of(subgame)
            hands = shallow.hands(subgame, player, names)
            ours = shallow.by_cell(shallow.trunk.slack, player, number, hands)
            theirs = shallow.sequence.slack[player][here]
            assert (ours >= theirs - 1e-6).all()
            is_more |= bool((ours > theirs + 1e-4).any())
    assert is_more


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    ("spot", "method"), [("deep", "max-margin"), ("deep", "reach"), ("shallow", "max-margin")]
)
def test_margins_approach_those_of_the_linear_program(request, spot, method, player):
    """Of a few parts, with the player who chooses moving first or second."""
    both = request.getfixturevalue(spot)
    checked = 0
    for subgame, number, _ in list(both.places())[::29]:
        exact = resolving_form(both.sequence, subgame, player, method)
        part = part_below(both.form, both.trunk.roots[number])
        found = safe_form(both.trunk, number, part, player, method)
        assert (exact is None) == (found is None)
        if exact is None:
            continue
        program = LinearProgramSolver(exact)
        program.run()
        optimal = expected_value(program.strategy()) * (1 if player == 0 else -1)
        own = both.trunk.reach[player][number] * both.form.weights[player]
        scale = own[part.hands[player]].max() * both.scale
        solver = MarginSolver(found[0], 1 - player, found[1], RECIPE)
        gaps = []
        for iterations in (10, 2000):
            solver.run(iterations)
            gaps.append(optimal - solver.margins().min() * scale)
            lacking = 2 * solver.exploitability() * found[0].num_pairs * scale
            assert -1e-5 <= gaps[-1] <= lacking + 1e-5
        assert optimal >= -1e-6
        assert gaps[-1] <= 2e-5 + 0.01 * optimal
        checked += 1
    assert checked >= 3


@pytest.mark.parametrize("chooser", [0, 1])
@pytest.mark.parametrize(
    ("algorithm", "bound"),
    # Simultaneous CFR halves its exploitability in four times the iterations: it is the slowest.
    [("cfr+", 0.03), ("pcfr+", 0.03), ("cfr+(skip=0.5)", 0.03), ("cfr(alternating=false)", 0.4)],
)
def test_any_recipe_solves_the_game(algorithm, bound, chooser):
    """Splitting a run changes nothing but rounding."""
    form = form_of_spot(SMALL_RIVER)
    values = np.linspace(-30.0, 60.0, form.num_hands[chooser]) * form.weights[1 - chooser].sum()
    solvers = []
    for pieces in ((400,), (7, 393)):
        solver = MarginSolver(form, chooser, values, find_algorithm(algorithm).recipe, 400)
        for iterations in pieces:
            solver.run(iterations)
        solvers.append(solver)
    assert solvers[0].exploitability() < bound
    np.testing.assert_allclose(solvers[0].margins(), solvers[1].margins(), rtol=1e-3, atol=1e-2)
    assert solvers[0].choice().sum() == pytest.approx(1.0)


def test_a_floor_of_the_choice_is_in_chips_of_a_deal():
    """Nobody can bet: queens win half of 100 as often as they lose it, tens lose it twice.

    So the choices pay 0 and -100 over the four deals. From even choices the regrets are 50 and
    -50, which a floor of 5 chips in each of four deals lifts to 20.
    """
    spot = Spot("Ks9h7d4c2s", "AhAd,JhJd", "QhQd,TcTd", 100, 100, {"bet": "", "raise": ""})
    form = form_of_spot(spot)
    recipe = Recipe(regrets=discounted(math.inf, math.inf, floor=5.0), skip=2)
    solver = MarginSolver(form, 1, np.zeros(2), recipe, 10)
    solver.run(1)
    hands = [form.hand_name(1, hand) for hand in solver.hands]
    by_name = dict(zip(hands, solver.choice(), strict=True))
    assert by_name == pytest.approx({"QhQd": 5 / 7, "TdTc": 2 / 7})


def test_hands_that_meet_nobody_cannot_be_chosen():
    """Nothing can be gained on them, so they would hide the margins of all others."""
    form = form_of_spot(Spot("Ks9h7d4c2s", "AsAh", "AsQs,QcQd", 100, 100))
    solver = MarginSolver(form, 1, np.array([-40.0, 0.0]), RECIPE)
    assert [form.hand_name(1, hand) for hand in solver.hands] == ["QdQc"]
    solver.run(100)
    assert solver.margins() == pytest.approx([10.0], abs=1e-3)


def best_response_values(strategy):
    return np.array(PublicEvaluation.of(strategy).best_response_values())


@pytest.mark.parametrize("method", MARGINS)
@pytest.mark.parametrize("spot", ["deep", "shallow"])
def test_nobody_wins_more_than_the_parts_lack(request, spot, method):
    """All parts are re-solved at once; best responses win at most what was not solved exactly."""
    both = request.getfixturevalue(spot)
    form, trunk = both.form, both.trunk
    parts = PublicParts.of(trunk, both.strategy)
    for number in range(len(parts)):
        parts.resolve(number, method, find_algorithm("dcfr"), 100)
    again = parts.strategy()
    before, after = best_response_values(both.strategy), best_response_values(again)
    values = PublicTrunk.of(form, trunk.roots, again).values
    boards = np.array([root.board for root in trunk.roots])
    num_deals = np.bincount(form.streets[1].deal_board)[boards]
    for player in (0, 1):
        may_rise = trunk.slack[player] if method == "reach" else 0.0
        rise = values[player] - trunk.values[player]
        excess = (np.maximum(rise - may_rise, 0.0) * form.weights[player]).sum(axis=1)
        lacking = float(excess @ num_deals) * both.scale
        assert lacking < 0.2
        assert after[player] <= before[player] + lacking + 1e-4
        if method == "reach":
            assert (rise > 0.01).any()  # which safe re-solving without slack would not allow
    assert after.sum() < before.sum() - 1.0


def test_values_that_rise_by_their_slack_are_worth_no_more_at_the_start(two_streets):
    """The worst that slack allows, everywhere at once, with two cards to come."""
    strategy, trunk = two_streets
    assert max(slack.max() for slack in trunk.slack) > 1.0
    for player in (0, 1):
        before = value_with_leaves(trunk, strategy, player, trunk.values)
        risen = [trunk.values[p] + trunk.slack[p] for p in (0, 1)]
        whole = best_response_values(strategy)[player]
        assert before == pytest.approx(whole, abs=1e-3)
        assert value_with_leaves(trunk, strategy, player, risen) == pytest.approx(whole, abs=1e-3)
        risen = [trunk.values[p] + 1.05 * trunk.slack[p] for p in (0, 1)]
        assert value_with_leaves(trunk, strategy, player, risen) > whole + 0.01


def test_a_hand_that_plays_for_others_has_the_least_slack_of_them(two_streets):
    """By a strategy that tells alike suits apart, they differ: no share may be too much for one."""
    fair, _ = two_streets
    rng, tables = np.random.default_rng(1), tables_of(fair)
    for (street, player), table in tables.items():
        betting = layout_of(fair.form).bettings[street][player]
        skewed = table * rng.uniform(0.05, 1.0, table.shape).astype(np.float32)
        begins = np.cumsum(betting.node_actions) - betting.node_actions
        totals = np.repeat(np.add.reduceat(skewed, begins, axis=1), betting.node_actions, axis=1)
        tables[street, player] = np.divide(skewed, totals, out=skewed, where=totals > 0)
    strategy = PublicStrategy.from_probabilities(fair.form, tables)
    trunk = PublicTrunk.of(fair.form, roots_of(fair.form, "river"), strategy)
    risen = [trunk.values[p] + trunk.slack[p] for p in (0, 1)]
    for player in (0, 1):
        before = value_with_leaves(trunk, strategy, player, trunk.values)
        assert value_with_leaves(trunk, strategy, player, risen) <= before + 1e-3


def test_a_hand_that_plays_for_two_takes_the_smaller_number():
    alike = [np.array([0, 1, 2]), np.array([1, 0, 2])]
    np.testing.assert_array_equal(_least(np.array([3.0, 1.0, 2.0]), alike), [1.0, 1.0, 2.0])


@pytest.fixture(scope="module")
def two_streets():
    """A flop with few boards up to suits, cut at the river."""
    spot = Spot("Ts9s6s", "KK,AsJs:0.5", "JJ,8s7s", 100, 80, {"bet": "a"})
    solver = VectorSolver(form_of_spot(spot), find_algorithm("cfr").recipe)
    solver.run(3)
    strategy = solver.strategy()
    form = strategy.form
    return strategy, PublicTrunk.of(form, roots_of(form, "river"), strategy)


def value_with_leaves(trunk, strategy, player, values):
    """What a best response wins if hands win given values at the roots."""
    form = trunk.form
    (node,) = {root.node for root in trunk.roots}
    assert [root.board for root in trunk.roots] == list(range(len(trunk.roots)))
    cards = np.prod([deals.probability for deals in form.streets[1:]])
    first, second = (of_player[np.newaxis] * cards for of_player in values)
    cut = with_leaves(form, [node], {2: (first, second)})
    layout = layout_of(cut)
    averages = *strategy.averages[:2], (numbers_for(layout, 2, 0), numbers_for(layout, 2, 1))
    return PublicEvaluation(layout, averages).best_response_values()[player]


def test_slack_is_kept_where_bet_sizes_change(shallow):
    parts = PublicParts.of(shallow.trunk, shallow.strategy)
    spot = with_sizes_below(SHALLOW, 1, {"bet": "a", "raise": ""})
    moved = retarget(parts, form_of_spot(spot))
    assert moved.trunk.form is not shallow.form
    for ours, expected in zip(moved.trunk.slack, shallow.trunk.slack, strict=True):
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("rake", [0, 0.05])
def test_all_methods_of_a_solved_spot_differ(rake):
    spot = Spot("Ks9h7d4c", "AhAd,QsJs", "KdKc,QhQc", 100, 200, {"bet": "50%"}, rake=rake)
    solution = infoset.solve(spot, "cfr", iterations=20)
    found = {}
    for method in ("gadget", *MARGINS):
        again = resolve(solution, "river", method=method, iterations=50)
        assert again.exploitability_after < again.exploitability_before - 1.0
        assert 0 < again.exploitability_in_parts < 4.0
        found[method] = again.exploitability_after
    assert len(set(found.values())) == 3
