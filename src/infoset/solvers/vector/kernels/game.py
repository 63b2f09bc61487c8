"""What the kernels read and write: one player's part of a street, and room to work in.

Both are records of numbers and *addresses* of arrays. Numba could take the arrays themselves, in
tuples, but it takes a microsecond to unpack each and most of a minute to compile functions with
hundreds of them. Who makes a record keeps its arrays alive.
"""

from typing import Any, NamedTuple

import numpy as np

UPDATE, AVERAGE, BEST, VALUE = 0, 1, 2, 3
"""What a walk is for: a player learns, or only his opponent's plan is added to the average, or the
player's best response to the average is worked out, or what the averages are worth to him."""


def _record(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, np.int64) for name in names])


SIDE = _record(
    # Numbers, of `infoset.forms.public_layout.Betting` and the recipe.
    *("num_lines", "num_sequences", "num_nodes", "num_exits", "num_showdowns", "num_vectors"),
    *("num_boards", "is_predictive", "is_locked"),
    # Arrays of `Betting`.
    *("node_slot", "node_actions", "node_parent", "lane_own", "lane_other", "lane_weights"),
    "exit_slot",
    # Arrays of `infoset.forms.public_rows.Rows` and the layout.
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
    "entry",  # [lines, rows] the opponent's reaches at the start of the street
    "exits",  # [lines after, rows] and at its end
    "reaches",  # [vector, rows and a block of zeros, lane] and at the ends of the game
    "values",  # [vector, own rows, lane] what they are worth
    *("later", "later_size"),  # [lines after, own rows] values that come back from the next street
    "entry_values",  # [lines, own rows]
    "plan",  # [slots of a block, and two tiles, 16]
    "cards",  # [52, 16]
)
"""Room to work in on one street, one for each thread."""


class Rule(NamedTuple):
    """The recipe at one iteration."""

    keep_positive: float
    keep_negative: float
    keep_next: float
    keep_other: float
    """What the opponent's strategy keeps of his regrets now, if it is predictive."""
    floor: float
    decay: float
    """What the opponent's average keeps before his plan is added,"""
    weight: float
    """and how much of that is added."""
    dither: float
    """Added before 16-bit regrets are cut off: over time, errors cancel."""
    dither_average: float
    instant: bool
