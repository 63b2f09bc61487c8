"""The agents of a match as they are typed, made here or in other processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from infoset.cli.options import find_played
from infoset.errors import AgentError, BadInputError

if TYPE_CHECKING:
    from infoset.agents import Agent, Correction, Hand
    from infoset.games import Game
    from infoset.strategy import SequenceStrategy


class MatchText(NamedTuple):
    """A match as it is typed."""

    target: str
    name: str | None
    a: str
    b: str


class Seated(NamedTuple):
    """The game and the agents of a match."""

    game: Game
    a: Agent
    b: Agent


@lru_cache(maxsize=1)
def seated(text: MatchText) -> Seated:
    """Find the game and make the agents, once in a process."""
    from infoset.agents import find_agents

    game = find_played(text.target, text.name)
    return Seated(game, *find_agents(text.a, text.b, game))


def exploitability_of(agent: Agent) -> float | None:
    """How much an agent loses to a best response, exactly, in chips; `None` where that is open."""
    from infoset.agents import StrategyAgent
    from infoset.evaluation import measure_strategy
    from infoset.strategy import SequenceStrategy

    if not isinstance(agent, StrategyAgent):
        return None
    strategy = agent.strategy
    if isinstance(strategy, SequenceStrategy) and not strategy.form.is_whole:
        return None  # sampled by the rules: nobody knows the rest
    return measure_strategy(strategy).exploitability


@dataclass(frozen=True)
class Maker:
    """Makes one of the agents, or AIVAT of both, from what was typed; other processes can, too."""

    text: MatchText
    what: str

    def __call__(self) -> Any:
        """The agent, or what corrects luck."""
        found = seated(self.text)
        if self.what == "aivat":
            return aivat_of(found)
        return found.a if self.what == "a" else found.b


@dataclass(frozen=True)
class BySeat:
    """AIVAT with what is expected from the seats in which the agents sit."""

    name = "AIVAT, exact values"

    of_seat: tuple[Any, Any]
    """For hands in which A sits in seat 0, and in seat 1."""

    def value(self, hand: Hand, seat: int) -> float:
        """What A won, luck taken out."""
        return float(self.of_seat[seat].value(hand, seat))

    def terminal_values(self, seat: int) -> Any:
        """[num_nodes] The same for every terminal."""
        return self.of_seat[seat].terminal_values(seat)


def aivat_of(found: Seated) -> Correction:
    """AIVAT by whatever is known of the agents, with the best guess there is for the game.

    On a game that is compiled, with a strategy from a table: exact values, as if both agents, or
    the known one in both seats, played on. Else, where hands are dealt and the rest is public, that
    nobody bets any more.
    """
    from infoset.agents import Known, table_strategies
    from infoset.games import DealtGame

    game, a, b = found
    tables = table_strategies(game, (a, b))
    if tables != (None, None):
        return _by_tables(game, *tables)
    known = tuple(agent if isinstance(agent, Known) else None for agent in (a, b))
    if known == (None, None) or not isinstance(game, DealtGame):
        who = "neither A nor B is an agent whose strategy is known with every hand"
        if isinstance(game, DealtGame):
            raise AgentError(f"--aivat: {who}; give a solution's file, or leave it out")
        raise AgentError(
            "--aivat: the rules of this game do not say what both players see, so it takes a "
            "solution's file, in sequence form, as A or B"
        )
    return _by_hands(game, known)


def _by_tables(
    game: Game, first: SequenceStrategy | None, second: SequenceStrategy | None
) -> Correction:
    from infoset.agents import TreeAivat, exact_values
    from infoset.strategy import SequenceStrategy

    one, other = first or second, second or first
    assert one is not None
    assert other is not None

    def in_seats(p: SequenceStrategy, q: SequenceStrategy) -> Any:
        both = SequenceStrategy(p.form, (p.probabilities[0], q.probabilities[1]))
        return TreeAivat(game, (first, second), exact_values(both))

    return BySeat((in_seats(one, other), in_seats(other, one)))


def _by_hands(game: Game, known: tuple[Any, ...]) -> Correction:
    from infoset.agents import Aivat, CheckDown, Zero

    guess: Callable[[Any], Any] = CheckDown if _is_poker(game) else Zero
    made: Correction = Aivat(game, known, guess(game))
    return made


def _is_poker(game: Game) -> bool:
    """Whether hands can be checked down."""
    from infoset.games import OneCardPoker
    from infoset.games.holdem import HoldemGame

    return isinstance(game, HoldemGame | OneCardPoker)


def check_apart(text: MatchText) -> None:
    """Refuse texts that cannot be agents before anything is read."""
    for which, typed in (("A", text.a), ("B", text.b)):
        if not typed.strip():
            raise BadInputError(f"{which} is empty; give an agent, such as uniform or a FILE")
