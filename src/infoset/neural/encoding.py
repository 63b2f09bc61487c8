"""Infosets as numbers: what a network sees of what a player knows.

An infoset is a *hand*, which its owner holds from the start, and the *steps* that were seen since.
Infosets that begin with the same steps share them: all steps of a game form one tree, so a
recurrent network goes over each (hand, step) pair, a *cell*, once for all infosets behind it. For
other networks, `Encoding.flat` lays the steps on the way to an infoset side by side.

Infosets with the same hand and step *look alike*: no network can tell them apart. They form a
*class*, and all tables beside networks are by class. Leaving out suits makes classes of infosets
that are the same but for suits; else every infoset is a class of its own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.forms import SequenceForm

Ints = NDArray[np.integer[Any]]
Rows = NDArray[np.float64]
"""[classes, num_slots] A number for every action."""
Features = NDArray[np.float32]

_PART = re.compile(r"[0-9]+(?:\.[0-9]+)?|[^0-9]+")


@dataclass(frozen=True, eq=False)
class Encoding:
    """The infosets of both players in features, and which of them look alike."""

    hand_features: Features
    """[num_hands, features]"""
    step_parent: NDArray[np.int32]
    """[num_steps] The step before, of a smaller number; -1 for first steps."""
    step_features: Features
    """[num_steps, features]"""
    class_hand: NDArray[np.int32]
    """[num_classes]"""
    class_step: NDArray[np.int32]
    """[num_classes] The last step that was seen."""
    class_player: NDArray[np.int8]
    """[num_classes] Who moves."""
    infoset_class: NDArray[np.int32]
    """[num_infosets of both] Player 0's infosets first."""
    sequence_class: NDArray[np.int32]
    """[num_sequences of both] The class of the infoset that a sequence acts at; -1 at roots."""
    sequence_slot: NDArray[np.int32]
    """[num_sequences of both] Which output of a network speaks of the action; -1 at roots."""
    slots: tuple[str, ...]
    """What outputs mean."""

    @property
    def num_classes(self) -> int:
        """How many infosets a network can tell apart."""
        return len(self.class_step)

    @property
    def num_slots(self) -> int:
        """How many outputs a network has."""
        return len(self.slots)

    @property
    def cell_width(self) -> int:
        """Features of a cell: those of the hand, then those of the step."""
        return int(self.hand_features.shape[1] + self.step_features.shape[1])

    @property
    def flat_width(self) -> int:
        """Features of `flat`."""
        return int(self.hand_features.shape[1] + self.path.shape[1] * self.step_features.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        held = {id(a): a.nbytes for a in vars(self).values() if isinstance(a, np.ndarray)}
        return sum(held.values())

    @cached_property
    def path(self) -> NDArray[np.int32]:
        """[num_steps, longest path] The steps on the way to a step, then -1."""
        paths: list[list[int]] = []
        for step, parent in enumerate(self.step_parent.tolist()):
            paths.append([*(paths[parent] if parent >= 0 else ()), step])
        out = np.full((len(paths), max(map(len, paths))), -1, dtype=np.int32)
        for row, path in zip(out, paths, strict=True):
            row[: len(path)] = path
        return out

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[num_classes, num_slots] Which outputs speak of an action that there is."""
        legal = np.zeros(self.num_classes * self.num_slots, dtype=bool)
        legal[self.cells[self._actions]] = True
        return legal.reshape(self.num_classes, self.num_slots)

    @cached_property
    def uniform(self) -> Rows:
        """[num_classes, num_slots] Every action alike."""
        rows: Rows = self.legal / self.legal.sum(axis=1, keepdims=True)
        return rows

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """[num_sequences of both] Where an action is in rows, laid out flat; 0 at roots."""
        cell = self.sequence_class.astype(np.int64) * self.num_slots + self.sequence_slot
        return np.where(self.sequence_slot >= 0, cell, 0)

    @cached_property
    def _actions(self) -> Ints:
        """The sequences that are not roots."""
        return np.flatnonzero(self.sequence_slot >= 0)

    def totals(self, values: NDArray[np.float64]) -> Rows:
        """[num_classes, num_slots] A table by sequence, summed over infosets that look alike."""
        return self.totals_of(self._actions, values[self._actions])

    def totals_of(self, sequences: Ints, values: NDArray[np.float64]) -> Rows:
        """[num_classes, num_slots] The same of some sequences alone; zero elsewhere."""
        cells = self.num_classes * self.num_slots
        out: Rows = np.bincount(self.cells[sequences], values, cells)  # type: ignore[assignment]
        return out.reshape(self.num_classes, self.num_slots)

    def by_sequence(self, rows: Rows) -> NDArray[np.float64]:
        """[num_sequences of both] Rows by sequence; 1 at roots."""
        out = rows.reshape(-1)[self.cells]
        return np.where(self.sequence_slot >= 0, out, 1.0)

    def of_player(self, player: int) -> Encoding:
        """The classes of one player alone, in the same order; the other's sequences are as roots.

        Infosets of the other player are of class -1.
        """
        own = np.flatnonzero(self.class_player == player)
        number = np.full(self.num_classes + 1, -1, dtype=np.int32)
        number[own] = np.arange(len(own))
        sequence_class = number[self.sequence_class]
        return replace(
            self,
            class_hand=self.class_hand[own],
            class_step=self.class_step[own],
            class_player=self.class_player[own],
            infoset_class=number[self.infoset_class],
            sequence_class=sequence_class,
            sequence_slot=np.where(sequence_class < 0, -1, self.sequence_slot),
        )

    def flat(self, classes: Ints) -> Features:
        """[classes, flat_width] The hand, then all steps that were seen, side by side."""
        steps = self.path[self.class_step[classes]]
        out = np.zeros((len(classes), self.flat_width), dtype=np.float32)
        hands = self.hand_features.shape[1]
        out[:, :hands] = self.hand_features[self.class_hand[classes]]
        padded = np.concatenate([self.step_features, np.zeros_like(self.step_features[:1])])
        out[:, hands:] = padded[steps].reshape(len(classes), -1)
        return out


class StepTree:
    """Steps as they are met, each once."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.features: list[Sequence[float]] = []
        self._known: dict[tuple[int, object], int] = {}

    def after(self, parent: int, what: object, features: Sequence[float]) -> int:
        """The step that follows another (or -1) by ``what``."""
        step = self._known.setdefault((parent, what), len(self.parent))
        if step == len(self.parent):
            self.parent.append(parent)
            self.features.append(features)
        return step


def encoding_of(
    form: SequenceForm,
    tree: StepTree,
    *,
    infoset_hand: Sequence[int],
    infoset_step: Sequence[int],
    hand_features: Features,
    meaning: Callable[[tuple[str, ...]], Sequence[str]],
) -> Encoding:
    """An encoding from the hand and the last step of every infoset, player 0's first.

    ``meaning`` says what the actions of an infoset mean, all different. Actions that mean the same
    share an output.
    """
    first, second = form.treeplexes
    num_steps = len(tree.parent)
    pairs = np.asarray(infoset_hand, dtype=np.int64) * num_steps + np.asarray(infoset_step)
    kinds, example, class_of = np.unique(pairs, return_index=True, return_inverse=True)
    owner = np.concatenate(
        [
            np.where(t.sequence_infoset < 0, -1, t.sequence_infoset + shift)
            for t, shift in ((first, 0), (second, first.num_infosets))
        ]
    )
    slots, meanings = _slots(form, meaning)
    return Encoding(
        hand_features=hand_features,
        step_parent=np.array(tree.parent, dtype=np.int32),
        step_features=np.array(tree.features, dtype=np.float32),
        class_hand=(kinds // num_steps).astype(np.int32),
        class_step=(kinds % num_steps).astype(np.int32),
        class_player=(example >= first.num_infosets).astype(np.int8),
        infoset_class=class_of.astype(np.int32),
        sequence_class=np.where(owner < 0, -1, class_of[owner]).astype(np.int32),
        sequence_slot=slots,
        slots=meanings,
    )


def _slots(
    form: SequenceForm, meaning: Callable[[tuple[str, ...]], Sequence[str]]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The output of every action, -1 at roots, and what outputs mean.

    Outputs come in the order of their meanings, where numbers count as numbers.
    """
    meanings = {actions: meaning(actions) for t in form.treeplexes for actions in set(t.labels)}
    names = sorted(set(itertools.chain(*meanings.values())), key=_natural)
    number = {name: i for i, name in enumerate(names)}
    slots: list[int] = []
    for treeplex in form.treeplexes:
        slots += [-1] * treeplex.num_roots
        for actions in treeplex.labels:
            slots += [number[name] for name in meanings[actions]]
    return np.array(slots, dtype=np.int32), tuple(names)


def _natural(text: str) -> list[tuple[bool, float, str]]:
    parts = _PART.findall(text)
    return [(part[0].isdigit(), float(part) if part[0].isdigit() else 0.0, part) for part in parts]
