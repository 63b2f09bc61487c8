"""Abstraction: a map from the sequences of a game to fewer sequences.

Infosets that a player shall no longer tell apart are merged. What is left is a smaller sequence
form, for any solver; `infoset.strategy.lift` plays its strategies in the full game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms.history import HistoryTree
from infoset.forms.kernels.collapse import Payoff, sum_runs
from infoset.forms.sequence_form import SequenceForm
from infoset.forms.treeplex import Treeplex

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Abstraction:
    """A game, the game with some of its infosets merged, and where sequences went."""

    full: SequenceForm
    abstract: SequenceForm
    """Its infosets are called what the merged ones are called together."""
    sequence_map: tuple[Ints, Ints]
    """Per player, [full sequences]: the abstract sequence of each."""


def abstract_form(
    form: SequenceForm, merged: Callable[[int, str], str], *, name: str | None = None
) -> Abstraction:
    """Merge infosets: those of a player for whose keys ``merged(player, key)`` gives one name.

    Their sequences become one by action, and payoffs of sequences that become one are added up.
    The abstract game has the histories of the full one, so sampling works on it too. ``name`` is
    that of the abstract game.

    Raises `BadInputError`, naming two infosets, if they have different actions, or if the player
    remembers different things there in the abstract game: merge also what comes before them.

    >>> from infoset.forms import abstract_form, compile_game
    >>> from infoset.games import make, merge_of
    >>> leduc = make("leduc")
    >>> abstract_form(compile_game(leduc), merge_of("texture", leduc), name="coarse").abstract
    SequenceForm('coarse': 576 infosets, 1,344 sequences)
    """
    if form.sequence_values is not None:
        raise BadInputError(
            f"{form.name} has values beside its payoff: merge its infosets before these are given"
        )
    if name is None:
        name = f"{form.name}, abstracted"
    first, second = (_merge(treeplex, p, merged) for p, treeplex in enumerate(form.treeplexes))
    maps = first.sequence_map, second.sequence_map

    def history() -> HistoryTree:
        return _renumber(form.history, first.infoset_map, second.infoset_map)

    abstract = SequenceForm(
        name,
        (first.treeplex, second.treeplex),
        history,
        is_whole=form.is_whole,
        own_payoff=_add_up(form.payoff, maps, second.treeplex.num_sequences),
    )
    return Abstraction(form, abstract, maps)


@dataclass(frozen=True)
class _Merged:
    """A player's abstract infosets, and where infosets and sequences went."""

    treeplex: Treeplex
    infoset_map: Ints
    sequence_map: Ints


def _merge(treeplex: Treeplex, player: int, merged: Callable[[int, str], str]) -> _Merged:
    """Number abstract infosets by the first of their infosets, so parents come before children."""
    number: dict[str, int] = {}
    firsts: list[int] = []
    begins, parents = [1], []
    infoset_map = np.zeros(treeplex.num_infosets, dtype=np.int32)
    sequence_map = np.zeros(treeplex.num_sequences, dtype=np.int32)
    begin = treeplex.infoset_begin.tolist()
    for i, parent in enumerate(treeplex.infoset_parent.tolist()):
        key, num_actions = treeplex.keys[i], begin[i + 1] - begin[i]
        name = merged(player, key)
        if not isinstance(name, str):
            raise BadInputError(f"infoset {key!r} is merged into {name!r}, which is not a name")
        # The infoset of the parent sequence came before, so the map has it.
        above = int(sequence_map[parent])
        into = number.setdefault(name, len(firsts))
        if into == len(firsts):
            firsts.append(i)
            parents.append(above)
            begins.append(begins[-1] + num_actions)
        elif treeplex.labels[firsts[into]] != treeplex.labels[i]:
            raise _different_actions(treeplex, player, firsts[into], i)
        elif parents[into] != above:
            raise _imperfect_recall(treeplex, player, firsts[into], i)
        infoset_map[i] = into
        sequence_map[begin[i] : begin[i + 1]] = begins[into] + np.arange(num_actions)
    abstract = Treeplex(
        infoset_begin=np.array(begins, dtype=np.int32),
        infoset_parent=np.array(parents, dtype=np.int32),
        keys=list(number),
        labels=[treeplex.labels[i] for i in firsts],
    )
    return _Merged(abstract, infoset_map, sequence_map)


def _add_up(payoff: Payoff, maps: tuple[Ints, Ints], num_columns: int) -> Payoff:
    """The payoff of the abstract game: what its sequences stand for, added up."""
    rows, columns = maps[0][payoff.rows], maps[1][payoff.columns]
    order = np.argsort(rows.astype(np.int64) * num_columns + columns, kind="stable")
    return Payoff(*sum_runs(order, rows, columns, payoff.entries))


def _renumber(history: HistoryTree, *infoset_maps: Ints) -> HistoryTree:
    """The same histories, with the numbers of abstract infosets."""
    infoset = history.node_infoset.copy()
    for player, infoset_map in enumerate(infoset_maps):
        own = history.node_player == player
        infoset[own] = infoset_map[infoset[own]]
    return replace(history, node_infoset=infoset, is_merged=True)


def _different_actions(treeplex: Treeplex, player: int, one: int, other: int) -> BadInputError:
    actions = [f"({', '.join(treeplex.labels[i])})" for i in (one, other)]
    return BadInputError(
        f"infosets {treeplex.keys[one]!r} and {treeplex.keys[other]!r} of player {player} cannot "
        f"be merged: their actions are {actions[0]} and {actions[1]}, in this order"
    )


def _imperfect_recall(treeplex: Treeplex, player: int, one: int, other: int) -> BadInputError:
    before = [_last_move(treeplex, i) for i in (one, other)]
    return BadInputError(
        f"infosets {treeplex.keys[one]!r} and {treeplex.keys[other]!r} of player {player} cannot "
        f"be merged: before the first comes {before[0]}, before the second {before[1]}, which are "
        "not merged, so the player would forget which it was (imperfect recall)"
    )


def _last_move(treeplex: Treeplex, infoset: int) -> str:
    """What the player did last before an infoset, in words."""
    sequence = int(treeplex.infoset_parent[infoset])
    if sequence == 0:
        return "no move of his"
    owner = int(treeplex.sequence_infoset[sequence])
    label = treeplex.labels[owner][sequence - int(treeplex.infoset_begin[owner])]
    return f"{label!r} at {treeplex.keys[owner]!r}"
