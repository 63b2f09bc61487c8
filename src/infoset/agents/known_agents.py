"""The agents that have a name: an entry of `KNOWN` each.

How one is made is said by a function: it takes the game and, if the agent is made from another one,
that; then, by keyword, what may be chosen, annotated as `infoset.calls.parameters_of` reads it.
Nothing is loaded before it is needed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Literal

from infoset import agents, strategy
from infoset.agents.agent import Agent, Known
from infoset.calls import Between, Parameter, parameters_of
from infoset.errors import AgentError
from infoset.forms import sequence_form_of
from infoset.games import Game
from infoset.strategy import Strategy


class KnownAgent:
    """An agent that can be made by its name."""

    def __init__(self, name: str, make: Callable[..., Agent]) -> None:
        self.name = name
        self.make = make
        places = [
            each
            for each in inspect.signature(make).parameters.values()
            if each.kind is each.POSITIONAL_ONLY
        ]
        self.is_made_from_agent = len(places) > 1
        """Whether another agent stands first in the parentheses."""
        self.plays_inside = len(places) > 2
        """Whether that one plays a game of its own, which comes before it."""

    @property
    def meaning(self) -> str:
        """What it does, in a line."""
        return (inspect.getdoc(self.make) or "").partition("\n")[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What may be chosen."""
        return parameters_of(self.make)

    @property
    def usage(self) -> str:
        """How it is written, with all that may be chosen at its default.

        >>> KNOWN["lbr"].usage
        'lbr(FILE,actions=fcpa,from_street=0)'
        """
        parts = ["FILE"] if self.is_made_from_agent else []
        parts += [f"{p.name}={'...' if p.default is None else p.default}" for p in self.parameters]
        return f"{self.name}({','.join(parts)})" if parts else self.name


def strategy_of(agent: Agent, game: Game, name: str) -> Strategy:
    """The strategy that an agent plays, for one that needs to know all of it."""
    if isinstance(agent, agents.StrategyAgent):
        return agent.strategy
    if isinstance(agent, agents.Uniform):
        return strategy.SequenceStrategy.uniform(sequence_form_of(game))
    raise AgentError(
        f"{name} needs a strategy that is written down, and {type(agent).__name__} has none: give "
        f"it a solution's file, as in {name}(FILE)"
    )


def whole_strategy_of(agent: Agent, game: Game, name: str) -> Strategy:
    """The same for an agent that needs it at every infoset of the game."""
    found = strategy_of(agent, game, name)
    if isinstance(found, strategy.SequenceStrategy) and not found.form.is_whole:
        raise AgentError(
            f"{name} needs a strategy of the whole game, and this one of {found.name!r} was "
            "sampled by the rules: solve the game in another form, as in infoset solve GAME --form "
            "sequence"
        )
    return found


def _uniform(_game: Game, /) -> Agent:
    """Plays all actions alike."""
    return agents.Uniform()


def _call(_game: Game, /) -> Agent:
    """Checks and calls; for poker."""
    return agents.Passive()


def _fold(_game: Game, /) -> Agent:
    """Checks, and folds to every bet; for poker."""
    return agents.Folder()


def _best_response(game: Game, agent: Agent, /) -> Agent:
    """Plays the best response to a solution, exactly."""
    opponent = whole_strategy_of(agent, game, "best-response")
    made: Agent = agents.BestResponseAgent(game, opponent)
    return made


def _resolve(
    game: Game,
    agent: Agent,
    /,
    *,
    iterations: Annotated[int, Between(1, 10**9), "of each solve"] = 500,
    method: Annotated[
        Literal["auto", "gadget", "max-margin"], "see docs/decomposition.md"
    ] = "auto",
) -> Agent:
    """Re-solves what is left of the game at each of its decisions."""
    trunk = whole_strategy_of(agent, game, "resolve")
    chosen = None if method == "auto" else method
    return agents.ResolvingAgent(game, trunk, iterations=iterations, method=chosen)


def _lbr(
    game: Game,
    agent: Agent,
    /,
    *,
    actions: Annotated[Literal["fc", "fcpa", "56bets"], "what it considers"] = "fcpa",
    from_street: Annotated[int, Between(0, 3), "where it stops to only check and call"] = 0,
) -> Agent:
    """Plays a local best response to an agent whose strategy is known; for poker."""
    if not isinstance(agent, Known):
        raise AgentError(
            f"lbr needs an agent whose strategy is known with every hand; that of "
            f"{type(agent).__name__} is not"
        )
    made: Agent = agents.LocalBestResponse(game, agent, actions, from_street=from_street)
    return made


def _threshold(
    game: Game,
    agent: Agent,
    /,
    *,
    least: Annotated[float, Between(0, 1), "the smallest probability that is kept"],
) -> Agent:
    """Plays a solution without its rarest actions."""
    changed = strategy.threshold(strategy_of(agent, game, "threshold"), least)
    return agents.StrategyAgent(game, changed)


def _fill(_game: Game, agent: Agent, /) -> Agent:
    """Plays an agent or a solution, and all actions alike where that says nothing."""
    return agents.FilledAgent(agent)


def _purify(game: Game, agent: Agent, /) -> Agent:
    """Plays a solution's likeliest action only."""
    return agents.StrategyAgent(game, strategy.purify(strategy_of(agent, game, "purify")))


def _translated(game: Game, inner: Game, agent: Agent, /) -> Agent:
    """Plays by the solution of a game with fewer bets, whatever is bet; for hold'em."""
    made: Agent = agents.TranslatedAgent(game, inner, agent)
    return made


_MAKERS: dict[str, Callable[..., Agent]] = {
    "uniform": _uniform,
    "call": _call,
    "fold": _fold,
    "best-response": _best_response,
    "resolve": _resolve,
    "lbr": _lbr,
    "threshold": _threshold,
    "purify": _purify,
    "fill": _fill,
    "translated": _translated,
}

KNOWN = {name: KnownAgent(name, make) for name, make in _MAKERS.items()}
"""By name: all agents that a text can name, besides the files of solutions."""
