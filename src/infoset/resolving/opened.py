"""Parts of a trimmed solution, opened again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, TooLargeError
from infoset.forms import PartRoot, SpotForm, find_node, sequence_form_of
from infoset.games import Game
from infoset.resolving.cuts import parse_cut
from infoset.resolving.methods import Method
from infoset.resolving.nest_strategy import NestStrategy
from infoset.resolving.public_resolving import PublicParts, SolvedPart, empty_tables
from infoset.resolving.public_trunk import begins_of, nodes_at, tables_of
from infoset.resolving.trimming import nest_strategy_of, spot_trunk_of, whole_form_of
from infoset.solvers import Algorithm, Solution
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

Floats = NDArray[np.float64]


class NestParts:
    """The subgames of a trimmed game; what was not re-solved plays uniformly."""

    def __init__(self, whole: NestStrategy, rules: Game, *, seed: int = 0) -> None:
        self.whole = whole
        self.rules = rules
        self.seed = seed
        self._tables: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]] = ({}, {})
        self._best: dict[int, tuple[Floats, Floats]] = {}

    def __len__(self) -> int:
        return len(self.whole.nest.leaves)

    def resolve(self, number: int, method: Method, algorithm: Algorithm, iterations: int) -> float:
        """Re-solve a subgame for both players."""
        solved = self.whole.resolve(number, method, algorithm, iterations, seed=self.seed)
        for player in (0, 1):
            self._tables[player].update(solved.strategies[player])
        self._best[number] = solved.best
        return solved.exploitability

    def exploitability(self) -> float:
        """NashConv / 2 of the trunk and all subgames, found without the whole game in memory."""
        return self.whole.exploitability(self._best[n] for n in range(len(self)))

    def strategy(self) -> Strategy:
        """Trunk and subgames together; the trunk alone if the whole game is too large."""
        try:
            form = sequence_form_of(self.rules)
        except TooLargeError:
            return self.whole.strategy
        tables = []
        for player in (0, 1):
            trunk = dict(self.whole.strategy.infosets(player))
            tables.append({**trunk, **self._tables[player]})
        return SequenceStrategy.from_tables(form, tuple(tables))


def parts_of(
    solution: Solution, rules: Game | None, *, seed: int = 0, threads: int = 1
) -> NestParts | PublicParts:
    """The parts of a trimmed solution, each to be re-solved; ``rules`` are those of a game."""
    if solution.spot is None or solution.form == "sequence":
        assert rules is not None
        return NestParts(nest_strategy_of(solution, rules), rules, seed=seed)
    trunk = spot_trunk_of(solution)
    tables = empty_tables(trunk.form)
    assert isinstance(solution.strategy, PublicStrategy)
    for (street, player), table in tables_of(solution.strategy).items():
        if table.shape[1]:
            tables[street, player][:] = table
    return PublicParts(trunk, tables, threads=threads)


@dataclass(frozen=True, eq=False)
class OpenedPart(Mapping[str, dict[str, float]]):
    """What both players do in one part of a spot, by infoset, as in ``AhQh:check,check/2c:``."""

    form: SpotForm
    solved: SolvedPart

    @property
    def root(self) -> PartRoot:
        """Where the part begins."""
        return self.solved.part.root

    @property
    def exploitability(self) -> float:
        """In the games that were solved for the part, in chips of a deal that comes there."""
        return self.solved.exploitability

    def __getitem__(self, key: str) -> dict[str, float]:
        place = self.form.find_infoset(key)
        piece = self.solved.pieces.get((place.street, place.player))
        street, begin = begins_of(self.form)[place.node]
        assert street == place.street
        if piece is not None:
            boards, sequences, hands = (axis.reshape(-1) for axis in piece.place)
            at = [
                np.flatnonzero(axis == wanted)
                for axis, wanted in zip(
                    (boards, sequences, hands), (place.board, begin, place.hand), strict=True
                )
            ]
            if all(len(each) for each in at):
                board, first, hand = (int(each[0]) for each in at)
                actions = self.form.actions_at(place.node)
                found = piece.probabilities[board, first : first + len(actions), hand]
                return dict(zip(actions, found.tolist(), strict=True))
        raise BadInputError(f"{key!r} is not in the part that was opened")

    def __iter__(self) -> Iterator[str]:
        for key, place in self.form.infosets():
            boards = self.solved.part.boards[max(0, place.street - self.root.street)]
            is_in = place.street >= self.root.street and place.board in boards
            if is_in and place.node in self.solved.part.nodes:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)


def open_part(
    solution: Solution, path: str, *, algorithm: Algorithm, iterations: int, threads: int = 1
) -> OpenedPart:
    """Re-solve the one part of a trimmed spot that a path leads to, or into.

    Nothing else is built: a river takes milliseconds.
    """
    assert solution.below is not None
    form = whole_form_of(solution)
    place = find_node(form.tree, path)
    board, _ = form.played_board(place.cards)
    root = PartRoot(place.node, len(place.cards), board)
    nodes, streets = nodes_at(form, parse_cut(solution.below.cut))
    known = set(zip(nodes, streets, strict=True))
    while root[:2] not in known and root.node > 0:
        above = int(form.tree.node_parent[root.node])
        if form.tree.node_street[above] != form.tree.node_street[root.node]:
            board = int(form.streets[root.street].parent[root.board])
            root = PartRoot(above, root.street - 1, board)
        else:
            root = root._replace(node=above)
    if root[:2] not in known:
        cut = solution.below.cut
        raise BadInputError(f"{path!r} is not below {cut}, so it is in the trunk, which is kept")
    parts = PublicParts(spot_trunk_of(solution, root), {}, threads=threads)
    solved = parts.solve(0, "gadget", algorithm, iterations)
    return OpenedPart(form, solved)
