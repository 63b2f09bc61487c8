"""The arguments of a run in one object, checked once, with defaults filled in."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from infoset.errors import BadInputError, shorten
from infoset.forms import PublicForm, SequenceForm, SpotForm
from infoset.games import Game
from infoset.games.holdem import Spot
from infoset.interop import find_rules
from infoset.machine.interrupts import Cancel
from infoset.machine.storage import check_writable
from infoset.machine.threads import num_threads
from infoset.solvers.algorithms import CUSTOM, Algorithm, find_algorithm
from infoset.solvers.limits import Limits
from infoset.solvers.loop import Progress
from infoset.solvers.presets import PRESETS
from infoset.solvers.recipe import Recipe
from infoset.solvers.solution_files import Checkpoint, Saving, read_checkpoint
from infoset.solvers.start import StartFrom, StartLike, find_start

Target = str | os.PathLike[str] | Game | Spot | SequenceForm | PublicForm
"""A name, the path of an ``.efg`` or spot file, a random situation, any object with rules, a spot,
or a form made before."""

FormName = Literal["auto", "sequence", "public", "rules"]
"""Which form to solve in. ``rules`` is none: samplers then walk the rules themselves and hold only
infosets that they visited."""

PathLike = str | os.PathLike[str]

DEFAULT_ALGORITHM = "dcfr"
DEFAULT_ITERATIONS = 1000
NESTED_ITERATIONS = 100
"""Of the trunk, if every iteration solves all subgames."""

SPOT_ALGORITHM = "dcfr(gamma=3)"
"""The fewest iterations to any accuracy on most spots, and the steadiest: see docs/spots.md."""
SPOT_EXPLOITABILITY = "0.1%"
SPOT_ITERATIONS = 10_000

_AMOUNT = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{0,20})?(?:e-?[0-9]{1,2})?)\s*(%|c|mbb|)\s*")


@dataclass(frozen=True, eq=False)
class Request:
    """A run, as it was asked for."""

    rules: Game | Spot | SequenceForm | PublicForm
    """What is to be solved: rules, or a form made of them before."""
    algorithm: Algorithm
    limits: Limits
    form: Literal["sequence", "public", "rules"]
    may_walk_rules: bool
    """Whether the rules are walked if the game is too large for the form."""
    seed: int | None
    """Of algorithms that sample."""
    threads: int
    bits: int
    max_memory: int | None
    """Bytes that the run may take; `None` is as many as are free."""
    saving: Saving | None
    resumed: Checkpoint | None
    start: StartFrom | None
    """A strategy that the first iterations go on from."""
    progress: Callable[[Progress], None] | None
    announce: Callable[[str], None]
    """Told what is about to begin, before the first iteration."""
    cancel: Cancel | None = None
    """Stops the run from another thread."""


def make_request(
    target: Target,
    algorithm: str | Recipe | None = None,
    *,
    name: str | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    exploitability: float | str | None = None,
    form: FormName = "auto",
    seed: int | None = None,
    threads: int | None = None,
    bits: int | None = None,
    max_memory: int | None = None,
    checkpoint: PathLike | None = None,
    every: float = 30.0,
    resume: PathLike | None = None,
    start_from: StartLike | None = None,
    start_iterations: int | None = None,
    start_method: str = "proportional",
    progress: Callable[[Progress], None] | None = None,
    announce: Callable[[str], None] | None = None,
    cancel: Cancel | None = None,
) -> Request:
    """What a run is asked to do, with all that goes without saying filled in.

    Everything that can be refused before the game is looked at is refused here.
    """
    rules: Any = (
        target if isinstance(target, SequenceForm | PublicForm) else find_rules(target, name)
    )
    resumed = None if resume is None else read_checkpoint(resume)
    is_spot = isinstance(rules, Spot | SpotForm)
    if algorithm is None and resumed is not None:
        if resumed.algorithm == CUSTOM:
            raise BadInputError("the checkpoint is a run of a recipe of your own: give it again")
        algorithm = resumed.algorithm
    usual = SPOT_ALGORITHM if is_spot else DEFAULT_ALGORITHM
    chosen = find_algorithm(usual if algorithm is None else algorithm)
    in_form, may_walk = _form(rules, chosen, form)
    if iterations is None and seconds is None and exploitability is None:
        iterations = None if resumed is None else resumed.horizon
        if in_form == "public" and is_spot and chosen.nested is None:
            exploitability = SPOT_EXPLOITABILITY
            iterations = SPOT_ITERATIONS if iterations is None else iterations
        elif resumed is None:
            iterations = DEFAULT_ITERATIONS if chosen.nested is None else NESTED_ITERATIONS
        elif iterations is None:
            raise BadInputError(
                "the run had no limit on iterations: say when to stop, with iterations, seconds or "
                "exploitability"
            )
    chips = None if exploitability is None else chips_of(exploitability, rules)
    limits = Limits(iterations, seconds, chips)
    chosen.check(limits.iterations)
    if in_form == "rules" and limits.exploitability is not None:
        raise BadInputError(
            "a game that is sampled by its rules has no exact exploitability, only a lower bound, "
            "and that it is low proves nothing: stop after iterations or seconds"
        )
    if chosen.nested is not None and limits.exploitability is not None:
        raise BadInputError(
            "cfr-d re-solves every subgame to measure exploitability, so it is measured once, at "
            "the end: stop after iterations or seconds"
        )
    start = find_start(start_from, start_iterations, start_method, chosen)
    if start is not None:
        _check_start(in_form, resumed)
    saving = None if checkpoint is None else Saving(checkpoint, every)
    if saving is not None:
        check_writable(saving.path)  # now, not after hours
    if resumed is not None:
        resumed.check_goes_on(chosen, limits.iterations)
    return Request(
        rules=rules,
        algorithm=chosen,
        limits=limits,
        form=in_form,
        may_walk_rules=may_walk,
        seed=_seed(seed, chosen, resumed),
        threads=_threads(threads, chosen, in_form),
        bits=_bits(bits, in_form, resumed),
        max_memory=_memory(max_memory),
        saving=saving,
        resumed=resumed,
        start=start,
        progress=progress,
        announce=(lambda step: None) if announce is None else announce,
        cancel=_cancel(cancel),
    )


def _cancel(cancel: Any) -> Cancel | None:
    if cancel is not None and not isinstance(cancel, Cancel):
        raise BadInputError(f"cancel must be an infoset.Cancel, not {type(cancel).__name__}")
    return cancel


def _check_start(form: str, resumed: Checkpoint | None) -> None:
    """Refuse starts where nothing begins, or where none is known."""
    if resumed is not None:
        raise BadInputError(
            "a run that is resumed goes on where it was, so it cannot start from a strategy: leave "
            "one of the two out"
        )
    if form != "sequence":
        raise BadInputError(
            "a run can be started from a strategy in sequence form only; a small spot can be "
            "solved in it: form='sequence', on the command line --form sequence"
        )


def _form(
    rules: Game | Spot | SequenceForm | PublicForm, algorithm: Algorithm, form: str
) -> tuple[Literal["sequence", "public", "rules"], bool]:
    """The form to solve in, and whether rules may be walked instead if the game is too large."""
    if form not in get_args(FormName):
        raise BadInputError(f"form must be {', '.join(get_args(FormName))}, not {form!r}")
    for kind, made in (("sequence", SequenceForm), ("public", PublicForm)):
        if isinstance(rules, made):
            if form not in ("auto", kind):
                raise BadInputError(f"what was given is a {kind} form; for {form}, give the rules")
            form = kind
    fits_public = algorithm.recipe is not None and not algorithm.is_sampled
    fits_public = fits_public or algorithm.nested is not None
    if form == "auto" and isinstance(rules, Spot):
        form = "public" if fits_public else "auto"
    if form == "public" and not fits_public:
        known = ", ".join(name for name, preset in PRESETS.items() if not preset.is_sampled)
        raise BadInputError(f"{algorithm.name!r} does not work in public form; these work: {known}")
    walks_rules = algorithm.is_sampled and algorithm.neural is None
    if form == "rules" and not walks_rules:
        raise BadInputError(
            f"{algorithm.name!r} needs the whole game; only algorithms that sample, such as "
            "'es-mccfr', can walk its rules"
        )
    if form == "public" or form == "rules":
        return form, False  # type: ignore[return-value]
    return "sequence", form == "auto" and walks_rules


def chips_of(exploitability: float | str, rules: Any) -> float:
    """An exploitability to be reached, in chips; numbers are left for `Limits` to check.

    >>> spot = Spot("Ks9h7d4c2s", "AA", "KK", pot=500, stack=900)
    >>> [chips_of(text, spot) for text in ("0.1%", "2.5c", "2.5", "20mbb")]
    [0.5, 2.5, 2.5, 2.0]
    """
    if not isinstance(exploitability, str):
        return exploitability
    match = _AMOUNT.fullmatch(exploitability)
    if match is None or float(match[1]) == 0.0:
        raise BadInputError(
            f"{shorten(exploitability)} is not an exploitability; write it as in 0.1% (of the pot "
            "of a spot), 5c (chips) or 20mbb (thousandths of a big blind)"
        )
    amount, unit = float(match[1]), match[2]
    if unit in ("", "c"):
        return amount
    spot = rules.spot if isinstance(rules, SpotForm) else rules
    if not isinstance(spot, Spot):
        raise BadInputError(
            f"{shorten(exploitability)} is for spots: a game has no pot to begin with. Give chips, "
            "as in 0.001"
        )
    return amount * (spot.starting_pot / 100 if unit == "%" else spot.big_blind / 1000)


def _seed(seed: int | None, algorithm: Algorithm, resumed: Checkpoint | None) -> int | None:
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise BadInputError(f"seed must be a whole number, not {seed!r}")
    if resumed is not None:
        if algorithm.is_sampled and seed is not None and resumed.seed != seed:
            raise BadInputError(f"the checkpoint is a run with seed {resumed.seed}, not {seed}")
        seed = resumed.seed
    return secrets.randbits(32) if algorithm.is_sampled and seed is None else seed


def _threads(threads: int | None, algorithm: Algorithm, form: str) -> int:
    if form == "public" or algorithm.is_sampled or algorithm.nested is not None:
        return num_threads(threads)
    if threads is not None:
        raise BadInputError(
            f"{algorithm.name!r} runs on one core in sequence form; threads are for spots, and for "
            "algorithms that sample, such as 'rs-mccfr(b=100)'"
        )
    return 1


def _bits(bits: int | None, form: str, resumed: Checkpoint | None) -> int:
    """As many as are asked for, or as a run had that is resumed; else 32 in public form."""
    if form != "public":
        if bits not in (None, 64):
            raise BadInputError("numbers are stored in 64 bits but in public form, for spots")
        return 64
    if resumed is not None and resumed.form != form:
        resumed = None  # refused later, when the form is known by name
    if bits is None:
        return 32 if resumed is None else resumed.bits
    if isinstance(bits, bool) or bits not in (16, 32):
        raise BadInputError(f"numbers are stored in 16 or 32 bits, not {repr(bits)[:40]}")
    if resumed is not None and resumed.bits != bits:
        raise BadInputError(f"the checkpoint is not a run in {bits} bits; leave them out to go on")
    return bits


def _memory(max_memory: int | None) -> int | None:
    if max_memory is not None and (isinstance(max_memory, bool) or not max_memory > 0):
        raise BadInputError(f"max_memory must be a number of bytes above 0, not {max_memory!r}")
    return max_memory
