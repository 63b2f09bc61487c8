"""Changes to a public form for depth-limited solving and re-solving.

Any solver works on the changed form:

- `with_leaves` ends it at some nodes. There, every hand has a value, given once or computed in each
  iteration from both players' reaches.
- `with_hand_alternative` lets a player choose first, for each hand, between playing and a given
  value.

`infoset.forms.sequence_seams` has both for the sequence form.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError
from infoset.forms.betting_tree import NodeKind
from infoset.forms.public_form import LeafValues, Pair, PublicForm


def with_leaves(form: PublicForm, nodes: Iterable[int], values: LeafValues) -> PublicForm:
    """The form up to some nodes, at which hands have given values; leaves are in their order.

    What is below the nodes is cut off, and so are streets that nothing leads to any more.
    """
    leaves = sorted(set(nodes))
    if not leaves or not 0 <= leaves[0] <= leaves[-1] < len(form.node_kind):
        raise BadInputError(f"leaves must be nodes of the form, not {leaves}")
    kind, end = form.node_kind.copy(), form.node_child_end.copy()
    is_cut = np.zeros(len(kind), bool)
    is_cut[leaves] = True
    for node in np.flatnonzero(end > form.node_child_begin).tolist():  # parents before children
        is_cut[form.node_child_begin[node] : end[node]] |= is_cut[node]
    kind[is_cut] = NodeKind.LEAF
    end[leaves] = form.node_child_begin[leaves]
    num_streets = _num_streets(form, kind, end)
    return replace(
        form,
        node_kind=kind,
        node_child_end=end,
        street_begin=form.street_begin[: num_streets + 1],
        streets=form.streets[:num_streets],
        fingerprint=f"{form.fingerprint} up to {leaves}",
        leaf_values=values,
    )


def _num_streets(form: PublicForm, kind: NDArray[np.int8], end: NDArray[np.int32]) -> int:
    """How many streets can still be reached from the root."""
    stack, last = [0], 0
    streets = np.asarray(form.street_begin)
    while stack:
        node = stack.pop()
        last = max(last, int(np.searchsorted(streets, node, "right")) - 1)
        if kind[node] == NodeKind.SHOWDOWN:
            last = form.num_streets - 1  # the board is dealt out
        stack.extend(range(int(form.node_child_begin[node]), int(end[node])))
    return last + 1


def with_hand_alternative(form: PublicForm, player: int, values: Pair) -> PublicForm:
    """The form behind a choice of one player: ``take`` what a hand is given, or play on.

    ``values`` are the counterfactual values of both players' hands where the first takes, per
    player: [hands]. The new root is node 0, taking leads to node 1, and what was node ``n`` is now
    node ``n + 2``. A form with leaves must be given its alternative first.
    """
    if player not in (0, 1):
        raise BadInputError(f"there is no player {player!r}; players are 0 and 1")
    if form.leaf_values is not None:
        raise BadInputError("the form has leaves already: add the alternative before them")
    shapes = tuple(np.shape(of_player) for of_player in values)
    if shapes != tuple((count,) for count in form.num_hands):
        raise BadInputError(f"values must be one for each hand, {form.num_hands}, not {shapes}")
    no_payoff = np.zeros((2, 2, 3))
    return PublicForm(
        name=f"{form.name}, or what player {player} is given",
        fingerprint=f"{form.fingerprint} with an alternative for {player}",
        node_kind=np.append([NodeKind.DECISION, NodeKind.LEAF], form.node_kind).astype(np.int8),
        node_player=np.append([player, -1], form.node_player).astype(np.int8),
        node_child_begin=np.append([1, 3], form.node_child_begin + 2).astype(np.int32),
        node_child_end=np.append([3, 3], form.node_child_end + 2).astype(np.int32),
        street_begin=(0, *(begin + 2 for begin in form.street_begin[1:])),
        terminal_payoffs=np.concatenate([no_payoff, form.terminal_payoffs]),
        cards=form.cards,
        weights=form.weights,
        streets=form.streets,
        leaf_values={0: values},
    )
