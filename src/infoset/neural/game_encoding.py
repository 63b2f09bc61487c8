"""The encoding of a game: its own where there is one, else the words of its infosets' keys."""

from __future__ import annotations

from typing import Any

from infoset.forms import SequenceForm
from infoset.games import OneCardPoker
from infoset.neural.encoding import Encoding
from infoset.neural.poker_encoding import encode_poker
from infoset.neural.word_encoding import encode_words


def encode(rules: Any, form: SequenceForm, *, suits: bool = True) -> Encoding:
    """What networks see of a game's infosets.

    Without ``suits``, infosets of a poker game that differ only in suits look alike, which loses
    nothing: by symmetry they have equilibria in which they play alike. Other games have no suits.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> leduc = make("leduc")
    >>> form = compile_game(leduc)
    >>> encode(leduc, form).num_classes, encode(leduc, form, suits=False).num_classes
    (936, 288)
    """
    if isinstance(rules, OneCardPoker):
        return encode_poker(rules, form, suits=suits)
    return encode_words(form)
