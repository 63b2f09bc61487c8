"""AIVAT of single hands, in any game whose only secrets are the hands: hold'em too.

The formulas are those of `infoset.agents.aivat_tree`, and on small games the results are the same.
Here nothing is compiled: a hand is walked once, and what our range is worth against the opponent's
hand is an array over our hands. The heuristic is a `Heuristic`.

Deviations and choices are those listed there: the deal counts as one step that shows the opponent's
hand, the opponent's hand is known in every part, and the views of two known players are averaged.
Where chance has so many outcomes that their
mean cannot be added up, as before a flop, the heuristic must know the mean (`CheckDown` does).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from infoset.agents.agent import Floats, Known
from infoset.agents.hands import Hand
from infoset.agents.heuristics import Heuristic
from infoset.errors import AgentError, BadInputError, shorten
from infoset.games import CHANCE, TERMINAL, DealtGame, DealtState, Game, PublicState, name_of

Agents = tuple[Known | None, Known | None]


class Aivat:
    """What agents have won with the luck taken out.

    ``known`` are agents A and B, `None` for one whose strategy is not known; at least one is. A
    known agent plays by its `Known.range_strategy`, in either seat.

    >>> import infoset
    >>> from infoset.agents import CheckDown, Passive, play_hand
    >>> game = infoset.game("holdem")
    >>> aivat = Aivat(game, (Passive(), None), CheckDown(game))
    >>> hand = play_hand(game, [Passive(), Passive()], seed=1, hand=0)
    >>> int(hand.payoff), round(aivat.value(hand, seat=0), 6)
    (-100, -5.386403)
    """

    def __init__(self, game: Game, known: Agents, heuristic: Heuristic) -> None:
        if not isinstance(game, DealtGame):
            raise AgentError(
                f"the rules of {name_of(game)} do not say what both players see; use TreeAivat, "
                "which needs the game compiled"
            )
        if known[0] is None and known[1] is None:
            raise BadInputError("AIVAT needs the strategy of at least one of the two agents")
        for agent in known:
            if agent is not None and not isinstance(agent, Known):
                raise AgentError(
                    f"AIVAT needs to know what {type(agent).__name__} would do with every hand, "
                    "but it has no range_strategy; give None for an agent that is not known"
                )
        self.game = game
        self.known = known
        self.heuristic = heuristic
        self._pairings = heuristic.pairings
        self._expected: dict[int, float] = {}

    @property
    def name(self) -> str:
        """What it is called in logs."""
        return f"AIVAT, {type(self.heuristic).__name__}"

    def value(self, hand: Hand, seat: int) -> float:
        """What agent A has won in a hand, luck taken out, when he sat in a seat."""
        return sum(self.terms(hand, seat))

    def terms(self, hand: Hand, seat: int) -> list[float]:
        """The parts that `value` adds up: the mean payoff, then the correction of every step.

        The first correction is that of the deal; those of choices that are not known are zero. If
        both agents are known, these are the means over both views.
        """
        by_seat = self.known if seat == 0 else self.known[::-1]
        of_a, of_b = (agent is not None for agent in self.known)
        views = [self._walked(hand, seat, by_seat)] if of_a else []
        if of_b:
            views.append([-term for term in self._walked(hand, 1 - seat, by_seat)])
        return [sum(terms) / len(views) for terms in zip(*views, strict=True)]

    def _walked(self, hand: Hand, player: int, by_seat: Agents) -> list[float]:
        """`terms` from the view of a player who is known."""
        state = self._dealt(hand)
        assert state.hand0 is not None
        assert state.hand1 is not None
        other_hand = state.hand1 if player == 0 else state.hand0
        walk = _Walk(self, player, other_hand, state.public)
        terms = [self._expected_deal(player) - walk.guess()]
        terms += [walk.step(label, by_seat, hand) for label in hand.steps[2:]]
        if walk.public.player != TERMINAL:
            raise BadInputError(f"the hand {shorten(' '.join(hand.steps))} is not over")
        paid = self._pairings.payoffs(walk.public, player, other_hand)
        return [walk.mean(paid), *terms]

    def _dealt(self, hand: Hand) -> DealtState:
        """The state after the deal."""
        state = self.game.root()
        for label in hand.steps[:2]:
            state = state.child(label)
        if not isinstance(state, DealtState) or state.hand1 is None:
            raise BadInputError("a hand begins with the hands of both players")
        return state

    def _expected_deal(self, player: int) -> float:
        """What the player wins on average over all deals, by the heuristic."""
        if player not in self._expected:
            public, sums = self.game.public(), np.zeros(2)
            for other_hand in range(len(self.game.hands)):
                dealt = self._pairings.dealt(player, other_hand)
                if dealt.any():
                    sums += dealt @ self.heuristic.values(public, player, other_hand), dealt.sum()
            self._expected[player] = float(sums[0] / sums[1])
        return self._expected[player]


class _Walk:
    """A hand, step by step: how likely we hold each hand, up to a factor."""

    def __init__(self, aivat: Aivat, player: int, other_hand: int, public: PublicState) -> None:
        self.pairings = aivat.heuristic.pairings
        self.heuristic = aivat.heuristic
        self.player = player
        self.other_hand = other_hand
        self.public = public
        self.reach = self.pairings.dealt(player, other_hand)

    def mean(self, of_hands: Floats) -> float:
        """The mean of a number over our hands."""
        return float(self.reach @ of_hands / self.reach.sum())

    def guess(self) -> float:
        """What the heuristic expects."""
        return self.mean(self.heuristic.values(self.public, self.player, self.other_hand))

    def step(self, label: str, by_seat: Agents, hand: Hand) -> float:
        """Go on, and return the correction: what was expected less what came."""
        public, mover = self.public, self.public.player
        if mover == TERMINAL:
            raise BadInputError(f"the hand {shorten(' '.join(hand.steps))} goes on after its end")
        after = public.child(label)
        if mover == CHANCE:
            means = self.heuristic.before_chance(public, self.player, self.other_hand)
            expected = self.mean(means)
            self._becomes(
                self.pairings.revealed(public, label, self.player, self.other_hand), after, hand
            )
            return expected - self.guess()
        agent = by_seat[mover]
        if agent is None:
            self.public = after
            return 0.0
        by_action: Mapping[str, Floats] = agent.range_strategy(public)
        if mover != self.player:
            # The same for all our hands: what the other does with the hand he holds.
            by_action = {a: _of_hand(p, self.other_hand) for a, p in by_action.items()}
        means = self.heuristic.before_action(public, by_action, self.player, self.other_hand)
        expected = self.mean(means)
        self._becomes(by_action.get(label, np.zeros(1)), after, hand)
        return expected - self.guess()

    def _becomes(self, likely: Floats, after: PublicState, hand: Hand) -> None:
        self.reach = self.reach * likely
        self.public = after
        if not self.reach.any():
            raise AgentError(
                f"the hand {shorten(' '.join(hand.steps))} has a step that never happens, up to "
                f"{shorten(after.public_history)}: a known agent plays another strategy, or sat "
                "in the other seat"
            )


def _of_hand(probability: Floats, hand: int) -> Floats:
    return probability if probability.ndim == 0 else np.asarray(probability[hand])
