"""The sequence form: two treeplexes, the payoff matrix, and the history tree behind them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.errors import TooLargeError
from infoset.forms.history import HistoryTree
from infoset.forms.kernels.collapse import Payoff, collapse, sum_runs
from infoset.forms.lanes import Lanes, lay_out
from infoset.forms.treeplex import Treeplex
from infoset.forms.walk_public import walk_public
from infoset.forms.walk_states import too_large, walk_states
from infoset.games import DealtGame, Game, name_of
from infoset.machine.memory import (
    BYTES_PER_HISTORY,
    BYTES_PER_PUBLIC_HISTORY,
    histories_that_fit,
)

MAX_HISTORIES = 100_000_000
"""The largest game compiled unless asked otherwise."""


Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
"""A number for every sequence of player 0, and of player 1."""

SequenceValues = Pair | Callable[[Pair], Pair]
"""What sequences are worth beside the payoff, in chips: given once, or asked for with both players'
plans. Like a payoff it has the probability of chance and of the opponent's plan in it."""


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game in flat arrays. Infosets and sequences have one number in all its forms."""

    name: str
    treeplexes: tuple[Treeplex, Treeplex]
    history_source: HistoryTree | Callable[[], HistoryTree]
    """The histories, or what makes them when they are first asked for."""
    is_whole: bool = True
    """Whether these are all infosets of the game, or only those that were visited."""
    sequence_values: SequenceValues | None = None
    """What sequences are worth beside the payoff; see `infoset.forms.sequence_seams`."""
    own_payoff: Payoff | None = None
    """The payoff, where it is not that of the histories."""
    own_lanes: Lanes | None = None
    """The layout, where it is not made from the payoff: in the live part of a form."""

    @cached_property
    def history(self) -> HistoryTree:
        """Every history of the game."""
        source = self.history_source
        return source() if callable(source) else source

    @cached_property
    def payoff(self) -> Payoff:
        """The sequence form's matrix: terminals collapsed to pairs of sequences."""
        if self.own_payoff is not None:
            return self.own_payoff
        begins = (treeplex.infoset_begin for treeplex in self.treeplexes)
        rows, columns, entries = collapse(self.history.columns, *begins)
        key = rows.astype(np.int64) * self.treeplexes[1].num_sequences + columns
        return Payoff(*sum_runs(np.argsort(key, kind="stable"), rows, columns, entries))

    @cached_property
    def lanes(self) -> Lanes:
        """The layout the fast kernels work on."""
        return self.own_lanes or lay_out(self.treeplexes, self.payoff)

    def given_values(self, plans: Pair) -> Pair:
        """What sequences are worth beside the payoff, in lanes and in the unit of the payoffs.

        ``plans`` are in lanes. Empty arrays if there is nothing beside it.
        """
        source, lanes = self.sequence_values, self.lanes
        if source is None:
            return np.zeros(0), np.zeros(0)
        if callable(source):
            source = source((lanes.collect(0, plans[0]), lanes.collect(1, plans[1])))
        scale = lanes.unit.of_chips(1.0)
        return lanes.spread(0, source[0] * scale), lanes.spread(1, source[1] * scale)

    @property
    def num_infosets(self) -> int:
        """Infosets of both players together."""
        return sum(t.num_infosets for t in self.treeplexes)

    @property
    def num_sequences(self) -> int:
        """Sequences of both players together, the empty ones left out."""
        return sum(t.num_sequences - 1 for t in self.treeplexes)

    @cached_property
    def fingerprint(self) -> str:
        """A checksum of infosets, actions and payoffs, as they are numbered here."""
        digest = hashlib.sha256()
        for treeplex in self.treeplexes:
            for array in (treeplex.infoset_begin, treeplex.infoset_parent):
                digest.update(np.ascontiguousarray(array).tobytes())
            for keys, labels in zip(treeplex.keys, treeplex.labels, strict=True):
                digest.update("\0".join((keys, *labels, "\n")).encode("utf-8", "surrogatepass"))
        for column in self.payoff if self.is_whole else ():
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        size = f"{self.num_infosets:,} infosets, {self.num_sequences:,} sequences"
        return f"SequenceForm({self.name!r}: {size})"


def visited_tree(name: str, treeplexes: tuple[Treeplex, Treeplex]) -> SequenceForm:
    """The visited part of a game that was never enumerated: it has no histories."""

    def histories() -> HistoryTree:
        raise TooLargeError(
            f"{name} was sampled by its rules and never enumerated, so its histories and payoffs "
            "are not known; what needs all of them cannot be computed"
        )

    return SequenceForm(name, treeplexes, histories, is_whole=False)


def compile_game(game: Game, *, max_histories: int | None = None) -> SequenceForm:
    """Turn rules into arrays, once.

    Raises `GameError` for rules that are not a finite two-player zero-sum game with perfect
    recall, naming the histories at fault, and `TooLargeError` beyond ``max_histories``: unless
    given, `MAX_HISTORIES`, or fewer if the free memory has no room for that many.
    """
    name = name_of(game)
    is_public = isinstance(game, DealtGame)
    limit = max_histories
    if limit is None:
        fit = histories_that_fit(BYTES_PER_PUBLIC_HISTORY if is_public else BYTES_PER_HISTORY)
        limit = MAX_HISTORIES if fit is None else min(fit, MAX_HISTORIES)
    at_least = getattr(game, "least_histories", 0)
    if at_least > limit:
        raise too_large(at_least, limit, name)
    if isinstance(game, DealtGame):
        history, treeplexes = walk_public(game, name, limit)
    else:
        history, treeplexes = walk_states(game, name, limit)
    return SequenceForm(name, (treeplexes[0], treeplexes[1]), history)
