"""Parts of spots re-solved in public form: against the sequence form, and never for the worse."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

import resolving_for_tests as helpers
from infoset.cards import format_cards, format_hand
from infoset.errors import BadInputError
from infoset.evaluation import PublicEvaluation, exploitability
from infoset.forms import boards, compile_game, form_of_spot
from infoset.forms.public_parts import PartRoot, part_below, way_to
from infoset.games.holdem import Lock, Spot
from infoset.resolving import Trunk, cut_form, parse_cut, resolving_form
from infoset.resolving.public_resolving import PublicParts, behind_choice, ranges_at
from infoset.resolving.public_trunk import PublicTrunk, begins_of, roots_of
from infoset.solvers import VectorSolver, find_algorithm
from infoset.strategy import PublicStrategy, SequenceStrategy

MENU = {"bet": "50%, a", "raise": "a"}
ALL_IN = {"bet": "a", "raise": ""}
SPOTS = {
    # No suit is like another: every river is played.
    "turn": Spot("Td9d6hQc", "QdQh:0.5,JcTc,AsKd", "9c9s,AcJc,8d7d:0.75", 97, 131, ALL_IN),
    "turn, bets": Spot("Td9d6hQc", "QdQh:0.5,JcTc", "9c9s,AcJc,8d7d:0.75", 100, 131, MENU),
    "river": Spot("Ks9h7d4c2s", "AsAh,KdKh:0.5,QsJs,8c8d", "9c9d,AdKc:0.25,JsTs", 100, 250, MENU),
    # Hearts and spades are alike: 13 rivers are played for 26.
    "two suits": Spot(
        "Td9d6cQc", "AhAs,KhJs:0.5,KsJh:0.5", "QhTs,QsTh,8h7h:0.75,8s7s:0.75", 97, 131, ALL_IN
    ),
    # All suits but hearts are, and renaming them goes round in circles of three.
    "three suits": Spot("Qh9h6h4h", "AcKc,AdKd,AsKs", "QcTc,QdTd,QsTs,AhJh", 97, 131, ALL_IN),
    "flop": Spot("Qh9h6h", "AcKc,AdKd,AsKs", "QcTc,QdTd,QsTs", 97, 61, ALL_IN),
}
CUTS = {
    ("turn", "river"): "public",
    ("turn", "check"): "check",
    ("turn", "check, check"): "check,check",
    ("turn", "check, check, 2c"): "check,check/2c",
    ("turn, bets", "check, bet 50%"): "check,bet 50",
    ("river", "check"): "check",
    ("river", "check, bet 50%"): "check,bet 50",
    ("river", "depth=1"): "depth=1",
    ("two suits", "river"): "public",
    ("two suits", "check"): "check",
    ("three suits", "river"): "public",
    ("three suits", "check, check"): "check,check",
}
"""Cuts of spots, and what they are called in sequence form."""
GADGET_CUTS = [cut for cut in CUTS if cut[1] not in ("check", "depth=1")]
"""Those after which both players have moved. One who has not knows nothing yet in sequence form,
and chooses for all his hands at once whether he takes what he could win."""


def gadget_of(trunk, number, part, player):
    """The gadget game of a part; `None` if the player never comes there."""
    own = ranges_at(trunk, number, part)[player]
    values = trunk.values[1 - player][number][part.hands[1 - player]]
    return behind_choice(part, player, own, values)


def tables_of(strategy):
    return {
        (street, player): strategy.probabilities(street, player)
        for street in range(strategy.form.num_streets)
        for player in (0, 1)
    }


def random_strategy(form, seed, zeros=0.0):
    """Any probabilities; an action is never taken with the probability ``zeros``.

    Hands that are alike before the last card play alike there, as in all strategies that solvers
    find: or else boards that are alike would not be.
    """
    rng = np.random.default_rng(seed)
    tables = tables_of(VectorSolver(form, find_algorithm("cfr").recipe).strategy())
    for node, (street, begin) in begins_of(form).items():
        player = int(form.node_player[node])
        count = int(form.node_child_end[node] - form.node_child_begin[node])
        of_node = tables[street, player][:, begin : begin + count]
        shares = rng.uniform(0.1, 1, of_node.shape) * (rng.random(of_node.shape) >= zeros)
        shares[:, 0] += 0.05
        for board in range(len(shares)):
            shares[board] = treated_alike(form, street, player, board, shares[board])
        shares *= of_node.any(axis=1, keepdims=True)
        of_node[:] = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    return PublicStrategy.from_probabilities(form, tables)


def treated_alike(form, street, player, board, numbers):
    """[any, hands] Numbers, the same for all hands that cards to come may turn into one another."""
    if street + 1 == form.num_streets:
        return numbers
    deals = form.streets[street + 1]
    used = np.unique(deals.deal_renaming[deals.parent[deals.deal_board] == board])
    renamings = [deals.renamings[number][player] for number in used]
    alike = np.arange(numbers.shape[1])
    for _ in range(4):  # what is alike by several steps, too
        for renaming in renamings:
            alike = np.minimum(alike, alike[renaming])
            np.minimum.at(alike, renaming, alike.copy())
    return numbers[:, alike]


def trunk_of(strategy, text):
    form = strategy.form
    return PublicTrunk.of(form, roots_of(form, text), strategy)


def public_exploitability(strategy):
    return PublicEvaluation.of(strategy).exploitability()


def best_values(strategy):
    return np.array(PublicEvaluation.of(strategy).best_response_values())


def resolved(strategy, text, method, algorithm="cfr", iterations=12):
    """All parts re-solved, and the exploitability in each game that was solved."""
    parts = PublicParts.of(trunk_of(strategy, text), strategy)
    errors = [
        parts.resolve(number, method, find_algorithm(algorithm), iterations)
        for number in range(len(parts))
    ]
    return parts.strategy(), np.array(errors)


# --- both forms ---------------------------------------------------------------------------------


class BothForms:
    """One spot in both forms, and where the infosets of one are in the other."""

    def __init__(self, spot):
        self.tree, self.form = compile_game(spot), form_of_spot(spot)
        begin = begins_of(self.form)
        self.places = []
        for player, treeplex in enumerate(self.tree.treeplexes):
            for i, key in enumerate(treeplex.keys):
                place = self.form.find_infoset(key)
                assert place.player == player
                first = begin[place.node][1]
                actions = slice(first, first + len(treeplex.labels[i]))
                self.places.append((place, actions, slice(*treeplex.infoset_begin[i : i + 2])))

    def in_sequence_form(self, strategy):
        tables, out = tables_of(strategy), SequenceStrategy.uniform(self.tree)
        for place, actions, sequences in self.places:
            numbers = tables[place.street, place.player][place.board, actions, place.hand]
            out.probabilities[place.player][sequences] = numbers / numbers.sum(dtype=float)
        return out


@functools.cache
def both_forms(name):
    return BothForms(SPOTS[name])


def reached(strategy):
    """[num_sequences] per player: whether he himself may come to an infoset."""
    out = []
    for player, treeplex in enumerate(strategy.form.treeplexes):
        plan = np.ones(treeplex.num_sequences)
        above = np.ones(treeplex.num_sequences)
        for i in range(treeplex.num_infosets):
            own = slice(*treeplex.infoset_begin[i : i + 2])
            above[own] = plan[treeplex.infoset_parent[i]]
            plan[own] = above[own] * strategy.probabilities[player][own]
        out.append(above > 1e-6)
    return out


@pytest.mark.parametrize(
    ("name", "text", "method"),
    [(*cut, "unsafe") for cut in CUTS] + [(*cut, "gadget") for cut in GADGET_CUTS],
)
def test_both_forms_come_to_the_same_strategy(name, text, method):
    """Suits that are alike are re-solved once in public form, and each by itself in the other.

    By few iterations: soon somebody always folds, and then betting wins what checking does, to the
    last digit of either precision.
    """
    both = both_forms(name)
    strategy = random_strategy(both.form, 1)
    whole = both.in_sequence_form(strategy)
    cut = cut_form(both.tree, CUTS[name, text])
    iterations = 3 if method == "gadget" else 2
    fast, _ = resolved(strategy, text, method, iterations=iterations)
    slow, _ = helpers.resolved(cut, whole, method, find_algorithm("cfr"), iterations)
    ours = both.in_sequence_form(fast)
    assert any((ours.probabilities[p] != whole.probabilities[p]).any() for p in (0, 1))
    for player, is_reached in enumerate(reached(slow)):
        gap = np.abs(ours.probabilities[player] - slow.probabilities[player])[is_reached]
        assert gap.max() < 2e-4
    pot = SPOTS[name].pot
    assert exploitability(ours) == pytest.approx(exploitability(slow), abs=1e-5 * pot)
    assert public_exploitability(fast) == pytest.approx(exploitability(slow), abs=1e-5 * pot)


@pytest.mark.parametrize(("name", "text"), CUTS)
def test_both_forms_have_the_same_trunk(name, text):
    """Values of a hand leave out its own weight and the probability of cards."""
    both = both_forms(name)
    strategy = random_strategy(both.form, 3, zeros=0.2)
    trunk, form = trunk_of(strategy, text), both.form
    cut = cut_form(both.tree, CUTS[name, text])
    whole = Trunk.of(cut, both.in_sequence_form(strategy))
    for player in (0, 1):
        # What all cells are worth, and how often hands come to them.
        worth = np.zeros(2)
        for number, root in enumerate(trunk.roots):
            part = part_below(form, root)
            hands, deals = part.hands[player], form.streets[root.street]
            dealt = 1.0 if root.street == 0 else deals.probability
            times = 1 if root.street == 0 else np.count_nonzero(deals.deal_board == root.board)
            chance = dealt * times * form.weights[player][hands] / form.num_pairs
            values = trunk.values[player][number][hands] * chance
            own = trunk.reach[player][number][hands]
            worth += values.sum(), values @ own
            assert ((own >= 0) & (own <= 1 + 1e-6)).all()
        expected = whole.values[player].sum(), whole.values[player] @ whole.reach[player]
        np.testing.assert_allclose(worth, expected, rtol=0, atol=2e-5 * SPOTS[name].pot)


def uniform_error(form):
    """What best responses win in a game in public form if both play every action alike."""
    solver = VectorSolver(form, find_algorithm("cfr").recipe)
    solver.run(1)  # the average of one iteration
    return solver.exploitability()


@pytest.mark.parametrize(("name", "text"), GADGET_CUTS)
def test_both_forms_have_the_same_gadget_games(name, text):
    """What best responses win in them is a sum over all that is in them, and knows no ties."""
    both = both_forms(name)
    strategy = random_strategy(both.form, 4, zeros=0.2)
    trunk = trunk_of(strategy, text)
    cut = cut_form(both.tree, CUTS[name, text])
    whole = Trunk.of(cut, both.in_sequence_form(strategy))
    for player in (0, 1):
        ours = 0.0
        for number, root in enumerate(trunk.roots):
            form = gadget_of(trunk, number, part_below(both.form, root), player)
            ours += uniform_error(form) * unit_of(trunk, number, player) if form else 0.0
        games = [
            resolving_form(whole, number, player, "gadget") for number in range(cut.num_subgames)
        ]
        theirs = sum(exploitability(SequenceStrategy.uniform(game)) for game in games if game)
        assert ours == pytest.approx(theirs, abs=2e-6 * SPOTS[name].pot)


# --- parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["turn", "two suits", "flop"])
def test_the_part_below_the_root_is_the_whole(name):
    form = form_of_spot(SPOTS[name])
    part = part_below(form, PartRoot(0, 0, 0)).form
    for field in ("node_kind", "node_player", "street_begin", "terminal_payoffs"):
        np.testing.assert_array_equal(getattr(part, field), getattr(form, field))
    begin, end = form.node_child_begin, form.node_child_end
    np.testing.assert_array_equal(part.node_child_end - part.node_child_begin, end - begin)
    np.testing.assert_array_equal(part.node_child_begin[end > begin], begin[end > begin])
    for player in (0, 1):
        np.testing.assert_array_equal(part.cards[player], form.cards[player])
        np.testing.assert_array_equal(part.weights[player], form.weights[player])
    for ours, whole in zip(part.streets[1:], form.streets[1:], strict=True):
        for field in ("cards", "num_new", "parent", "probability", "deal_board"):
            np.testing.assert_array_equal(getattr(ours, field), getattr(whole, field))
        for deal, number in enumerate(whole.deal_renaming.tolist()):
            for player in (0, 1):
                np.testing.assert_array_equal(
                    ours.renamings[ours.deal_renaming[deal]][player],
                    whole.renamings[number][player],
                )
    for player in (0, 1):
        np.testing.assert_array_equal(part.streets[-1].strength[player], whole.strength[player])


@pytest.mark.parametrize("card", ["2h", "2c", "Ac"])
def test_a_part_is_the_spot_that_begins_there(card):
    """After two checks nothing is in the pot that was not; a hand may be out, and suits alike."""
    spot = SPOTS["flop"]
    form = form_of_spot(spot)
    (root,) = roots_of(form, f"check, check, {card}")
    part = part_below(form, root).form
    assert [deals.num_new for deals in part.streets] == [0, 1]
    later = form_of_spot(replace(spot, board=f"Qh9h6h{card}"))
    assert part.num_pairs == later.num_pairs
    assert uniform_error(part) == pytest.approx(uniform_error(later), rel=1e-6)


def test_own_reach_is_the_product_of_own_probabilities():
    """On the river of a flop, with strategies of the boards that led there."""
    form = form_of_spot(SPOTS["flop"])
    strategy = random_strategy(form, 6)
    boards_dealt = form.dealt(2)
    for board in (0, len(boards_dealt) // 2, len(boards_dealt) - 1):
        turn, river = (format_cards([card]) for card in boards_dealt[board])
        (root,) = roots_of(form, f"check, check, {turn}, check, check, {river}, check")
        assert root.board == board
        trunk = PublicTrunk.of(form, (root,), strategy)
        ways = (
            ["", f"check,check/{turn}:", f"check,check/{turn}:check,check/{river}:"],
            ["check", f"check,check/{turn}:check"],
        )
        for player, keys in enumerate(ways):
            for hand in part_below(form, root).hands[player].tolist():
                held = format_hand(int(form.hand_numbers[player][hand]))
                own = np.prod([strategy[player, f"{held}:{key}"]["check"] for key in keys])
                assert trunk.reach[player][0, hand] == pytest.approx(own, rel=1e-5)


# --- safety -------------------------------------------------------------------------------------


def unit_of(trunk, number, player):
    """What a chip of a gadget game is in the whole, all boards that are alike together.

    There, payoffs are divided by the weight of the part's own pairs of hands.
    """
    form, root = trunk.form, trunk.roots[number]
    part = part_below(form, root)
    gadget = gadget_of(trunk, number, part, player)
    if gadget is None:
        return 0.0
    own = (form.weights[player] * trunk.reach[player][number])[part.hands[player]]
    probability, board = 1.0, root.board
    for street in range(root.street, 0, -1):
        deals = form.streets[street]
        probability *= deals.probability * np.count_nonzero(deals.deal_board == board)
        board = int(deals.parent[board])
    return float(gadget.num_pairs * own.max() * probability / form.num_pairs)


@pytest.mark.parametrize(
    ("name", "text", "iterations"),
    [
        ("turn", "depth=2", 3),
        ("turn", "river", 60),
        ("turn", "check", 60),
        ("river", "check, bet 50%", 3),
        ("river", "depth=1", 60),
        ("two suits", "river", 60),
        ("three suits", "check, check", 60),
        ("flop", "turn", 30),
        ("flop", "check, check", 60),
    ],
)
def test_gadgets_cost_no_more_than_their_own_error(name, text, iterations):
    """Theorem 3, player by player: what best responses win more is what gadgets leave them."""
    strategy = random_strategy(form_of_spot(SPOTS[name]), 5, zeros=0.3)
    trunk = trunk_of(strategy, text)
    allowed = np.zeros(2)
    parts = PublicParts.of(trunk, strategy)
    for number in range(len(parts)):
        part = part_below(trunk.form, trunk.roots[number])
        for player in (0, 1):
            gadget = gadget_of(trunk, number, part, player)
            if gadget is None:
                continue
            solver = VectorSolver(gadget, find_algorithm("cfr+").recipe, iterations)
            solver.run(iterations)
            allowed[1 - player] += 2 * solver.exploitability() * unit_of(trunk, number, player)
        parts.resolve(number, "gadget", find_algorithm("cfr+"), iterations)
    before, after = best_values(strategy), best_values(parts.strategy())
    pot = SPOTS[name].pot
    assert (after <= before + allowed + 1e-5 * pot).all()
    assert iterations == 3 or (allowed < 0.05 * pot).all()


@pytest.mark.parametrize("name", ["turn", "three suits"])
def test_gadgets_keep_an_equilibrium(name):
    solver = VectorSolver(form_of_spot(SPOTS[name]), find_algorithm("dcfr").recipe)
    solver.run(1500)
    strategy, pot = solver.strategy(), SPOTS[name].pot
    before = public_exploitability(strategy)
    safe, errors = resolved(strategy, "river", "gadget", "dcfr", 400)
    assert before < 1e-3 * pot
    assert public_exploitability(safe) < before + 2e-3 * pot
    assert (errors < 0.01 * pot).all()


# --- suits that are alike -----------------------------------------------------------------------


def in_form(strategy, form):
    """The strategy of a spot in another public form of it, in which every board is played."""
    tables, begin = tables_of(strategy), begins_of(strategy.form)
    out = tables_of(VectorSolver(form, find_algorithm("cfr").recipe).strategy())
    for key, place in form.infosets():
        there = strategy.form.find_infoset(key)
        count = int(form.node_child_end[place.node] - form.node_child_begin[place.node])
        actions = slice(begin[place.node][1], begin[place.node][1] + count)
        numbers = tables[there.street, there.player][there.board, actions, there.hand]
        out[place.street, place.player][place.board, actions, place.hand] = numbers
    return PublicStrategy.from_probabilities(form, out)


@pytest.mark.parametrize(
    ("name", "text", "method"),
    [
        ("two suits", "check", "gadget"),
        ("three suits", "river", "unsafe"),
        ("three suits", "check", "gadget"),
    ],
)
def test_boards_that_are_alike_are_re_solved_as_if_they_were_not(name, text, method, monkeypatch):
    few_form = form_of_spot(SPOTS[name])
    with monkeypatch.context() as patch:
        patch.setattr(boards, "_RENAMINGS", ((0, 1, 2, 3),))
        every_form = form_of_spot(SPOTS[name])
    few = random_strategy(few_form, 2)
    every = in_form(few, every_form)
    assert best_values(few) == pytest.approx(best_values(every), abs=1e-4)
    assert len(roots_of(few_form, "river")) < len(roots_of(every_form, "river"))
    ours, _ = resolved(few, text, method, iterations=3)
    theirs, _ = resolved(every, text, method, iterations=3)
    pot = SPOTS[name].pot
    assert public_exploitability(ours) == pytest.approx(
        public_exploitability(theirs), abs=2e-4 * pot
    )
    assert best_values(ours) == pytest.approx(best_values(theirs), abs=2e-4 * pot)


def test_a_board_under_another_name_is_the_one_that_is_played():
    form = form_of_spot(SPOTS["three suits"])
    roots = {roots_of(form, f"check, check, {card}") for card in ("2c", "2d", "2s")}
    assert len(roots) == 1
    assert roots_of(form, "check, check, 2h") not in roots


# --- cuts of spots ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("turn", "river", 48),
        # Before the card is dealt: where the turn was checked down.
        ("turn", "round=2", 1),
        ("turn", "public", 48),
        ("turn", "check", 1),
        ("turn", "check, check, 2c", 1),
        ("turn", "depth=1", 2),
        # After a check and an all-in; or checked down, on every river.
        ("turn", "depth=2", 1 + 48),
        ("two suits", "river", 11 + 11 + 13),
        ("flop", "turn", 13 + 10),
    ],
)
def test_where_spots_are_cut(name, text, count):
    form = form_of_spot(SPOTS[name])
    roots = roots_of(form, text)
    assert len(set(roots)) == len(roots) == count
    for root in roots:
        begin, end = form.street_begin[root.street : root.street + 2]
        assert begin <= root.node < end
        assert root.board < len(form.streets[root.street].cards)
    assert roots_of(form, parse_cut(text)) == roots


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("turn", "turn", "begins on the turn and cannot be cut at turn: there are river"),
        ("turn", "flop", "begins on the turn and cannot be cut at flop"),
        ("river", "river", "begins on the river and cannot be cut at river, its last street"),
        ("river", "public", "begins on the river and cannot be cut at public"),
        ("turn", "round=3", "cannot be cut at round=3"),
        ("turn", "depth=9", "cannot be cut at depth=9: nobody decides anything there"),
        ("turn", "all-in 131, fold", "nobody decides anything after"),
        ("turn", "chekc", "chekc"),
        ("turn", "check, check, Td", "Td"),
    ],
)
def test_where_spots_cannot_be_cut(name, text, message):
    with pytest.raises(BadInputError, match=message):
        roots_of(form_of_spot(SPOTS[name]), text)


def test_the_way_to_a_node():
    form = form_of_spot(SPOTS["turn"])
    for node in range(len(form.node_kind)):
        at = 0
        for above, slot in way_to(form, node):
            while at != above:  # cards alone lead on
                assert form.node_child_end[at] - form.node_child_begin[at] == 1
                at = form.node_child_begin[at]
            at = form.node_child_begin[at] + slot
        assert at == node or form.node_child_begin[at] == node


# --- what is left alone -------------------------------------------------------------------------


def test_only_the_part_changes():
    strategy = random_strategy(form_of_spot(SPOTS["turn"]), 1)
    form, before = strategy.form, tables_of(strategy)
    (root,) = roots_of(form, "check, check, 2c")
    trunk = PublicTrunk.of(form, (root,), strategy)
    parts = PublicParts.of(trunk, strategy)
    assert parts.resolve(0, "gadget", find_algorithm("cfr"), 10) > 0
    after = tables_of(parts.strategy())
    for place, table in before.items():
        is_new = np.abs(after[place] - table) > 1e-6
        if place[0] == 0:
            assert not is_new.any()
        else:
            assert np.flatnonzero(is_new.any(axis=(1, 2))).tolist() == [root.board]
    np.testing.assert_array_equal(tables_of(strategy)[1, 0], before[1, 0])


@pytest.mark.parametrize("method", ["gadget", "unsafe"])
def test_a_player_who_never_goes_there_keeps_his_strategy(method):
    form = form_of_spot(SPOTS["turn"])
    tables = tables_of(random_strategy(form, 1))
    tables[0, 0][:, 0], tables[0, 0][:, 1] = 0.0, 1.0  # never checks
    strategy = PublicStrategy.from_probabilities(form, tables)
    roots = roots_of(form, "check, check, 2c")
    trunk = PublicTrunk.of(form, roots, strategy)
    parts = PublicParts.of(trunk, strategy)
    error = parts.resolve(0, method, find_algorithm("cfr"), 10)
    assert (error > 0) == (method == "gadget")
    before, after = tables_of(strategy), tables_of(parts.strategy())
    np.testing.assert_array_equal(after[1, 0], before[1, 0])
    assert (after[1, 1] != before[1, 1]).any() == (method == "gadget")


def test_a_spot_with_locks_is_refused():
    spot = Spot(
        *("Td9d6hQc", "QdQh,JcTc", "9c9s,AcJc", 97, 131), locks=[Lock("", {"check": "QdQh"})]
    )
    solver = VectorSolver(form_of_spot(spot), find_algorithm("cfr").recipe)
    strategy = solver.strategy()
    trunk = PublicTrunk(strategy.form, (PartRoot(0, 0, 0),), (np.ones((1, 2)),) * 2, ())
    with pytest.raises(BadInputError, match="locks cannot be re-solved in parts"):
        PublicParts.of(trunk, strategy)


@pytest.mark.parametrize("method", ["margin", "safe", ""])
def test_methods_that_nobody_knows_are_refused(method):
    strategy = random_strategy(form_of_spot(SPOTS["turn"]), 1)
    parts = PublicParts.of(trunk_of(strategy, "check"), strategy)
    with pytest.raises(BadInputError, match="no method"):
        parts.resolve(0, method, find_algorithm("cfr"), 1)
