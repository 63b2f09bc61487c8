"""Rivers with rake, against all pairs of hands and the whole betting tree, walked naively.

Every reference spot is without rake, and the sequence form only knows zero-sum games. So here is
what a raked pot pays, written down once more: what was bet and called is raked, and a tie splits
what the rake leaves.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import infoset
from infoset.cards import HAND_FIRST, HAND_SECOND, strengths
from infoset.evaluation import measure_strategy
from infoset.forms.betting_tree import NodeKind
from infoset.forms.spot_form import form_of_spot
from infoset.games.holdem.payoffs import Rake
from infoset.games.holdem.spot import Spot
from spots_for_tests import evaluated

MENU = {"bet": "50%, a", "raise": "a"}
# AQ against AQ is a tie, and worse than a pair of kings or queens. Some hands are in both ranges.
MIXED = (
    "Ks9h7d4c2s",
    "AQs,KJs:0.5,65s,QcQd:0.5",
    "AhQd,AcQs,QcQd,QcQh,65s,T8s:0.25",
    100,
    180,
    MENU,
)
# A straight flush lies on the board, so every showdown is a tie.
TIED = ("AsKsQsJsTs", "44,AcAd", "55,AhKh", 100, 90, MENU)
RAKES = {
    "no rake": Rake(0),
    "no cap": Rake(0.05),
    "a cap that no pot reaches": Rake(0.05, cap=1000),
    "a cap that called bets reach": Rake(0.05, cap=6.5),
    "a cap that every pot reaches": Rake(0.05, cap=3),
    "the house takes all": Rake(1.0),
}


class Naive:
    """A river as dictionaries: hands, weights, and what is played at (node, hand)."""

    def __init__(self, strategy):
        self.spot, self.tree = strategy.form.spot, strategy.form.tree
        self.strength = strengths(self.spot.board)
        self.weight = [
            {int(hand): float(held.weights[hand]) for hand in np.flatnonzero(held.weights)}
            for held in self.spot.ranges
        ]
        self.pairs = {
            (a, b): v * w
            for (a, v), (b, w) in product(self.weight[0].items(), self.weight[1].items())
            if not self.cards(a) & self.cards(b)
        }
        self.total = sum(self.pairs.values())
        self.played = {}
        for player in (0, 1):
            chances = strategy.probabilities(0, player)[0]
            at = 0
            for node in range(self.tree.num_nodes):
                if self.is_decision(node) and self.tree.node_player[node] == player:
                    for column, hand in enumerate(sorted(self.weight[player])):
                        rows = chances[at : at + len(self.children(node)), column]
                        self.played[node, hand] = rows.astype(float)
                    at += len(self.children(node))
            assert at == len(chances)

    @staticmethod
    def cards(hand):
        return {int(HAND_FIRST[hand]), int(HAND_SECOND[hand])}

    def is_decision(self, node):
        return self.tree.node_kind[node] == NodeKind.DECISION

    def children(self, node):
        return range(self.tree.node_child_begin[node], self.tree.node_child_end[node])

    def gains(self, node, player, hands):
        """Chips that a player has more at an end than before it all, less half of the pot."""
        put = [int(chips) for chips in self.tree.node_put[node]]
        called = self.spot.pot + 2 * min(put)
        house = float(self.spot.rake.share) * called
        if self.spot.rake.cap is not None:
            house = min(house, self.spot.rake.cap)
        if self.tree.node_kind[node] == NodeKind.FOLD:
            share = 0.0 if self.tree.node_player[node] == player else 1.0
        else:
            own, other = (int(self.strength[hands[p]]) for p in (player, 1 - player))
            share = 1.0 if own > other else 0.0 if own < other else 0.5
        back = put[player] - min(put)  # what nobody called
        return share * (called - house) + back - put[player] - self.spot.pot / 2

    def value(self, player):
        def follow(node, hands):
            if not self.is_decision(node):
                return self.gains(node, player, hands)
            chances = self.played[node, hands[self.tree.node_player[node]]]
            return sum(
                chance * follow(child, hands)
                for chance, child in zip(chances, self.children(node), strict=True)
            )

        return sum(weight * follow(0, pair) for pair, weight in self.pairs.items()) / self.total

    def best_response(self, player):
        """Each hand, knowing all that it may meet and how that plays, takes what is best."""

        def follow(node, hand, reach):
            if not self.is_decision(node):
                pairs = {b: (hand, b) if player == 0 else (b, hand) for b in reach}
                return sum(w * self.gains(node, player, pairs[b]) for b, w in reach.items())
            children = self.children(node)
            if self.tree.node_player[node] == player:
                return max(follow(child, hand, reach) for child in children)
            return sum(
                follow(child, hand, {b: w * self.played[node, b][k] for b, w in reach.items()})
                for k, child in enumerate(children)
            )

        won = 0.0
        for hand in self.weight[player]:
            met = {
                pair[1 - player]: weight
                for pair, weight in self.pairs.items()
                if pair[player] == hand
            }
            won += follow(0, hand, met)
        return won / self.total


@pytest.mark.parametrize("rake", RAKES)
@pytest.mark.parametrize("river", [MIXED, TIED], ids=["some ties", "all ties"])
def test_raked_rivers_by_brute_force(river, rake):
    solution = infoset.solve(Spot(*river, rake=RAKES[rake]), "dcfr", iterations=5)
    naive = Naive(solution.strategy)
    half = naive.spot.pot / 2
    values = [naive.value(player) for player in (0, 1)]
    best = [naive.best_response(player) for player in (0, 1)]
    assert [value - half for value in solution.values] == pytest.approx(values, abs=1e-4)
    assert evaluated(solution).best_response_values() == pytest.approx(best, abs=1e-4)
    exploitability = (sum(best) - sum(values)) / 2
    assert exploitability > 0.1
    assert solution.exploitability == pytest.approx(exploitability, abs=1e-4)
    measured = measure_strategy(solution.strategy)
    assert measured.values == pytest.approx([half + value for value in values], abs=1e-4)
    assert measured.best_response_values == pytest.approx([half + b for b in best], abs=1e-4)
    assert measured.exploitability == pytest.approx(exploitability, abs=1e-4)
    # What is missing from the sum went to the house.
    assert (sum(values) < -1) == (rake != "no rake")


def test_an_equilibrium_of_a_raked_river_is_hardly_exploitable():
    """Without the rake in the sum, the best responses together lose, and it would be zero."""
    solution = infoset.solve(Spot(*MIXED, rake=Rake(0.05, cap=8)), "dcfr", iterations=500)
    naive = Naive(solution.strategy)
    best = [naive.best_response(player) for player in (0, 1)]
    exploitability = (sum(best) - naive.value(0) - naive.value(1)) / 2
    assert sum(best) < 0 < exploitability < 0.1
    assert solution.exploitability == pytest.approx(exploitability, abs=1e-4)


def test_a_tie_splits_what_the_rake_leaves():
    """By hand: a pot of 100 and no bets, of which 5 go to the house, leaves 47.5 to each."""
    spot = Spot(*TIED[:5], bet_sizes={"bet": "", "raise": ""}, rake=0.05)
    solution = infoset.solve(spot, "cfr", iterations=1)
    assert solution.values == pytest.approx((47.5, 47.5), abs=1e-5)
    assert solution.exploitability == 0.0


def test_what_ends_pay_by_hand():
    """A pot of 100, a bet of 50: 200 in the middle if it is called, and 100 of it if it is not."""
    menu = {"oop": {"bet": "50%"}, "ip": {"bet": "", "raise": ""}}
    form = form_of_spot(Spot(*MIXED[:5], menu, rake=Rake(0.05, cap=8)))
    tree = form.tree
    pays = {tree.path(node): form.terminal_payoffs[node].tolist() for node in range(tree.num_nodes)}
    assert pays["check, check"] == [[45, -2.5, -50]] * 2
    assert pays["bet 50, call 50"] == [[92, -4, -100]] * 2  # the cap: 10 would be 5%
    assert pays["bet 50, fold"] == [[45] * 3, [-50] * 3]
    assert not form.is_zero_sum
