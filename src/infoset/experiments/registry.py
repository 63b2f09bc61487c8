"""What an experiment is: an artifact of a paper, its claim, and the code that checks it.

An experiment joins by `experiment` above the function that runs it, which builds a `report`.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

from infoset.errors import BadInputError, nearest

Verdict = Literal["reproduced", "reproduced at a smaller scale", "not reproduced"]

Cell = str | int | float | bool | None

Step = Callable[[float, str], None]
"""Called as an experiment goes: the share that is done, from 0 to 1, and what comes next."""


@dataclass(frozen=True)
class Report:
    """What an experiment measured, beside what the paper says."""

    verdict: Verdict
    rows: Sequence[Mapping[str, Cell]] = ()
    """A table, a mapping per line; the keys are the heads of its columns."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Single figures, by name, with the unit in the name where it is not chips."""
    figures: Sequence[Path] = ()
    """Files that were drawn, inside the folder the experiment was given."""
    note: str = ""
    """What differs from the paper, and why."""

    def __post_init__(self) -> None:
        if self.verdict not in typing.get_args(Verdict):
            known = ", ".join(typing.get_args(Verdict))
            raise BadInputError(f"{self.verdict!r} is no verdict; it is one of: {known}")

    def summary(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {**vars(self), "figures": [str(path) for path in self.figures]}


class Claim(NamedTuple):
    """One sentence of a paper beside our measurement."""

    text: str
    holds: bool
    measured: str


def report(
    claims: Sequence[Claim],
    *remarks: str,
    rows: Sequence[Mapping[str, Cell]],
    numbers: Mapping[str, float],
    figures: Sequence[Path] = (),
    smaller: bool = False,
) -> Report:
    """The report on some claims: an artifact is reproduced when every claim about it holds.

    Its note has the claims, a line each, then the remarks. ``smaller``: than the paper's scale.

    >>> claims = Claim("it is fast", True, "1 s"), Claim("it is small", False, "1 GB")
    >>> report(claims, rows=[], numbers={}).verdict
    'not reproduced'
    """
    verdict: Verdict = "reproduced at a smaller scale" if smaller else "reproduced"
    if not all(claim.holds for claim in claims):
        verdict = "not reproduced"
    lines = [
        f"{'Holds' if claim.holds else 'Does not hold'}: {claim.text}. Measured: {claim.measured}."
        for claim in claims
    ]
    return Report(verdict, rows, numbers, figures, note="\n".join([*lines, *remarks]))


class Run(Protocol):
    """The code of an experiment."""

    def __call__(self, out: Path, *, quick: bool, progress: Step) -> Report:
        """Measure, and write figures into the folder ``out``; ``quick`` takes seconds."""


class SizedRun(Protocol):
    """The code of an experiment whose default is smaller than the paper's scale."""

    def __call__(self, out: Path, *, quick: bool, progress: Step, full: bool = False) -> Report:
        """The same; ``full`` is the paper's scale, which takes hours or days."""


@dataclass(frozen=True)
class Experiment:
    """An artifact of a paper that can be made again."""

    name: str
    """What is typed; lower-case words with hyphens."""
    paper: str
    artifact: str
    """A figure, a table, a theorem, an example."""
    claim: str
    """What the paper says, in a sentence."""
    run: Run

    @property
    def has_full(self) -> bool:
        """Whether it can be made at the paper's scale, where its default is smaller."""
        return "full" in inspect.signature(self.run).parameters

    def at_full_scale(self) -> Run:
        """Its code, at the paper's scale."""
        if not self.has_full:
            raise BadInputError(
                f"{self.name!r} cannot be made in full: it has no scale larger than its default"
            )
        return partial(cast(SizedRun, self.run), full=True)


_known: dict[str, Experiment] = {}


def experiment(name: str, *, paper: str, artifact: str, claim: str) -> Callable[[Run], Run]:
    """Make an experiment known by a name."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise BadInputError(f"{name!r} is not lower-case words with hyphens")

    def add(run: Run) -> Run:
        before = _known.get(name)
        # Again from the same module: it was loaded anew.
        if before is not None and before.run.__module__ != run.__module__:
            raise BadInputError(f"there already is an experiment named {name!r}")
        _known[name] = Experiment(name, paper, artifact, claim, run)
        return run

    return add


def known_experiments() -> tuple[Experiment, ...]:
    """All experiments, in the order of their names."""
    return tuple(_known[name] for name in sorted(_known))


def find_experiment(name: str) -> Experiment:
    """The experiment of that name.

    >>> find_experiment("no such thing")
    Traceback (most recent call last):
    infoset.errors.BadInputError: there is no experiment 'no such thing'...
    """
    if name not in _known:
        raise BadInputError(f"there is no experiment {name!r}{nearest(name, _known)}")
    return _known[name]
