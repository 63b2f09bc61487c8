"""Solutions and checkpoints as files: plain arrays and a JSON header, checksummed.

Both are archives of `infoset.machine.storage`. A solution holds the strategy with the names of
infosets and actions, so it can be read without the rules of its game; a checkpoint holds what the
next iteration depends on, and nothing else.
"""

from __future__ import annotations

import json
import math
import operator
import os
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, FileFormatError
from infoset.evaluation.bounds import Bound
from infoset.forms import HistoryTree, Tree, Treeplex, visited_tree
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers.algorithms import Algorithm
from infoset.solvers.solution import Point, Solution, Space
from infoset.strategy import Strategy

__all__ = [
    "Checkpoint",
    "Reading",
    "Saving",
    "count_of",
    "curve_of",
    "kind_of",
    "nodes_of",
    "number_of",
    "read_checkpoint",
    "read_solution",
    "write_checkpoint",
    "write_solution",
]

Floats = NDArray[np.float64]

MOST_HEADER = 1 << 20
"""Bytes of a header that are looked at to see what a file is."""

MOST_TOUCHED = 2**63 - 1
"""Nodes touched: a day on a flop, on many cores, may be more than a double could count."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A run that can be gone on with."""

    game: str
    fingerprint: str
    algorithm: str
    horizon: int | None = None
    """The number of iterations the run was to have, if it had one."""
    iteration: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)
    seed: int | None = None
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def check_goes_on(self, algorithm: Algorithm, iterations: int | None) -> None:
        """Raise unless it is a run of this algorithm, of a length that it can still have."""
        if self.algorithm != algorithm.name:
            raise BadInputError(
                f"the checkpoint is a run of {self.algorithm!r}, not of {algorithm.name!r}"
            )
        if algorithm.depends_on_length and self.horizon != iterations:
            raise BadInputError(
                f"the checkpoint is a run of {self.horizon} iterations, and {self.algorithm!r} "
                f"weighs them by the length of the run: go on with iterations={self.horizon}"
            )


@dataclass(frozen=True)
class Saving:
    """Where and how often a run saves itself."""

    path: str | os.PathLike[str]
    every: float = 30.0
    """Seconds between two checkpoints."""

    def __post_init__(self) -> None:
        if not 0 < self.every < float("inf"):
            raise BadInputError(f"every must be a number of seconds above 0, not {self.every!r}")


def write_checkpoint(path: str | os.PathLike[str], checkpoint: Checkpoint) -> None:
    """Save a run; the file is whole or it is the one that was there before."""
    header = {
        name: getattr(checkpoint, name)
        for name in ("game", "fingerprint", "algorithm", "horizon", "iteration", "seconds", "seed")
    }
    header["curve"] = [list(point) for point in checkpoint.curve]
    write_archive(path, "checkpoint", header, checkpoint.state)


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read what `write_checkpoint` wrote."""
    header, arrays = read_archive(path, "checkpoint")
    with Reading(path):
        return Checkpoint(
            game=str(header["game"]),
            fingerprint=str(header["fingerprint"]),
            algorithm=str(header["algorithm"]),
            horizon=None if header["horizon"] is None else count_of(header["horizon"]),
            iteration=count_of(header["iteration"]),
            seconds=number_of(header["seconds"]),
            curve=curve_of(header["curve"]),
            seed=None if header["seed"] is None else int(header["seed"]),
            # Of which type they must be is for the solver to say that is to go on with them.
            state=arrays,
        )


def write_solution(path: str | os.PathLike[str], solution: Solution) -> None:
    """Save a solution, readable without the rules of its game."""
    tree = solution.strategy.tree
    header = {**solution.summary(), "fingerprint": tree.fingerprint}
    header["curve"] = [list(point) for point in solution.curve]
    arrays: dict[str, NDArray[Any]] = {}
    for p, treeplex in enumerate(tree.treeplexes):
        arrays[f"probabilities{p}"] = solution.strategy.probabilities[p]
        arrays[f"infoset_begin{p}"] = treeplex.infoset_begin
        arrays[f"infoset_parent{p}"] = treeplex.infoset_parent
        arrays[f"keys{p}"] = _pack_text(list(treeplex.keys))
        arrays[f"labels{p}"] = _pack_text([list(labels) for labels in treeplex.labels])
    write_archive(path, "solution", header, arrays)


def read_solution(path: str | os.PathLike[str], compile_named: Callable[[str], Tree]) -> Solution:
    """Read what `write_solution` wrote.

    The game itself is compiled, with ``compile_named``, only if something asks for its histories
    or payoffs; it must then be the same game.
    """
    header, arrays = read_archive(path, "solution")
    with Reading(path):
        treeplexes = (_treeplex(arrays, 0), _treeplex(arrays, 1))
        name, fingerprint = str(header["game"]), str(header["fingerprint"])

        def history() -> HistoryTree:
            tree = compile_named(name)
            # The treeplexes too, not only the checksum of them that the file claims to fit: the
            # kernels trust that histories and infosets are numbered alike.
            alike = all(map(_is_same, treeplexes, tree.treeplexes))
            if tree.fingerprint != fingerprint or not alike:
                raise FileFormatError(
                    f"'{os.fspath(path)}' holds a strategy for {name!r} as it was then; "
                    f"{tree.name!r} now has other infosets, actions or payoffs. Solve it again, "
                    "or give the game that the file was made for"
                )
            return tree.history

        is_whole = header.get("store") != "sparse"
        tree = Tree(name, treeplexes, history) if is_whole else visited_tree(name, treeplexes)
        bound = header.get("bound")
        probabilities = []
        for p, treeplex in enumerate(treeplexes):
            chances = _doubles(arrays[f"probabilities{p}"])
            _check_strategy(chances, treeplex)
            probabilities.append(chances)
        return Solution(
            strategy=Strategy(tree, (probabilities[0], probabilities[1])),
            algorithm=str(header["algorithm"]),
            iterations=count_of(header["iterations"]),
            value=number_of(header["value"]),
            exploitability=number_of(header["exploitability"]),
            seconds=number_of(header["seconds"]),
            space=Space(**{key: count_of(header["space"][key]) for key in Space._fields}),
            curve=curve_of(header["curve"]),
            stopped_by=str(header["stopped_by"]),
            seed=None if header["seed"] is None else int(header["seed"]),
            nodes_touched=nodes_of(header),
            bound=None if bound is None else _bound(bound),
        )


def _bound(header: Mapping[str, Any]) -> Bound:
    plays = count_of(header["plays"])
    numbers = {key: number_of(header[key]) for key in Bound._fields if key != "plays"}
    return Bound(**numbers, plays=plays)


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind of file that an archive says it is; nothing if it is no archive or says none.

    For a choice of what to read it with, which then checks everything.
    """
    try:
        if os.path.isfile(path) and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive, archive.open("header.json") as header:
                return str(json.loads(header.read(MOST_HEADER))["kind"])
    except Exception:  # `zipfile` and `json` trip in a dozen ways over what is malformed
        pass
    return ""


class Reading:
    """Turn whatever a malformed file makes Python trip over into one clear refusal."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        known = KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError
        if isinstance(error, known) and not isinstance(error, FileFormatError):
            raise FileFormatError(
                f"'{os.fspath(self.path)}' lacks something or holds something impossible "
                f"({type(error).__name__}: {error}); it was not written by infoset, or altered"
            ) from error


def curve_of(points: Any) -> list[Point]:
    """A curve as a header has it; in old ones, points are without the nodes touched."""
    return [
        Point(count_of(i), number_of(s), number_of(e), *(count_of(n, MOST_TOUCHED) for n in nodes))
        for i, s, e, *nodes in points
    ]


def nodes_of(header: Mapping[str, Any]) -> int:
    """The nodes touched, from the header of a solution; old ones do not have them."""
    return count_of(header.get("nodes_touched", 0), MOST_TOUCHED)


def count_of(number: Any, most: int = 2**53 - 1) -> int:
    """A number that counts something, from a header."""
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError(f"{number!r} where a count was expected")
    return number


def number_of(number: Any) -> float:
    """A finite number from a header."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{number!r} where a number was expected")
    return float(number)


def _doubles(array: NDArray[Any]) -> Floats:
    if array.dtype != np.float64 or array.ndim != 1:
        raise ValueError(f"an array of {array.dtype} where numbers were expected")
    return array


def _pack_text(data: Any) -> NDArray[np.uint8]:
    text = json.dumps(data, ensure_ascii=False)
    return np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)


def _unpack_text(array: NDArray[Any]) -> Any:
    if array.dtype != np.uint8:
        raise ValueError("text is not stored as bytes")
    return json.loads(array.tobytes().decode("utf-8", "surrogatepass"))


def _treeplex(arrays: Mapping[str, NDArray[Any]], player: int) -> Treeplex:
    begin, parent = arrays[f"infoset_begin{player}"], arrays[f"infoset_parent{player}"]
    keys, labels = _unpack_text(arrays[f"keys{player}"]), _unpack_text(arrays[f"labels{player}"])
    if begin.dtype != np.int32 or parent.dtype != np.int32 or begin.ndim != 1 or parent.ndim != 1:
        raise ValueError("infosets are not numbered by whole numbers")
    counts = np.diff(begin)
    ordered = len(begin) == len(parent) + 1 == len(keys) + 1 == len(labels) + 1
    if not ordered or begin[0] != 1 or (counts < 1).any():
        raise ValueError("infosets and actions do not fit together")
    if (parent < 0).any() or (parent >= begin[:-1]).any():
        raise ValueError("an infoset comes before its parent")
    if [len(row) for row in labels] != counts.tolist():
        raise ValueError("infosets and action labels do not fit together")
    if not all(isinstance(names, list) for names in (keys, labels, *labels)):
        raise ValueError("keys and labels are not lists")
    if not all(isinstance(key, str) for key in keys) or len(set(keys)) < len(keys):
        raise ValueError("the keys of infosets are not different texts")
    if not all(isinstance(label, str) for row in labels for label in row):
        raise ValueError("action labels are not texts")
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    rows = [shared.setdefault(row, row) for row in map(tuple, labels)]
    return Treeplex(infoset_begin=begin, infoset_parent=parent, keys=keys, labels=rows)


def _is_same(first: Treeplex, second: Treeplex) -> bool:
    return (
        np.array_equal(first.infoset_begin, second.infoset_begin)
        and np.array_equal(first.infoset_parent, second.infoset_parent)
        and all(map(operator.eq, first.keys, second.keys))
        and all(map(operator.eq, first.labels, second.labels))
    )


def _check_strategy(chances: Floats, treeplex: Treeplex) -> None:
    if len(chances) != treeplex.num_sequences or chances[0] != 1 or not (chances >= 0).all():
        raise ValueError("probabilities are missing or negative")
    if treeplex.num_infosets:
        totals = np.add.reduceat(chances, treeplex.infoset_begin[:-1])
        if not (np.abs(totals - 1.0) < 1e-6).all():
            raise ValueError("the probabilities of an infoset do not sum to one")
