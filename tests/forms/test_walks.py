"""The histories of a game in flat arrays, by either walk, against the rules themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games_for_tests import CORNERS, games, random_dealt_game, random_game, small_random_games
from infoset.forms import compile_game
from infoset.forms.walk_public import walk_public
from infoset.forms.walk_states import walk_states
from infoset.games import CHANCE, TERMINAL, make

IN_PUBLIC_FORM = [
    "kuhn",
    "one_card(cards=5)",
    "leduc",
    "leduc(by_rank=true)",
    "liars_dice(faces=3)",
    "liars_dice(dice=2,faces=2)",
    "nolimit_leduc(stack=4)",
    "nolimit_leduc(stack=3,by_rank=true)",
]
STATE_BY_STATE = ["rps", "goofspiel(cards=3)", "goofspiel(cards=3,points_order=random)"]
LIMIT = 10**6


def follow(state, history, treeplexes, node=0, last=(0, 0)):
    """Walk the rules and the arrays in lock step."""
    assert history.node_player[node] == state.player
    degree, first = history.node_degree[node], history.node_child[node]
    if state.player == TERMINAL:
        assert degree == 0
        assert history.node_payoff[node] == float(state.payoff)
        assert history.node_infoset[node] == -1
        return 1
    assert history.node_payoff[node] == 0
    if state.player == CHANCE:
        moves = [label for label, _ in state.chance]
        odds = [float(p) for _, p in state.chance]
        assert history.node_infoset[node] == -1
    else:
        moves, odds = state.actions, [1.0] * len(state.actions)
        treeplex, infoset = treeplexes[state.player], history.node_infoset[node]
        assert treeplex.keys[infoset] == state.infoset
        assert treeplex.labels[infoset] == tuple(state.actions)
        assert treeplex.infoset_parent[infoset] == last[state.player]
        begin = treeplex.infoset_begin[infoset]
        assert treeplex.infoset_begin[infoset + 1] == begin + degree
    assert degree == len(moves)
    count = 1
    for slot, move in enumerate(moves):
        child = first + slot
        assert history.node_parent[child] == node
        assert history.node_chance[child] == odds[slot]
        after = list(last)
        if state.player >= 0:
            after[state.player] = begin + slot
        count += follow(state.child(move), history, treeplexes, child, tuple(after))
    return count


def check_arrays(history, treeplexes):
    """What any reader of the arrays may rely on."""
    nodes = np.arange(history.num_nodes)
    assert history.node_parent[0] == -1
    assert (history.node_parent[1:] < nodes[1:]).all()
    assert (history.node_parent[1:] >= 0).all()
    inner = nodes[history.node_degree > 0]
    # The runs of children do not overlap and cover everything but the root.
    runs = [
        np.arange(history.node_child[n], history.node_child[n] + history.node_degree[n])
        for n in inner
    ]
    covered = np.sort(np.concatenate([[0], *runs])).astype(int)
    assert (covered == nodes).all()
    assert history.num_terminals == np.count_nonzero(history.node_player == TERMINAL)
    for treeplex in treeplexes:
        count = treeplex.num_infosets
        assert treeplex.infoset_begin[0] == 1
        assert (np.diff(treeplex.infoset_begin) >= 1).all()
        assert len(treeplex.keys) == len(treeplex.labels) == len(set(treeplex.keys)) == count
        # Parents come before children.
        above = treeplex.sequence_infoset[treeplex.infoset_parent]
        assert (above < np.arange(count)).all()
        expected = np.zeros(count, dtype=int)
        for i in range(count):
            expected[i] = expected[above[i]] + 1 if above[i] >= 0 else 0
        assert (treeplex.infoset_depth == expected).all()


def check_walk(walk, game):
    history, treeplexes = walk(game, "game", LIMIT)
    check_arrays(history, treeplexes)
    assert follow(game.root(), history, treeplexes) == history.num_nodes
    return history, treeplexes


@pytest.mark.parametrize("text", IN_PUBLIC_FORM + STATE_BY_STATE)
def test_state_by_state(text):
    check_walk(walk_states, make(text))


@pytest.mark.parametrize("text", IN_PUBLIC_FORM)
def test_in_public_form(text):
    check_walk(walk_public, make(text))


@pytest.mark.parametrize("name", [*CORNERS, *small_random_games()])
def test_made_up_games(name):
    check_walk(walk_states, {**CORNERS, **small_random_games()}[name])


@settings(max_examples=80, deadline=None)
@given(game=games())
def test_random_games(game):
    check_walk(walk_states, game)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(0, 4))
def test_random_games_in_public_form(seed, depth):
    game = random_dealt_game(seed, depth)
    check_walk(walk_public, game)
    assert as_named(*walk_public(game, "game", LIMIT)) == as_named(
        *walk_states(game, "game", LIMIT)
    )


def as_named(history, treeplexes):
    """A game without numbers: infosets by key, sequences by infoset and action.

    Equal for equal games, whatever the order in which they were numbered.
    """
    names = []
    for treeplex in treeplexes:
        name = [None] * treeplex.num_sequences
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            for slot, label in enumerate(labels):
                name[treeplex.infoset_begin[i] + slot] = (key, label)
        names.append(name)
    infosets = [
        {
            key: (labels, name[treeplex.infoset_parent[i]])
            for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True))
        }
        for treeplex, name in zip(treeplexes, names, strict=True)
    ]

    def tell(node):
        children = range(
            history.node_child[node], history.node_child[node] + history.node_degree[node]
        )
        player, infoset = history.node_player[node], history.node_infoset[node]
        return (
            player,
            treeplexes[player].keys[infoset] if player >= 0 else None,
            history.node_payoff[node],
            tuple((history.node_chance[child], tell(child)) for child in children),
        )

    return infosets, tell(0)


@pytest.mark.parametrize("text", IN_PUBLIC_FORM)
def test_both_walks_give_the_same_game(text):
    game = make(text)
    one, two = (walk(game, text, LIMIT) for walk in (walk_states, walk_public))
    assert as_named(*one) == as_named(*two)


def test_the_comparison_of_games_sees_a_difference():
    same = as_named(*walk_states(random_game(2), "game", LIMIT))
    assert as_named(*walk_states(random_game(2), "game", LIMIT)) == same
    history, treeplexes = walk_states(random_game(2), "game", LIMIT)
    history.node_payoff[np.flatnonzero(history.node_player == TERMINAL)[-1]] += 1
    assert as_named(history, treeplexes) != same


def test_compile_takes_the_faster_walk_where_it_can():
    tree = compile_game(make("leduc"))
    history, treeplexes = walk_public(make("leduc"), "leduc", LIMIT)
    assert list(tree.treeplexes[0].keys) == list(treeplexes[0].keys)
    assert (tree.history.node_parent == history.node_parent).all()
    # OpenSpiel's Leduc has 9,457 histories too.
    assert tree.history.num_nodes == 9457
    assert (tree.num_infosets, tree.num_sequences) == (936, 2184)
