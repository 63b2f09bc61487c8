"""From what was typed to runs of solvers that can be watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from infoset.cli.progress import BUILDING, KERNELS, LiveLine, Outlook, run_line
from infoset.errors import InfosetError

if TYPE_CHECKING:
    from infoset.games import Game
    from infoset.solvers.loop import Progress
    from infoset.trees import Tree

__all__ = ["Limited", "build", "check_run", "follow", "problems_of"]


class Limited(NamedTuple):
    """The limits as they were typed."""

    iterations: int | None
    seconds: float | None
    exploitability: float | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing says when to stop."""
        return all(limit is None for limit in self)


def check_run(algorithms: Iterable[str], limited: Limited) -> None:
    """Refuse limits and algorithms before a game is built for them."""
    from infoset.api import DEFAULT_ITERATIONS
    from infoset.solvers.algorithms import find_algorithm
    from infoset.solvers.loop import Limits

    if limited.is_empty:
        limited = Limited(DEFAULT_ITERATIONS, None, None)
    limits = Limits(*limited)
    for algorithm in algorithms:
        find_algorithm(algorithm).check(limits.iterations)


def build(rules: Game, line: LiveLine) -> Tree:
    """Compile kernels and game, and say so if it takes long."""
    from infoset import api
    from infoset.solvers.loop import warm_up

    line.announce(KERNELS)
    warm_up()
    line.announce(BUILDING)
    tree = api.compile(rules)
    line.announce("solving")
    return tree


def follow(line: LiveLine, target: float | None) -> Callable[[Progress], None]:
    """What a solver calls as it goes, to have its progress shown."""
    outlook = Outlook(target)

    def show(progress: Progress) -> None:
        left = outlook.seconds_left(progress)
        line.show(progress.share, run_line(progress, left))

    return show


def problems_of(save: Callable[[], None]) -> list[str]:
    """Do one of the last steps, and tell what went wrong instead of raising it.

    A disk that is full by now must not cost the answer, which is still to be printed.
    """
    try:
        save()
    except (InfosetError, OSError) as error:
        return [str(error)]
    return []
