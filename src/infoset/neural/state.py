"""Networks and optimisers as plain arrays, so that a run can be saved and go on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from infoset.errors import FileFormatError
from infoset.solvers import State

Arrays = dict[str, NDArray[Any]]


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Have torch use one core: sums come in one order, and small networks are faster."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def weights_of(module: nn.Module) -> NDArray[np.uint8]:
    """All weights, as the bytes of a safetensors file."""
    blob = save({name: value.detach().contiguous() for name, value in module.state_dict().items()})
    return np.frombuffer(blob, dtype=np.uint8)


def set_weights(module: nn.Module, blob: NDArray[Any]) -> None:
    """Give a network the weights that `weights_of` wrote; they must be of its architecture."""
    try:
        given = load(blob.astype(np.uint8).tobytes())
    except SafetensorError as error:
        raise FileFormatError(f"the weights of a network cannot be read: {error}") from error
    own = module.state_dict()
    if {n: (v.shape, v.dtype) for n, v in given.items()} != {
        n: (v.shape, v.dtype) for n, v in own.items()
    }:
        raise FileFormatError("the weights are those of a network of another architecture")
    if not all(torch.isfinite(value).all() for value in given.values()):
        raise FileFormatError("the weights of a network are not finite")
    module.load_state_dict(given)


def moments_of(optimiser: torch.optim.Optimizer) -> NDArray[np.float32]:
    """[2, parameters + 1] What Adam remembers of gradients; its steps in the last column.

    Gradient descent remembers nothing: [2, 0].
    """
    if isinstance(optimiser, torch.optim.SGD):
        return np.zeros((2, 0), dtype=np.float32)
    rows = []
    for name in ("exp_avg", "exp_avg_sq"):
        parts = []
        for group in optimiser.param_groups:
            for parameter in group["params"]:
                known = optimiser.state.get(parameter, {})
                value = known.get(name, torch.zeros_like(parameter))
                parts.append(value.detach().reshape(-1).numpy())
        rows.append(np.concatenate(parts))
    first = optimiser.param_groups[0]["params"][0]
    steps = float(optimiser.state.get(first, {}).get("step", 0.0))
    return np.hstack([np.stack(rows), np.full((2, 1), steps, np.float32)]).astype(np.float32)


def set_moments(optimiser: torch.optim.Optimizer, moments: NDArray[Any]) -> None:
    """Have an optimiser remember what `moments_of` wrote."""
    if isinstance(optimiser, torch.optim.SGD):
        if np.size(moments):
            raise FileFormatError("gradient descent remembers nothing, and something is given")
        return
    moments = np.asarray(moments, dtype=np.float32).reshape(2, -1)
    if not np.isfinite(moments).all() or (moments[1] < 0).any():
        raise FileFormatError("what an optimiser remembers is not possible")
    at = 0
    for group in optimiser.param_groups:
        for parameter in group["params"]:
            size = parameter.numel()
            first, second = (
                torch.from_numpy(row[at : at + size].copy()).view_as(parameter) for row in moments
            )
            steps = torch.tensor(float(moments[0, -1]))
            optimiser.state[parameter] = {"step": steps, "exp_avg": first, "exp_avg_sq": second}
            at += size


def prefixed(prefix: str, arrays: State) -> Arrays:
    """The arrays of a part, named as those of that part.

    >>> list(prefixed("average", {"weights": np.zeros(1)}))
    ['average.weights']
    """
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def unprefixed(prefix: str, arrays: State) -> Arrays:
    """The arrays that `prefixed` named."""
    begin = f"{prefix}."
    return {n.removeprefix(begin): a for n, a in arrays.items() if n.startswith(begin)}
