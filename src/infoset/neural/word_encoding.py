"""Any game in features: the words of an infoset's key, each an input of its own."""

from __future__ import annotations

import re

import numpy as np

from infoset.forms import SequenceForm
from infoset.neural.encoding import Encoding, StepTree, encoding_of

MAX_WORDS = 400
"""Where a game has more different words, keys are read letter by letter."""

_WORD = re.compile(r"[A-Za-z]+|[0-9]+(?:\.[0-9]+)?|\s+|.", re.DOTALL)


def encode_words(form: SequenceForm) -> Encoding:
    """Who moves, then his key word by word. Different infosets never look alike.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> form = compile_game(make("liars_dice(faces=3)"))
    >>> encode_words(form).num_classes == form.num_infosets
    True
    """
    keys = [(p, key) for p, treeplex in enumerate(form.treeplexes) for key in treeplex.keys]
    texts = [_WORD.findall(key) for _, key in keys]
    words = sorted({word for text in texts for word in text})
    if len(words) > MAX_WORDS:
        texts = [list(key) for _, key in keys]
        words = sorted({letter for text in texts for letter in text})
    number = {word: 2 + i for i, word in enumerate(words)}
    one_hot = np.eye(2 + len(words), dtype=np.float32)
    tree = StepTree()
    steps = []
    for (player, _), text in zip(keys, texts, strict=True):
        step = tree.after(-1, player, one_hot[player])
        for word in text:
            step = tree.after(step, word, one_hot[number[word]])
        steps.append(step)
    return encoding_of(
        form,
        tree,
        infoset_hand=[0] * len(keys),
        infoset_step=steps,
        hand_features=np.zeros((1, 0), dtype=np.float32),
        meaning=lambda actions: actions,
    )
