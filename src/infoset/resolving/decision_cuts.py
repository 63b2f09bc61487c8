"""The public states at which a player decides, as nested cuts of a game in sequence form.

The decisions that a player makes after ``n`` actions of his own are the roots of cut ``n``. They
are of one subgame if they are of one public state, where the rules tell what is public, and
elsewhere if an infoset below connects them. Each subgame of a cut is inside one of the cut before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.forms import Decomposition, SequenceForm, decompose
from infoset.forms.kernels.subtrees import first_marked

Ints = NDArray[np.int64]

START = -1
"""The number of the cut before all others: the whole game is its only subgame."""


@dataclass(frozen=True)
class Subgame:
    """A subgame of one of the cuts."""

    level: int
    """How many actions of his own the player has taken before; `START` is the whole game."""
    number: int


class DecisionCuts:
    """The nested cuts of one player's decisions, made when they are first asked for."""

    def __init__(self, form: SequenceForm, player: int) -> None:
        self.form = form
        self.player = player
        self._cuts: dict[int, Decomposition] = {}
        self._clean: dict[int, NDArray[np.bool_]] = {}

    def cut(self, level: int) -> Decomposition:
        """The cut at the decisions after so many own actions; that of `START` is at the root."""
        if level not in self._cuts:
            form, history = self.form, self.form.history
            marks = np.zeros(history.num_nodes, bool)
            if level == START:
                marks[0] = True
            else:
                own = np.flatnonzero(history.node_player == self.player)
                depth = form.treeplexes[self.player].infoset_depth
                marks[own] = depth[history.node_infoset[own]] == level
                marks = closed(form, marks)
            # Merged infosets may be of several public states.
            is_told = level != START and not history.is_merged
            self._cuts[level] = decompose(form, marks, history.node_public if is_told else None)
        return self._cuts[level]

    def subgame_of(self, infoset: int) -> Subgame:
        """The smallest subgame in which a decision can be solved anew.

        That is where the player decides it, unless the opponent may not have seen his actions: a
        subgame that holds earlier decisions of the player cannot be told apart from them, so it is
        part of what was solved before.
        """
        node = int(np.argmax(self._is_of(infoset)))
        depth = int(self.form.treeplexes[self.player].infoset_depth[infoset])
        return self._last_clean(node, depth)

    def above(self, subgame: Subgame) -> Subgame:
        """The subgame that a subgame is part of, one decision of the player before."""
        cut = self.cut(subgame.level)
        node = int(cut.roots[np.argmax(cut.root_subgame == subgame.number)])
        return self._last_clean(node, subgame.level - 1)

    def _is_of(self, infoset: int) -> NDArray[np.bool_]:
        history = self.form.history
        is_of: NDArray[np.bool_] = (history.node_player == self.player) & (
            history.node_infoset == infoset
        )
        return is_of

    def _last_clean(self, node: int, level: int) -> Subgame:
        for earlier in range(level, START, -1):
            number = int(self.cut(earlier).node_subgame[node])
            if self._is_clean(earlier)[number]:
                return Subgame(earlier, number)
        return Subgame(START, 0)

    def _is_clean(self, level: int) -> NDArray[np.bool_]:
        """[subgames] Whether a subgame has no decisions of the player from before its level."""
        if level not in self._clean:
            cut = self.cut(level)
            depth = self.form.treeplexes[self.player].infoset_depth
            subgame = cut.cells[self.player].infoset_subgame
            clean = np.ones(cut.num_subgames, bool)
            clean[subgame[(subgame >= 0) & (depth < level)]] = False
            self._clean[level] = clean
        return self._clean[level]


def closed(form: SequenceForm, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The fewest histories to cut at, so that no infoset is torn and all marked ones are below."""
    history = form.history
    decisions = np.flatnonzero(history.node_player >= 0)
    infoset = history.node_infoset[decisions].astype(np.int64)
    infoset += form.treeplexes[0].num_infosets * (history.node_player[decisions] == 1)
    marks = marks.copy()
    while True:
        is_below = first_marked(history.node_parent, marks)[decisions] >= 0
        touched = np.zeros(form.num_infosets, bool)
        touched[infoset[is_below]] = True
        torn = decisions[touched[infoset] & ~is_below]
        if not len(torn):
            return marks
        marks[torn] = True
