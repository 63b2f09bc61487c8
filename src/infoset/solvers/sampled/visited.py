"""The infosets that walks have come to, and the numbers kept for them: a store that grows."""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import GameError
from infoset.forms import Treeplex

__all__ = ["VisitedInfosets", "match"]

ENTRY_BYTES = 104
"""What a dictionary takes per key, about: its table is two thirds full at most."""


class VisitedInfosets:
    """One player's infosets in the order in which they were first visited.

    Sequences are numbered as in a `Treeplex`, so parents come before children. The numbers of a
    sequence are in `strategy`, `regrets`, `average`, and, where they are used, `base` and `kept`.
    """

    def __init__(self, player: int, *, has_base: bool, discounts: bool) -> None:
        self.player = player
        self.begin_of: dict[str, int] = {}
        self.parent: dict[int, int] = {}
        self.labels: dict[int, tuple[str, ...]] = {}
        self._interned: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.has_base, self.discounts = has_base, discounts
        self.strategy = array("d", [1.0])
        self.regrets = array("d", [0.0])
        self.average = array("d", [0.0])
        self.base = array("d", [0.0] if has_base else [])
        self.kept = (array("d", [0.0]), array("d", [0.0])) if discounts else (array("d"),) * 2
        self._key_bytes = 0

    def visit(self, key: str, actions: Sequence[str], parent: int) -> int:
        """The first sequence of an infoset, which is added if it is new."""
        begin = self.begin_of.get(key)
        if begin is not None:
            if self.parent[begin] != parent or self.labels[begin] != tuple(actions):
                raise GameError(
                    f"infoset {key!r} of player {self.player} was come to in two ways between "
                    "which the player did or may do different things; he would lack perfect recall"
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
        self.regrets.extend([0.0] * count)
        self.average.extend([0.0] * count)
        if self.has_base:
            self.base.extend([0.0] * count)
        if self.discounts:
            for kept in self.kept:
                kept.extend([0.0] * count)
        self._key_bytes += sys.getsizeof(key)
        return begin

    def frozen(self) -> VisitedInfosets:
        """A copy whose strategy is the average."""
        out = VisitedInfosets(self.player, has_base=False, discounts=False)
        out.begin_of, out.parent = self.begin_of.copy(), self.parent.copy()
        out.labels = self.labels.copy()
        out.strategy = array("d", self.probabilities().tolist())
        for numbers in (out.regrets, out.average):
            numbers.extend([0.0] * (len(out.strategy) - 1))
        return out

    def __len__(self) -> int:
        return len(self.begin_of)

    @property
    def nbytes(self) -> int:
        """Bytes held: the numbers, the keys, and the dictionaries that find them."""
        arrays = (self.strategy, self.regrets, self.average, self.base, *self.kept)
        numbers = sum(a.itemsize * len(a) for a in arrays)
        return numbers + self._key_bytes + 3 * ENTRY_BYTES * len(self)

    def probabilities(self) -> NDArray[np.float64]:
        """[num_sequences] The average strategy; uniform where nothing has been averaged."""
        average = np.array(self.average)
        out = np.ones(len(average))
        begin = np.fromiter(self.begin_of.values(), np.int64, len(self))
        counts = np.diff(np.append(begin, len(average)))
        totals = np.repeat(np.add.reduceat(average, begin), counts) if len(self) else np.zeros(0)
        out[1:] = np.repeat(1.0 / counts, counts)
        np.divide(average[1:], totals, out=out[1:], where=totals > 0.0)
        return out

    def treeplex(self) -> Treeplex:
        """The infosets as part of a player's decision problem."""
        begins = list(self.begin_of.values())
        return Treeplex(
            infoset_begin=np.array([*begins, len(self.strategy)], np.int32),
            infoset_parent=np.array([self.parent[b] for b in begins], np.int32),
            keys=list(self.begin_of),
            labels=[self.labels[b] for b in begins],
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything but the strategy, which follows from the regrets."""
        p = self.player
        kinds = list(self._interned)
        number = {labels: i for i, labels in enumerate(kinds)}
        text = json.dumps([list(self.begin_of), kinds], ensure_ascii=False)
        out: dict[str, NDArray[Any]] = {
            f"regrets{p}": np.array(self.regrets),
            f"average{p}": np.array(self.average),
            f"parents{p}": np.array([self.parent[b] for b in self.begin_of.values()], np.int64),
            f"kinds{p}": np.array([number[x] for x in self.labels.values()], np.int64),
            f"keys{p}": np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8),
        }
        if self.has_base:
            out[f"base{p}"] = np.array(self.base)
        if self.discounts:
            out[f"kept{p}"] = np.array(self.kept).reshape(-1)
        return out

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved state; raises `ValueError` or `KeyError` if it is none."""
        p = self.player
        text = state[f"keys{p}"].astype(np.uint8).tobytes().decode("utf-8", "surrogatepass")
        keys, kinds = json.loads(text)
        parents, numbers = state[f"parents{p}"].tolist(), state[f"kinds{p}"].tolist()
        self.__init__(p, has_base=self.has_base, discounts=self.discounts)  # type: ignore[misc]
        for key, parent, kind in zip(keys, parents, numbers, strict=True):
            if not isinstance(key, str) or not 0 <= parent < len(self.strategy) or kind < 0:
                raise ValueError("infosets do not fit together")
            self.visit(key, [str(label) for label in kinds[kind]], parent)
        named = {f"regrets{p}": [self.regrets], f"average{p}": [self.average]}
        if self.has_base:
            named[f"base{p}"] = [self.base]
        if self.discounts:
            named[f"kept{p}"] = list(self.kept)
        for name, targets in named.items():
            rows = state[name].astype(np.float64).reshape(len(targets), -1)
            for row, target in zip(rows, targets, strict=True):
                if len(row) != len(target) or not np.isfinite(row).all():
                    raise ValueError(f"{name} does not fit the infosets")
                target[:] = array("d", row.tolist())


def match(table: VisitedInfosets, at: int, degree: int, floor: float) -> None:
    """Floor the regrets of an infoset and match them."""
    total = 0.0
    for s in range(at, at + degree):
        table.regrets[s] = max(table.regrets[s], floor)
        total += max(table.regrets[s], 0.0)
    inverse = 1.0 / total if total > 1e-290 else 0.0
    for s in range(at, at + degree):
        table.strategy[s] = max(table.regrets[s], 0.0) * inverse if inverse else 1.0 / degree
