"""From a request to a solution, for every algorithm: also those that are put together of others."""

from __future__ import annotations

from dataclasses import replace

from infoset import solvers
from infoset.errors import BadInputError
from infoset.forms import PublicForm, SpotForm, form_of_spot
from infoset.games.holdem import Spot
from infoset.resolving.cfr_d import CfrDSolver
from infoset.resolving.cuts import parse_cut
from infoset.resolving.nested import Subgames, can_be_nested, nest_of
from infoset.resolving.public_cfr_d import SpotCfrDSolver, SpotParts, check_fits
from infoset.solvers import Below, Made, Nested, Request, Solution, find_algorithm

GAME_RESOLVING = "cfr+", 2000
SPOT_RESOLVING = "dcfr(gamma=3)", 200
"""How subgames are re-solved when the result of CFR-D is measured, and in how many iterations."""


def run(request: Request) -> Solution:
    """Solve what is asked for, until a limit is reached or Ctrl-C is pressed."""
    nested = request.algorithm.nested
    if nested is None:
        return solvers.run(request)
    made: list[tuple[CfrDSolver | SpotCfrDSolver, Below]] = []

    def make(request: Request) -> Made:
        form, solver, below = _composed(request, nested)
        made.append((solver, below))
        return form, solver

    solution = solvers.run(request, make)
    solver, below = made[0]
    first, second = solver.cell_values()
    return replace(solution, below=below._replace(values=(first, second)))


def _composed(
    request: Request, nested: Nested
) -> tuple[solvers.Form, CfrDSolver | SpotCfrDSolver, Below]:
    rules = request.rules
    request.announce(solvers.KERNELS)
    if isinstance(rules, Spot | SpotForm) and request.form == "public":
        solvers.warm_up("public", find_algorithm("cfr"))
        return _composed_spot(request, nested, rules)
    if isinstance(rules, PublicForm | Spot):
        raise BadInputError("cfr-d is for games in sequence form, and for spots in public form")
    solvers.warm_up("sequence", find_algorithm("cfr"))
    cut = parse_cut(nested.at or "round=2")
    by_rules = can_be_nested(rules, cut)
    nest = nest_of(rules, cut, by_rules=by_rules)
    subgames = Subgames(nest, nested.subgame, nested.iterations)
    name, iterations = GAME_RESOLVING
    solver = CfrDSolver(
        *(nest, nested.trunk, subgames, (find_algorithm(name), iterations)),
        request.limits.iterations,
        threads=request.threads,
    )
    if request.max_memory is not None:
        trunk_bytes = solver.working_bytes + solver.form_bytes
        subgames.check_fits(request.max_memory, trunk_bytes, request.threads)
    return nest.trunk, solver, Below(str(cut), by_rules, 0, solver.cell_values())


def _composed_spot(
    request: Request, nested: Nested, rules: Spot | SpotForm
) -> tuple[solvers.Form, SpotCfrDSolver, Below]:
    form = rules if isinstance(rules, SpotForm) else form_of_spot(rules)
    if form.num_streets < 2:
        raise BadInputError(f"{form.name!r} has one street only: there is nothing to cut off")
    cut = parse_cut(nested.at or f"round={form.num_streets}")
    if cut.kind != "round" or not 2 <= cut.number <= form.num_streets:
        raise BadInputError(
            f"a spot is cut where a round begins, at round=2 to round={form.num_streets} of this "
            f"one, not at {cut}"
        )
    parts = SpotParts(
        *(form, cut.number - 1, nested.subgame, nested.iterations), threads=request.threads
    )
    name, iterations = SPOT_RESOLVING
    solver = SpotCfrDSolver(
        *(parts, nested.trunk, (find_algorithm(name), iterations)),
        request.limits.iterations,
        threads=request.threads,
        bits=request.bits,
    )
    check_fits(solver, request.max_memory)
    return solver.trunk, solver, Below(str(cut), False, cut.number - 1, solver.cell_values())
