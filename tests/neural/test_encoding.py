"""Encodings tell every infoset of every shipped game apart, and networks share prefixes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
import torch
from torch import nn

from infoset.forms import compile_game
from infoset.games import known_games, make
from infoset.neural import encode
from infoset.neural.encoding import Encoding
from infoset.neural.networks import Shape, make_network
from infoset.neural.word_encoding import encode_words

GAMES = (
    *("rps", "kuhn", "one_card(cards=5)", "leduc", "leduc(by_rank=true)", "leduc5"),
    *("nolimit_leduc(stack=5)", "nolimit_leduc(stack=10)", "goofspiel(cards=4)"),
    *("liars_dice(faces=4)", "nolimit_leduc(stack=5,ante_in_stack=false)"),
)


def test_games_are_all_that_are_shipped():
    names = {text.partition("(")[0] for text in GAMES}
    shipped = {game.name for game in known_games()}
    assert shipped - names <= {"holdem"}  # far too large for a form


@pytest.mark.parametrize("name", GAMES)
def test_no_two_infosets_look_alike(name):
    game = make(name)
    form = compile_game(game)
    encoding = encode(game, form)
    assert encoding.num_classes == form.num_infosets
    assert len(np.unique(encoding.infoset_class)) == form.num_infosets
    check_actions(encoding, form)
    inputs = encoding.flat(np.arange(encoding.num_classes))
    assert len(np.unique(inputs, axis=0)) == form.num_infosets


@pytest.mark.parametrize("name", ["leduc", "nolimit_leduc(stack=5)"])
def test_words_tell_infosets_of_poker_apart_too(name):
    form = compile_game(make(name))
    assert encode_words(form).num_classes == form.num_infosets


def check_actions(encoding: Encoding, form):
    """Every action of an infoset has an output of its own."""
    first, second = form.treeplexes
    degree = np.concatenate([first.infoset_num_actions, second.infoset_num_actions])
    assert (encoding.legal.sum(axis=1)[encoding.infoset_class] == degree).all()
    values = np.arange(1.0, len(encoding.sequence_slot) + 1)
    rows = encoding.totals(values)
    assert (rows[~encoding.legal] == 0).all()
    if encoding.num_classes == form.num_infosets:
        back = encoding.by_sequence(rows)
        is_action = encoding.sequence_slot >= 0
        assert (back[is_action] == values[is_action]).all()
        assert (back[~is_action] == 1.0).all()


@pytest.mark.parametrize("name", ["leduc", "leduc5", "nolimit_leduc(stack=5)"])
def test_without_suits_infosets_are_those_of_the_game_by_rank(name):
    game = make(name)
    form = compile_game(game)
    encoding = encode(game, form, suits=False)
    by_rank = name.replace("leduc5", "leduc5(by_rank=true)")
    if name == "leduc":
        by_rank = "leduc(by_rank=true)"
    if "stack" in name:
        by_rank = "nolimit_leduc(stack=5,by_rank=true)"
    assert encoding.num_classes == compile_game(make(by_rank)).num_infosets
    check_actions(encoding, form)


def test_sums_over_infosets_that_look_alike():
    game = make("leduc")
    form = compile_game(game)
    encoding = encode(game, form, suits=False)
    ones = np.ones(len(encoding.sequence_slot))
    rows = encoding.totals(ones)
    counts = np.bincount(encoding.infoset_class, minlength=encoding.num_classes)
    assert (rows == encoding.legal * counts[:, None]).all()


@pytest.mark.parametrize(
    ("stack", "embedding", "parameters"), [(5, 8, 1048), (5, 16, 2608), (10, 32, 7424)]
)
def test_parameters_as_printed(stack, embedding, parameters):
    """Table 1 and Figure 4c of Li et al. (2020)."""
    game = make(f"nolimit_leduc(stack={stack})")
    encoding = encode(game, compile_game(game))
    assert encoding.cell_width == 21
    network = make_network(Shape("lstm", embedding, attention=True), encoding, seed=0)
    assert network.num_parameters == parameters


def test_parameters_as_printed_for_leduc_15():
    """LSTM(21, 64), attention, sixteen outputs: without compiling the game of 1.1M infosets."""
    game = make("nolimit_leduc(stack=5)")
    encoding = encode(game, compile_game(game))
    network = make_network(Shape("lstm", 64, attention=True), encoding, seed=0, outputs=16)
    assert network.num_parameters == 23360


def test_infosets_share_the_cells_of_their_prefixes():
    game = make("nolimit_leduc(stack=5)")
    encoding = encode(game, compile_game(game))
    network = make_network(Shape("lstm", 8), encoding, seed=0)
    cells = network.read(encoding, np.arange(encoding.num_classes))
    assert sum(len(level.features) for level in cells.levels) == 3726


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn"])
@pytest.mark.parametrize("attention", [False, True])
def test_shared_cells_compute_what_each_sequence_would(kind, attention):
    game = make("leduc")
    encoding = encode(game, compile_game(game), suits=False)
    network = make_network(Shape(kind, 8, attention=attention), encoding, seed=3)
    whole = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}[kind](encoding.cell_width, 8)
    state = network.cell.state_dict()
    whole.load_state_dict({f"{name}_l0": value for name, value in state.items()})
    out = network(network.read(encoding, np.arange(encoding.num_classes)))
    for c in range(0, encoding.num_classes, 17):
        steps = [step for step in encoding.path[encoding.class_step[c]] if step >= 0]
        hand = encoding.hand_features[encoding.class_hand[c]]
        inputs = np.stack([np.concatenate([hand, encoding.step_features[s]]) for s in steps])
        embeddings = whole(torch.from_numpy(inputs))[0]
        last = embeddings[-1]
        if attention:
            weight = torch.relu(network.attention(embeddings))
            last = torch.relu((weight * embeddings).sum(dim=0))
        torch.testing.assert_close(network.output(last), out[c], rtol=1e-4, atol=1e-5)


def test_a_batch_says_what_all_at_once_do():
    game = make("leduc")
    encoding = encode(game, compile_game(game))
    few = np.array([5, 700, 31, 5])
    for shape in (Shape("mlp", 16), Shape("lstm", 8, attention=True)):
        network = make_network(shape, encoding, seed=1)
        whole = network(network.read(encoding, np.arange(encoding.num_classes)))
        torch.testing.assert_close(network(network.read(encoding, few)), whole[few])
