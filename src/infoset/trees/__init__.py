"""From rules to flat arrays, once: histories, sequences, and the lanes the kernels run on."""

from infoset.trees.history import HistoryTree
from infoset.trees.tree import MAX_HISTORIES, Payoff, Tree, compile_game, visited_tree
from infoset.trees.treeplex import Treeplex

__all__ = [
    "MAX_HISTORIES",
    "HistoryTree",
    "Payoff",
    "Tree",
    "Treeplex",
    "compile_game",
    "visited_tree",
]
