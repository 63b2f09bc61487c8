"""A spot: a situation in a hand of hold'em, from which two players play on.

Amounts are whole chips. The pot is what has been bet before, and the stack is what each player has
left to bet; if players have different stacks, it is the smaller one. Player 0 is out of position
(OOP) and acts first on every street after the flop, player 1 is in position (IP).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.cards import (
    HAND_FIRST,
    HAND_SECOND,
    NUM_CARDS,
    Range,
    board_of,
    can_meet,
    format_cards,
    range_of,
)
from infoset.errors import BadInputError, GameError
from infoset.games.holdem.bet_sizes import BetSizes, Menus, MenuSizing
from infoset.games.holdem.betting import (
    IP,
    OOP,
    PLAYERS,
    PREFLOP,
    STREETS,
    Betting,
    BettingState,
    action_text,
)
from infoset.games.holdem.checks import check_chips, check_line, kind_of
from infoset.games.holdem.deck import Cards
from infoset.games.holdem.game import HoldemGame, HoldemState
from infoset.games.holdem.locks import Lock, locks_of
from infoset.games.holdem.payoffs import NO_RAKE, Rake
from infoset.games.rules import CHANCE

MAX_NAME = 200
"""Longest name of a spot, in characters."""

MIN_WEIGHT = 1e-6
"""Of the largest weight in a range: if only hands of less can meet, single precision is lost."""

BIG_BLIND = 100
"""A big blind in chips, unless something else is said: that of the ACPC's no-limit games."""

MAX_COUNTED = 20_000
"""States of the first street that are counted to say how large a spot is at least."""

_IN_WORDS = ("out of position", "in position")


@dataclass(frozen=True, init=False)
class Spot(HoldemGame):
    """The description of a heads-up no-limit hold'em game, from some street on; never changed.

    Cards, ranges and sizes are given as text or as what the text stands for.

    - `bet_sizes`: a `BetSizes`, or its menus alone: ``{"bet": "50%, a", "raise": "60%"}``, see
      `infoset.games.holdem.bet_sizes`.
    - `rake`: a `Rake`, or its share alone: 0.05 for 5% of every pot that is won.
    - `blinds`: the small and the big blind of a spot that begins before the flop, with an empty
      board. The player in position posts the small blind and acts first. `stack` is then what each
      player has before posting, and `pot` what lies in the middle besides the blinds: 0, or the
      antes. The smallest bet is the big blind there, and 1 chip in other spots.
    - `name`: one line of text.
    - `big_blind`: what a big blind is in chips. It is no part of the game, but results are also
      told in thousandths of it.
    - `locks`: what some hands do at some decisions, whatever would be best; each a `Lock`, or a
      mapping with its path and strategy. Whether they fit is checked where the betting tree is.

    >>> spot = Spot("Td9d6hQc", "66+,A8s+", "QQ-22,ATo+", pot=200, stack=900)
    >>> spot.num_hands, spot.stack_to_pot
    ((63, 96), 4.5)
    >>> Spot("Td9d6hQc", "QcQd", "QcQh", pot=200, stack=900)
    Traceback (most recent call last):
    infoset.errors.BadInputError: on the board Td9d6hQc, every hand of the range out of position \
shares a card with the board

    A spot is a game as well. Payoffs are relative to half the pot:

    >>> state = spot.root().child("AsKs").child("QdQh")
    >>> state.actions
    ('check', 'bet 100', 'bet 200', 'all-in 900')
    >>> state = state.child("bet 100").child("call 100").child("2c").child("check")
    >>> state.infoset
    'QhQd:bet 100,call 100/2c:check'
    >>> state.child("check").payoff
    -200
    """

    WHICH_HANDS = "a hand is one of the player's range, of cards that are left"
    deck = tuple(range(NUM_CARDS))
    street_cards = (0, 3, 1, 1)

    board: Cards
    range_oop: Range
    range_ip: Range
    pot: int
    stack: int
    bet_sizes: BetSizes
    rake: Rake
    blinds: tuple[int, int] | None
    name: str
    big_blind: int
    locks: tuple[Lock, ...]

    def __init__(
        self,
        board: str | Iterable[int],
        range_oop: Range | str,
        range_ip: Range | str,
        pot: int,
        stack: int,
        bet_sizes: BetSizes | Mapping[str, object] | Menus | None = None,
        *,
        rake: Rake | float = NO_RAKE,
        blinds: Sequence[int] | None = None,
        name: str = "",
        big_blind: int | None = None,
        locks: Iterable[Lock | Mapping[str, object]] = (),
    ) -> None:
        cards = board_of(board)
        posted = _blinds(blinds, cards)
        sizes = bet_sizes if isinstance(bet_sizes, BetSizes) else BetSizes(bet_sizes)
        if big_blind is None:
            big_blind = BIG_BLIND if posted is None else posted[1]
        values = {
            "board": cards,
            "range_oop": _range(range_oop, OOP),
            "range_ip": _range(range_ip, IP),
            "pot": check_chips("pot", pot, can_be_zero=not cards),
            "stack": check_chips("stack", stack),
            # What is said about streets that are over is forgotten: it makes no difference.
            "bet_sizes": sizes.from_street(_street(cards)),
            "rake": rake if isinstance(rake, Rake) else Rake(rake),
            "blinds": posted,
            "name": check_line("name", "a spot", name, MAX_NAME),
            "big_blind": check_chips("big blind", big_blind),
            "locks": locks_of(locks),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        if posted is not None and self.stack <= posted[1]:
            raise BadInputError(
                f"the stack of {self.stack} must be more than the big blind of {posted[1]}"
            )
        _check_that_hands_meet(self)

    @property
    def street(self) -> int:
        """The first street: 0 before the flop, 1 on it, 2 on the turn, 3 on the river."""
        return _street(self.board)

    @property
    def ranges(self) -> tuple[Range, Range]:
        """The ranges of both players, without the hands that the board makes impossible."""
        return self.range_oop.without(self.board), self.range_ip.without(self.board)

    @property
    def num_hands(self) -> tuple[int, int]:
        """How many hands of each player the board allows."""
        oop, ip = self.ranges
        return len(oop), len(ip)

    @property
    def starting_pot(self) -> int:
        """The pot that the spot begins with, blinds included."""
        return self.pot + sum(self.blinds or ())

    @property
    def stack_to_pot(self) -> float:
        """The stack, in pots that the spot begins with."""
        return self.stack / self.starting_pot

    # The rules of the game

    @cached_property
    def betting(self) -> Betting:
        """The rules of betting; `put` in their states does not count the pot of the spot."""
        sizing = MenuSizing(
            self.bet_sizes, pot=self.pot, stack=self.stack, first_street=self.street
        )
        return Betting(self.stack, sizing, min_bet=self.blinds[1] if self.blinds else 1)

    def first_state(self) -> BettingState:
        """The betting when the spot begins."""
        if self.blinds is None:
            return self.betting.open_street(self.street)
        return self.betting.post_blinds(*self.blinds)

    def public(self) -> HoldemState:
        """The public state right after the deal; refused where payoffs or actions are not free."""
        if self.rake:
            raise GameError(
                f"{self.title} has rake, so what one player wins is not what the other loses: it "
                "is no zero-sum game. Its public form handles rake; for the sequence form, for "
                "sampling and for agents, leave the rake out"
            )
        if self.locks:
            raise GameError(
                f"{self.title} has locks, and a lock binds some hands of a decision and leaves "
                "others free. Its public form handles locks; for the sequence form, for "
                "sampling and for agents, leave the locks out"
            )
        return super().public()

    @property
    def title(self) -> str:
        """The name, or else the street and the board."""
        return self.name or f"{STREETS[self.street]} {format_cards(self.board)}".strip()

    def labels(self, state: BettingState) -> tuple[str, ...]:
        """Actions in the words of the betting tree."""
        return tuple(self._steps(state))

    def after(self, state: BettingState, label: str) -> BettingState | None:
        """The state after an action; `None` if there is no such action."""
        return self._steps(state).get(label)

    def possible(self, state: BettingState) -> str:
        """The actions there are, as the end of a message."""
        return f"there are {', '.join(self.labels(state))}"

    def _steps(self, state: BettingState) -> dict[str, BettingState]:
        if state not in self._known_steps:
            self._known_steps[state] = {
                action_text(kind, amount): after
                for kind, amount, after in self.betting.steps(state)
            }
        return self._known_steps[state]

    @cached_property
    def _known_steps(self) -> dict[BettingState, dict[str, BettingState]]:
        return {}

    @cached_property
    def hand_cards(self) -> tuple[Cards, ...]:
        """The cards of each hand of either range, the higher first."""
        return tuple((int(HAND_FIRST[hand]), int(HAND_SECOND[hand])) for hand in self._held)

    @property
    def hand_weights(self) -> list[list[float]]:
        """Those of the ranges."""
        return [held.weights[self._held].tolist() for held in self.ranges]

    @property
    def _held(self) -> NDArray[np.intp]:
        """The numbers of the hands in either range."""
        oop, ip = self.ranges
        return np.flatnonzero((oop.weights > 0) | (ip.weights > 0))

    @cached_property
    def least_histories(self) -> int:
        """How many histories there are at least: those in which later streets are checked down.

        >>> spot = Spot("QsJh2h", "random", "random", pot=180, stack=360)
        >>> f"{spot.least_histories:,}"
        '37,794,440,880'
        """
        number, states = 0, [self.first_state()]
        for state in states:  # it grows on the way
            number += self.num_runouts(state.street) if state.player == CHANCE else 1
            if state.player >= 0 and len(states) < MAX_COUNTED:
                states += self._steps(state).values()
        return number * self.dealing.num_pairs


def _street(board: Cards) -> int:
    return max(len(board) - 2, PREFLOP)


def _blinds(given: object, board: Cards) -> tuple[int, int] | None:
    if given is None:
        if not board:
            raise BadInputError(
                "a spot needs a board of 3 (flop), 4 (turn) or 5 (river) cards; none are given. "
                "Before the flop it needs blinds, such as (50, 100)"
            )
        return None
    if board:
        raise BadInputError(
            "blinds are for spots that begin before the flop, with no card on the board; what was "
            "bet before is part of the pot"
        )
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise BadInputError(
            f"blinds are two, the small one first, such as (50, 100), not {kind_of(given)}"
        )
    small, big = (
        check_chips(f"{size} blind", n) for size, n in zip(("small", "big"), given, strict=True)
    )
    if small > big:
        raise BadInputError(f"the small blind of {small} is more than the big blind of {big}")
    return small, big


def _range(given: Range | str, player: int) -> Range:
    try:
        held = range_of(given)
    except BadInputError as error:
        raise BadInputError(f"range_{PLAYERS[player]}: {error}") from None
    if not held:
        raise BadInputError(f"the range {_IN_WORDS[player]} is empty")
    return held


def _check_that_hands_meet(spot: Spot) -> None:
    """Refuse ranges of which no two hands can be dealt together."""
    where = f"on the board {format_cards(spot.board)}" if spot.board else "before the flop"
    for player, held in enumerate(spot.ranges):
        if not held:
            raise BadInputError(
                f"{where}, every hand of the range {_IN_WORDS[player]} shares a card with the board"
            )
    weights = np.array([held.weights for held in spot.ranges])
    if not can_meet(weights > 0.0).any():
        raise BadInputError(
            f"{where}, the ranges conflict: every hand of one shares a card with "
            "every hand of the other"
        )
    if not can_meet(weights > MIN_WEIGHT * weights.max(axis=1, keepdims=True)).any():
        raise BadInputError(
            f"{where}, the ranges hardly meet: hands that can be dealt together have "
            f"less than {MIN_WEIGHT:g} of the weight of others that cannot"
        )
