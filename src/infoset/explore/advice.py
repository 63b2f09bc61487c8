"""What a solution would do at a decision, and what each action is worth there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoset.cards import hand_of
from infoset.errors import BadInputError
from infoset.evaluation import plan_in_lanes, sequence_values
from infoset.explore.views import view_node
from infoset.forms import Reaches, SpotForm, sequence_form_of
from infoset.games import Game
from infoset.strategy import PublicStrategy, SequenceStrategy, Strategy

Floats = NDArray[np.float64]

LEAST_REACH = 1e-9
"""Where chance and the opponent lead less often, what actions are worth is rounding."""


NEVER = "by the solution, the opponent never plays like this"
SAMPLED = "the solution was sampled by the rules"
"""Why there are no values."""


@dataclass(frozen=True)
class Advice:
    """A decision as a solution sees it."""

    probabilities: Mapping[str, float]
    """How often it takes each action."""
    values: Mapping[str, float] | None
    """What a player wins in the whole hand with each action, if both then play the solution: in
    chips, as payoffs are. `None` if that cannot be said: see `no_values`."""
    no_values: str = ""
    """Why there are no values."""

    def cost(self, action: str) -> float | None:
        """By how much the best action is worth more."""
        if self.values is None:
            return None
        return max(self.values.values()) - self.values[action]


class Adviser:
    """Tells what a solution does and what actions are worth, at any infoset of a game.

    Exact, for games that compile and for spots. Of a game that was sampled by its rules, only what
    the solution does is known.

    >>> import infoset
    >>> game = infoset.game("kuhn")
    >>> adviser = Adviser(game, infoset.uniform(game))
    >>> advice = adviser.at(1, "Q:bet")
    >>> advice.probabilities, advice.values
    ({'fold': 0.5, 'call': 0.5}, {'fold': -1.0, 'call': 0.0})
    >>> adviser.at(1, "K:bet").cost("fold")
    3.0
    """

    def __init__(self, game: Game, strategy: Strategy, *, threads: int = 1) -> None:
        self._threads = threads
        if isinstance(strategy, PublicStrategy) and not isinstance(strategy.form, SpotForm):
            tables = strategy.table(0), strategy.table(1)
            strategy = SequenceStrategy.from_tables(sequence_form_of(game), tables)
        self.strategy = strategy
        self._reaches: Reaches | None = None
        self._values: dict[int, tuple[Floats, Floats]] = {}

    def at(self, player: int, infoset: str) -> Advice:
        """What there is to say at a player's infoset; refused where the solution has none."""
        probabilities = self.strategy[player, infoset]
        if isinstance(self.strategy, PublicStrategy):
            values = self._values_in_spot(self.strategy, player, infoset)
        else:
            assert isinstance(self.strategy, SequenceStrategy)
            if not self.strategy.form.is_whole:
                return Advice(probabilities, None, SAMPLED)
            values = self._values_in_game(self.strategy, player, infoset)
        return Advice(probabilities, values, NEVER if values is None else "")

    def _values_in_game(
        self, strategy: SequenceStrategy, player: int, infoset: str
    ) -> dict[str, float] | None:
        form = strategy.form
        if player not in self._values:
            if self._reaches is None:
                self._reaches = Reaches(form)
            opponent = 1 - player
            plan = form.lanes.collect(opponent, plan_in_lanes(strategy, opponent))
            reach = self._reaches.of(player, plan)
            self._values[player] = sequence_values(strategy, player), reach
        values, reach = self._values[player]
        treeplex = form.treeplexes[player]
        number = treeplex.infoset_of_key[infoset]
        if reach[number] <= LEAST_REACH:
            return None
        here = slice(*treeplex.infoset_begin[number : number + 2])
        won = (values[here] / reach[number]).tolist()
        return dict(zip(treeplex.labels[number], won, strict=True))

    def _values_in_spot(
        self, strategy: PublicStrategy, player: int, infoset: str
    ) -> dict[str, float] | None:
        hand, _, public_history = infoset.partition(":")
        path = public_history.replace("/", ",").replace(":", ",")
        view = view_node(strategy, path, threads=self._threads)
        assert isinstance(strategy.form, SpotForm)
        if view.player != player:
            raise BadInputError(f"player {player} does not act after {public_history!r}")
        (row,) = np.flatnonzero(view.hands[player] == hand_of(hand))
        # A view counts what is won from there on; a payoff also what was put in on the way.
        gone = strategy.form.spot.pot / 2 + view.put[player]
        won = (view.action_values[:, row] - gone).tolist()
        if any(map(math.isnan, won)):
            return None
        return dict(zip(view.actions, won, strict=True))
