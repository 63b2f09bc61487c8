"""What tests of re-solving share: cuts told twice, strategies, and how both programs name things.

A cut of the package is a text such as ``depth=2``. For the twin it is a predicate of states, and
`counted` gives states what such predicates ask for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

import naive_resolving as twin
from infoset.games import CHANCE
from infoset.resolving import SequenceParts, Trunk
from infoset.strategy import SequenceStrategy

# --- cuts, for the twin -------------------------------------------------------------------------


@dataclass(frozen=True)
class Counted:
    """A state that knows what happened before it."""

    state: object
    actions_before: int = 0
    deals_before: int = 0
    """Moves of chance after the first action, any number in a row counted once."""
    is_after_chance: bool = False

    def __getattr__(self, name):
        return getattr(self.state, name)

    @property
    def begins_deal(self):
        return self.player == CHANCE and not self.is_after_chance and self.actions_before > 0

    def child(self, label):
        return Counted(
            self.state.child(label),
            self.actions_before + (self.player != CHANCE),
            self.deals_before + self.begins_deal,
            self.player == CHANCE,
        )


@dataclass(frozen=True)
class CountedGame:
    game: object

    def root(self):
        return Counted(self.game.root())


def begins_subgame(cut):
    """What a cut by round, depth or public card says of a counted state."""
    kind, _, number = cut.partition("=")
    if kind == "depth":
        return lambda state: state.actions_before == int(number)
    if kind == "round":
        return lambda state: state.begins_deal and state.deals_before == int(number) - 2
    assert kind == "public"
    return lambda state: (
        state.is_after_chance and state.player != CHANCE and state.actions_before > 0
    )


def twins_split(game, cut):
    """The twin's trunk and subgames, those without a decision left out."""
    parts = twin.split(CountedGame(game), begins_subgame(cut))
    parts.subgames = [subgame for subgame in parts.subgames if subgame.infosets]
    return parts


def infosets_of(cut, subgame):
    """The keys of a subgame of the package."""
    return frozenset(
        (player, cut.form.treeplexes[player].keys[i])
        for player in (0, 1)
        for i in cut.infosets(player, subgame)
    )


def twins_subgames(cut, parts):
    """The twin's subgames in the order of the package's."""
    by_infosets = {frozenset(subgame.infosets): subgame for subgame in parts.subgames}
    ours = [infosets_of(cut, number) for number in range(cut.num_subgames)]
    assert len(parts.subgames) == len(by_infosets) == len(ours)
    return [by_infosets[infosets] for infosets in ours]


def cells_of(cut, player, subgame):
    """The cells of a subgame of the package, as the twin names them."""
    treeplex, out = cut.form.treeplexes[player], []
    for sequence in cut.cells[player].sequence[cut.cells[player].of(subgame)].tolist():
        if sequence == 0:
            out.append(())
            continue
        infoset = int(treeplex.sequence_infoset[sequence])
        begin = int(treeplex.infoset_begin[infoset])
        out.append((treeplex.keys[infoset], treeplex.labels[infoset][sequence - begin]))
    return out


# --- strategies ---------------------------------------------------------------------------------


def by_infoset(form, pair):
    """Arrays over the sequences of both players as ``{(player, infoset): {action: number}}``."""
    out = {}
    for player, treeplex in enumerate(form.treeplexes):
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            begin, end = treeplex.infoset_begin[i : i + 2]
            out[player, key] = dict(zip(labels, pair[player][begin:end].tolist(), strict=True))
    return out


def random_strategy(form, seed, zeros=0.0):
    """Any probabilities; an action is never taken with the probability ``zeros``."""
    rng = random.Random(f"{seed} strategy")
    tables = ({}, {})
    for table, treeplex in zip(tables, form.treeplexes, strict=True):
        for key, labels in zip(treeplex.keys, treeplex.labels, strict=True):
            parts = {label: rng.uniform(0.1, 1) * (rng.random() >= zeros) for label in labels}
            parts[rng.choice(labels)] += 0.05
            table[key] = {label: part / sum(parts.values()) for label, part in parts.items()}
    return SequenceStrategy.from_tables(form, tables)


def resolved(cut, strategy, method, algorithm, iterations=1, seed=0):
    """The strategy with all subgames re-solved, and how well each game was solved."""
    parts = SequenceParts(Trunk.of(cut, strategy), strategy, seed=seed)
    errors = [parts.resolve(number, method, algorithm, iterations) for number in range(len(parts))]
    return parts.strategy(), np.array(errors)
