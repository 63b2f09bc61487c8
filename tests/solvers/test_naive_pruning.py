"""The naive twins of regret-based pruning: what the papers promise of them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games_for_tests
import naive
import naive_pruning
from games_for_tests import matrix_game, random_game, rps_and_a_bad_row
from infoset.games import make

both = pytest.mark.parametrize("plus", [False, True], ids=["cfr", "cfr+"])
PRUNED = [naive_pruning.Interval, naive_pruning.Total]


def ran(twin, iterations):
    for _ in range(iterations):
        twin.iterate()
    return twin


def plain(game, plus, partial=False):
    return naive_pruning.Plain(game, plus=plus, partial=partial)


# --- without pruning, and with partial pruning --------------------------------------------------


@both
@pytest.mark.parametrize("game", [make("kuhn"), random_game(3, deal=True)], ids=lambda g: g.name)
def test_the_unpruned_twin_is_the_other_naive_twin(game, plus):
    ours = plain(game, plus)
    other = naive.Cfr(game, alternating=True, instant=False, predictive=False)
    for t in range(1, 31):
        ours.iterate()
        floor = 0.0 if plus else float("-inf")
        other.iterate(naive.Step(1, 1, 1, floor, 1, t if plus else 1))
        for key, actions in ours.actions.items():
            for action in actions:
                expected = other.averages[key][action]
                assert ours.averages[key, action] == pytest.approx(expected, rel=1e-11, abs=1e-12)


def test_cfr_plus_on_leduc_is_that_of_open_spiel():
    twin = ran(plain(make("leduc"), plus=True, partial=True), 100)
    assert twin.exploitability() == pytest.approx(0.013416, abs=1e-6)


@both
@given(game=games_for_tests.games())
@settings(max_examples=30, deadline=None)
def test_partial_pruning_changes_no_bit(game, plus):
    histories = naive.Histories(game)
    whole, partial = (ran(plain(histories, plus, skip), 12) for skip in (False, True))
    assert partial.averages == whole.averages
    assert partial.regrets == whole.regrets
    assert partial.nodes_touched <= whole.nodes_touched == 12 * 2 * len(whole.family.chance)


@both
def test_partial_pruning_touches_fewer_nodes(plus):
    whole, partial = (ran(plain(make("kuhn"), plus, skip), 50) for skip in (False, True))
    assert whole.nodes_touched == 50 * 2 * 58
    assert partial.nodes_touched < 0.85 * whole.nodes_touched


# --- Theorem 1 ----------------------------------------------------------------------------------


class Watched(naive_pruning.Total):
    """Total RBP that also writes down, without pruning, what each player was faced with."""

    def __init__(self, game, **options):
        super().__init__(game, **options)
        self.log = [[], []]
        self.was_set = set()
        self.seen_pruned = 0

    def _check(self, sequence):
        super()._check(sequence)
        if sequence not in self.pruned:
            self.was_set.update(self.family.below(sequence))

    def _prune(self, player, plan, values):
        strategy = {key: dict(played) for key, played in self.strategy.items()}
        self.log[player].append((self.weight(self.t), strategy))
        super()._prune(player, plan, values)
        for key, action in self.pruned:
            if key[0] == player:
                self._verify(key, action)

    def _verify(self, key, action):
        """No way to go on after a pruned action has positive regret: all are tried."""
        player = key[0]
        below = list(self.family.below((key, action)))
        choices = list(itertools.product(*(self.actions[k] for k in below)))
        if len(choices) > 64:
            return
        self.seen_pruned += 1
        total = dict.fromkeys(choices, 0.0)
        played = 0.0
        for weight, strategy in self.log[player]:
            reach = naive.reach_of_others(self.histories, strategy, player)
            nodes = self.histories.infosets[key]
            played += weight * sum(reach[h] * naive.utility(h, strategy, player) for h in nodes)
            for choice in choices:
                pure = dict(strategy)
                for k, taken in zip(below, choice, strict=True):
                    pure[k] = {a: float(a == taken) for a in self.actions[k]}
                total[choice] += weight * sum(
                    reach[h] * naive.utility(h.children[action], pure, player) for h in nodes
                )
        # Equation (8) replaces what was played by a best response; elsewhere V is what was played.
        if key not in self.was_set:
            assert self.sums[key] == pytest.approx(played, rel=1e-9, abs=1e-9)
        best = max(total.values())
        assert best - self.sums[key] <= 1e-9
        assert best - self.sums[key] <= self.pruned[key, action] + 1e-9


@both
@given(seed=st.integers(0, 10_000), depth=st.integers(2, 4), every=st.sampled_from([1, 3]))
@settings(max_examples=15, deadline=None)
def test_a_pruned_action_has_no_positive_regret(seed, depth, every, plus):
    ran(Watched(random_game(seed, depth), plus=plus, every=every), 12)


@both
def test_theorem_1_is_tested_on_pruned_actions(plus):
    twin = ran(Watched(make("kuhn"), plus=plus, every=1), 15)
    assert twin.seen_pruned > 50


# --- convergence --------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("kind", PRUNED)
def test_exploitability_falls_on_kuhn(kind, plus):
    unpruned = ran(plain(make("kuhn"), plus), 300)
    twin = ran(kind(make("kuhn"), plus=plus), 300)
    assert twin.exploitability() < (5 if plus else 1.5) * unpruned.exploitability()
    assert twin.nodes_touched < 0.75 * unpruned.nodes_touched


@both
@pytest.mark.parametrize("kind", PRUNED)
def test_exploitability_falls_on_leduc(kind, plus):
    """At 100 iterations CFR has 0.0957 and CFR+ 0.0134; it touches 1,891,400 nodes."""
    twin = ran(kind(make("leduc"), plus=plus), 100)
    assert twin.exploitability() < (2.5 * 0.0134 if plus else 1.2 * 0.0957)
    assert twin.nodes_touched < (0.6 if plus else 0.45) * 1_891_400


@given(game=games_for_tests.games(), plus=st.booleans(), slack=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_any_game_can_be_pruned(game, plus, slack):
    for kind in PRUNED:
        twin = ran(kind(game, plus=plus, slack=slack), 25)
        for key in twin.actions:
            if twin.is_awake(key):
                assert sum(twin.strategy[key].values()) == pytest.approx(1)
                assert twin.awake_actions(key)
        assert twin.exploitability() >= -1e-9


# --- games made for it --------------------------------------------------------------------------


@both
def test_an_action_in_no_best_response_is_pruned_for_good(plus):
    twin = ran(naive_pruning.Total(rps_and_a_bad_row(), plus=plus, threshold=0.5), 30)
    bad = ((0, "row"), "bad")
    for _ in range(120):
        twin.iterate()
        assert bad in twin.pruned
        assert (0, "bad0") not in twin.regrets
    # Everything below it is forgotten, its average too.
    assert twin.averages[bad] == 0
    # The game has 31 actions: 4 rows, 3 columns, 2 after each of 12 pairs; 6 are below the bad row.
    regrets, averages = twin.space()
    assert regrets == 31 - 6
    assert averages <= 31 - 7
    assert max(twin.dropped_mass(player) for player in (0, 1)) <= twin.allowed_mass()


@both
@pytest.mark.parametrize("kind", PRUNED)
def test_a_pruned_action_that_becomes_good_is_found(kind, plus):
    """The second row is bad against uniform play (-4.5 to 1), and played 4/15 in equilibrium."""
    options = {"every": 1} if kind is naive_pruning.Total else {}
    twin = kind(matrix_game([[3, -1], [-10, 1]]), plus=plus, **options)
    second = ((0, "row"), "r1")
    ran(twin, 1)
    assert second in twin.pruned
    ran(twin, 1_500)
    assert twin.average_strategy()[0, "row"]["r1"] == pytest.approx(4 / 15, abs=0.03)
    assert twin.exploitability() < 0.1


# --- slack and threshold ------------------------------------------------------------------------


def test_slack_prunes_less():
    pruned = [
        len(ran(naive_pruning.Total(make("kuhn"), every=1, slack=slack), 20).pruned)
        for slack in (0, 5, 100)
    ]
    assert pruned[0] > 0
    assert pruned == sorted(pruned, reverse=True)
    assert pruned[-1] < pruned[0]


def test_what_is_dropped_is_bounded():
    twin = ran(naive_pruning.Total(make("leduc"), threshold=0.1), 60)
    regrets, averages = twin.space()
    assert regrets < 2_184
    assert averages < 2_184
    for player in (0, 1):
        assert 0 < twin.dropped_mass(player) <= twin.allowed_mass()
    assert twin.exploitability() < 0.25
