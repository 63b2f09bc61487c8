"""Histories as numbers: what a network sees that is told everything.

To somebody who sees all cards, every history is an infoset of its own. So histories are encoded as
infosets are (see `infoset.neural.encoding`), and the same networks read them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms import PublicStates, SequenceForm
from infoset.games import OneCardPoker
from infoset.neural.encoding import Encoding, Features
from infoset.neural.history_tree import generations, infoset_of_node, sequence_of_node
from infoset.neural.word_encoding import MAX_WORDS


def encode_histories(rules: Any, form: SequenceForm, infosets: Encoding) -> Encoding:
    """The histories at which a player moves, in features, given those of the infosets.

    The "infosets" of the result are all nodes of the history tree, -1 where no player moves. Its
    "sequences" are all nodes too: the action that leads to a node, -1 after chance. Outputs mean
    what they mean to ``infosets``. In poker a history is both players' hands and the public steps,
    and histories that differ in suits only look alike if such infosets do. In other games it is the
    words on its path.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.neural import encode
    >>> leduc = make("leduc")
    >>> form = compile_game(leduc)
    >>> encode_histories(leduc, form, encode(leduc, form)).num_classes
    3780
    >>> encode_histories(leduc, form, encode(leduc, form, suits=False)).num_classes
    774
    """
    history = form.history
    if isinstance(rules, OneCardPoker) and history.public is not None:
        return _with_hands(form, history.public, infosets)
    return _by_words(form, infosets)


def _encoding(
    form: SequenceForm,
    infosets: Encoding,
    *,
    kinds: NDArray[np.int64],
    steps: NDArray[np.int64],
    step_parent: NDArray[np.int32],
    step_features: Features,
    hand_features: Features,
) -> Encoding:
    """An encoding from the kind of hands and the last step of every node; -1 where none moves."""
    history = form.history
    moves = np.flatnonzero(history.node_player >= 0)
    pairs, example, class_of = np.unique(
        kinds[moves] * len(step_parent) + steps[moves], return_index=True, return_inverse=True
    )
    node_class = np.full(history.num_nodes, -1, dtype=np.int32)
    node_class[moves] = class_of
    sequence = sequence_of_node(form)
    acted = sequence >= 0
    return Encoding(
        hand_features=hand_features,
        step_parent=step_parent,
        step_features=step_features,
        class_hand=(pairs // len(step_parent)).astype(np.int32),
        class_step=(pairs % len(step_parent)).astype(np.int32),
        class_player=history.node_player[moves[example]].astype(np.int8),
        infoset_class=node_class,
        sequence_class=np.where(acted, node_class[history.node_parent], -1).astype(np.int32),
        sequence_slot=np.where(acted, infosets.sequence_slot[sequence], -1).astype(np.int32),
        slots=infosets.slots,
    )


def _with_hands(form: SequenceForm, public: PublicStates, infosets: Encoding) -> Encoding:
    """Both hands, then the public steps that the infosets' encoding has."""
    history = form.history
    hands = np.full((2, history.num_nodes), -1, dtype=np.int64)
    # The deal to player 0, the deal to player 1, and from there on what the node before has.
    first, worlds = 1 + len(public.hands), public.worlds.begin[public.table.worlds[0] + 1]
    begin = public.worlds.begin[public.table.worlds[0]]
    hands[:, first : first + worlds - begin] = public.worlds.hand[:, begin:worlds]
    for nodes in generations(history)[2:]:
        hands[:, nodes] = hands[:, history.node_parent[nodes]]
    infoset = infoset_of_node(form)
    moves = infoset >= 0
    classes = np.where(moves, infosets.infoset_class[infoset], -1)
    steps = np.where(moves, infosets.class_step[classes], -1).astype(np.int64)
    own = np.where(history.node_player == 1, hands[1], hands[0])
    kind_of_hand = np.zeros(1 + int(hands.max()), dtype=np.int64)
    kind_of_hand[own[moves]] = infosets.class_hand[classes[moves]]
    num_kinds = len(infosets.hand_features)
    features = [
        np.repeat(infosets.hand_features, num_kinds, axis=0),
        np.tile(infosets.hand_features, (num_kinds, 1)),
    ]
    return _encoding(
        form,
        infosets,
        kinds=np.where(moves, kind_of_hand[hands[0]] * num_kinds + kind_of_hand[hands[1]], -1),
        steps=steps,
        step_parent=infosets.step_parent,
        step_features=infosets.step_features,
        hand_features=np.concatenate(features, axis=1),
    )


def _by_words(form: SequenceForm, infosets: Encoding) -> Encoding:
    """The path: who moved, and the label of his action or the number of chance's outcome."""
    history = form.history
    sequence = sequence_of_node(form)
    labels: list[str] = []
    for treeplex in form.treeplexes:
        labels += [""] * treeplex.num_roots
        labels += [action for actions in treeplex.labels for action in actions]
    outcome = np.arange(history.num_nodes) - history.node_child[history.node_parent]
    words: dict[object, int] = {}
    word = np.zeros(history.num_nodes, dtype=np.int64)
    for node in range(history.num_nodes):
        what = labels[sequence[node]] if sequence[node] >= 0 else int(outcome[node])
        word[node] = words.setdefault(what, len(words)) if node else 0
    codes = np.eye(len(words), dtype=np.float32)
    if len(words) > MAX_WORDS:
        bits = np.arange(len(words))[:, None] >> np.arange(len(words).bit_length())
        codes = (bits & 1).astype(np.float32)
    mover = np.eye(3, dtype=np.float32)[history.node_player[history.node_parent]]
    features = np.concatenate([mover, codes[word]], axis=1)
    features[0] = 0.0
    # Of all nodes, only those on the way to a player's move are steps; terminal nodes are not.
    is_step = history.node_degree > 0
    step = np.cumsum(is_step) - 1
    before = np.where(history.node_parent >= 0, step[history.node_parent], -1)
    return _encoding(
        form,
        infosets,
        kinds=np.zeros(history.num_nodes, dtype=np.int64),
        steps=step,
        step_parent=before[is_step].astype(np.int32),
        step_features=features[is_step],
        hand_features=np.zeros((1, 0), dtype=np.float32),
    )
