"""Rules of the trunk of a dealt game, and of one of its subgames, without the rest of the game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from infoset.games import CHANCE, TERMINAL, DealtGame, DealtState, Number, PublicState, name_of
from infoset.resolving.cuts import Cut

Step = tuple[str, int]
"""The public history at which a player moved last, and which action he took; -1 for none."""


@dataclass(frozen=True)
class LeafPlace:
    """A public state at which a trunk ends."""

    state: PublicState
    last: tuple[Step, Step]
    """Per player: what he did last."""
    dealt: tuple[tuple[PublicState, str], ...]
    """What chance has revealed on the way."""


@dataclass(frozen=True)
class TrunkRules:
    """A dealt game that ends where it is cut, and is worth nothing there."""

    game: DealtGame
    cut: Cut
    places: dict[str, LeafPlace] = field(default_factory=dict)
    """By public history: where it was cut, in the order in which the rules were walked."""

    @property
    def name(self) -> str:
        """The name of the whole game."""
        return name_of(self.game)

    @property
    def hands(self) -> Sequence[str]:
        """As in the whole game."""
        return self.game.hands

    def deal(self, hand0: int | None) -> Sequence[tuple[int, Fraction]]:
        """As in the whole game."""
        return self.game.deal(hand0)

    def public(self) -> _TrunkState:
        """The first public state."""
        return _TrunkState(self, self.game.public())

    def root(self) -> DealtState:
        """The deck before the deal."""
        return DealtState(self, self.public())

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> Number:
        """As in the whole game; nothing where it was cut."""
        return 0 if isinstance(ending, _Cut) else self.game.payoff(ending, hand0, hand1)


@dataclass(frozen=True)
class _Cut:
    """How the trunk ends at a cut."""


@dataclass(frozen=True)
class _TrunkState:
    """A public state of the trunk."""

    rules: TrunkRules
    state: PublicState
    depth: int = 0
    last: tuple[Step, Step] = (("", -1), ("", -1))
    dealt: tuple[tuple[PublicState, str], ...] = ()

    @cached_property
    def is_cut(self) -> bool:
        """Whether the trunk ends here."""
        cut, is_chance = self.rules.cut, self.state.player == CHANCE
        if self.state.player == TERMINAL:
            return False
        if cut.kind == "depth":
            here = self.depth == cut.number
        elif cut.kind == "public":
            here = len(self.dealt) == 1 and self.depth > 0 and not is_chance
        else:
            here = is_chance and self.depth > 0 and len(self.dealt) == cut.number - 2
        return here and _decides(self.state)

    @property
    def player(self) -> int:
        """Who moves; nobody where the trunk ends."""
        return TERMINAL if self.is_cut else self.state.player

    @property
    def actions(self) -> Sequence[str]:
        """As in the whole game."""
        return self.state.actions

    @property
    def outcomes(self) -> Sequence[str]:
        """As in the whole game."""
        return self.state.outcomes

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """As in the whole game."""
        return self.state.probability(outcome, hand0, hand1)

    def child(self, action: str) -> _TrunkState:
        """The public state after an action or an outcome."""
        state, mover = self.state, self.state.player
        after = replace(self, state=state.child(action))
        if mover == CHANCE:
            return replace(after, dealt=(*self.dealt, (state, action)))
        step = state.public_history, list(state.actions).index(action)
        last = (step, self.last[1]) if mover == 0 else (self.last[0], step)
        return replace(after, depth=self.depth + 1, last=last)

    @property
    def ending(self) -> Hashable:
        """How the game, or the trunk, ended."""
        if not self.is_cut:
            return self.state.ending
        self.rules.places[self.public_history] = LeafPlace(self.state, self.last, self.dealt)
        return _Cut()

    @property
    def public_history(self) -> str:
        """As in the whole game."""
        return self.state.public_history


def _decides(state: PublicState) -> bool:
    """Whether anybody decides anything from a public state on."""
    if state.player == TERMINAL:
        return False
    return state.player >= 0 or any(_decides(state.child(each)) for each in state.outcomes)


@dataclass(frozen=True)
class SubgameRules:
    """A dealt game that begins at a public state: first, both players are *in*, with their hands.

    So each has a sequence for every hand with which he can come there.
    """

    game: DealtGame
    place: LeafPlace

    @property
    def name(self) -> str:
        """What led to the subgame."""
        return f"{name_of(self.game)} after {self.place.state.public_history}"

    @property
    def hands(self) -> Sequence[str]:
        """As in the whole game."""
        return self.game.hands

    @cached_property
    def _joint(self) -> dict[int, dict[int, Fraction]]:
        """How likely each pair of hands is, what was revealed included."""
        joint: dict[int, dict[int, Fraction]] = {}
        for hand0, p0 in self.game.deal(None):
            for hand1, p1 in self.game.deal(hand0):
                p = p0 * p1
                for state, outcome in self.place.dealt:
                    p *= Fraction(state.probability(outcome, hand0, hand1))
                if p:
                    joint.setdefault(hand0, {})[hand1] = p
        return joint

    @cached_property
    def total(self) -> Fraction:
        """How likely chance is to lead to the subgame at all."""
        return sum((p for row in self._joint.values() for p in row.values()), Fraction())

    def deal(self, hand0: int | None) -> Sequence[tuple[int, Fraction]]:
        """The hands that are left by what was revealed, likely as they are then."""
        if hand0 is None:
            return [(hand, sum(row.values()) / self.total) for hand, row in self._joint.items()]
        row = self._joint[hand0]
        every = sum(row.values())
        return [(hand, p / every) for hand, p in row.items()]

    def held(self, player: int) -> list[int]:
        """The hands that a player may have, in the order of his cells."""
        if player == 0:
            return list(self._joint)
        return list(dict.fromkeys(hand for row in self._joint.values() for hand in row))

    def public(self) -> _In:
        """Player 0 is in, then player 1, then the subgame begins."""
        return _In(self, 0)

    def root(self) -> DealtState:
        """The deck before the deal."""
        return DealtState(self, self.public())

    def payoff(self, ending: Hashable, hand0: int, hand1: int) -> Number:
        """As in the whole game."""
        return self.game.payoff(ending, hand0, hand1)


@dataclass(frozen=True)
class _In:
    """A player is in: he has no choice."""

    rules: SubgameRules
    player: int
    outcomes: Sequence[str] = ()

    @property
    def actions(self) -> Sequence[str]:
        """There is one."""
        return ("in",)

    def probability(self, outcome: str, hand0: int, hand1: int) -> Number:
        """Chance does not move here."""
        return 0

    def child(self, action: str) -> PublicState:
        """The other player, or the subgame."""
        return _In(self.rules, 1) if self.player == 0 else self.rules.place.state

    @property
    def ending(self) -> Hashable:
        """The game does not end here."""
        return None

    @property
    def public_history(self) -> str:
        """Nothing that a game would call so."""
        return f"in {self.player}"
