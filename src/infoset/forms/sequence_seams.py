"""Changes to a sequence form: values at leaves, and a choice at the root to take a given value.

`infoset.forms.seams` has the same two for the public form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from infoset.errors import BadInputError, nearest
from infoset.forms.kernels.collapse import Payoff
from infoset.forms.sequence_form import SequenceForm, SequenceValues
from infoset.forms.treeplex import Treeplex

TAKE, PLAY = "take", "play"


def with_values(form: SequenceForm, values: SequenceValues) -> SequenceForm:
    """The form with values of sequences beside its payoff: given once, or asked for.

    Values are counterfactual, in chips, per player: [num_sequences]. What is asked for is called
    before each update, with both players' plans [num_sequences].
    """
    if form.sequence_values is not None:
        raise BadInputError("the form has values beside its payoff already")
    if not callable(values):
        for treeplex, of_player in zip(form.treeplexes, values, strict=True):
            if np.shape(of_player) != (treeplex.num_sequences,):
                raise BadInputError(
                    f"values must be one for each of {treeplex.num_sequences} sequences, not "
                    f"{np.shape(of_player)}"
                )
    return replace(form, sequence_values=values)


def with_infoset_alternative(
    form: SequenceForm, player: int, values: Mapping[str, float]
) -> SequenceForm:
    """The form in which a player may take a value, at some of his first infosets, or play on.

    ``values`` are counterfactual values in chips, by the key of the infoset. Before each of these
    comes an infoset ``KEY?`` with the actions ``take`` and ``play``. The opponent gets nothing
    where the player takes.
    """
    if player not in (0, 1):
        raise BadInputError(f"there is no player {player!r}; players are 0 and 1")
    if form.sequence_values is not None:
        raise BadInputError("the form has values beside its payoff already")
    old = form.treeplexes[player]
    chosen = []
    for key in values:
        infoset = old.infoset_of_key.get(key)
        if infoset is None or old.infoset_parent[infoset] != 0:
            first = [k for k, p in zip(old.keys, old.infoset_parent, strict=True) if p == 0]
            raise BadInputError(f"{key!r} is no first infoset{nearest(key, first)}")
        chosen.append(infoset)
    shift = 2 * len(chosen)
    begins = 1 + 2 * np.arange(len(chosen))
    parent = np.where(old.infoset_parent == 0, 0, old.infoset_parent + shift)
    parent[chosen] = begins + 1
    new = Treeplex(
        infoset_begin=np.concatenate([begins, old.infoset_begin + shift]).astype(np.int32),
        infoset_parent=np.concatenate([np.zeros(len(chosen)), parent]).astype(np.int32),
        keys=[*(f"{key}?" for key in values), *old.keys],
        labels=[*([(TAKE, PLAY)] * len(chosen)), *old.labels],
    )
    taken = np.zeros(new.num_sequences)
    taken[begins] = list(values.values())
    nothing = np.zeros(form.treeplexes[1 - player].num_sequences)
    payoff = form.payoff
    columns = [payoff.rows, payoff.columns]
    columns[player] = np.where(columns[player] == 0, 0, columns[player] + shift).astype(np.int32)
    plexes = list(form.treeplexes)
    plexes[player] = new
    order = np.lexsort((columns[1], columns[0]))
    return replace(
        form,
        name=f"{form.name}, or what player {player} is given",
        treeplexes=(plexes[0], plexes[1]),
        own_payoff=Payoff(columns[0][order], columns[1][order], payoff.entries[order]),
        sequence_values=(taken, nothing) if player == 0 else (nothing, taken),
    )
