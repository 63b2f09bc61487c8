"""The infosets that walks have visited, with their numbers: tables that grow."""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameError
from infoset.forms import Treeplex
from infoset.solvers.sampled.sampled_run import normalise

DICT_ENTRY_BYTES = 104
"""Bytes that a dictionary takes per key, about: its table is two thirds full at most."""


class VisitedInfosets:
    """One player's infosets in the order in which they were first visited.

    Sequences are numbered as in a `Treeplex`, so parents come before children. The numbers of a
    sequence are in `strategy`, `regrets`, `average` and, if used, `baseline` and `log_kept`; see
    `infoset.solvers.sampled.kernels.structures.Tables`.
    """

    def __init__(self, player: int, *, has_baselines: bool, discounts: bool) -> None:
        self.player = player
        self.begin_of: dict[str, int] = {}
        self.parent: dict[int, int] = {}
        self.labels: dict[int, tuple[str, ...]] = {}
        self._interned: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.has_baselines, self.discounts = has_baselines, discounts
        self.strategy = array("d", [1.0])
        self.regrets = array("d", [0.0])
        self.average = array("d", [0.0])
        self.baseline = array("d", [0.0] if has_baselines else [])
        self.log_kept = (array("d", [0.0]), array("d", [0.0])) if discounts else (array("d"),) * 2
        self._key_bytes = 0

    @property
    def _kept(self) -> dict[str, tuple[array[float], ...]]:
        """The tables that start at zero and that a saved state holds, by name."""
        kept = {"regrets": (self.regrets,), "average": (self.average,)}
        if self.has_baselines:
            kept["baseline"] = (self.baseline,)
        return kept | ({"log_kept": self.log_kept} if self.discounts else {})

    def visit(self, key: str, actions: Sequence[str], parent: int) -> int:
        """The first sequence of an infoset, which is added if it is new."""
        begin = self.begin_of.get(key)
        if begin is not None:
            if self.parent[begin] != parent or self.labels[begin] != tuple(actions):
                raise GameError(
                    f"infoset {key!r} of player {self.player} was reached in two ways that differ "
                    "in the player's own actions or choices: that is not perfect recall"
                )
            return begin
        begin = len(self.strategy)
        labels = tuple(actions)
        if not labels:
            raise GameError(f"infoset {key!r} of player {self.player} has no actions")
        self.begin_of[key] = begin
        self.parent[begin] = parent
        self.labels[begin] = self._interned.setdefault(labels, labels)
        count = len(labels)
        self.strategy.extend([1.0 / count] * count)
        for tables in self._kept.values():
            for table in tables:
                table.extend([0.0] * count)
        self._key_bytes += sys.getsizeof(key)
        return begin

    def frozen(self) -> VisitedInfosets:
        """A copy whose strategy is the average."""
        copy = VisitedInfosets(self.player, has_baselines=False, discounts=False)
        for key, begin in self.begin_of.items():
            copy.visit(key, self.labels[begin], self.parent[begin])
        copy.strategy = array("d", self.probabilities().tolist())
        return copy

    def __len__(self) -> int:
        return len(self.begin_of)

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers, the keys, and the dictionaries."""
        num_tables = 1 + sum(map(len, self._kept.values()))
        numbers = self.strategy.itemsize * num_tables * len(self.strategy)
        return numbers + self._key_bytes + 3 * DICT_ENTRY_BYTES * len(self)

    def probabilities(self) -> NDArray[np.float64]:
        """[num_sequences] The average strategy; uniform where nothing has been averaged."""
        return normalise(np.array(self.average), np.array(self._begins()))

    def _begins(self) -> list[int]:
        return [*self.begin_of.values(), len(self.strategy)]

    def treeplex(self) -> Treeplex:
        """The visited part of the player's decision problem."""
        return Treeplex(
            infoset_begin=np.array(self._begins(), np.int32),
            infoset_parent=np.array(list(self.parent.values()), np.int32),
            keys=list(self.begin_of),
            labels=list(self.labels.values()),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything but the strategy, which follows from the regrets."""
        p = self.player
        action_sets = list(self._interned)
        number = {labels: i for i, labels in enumerate(action_sets)}
        text = json.dumps([list(self.begin_of), action_sets], ensure_ascii=False)
        return {
            **{f"{name}{p}": np.array(tables).reshape(-1) for name, tables in self._kept.items()},
            f"parents{p}": np.array(list(self.parent.values()), np.int64),
            f"action_sets{p}": np.array([number[x] for x in self.labels.values()], np.int64),
            f"keys{p}": np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8),
        }

    def restored(self, state: Mapping[str, NDArray[Any]]) -> VisitedInfosets:
        """New tables from a saved state; raises `ValueError` or `KeyError` if it is none."""
        p = self.player
        text = state[f"keys{p}"].astype(np.uint8).tobytes().decode("utf-8", "surrogatepass")
        keys, action_sets = json.loads(text)
        parents, numbers = state[f"parents{p}"].tolist(), state[f"action_sets{p}"].tolist()
        table = VisitedInfosets(p, has_baselines=self.has_baselines, discounts=self.discounts)
        for key, parent, number in zip(keys, parents, numbers, strict=True):
            if not isinstance(key, str) or not 0 <= parent < len(table.strategy) or number < 0:
                raise ValueError("infosets do not fit together")
            table.visit(key, [str(label) for label in action_sets[number]], parent)
        for name, targets in table._kept.items():
            rows = state[f"{name}{p}"].astype(np.float64).reshape(len(targets), -1)
            for row, target in zip(rows, targets, strict=True):
                if len(row) != len(target):
                    raise ValueError(f"{name} does not fit the infosets")
                target[:] = array("d", row.tolist())
        for begin, labels in table.labels.items():
            match_regrets(table, begin, len(labels), -math.inf)
        return table


def match_regrets(table: VisitedInfosets, begin: int, degree: int, floor: float) -> None:
    """Raise the regrets of an infoset to the floor, and write the strategy that matches them."""
    total = 0.0
    for s in range(begin, begin + degree):
        table.regrets[s] = max(table.regrets[s], floor)
        total += max(table.regrets[s], 0.0)
    inverse = 1.0 / total if total > 1e-290 else 0.0
    for s in range(begin, begin + degree):
        table.strategy[s] = max(table.regrets[s], 0.0) * inverse if inverse else 1.0 / degree
