"""Trim a solution to its trunk and the values below it, and re-solve what was thrown away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from infoset.errors import BadInputError
from infoset.forms import (
    PartRoot,
    SpotForm,
    trunk_form,
    trunk_numbers,
    trunk_of_spot,
)
from infoset.games import Game
from infoset.resolving.cuts import Cut, cut_form, parse_cut
from infoset.resolving.nest_strategy import NestStrategy
from infoset.resolving.nested import nest_of
from infoset.resolving.public_trunk import (
    PublicTrunk,
    nodes_at,
    reaches_of,
    roots_of,
    tables_of,
)
from infoset.resolving.trunk import Trunk
from infoset.solvers import Below, Solution
from infoset.strategy import PublicStrategy, SequenceStrategy


def trim(solution: Solution, at: str | Cut) -> Solution:
    """Keep the trunk of a solution, and of what is below a cut only what can be won there.

    The result is small, is saved and loaded as any solution, and says all of the trunk; what is
    below is found again by `infoset.resolve`.

    >>> import infoset
    >>> small = trim(infoset.solve("leduc", iterations=500), "round=2")
    >>> len(small.strategy), small.below.cut, [len(values) for values in small.below.values]
    (36, 'round=2', [30, 30])
    """
    if solution.below is not None:
        raise BadInputError(f"the solution was trimmed already, at {solution.below.cut}")
    cut, strategy = parse_cut(at), solution.strategy
    if isinstance(strategy, SequenceStrategy):
        return _trimmed_game(solution, strategy, cut)
    assert isinstance(strategy, PublicStrategy)
    if not isinstance(strategy.form, SpotForm):
        raise BadInputError(
            f"{solution.game!r} was solved in public form; games other than spots are trimmed in "
            "sequence form: solve it with form='sequence'"
        )
    return _trimmed_spot(solution, strategy, strategy.form, cut)


def _trimmed_game(solution: Solution, strategy: SequenceStrategy, cut: Cut) -> Solution:
    if not strategy.form.is_whole:
        raise BadInputError(f"{solution.game!r} was sampled by its rules and has nothing to trim")
    whole = cut_form(strategy.form, cut)
    form, _ = trunk_form(whole)
    first, second = (strategy.probabilities[p][trunk_numbers(whole, p)[1]] for p in (0, 1))
    return replace(
        solution,
        strategy=SequenceStrategy(form, (first, second)),
        below=Below(str(cut), False, 0, Trunk.of(whole, strategy).values),
        curve=[],
    )


def _trimmed_spot(
    solution: Solution, strategy: PublicStrategy, form: SpotForm, cut: Cut
) -> Solution:
    roots = roots_of(form, cut)
    if cut.kind not in ("street", "round", "public"):
        raise BadInputError(
            f"a spot is trimmed where a street begins, at turn, river or round=2, not at {cut}"
        )
    values = PublicTrunk.of(form, roots, strategy).values
    street = roots[0].street + (cut.kind == "round")
    trunk = trunk_of_spot(form, street)
    tables = tables_of(strategy)
    kept = {}
    for (number, player), table in tables.items():
        kept[number, player] = table if number < street else table[:, :0]
    kept = {key: table for key, table in kept.items() if key[0] < trunk.num_streets}
    return replace(
        solution,
        strategy=PublicStrategy.from_probabilities(trunk, kept),
        below=Below(str(cut), False, street, values),
        curve=[],
    )


def nest_strategy_of(solution: Solution, rules: Game) -> NestStrategy:
    """The trunk of a trimmed game with its leaves; refused if the rules are of another game."""
    below, strategy = solution.below, solution.strategy
    assert below is not None
    assert isinstance(strategy, SequenceStrategy)
    nest = nest_of(rules, parse_cut(below.cut), by_rules=below.by_rules)
    for ours, theirs in zip(nest.trunk.treeplexes, strategy.form.treeplexes, strict=True):
        if not ours.is_same_as(theirs):
            raise BadInputError(
                f"the solution was trimmed at {below.cut} of a game whose trunk is not that of "
                f"{nest.trunk.name!r}: its rules have changed, or it is another game"
            )
    first, second = below.values
    return NestStrategy(nest, strategy, (_doubles(first), _doubles(second)))


def _doubles(values: Any) -> Any:
    return np.asarray(values, np.float64)


def whole_form_of(solution: Solution) -> SpotForm:
    """The form of the whole spot that a solution was trimmed from."""
    assert isinstance(solution.strategy, PublicStrategy)
    trunk = solution.strategy.form
    assert isinstance(trunk, SpotForm)
    assert trunk.whole is not None
    return trunk.whole


def spot_trunk_of(solution: Solution, only: PartRoot | None = None) -> PublicTrunk:
    """The trunk of a trimmed spot, in the form of the whole spot; with one of its parts or all."""
    below, strategy = solution.below, solution.strategy
    assert below is not None
    assert solution.spot is not None
    assert isinstance(strategy, PublicStrategy)
    form = whole_form_of(solution)
    nodes, streets = nodes_at(form, parse_cut(below.cut))
    boards = [len(form.streets[street].cards) for street in streets]
    for player, values in enumerate(below.values):
        wanted = sum(boards), form.num_hands[player]
        if values.shape != wanted:
            raise BadInputError(
                f"the values below {below.cut} for player {player} have the shape {values.shape}, "
                f"not {wanted} (parts, hands): they are of another spot or cut"
            )
    first, second = below.values
    if only is None:
        roots = roots_of(form, below.cut)
    else:
        number = sum(boards[: nodes.index(only.node)]) + only.board
        roots, first, second = (only,), first[number, None], second[number, None]
    reach = reaches_of(form, tables_of(strategy), roots)
    return PublicTrunk(form, roots, reach, (first, second))
