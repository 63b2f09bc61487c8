"""Play hands between two agents, and say what the first wins."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.match_agents import (
    Maker,
    MatchText,
    check_apart,
    exploitability_of,
    seated,
)
from infoset.cli.options import argument, option, option_words
from infoset.cli.output import (
    Column,
    Table,
    duration,
    labels,
    number,
    print_facts,
    printable,
    write_json,
)
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine
from infoset.cli.streams import end, warnings_as_sentences
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.agents import MatchProgress, MatchResult

WAYS = {"plain": "plain", "duplicate": "duplicate", "aivat": "AIVAT"}
FEW = 30
"""Of fewer hands or pairs, deviations tell too little."""
AGENT = (
    "An agent: the file of a solution, uniform, call, fold, best-response(FILE), resolve(FILE), "
    "lbr(FILE), and more (see docs/agents.md)."
)


@command(example="infoset match leduc leduc.infoset uniform --duplicate")
def match(
    target: str = options.TARGET,
    a: str = argument("A", AGENT),
    b: str = argument("B", "Another one."),
    name: str | None = options.NAME,
    hands: int = option("--hands N", "How many hands to play.", default=10_000),
    seed: int = option("--seed N", "Seed of the cards and of what agents draw.", default=0),
    duplicate: bool = option(
        "--duplicate", "Play every two hands with the same cards, seats changed."
    ),
    aivat: bool = option(
        "--aivat", "Take out luck by AIVAT; the strategy of A or B must be known."
    ),
    log: Path | None = option("--log FILE", "Write every hand to this new file."),
    resume: Path | None = option("--resume FILE", "Go on with the match that has this log."),
    threads: int | None = options.THREADS,
    json: bool = options.JSON,
    quiet: bool = options.QUIET,
) -> None:
    """Play hands between two agents: what the first wins.

    That is told per hand, with a 95 % interval. Players change seats after every hand. The same
    seed gives the same hands, on any number of processors. After Ctrl-C, what was played is
    counted; with --log, the match goes on later with --resume.
    """
    files = {"TARGET": target_file(target), "--resume": resume}
    check_files(read=files, written={"--log": log})
    text = MatchText(target, name, a, b)
    check_apart(text)
    seated.cache_clear()  # files may have changed since another command in this process

    from infoset.agents import play_match

    title = printable(target)
    with LiveLine(title, quiet=quiet) as line, warnings_as_sentences():
        with heard_interrupts():
            line.announce("building the game and the agents")
            game, *agents = seated(text)
            exploitable = [exploitability_of(agent) for agent in agents]

        def show(progress: MatchProgress) -> None:
            share = progress.hands / progress.wanted
            line.show(share, match_line(progress))

        result = play_match(
            game,
            Maker(text, "a"),
            Maker(text, "b"),
            hands=hands,
            seed=seed,
            duplicate=duplicate,
            aivat=Maker(text, "aivat") if aivat else None,
            threads=threads,
            log=log,
            resume=resume,
            progress=show,
            names=(a, b),
        )
    file = resume or log
    go_on = ""
    if result.stopped_by == "interrupt" and file is not None and file.exists():
        words = [target, a, b, *option_words({"--name": name, "--hands": hands, "--seed": seed})]
        words += [flag for flag, on in (("--duplicate", duplicate), ("--aivat", aivat)) if on]
        words += option_words({"--threads": threads, "--resume": file})
        go_on = f"; go on with: infoset match {shlex.join(words)}"
    if json:
        write_json({**result.as_dict(), "exploitability": exploitable})
    elif result.hands:
        print_result(result, exploitable)
    if result.stopped_by == "interrupt":
        end(interrupted=f"interrupted after {result.hands:,} of {result.wanted:,} hands{go_on}")


def match_line(progress: MatchProgress) -> str:
    """How far a match is, what A wins so far, and how long it will take.

    >>> import numpy as np
    >>> from infoset.agents import Figures, MatchProgress, Statistics
    >>> figures = Figures(Statistics.of(np.tile([3.0, -1.0], 5000)), None, None)
    >>> match_line(MatchProgress(10_000, 40_000, 2.0, 10_000, figures))
    '10,000 of 40,000 hands  5,000/s  A wins 1 ± 0.0392  6 s left'
    """
    best = progress.figures.best
    parts = [f"{progress.hands:,} of {progress.wanted:,} hands"]
    speed = progress.played / progress.seconds if progress.seconds > 0 else 0.0
    if speed:
        parts.append(f"{speed:,.0f}/s" if speed >= 10 else f"{duration(1 / speed)} each")
    if best.num > best.groups:
        parts.append(f"A wins {best.mean:.3g} ± {best.half_width:.3g}")
    left = (progress.wanted - progress.hands) / speed if speed else 0.0
    if left > 0:
        parts.append(f"{duration(max(1, round(left)))} left")
    return "  ".join(parts)


def print_result(result: MatchResult, exploitable: Sequence[float | None] = (None, None)) -> None:
    """Say what A wins, and how sure that is by every way of measuring."""
    print_facts(facts_of(result, exploitable))
    needed = result.figures.hands_needed()
    shown = [(way, each) for way, each in result.figures._asdict().items() if each is not None]
    chips = [
        (Column("mean", "A wins", number), [each.mean for _, each in shown]),
        (Column("low", "95% from", _known), [each.low for _, each in shown]),
        (Column("high", "to", _known), [each.high for _, each in shown]),
        (Column("standard_error", "error", _known), [each.standard_error for _, each in shown]),
        (Column("hands_needed", "hands needed", _count), [needed[way] for way, _ in shown]),
    ]
    Table.of((labels("way", "chips a hand"), [WAYS[way] for way, _ in shown]), *chips).print()
    if len(shown) > 1:
        print("Hands needed: to be as sure as the narrowest interval is.")


def facts_of(result: MatchResult, exploitable: Sequence[float | None]) -> Iterable[tuple[str, str]]:
    """What was played, how exploitable the agents are where that is known, and what A wins."""
    from infoset.agents import in_mbb

    yield "game", printable(result.game)
    for letter, agent, lost in zip("AB", result.agents, exploitable, strict=True):
        known = "" if lost is None else f" (exploitability {number(lost)} chips)"
        yield letter, printable(agent) + known
    speed = f", {duration(result.seconds)}" if result.seconds >= 0.1 else ""
    yield "hands", f"{result.hands:,}, seats changed after each, seed {result.seed}{speed}"
    best = result.best
    if best.num <= best.groups:
        yield "A wins", f"{number(best.mean)} chips a hand; too few hands to say how sure that is"
        return
    wins = f"{number(best.mean)} ± {number(best.half_width)} chips a hand"
    mbb, half = (in_mbb(x, result.big_blind) for x in (best.mean, best.half_width))
    if mbb is not None and half is not None:
        wins += f" = {number(mbb)} ± {number(half)} mbb"
    surely = (
        "A is ahead" if best.low > 0 else "A is behind" if best.high < 0 else "neither is ahead"
    )
    yield "A wins", f"{wins}: " + (surely if best.num >= FEW else "but these are few hands")


def _known(chips: float) -> str:
    return number(chips) if abs(chips) < float("inf") else "-"


def _count(hands: int | None) -> str:
    if hands is None:
        return "-"
    return f"{hands:,}" if hands < 10**12 else f"{hands:.1e}"
