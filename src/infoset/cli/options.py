"""Options and arguments that several commands share, and the run that some of them ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from infoset.errors import BadInputError

if TYPE_CHECKING:
    from infoset.games import Game
    from infoset.games.holdem import Spot
    from infoset.solvers import Request


def option(typed: str, meaning: str, *, default: Any = None) -> Any:
    """An option, by what is typed for it: its names, then what stands for its value.

    ``option("--iterations -n N", "Stop after so many iterations.")``. One without a value is a
    flag.
    """
    names = [word for word in typed.split() if word.startswith("-")]
    value = " ".join(typed.split()[len(names) :])
    if not value:
        return typer.Option(False, *names, help=meaning)
    return typer.Option(default, *names, metavar=value, help=meaning)


def argument(name: str, meaning: str, *, default: Any = ...) -> Any:
    """What is typed without a name before it."""
    return typer.Argument(default, metavar=name, help=meaning, show_default=False)


TARGET = argument(
    "TARGET",
    "A built-in game, as in 'nolimit_leduc(stack=10)' (see: infoset games); open_spiel:NAME; the "
    "path of an .efg file; a hold'em spot in a .toml or .json file; or a random situation, as in "
    "'River(5k, seed=1)'.",
)
NAME = option("--name NAME", "Which spot, if the file has several.")
SOLVED = argument("FILE", "What infoset solve --save wrote.")
GAME = option("--game GAME", "The game, if its name in the file no longer finds it.")
THREADS = option("--threads N", "How many processors to use, where several can be. Default: all.")
JSON = option("--json", "Print one JSON document instead of text.")
CSV = option("--csv", "Print comma-separated values.")
QUIET = option("--quiet -q", "No progress and no notes on stderr.")


@dataclass(frozen=True)
class Run:
    """What may be typed about a run, whichever command it is for."""

    target: str = TARGET
    name: str | None = NAME
    iterations: int | None = option("--iterations -n N", "Stop after so many iterations.")
    seconds: float | None = option("--seconds -s S", "Stop after so many seconds of iterating.")
    exploitability: str | None = option(
        "--exploitability -e E",
        "Stop at this exploitability: 1e-3 chips; of a spot also 0.5% of the pot, 3c (chips) or "
        "20mbb (thousandths of a big blind).",
    )
    form: str = option(
        "--form auto|sequence|public|rules",
        "Which form to solve in: sequence for any game, public for spots and small card games, "
        "rules for algorithms that sample a game too large for either.",
        default="auto",
    )
    seed: int | None = option("--seed N", "Seed of what is random.")
    threads: int | None = THREADS
    bits: int | None = option(
        "--bits B",
        "How numbers are stored in public form: 32, or 16 for half the memory. Default: 32.",
    )
    memory: str | None = option(
        "--memory M", "Refuse what takes more, as in 2GB. Default: what is free."
    )

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


def find_played(target: str, name: str | None) -> Game:
    """The rules that a target names, or those of the solution in a file; refused if unplayable."""
    import zipfile

    if name is None and zipfile.is_zipfile(target):
        from infoset import api

        solution = api.load(target)
        game: Any = solution.spot or find_target(solution.game, None)
    else:
        game = find_target(target, name)
    game.root()  # refuses what can only be solved
    return game  # type: ignore[no-any-return]


def _number_or_text(typed: str | None) -> float | str | None:
    try:
        return None if typed is None else float(typed)
    except ValueError:
        return typed
