"""Strategies on a sequence form: a probability for every action of every infoset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, nearest
from infoset.forms import SequenceForm
from infoset.forms.kernels.passes import normalise
from infoset.strategy.strategy import Key, Strategy, split_key

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SequenceStrategy(Strategy):
    """A strategy for both players of a game in sequence form."""

    form: SequenceForm
    probabilities: tuple[Floats, Floats]
    """Per player, [num_sequences]: probability of each action at its infoset; 1 at number 0."""

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.form.name

    @classmethod
    def uniform(cls, form: SequenceForm) -> SequenceStrategy:
        """Every action alike."""
        return cls(form, (form.treeplexes[0].uniform(), form.treeplexes[1].uniform()))

    @classmethod
    def from_tables(
        cls, form: SequenceForm, tables: tuple[Mapping[str, Mapping[str, float]], ...]
    ) -> SequenceStrategy:
        """A strategy from ``{infoset: {action: probability}}``, one such table per player.

        Infosets left out play uniformly. Probabilities must sum to one within 1e-6, and are then
        scaled to sum to one.
        """
        out = cls.uniform(form)
        for player, (treeplex, table) in enumerate(zip(form.treeplexes, tables, strict=True)):
            for key, actions in table.items():
                infoset = treeplex.infoset_of_key.get(key)
                if infoset is None:
                    raise _unknown(key, treeplex.infoset_of_key, f"player {player}")
                labels = treeplex.labels[infoset]
                for label in actions:
                    if label not in labels:
                        raise BadInputError(
                            f"infoset {key!r} has no action {label!r}{nearest(label, labels)}"
                        )
                row = np.array([float(actions.get(label, 0.0)) for label in labels])
                if not (row >= 0).all() or not abs(row.sum() - 1.0) <= 1e-6:
                    raise BadInputError(
                        f"the probabilities at infoset {key!r} of player {player} are "
                        f"{row.tolist()}; they must be at least 0 and sum to 1"
                    )
                begin = treeplex.infoset_begin[infoset]
                out.probabilities[player][begin : begin + len(labels)] = row / row.sum()
        return out

    @classmethod
    def from_plans(cls, form: SequenceForm, plans: tuple[Floats, Floats]) -> SequenceStrategy:
        """A strategy from the reach of every sequence, in lanes; uniform where it never goes."""
        lanes = form.lanes
        first, second = plans[0].copy(), plans[1].copy()
        normalise(first, lanes.groups[0])
        normalise(second, lanes.groups[1])
        return cls(form, (lanes.collect(0, first), lanes.collect(1, second)))

    def __getitem__(self, key: Key) -> dict[str, float]:
        return self._row(*self._find(key))

    def get(self, key: Key, default: Any = None) -> Any:
        """The probabilities at an infoset, or ``default`` if there is none of this name.

        Quick also where there is none, which is common in what was sampled by the rules.
        """
        try:
            hits = self._hits(key)
        except BadInputError:
            return default
        return self._row(*hits[0]) if len(hits) == 1 else default

    def _row(self, player: int, infoset: int) -> dict[str, float]:
        treeplex = self.form.treeplexes[player]
        begin, end = treeplex.infoset_begin[infoset : infoset + 2]
        probabilities = self.probabilities[player][begin:end].tolist()
        return dict(zip(treeplex.labels[infoset], probabilities, strict=True))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for player, treeplex in enumerate(self.form.treeplexes):
            for key in treeplex.keys:
                yield player, key

    def __repr__(self) -> str:
        return f"SequenceStrategy(for {self.form})"

    def __len__(self) -> int:
        return self.form.num_infosets

    def _hits(self, key: Key) -> list[tuple[int, int]]:
        """Player and number of every infoset that a key may mean."""
        player, name = split_key(key)
        plexes = self.form.treeplexes
        players = (0, 1) if player is None else (player,)
        return [(p, i) for p in players if (i := plexes[p].infoset_of_key.get(name)) is not None]

    def _find(self, key: Key) -> tuple[int, int]:
        hits = self._hits(key)
        if len(hits) == 1:
            return hits[0]
        player, name = split_key(key)
        if hits:
            raise BadInputError(f"both players have an infoset {name!r}; ask for (player, infoset)")
        players = (0, 1) if player is None else (player,)
        known = [k for p in players for k in self.form.treeplexes[p].keys]
        raise _unknown(name, known, self.form.name)

    def infosets(self, player: int) -> Iterator[tuple[str, dict[str, float]]]:
        """One player's infosets, one after the other: key and ``{action: probability}``."""
        treeplex = self.form.treeplexes[player]
        probabilities = self.probabilities[player].tolist()
        begin = treeplex.infoset_begin.tolist()
        for i, (key, labels) in enumerate(zip(treeplex.keys, treeplex.labels, strict=True)):
            yield key, dict(zip(labels, probabilities[begin[i] : begin[i + 1]], strict=True))

    def columns(self) -> dict[str, Any]:
        """The strategy as columns, one action a row."""
        plexes = self.form.treeplexes
        keys = [np.repeat(np.array(t.keys, dtype=object), t.infoset_num_actions) for t in plexes]
        return {
            "player": np.repeat([0, 1], [t.num_sequences - 1 for t in plexes]),
            "infoset": np.concatenate(keys),
            "action": [label for t in plexes for labels in t.labels for label in labels],
            "probability": np.concatenate([p[1:] for p in self.probabilities]),
        }


def _unknown(key: str, known: Mapping[str, int] | list[str], where: str) -> BadInputError:
    names = list(known)
    few = names[:2000]
    hint = nearest(str(key), few).split(" Known:")[0]
    example = f" An infoset there is called, for instance, {names[0]!r}." if names else ""
    return BadInputError(f"{where} has no infoset {key!r}{hint}{example}")
