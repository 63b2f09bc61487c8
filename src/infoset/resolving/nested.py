"""The leaves of a trunk in sequence form: subgames that are solved anew in every iteration.

A subgame is compiled when it is needed. Games whose rules tell what is public (`DealtGame`) are
never compiled whole: trunk and subgames are walked by themselves, and subgames that are alike but
for the way that led to them share one form. Other games are compiled whole, and cut.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from infoset.errors import BadInputError, TooLargeError
from infoset.forms import (
    Decomposition,
    SequenceForm,
    compile_game,
    decompose,
    rooted_form,
    sequence_form_of,
    trunk_form,
)
from infoset.forms.kernels.subtrees import count_down
from infoset.games import DealtGame, Game, name_of
from infoset.machine.memory import format_bytes
from infoset.resolving.cuts import Cut, cut_form
from infoset.resolving.public_rules import SubgameRules, TrunkRules
from infoset.solvers import Recipe, RegretSolver

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

TREMBLE = 1e-30
"""The least reach of a cell. Whoever never comes to a cell must still play well from there on, or
the trunk would be told that it is worth little (the paper: counterfactual best responses)."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A subgame below a trunk."""

    sequences: tuple[Ints, Ints]
    """Per player: [cells] the sequence of the trunk by which he comes to each cell."""
    load: Callable[[], tuple[Decomposition, int]]
    """Cuts the subgame out of its game: the decomposition, and its number there."""
    scale: float = 1.0
    """What payoffs of the subgame are multiplied with."""


@dataclass(frozen=True, eq=False)
class Nest:
    """A trunk and the subgames at its leaves."""

    trunk: SequenceForm
    leaves: tuple[Leaf, ...]


def can_be_nested(rules: object, cut: Cut) -> bool:
    """Whether trunk and subgames can be compiled by themselves."""
    return isinstance(rules, DealtGame) and cut.kind in ("round", "public", "depth")


def nest_of(rules: Game | SequenceForm, cut: Cut, *, by_rules: bool) -> Nest:
    """Cut a game; ``by_rules``, its subgames are compiled when they are asked for."""
    if by_rules:
        if not isinstance(rules, DealtGame) or not can_be_nested(rules, cut):
            raise BadInputError(f"{name_of(rules)} cannot be cut at {cut} by its rules alone")
        return _nest_of_rules(rules, cut)
    form = rules if isinstance(rules, SequenceForm) else sequence_form_of(rules)
    whole = cut_form(form, cut)
    trunk, of_cells = trunk_form(whole)
    leaves = []
    for subgame in range(whole.num_subgames):
        first, second = (
            sequences[cells.of(subgame)]
            for cells, sequences in zip(whole.cells, of_cells, strict=True)
        )
        leaves.append(Leaf((first, second), partial(lambda number: (whole, number), subgame)))
    return Nest(trunk, tuple(leaves))


def _nest_of_rules(game: DealtGame, cut: Cut) -> Nest:
    rules = TrunkRules(game, cut)
    trunk = compile_game(rules)
    if not rules.places:
        raise BadInputError(
            f"{name_of(game)} cannot be cut at {cut}: nobody decides anything from there on"
        )
    leaves = []
    for place in rules.places.values():
        below = SubgameRules(game, place)
        pair = []
        for player, (before, slot) in enumerate(place.last):
            treeplex = trunk.treeplexes[player]
            held = below.held(player)
            if slot < 0:
                pair.append(np.zeros(len(held), np.int64))
                continue
            numbers = [treeplex.infoset_of_key[f"{game.hands[hand]}:{before}"] for hand in held]
            pair.append(treeplex.infoset_begin[numbers].astype(np.int64) + slot)
        leaves.append(Leaf((pair[0], pair[1]), partial(_below, below), float(below.total)))
    return Nest(trunk, tuple(leaves))


def _below(rules: SubgameRules) -> tuple[Decomposition, int]:
    """A subgame alone; its cells are what `SubgameRules` has the players do first: be dealt in."""
    form = compile_game(rules)
    history = form.history
    depth = count_down(history.node_parent, (history.node_player >= 0).astype(np.int32))
    # One subgame, also where some hands never meet the others in it.
    return decompose(form, depth == 2, together=np.zeros(history.num_nodes, np.int64)), 0


class Subgames:
    """Forms of subgames, those that are alike shared, as many kept as a budget has room for."""

    def __init__(self, nest: Nest, recipe: Recipe, iterations: int) -> None:
        self.nest = nest
        self.recipe = recipe
        self.iterations = iterations
        self.budget: int | None = None
        """Bytes for forms that are kept; `None` is no limit."""
        self._kept: OrderedDict[bytes, SequenceForm] = OrderedDict()
        self._digest: dict[int, bytes] = {}
        self._num_ends: dict[int, int] = {}
        self._lock = threading.Lock()
        self.largest = 0
        """Bytes of the tables of the largest subgame."""
        self.most_kept = 0
        """Bytes of forms that were kept at one time, at the most."""

    def form(self, leaf: int) -> SequenceForm:
        """The form of a subgame, compiled unless it is still there."""
        with self._lock:
            digest = self._digest.get(leaf)
            if digest is not None and digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest]
        form = rooted_form(*self.nest.leaves[leaf].load())
        digest = _digest(form)
        with self._lock:
            self._digest[leaf] = digest
            self._num_ends[leaf] = len(form.payoff.entries)
            if digest in self._kept:
                return self._kept[digest]
            bare = _without_names(form)
            self.largest = max(self.largest, _table_bytes(bare))
            self._kept[digest] = bare
            while self.budget is not None and len(self._kept) > 1 and self.kept_bytes > self.budget:
                self._kept.popitem(last=False)
            self.most_kept = max(self.most_kept, self.kept_bytes)
            return bare

    def ends_visited(self) -> int:
        """Ends of the game that the solves of one iteration visit, of both players together."""
        return 2 * self.iterations * sum(self._num_ends.values())

    @property
    def kept_bytes(self) -> int:
        """Bytes of the forms that are kept."""
        return sum(form.lanes.nbytes for form in self._kept.values())

    def solve(self, leaf: int, plans: Pair) -> Pair:
        """Per player: [cells] what a subgame is worth, if it is solved for the trunk's plans."""
        place = self.nest.leaves[leaf]
        form = self.form(leaf)
        first, second = (
            np.append(1.0, np.maximum(plan[sequences], TREMBLE))
            for plan, sequences in zip(plans, place.sequences, strict=True)
        )
        solver = RegretSolver(form, self.recipe, self.iterations, root_reach=(first, second))
        solver.run(self.iterations)
        values = [place.scale * solver.root_values(player)[1:] for player in (0, 1)]
        return values[0], values[1]

    def check_fits(self, budget: int, trunk_bytes: int, threads: int) -> None:
        """Have forms dropped beyond a budget; refuse one that is too small."""
        self.budget = 0  # while they are measured, one at a time
        largest_form = largest_tables = 0
        for leaf in range(len(self.nest.leaves)):
            form = self.form(leaf)
            largest_form = max(largest_form, form.lanes.nbytes)
            largest_tables = max(largest_tables, _table_bytes(form))
        one = largest_form + largest_tables
        needed = trunk_bytes + threads * one
        if needed > budget:
            raise TooLargeError(
                f"{format_bytes(budget)} are too few for cfr-d on {self.nest.trunk.name}: the "
                f"trunk takes {format_bytes(trunk_bytes)} and the largest subgame "
                f"{format_bytes(one)} on each of {threads} cores, together "
                f"{format_bytes(needed)}. Give it more, fewer threads, or cut the game later"
            )
        self.budget = budget - trunk_bytes - threads * largest_tables
        self.most_kept = 0


def _table_bytes(form: SequenceForm) -> int:
    """Bytes of a solver's arrays: regrets, average, plan and, at the end, values."""
    return 8 * 4 * sum(form.lanes.sizes)


def _digest(form: SequenceForm) -> bytes:
    """The same for subgames that are alike but for the names of their infosets."""
    digest = hashlib.sha256()
    for treeplex in form.treeplexes:
        digest.update(treeplex.infoset_begin.tobytes())
        digest.update(treeplex.infoset_parent.tobytes())
    for column in form.payoff:
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.digest()


def _without_names(form: SequenceForm) -> SequenceForm:
    """The form as solvers need it: its layout, without keys, labels and payoffs."""
    lanes = form.lanes
    plexes = []
    for treeplex in form.treeplexes:
        bare = type(treeplex)(treeplex.infoset_begin, treeplex.infoset_parent, (), ())
        plexes.append(bare)
    out = SequenceForm(form.name, (plexes[0], plexes[1]), form.history_source)
    out.__dict__["lanes"] = lanes
    return out
