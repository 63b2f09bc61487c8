"""The outcome of a run: its curve, why it stopped, and its memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm
from infoset.solvers.contract import NO_NEWS


class Point(NamedTuple):
    """One point of a convergence curve."""

    iteration: int
    seconds: float
    """Time spent iterating, without compilation and without evaluation."""
    exploitability: float
    nodes_touched: int
    """Nodes visited so far."""
    news: Mapping[str, float] = NO_NEWS
    """Losses and samples, of solvers that train networks."""

    def summary(self) -> dict[str, Any]:
        """The point for JSON."""
        summary = self._asdict()
        if not summary.pop("news"):
            return summary
        return {**summary, "news": dict(self.news)}


class Below(NamedTuple):
    """What is kept of the parts of a game below a cut: what can be won there."""

    cut: str
    """Where the game was cut, as `infoset.resolving` reads it."""
    by_rules: bool
    """Whether trunk and parts were compiled by themselves, and not cut out of the whole game."""
    street: int
    """Of a spot: the first street that is not there any more, counted from its first; else 0."""
    values: tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]
    """Per player: [cells, part by part], of a spot [parts, hands]. Counterfactual, in chips."""


class Outcome(NamedTuple):
    """A run that is over, as every solution tells it."""

    iterations: int
    seconds: float
    exploitability: float
    curve: list[Point]
    stopped_by: str
    nodes_touched: int


class Started(NamedTuple):
    """The warm start of a run: the strategy, and what was made of it."""

    game: str
    """Whose strategy it is."""
    method: str
    iterations: int
    """How many iterations it stands for."""
    same: int
    """Infosets that played as the one of the same name."""
    similar: int
    """Infosets that played as one of another name."""
    unknown: int
    """Infosets that played uniformly."""
    exploitability: float
    """Of the strategy in the game that was solved, in chips."""


class Space(NamedTuple):
    """Bytes, by what they are for."""

    kept: int
    """What must survive from one iteration to the next: regrets and averages."""
    solver: int
    """All arrays of the solver, work space and padding included."""
    form: int
    """The form as the solver reads it."""
    bound: int | None = None
    """Theorem 4 of Li et al. (2019), in sequence form: regrets, averages and one path."""


def instant_cfr_space(form: SequenceForm, *, alternating: bool) -> int:
    """The bound of Theorem 4 of instant CFR, in bytes of doubles.

    Two numbers per action of the game, and one (alternating updates; else two) per action on the
    longest path of a player.
    """
    longest = 0
    for treeplex in form.treeplexes:
        on_path, owner = treeplex.infoset_num_actions.tolist(), treeplex.sequence_infoset
        for i, parent in enumerate(treeplex.infoset_parent.tolist()):
            on_path[i] += on_path[owner[parent]] if parent else 0
        longest = max([longest, *on_path])
    return 8 * (2 * form.num_sequences + (1 if alternating else 2) * longest)
