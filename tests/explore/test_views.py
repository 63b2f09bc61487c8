"""Views of nodes against the plain game, the evaluation's own values, and each other."""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from infoset.cards import (
    CLASS_NAMES,
    HAND_CLASS,
    HAND_FIRST,
    HAND_SECOND,
    format_cards,
    format_hand,
    hand_of,
    strengths,
)
from infoset.evaluation.public import PublicEvaluation
from infoset.explore.views import _Viewer, view_node
from infoset.forms.betting_tree import NodeKind
from infoset.forms.boards import hands_renamed
from infoset.forms.paths import find_node
from infoset.forms.public_tables import node_numbers
from infoset.games import CHANCE, TERMINAL
from infoset.games.holdem.betting import RIVER as RIVER_STREET
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_recipe
from infoset.strategy import PublicStrategy
from spots_for_tests import spot_solver

# In each, both players may hold the same hand.
SINGLE = 1e-5
"""Of the pot: how far single precision may be off."""

RIVER = Spot("Ks9h7d4c2s", "AA,KK:0.5,QJs,T8s", "9s9d,AKo:0.25,J8s,33,T8s:0.5", 100, 250)
TURN = Spot(
    "Td9d6hQc",
    "QQ:0.5,JcTc",
    "9c9s,JcTc,8d7d:0.75",
    97,
    131,
    bet_sizes={"bet": "37%, a", "raise": "a"},
)
# Clubs, diamonds and spades are alike.
ALIKE_TURN = Spot(
    "QhJh2h7h",
    "AA,KsTs,KcTc,KdTd,AhTh",
    "JcJd,JsJc,JdJs,AcKc:0.5,AdKd:0.5,AsKs:0.5,AhTh",
    60,
    145,
    bet_sizes={"bet": "50%, a", "raise": "a"},
)
ALIKE_FLOP = Spot(
    "QhJh2h",
    "AsAd,AcAd,AsAc,KsTs,KcTc,KdTd",
    "JcJd,JsJc,JdJs,AhTh:0.5,5c4d,5d4s,5s4c,5d4c,5s4d,5c4s",
    60,
    45,
    bet_sizes={"bet": "a", "raise": "a"},
)
ALIKE_SUITS = [suits for suits in itertools.permutations(range(4)) if suits[2] == 2]


def solved(spot, iterations=4, algorithm="dcfr"):
    """After few iterations, strategies are mixed."""
    solver = spot_solver(spot, find_recipe(algorithm))
    solver.run(iterations)
    return solver.strategy()


def filled(spot):
    """A strategy with averages that depend on everything but the names of suits, exactly.

    What suits a board and a hand have in common is the same under any names. Iterations in single
    precision would leave hands that are alike with strategies that are almost the same.
    """
    uniform = solved(spot, iterations=0)
    form, layout, tree = uniform.form, uniform.layout, uniform.form.tree
    chances = {
        (street, player): np.zeros_like(uniform.probabilities(street, player))
        for street in range(form.num_streets)
        for player in (0, 1)
    }
    for street in range(form.num_streets):
        nodes = np.arange(*tree.street_begin[spot.street + street :][:2])
        nodes = nodes[tree.node_kind[nodes] == NodeKind.DECISION]
        for number, board in enumerate(form.streets[street].cards.tolist()):
            kind_of_suit = [sum(7 ** (c // 4 % 5) for c in board if c % 4 == s) for s in range(4)]
            kind = np.array([31 * (card // 4) + 101 * kind_of_suit[card % 4] for card in range(52)])
            for node in nodes:
                player = tree.node_player[node]
                hands = form.hand_numbers[player]
                of_hand = kind[HAND_FIRST[hands]] * kind[HAND_SECOND[hands]]
                betting = layout.bettings[street][player]
                n = betting.nodes.index(node)
                slot, actions = betting.node_slot[n] - betting.num_lines, betting.node_actions[n]
                for action in range(actions):
                    weights = 1 + (of_hand + 17 * int(node) + 59 * action) % 97
                    chances[street, player][number, slot + action] = weights / 128
    return PublicStrategy.from_probabilities(form, chances)


def cards_of_hand(hand):
    return {int(HAND_FIRST[hand]), int(HAND_SECOND[hand])}


class Twin:
    """The plain game with a strategy's averages, played through history by history.

    For spots without suits that are alike: every board is played as itself.
    """

    def __init__(self, averages):
        self.averages = averages
        self.form, self.tree = averages.form, averages.form.tree
        self.strategies = {}
        spot = self.form.spot
        oop, ip = spot.ranges
        self.weights = {
            (a, b): oop.weights[a] * ip.weights[b]
            for a in oop.hands.tolist()
            for b in ip.hands.tolist()
            if not cards_of_hand(a) & cards_of_hand(b)
        }
        self.chance = {}
        """(player, node, board, hand): how often the player's own actions lead there."""
        self.payoff = {}
        """(node, board): for both hands, what player 0 wins in the end beyond half the pot."""
        for hand0, hand1 in self.weights:
            state = spot.root().child(format_hand(hand0)).child(format_hand(hand1))
            self.play(state, 0, (hand0, hand1), (1.0, 1.0))

    def strategy(self, state, node, hand):
        key = state.player, state.infoset
        if key not in self.strategies:
            self.strategies[key] = self.looked_up(state, node, hand)
        return self.strategies[key]

    def looked_up(self, state, node, hand):
        player, layout = state.player, self.averages.layout
        dealt = state.public.board[len(self.form.spot.board) :]
        street = len(dealt)
        board = self.form.dealt(street).index(dealt)
        table = self.averages.averages[street][player]
        taken = node_numbers(layout, street, player, board, node, table)
        rows = layout.rows[street][player]
        here = rows.hand[rows.begin[board] :][: rows.num_live[board]]
        (row,) = np.flatnonzero(self.form.hand_numbers[player][here] == hand)
        taken = taken[:, row].astype(float)
        return taken / taken.sum() if taken.sum() else np.full(len(taken), 1 / len(taken))

    def play(self, state, node, hands, plans):
        tree, place = self.tree, (node, state.public.board)
        for player in (0, 1):
            self.chance[player, *place, hands[player]] = plans[player]
        value = 0.0
        if state.player == TERMINAL:
            value = float(state.payoff)
        elif state.player == CHANCE:
            # The board of an all-in is dealt out at one node.
            is_all_in = tree.node_kind[node] == NodeKind.SHOWDOWN
            after = node if is_all_in else int(tree.node_child_begin[node])
            for action, probability in state.chance:
                value += float(probability) * self.play(state.child(action), after, hands, plans)
        else:
            strategy = self.strategy(state, node, hands[state.player])
            first = int(tree.node_child_begin[node])
            for n, (action, plays) in enumerate(zip(state.actions, strategy, strict=True)):
                after = list(plans)
                after[state.player] *= plays
                value += plays * self.play(state.child(action), first + n, hands, after)
        self.payoff.setdefault(place, {})[hands] = value
        return value

    def values(self, player, node, board, *, child=None):
        """What each hand is worth at a node, or after an action there."""
        tree = self.tree
        sums, total = defaultdict(float), defaultdict(float)
        won = self.payoff[node if child is None else child, board]
        for pair in self.payoff[node, board]:
            hand, other = pair[player], pair[1 - player]
            weight = float(self.weights[pair]) * self.chance[1 - player, node, board, other]
            sums[hand] += weight * (won[pair] if player == 0 else -won[pair])
            total[hand] += weight
        gone = tree.spot.pot / 2 + int(tree.node_put[node, player])
        return {hand: sums[hand] / total[hand] + gone for hand in sums if total[hand] > 0}


def path_of(tree, node, cards):
    left = iter(cards)
    steps = tree.path(node).split(", ")
    return ", ".join(format_cards([next(left)]) if step == "deal" else step for step in steps)


def places(tree, number, seed=0):
    """Some nodes of a spot, with cards at random."""
    draw = random.Random(seed)
    left = [card for card in range(52) if card not in tree.spot.board]
    nodes = range(tree.num_nodes)
    for node in draw.sample(nodes, min(number, len(nodes))):
        yield node, path_of(tree, node, draw.sample(left, 2))


def assert_same_as_twin(twin, view, node):
    tree = twin.tree
    ranges = tree.spot.ranges
    for player in (0, 1):
        expected = twin.values(player, node, view.board)
        for row, hand in enumerate(view.hands[player].tolist()):
            plan = twin.chance.get((player, node, view.board, hand))
            if plan is None:
                continue  # a hand that meets none is never dealt
            weight = ranges[player].weights[hand]
            assert view.reach[player][row] == pytest.approx(weight * plan, rel=1e-9, abs=1e-12)
            if hand in expected:
                assert view.values[player][row] == pytest.approx(
                    expected[hand], abs=SINGLE * view.pot
                )
            else:
                assert np.isnan(view.values[player][row])
    if view.player is None:
        assert view.strategy.size == view.action_values.size == 0
        return
    begin, end = tree.node_child_begin[node], tree.node_child_end[node]
    assert view.actions == tuple(tree.action_text(child) for child in range(begin, end))
    for action, child in enumerate(range(begin, end)):
        expected = twin.values(view.player, node, view.board, child=child)
        for row, hand in enumerate(view.hands[view.player].tolist()):
            if hand in expected:
                found = view.action_values[action, row]
                assert found == pytest.approx(expected[hand], abs=SINGLE * view.pot)


def test_rivers_are_worth_what_the_plain_game_says():
    strategy = solved(RIVER)
    twin, tree = Twin(strategy), strategy.form.tree
    for node in range(tree.num_nodes):
        assert_same_as_twin(twin, view_node(strategy, tree.path(node)), node)


def test_turns_are_worth_what_the_plain_game_says():
    """All-in before the river, cards that are due, and all that follows them."""
    strategy = solved(TURN)
    twin, tree = Twin(strategy), strategy.form.tree
    kinds = set()
    turns = [(node, tree.path(node)) for node in range(tree.street_begin[RIVER_STREET])]
    for node, path in [*turns, *places(tree, 40)]:
        assert_same_as_twin(twin, view_node(strategy, path), node)
        kinds.add((int(tree.node_street[node]), NodeKind(tree.node_kind[node])))
    assert len(kinds) == 7


def test_before_the_first_iteration_everything_is_uniform():
    strategy = solved(RIVER, iterations=0)
    twin = Twin(strategy)
    for node, path in places(strategy.form.tree, 10):
        view = view_node(strategy, path)
        assert_same_as_twin(twin, view, node)
        assert np.all(view.strategy == 1 / max(len(view.strategy), 1))


@pytest.mark.parametrize("rake", [Rake(), Rake(0.07, cap=9)], ids=["no rake", "rake"])
@pytest.mark.parametrize("name", ["RIVER", "TURN", "ALIKE_TURN"])
def test_the_root_is_worth_what_the_evaluation_says(name, rake):
    """Suits that are alike are dealt one by one here, and once for all in the evaluation."""
    strategy = filled(replace(globals()[name], rake=rake))
    view = view_node(strategy)
    for player in (0, 1):
        expected = PublicEvaluation.of(strategy).values()[player] + view.pot / 2
        assert view.value(player) == pytest.approx(expected, abs=2e-6 * view.pot)


@pytest.mark.slow
def test_a_flop_is_worth_what_the_evaluation_says():
    """Two deals, each with suits that are alike: a renaming the wrong way round would be seen."""
    strategy = filled(ALIKE_FLOP)
    view = view_node(strategy)
    for player in (0, 1):
        expected = PublicEvaluation.of(strategy).values()[player] + view.pot / 2
        assert view.value(player) == pytest.approx(expected, abs=2e-6 * view.pot)


@pytest.mark.parametrize("spot", [RIVER, TURN, ALIKE_TURN])
def test_the_players_share_the_pot(spot):
    strategy = solved(spot)
    for _, path in places(strategy.form.tree, 25, seed=1):
        view = view_node(strategy, path)
        assert view.weights[0].sum() == pytest.approx(view.weights[1].sum(), rel=1e-9)
        if view.weights[0].sum() > 0:
            assert view.value(0) + view.value(1) == pytest.approx(view.pot, abs=SINGLE * view.pot)
            assert view.equity(0) + view.equity(1) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("spot", [RIVER, ALIKE_TURN])
def test_a_decision_is_worth_the_mean_of_its_actions(spot):
    strategy = solved(spot)
    tree = strategy.form.tree
    for node, path in places(tree, 15, seed=2):
        view = view_node(strategy, path)
        if view.player is None:
            continue
        place = find_node(tree, path)
        direct = _Viewer(strategy, 1)._node_values(place, view.hands, view.reach)
        for player in (0, 1):
            assert view.values[player] == pytest.approx(
                direct[player], abs=SINGLE * view.pot, nan_ok=True
            )
        assert view.strategy.sum(axis=0) == pytest.approx(1.0)
        means = (view.strategy * view.action_values).sum(axis=0)
        assert view.values[view.player] == pytest.approx(means, nan_ok=True)
        assert view.frequencies.sum() == pytest.approx(1.0, nan_ok=True)
        if tree.node_kind[node + 1] == NodeKind.FOLD and view.actions[0] == "fold":
            met = ~np.isnan(view.action_values[0])
            assert view.action_values[0][met] == pytest.approx(0.0, abs=SINGLE * view.pot)


def assert_renamed(first, second, suits):
    """Two views are one, but for the names of suits."""
    name = hands_renamed(suits)
    assert first.actions == second.actions
    for player in (0, 1):
        rows = {hand: row for row, hand in enumerate(second.hands[player].tolist())}
        order = [rows[hand] for hand in name[first.hands[player]].tolist()]
        assert sorted(order) == list(range(len(rows)))
        for field in ("reach", "weights", "values", "equities"):
            ours, theirs = (getattr(view, field)[player] for view in (first, second))
            assert ours == pytest.approx(theirs[order], abs=SINGLE * first.pot, nan_ok=True)
        if player == first.player:
            for field in ("strategy", "action_values"):
                ours, theirs = (getattr(view, field) for view in (first, second))
                assert ours == pytest.approx(theirs[:, order], abs=SINGLE * first.pot, nan_ok=True)


@pytest.mark.parametrize("suits", ALIKE_SUITS)
def test_boards_that_are_alike_look_alike(suits):
    """Also after two deals, where the second card is renamed twice."""
    strategies = {spot: filled(spot) for spot in (ALIKE_TURN, ALIKE_FLOP)}
    letter = ["cdhs"[suit] for suit in suits]
    for spot, path in [
        (ALIKE_TURN, "check, check, 9{3}, bet 50%"),
        (ALIKE_TURN, "bet 50%, call, 8{0}, check"),
        (ALIKE_FLOP, "check, check, 9{3}, check, check, 3{1}"),
        (ALIKE_FLOP, "check, check, 4{1}, check, check, 5{3}, check, all-in"),
        (ALIKE_FLOP, "check, check, 4{1}, check, check, 5{1}, all-in"),
    ]:
        strategy = strategies[spot]
        first = view_node(strategy, path.format(*"cdhs"))
        second = view_node(strategy, path.format(*letter))
        assert_renamed(first, second, suits)


def test_equities_are_counted():
    strategy = solved(TURN)
    view = view_node(strategy, "bet 37%, call")
    reach = dict(zip(view.hands[1].tolist(), view.reach[1].tolist(), strict=True))
    for row, hand in enumerate(view.hands[0].tolist()):
        won = met = 0.0
        for card in range(52):
            strength = strengths((*view.board, card)).astype(int) if card not in view.board else []
            for other, weight in reach.items():
                seen = [*cards_of_hand(hand), *cards_of_hand(other), *view.board]
                if len({*seen, card}) == len(seen) + 1:
                    won += weight * (1 + np.sign(strength[hand] - strength[other])) / 2
                    met += weight
        assert view.equities[0][row] == pytest.approx(won / met, abs=1e-12)


def test_hands_that_meet_nobody_have_no_value():
    spot = Spot("Ks9h7d4c2s", "AsAh,QQ", "AhAd", 100, 100, {"bet": "a", "raise": ""})
    view = view_node(solved(spot), "check")
    (row,) = np.flatnonzero(view.hands[0] == hand_of("AsAh"))
    assert np.isnan(view.values[0][row])
    assert np.isnan(view.equities[0][row])
    assert view.weights[0][row] == 0
    assert np.isfinite(np.delete(view.values[0], row)).all()
    assert view.as_dict()["players"][0]["values"][row] is None


def test_what_is_bet_and_not_called_is_not_raked():
    spot = Spot("Ks9h7d4c2s", "AA", "QQ", 100, 100, {"bet": "50%", "raise": ""}, rake=0.1)
    strategy = solved(spot)
    folded = view_node(strategy, "bet 50%, fold")
    assert folded.pot == 150
    # The pot of 100 is raked, and the bet of 50 goes back.
    assert folded.value(0) == pytest.approx(140)
    assert folded.value(1) == pytest.approx(0)
    called = view_node(strategy, "bet 50%, call")
    assert called.value(0) == pytest.approx(180)


def test_classes_are_the_means_of_their_hands():
    view = view_node(solved(RIVER), "check, bet 50%")
    for player in (0, 1):
        table = view.by_class(player)
        assert table.strategy.shape == (len(view.actions) if player == 0 else 0, 13, 13)
        for i, j in itertools.product(range(13), range(13)):
            high, low = "AKQJT98765432"[min(i, j)], "AKQJT98765432"[max(i, j)]
            combos = [
                {high + a, low + b}
                for a, b in itertools.product("cdhs", "cdhs")
                if (a == b if i < j else a != b)
                if not {high + a, low + b} & {"Ks", "9h", "7d", "4c", "2s"}
            ]
            rows = [
                row
                for row, hand in enumerate(view.hands[player].tolist())
                if {format_hand(hand)[:2], format_hand(hand)[2:]} in combos
            ]
            num_combos = len({frozenset(combo) for combo in combos})
            weights = view.weights[player][rows]
            assert table.weight[i, j] == pytest.approx(weights.sum())
            share = view.reach[player][rows].sum() / max(num_combos, 1)
            assert table.reach[i, j] == pytest.approx(share)
            if weights.sum() == 0:
                assert np.isnan(table.value[i, j])
                continue
            for ours, numbers in [
                (table.value, view.values[player]),
                (table.equity, view.equities[player]),
                *zip(table.strategy, view.strategy, strict=False),
            ]:
                if len(numbers) == len(view.hands[player]):
                    expected = (numbers[rows] * weights).sum() / weights.sum()
                    assert ours[i, j] == pytest.approx(expected)
    assert np.isnan(view.by_class(0).value).sum() == 169 - 4


def test_classes_have_shares_of_the_range():
    """By all pairs: how likely a player is to have come to the node with a hand of a class."""
    for path in ("", "check", "check, bet 50%"):
        view = view_node(solved(RIVER), path)
        for player in (0, 1):
            amounts = defaultdict(float)
            for own, reach in zip(view.hands[player].tolist(), view.reach[player], strict=True):
                cards = {HAND_FIRST[own], HAND_SECOND[own]}
                met = sum(
                    weight
                    for hand, weight in zip(
                        view.hands[1 - player].tolist(), view.reach[1 - player], strict=True
                    )
                    if not cards & {HAND_FIRST[hand], HAND_SECOND[hand]}
                )
                amounts[CLASS_NAMES[HAND_CLASS[own]]] += reach * met
            shares = dict(zip(CLASS_NAMES, view.by_class(player).share.flat, strict=True))
            shares = {name: share for name, share in shares.items() if share > 0}
            assert set(shares) == {name for name, n in amounts.items() if n > 0}
            total = sum(amounts.values())
            for name, share in shares.items():
                assert share == pytest.approx(amounts[name] / total, rel=1e-5)


def test_views_become_json():
    for path in ("", "check, check"):
        view = view_node(solved(TURN), path)
        read = json.loads(json.dumps(view.as_dict(), allow_nan=False))
        assert read["board"] == "Td9d6hQc"
        assert read["path"] == path
        assert read["actions"] == list(view.actions)
        assert read["players"][1]["hands"] == [format_hand(int(hand)) for hand in view.hands[1]]
        for name in ("reach", "weights", "values", "equities"):
            for player in (0, 1):
                assert read["players"][player][name] == getattr(view, name)[player].tolist()
        assert read["strategy"] == view.strategy.tolist()
        assert read["action_values"] == view.action_values.tolist()


def test_sixteen_bits_are_read_with_the_scales_of_their_own_decisions():
    """Who always bets has averaged nothing after a check, so those decisions have no scale.

    What a bet is worth is worked out with all decisions after it at once; and again with those
    after each answer apart, which must agree.
    """
    spot = Spot(
        "Ks9h7d4c2s",
        "AA,QJs,T8s,76s",
        "99,AKo,J8s,33",
        100,
        400,
        bet_sizes={"bet": "50%", "raise": "60%, a"},
        locks=[Lock("", {"bet 50": "random"})],
    )
    for bits in (32, 16):
        solver = spot_solver(spot, find_recipe("dcfr"), bits=bits)
        solver.run(30)
        strategy = solver.strategy()
        first, second = view_node(strategy), view_node(strategy, "bet 50")
        bet = first.actions.index("bet 50")
        assert first.frequencies[bet] == 1.0
        np.testing.assert_allclose(first.action_values[bet], second.values[0] - 50, atol=1e-3)
        # After a raise it is not all the same what is done.
        third = view_node(strategy, "bet 50, all-in 400")
        assert np.abs(third.strategy - 0.5).max() > 0.4
