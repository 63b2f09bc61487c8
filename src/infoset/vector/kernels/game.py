"""What the kernels read and write: one player's part of a street, and room to work in.

Both are records of numbers and *addresses* of arrays. Numba could take the arrays themselves, in
tuples, but it takes a microsecond to unpack each and most of a minute to compile functions with
hundreds of them. Who makes a record keeps its arrays alive.
"""

from typing import Any, NamedTuple

import numpy as np

UPDATE, BEST, VALUE = 0, 1, 2
"""What the bottom-up pass does: learn, respond as well as possible, or weigh the average."""


def _record(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, np.int64) for name in names])


SIDE = _record(
    # Numbers, of `infoset.vector.layout.Betting` and the recipe.
    *("num_lines", "num_sequences", "num_nodes", "num_exits", "num_showdowns", "num_vectors"),
    *("num_boards", "is_predictive", "is_locked"),
    # Arrays of `Betting`.
    *("node_slot", "node_actions", "node_parent", "lane_own", "lane_other", "lane_weights"),
    "exit_slot",
    # Arrays of `infoset.vector.rows.Rows` and the layout.
    *("row_begin", "num_live", "first", "second", "same", "maps", "map_begin", "deal_begin"),
    *("group", "group_begin", "child_begin"),
    # Tables, [board, block of hands, sequence, 16]: floats, or shorts with a scale for each
    # decision of a block.
    *("regrets", "average", "prediction", "regrets_scale", "average_scale", "prediction_scale"),
    # What the opponent answers to: the regrets, or how they were when the iteration began.
    *("seen_regrets", "seen_prediction", "seen_regrets_scale", "seen_prediction_scale"),
    # As a table of floats: what is played whatever is learnt, -1 where that is open.
    "locked",
)
"""One player's part of a street."""

WORK = _record(
    *("entry", "other_entry"),  # [lines, rows] reaches at the start of the street
    *("exits", "other_exits"),  # [lines after, rows] and at its end
    "reaches",  # [vector, opponent's rows and a block of zeros, lane] reaches of the ends
    "values",  # [vector, own rows, lane] what they are worth
    *("later", "later_size"),  # [lines after, own rows] values that come back from the next street
    "entry_values",  # [lines, own rows]
    "plan",  # [slots of a block, and two tiles, 16]
    "cards",  # [52, 16]
)
"""Room to work in on one street, one for each thread; ``own`` is who updates."""


class Rule(NamedTuple):
    """The recipe at one iteration."""

    keep_positive: float
    keep_negative: float
    keep_next: float
    keep_other: float
    """What the opponent's strategy keeps of his regrets now, if it is predictive."""
    floor: float
    decay: float
    weight: float
    dither: float
    """Added before 16-bit numbers are cut off: over time, errors cancel."""
    instant: bool
