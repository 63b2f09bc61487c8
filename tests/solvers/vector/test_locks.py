"""Locked strategies, against plain games in which chance plays what is locked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.cards import Range, hand_of
from infoset.explore.views import view_node
from infoset.forms import boards
from infoset.forms.betting_tree import build_betting_tree
from infoset.forms.paths import find_node
from infoset.forms.public_tables import locked_numbers
from infoset.games import CHANCE
from infoset.games.holdem.game import HoldemDeal
from infoset.games.holdem.locks import Lock
from infoset.games.holdem.spot import Spot
from infoset.solvers.algorithms import find_recipe
from infoset.solvers.recipe import Recipe
from infoset.solvers.solving import predicted_bytes
from public_history import public_history_of
from spots_for_tests import evaluated, spot_solver

SIZES = {"bet": "50%, a", "raise": "a"}
RIVER = Spot(
    "Ks9h7d4c2s", "AsAh,AdAc,KhQh:0.5,QdJd,Tc8c,7c6c", "99,4h4d,KcQc:0.5,Jh8h,6h5h", 96, 131, SIZES
)
TURN = Spot("Td9d6cQc", "AhAs,8h7h,8s7s", "QhQs,JcJd", 100, 120, {"bet": "a", "raise": ""})
"""Hearts and spades are alike."""


@dataclass(frozen=True)
class LockedGame:
    """A spot as a plain game; what is locked is a move of chance.

    ``locked``: for a public history, the ranges of all actions that are taken at all.
    """

    game: Spot
    locked: dict
    name = "locked spot"

    def root(self):
        return LockedState(self.game.root(), self)


@dataclass(frozen=True)
class LockedState:
    state: HoldemDeal
    game: LockedGame

    @property
    def shares(self):
        """What the hand does here, if it is locked."""
        state = self.state
        if state.player not in (0, 1):
            return None
        ranges = self.game.locked.get(state.public.public_history, {})
        hand = state.game.hands[state.hand0 if state.player == 0 else state.hand1]
        shares = {action: held.weight(hand) for action, held in ranges.items()}
        return {action: share for action, share in shares.items() if share > 0} or None

    @property
    def player(self):
        return CHANCE if self.shares else self.state.player

    @property
    def chance(self):
        return list(self.shares.items()) if self.shares else self.state.chance

    def child(self, action):
        return replace(self, state=self.state.child(action))

    def __getattr__(self, name):
        return getattr(self.state, name)


def plain(spot):
    """The plain game; locks have the full names of actions, and no action is left out."""
    game = replace(spot, locks=())
    tree = build_betting_tree(game)
    locked = {}
    for lock in spot.locks:
        place = find_node(tree, lock.path)
        children = range(tree.node_child_begin[place.node], tree.node_child_end[place.node])
        names = {tree.action_text(child) for child in children}
        assert names >= {action for action, _ in lock.strategy}
        locked[public_history_of(place.text)] = dict(lock.strategy)
    return LockedGame(game, locked)


def exact(spot):
    """What player 0 wins, by the linear program."""
    return infoset.solve(plain(spot), "lp").value


def solved(spot, algorithm="pcfr+", iterations=1500, **options):
    solver = spot_solver(spot, find_recipe(algorithm), iterations, **options)
    solver.run(iterations)
    return solver


def locked(spot, *locks):
    return replace(spot, locks=locks)


# Full names of actions and all their ranges, so that a plain game can be made of them.
MIXED = Lock("", {"check": "AA:0.25,Tc8c,QJ:0.5", "bet 48": "AA:0.75", "all-in 131": "QJ:0.5"})
CHECKS = Lock("check", {"check": "random"})
FOLDS = Lock("check, bet 48", {"fold": "AA,KhQh", "call 48": "Tc8c:0.5", "all-in 131": "Tc8c:0.5"})
LOCKS = {
    "one decision, some hands": (MIXED,),
    "one decision, all hands": (CHECKS,),
    "a decision further on": (FOLDS,),
    "both players": (MIXED, FOLDS, Lock("all-in", {"call 131": "random"})),
}


@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize(("algorithm", "bits"), [("pcfr+", 32), ("idcfr+", 16)])
def test_the_value_is_that_of_the_game_in_which_chance_plays_what_is_locked(name, algorithm, bits):
    spot = locked(RIVER, *LOCKS[name])
    value = exact(spot)
    assert abs(value - exact(RIVER)) > 0.1  # the locks matter
    solver = solved(spot, algorithm, bits=bits)
    assert solver.exploitability() < 0.02
    assert solver.evaluate().values == pytest.approx((value, -value), abs=1e-4)
    low, high = (
        -evaluated(solver).best_response_values()[1],
        evaluated(solver).best_response_values()[0],
    )
    assert low - 1e-4 <= value <= high + 1e-4


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr", "cfr+", "pcfr+", "idcfr+", "hedge"])
def test_locked_from_the_first_iteration_on(algorithm):
    """Of a player who is locked everywhere, best responses know all before anything is learnt."""
    spot = locked(RIVER, *every_decision(RIVER, 1))
    value = exact(spot)
    solver = solved(spot, algorithm, iterations=0)
    assert evaluated(solver).best_response_values()[0] == pytest.approx(value, abs=5e-5)
    for _ in range(3):
        solver.run(1)
        assert evaluated(solver).best_response_values()[0] == pytest.approx(value, abs=5e-5)
        assert evaluated(solver).best_response_values()[1] == pytest.approx(
            solver.evaluate().values[1], abs=5e-5
        )
    solver.run(300)
    assert solver.evaluate().values[0] == pytest.approx(value, abs=0.5)


def test_both_players_locked_everywhere():
    spot = locked(RIVER, *every_decision(RIVER, 0), *every_decision(RIVER, 1))
    value = exact(spot)  # nobody decides anything
    for bits in (32, 16):
        solver = solved(spot, iterations=0, bits=bits)
        assert solver.evaluate().values == pytest.approx((value, -value), abs=5e-5)
        assert solver.exploitability() == pytest.approx(0.0, abs=5e-5)
        solver.run(5)
        assert solver.evaluate().values == pytest.approx((value, -value), abs=5e-5)


def every_decision(spot, player):
    """Locks of a player everywhere, different for different hands and at different decisions."""
    tree = build_betting_tree(spot)
    rng = np.random.default_rng(7)
    for node in np.flatnonzero((tree.node_kind == 0) & (tree.node_player == player)).tolist():
        children = range(tree.node_child_begin[node], tree.node_child_end[node])
        shares = (
            rng.integers(0, 5, (len(children), 1326)) + (np.arange(len(children)) == 0)[:, None]
        )
        shares = shares / shares.sum(axis=0)
        yield Lock(
            tree.path(node),
            {tree.action_text(c): Range(s) for c, s in zip(children, shares, strict=True)},
        )


@pytest.mark.parametrize("bits", [32, 16])
def test_what_is_locked_is_played_exactly_and_the_rest_learns(bits):
    view = view_node(solved(locked(RIVER, MIXED), bits=bits).strategy())

    def row(view, hand):
        return view.strategy[:, view.hands[0].tolist().index(hand_of(hand))].tolist()

    assert view.actions == ("check", "bet 48", "all-in 131")
    assert row(view, "AsAh") == pytest.approx([0.25, 0.75, 0.0], abs=1e-6)
    assert row(view, "QdJd") == pytest.approx([0.5, 0.0, 0.5], abs=1e-6)
    assert row(view, "Tc8c") == [1.0, 0.0, 0.0]
    # Free, and worth a bluff or not: it does not stay at a third of each.
    assert max(row(view, "7c6c")) > 0.9


def test_what_is_hardly_ever_done_is_answered_as_well_as_the_rest():
    """Whole vectors of terminals are reached once in a billion hands, and count there all the same.

    Out of position has aces: kings, which are a set, win, and queens lose.
    """
    sizes = {"bet": "20%, 30%, 40%, 50%, 60%, a", "raise": "40%, 60%, a"}
    shares = {"check": Range(np.full(1326, 1e-9)), "all-in": Range(np.full(1326, 1 - 1e-9))}
    spot = Spot("Ks9h7d4c2s", "AsAh", "QhQd,KhKd", 96, 1310, sizes, locks=[Lock("", shares)])
    view = view_node(solved(spot, "cfr+", 100).strategy(), "check, bet 48, all-in")
    assert view.actions == ("fold", "call 1310")
    queens, kings = (view.hands[1].tolist().index(hand_of(hand)) for hand in ("QhQd", "KhKd"))
    assert view.strategy[0, queens] > 0.95
    assert view.strategy[1, kings] > 0.95


def test_a_locked_hand_that_never_comes_is_shown_as_it_is_locked():
    spot = locked(RIVER, Lock("", {"check": "random"}), Lock("bet 48, all-in", {"fold": "AA:0.3"}))
    view = view_node(solved(spot, iterations=20).strategy(), "bet 48, all-in")
    assert view.reach[0].max() == 0
    aces = view.hands[0].tolist().index(hand_of("AsAh"))
    assert view.strategy[:, aces].tolist() == pytest.approx([0.3, 0.7])


def test_who_is_locked_does_not_win_more():
    free = exact(RIVER)
    assert exact(locked(RIVER, CHECKS)) >= free
    assert exact(locked(RIVER, MIXED)) <= free
    assert solved(locked(RIVER, CHECKS)).evaluate().values[0] >= free - 1e-3
    assert solved(locked(RIVER, MIXED)).evaluate().values[0] <= free + 1e-3


@st.composite
def river_locks(draw):
    """A lock at any decision of the river: any hands, any shares."""
    tree = build_betting_tree(RIVER)
    node = draw(st.sampled_from(np.flatnonzero(tree.node_kind == 0).tolist()))
    children = range(tree.node_child_begin[node], tree.node_child_end[node])
    hands = RIVER.ranges[tree.node_player[node]].hands.tolist()
    chosen = draw(st.lists(st.sampled_from(hands), min_size=1, unique=True))
    weights = np.zeros((len(children), 1326))
    for hand in chosen:
        eighths = draw(st.lists(st.integers(0, 8), min_size=len(children) - 1, max_size=8))
        cuts = sorted(eighths[: len(children) - 1])
        weights[:, hand] = np.diff([0, *cuts, 8]) / 8
    ranges = {
        tree.action_text(child): Range(held)
        for child, held in zip(children, weights, strict=True)
        if held.any()
    }
    return Lock(tree.path(node), ranges)


@settings(max_examples=10, deadline=None)
@given(river_locks())
def test_any_lock(lock):
    spot = locked(RIVER, lock)
    value = exact(spot)
    solver = solved(spot, iterations=600)
    exploitability = solver.exploitability()
    assert exploitability < 0.05
    assert solver.evaluate().values[0] == pytest.approx(value, abs=2 * exploitability + 1e-3)
    view = view_node(solver.strategy(), lock.path)
    for action, held in lock.strategy:
        played = view.strategy[view.actions.index(action)]
        total = sum(each.weights for _, each in lock.strategy)[view.hands[view.player]]
        wanted = held.weights[view.hands[view.player]]
        assert played[total > 0] == pytest.approx(wanted[total > 0], abs=1e-6)


# Suits that are alike, and those that locks tell apart.

CALLS = Lock("all-in", {"call 120": "random"})
SYMMETRIC = {
    "all hands of a kind": ((Lock("", {"check": "AA:0.5,87s", "all-in 120": "AA:0.5"}),), 35),
    "a card of another suit": ((Lock("check, check, 2c", {"check": "8h7h,8s7s"}),), 35),
    "twins on twin cards": (
        (
            Lock("check, check, 2h", {"check": "8h7h,8s7s:0.5", "all-in 120": "8s7s:0.5"}),
            Lock("check, check, 2s", {"check": "8s7s,8h7h:0.5", "all-in 120": "8h7h:0.5"}),
        ),
        35,
    ),
    "one hand of two": ((Lock("", {"check": "8h7h"}),), 48),
    "a share of one hand": ((Lock("", {"check": "8h7h,8s7s:0.5", "all-in 120": "8s7s:0.5"}),), 48),
    "one card of two": ((CALLS, Lock("check, check, 2h", {"all-in 120": "AhAs"})), 48),
    "twin cards, but not twins": (
        (
            Lock("check, check, 2h", {"check": "8h7h"}),
            Lock("check, check, 2s", {"check": "8h7h"}),
        ),
        48,
    ),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_suits_are_alike_where_locks_leave_them_so(name, monkeypatch):
    """Against the linear program, and against a run in which no two suits are alike."""
    locks, num_boards = SYMMETRIC[name]
    spot = locked(TURN, *locks)
    solver = solved(spot, iterations=400)
    assert len(solver.layout.boards[1]) == num_boards
    value = exact(spot)
    assert solver.evaluate().values[0] == pytest.approx(value, abs=5e-3)
    seen = [
        view_node(solver.strategy(), path) for path in ("", "check, check, 2h", "check, check, 2s")
    ]
    monkeypatch.setattr(boards, "_RENAMINGS", ((0, 1, 2, 3),))
    other = solved(spot, iterations=400)
    assert len(other.layout.boards[1]) == 48
    assert solver.evaluate().values == pytest.approx(other.evaluate().values, abs=1e-3)
    for view in seen:
        twin = view_node(other.strategy(), view.path)
        assert view.value(0) == pytest.approx(twin.value(0), abs=0.05)
        for path, shares in ((lock.path, lock.strategy) for lock in locks):
            if path == view.path:
                for action, held in shares:
                    named = sum(each.weights for _, each in shares)[view.hands[view.player]] > 0
                    wanted = held.weights[view.hands[view.player]][named]
                    a = view.actions.index(action)
                    assert view.strategy[a][named] == pytest.approx(wanted, abs=1e-6)
                    assert twin.strategy[a][named] == pytest.approx(wanted, abs=1e-6)


FLOP = Spot("QsJh2h", "AcAd,KcTc,KdTd", "JcJd,AsTs:0.5", 60, 45, {"bet": "a", "raise": ""})
"""Clubs and diamonds are alike."""


@pytest.mark.parametrize(
    ("locks", "num_boards"),
    [
        # 23 turns of the other suits leave 35 rivers, 13 turns of these two leave 48.
        (
            (
                Lock("check", {"check": "JJ:0.5,AsTs", "all-in 45": "JJ:0.5"}),
                Lock("check, check, 3s", {"check": "KTs", "all-in 45": "AA"}),
            ),
            23 * 35 + 13 * 48,
        ),
        (
            (
                Lock("check, check, 3d", {"check": "KcTc"}),
                Lock("check, check, 3c", {"check": "KdTd"}),
                Lock("check, check, 4s, check, check, 5d", {"check": "AcAd"}),
                Lock("check, check, 4s, check, check, 5c", {"check": "AcAd"}),
            ),
            23 * 35 + 13 * 48,
        ),
        ((Lock("check, check, 4s, check, check, 5d", {"check": "AcAd"}),), 49 * 48),
    ],
)
def test_suits_that_are_alike_on_two_streets(locks, num_boards, monkeypatch):
    spot = locked(FLOP, *locks)
    paths = ("", "check, check, 3d", "check, check, 4s, check, check, 5d", "check, check, 4d")
    solver = solved(spot, "dcfr", iterations=12)
    assert len(solver.layout.boards[2]) == num_boards
    views = [view_node(solver.strategy(), path) for path in paths]
    monkeypatch.setattr(boards, "_RENAMINGS", ((0, 1, 2, 3),))
    other = solved(spot, "dcfr", iterations=12)
    assert len(other.layout.boards[2]) == 49 * 48
    assert solver.evaluate().values == pytest.approx(other.evaluate().values, abs=1e-4)
    assert solver.exploitability() == pytest.approx(other.exploitability(), abs=1e-4)
    for view in views:
        twin = view_node(other.strategy(), view.path)
        assert view.value(0) == pytest.approx(twin.value(0), abs=1e-2)
        assert view.strategy == pytest.approx(twin.strategy, abs=1e-2)


def test_threads_change_nothing():
    spot = locked(TURN, *SYMMETRIC["one card of two"][0])
    one, two = (solved(spot, "idcfr+", iterations=20, threads=threads) for threads in (1, 2))
    assert one.evaluate() == two.evaluate()
    for name, array in one.state().items():
        assert np.array_equal(array, two.state()[name])


# Memory, files, going on.


def test_locks_take_memory_where_they_are():
    free, held = solved(RIVER, iterations=0), solved(locked(RIVER, MIXED), iterations=0)
    table = free.tables[0][0].regrets.data
    assert held.kept_bytes - free.kept_bytes == 4 * table.size
    predicted = [predicted_bytes(solver.form, Recipe(), 1) for solver in (free, held)]
    assert predicted[1] - predicted[0] == 4 * table.size
    assert locked_numbers(held.layout, 0, 1).size == 0


def test_saved_and_read(tmp_path):
    spot = locked(RIVER, MIXED)
    solution = infoset.solve(spot, iterations=100)
    solution.save(tmp_path / "solution")
    read = infoset.load(tmp_path / "solution")
    assert read.spot == spot
    assert evaluated(read).exploitability() == pytest.approx(solution.exploitability, abs=1e-4)
    assert infoset.view(read).strategy == pytest.approx(infoset.view(solution).strategy, abs=1e-6)


def test_a_run_goes_on_only_with_the_same_locks(tmp_path):
    spot, path = locked(RIVER, MIXED), tmp_path / "run"
    whole = infoset.solve(spot, iterations=60)
    infoset.solve(spot, iterations=30, checkpoint=path)
    parts = infoset.solve(spot, iterations=60, resume=path)
    assert parts.values == whole.values
    with pytest.raises(infoset.InfosetError, match=r"is a run of .* which is not"):
        infoset.solve(RIVER, iterations=60, resume=path)


def test_solve_again_with_a_lock():
    first = infoset.solve(RIVER, exploitability="0.1%")
    again = infoset.solve(replace(first.spot, locks=[CHECKS]), exploitability="0.1%")
    assert again.values[1] < first.values[1]
    assert infoset.view(again, "check").frequencies.tolist() == [1.0, 0.0, 0.0]
