"""Spots that begin before the flop: described, drawn, walked, and refused where they are solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import infoset
from hands_for_tests import play_hand
from infoset.errors import BadInputError, TooLargeError
from infoset.explore.tree_text import spot_text
from infoset.forms import compile_game
from infoset.forms.betting_tree import NodeKind, build_betting_tree
from infoset.forms.paths import find_node
from infoset.forms.spot_form import form_of_spot
from infoset.games import CHANCE, TERMINAL
from infoset.games.holdem import BetSizes, Spot, format_spot, parse_spot
from infoset.games.holdem.acpc import holdem
from infoset.games.holdem.betting import FLOP, IP, OOP, PREFLOP

SIZES = BetSizes({"preflop": {"raise": "2.5x, a"}, "bet": "75%", "raise": "a"})
SPOT = Spot("", "random", "random", 0, 2000, SIZES, blinds=(50, 100))


def test_what_it_says():
    assert (SPOT.street, SPOT.num_hands, SPOT.big_blind) == (PREFLOP, (1326, 1326), 100)
    assert SPOT.stack_to_pot == pytest.approx(2000 / 150)
    assert replace(SPOT, blinds=(1, 2), big_blind=None).big_blind == 2


def test_files():
    text = format_spot(SPOT)
    assert 'board = ""' in text
    assert "blinds = [50, 100]" in text
    assert parse_spot(text) == SPOT
    assert parse_spot(text.replace("pot = 0", "pot = 20")).pot == 20


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"blinds": None}, "none are given. Before the flop it needs blinds"),
        ({"board": "Td9d6h", "pot": 100}, "blinds are for spots that begin before the flop"),
        ({"blinds": (100, 50)}, "the small blind of 100 is more than the big blind of 50"),
        ({"blinds": 100}, r"blinds are two, the small one first, such as \(50, 100\), not a num"),
        ({"blinds": (50, 100, 200)}, "blinds are two"),
        ({"blinds": (0, 100)}, "the small blind must be above zero"),
        ({"blinds": (50, 0.5)}, "the big blind must be whole chips"),
        ({"stack": 100}, "the stack of 100 must be more than the big blind of 100"),
        ({"pot": -1}, "the pot must be at least zero, not -1"),
        ({"range_oop": "AsKs", "range_ip": "AsKs"}, "before the flop, the ranges conflict"),
    ],
)
def test_what_is_refused(changes, message):
    with pytest.raises(BadInputError, match=message):
        replace(SPOT, **changes)


def test_its_betting_tree():
    tree = build_betting_tree(SPOT)
    assert tree.node_player[0] == IP
    assert tree.node_put[0].tolist() == [100, 50]
    assert (tree.pot(0), tree.num_nodes) == (150, tree.street_begin[-1])
    children = range(tree.node_child_begin[0], tree.node_child_end[0])
    actions = ["fold", "call 100", "raise to 250", "all-in 2000"]
    assert [tree.action_text(child) for child in children] == actions
    # The big blind has the option after a call; after his check the flop comes, and he acts first.
    option = find_node(tree, "call").node
    assert tree.node_player[option] == OOP
    children = range(tree.node_child_begin[option], tree.node_child_end[option])
    actions = ["check", "raise to 250", "all-in 2000"]
    assert [tree.action_text(child) for child in children] == actions
    flop = find_node(tree, "c, x, 6h Td 9d")
    assert flop.text == "call 100, check, Td9d6h"
    assert (tree.node_player[flop.node], tree.node_street[flop.node]) == (OOP, FLOP)
    assert tree.node_put[flop.node].tolist() == [100, 100]
    showdown = find_node(tree, "all-in, call").node
    assert tree.node_kind[showdown] == NodeKind.SHOWDOWN


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("c, x, Td", "the flop is due, such as Td9d6h"),
        ("c, x, Td9d6h, x, x, Td", "Td is on the board already"),
        ("raise 2.6x", "there are fold, call 100, raise to 250"),
        ("bet", "there are fold"),
    ],
)
def test_paths_that_lead_nowhere(path, message):
    with pytest.raises(BadInputError, match=message):
        find_node(build_betting_tree(SPOT), path)


def test_sizes_in_paths():
    tree = build_betting_tree(SPOT)
    for step in ("raise 2.5x", "r 250", "raise to 250"):
        assert find_node(tree, step).text == "raise to 250"
    assert find_node(tree, "raise 2.5x, raise 2.5x").text == "raise to 250, raise to 625"
    # Too small a size is the smallest raise: by what the last one added.
    small = replace(SPOT, bet_sizes={"preflop": {"raise": "1.1x"}, "bet": "a", "raise": "a"})
    path = find_node(build_betting_tree(small, max_nodes=10**7), "r 1.1x, r 1.1x, r 1.1x").text
    assert path == "raise to 200, raise to 300, raise to 400"


def test_the_text_says_why_it_is_not_solved():
    lines = spot_text(SPOT, max_lines=3).splitlines()
    assert lines[0] == "preflop: blinds 50 and 100, stack 2000 (13.3 times the pot)"
    assert "preflop: raise 2.5x, a" in lines
    assert "preflop, pot 150, 1900 behind" in lines
    assert "  IP call 100" in lines
    assert "actions more before the flop" in "\n".join(lines)
    assert "22,100 flops" in lines[-1]


def test_hands_are_those_of_the_acpc():
    """The same actions in the ACPC's game: the same chips, and every raise is allowed there."""
    game, rng = holdem(stack=2000), np.random.default_rng(3)
    streets = set()

    def compare_and_choose(state):
        nonlocal twin
        twin = replay(game, state)
        assert (twin.player, twin.public.betting.put) == (state.player, state.public.betting.put)
        assert twin.public.is_facing_bet == state.public.is_facing_bet
        assert set(state.public.raises) <= set(twin.public.raises)
        streets.add(state.public.betting.street)
        return state.actions[int(rng.integers(len(state.actions)))]

    for _ in range(60):
        twin = None
        end = play_hand(SPOT, compare_and_choose, rng)
        assert replay(game, end).payoff == end.payoff
    assert streets == {0, 1, 2, 3}


def replay(game, state):
    """The state of the ACPC's game after the same actions and cards."""
    twin = game.root().child(state.game.hands[state.hand0]).child(state.game.hands[state.hand1])
    walk = SPOT.root().child(state.game.hands[state.hand0]).child(state.game.hands[state.hand1])
    for part in state.public.public_history.split("/"):
        cards, _, actions = part.rpartition(":")
        if cards:
            twin, walk = twin.child(cards), walk.child(cards)
        for action in filter(None, actions.split(",")):
            walk = walk.child(action)
            word = action.split()[0]
            if word not in ("fold", "check", "call"):
                word = f"raise{max(walk.public.betting.put)}"
            twin = twin.child(word)
    assert walk == state
    return twin


def test_solving_is_refused_with_what_it_would_take():
    with pytest.raises(TooLargeError, match=r"22,100 flops, 1,755 up to suits.* about 9.8 TB"):
        form_of_spot(SPOT)
    with pytest.raises(TooLargeError, match=r"\(22,100 flops\), and regrets"):
        form_of_spot(replace(SPOT, range_ip="AA,AsKs"))
    with pytest.raises(TooLargeError, match="histories"):
        compile_game(SPOT)
    with pytest.raises(TooLargeError, match="22,100 flops"):
        infoset.solve(SPOT)


def test_samples_are_told_in_shares_of_the_pot_with_its_blinds(tmp_path):
    """Nothing but the blinds is in the pot, of which exploitability is a share."""
    spot = Spot("", "AA", "KK", 0, 20, {"preflop": {"raise": "a"}}, blinds=(5, 10))
    solution = infoset.solve(spot, "os-mccfr", iterations=20, seed=1, form="rules")
    assert spot.starting_pot == 15
    assert solution.exploitability_share == solution.exploitability / 15
    solution.save(tmp_path / "preflop")
    assert infoset.load(tmp_path / "preflop").exploitability == solution.exploitability


def test_its_rules_are_walked():
    state = SPOT.root().child("AsKd").child("QhQc")
    assert (state.player, state.infoset) == (IP, "QhQc:")
    state = state.child("call 100").child("raise to 250").child("call 250")
    assert state.player == CHANCE
    state = state.child("9d6hTd")
    assert (state.player, state.infoset) == (OOP, "AsKd:call 100,raise to 250,call 250/Td9d6h:")
    assert state.actions == ("check", "bet 375")
    assert state.child("bet 375").child("fold").payoff == 250
    assert SPOT.root().outcome_at(0.0) == "2d2c"
    assert SPOT.root().child("AsKd").child("QhQc").child("fold").player == TERMINAL
