"""Matches by the ACPC protocol: a dealer for programs and agents, and an agent as a program."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from infoset.cli import options
from infoset.cli.app import app, command
from infoset.cli.options import argument, option
from infoset.cli.output import number, printable, write_json
from infoset.cli.paths import check_files
from infoset.cli.progress import LiveLine
from infoset.cli.streams import complain, end
from infoset.errors import BadInputError, shorten
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.agents import Agent, DealtMatch, Limits, PlayedMatch
    from infoset.games import Game

group = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Play hold'em against programs that speak the ACPC protocol.",
)
app.add_typer(group, name="acpc")

PROGRAM = "program"
"""What stands for a player who connects."""

GAME = argument("GAME", "holdem, holdem(betting=limit), or another game of hold'em.")
HOST = option("--host ADDRESS", "The address, if it is not this machine alone.")


@dataclass(frozen=True)
class Times:
    """How long programs may take."""

    response: float = option("--response S", "Seconds for an action.", default=600.0)
    hand: float = option("--hand S", "Seconds for all actions of a hand.", default=600.0)
    mean: float = option("--mean S", "Seconds for a hand, on average over the match.", default=7.0)
    start: float = option("--start S", "Seconds to connect.", default=600.0)

    @property
    def limits(self) -> Limits:
        """The same, checked."""
        from infoset.agents import Limits

        return Limits(self.response, self.hand, self.mean, self.start)


@command(
    to=group,
    example="infoset acpc dealer 'holdem(betting=limit)' program call --hands 100 --log match.log",
)
def dealer(
    game: str = GAME,
    first: str = argument("A", "The first player: program, or an agent.", default=PROGRAM),
    second: str = argument("B", "The second player.", default=PROGRAM),
    hands: int = option("--hands N", "How many hands to play.", default=1000),
    seed: int = option("--seed N", "Seed of the cards and of what agents draw.", default=0),
    start_at: int = option("--first N", "The number of the first hand.", default=0),
    names: str = option("--names A,B", "What the log calls the players.", default="A,B"),
    ports: str | None = option(
        "--ports N,N", "Where programs connect, in their order. Default: any that are free."
    ),
    host: str | None = HOST,
    times: Times = Times(),  # noqa: B008
    log: Path | None = option("--log FILE", "Write every hand here, as the ACPC does."),
    transcript: Path | None = option("--transcript FILE", "Write every line that is sent here."),
    json: bool = options.JSON,
    quiet: bool = options.QUIET,
) -> None:
    """Deal a match of hold'em to two players.

    A player is a program that connects to a port, or an agent: the solution in a file, uniform,
    call, fold, and more (see docs/agents.md). The first line of the output has the ports, the last
    ones the score.
    """
    check_files(read={}, written={"--log": log, "--transcript": transcript})

    from infoset.agents import LOOPBACK, AcpcDealer, DealtMatch
    from infoset.interop import LogWriter, Score, find_rules, format_score

    rules = find_rules(game)
    players = _two(names, "--names")
    agents = {
        name: _agent(text, rules)
        for name, text in zip(players, (first, second), strict=True)
        if text != PROGRAM
    }
    at = _ports(ports, [name not in agents for name in players])

    def tell_ports(open_ports: Sequence[int]) -> None:
        written = " ".join(map(str, open_ports))
        if not json:
            print(written, flush=True)
        if not quiet:
            complain(f"waiting for programs at {written}")

    match, is_interrupted = DealtMatch(players, 0, (0, 0)), False

    def count(after: DealtMatch) -> None:
        nonlocal match
        match = after
        line.show(match.hands / hands, _standing(match))

    with contextlib.ExitStack() as stack:
        wire = None if transcript is None else stack.enter_context(LogWriter(transcript))
        line = stack.enter_context(LiveLine("dealing", quiet=quiet))
        table = AcpcDealer(
            rules,
            players,
            hands,
            seed=seed,
            first=start_at,
            agents=agents,
            ports=at,
            host=host or LOOPBACK,
            limits=times.limits,
            log=log,
            name="match" if log is None else re.sub(r"[:|\s]", "_", log.stem)[:100] or "match",
            note=(lambda text: None) if quiet else (lambda text: complain(printable(text))),
            watch=None if wire is None else wire.write,
            on_ports=tell_ports,
            on_hand=count,
        )
        try:
            match = table.play()
        except KeyboardInterrupt:
            match, is_interrupted = match._replace(ended="interrupted"), True
    if json:
        write_json(
            {
                "game": game,
                "players": players,
                "hands": match.hands,
                "totals": match.totals,
                "mean": _mean(match.totals[0], match.hands),
                **_interval(match),
                "ended": match.ended or None,
            }
        )
    else:
        print(format_score(Score(match.totals, match.names)))
        print(_standing(match))
    _finish(match, f"{match.hands:,} of {_hands(hands)}", is_interrupted=is_interrupted)


@command(
    to=group,
    example="infoset acpc client 'holdem(betting=limit)' call --port 18374",
)
def client(
    game: str = GAME,
    agent: str = argument("AGENT", "Who plays: the solution in a file, uniform, call, fold, ..."),
    port: int | None = option("--port N", "Where the dealer listens."),
    host: str | None = HOST,
    seed: int = option("--seed N", "Seed of what the agent draws.", default=0),
    patience: float = option("--patience S", "Seconds without news from it.", default=1500.0),
    json: bool = options.JSON,
    quiet: bool = options.QUIET,
) -> None:
    """Have an agent play at the table of an ACPC dealer.

    The dealer does not say which game it deals: give the same one.
    """
    from infoset.agents import LOOPBACK, AcpcClient, PlayedMatch
    from infoset.interop import find_rules

    if port is None:
        raise BadInputError("say where the dealer listens: --port 18374")
    if not 0 < patience <= 1e9:
        raise BadInputError(f"--patience is more than 0 seconds, not {patience:g}")
    rules = find_rules(game)
    playing = _agent(agent, rules)
    match, is_interrupted = PlayedMatch(0, 0), False

    def count(after: PlayedMatch) -> None:
        nonlocal match
        match = after
        line.show(None, _won(match))

    with LiveLine(printable(agent), quiet=quiet) as line:
        seat = AcpcClient(
            rules,
            playing,
            port,
            host=host or LOOPBACK,
            seed=seed,
            patience=patience,
            on_hand=count,
        )
        try:
            match = seat.play()
        except KeyboardInterrupt:
            match, is_interrupted = match._replace(ended="interrupted"), True
    if json:
        write_json(
            {
                "game": game,
                "hands": match.hands,
                "won": match.won,
                "mean": _mean(match.won, match.hands),
                "ended": match.ended or None,
            }
        )
    else:
        print(_won(match))
    _finish(match, _hands(match.hands), is_interrupted=is_interrupted)


def _finish(match: DealtMatch | PlayedMatch, after: str, *, is_interrupted: bool) -> None:
    """Say why a match ended before its last hand, if it did."""
    from infoset.agents import PeerError

    if is_interrupted:
        end(interrupted=f"interrupted after {after}")
    if match.ended:
        raise PeerError(f"the match ended after {after}: {match.ended}")


def _agent(text: str, rules: Game) -> Agent:
    from infoset.agents import find_agent  # not above: it brings the compiler

    with heard_interrupts():
        return find_agent(text, rules)


def _two(text: str, name: str) -> tuple[str, str]:
    parts = text.split(",")
    if len(parts) != 2:
        raise BadInputError(f"{name} are two, with a comma between them, not {shorten(text)}")
    return parts[0], parts[1]


def _ports(text: str | None, connects: list[bool]) -> tuple[int, int]:
    """The port of each player; only programs have one."""
    words = [] if text is None else text.split(",")
    if text is not None and len(words) != sum(connects):
        raise BadInputError(f"--ports has one for each program: {sum(connects)}, not {len(words)}")
    for word in words:
        if not (word.isascii() and word.isdigit() and len(word) <= 5):
            raise BadInputError(f"--ports are whole numbers, not {shorten(word)}")
    numbers = iter(map(int, words))
    first, second = (next(numbers, 0) if is_program else 0 for is_program in connects)
    return first, second


def _mean(won: int, hands: int) -> float | None:
    return won / hands if hands else None


def _interval(match: DealtMatch) -> dict[str, float | None]:
    """The error of the mean, and the ends of its 95 % interval; `None` where nothing tells."""
    known = match.statistics.as_dict()
    return {name: known[name] for name in ("standard_error", "low", "high")}


def _hands(num: int) -> str:
    return f"{num:,} hand{'' if num == 1 else 's'}"


def _standing(match: DealtMatch) -> str:
    if not match.hands:
        return "no hand was played"
    half = match.statistics.half_width
    error = f" ± {number(half)}" if half < float("inf") else ""
    mean = number(match.totals[0] / match.hands)
    return f"{_hands(match.hands)}; {match.names[0]} wins {mean}{error} chips a hand"


def _won(match: PlayedMatch) -> str:
    if not match.hands:
        return "no hand was played"
    mean = number(match.won / match.hands)
    return f"{_hands(match.hands)}; won {match.won:+,} chips, {mean} a hand"
