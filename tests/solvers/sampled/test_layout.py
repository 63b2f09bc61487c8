"""Where sampled solvers keep their numbers, and which thread owns which of them."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.forms import compile_game
from infoset.games import make
from infoset.machine.aligned import LINE
from infoset.solvers.sampled.buffers import assign_hands
from infoset.solvers.sampled.nodes import pack_nodes
from sampled_for_tests import bytes_of, dense_of

GAMES = ["kuhn", "leduc", "leduc(by_rank=true)", "liars_dice(faces=3)", "goofspiel(cards=3)", "rps"]


@pytest.mark.parametrize("game", GAMES)
def test_every_sequence_has_a_place_of_its_own(game):
    tree = compile_game(make(game))
    _, layout = pack_nodes(tree)
    sequences = sum(treeplex.num_sequences for treeplex in tree.treeplexes)
    assert len(set(layout.place.tolist())) == len(layout.place) == sequences
    assert layout.place.min() >= 0
    assert layout.place.max() < layout.size


def hand_of(key):
    return key.partition(":")[0]


@pytest.mark.parametrize(("game", "hands"), [("kuhn", 3), ("leduc", 6), ("liars_dice(faces=4)", 4)])
def test_no_two_hands_share_a_cache_line(game, hands):
    tree = compile_game(make(game))
    packed, layout = pack_nodes(tree)
    assert packed.num_hands == hands
    owner = {}
    begin = 0
    for player, treeplex in enumerate(tree.treeplexes):
        for i, key in enumerate(treeplex.keys):
            first, last = begin + treeplex.infoset_begin[i], begin + treeplex.infoset_begin[i + 1]
            for place in layout.place[first:last].tolist():
                owner.setdefault(place // LINE, set()).add((player, hand_of(key)))
        begin += treeplex.num_sequences
    assert all(len(who) == 1 for who in owner.values())
    assert len(set.union(*owner.values())) == 2 * hands


def test_players_are_the_hands_of_a_game_without():
    tree = compile_game(make("goofspiel(cards=3)"))
    packed, layout = pack_nodes(tree)
    assert packed.num_hands == 1
    split = tree.treeplexes[0].num_sequences
    assert layout.place[:split].max() // LINE < layout.place[split:].min() // LINE


def test_probabilities_of_hands():
    _, layout = pack_nodes(compile_game(make("leduc(by_rank=true)")))
    assert layout.hand_probability == pytest.approx(np.full((2, 3), 1 / 3))


@pytest.mark.parametrize("game", GAMES)
def test_there_are_no_gaps_but_for_cache_lines(game):
    """Also where hands are impossible: a card on the board is in no hand."""
    tree = compile_game(make(game))
    packed, layout = pack_nodes(tree)
    sequences = sum(treeplex.num_sequences for treeplex in tree.treeplexes)
    assert layout.size <= sequences + LINE * (1 + 2 * packed.num_hands)


@pytest.mark.parametrize(
    ("probability", "threads", "owner"),
    [
        ([[1.0], [1.0]], 1, [0, 0]),
        ([[1.0], [1.0]], 2, [0, 1]),
        ([[1 / 3] * 3] * 2, 2, [0, 1, 0, 1, 0, 1]),
        ([[0.7, 0.1, 0.1, 0.1]] * 2, 2, [0, 1, 1, 1, 1, 0, 0, 0]),
        ([[0.5, 0.5]] * 2, 5, [0, 1, 2, 3]),
    ],
)
def test_hands_are_assigned_to_threads(probability, threads, owner):
    assert assign_hands(np.array(probability), threads).tolist() == owner


@pytest.mark.parametrize("game", ["kuhn", "leduc", "goofspiel(cards=3)"])
@pytest.mark.parametrize(
    "text",
    [
        "es-mccfr(b=9)",
        "rs-mccfr(k=2,b=30)",
        "vr-mccfr(b=30)",
        "as-mccfr(b=30)",
        "chance-cfr(b=9)",
        "es-mccfr(b=15,baseline=0.5,alternating=false)",
    ],
)
def test_more_threads_than_hands(game, text):
    tree = compile_game(make(game))
    one, many = (dense_of(tree, text, seed=4, threads=threads) for threads in (1, 7))
    for solver in (one, many):
        solver.run(20)
    assert many.threads == 7
    assert bytes_of(one) == bytes_of(many)
