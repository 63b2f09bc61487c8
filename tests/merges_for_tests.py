"""Infosets merged at random or by name, and strategies made at random."""

from __future__ import annotations

import functools
import random

import numpy as np

from infoset.forms import abstract_form, sequence_form_of
from infoset.games import make, merge_of
from infoset.strategy import SequenceStrategy


@functools.cache
def textured(game):
    """A game of the Leduc family, with the abstraction of Burch et al. (2014)."""
    rules = make(game)
    return abstract_form(sequence_form_of(rules), merge_of("texture", rules))


def random_merge(form, seed):
    """Merge infosets at random, wherever actions and memory allow it."""
    rng = random.Random(seed)
    names = {}
    for player, treeplex in enumerate(form.treeplexes):
        for i, key in enumerate(treeplex.keys):
            parent = int(treeplex.infoset_parent[i])
            owner = int(treeplex.sequence_infoset[parent])
            memory = "start"
            if owner >= 0:
                slot = parent - int(treeplex.infoset_begin[owner])
                memory = f"{names[player, treeplex.keys[owner]]} {slot}"
            names[player, key] = f"[{memory}] {treeplex.labels[i]} {rng.randrange(2)}"
    return lambda player, key: names[player, key]


def random_strategy(form, seed):
    rng = np.random.default_rng(seed)
    pair = []
    for treeplex in form.treeplexes:
        weights = rng.exponential(size=treeplex.num_sequences)
        sums = np.bincount(treeplex.sequence_infoset[1:], weights[1:], treeplex.num_infosets)
        weights[0] = 1.0
        weights[1:] /= sums[treeplex.sequence_infoset[1:]]
        pair.append(weights)
    return SequenceStrategy(form, (pair[0], pair[1]))
