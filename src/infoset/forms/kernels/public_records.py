"""Arguments of the public form's kernels: one player's arrays of a street, and buffers.

Both are records of numbers and *addresses* of arrays. Numba could take the arrays themselves, in
tuples, but it takes a microsecond to unpack each and most of a minute to compile functions with
hundreds of them. The code that makes a record must keep its arrays alive.
"""

from typing import Any

import numpy as np


def _record(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, np.int64) for name in names])


SIDE = _record(
    # Numbers, of `infoset.forms.public_layout.Betting` and the recipe.
    *("num_lines", "num_sequences", "num_nodes", "num_exits", "num_folds", "num_shared"),
    *("num_vectors", "num_leaves", "num_boards", "is_predictive", "is_locked", "is_pruned"),
    # Arrays of `Betting`.
    *("node_slot", "node_actions", "node_parent", "terminal_own", "terminal_other"),
    *("terminal_payoffs", "fold_own", "fold_payoffs", "exit_slot", "leaf_own"),
    # Arrays of `infoset.forms.public_rows.Rows` and the layout.
    *("row_begin", "num_live", "first", "second", "opponent_row", "maps", "map_begin"),
    *("deal_begin", "group", "group_begin", "child_begin"),
    # Tables, [board, block of hands, sequence, 16]: floats, or 16-bit numbers with a scale for each
    # decision of a block.
    *("regrets", "average", "prediction", "regrets_scale", "average_scale", "prediction_scale"),
    # What the opponent answers to: the regrets, or how they were when the iteration began.
    *("seen_regrets", "seen_prediction", "seen_regrets_scale", "seen_prediction_scale"),
    # As a table of floats: what is played whatever is learnt, -1 where that is open.
    "locked",
    # [leaf, row of all boards] What hands are worth where the form ends before the game does, and
    # how often they come there.
    *("leaf_values", "leaf_reach"),
    # [line, row of all boards] Where the values of the lines into the street are noted; 0 if they
    # are not asked for.
    "noted_values",
)
"""One player's side of a street."""

BUFFERS = _record(
    "entry",  # [lines, rows] the opponent's reaches at the start of the street
    "exits",  # [lines after, rows] and at its end
    # [1 + vectors, rows and a block, terminal] The opponent's reaches at the terminals of vector v
    # lie in place v + 1; what they are worth, [own rows, terminal], is then written to place v.
    "terminals",
    *("later", "later_size"),  # [lines after, own rows] values that come back from the next street
    "entry_values",  # [lines, own rows]
    "plan",  # [slots of a block, and two tiles, 16]
    "cards",  # [53, 16] of the last vector, reach that holds each card, and all reach
)
"""What a thread works in on one street."""
