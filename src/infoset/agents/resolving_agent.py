"""A player who re-solves what is left of the game at each of his decisions."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from infoset.agents.agent import Agent, Answer, Floats, Seen
from infoset.agents.strategy_agent import by_hand_of_game, by_infoset, uncovered
from infoset.errors import BadInputError
from infoset.forms import sequence_form_of
from infoset.games import Game, PublicState
from infoset.resolving import (
    ContinualResolver,
    Method,
    SpotResolver,
    as_public_strategy,
    as_strategy,
)
from infoset.solvers import Solution
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

ITERATIONS = 500
"""Of each solve, if nothing is said."""

REMEMBERED = 2000
"""Solved subgames that are kept, as many as that; then all are forgotten and solved as needed."""

Resolver = ContinualResolver | SpotResolver


class ResolvingAgent(Agent):
    """Plays either seat by continual re-solving; see `infoset.resolving.continual`.

    ``solution`` is where it starts from: of it only what the opponent can win is used, and how the
    agent plays before its first solve. A solution in public form is re-solved in public form, by
    the method ``gadget``; others by ``max-margin`` unless something else is said. Answers are the
    same in whichever order they are asked for.

    >>> import infoset
    >>> game = infoset.game("kuhn")
    >>> agent = ResolvingAgent(game, infoset.solve(game, "cfr+", iterations=50))
    >>> state = game.root().child("K").child("J").child("check").child("bet")
    >>> round(agent.act(Seen(state))["call"], 2)
    1.0
    >>> infoset.exploitability(game, agent.strategy()) < 0.01
    True
    """

    def __init__(
        self,
        game: Game,
        solution: Solution | Strategy,
        *,
        iterations: int = ITERATIONS,
        method: Method | None = None,
        threads: int = 1,
    ) -> None:
        strategy = solution.strategy if isinstance(solution, Solution) else solution
        self.game = game
        self._resolvers: tuple[Resolver, Resolver]
        if isinstance(strategy, PublicStrategy):
            first, second = (
                SpotResolver(
                    strategy.form,
                    seat,
                    iterations=iterations,
                    method="gadget" if method is None else method,
                    trunk=strategy,
                    threads=threads,
                )
                for seat in (0, 1)
            )
            self._resolvers = first, second
        elif isinstance(strategy, SequenceStrategy):
            form = sequence_form_of(game)
            one, other = (
                ContinualResolver(
                    form,
                    seat,
                    iterations=iterations,
                    method="max-margin" if method is None else method,
                    trunk=strategy,
                )
                for seat in (0, 1)
            )
            self._resolvers = one, other
        else:
            raise BadInputError(
                f"{type(strategy).__name__} cannot be re-solved: give a solution, or a strategy of "
                "the whole game"
            )

    def start(self, game: Game, seat: int, random: Random) -> None:
        """Forget what was solved, once it has become a lot."""
        del game, random
        if self._resolvers[seat].num_solved > REMEMBERED:
            self._resolvers[seat].reset()

    def act(self, seen: Seen) -> Answer:
        """The probability of each action, by what is solved for this decision."""
        try:
            return self._resolvers[seen.seat].strategy_at(seen.infoset)
        except BadInputError as error:
            raise uncovered(self.name, seen.infoset, error) from error

    @property
    def name(self) -> str:
        """The game that is re-solved."""
        return self._resolvers[0].form.name

    def range_strategy(self, public: PublicState) -> Mapping[str, Floats]:
        """By action, [hands of the game] the probability of it; 0 for hands that cannot be held."""
        resolver = self._resolvers[public.player]
        if isinstance(resolver, ContinualResolver):
            known = resolver.form.treeplexes[public.player].infoset_of_key

            def look_up(key: str) -> dict[str, float] | None:
                return resolver.strategy_at(key) if key in known else None

            return by_infoset(self.game, public, self.name, look_up)
        try:
            actions, by_hand = resolver.hand_probabilities(public.public_history)
        except BadInputError as error:
            raise uncovered(self.name, public.public_history, error) from error
        return by_hand_of_game(self.game, resolver.form, public.player, actions, by_hand)

    def strategy(self) -> Strategy:
        """What it does at all infosets of both seats, to be measured exactly; solves everything."""
        first, second = self._resolvers
        if isinstance(first, ContinualResolver):
            assert isinstance(second, ContinualResolver)
            return as_strategy(first, second)
        assert isinstance(second, SpotResolver)
        return as_public_strategy(first, second)
