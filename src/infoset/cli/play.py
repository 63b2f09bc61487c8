"""Play against a solution, or any other agent, at the keyboard."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from infoset.cli import options
from infoset.cli.app import command
from infoset.cli.options import find_played, option
from infoset.cli.output import printable
from infoset.cli.paths import check_files, target_file
from infoset.cli.progress import LiveLine, run_watched, was_interrupted
from infoset.cli.sitting import Sitting
from infoset.cli.streams import end
from infoset.errors import BadInputError, TooLargeError
from infoset.machine.interrupts import heard_interrupts

if TYPE_CHECKING:
    from infoset.agents import Agent
    from infoset.explore import Adviser
    from infoset.games import Game
    from infoset.solvers import Solution

SOLVING_SECONDS = 60.0
"""How long a game is solved, at most, before it is played without --against."""

SPOT_EXPLOITABILITY = "0.3%"
"""How well a spot is solved, of its pot."""


@command(example="infoset play leduc --against leduc.infoset")
def play(
    target: str = options.argument(
        "TARGET",
        "A game or a spot, as for infoset solve; or the file of a solution.",
    ),
    name: str | None = options.NAME,
    against: str | None = option(
        "--against AGENT",
        "The solution in a file, or another agent: uniform, call, fold, best-response(FILE), "
        "resolve(FILE), and more (see docs/agents.md). Default: what is solved first.",
    ),
    seat: int | None = option("--seat 0|1", "Which player you are. Default: both in turn."),
    hands: int | None = option("--hands N", "Stop after so many hands. Default: at q."),
    seed: int | None = option("--seed N", "Seed of the cards and of what the opponent draws."),
    threads: int | None = options.THREADS,
    quiet: bool = options.QUIET,
) -> None:
    """Play against a solution, or any other agent.

    Actions are typed as they are called, by their numbers or by how they begin. After each hand
    you see what the solution would have done with yours, and what your choices cost. The game ends
    at q or Ctrl-D.
    """
    if seat not in (None, 0, 1):
        raise BadInputError(f"--seat is 0 or 1, not {seat}")
    if hands is not None and hands < 1:
        raise BadInputError(f"--hands is the number of hands to play, at least 1, not {hands}")
    if seed is not None and seed < 0:
        raise BadInputError(f"--seed is a whole number of at least 0, not {seed}")
    check_files(read={"TARGET": target_file(target)})

    game = find_played(target, name)
    if against is None and name is None and zipfile.is_zipfile(target):
        against = target
    adviser: Adviser | None
    if against is None:
        opponent, adviser = _solved_first(game, target, threads, quiet=quiet)
    else:
        opponent, adviser = _found(against, game, threads)
    if seed is None:
        from random import SystemRandom

        seed = SystemRandom().randrange(10**6)
    print(_welcome(game, against, seed))
    Sitting(game, opponent, adviser, seat=seat, hands=hands, seed=seed).play()


def _welcome(game: Game, against: str | None, seed: int) -> str:
    from infoset.games import name_of

    opponent = "the solution" if against is None else printable(against)
    lines = [
        f"{printable(name_of(game))} against {opponent}; seed {seed}",
        "Type an action, its number or its beginning; ? for help, q to end.",
    ]
    pot = getattr(game, "pot", 0)
    if pot:
        lines.append(
            f"Half of the pot of {pot:,} counts as yours: who folds at once loses {pot / 2:,g}."
        )
    return "\n".join(lines)


def _solved_first(
    game: Game, target: str, threads: int | None, *, quiet: bool
) -> tuple[Agent, Adviser]:
    """The solution of the game as an opponent, and as what there is to learn from."""
    from infoset.agents import StrategyAgent
    from infoset.explore import Adviser
    from infoset.games.holdem import Spot
    from infoset.solvers import make_request

    try:
        request = make_request(
            game,
            seconds=SOLVING_SECONDS,
            exploitability=SPOT_EXPLOITABILITY if isinstance(game, Spot) else None,
            iterations=None if isinstance(game, Spot) else 2000,
            threads=threads,
        )
        with LiveLine(f"solving {printable(target)}", quiet=quiet) as line:
            solution = run_watched(request, line)
    except TooLargeError as error:
        raise TooLargeError(
            f"{error} To play it without a solution, say against whom: --against call"
        ) from None
    if was_interrupted(solution):
        end(interrupted="interrupted before the first hand")
    if not quiet:
        print(f"Solved: {_quality(solution)}.")
    adviser = Adviser(game, solution.strategy, threads=solution.threads)
    return StrategyAgent(game, solution.strategy), adviser


def _quality(solution: Solution) -> str:
    if solution.exploitability_share is None:
        return f"exploitability {solution.exploitability:.2g} chips"
    return f"exploitability {100 * solution.exploitability_share:.2g}% of the pot"


def _found(against: str, game: Game, threads: int | None) -> tuple[Agent, Adviser | None]:
    """An agent, and the solution it is made from."""
    from infoset.agents import AgentFinder, parse_agent
    from infoset.explore import Adviser
    from infoset.machine.threads import num_threads

    text, finder = parse_agent(against), AgentFinder(game)
    with heard_interrupts():
        agent = finder.find(text)
        if not text.first_file or text.is_for_another_game:
            return agent, None
        strategy = finder.solution(text.first_file).strategy
        return agent, Adviser(game, strategy, threads=num_threads(threads))
