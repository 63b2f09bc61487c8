"""Networks from infosets to a number for each action: recurrent over steps, or fully connected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from infoset.machine.memory import check_fits
from infoset.neural.encoding import Encoding

Ints = NDArray[np.integer[Any]]


class Level(NamedTuple):
    """The cells of a batch that are as many steps deep."""

    features: Tensor
    """[cells, cell_width]"""
    parent: Tensor
    """[cells] The cell before, on the level above."""


class Cells(NamedTuple):
    """A batch of infosets as recurrent networks read it: each cell once, level by level."""

    levels: tuple[Level, ...]
    last: Tensor
    """[classes] The last cell of an infoset, all levels lined up."""


def cells_of(encoding: Encoding, classes: Ints) -> Cells:
    """The cells on the way to some classes of infosets."""
    num_steps = len(encoding.step_parent)
    hand = encoding.class_hand[classes].astype(np.int64)
    path = encoding.path[encoding.class_step[classes]]
    levels: list[Level] = []
    last = np.zeros(len(classes), dtype=np.int64)
    before, done = np.zeros(0, dtype=np.int64), 0
    for steps in path.T:
        here = steps >= 0
        if not here.any():
            break
        keys, inverse = np.unique(hand[here] * num_steps + steps[here], return_inverse=True)
        hands, own = np.divmod(keys, num_steps)
        above = hands * num_steps + encoding.step_parent[own]
        parent = np.searchsorted(before, above) if len(before) else np.zeros_like(keys)
        features = np.concatenate(
            [encoding.hand_features[hands], encoding.step_features[own]], axis=1
        )
        levels.append(Level(torch.from_numpy(features), torch.from_numpy(parent)))
        last[here] = done + inverse
        before, done = keys, done + len(keys)
    return Cells(tuple(levels), torch.from_numpy(last))


class Network(nn.Module, ABC):
    """From classes of infosets to [classes, num_slots] numbers."""

    @abstractmethod
    def read(self, encoding: Encoding, classes: Ints) -> Any:
        """A batch of infosets as `forward` takes it."""

    @property
    def num_parameters(self) -> int:
        """How many numbers training may change."""
        return sum(parameter.numel() for parameter in self.parameters())


class Recurrent(Network):
    """A recurrent network over the steps that led to an infoset, with attention over all of them.

    Equation (16) of Li et al. (2020): every cell has a weight, ``relu(w e)`` of its embedding
    ``e``; the output is linear in ``relu`` of the sum of embeddings so weighted. Without attention
    it is linear in the last embedding.
    """

    def __init__(
        self, kind: str, width: int, embedding: int, num_slots: int, *, attention: bool
    ) -> None:
        super().__init__()
        self.kind = kind
        cell = {"lstm": nn.LSTMCell, "gru": nn.GRUCell, "rnn": nn.RNNCell}[kind]
        self.cell = cell(width, embedding)
        self.attention = nn.Linear(embedding, 1, bias=False) if attention else None
        self.output = nn.Linear(embedding, num_slots, bias=False)

    def forward(self, cells: Cells) -> Tensor:
        """[classes, num_slots]"""
        state: Any = None
        total: Tensor | None = None
        outputs = []
        for features, parent in cells.levels:
            if state is None:
                state = self.cell(features)
            elif self.kind == "lstm":
                state = self.cell(features, (state[0][parent], state[1][parent]))
            else:
                state = self.cell(features, state[parent])
            embedding = state[0] if self.kind == "lstm" else state
            if self.attention is None:
                outputs.append(embedding)
                continue
            weighted = torch.relu(self.attention(embedding)) * embedding
            total = weighted if total is None else total[parent] + weighted
            outputs.append(torch.relu(total))
        out: Tensor = self.output(torch.cat(outputs)[cells.last])
        return out

    def read(self, encoding: Encoding, classes: Ints) -> Cells:
        """The cells on the way to them."""
        return cells_of(encoding, classes)

    def wake_attention(self, cells: Cells) -> None:
        """Have the attention's scores begin with a mean of one over first steps.

        A random attention may be rectified to zero at every cell, or become so within a few steps
        of training. It then has no gradient, and never learns again: one in six at embedding 16 on
        no-limit Leduc(5) began so, more were silent after three iterations.
        """
        if self.attention is None:
            return
        with torch.no_grad():
            features = torch.cat([level.features for level in cells.levels])
            state = self.cell(features)
            mean = (state[0] if self.kind == "lstm" else state).mean(dim=0)
            weight = self.attention.weight
            weight += (1.0 - weight @ mean) * mean / (mean @ mean)


class FullyConnected(Network):
    """Layers of rectified linear units over all steps side by side."""

    def __init__(self, width: int, embedding: int, num_slots: int, *, layers: int) -> None:
        super().__init__()
        sizes = [width, *([embedding] * layers)]
        parts: list[nn.Module] = []
        for before, after in pairwise(sizes):
            parts += [nn.Linear(before, after), nn.ReLU()]
        self.layers = nn.Sequential(*parts, nn.Linear(embedding, num_slots))

    def forward(self, features: Tensor) -> Tensor:
        """[classes, num_slots]"""
        out: Tensor = self.layers(features)
        return out

    def read(self, encoding: Encoding, classes: Ints) -> Tensor:
        """Their features side by side."""
        return torch.from_numpy(encoding.flat(classes))


class Shape(NamedTuple):
    """The architecture of a network."""

    kind: str = "mlp"
    """``mlp``, ``lstm``, ``gru`` or ``rnn``"""
    embedding: int = 64
    """Units of a layer, or numbers in an embedding."""
    layers: int = 2
    """Of fully connected networks."""
    attention: bool = False
    """Of recurrent networks."""


_GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def count_parameters(shape: Shape, encoding: Encoding, outputs: int) -> int:
    """How many parameters a network will have.

    >>> from infoset.forms import compile_game
    >>> from infoset.games import make
    >>> from infoset.neural.word_encoding import encode_words
    >>> kuhn, shape = encode_words(compile_game(make("kuhn"))), Shape("gru", 16, attention=True)
    >>> make_network(shape, kuhn, 0).num_parameters == count_parameters(shape, kuhn, kuhn.num_slots)
    True
    """
    size = shape.embedding
    if shape.kind == "mlp":
        inner = (shape.layers - 1) * (size * size + size)
        return encoding.flat_width * size + size + inner + size * outputs + outputs
    recurrent = _GATES[shape.kind] * (size * (encoding.cell_width + size) + 2 * size)
    return recurrent + size * outputs + (size if shape.attention else 0)


def make_network(shape: Shape, encoding: Encoding, seed: int, *, outputs: int = 0) -> Network:
    """A network with random weights, the same for the same seed; an output for each slot if 0.

    Refused if it does not fit into memory with gradients, moments, and what a step of training over
    all infosets keeps.
    """
    outputs = outputs or encoding.num_slots
    deep = shape.layers if shape.kind == "mlp" else encoding.path.shape[1]
    kept = 3 * encoding.num_classes * deep * shape.embedding
    check_fits(
        4 * (4 * count_parameters(shape, encoding, outputs) + kept),
        f"a network ({shape.kind}, embedding {shape.embedding})",
        "choose a smaller embedding, or fewer layers",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if shape.kind == "mlp":
            width = encoding.flat_width
            return FullyConnected(width, shape.embedding, outputs, layers=shape.layers)
        network = Recurrent(
            *(shape.kind, encoding.cell_width, shape.embedding, outputs), attention=shape.attention
        )
    some = np.linspace(0, encoding.num_classes - 1, 1000).astype(np.int64)
    network.wake_attention(cells_of(encoding, np.unique(some)))
    return network
