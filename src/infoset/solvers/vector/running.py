"""Solve a spot: from what was asked for to a solution."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from infoset.calls import parse_call
from infoset.errors import BadInputError, shorten
from infoset.games.holdem.finding import SpotLike, find_spot
from infoset.games.holdem.spot import BIG_BLIND, Spot
from infoset.games.holdem.spot_files import format_spot
from infoset.machine.interrupts import heard_interrupts
from infoset.machine.storage import check_writable
from infoset.machine.threads import num_threads
from infoset.solvers.algorithms import CUSTOM, Algorithm, find_algorithm
from infoset.solvers.files import Checkpoint, Saving, read_checkpoint
from infoset.solvers.limits import Limits
from infoset.solvers.loop import Progress, iterate, restore
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.solution import Outcome
from infoset.solvers.vector.memory import check_memory
from infoset.solvers.vector.solution import SpotSolution, SpotSpace
from infoset.solvers.vector.spot_solver import SpotSolver

__all__ = ["chips_of_target", "solve_spot"]

DEFAULT_ALGORITHM = "dcfr(gamma=3)"
"""The fewest iterations to any accuracy on most spots, and the steadiest: see docs/spots.md."""
DEFAULT_EXPLOITABILITY = "0.1%"
DEFAULT_ITERATIONS = 10_000

GAMES = {32: "spot", 16: "spot in 16 bits"}
"""What a checkpoint calls the game of any spot, by how numbers are stored."""

_TARGET = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?(?:e-?[0-9]{1,2})?)\s*(%|c|mbb|)\s*")


def solve_spot(
    spot: SpotLike,
    algorithm: str | Recipe | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    exploitability: float | str | None = None,
    threads: int | None = None,
    bits: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    every: float = 30.0,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[Progress], None] | None = None,
    return_on_interrupt: bool = False,
) -> SpotSolution:
    """Find an equilibrium of a spot of hold'em; stop at the first limit that is reached.

    ``exploitability`` is a number of chips, or text: ``"0.1%"`` of the pot that the spot begins
    with, ``"5c"`` chips, ``"20mbb"`` (thousandths of the spot's big blind). With no limit at all
    it is 0.1% of the pot, within 10,000 iterations (or, with ``resume``, as many as the run was to
    have). ``threads`` are as many as there are cores, unless given; they change the speed, and not
    a bit of the result. With 16 ``bits`` instead of 32 it takes half the memory, and a little
    longer. Checkpoints and Ctrl-C are as in `infoset.solve`.

    >>> solution = solve_spot("River(5k, seed=1)", exploitability="1%")
    >>> solution.stopped_by, solution.exploitability < 50
    ('exploitability', True)
    """
    found = find_spot(spot)
    threads = num_threads(threads)
    resumed = None if resume is None else read_checkpoint(resume)
    if iterations is None and seconds is None and exploitability is None:
        exploitability = DEFAULT_EXPLOITABILITY
        iterations = resumed.horizon if resumed is not None else None
        iterations = DEFAULT_ITERATIONS if iterations is None else iterations
    target = None if exploitability is None else chips_of_target(exploitability, found)
    limits = Limits(iterations, seconds, target)
    saving = None if checkpoint is None else Saving(checkpoint, every)
    if saving is not None:
        check_writable(saving.path)  # now, not after hours
    if resumed is not None and algorithm is None:
        if resumed.algorithm == CUSTOM:
            raise BadInputError("the checkpoint is a run of a recipe of your own: give it again")
        algorithm = resumed.algorithm
    chosen, recipe = _recipe(DEFAULT_ALGORITHM if algorithm is None else algorithm)
    chosen.check(limits.iterations)
    bits = _bits(bits, resumed)
    start = Checkpoint(GAMES[bits], _fingerprint(found), chosen.name)
    if resumed is not None:
        if (resumed.game, resumed.fingerprint) != (start.game, start.fingerprint):
            other = "another spot" if resumed.game in GAMES.values() else repr(resumed.game)
            raise BadInputError(f"the checkpoint is a run of {other}, not of this spot")
        resumed.check_goes_on(chosen, limits.iterations)
    check_memory(found, recipe, threads, bits)
    with heard_interrupts():
        _warm_up(bits)
    solver = SpotSolver(found, recipe, limits.iterations, threads=threads, bits=bits)
    if resumed is not None:
        restore(solver, resumed)
        start = replace(start, seconds=resumed.seconds, curve=resumed.curve)
        del resumed  # it is as large as the solver

    def finish(outcome: Outcome) -> SpotSolution:
        half = found.pot / 2
        oop, ip = solver.values()
        return SpotSolution(
            **outcome._asdict(),
            solver=solver,
            algorithm=chosen.name,
            values=(half + oop, half + ip),
            space=SpotSpace(solver.kept_bytes, solver.working_bytes, solver.layout.nbytes),
            threads=threads,
        )

    solution = iterate(
        solver, solver.exploitability, limits, start, finish, saving=saving, progress=progress
    )
    if solution.stopped_by == "interrupt" and not return_on_interrupt:
        raise KeyboardInterrupt
    return solution


def chips_of_target(target: float | str, spot: Spot) -> float:
    """An exploitability to be reached, in chips; numbers are left for `Limits` to check.

    >>> spot = Spot("Ks9h7d4c2s", "AA", "KK", pot=500, stack=900)
    >>> [chips_of_target(text, spot) for text in ("0.1%", "2.5c", "2.5", "20mbb")]
    [0.5, 2.5, 2.5, 2.0]
    """
    if not isinstance(target, str):
        return target
    match = _TARGET.fullmatch(target)
    if match is None or float(match[1]) == 0.0:
        raise BadInputError(
            f"{shorten(target)} is not an exploitability; write it as in 0.1% (of the pot), 5c "
            "(chips) or 20mbb (thousandths of a big blind)"
        )
    units = {"%": spot.pot / 100, "mbb": spot.big_blind / 1000}
    return float(match[1]) * units.get(match[2], 1.0)


def _recipe(algorithm: str | Recipe) -> tuple[Algorithm, Recipe]:
    """The algorithm and its recipe, if it is one that works on spots."""
    chosen = find_algorithm(algorithm)
    if isinstance(algorithm, Recipe):
        recipe = algorithm
    else:
        call = parse_call(algorithm)
        if call.name not in PRESETS:
            raise _unfit(chosen.name)
        recipe, _ = PRESETS[call.name].recipe(call)
    if recipe.is_sampled:
        raise _unfit(chosen.name)
    return chosen, recipe


def _unfit(name: str) -> BadInputError:
    known = ", ".join(name for name, preset in PRESETS.items() if not preset.is_sampled)
    return BadInputError(f"{name!r} does not work on spots; these work: {known}")


def _bits(bits: int | None, resumed: Checkpoint | None) -> int:
    """As many as are asked for, or as a run had that is resumed; else 32."""
    if bits is None:
        return 16 if resumed is not None and resumed.game == GAMES[16] else 32
    if isinstance(bits, bool) or bits not in GAMES:
        raise BadInputError(f"numbers are stored in 16 or 32 bits, not {repr(bits)[:40]}")
    if resumed is not None and resumed.game in GAMES.values() and resumed.game != GAMES[bits]:
        raise BadInputError(f"the checkpoint is not a run in {bits} bits; leave them out to go on")
    return bits


def _fingerprint(spot: Spot) -> str:
    """The same for spots that are the same game."""
    text = format_spot(replace(spot, name="", big_blind=BIG_BLIND))
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _warm_up(bits: int) -> None:
    """Have the kernels compiled (or loaded from the cache) before a run is timed."""
    spot = Spot("Ks9s7s4s2s", "55", "66", pot=2, stack=1, bet_sizes={"bet": "a", "raise": ""})
    solver = SpotSolver(spot, Recipe(), bits=bits)
    solver.run(1)
    solver.exploitability()
