"""Options and arguments that several commands share, and the run that some of them ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.games import Game
    from infoset.games.holdem import Spot
    from infoset.solvers import Request

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A built-in game, as in 'nolimit_leduc(stack=10)' (see: infoset games); "
        "open_spiel:NAME; the path of an .efg file; a hold'em spot in a .toml or .json file; or a "
        "random situation, as in 'River(5k, seed=1)'.",
        show_default=False,
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Which spot, if the file has several."),
]
Solved = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="What infoset solve --save wrote.", show_default=False),
]
GameName = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="GAME", help="The game, if its name in the file no longer finds it."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        help="How many processors to use, where several can be. Default: all.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]


@dataclass(frozen=True)
class Run:
    """What may be typed about a run, whichever command it is for."""

    target: Target
    name: Name = None
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", "-n", metavar="N", help="Stop after so many iterations."),
    ] = None
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", "-s", metavar="S", help="Stop after so many seconds of iterating."
        ),
    ] = None
    exploitability: Annotated[
        str | None,
        typer.Option(
            "--exploitability",
            "-e",
            metavar="E",
            help="Stop at this exploitability: 1e-3 chips; of a spot also 0.5% of the pot, 3c "
            "(chips) or 20mbb (thousandths of a big blind).",
        ),
    ] = None
    form: Annotated[
        str,
        typer.Option(
            "--form",
            metavar="auto|sequence|public|rules",
            help="Which form to solve in: sequence for any game, public for spots and small card "
            "games, rules for algorithms that sample a game too large for either.",
        ),
    ] = "auto"
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Seed of what is random.")
    ] = None
    threads: Threads = None
    bits: Annotated[
        int | None,
        typer.Option(
            "--bits",
            metavar="B",
            help="How numbers are stored in public form: 32, or 16 for half the memory. Default: "
            "32.",
        ),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="M",
            help="Refuse what takes more, as in 2GB. Default: what is free.",
        ),
    ] = None

    def request(self, algorithm: str | None, **files: Any) -> Request:
        """The run that is asked for; ``files`` are those of `make_request`."""
        from infoset.machine.memory import parse_bytes
        from infoset.solvers import make_request

        return make_request(
            find_target(self.target, self.name),
            algorithm,
            iterations=self.iterations,
            seconds=self.seconds,
            exploitability=_number_or_text(self.exploitability),
            form=self.form,  # type: ignore[arg-type]  # checked there
            seed=self.seed,
            threads=self.threads,
            bits=self.bits,
            max_memory=None if self.memory is None else parse_bytes(self.memory),
            **files,
        )

    def words(self, algorithm: str) -> list[str]:
        """What is typed to ask for the same run again."""
        named = {
            "--name": self.name,
            "-a": algorithm,
            "-n": self.iterations,
            "-s": self.seconds,
            "-e": self.exploitability,
            "--form": None if self.form == "auto" else self.form,
            "--threads": self.threads,
            "--bits": self.bits,
            "--memory": self.memory,
        }
        return [self.target, *option_words(named)]


def option_words(options: dict[str, Any]) -> list[str]:
    """Options as they are typed; those that are `None` are left out."""
    given = {option: value for option, value in options.items() if value is not None}
    return [word for option, value in given.items() for word in (option, str(value))]


def find_target(target: str, name: str | None) -> Game | Spot:
    """The rules that a target names."""
    from infoset.games.holdem import AmbiguousSpotError
    from infoset.interop import find_rules

    try:
        return find_rules(target, name)
    except AmbiguousSpotError as error:
        raise BadInputError(f"{error} (with --name NAME)") from None


def _number_or_text(typed: str | None) -> float | str | None:
    try:
        return None if typed is None else float(typed)
    except ValueError:
        return typed
