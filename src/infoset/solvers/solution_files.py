"""Solutions and checkpoints as files: plain arrays and a JSON header, checksummed.

Both are archives of `infoset.machine.storage`. A solution holds the strategy. In sequence form it
also holds the names of infosets and actions, so it can be read without the rules of its game; in
public form the spot, or the name of the game. A checkpoint holds what the next iteration depends
on, and nothing else.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, FileFormatError
from infoset.evaluation import Bound
from infoset.forms import (
    MAX_NODES,
    DealtForm,
    HistoryTree,
    SequenceForm,
    SpotForm,
    Treeplex,
    form_of_spot,
    layout_of,
    public_form_of,
    sequence_form_of,
    trunk_of_spot,
    visited_tree,
)
from infoset.games.holdem import parse_spot
from infoset.interop import find_rules
from infoset.machine.storage import read_archive, write_archive
from infoset.solvers.algorithms import Algorithm
from infoset.solvers.outcome import Below, Point, Space
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

PathLike = str | os.PathLike[str]
Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]

MOST_TOUCHED = 2**63 - 1
"""Nodes touched: a day on a flop, on many cores, may be more than a double could count."""


MOST_NEWS = 100
"""Losses and the like that a point of a curve may tell."""

Rules = Callable[[str], Any]
"""Finds the game of a name: its rules, or its sequence form."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of a run, from which it can continue."""

    game: str
    fingerprint: str
    algorithm: str
    horizon: int | None = None
    """The number of iterations the run was to have, if it had one."""
    iteration: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)
    seed: int | None = None
    form: str = "sequence"
    """``sequence``, ``public`` or ``rules``: what the solver is on."""
    bits: int = 64
    """How numbers are stored."""
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

    path: PathLike
    every: float = 30.0
    """Seconds between two checkpoints."""

    def __post_init__(self) -> None:
        if not 0 < self.every < float("inf"):
            raise BadInputError(f"every must be a number of seconds above 0, not {self.every!r}")


def write_checkpoint(path: PathLike, checkpoint: Checkpoint) -> None:
    """Save a run; the file is whole or it is the one that was there before."""
    header = {name: getattr(checkpoint, name) for name in _checkpoint_header()}
    write_archive(path, "checkpoint", header, checkpoint.state)


def read_checkpoint(path: PathLike) -> Checkpoint:
    """Read what `write_checkpoint` wrote."""
    header, arrays = read_archive(path, "checkpoint")
    with reading(path):
        # Of which type the arrays must be is for the solver to say that is to go on with them.
        return Checkpoint(**read_header(header, _checkpoint_header()), state=arrays)


def _checkpoint_header() -> list[str]:
    return [each.name for each in fields(Checkpoint) if each.name != "state"]


def write_strategy(
    path: PathLike, header: Mapping[str, Any], strategy: Strategy, below: Below | None = None
) -> None:
    """Save a strategy with what is to be told of it."""
    arrays: Arrays = {}
    if isinstance(strategy, PublicStrategy):
        for street in range(strategy.layout.num_streets):
            for player in (0, 1):
                probabilities = strategy.probabilities(street, player)
                arrays[_street_name(street, player)] = probabilities.reshape(-1)
    else:
        assert isinstance(strategy, SequenceStrategy)
        for p, treeplex in enumerate(strategy.form.treeplexes):
            arrays[f"probabilities{p}"] = strategy.probabilities[p]
            arrays[f"infoset_begin{p}"] = treeplex.infoset_begin
            arrays[f"infoset_parent{p}"] = treeplex.infoset_parent
            arrays[f"keys{p}"] = _pack_text(list(treeplex.keys))
            arrays[f"labels{p}"] = _pack_text([list(labels) for labels in treeplex.labels])
    top = {**header, "fingerprint": strategy.form.fingerprint}
    if below is not None:
        top["below"] = {"by_rules": below.by_rules, "street": below.street}
        for p, values in enumerate(below.values):
            arrays |= {f"below{p}": values} if values.ndim == 1 else _packed(f"below{p}", values)
    write_archive(path, "solution", top, arrays)


def _street_name(street: int, player: int) -> str:
    return f"probabilities_{street}_{player}"


LEVELS = 32767
"""Values of hands are stored in 16 bits: shares of the largest of their part."""


def _packed(name: str, values: NDArray[Any]) -> Arrays:
    scale = np.abs(values).max(axis=1, initial=0.0).astype(np.float32)
    share = values / np.where(scale > 0, scale, 1.0)[:, np.newaxis]
    return {name: np.rint(LEVELS * share).astype(np.int16).reshape(-1), f"{name}_scale": scale}


def _unpacked(name: str, arrays: Arrays) -> NDArray[np.float32]:
    levels, scale = arrays.pop(name), arrays.pop(f"{name}_scale")
    if levels.dtype != np.int16 or scale.dtype != np.float32 or not np.isfinite(scale).all():
        raise ValueError("values of hands are not what they should be")
    if not len(scale) or len(levels) % len(scale):
        raise ValueError("values of hands do not fit together")
    values = levels.reshape(len(scale), -1) * (scale / LEVELS)[:, np.newaxis]
    return values.astype(np.float32)


def read_strategy(path: PathLike, rules: Rules) -> tuple[dict[str, Any], Strategy, Below | None]:
    """Read what `write_strategy` wrote.

    ``rules`` finds a game by its name. In sequence form it is asked for only if something needs the
    histories or payoffs; the game must then be the same. Nothing but the strategy is allocated.
    """
    header, arrays = read_archive(path, "solution")
    with reading(path):
        form = header["form"]
        if form not in ("sequence", "public", "rules"):
            raise ValueError(f"there is no form {form!r}")
        below = _below(header, arrays) if "below" in header else None
        if form == "public":
            return header, _public_strategy(path, header, arrays, rules, below), below
        return header, _sequence_strategy(path, header, arrays, rules, below), below


def _below(header: Mapping[str, Any], arrays: Arrays) -> Below:
    top = header["below"]
    pair = []
    for name in ("below0", "below1"):
        is_packed = f"{name}_scale" in arrays
        pair.append(_unpacked(name, arrays) if is_packed else _doubles(arrays.pop(name)))
        if not np.isfinite(pair[-1]).all():
            raise ValueError("values below the cut are not finite")
    street = _count(top["street"])
    return Below(str(header["cut"]), bool(top["by_rules"]), street, (pair[0], pair[1]))


def _sequence_strategy(
    path: PathLike, header: Mapping[str, Any], arrays: Arrays, rules: Rules, below: Below | None
) -> SequenceStrategy:
    treeplexes = (_treeplex(arrays, 0), _treeplex(arrays, 1))
    name, fingerprint = str(header["game"]), str(header["fingerprint"])

    def history() -> HistoryTree:
        game: Any = parse_spot(header["spot"]) if "spot" in header else rules(name)
        is_form = isinstance(game, SequenceForm)
        tree: SequenceForm = game if is_form else sequence_form_of(find_rules(game))
        # The treeplexes too, not only the checksum of them that the file claims to fit: the
        # kernels trust that histories and infosets are numbered alike.
        alike = all(map(Treeplex.is_same_as, treeplexes, tree.treeplexes))
        if tree.fingerprint != fingerprint or not alike:
            raise FileFormatError(
                f"'{os.fspath(path)}' holds a strategy for {name!r} as it was then; "
                f"{tree.name!r} now has other infosets, actions or payoffs. Solve it again, "
                "or give the game that the file was made for"
            )
        return tree.history

    def trimmed() -> HistoryTree:
        raise BadInputError(
            f"'{os.fspath(path)}' was trimmed at {header['cut']}: what is below is not in it any "
            "more, and is needed for this. Re-solve it first: infoset resolve"
        )

    if below is not None:
        tree = SequenceForm(name, treeplexes, trimmed, is_whole=False)
    elif header["form"] == "sequence":
        tree = SequenceForm(name, treeplexes, history)
    else:
        tree = visited_tree(name, treeplexes)
    first, second = (_probabilities(arrays, p, treeplexes[p]) for p in (0, 1))
    return SequenceStrategy(tree, (first, second))


def _public_strategy(
    path: PathLike, header: Mapping[str, Any], arrays: Arrays, rules: Rules, below: Below | None
) -> PublicStrategy:
    # Every action has a number in the file, and leads to a node, or to a card and then a node: a
    # text that describes a huge tree is refused before the tree is built.
    num_numbers = sum(array.size for array in arrays.values())
    form: SpotForm | DealtForm
    if "spot" in header:
        spot = parse_spot(header["spot"], shown=f"the spot in '{os.fspath(path)}'")
        # Of a trimmed solution, most of the tree is not in the file.
        most = 1 + 2 * num_numbers if below is None else MAX_NODES
        of_spot = form_of_spot(spot, max_nodes=min(MAX_NODES, most))
        form = of_spot if below is None else trunk_of_spot(of_spot, below.street)
    else:
        name = str(header["game"])
        form = public_form_of(find_rules(rules(name)))
        if not isinstance(form, DealtForm):
            raise BadInputError(f"{name!r} is a spot, not the game that the file was made for")
    if form.fingerprint != str(header["fingerprint"]):
        raise ValueError("the strategy is one for another game")
    layout = layout_of(form)
    tables = {}
    for street, player in itertools.product(range(layout.num_streets), (0, 1)):
        betting, rows = layout.bettings[street][player], layout.rows[street][player]
        array = arrays[_street_name(street, player)]
        shape = len(rows.num_live), betting.num_sequences, form.num_hands[player]
        if array.dtype != np.float32 or array.size != np.prod(shape):
            raise ValueError("probabilities do not fit the game")
        tables[street, player] = array.reshape(shape)
        hands = np.split(rows.hand, rows.begin[1:-1])
        _check_hands(tables[street, player], betting.node_actions, hands)
    if len(tables) < len(arrays):
        raise ValueError("arrays were added")
    arrays.clear()
    return PublicStrategy.from_probabilities(form, tables)


def _check_hands(
    probabilities: NDArray[np.float32],
    node_actions: NDArray[np.int32],
    hands: list[NDArray[np.int16]],
) -> None:
    """Hands that a board allows have a distribution at every decision, the others nothing."""
    begins = np.cumsum(node_actions) - node_actions
    for rows, live in zip(probabilities if len(begins) else (), hands, strict=False):
        is_live = np.isin(np.arange(rows.shape[1]), live)
        totals = np.add.reduceat(rows, begins, axis=0)
        if not (rows >= 0).all() or not (np.abs(totals - is_live) < 1e-4).all():
            raise ValueError("probabilities are negative or do not sum to one")


@contextlib.contextmanager
def reading(path: PathLike) -> Iterator[None]:
    """Turn whatever a malformed file makes Python trip over into one clear refusal."""
    try:
        yield
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise FileFormatError(
            f"'{os.fspath(path)}' lacks something or holds something impossible "
            f"({type(error).__name__}: {error}); it was not written by infoset, or altered"
        ) from error


def read_header(header: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Some of the values in the header of a solution or a checkpoint, each checked."""
    return {name: _READERS[name](header[name]) for name in names}


def _count(number: Any, most: int = 2**53 - 1) -> int:
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError(f"{number!r} where a count was expected")
    return number


def _nodes(number: Any) -> int:
    return _count(number, MOST_TOUCHED)


def _number(number: Any) -> float:
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{number!r} where a number was expected")
    return float(number)


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


def _curve(points: Any) -> list[Point]:
    # Files written before there was news have points without it.
    return [
        Point(_count(i), _number(s), _number(e), _nodes(n), *map(_news, more))
        for i, s, e, n, *more in points
    ]


def _news(news: Any) -> dict[str, float]:
    if not isinstance(news, dict) or len(news) > MOST_NEWS:
        raise ValueError(f"{type(news).__name__} where losses were expected")
    return {str(name): _number(value) for name, value in news.items()}


def _values(values: Any) -> tuple[float, float]:
    first, second = values
    return _number(first), _number(second)


def _space(space: Any) -> Space:
    kept, solver, form = (_count(space[name]) for name in ("kept", "solver", "form"))
    return Space(kept, solver, form, _optional(_count)(space["bound"]))


def _bound(bound: Any) -> Bound:
    readers = dict.fromkeys(Bound._fields, _number) | {"plays": _count}
    return Bound(**{name: read(bound[name]) for name, read in readers.items()})


_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("game", "fingerprint", "algorithm", "form", "stopped_by"), str),
    **dict.fromkeys(("iteration", "iterations", "threads", "bits"), _count),
    **dict.fromkeys(("seconds", "exploitability"), _number),
    "horizon": _optional(_count),
    "seed": _optional(int),
    "nodes_touched": _nodes,
    "values": _values,
    "curve": _curve,
    "space": _space,
    "bound": _optional(_bound),
}
"""How the values of headers are read, by their names."""


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


def _doubles(array: NDArray[Any]) -> Floats:
    if array.dtype != np.float64 or array.ndim != 1:
        raise ValueError(f"an array of {array.dtype} where numbers were expected")
    return array


def _probabilities(arrays: Arrays, player: int, treeplex: Treeplex) -> Floats:
    probabilities = _doubles(arrays[f"probabilities{player}"])
    is_whole = len(probabilities) == treeplex.num_sequences and probabilities[0] == 1
    if not is_whole or not (probabilities >= 0).all():
        raise ValueError("probabilities are missing or negative")
    if treeplex.num_infosets:
        totals = np.add.reduceat(probabilities, treeplex.infoset_begin[:-1])
        if not (np.abs(totals - 1.0) < 1e-6).all():
            raise ValueError("the probabilities of an infoset do not sum to one")
    return probabilities
