"""Mini-batches of episodes on a compiled game, under strategies that networks give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.neural.history_tree import tree_of
from infoset.neural.kernels.episodes import TRANSITION, play_into, uniform_lengths
from infoset.solvers import refuse_values

STEPS = 128
"""Decisions of both players in a mini-batch, about, if the number of episodes is not given."""

Floats = NDArray[np.float64]


class Transitions(NamedTuple):
    """Decisions of one player, in the order in which they were made."""

    sequence: NDArray[np.int32]
    """The action, numbered among the sequences of both players."""
    following: NDArray[np.int32]
    """The first sequence of his next infoset; -1 if he did not move again."""
    reward: Floats
    """What he won, in chips, if he did not move again; else 0."""
    is_response: NDArray[np.bool_]
    """Whether he responded in this episode, rather than played his average strategy."""


class Episodes:
    """Plays mini-batches. They depend on strategies, seed and number, and on nothing else."""

    def __init__(self, form: SequenceForm, episodes: int = 0) -> None:
        """``episodes`` of a mini-batch; 0 is as many as make about `STEPS` decisions.

        The length of an episode is then that under uniform strategies, in expectation.
        """
        refuse_values(form, "sampling")
        self._tree = tree_of(form)
        decisions, visited = uniform_lengths(np.zeros(form.history.num_nodes), self._tree)
        self.episodes = episodes or max(1, round(STEPS / max(decisions, 1.0)))
        """Of a mini-batch."""
        self.nodes_per_batch = self.episodes * visited
        """Histories that a mini-batch visits, if all actions are as likely."""
        longest = sum(1 + int(t.infoset_depth.max(initial=0)) for t in form.treeplexes)
        self._log = np.zeros(self.episodes * longest, dtype=TRANSITION)
        self.nodes_touched = 0
        """Histories visited so far."""

    def play(
        self, number: int, average: Floats, response: Floats, *, anticipatory: float, seed: int
    ) -> tuple[Transitions, Transitions]:
        """What both players did in mini-batch ``number``.

        ``average`` and ``response`` are by sequence, of both players. In every episode each player
        draws which of them he plays: the response with probability ``anticipatory``.
        """
        end, touched = play_into(
            *(self._log, self._tree, average, response, anticipatory),
            *(np.uint64(seed), number, self.episodes),
        )
        self.nodes_touched += touched
        log = self._log[:end]
        first, second = (log[log["player"] == player] for player in (0, 1))
        return _transitions(first), _transitions(second)

    @property
    def nbytes(self) -> int:
        """Bytes of the log."""
        return self._log.nbytes

    @property
    def form_bytes(self) -> int:
        """Bytes of the game as episodes read it."""
        return sum(array.nbytes for array in self._tree)


def _transitions(log: NDArray[np.void]) -> Transitions:
    return Transitions(
        log["sequence"], log["following"], log["reward"], log["is_response"].astype(bool)
    )
