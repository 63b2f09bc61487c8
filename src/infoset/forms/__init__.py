"""Forms: the rules of a game compiled to flat arrays, as sequence form or as public form."""

from infoset.forms.history import HistoryTree
from infoset.forms.sequence_form import (
    MAX_HISTORIES,
    Payoff,
    SequenceForm,
    compile_game,
    visited_tree,
)
from infoset.forms.treeplex import Treeplex

__all__ = [
    "MAX_HISTORIES",
    "HistoryTree",
    "Payoff",
    "SequenceForm",
    "Treeplex",
    "compile_game",
    "visited_tree",
]
