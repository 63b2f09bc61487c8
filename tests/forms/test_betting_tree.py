"""The betting tree: known counts, documented examples, an independent twin, its arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from infoset.errors import BadInputError, TooLargeError
from infoset.forms.betting_tree import ActionKind, NodeKind, build_betting_tree
from infoset.games.holdem.betting import FLOP, IP, OOP, RIVER, TURN
from infoset.games.holdem.spot_files import read_spot, spot_of
from reference_spots import NAMES, SPOTS, naive_paths

BOARDS = {FLOP: "Td9d6h", TURN: "Td9d6hQc", RIVER: "Td9d6hQc2s"}


def spot(street=RIVER, pot=200, stack=900, **settings):
    """A spot by the settings of a spot file."""
    needed = {"board": BOARDS[street], "range_oop": "AA", "range_ip": "KK"}
    return spot_of({**needed, "pot": pot, "stack": stack, **settings})


def children(tree, node):
    return list(range(tree.node_child_begin[node], tree.node_child_end[node]))


def actions(tree, path=""):
    """What can be done after some actions."""
    node = 0
    for step in filter(None, path.split(", ")):
        (node,) = (child for child in children(tree, node) if tree.action_text(child) == step)
        if tree.node_kind[node] == NodeKind.CHANCE:
            (node,) = children(tree, node)
    return [tree.action_text(child) for child in children(tree, node)]


def ends(tree):
    return [tree.path(node) for node in range(tree.num_nodes) if not children(tree, node)]


def check_arrays(tree):
    """All that is promised of the arrays of a tree."""
    n = tree.num_nodes
    kind, put = tree.node_kind, tree.node_put
    assert tree.node_parent[0] == -1
    assert tree.node_action[0] == ActionKind.START
    assert (tree.node_parent[1:] < np.arange(1, n)).all()
    num_children = tree.node_child_end - tree.node_child_begin
    for node in range(n):
        for child in children(tree, node):
            assert tree.node_parent[child] == node
    assert num_children.sum() == n - 1
    is_end = (kind == NodeKind.FOLD) | (kind == NodeKind.SHOWDOWN)
    assert (num_children[is_end] == 0).all()
    assert (num_children[kind == NodeKind.CHANCE] == 1).all()
    assert (num_children[kind == NodeKind.DECISION] >= 1).all()
    # chips
    assert (put[1:] >= put[tree.node_parent[1:]]).all()
    assert put.min() == 0
    assert put.max() <= tree.spot.stack
    is_even = (kind == NodeKind.CHANCE) | (kind == NodeKind.SHOWDOWN)
    assert (put[is_even, OOP] == put[is_even, IP]).all()
    is_early = (kind == NodeKind.SHOWDOWN) & (tree.node_street < RIVER)
    assert (put[is_early] == tree.spot.stack).all()
    is_fold = kind == NodeKind.FOLD
    folder = tree.node_player[is_fold]
    where = np.flatnonzero(is_fold)
    assert (put[where, folder] < put[where, 1 - folder]).all()
    assert (tree.node_player[is_even] == -1).all()
    # streets and blocks
    assert (np.diff(tree.node_street) >= 0).all()
    for street in range(4):
        begin, end = tree.street_begin[street : street + 2]
        assert (tree.node_street[begin:end] == street).all()
    assert tree.street_begin[0] == 0
    assert tree.street_begin[-1] == tree.block_begin[-1] == n
    is_first = tree.node_action == ActionKind.DEAL
    is_first[0] = True
    assert np.flatnonzero(is_first).tolist() == tree.block_begin[:-1].tolist()
    assert (tree.node_player[is_first] == OOP).all()
    for name, array in vars(tree).items():
        assert name == "spot" or not array.flags.writeable


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        # [decisions, chance, folds, showdowns] by street; the first has the 53 ends of issue 3.
        ("river_deepstack", [[0, 0, 0, 0], [0, 0, 0, 0], [28, 0, 26, 27]]),
        ("turn_small", [[0, 0, 0, 0], [10, 5, 8, 4], [34, 0, 24, 29]]),
        ("flop_small", [[6, 3, 4, 2], [18, 9, 12, 6], [56, 0, 38, 47]]),
    ],
)
def test_reference_spots(name, counts):
    tree = build_betting_tree(read_spot(SPOTS, name))
    kinds = NodeKind.DECISION, NodeKind.CHANCE, NodeKind.FOLD, NodeKind.SHOWDOWN
    streets = FLOP, TURN, RIVER
    assert [[tree.count(kind, street) for kind in kinds] for street in streets] == counts
    assert len(NAMES) == 3
    check_arrays(tree)


def test_the_example_of_postflop_solver():
    """Its documentation shows these actions for this spot."""
    tree = build_betting_tree(
        spot(
            TURN,
            bet_sizes={"bet": "60%, e, a", "raise": "2.5x"},
            donk={"river": "50%"},
            add_allin_threshold=1.5,
            force_allin_threshold=0.15,
            merging_threshold=0.1,
        )
    )
    assert actions(tree) == ["check", "bet 120", "bet 216", "all-in 900"]
    assert actions(tree, "bet 120") == ["fold", "call 120", "raise to 300"]
    # After the call in position, the river is opened with any bet; e is all-in there, and 1.77
    # times the pot. When the bet was called out of position, 50% is the only one.
    after_ip_call = actions(tree, "bet 120, call 120")
    assert after_ip_call == ["check", "bet 264", "all-in 780"]
    after_oop_call = actions(tree, "check, bet 120, call 120")
    assert after_oop_call == ["check", "bet 220"]
    check_arrays(tree)


def test_names_of_actions():
    tree = build_betting_tree(spot(TURN, bet_sizes={"bet": "50%", "raise": "50%"}))
    path = "check, bet 100, raise to 300, call 300, deal, check, check"
    assert path in ends(tree)
    assert "all-in 900" in actions(tree, "bet 100, raise to 300, raise to 700")


def test_halves_are_rounded_up():
    tree = build_betting_tree(spot(pot=25, bet_sizes={"bet": "50%", "raise": "50%"}))
    assert actions(tree) == ["check", "bet 13"]
    assert actions(tree, "bet 13") == ["fold", "call 13", "raise to 39"]  # 13 + round(25.5)


def test_raises_are_lifted_to_the_smallest_and_cut_at_the_stack():
    menu = {"bet": "300c, 2000c", "raise": "1%, 1c, 1.5x, 1000c"}
    tree = build_betting_tree(spot(stack=1000, bet_sizes=menu))
    assert actions(tree) == ["check", "bet 300", "all-in 1000"]
    # 1%, 1 chip and 1.5x are all below the smallest raise, to 600.
    assert actions(tree, "bet 300") == ["fold", "call 300", "raise to 600", "all-in 1000"]
    # The smallest raise is what the raise before added, 300.
    assert actions(tree, "bet 300, raise to 600") == [
        "fold",
        "call 600",
        "raise to 900",
        "all-in 1000",
    ]
    assert actions(tree, "bet 300, raise to 600, raise to 900")[2:] == ["all-in 1000"]
    assert actions(tree, "all-in 1000") == ["fold", "call 1000"]


def test_a_bet_is_at_least_one_chip():
    assert actions(build_betting_tree(spot(pot=10, bet_sizes={"bet": "1%"})))[1] == "bet 1"


def test_no_sizes_is_check_and_call_only():
    tree = build_betting_tree(spot(FLOP, bet_sizes={"bet": "", "raise": ""}))
    deal = "check, check, deal"
    assert ends(tree) == [f"{deal}, {deal}, check, check"]
    tree = build_betting_tree(spot(bet_sizes={"bet": "50%", "raise": ""}))
    assert actions(tree, "bet 100") == ["fold", "call 100"]


def test_players_have_their_own_sizes():
    menus = {"oop": {"bet": "50%", "raise": "a"}, "ip": {"bet": "100%", "raise": "2x"}}
    tree = build_betting_tree(spot(bet_sizes=menus))
    assert actions(tree) == ["check", "bet 100"]
    assert actions(tree, "check") == ["check", "bet 200"]
    assert actions(tree, "check, bet 200") == ["fold", "call 200", "all-in 900"]
    assert actions(tree, "bet 100") == ["fold", "call 100", "raise to 200"]


def test_donk_sizes_only_after_a_bet_of_the_opponent():
    tree = build_betting_tree(
        spot(TURN, bet_sizes={"bet": "50%", "raise": "50%"}, donk={"river": "25%, a"})
    )
    assert actions(tree, "check, check") == ["check", "bet 100"]
    assert actions(tree, "bet 100, call 100") == ["check", "bet 200"]
    assert actions(tree, "check, bet 100, call 100") == ["check", "bet 100", "all-in 800"]
    # Out of position raised, in position raised again and was called: again a donk bet.
    raised = "bet 100, raise to 300, call 300"
    assert actions(tree, raised) == ["check", "bet 200", "all-in 600"]
    # In position called last, so the bet was that of OOP.
    raised = "check, bet 100, raise to 300, call 300"
    assert actions(tree, raised) == ["check", "bet 400"]
    # After a check in front of him, the opponent has the sizes of any bet.
    assert actions(tree, "check, bet 100, call 100, check") == ["check", "bet 200"]
    check_arrays(tree)


def test_a_street_without_a_bet_ends_the_initiative():
    """Donk bets are against who bet on the street before, not on the one before that."""
    tree = build_betting_tree(
        spot(FLOP, bet_sizes={"bet": "50%", "raise": ""}, donk={"turn": "10%", "river": "25%"})
    )
    bet_on_the_flop = "check, bet 100, call 100"
    assert actions(tree, bet_on_the_flop) == ["check", "bet 40"]
    assert actions(tree, f"{bet_on_the_flop}, check, check") == ["check", "bet 200"]
    assert actions(tree, f"{bet_on_the_flop}, check, bet 200, call 200") == ["check", "bet 200"]
    again = f"{bet_on_the_flop}, bet 40, call 40"
    assert actions(tree, again) == ["check", "bet 240"]
    check_arrays(tree)


def test_no_donk_bets_at_all():
    tree = build_betting_tree(spot(TURN, bet_sizes={"bet": "50%"}, donk=""))
    assert actions(tree, "check, bet 100, call 100") == ["check"]


def test_the_first_actions_have_their_own_sizes():
    tree = build_betting_tree(
        spot(TURN, bet_sizes={"bet": "100%", "raise": "100%"}, opening=["50%, 100%, 200%", "50%"])
    )
    assert actions(tree) == ["check", "bet 100", "bet 200", "bet 400"]
    assert actions(tree, "check") == ["check", "bet 100"]
    assert actions(tree, "bet 100") == ["fold", "call 100", "raise to 300"]
    assert actions(tree, "check, bet 100") == ["fold", "call 100", "raise to 500"]
    assert actions(tree, "bet 100, call 100") == ["check", "bet 400"]
    assert actions(tree, "check, check") == ["check", "bet 200"]
    check_arrays(tree)


def test_geometric_sizes_count_the_streets_that_are_left():
    """(1 + 2x)**n = 1 + 2s by hand, for n streets and s chips left per chip in the pot."""
    sizes = {"bet": "e", "raise": "e"}
    tree = build_betting_tree(spot(TURN, bet_sizes=sizes))
    # Two streets, 900 behind 200: x = (sqrt(10) - 1) / 2 = 1.0811.
    assert actions(tree) == ["check", "bet 216"]
    # A raise is one more bet on two streets, 684 behind 632: x = 0.3895.
    assert actions(tree, "bet 216") == ["fold", "call 216", "raise to 462"]
    # The next raise counts one street less, which leaves one: all-in.
    assert actions(tree, "bet 216, raise to 462") == ["fold", "call 462", "all-in 900"]
    # On the river there is but one street, whatever there was before.
    assert actions(tree, "check, check") == ["check", "all-in 900"]
    assert actions(tree, "bet 216, call 216") == ["check", "all-in 684"]
    # Three streets from the flop on: x = (10**(1/3) - 1) / 2 = 0.5772, then two.
    tree = build_betting_tree(spot(FLOP, bet_sizes=sizes))
    assert actions(tree) == ["check", "bet 115"]
    assert actions(tree, "check, check") == ["check", "bet 216"]


class TestThresholds:
    def test_all_in_is_added_where_it_is_small(self):
        menu = {"bet": "50%", "raise": "50%"}
        # All-in is 4.5 times the pot; against a bet of 100 it adds 800 to a pot of 400: twice.
        for threshold, bets, raises in [(1.9, 1, 1), (2.0, 1, 2), (4.4, 1, 2), (4.5, 2, 2)]:
            tree = build_betting_tree(spot(bet_sizes=menu, add_allin_threshold=threshold))
            assert len(actions(tree)) - 1 == bets
            assert len(actions(tree, "bet 100")) - 2 == raises

    def test_all_in_is_added_where_there_are_no_sizes(self):
        tree = build_betting_tree(spot(bet_sizes={"bet": "", "raise": ""}, add_allin_threshold=4.5))
        assert actions(tree) == ["check", "all-in 900"]

    def test_all_in_is_forced_where_little_is_left(self):
        # A bet of 600 leaves 300 behind in a pot of 1400.
        forced = {0.2: "bet 600", 0.22: "all-in 900", 0.0: "bet 600"}
        for threshold, action in forced.items():
            tree = build_betting_tree(
                spot(bet_sizes={"bet": "300%"}, force_allin_threshold=threshold)
            )
            assert actions(tree) == ["check", action]

    @pytest.mark.parametrize(
        ("bet", "threshold", "action"),
        [
            # 400 leaves 500 behind in a pot of 1000; 600 leaves 300 in a pot of 1400.
            ("400c", 0.5, "all-in 900"),
            ("400c", 0.499, "bet 400"),
            # The share is rounded to whole chips, halves up: 499.5 is 500, and 499.4 is not.
            ("400c", 0.4995, "all-in 900"),
            ("400c", 0.4994, "bet 400"),
            ("600c", 0.2142, "all-in 900"),
            ("600c", 0.2139, "bet 600"),
        ],
    )
    def test_all_in_is_forced_at_exactly_the_threshold(self, bet, threshold, action):
        tree = build_betting_tree(spot(bet_sizes={"bet": bet}, force_allin_threshold=threshold))
        assert actions(tree) == ["check", action]

    @pytest.mark.parametrize(
        ("threshold", "action"), [(0.75, "all-in 900"), (0.7493, "raise to 300")]
    )
    def test_a_raise_is_forced_all_in_at_exactly_the_threshold(self, threshold, action):
        """A raise from 100 to 300 leaves 600 behind in a pot of 800."""
        menu = {"bet": "50%", "raise": "200c"}
        tree = build_betting_tree(spot(bet_sizes=menu, force_allin_threshold=threshold))
        assert actions(tree, "bet 100") == ["fold", "call 100", action]

    def test_earlier_streets_count_for_both_thresholds(self):
        """After 100 each on the turn, 800 are left, and the pot is 400."""
        menu = {"turn": {"bet": "50%"}, "river": {"bet": "200c"}}
        called = "bet 100, call 100"
        # A bet of 200 leaves 600 behind in a pot of 800.
        for threshold, bets in [(0.7493, ["bet 200"]), (0.75, ["all-in 800"])]:
            tree = build_betting_tree(spot(TURN, bet_sizes=menu, force_allin_threshold=threshold))
            assert actions(tree, called) == ["check", *bets]
        for threshold, bets in [(1.998, ["bet 200"]), (2.0, ["bet 200", "all-in 800"])]:
            tree = build_betting_tree(spot(TURN, bet_sizes=menu, add_allin_threshold=threshold))
            assert actions(tree, called) == ["check", *bets]

    def test_close_sizes_are_merged_into_the_larger(self):
        # (1 + 1) / (1 + 0.75) = 1.143, (1 + 1) / (1 + 0.9) = 1.053, (1 + 0.75) / (1 + 0.6) = 1.094
        menu = {"bet": "60%, 75%, 90%, 100%"}
        kept = {
            0.0: [120, 150, 180, 200],
            0.06: [120, 150, 200],
            0.1: [150, 200],
            0.15: [120, 200],  # 75% is gone, and 60% is far enough from 100%
            0.3: [200],
        }
        for threshold, bets in kept.items():
            tree = build_betting_tree(spot(bet_sizes=menu, merging_threshold=threshold))
            assert actions(tree)[1:] == [f"bet {bet}" for bet in bets]

    def test_exactly_the_threshold_apart_is_not_merged(self):
        """(1 + 1.2) / (1 + 1) is 1.1 exactly, and not less."""
        tree = build_betting_tree(spot(bet_sizes={"bet": "100%, 120%"}, merging_threshold=0.1))
        assert actions(tree)[1:] == ["bet 200", "bet 240"]

    def test_raises_are_merged_by_the_pot_after_a_call(self):
        menu = {"bet": "50%", "raise": "50%, 60%"}
        tree = build_betting_tree(spot(bet_sizes=menu, merging_threshold=0.07))
        assert actions(tree, "bet 100")[2:] == ["raise to 340"]

    def test_all_in_takes_in_what_is_close_to_it(self):
        tree = build_betting_tree(spot(bet_sizes={"bet": "400%, a"}, merging_threshold=0.11))
        assert actions(tree) == ["check", "all-in 900"]


class TestSize:
    def test_a_tree_that_is_too_large_is_refused_before_it_is_built(self):
        large = spot(FLOP, bet_sizes={"bet": "33%, 75%, a", "raise": "50%, a"})
        num_nodes = build_betting_tree(large).num_nodes
        assert num_nodes > 1000
        message = f"has {num_nodes:,} nodes .* at most 1,000 .* on the flop and turn"
        with pytest.raises(TooLargeError, match=message):
            build_betting_tree(large, max_nodes=1000)
        assert build_betting_tree(large, max_nodes=num_nodes).num_nodes == num_nodes

    def test_raises_that_hardly_end(self):
        endless = spot(stack=10**9, bet_sizes={"bet": "1c", "raise": "1c"})
        with pytest.raises(TooLargeError, match=r"more than 10,000 nodes .* force_allin_threshold"):
            build_betting_tree(endless, max_nodes=10_000)

    def test_it_counts_as_bad_input(self):
        assert issubclass(TooLargeError, BadInputError)


size = st.sampled_from(["20%", "33%", "50%", "75%", "120%", "7c", "40c", "a", "0.5%"])
bets = st.lists(size, max_size=3).map(", ".join)
raises = st.lists(size | st.sampled_from(["2x", "2.5x", "1.2x"]), max_size=2).map(", ".join)
menus = st.fixed_dictionaries({"bet": bets, "raise": raises})
sizes_of_streets = st.fixed_dictionaries(
    {
        street: st.fixed_dictionaries({"oop": menus, "ip": menus})
        for street in ("flop", "turn", "river")
    }
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    street=st.integers(FLOP, RIVER),
    pot=st.integers(1, 300),
    stack=st.integers(1, 400),
    bet_sizes=sizes_of_streets,
)
def test_the_twin_finds_the_same_ends(street, pot, stack, bet_sizes):
    made = spot(street, pot, stack, bet_sizes=bet_sizes)
    try:
        tree = build_betting_tree(made, max_nodes=3000)
    except TooLargeError:
        reject()
    check_arrays(tree)
    assert sorted(ends(tree)) == sorted(naive_paths(made))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    stack=st.integers(1, 400),
    bet_sizes=menus,
    donk=bets,
    opening=st.lists(bets, max_size=3),
    thresholds=st.tuples(*[st.sampled_from([0.0, 0.1, 0.15, 1.5, 3.0])] * 3),
)
def test_arrays_with_every_setting(stack, bet_sizes, donk, opening, thresholds):
    add, force, merging = thresholds
    made = spot(
        TURN,
        60,
        stack,
        bet_sizes=bet_sizes,
        donk=donk,
        opening=opening,
        add_allin_threshold=add,
        force_allin_threshold=force,
        merging_threshold=merging,
    )
    try:
        tree = build_betting_tree(made, max_nodes=500)
    except TooLargeError:
        reject()
    check_arrays(tree)
    assert len(set(ends(tree))) == len(ends(tree))
